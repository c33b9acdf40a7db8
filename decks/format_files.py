"""The shipped formats, decks/formats/*.yaml, and their snapshots, read once per process."""

from collections.abc import Mapping
from datetime import date
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from config.errors import NotFound, UserError
from decks.format_model import Format
from decks.format_reading import document, parse
from decks.legality import Snapshot, overridden

FOLDER = Path(__file__).parent / "formats"


@cache
def formats() -> dict[str, Format]:
    """The shipped formats by key. Raises UserError when a file is wrong."""
    found = [parse(path.read_bytes(), name=path.name, base=_document) for path in sorted(FOLDER.glob("*.yaml"))]
    return {format_.key: format_ for format_ in found}


def _document(key: str) -> dict[str, Any]:
    """The shipped file of a key as data, to build upon."""
    path = FOLDER / f"{key}.yaml"
    if not key.replace("-", "").isalnum() or not path.exists():
        raise UserError(
            "bad-format",
            f"There is no format “{key}” to build upon.",
            place="extends",
            remedy=f"Known: {', '.join(path.stem for path in sorted(FOLDER.glob('*.yaml')))}.",
        )
    return document(path.read_bytes(), name=path.name, base=_document)


def format_of(key: str) -> Format:
    """The format of a key. Raises NotFound with the known keys."""
    if key in formats():
        return formats()[key]
    missing = NotFound("format")
    missing.remedy = f"Name one of: {', '.join(formats())}."
    raise missing


def snapshot(
    key: str,
    on: date | None = None,
    *,
    overrides: Mapping[str, Any] | None = None,
    choices: Mapping[str, str] | None = None,
) -> Snapshot:
    """The shipped format `key` on a date (its default date when None).

    choices: of a deck list: where the format leaves the list to the player, the one it names is used.

    overrides: an event's choices: rule id -> number or None (see `legality.overridden`), and `list` -> the
    key of the list to use whatever the date. Raises NotFound, UserError `unknown-list`, `bad-override`.
    """
    format_ = format_of(key)
    on = on or format_.default_on
    changes = dict(overrides or {})
    word = format_.building.get("list_choice", "")
    if word and choices and "list" not in changes and choices.get(word) in format_.lists:
        changes["list"] = choices[word]
    if not changes:
        return _plain_snapshot(key, on)
    if list(changes) == ["list"]:
        return _listed_snapshot(key, on, str(changes["list"]))
    made = format_.snapshot(on, list_key=str(changes.pop("list", "")))
    for rule, number in changes.items():
        if rule not in format_.law or not (number is None or (type(number) is int and 0 <= number < 10_000)):
            raise UserError(
                "bad-override",
                f"“{rule}: {number}” is not a change to a rule of {format_.title}.",
                place=str(rule)[:80],
                remedy="Give a rule's id and a whole number, or null to leave the rule out.",
            )
    return overridden(made, changes)


@lru_cache(maxsize=256)
def _plain_snapshot(key: str, on: date) -> Snapshot:
    return format_of(key).snapshot(on)


@lru_cache(maxsize=256)
def _listed_snapshot(key: str, on: date, list_key: str) -> Snapshot:
    return format_of(key).snapshot(on, list_key=list_key)
