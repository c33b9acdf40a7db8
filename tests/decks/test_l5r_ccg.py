"""Legend of the Five Rings CCG with all its cards, as “Game on, Yasuki!” keeps them: a deck is legal or illegal."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from config.errors import UserError
from decks.cards import sources
from decks.cards.catalog_files import CatalogData, shipped_index
from decks.cards.index import CatalogIndex
from decks.judging.judgement import judge
from decks.law import format_files
from decks.lists import read

IVORY, FESTIVALS = "A Brother's Destiny (Ivory Edition)", "A Brother's Destiny (Twenty Festivals)"
EMPEROR = "Age of Conquest (Emperor)"


def row(
    title: str, kind: str, deck: str, *, legality: tuple[str, ...] = (IVORY, "Modern"), **more: Any
) -> dict[str, Any]:
    return {"title": title, "types": [kind], "decks": [deck], "legality": list(legality), **more}


def everything() -> dict[str, bytes]:
    """Two sets in the shape of the source. The titles are real or made up, the facts chosen for the test."""
    personalities = [
        row(f"Matsu {n}", "Personality", "Dynasty", clans=["Lion"], keywords=["Lion Clan"]) for n in range(9)
    ]
    ivory = [
        row("The Grand Halls of the Lion", "Stronghold", "Pre-Game", clans=["Lion"]),
        *personalities,
        row("Akodo Dairuko, the Steel Lion", "Personality", "Dynasty", clans=["Lion"], is_unique=True,
            keywords=["Experienced 2", "Loyal", "Unique", "Lion Clan"], collector_number="97"),
        row("Asahina Umehiko", "Personality", "Dynasty", clans=["Crane"], keywords=["Loyal", "Crane Clan"]),
        *[row(f"Farm {n}", "Holding", "Dynasty") for n in range(5)],
        *[row(f"Charge {n}", "Strategy", "Fate") for n in range(14)],
        row("Ring of the Void", "Ring", "Fate", is_unique=True, keywords=["Unique"], legality=(IVORY, FESTIVALS)),
        row("Advance Warning", "Strategy", "Fate", legality=(EMPEROR, "Modern"), is_banned=True),
        row("Walking Horror", "Kiho", "Fate", legality=("Clan Wars (Imperial)",)),
        {"title": "5 Koku", "types": ["Other"], "decks": ["Other"]},
    ]  # fmt: skip
    emperor = [
        row("Ring of the Void", "Ring", "Fate", legality=(EMPEROR,)),
        row("Toturi", "Personality", "Dynasty", legality=(EMPEROR,), keywords=["Experienced 3"]),
        row("Toturi", "Personality", "Dynasty", legality=(EMPEROR,), keywords=["Experienced 4KYD"]),
    ]
    return {
        "sets/ivory.yaml": dumped("Ivory Edition", ivory),
        "sets/emperor.yaml": dumped("Emperor Edition", emperor),
        "images/ivory.yaml": b"farm_1: farm.webp\n",
    }


def dumped(name: str, cards: list[dict[str, Any]]) -> bytes:
    return yaml.safe_dump({"set": name, "cards": cards}, sort_keys=False).encode()


@pytest.fixture(scope="module")
def index() -> CatalogIndex:
    source = sources.read(everything())
    assert (source.kind, source.laws) == ("yasuki", {})
    return CatalogData("l5r-ccg", "L5R", partial=False, cards=source.cards).index()


DAIRUKO = "1 Akodo Dairuko, the Steel Lion - Experienced 2"
DECK = "\n".join(
    [
        "The Grand Halls of the Lion",
        "Dynasty:",
        *(f"3 Matsu {n}" for n in range(8)),
        DAIRUKO,
        *(f"3 Farm {n}" for n in range(5)),
        "Fate:",
        *(f"3 Charge {n}" for n in range(13)),
        "1 Ring of the Void",
    ]
)


def told(text: str, catalog: CatalogIndex, arc: str = "ivory") -> tuple[str, list[str]]:
    snapshot = format_files.snapshot("l5r-ccg", overrides={"list": arc})
    report = judge(read(text), snapshot, catalog).report
    return report.verdict.value, sorted({finding.code for finding in report.findings})


def test_what_the_source_says_of_a_card(index: CatalogIndex) -> None:
    card = index.named("Akodo Dairuko, the Steel Lion - exp2")
    assert card is not None
    assert {fact: value for fact, value in card.facts.items() if fact != "title"} == {
        "type": "personality", "deck": "dynasty", "clan": "Lion", "unique": True, "loyal": True,
        "legal": ["ivory", "modern"], "set": ["Ivory Edition"],
    }  # fmt: skip
    ring = index.named("Ring of the Void")
    assert ring is not None and (ring.facts["unique"], ring.facts["legal"]) == (
        True,  # though one of its printings does not say so
        ["emperor", "ivory", "twenty-festivals"],
    )
    assert index.named("5 Koku") is None


@pytest.mark.parametrize(
    ("change", "arc", "verdict", "codes"),
    [
        (("", ""), "ivory", "legal", []),
        ((DAIRUKO, "1 Akodo Dairuko, the Steel Lion"), "ivory", "legal", []),
        ((DAIRUKO, "1 Akodo Dairuko, the Steel Lion exp2"), "ivory", "legal", []),
        ((DAIRUKO, "2 Akodo Dairuko, the Steel Lion"), "ivory", "illegal", ["too-many-copies"]),
        (("1 Ring of the Void", "2 Ring of the Void"), "ivory", "illegal", ["too-many-copies"]),
        (("3 Farm 0", "3 Asahina Umehiko"), "ivory", "illegal", ["disloyal"]),
        (("3 Charge 0", "3 Advance Warning"), "ivory", "illegal", ["not-in-pool"]),
        (("3 Charge 0", "3 Walking Horror"), "ivory", "illegal", ["not-in-pool"]),
        (("3 Charge 0", "3 Charge 99"), "ivory", "illegal", ["unknown-card"]),
        (("3 Farm 0", "3 Toturi"), "any", "legal", []),  # which of the two makes no difference here
        (("", ""), "emperor", "illegal", ["not-in-pool"]),
    ],
)  # fmt: skip
def test_a_deck_by_the_whole_game(
    index: CatalogIndex, change: tuple[str, str], arc: str, verdict: str, codes: list[str]
) -> None:
    text = DECK.replace(*change) if change[0] else DECK
    assert told(text, index, arc) == (verdict, codes)


def test_what_ships_says_of_the_same_deck_that_it_does_not_know() -> None:
    assert told(DECK, shipped_index("l5r-ccg"))[0] == "unverified"


def test_a_card_banned_from_the_arc_on_an_unknown_day_is_not_called_legal() -> None:
    starters = shipped_index("l5r-ccg").named("Advance Warning")
    assert starters is not None and "legal" not in starters.facts


def test_a_card_without_a_name_is_refused_with_its_file() -> None:
    files = {"sets/x.yaml": dumped("X", [row(" ", "Event", "Dynasty")])}
    with pytest.raises(UserError) as error:
        sources.read(files)
    assert error.value.code == "bad-catalog" and "sets/x.yaml" in error.value.message


def test_a_folder_of_the_source_is_found(tmp_path: Path) -> None:
    for name, data in everything().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    assert len(sources.read(sources.gathered(tmp_path)).cards) == 38


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("Toturi (Experienced 3)", "toturi exp3"), ("Toturi (Exp. 3)", "toturi exp3"), ("Toturi xp3", "toturi exp3"),
        ("Toturi (xp 3)", "toturi exp3"), ("Toturi (Experienced 4KYD)", "toturi exp4kyd"),
        ("Matsu 1", "matsu 1"), ("Toturi (Exp. 2)", ""), ("Toturi (Experienced)", ""), ("Matsu 1 (Experienced)", ""),
    ],
)  # fmt: skip
def test_a_version_is_that_one_and_no_other(index: CatalogIndex, written: str, key: str) -> None:
    (entry,) = judge(read(f"1x {written}"), format_files.snapshot("l5r-ccg"), index).deck.entries
    assert (entry.key if entry.card else "") == key
