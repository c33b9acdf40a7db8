"""Printed cards of a folder that the project does not hold: CSV and JSON files, as a words file says their
columns are called.
"""

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


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
    """
    for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
        for row in _rows(path):
            name = _first(row, columns["name"])
            text = "\n".join(str(row[key]) for key in columns["text"] if row.get(key))
            if not name or not text.strip():
                continue
            for wrong, right in (misprints or {}).get(name, {}).items():
                text = text.replace(wrong, right)
            for key, symbol in columns.get("symbol", {}).items():
                if row.get(key) and symbol not in re.sub(
                    r"\([^)]*\)", "", text
                ):  # said of the card: every line that chooses bears it
                    text = "\n".join(f"{line} {symbol}" for line in text.split("\n"))
            xs = frozenset(
                fact for fact, keys in columns.get("x", {}).items() if _first(row, keys).lower() == "x"
            )
            printed = str(_first(row, columns["type"]) or "").lower()
            type_ = columns.get("types", {}).get(printed, printed)
            facts, untold = _facts(row, columns, subtypes)
            printing = ", ".join(
                str(row[key]) for key in columns.get("print", ()) if row.get(key) and row[key] != "-1"
            )
            yield PrintedText(name, type_ if type_ in types else None, text, xs, facts, printing, untold)


def _facts(
    row: Mapping[str, Any], columns: Mapping[str, Any], subtypes: Sequence[str]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What else is printed on a card, and what of it the row does not tell."""
    found: dict[str, Any] = {}
    untold: list[str] = []
    for fact, told in columns.get("facts", {}).items():
        value = str(row.get(told["column"]) or "" if row.get(told["column"]) != 0 else 0).strip()
        if not value:
            continue
        if told.get("number"):
            if value.lstrip("-").isdigit():
                found[fact] = int(value)
            else:
                untold.append(f"{fact} {value}")
        elif "is" in told:
            if value in (told["is"] if isinstance(told["is"], list) else [told["is"]]):
                found[fact] = "yes"
        elif "count" in told:
            if number := value.count(told["count"]):
                found[fact] = number
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


def _known_words(text: str, known: Sequence[str]) -> list[str]:
    """A row of words cut into known ones, some of several words; what is not known is a word for itself."""
    found: list[str] = []
    rest = text.split()
    while rest:
        size = next((n for n in range(len(rest), 1, -1) if " ".join(rest[:n]) in known), 1)
        found.append(" ".join(rest[:size]))
        rest = rest[size:]
    return found


def _rows(path: Path) -> Sequence[Mapping[str, Any]]:
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    if path.suffix == ".json":
        data = json.loads(path.read_text("utf-8"))
        if isinstance(data, dict):  # a pack: its cards, beside what else is said of it
            data = data.get("cards")
        if isinstance(data, list):
            return [row for row in data if isinstance(row, dict)]
    return []


def _first(row: Mapping[str, Any], keys: Sequence[str]) -> str:
    return next((str(row[key]) for key in keys if row.get(key)), "")
