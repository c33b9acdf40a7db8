"""A name that several cards share: checks the deck with each card the name can mean.

A verdict is certain when it is the same whichever is meant; otherwise the finding asks. Cards that no rule of this
deck tells apart are one reading, so most decks have only one.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from itertools import product
from math import prod
from typing import Any, NamedTuple

from decks.legality import words
from decks.legality.deck import Card, Catalog, Deck, DeckEntry
from decks.legality.facts import Where
from decks.legality.leaders import options_of
from decks.legality.report import CardCount, Finding, Report, Severity, Verdict
from decks.legality.restricting import rules_naming
from decks.legality.snapshot import NOT_YET_RELEASED, Quota, Snapshot

MOST = 64  # readings of one deck that are all judged


class _Name(NamedTuple):
    """A name in the deck, where it stands first, and its cards: in each group those that no rule tells apart."""

    key: str
    entry: DeckEntry
    groups: tuple[tuple[Card, ...], ...]


def judged_as_each(
    deck: Deck, snapshot: Snapshot, catalog: Catalog, report: Callable[[Deck], Report]
) -> Report | None:
    """The report on a deck with such names; None where it has none. report: judges a deck without them."""
    names = _names(deck, snapshot, catalog)
    if not names:
        return None
    unsure = [name for name in names if len(name.groups) > 1]
    if prod(len(name.groups) for name in names) > MOST:
        return _asked(report(_read_as(deck, names, [name.groups[0] for name in names])), unsure, {})
    reports: list[Report] = []
    fine: dict[str, set[str]] = {name.key: set() for name in names}
    for reading in product(*(name.groups for name in names)):
        reports.append(report(_read_as(deck, names, reading)))
        if reports[-1].verdict is not Verdict.ILLEGAL:
            for name, group in zip(names, reading, strict=True):
                fine[name.key].update(card.title for card in group)
    kindest = min(reports, key=lambda one: sum(f.severity is Severity.ILLEGAL for f in one.findings))
    if all(one.verdict is Verdict.ILLEGAL for one in reports) or not any(
        one.verdict is Verdict.ILLEGAL for one in reports
    ):
        return kindest
    told = [name for name in unsure if len(fine[name.key]) < sum(map(len, name.groups))]
    return _asked(kindest, told or unsure, fine)


def _names(deck: Deck, snapshot: Snapshot, catalog: Catalog) -> list[_Name]:
    """The names of several cards in the deck; not those that a rule speaks of as they stand (`which_version`)."""
    found: dict[str, tuple[DeckEntry, list[Card]]] = {}
    for entry in deck.entries:
        titles = entry.card.facts.get("versions") if entry.card is not None else None
        if not titles or entry.card is None or entry.key in found or rules_naming(entry.card, snapshot):
            continue
        if cards := [card for title in titles if (card := catalog.named(title)) is not None]:
            found[entry.key] = entry, _released(cards, snapshot)
    if not found:
        return []
    asked = list(
        _asked_of_cards(deck, snapshot, [card for _entry, cards in found.values() for card in cards])
    )
    names = []
    for key, (entry, cards) in found.items():
        groups: dict[str, list[Card]] = {}
        for card in cards:
            answers = [
                one.holds(card.facts) if isinstance(one, Where) else card.facts.get(one) for one in asked
            ]
            groups.setdefault(repr([answers, rules_naming(card, snapshot)]), []).append(card)
        names.append(_Name(key, entry, tuple(map(tuple, groups.values()))))
    return names


def _released(cards: list[Card], snapshot: Snapshot) -> list[Card]:
    """Those that existed on the date: nobody means a card of a later set. All of them where none did."""
    late = [rule.where for rule in snapshot.exclusions if rule.code == NOT_YET_RELEASED]
    return [card for card in cards if not any(where.holds(card.facts) for where in late)] or cards


_FACTS = (
    "fact",
    "per",
    "per_fact",
    "unlike",
    "facts",
    "more",
    "bound",
    "size_fact",
    "maximum_fact",
    "minimum_fact",
)


def _asked_of_cards(deck: Deck, snapshot: Snapshot, more: list[Card]) -> Iterator[Where | str]:
    """The conditions and the facts by which a rule for this deck may tell one card from another."""
    cards = [*(entry.card for entry in deck.entries if entry.card is not None), *more]
    for quota in snapshot.quotas:
        if quota.when is None or any(quota.when.holds(card.facts) for card in cards):
            yield from _within(quota)
    always = snapshot.memo.get("asked-of-cards")
    if always is None:
        parts = (
            getattr(snapshot, part.name) for part in fields(snapshot) if part.name not in ("quotas", "memo")
        )
        always = snapshot.memo["asked-of-cards"] = [one for part in parts for one in _within(part)]
    yield from always
    for rule in snapshot.accesses:
        for card in cards:
            yield from options_of(card, rule)


def _within(rule: Any) -> Iterator[Where | str]:
    if isinstance(rule, Where):
        if "title" not in rule.facts:  # which titles a rule names is asked apart
            yield rule
    elif isinstance(rule, tuple):
        for one in rule:
            yield from _within(one)
    elif is_dataclass(rule) and not isinstance(rule, type):
        for part in fields(rule):
            value = getattr(rule, part.name)
            if part.name in _FACTS:
                yield from (value,) if isinstance(value, str) else value
            elif not (isinstance(rule, Quota) and part.name == "when"):
                yield from _within(value)


def _read_as(deck: Deck, names: list[_Name], reading: Any) -> Deck:
    """The deck with a card of its group for each name; it is called as the list calls it."""
    meant = {name.key: group[0] for name, group in zip(names, reading, strict=True)}
    entries = (
        one._replace(key=card.key, card=card) if (card := meant.get(one.key)) is not None else one
        for one in deck.entries
    )
    return replace(deck, entries=tuple(entries))


def _asked(report: Report, names: list[_Name], fine: dict[str, set[str]]) -> Report:
    """The report without certainty, and the question which cards are meant."""
    lowered = (
        one._replace(severity=Severity.UNVERIFIED) if one.severity is Severity.ILLEGAL else one
        for one in report.findings
    )
    return Report.of([*lowered, *(_which(name, fine) for name in names)], report.snapshot, report.catalog)


def _which(name: _Name, fine: dict[str, set[str]]) -> Finding:
    titles = [card.title for group in name.groups for card in group]
    good = [title for title in titles if title in fine.get(name.key, ())]
    said = f"; the deck can be legal with {words.listed(good, 'or')} only" if good and good != titles else ""
    return Finding(
        "which-version",
        Severity.UNVERIFIED,
        f"There are {len(titles)} cards named {name.entry.name}, and the rules treat them differently{said}.",
        cards=(CardCount(name.entry.name, name.entry.count),),
        have=name.entry.count,
        remedy=f"Write which one you mean: {words.listed(titles, 'or')}.",
        line=name.entry.line,
        suggestions=tuple(titles),
    )
