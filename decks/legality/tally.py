"""The counts of a deck, made once for all rules."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from decks.legality.deck import Card, Deck, DeckEntry
from decks.legality.facts import Test, Where, anywhere
from decks.legality.report import CardCount
from decks.legality.snapshot import Section, Snapshot

_NUMBERS = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_BETWEEN = re.compile(r"[,;/|+]| (?:and|or) ")


def _may_hold(text: str, most: int) -> int:
    """Copies that a line nobody could read may hold: as many as of one card, or as it has numbers, of each name."""
    names = len(_BETWEEN.findall(text[:400])) + 1
    said = [int(number) for number in _NUMBERS.findall(text[:400])]
    return max(most * names, sum(said), max(said, default=0) * names)


class Tally:
    """Copies by card, cards by section, and who is unknown, over the sections that belong to the deck.

    leader: the first card, wherever it stands, that says how its deck is built;
    unread: copies that the lines nobody could read may hold at most, each as many as of one card, or as it says.
    """

    __slots__ = (
        "choices", "counts", "deck", "entries", "leader", "outside", "sections", "taking", "unknown", "unread",
        "values",
    )  # fmt: skip

    def __init__(self, deck: Deck, snapshot: Snapshot) -> None:
        self.deck = deck
        self.values: dict[str, frozenset[Any]] = {}  # fact -> what the list's cards have of it, once asked
        self.choices = deck.choices
        most = snapshot.copies.maximum
        self.unread = sum(_may_hold(one.text, most) for one in deck.unread if one.code == "unread-line")
        self.counts: dict[str, int] = {}
        self.entries: dict[str, DeckEntry] = {}  # the last entry of each card
        self.sections = {section.key: 0 for section in snapshot.sections}
        self.unknown: list[DeckEntry] = []
        self.outside = frozenset(section.key for section in snapshot.sections if section.outside)
        self.taking = frozenset(section.key for section in snapshot.sections if section.takes is not None)
        self.leader: Card | None = None
        counts, entries, sections = self.counts, self.entries, self.sections
        for entry in deck.entries:
            key, count, card = entry.key, entry.count, entry.card
            sections[entry.section] += count
            if card is None:
                if entry.section not in self.outside or entry.section in self.taking or snapshot.leader:
                    self.unknown.append(entry)
            elif snapshot.leader and self.leader is None and snapshot.leader.holds(card.facts):
                self.leader = card
            if entry.section in self.outside:
                continue
            counts[key] = counts[key] + count if key in counts else count
            entries[key] = entry

    def card(self, key: str) -> CardCount:
        return CardCount(self.entries[key].name, self.counts[key])

    def fact(self, key: str, fact: str) -> Any:
        card = self.entries[key].card
        return card.facts.get(fact) if card else None

    def leads(self, fact: str) -> Any:
        """A fact of the leader; None without a leader."""
        return self.leader.facts.get(fact) if self.leader else None

    def within(self, sections: frozenset[str]) -> Iterator[DeckEntry]:
        """The entries in these sections; in the deck when none is named."""
        for entry in self.deck.entries:
            if entry.section in sections if sections else entry.section not in self.outside:
                yield entry

    def where_unknown_may_belong(self, sections: frozenset[str]) -> frozenset[str]:
        """The sections in which an unknown card may stand that belongs to one of these: a section that takes cards by
        their facts could not take one whose facts nobody knows, so it may stand anywhere."""
        return frozenset(self.sections) if sections & self.taking else sections

    def unknown_copies(self, sections: frozenset[str]) -> int:
        """Cards that may be anything, in these sections."""
        return sum(entry.count for entry in self.within(sections) if entry.card is None)

    def holds(self, where: Where, sections: frozenset[str]) -> bool:
        """Whether such a card is on the list, set aside or not; in these sections when any is named."""
        if not all(self._may_hold(test) for test in where.tests):
            return False
        return any(
            entry.card is not None
            and (not sections or entry.section in sections)
            and where.holds(entry.card.facts)
            for entry in self.deck.entries
        )

    def _may_hold(self, test: Test) -> bool:
        """Whether some card has one of the values: most rules speak of a card that is not there."""
        if not test.values or test.negated or False in test.values:
            return True
        there = self.values.get(test.fact)
        if there is None:
            there = self.values[test.fact] = frozenset(
                one
                for entry in self.deck.entries
                if entry.card is not None
                for one in _scalars(entry.card.facts.get(test.fact))
            )
        return not there.isdisjoint(test.values)

    def counted(self, section: Section) -> tuple[int, int]:
        """(cards that count towards the section's size, how many of them are unknown and might not)."""
        have = self.sections[section.key]
        if not section.uncounted:
            return have, sum(e.count for e in self.unknown if e.guessed and e.section == section.key)
        doubtful = 0
        for entry in self.deck.entries:
            if entry.section != section.key:
                continue
            if entry.card is None:
                doubtful += entry.count
            elif anywhere(section.uncounted, entry.card.facts):
                have -= entry.count
            else:
                have -= entry.free
        return have, doubtful


def _scalars(value: Any) -> Iterable[Any]:
    values = value if isinstance(value, list | tuple) else (value,)
    return (one for one in values if isinstance(one, str | int))


def names(entries: Iterable[DeckEntry]) -> list[str]:
    """The cards' names, each once, in order."""
    return list(dict.fromkeys(entry.name for entry in entries))


def card_counts(entries: Iterable[DeckEntry]) -> tuple[CardCount, ...]:
    """Cards by name with their copies together."""
    counts: dict[str, int] = {}
    for entry in entries:
        counts[entry.name] = counts.get(entry.name, 0) + entry.count
    return tuple(CardCount(name, count) for name, count in counts.items())


def number(value: Any, otherwise: int) -> int:
    """A fact as a number."""
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
