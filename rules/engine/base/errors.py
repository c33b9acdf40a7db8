"""What can be wrong with data given to the engine, always with a place."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from rules.engine.base.messages import Message

LONGEST = 40  # characters of a word that an error repeats


class DataError(Exception):
    """A system, card or scenario says something that cannot be read.

    code: stable kebab-case word; place: path into the data ("charts.action[2].window"); remedy: what to write instead.
    """

    def __init__(self, code: str, message: str, *, place: str = "", remedy: str = "") -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.code = code
        self.message = message
        self.place = place
        self.remedy = remedy

    def at(self, place: str) -> "DataError":
        """The same error, seen from further out: `place` is put in front."""
        joined = f"{place}{'' if self.place.startswith('[') or not self.place else '.'}{self.place}"
        return DataError(self.code, self.message, place=joined, remedy=self.remedy)


def unknown(what: str, word: object, known: Iterable[str], *, place: str = "") -> DataError:
    """An unknown word, with the nearest known ones."""
    choices = sorted({str(name) for name in known})
    near = get_close_matches(str(word)[:LONGEST], choices, n=3, cutoff=0.5)
    if near:
        remedy = "Did you mean " + " or ".join(near) + "?"
    elif choices and len(choices) <= 30:
        remedy = "Known: " + ", ".join(choices) + "."
    else:
        remedy = ""
    return DataError(
        f"unknown-{what.replace(' ', '-')}", f"unknown {what} {called(word)}", place=place, remedy=remedy
    )


def called(value: Any) -> str:
    """A value as an error names it: short, and its kind when it is not a plain word or number."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


class BudgetExceeded(Exception):
    """The exploration would take more than it was allowed.

    of: positions | time (whoever waits has waited long enough) | memory (what it holds has grown past its bound).
    why: that in words, where whoever raised it knows better.
    """

    def __init__(self, of: str = "positions", why: str = "") -> None:
        super().__init__(why or of)
        self.of, self.why = of, why


class Need(Exception):
    """An expression touched something open: a disputed fact or a contested reading. The machine asks for it."""

    def __init__(self, slot: int) -> None:
        super().__init__(slot)
        self.slot = slot


class Unworkable(Exception):
    """What a card or a rule says cannot be worked out with the facts of the scenario: it counts with what has no value,
    changes what is not there. The answer says so instead of guessing."""


class Untold(Unworkable):
    """An expression compares or counts with a number that nobody told and that cannot be listed: a player's resources.
    A line ends there; what it would have answered is not known."""

    what = "fact"
    decision: Any = None  # the decision that is open there, with those of its options that are sure
    use: Any = None  # the use in a window that hangs on it
    used: Any = None  # the card whose use it is
    user: Any = None  # and the player who would use it

    def __init__(self, obj: Any, name: str) -> None:
        self.fact: str = Message("{it}: {property}", it=obj, property=name)
        owner = "game" if obj.kind == "game" else f"{obj.kind}s.{obj.id}"
        self.place = f"{owner}.{name}"
        text = "it depends on a fact that was not given ({fact}); give {place}"
        super().__init__(Message(text, fact=self.fact, place=self.place))


class Unread(Untold):
    """A text comes to bear, or may, that nobody understood. A line ends there like one that nobody told a number of."""

    what = "text"

    def __init__(self, obj: Any, words: str) -> None:
        self.obj = obj
        self.fact = Message("{card}: “{text}”", card=obj, text=words)
        self.place = f"{obj.kind}s.{obj.id}.text"
        text = "it may hang on text that is not understood ({fact})"
        Unworkable.__init__(self, Message(text, fact=self.fact))


class Circular(Untold):
    """Whether one text works hangs on whether another does, and the other way round. Which of them came first decides,
    and that is not remembered."""

    what = "order"

    def __init__(self, obj: Any) -> None:
        self.fact = Message("whether the text of {card} works", card=obj)
        self.place = f"{obj.kind}s.{obj.id}"
        text = "whether one text works hangs on another, and which of them came first is not told ({fact})"
        Unworkable.__init__(self, Message(text, fact=self.fact))


class Unordered(Untold):
    """Two texts set one fact of a card, each to something else. Which of them came first decides, which is not told."""

    what = "order"

    def __init__(self, obj: Any, name: str, first: Any, second: Any) -> None:
        text = "{it}: {property}, by {first} and by {second}"
        self.fact = Message(text, it=obj, property=name, first=first, second=second)
        self.place = f"{obj.kind}s.{obj.id}"
        text = "two texts set one fact, each to something else, and which of them came first is not told ({fact})"
        Unworkable.__init__(self, Message(text, fact=self.fact))


class Unnamed(Untold):
    """An effect asks what a card is that nobody named: one of those in a player's deck."""

    def __init__(self, owner: Any, zone: str) -> None:
        self.fact = Message("which of {owner}'s unnamed cards ({pile}) it is", owner=owner, pile=zone)
        self.place = "cards"
        text = "it depends on a fact that was not given ({fact}); give the card under cards, with its place"
        Unworkable.__init__(self, Message(text, fact=self.fact))


class Lacking(Untold):
    """A procedure can't go on with what the scenario tells: more tokens are needed, or other moves."""

    def __init__(self, what: str, place: str) -> None:
        self.fact, self.place = what, place
        text = "it depends on a fact that was not given ({fact}); give {place}"
        Unworkable.__init__(self, Message(text, fact=what, place=place))


def said_by(fault: Exception) -> str:
    """What an error says, as a message where it is one."""
    return fault.args[0] if fault.args and isinstance(fault.args[0], Message) else str(fault)


FAULTS = (TypeError, AttributeError, LookupError, ValueError, ArithmeticError)  # as Python calls it
