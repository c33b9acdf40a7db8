"""Tables as CSV that opens in a spreadsheet without doing anything there."""

import csv
import io
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

BOM = "\ufeff"


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


_UNSEEN = ("Cc", "Cf", "Zs", "Zl", "Zp")
