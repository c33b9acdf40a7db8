"""The built-in formats (decks/formats/*.yaml) and their snapshots, read once per process."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from config import strict_yaml
from config.errors import NotFound, UserError
from decks.law.model import Format, names_list
from decks.law.reading import document, parse
from decks.legality import Snapshot, overridden

FOLDER = Path(__file__).parents[1] / "formats"


@cache
def formats() -> dict[str, Format]:
    """The shipped formats by key. Raises UserError when a file is wrong."""
    found = [_shipped(path.stem) for path in sorted(FOLDER.glob("*.yaml"))]
    return {format_.key: format_ for format_ in found}


@cache
def _keys() -> frozenset[str]:
    """The shipped formats' keys, without reading one. What somebody typed is looked up here, never made a path."""
    return frozenset(path.stem for path in FOLDER.glob("*.yaml"))


@cache
def _shipped(key: str) -> Format:
    """One of them, by the name of its file: who asks for one does not wait for all."""
    path = FOLDER / f"{key}.yaml"
    return parse(path.read_bytes(), name=path.name, base=_document, shipped=True)


def _document(key: str) -> dict[str, Any]:
    """The shipped file of a key as data, to build upon."""
    if key not in _keys():
        raise UserError(
            "bad-format",
            _("No format has the key “%(key)s”, so nothing can extend it.") % {"key": key},
            place="extends",
            remedy=_("Use one of: %(names)s.") % {"names": ", ".join(sorted(_keys()))},
        )
    path = FOLDER / f"{key}.yaml"
    return document(path.read_bytes(), name=path.name, base=_document, shipped=True)


def format_of(key: str) -> Format:
    """The format of a key. Raises NotFound with the known keys."""
    if key in _keys():
        return _shipped(key)
    raise no_format(formats())


def no_format(keys: Iterable[str]) -> NotFound:
    """That there is no such format, with those that there are."""
    return NotFound(_("format"), remedy=_("Use one of: %(names)s.") % {"names": ", ".join(keys)})


def snapshot(
    key: str,
    on: date | None = None,
    *,
    overrides: Mapping[str, Any] | None = None,
    choices: Mapping[str, str] | None = None,
) -> Snapshot:
    """The shipped format `key` on a date, see `snapshot_of`. Raises NotFound, UserError."""
    return snapshot_of(format_of(key), on, overrides=overrides, choices=choices)


def snapshot_of(
    format_: Format,
    on: date | None = None,
    *,
    overrides: Mapping[str, Any] | None = None,
    choices: Mapping[str, str] | None = None,
) -> Snapshot:
    """The format on a date (its default date when None).

    overrides: an event's choices: rule id -> number or None (see `legality.overridden`), and `list` -> the
    key of the list to use whatever the date. choices: of a deck list: where the format leaves the list to the
    player, the one it names is used. Raises UserError `unknown-list`, `bad-override`.
    """
    on = on or format_.default_on
    changes = dict(overrides or {})
    list_key = str(changes.pop("list", "") or "")
    word = format_.building.get("list_choice", "")
    if word and choices and not list_key and (said := choices.get(word)):
        named = [key for key, one in format_.lists.items() if names_list(said, key, one.title)]
        list_key = named[0] if len(named) == 1 else ""
    made = _dated_snapshot(format_, on, list_key)
    if not changes:
        return made
    for rule, number in changes.items():
        if rule not in format_.law or not (number is None or (type(number) is int and 0 <= number < 10_000)):
            raise UserError(
                "bad-override",
                _("“%(change)s” doesn’t change a rule of %(title)s.")
                % {"change": f"{rule}: {number}", "title": format_.title},
                place=str(rule)[:80],
                remedy=_("Give a rule’s ID and a whole number, or null to turn the rule off."),
            )
    changed = ("changed", on, list_key, tuple(sorted(changes.items())))
    return _remembered(format_, changed, lambda: overridden(made, changes))


REMEMBERED = 256  # snapshots of one format; each keeps what the check derived from it


def _dated_snapshot(format_: Format, on: date, list_key: str) -> Snapshot:
    return _remembered(format_, (on, list_key), lambda: format_.snapshot(on, list_key=list_key))


def _remembered(format_: Format, key: Any, make: Callable[[], Snapshot]) -> Snapshot:
    known = format_.memo.get(key)
    if known is None:
        if len(format_.memo) >= REMEMBERED:
            format_.memo.clear()
        known = format_.memo[key] = make()
    return known


def documents(text: str, *, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """(the file as it was written, the same with what it extends laid under it), as data. Raises UserError."""
    own = strict_yaml.load(text, name=name)
    return own if isinstance(own, dict) else {}, document(text, name=name, base=_document)


def parsed(text: str | bytes, *, name: str) -> Format:
    """A format that somebody wrote; it may extend a shipped one. Raises UserError with the place."""
    return parse(text, name=name, base=_document)
