"""A format on a date, as data. Four restriction primitives express every list:

- `Cap`: at most n copies of a title (0 = banned);
- `Choice`: at most n different titles of a group, always or only beside certain other cards
  (restricted: one of a list; pairs and pods that exclude each other);
- `Budget`: copies times points (or times a fact of the card plus a surcharge) within a limit;
- `Exclusion`: a kind of card is out (a rotated set, another arc).

How a deck is built is said by sections, copy limits, exclusions, quotas, matches, and by what a leader's own facts
allow and demand (`Access`, `Requirement`).
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date
from typing import Any, TypeVar

from decks.legality.facts import FactName, Where


@dataclass(frozen=True, slots=True)
class Citation:
    """The rule's id and where it stands, for people."""

    rule: str
    source: str


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a deck. `names`: folded headings that open it; the first section takes all other headings.

    minimum, maximum: cards; `outside`: its cards are no part of the deck (set aside, a token box);
    `considered`: they are only on the list, and no rule looks at them.
    takes: cards that belong here when no heading says where they are.
    uncounted: cards that do not count towards the size; size_fact: the leader's fact that is the exact size, or, with
    size_is_least, the least;
    size_choice: the player's choice that is the exact size, among the leader's `sizes`;
    adjust: card -> cards more (or fewer) per copy of it in the deck; copies: of one card at most, here alone.
    """

    key: str
    title: str
    names: frozenset[str]
    minimum: int | None
    maximum: int | None
    outside: bool
    cite: Citation
    takes: Where | None = None
    uncounted: tuple[Where, ...] = ()
    size_fact: FactName = ""
    size_choice: str = ""
    adjust: Mapping[str, int] = field(default_factory=dict)
    copies: int | None = None
    size_is_least: bool = False
    considered: bool = False


@dataclass(frozen=True, slots=True)
class OwnLimit:
    """A card with a copy limit of its own; None: it lost it, and `cite` says by which rule.

    doubt: why the limit may not hold on this date; empty when it does.
    """

    maximum: int | None
    cite: Citation
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class KindLimit:
    """Cards of a kind with a copy limit of their own, such as unique ones.

    blank_is_fine: a card of which the facts are not known is not of the kind; otherwise a partial catalog leaves it
    unverified.
    """

    where: Where
    maximum: int
    cite: Citation
    blank_is_fine: bool = False


@dataclass(frozen=True, slots=True)
class CopyLimit:
    """At most `maximum` copies of one card over all sections, unless the card has a limit of its own:
    in `own`, in its fact `fact` (a number), or by its kind.

    per: the fact that makes cards the same for this rule (their name, whatever their level); empty: the card.
    held: while the deck holds this card, at most so many copies of any card it lets in (but `exempt` ones).
    """

    maximum: int
    cite: Citation
    own: Mapping[str, OwnLimit]
    fact: FactName = ""
    per: FactName = ""
    kinds: tuple[KindLimit, ...] = ()
    held: Mapping[str, int] = field(default_factory=dict)
    exempt: tuple[Where, ...] = ()


NOT_YET_RELEASED = "not-yet-released"  # the code of the exclusion of cards that did not exist on the date


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Cards of a kind are no deck cards; `because` completes “X cannot be in a deck:”.

    sections: only in these, when any is named; blank_is_fine: a card of which the facts are not known passes;
    otherwise a partial catalog leaves it unverified. listed: it belongs to a dated list;
    open: a partial catalog may not know all values of the fact, so that it shuts nothing out for sure.
    """

    code: str
    where: Where
    because: str
    cite: Citation
    blank_is_fine: bool = False
    sections: frozenset[str] = frozenset()
    listed: bool = False
    open: bool = False


@dataclass(frozen=True, slots=True)
class Quota:
    """Between `minimum` and `maximum` cards of a kind; `what` names them ("strongholds").

    sections: counted in these, outside ones too; empty: in the deck. when: only if the deck holds such
    a card, set aside or not, in the sections `when_in` if any is named.
    per_title: different titles are counted, not copies; per_fact: different values of this fact are;
    each: the maximum is of the copies of each title; unlike: only cards that do not share the leader's value of this
    fact are counted;
    minimum_fact: the leader's fact that is the minimum.
    """

    code: str
    what: str
    where: Where
    minimum: int | None
    maximum: int | None
    cite: Citation
    sections: frozenset[str] = frozenset()
    when: Where | None = None
    when_in: frozenset[str] = frozenset()
    per_title: bool = False
    per_fact: FactName = ""
    minimum_fact: FactName = ""
    each: bool = False
    unlike: FactName = ""


@dataclass(frozen=True, slots=True)
class Scale:
    """The sum of a fact over the cards `where` rises with the size of the first section: at least
    `start` + `step` for every full `per` cards, and at most `spread` more. when: only if the list has such a card.
    """

    code: str
    what: str
    where: Where
    fact: FactName
    per: int
    step: int
    start: int
    spread: int
    cite: Citation
    when: Where | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """Every card `where` shares a value of `fact` with some card `of` of the deck, unless the list has one `unless`.

    strict: a deck without any card to match it with has none of these cards.
    """

    code: str
    where: Where
    fact: FactName
    of: Where
    because: str
    cite: Citation
    unless: Where | None = None
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Slots:
    """The cards `where` fill one place for each of `values` of their `fact`; a card with several values may fill any.

    swaps: (card, value): a list with such a card may have one place more of the value for one of any other.
    """

    code: str
    what: str
    where: Where
    fact: FactName
    values: tuple[str, ...]
    cite: Citation
    swaps: tuple[tuple[Where, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """The leader's facts say which cards may be in: `options`, a list of options (see `access`).

    sections: where it holds; exempt: cards it does not speak of; also: (card, option) for cards of the deck
    that open or close something; bound: the fact of a card that says for which leaders alone it is.
    """

    options: str
    sections: frozenset[str]
    cite: Citation
    exempt: tuple[Where, ...] = ()
    also: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    bound: str = ""


@dataclass(frozen=True, slots=True)
class Number:
    """A number that depends on the deck: by a choice of the player, or as many as there are cards of a kind.

    fact: the leader's fact that says what the choice would, where the leader leaves none.
    """

    choice: str = ""
    by_choice: Mapping[str, int] = field(default_factory=dict)
    as_many: Where | None = None
    fact: FactName = ""


@dataclass(frozen=True, slots=True)
class Requirement:
    """The leader's fact `fact` is a list of groups of keys; of each group one card must be in, whole:
    in exactly as many copies as its fact `copies` says. counts: cards whose number is another."""

    fact: FactName
    sections: frozenset[str]
    cite: Citation
    copies: FactName = ""
    counts: Mapping[str, Number] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Upgrading:
    """What the next version of a deck costs: `price` names the facts summed, `same` the fact that makes two cards
    versions of one title, `level` which of them is the higher.

    minimum: of any one purchase; once: cards whose copies are paid once together; exempt: cards that cost nothing;
    sections: where copies count; changers: cards that change prices in a way not worked out here.
    """

    price: tuple[str, ...]
    same: str
    level: str
    minimum: int
    unit: str
    cite: Citation
    sections: frozenset[str] = frozenset()
    once: Where | None = None
    exempt: tuple[Where, ...] = ()
    changers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Cap:
    """At most so many copies of each title; `list_name` names the list ("the banned list of FAQ 3.0")."""

    code: str
    list_name: str
    maximum: Mapping[str, int]
    cite: Citation


@dataclass(frozen=True, slots=True)
class Choice:
    """At most `maximum` different titles of `titles`; with `beside`, only if the deck holds one of those."""

    code: str
    list_name: str
    titles: frozenset[str]
    maximum: int
    cite: Citation
    beside: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Waiver:
    """Cards `where` that cost nothing: the first `copies` of each (None: all), if the leader is `leads`, and if the
    deck has between `minimum` and `maximum` cards `counting`."""

    where: Where
    copies: int | None = None
    leads: Where | None = None
    counting: Where | None = None
    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """The sum over the deck of (points of the title + its facts `facts`, numbers) is at most `maximum`.

    unit: what is summed ("points", "influence"); per_copy: each copy counts, or each title once;
    once: cards that count once whatever their copies; maximum None: the sum is only told.
    maximum_fact: the leader's fact that is the maximum, which a leader without it does not have; more: facts of cards
    of the list that raise it; unlike: the fact by which cards that share the leader's value cost nothing but their
    points; waivers: cards that cost nothing but their points, if ...;
    floor: the points are not spent but lower the maximum, down to this.
    """

    code: str
    list_name: str
    unit: str
    points: Mapping[str, int]
    maximum: int | None
    cite: Citation
    per_copy: bool = True
    facts: tuple[FactName, ...] = ()
    once: Where | None = None
    maximum_fact: FactName = ""
    more: tuple[FactName, ...] = ()
    unlike: FactName = ""
    waivers: tuple[Waiver, ...] = ()
    floor: int | None = None

    @property
    def judged(self) -> bool:
        """Whether there is a limit at all, or the sum is only told."""
        return self.maximum is not None or bool(self.maximum_fact)


Restriction = Cap | Choice | Budget | Exclusion


@dataclass(frozen=True, slots=True)
class Period:
    """Which list holds on the date. `doubt` is a sentence when we do not surely know; empty when we do."""

    list_name: str
    since: date
    until: date | None
    doubt: str
    basis: str
    list_key: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A format on the date `on`. Two snapshots with equal `digest` judge alike, whatever their dates.

    titles_end_at_marks: "Title: Descriptor" counts as the title alone;
    aliases: folded misprint -> folded title; named: folded title -> title, for every title a list names.
    leader: the card that says how its deck is built; errata: card -> facts that hold instead of its own;
    expands: the fact of cards that come with another (a specialty, a starter set), naming it; contents_cite: the
    rule that they all do;
    list_choice: the choice by which a deck names the list it keeps to, where that is up to the player;
    packs: folded name of a pack -> of the set the card data names for it;
    shorthands: one word said for several cards, folded and without spaces -> their titles;
    game: the catalog its cards are in; spellings: folded word -> how titles spell it ("experienced": "exp");
    memo: what the check derived from the snapshot once, kept with it.
    """

    format: str
    title: str
    on: date
    digest: str
    period: Period
    sections: tuple[Section, ...]
    copies: CopyLimit
    exclusions: tuple[Exclusion, ...]
    restrictions: tuple[Restriction, ...]
    titles_end_at_marks: bool
    aliases: Mapping[str, str]
    named: Mapping[str, str]
    leader: Where | None = None
    quotas: tuple[Quota, ...] = ()
    matches: tuple[Match, ...] = ()
    scales: tuple[Scale, ...] = ()
    slots: tuple[Slots, ...] = ()
    accesses: tuple[Access, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    budgets: tuple[Budget, ...] = ()
    errata: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    expands: str = ""
    contents_cite: Citation = Citation("", "")
    list_choice: str = ""
    game: str = ""
    spellings: Mapping[str, str] = field(default_factory=dict)
    upgrades: Upgrading | None = None
    packs: Mapping[str, str] = field(default_factory=dict)
    shorthands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    memo: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def id(self) -> str:
        known: str | None = self.memo.get("id")
        if known is None:
            known = self.memo["id"] = f"{self.format}/{self.on.isoformat()}/{self.digest}"
        return known

    @property
    def doubt(self) -> str:
        return self.period.doubt


def sealed(snapshot: Snapshot) -> Snapshot:
    """The snapshot with the digest of its content (everything but format key and date)."""
    content = {
        part.name: getattr(snapshot, part.name)
        for part in fields(snapshot)
        if part.name not in ("format", "on", "digest", "memo")
    }
    canonical = json.dumps(_plain(content), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return replace(snapshot, digest=hashlib.sha256(canonical.encode()).hexdigest()[:16])


def overridden(snapshot: Snapshot, changes: Mapping[str, int | None]) -> Snapshot:
    """The snapshot with an event's own choice for rules that are uncertain or that it plays differently.

    changes: rule id -> the number to use in it, or None to leave the rule out. A rule without a number (an
    exclusion, a match) can only be left out; ids the format does not use change nothing.
    """
    copies = snapshot.copies
    if number := changes.get(copies.cite.rule):
        copies = replace(copies, maximum=number)
    elif copies.cite.rule in changes:
        copies = replace(copies, maximum=NO_LIMIT, kinds=(), fact="")
    own = {key: limit for key, limit in copies.own.items() if limit.cite.rule not in changes}
    kinds = tuple(kept for kind in copies.kinds if (kept := _with_maximum(kind, changes)))
    return sealed(
        replace(
            snapshot,
            sections=tuple(_with_number(section, changes) for section in snapshot.sections),
            copies=replace(copies, own=own, kinds=kinds),
            exclusions=tuple(rule for rule in snapshot.exclusions if rule.cite.rule not in changes),
            quotas=tuple(_quotas(snapshot.quotas, changes)),
            matches=tuple(rule for rule in snapshot.matches if rule.cite.rule not in changes),
            scales=tuple(rule for rule in snapshot.scales if rule.cite.rule not in changes),
            slots=tuple(rule for rule in snapshot.slots if rule.cite.rule not in changes),
            accesses=tuple(rule for rule in snapshot.accesses if rule.cite.rule not in changes),
            requirements=tuple(rule for rule in snapshot.requirements if rule.cite.rule not in changes),
            budgets=tuple(_changed(snapshot.budgets, changes)),
            restrictions=tuple(_changed(snapshot.restrictions, changes)),
        )
    )


NO_LIMIT = 1_000_000
_R = TypeVar("_R", bound=Restriction)


def _with_number(section: Section, changes: Mapping[str, int | None]) -> Section:
    if section.cite.rule not in changes or section.outside:
        return section
    number = changes[section.cite.rule]
    if number is not None and section.minimum is not None and section.minimum == section.maximum:
        return replace(section, minimum=number, maximum=number)
    if section.minimum is not None:
        return replace(section, minimum=number)
    return replace(section, maximum=number, size_fact="", size_choice="")


def _with_maximum(kind: KindLimit, changes: Mapping[str, int | None]) -> KindLimit | None:
    if kind.cite.rule not in changes:
        return kind
    number = changes[kind.cite.rule]
    return None if number is None else replace(kind, maximum=number)


def _quotas(quotas: tuple[Quota, ...], changes: Mapping[str, int | None]) -> Iterator[Quota]:
    for quota in quotas:
        if quota.cite.rule not in changes:
            yield quota
        elif (number := changes[quota.cite.rule]) is not None:
            yield replace(
                quota,
                minimum=None if quota.minimum is None else number,
                maximum=None if quota.maximum is None else number,
            )


def _changed(restrictions: Iterable[_R], changes: Mapping[str, int | None]) -> Iterator[_R]:
    for restriction in restrictions:
        if restriction.cite.rule not in changes:
            yield restriction
        elif (number := changes[restriction.cite.rule]) is not None:
            if isinstance(restriction, Cap):
                yield replace(restriction, maximum=dict.fromkeys(restriction.maximum, number))
            elif isinstance(restriction, Budget):
                yield replace(restriction, maximum=number, maximum_fact="", more=())
            elif not isinstance(restriction, Exclusion):
                yield replace(restriction, maximum=number)


def _plain(value: Any) -> Any:
    if hasattr(value, "__dataclass_fields__"):
        return {"is": type(value).__name__} | {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, frozenset):
        return sorted(_plain(item) for item in value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value
