"""What an expression may speak of: the names around it, and the language of one system."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rules.engine.language.combinators import Compiled, bound
from rules.engine.language.folding import from_facts, remembered


@dataclass(frozen=True, slots=True, eq=False)
class Derived:
    """A value of a card that is computed from others whenever it is read."""

    name: str
    get: Compiled


@dataclass(frozen=True, slots=True)
class Moved:
    """An instruction of an ability by which what a name stands for may have left play. group: the variable of what was
    done; used: says that it has to be remembered, because a number is read from it."""

    group: int
    used: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Name:
    """What a bound name means: how to get its value, and its type."""

    get: Compiled
    type: str
    departs: bool = False  # it may be gone by now, and is read as it was just before it left with the trigger
    moved: tuple[Moved, ...] = ()  # what an ability has done to it by now, the latest last
    kinds: tuple[str, ...] = ()  # of an occurrence: the kinds it may be of; none: any
    was: bool = False  # it is read as it was before any of that was done to it, wherever it is now


@dataclass(frozen=True, slots=True)
class Scope:
    """The names an expression may use. `language` knows properties, nouns, readings and symbols of the system."""

    language: "Language"
    names: Mapping[str, Name] = field(default_factory=dict)
    depth: int = 0  # how many values are bound in `b` so far
    it: str = ""  # type of what bare property names speak of, empty when there is none
    bare: str = "it"  # the name of what they speak of
    unnamed: bool = False  # do cards that are counted and not named belong to what it speaks of?

    def bind(self, name: str, type_: str) -> "Scope":
        """A scope with one more bound value (at index `depth` of `b`) under `name`."""
        index = self.depth
        return Scope(
            self.language,
            {**self.names, name: Name(bound(index), type_)},
            self.depth + 1,
            type_ if name == "it" else self.it,
            name if name == "it" else self.bare,
            self.unnamed,
        )

    def speak_of(self, name: str) -> "Scope":
        """The same scope where bare property names mean those of `name`. An `it` further out keeps its meaning."""
        names = {**self.names, "it": self.names[name]} if "it" not in self.names else self.names
        return Scope(self.language, names, self.depth, self.names[name].type, name, self.unnamed)

    def with_names(self, names: Mapping[str, Name]) -> "Scope":
        return Scope(self.language, {**self.names, **names}, self.depth, self.it, self.bare, self.unnamed)


@dataclass(frozen=True)
class Noun:
    """A named set: what a position holds of a type (cards, players, records), by a condition on `it`."""

    name: str
    type: str  # "card" | "player" | "record"
    source: Callable[[Any], list[Any]]
    test: Compiled | None = None
    fixed: bool = False  # is the source the same in every position?
    unnamed: bool = False  # does it always mean cards that are counted and not named, too?

    @cached_property
    def everyone(self) -> Compiled:
        """All that it means, in a position where nothing is tried out."""
        source, test = self.source, self.test
        if test is None:
            return lambda m, b: source(m)
        found = lambda m, b: [o for o in source(m) if test(m, (o,))]  # noqa: E731
        return remembered(from_facts(found, test)) if self.fixed else found


class Language:
    """What an expression may speak about, as one system declares it. Filled by rules.engine.compiler."""

    properties: dict[str, Any]
    zones: Collection[str]
    derived: dict[str, tuple[Compiled, str, str]]  # how to get it, its type, what has it (card, player)
    nouns: dict[str, Noun]
    readings: Mapping[str, Any]
    kinds: Mapping[str, Any]
    families: Mapping[str, tuple[str, ...]]
    ability_kinds: Mapping[str, Any]
    game: Mapping[str, Any]
    flags: tuple[str, ...]
    you: Mapping[str, Any]
    points: frozenset[str]
    periods: frozenset[str]
    same_periods: Mapping[str, str]
    unprinted: Compiled | None  # of a card: do no numbers stand on the side that is seen?
    unprinted_zero: Compiled | None  # then: is each of them 0, and not nothing?
    things: Mapping[str, Name]  # cards and players of one scenario, by their ids
