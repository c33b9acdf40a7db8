"""Format files: the shipped one says what the documents say, and a wrong one is answered with its place."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
import yaml

from config.errors import NotFound, UserError
from decks.cards import catalog_files
from decks.judging.judgement import judge
from decks.law import format_files, reading
from decks.legality import Cap, Choice
from decks.lists import fold, read
from tests.decks.conftest import FAQ_30


def restricted_and_banned(list_key: str) -> tuple[frozenset[str], set[str]]:
    restrictions = format_files.format_of("coc-lcg").lists[list_key].restrictions
    chosen = [rule.titles for rule in restrictions if isinstance(rule, Choice)]
    banned = {key for rule in restrictions if isinstance(rule, Cap) for key in rule.maximum}
    return (chosen[0] if chosen else frozenset()), banned


@pytest.mark.parametrize(
    ("key", "restricted", "banned"), [("3.0", 17, 4), ("3.2", 19, 4), ("4.1", 32, 0), ("none", 0, 0)]
)
def test_the_lists_have_the_sizes_the_documents_print(key: str, restricted: int, banned: int) -> None:
    assert [len(part) for part in restricted_and_banned(key)] == [restricted, banned]


def test_every_title_of_faq_30s_lists_is_a_card_of_the_shipped_catalog() -> None:
    known = catalog_files.shipped_index("coc-lcg")
    restricted, banned = restricted_and_banned("3.0")
    assert [key for key in restricted | banned if not known.get(key)] == []


@pytest.mark.parametrize(
    ("on", "list_title", "certain"),
    [
        (date(1999, 1, 1), "no list", False),
        (date(2010, 8, 1), "no list", True),
        (date(2011, 4, 6), "no list", False),
        (date(2013, 3, 1), "the list of FAQ 3.0", False),
        (date(2013, 8, 15), "the list of FAQ 3.0", True),
        (FAQ_30, "the list of FAQ 3.0", True),
        (date(2013, 10, 17), "the list of FAQ 3.0", True),
        (date(2013, 10, 18), "the list of FAQ 3.2", True),
        (date(2014, 6, 1), "the list of FAQ 3.2", False),
        (date(2014, 10, 20), "the list of FAQ 3.2", False),
        (date(2015, 4, 15), "the list of FAQ 4.1", False),
        (date(2015, 7, 7), "the list of FAQ 4.1", True),
        (date(2026, 11, 21), "the list of FAQ 4.1", True),
    ],
)
def test_the_list_in_force_on_a_date_and_whether_we_are_sure(
    on: date, list_title: str, certain: bool
) -> None:
    snapshot = format_files.snapshot("coc-lcg", on)
    assert (snapshot.period.list_name, not snapshot.doubt) == (list_title, certain)


def test_the_default_date_is_one_on_which_the_list_is_known() -> None:
    """Of the L5R LCG no list is known with its day, so that its dated format answers so on every day."""
    doubtful = [
        key for key, format_ in format_files.formats().items() if format_.snapshot(format_.default_on).doubt
    ]
    assert doubtful == ["l5r-lcg"]
    assert format_files.snapshot("coc-lcg").on == FAQ_30


def test_periods_follow_each_other_without_a_hole() -> None:
    format_ = format_files.format_of("coc-lcg")
    for before, after in zip(format_.timeline, format_.timeline[1:], strict=False):
        assert format_.snapshot(before.since).period.until == after.since - timedelta(days=1)
    assert format_.snapshot(format_.timeline[-1].since).period.until is None


def judged(text: str, on: date | None = None, **overrides: Any) -> list[tuple[str, str]]:
    snapshot = format_files.snapshot("coc-lcg", on, overrides=overrides)
    report = judge(read(text), snapshot, catalog_files.shipped_index("coc-lcg")).report
    return [(finding.code, finding.severity.value) for finding in report.findings]


@pytest.mark.parametrize(
    ("lines", "size", "code", "rule", "cards"),
    [
        (
            "3x Museum Curator\n1x Itinerant Scholar",
            50,
            "restricted",
            "COC-D-03",
            ["Museum Curator", "Itinerant Scholar"],
        ),
        ("1x Magah Bird", 50, "banned", "COC-D-06", ["Magah Bird"]),
        ("4x Field Researcher", 50, "too-many-copies", "COC-DECK-02", ["Field Researcher"]),
        ("4x The R'lyeh Conspiracy", 50, "too-many-copies", "COC-DECK-02", ["The R'lyeh Conspiracy"]),
        ("8x Alaskan Sledge Dog", 50, "too-many-copies", "COC-D-09", ["Alaskan Sledge Dog"]),
        (
            "2x Julia Brown (Insomniac)\n2x Julia Brown: Oddly Amphibious",
            50,
            "too-many-copies",
            "COC-DECK-02",
            ["Julia Brown"],
        ),
        ("1x Dreamwalkers", 50, "wrong-type", "COC-DECK-03", ["Dreamwalkers"]),
        ("3x Field Researcher", 49, "too-few-cards", "COC-DECK-01", []),
        ("50x Field Researcher\nSideboard:\n1x Shotgun", 51, "too-many-cards", "COC-DECK-05", []),
        (
            "1x Marcus Jamberg\n1x Nyarlathotep",
            50,
            "restricted",
            "COC-D-03",
            ["Marcus Jamburg", "Nyarlathotep"],
        ),
        (
            "1x Doppelganger\n1x Twilight Gate",
            50,
            "restricted",
            "COC-D-03",
            ["Doppelgänger", "Twilight Gate"],
        ),
        ("1x Feasts of Locusts", 50, "not-in-pool", "COC-DECK-04", ["Feasts of Locusts"]),
    ],
)
def test_what_call_of_cthulhu_forbids_with_its_rule(
    fill: Callable[[str, int], str], lines: str, size: int, code: str, rule: str, cards: list[str]
) -> None:
    deck = read(lines if "Sideboard" in lines else fill(lines, size))
    report = judge(
        deck, format_files.snapshot("coc-lcg", FAQ_30), catalog_files.shipped_index("coc-lcg")
    ).report
    found = {finding.code: finding for finding in report.findings}
    assert report.verdict == "illegal"
    assert (found[code].rule, [card.name for card in found[code].cards]) == (rule, cards)
    assert found[code].source
    assert found[code].remedy


@pytest.mark.parametrize(
    "lines",
    [
        "3x Museum Curator",  # one restricted title, in full
        "3x The Necronomicon (Olaus Wormius Translation)",
        "3x Broken Space, Broken Time",
        "3x Por XV 14:19",
        "2x Cthulhu: The Great Old One\n1x Cthulhu",
        "Story Deck:\n1x Dreamwalkers\nCharacters:",  # the story deck lies outside
    ],
)
def test_what_it_allows(fill: Callable[[str, int], str], lines: str) -> None:
    size = 51 if lines.startswith("Story") else 50
    assert judged(fill(lines, size), FAQ_30) == []


def test_the_same_deck_is_legal_on_one_date_and_illegal_on_another(fill: Callable[[str, int], str]) -> None:
    """The hand of Worlds 2010: before any list, with the sledge dogs the card then allowed."""
    text = fill("8x Alaskan Sledge Dog\n3x Infernal Obsession\n1x Guardian Pillar\n3x Magah Birds", 50)
    assert judged(text, date(2010, 8, 1)) == []
    assert judged(text, date(2011, 12, 1)) == [
        ("outside-known-timeline", "unverified"),
        ("too-many-copies", "unverified"),
    ]
    assert judged(text, FAQ_30) == [
        ("too-many-copies", "illegal"),
        ("banned", "illegal"),
        ("restricted", "illegal"),
    ]
    assert judged(text, date(2014, 6, 1)) == [
        ("too-many-copies", "illegal"),
        ("outside-known-timeline", "unverified"),
        ("banned", "unverified"),
        ("restricted", "unverified"),
    ]


def test_an_event_may_pin_a_list_and_change_rules(fill: Callable[[str, int], str]) -> None:
    text = fill("1x Magah Bird", 40)
    assert judged(text, date(2026, 1, 1), list="3.0") == [("too-few-cards", "illegal"), ("banned", "illegal")]
    assert judged(text, FAQ_30, **{"COC-DECK-01": 40, "COC-D-06": None}) == []


@pytest.mark.parametrize(
    ("overrides", "code"),
    [
        ({"list": "9.9"}, "unknown-list"),
        ({"COC-D-99": 1}, "bad-override"),
        ({"COC-D-03": "many"}, "bad-override"),
    ],
)
def test_a_wrong_override_is_refused(overrides: dict[str, Any], code: str) -> None:
    with pytest.raises(UserError) as raised:
        format_files.snapshot("coc-lcg", FAQ_30, overrides=overrides)
    assert raised.value.code == code


def test_an_unknown_format_is_not_found() -> None:
    with pytest.raises(NotFound):
        format_files.snapshot("coc", FAQ_30)


# --- files people write ------------------------------------------------------------------------------

HOUSE = """
key: house
title: House
game: toy
default-on: 2020-01-01
law:
  H-1: {text: Small decks., document: House rules}
construction:
  sections:
    - {key: main, title: deck, at-least: 20, at-most: 30, rule: H-1}
  copies: {at-most: 2, rule: H-1}
aliases: {Appel: Apple}
lists:
  one:
    title: the first list
    document: Notice of 2020
    limits: {rule: H-1, copies: {Cheese: 1}}
    exclusive:
      - {rule: H-1, titles: [Apple, Bread]}
      - {rule: H-1, titles: [Dagger], beside: [Cheese]}
    points: {rule: H-1, at-most: 7, points: {Apple: 3, Bread: 1}, per: title}
    surcharge: {rule: H-1, fact: influence, unit: influence, at-most: 15, extra: {Dagger: 3}}
timeline:
  - {from: 2020-01-01, list: one, basis: posted on the door}
"""


def test_a_house_format_may_use_every_primitive() -> None:
    house = reading.parse(HOUSE, name="house.yaml")
    kinds = [(type(rule).__name__, rule.code) for rule in house.lists["one"].restrictions]
    assert kinds == [
        ("Cap", "limited"),
        ("Choice", "excluded-together"),
        ("Choice", "excluded-together"),
        ("Budget", "too-many-points"),
        ("Budget", "over-budget"),
    ]
    assert house.snapshot(date(2020, 2, 2)).named == {
        fold(title): title for title in ("Cheese", "Apple", "Bread", "Dagger")
    }


def changed(path: str, value: Any) -> str:
    document = yaml.safe_load(HOUSE)
    *way, last = path.split("/")
    place = document
    for step in way:
        place = place[int(step) if step.isdigit() else step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return yaml.safe_dump(document, sort_keys=False)


@pytest.mark.parametrize(
    ("path", "value", "place", "remedy"),
    [
        ("title", None, "title", ""),
        ("titel", "x", "titel", "title"),
        ("key", "House Rules", "key", ""),
        ("default-on", "soon", "default-on", ""),
        ("default-on", date(2001, 1, 1), "default-on", ""),
        ("construction/copies/at-most", -1, "construction.copies.at-most", ""),
        ("construction/copies/at-most", True, "construction.copies.at-most", ""),
        ("construction/copies/rule", "H-11", "construction.copies.rule", "H-1"),
        ("construction/sections", "main", "construction.sections", ""),
        ("construction/sections/0/minimum", 3, "construction.sections[1].minimum", ""),
        ("lists/one/baned", {}, "lists.one.baned", ""),
        ("lists/one/banned", {"rule": "H-1", "titles": ["Apple", "apple"]}, "lists.one.banned.titles", ""),
        ("lists/one/banned", {"rule": "H-1", "titles": ["Dagger"]}, "lists.one", ""),
        ("lists/one/banned", {"rule": "H-1", "titles": [3]}, "lists.one.banned.titles[1]", ""),
        ("lists/one/points/per", "sleeve", "lists.one.points.per", ""),
        ("lists/one/points/points/Apple", "three", "lists.one.points.points.Apple", ""),
        ("timeline/0/list", "oen", "timeline[1].list", "one"),
        ("timeline", [], "timeline", ""),
        ("lists", {3.0: {}}, "lists", ""),
    ],
)
def test_a_mistake_is_answered_with_its_place(path: str, value: Any, place: str, remedy: str) -> None:
    with pytest.raises(UserError) as raised:
        reading.parse(changed(path, value), name="house.yaml")
    assert (raised.value.code, raised.value.place) == ("bad-format", place)
    assert remedy in raised.value.remedy


def test_dates_must_rise() -> None:
    twice = HOUSE + "  - {from: 2020-01-01, list: one, basis: again}\n"
    with pytest.raises(UserError, match="isn’t later than"):
        reading.parse(twice, name="house.yaml")


EXTENDING = """
extends: coc-lcg
key: ours
title: Ours
default-on: 2026-03-01
law: {OURS-1: {text: x., document: House rules}}
ALIASES
construction:
  excluded: [EXCLUDED]
lists:
  spring: {title: spring, document: House rules, LIST}
timeline:
  - {from: 2026-03-01, list: spring, basis: voted}
"""
FINE = "{code: not-in-pool, where: {faction: Syndicate}, because: it is out, rule: OURS-1}"


def test_every_kind_of_rule_is_asked_for_the_facts_it_names() -> None:
    """A fact that no card has makes a rule say nothing, whichever rule names it."""
    quota = "{code: few, what: Fixers, where: {}, at-most: 3, unlike: faktion, at-least-fact: fixxers, rule: OURS-1}"
    text = EXTENDING.replace("EXCLUDED", FINE).replace("ALIASES", "").replace(", LIST", "")
    law = format_files.parsed(text.replace("\nlists:", f"\n  quotas: [{quota}]\nlists:"), name="ours.yaml")
    assert {("faktion", None), ("fixxers", None)} <= law.asked()


@pytest.mark.parametrize(
    ("excluded", "said", "aliases", "titles", "facts"),
    [
        (FINE, "banned: {rule: OURS-1, titles: [Fixer]}", "", [], []),
        (FINE, "banned: {rule: OURS-1, titles: [Fixxer]}", "", ["Fixxer"], []),
        (FINE.replace("Syndicate", "Sindicate"), "", "", [], ["faction: Sindicate"]),
        (FINE.replace("faction: Syndicate", "title: Fixxer"), "", "", [], ["title: Fixxer"]),
        (FINE.replace("faction", "faktion"), "", "", [], ["faktion"]),
        (FINE, "banned-kinds: {rule: OURS-1, where: {type: charakter}, because: x}", "", [], ["type: charakter"]),
        (FINE, "banned-kinds: {rule: OURS-1, where: {set: Core Sett}, because: x}", "", [], ["set: core sett"]),
        (FINE, "pool: {rule: OURS-1, fact: set, values: [Core Sett]}", "", [], ["set: core sett"]),
        (FINE, "", "aliases: {Boss: Fixxer}", ["fixxer"], []),
        # a list speaks of titles, and a ban of an alias would find nothing
        (FINE, "banned: {rule: OURS-1, titles: [Boss]}", "aliases: {Boss: Fixer}", ["Boss"], []),
    ],
)  # fmt: skip
def test_what_a_house_format_names_and_no_card_has(
    excluded: str, said: str, aliases: str, titles: list[str], facts: list[str]
) -> None:
    """Each would have no effect, in silence."""
    text = (
        EXTENDING.replace("EXCLUDED", excluded)
        .replace("ALIASES", aliases)
        .replace(", LIST", f", {said}" if said else "")
    )
    law = format_files.parsed(text, name="ours.yaml")
    unknown = law.unknown_to(
        catalog_files.shipped_index("coc-lcg"), map(format_files.format_of, format_files.formats())
    )
    assert ([*unknown.titles], [one.lower() for one in unknown.facts]) == (
        titles,
        [one.lower() for one in facts],
    )
