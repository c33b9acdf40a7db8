"""The cards of one game in memory: looked up by folded title, searched for what a typo may have meant."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rapidfuzz import fuzz, process

from decks.legality import Card

SUGGESTIONS = 5


@dataclass(frozen=True, slots=True)
class PrintingFacts:
    """Where a card was printed. The number is a hint: the sources disagree on many.

    code: the printing's identifier in the source (a GUID, a collector code), in small letters.
    """

    set_name: str
    number: str = ""
    descriptor: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class CardFacts:
    """A card with its printings, as an importer gives it and the database holds it."""

    title: str
    key: str
    facts: Mapping[str, Any]
    printings: tuple[PrintingFacts, ...]


class CatalogIndex:
    """A `legality.Catalog`. Immutable once made; equal `version`, equal content."""

    def __init__(
        self, cards: Iterable[CardFacts], *, game: str, name: str, partial: bool, version: str
    ) -> None:
        self.game = game
        self.name = name
        self.partial = partial
        self.version = version
        self._cards: dict[str, Card] = {}
        self._by_id: dict[str, Card] = {}
        for facts in cards:
            card = self._cards[facts.key] = Card(facts.key, facts.title, facts.facts)
            self._by_id.update((printing.code, card) for printing in facts.printings if printing.code)
        self.get = self._cards.get
        self.of_id = self._by_id.get
        self.suggest = lru_cache(maxsize=2_000)(self._suggest)
        self._by_fact: dict[str, dict[Any, tuple[Card, ...]]] = {}

    @property
    def ids(self) -> Mapping[str, str]:
        """A card's key -> the identifier of one of its printings."""
        return {card.key: id for id, card in reversed(self._by_id.items())}

    def __len__(self) -> int:
        return len(self._cards)

    def __iter__(self) -> Iterator[Card]:
        return iter(self._cards.values())

    def with_fact(self, fact: str, value: str) -> tuple[Card, ...]:
        """The cards whose fact has this value, by title."""
        if fact not in self._by_fact:
            found: dict[Any, list[Card]] = {}
            for card in sorted(self._cards.values(), key=lambda card: card.title):
                if isinstance(one := card.facts.get(fact), str):
                    found.setdefault(one, []).append(card)
            self._by_fact[fact] = {one: tuple(cards) for one, cards in found.items()}
        return self._by_fact[fact].get(value, ())

    def _suggest(self, key: str) -> tuple[str, ...]:
        """Titles near a folded name, nearest first: by edit distance, else by the words they share."""
        if not 2 < len(key) <= 80:
            return ()
        near = process.extract(key, self._cards.keys(), scorer=fuzz.ratio, score_cutoff=65, limit=SUGGESTIONS)
        if not near:
            near = process.extract(
                key, self._cards.keys(), scorer=fuzz.token_set_ratio, score_cutoff=80, limit=SUGGESTIONS
            )
        ranked = sorted(near, key=lambda hit: (-hit[1], hit[0]))
        return tuple(self._cards[found].title for found, _, _ in ranked)


def version_of(cards: Iterable[CardFacts], *, partial: bool) -> str:
    """A hash of the content, the same whichever way and in whichever order it was loaded."""
    rows = sorted(
        [
            card.key,
            card.title,
            json.dumps(card.facts, sort_keys=True, ensure_ascii=False),
            sorted([p.set_name, p.number, p.descriptor, p.code] for p in card.printings),
        ]
        for card in cards
    )
    content = json.dumps([partial, rows], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()[:32]
