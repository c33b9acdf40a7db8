"""Reading plain data with located errors."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rules.engine.base.errors import DataError, unknown

_HAPPENED = re.compile(r"\bhappened\(\\?'([\w-]+)\\?'")
SOON = 300  # characters in which the period of a count is said
_OF_SOMETHING = re.compile(r"\.([a-z][\w-]*)")
_QUOTED = re.compile(r"'([\w-]+)\\?'")


def counted(data: Any) -> frozenset[tuple[str, str]]:
    """The kinds of occurrence of which some expression in it asks how often they happened, each with the periods that
    may be meant: the turn, and any word said soon after."""
    found = set()
    text = str(data)
    for match in _HAPPENED.finditer(text):
        said = text[match.end() : match.end() + SOON]
        found |= {(match[1], period) for period in ("turn", *_QUOTED.findall(said))}
    return frozenset(found)


def recalled(data: Any, derived: Mapping[str, Any]) -> frozenset[str]:
    """The computed values of cards that some expression in it reads of something it names (`trigger.card.power`): they
    are remembered of what leaves play."""
    read = set(_OF_SOMETHING.findall(str(data)))
    return frozenset(name for name, (_, _, of) in derived.items() if of == "card" and name in read)


def cites_of(data: Any) -> tuple[str, ...]:
    found = data.get("cite", ()) if isinstance(data, Mapping) else ()
    return (found,) if isinstance(found, str) else tuple(found)


def located(place: str, action: Any, *arguments: Any) -> Any:
    try:
        return action(*arguments)
    except DataError as error:
        raise error.at(place) from error


def mapping(data: Any, what: str) -> Mapping[str, Any]:
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise DataError("wrong-type", f"{what} must be a mapping, not {type(data).__name__}")
    return data


def check_keys(data: Mapping[str, Any], known: Sequence[str], what: str) -> None:
    for key in data:
        if key not in known:
            raise unknown(what, key, known)


def yes(value: Any) -> bool:
    return value is True or value == "yes"
