"""Reading plain data with located errors."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rules.engine.errors import DataError, unknown

_HAPPENED = re.compile(r"\bhappened\(\\?'([\w-]+)")


def counted(data: Any) -> frozenset[str]:
    """The kinds of occurrence of which some expression in it asks how often they happened."""
    return frozenset(_HAPPENED.findall(str(data)))


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
