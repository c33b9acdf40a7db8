"""Reading a format file: every mistake is answered with its place and the nearest word that would be right.

What the words mean stands in docs/formats.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from config import strict_yaml
from config.errors import UserError
from decks.format_model import CardList, Change, DatedLimit, Format, Law
from decks.format_nodes import Node
from decks.legality import (
    Access,
    BadCondition,
    Budget,
    Cap,
    Choice,
    Citation,
    CopyLimit,
    Exclusion,
    KindLimit,
    Match,
    Number,
    Quota,
    Requirement,
    Restriction,
    Section,
    Upgrading,
    Where,
    where_of,
)
from decks.lists import fold, shorthand


def parse(text: str | bytes, *, name: str, base: Callable[[str], Mapping[str, Any]] | None = None) -> Format:
    """A format from its file's text. Raises UserError `bad-yaml` or `bad-format` with the place.

    base: the document of another format by its key, for a file that `extends` it (see `document`).
    """
    said = document(text, name=name, base=base)
    try:
        return read_document(said, name=name)
    except UserError as error:  # an editor wants the line, not only the path
        error.details["line"] = strict_yaml.line_of(text, error.place)
        raise


def document(
    text: str | bytes, *, name: str, base: Callable[[str], Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """The file as data, what it `extends` laid under it: mappings are merged, anything else is replaced."""
    said = strict_yaml.load(text, name=name)
    if not isinstance(said, dict) or "extends" not in said:
        return said if isinstance(said, dict) else {"": said}
    node = Node(said, name, "bad-format")["extends"]
    if base is None:
        raise node.wrong("no other format can be built upon here")
    return _merged(base(node.text()), {word: value for word, value in said.items() if word != "extends"})


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(below)
    for word, value in above.items():
        both = isinstance(value, dict) and isinstance(out.get(word), dict)
        out[word] = _merged(out[word], value) if both else value
    return out


def read_document(said: Mapping[str, Any], *, name: str) -> Format:
    """A format from its document. Raises UserError `bad-format` with the place."""
    top = Node(said, name, "bad-format")
    top.only(*TOP)
    law = {rule: _law(node) for rule, node in top["law"].items()}
    build = top["construction"]
    build.only(*BUILDING, "titles-end-at-marks", "sections", "copies", "excluded")
    titles: dict[str, str] = {}
    sections = tuple(_section(node, law, titles) for node in build["sections"].elements())
    if not sections:
        raise build["sections"].wrong("there must be at least one section")
    keys = [section.key for section in sections]
    lists = {key: _card_list(key, node, law, titles) for key, node in top["lists"].items()}
    copies, dated = _copies(build["copies"], law, titles)
    result = Format(
        key=top["key"].slug(),
        title=top["title"].text(),
        game=top["game"].slug(),
        default_on=top["default-on"].date(),
        law=law,
        sections=sections,
        copies=copies,
        dated_limits=dated,
        exclusions=tuple(_exclusion(node, law, keys) for node in build.optional("excluded", []).elements()),
        titles_end_at_marks=build.optional("titles-end-at-marks", False).boolean(),
        aliases={fold(wrong): fold(node.text()) for wrong, node in top.optional("aliases", {}).items()},
        lists=lists,
        timeline=_timeline(top["timeline"], lists),
        named=titles,
        building={
            **_building(build, law, keys, titles),
            "packs": _packs(top.optional("packs", {})),
            "shorthands": {
                shorthand(said): tuple(node.text() for node in titles_of.elements())
                for said, titles_of in top.optional("shorthands", {}).items()
            },
        },
    )
    if result.default_on < result.timeline[0].since:
        first = result.timeline[0].since.isoformat()
        raise top["default-on"].wrong(
            "the timeline begins later",
            f"Write a day from {first} on, also where the format it extends has one.",
        )
    return result


def _packs(node: Node) -> dict[str, str]:
    """The folded name of a pack -> the folded name of the set that the card data names for it."""
    return {fold(pack.text()): fold(cycle) for cycle, packs in node.items() for pack in packs.elements()}


# fmt: off
TOP = (
    "key", "title", "game", "default-on", "law", "construction", "aliases", "shorthands", "packs", "lists",
    "timeline",
)
# fmt: on
BUILDING = (
    "leader",
    "quotas",
    "matches",
    "access",
    "requires",
    "tells",
    "expands",
    "list-choice",
    "spellings",
    "upgrades",
)


def _building(
    build: Node, law: Mapping[str, Law], sections: list[str], titles: dict[str, str]
) -> dict[str, Any]:
    """The parts of construction that only some games have."""
    made: dict[str, Any] = {
        "quotas": tuple(_quota(node, law, sections) for node in build.optional("quotas", []).elements()),
        "matches": tuple(_match(node, law) for node in build.optional("matches", []).elements()),
        "accesses": tuple(
            _access(node, law, sections, titles) for node in build.optional("access", []).elements()
        ),
        "requirements": tuple(
            _requirement(node, law, sections, titles) for node in build.optional("requires", []).elements()
        ),
        "budgets": tuple(_told(node, law) for node in build.optional("tells", []).elements()),
        **_expands(build, law),
        "spellings": {
            fold(word): fold(node.text()) for word, node in build.optional("spellings", {}).items()
        },
        "list_choice": build.optional("list-choice", "").text(),
    }
    if "upgrades" in build:
        made["upgrades"] = _upgrades(build["upgrades"], law, sections, titles)
    return made | ({"leader": _where(build["leader"])} if "leader" in build else {})


def _expands(build: Node, law: Mapping[str, Law]) -> dict[str, Any]:
    if "expands" not in build:
        return {}
    node = build["expands"]
    node.only("fact", "rule")
    return {"expands": node["fact"].text(), "contents_cite": _cite(node, law)}


def _where(node: Node) -> Where:
    """Conditions on facts, with the place of a wrong one."""
    node.keys()
    try:
        return where_of(node.value)
    except BadCondition as error:
        raise node[error.place].wrong(str(error)) from error


def _wheres(node: Node) -> tuple[Where, ...]:
    return tuple(_where(each) for each in node.elements())


def _sections(node: Node, known: list[str]) -> frozenset[str]:
    return frozenset(each.one_of(known, "section") for each in node.elements())


def _bounds(node: Node) -> tuple[int | None, int | None]:
    """(at least, at most); `exactly` is both."""
    if "exactly" in node:
        return node["exactly"].number(), node["exactly"].number()
    return (
        node["at-least"].number() if "at-least" in node else None,
        node["at-most"].number() if "at-most" in node else None,
    )


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


def _section(node: Node, law: Mapping[str, Law], titles: dict[str, str]) -> Section:
    node.only(
        "key", "title", "names", "at-least", "at-most", "exactly", "outside", "rule",
        "takes", "uncounted", "size-fact", "size-choice", "adjust", "copies",
    )  # fmt: skip
    minimum, maximum = _bounds(node)
    return Section(
        key=node["key"].slug(),
        title=node["title"].text(),
        names=frozenset(fold(name.text()) for name in node.optional("names", []).elements()),
        minimum=minimum,
        maximum=maximum,
        outside=node.optional("outside", False).boolean(),
        cite=_cite(node, law),
        takes=_where(node["takes"]) if "takes" in node else None,
        uncounted=_wheres(node.optional("uncounted", [])),
        size_fact=node.optional("size-fact", "").text(),
        size_choice=node.optional("size-choice", "").text(),
        adjust={
            _title_key(title, titles): more.number(below=-1_000)
            for title, more in node.optional("adjust", {}).items()
        },
        copies=node["copies"].number() if "copies" in node else None,
    )


def _copies(
    node: Node, law: Mapping[str, Law], titles: dict[str, str]
) -> tuple[CopyLimit, tuple[DatedLimit, ...]]:
    node.only("at-most", "rule", "fact", "own-limits", "per", "kinds", "held", "exempt")
    dated = []
    for own in node.optional("own-limits", []).elements():
        own.only("title", "at-most", "sure-until", "until", "rule")
        until = own["until"].date() if "until" in own else date.max
        sure = own["sure-until"].date() if "sure-until" in own else until
        dated.append(
            DatedLimit(_title(own["title"], titles), own["at-most"].number(), sure, until, _cite(own, law))
        )
    limit = CopyLimit(
        maximum=node["at-most"].number(),
        cite=_cite(node, law),
        own={},
        fact=node.optional("fact", "").text(),
        per=node.optional("per", "").text(),
        kinds=tuple(_kind_limit(kind, law) for kind in node.optional("kinds", []).elements()),
        held={_title_key(title, titles): most.number() for title, most in node.optional("held", {}).items()},
        exempt=_wheres(node.optional("exempt", [])),
    )
    return limit, tuple(dated)


def _kind_limit(node: Node, law: Mapping[str, Law]) -> KindLimit:
    node.only("where", "at-most", "blank-is-fine", "rule")
    blank_is_fine = node.optional("blank-is-fine", False).boolean()
    return KindLimit(_where(node["where"]), node["at-most"].number(), _cite(node, law), blank_is_fine)


def _exclusion(node: Node, law: Mapping[str, Law], sections: list[str]) -> Exclusion:
    node.only("code", "fact", "values", "where", "because", "rule", "blank-is-fine", "sections")
    return Exclusion(
        code=node["code"].slug(),
        where=_where(node["where"]) if "where" in node else _fact_is(node),
        because=node["because"].text(),
        cite=_cite(node, law),
        blank_is_fine=node.optional("blank-is-fine", False).boolean(),
        sections=_sections(node.optional("sections", []), sections),
    )


def _fact_is(node: Node, *, negated: bool = False) -> Where:
    values = [value.text() for value in node["values"].elements()]
    return where_of({node["fact"].text(): {"not": values} if negated else values})


def _quota(node: Node, law: Mapping[str, Law], sections: list[str]) -> Quota:
    node.only(
        "code", "what", "where", "at-least", "at-most", "exactly", "at-least-fact", "rule", "sections",
        "when", "when-in", "per-title", "per-fact",
    )  # fmt: skip
    minimum, maximum = _bounds(node)
    return Quota(
        code=node["code"].slug(),
        what=node["what"].text(),
        where=_where(node["where"]),
        minimum=minimum,
        maximum=maximum,
        cite=_cite(node, law),
        sections=_sections(node.optional("sections", []), sections),
        when=_where(node["when"]) if "when" in node else None,
        when_in=_sections(node.optional("when-in", []), sections),
        per_title=node.optional("per-title", False).boolean(),
        per_fact=node.optional("per-fact", "").text(),
        minimum_fact=node.optional("at-least-fact", "").text(),
    )


def _match(node: Node, law: Mapping[str, Law]) -> Match:
    node.only("code", "where", "fact", "of", "because", "rule")
    return Match(
        node["code"].slug(),
        _where(node["where"]),
        node["fact"].text(),
        _where(node["of"]),
        node["because"].text(),
        _cite(node, law),
    )


def _access(node: Node, law: Mapping[str, Law], sections: list[str], titles: dict[str, str]) -> Access:
    node.only("options", "sections", "exempt", "also", "bound", "rule")
    also = []
    for option in node.optional("also", []).elements():
        option.only("card", "where", "limit", "not", "error")
        _where(option["where"])
        said = {word: option.value[word] for word in option.keys() if word != "card"}  # noqa: SIM118
        also.append((_title(option["card"], titles), said))
    return Access(
        node["options"].text(),
        _sections(node["sections"], sections),
        _cite(node, law),
        _wheres(node.optional("exempt", [])),
        tuple(also),
        node.optional("bound", "").text(),
    )


def _requirement(
    node: Node, law: Mapping[str, Law], sections: list[str], titles: dict[str, str]
) -> Requirement:
    node.only("fact", "sections", "copies", "counts", "rule")
    return Requirement(
        node["fact"].text(),
        _sections(node["sections"], sections),
        _cite(node, law),
        node.optional("copies", "").text(),
        {_title_key(title, titles): _number(said) for title, said in node.optional("counts", {}).items()},
    )


def _number(node: Node) -> Number:
    node.only("choice", "by-choice", "as-many")
    if "as-many" in node:
        return Number(as_many=_where(node["as-many"]))
    return Number(
        node["choice"].text(), {chosen: number.number() for chosen, number in node["by-choice"].items()}
    )


def _told(node: Node, law: Mapping[str, Law]) -> Budget:
    """A sum over the deck; without `at-most` it is only told."""
    node.only("code", "unit", "facts", "once", "at-most", "rule")
    return Budget(
        code=node["code"].slug(),
        list_name="the rules",
        unit=node["unit"].text(),
        points={},
        maximum=node["at-most"].number() if "at-most" in node else None,
        cite=_cite(node, law),
        facts=tuple(fact.text() for fact in node["facts"].elements()),
        once=_where(node["once"]) if "once" in node else None,
    )


def _upgrades(node: Node, law: Mapping[str, Law], sections: list[str], titles: dict[str, str]) -> Upgrading:
    node.only(
        "price", "same", "level", "at-least", "unit", "sections", "once", "exempt", "changed-by", "rule"
    )
    return Upgrading(
        price=tuple(fact.text() for fact in node["price"].elements()),
        same=node["same"].text(),
        level=node["level"].text(),
        minimum=node.optional("at-least", 0).number(),
        unit=node["unit"].text(),
        cite=_cite(node, law),
        sections=_sections(node.optional("sections", []), sections),
        once=_where(node["once"]) if "once" in node else None,
        exempt=_wheres(node.optional("exempt", [])),
        changers=frozenset(_title(each, titles) for each in node.optional("changed-by", []).elements()),
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
    node.only("title", "document", "errata", *_KINDS)
    title, document = node["title"].text(), node["document"].text()
    restrictions: list[Restriction] = []
    for kind, make in _KINDS.items():
        if kind in node:
            blocks = node[kind].elements() if node[kind].is_list() else [node[kind]]
            restrictions += [make(block, _Naming(title, document, law, titles)) for block in blocks]
    _refuse_twice_listed(node, restrictions)
    errata = {
        _title_key(card, titles): dict(facts.items_plain())
        for card, facts in node.optional("errata", {}).items()
    }
    return CardList(key, title, document, tuple(restrictions), errata)


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
        facts=(node["fact"].text(),),
    )


def _pool(node: Node, naming: _Naming) -> Exclusion:
    """Only cards whose fact has one of these values are in the pool."""
    node.only("rule", "fact", "values", "blank-is-fine", "open")
    return Exclusion(
        code="not-in-pool",
        where=_fact_is(node, negated=True),
        because=f"it is not in the pool of {naming.list_title}",
        cite=naming.cite(node),
        blank_is_fine=node.optional("blank-is-fine", False).boolean(),
        listed=True,
        open=node.optional("open", False).boolean(),
    )


_KINDS: dict[str, Callable[[Node, _Naming], Restriction]] = {
    "banned": _banned,
    "restricted": _restricted,
    "limits": _limits,
    "exclusive": _exclusive,
    "points": _points,
    "surcharge": _surcharge,
    "pool": _pool,
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
