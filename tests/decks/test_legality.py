"""The law of decks, on a game nobody plays: every primitive by itself."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from decks.cards.index import CardFacts, CatalogIndex, PrintingFacts
from decks.judging.judgement import judge
from decks.legality import (
    Budget,
    Cap,
    Choice,
    Citation,
    CopyLimit,
    Exclusion,
    OwnLimit,
    Period,
    Quota,
    Report,
    Restriction,
    Section,
    Snapshot,
    overridden,
    sealed,
    where_of,
)
from decks.lists import fold, read

RULE = Citation("T-1", "Toy rules")
LISTED = Citation("T-2", "Toy rules, lists")
CARDS: dict[str, dict[str, Any]] = {
    "Apple": {"type": "fruit", "influence": 1},
    "Bread": {"type": "food", "influence": 2, "limit": 6},
    "Cheese": {"type": "food"},
    "Dagger": {"type": ["weapon", "tool"]},
    "Egg, Boiled": {"type": "food"},
    "Flask": {},
}


def catalog(*, partial: bool = False) -> CatalogIndex:
    cards = [CardFacts(title, fold(title), facts, ()) for title, facts in CARDS.items()]
    return CatalogIndex(cards, game="toy", name="Toy", partial=partial, version="1")


def toy(*restrictions: Restriction, **changes: Any) -> Snapshot:
    """A deck of at least 3 cards, 2 of each, with a side deck of at most 1."""
    fields: dict[str, Any] = {
        "format": "toy",
        "title": "Toy",
        "on": date(2020, 1, 1),
        "digest": "",
        "period": Period("the toy list", date(2019, 1, 1), None, "", "printed"),
        "sections": (
            Section("main", "deck", frozenset(), 3, None, False, RULE),
            Section("side", "side deck", frozenset({"side"}), None, 1, False, RULE),
            Section("box", "box", frozenset({"box"}), None, None, True, RULE),
        ),
        "copies": CopyLimit(2, RULE, {}),
        "exclusions": (),
        "restrictions": restrictions,
        "titles_end_at_marks": True,
        "aliases": {"appel": "apple"},
        "named": {"ghost": "Ghost"},
    }
    return sealed(Snapshot(**(fields | changes)))


def report(text: str, snapshot: Snapshot, *, partial: bool = False) -> Report:
    return judge(read(text), snapshot, catalog(partial=partial)).report


def told(
    text: str, snapshot: Snapshot, *, partial: bool = False
) -> list[tuple[str, str, int | None, int | None]]:
    found = report(text, snapshot, partial=partial)
    return [(f.code, f.severity.value, f.have, f.allowed) for f in found.findings]


CAP = Cap("banned", "the toy list", {"dagger": 0, "apple": 1}, LISTED)
ONE_OF = Choice("restricted", "the toy list", frozenset({"apple", "bread", "cheese"}), 1, LISTED)
PAIR = Choice(
    "excluded-together", "the toy list", frozenset({"bread"}), 0, LISTED, beside=frozenset({"cheese"})
)
POINTS = Budget("too-many-points", "the toy list", "points", {"apple": 3, "bread": 1}, 5, LISTED)
POINTS_BY_TITLE = replace(POINTS, per_copy=False)
SURCHARGE = Budget("over-budget", "the toy list", "influence", {"apple": 1}, 4, LISTED, facts=("influence",))
NO_TOOLS = Exclusion("wrong-type", where_of({"type": "tool"}), "it is a tool", RULE)


@pytest.mark.parametrize(
    ("text", "restrictions", "expected"),
    [
        ("2 Apple\n1 Cheese", (), []),
        ("2 Apple", (), [("too-few-cards", "illegal", 2, 3)]),
        ("2 Apple\n2 Cheese\nSide:\n2 Bread", (), [("too-many-cards", "illegal", 2, 1)]),
        # Sections are counted apart, copies together.
        ("2 Apple\n2 Cheese\nSide:\n1 Apple", (), [("too-many-copies", "illegal", 3, 2)]),
        # What lies outside is neither.
        ("2 Apple\n2 Cheese\nBox:\n9 Apple", (), []),
        ("3 Apple", (), [("too-many-copies", "illegal", 3, 2)]),
        ("1 Apple\n1 Apple\n1 Appel", (), [("too-many-copies", "illegal", 3, 2)]),
        ("1 Apple\n2 Cheese\n1 Dagger", (CAP,), [("banned", "illegal", 1, 0)]),
        ("2 Apple\n2 Cheese", (CAP,), [("banned", "illegal", 2, 1)]),
        ("2 Apple\n2 Dagger", (ONE_OF,), []),
        ("2 Apple\n2 Cheese", (ONE_OF,), [("restricted", "illegal", 2, 1)]),
        ("2 Bread\n2 Dagger", (PAIR,), []),
        ("2 Bread\n2 Cheese", (PAIR,), [("excluded-together", "illegal", 1, 0)]),
        ("1 Apple\n2 Bread", (POINTS,), []),
        ("2 Apple\n2 Bread", (POINTS,), [("too-many-points", "illegal", 8, 5)]),
        ("2 Apple\n2 Bread", (POINTS_BY_TITLE,), []),
        ("1 Apple\n1 Bread\n1 Cheese", (SURCHARGE,), []),
        ("1 Apple\n2 Bread", (SURCHARGE,), [("over-budget", "illegal", 6, 4)]),
    ],
)
def test_each_rule_by_itself(text: str, restrictions: tuple[Restriction, ...], expected: list[Any]) -> None:
    assert told(text, toy(*restrictions)) == expected


def test_every_finding_is_told_not_the_first() -> None:
    codes = [f.code for f in report("3 Bread\n1 Dagger\n1 Apple", toy(CAP, ONE_OF, POINTS)).findings]
    assert codes == ["too-many-copies", "banned", "restricted", "too-many-points"]


def test_a_finding_names_cards_numbers_rule_place_and_remedy() -> None:
    (finding,) = report("2 Apple\n\n2 Cheese", toy(ONE_OF)).findings
    assert finding.as_json() == {
        "code": "restricted",
        "severity": "illegal",
        "message": "Apple and Cheese are on the toy list; a deck may use one title of it.",
        "cards": [{"name": "Apple", "count": 2}, {"name": "Cheese", "count": 2}],
        "have": 2,
        "allowed": 1,
        "rule": "T-2",
        "source": "Toy rules, lists",
        "remedy": "Keep one of them and take out the others.",
        "line": 3,
        "suggestions": [],
    }


def test_a_list_without_deck_cards_is_empty() -> None:
    assert told("Box:\n1 Apple", toy()) == [("empty-list", "illegal", 0, 3)]


# --- what we do not know -----------------------------------------------------------------------------


def test_without_any_card_data_that_is_said_once_and_nothing_is_certain_of_the_cards() -> None:
    nothing = CatalogIndex([], game="toy", name="Toy", partial=True, version="0")
    found = judge(read("2 Apple\n1 Cheese"), toy(), nothing).report
    assert [(f.code, f.severity.value, f.have) for f in found.findings] == [("no-card-data", "unverified", 3)]
    assert [card.name for card in found.findings[0].cards] == ["Apple", "Cheese"]


def test_an_unknown_card_is_unverified_in_a_partial_catalog_and_illegal_in_a_whole_one() -> None:
    text = "2 Apple\n2 Chese"
    assert told(text, toy(), partial=True) == [("unknown-card", "unverified", 2, None)]
    assert told(text, toy()) == [("unknown-card", "illegal", 2, None)]
    assert report(text, toy()).findings[0].suggestions[0] == "Cheese"


def test_an_unknown_card_does_not_hide_what_is_certain() -> None:
    found = report("3 Chese\n1 Dagger", toy(CAP), partial=True)
    assert [f.code for f in found.findings] == ["too-many-copies", "banned", "unknown-card"]
    assert found.verdict == "illegal"


def test_a_listed_card_is_found_though_the_catalog_lacks_it() -> None:
    ghost = Cap("banned", "the toy list", {"ghost": 0}, LISTED)
    assert told("2 Apple\n1 ghost", toy(ghost), partial=True) == [
        ("banned", "illegal", 1, 0),
        ("unknown-card", "unverified", 1, None),
    ]


def test_where_cards_may_have_limits_of_their_own_an_unknown_one_is_unverified() -> None:
    by_fact = toy(copies=CopyLimit(2, RULE, {}, fact="limit"))
    assert told("6 Bread", by_fact) == []
    assert told("7 Bread", by_fact) == [("too-many-copies", "illegal", 7, 6)]
    assert told("3 Apple", by_fact) == [("too-many-copies", "illegal", 3, 2)]
    assert ("too-many-copies", "unverified", 3, 2) in told("3 Ghoul", by_fact, partial=True)


@pytest.mark.parametrize(
    ("limit", "count", "severity"),
    [
        (OwnLimit(8, LISTED), 8, None),
        (OwnLimit(8, LISTED), 9, "illegal"),
        (OwnLimit(8, LISTED, doubt="It may have ended."), 8, "unverified"),
        (OwnLimit(8, LISTED, doubt="It may have ended."), 9, "illegal"),
        (OwnLimit(None, LISTED), 8, "illegal"),
        (OwnLimit(1, LISTED), 2, "illegal"),
    ],
)
def test_a_card_may_have_a_limit_of_its_own_or_have_lost_it(
    limit: OwnLimit, count: int, severity: str | None
) -> None:
    snapshot = toy(copies=CopyLimit(2, RULE, {"apple": limit}))
    found = report(f"{count} Apple\n2 Cheese", snapshot).findings
    assert [f.severity.value for f in found] == ([severity] if severity else [])
    assert all(f.rule == "T-2" for f in found)


def test_a_card_of_the_wrong_kind_is_excluded_and_an_unknown_kind_is_unverified() -> None:
    snapshot = toy(exclusions=(NO_TOOLS,))
    assert told("2 Apple\n1 Dagger", snapshot) == [("wrong-type", "illegal", 1, 0)]
    assert told("2 Apple\n1 Flask", snapshot) == []
    assert told("2 Apple\n1 Flask", snapshot, partial=True) == [("unknown-type", "unverified", None, None)]
    relaxed = toy(exclusions=(replace(NO_TOOLS, blank_is_fine=True),))
    assert told("2 Apple\n1 Flask", relaxed, partial=True) == []


def test_a_title_printed_as_two_kinds_is_shut_out_only_where_it_can_be_nothing_else() -> None:
    tools = Exclusion("no-tools", where_of({"type": {"only": ["tool"]}}), "it is a tool", RULE)
    assert "no-tools" not in codes_of("3 Apple\n1 Dagger", exclusions=(tools,))  # a weapon and a tool
    both = Exclusion("no-tools", where_of({"type": {"only": ["tool", "weapon"]}}), "it is a tool", RULE)
    assert "no-tools" in codes_of("3 Apple\n1 Dagger", exclusions=(both,))


def codes_of(text: str, **changes: Any) -> list[str]:
    return [finding.code for finding in judge(read(text), toy(**changes), catalog()).report.findings]


def test_on_a_date_whose_list_we_do_not_know_the_list_convicts_nobody() -> None:
    gap = toy(CAP, period=Period("the toy list", date(2019, 1, 1), None, "The list is lost.", "hearsay"))
    assert told("2 Cheese\n1 Dagger", gap) == [
        ("outside-known-timeline", "unverified", None, None),
        ("banned", "unverified", 1, 0),
    ]
    assert report("1 Dagger", gap).verdict == "illegal", "too few cards stays certain"


def test_a_line_nobody_can_read_is_unverified_unless_it_is_a_card() -> None:
    assert told("2 Apple\n1 Cheese\nsomething", toy()) == [("unread-line", "unverified", None, None)]
    assert told("2 Apple\nCheese", toy()) == [], "a card without a count is one copy"
    assert told("2 Apple\n2 Dagger\n\nCheese\n1 Bread", toy()) == [("unread-line", "unverified", None, None)]


def test_an_unread_line_may_hold_the_cards_that_are_missing_but_no_more_than_one_card_can() -> None:
    unread = ("unread-line", "unverified", None, None)
    assert told("1 Apple\nsomething", toy()) == [("too-few-cards", "unverified", 1, 3), unread]
    bigger = replace(toy().sections[0], minimum=5)
    assert told("2 Apple\nsomething", toy(sections=(bigger,))) == [
        ("too-few-cards", "illegal", 2, 5),
        unread,
    ]
    fruit = Quota("fruits", "fruits", where_of({"type": "fruit"}), 1, None, RULE)
    assert ("too-few-fruits", "unverified", 0, 1) in told("3 Bread\nsomething", toy(quotas=(fruit,)))


def test_another_list_than_the_deck_names_is_said_and_holds_no_card() -> None:
    free = toy(list_choice="taboo")
    deck = replace(read("1 Apple"), choices={"taboo": "99"})
    found = judge(deck, free, catalog()).report.findings
    assert [(one.code, one.severity.value) for one in found] == [
        ("too-few-cards", "illegal"),
        ("other-list", "unverified"),
    ]
    assert "the toy list" in found[1].message and "count" not in found[1].remedy


def test_a_rule_may_ask_for_a_title_or_a_set() -> None:
    cards = [
        CardFacts("Apple", "apple", {}, (PrintingFacts("Garden"),)),
        CardFacts("Bread", "bread", {}, (PrintingFacts("Garden"), PrintingFacts("Oven"))),
    ]
    larder = CatalogIndex(cards, game="toy", name="Toy", partial=False, version="1")
    only = Exclusion("old", where_of({"set": {"only": ["Garden"]}}), "its set is out", RULE)
    named = Exclusion("bread", where_of({"title": "Bread"}), "it is bread", RULE)
    law = toy(exclusions=(only, named))
    assert [one.code for one in judge(read("2 Apple\n2 Bread"), law, larder).report.findings] == [
        "old",
        "bread",
    ]


# --- identity ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        "Apple: The Red One",
        "Apple (Golden Orchard 12)",
        "Apple, Prince of Fruit",
        "APPLE",
        "* Apple",
        "Appel",
    ],
)
def test_what_follows_the_title_does_not_make_another_card(written: str) -> None:
    assert ("too-many-copies", "illegal", 3, 2) in told(f"2 Apple\n1 {written}", toy())


def test_a_title_may_hold_a_mark_itself() -> None:
    assert told("2 Egg, Boiled\n2 Apple", toy()) == []


def test_a_card_that_may_have_been_taken_for_a_descriptor_is_doubtful() -> None:
    assert told("2 Apple, Cheese\n2 Bread", toy()) == [("unread-line", "unverified", None, None)]


def test_where_the_format_says_so_a_descriptor_makes_another_name() -> None:
    assert ("unknown-card", "illegal", 1, None) in told(
        "2 Apple\n1 Apple: The Red One", toy(titles_end_at_marks=False)
    )


# --- snapshots ---------------------------------------------------------------------------------------


def test_equal_content_has_equal_digests_and_the_date_is_not_content() -> None:
    assert toy(CAP).digest == toy(CAP, on=date(2021, 5, 5)).digest
    assert toy(CAP).digest != toy(ONE_OF).digest
    assert toy(CAP).id == f"toy/2020-01-01/{toy(CAP).digest}"


@pytest.mark.parametrize(
    ("changes", "gone"),
    [
        ({"T-1": 9}, "too-many-copies"),
        ({"T-1": None}, "too-many-copies"),
        ({"T-2": None}, "banned"),
        ({"T-2": 3}, "banned"),
    ],
)
def test_an_event_may_change_or_leave_out_a_rule_by_its_id(changes: dict[str, int | None], gone: str) -> None:
    before = toy(CAP)
    after = overridden(before, changes)
    text = "3 Cheese\n1 Dagger"
    assert gone in [f.code for f in report(text, before).findings]
    assert gone not in [f.code for f in report(text, after).findings]
    assert after.digest != before.digest


def codes(findings: Iterable[Any]) -> list[str]:
    return [finding.code for finding in findings]


def test_an_event_may_set_the_size() -> None:
    assert codes(report("2 Apple\n2 Cheese", overridden(toy(), {"T-1": 5})).findings) == ["too-few-cards"]


def test_a_flood_of_unknown_names_is_not_searched_for_one_by_one() -> None:
    lines = "\n".join(f"1 Applee {number}" for number in range(200))
    findings = report(lines, toy(), partial=True).findings
    assert len(findings) == 200, "each is still told"
    assert len([finding for finding in findings if finding.suggestions]) == 60
