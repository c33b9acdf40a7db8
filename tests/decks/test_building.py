"""How decks of games with leaders are built, on a game nobody plays: every rule by itself."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from decks.cards.index import CardFacts, CatalogIndex, PrintingFacts
from decks.judging.judgement import judge
from decks.legality import (
    Access,
    Citation,
    CopyLimit,
    Exclusion,
    KindLimit,
    Match,
    Number,
    Period,
    Quota,
    Report,
    Requirement,
    Section,
    Snapshot,
    expand,
    identify,
    sealed,
    where_of,
)
from decks.lists import DeckList, ListEntry, fold, read

RULE = Citation("T-1", "Toy rules")
UNIQUE = KindLimit(where_of({"unique": True}), 1, RULE, blank_is_fine=True)
CARDS: dict[str, dict[str, Any]] = {
    "King": {
        "type": "leader",
        "size": 3,
        "clan": "red",
        "codes": ["k1"],
        "options": [
            {"not": True, "where": {"traits": ["cursed"]}},
            {"where": {"color": "red"}},
            {"where": {"color": "blue"}, "limit": 2, "error": "two of another colour"},
            {"where": {"traits": ["tool"]}, "limit": 1},
        ],
        "requires": [["s1", "s2"]],
        "titles": {"s1": "Seal"},
    },
    "Queen": {
        "type": "leader",
        "sizes": [2, 4],
        "options": [
            {"choice": "size", "sizes": [2, 4], "name": "Size"},
            {
                "choice": "colour",
                "fact": "color",
                "among": ["red", "blue"],
                "where": {"level": {"at-most": 1}},
            },
            {
                "atleast": {"fact": "color", "values": ["red", "blue"], "different": 1, "min": 2},
                "grants": False,
            },
        ],
    },
    "Red": {"type": "card", "color": "red", "name": "Red", "level": 0},
    "Red (2)": {"type": "card", "color": "red", "name": "Red", "level": 2},
    "Blue": {"type": "card", "color": "blue", "level": 0},
    "Blue Tool": {"type": "card", "color": "blue", "traits": ["tool"], "level": 0},
    "Tool": {"type": "card", "color": "grey", "traits": ["tool"]},
    "Curse": {"type": "card", "color": "red", "traits": ["cursed"]},
    "Seal": {"type": "seal", "codes": ["s1"], "quantity": 2},
    "Old Seal": {"type": "seal", "codes": ["s2"], "quantity": 1},
    "Crown": {"type": "card", "color": "red", "only-for": [{"codes": ["k1"]}]},
    "Gem": {"type": "card", "color": "red", "unique": True},
    "Opener": {"type": "card", "color": "red"},
    "Clansman": {"type": "card", "color": "red", "clan": "blue", "loyal": True},
    "Stranger": {"type": "card", "color": "red", "clan": "blue"},  # loyal or not: unknown
    "Box": {"type": "box", "color": "red"},
    "Nail": {"type": "nail", "color": "red", "comes-with": "Box", "copies": 2},
    "Axe": {
        "type": "card",
        "color": "grey",
        "traits": ["wood"],
        "upgrades": [{"boxes": 1, "adds": {"traits": ["tool"]}}, {"boxes": 3, "sets": {"color": "red"}}],
        "boxes-per-level": 2,
    },
}


def catalog(*, partial: bool = False) -> CatalogIndex:
    cards = [
        CardFacts(
            title,
            fold(title),
            facts,
            tuple(PrintingFacts("", "", "", code) for code in facts.get("codes", ())),
        )
        for title, facts in CARDS.items()
    ]
    return CatalogIndex(cards, game="toy", name="Toy", partial=partial, version="1")


def toy(**changes: Any) -> Snapshot:
    fields: dict[str, Any] = {
        "format": "toy",
        "title": "Toy",
        "on": date(2020, 1, 1),
        "digest": "",
        "period": Period("no list", date(2019, 1, 1), None, "", "printed"),
        "sections": (
            Section(
                "deck", "deck", frozenset({"deck"}), None, None, False, RULE,
                takes=where_of({"type": ["card", "seal", "nail"]}),
                uncounted=(where_of({"type": "seal"}),),
                size_fact="size",
                size_choice="size",
                adjust={"opener": 1},
            ),
            Section(
                "leader", "leader", frozenset({"leader"}), None, None, True, RULE,
                takes=where_of({"type": ["leader", "box"]}),
            ),
        ),
        "copies": CopyLimit(2, RULE, {}, per="name", kinds=(UNIQUE,)),
        "exclusions": (),
        "restrictions": (),
        "titles_end_at_marks": False,
        "aliases": {},
        "named": {},
        "leader": where_of({"type": "leader"}),
        "quotas": (
            Quota("leaders", "leaders", where_of({"type": "leader"}), 1, 1, RULE, frozenset({"leader"})),
        ),
        "accesses": (
            Access(
                "options",
                frozenset({"deck"}),
                RULE,
                exempt=(where_of({"type": "seal"}),),
                also=(("opener", {"where": {"color": "grey"}, "limit": 1}),),
                bound="only-for",
            ),
        ),
        "requirements": (Requirement("requires", frozenset({"deck"}), RULE, copies="quantity"),),
    }  # fmt: skip
    return sealed(Snapshot(**(fields | changes)))


def report(text: str, snapshot: Snapshot | None = None, *, partial: bool = False, **choices: str) -> Report:
    listed = replace(read(text), choices=choices)
    return judge(listed, snapshot or toy(), catalog(partial=partial)).report


def told(
    text: str, snapshot: Snapshot | None = None, *, partial: bool = False, **choices: str
) -> list[tuple[Any, ...]]:
    found = report(text, snapshot, partial=partial, **choices)
    return [(f.code, f.severity.value, f.have, f.allowed) for f in found.findings]


SEALED = "1 King\n1 Old Seal\n"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("2 Red\n1 Gem", []),
        # The size is the leader's; the seal does not count; a card of the deck changes it.
        ("2 Red", [("too-few-cards", "illegal", 2, 3)]),
        ("2 Red\n1 Gem\n1 Opener", []),
        # Limited options: two blue ones at most.
        ("1 Red\n2 Blue", []),
        ("2 Blue\n1 Blue Tool", []),  # the tool finds room among the tools
        ("1 Blue\n1 Blue Tool\n1 Tool\n1 Opener", []),  # and makes room there: the opener lets one grey in
        ("1 Blue\n2 Blue Tool", []),
        (
            "2 Blue\n2 Blue Tool\n1 Opener",
            [("too-many-by-option", "illegal", 4, 3), ("too-many-cards", "illegal", 5, 4)],
        ),
        ("2 Red\n1 Tool", []),
        ("1 Red\n2 Tool", [("too-many-by-option", "illegal", 2, 1)]),
        # What an earlier "not" shuts out, no later option lets in.
        ("2 Red\n1 Curse", [("not-allowed-here", "illegal", 1, 0)]),
        # Copies are counted by name, whatever the level; unique cards have one.
        ("2 Red\n1 Red (2)", [("too-many-copies", "illegal", 3, 2)]),
        ("1 Red\n2 Gem", [("too-many-copies", "illegal", 2, 1)]),
        ("2 Red\n1 Crown", []),
    ],
)
def test_a_leaders_deck(lines: str, expected: list[Any]) -> None:
    assert sorted(told(SEALED + lines)) == sorted(expected)


def test_of_a_required_group_one_card_must_be_in_whole() -> None:
    deck = "2 Red\n1 Gem\n1 King\n"
    assert told(deck + "1 Old Seal") == told(deck + "2 Seal") == []
    assert told(deck + "1 Seal") == [("missing-required-card", "illegal", 1, 2)]
    (finding,) = report(deck).findings
    assert (finding.code, finding.cards[0].name, finding.remedy) == (
        "missing-required-card",
        "Seal",
        "Add 1 copy of Seal.",
    )


def test_a_required_number_may_depend_on_the_deck() -> None:
    counts = {"seal": Number(as_many=where_of({"color": "blue"}))}
    law = toy(requirements=(Requirement("requires", frozenset({"deck"}), RULE, "quantity", counts),))
    assert told("1 King\n1 Seal\n2 Red\n1 Blue", law) == []
    assert told("1 King\n1 Seal\n1 Red\n2 Blue", law) == [("missing-required-card", "illegal", 1, 2)]


def test_a_card_bound_to_another_leader_is_not_for_this_one() -> None:
    codes = [finding.code for finding in report("1 Queen\n1 Crown\n1 Red", size="2", colour="red").findings]
    assert codes == ["not-for-this-leader", "not-allowed-here"]


def test_choices_the_leader_asks_for_must_be_made_and_count() -> None:
    missing = [finding.code for finding in report("1 Queen\n2 Red").findings]
    assert missing.count("choice-missing") == 2
    assert told("1 Queen\n2 Red", size="2", colour="red") == []
    assert told("1 Queen\n2 Red", size="4", colour="red") == [("too-few-cards", "illegal", 2, 4)]
    assert [code for code, *_ in told("1 Queen\n2 Red", size="2", colour="blue")] == ["not-allowed-here"]


def test_a_demand_of_so_many_of_a_kind() -> None:
    assert [code for code, *_ in told("1 Queen\n1 Red\n1 Blue", size="2", colour="red")] == [
        "not-allowed-here",
        "demand-not-met",
    ]


def test_without_a_leader_only_that_is_said() -> None:
    assert told("2 Red") == [("too-few-leaders", "illegal", 0, 1)]
    assert told("2 Red\nLeader:\n1 Duke", partial=True) == [
        ("too-few-leaders", "unverified", 0, 1),
        ("unknown-card", "unverified", 1, None),
    ]


def test_an_unknown_card_may_not_count_towards_an_exact_size() -> None:
    text = SEALED + "2 Red\n1 Gem\n1 Mystery"
    assert told(text, partial=True)[0] == ("too-many-cards", "unverified", 4, 3)
    assert report(text).verdict == "illegal"


def test_cards_that_must_share_a_fact_with_the_leader() -> None:
    match = Match(
        "disloyal", where_of({"loyal": True}), "clan", where_of({"type": "leader"}), "of another clan", RULE
    )
    assert told(SEALED + "2 Red\n1 Clansman", toy(matches=(match,))) == [("disloyal", "illegal", 1, 0)]
    assert told(SEALED + "2 Red\n1 Clansman", toy()) == []
    assert told(SEALED + "2 Red\n1 Stranger", toy(matches=(match,))) == [("disloyal", "unverified", 1, 0)]


def test_a_kind_of_card_may_be_shut_out_of_one_section() -> None:
    rule = Exclusion(
        "wrong-section", where_of({"type": {"not": ["card"]}}), "no card", RULE, sections=frozenset({"deck"})
    )
    assert told("1 King\n2 Red\n1 Gem\n1 Old Seal", toy(exclusions=(rule,))) == [
        ("wrong-section", "illegal", 1, 0)
    ]


def test_copies_freed_by_a_card_count_neither_against_the_limit_nor_the_size() -> None:
    entries = (
        ListEntry(1, "King"),
        ListEntry(1, "Old Seal"),
        ListEntry(4, "Red", free=2),
        ListEntry(1, "Gem"),
    )
    assert judge(DeckList(entries, (), "text"), toy(), catalog()).report.findings == ()


def test_a_card_bought_in_parts_is_what_was_bought() -> None:
    def axe(*upgrades: tuple[int, int, str]) -> Any:
        entry = ListEntry(1, "Axe", upgrades=upgrades)
        card = identify([entry], toy(), catalog()).entries[0].card
        assert card is not None
        return card.facts

    assert axe()["traits"] == ["wood"]
    assert (axe((0, 1, ""))["traits"], axe((0, 1, ""))["level"]) == (["wood", "tool"], 1)
    assert (axe((1, 2, ""))["color"], axe((1, 3, ""))["color"]) == ("grey", "red")


def test_a_listed_card_stands_for_the_cards_that_come_with_it() -> None:
    law = toy(expands="comes-with")
    deck = identify([ListEntry(1, "Box")], law, catalog())
    assert [(entry.count, entry.name) for entry in expand(deck, law, catalog())] == [(2, "Nail")]
    assert expand(deck, toy(), catalog()) == deck.entries


def test_errata_take_the_place_of_what_is_printed() -> None:
    law = toy(errata={"gem": {"unique": False}, "red": {"color": "grey"}})
    assert [code for code, *_ in told(SEALED + "1 Red\n2 Gem", law)] == ["not-allowed-here"]


def test_a_fact_nobody_knows_may_lower_the_limit_of_a_partial_catalog() -> None:
    strict = toy(copies=replace(toy().copies, kinds=(replace(UNIQUE, blank_is_fine=False),)))
    doubt = ("too-many-copies", "unverified", 2, 1)
    assert doubt in told(SEALED + "2 Red", strict, partial=True)
    assert doubt not in told(SEALED + "2 Red", strict), "a whole catalog says of every card that is unique"
    assert doubt not in told(SEALED + "1 Red", strict, partial=True)


def test_a_quota_may_count_the_different_values_of_a_fact() -> None:
    colours = Quota("colours", "colours", where_of({"type": "card"}), None, 1, RULE, per_fact="color")
    several = ("too-many-colours", "illegal", 2, 1)
    assert several not in told(SEALED + "1 Red\n1 Red (2)", toy(quotas=(colours,)))
    assert several in told(SEALED + "1 Red\n1 Blue", toy(quotas=(colours,)))


def test_without_the_choice_the_least_number_is_asked() -> None:
    asked = Number(choice="size", by_choice={"2": 1, "4": 2})
    rule = replace(toy().requirements[0], counts={"seal": asked})
    law = toy(requirements=(rule,))
    assert told("1 King\n1 Seal\n2 Red\n1 Blue", law) == []
    assert told("1 King\n1 Seal\n2 Red\n1 Blue", law, size="4") == [
        ("missing-required-card", "illegal", 1, 2)
    ]
