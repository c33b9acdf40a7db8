"""What it costs to get from one version of a deck to the next, in games where decks are improved with what was
earned.

A copy that came costs its price; when a lower version of the same title went for it, the difference; at least the
rule's minimum. Cards that the rule exempts cost nothing. Where an exiled card left a place, or the deck grew, the
cheapest cards fill it for nothing.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from decks.legality import words
from decks.legality.deck import Card, Catalog, Deck
from decks.legality.facts import Where, anywhere
from decks.legality.report import CardCount, Finding, Severity
from decks.legality.snapshot import Snapshot, Upgrading
from decks.legality.tally import number


@dataclass(frozen=True, slots=True)
class Step:
    """Copies of one card that came, went or changed. kind: new, upgrade, bought (a part of it), free, removed, exiled.

    before: the card it replaces; cost: for all the copies.
    """

    kind: str
    name: str
    copies: int
    cost: int
    before: str = ""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What came, what it cost, and what is wrong with it. earned: what there was to spend; None: not known.

    changers: cards in the deck that change prices in ways that are not worked out here.
    """

    steps: tuple[Step, ...]
    cost: int
    earned: int | None
    changers: tuple[str, ...]
    findings: tuple[Finding, ...]


def upgrade(
    old: Deck,
    new: Deck,
    snapshot: Snapshot,
    catalog: Catalog,
    *,
    earned: int | None = None,
    exiled: Mapping[str, int] | None = None,
) -> Upgrade | None:
    """The cost of the changes from `old` to `new`; None where the format knows no such thing.

    exiled: card key -> copies that left the game, so that a cheapest card may take each one's place.
    """
    rule = snapshot.upgrades
    if rule is None:
        return None
    before, after = _copies(old, rule), _copies(new, rule)
    cards = {entry.key: entry.card for deck in (old, new) for entry in deck.entries if entry.card is not None}
    uncounted = tuple(where for section in snapshot.sections for where in section.uncounted)
    room = _room(before, after, snapshot)
    work = _Work(rule, cards, before, after, exiled or {}, _bought(old), _bought(new), room, uncounted)
    steps = tuple(sorted(work.steps(), key=lambda step: -step.cost))
    cost = sum(step.cost for step in steps)
    both = {**before, **after}
    changers = tuple(cards[key].title for key in both if key in rule.changers and key in cards)
    return Upgrade(steps, cost, earned, changers, tuple(_findings(rule, cost, earned, changers, old, new)))


def _copies(deck: Deck, rule: Upgrading) -> Counter[str]:
    found: Counter[str] = Counter()
    for entry in deck.entries:
        priced = entry.card is not None and not anywhere(rule.exempt, entry.card.facts)
        if priced and (not rule.sections or entry.section in rule.sections):
            found[entry.key] += entry.count
    return found


def _bought(deck: Deck) -> dict[str, int]:
    """Cards that are bought in parts -> the parts ticked."""
    return {
        entry.key: number(entry.card.facts.get("experience"), 0)
        for entry in deck.entries
        if entry.card is not None and entry.card.facts.get("upgrades")
    }


def _room(before: Counter[str], after: Counter[str], snapshot: Snapshot) -> int:
    """Cards more that the deck must hold, by the cards that change its size."""
    sizes = {key: each for section in snapshot.sections for key, each in section.adjust.items()}
    return max(0, sum((after[key] - before[key]) * each for key, each in sizes.items()))


class _Work:
    def __init__(
        self,
        rule: Upgrading,
        cards: Mapping[str, Card],
        before: Counter[str],
        after: Counter[str],
        exiled: Mapping[str, int],
        bought_before: Mapping[str, int],
        bought_after: Mapping[str, int],
        room: int,
        uncounted: tuple[Where, ...],
    ) -> None:
        self.uncounted = uncounted
        self.rule, self.cards = rule, cards
        self.came, self.went = after - before, before - after
        self.exiled = Counter(exiled)
        self.bought_before, self.bought_after = bought_before, bought_after
        # An exiled card that is not bought again leaves a place to fill for nothing, and so does a larger deck.
        self.free = room + sum(min(copies, self.went[key]) for key, copies in self.exiled.items())
        for key, copies in self.exiled.items():
            again = min(copies, before[key]) - self.went[key]
            if again > 0:
                self.came[key] += again
                self.went[key] += again
                self.free += again if self._price(key) <= 0 else 0

    def steps(self) -> Iterator[Step]:
        yield from self._parts()
        yield from self._replaced()
        yield from self._new()
        for key, copies in self.went.items():
            gone = min(copies, self.exiled[key])
            if gone:
                yield Step("exiled", self.cards[key].title, gone, 0)
            if copies > gone:
                yield Step("removed", self.cards[key].title, copies - gone, 0)

    def _parts(self) -> Iterator[Step]:
        for key, now in self.bought_after.items():
            more = now - self.bought_before.get(key, 0)
            if more > 0 and key in self.cards:
                yield Step("bought", self.cards[key].title, 1, more)

    def _replaced(self) -> Iterator[Step]:
        """Copies for which a lower version of the same title went: dearest first, each for the highest there is."""
        for key in sorted(self.came, key=lambda key: (-self._price(key), key)):
            lower = sorted(
                (
                    other
                    for other in self.went
                    if self._title(other) == self._title(key) and self._level(other) < self._level(key)
                ),
                key=lambda other: (-self._price(other), other),
            )
            for other in lower:
                exchanged = min(self.came[key], self.went[other] - min(self.exiled[other], self.went[other]))
                if exchanged <= 0:
                    continue
                self.came[key] -= exchanged
                self.went[other] -= exchanged
                self.free += exchanged * max(0, self._counts(other) - self._counts(key))
                each = max(self.rule.minimum, self._price(key) - self._price(other))
                yield Step(
                    "upgrade",
                    self.cards[key].title,
                    exchanged,
                    self._times(key, exchanged) * each,
                    self.cards[other].title,
                )

    def _new(self) -> Iterator[Step]:
        for key in sorted((+self.came), key=lambda key: (self._price(key), key)):
            copies = self.came[key]
            price = self._price(key)
            gratis = min(copies, self.free) if price <= 0 else 0
            self.free -= gratis
            if gratis:
                yield Step("free", self.cards[key].title, gratis, 0)
            if copies > gratis:
                paid = copies - gratis
                least = 0 if self.bought_after.get(key) else self.rule.minimum  # paid with its parts
                cost = self._times(key, paid) * max(least, price)
                yield Step("new", self.cards[key].title, paid, cost)

    def _times(self, key: str, copies: int) -> int:
        """How often the price is paid: once for all copies of some cards."""
        once = self.rule.once is not None and self.rule.once.holds(self.cards[key].facts)
        return 1 if once else copies

    def _price(self, key: str) -> int:
        if key in self.bought_after or key in self.bought_before:
            return 0  # its parts are paid for one by one
        return sum(number(self.cards[key].facts.get(fact), 0) for fact in self.rule.price)

    def _counts(self, key: str) -> int:
        """1 when the card counts towards the size of the deck, else 0."""
        return int(not anywhere(self.uncounted, self.cards[key].facts))

    def _level(self, key: str) -> int:
        return number(self.cards[key].facts.get(self.rule.level), 0)

    def _title(self, key: str) -> object:
        return self.cards[key].facts.get(self.rule.same) or key


def _findings(
    rule: Upgrading, cost: int, earned: int | None, changers: tuple[str, ...], old: Deck, new: Deck
) -> Iterator[Finding]:
    unknown = list(dict.fromkeys(e.name for deck in (old, new) for e in deck.entries if e.card is None))
    sure = not changers and not unknown
    because = f" {words.listed(changers)} may change the price." if changers else ""
    because += f" We don’t know {words.listed(unknown[:5])}." if unknown else ""
    if earned is None:
        yield Finding(
            "upgrade-cost", Severity.NOTE, f"The changes cost {cost} {rule.unit}.{because}", have=cost,
            rule=rule.cite.rule, source=rule.cite.source,
        )  # fmt: skip
    elif cost > earned:
        yield Finding(
            "upgrade-too-dear",
            Severity.ILLEGAL if sure else Severity.UNVERIFIED,
            f"The changes cost {cost} {rule.unit}; {earned} were available.{because}",
            cards=tuple(CardCount(name, 1) for name in changers),
            have=cost,
            allowed=earned,
            rule=rule.cite.rule,
            source=rule.cite.source,
            remedy=f"Undo changes worth {cost - earned} {rule.unit}.",
        )
    else:
        yield Finding(
            "upgrade-cost", Severity.NOTE, f"The changes cost {cost} of {earned} {rule.unit}.{because}", have=cost,
            allowed=earned, rule=rule.cite.rule, source=rule.cite.source,
        )  # fmt: skip
