"""Card facts as files: a CSV, one line per printing, and beside it a YAML that says what the file is.

Columns: `title` (needed), `set`, `number`, `descriptor`, `code`; every other column is a fact of the card by its
name. Values are split at semicolons, yes and no are true and false, `uncertain` names the columns on which the
sources disagree.
"""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from config import strict_yaml
from config.errors import UserError
from decks.catalog_index import CardFacts, CatalogIndex, PrintingFacts, version_of
from decks.format_nodes import Node
from decks.lists import fold

FOLDER = Path(__file__).parent / "catalog"
MAX_BYTES = 20_000_000
MAX_TEXT = 200
_PRINTING = ("title", "set", "number", "descriptor", "code")


@dataclass(frozen=True, slots=True)
class CatalogData:
    """What one source says of one game's cards. `partial`: real cards may be missing from it;
    `fills`: its facts only fill what is not known (others hold the errata)."""

    game: str
    name: str
    partial: bool
    cards: tuple[CardFacts, ...]
    fills: bool = False

    @property
    def version(self) -> str:
        return version_of(self.cards, partial=self.partial)

    def index(self) -> CatalogIndex:
        return CatalogIndex(
            self.cards, game=self.game, name=self.name, partial=self.partial, version=self.version
        )


@cache
def shipped() -> dict[str, CatalogData]:
    """The catalogs that come with the project, by game."""
    found = (_with_manifest(path) for path in sorted(FOLDER.glob("*.csv")))
    return {data.game: data for data in found}


@cache
def shipped_index(game: str) -> CatalogIndex:
    """The shipped catalog ready for look-ups; an empty partial one when we ship none for the game."""
    data = shipped().get(game) or CatalogData(game, game, partial=True, cards=())
    return data.index()


def _with_manifest(path: Path) -> CatalogData:
    manifest = path.with_suffix(".yaml")
    node = Node(strict_yaml.load(manifest.read_bytes(), name=manifest.name), manifest.name, "bad-catalog")
    node.only("game", "name", "partial")
    cards = read_csv(path.read_bytes(), name=path.name)
    return CatalogData(node["game"].slug(), node["name"].text(), node["partial"].boolean(), cards)


def read_csv(data: bytes, *, name: str) -> tuple[CardFacts, ...]:
    """The cards of a CSV file; lines with the same folded title are one card.

    Raises UserError `bad-catalog` (with the line), `bad-encoding`, `too-large`.
    """
    if len(data) > MAX_BYTES:
        raise UserError("too-large", f"{name} is larger than {MAX_BYTES:,} bytes.", status=413)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(
            "bad-encoding",
            f"{name} is not UTF-8 text.",
            place=f"byte {error.start}",
            remedy="Save it as UTF-8.",
        ) from error
    if "\0" in text:
        raise UserError("bad-catalog", f"{name} is not a text file.", remedy="Save the sheet as CSV (UTF-8).")
    rows: dict[str, list[dict[str, str]]] = {}
    for row in _rows(text, name):
        rows.setdefault(fold(row["title"]), []).append(row)
    return tuple(_card(key, same) for key, same in rows.items())


def _rows(text: str, name: str) -> Iterator[dict[str, str]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        columns = [column.strip() for column in next(reader, [])]
        if "title" not in columns:
            raise UserError(
                "bad-catalog",
                f"{name} has no column “title”.",
                place="line 1",
                remedy="Name the columns in the first line: title,set,number,type,...",
            )
        if len(set(columns)) != len(columns) or "" in columns:
            raise UserError("bad-catalog", f"{name}: every column needs a name of its own.", place="line 1")
        for values in reader:
            if not any(value.strip() for value in values):
                continue
            place = f"line {reader.line_num}"
            if len(values) != len(columns):
                raise UserError(
                    "bad-catalog",
                    f"{name}: {len(values)} values where there are {len(columns)} columns.",
                    place=place,
                    remedy="Put quotes round a value that holds a comma.",
                )
            row = {column: value.strip() for column, value in zip(columns, values, strict=True)}
            if not 0 < len(fold(row["title"])) <= MAX_TEXT:
                raise UserError("bad-catalog", f"{name}: a card without a usable title.", place=place)
            if too_long := next((column for column, value in row.items() if len(value) > MAX_TEXT), None):
                raise UserError("bad-catalog", f"{name}: the {too_long} is too long.", place=place)
            yield row
    except csv.Error as error:
        raise UserError(
            "bad-catalog", f"{name} is not CSV: {error}.", place=f"line {reader.line_num}"
        ) from error


def _card(key: str, rows: list[dict[str, str]]) -> CardFacts:
    """One card from its printings; a fact on which they differ becomes the list of its values."""
    facts: dict[str, Any] = {}
    for column in rows[0]:
        if column in _PRINTING:
            continue
        values = list(dict.fromkeys(_value(column, row[column]) for row in rows if row[column]))
        if len(values) == 1:
            facts[column] = list(values[0]) if isinstance(values[0], tuple) else values[0]
        elif values:
            facts[column] = list(
                dict.fromkeys(
                    part for value in values for part in (value if isinstance(value, tuple) else [value])
                )
            )
    printings = dict.fromkeys(
        PrintingFacts(
            row.get("set", ""), row.get("number", ""), row.get("descriptor", ""), row.get("code", "").lower()
        )
        for row in rows
    )
    return CardFacts(rows[0]["title"], key, facts, tuple(printings))


def _value(column: str, text: str) -> Any:
    if column in ("subtypes", "uncertain") or ";" in text:
        return tuple(part.strip() for part in text.split(";") if part.strip())
    if column == "unique" or text.lower() in ("yes", "no"):
        return text.lower() in ("yes", "true", "1")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else text
