"""The cards of one game in memory: found by folded title, or by likeness to a misspelled one."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from decks.legality import Card
from decks.lists import fold

SUGGESTIONS = 5
KINDS_OF_CARDS = (
    "type",
    "faction",
    "clan",
    "color",
    "spec",
    "set",
    "slot",
    "element",
)  # what people sort a list by


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
    """A card with its printings, as an importer gives it and the database holds it.

    rows: what the source says of it word for word, its text among it, a row a printing; where it has texts. They are no
    part of a catalog, and never ship.
    """

    title: str
    key: str
    facts: Mapping[str, Any]
    printings: tuple[PrintingFacts, ...]
    rows: tuple[Mapping[str, Any], ...] = ()


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
        cards = list(cards)
        for facts in cards:
            sets = [printing.set_name for printing in facts.printings if printing.set_name]
            printed: dict[str, Any] = {"set": list(dict.fromkeys(sets))} if sets else {}
            card = Card(facts.key, facts.title, {"title": facts.title, **printed, **facts.facts})
            self._cards[facts.key] = card
            self._by_id.update((printing.code, card) for printing in facts.printings if printing.code)
        self.get = self._cards.get
        self.of_id = self._by_id.get
        self.suggest = lru_cache(maxsize=2_000)(self._suggest)
        self._loose: dict[str, Card | None] | None = None
        self._kinds: dict[str, set[str]] | None = None
        self._sets = {
            facts.key: frozenset(fold(p.set_name) for p in facts.printings if p.set_name) for facts in cards
        }
        self._sets[""] = frozenset().union(*self._sets.values())
        self._descriptors = [
            (facts.key, p.descriptor) for facts in cards if len(facts.printings) < 50 for p in facts.printings
        ]
        self._by_fact: dict[str, dict[Any, tuple[Card, ...]]] = {}

    def named(self, title: str) -> Card | None:
        """The card of a title."""
        return self._cards.get(fold(title))

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

    def sets_of(self, key: str) -> frozenset[str]:
        """The folded names of the sets a card is printed in; of all sets for an empty key."""
        return self._sets.get(key, frozenset())

    def kinds(self, key: str) -> tuple[str, ...]:
        """The facts that have this folded word, or its singular, as a value or as a word of one ("events": type)."""
        if self._kinds is None:
            self._kinds = {}
            for card in self._cards.values():
                for fact, value in card.facts.items():
                    if fact in KINDS_OF_CARDS:
                        for one in value if isinstance(value, list | tuple) else (value,):
                            if isinstance(one, str):
                                for name in _said_for(fold(one), fact):
                                    self._kinds.setdefault(name, set()).add(fact)
        found: set[str] = set()
        for word in (key, key.removesuffix("s"), key.removesuffix("es"), key.removesuffix("ies") + "y"):
            found |= self._kinds.get(word, set())
        return tuple(sorted(found))

    def resembling(self, key: str) -> Card | None:
        """The one card that a folded name can only mean though it is not its title: without the spaces, the article
        or a nickname in quotes, with umlauts spelt out, with the descriptor behind it, or another name it has."""
        if self._loose is None:
            self._loose = self._loosely_named()
        return self._loose.get(_squeezed(key))

    def _loosely_named(self) -> dict[str, Card | None]:
        """Squeezed name -> its card; None where several cards could be meant. A fact `also` names one for sure."""
        found: dict[str, Card | None] = {}
        for card in self._cards.values():
            names = {card.key, fold(card.title.translate(_UMLAUTS)), fold(_NICKNAME.sub(" ", card.title))}
            for name in {
                _squeezed(name) for name in names if " " in name or name == card.key or len(name) > 6
            }:
                found[name] = card if found.get(name, card) is card else None
        for key, descriptor in self._descriptors:
            if descriptor:
                found.setdefault(_squeezed(f"{key} {fold(descriptor)}"), self._cards[key])
        for card in self._cards.values():
            also = card.facts.get("also", ())
            for name in [also] if isinstance(also, str) else also:
                found[_squeezed(fold(name))] = card
        return found

    def _suggest(self, key: str) -> tuple[str, ...]:
        """Titles near a folded name, nearest first: by edit distance, else by the words they share."""
        from rapidfuzz import fuzz, process  # only for names that no card has

        if not 2 < len(key) <= 80:
            return ()
        near = process.extract(key, self._cards.keys(), scorer=fuzz.ratio, score_cutoff=65, limit=SUGGESTIONS)
        least = (
            80 if not near else 100
        )  # beside near ones only titles that hold every word, or are part of it
        sharing = process.extract(
            key, self._cards.keys(), scorer=fuzz.token_set_ratio, score_cutoff=least, limit=SUGGESTIONS
        )
        near = [*near, *((title, score / 2, at) for title, score, at in sharing)]
        best: dict[str, float] = {}
        for title, score, _at in near:
            best[title] = max(score, best.get(title, 0))
        ranked = sorted(best, key=lambda title: (-best[title], title))[:SUGGESTIONS]
        return tuple(self._cards[found].title for found in ranked)


@lru_cache(maxsize=5_000)
def _said_for(key: str, fact: str) -> tuple[str, ...]:
    """What a kind is called: its name, and for all but sets each longer word of it (“Agency” for “The Agency”)."""
    words = key.split(" ") if " " in key and fact != "set" else []
    return (key, *(word for word in words if len(word) > 2 and word not in ("the", "and", "for")))


_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "&": " and "})
_NICKNAME = re.compile('["“”][^"“”]{1,40}["“”]')


def _squeezed(key: str) -> str:
    first, _, rest = key.partition(" ")
    return (rest if rest and first in ("the", "a", "an") else key).replace(" ", "")


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
