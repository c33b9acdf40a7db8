"""Formats: decks/formats/*.yaml, read, checked and made into snapshots.

A format file says how a deck is built, which lists exist, and which of them held from when. Mistakes in it
are answered with their place and the nearest word that would be right, so that an organizer can mend a house
format.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from config import strict_yaml
from config.errors import NotFound, UserError
from decks.format_nodes import Node
from decks.legality import (
    Budget,
    Cap,
    Choice,
    Citation,
    CopyLimit,
    Exclusion,
    OwnLimit,
    Period,
    Restriction,
    Section,
    Snapshot,
    overridden,
    sealed,
)
from decks.lists import fold

FOLDER = Path(__file__).parent / "formats"


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


@dataclass(frozen=True, slots=True)
class CardList:
    """A named list of restrictions, such as one edition of the restricted and banned list."""

    key: str
    title: str
    document: str
    restrictions: tuple[Restriction, ...]


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
class Format:
    """A format file, checked. `game` is the key of its catalog; `default_on` the date when none is named."""

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

    def snapshot(self, on: date, *, list_key: str = "") -> Snapshot:
        """The format on a date; `list_key` names a list to use whatever the date (an event's choice).

        Raises UserError `unknown-list`.
        """
        if list_key and list_key not in self.lists:
            raise UserError(
                "unknown-list",
                f"{self.title} has no list “{list_key}”.",
                remedy=f"Name one of: {', '.join(self.lists)}.",
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
                copies=CopyLimit(
                    self.copies.maximum, self.copies.cite, self._own_limits(on), self.copies.fact
                ),
                exclusions=self.exclusions,
                restrictions=period[1].restrictions,
                titles_end_at_marks=self.titles_end_at_marks,
                aliases=self.aliases,
                named=self.named,
            )
        )

    def _period(self, on: date) -> tuple[Period, CardList]:
        first = self.timeline[0]
        if on < first.since:
            doubt = f"The format is known from {first.since.isoformat()} only."
            known = self.lists[first.list]
            return Period(known.title, date.min, first.since - timedelta(1), doubt, first.basis), known
        position = max(i for i, change in enumerate(self.timeline) if change.since <= on)
        change = self.timeline[position]
        later = self.timeline[position + 1 : position + 2]
        until = later[0].since - timedelta(1) if later else None
        known = self.lists[change.list]
        return Period(known.title, change.since, until, change.doubt, change.basis), known

    def _pinned(self, on: date, list_key: str) -> tuple[Period, CardList]:
        known = self.lists[list_key]
        return Period(known.title, on, on, "", "chosen by the organizer"), known

    def _own_limits(self, on: date) -> dict[str, OwnLimit]:
        limits = {}
        for dated in self.dated_limits:
            if on > dated.until:
                limits[dated.key] = OwnLimit(None, dated.cite)
            else:
                doubt = f"Whether its limit of {dated.maximum} still held on this date is not known to us."
                limits[dated.key] = OwnLimit(
                    dated.maximum, dated.cite, "" if on <= dated.sure_until else doubt
                )
        return limits


@cache
def formats() -> dict[str, Format]:
    """The shipped formats by key. Raises UserError when a file is wrong."""
    found = [parse(path.read_bytes(), name=path.name) for path in sorted(FOLDER.glob("*.yaml"))]
    return {format_.key: format_ for format_ in found}


def format_of(key: str) -> Format:
    """The format of a key. Raises NotFound with the known keys."""
    if key in formats():
        return formats()[key]
    missing = NotFound("format")
    missing.remedy = f"Name one of: {', '.join(formats())}."
    raise missing


def snapshot(key: str, on: date | None = None, *, overrides: Mapping[str, Any] | None = None) -> Snapshot:
    """The shipped format `key` on a date (its default date when None).

    overrides: an event's choices: rule id -> number or None (see `legality.overridden`), and `list` -> the
    key of the list to use whatever the date. Raises NotFound, UserError `unknown-list`, `bad-override`.
    """
    format_ = format_of(key)
    on = on or format_.default_on
    if not overrides:
        return _plain_snapshot(key, on)
    changes = dict(overrides)
    made = format_.snapshot(on, list_key=str(changes.pop("list", "")))
    for rule, number in changes.items():
        if rule not in format_.law or not (number is None or (type(number) is int and 0 <= number < 10_000)):
            raise UserError(
                "bad-override",
                f"“{rule}: {number}” is not a change to a rule of {format_.title}.",
                place=str(rule)[:80],
                remedy="Give a rule's id and a whole number, or null to leave the rule out.",
            )
    return overridden(made, changes)


@lru_cache(maxsize=256)
def _plain_snapshot(key: str, on: date) -> Snapshot:
    return format_of(key).snapshot(on)


# --- reading -----------------------------------------------------------------------------------------


def parse(text: str | bytes, *, name: str) -> Format:
    """A format from its file's text. Raises UserError `bad-yaml` or `bad-format` with the place."""
    top = Node(strict_yaml.load(text, name=name), name, "bad-format")
    top.only("key", "title", "game", "default-on", "law", "construction", "aliases", "lists", "timeline")
    law = {rule: _law(node) for rule, node in top["law"].items()}
    build = top["construction"]
    build.only("titles-end-at-marks", "sections", "copies", "excluded")
    titles: dict[str, str] = {}
    lists = {key: _card_list(key, node, law, titles) for key, node in top["lists"].items()}
    copies, dated = _copies(build["copies"], law, titles)
    result = Format(
        key=top["key"].slug(),
        title=top["title"].text(),
        game=top["game"].slug(),
        default_on=top["default-on"].date(),
        law=law,
        sections=tuple(_section(node, law) for node in build["sections"].elements()),
        copies=copies,
        dated_limits=dated,
        exclusions=tuple(_exclusion(node, law) for node in build.optional("excluded", []).elements()),
        titles_end_at_marks=build.optional("titles-end-at-marks", False).boolean(),
        aliases={fold(wrong): fold(node.text()) for wrong, node in top.optional("aliases", {}).items()},
        lists=lists,
        timeline=_timeline(top["timeline"], lists),
        named=titles,
    )
    if result.default_on < result.timeline[0].since:
        raise top["default-on"].wrong("the timeline begins later")
    return result


def _law(node: Node) -> Law:
    node.only("text", "document", "section", "uncertain")
    return Law(
        node["text"].text(),
        node["document"].text(),
        node.optional("section", "").text(),
        node.optional("uncertain", "").text(),
    )


def _cite(node: Node, law: Mapping[str, Law], document: str = "") -> Citation:
    rule = node["rule"].one_of(law, "rule")
    known = law[rule]
    return Citation(rule, ", ".join(part for part in (document or known.document, known.section) if part))


def _section(node: Node, law: Mapping[str, Law]) -> Section:
    node.only("key", "title", "names", "at-least", "at-most", "outside", "rule")
    return Section(
        key=node["key"].slug(),
        title=node["title"].text(),
        names=frozenset(fold(name.text()) for name in node.optional("names", []).elements()),
        minimum=node["at-least"].number() if "at-least" in node else None,
        maximum=node["at-most"].number() if "at-most" in node else None,
        outside=node.optional("outside", False).boolean(),
        cite=_cite(node, law),
    )


def _copies(
    node: Node, law: Mapping[str, Law], titles: dict[str, str]
) -> tuple[CopyLimit, tuple[DatedLimit, ...]]:
    node.only("at-most", "rule", "fact", "own-limits")
    dated = []
    for own in node.optional("own-limits", []).elements():
        own.only("title", "at-most", "sure-until", "until", "rule")
        until = own["until"].date() if "until" in own else date.max
        sure = own["sure-until"].date() if "sure-until" in own else until
        dated.append(
            DatedLimit(_title(own["title"], titles), own["at-most"].number(), sure, until, _cite(own, law))
        )
    return CopyLimit(node["at-most"].number(), _cite(node, law), {}, node.optional("fact", "").text()), tuple(
        dated
    )


def _exclusion(node: Node, law: Mapping[str, Law]) -> Exclusion:
    node.only("code", "fact", "values", "because", "rule", "blank-is-fine")
    return Exclusion(
        code=node["code"].slug(),
        fact=node["fact"].text(),
        values=frozenset(value.text() for value in node["values"].elements()),
        because=node["because"].text(),
        cite=_cite(node, law),
        blank_is_fine=node.optional("blank-is-fine", False).boolean(),
    )


def _timeline(node: Node, lists: Mapping[str, CardList]) -> tuple[Change, ...]:
    changes: list[Change] = []
    for entry in node.elements():
        entry.only("from", "list", "doubt", "basis")
        since = entry["from"].date()
        if changes and since <= changes[-1].since:
            raise entry["from"].wrong(f"{since} does not come after {changes[-1].since}")
        doubt = entry.optional("doubt", "").text()
        changes.append(Change(since, entry["list"].one_of(lists, "list"), doubt, entry["basis"].text()))
    if not changes:
        raise node.wrong("there must be at least one entry")
    return tuple(changes)


# --- restrictions ------------------------------------------------------------------------------------


def _card_list(key: str, node: Node, law: Mapping[str, Law], titles: dict[str, str]) -> CardList:
    node.only("title", "document", *_KINDS)
    title, document = node["title"].text(), node["document"].text()
    restrictions: list[Restriction] = []
    for kind, make in _KINDS.items():
        if kind in node:
            blocks = node[kind].elements() if node[kind].is_list() else [node[kind]]
            restrictions += [make(block, _Naming(title, document, law, titles)) for block in blocks]
    _refuse_twice_listed(node, restrictions)
    return CardList(key, title, document, tuple(restrictions))


@dataclass(frozen=True, slots=True)
class _Naming:
    """What every restriction of one list shares."""

    list_title: str
    document: str
    law: Mapping[str, Law]
    titles: dict[str, str]

    def cite(self, node: Node) -> Citation:
        return _cite(node, self.law, self.document)

    def keys(self, node: Node) -> list[str]:
        keys = [_title(title, self.titles) for title in node.elements()]
        for position, key in enumerate(keys):
            if key in keys[:position]:
                raise node.wrong(f"“{self.titles[key]}” stands twice")
        return keys


def _banned(node: Node, naming: _Naming) -> Cap:
    node.only("rule", "titles")
    caps = dict.fromkeys(naming.keys(node["titles"]), 0)
    return Cap("banned", f"the banned list of {naming.document}", caps, naming.cite(node))


def _limits(node: Node, naming: _Naming) -> Cap:
    node.only("rule", "copies")
    caps = {_title_key(title, naming.titles): number.number() for title, number in node["copies"].items()}
    return Cap("limited", naming.list_title, caps, naming.cite(node))


def _restricted(node: Node, naming: _Naming) -> Choice:
    node.only("rule", "titles", "at-most")
    keys = frozenset(naming.keys(node["titles"]))
    maximum = node.optional("at-most", 1).number()
    return Choice("restricted", f"the restricted list of {naming.document}", keys, maximum, naming.cite(node))


def _exclusive(node: Node, naming: _Naming) -> Choice:
    """A group of which only some may meet; with `beside`, only when one of those cards is in the deck."""
    node.only("rule", "titles", "at-most", "beside")
    beside = frozenset(naming.keys(node["beside"])) if "beside" in node else frozenset()
    keys = frozenset(naming.keys(node["titles"]))
    maximum = node.optional("at-most", 0 if beside else 1).number()
    return Choice("excluded-together", naming.list_title, keys, maximum, naming.cite(node), beside)


def _points(node: Node, naming: _Naming) -> Budget:
    node.only("rule", "points", "at-most", "per", "unit")
    points = {_title_key(title, naming.titles): number.number() for title, number in node["points"].items()}
    return Budget(
        code="too-many-points",
        list_name=naming.list_title,
        unit=node.optional("unit", "points").text(),
        points=points,
        maximum=node["at-most"].number(),
        cite=naming.cite(node),
        per_copy=node.optional("per", "copy").one_of(("copy", "title"), "way of counting") == "copy",
    )


def _surcharge(node: Node, naming: _Naming) -> Budget:
    """Cards that cost more of something every card has (influence, experience) than is printed on them."""
    node.only("rule", "fact", "extra", "at-most", "unit")
    extra = {_title_key(title, naming.titles): number.number() for title, number in node["extra"].items()}
    return Budget(
        code="over-budget",
        list_name=naming.list_title,
        unit=node["unit"].text(),
        points=extra,
        maximum=node["at-most"].number(),
        cite=naming.cite(node),
        fact=node["fact"].text(),
    )


_KINDS: dict[str, Callable[[Node, _Naming], Restriction]] = {
    "banned": _banned,
    "restricted": _restricted,
    "limits": _limits,
    "exclusive": _exclusive,
    "points": _points,
    "surcharge": _surcharge,
}


def _title(node: Node, titles: dict[str, str]) -> str:
    return _title_key(node.text(), titles)


def _title_key(title: str, titles: dict[str, str]) -> str:
    titles.setdefault(fold(title), title)
    return fold(title)


def _refuse_twice_listed(node: Node, restrictions: list[Restriction]) -> None:
    banned = {
        key
        for rule in restrictions
        if isinstance(rule, Cap) and rule.code == "banned"
        for key in rule.maximum
    }
    for rule in restrictions:
        if isinstance(rule, Choice) and (both := banned & rule.titles):
            raise node.wrong(f"“{min(both)}” is banned and {rule.code} at once")
