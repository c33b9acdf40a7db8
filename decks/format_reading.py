"""Reading a format file: every mistake is answered with its place and the nearest word that would be right.

What the words mean stands in docs/formats.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

from config import strict_yaml
from decks.format_model import CardList, Change, DatedLimit, Format, Law
from decks.format_nodes import Node
from decks.legality import Budget, Cap, Choice, Citation, CopyLimit, Exclusion, Restriction, Section
from decks.lists import fold


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
