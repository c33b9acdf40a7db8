"""Real lists and a whole card set, when they lie beside the project (they are not ours to ship)."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from decks.cards import catalog_files, sources
from decks.cards.index import CardFacts, CatalogIndex
from decks.judging.judgement import Judgement, judge
from decks.law import format_files
from decks.lists import fold, read


@pytest.fixture(scope="module")
def collected(shared: Path) -> Path:
    return shared / "data" / "cards" / "call_of_cthulhu_lcg"


@pytest.fixture(scope="module")
def whole(collected: Path) -> CatalogIndex:
    """All cards of the game, as a complete catalog."""
    with (collected / "cards.csv").open(encoding="utf-8-sig", newline="") as file:
        cards = {
            fold(row["name"]): CardFacts(row["name"], fold(row["name"]), {"type": row["Type"].lower()}, ())
            for row in csv.DictReader(file)
        }
    return CatalogIndex(cards.values(), game="coc-lcg", name="whole", partial=False, version="whole")


@pytest.fixture(scope="module")
def decks(collected: Path) -> dict[str, Path]:
    files = [*collected.rglob("*.o8d"), *collected.glob("decklists_text/*.txt")]
    return {path.name: path for path in files}


def judged(path: Path, list_key: str, catalog: CatalogIndex) -> Judgement:
    snapshot = format_files.snapshot("coc-lcg", overrides={"list": list_key})
    return judge(read(path.read_bytes(), filename=path.name), snapshot, catalog)


def in_words(judgement: Judgement) -> str:
    """The findings in the way the collected table writes them."""
    out = []
    by_code: dict[str, list[Any]] = {}
    for finding in judgement.report.findings:
        by_code.setdefault(finding.code, []).append(finding)
    if size := by_code.get("too-few-cards"):
        out.append(f"size {size[0].have}")
    if copies := by_code.get("too-many-copies"):
        out.append("copies " + "|".join(f"{f.have}x {f.cards[0].name}" for f in copies))
    if restricted := by_code.get("restricted"):
        out.append("restricted " + "|".join(sorted(card.name for card in restricted[0].cards)))
    if banned := by_code.get("banned"):
        out.append("banned " + "|".join(sorted(f.cards[0].name for f in banned)))
    return "; ".join(out) or "OK"


def test_every_deck_of_the_collected_table_gets_the_tables_findings(
    collected: Path, decks: dict[str, Path], whole: CatalogIndex
) -> None:
    table = json.loads((collected / "verdict_matrix.json").read_text())
    wrong = []
    for row in table:
        for list_key, expected in row["verdicts"].items():
            found = in_words(judged(decks[row["deck"]], list_key, whole))
            if found != expected:
                wrong.append((row["deck"], list_key, found, expected))
    assert wrong == []
    assert len(table) == 29


def test_every_human_line_but_misspelt_ones_is_a_card_and_the_misspelt_ones_are_suggested(
    decks: dict[str, Path], whole: CatalogIndex
) -> None:
    unknown = {
        finding.cards[0].name: finding.suggestions[:1]
        for path in decks.values()
        for finding in judged(path, "3.0", whole).report.findings
        if finding.code == "unknown-card"
    }
    assert unknown == {
        "Get if Off!": ("Get it Off!",),
        "Shoutgun Blast": ("Shotgun Blast",),
        "Unspeakable Ressurrection": ("Unspeakable Resurrection",),
        "Disciple of the Gateg": ("Disciple of the Gate",),
    }


def test_under_the_shipped_partial_catalog_no_real_deck_is_called_legal_or_illegal_without_knowing(
    decks: dict[str, Path], whole: CatalogIndex
) -> None:
    shipped = catalog_files.shipped_index("coc-lcg")
    for path in decks.values():
        known, real = judged(path, "3.0", shipped).report, judged(path, "3.0", whole).report
        assert known.verdict in (real.verdict, "unverified"), path.name


def test_no_two_cards_of_the_game_fold_alike_but_one(collected: Path) -> None:
    keys: dict[str, set[str]] = {}
    with (collected / "cards.csv").open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            keys.setdefault(fold(row["name"]), set()).add(row["name"])
    assert [names for names in keys.values() if len(names) > 1] == [
        {"The Greatest Fear", "The Greatest Fear..."}
    ]


def test_the_shipped_facts_agree_with_the_cards(whole: CatalogIndex) -> None:
    for card in catalog_files.shipped()["coc-lcg"].cards:
        if card.facts.get("edition") != "ccg":
            real = whole.get(card.key)
            assert real is not None, card.title
            assert real.facts["type"] in card.facts["type"], card.title


def test_every_pack_that_people_name_is_a_set_in_which_the_card_was_printed(
    collected: Path, decks: dict[str, Path]
) -> None:
    source = sources.read(sources.gathered(collected / "octgn_sets"))
    index = CatalogIndex(source.cards, game="coc-lcg", name="", partial=False, version="octgn")
    packs = format_files.snapshot("coc-lcg").packs
    named = set()
    for path in decks.values():
        judgement = judged(path, "3.0", index)
        assert [note.text for note in judgement.deck_list.notes if "another set" in note.message] == [], (
            path.name
        )
        named |= {fold(entry.hint) for entry in judgement.deck_list.entries if entry.hint}
    sets = {packs.get(one, one) for one in index.sets_of("")}
    assert len(named) == 33
    assert {packs.get(one, one) for one in named} <= sets


def test_a_pack_in_which_the_card_is_not_is_remarked_and_changes_nothing() -> None:
    index = catalog_files.shipped_index("coc-lcg")
    snapshot = format_files.snapshot("coc-lcg")
    right, wrong = (
        judge(read(f"3x Museum Curator ({pack})"), snapshot, index)
        for pack in ("The Cacophony", "Kingsport Dreams F12")
    )
    assert [note.message for note in right.deck_list.notes] == []
    assert ["another set" in note.message for note in wrong.deck_list.notes] == [True]
    assert right.hash == wrong.hash
