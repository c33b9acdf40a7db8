"""One ability while its meaning is worked out: what it chooses, what was spoken of, which way was taken where several
are open.

A reading that is open (whom does *it* mean?) is a decision; the same tree is gone through again for each way
(`every`), so what is written below reads as if there were one. A way that cannot be ends in `Dead`; what the data
language has no words for, in `Unsaid`.
"""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any, Generic, TypeVar

from rules.wording.grammar import Tree
from rules.wording.lexicon import Lexicon, Noun
from rules.wording.lexicon import Unsaid as Unsaid

T = TypeVar("T")
WAYS = 24  # readings of one tree that are looked at


class Dead(Exception):
    """No reading: nothing that a pronoun can mean, or a thing of the wrong kind."""


class TooMany(Exception):
    """More ways than anybody could be shown."""


@dataclass(frozen=True, slots=True)
class Referent:
    """Something that was spoken of: how the data language calls it, by which noun, and where it was spoken of."""

    expression: str
    noun: str
    origin: str  # trigger, choice, cost, self, host
    plural: bool = False
    traits: tuple[str, ...] = ()  # what was said of it
    zone: str = ""  # where it is, when it was chosen out of play


@dataclass(frozen=True, slots=True)
class Card:
    """What is known of the card that bears a text: its type, and which of its printed numbers are X."""

    type: str | None = None
    xs: frozenset[str] = frozenset()
    alone: bool = True  # the ability is all of its paragraph
    sentences: int = 1  # of how many the ability is
    lies_on: str = ""  # the noun of what its own text has it attached to
    marked: bool = False  # the ability bears the game's mark
    lent: str = ""  # the ability is one that a card gains: from itself (`self`), from another (`other`)


@dataclass
class Draft:
    lexicon: Lexicon
    card: Card = Card()
    path: list[int] = field(default_factory=list)  # which way was taken at each decision
    open: list[int] = field(default_factory=list)  # how many there were
    choose: dict[str, Any] = field(default_factory=dict)
    tests: list[str] = field(default_factory=list)  # when it can be used at all
    zones: list[str] = field(default_factory=list)
    memory: list[Referent] = field(default_factory=list)
    agents: list[str] = field(
        default_factory=lambda: ["you"]
    )  # who does what is spoken of, the last first in line
    players: list[str] = field(default_factory=list)  # players spoken of
    middle: int = 0  # deeper than nothing: choices are made when they are reached
    grantee: str = ""  # who gains what a text gives: `self`, `other`
    paying: bool = False
    x: str = ""  # what X is
    uses_x: bool = False
    kind: str = ""  # of ability
    answers: str = ""  # the occurrence that the ability answers, and where
    point: str = ""
    telling: bool = False  # what happened is spoken of: where a card stood then
    deeds: list[tuple[str, str]] = field(
        default_factory=list
    )  # what was done to what: participle, expression
    things: bool = True  # can a pronoun mean what is no card that one handles: a story, a domain?
    gone: list[str] = field(default_factory=list)  # what the effect has taken out of play
    optional: list[str] = field(default_factory=list)  # choices in mid-effect that may have come to nothing
    deck: str = ""  # whose deck was looked at
    put_back: bool = (
        False  # what was looked at there lies in the deck again: nothing is picked from it any more
    )
    parts: list[int] = field(
        default_factory=list
    )  # how many instructions each sentence comes to, where that counts
    tokens: list[Any] = field(default_factory=list)  # what it makes
    borne: dict[str, Any] = field(
        default_factory=dict
    )  # what the card is and does where its effect attaches it
    lets: dict[str, str] = field(default_factory=dict)  # names for what something was as the effect began
    all_searched: str = ""  # each player had to search his deck (`must`), or could (`may`)
    stands_for: bool = False  # this card stands for whatever is spoken of
    paid_into: str = ""  # what this card has become by what one paid
    busy: list[str] = field(
        default_factory=list
    )  # what a verb has taken already: nothing is done with a thing to itself
    held: str = ""  # whose hand was counted before it went
    two: tuple[str, ...] = ()  # of two that were chosen: both, and which was taken of them
    pending: list[Any] = field(default_factory=list)  # instructions that have to come first
    early: bool = False  # what the condition of the ability speaks of is known in what it does

    def decide(self, ways: Sequence[T]) -> T:
        """One of several ways; the others are gone through later. Raises Dead."""
        if not ways:
            raise Dead
        if len(ways) == 1:
            return ways[0]
        at = len(self.open)
        self.open.append(len(ways))
        if at == len(self.path):
            self.path.append(0)
        return ways[self.path[at]]

    def name(self) -> str:
        """A name for the next choice."""
        taken = {*self.choose, *(referent.expression for referent in self.memory)}
        names = (
            ("paid", "paid-2", "paid-3", "paid-4")
            if self.paying
            else ("target", "second", "third", "fourth", "fifth")
        )
        return next(name for name in names if name not in taken)

    def kept(self) -> dict[str, Any]:
        """All that is known by now, to go back to."""
        return {one.name: copy(getattr(self, one.name)) for one in fields(self) if one.name != "path"}

    def restore(self, known: dict[str, Any]) -> None:
        for name, value in known.items():
            setattr(self, name, copy(value))

    def mention(self, referent: Referent) -> None:
        """Something is spoken of; naming it again makes it the last."""
        self.memory = [one for one in self.memory if one.expression != referent.expression]
        self.memory.append(referent)

    @property
    def type(self) -> str | None:
        return self.card.type

    @property
    def agent(self) -> str:
        return self.agents[-1]

    def noun(self, word: str) -> Noun:
        return self.lexicon.nouns[word]


def ways(begin: Callable[[list[int]], Draft], make: Callable[[Draft], T]) -> Iterator[T]:
    """What `make` gives for every way through the decisions of a draft. Raises TooMany; the last Unsaid if there
    is nothing else.
    """
    path: list[int] = []
    unsaid: Unsaid | None = None
    found = False
    for _ in range(WAYS):
        draft = begin(path)
        try:
            made = make(draft)
        except Unsaid as error:
            unsaid = error
        except Dead:
            pass
        else:
            found = True
            yield made
        path = draft.path[: len(draft.open)]
        while path and path[-1] + 1 >= draft.open[len(path) - 1]:
            path.pop()
        if not path:
            break
        path[-1] += 1
    else:
        raise TooMany
    if unsaid is not None and not found:
        raise unsaid


class Meanings(Generic[T]):
    """What the heads of one sort of tree mean: `head -> function(draft, *parts)`."""

    def __init__(self, sort: str) -> None:
        self.sort = sort
        self.heads: dict[str, Callable[..., T]] = {}

    def __call__(self, *heads: str) -> Callable[[Callable[..., T]], Callable[..., T]]:
        def register(function: Callable[..., T]) -> Callable[..., T]:
            for head in heads:
                self.heads[head] = function
            return function

        return register

    def of(self, draft: Draft, tree: Tree) -> T:
        """Raises Unsaid, Dead."""
        head, *parts = tree
        if head not in self.heads:
            raise Unsaid(f"{self.sort} {head}")
        return self.heads[head](draft, *parts)
