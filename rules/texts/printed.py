"""Printed cards of a folder that the project does not hold: CSV and JSON files, as a words file says their
columns are called.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config import given_files, strict_json
from config.errors import UserError

KINDS = (".csv", ".json")
MOST_BYTES = 60_000_000  # of a file
MOST_FILES = 200_000  # of a folder, with pictures
_GOOD_NAME = "Name a folder or a file of cards."


@dataclass(frozen=True, slots=True)
class PrintedText:
    name: str
    type: str | None  # as the system calls it, where it does
    text: str
    xs: frozenset[str] = frozenset()  # its printed numbers that are X
    facts: Mapping[str, Any] = field(default_factory=dict)  # the rest of what is printed on it
    printing: str = ""
    untold: tuple[str, ...] = ()  # what the file does not tell of it


def printed_texts(
    folder: Path,
    columns: Mapping[str, Any],
    types: frozenset[str],
    subtypes: Sequence[str] = (),
    misprints: Mapping[str, Mapping[str, str]] | None = None,
) -> Iterator[PrintedText]:
    """Cards with a text, in the order of files and rows. A file of other things is passed over.

    columns: `printed` of a words file: for `name`, `type` and `text` the columns' names (the text's are joined);
    `types`: a printed type -> the system's; `symbol`: a column that says that the text has a symbol, and the
    symbol; `print`: columns that say which printing it is; `facts`: a fact -> its column, and how that tells it;
    `untold`: when a row does not tell something, and what.
    subtypes: those of several words, where a column tells them without a mark between.
    misprints: card -> a typing error of the file: what the card has there.
    Raises UserError: `no-file`, `too-large`, `too-many-files`, `bad-cards` (damaged, with its place).
    """
    for path in _files(folder):
        for row in _rows(path):
            card = printed_text(row, columns, types, subtypes, misprints)
            if card.name and card.text.strip():
                yield card


def printed_text(
    row: Mapping[str, Any],
    columns: Mapping[str, Any],
    types: frozenset[str],
    subtypes: Sequence[str] = (),
    misprints: Mapping[str, Mapping[str, str]] | None = None,
) -> PrintedText:
    """One card, as a row of such a file tells it; its name and its text may be empty."""
    name = _first(row, columns["name"])
    text = "\n".join(_ended([str(row[key]) for key in columns["text"] if row.get(key)]))
    for wrong, right in (misprints or {}).get(name, {}).items():
        text = text.replace(wrong, right)
    for key, symbol in columns.get("symbol", {}).items():
        if row.get(key) and symbol not in re.sub(
            r"\([^)]*\)", "", text
        ):  # said of the card: every line that chooses bears it
            text = "\n".join(f"{line} {symbol}" for line in text.split("\n"))
    xs = frozenset(fact for fact, keys in columns.get("x", {}).items() if _first(row, keys).lower() == "x")
    printed = str(_first(row, columns["type"]) or "").lower()
    type_ = columns.get("types", {}).get(printed, printed)
    facts, untold = _facts(row, columns, subtypes)
    printing = ", ".join(
        str(row[key]) for key in columns.get("print", ()) if row.get(key) and row[key] != "-1"
    )
    return PrintedText(name, type_ if type_ in types else None, text, xs, facts, printing, untold)


def _ended(columns: Sequence[str]) -> list[str]:
    """Each column but the last with a full stop, where it ends in a word: it is no beginning of the next one's first
    sentence (a keyword in a column of its own)."""
    ended = [f"{one.rstrip()}." if re.search(r"\w\s*$", one) else one for one in columns[:-1]]
    return [*ended, *columns[-1:]]


def _facts(
    row: Mapping[str, Any], columns: Mapping[str, Any], subtypes: Sequence[str]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What else is printed on a card, and what of it the row does not tell."""
    found: dict[str, Any] = {}
    untold: list[str] = []
    for fact, told in columns.get("facts", {}).items():
        cell = _cell(row, told["column"])
        if isinstance(cell, list):
            if cell:
                found[fact] = [str(one) for one in cell]
            continue
        value = str(cell or "" if cell != 0 or cell is False else 0).strip()
        if not value:
            continue
        if told.get("number"):
            if value.lstrip("-").isdigit():
                found[fact] = int(value)
            elif value != told.get("none"):  # what stands there if the card has none
                untold.append(f"{fact} {value}")
        elif "is" in told:
            if value in (told["is"] if isinstance(told["is"], list) else [told["is"]]):
                found[fact] = "yes"
        elif "matches" in told:
            if re.search(told["matches"], value):
                found[fact] = "yes"
        elif "count" in told:
            if number := value.count(told["count"]):
                found[fact] = number
        elif "leading" in told:
            number, strange = _leading(value, told["leading"], found.get(told["of"]))
            if number:
                found[fact] = number
            if strange:
                untold.append(told["says"])
        elif "split" in told:
            found[fact] = [one.strip(" .,") for one in value.split(told["split"]) if one.strip(" .,")]
        elif told.get("words"):
            found[fact] = _known_words(value, subtypes)
        else:
            found[fact] = told.get("values", {}).get(value, value)
    for lack in columns.get("untold", ()):
        value = str(row.get(lack["column"]) or "")
        if value == lack.get("is") or ("matches" in lack and re.search(lack["matches"], value)):
            untold.append(lack["says"])
    return found, tuple(untold)


def _leading(value: str, signs: Mapping[str, str], own: Any) -> tuple[int, bool]:
    """With how many signs of its own a text begins, and whether others are among them. signs: of what -> sign."""
    begun = re.match("[" + re.escape("".join(signs.values())) + r"*\s]*", value)
    leading = [sign for sign in (begun[0] if begun else "") if sign in signs.values()]
    number = leading.count(signs.get(str(own), ""))
    return number, number < len(leading)


def _cell(row: Mapping[str, Any], column: str) -> Any:
    """What a row has in a column; `icons.military` is a column within a column."""
    first, _, rest = column.partition(".")
    if column in row or not rest:
        return row.get(column)
    inner = row.get(first)
    return _cell(inner, rest) if isinstance(inner, Mapping) else None


def _known_words(text: str, known: Sequence[str]) -> list[str]:
    """A row of words cut into known ones, some of several words; what is not known is a word for itself."""
    found: list[str] = []
    rest = text.split()
    while rest:
        size = next((n for n in range(len(rest), 1, -1) if " ".join(rest[:n]) in known), 1)
        found.append(" ".join(rest[:size]))
        rest = rest[size:]
    return found


def _files(folder: Path) -> Iterator[Path]:
    if not given_files.is_folder(folder):
        given_files.opened(folder, remedy=_GOOD_NAME).close()
        yield folder
        return
    for path, fault in sorted(given_files.files_in(folder, MOST_FILES), key=lambda one: one[0]):
        if fault is not None and (path.suffix in KINDS or given_files.is_folder(path)):
            raise fault
        yield path


def _rows(path: Path) -> Sequence[Mapping[str, Any]]:
    if path.suffix not in KINDS:
        return []
    data = given_files.content(path, MOST_BYTES, remedy=_GOOD_NAME)
    try:
        text = data.decode("utf-8-sig")
        if path.suffix == ".csv":
            return list(csv.DictReader(io.StringIO(text, newline="")))
        document = strict_json.loads(text)
    except (csv.Error, RecursionError, ValueError) as error:  # also what is no UTF-8
        said = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        place = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise UserError(
            "bad-cards",
            f"“{given_files.shown(path)}” can’t be read: {said}.",
            place=place,
            remedy="Get the file again, or take it out.",
        ) from error
    if isinstance(document, dict):  # a pack: its cards, beside what else is said of it
        document = document.get("cards")
    if isinstance(document, list):
        return [row for row in document if isinstance(row, dict)]
    return []


def _first(row: Mapping[str, Any], keys: Sequence[str]) -> str:
    return next((str(row[key]) for key in keys if row.get(key)), "")
