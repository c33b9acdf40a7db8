"""CSV tables: written so that a spreadsheet opens them as they are, and read from any program."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.utils.translation import gettext as _

from tournament.files.shape import wrong

BOM = "\ufeff"


def table_rows(source: str, mark: str, *, first: int = 1) -> Iterator[tuple[int, list[str]]]:
    """(the line it begins in, its cells) of every row. mark: what stands between cells; first: the first line's number.

    A quote that never ends would take in all that follows: it is refused with its line, or between tabs, where pages
    copy it, read as it stands. Raises UserError `bad-file`.
    """
    text = "\n".join(source.removeprefix("\ufeff").splitlines())
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL
    if mark == "\t" and not _quotes_end(text):
        quoting = csv.QUOTE_NONE
    reader = csv.reader(io.StringIO(text), delimiter=mark, quoting=quoting, strict=True)
    line = first
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            told = _('has a quotation mark (") that doesn’t end its cell: write it twice, or leave it out')
            raise wrong(_("line %(line)s") % {"line": line}, told) from error
        yield line, [_armed(cell.strip()) for cell in row]
        line = first + reader.line_num


def _quotes_end(text: str) -> bool:
    try:
        for _row in csv.reader(io.StringIO(text), delimiter="\t", strict=True):
            pass
    except csv.Error:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Table:
    head: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]


def as_csv(table: Table, *, bom: bool = False) -> str:
    """RFC 4180, lines ended by CR LF. Text that would be a formula is preceded by an apostrophe.

    bom: with the mark by which some spreadsheets know UTF-8.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(table.head)
    writer.writerows([_harmless(cell) for cell in row] for row in table.rows)
    return (BOM if bom else "") + out.getvalue()


def _harmless(cell: Any) -> Any:
    return "'" + cell if isinstance(cell, str) and _looks_like_formula(cell) else cell


# To a spreadsheet, a cell that begins with = + - @ is a formula, whoever's name it is. Some take the wide, small and
# raised forms of these signs for them, and drop what is not seen before them.
_SIGN = re.compile(r"\b(EQUALS|PLUS|MINUS)\b|\bCOMMERCIAL AT\b|\bHYPHEN")


def _looks_like_formula(cell: str) -> bool:
    if cell.startswith(("\t", "\r", "\n")):
        return True
    seen = next((char for char in cell if unicodedata.category(char) not in _UNSEEN), "")
    if not seen:
        return False
    return unicodedata.category(seen) == "Pd" or bool(_SIGN.search(unicodedata.name(seen, "")))


def _armed(cell: str) -> str:
    """Without the apostrophe that `_harmless` sets."""
    return cell[1:] if cell.startswith("'") and _looks_like_formula(cell[1:]) else cell


_UNSEEN = ("Cc", "Cf", "Zs", "Zl", "Zp")
