"""The schema of format files: every word once. The reader and the tables in docs/formats.md come from here
(`config.schema`)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, TypeVar

from config.nodes import Node
from config.schema import (
    DAY,
    NUMBER,
    SLUG,
    TEXT,
    TRUTH,
    Kind,
    Misfit,
    Record,
    Word,
    by_name,
    each,
    record_of,
)
from decks.law.model import CardList, Change, DatedLimit, Format, Law, Release
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
    Scale,
    Section,
    Slots,
    Upgrading,
    Waiver,
    Where,
    where_of,
)
from decks.lists import fold, shorthand
from decks.lists.vocabulary import spellings_set_aside

T = TypeVar("T")


@dataclass(slots=True)
class Scope:
    """What a file has said so far, which later words name: rules, parts, sums, pools, lists.

    titles: folded title -> title, of every card it names; title, document: of the list that is being read.
    """

    law: Mapping[str, Law] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    sections: list[str] = field(default_factory=list)
    budgets: Mapping[str, Budget] = field(default_factory=dict)
    pools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lists: Mapping[str, CardList] = field(default_factory=dict)
    title: str = ""
    document: str = ""


# --- kinds that only a format has ------------------------------------------------------------------------


def _cite(node: Node) -> Citation:
    rule = node.one_of(node.scope.law, "rule")
    known = node.scope.law[rule]
    source = (node.scope.document or known.document, known.section)
    return Citation(rule, ", ".join(part for part in source if part))


def _where(node: Node) -> Where:
    """Conditions on facts, with the place of a wrong one."""
    try:
        return where_of(node.plain())
    except BadCondition as error:
        raise node[error.place].wrong(str(error)) from error


def _title(node: Node) -> str:
    key = fold(node.text())
    node.scope.titles.setdefault(key, node.text())
    return key


def _titles(node: Node) -> list[str]:
    keys = [_title(title) for title in node.elements()]
    for position, key in enumerate(keys):
        if key in keys[:position]:
            raise node.wrong(f"names “{node.scope.titles[key]}” twice")
    return keys


def _per(node: Node) -> int:
    return node.number() or _refuse(node, "must be a whole number above 0")


def _refuse(node: Node, why: str) -> Any:
    raise node.wrong(why)


def _also(node: Node) -> tuple[str, Mapping[str, Any]]:
    node.only("card", "where", "limit", "not", "error")
    _where(node["where"])
    return _title(node["card"]), {word: value for word, value in node.plain().items() if word != "card"}


FACT = TEXT
FOLDED = Kind(read=lambda node: fold(node.text()), says="text")
WHERE = Kind(read=_where, says="a card, as described above")
WHERES = each(WHERE)
TITLE = Kind(read=_title, says="a title")
NUMBERS = by_name(NUMBER, key=TITLE)
SECTIONS = each(Kind(read=lambda node: node.one_of(node.scope.sections, "section")), frozenset)
TEXTS = each(TEXT)

CITE = Word(Kind(read=_cite), key="rule")
CODE = Word(SLUG)
BOUNDS: dict[str, Word[Any]] = {
    "minimum": Word(NUMBER, key="at-least", default=None),
    "maximum": Word(NUMBER, key="at-most", default=None),
    "exactly": Word(NUMBER, default=None),
}


def _bounded(make: Callable[..., T]) -> Callable[..., T]:
    """`exactly` is both bounds."""

    def made(*, exactly: int | None, minimum: int | None, maximum: int | None, **said: Any) -> T:
        both = exactly is not None
        return make(minimum=exactly if both else minimum, maximum=exactly if both else maximum, **said)

    return made


def _needed(**said: Any) -> None:
    for word, value in said.items():
        if value in (None, ""):
            raise Misfit(word.replace("_", "-"), "is missing")


# --- how a deck is built ---------------------------------------------------------------------------------

LAW = record_of(
    Law,
    {
        "text": Word(TEXT),
        "document": Word(TEXT),
        "section": Word(TEXT, default=""),
        "uncertain": Word(TEXT, "if we aren’t sure of it: what", default=""),
    },
)


def _section(*, size_least_fact: str, size_fact: str, **said: Any) -> Section:
    return _bounded(Section)(
        size_fact=size_least_fact or size_fact, size_is_least=bool(size_least_fact), **said
    )


SECTION = record_of(
    _section,
    {
        "key": Word(SLUG),
        "title": Word(TEXT),
        "names": Word(each(FOLDED, frozenset), "headings", default=frozenset()),
        **BOUNDS,
        "outside": Word(TRUTH, "set aside, not part of the deck", default=False),
        "cite": CITE,
        "takes": Word(WHERE, "cards that belong here without a heading"),
        "uncounted": Word(WHERES, "cards that don’t count towards its size"),
        "adjust": Word(
            by_name(Kind(read=lambda node: node.number(-1_000)), key=TITLE), "`Title: n` cards more"
        ),
        "copies": Word(NUMBER, "of one card, here alone"),
        "size_fact": Word(FACT, "the leader's fact is the exact size", default=""),
        "size_least_fact": Word(FACT, "the least", default=""),
        "size_choice": Word(TEXT, "the player sets it"),
    },
    like=Section,
)
ASIDE = Section(
    key="considered",
    title="cards considered",
    names=frozenset({fold("Considered")}),
    minimum=None,
    maximum=None,
    outside=True,
    cite=Citation("", ""),
    considered=True,
)


def _sections(node: Node) -> tuple[Section, ...]:
    """The sections, and one for cards that a list only considers: they are no part of a deck in any format."""
    sections = tuple(SECTION.read(one) for one in node.elements(least=1))
    words = spellings_set_aside()
    named = {one.key for one in sections if any(shorthand(name) in words for name in one.names)}
    sections = tuple(replace(one, considered=one.outside and one.key in named) for one in sections)
    if not named and all(section.key != ASIDE.key for section in sections):
        sections = (*sections, ASIDE)
    node.scope.sections = [section.key for section in sections]
    return sections


def _copies(*, own_limits: tuple[DatedLimit, ...], **said: Any) -> tuple[CopyLimit, tuple[DatedLimit, ...]]:
    return CopyLimit(own={}, **said), own_limits


def _dated(*, sure_until: date | None, until: date, **said: Any) -> DatedLimit:
    return DatedLimit(sure_until=sure_until or until, until=until, **said)


DATED_LIMIT = record_of(
    _dated,
    {
        "key": Word(TITLE, key="title"),
        "maximum": Word(NUMBER, key="at-most"),
        "sure_until": Word(DAY, default=None),
        "until": Word(DAY, default=date.max),
        "cite": CITE,
    },
)
KIND_LIMIT = record_of(
    KindLimit,
    {
        "where": Word(WHERE),
        "maximum": Word(NUMBER, key="at-most"),
        "blank_is_fine": Word(TRUTH),
        "cite": CITE,
    },
)
COPIES = record_of(
    _copies,
    {
        "maximum": Word(NUMBER, key="at-most"),
        "cite": CITE,
        "own_limits": Word(each(DATED_LIMIT), "cards with a limit of their own until a date", default=()),
        "fact": Word(FACT, "the card's own limit"),
        "per": Word(FACT, "the fact that makes cards the same"),
        "kinds": Word(
            each(KIND_LIMIT),
            "`where`, `at-most`; of a card whose facts a partial catalog does not know it is unverified, unless "
            "`blank-is-fine`",
        ),
        "held": Word(NUMBERS, "`Title: n`: while it is in the deck"),
        "exempt": Word(WHERES),
    },
    like=CopyLimit,
)


def _values_in(fact: str, values: tuple[str, ...]) -> Where:
    return where_of({fact: list(values)})


def _excluded(*, where: Where | None, fact: str, values: tuple[str, ...] | None, **said: Any) -> Exclusion:
    if where is None:
        _needed(values=values, fact=fact)
    return Exclusion(where=where or _values_in(fact, values or ()), **said)


EXCLUDED = record_of(
    _excluded,
    {
        "code": CODE,
        "where": Word(WHERE, default=None),
        "fact": Word(FACT, "with `values`: instead of `where`", default=""),
        "values": Word(TEXTS, default=None),
        "because": Word(TEXT),
        "cite": CITE,
        "sections": Word(SECTIONS),
        "blank_is_fine": Word(TRUTH),
    },
    like=Exclusion,
)
QUOTA = record_of(
    _bounded(Quota),
    {
        "code": CODE,
        "what": Word(TEXT),
        "where": Word(WHERE),
        **BOUNDS,
        "cite": CITE,
        "sections": Word(SECTIONS),
        "when": Word(WHERE, "only if the deck has such a card"),
        "when_in": Word(SECTIONS, "in these sections"),
        "per_title": Word(TRUTH, "different titles count, not copies"),
        "per_fact": Word(FACT, "different values of a fact count"),
        "minimum_fact": Word(FACT, "of the leader", key="at-least-fact"),
        "each": Word(TRUTH, "the maximum is of each title"),
        "unlike": Word(FACT, "only cards without the leader's value of this fact"),
    },
    like=Quota,
)
MATCH = record_of(
    Match,
    {
        "code": CODE,
        "where": Word(WHERE),
        "fact": Word(FACT),
        "of": Word(WHERE),
        "because": Word(TEXT),
        "cite": CITE,
        "unless": Word(WHERE, "the deck has such a card"),
        "strict": Word(TRUTH, "also if there is no card `of`"),
    },
)
SWAP = record_of(lambda where, value: (where, value), {"where": Word(WHERE), "value": Word(TEXT, key="for")})
SLOTS = record_of(
    Slots,
    {
        "code": CODE,
        "what": Word(TEXT),
        "where": Word(WHERE),
        "fact": Word(FACT),
        "values": Word(TEXTS),
        "cite": CITE,
        "swaps": Word(each(SWAP), "next to a card `where`, one slot may be `for` another value"),
    },
)
SCALE = record_of(
    Scale,
    {
        "code": CODE,
        "what": Word(TEXT),
        "where": Word(WHERE),
        "fact": Word(FACT),
        "per": Word(Kind(read=_per)),
        "step": Word(NUMBER, key="adds"),
        "start": Word(NUMBER, key="from"),
        "spread": Word(NUMBER, key="within"),
        "cite": CITE,
        "when": Word(WHERE, "only if the deck has such a card"),
    },
)
ACCESS = record_of(
    Access,
    {
        "options": Word(FACT, "the leader's fact"),
        "sections": Word(SECTIONS),
        "cite": CITE,
        "exempt": Word(WHERES),
        "also": Word(each(Kind(read=_also)), "options that cards bring"),
        "bound": Word(FACT, "a card's fact naming its leaders"),
    },
)


def _number(*, as_many: Where | None, **said: Any) -> Number:
    if as_many is None:
        _needed(choice=said["choice"], by_choice=said["by_choice"])
    return Number(as_many=as_many) if as_many else Number(**said)


REQUIREMENT = record_of(
    Requirement,
    {
        "fact": Word(FACT),
        "sections": Word(SECTIONS),
        "cite": CITE,
        "copies": Word(FACT, "the fact that says how many"),
        "counts": Word(
            by_name(
                record_of(
                    _number,
                    {
                        "choice": Word(TEXT, default=""),
                        "by_choice": Word(by_name(NUMBER), default=None),
                        "as_many": Word(WHERE, default=None),
                        "fact": Word(FACT, default=""),
                    },
                ),
                key=TITLE,
            ),
            "cards whose number is another",
        ),
    },
)
WAIVER = record_of(
    _bounded(Waiver),
    {
        "where": Word(WHERE),
        "copies": Word(NUMBER),
        "leads": Word(WHERE, key="leader"),
        "counting": Word(WHERE),
        **BOUNDS,
    },
    like=Waiver,
)


def _told(**said: Any) -> Budget:
    """A sum over the deck; without `at-most` or `at-most-fact` it is only told."""
    return Budget(list_name="the rules", points={}, **said)


TOLD = record_of(
    _told,
    {
        "code": CODE,
        "unit": Word(TEXT),
        "maximum": Word(NUMBER, key="at-most", default=None),
        "cite": CITE,
        "facts": Word(each(FACT), required=True),
        "once": Word(WHERE, "paid once for all copies"),
        "maximum_fact": Word(FACT, "of the leader; without it there is no limit", key="at-most-fact"),
        "more": Word(each(FACT), "of cards, raise it", key="more-facts"),
        "unlike": Word(FACT, "cards with the leader's value of this fact cost nothing"),
        "waivers": Word(
            each(WAIVER),
            "cards `where` cost nothing: the first `copies`, beside the `leader`, with `at-least` or `at-most` cards "
            "`counting`",
            key="free",
        ),
    },
    like=Budget,
)


def _budgets(node: Node) -> tuple[Budget, ...]:
    found = tuple(TOLD.read(one) for one in node.elements())
    node.scope.budgets = {one.code: one for one in found}
    return found


UPGRADES = record_of(
    Upgrading,
    {
        "price": Word(each(FACT), "facts summed"),
        "same": Word(FACT, "the fact of one title's versions"),
        "level": Word(FACT),
        "minimum": Word(NUMBER, key="at-least", default=0),
        "unit": Word(TEXT),
        "cite": CITE,
        "sections": Word(SECTIONS),
        "once": Word(WHERE, "paid once for all copies"),
        "exempt": Word(WHERES),
        "changers": Word(each(TITLE, frozenset), "cards that make it uncertain", key="changed-by"),
    },
)
EXPANDS = record_of(lambda fact, cite: (fact, cite), {"fact": Word(FACT), "cite": CITE})


def _parts(*, expands: tuple[str, Citation], **said: Any) -> dict[str, Any]:
    return {**said, "expands": expands[0], "contents_cite": expands[1]}


CONSTRUCTION = record_of(
    _parts,
    {
        "titles_end_at_marks": Word(
            TRUTH,
            "what follows a colon or comma, or is in brackets, isn’t part of a title, unless a card has that name",
            default=False,
        ),
        "sections": Word(Kind(read=_sections, words=SECTION.words), "sections of a deck"),
        "copies": Word(COPIES, "of one card"),
        "exclusions": Word(each(EXCLUDED), "cards that can’t be in a deck", key="excluded", default=()),
        "quotas": Word(each(QUOTA), "so many of a kind", default=()),
        "matches": Word(each(MATCH), "every card `where` shares its `fact` with some card `of`", default=()),
        "scales": Word(
            each(SCALE),
            "the sum of a `fact` over the cards `where` is at least `from`, plus `adds` for every `per` cards of "
            "the deck, and at most `within` more",
            default=(),
        ),
        "slots": Word(
            each(SLOTS),
            "the cards `where` fill one slot for each of `values` of their `fact`; a card with several values fills "
            "any of them",
            default=(),
        ),
        "leader": Word(WHERE, "`where`: the card that says how its deck is built", default=None),
        "accesses": Word(each(ACCESS), "which cards the leader lets in", key="access", default=()),
        "requirements": Word(
            each(REQUIREMENT),
            "which cards the leader needs, in exactly that many copies; no copy limit applies",
            key="requires",
            default=(),
        ),
        "budgets": Word(
            Kind(read=_budgets, words=TOLD.words),
            "a sum over the deck, judged only with `at-most` or `at-most-fact`",
            key="tells",
            default=(),
        ),
        "expands": Word(
            EXPANDS,
            "cards come with the one the `fact` names (a specialty, a starter deck); a decklist names that one, or "
            "writes all of them out",
            default=("", Citation("", "")),
        ),
        "spellings": Word(
            by_name(FOLDED, key=FOLDED),
            "words that titles spell differently, also with a number behind them (`experienced: exp`)",
            default={},
        ),
        "upgrades": Word(UPGRADES, "what the next version of a deck costs", default=None),
        "list_choice": Word(TEXT, "the choice by which a deck names its restriction list", default=""),
    },
)


# --- lists and their dates ---------------------------------------------------------------------------------


def _surcharge(
    *, on: Budget | None, fact: str, unit: str, maximum: int | None, floor: int | None, **said: Any
) -> Budget:
    """Cards that cost more of something every card has (influence, experience) than is printed on them; upon one of the
    format's sums, its limit and exceptions hold."""
    if on is not None:
        return replace(on, floor=floor, **said)
    _needed(unit=unit, at_most=maximum, fact=fact)
    return Budget(code="over-budget", unit=unit, maximum=maximum, facts=(fact,), **said)


def _pool(
    *, list_name: str, fact: str, values: tuple[str, ...] | None, pool: tuple[str, ...] | None, **said: Any
) -> Exclusion:
    named = pool if pool is not None else values
    _needed(values=named)
    return Exclusion(
        code="not-in-pool",
        where=where_of({fact: {"not": list(named or ())}}),
        because=f"it is not in the pool of {list_name}",
        listed=True,
        **said,
    )


def _exclusive(*, list_name: str, maximum: int | None, beside: frozenset[str], **said: Any) -> Choice:
    if not beside:
        list_name = f"a list of cards that exclude each other ({list_name})"
        return Choice(list_name=list_name, maximum=1 if maximum is None else maximum, beside=beside, **said)
    return Choice(list_name=list_name, maximum=maximum or 0, beside=beside, **said)


TITLE_SET = Kind(read=lambda node: frozenset(_titles(node)))


def _listed(
    key: str, says: str, of: Record[Restriction], *, code: str = "", name: str = "{title}", **further: Any
) -> Word[tuple[Restriction, ...]]:
    """A word of a list: one block of restrictions, or a list of them. code: of its finding; name: what it is called in
    one, by the list's title and document; further: what its blocks do not say."""

    def block(node: Node) -> Restriction:
        said = (
            {"list_name": name.format(title=node.scope.title, document=node.scope.document)} if name else {}
        )
        return of.read(node, **said, **({"code": code} if code else {}), **further)

    def read(node: Node) -> tuple[Restriction, ...]:
        return tuple(map(block, node.elements() if node.is_list() else [node]))

    return Word(Kind(read=read, words=of.words), says, key=key, default=())


LISTED = (
    _listed(
        "banned",
        "no copy (finding `banned`)",
        record_of(
            Cap,
            {
                "cite": CITE,
                "maximum": Word(Kind(read=lambda node: dict.fromkeys(_titles(node), 0)), key="titles"),
            },
        ),
        code="banned",
        name="the banned list of {document}",
    ),
    _listed(
        "restricted",
        "at most one (`at-most`) of these titles, with the usual number of copies (`restricted`)",
        record_of(
            Choice,
            {"cite": CITE, "titles": Word(TITLE_SET), "maximum": Word(NUMBER, key="at-most", default=1)},
        ),
        code="restricted",
        name="the restricted list of {document}",
    ),
    _listed(
        "limits",
        "at most n copies (`limited`)",
        record_of(Cap, {"cite": CITE, "maximum": Word(NUMBERS, "`Title: n`", key="copies")}),
        code="limited",
    ),
    _listed(
        "exclusive",
        "as above, for a group; with `beside`, only in decks that have one of those cards (`excluded-together`)",
        record_of(
            _exclusive,
            {
                "cite": CITE,
                "titles": Word(TITLE_SET),
                "maximum": Word(NUMBER, key="at-most", default=None),
                "beside": Word(TITLE_SET),
            },
            like=Choice,
        ),
        code="excluded-together",
    ),
    _listed(
        "points",
        "points per `copy` or `title` within a limit (`too-many-points`)",
        record_of(
            Budget,
            {
                "cite": CITE,
                "points": Word(NUMBERS, "`Title: n`"),
                "maximum": Word(NUMBER, key="at-most"),
                "per_copy": Word(Kind(read=lambda node: node.one_of(("copy", "title")) == "copy"), key="per"),
                "unit": Word(TEXT, default="points"),
            },
        ),
        code="too-many-points",
    ),
    _listed(
        "surcharge",
        "a fact of every card plus extra points within a limit (`over-budget`, or the code of `on`)",
        record_of(
            _surcharge,
            {
                "cite": CITE,
                "fact": Word(FACT, default=""),
                "points": Word(NUMBERS, "`Title: n`", key="extra"),
                "maximum": Word(NUMBER, key="at-most", default=None),
                "unit": Word(TEXT, default=""),
                "on": Word(
                    Kind(read=lambda node: node.scope.budgets[node.one_of(node.scope.budgets, "sum")]),
                    "one of `tells`, by its code, with its limit instead of `fact`, `at-most` and `unit`",
                    default=None,
                ),
                "floor": Word(NUMBER, "the extra lowers the limit, down to this", default=None),
            },
        ),
    ),
    _listed(
        "pool",
        "only cards whose fact has one of the values (`not-in-pool`)",
        record_of(
            _pool,
            {
                "cite": CITE,
                "fact": Word(FACT),
                "values": Word(TEXTS, default=None),
                "pool": Word(
                    Kind(read=lambda node: node.scope.pools[node.one_of(node.scope.pools, "pool")]),
                    "one of the `pools`, instead of `values`",
                    key="of",
                    default=None,
                ),
                "blank_is_fine": Word(TRUTH, default=False),
                "open": Word(TRUTH, "our data may not have all its values", default=False),
            },
        ),
    ),
    _listed(
        "banned-kinds",
        "no card of this kind (`banned`)",
        record_of(Exclusion, {"cite": CITE, "where": Word(WHERE), "because": Word(TEXT)}),
        code="banned",
        name="",
        blank_is_fine=True,
        listed=True,
    ),
)


def _card_list(*, title: str, document: str, errata: Mapping[str, Any], **blocks: Any) -> CardList:
    restrictions = tuple(rule for block in blocks.values() for rule in block)
    banned = {
        key
        for rule in restrictions
        if isinstance(rule, Cap) and rule.code == "banned"
        for key in rule.maximum
    }
    for rule in restrictions:
        if isinstance(rule, Choice) and (both := banned & rule.titles):
            raise Misfit("", f"has “{min(both)}”, which is both banned and {rule.code}")
    return CardList("", title, document, restrictions, errata)


LIST = record_of(
    _card_list,
    {
        "title": Word(TEXT),
        "document": Word(TEXT),
        **{one.key: one for one in LISTED},
        "errata": Word(
            by_name(Kind(read=lambda node: dict(node.plain())), key=TITLE),
            "`{Title: {fact: value}}`: these facts replace the card's own",
            default={},
        ),
    },
)


def _lists(node: Node) -> dict[str, CardList]:
    found = {}
    for key, one in node.items():
        within = replace(node.scope, title=one["title"].text(), document=one["document"].text())
        found[key] = replace(LIST.read(one.within(within)), key=key)
    node.scope.lists = found
    return found


CHANGE = record_of(
    Change,
    {
        "since": Word(DAY, key="from"),
        "list": Word(Kind(read=lambda node: node.one_of(node.scope.lists, "list"))),
        "doubt": Word(TEXT, default=""),
        "basis": Word(TEXT),
    },
)


def _timeline(node: Node) -> tuple[Change, ...]:
    changes: list[Change] = []
    for entry in node.elements(least=1):
        change = CHANGE.read(entry)
        if changes and change.since <= changes[-1].since:
            raise entry["from"].wrong(f"isn’t later than {changes[-1].since}")
        changes.append(change)
    return tuple(changes)


def _releases(*, cite: Citation, days: Mapping[str, date]) -> tuple[Release, ...]:
    return tuple(Release(name, day, cite) for name, day in days.items())


def _law(node: Node) -> dict[str, Law]:
    node.scope.law = {rule: LAW.read(one) for rule, one in node.items()}
    return dict(node.scope.law)


def _pools(node: Node) -> dict[str, tuple[str, ...]]:
    node.scope.pools = {key: TEXTS.read(one) for key, one in node.items()}
    return dict(node.scope.pools)


def _packs(node: Node) -> dict[str, str]:
    """The folded name of a pack -> the folded name of the set that the card data names for it."""
    return {fold(pack): fold(cycle) for cycle, packs in node.items() for pack in TEXTS.read(packs)}


def _format(
    *,
    construction: dict[str, Any],
    pools: Any,
    packs: Mapping[str, str],
    shorthands: Mapping[str, tuple[str, ...]],
    default_on: date,
    timeline: tuple[Change, ...],
    **said: Any,
) -> Format:
    if default_on < (first := timeline[0].since):
        raise Misfit(
            "default-on",
            "is before the timeline begins",
            f"Write a day from {first.isoformat()} on, also where the format it extends has one.",
        )
    building = {**construction, "packs": packs, "shorthands": shorthands}
    copies, dated = building.pop("copies")
    return Format(
        default_on=default_on,
        timeline=timeline,
        copies=copies,
        dated_limits=dated,
        **{word: building.pop(word) for word in ("sections", "exclusions", "titles_end_at_marks")},
        building=building,
        **said,
    )


_FORMAT = record_of(
    _format,
    {
        "key": Word(SLUG, "its name in addresses and files"),
        "title": Word(TEXT),
        "game": Word(SLUG, "the catalog (`decks/catalog/GAME.csv`) in which it looks up cards"),
        "default_on": Word(DAY, "the date to use if no one names one"),
        "law": Word(Kind(read=_law, words=LAW.words), "every rule that findings cite, in our words"),
        "construction": Word(replace(CONSTRUCTION, words={}), "how a deck is built, see below"),
        "aliases": Word(
            by_name(FOLDED, key=FOLDED), "misprints and shortened titles -> the title", default={}
        ),
        "shorthands": Word(
            by_name(TEXTS, key=Kind(read=lambda node: shorthand(node.text()))),
            "one word for several cards (`Mono-Green: [Balance, Feral, Growth, Green Starter]`), with a hyphen, a "
            "space or neither. If the deck names another card for a section, that one replaces the one it brings",
            default={},
        ),
        "packs": Word(
            Kind(read=_packs),
            "sets of the card data -> the names people use for them. They are only compared; they never decide which "
            "card is meant",
            default={},
        ),
        "pools": Word(
            Kind(read=_pools), "named sets of values (the sets of a rotation) that lists use", default={}
        ),
        "released": Word(
            record_of(_releases, {"cite": CITE, "days": Word(by_name(DAY), "set -> the day")}),
            "from which day the cards of a set may be played; before it a card of that set alone is `not-yet-released`",
            default=(),
        ),
        "lists": Word(Kind(read=_lists), "named restriction lists, see below"),
        "timeline": Word(
            Kind(read=_timeline),
            "`from` which date which `list` applies, on what `basis`; with a `doubt` if we don’t know",
        ),
    },
)
FORMAT = replace(_FORMAT, read=lambda node: _FORMAT.read(node, named=node.scope.titles))
"""A whole file. Its node's scope is an empty `Scope`."""
