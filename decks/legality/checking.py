"""The check itself: one pass to count, then one function per kind of rule, each yielding its findings."""

from collections.abc import Iterable, Iterator
from typing import Any

from decks.legality.deck import Catalog, Deck, DeckEntry
from decks.legality.report import CardCount, Finding, Report, Severity
from decks.legality.snapshot import Budget, Cap, Choice, Exclusion, Section, Snapshot


def check(deck: Deck, snapshot: Snapshot, catalog: Catalog) -> Report:
    """Every finding on the deck under the snapshot.

    The verdict is illegal when one finding is certain, else unverified when our data cannot decide something
    (an unknown card of a partial catalog, a date whose list we do not know), else legal.
    """
    tally = _Tally(deck, snapshot)
    findings = list(_timeline(snapshot))
    if tally.counts:
        findings += _sizes(tally, snapshot)
        findings += _copies(tally, snapshot)
        for exclusion in snapshot.exclusions:
            findings += _excluded(tally, exclusion, catalog.partial)
        for restriction in snapshot.restrictions:
            if isinstance(restriction, Cap):
                findings += _caps(tally, restriction, snapshot)
            elif isinstance(restriction, Choice):
                findings += _choices(tally, restriction, snapshot)
            else:
                findings += _budget(tally, restriction, snapshot)
    else:
        findings.append(_empty(snapshot.sections[0]))
    if tally.unknown:
        findings += _unknown(tally, catalog.partial)
    findings += _unread(deck)
    return Report.of(findings, snapshot.id, catalog.version)


class _Tally:
    """Copies by card, cards by section, and who is unknown, over the sections that belong to the deck."""

    __slots__ = ("counts", "entries", "sections", "unknown")

    def __init__(self, deck: Deck, snapshot: Snapshot) -> None:
        self.counts: dict[str, int] = {}
        self.entries: dict[str, DeckEntry] = {}  # the last entry of each card
        self.sections = {section.key: 0 for section in snapshot.sections}
        self.unknown: list[DeckEntry] = []
        outside = [section.key for section in snapshot.sections if section.outside]
        counts, entries, sections = self.counts, self.entries, self.sections
        for entry in deck.entries:
            key, count = entry.key, entry.count
            sections[entry.section] += count
            if entry.section in outside:
                continue
            counts[key] = counts[key] + count if key in counts else count
            entries[key] = entry
            if entry.card is None:
                self.unknown.append(entry)

    def card(self, key: str) -> CardCount:
        return CardCount(self.entries[key].name, self.counts[key])

    def fact(self, key: str, fact: str) -> Any:
        card = self.entries[key].card
        return card.facts.get(fact) if card else None


def _timeline(snapshot: Snapshot) -> Iterator[Finding]:
    if snapshot.doubt:
        yield Finding(
            "outside-known-timeline",
            Severity.UNVERIFIED,
            f"{snapshot.on.isoformat()}: {snapshot.doubt}",
            source=snapshot.period.basis,
            remedy=f"The nearest known is {snapshot.period.list_name}. The organizer says which is in force.",
        )


def _empty(section: Section) -> Finding:
    return Finding(
        "empty-list",
        Severity.ILLEGAL,
        "The list holds no card that belongs to the deck.",
        have=0,
        allowed=section.minimum,
        rule=section.cite.rule,
        source=section.cite.source,
        remedy="Put one card per line, such as “3x Card name”.",
    )


def _sizes(tally: _Tally, snapshot: Snapshot) -> Iterator[Finding]:
    for section in snapshot.sections:
        have = tally.sections[section.key]
        if section.minimum is not None and have < section.minimum:
            yield Finding(
                "too-few-cards",
                Severity.ILLEGAL,
                f"The {section.title} has {_cards(have)}; it needs at least {section.minimum}.",
                have=have,
                allowed=section.minimum,
                rule=section.cite.rule,
                source=section.cite.source,
                remedy=f"Add {_cards(section.minimum - have)}.",
            )
        if section.maximum is not None and have > section.maximum:
            yield Finding(
                "too-many-cards",
                Severity.ILLEGAL,
                f"The {section.title} has {_cards(have)}; it may have at most {section.maximum}.",
                have=have,
                allowed=section.maximum,
                rule=section.cite.rule,
                source=section.cite.source,
                remedy=f"Take out {_cards(have - section.maximum)}.",
            )


def _copies(tally: _Tally, snapshot: Snapshot) -> Iterator[Finding]:
    rule = snapshot.copies
    suspects = [key for key, have in tally.counts.items() if have > rule.maximum or key in rule.own]
    for key in tally.counts if rule.fact else suspects:
        have = tally.counts[key]
        maximum, cite, doubt = rule.maximum, rule.cite, ""
        own = rule.own.get(key)
        fact = tally.fact(key, rule.fact) if rule.fact else None
        if own:
            cite = own.cite
            if own.maximum is not None and not own.doubt:
                maximum = own.maximum
        elif isinstance(fact, int):
            maximum = fact
        if have <= maximum:
            continue
        if own and own.maximum is not None and own.doubt and have <= own.maximum:
            doubt = f" {own.doubt}"
        elif rule.fact and tally.entries[key].card is None:
            doubt = " The card is unknown and may have a limit of its own."
        severity = Severity.UNVERIFIED if doubt else Severity.ILLEGAL
        entry = tally.entries[key]
        yield Finding(
            "too-many-copies",
            severity,
            f"{_copies_of(have, entry.name)}; at most {maximum} may be in the deck.{doubt}",
            cards=(tally.card(key),),
            have=have,
            allowed=maximum,
            rule=cite.rule,
            source=cite.source,
            remedy=f"Take out {_copies_of(have - maximum, entry.name)}.",
            line=entry.line,
        )


def _excluded(tally: _Tally, rule: Exclusion, partial: bool) -> Iterator[Finding]:
    fact, values = rule.fact, rule.values
    doubtful = partial and not rule.blank_is_fine
    for key, entry in tally.entries.items():
        value = entry.card.facts.get(fact) if entry.card else ""
        if value in values if isinstance(value, str) else value and not values.isdisjoint(value):
            yield Finding(
                rule.code,
                Severity.ILLEGAL,
                f"{entry.name} cannot be in a deck: {rule.because}.",
                cards=(tally.card(key),),
                have=tally.counts[key],
                allowed=0,
                rule=rule.cite.rule,
                source=rule.cite.source,
                remedy=f"Take out {_copies_of(tally.counts[key], entry.name)}.",
                line=entry.line,
            )
        elif value is None and doubtful:
            yield Finding(
                f"unknown-{rule.fact}",
                Severity.UNVERIFIED,
                f"The {rule.fact} of {entry.name} is not known to us; it decides whether it may be in.",
                cards=(tally.card(key),),
                rule=rule.cite.rule,
                source=rule.cite.source,
                remedy="Compare the card itself, or have the card data completed.",
                line=entry.line,
            )


def _caps(tally: _Tally, rule: Cap, snapshot: Snapshot) -> Iterator[Finding]:
    for key in [key for key in tally.counts if key in rule.maximum]:
        have, maximum = tally.counts[key], rule.maximum[key]
        if have <= maximum:
            continue
        name = tally.entries[key].name
        if maximum:
            message = f"{_copies_of(have, name)}; {rule.list_name} allows {maximum}."
        else:
            message = f"{name} is on {rule.list_name}: no copy may be in the deck."
        yield Finding(
            rule.code,
            _listed(snapshot),
            message,
            cards=(tally.card(key),),
            have=have,
            allowed=maximum,
            rule=rule.cite.rule,
            source=rule.cite.source,
            remedy=f"Take out {_copies_of(have - maximum, name)}.",
            line=tally.entries[key].line,
        )


def _choices(tally: _Tally, rule: Choice, snapshot: Snapshot) -> Iterator[Finding]:
    if rule.beside and rule.beside.isdisjoint(tally.counts):
        return
    held = [key for key in tally.counts if key in rule.titles]
    if len(held) <= rule.maximum:
        return
    beside = [key for key in tally.counts if key in rule.beside]
    names = [tally.entries[key].name for key in held]
    if beside:
        owner = _and(tally.entries[key].name for key in beside)
        message = f"Beside {owner}, {rule.list_name} allows {_titles(rule.maximum)} of {_and(names)}."
        remedy = f"Take out {owner}, or {_keep(names, rule.maximum)}."
    else:
        message = f"{_and(names)} are on {rule.list_name}; a deck may use {_titles(rule.maximum)} of it."
        remedy = f"{_keep(names, rule.maximum).capitalize()}."
    yield Finding(
        rule.code,
        _listed(snapshot),
        message,
        cards=tuple(tally.card(key) for key in beside + held),
        have=len(held),
        allowed=rule.maximum,
        rule=rule.cite.rule,
        source=rule.cite.source,
        remedy=remedy,
        line=tally.entries[held[-1]].line,
    )


def _budget(tally: _Tally, rule: Budget, snapshot: Snapshot) -> Iterator[Finding]:
    spent: dict[str, int] = {}
    for key, count in tally.counts.items():
        fact = tally.fact(key, rule.fact) if rule.fact else 0
        points = rule.points.get(key, 0) + (fact if isinstance(fact, int) else 0)
        if points:
            spent[key] = points * (count if rule.per_copy else 1)
    have = sum(spent.values())
    if have > rule.maximum:
        yield Finding(
            rule.code,
            _listed(snapshot),
            f"The deck has {have} {rule.unit} by {rule.list_name}; at most {rule.maximum} are allowed.",
            cards=tuple(tally.card(key) for key in spent),
            have=have,
            allowed=rule.maximum,
            rule=rule.cite.rule,
            source=rule.cite.source,
            remedy=f"Take out cards worth {have - rule.maximum} {rule.unit}.",
        )


def _unknown(tally: _Tally, partial: bool) -> Iterator[Finding]:
    for entry in tally.unknown:
        if partial:
            message = f"{entry.name} is not among the cards we hold, so nothing is said about it."
        else:
            message = f"There is no card named {entry.name}."
        yield Finding(
            "unknown-card",
            Severity.UNVERIFIED if partial else Severity.ILLEGAL,
            message,
            cards=(CardCount(entry.name, entry.count),),
            have=entry.count,
            remedy="Did you mean one of these? Otherwise check the spelling on the card."
            if entry.suggestions
            else "Check the spelling on the card; if it is right, the card data lacks it.",
            line=entry.line,
            suggestions=entry.suggestions,
        )


def _unread(deck: Deck) -> Iterator[Finding]:
    for unread in deck.unread:
        yield Finding(
            "unread-line",
            Severity.UNVERIFIED,
            f"“{unread.text}”: {unread.message}",
            remedy="Put a count before a card (“1x Name”), a colon behind a heading, # before a remark.",
            line=unread.line,
        )


def _listed(snapshot: Snapshot) -> Severity:
    """What a list says is certain only on dates on which we know the list."""
    return Severity.UNVERIFIED if snapshot.doubt else Severity.ILLEGAL


# --- words -------------------------------------------------------------------------------------------


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


def _titles(count: int) -> str:
    return ("no title", "one title")[count] if count < 2 else f"{count} titles"


def _copies_of(count: int, name: str) -> str:
    return f"1 copy of {name}" if count == 1 else f"{count} copies of {name}"


def _and(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _keep(names: list[str], maximum: int) -> str:
    if maximum == 0:
        return f"take out {_and(names)}"
    return f"keep {'one' if maximum == 1 else maximum} of them and take out the others"
