"""Reading JSON from people: a name that stands twice in one object is refused, of which Python would keep the last;
so is what is no JSON (NaN). What is too deep, too long or no text that can be stored is the caller's to tell.
"""

import json
from typing import Any


class Repeated(ValueError):
    """A name stands twice in one object."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name.encode("unicode_escape").decode()[:80] if not name.isprintable() else name[:80]


def loads(text: str) -> Any:
    """Raises Repeated, json.JSONDecodeError, RecursionError, ValueError (a number of more than 4,300 digits, NaN)."""
    return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for name, _value in pairs:
            if name in seen:
                raise Repeated(name)
            seen.add(name)
    return found


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number")
