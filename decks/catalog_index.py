"""The cards of one game in memory: looked up by folded title, searched for what a typo may have meant."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rapidfuzz import fuzz, process

from decks.legality import Card

SUGGESTIONS = 5


@dataclass(frozen=True, slots=True)
class PrintingFacts:
    """Where a card was printed. The number is a hint: the sources disagree on many."""

    set_name: str
    number: str = ""
    descriptor: str = ""


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
        self._cards = {card.key: Card(card.key, card.title, card.facts) for card in cards}
        self.get = self._cards.get
        self.suggest = lru_cache(maxsize=2_000)(self._suggest)

    def __len__(self) -> int:
        return len(self._cards)

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
            sorted([printing.set_name, printing.number, printing.descriptor] for printing in card.printings),
        ]
        for card in cards
    )
    content = json.dumps([partial, rows], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()[:32]
