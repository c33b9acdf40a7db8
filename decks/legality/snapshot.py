"""A format on a date, as data. Three restriction primitives express every list:

- `Cap`: at most n copies of a title (0 = banned);
- `Choice`: at most n different titles of a group, always or only beside certain other cards
  (restricted: one of a list; pairs and pods that exclude each other);
- `Budget`: copies times points (or times a fact of the card plus a surcharge) within a limit.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any


@dataclass(frozen=True, slots=True)
class Citation:
    """The rule's id and where it stands, for people."""

    rule: str
    source: str


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a deck. `names`: folded headings that open it; the first section takes all other headings.

    minimum, maximum: cards; `outside`: its cards are no part of the deck (set aside, a token box).
    """

    key: str
    title: str
    names: frozenset[str]
    minimum: int | None
    maximum: int | None
    outside: bool
    cite: Citation


@dataclass(frozen=True, slots=True)
class OwnLimit:
    """A card with a copy limit of its own; None: it lost it, and `cite` says by which rule.

    doubt: why the limit may not hold on this date; empty when it does.
    """

    maximum: int | None
    cite: Citation
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class CopyLimit:
    """At most `maximum` copies of one card over all sections, unless the card has a limit of its own:
    in `own`, or in its fact `fact` (a number)."""

    maximum: int
    cite: Citation
    own: Mapping[str, OwnLimit]
    fact: str = ""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Cards whose `fact` is one of `values` are no deck cards; `because` completes “X cannot be in a deck:”.

    blank_is_fine: a card without the fact passes; otherwise a partial catalog leaves it unverified.
    """

    code: str
    fact: str
    values: frozenset[str]
    because: str
    cite: Citation
    blank_is_fine: bool = False


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
class Budget:
    """The sum over the deck of (points of the title + its fact `fact`, a number) is at most `maximum`.

    unit: what is summed ("points", "influence"); per_copy: each copy counts, or each title once.
    """

    code: str
    list_name: str
    unit: str
    points: Mapping[str, int]
    maximum: int
    cite: Citation
    per_copy: bool = True
    fact: str = ""


Restriction = Cap | Choice | Budget


@dataclass(frozen=True, slots=True)
class Period:
    """Which list holds on the date. `doubt` is a sentence when we do not surely know; empty when we do."""

    list_name: str
    since: date
    until: date | None
    doubt: str
    basis: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A format on the date `on`. Two snapshots with equal `digest` judge alike, whatever their dates.

    titles_end_at_marks: "Title: Descriptor" counts as the title alone;
    aliases: folded misprint -> folded title; named: folded title -> title, for every title a list names.
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

    @property
    def id(self) -> str:
        return f"{self.format}/{self.on.isoformat()}/{self.digest}"

    @property
    def doubt(self) -> str:
        return self.period.doubt


def sealed(snapshot: Snapshot) -> Snapshot:
    """The snapshot with the digest of its content (everything but format key and date)."""
    content = {
        field.name: getattr(snapshot, field.name)
        for field in fields(snapshot)
        if field.name not in ("format", "on", "digest")
    }
    canonical = json.dumps(_plain(content), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return replace(snapshot, digest=hashlib.sha256(canonical.encode()).hexdigest()[:16])


def overridden(snapshot: Snapshot, changes: Mapping[str, int | None]) -> Snapshot:
    """The snapshot with an event's own choice for rules that are uncertain or that it plays differently.

    changes: rule id -> the number to use in it, or None to leave the rule out. A rule without a number (an
    exclusion) can only be left out; ids the format does not use change nothing.
    """
    sections = tuple(_with_number(section, changes) for section in snapshot.sections)
    copies = snapshot.copies
    if number := changes.get(copies.cite.rule):
        copies = replace(copies, maximum=number)
    elif copies.cite.rule in changes:
        copies = replace(copies, maximum=NO_LIMIT)
    own = {key: limit for key, limit in copies.own.items() if limit.cite.rule not in changes}
    return sealed(
        replace(
            snapshot,
            sections=sections,
            copies=replace(copies, own=own),
            exclusions=tuple(rule for rule in snapshot.exclusions if rule.cite.rule not in changes),
            restrictions=tuple(_changed(snapshot.restrictions, changes)),
        )
    )


NO_LIMIT = 1_000_000


def _with_number(section: Section, changes: Mapping[str, int | None]) -> Section:
    if section.cite.rule not in changes or section.outside:
        return section
    number = changes[section.cite.rule]
    if section.minimum is not None:
        return replace(section, minimum=number)
    return replace(section, maximum=number)


def _changed(
    restrictions: tuple[Restriction, ...], changes: Mapping[str, int | None]
) -> Iterator[Restriction]:
    for restriction in restrictions:
        if restriction.cite.rule not in changes:
            yield restriction
        elif (number := changes[restriction.cite.rule]) is not None:
            if isinstance(restriction, Cap):
                yield replace(restriction, maximum=dict.fromkeys(restriction.maximum, number))
            else:
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
