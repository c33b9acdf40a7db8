"""What shuts cards out: kinds of card, and everything a dated list can say."""

from collections.abc import Iterator

from decks.legality import words
from decks.legality.deck import DeckEntry
from decks.legality.report import CardCount, Finding, Severity
from decks.legality.snapshot import Budget, Cap, Choice, Exclusion, Snapshot
from decks.legality.tally import Tally, number


def excluded(
    tally: Tally, rule: Exclusion, snapshot: Snapshot, partial: bool, remarkable: dict[str, DeckEntry]
) -> Iterator[Finding]:
    doubtful = partial and not rule.blank_is_fine
    entries = {entry.key: entry for entry in tally.within(rule.sections)} if rule.sections else remarkable
    for key, entry in entries.items():
        if entry.card is None:
            continue
        count = CardCount(entry.name, tally.counts.get(key, entry.count))
        if rule.where.holds(entry.card.facts):
            if rule.open and partial:
                yield _undecided(rule, entry, count, rule.where.facts[0])
                continue
            if not rule.blank_is_fine and any(
                entry.card.facts.get(fact) is None for fact in rule.where.facts
            ):
                if not partial:
                    continue
                blank = rule.where.undecided(entry.card.facts)
                yield _undecided(rule, entry, count, blank or rule.where.facts[0])
                continue
            yield Finding(
                rule.code,
                severity_of(snapshot) if rule.listed else Severity.ILLEGAL,
                f"{entry.name} cannot be in {_section_name(rule, snapshot)}: {rule.because}.",
                cards=(count,),
                have=count.count,
                allowed=0,
                rule=rule.cite.rule,
                source=rule.cite.source,
                remedy=f"Take out {words.copies_of(count.count, entry.name)}.",
                line=entry.line,
            )
        elif doubtful and (blank := rule.where.undecided(entry.card.facts)):
            yield _undecided(rule, entry, count, blank)


def _section_name(rule: Exclusion, snapshot: Snapshot) -> str:
    if not rule.sections:
        return "a deck"
    return "the " + words.listed((s.title for s in snapshot.sections if s.key in rule.sections), "or")


def _undecided(rule: Exclusion, entry: DeckEntry, count: CardCount, blank: str) -> Finding:
    return Finding(
        f"unknown-{blank}",
        Severity.UNVERIFIED,
        f"The {blank} of {entry.name} is not known to us; it decides whether it may be in.",
        cards=(count,),
        rule=rule.cite.rule,
        source=rule.cite.source,
        remedy="Compare the card itself, or have the card data completed.",
        line=entry.line,
    )


def lists(
    tally: Tally, snapshot: Snapshot, partial: bool, remarkable: dict[str, DeckEntry]
) -> Iterator[Finding]:
    for restriction in snapshot.restrictions:
        if isinstance(restriction, Cap):
            yield from _caps(tally, restriction, snapshot)
        elif isinstance(restriction, Choice):
            yield from _choices(tally, restriction, snapshot)
        elif isinstance(restriction, Budget):
            yield from budget(tally, restriction, severity_of(snapshot))
        else:
            yield from excluded(tally, restriction, snapshot, partial, remarkable)


def _caps(tally: Tally, rule: Cap, snapshot: Snapshot) -> Iterator[Finding]:
    if rule.maximum.keys().isdisjoint(tally.counts):
        return
    for key in [key for key in tally.counts if key in rule.maximum]:
        have, maximum = tally.counts[key], rule.maximum[key]
        if have <= maximum:
            continue
        name = tally.entries[key].name
        if maximum:
            message = f"{words.copies_of(have, name)}; {rule.list_name} allows {maximum}."
        else:
            message = f"{name} is on {rule.list_name}: no copy may be in the deck."
        yield Finding(
            rule.code,
            severity_of(snapshot),
            message,
            cards=(tally.card(key),),
            have=have,
            allowed=maximum,
            rule=rule.cite.rule,
            source=rule.cite.source,
            remedy=f"Take out {words.copies_of(have - maximum, name)}.",
            line=tally.entries[key].line,
        )


def _choices(tally: Tally, rule: Choice, snapshot: Snapshot) -> Iterator[Finding]:
    if rule.titles.isdisjoint(tally.counts) or (rule.beside and rule.beside.isdisjoint(tally.counts)):
        return
    held = [key for key in tally.counts if key in rule.titles]
    if len(held) <= rule.maximum:
        return
    beside = [key for key in tally.counts if key in rule.beside]
    names = [tally.entries[key].name for key in held]
    if beside:
        owner = words.listed(tally.entries[key].name for key in beside)
        message = (
            f"Beside {owner}, {rule.list_name} allows {words.titles(rule.maximum)} of {words.listed(names)}."
        )
        remedy = f"Take out {owner}, or {words.keep(names, rule.maximum)}."
    else:
        allowed = words.titles(rule.maximum)
        message = f"{words.listed(names)} are on {rule.list_name}; a deck may use {allowed} of it."
        remedy = f"{words.keep(names, rule.maximum).capitalize()}."
    yield Finding(
        rule.code,
        severity_of(snapshot),
        message,
        cards=tuple(tally.card(key) for key in beside + held),
        have=len(held),
        allowed=rule.maximum,
        rule=rule.cite.rule,
        source=rule.cite.source,
        remedy=remedy,
        line=tally.entries[held[-1]].line,
    )


def budget(tally: Tally, rule: Budget, severity: Severity) -> Iterator[Finding]:
    spent: dict[str, int] = {}
    for key, count in tally.counts.items():
        points = rule.points.get(key, 0) + sum(number(tally.fact(key, fact), 0) for fact in rule.facts)
        card = tally.entries[key].card
        once = not rule.per_copy or (
            rule.once is not None and card is not None and rule.once.holds(card.facts)
        )
        if points:
            spent[key] = points * (1 if once else count)
    have = sum(spent.values())
    if have and rule.maximum is None:
        yield Finding(
            rule.code,
            Severity.NOTE,
            f"The deck has {have} {rule.unit}.",
            have=have,
            rule=rule.cite.rule,
            source=rule.cite.source,
        )
    elif rule.maximum is not None and have > rule.maximum:
        yield Finding(
            rule.code,
            severity,
            f"The deck has {have} {rule.unit} by {rule.list_name}; at most {rule.maximum} are allowed.",
            cards=tuple(tally.card(key) for key in spent),
            have=have,
            allowed=rule.maximum,
            rule=rule.cite.rule,
            source=rule.cite.source,
            remedy=f"Take out cards worth {have - rule.maximum} {rule.unit}.",
        )


def severity_of(snapshot: Snapshot) -> Severity:
    """What a list says is certain only on dates on which we know the list."""
    return Severity.UNVERIFIED if snapshot.doubt else Severity.ILLEGAL
