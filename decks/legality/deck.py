"""Cards, the catalog that knows them, and a deck whose entries have been identified."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol


@dataclass(frozen=True, slots=True)
class Card:
    """A card is its title. `key` is the folded title; `facts` are what a format's rules may ask about
    (type, faction, subtypes ...): strings, numbers, booleans or lists of strings."""

    key: str
    title: str
    facts: Mapping[str, Any]


class Catalog(Protocol):
    """The cards we know of one game."""

    @property
    def partial(self) -> bool:
        """Whether real cards may be missing: then an unknown name is unverified, not illegal."""

    @property
    def version(self) -> str:
        """Changes whenever an answer could."""

    def __len__(self) -> int:
        """How many cards there are: none where a game's card data was never imported."""

    def get(self, key: str, /) -> Card | None:
        """The card of a folded title."""

    def named(self, title: str, /) -> Card | None:
        """The card of a title letter for letter."""

    def of_id(self, id: str, /) -> Card | None:
        """The card of a printing's identifier (a GUID, a collector code), in small letters."""

    def resembling(self, key: str, /) -> Card | None:
        """The one card a folded name can only mean, though it is not its title letter for letter."""

    def sets_of(self, key: str, /) -> frozenset[str]:
        """The folded names of the sets a card is printed in, as far as they are known; of all sets for an empty key."""

    def suggest(self, key: str, /) -> tuple[str, ...]:
        """Titles a mistyped name may mean, likeliest first."""

    def kinds(self, key: str, /) -> tuple[str, ...]:
        """The facts that have this folded word, or its singular, as a value."""

    def with_fact(self, fact: str, value: str, /) -> tuple[Card, ...]:
        """The cards whose fact has this value, by title."""


class Line(Protocol):
    """One entry of a list as a reader gives it (`decks.lists.ListEntry`)."""

    @property
    def count(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def hint(self) -> str: ...
    @property
    def section(self) -> str: ...
    @property
    def line(self) -> int | None: ...
    @property
    def id(self) -> str:
        """The identifier of a printing, in small letters; empty when the list gives none."""

    @property
    def free(self) -> int:
        """Copies that do not count against the copy limit."""

    @property
    def upgrades(self) -> tuple[tuple[int, int, str], ...]:
        """(number of the upgrade, boxes ticked, what was chosen) of a card that is bought in parts."""

    @property
    def key(self) -> str:
        """The folded name."""

    @property
    def section_key(self) -> str:
        """The folded heading it stands under; empty when there is none."""

    @property
    def exact_readings(self) -> tuple[str, ...]:
        """Keys that take the name at its word, best first."""

    @property
    def title_readings(self) -> tuple[tuple[str, str], ...]:
        """(key of the title, key of the rest) where a descriptor may follow the title."""


class DeckEntry(NamedTuple):
    """`count` copies of the card `key`; `card` is None when the catalog does not know it.

    free: so many of the copies do not count against the copy limit (a card in play said so);
    guessed: neither a heading nor a fact says its section, so it may belong to another.
    """

    count: int  # type: ignore[assignment]  # every tuple has a method of this name
    name: str
    key: str
    card: Card | None
    section: str
    line: int | None = None
    suggestions: tuple[str, ...] = ()
    free: int = 0
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class UnreadLine:
    """A line that may hold a card but could not be read as one.

    code: `unread-line`; `unknown-heading` where it stands over cards of which nobody knows whether they are in the
    deck; `unknown-subtitle` where the card is known and what stands behind its title is not (it leaves no doubt);
    `other-list` where it names a list of restrictions that was not applied, and holds no card.
    """

    line: int | None
    text: str
    message: str
    code: str = "unread-line"


@dataclass(frozen=True, slots=True)
class Deck:
    """choices: what the player chose where a card or the format leaves a choice, by the choice's name."""

    entries: tuple[DeckEntry, ...]
    unread: tuple[UnreadLine, ...] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
