"""Rules that exclude or limit cards: excluded kinds, and everything a dated restriction list can say."""

from collections.abc import Iterator

from decks.legality import words
from decks.legality.deck import Card, Catalog, DeckEntry
from decks.legality.report import CardCount, Finding, Severity
from decks.legality.snapshot import Budget, Cap, Choice, Exclusion, Snapshot, Waiver
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
        f"{entry.name} can’t be checked: perhaps {rule.because}; our card data doesn’t say.",
        cards=(count,),
        rule=rule.cite.rule,
        source=rule.cite.source,
        remedy="Check the card itself, or ask for the card data to be completed.",
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
            yield from budget(tally, restriction, severity_of(snapshot), partial)
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
        allowed = f"{words.titles(rule.maximum)} of {words.listed(names)}"
        message = f"Together with {owner}, {rule.list_name} allows {allowed}."
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


def budget(tally: Tally, rule: Budget, severity: Severity, partial: bool) -> Iterator[Finding]:
    spent, extra = _spent(tally, rule)
    have = sum(spent.values()) + (0 if rule.floor is not None else sum(extra.values()))
    if not rule.judged:
        if have:
            yield Finding(
                rule.code,
                Severity.NOTE,
                f"The deck has {have} {rule.unit}.",
                have=have,
                rule=rule.cite.rule,
                source=rule.cite.source,
            )
        return
    maximum = _maximum(tally, rule, sum(extra.values()))
    if maximum is None or have <= maximum:
        return
    # A card nobody knows may be what lets another cost nothing, or raise the limit.
    open_ = (rule.waivers or rule.more) and (tally.unread or (partial and tally.unknown))
    yield Finding(
        rule.code,
        Severity.UNVERIFIED if open_ else severity,
        f"The deck has {have} {rule.unit} by {rule.list_name}; at most {maximum} are allowed.",
        cards=tuple(tally.card(key) for key in {**spent, **extra}),
        have=have,
        allowed=maximum,
        rule=rule.cite.rule,
        source=rule.cite.source,
        remedy=f"Take out cards worth {have - maximum} {rule.unit}.",
    )


def _spent(tally: Tally, rule: Budget) -> tuple[dict[str, int], dict[str, int]]:
    """(card -> what its facts cost, card -> what its points come to), in all its copies."""
    spent: dict[str, int] = {}
    extra: dict[str, int] = {}
    waivers = [one for one in rule.waivers if tally.holds(one.where, _ANYWHERE) and _holds(tally, one)]
    shared = _values(tally.leads(rule.unlike)) if rule.unlike else ()
    for key, count in tally.counts.items():
        card = tally.entries[key].card
        once = not rule.per_copy or (
            rule.once is not None and card is not None and rule.once.holds(card.facts)
        )
        if points := rule.points.get(key, 0):
            extra[key] = points * (1 if once else count)
        each = sum(number(tally.fact(key, fact), 0) for fact in rule.facts)
        if not each or (shared and set(shared) & set(_values(tally.fact(key, rule.unlike)))):
            continue
        for waiver in waivers:
            if card is not None and waiver.where.holds(card.facts):
                count -= count if waiver.copies is None else min(count, waiver.copies)
        if count:
            spent[key] = each * (1 if once else count)
    return spent, extra


_ANYWHERE: frozenset[str] = frozenset()


def _holds(tally: Tally, waiver: Waiver) -> bool:
    if waiver.leads is not None and (tally.leader is None or not waiver.leads.holds(tally.leader.facts)):
        return False
    if waiver.counting is None:
        return True
    leader = tally.leader.key if tally.leader else ""
    count = sum(
        entry.count
        for entry in tally.within(frozenset())
        if entry.card is not None and entry.key != leader and waiver.counting.holds(entry.card.facts)
    )
    return (waiver.minimum is None or count >= waiver.minimum) and (
        waiver.maximum is None or count <= waiver.maximum
    )


def _maximum(tally: Tally, rule: Budget, lowered: int) -> int | None:
    """What may be spent; None: without limit."""
    maximum = rule.maximum
    if rule.maximum_fact:
        if not isinstance(said := tally.leads(rule.maximum_fact), int):
            return None
        maximum = said
    if maximum is None:
        return None
    for entry in tally.deck.entries if rule.more else ():
        if entry.card is not None:
            maximum += entry.count * sum(number(entry.card.facts.get(fact), 0) for fact in rule.more)
    return maximum if rule.floor is None else max(rule.floor, maximum - lowered)


def _values(fact: object) -> tuple[object, ...]:
    if fact is None:
        return ()
    return tuple(fact) if isinstance(fact, list | tuple) else (fact,)


def which_version(tally: Tally, snapshot: Snapshot, catalog: Catalog) -> Iterator[Finding]:
    """A name of several cards that a rule names, where another rule names one of them: nobody can tell which."""
    for entry in tally.entries.values():
        versions = entry.card.facts.get("versions") if entry.card else None
        if not versions or entry.card is None:
            continue
        cards = [card for title in versions if (card := catalog.named(title)) is not None]
        said = rules_naming(entry.card, snapshot)
        other = [card.title for card in cards if rules_naming(card, snapshot) != said]
        if not other:
            continue
        yield Finding(
            "which-version",
            Severity.UNVERIFIED,
            f"There are {len(versions)} cards named {entry.name}, and a rule names {words.listed(other)}.",
            cards=(tally.card(entry.key),),
            have=tally.counts[entry.key],
            remedy=f"Write which one you mean: {words.listed(versions, 'or')}.",
            line=entry.line,
            suggestions=tuple(versions),
        )


def rules_naming(card: Card, snapshot: Snapshot) -> list[int]:
    """The places of the rules, of lists and of construction, that name the card."""
    named: list[bool] = [_names(rule, card.key) for rule in snapshot.restrictions]
    named += [card.key in section.adjust for section in snapshot.sections]
    named += [card.key == key for rule in snapshot.accesses for key, _option in rule.also]
    named += [
        any(test.fact == "title" and card.title in test.values for test in quota.when.tests)
        for quota in snapshot.quotas
        if quota.when is not None
    ]
    return [place for place, said in enumerate(named) if said]


def _names(rule: object, key: str) -> bool:
    if isinstance(rule, Cap):
        return key in rule.maximum
    if isinstance(rule, Choice):
        return key in rule.titles or key in rule.beside
    return isinstance(rule, Budget) and key in rule.points


def severity_of(snapshot: Snapshot) -> Severity:
    """What a list says is certain only on dates on which we know the list."""
    return Severity.UNVERIFIED if snapshot.doubt else Severity.ILLEGAL
