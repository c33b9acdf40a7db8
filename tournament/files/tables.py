"""Tables as CSV that opens in a spreadsheet without doing anything there."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# A cell that begins so is a formula to a spreadsheet, whoever's name it is.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
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
    if isinstance(cell, str) and cell.startswith(_FORMULA):
        return "'" + cell
    return cell
