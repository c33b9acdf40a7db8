"""The check: one pass to count, then one function per kind of rule, each yielding findings."""

from collections.abc import Iterator
from dataclasses import replace

from decks.legality import words
from decks.legality.contents import collapse
from decks.legality.deck import Catalog, Deck, DeckEntry
from decks.legality.fast_path import Screen, plainly_legal
from decks.legality.fitting import scale, slots
from decks.legality.leaders import access, required_keys, requirements, sizes_of_choice
from decks.legality.report import CardCount, Finding, Report, Severity, Verdict
from decks.legality.restricting import budget, excluded, lists, which_version
from decks.legality.snapshot import Citation, CopyLimit, Match, Quota, Section, Snapshot
from decks.legality.tally import Tally, card_counts, number
from decks.legality.versions import judged_as_each


def check(deck: Deck, snapshot: Snapshot, catalog: Catalog) -> Report:
    """Every finding on the deck under the snapshot.

    The verdict is illegal when one finding is certain, else unverified when our data cannot decide something
    (an unknown card of a partial catalog, a date whose list we do not know), else legal.
    """
    considered = {section.key for section in snapshot.sections if section.considered}
    if any(entry.section in considered for entry in deck.entries):
        # A leader, or a card that changes a rule, does so only where it is in the deck or before it.
        deck = replace(deck, entries=tuple(one for one in deck.entries if one.section not in considered))
    screen = snapshot.memo.get("screen")
    if screen is None:
        screen = snapshot.memo["screen"] = Screen(snapshot)
    if screen.possible and not deck.unread and plainly_legal(deck, screen, catalog):
        return Report(Verdict.LEGAL, (), snapshot.id, catalog.version)

    def report(one: Deck) -> Report:
        return _report(one, snapshot, catalog, screen)

    return judged_as_each(deck, snapshot, catalog, report) or report(deck)


def _report(deck: Deck, snapshot: Snapshot, catalog: Catalog, screen: Screen) -> Report:
    deck, contents = collapse(deck, snapshot, catalog)
    tally = Tally(deck, snapshot)
    remarkable = screen.remarkable(tally.entries, catalog)
    findings = [*_timeline(snapshot), *contents]
    if tally.counts:
        for section in snapshot.sections:
            findings += _size(tally, section)
            if section.copies is not None:
                findings += _copies_here(tally, section)
        required = required_keys(tally, snapshot.requirements)
        findings += _copies(tally, snapshot.copies, catalog.partial, required)
        for exclusion in snapshot.exclusions:
            findings += excluded(tally, exclusion, snapshot, catalog.partial, remarkable)
        for quota in snapshot.quotas:
            findings += _quota(tally, quota, catalog.partial)
        for match in snapshot.matches:
            findings += _match(tally, match)
        for sum_ in snapshot.scales:
            findings += scale(tally, sum_, snapshot, catalog.partial)
        for places in snapshot.slots:
            findings += slots(tally, places, catalog.partial)
        if tally.leader is not None:
            for rule in snapshot.accesses:
                findings += access(tally, rule)
            for requirement in snapshot.requirements:
                findings += requirements(tally, requirement, catalog.partial)
        for told in snapshot.budgets:
            findings += budget(tally, told, Severity.ILLEGAL, catalog.partial)
        findings += lists(tally, snapshot, catalog.partial, remarkable)
        findings += which_version(tally, snapshot, catalog)
    else:
        findings.append(_empty(snapshot.sections[0], unread=bool(deck.unread)))
    if tally.unknown:
        findings += _unknown(tally, catalog.partial) if len(catalog) else _no_card_data(tally)
    findings += _unread(deck)
    return Report.of(findings, snapshot.id, catalog.version)


# --- how a deck is built -------------------------------------------------------------------------------


def _timeline(snapshot: Snapshot) -> Iterator[Finding]:
    if snapshot.doubt:
        yield Finding(
            "outside-known-timeline",
            Severity.UNVERIFIED,
            f"{snapshot.on.isoformat()}: {snapshot.doubt}",
            source=snapshot.period.basis,
            remedy=f"The nearest known list is {snapshot.period.list_name}. Ask the organizer which one is in effect.",
        )


def _empty(section: Section, *, unread: bool) -> Finding:
    return Finding(
        "empty-list",
        Severity.UNVERIFIED if unread else Severity.ILLEGAL,
        "The decklist has no cards that belong to the deck.",
        have=0,
        allowed=section.minimum,
        rule=section.cite.rule,
        source=section.cite.source,
        remedy="Put one card per line, such as “3x Card name”.",
    )


def _size(tally: Tally, section: Section) -> Iterator[Finding]:
    minimum, maximum = section.minimum, section.maximum
    if section.size_choice and (chosen := sizes_of_choice(tally, section.size_choice)):
        minimum = maximum = chosen
    elif section.size_fact:
        if tally.leader is None:
            return  # without a leader there is no size to keep
        if isinstance(exact := tally.leads(section.size_fact), int):
            minimum, maximum = exact, None if section.size_is_least else exact
    more = sum(tally.counts.get(key, 0) * each for key, each in section.adjust.items())
    if section.size_choice:
        more += _chosen_size(tally)
    have, doubtful = tally.counted(section)
    elsewhere = sum(e.count for e in tally.unknown if e.guessed and e.section != section.key)
    exactly = "exactly" if minimum == maximum else ""
    if minimum is not None and have < minimum + more:
        enough = have + tally.unread + elsewhere >= minimum + more
        yield Finding(
            "too-few-cards",
            Severity.UNVERIFIED if enough else Severity.ILLEGAL,
            f"{words.having(section.title, have)} {exactly or 'at least'} {minimum + more}.",
            have=have,
            allowed=minimum + more,
            rule=section.cite.rule,
            source=section.cite.source,
            remedy=f"Add {words.cards(minimum + more - have)}.",
        )
    if maximum is not None and have > maximum + more:
        limit = maximum + more
        yield Finding(
            "too-many-cards",
            Severity.ILLEGAL if have - doubtful > limit else Severity.UNVERIFIED,
            f"{words.having(section.title, have, need=bool(exactly))} {exactly or 'at most'} {limit}.",
            have=have,
            allowed=limit,
            rule=section.cite.rule,
            source=section.cite.source,
            remedy=f"Take out {words.cards(have - limit)}.",
        )


def _copies_here(tally: Tally, section: Section) -> Iterator[Finding]:
    """A section that holds fewer copies of one card than the deck."""
    counts: dict[str, int] = {}
    for entry in tally.within(frozenset({section.key})):
        counts[entry.name] = counts.get(entry.name, 0) + entry.count
    for name, have in counts.items():
        if section.copies is not None and have > section.copies:
            yield Finding(
                "too-many-copies",
                Severity.ILLEGAL,
                f"{words.copies_of(have, name)}; at most {section.copies} may be in the {section.title}.",
                cards=(CardCount(name, have),),
                have=have,
                allowed=section.copies,
                rule=section.cite.rule,
                source=section.cite.source,
                remedy=f"Take out {words.copies_of(have - section.copies, name)}.",
            )


def _chosen_size(tally: Tally) -> int:
    """Cards more that an option chosen by the player brings."""
    more = 0
    for option in tally.leads("options") or ():
        if isinstance(option, dict) and "either" in option:
            chosen = tally.choices.get(option.get("choice", ""))
            more += sum(one.get("size", 0) for one in option["either"] if one.get("id") == chosen)
    return more


def _copies(tally: Tally, rule: CopyLimit, partial: bool, required: frozenset[str]) -> Iterator[Finding]:
    """required: cards whose copies the leader's requirements count."""
    maximum = rule.maximum
    held = [rule.held[entry.key] for entry in tally.deck.entries if entry.key in rule.held]
    if rule.per:
        groups = _same(tally, rule.per)
    elif rule.fact or rule.kinds or held:
        groups = {key: [key] for key in tally.counts}
    else:
        groups = {key: [key] for key, have in tally.counts.items() if have > maximum or key in rule.own}
    for together in groups.values():
        if not (keys := [key for key in together if key not in required]):
            continue
        have = sum(tally.counts[key] for key in keys)
        if any(tally.entries[key].free for key in keys):
            have -= sum(e.free for e in tally.within(frozenset()) if e.key in keys)
        found = _too_many_copies(tally, rule, keys, have, min(held, default=None))
        if found is None and partial:
            found = _perhaps_too_many(tally, rule, keys[-1], have)
        if found is not None:
            yield found


def _same(tally: Tally, fact: str) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for key in tally.counts:
        groups.setdefault(str(tally.fact(key, fact) or key), []).append(key)
    return groups


def _too_many_copies(
    tally: Tally, rule: CopyLimit, keys: list[str], have: int, held: int | None
) -> Finding | None:
    key = keys[-1]
    entry = tally.entries[key]
    own = rule.own.get(key)
    maximum, cite, doubt = _limit(tally, rule, keys)
    facts = entry.card.facts if entry.card else {}
    if held is not None and held < maximum and not any(where.holds(facts) for where in rule.exempt):
        maximum = held
    if have <= maximum:
        return None
    if own and own.maximum is not None and own.doubt and have <= own.maximum:
        doubt = f" {own.doubt}"
    elif entry.card is None and (rule.fact or rule.kinds):
        doubt = " The card is unknown and may have a limit of its own."
    name = _shared_name(tally, rule, keys)
    return Finding(
        "too-many-copies",
        Severity.UNVERIFIED if doubt else Severity.ILLEGAL,
        f"{words.copies_of(have, name)}; {words.at_most(maximum)} may be in the deck.{doubt}",
        cards=tuple(tally.card(each) for each in keys),
        have=have,
        allowed=maximum,
        rule=cite.rule,
        source=cite.source,
        remedy=f"Take out {words.copies_of(have - maximum, name)}.",
        line=entry.line,
    )


def _shared_name(tally: Tally, rule: CopyLimit, keys: list[str]) -> str:
    """What cards that count as one are called together; of one card its own name."""
    own = tally.entries[keys[-1]].name
    return own if len(keys) == 1 else str(tally.fact(keys[-1], rule.per) or own)


def _perhaps_too_many(tally: Tally, rule: CopyLimit, key: str, have: int) -> Finding | None:
    """A card that may be of a kind with a lower limit, as far as our data goes."""
    entry = tally.entries[key]
    for kind in rule.kinds:
        if entry.card is None or key in rule.own or kind.blank_is_fine or have <= kind.maximum:
            continue
        if blank := kind.where.undecided(entry.card.facts):
            return Finding(
                "too-many-copies",
                Severity.UNVERIFIED,
                f"{words.copies_of(have, entry.name)}; at most {kind.maximum} may be in the deck if it is "
                f"{blank}, and the card data does not say.",
                cards=(tally.card(key),),
                have=have,
                allowed=kind.maximum,
                rule=kind.cite.rule,
                source=kind.cite.source,
                remedy=f"Look at the card: if it is {blank}, take out "
                f"{words.copies_of(have - kind.maximum, entry.name)}.",
                line=entry.line,
            )
    return None


def _limit(tally: Tally, rule: CopyLimit, keys: list[str]) -> tuple[int, Citation, str]:
    """(copies allowed, by which rule, doubt) for cards that count as one."""
    if own := rule.own.get(keys[-1]):
        if own.maximum is not None and not own.doubt:
            return own.maximum, own.cite, ""
        return rule.maximum, own.cite, ""
    card = tally.entries[keys[-1]].card
    for kind in rule.kinds:
        if card is not None and kind.where.holds(card.facts):
            return kind.maximum, kind.cite, ""
    if rule.fact:
        facts = [number(tally.fact(key, rule.fact), rule.maximum) for key in keys]
        return max(facts), rule.cite, ""
    return rule.maximum, rule.cite, ""


def _quota(tally: Tally, rule: Quota, partial: bool) -> Iterator[Finding]:
    if rule.when is not None and not tally.holds(rule.when, rule.when_in):
        return
    found = [e for e in tally.within(rule.sections) if e.card is not None and rule.where.holds(e.card.facts)]
    if rule.unlike and tally.leader is not None:
        own = set(_values(tally.leads(rule.unlike)))
        found = [e for e in found if e.card and own.isdisjoint(_values(e.card.facts.get(rule.unlike)))]
    have = _how_many(found, rule)
    minimum = rule.minimum
    if rule.minimum_fact:
        if tally.leader is None:
            return
        minimum = number(tally.leads(rule.minimum_fact), 0)
    if minimum is not None and have < minimum:
        unknown = tally.unread
        if partial:
            unknown += tally.unknown_copies(tally.where_unknown_may_belong(rule.sections))
        yield Finding(
            f"too-few-{rule.code}",
            Severity.UNVERIFIED if have + unknown >= minimum else Severity.ILLEGAL,
            words.too_few(have, rule.what, minimum, exactly=minimum == rule.maximum),
            cards=card_counts(found),
            have=have,
            allowed=minimum,
            rule=rule.cite.rule,
            source=rule.cite.source,
            remedy=f"Add {minimum - have} of the {rule.what}.",
        )
    if rule.maximum is not None and rule.each:
        yield from _each(found, rule, rule.maximum)
    elif rule.maximum is not None and have > rule.maximum:
        yield Finding(
            f"too-many-{rule.code}",
            Severity.ILLEGAL,
            words.too_many(have, rule.what, rule.maximum, exactly=minimum == rule.maximum),
            cards=card_counts(found),
            have=have,
            allowed=rule.maximum,
            rule=rule.cite.rule,
            source=rule.cite.source,
            remedy=f"Take out {have - rule.maximum} of the {rule.what}.",
            line=found[-1].line,
        )


def _each(found: list[DeckEntry], rule: Quota, maximum: int) -> Iterator[Finding]:
    for count in card_counts(found):
        if count.count > maximum:
            yield Finding(
                f"too-many-{rule.code}",
                Severity.ILLEGAL,
                f"{words.copies_of(count.count, count.name)}; of the {rule.what} the deck may have {maximum} each.",
                cards=(count,),
                have=count.count,
                allowed=maximum,
                rule=rule.cite.rule,
                source=rule.cite.source,
                remedy=f"Take out {words.copies_of(count.count - maximum, count.name)}.",
                line=next(entry.line for entry in found if entry.name == count.name),
            )


def _how_many(found: list[DeckEntry], rule: Quota) -> int:
    """The cards that a quota counts: copies, different titles, or different values of a fact."""
    if rule.per_fact:
        return len({one for e in found if e.card for one in _values(e.card.facts.get(rule.per_fact))})
    return len({entry.key for entry in found}) if rule.per_title else sum(entry.count for entry in found)


def _match(tally: Tally, rule: Match) -> Iterator[Finding]:
    """A card without the fact, or a deck without any card to match it with, is left to other rules."""
    if rule.unless is not None and tally.holds(rule.unless, frozenset()):
        return
    known = [entry for entry in tally.deck.entries if entry.card is not None]
    shared: set[object] = set()
    for entry in known:
        if entry.card and rule.of.holds(entry.card.facts):
            shared.update(_values(entry.card.facts.get(rule.fact)))
    if not shared and not rule.strict:
        return
    for entry in known:
        if entry.card is None:
            continue
        own = _values(entry.card.facts.get(rule.fact))
        if not own or not shared.isdisjoint(own):
            continue
        holds, blank = rule.where.holds(entry.card.facts), rule.where.undecided(entry.card.facts)
        if not holds and not blank:
            continue
        copies, here = (
            words.copies_of(entry.count, entry.name),
            words.listed(sorted(map(str, shared)) or ["none"], "or"),
        )
        yield Finding(
            rule.code,
            Severity.ILLEGAL if holds else Severity.UNVERIFIED,
            f"{entry.name} does not go with this deck: {rule.because}."
            if holds
            else f"{entry.name} can’t be checked: perhaps {rule.because}; our card data doesn’t say.",
            cards=(CardCount(entry.name, entry.count),),
            have=entry.count,
            allowed=0,
            rule=rule.cite.rule,
            source=rule.cite.source,
            remedy=f"Take out {copies}; {rule.fact} here: {here}."
            if holds
            else f"Look at the card: if {rule.because}, take out {copies}.",
            line=entry.line,
        )


def _values(fact: object) -> tuple[object, ...]:
    if fact is None:
        return ()
    return tuple(fact) if isinstance(fact, list | tuple) else (fact,)


# --- what could not be read ----------------------------------------------------------------------------


def _no_card_data(tally: Tally) -> Iterator[Finding]:
    """Said once, not of every card."""
    yield Finding(
        "no-card-data",
        Severity.UNVERIFIED,
        "We have no card data for this game, so the cards themselves can’t be checked.",
        cards=tuple(CardCount(entry.name, entry.count) for entry in tally.unknown),
        have=sum(entry.count for entry in tally.unknown),
        remedy="Import the game's card data, on the page of card data or with manage.py import_cards; "
        "then check again.",
    )


def _unknown(tally: Tally, partial: bool) -> Iterator[Finding]:
    for entry in tally.unknown:
        if partial:
            message = f"{entry.name} isn’t in our card data, so it can’t be checked."
        else:
            message = f"No card is named {entry.name}."
        yield Finding(
            "unknown-card",
            Severity.UNVERIFIED if partial else Severity.ILLEGAL,
            message,
            cards=(CardCount(entry.name, entry.count),),
            have=entry.count,
            remedy="Did you mean one of these? Otherwise check the spelling on the card."
            if entry.suggestions
            else "Check the spelling on the card; if it is right, our card data doesn’t have it.",
            line=entry.line,
            suggestions=entry.suggestions,
        )


def _unread(deck: Deck) -> Iterator[Finding]:
    for unread in deck.unread:
        yield Finding(
            unread.code,
            Severity.NOTE if unread.code == "unknown-subtitle" else Severity.UNVERIFIED,
            f"“{unread.text}”: {unread.message}",
            remedy=_MEND_UNREAD[unread.code],
            line=unread.line,
        )


_MEND_UNREAD = {
    "unread-line": "Put a number before a card (“1x Name”), a colon after a heading, or # before a comment.",
    "unknown-heading": "Write “Deck” over these cards if they are in the deck, “Sideboard” or “Considered” if they are "
    "not.",
    "unknown-subtitle": "If you mean a different card, write its name as printed.",
    "other-list": "Name a list the format has, or ask the organizer which one applies.",
}
