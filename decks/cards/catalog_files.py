"""Card facts as files: GAME.yaml says what a catalog is, beside it stand GAME.jsonl (one card a line, written by a
command from a source) and GAME.csv (one line a printing, kept by hand), either or both.

The CSV's columns: `title` (needed), `set`, `number`, `descriptor`, `code`; `text` is what is printed on the card (no
file that ships has it); every other column is a fact of the card by its name. Values are split at semicolons, yes and
no are true and false, `uncertain` names the columns on which the sources disagree.
"""

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from config import strict_yaml
from config.errors import UserError
from config.nodes import Node
from config.text import decoded
from decks.cards.index import CardFacts, CatalogIndex, PrintingFacts, version_of
from decks.lists import fold

FOLDER = Path(__file__).parents[1] / "catalog"
MAX_BYTES = 20_000_000
MAX_TEXT = 200
_PRINTING = ("title", "set", "number", "descriptor", "code")
_TEXT = re.compile(r"(.*[\s_-])?text([\s_-]*\d+)?", re.IGNORECASE)  # “text”, “Card Text”, “rules_text_1”


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


class Shipped:
    """A catalog that comes with the project: its manifest, and its cards once somebody asks for them.

    GAME.jsonl holds what a source said (`manage.py catalog_update --write`), GAME.csv what we keep by hand: of a fact
    that both know, ours holds. `as_of`: the day of the source; `source`: where it is from, for people.
    """

    def __init__(self, manifest: Path) -> None:
        node = Node(strict_yaml.load(manifest.read_bytes(), name=manifest.name), manifest.name, "bad-catalog")
        node.only("game", "name", "partial", "as-of", "source", "values")
        self.game = node["game"].slug()
        self.name = node["name"].text()
        self.partial = node["partial"].boolean()
        self.as_of = node["as-of"].date()
        self.source = node["source"].text()
        self.values = {
            fact: {said: ours.text() for said, ours in values.items()}
            for fact, values in node.optional("values", {}).items()
        }
        self._manifest = manifest

    @cached_property
    def digest(self) -> str:
        """Of the files as they lie there: whether a database holds them already is seen without reading a card."""
        digest = hashlib.sha256()
        for path in (self._manifest, *self._files):
            digest.update(path.read_bytes())
        return digest.hexdigest()

    @cached_property
    def data(self) -> CatalogData:
        """Its cards. Raises UserError with the file and the line."""
        cards: dict[str, CardFacts] = {}
        for path in self._files:
            reading = read_csv if path.suffix == ".csv" else read_lines
            for card in reading(path.read_bytes(), name=path.name):
                known = cards.get(card.key)
                cards[card.key] = _corrected(known, card) if known else card
        return CatalogData(self.game, self.name, self.partial, tuple(cards.values()))

    @property
    def cards(self) -> tuple[CardFacts, ...]:
        return self.data.cards

    @property
    def _files(self) -> list[Path]:
        """First what was imported, then what corrects it."""
        found = (self._manifest.with_suffix(suffix) for suffix in (".jsonl", ".csv"))
        return [path for path in found if path.exists()]

    def in_our_words(self, cards: Iterable[CardFacts]) -> tuple[CardFacts, ...]:
        """The cards with the values of facts that we spell otherwise than the source."""
        return tuple(replace(card, facts=self._spelt(card.facts)) for card in cards)

    def _spelt(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        spelt = dict(facts)
        for fact, words in self.values.items():
            value = spelt.get(fact)
            if isinstance(value, list):
                spelt[fact] = [words.get(one, one) for one in value]
            elif isinstance(value, str):
                spelt[fact] = words.get(value, value)
        return spelt


@cache
def shipped() -> dict[str, Shipped]:
    """The catalogs that come with the project, by game; of each only its manifest is read."""
    found = (Shipped(path) for path in sorted(FOLDER.glob("*.yaml")))
    return {catalog.game: catalog for catalog in found}


@cache
def shipped_index(game: str) -> CatalogIndex:
    """The shipped catalog ready for look-ups; an empty partial one when we ship none for the game."""
    manifest = next((path for path in FOLDER.glob("*.yaml") if path.stem == game), None)
    data = Shipped(manifest).data if manifest else CatalogData(game, game, partial=True, cards=())
    return data.index()


def _corrected(known: CardFacts, ours: CardFacts) -> CardFacts:
    """The card of a source with what we know better: our title and facts, our number for a set both name."""
    better = {fold(p.set_name): p for p in ours.printings}
    printings = [
        replace(p, number=here.number or p.number, descriptor=p.descriptor or here.descriptor)
        if (here := better.pop(fold(p.set_name), None))
        else p
        for p in known.printings
    ]
    return CardFacts(ours.title, known.key, {**known.facts, **ours.facts}, (*printings, *better.values()))


# --- one card a line, as JSON ----------------------------------------------------------------------------


def lines_of(cards: Iterable[CardFacts]) -> str:
    """The cards as lines of JSON, by title, so that two versions of the file can be compared line by line."""
    rows = (
        {
            "title": card.title,
            "facts": {fact: card.facts[fact] for fact in sorted(card.facts)},
            "printings": [[p.set_name, p.number, p.descriptor, p.code] for p in card.printings],
        }
        for card in sorted(cards, key=lambda card: card.key)
    )
    return "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)


def read_lines(data: bytes, *, name: str) -> tuple[CardFacts, ...]:
    """What `lines_of` wrote. Raises UserError `bad-catalog` with the line."""
    cards: dict[str, CardFacts] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            row = json.loads(line)
            printings = tuple(
                PrintingFacts(str(a), str(b), str(c), str(d)) for a, b, c, d in row["printings"]
            )
            card = CardFacts(str(row["title"]), fold(row["title"]), dict(row["facts"]), printings)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise UserError(
                "bad-catalog",
                f"{name}: this line isn’t a card.",
                place=f"line {number}",
                remedy="Write the file again: manage.py catalog_update --write.",
            ) from error
        if card.key in cards or not card.key:
            raise UserError("bad-catalog", f"{name}: “{card.title}” is listed twice.", place=f"line {number}")
        cards[card.key] = card
    return tuple(cards.values())


def read_csv(data: bytes, *, name: str) -> tuple[CardFacts, ...]:
    """The cards of a CSV file; lines with the same folded title are one card.

    Raises UserError `bad-catalog` (with the line), `bad-encoding`, `too-large`.
    """
    if len(data) > MAX_BYTES:
        raise UserError("too-large", f"{name} is larger than {MAX_BYTES:,} bytes.", status=413)
    text = decoded(data, name)
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
                    remedy="Put a value that contains a comma in quotes.",
                )
            row = {column: value.strip() for column, value in zip(columns, values, strict=True)}
            if not 0 < len(fold(row["title"])) <= MAX_TEXT:
                raise UserError("bad-catalog", f"{name}: a card without a usable title.", place=place)
            if too_long := next((one for one in row if len(row[one]) > MAX_TEXT and not is_text(one)), None):
                raise UserError("bad-catalog", f"{name}: the {too_long} is too long.", place=place)
            yield row
    except csv.Error as error:
        raise UserError(
            "bad-catalog", f"{name} is not CSV: {error}.", place=f"line {reader.line_num}"
        ) from error


def is_text(column: str) -> bool:
    """Does the column hold printed text, and no fact?"""
    return _TEXT.fullmatch(column) is not None


def _card(key: str, rows: list[dict[str, str]]) -> CardFacts:
    """One card from its printings; a fact on which they differ becomes the list of its values."""
    facts: dict[str, Any] = {}
    for column in rows[0]:
        if column in _PRINTING or is_text(column):
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
    told = tuple(rows) if any(is_text(column) for column in rows[0]) else ()
    return CardFacts(rows[0]["title"], key, facts, tuple(printings), told)


def _value(column: str, text: str) -> Any:
    if column in ("subtypes", "uncertain") or ";" in text:
        return tuple(part.strip() for part in text.split(";") if part.strip())
    if column == "unique" or text.lower() in ("yes", "no"):
        return text.lower() in ("yes", "true", "1")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else text
