"""What can be wrong with data given to the engine, always with a place."""

from collections.abc import Iterable
from difflib import get_close_matches


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
    near = get_close_matches(str(word), choices, n=3, cutoff=0.5)
    if near:
        remedy = "Did you mean " + " or ".join(near) + "?"
    elif choices and len(choices) <= 30:
        remedy = "Known: " + ", ".join(choices) + "."
    else:
        remedy = ""
    return DataError(
        f"unknown-{what.replace(' ', '-')}", f"unknown {what} {word!r}", place=place, remedy=remedy
    )


class BudgetExceeded(Exception):
    """The exploration would visit more positions than it was allowed."""


class Need(Exception):
    """An expression touched something open: a disputed fact or a contested reading. The machine asks for it."""

    def __init__(self, slot: int) -> None:
        super().__init__(slot)
        self.slot = slot
