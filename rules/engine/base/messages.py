"""Texts for people as data: an English template and what stands in its places.

The engine says everything so. A message is its English text, and can be compared, sorted and written like any string;
beside it, it keeps how it was made, and whoever shows it renders it in the reader's language (`rules.spoken`).

A template names its places: “{who} uses {what}”. A number may bring its noun: “{amount|card|cards}” is “1 card” or
“3 cards”; “{^when}” begins with a capital. What stands in a place is another message, what somebody calls a card or a
player (never translated), or a number. `context` tells texts of data from the engine's own: the key of the timing
system whose file says them.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Self

Json = dict[str, Any]
KEY = "messages"  # where a stored answer keeps how its texts were made

_PLACE = re.compile(r"\{(\^?)([\w-]+)(?:\|([^|{}]*)\|([^|{}]*))?\}")


class Message(str):
    """English text, with the template and the arguments it was made of."""

    template: str
    context: str
    arguments: tuple[tuple[str, Any], ...]

    def __new__(cls, template: str, /, **arguments: Any) -> Self:
        return cls.made(template, "", arguments)

    @classmethod
    def made(cls, template: str, context: str, values: Mapping[str, Any]) -> Self:
        """The message of a template of data. A place for which there is no value stays as it is written."""
        known = tuple((name, _plain(values[name])) for name in places(template) if name in values)
        self = super().__new__(cls, filled(template, dict(known)))
        self.template, self.context, self.arguments = template, context, known
        return self

    def __str__(self) -> str:
        return self  # what takes the text of anything loses nothing

    def __reduce__(self) -> tuple[Any, ...]:
        return Message.made, (self.template, self.context, dict(self.arguments))


def text_of(system: str, text: str) -> Message:
    """What the file of a timing system says to people; a template, as often as not."""
    return Message.made(text, system, {})


def named(template: str, values: Mapping[str, Any]) -> str:
    """A template of data with its `{names}` replaced by what people call the values; an unknown one stays."""
    if "{" not in template:
        return template
    if isinstance(template, Message):
        return Message.made(template.template, template.context, {**values, **dict(template.arguments)})
    return Message.made(template, CARDS, values)


_HAS = re.compile(r" has (?=[{A-Z])")  # a number, a keyword: not what it has done


def denied(template: str) -> str:
    """“{it} is bowed” -> “{it} is not bowed”, “{it} has {value} gold” -> “{it} does not have {value} gold”, “{it} has
    lost” -> “{it} has not lost”, “{it} has Willpower” -> “{it} does not have Willpower”."""
    negated = _HAS.sub(" does not have ", str.replace(template, " is ", " is not ", 1), count=1)
    for article in ("a", "an", "the"):
        negated = str.replace(negated, f" has {article} ", f" does not have {article} ", 1)
    negated = negated.replace(" has ", " has not ", 1)
    return text_of(template.context, negated) if isinstance(template, Message) else negated


CARDS = "cards"  # the context of what cards and scenarios say, which no system's file does


def listed(items: Iterable[str], rest: str = "{some}, {last}", last: str = "") -> str:
    """Several as one: “a, b and c” with `last` “{some} and {last}”. Empty for none."""
    found = list(items)
    if not found:
        return ""
    said = found[0]
    for i, one in enumerate(found[1:], start=2):
        said = Message(last if last and i == len(found) else rest, some=said, last=one)
    return said


def both(items: Iterable[str]) -> str:
    """“a and b and c”."""
    return listed(items, "{some} and {last}")


def either(items: Iterable[str]) -> str:
    """“a or b or c”."""
    return listed(items, "{some} or {last}")


def then(items: Iterable[str]) -> str:
    """“a, then b, then c”."""
    return listed(items, "{some}, then {last}")


def clauses(items: Iterable[str]) -> str:
    """“a; b; c”."""
    return listed(items, "{some}; {last}")


def sentences(items: Iterable[str]) -> str:
    """One sentence after another."""
    return listed([item for item in items if item], "{some} {last}")


# --- templates


@lru_cache(maxsize=8192)
def _parts(template: str) -> tuple[tuple[str, str, str, str | None, str | None], ...]:
    """(text before, "^" for a capital, place, noun of one, noun of many); at the end a text without a place."""
    found, at = [], 0
    for match in _PLACE.finditer(template):
        capital, name, one, many = match.groups()
        found.append((template[at : match.start()], capital, name, one, many))
        at = match.end()
    return (*found, (template[at:], "", "", None, None))


@lru_cache(maxsize=8192)
def places(template: str) -> tuple[str, ...]:
    """The names of its places, each once, in the order in which they come."""
    return tuple(dict.fromkeys(one[2] for one in _parts(template) if one[2]))


def filled(template: str, values: Mapping[str, Any]) -> str:
    said: list[str] = []
    for before, capital, name, one, many in _parts(template):
        said.append(before)
        if not name:
            continue
        if name not in values:
            said.append(f"{{{name}}}" if one is None else f"{{{name}|{one}|{many}}}")
            continue
        value = values[name]
        text = value if isinstance(value, str) else str(value)
        said.append(text[:1].upper() + text[1:] if capital else text)
        if one is not None:
            single = value == 1 or (isinstance(value, str) and value.endswith(" 1"))  # “at least 1”
            said.append(f" {one if single else many}")
    return "".join(said)


def _plain(value: Any) -> Any:
    """What may stand in a place: a message, a string, a number."""
    if value is None:
        return NOTHING_SAID
    if isinstance(value, str) or value.__class__ is int:
        return value
    return getattr(value, "label", None) or str(value)


NOTHING_SAID = Message("nothing")


# --- stored answers


def packed(answer: Json) -> Json:
    """The answer as plain JSON in English, with a table of how its texts were made.

    The table is {"templates": [text, or [text, context]], "parts": [[template, argument, ...]]}: an argument is a
    string, a number or [part]; parts stand behind those that they hold. A text in the answer is found by its English.
    """
    templates: dict[tuple[str, str], int] = {}
    parts: list[list[Any]] = []
    known: dict[Any, int] = {}

    def part(one: Message) -> int:
        key = (one, one.template, one.context, one.arguments)
        if key not in known:
            said = [[part(value)] if isinstance(value, Message) else value for _, value in one.arguments]
            parts.append([templates.setdefault((one.template, one.context), len(templates)), *said])
            known[key] = len(parts) - 1
        return known[key]

    def plain(value: Any) -> Any:
        if isinstance(value, Message):
            part(value)
            return str.__str__(value)
        return value

    data = mapped(answer, plain)
    table = [[text, context] if context else text for text, context in templates]
    return {**data, KEY: {"templates": table, "parts": parts}}


def unpacked(stored: Json) -> Json:
    """A stored answer with its messages again. One that was stored without any stays in English."""
    if KEY not in stored:
        return stored
    templates = [one if isinstance(one, list) else [one, ""] for one in stored[KEY]["templates"]]
    parts: list[Message] = []
    for number, *arguments in stored[KEY]["parts"]:
        text, context = templates[number]
        values = [parts[one[0]] if isinstance(one, list) else one for one in arguments]
        known = zip(_given(text, len(values)), values, strict=True)
        parts.append(Message.made(text, context, dict(known)))
    said = {str.__str__(one): one for one in parts}
    answer: Json = mapped(
        {key: value for key, value in stored.items() if key != KEY},
        lambda value: said.get(value, value) if isinstance(value, str) else value,
    )
    return answer


def _given(template: str, number: int) -> tuple[str, ...]:
    return places(template) if number else ()


def mapped(value: Any, said: Callable[[Any], Any]) -> Any:
    """The same data with every string and number as `said` says it; keys of mappings stay. It may be deep."""
    if isinstance(value, dict):
        return {key: mapped(one, said) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [mapped(one, said) for one in value]
    return said(value)
