"""What the changes from one version of a deck to the next cost."""

import json
from pathlib import Path
from typing import Any

import pytest

from decks.cards import sources
from decks.cards.index import CardFacts, CatalogIndex
from decks.judging.judgement import upgrade_between
from decks.law import format_files
from decks.legality import Upgrade
from decks.lists import DeckList, fold, read

# --- on cards nobody plays -----------------------------------------------------------------------------

CARDS: dict[str, dict[str, Any]] = {
    "Sword": {"level": 0, "experience": 0, "called": "Sword"},
    "Sword (2)": {"level": 2, "experience": 2, "called": "Sword"},
    "Sword (5)": {"level": 5, "experience": 10, "called": "Sword", "exceptional": True},
    "Shield": {"level": 0, "experience": 0, "called": "Shield"},
    "Cloak": {"level": 0, "experience": 0, "called": "Cloak"},
    "Swarm (1)": {"level": 1, "experience": 1, "called": "Swarm", "myriad": True},
    "Versatile (2)": {"level": 2, "experience": 2, "called": "Versatile", "permanent": True},
    "Adaptable (1)": {"level": 1, "experience": 1, "called": "Adaptable", "permanent": True},
    "Doom": {"called": "Doom"},
}


def toy() -> CatalogIndex:
    cards = [
        CardFacts(title, fold(title), {"type": "asset", "levelled": "level" in facts, **facts}, ())
        for title, facts in CARDS.items()
    ]
    return CatalogIndex(cards, game="arkham", name="Toy", partial=True, version="toy")


def between(before: str, after: str, earned: int | None = None, exiled: str = "") -> Upgrade:
    snapshot = format_files.snapshot("arkham")
    catalog = toy()
    catalog.of_id = lambda code: catalog.named(code)  # type: ignore[assignment]
    new = read(after)
    new = DeckList(new.entries, new.notes, new.kind, new.name, {"exiled": exiled} if exiled else {})
    made = upgrade_between(read(before), new, snapshot, catalog, earned=earned)
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("before", "after", "cost"),
    [
        ("2x Sword", "2x Sword", 0),
        ("2x Sword", "2x Shield", 2),  # a new card costs 1 at least
        ("2x Sword", "2x Sword (2)", 4),
        ("2x Sword", "1x Sword\n1x Sword (2)", 2),
        ("2x Shield", "2x Sword (2)", 4),
        ("1x Sword (2)", "1x Sword (5)", 8),  # exceptional: twice five, less two
        ("1x Shield", "1x Sword (5)", 10),
        ("3x Shield", "3x Swarm (1)", 1),  # myriad: all copies at once
        ("2x Sword", "2x Sword\n1x Doom", 0),  # a weakness is not bought
        ("2x Sword (2)", "2x Sword", 2),  # nothing comes back for going down
        ("2x Sword", "2x Sword\n1x Versatile (2)\n2x Shield\n2x Cloak", 2),  # five places more, for nothing
    ],
)
def test_what_changes_cost(before: str, after: str, cost: int) -> None:
    assert between(before, after).cost == cost


def test_an_exiled_cards_place_is_filled_for_nothing_and_buying_it_again_is_not() -> None:
    assert between("1x Sword (2)\n1x Shield", "1x Cloak\n1x Shield", exiled="sword (2)").cost == 0
    assert between("1x Sword (2)\n1x Shield", "1x Cloak\n1x Shield").cost == 1
    assert between("1x Sword (2)", "1x Sword (2)", exiled="sword (2)").cost == 2


@pytest.mark.parametrize(
    ("earned", "code", "severity"),
    [(None, "upgrade-cost", "note"), (4, "upgrade-cost", "note"), (3, "upgrade-too-dear", "illegal")],
)
def test_more_than_was_earned_is_illegal(earned: int | None, code: str, severity: str) -> None:
    (finding,) = between("2x Sword", "2x Sword (2)", earned).findings
    assert (finding.code, finding.severity, finding.have, finding.allowed) == (code, severity, 4, earned)


def test_a_card_that_changes_prices_or_is_unknown_leaves_it_open() -> None:
    (finding,) = between("2x Sword\n1x Adaptable (1)", "2x Shield\n1x Adaptable (1)", 0).findings
    assert (finding.severity, "Adaptable (1) may change the price" in finding.message) == ("unverified", True)
    (finding,) = between("2x Sword", "2x Shield\n1x Mystery", 0).findings
    assert finding.severity == "unverified"
    (finding,) = between("2x Sword\n1x Mystery", "2x Shield\n1x Mystery", 0).findings
    assert finding.message.count("Mystery") == 1


def test_every_step_is_told() -> None:
    steps = between("2x Sword\n1x Shield", "1x Sword\n1x Sword (2)\n1x Cloak").steps
    assert [(step.kind, step.name, step.copies, step.cost, step.before) for step in steps] == [
        ("upgrade", "Sword (2)", 1, 2, "Sword"),
        ("new", "Cloak", 1, 1, ""),
        ("removed", "Shield", 1, 0, ""),
    ]


def test_games_without_experience_have_no_upgrades() -> None:
    assert upgrade_between(read("1x Rats"), read("1x Dogs"), format_files.snapshot("coc-lcg"), toy()) is None


# --- on real decks -------------------------------------------------------------------------------------

# A public deck builder's pairs of versions; what the second says was spent, or, where it says nothing, what there was.
PAIRS = {
    "0_to_upgrade": 4, "add0": 5, "customizable": 8, "customizable_purchase": 9, "customizable_upgrade": 6,
    "customizable_xp_removed": 0, "deck_size": 10, "exceptional": 4, "from_to_upgrade": 2, "ignore_deck_limit_1": 10,
    "ignore_deck_limit_campaign": 2, "myriad": 4, "permanent": 3, "story": 0, "extra_deck_exile": 3,
    "exile_base_1 exile_level0_2": 0, "exile_base_1 exile_repurchase_2": 8, "exceptional_2 exceptional_3": 6,
    "extra_deck_1 extra_deck_upgrade_2": 10, "extra_deck_1 extra_deck_versatile_2": 3,
    "exile_customizable": 4, "exile_customizable_1 exile_customizable_2a": 0,
}  # fmt: skip
# A card in these decks changes prices: our sum is the usual price, and never held against the deck.
CHANGED = (
    "adaptable_base", "adaptable_myriad", "adaptable_myriad_dtrh", "adaptable_taboo", "arcane_research_base",
    "arcane_research_dtrh", "arcane_research_swap", "customizable_dtrh", "dtrh_myriad dtrh_myriad_2",
    "dtrh_penalties_base dtrh_penalties_level_zero", "exile_adaptable", "exile_dejavu", "exile_singles",
    "ignore_deck_limit_2",
)  # fmt: skip


@pytest.fixture(scope="module")
def arkham(shared: Path) -> CatalogIndex:
    source = sources.read(sources.gathered(shared / "data/cards/arkham_lcg/arkhamdb"))
    return CatalogIndex(source.cards, game="arkham", name="Arkham", partial=True, version="collected")


def pair(shared: Path, name: str) -> tuple[Any, Any]:
    folder = shared / "data/cards/arkham_lcg/decks_arkham_build_fixtures/upgrades"
    old, new = name.split() if " " in name else (f"{name}_1", f"{name}_2")
    return (folder / f"{old}.json").read_bytes(), (folder / f"{new}.json").read_bytes()


def real(shared: Path, arkham: CatalogIndex, name: str) -> tuple[Upgrade, dict[str, Any]]:
    old, new = (read(data) for data in pair(shared, name))
    snapshot = format_files.snapshot("arkham", choices=new.choices)
    made = upgrade_between(old, new, snapshot, arkham)
    assert made is not None
    return made, json.loads(pair(shared, name)[1])


@pytest.mark.parametrize("name", PAIRS)
def test_real_upgrades_cost_what_their_builder_says(shared: Path, arkham: CatalogIndex, name: str) -> None:
    made, said = real(shared, arkham, name)
    assert made.cost == PAIRS[name], made.steps
    spent = said["xp_spent"]
    assert made.cost == (spent if spent is not None else (said["xp"] or 0) + (said["xp_adjustment"] or 0))


@pytest.mark.parametrize("name", CHANGED)
def test_where_a_card_changes_prices_nothing_is_held_against_the_deck(
    shared: Path, arkham: CatalogIndex, name: str
) -> None:
    made, said = real(shared, arkham, name)
    assert made.changers
    assert made.cost > (said["xp"] or 0)
    assert [(one.code, one.severity.value) for one in made.findings] == [("upgrade-too-dear", "unverified")]
