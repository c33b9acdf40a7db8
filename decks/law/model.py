"""A format as its file describes it, and its snapshot for a date."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import date, timedelta
from functools import cache
from typing import Any, NamedTuple, get_args, get_type_hints

from config.errors import UserError
from decks.legality import (
    Card,
    Citation,
    CopyLimit,
    Exclusion,
    OwnLimit,
    Period,
    Restriction,
    Section,
    Snapshot,
    Where,
    sealed,
    where_of,
)
from decks.legality.facts import FactName
from decks.legality.snapshot import NOT_YET_RELEASED
from decks.lists import fold


@dataclass(frozen=True, slots=True)
class Law:
    """A rule of the format in our words; `uncertain` says what about it is not sure."""

    text: str
    document: str
    section: str
    uncertain: str

    @property
    def source(self) -> str:
        return ", ".join(part for part in (self.document, self.section) if part)


def names_list(said: str, key: str, title: str) -> bool:
    """Whether a deck means this list: by its key, or by a part of its title, such as the day it came out."""
    words = fold(said)
    return words == fold(key) or (len(words) > 3 and words in fold(title))


@dataclass(frozen=True, slots=True)
class CardList:
    """A named list of restrictions, such as one edition of the restricted and banned list."""

    key: str
    title: str
    document: str
    restrictions: tuple[Restriction, ...]
    errata: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Change:
    """From `since`, `list` holds; with a `doubt`, it is only the nearest list we know."""

    since: date
    list: str
    doubt: str
    basis: str


@dataclass(frozen=True, slots=True)
class DatedLimit:
    """A card's own copy limit until a date; between `sure_until` and `until` it may have ended."""

    key: str
    maximum: int
    sure_until: date
    until: date
    cite: Citation


@dataclass(frozen=True, slots=True)
class Release:
    """The day from which the cards of a set may be played."""

    set: str
    day: date
    cite: Citation


@dataclass(frozen=True, slots=True)
class Format:
    """A format file, checked. `game` is the key of its catalog; `default_on` the date when none is named.

    `building` holds the further fields of its snapshots that do not change with the date.
    """

    key: str
    title: str
    game: str
    default_on: date
    law: Mapping[str, Law]
    sections: tuple[Section, ...]
    copies: CopyLimit
    dated_limits: tuple[DatedLimit, ...]
    exclusions: tuple[Exclusion, ...]
    titles_end_at_marks: bool
    aliases: Mapping[str, str]
    lists: Mapping[str, CardList]
    timeline: tuple[Change, ...]
    named: Mapping[str, str] = field(repr=False)
    building: Mapping[str, Any] = field(default_factory=dict, repr=False)
    released: tuple["Release", ...] = ()
    memo: dict[Any, Snapshot] = field(default_factory=dict, init=False, repr=False, compare=False)

    def snapshot(self, on: date, *, list_key: str = "") -> Snapshot:
        """The format on a date; `list_key` names a list to use whatever the date (an event's choice).

        Raises UserError `unknown-list`.
        """
        if list_key and list_key not in self.lists:
            raise UserError(
                "unknown-list",
                f"{self.title} has no list “{list_key}”.",
                remedy=f"Use one of: {', '.join(self.lists)}.",
            )
        period = self._pinned(on, list_key) if list_key else self._period(on)
        return sealed(
            Snapshot(
                format=self.key,
                title=self.title,
                on=on,
                digest="",
                period=period[0],
                sections=self.sections,
                copies=replace(self.copies, own=self._own_limits(on)),
                exclusions=(*self.exclusions, *self._unreleased(on)),
                restrictions=period[1].restrictions,
                titles_end_at_marks=self.titles_end_at_marks,
                aliases=self.aliases,
                named=self.named,
                errata=period[1].errata,
                game=self.game,
                **self.building,
            )
        )

    @property
    def restricting(self) -> int:
        """How many of its lists restrict a card."""
        return sum(bool(one.restrictions) for one in self.lists.values())

    def asked(self) -> set[tuple[str, str | int | None]]:
        """Every fact that the rules ask of cards, with each value they name; None where they name none."""
        rules = [rule for one in self.lists.values() for rule in one.restrictions]
        return set(_asked([self.sections, self.copies, self.exclusions, *self.building.values(), rules]))

    def unknown_to(self, cards: Iterable[Card], others: Iterable["Format"]) -> "Unknown":
        """What the file names that no card has, and none of the other formats of its game names."""
        facts = {card.key: card.facts for card in cards}
        theirs = [one for one in others if one.game == self.game and one.key != self.key]
        known = facts.keys() | {key for one in theirs for key in (*one.named, *one.aliases.values())}
        titles = {key: title for key, title in self.named.items() if key not in known}
        titles |= {key: key for key in self.aliases.values() if key not in known and key not in titles}
        asked = self.asked() - {pair for one in theirs for pair in one.asked()}
        held: dict[str, set[Any]] = {
            fact: {None} for fact, _value in asked if any(fact in one for one in facts.values())
        }
        for card in facts.values():
            for fact in held.keys() & card.keys():
                several = card[fact] if isinstance(card[fact], list | tuple) else [card[fact]]
                held[fact].update(one for one in several if isinstance(one, str | int))
        missing = {
            f"{fact}: {value}" if fact in held else fact
            for fact, value in asked
            if value not in held.get(fact, ())
        }
        return Unknown(tuple(titles.values()), tuple(sorted(missing)))

    def periods(self) -> list[tuple[date, date | None]]:
        """(first day, last day or None) of every stretch in which the law does not change, oldest first."""
        starts = {change.since for change in self.timeline}
        for dated in self.dated_limits:
            for end in (dated.sure_until, dated.until):
                if end < date.max:
                    starts.add(end + timedelta(1))
        starts.update(one.day for one in self.released)
        days = sorted(day for day in starts if day >= self.timeline[0].since)
        ends: list[date | None] = [day - timedelta(1) for day in days[1:]]
        return list(zip(days, [*ends, None], strict=True))

    def _unreleased(self, on: date) -> Iterator[Exclusion]:
        """Cards of which every set came later."""
        if later := [one for one in self.released if one.day > on]:
            yield Exclusion(
                code=NOT_YET_RELEASED,
                where=where_of({"set": {"only": [one.set for one in later]}}),
                because=f"no set that has it was released by {on.isoformat()}",
                cite=later[0].cite,
                blank_is_fine=True,
            )

    def _period(self, on: date) -> tuple[Period, CardList]:
        first = self.timeline[0]
        if on < first.since:
            doubt = f"The format is known from {first.since.isoformat()} only."
            known = self.lists[first.list]
            eve = first.since - timedelta(1)
            return Period(known.title, date.min, eve, doubt, first.basis, first.list), known
        position = max(i for i, change in enumerate(self.timeline) if change.since <= on)
        change = self.timeline[position]
        later = self.timeline[position + 1 : position + 2]
        until = later[0].since - timedelta(1) if later else None
        known = self.lists[change.list]
        return Period(known.title, change.since, until, change.doubt, change.basis, change.list), known

    def _pinned(self, on: date, list_key: str) -> tuple[Period, CardList]:
        known = self.lists[list_key]
        return Period(known.title, on, on, "", "chosen for this event or deck", list_key), known

    def _own_limits(self, on: date) -> dict[str, OwnLimit]:
        limits = {}
        for dated in self.dated_limits:
            if on > dated.until:
                limits[dated.key] = OwnLimit(None, dated.cite)
            else:
                doubt = f"We don’t know whether its limit of {dated.maximum} still applied on this date."
                limits[dated.key] = OwnLimit(
                    dated.maximum, dated.cite, "" if on <= dated.sure_until else doubt
                )
        return limits


class Unknown(NamedTuple):
    """Titles, and facts with their values (“type: charcter”), that no card has."""

    titles: tuple[str, ...]
    facts: tuple[str, ...]


def _asked(part: Any) -> Iterator[tuple[str, str | int | None]]:
    """The same of any part of a format: a test asks for its values, any other field marked `FactName` for a fact."""
    if isinstance(part, Where):
        for test in part.tests:
            yield test.fact, None
            yield from ((test.fact, value) for value in test.values if not isinstance(value, bool))
    elif is_dataclass(part):
        rule: Any = type(part)
        yield from ((fact, None) for name in _fact_fields(rule) for fact in _names(getattr(part, name)))
        yield from _asked([getattr(part, one.name) for one in fields(part)])
    elif isinstance(part, Mapping):
        yield from _asked(list(part.values()))
    elif isinstance(part, list | tuple):
        for one in part:
            yield from _asked(one)


@cache
def _fact_fields(rule: Any) -> tuple[str, ...]:
    hints = get_type_hints(rule, include_extras=True)
    return tuple(name for name, hint in hints.items() if FactName in (hint, *get_args(hint)))


def _names(said: str | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(filter(None, (said,) if isinstance(said, str) else said))
