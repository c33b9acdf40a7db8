"""What may stand where in a card's data: the keys of an ability, of an instruction ..., and what each of them takes.

One table for two readers: the compiler refuses what does not fit, and the JSON Schema of scenario files is made of it.
A shape is a word of `WORDS` below, with `!` when the key may not be missing, or a mapping of keys to shapes.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from rules.engine.base.errors import DataError, called, unknown

Shape = Mapping[str, Any]
Method = TypeVar("Method", bound=Callable[..., Any])

COMMON: Shape = {"cite": "words", "says": "text"}  # any instruction may have them

CHOICE: Shape = {"from": "filter!", "count": "expression", "up-to": "yes-no", "by": "expression"}

TARGET: Shape = {**CHOICE, "at-least": "number", "designates": "yes-no", "because": "text", "cite": "words"}

LIMIT: Shape = {"times": "number", "per": "word", "by": "word"}

ABILITY: Shape = {
    "name": "text",
    "kind": "word!",
    "at": "word",
    "of": "words",
    "if": "expression",
    "still": "expression",
    "because": "words",
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

CANNOT: Shape = {
    "kind": "words!",
    "if": "expression",
    "because": "text",
    "cite": "words",
    "unread": "text",  # words that nobody understood, on which it hangs whether this is really forbidden
}

IMMUNE: Shape = {"to": "expression!", "of": "expression", "because": "text", "cite": "words"}

# Of text that nobody understood: its words, and what is known of it all the same.
UNREAD: Shape = {
    "says": "text!",
    **{key: ABILITY[key] for key in ("of", "if", "you", "zones")},
    "kind": "word",
    "at": "words",
}

RULE: Shape = {"in": "text", "says": "text!"}

DOCUMENT: Shape = {"key": "word", "title": "text!", "edition": "text", "rules": "words"}

GRANT: Shape = {"to": "expression", "while": "expression", "ability": ABILITY, "zones": "words"}

SILENT: Shape = {
    "when": "expression!",
    "gained": "expression",
    "by-time": "yes-no",
    "by": "any",
    "cite": "words",
}

UNPRINTED: Shape = {"when": "expression!", "zero": "expression"}
IDLE: Shape = {"cite": "words", "within": "words"}
OWN_COSTS: Shape = {"cite": "words"}
LOST_LATE: Shape = {"cite": "words"}
GIVEN_UP: Shape = {"of": "words!", "cite": "words"}
ONE_EFFECT: Shape = {"while": "text!", "if": "text!"}

# The parts of a system file: every key at its top. docs/systems.md has an entry for each (a test holds it to that).
SYSTEM: Shape = {
    **dict.fromkeys(("system", "version", "title", "game"), "text"),
    **dict.fromkeys(("library", "in-play", "points", "later", "hushes", "flags"), "words"),
    "exact-targets": "yes-no",
    "out": "word",
    **dict.fromkeys(("designates", "limits-by", "floor-each-change", "chooser", "replaced-counts"), "expression"),
    **dict.fromkeys(("documents", "checks", "restrictions", "access", "choosable", "means", "dues"), "any"),
    **dict.fromkeys(("rulebook", "targeting", "effects-tell"), "any"),
    **dict.fromkeys(
        (
            "law", "zones", "works-in", "role-says", "properties", "nouns", "derived", "continuous", "kinds", "you",
            "everybody", "tokens", "refusals", "vocabulary", "families", "payments", "piles", "loops", "charts",
            "starts", "sentences", "readings", "cost-flags", "same-points", "same-periods", "example",
        ),
        "any",
    ),
    "silent": SILENT,
    "unprinted": UNPRINTED,
    "no-idle-uses": IDLE,
    "own-costs": OWN_COSTS,
    "lost-late": LOST_LATE,
    "given-up": GIVEN_UP,
    "one-effect": ONE_EFFECT,
}  # fmt: skip

# The keys of what stands in those parts.
PARTS: Mapping[str, tuple[str, ...]] = {
    "properties": (
        "type", "of", "default", "stat", "floor", "values", "shed", "base", "adds", "fixed", "printed", "told", "says",
        "changed-in", "of-types", "asked", "negative",
    ),
    "fixed": ("when", "at", "ignores", "because"),
    "kinds": (
        "title", "use", "uncancellable", "once-per-trigger", "due-anyway", "foreseen", "at", "of", "zones", "becomes",
        "answers", "irreplaceable", "says", "cite",
    ),
    "vocabulary": ("roles", "possible", "edits", "steps", "via", "look-back", "instead", "says", "cite"),
    "possible": ("if", "because", "cannot", "cite"),
    "nouns": ("of", "where", "unnamed"),
    "derived": ("of", "is", "says"),
    "piles": ("counts", "place", "settled"),
    "payments": ("if", "because", "cite", "chart", "paid", "sums"),
    "dues": ("kinds", "types", "flags", "adds", "pay"),
    "restrictions": ("when", "if", "because", "untold", "taken", "turn", "cite"),
    "targeting": ("kind", "when", "bars"),
    "loops": ("cite", "each", "opposed"),
    "charts": ("says", "cite", "with", "steps"),
    "readings": ("ask", "options", "default", "status", "cite", "note"),
}  # fmt: skip

INSTRUCTIONS: dict[str, Shape] = {}
"""Every instruction with its shape, as the compiler's modules register them (`instruction`)."""


def instruction(**shapes: Shape) -> Callable[[Method], Method]:
    """Registers the instructions that a method of a compiler (`i_NAME`) compiles, each with its shape.

    A hyphen in a name is an underscore here. A test holds docs/systems.md to an entry for each.
    """

    def register(method: Method) -> Method:
        for name, shape in shapes.items():
            INSTRUCTIONS[name.rstrip("_").replace("_", "-")] = shape
        return method

    return register


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
    "record": ("an occurrence, such as trigger", lambda value: value is None or isinstance(value, str)),
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
