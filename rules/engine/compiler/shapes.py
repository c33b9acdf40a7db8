"""What may stand where in a card's data: the keys of an ability, of an instruction ..., and what each of them takes.

One table for two readers: the compiler refuses what does not fit, and the JSON Schema of scenario files is made of it.
A shape is a word of `WORDS` below, with `!` when the key may not be missing, or a mapping of keys to shapes.
"""

from collections.abc import Callable, Mapping
from typing import Any

from rules.engine.errors import DataError, called, unknown

Shape = Mapping[str, Any]

COMMON: Shape = {"cite": "words", "says": "text"}  # any instruction may have them

_CHOICE: Shape = {"from": "filter!", "count": "expression", "up-to": "yes-no", "by": "expression"}

TARGET: Shape = {**_CHOICE, "at-least": "number", "designates": "yes-no", "because": "text", "cite": "words"}

LIMIT: Shape = {"times": "number", "per": "word", "by": "word"}

ABILITY: Shape = {
    "name": "text",
    "kind": "word!",
    "at": "word",
    "of": "words",
    "if": "expression",
    "still": "expression",
    "because": "text",
    "you": "expression",
    "choose": "choices",
    "cost": "block",
    "means": "block",
    "limit": LIMIT,
    "zones": "words",
    "parts": "blocks",
    "do": "block",
    "per": "word",
    "look-back": "yes-no",
    "text": "text",
    "cite": "words",
    "flags": "words",
}

ALWAYS: Shape = {
    "stat": "word!",
    "of": "expression",
    "by": "expression",
    "to": "expression",
    "while": "expression",
    "floor": "number",
    "zones": "words",
    "cite": "words",
}

CANNOT: Shape = {"kind": "words!", "if": "expression", "because": "text", "cite": "words"}

IMMUNE: Shape = {"to": "expression!", "of": "expression", "because": "text", "cite": "words"}

INSTRUCTIONS: Mapping[str, Shape] = {
    # what happens
    "do": {"do": "word!", "each": "filter", "as": "word", "then": "block", "if-able": "yes-no"},  # and its roles
    "together": {"together": "list!"},
    "cancel": {"cancel": "record", "as": "word"},
    "replace": {"replace": "record", "with": "block"},
    "alter": {"alter": "record", "by": "expression", "set": "expressions", "kind": "word"},
    "set": {"set": "word!", "of": "expression", "to": "expression"},
    "add": {"add": "word!", "of": "expression", "by": "expression"},
    "move": {"move": "expression!", "to": "expression!", "host": "expression", "controller": "expression"},
    "game": {"game": "expressions!"},
    "pay": {"pay": "word!", "of": "expression", "amount": "expression"},
    "lasting": {
        "lasting": {
            "of": "expression!", "stat": "word!", "by": "expression", "to": "expression", "until": "word",
        },
    },
    "delayed": {"delayed": {**ABILITY, "keep": "words", "once": "yes-no", "until": "word"}},
    "forbid": {"forbid": {**CANNOT, "until": "word"}},
    "copy": {"copy": "expression!", "onto": "expression", "text-only": "yes-no"},
    "use": {"use": "expression!", "of": "words!", "nest": "word!", "by": "expression", "free": "yes-no"},
    # in which order
    "if": {"if": "expression!", "then": "block", "else": "block"},
    "then": {"then": "block", "of": "word"},
    "while": {"while": "expression!", "do": "block!"},
    "for": {"for": "filter!", "as": "word!", "order": "expression", "do": "block!"},
    "let": {"let": "expressions!"},
    "run": {"run": "word!", "with": "expressions"},
    "stop": {"stop": "optional"},
    "end": {"end": "optional"},
    "note": {"note": "text!"},
    # choices
    "choose": {"choose": {**_CHOICE, "as": "word!", "at-random": "yes-no", "including": "filter"}},
    "may": {"may": "block!", "by": "expression"},
    "one-of": {"one-of": "blocks-by-label!", "by": "expression"},
    # charts
    "point": {"point": "word!", "of": "filter"},
    "gate": {"gate": {"of": "words!", "match": "word", "do": "block!"}},
    "must": {
        "must": {
            "of": "words!", "order": "expression", "start": "expression", "batches": "word", "joins": "yes-no",
            "one": "yes-no", "nest": "word!", "says": "text",
        },
    },
    "window": {
        "window": {
            "of": "words!", "start": "expression", "only": "expression", "clock": "word", "closes": "word",
            "moves": "word", "order": "expression", "nest": "word!", "stops": "yes-no", "quiet": "yes-no",
            "spoken": "expression",
            "says": "text",
        },
    },
    "hush": {"hush": "expression!"},
    "batch": {"batch": "words!"},
    "defer": {"defer": "words!"},
    "lapse": {"lapse": "words!"},
    "put": {"put": "words!"},
    "take": {"take": "words!", "nest": "word!", "order": "word", "all": "yes-no"},
    "expire": {"expire": "text!"},
    "each-part": {"each-part": "block!"},
    "part": {"part": "any"},
    "targets": {"targets": "optional"},
    "costs": {"costs": "any", "counts": "yes-no"},
    "count": {"count": "any"},
    "plan": {"plan": "any"},
    "recheck": {"recheck": "any"},
    "execute": {"execute": "any"},
    "commit": {"commit": "any"},
    "check": {"check": "any"},
    "again": {"again": "any"},
}  # fmt: skip

# Two words of one instruction may each begin one (`do ... then`, `choose ... by`): then the earlier of these leads.
LEADING = ("if", "while", "choose", "for", "may", "delayed", "do", "alter")


def _text(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _block(value: Any) -> bool:
    """Instructions: one, or a list; each is looked at when it is its turn."""
    return value is None or isinstance(value, str | list | Mapping)


def _all_of(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Mapping) and all(test(entry) for entry in value.values())


WORDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "any": ("anything", lambda value: True),
    "word": ("a word", lambda value: isinstance(value, str)),
    "words": (
        "a word or a list of words",
        lambda value: (
            isinstance(value, str)
            or (isinstance(value, list | tuple) and all(isinstance(one, str) for one in value))
        ),
    ),
    "text": ("a text", _text),
    "number": ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    "yes-no": ("yes or no", lambda value: value in (True, False, "yes", "no")),
    "expression": ("an expression, in quotes", lambda value: isinstance(value, str | int)),
    "expressions": ("names with an expression each", _all_of(lambda value: isinstance(value, str | int))),
    "filter": ("a filter (character where ...), in quotes", lambda value: isinstance(value, str)),
    "record": ("what is meant, such as trigger", lambda value: value is None or isinstance(value, str)),
    "optional": ("an expression, in quotes", lambda value: value is None or isinstance(value, str | int)),
    "list": ("a list", lambda value: isinstance(value, list) and bool(value)),
    "block": ("a list of instructions", _block),
    "blocks": (
        "a list of lists of instructions",
        lambda value: isinstance(value, list) and all(_block(one) for one in value),
    ),
    "blocks-by-label": ("labels with a list of instructions each", _all_of(_block)),
    "choices": (
        "names with a filter each",
        _all_of(lambda value: isinstance(value, str | Mapping)),
    ),
}


def check_shape(data: Any, shape: Shape, what: str, *, roles: Mapping[str, Any] | None = None) -> None:
    """Refuse, with its place, what does not fit: unknown and missing keys, values of another kind. Raises DataError.

    what: how an unknown key is called ("key of an ability"); roles: further keys, whose values are expressions.
    """
    if not isinstance(data, Mapping):
        raise DataError("wrong-type", f"expected a mapping, found {called(data)}")
    for key, value in data.items():
        wanted = shape.get(key)
        if wanted is None and roles is not None and key in roles:
            wanted = "expression"
        if wanted is None:
            raise unknown(what, key, (*shape, *(roles or ())))
        if isinstance(wanted, Mapping):
            try:
                check_shape(value, wanted, f"key of {key}")
            except DataError as error:
                raise error.at(str(key)) from error
            continue
        words, fits = WORDS[wanted.removesuffix("!")]
        if not fits(value):
            raise DataError("wrong-type", f"expected {words}, found {called(value)}", place=str(key))
    for key, wanted in shape.items():
        if isinstance(wanted, str) and wanted.endswith("!") and key not in data:
            raise DataError("missing-key", f"{key} is missing", remedy=f"Known here: {', '.join(shape)}.")
