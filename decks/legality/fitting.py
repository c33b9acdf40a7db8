"""Rules about the deck as a whole: a sum that depends on its size, cards that must fill given slots."""

from collections.abc import Iterator

from decks.legality import words
from decks.legality.deck import DeckEntry
from decks.legality.report import Finding, Severity
from decks.legality.snapshot import Scale, Slots, Snapshot
from decks.legality.tally import Tally, card_counts, number


def scale(tally: Tally, rule: Scale, snapshot: Snapshot, partial: bool) -> Iterator[Finding]:
    """A sum that must fit the size of the deck. What nobody knows may be worth anything."""
    if rule.when is not None and not tally.holds(rule.when, frozenset()):
        return
    found = [e for e in tally.within(frozenset()) if e.card is not None and rule.where.holds(e.card.facts)]
    have = sum(e.count * number(e.card.facts.get(rule.fact), 0) for e in found if e.card is not None)
    size, _doubtful = tally.counted(snapshot.sections[0])
    minimum = rule.start + rule.step * (size // rule.per)
    maximum = minimum + rule.spread
    if minimum <= have <= maximum:
        return
    open_ = tally.unread + (tally.unknown_copies(frozenset()) if partial else 0)
    few = have < minimum
    yield Finding(
        f"too-{'few' if few else 'many'}-{rule.code}",
        Severity.UNVERIFIED if open_ else Severity.ILLEGAL,
        f"The deck has {have} {rule.what}; with {words.cards(size)} it needs {minimum} to {maximum}.",
        cards=card_counts(found),
        have=have,
        allowed=minimum if few else maximum,
        rule=rule.cite.rule,
        source=rule.cite.source,
        remedy=f"Add {minimum - have} {rule.what}." if few else f"Take out {have - maximum} {rule.what}.",
    )


def slots(tally: Tally, rule: Slots, partial: bool) -> Iterator[Finding]:
    """One card for each value, whichever of its values each card stands for. Too many or too few cards is said by their
    section; here only what cannot be placed."""
    found = [e for e in tally.within(frozenset()) if e.card is not None and rule.where.holds(e.card.facts)]
    cards = [_values(entry, rule.fact) for entry in found for _copy in range(entry.count)]
    ways = [list(rule.values)]
    for where, more in rule.swaps:
        if tally.holds(where, frozenset()):
            ways += [
                [*(one for one in rule.values if one != gone), more] for gone in rule.values if gone != more
            ]
    if any(_placed(cards, way) == min(len(cards), len(way)) for way in ways):
        return
    best = max(_placed(cards, way) for way in ways)
    open_ = tally.unread + (tally.unknown_copies(frozenset()) if partial else 0)
    open_ += sum(not values for values in cards)
    have = ", ".join(f"{entry.name} ({'/'.join(_values(entry, rule.fact)) or '?'})" for entry in found)
    yield Finding(
        f"wrong-{rule.code}",
        Severity.UNVERIFIED if open_ else Severity.ILLEGAL,
        f"The {rule.what} don’t fit: the deck needs one of each ({', '.join(rule.values)}) and has {have}.",
        cards=card_counts(found),
        have=best,
        allowed=len(rule.values),
        rule=rule.cite.rule,
        source=rule.cite.source,
        remedy="Replace the duplicates with the missing ones.",
    )


def _values(entry: DeckEntry, fact: str) -> tuple[str, ...]:
    value = entry.card.facts.get(fact) if entry.card else None
    return (
        tuple(map(str, value)) if isinstance(value, list | tuple) else () if value is None else (str(value),)
    )


def _placed(cards: list[tuple[str, ...]], places: list[str]) -> int:
    """How many cards find a place of their own (maximum matching)."""
    taken: dict[int, int] = {}

    def place(card: int, seen: set[int]) -> bool:
        for at, value in enumerate(places):
            if value in cards[card] and at not in seen:
                seen.add(at)
                if at not in taken or place(taken[at], seen):
                    taken[at] = card
                    return True
        return False

    return sum(place(card, set()) for card in range(len(cards)))
