"""What a system file says to people: which of its strings are texts, marked as messages of that system."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rules.engine.base.messages import Message, denied, text_of

HAPPENS = Message("happens")
NOT_POSSIBLE = Message("it is not possible")
NOT_PAID = Message("it can’t be paid")
OPTIONAL_PART = Message("carry out the optional part")

_TEXTS = {"says", "because", "ask", "note", "title", "taken", "lacking", "assumed"}
_NAMED = {"zones", "options"}  # mappings whose values are texts
_SILENT = {
    "law",
    "documents",
    "example",
    "moments",
    "catalogs",
    "most-players",
    "chapters",
}  # stay as they are
_WORDS = ("points", "vocabulary", "zones", "kinds", "families", "values")


def with_texts(data: Mapping[str, Any], system: str) -> Mapping[str, Any]:
    """The file's data with its texts as messages; everything else is the same."""
    marked = {
        key: value if key in _SILENT or key in _TEXTS else _marked(key, value, system)
        for key, value in data.items()
    }
    if isinstance(data.get("rulebook"), list):
        marked["rulebook"] = [_ability(one, system) for one in marked["rulebook"]]
    return marked


def _ability(data: Any, system: str) -> Any:
    """What the rules let everybody do has a name of its own: “play it”."""
    if isinstance(data, Mapping) and isinstance(data.get("name"), str):
        return {**data, "name": text_of(system, data["name"])}
    return data


def _marked(key: str, value: Any, system: str) -> Any:
    if isinstance(value, str):
        return text_of(system, value) if key in _TEXTS else value
    if isinstance(value, Mapping):
        texts = key in _NAMED
        return {
            name: text_of(system, one) if texts and isinstance(one, str) else _marked(name, one, system)
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [_marked(key if key == "because" else "", one, system) for one in value]
    return value


def texts(data: Mapping[str, Any], properties: Iterable[str]) -> Iterator[str]:
    """What a translator finds in a system file: its texts, then its words, then its counters with their number.

    properties: those of the compiled system, for some need no word in the file.
    """
    yield from _texts(with_texts(data, "-"))
    yield from properties
    for part in _WORDS:
        yield from (str(word) for word in data.get(part) or ())
    for prop in (data.get("properties") or {}).values():
        yield from (str(value) for value in (prop or {}).get("values", ()) or ())
    for fact in (*(data.get("properties") or {}).values(), *(data.get("derived") or {}).values()):
        if isinstance(fact, Mapping) and "says" in fact:
            yield denied(fact["says"])
    yield from (f"{{number|{name.removesuffix('s')}|{name}}}" for name in _paid(data))
    yield from _chosen(data)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Message):
        yield value.template
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def _paid(data: Any) -> Iterator[str]:
    """The counters that something is paid from."""
    if isinstance(data, Mapping):
        yield from (
            str(name) for name in data.get("payments") or () if isinstance(data.get("payments"), Mapping)
        )
        if isinstance(data.get("pay"), str):
            yield data["pay"]
        for one in data.values():
            yield from _paid(one)
    elif isinstance(data, list):
        for one in data:
            yield from _paid(one)


_SYMBOL = re.compile(r"'[^']+'")


def _chosen(data: Any) -> Iterator[str]:
    """The names of choices, the periods that come to an end, and the symbols that a procedure is given."""
    if isinstance(data, Mapping):
        yield from (data[key] for key in ("choose", "expire") if isinstance(data.get(key), str))
        choice = data.get("choose")
        if isinstance(choice, Mapping):  # one, which says `as` what, or several by name
            yield from [choice["as"]] if isinstance(choice.get("as"), str) else map(str, choice)
        if isinstance(data.get("with"), Mapping):
            yield from (one[1:-1] for one in map(str, data["with"].values()) if _SYMBOL.fullmatch(one))
        for one in data.values():
            yield from _chosen(one)
    elif isinstance(data, list):
        for one in data:
            yield from _chosen(one)
