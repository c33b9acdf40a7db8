"""Which cards the leader's own card allows in its deck, and which it requires.

An option of the leader is a mapping:

- `where`: the cards it speaks of (`facts.where_of`); `limit`: so many of them at most; `error`: said when more;
- `not: true`: these cards are shut out, and no later option lets them in;
- `choice`: its name; with `fact` and `among`, the player chose one of these values of the fact; with `either`,
  one of these options (`id`, `where`, `size`: cards more in the deck); with `sizes`, the size of the deck;
- `atleast: {fact, values, different, min}`: of so many different values, at least `min` cards each;
- `grants: false`: it lets nothing in, it only demands.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from decks.legality import words
from decks.legality.deck import Card, DeckEntry
from decks.legality.facts import Memo, Where, anywhere, keep, where_of
from decks.legality.report import CardCount, Finding, Severity
from decks.legality.snapshot import Access, Citation, Requirement
from decks.legality.tally import Tally, card_counts, names, number


@dataclass(frozen=True, slots=True)
class _Option:
    where: Where
    limit: int | None
    closes: bool
    grants: bool
    error: str


def access(tally: Tally, rule: Access) -> Iterator[Finding]:
    """Cards the leader's options do not let in, too many by a limited one, missing choices and demands."""
    said: list[Mapping[str, Any]] = [option for option in tally.leads(rule.options) or () if option]
    yield from _missing_choices(tally, said, rule.cite)
    opened = list(_opened(tally, rule))
    options = [one for one in opened if one.closes]  # before anything lets the card in
    options += [one for option in said for one in _options(tally, option)]
    options += [one for one in opened if not one.closes]
    entries = [e for e in tally.within(rule.sections) if e.card is not None]
    if rule.bound:
        yield from _bound(tally, entries, rule)
    entries = [e for e in entries if e.card is not None and not anywhere(rule.exempt, e.card.facts)]
    if said:
        yield from _let_in(entries, options, rule.cite)
    for option in said:
        if demand := option.get("atleast"):
            yield from _demand(entries, demand, str(option.get("error", "")), rule.cite)


def requirements(tally: Tally, rule: Requirement, partial: bool) -> Iterator[Finding]:
    """Cards that the leader's deck must hold: of each group one at least, in all its copies; none in more than these.

    Several of one group may be together (a signature beside the one that may replace it).
    """
    held = _required_cards(tally, rule)
    unknown = tally.unread + (tally.unknown_copies(rule.sections) if partial else 0)
    titles = tally.leads("titles") or {}
    leader = tally.leader.title if tally.leader else ""
    groups = [list(group) for group in tally.leads(rule.fact) or ()]
    for group in groups:
        there = [held[code] for code in group if code in held]
        if any(one.copies >= one.needed for one in there):
            continue
        name = there[0].name if there else titles.get(group[0], group[0])
        have, allowed = (there[0].copies, there[0].needed) if there else (0, 1)
        yield Finding(
            "missing-required-card",
            Severity.UNVERIFIED if unknown else Severity.ILLEGAL,
            f"The deck of {leader} must hold {words.copies_of(allowed, name)}; it has {have}.",
            cards=(CardCount(name, have),),
            have=have,
            allowed=allowed,
            rule=rule.cite.rule,
            source=rule.cite.source,
            remedy=f"Add {words.copies_of(allowed - have, name)}.",
        )
    required = {held[code].name: held[code] for group in groups for code in group if code in held}
    for one in required.values():
        if (have := one.copies - one.free) > one.most:
            yield Finding(
                "too-many-required-cards",
                Severity.ILLEGAL,
                f"The deck of {leader} may hold {words.copies_of(one.most, one.name)}; it has {have}.",
                cards=(CardCount(one.name, have),),
                have=have,
                allowed=one.most,
                rule=rule.cite.rule,
                source=rule.cite.source,
                remedy=f"Take out {words.copies_of(have - one.most, one.name)}.",
            )


def required_keys(tally: Tally, rules: Iterable[Requirement]) -> frozenset[str]:
    """The cards of the deck whose copies a requirement of the leader counts, so that no copy limit does."""
    codes = {code for rule in rules for group in tally.leads(rule.fact) or () for code in group}
    return frozenset(
        key
        for key, entry in tally.entries.items()
        if codes and entry.card and codes.intersection(entry.card.facts.get("codes") or (key,))
    )


class _Held(NamedTuple):
    """A card of the deck that may be a required one: copies, those no limit counts, how many make it whole, and how
    many may be in; these differ only where the choice that says it is missing."""

    name: str
    copies: int
    free: int
    needed: int
    most: int


def _required_cards(tally: Tally, rule: Requirement) -> dict[str, _Held]:
    """The cards in the sections by each of their codes."""
    held: dict[str, _Held] = {}
    for entry in tally.within(rule.sections):
        if entry.card is None:
            continue
        for code in entry.card.facts.get("codes") or (entry.key,):
            before = held.get(code)
            copies, free = (before.copies, before.free) if before else (0, 0)
            bounds = _needed(tally, rule, entry)
            held[code] = _Held(entry.name, copies + entry.count, free + entry.free, *bounds)
    return held


def _needed(tally: Tally, rule: Requirement, entry: DeckEntry) -> tuple[int, int]:
    """In how many copies the card is whole: at least, at most."""
    otherwise = number(entry.card.facts.get(rule.copies), 1) if rule.copies and entry.card else 1
    if (special := rule.counts.get(entry.key)) is None:
        return otherwise, otherwise
    if special.as_many is not None:
        where = special.as_many
        many = sum(e.count for e in tally.within(rule.sections) if e.card and where.holds(e.card.facts))
        return many, many
    said = tally.choices.get(special.choice, "")
    if special.fact and not any(one.get("choice") == special.choice for one in tally.leads("options") or ()):
        said = str(tally.leads(special.fact))
    chosen = special.by_choice.get(said)
    if chosen is not None:
        return chosen, chosen
    known = special.by_choice.values()  # that the choice is missing is said elsewhere
    return min(known, default=otherwise), max(known, default=otherwise)


def sizes_of_choice(tally: Tally, choice: str) -> int | None:
    """The deck size the player chose, if the leader offers it."""
    for option in tally.leads("options") or ():
        if option.get("choice") == choice and tally.choices.get(choice, "") in map(
            str, option.get("sizes", ())
        ):
            return int(tally.choices[choice])
    return None


# --- options -------------------------------------------------------------------------------------------


def options_of(card: Card, rule: Access) -> Iterator[Where]:
    """The conditions by which the card lets others in, as a leader or by being in the deck."""
    said = [*(card.facts.get(rule.options) or ()), *(option for key, option in rule.also if key == card.key)]
    for option in said:
        for one in [option, *option.get("either", ())]:
            if one.get("where") or "fact" in one:
                among = {one["fact"]: list(one["among"])} if "among" in one else {}
                yield where_of({**one.get("where", {}), **among})


def _opened(tally: Tally, rule: Access) -> Iterator[_Option]:
    """Options that cards of the deck bring, limits times their copies."""
    for key, option in rule.also:
        if copies := tally.counts.get(key):
            for one in _options(tally, option):
                limit = None if one.limit is None else one.limit * copies
                yield _Option(
                    one.where, limit, one.closes, one.grants, one.error or f"by {tally.card(key).name}"
                )


def _options(tally: Tally, option: Mapping[str, Any]) -> Iterator[_Option]:
    chosen = tally.choices.get(str(option.get("choice", "")), "")
    if "either" in option:
        for one in option["either"]:
            if one.get("id") == chosen:
                yield from _options(tally, {"where": one.get("where", {}), "limit": option.get("limit")})
        return
    if "sizes" in option:
        return
    if "among" in option:
        if chosen not in option["among"]:
            return
        where = where_of({**option.get("where", {}), option["fact"]: [chosen]})
    else:
        known = _WHERES.get(id(option))
        where = (
            known[1]
            if known and known[0] is option
            else keep(_WHERES, option, where_of(option.get("where", {})))
        )
    yield _Option(
        where,
        option.get("limit"),
        bool(option.get("not")),
        bool(option.get("grants", True)),
        str(option.get("error", "")),
    )


_WHERES: Memo[Where] = {}


def _missing_choices(tally: Tally, said: Iterable[Mapping[str, Any]], cite: Citation) -> Iterator[Finding]:
    for option in said:
        if not (choice := option.get("choice")):
            continue
        offered = [str(one["id"]) for one in option.get("either", ())] or [
            str(one) for one in option.get("among") or option.get("sizes") or ()
        ]
        if tally.choices.get(choice) not in offered:
            yield Finding(
                "choice-missing",
                Severity.ILLEGAL,
                f"{tally.leader.title if tally.leader else 'The leader'} asks for a choice that the decklist doesn’t "
                f"make: {option.get('name', choice)}.",
                rule=cite.rule,
                source=cite.source,
                remedy=f"Choose {words.listed(offered, 'or')}.",
            )


def _bound(tally: Tally, entries: Iterable[DeckEntry], rule: Access) -> Iterator[Finding]:
    leader = tally.leader
    for entry in entries:
        bound = entry.card.facts.get(rule.bound) if entry.card else None
        if not bound or leader is None or anywhere(map(where_of, bound), leader.facts):
            continue
        yield Finding(
            "not-for-this-leader",
            Severity.ILLEGAL,
            f"{entry.name} can’t be in a deck of {leader.title}.",
            cards=(CardCount(entry.name, entry.count),),
            have=entry.count,
            allowed=0,
            rule=rule.cite.rule,
            source=rule.cite.source,
            remedy=f"Take out {words.copies_of(entry.count, entry.name)}.",
            line=entry.line,
        )


def _let_in(entries: list[DeckEntry], options: list[_Option], cite: Citation) -> Iterator[Finding]:
    limited: list[tuple[DeckEntry, list[int]]] = []
    for entry in entries:
        assert entry.card is not None
        ways: list[int] = []
        free = False
        for place, option in enumerate(options):
            if not option.where.holds(entry.card.facts):
                continue
            if option.closes:
                break
            if not option.grants:
                continue
            if option.limit is None:
                free = True
                break
            ways.append(place)
        if free:
            continue
        if ways:
            limited.append((entry, ways))
        else:
            yield _shut_out(entry, cite)
    unplaced = _unplaced(
        limited, {place: o.limit or 0 for place, o in enumerate(options) if o.limit is not None}
    )
    if unplaced:
        yield _over(limited, unplaced, options, cite)


def _shut_out(entry: DeckEntry, cite: Citation) -> Finding:
    return Finding(
        "not-allowed-here",
        Severity.ILLEGAL,
        f"{entry.name} is not among the cards this deck can use.",
        cards=(CardCount(entry.name, entry.count),),
        have=entry.count,
        allowed=0,
        rule=cite.rule,
        source=cite.source,
        remedy=f"Take out {words.copies_of(entry.count, entry.name)}.",
        line=entry.line,
    )


def _over(
    limited: list[tuple[DeckEntry, list[int]]], unplaced: int, options: list[_Option], cite: Citation
) -> Finding:
    entries = [entry for entry, _ways in limited]
    have = sum(entry.count for entry in entries)
    used = sorted({way for _entry, ways in limited for way in ways})
    said = "; ".join(dict.fromkeys(options[way].error for way in used if options[way].error))
    return Finding(
        "too-many-by-option",
        Severity.ILLEGAL,
        f"{words.listed(names(entries))} are allowed only in small numbers: {words.cards(have - unplaced)} of "
        f"{have}{f' ({said})' if said else ''}.",
        cards=card_counts(entries),
        have=have,
        allowed=have - unplaced,
        rule=cite.rule,
        source=cite.source,
        remedy=f"Take out {words.cards(unplaced)} of these.",
    )


def _unplaced(limited: list[tuple[DeckEntry, list[int]]], limits: dict[int, int]) -> int:
    """The copies that find no room, however the others are put under the limited options (maximum flow:
    a card that fits two options must not block the only one that another fits)."""
    placed: list[dict[int, int]] = [{} for _ in limited]
    left = dict(limits)
    unplaced = 0
    for start, (entry, _ways) in enumerate(limited):
        for _copy in range(entry.count):
            if not _place(start, limited, placed, left):
                unplaced += 1
    return unplaced


def _place(
    start: int, limited: list[tuple[DeckEntry, list[int]]], placed: list[dict[int, int]], left: dict[int, int]
) -> bool:
    """Room for one more copy of card `start`, moving copies of others aside; False when there is none."""
    came: dict[int, tuple[int, int] | None] = {
        start: None
    }  # card -> (card it makes room for, by which option)
    queue = [start]
    while queue:
        card = queue.pop(0)
        for way in limited[card][1]:
            if left[way] > 0:
                left[way] -= 1
                while True:
                    placed[card][way] = placed[card].get(way, 0) + 1
                    step = came[card]
                    if step is None:
                        return True
                    freed = step[1]
                    placed[card][freed] -= 1
                    card, way = step[0], freed
            for other, used in enumerate(placed):
                if other not in came and used.get(way):
                    came[other] = (card, way)
                    queue.append(other)
    return False


def _demand(
    entries: list[DeckEntry], demand: Mapping[str, Any], error: str, cite: Citation
) -> Iterator[Finding]:
    fact, minimum, different = demand["fact"], demand["min"], demand.get("different", 1)
    counts = dict.fromkeys(demand["values"], 0)
    for entry in entries:
        value = entry.card.facts.get(fact) if entry.card else None
        for one in value if isinstance(value, list | tuple) else (value,):
            if one in counts:
                counts[one] += entry.count
    enough = sum(1 for count in counts.values() if count >= minimum)
    if enough < different:
        yield Finding(
            "demand-not-met",
            Severity.ILLEGAL,
            error or f"The deck needs at least {minimum} cards of {different} different {fact}s.",
            have=enough,
            allowed=different,
            rule=cite.rule,
            source=cite.source,
            remedy="Now: " + ", ".join(f"{value} {count}" for value, count in counts.items()) + ".",
        )
