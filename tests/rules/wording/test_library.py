"""What is read of printed cards, held against what a hand wrote in the library; skipped where no print is at hand."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from rules.law import system_files
from rules.scenarios import case_files
from rules.texts import lexicons
from rules.texts.coverage import coverage
from rules.texts.library import misprints
from rules.texts.printed import PrintedText, printed_texts
from rules.wording.alike import alike, normal, renamed
from rules.wording.reading import CardRead, read
from tests.rules.worked import CASES

SHARED = Path(os.environ.get("HEADJUDGE_SHARED", Path(__file__).resolve().parents[3].parent / "shared"))
CARDS = SHARED / "data" / "cards"
FOLDERS = {"coc-lcg": CARDS / "call_of_cthulhu_lcg" / "cards.csv", "codex": CARDS / "codex" / "rgdelato_json"}
TEXT = ("abilities", "always", "cannot", "immune")

# Cards of the library that are not as printed, or say the same in other words; each was looked at.
OTHERWISE = {
    "coc-lcg": {
        "Shotgun Blast": "the print has: skill X or lower",
        "Catastrophic Explosion": "an insane character shows no printed skill",
        "Living Mummy": "the FAQ's two readings; a Forced Response in print",
        "Sacrificial Offerings": "the same: the print's second choice may come to nothing",
        "Initiate of Huang Hun": "the same: one writes character, one card; next(you), and not you",
        "Dr. Carson's Treatment": "the same: one writes character, one card",
        "Byakhee Attack": "the same of two players; if able is said, and what it says is a rule",
        "Feral Elder Thing": "the same: if able is said, and what it says is a rule",
        "Y'Golonac": "the hand readies if able",
        "The Sleepwalker": "the library leaves its Response out",
        "Aziz Chatuluka": "the same: two effects under one condition",
        "Inside Information": "the same: its options are called otherwise",
        "Power Drain": "the same: one also says that it is no passive",
        "Forms of the Ether": "the same: one writes resource, one where it is",
        "Twilight Gate": "the same: one asks whether there is a domain to choose",
        "Thing from Nightmare": "the same: one counts under a name of its own",
        "Prepared Alienist": "the same: one of two kinds, one of each",
        "Aspiring Artist": "the same: one also says who plays it, and nobody else can",
        "Shadow Company": "the same: where it stood, told of each place",
        "Horrid Dreams": "the library asks what was discarded; the print sacrifices one of its faction",
        "Brain Transplant": "the FAQ's own example (1.10): what cannot be is ignored, and then goes on",
        "Trent Dixon": "the library leaves open that he must commit",
        "Repo Man": "the library: the struggle is not won; the print: winning it does something else",
        "Professor Nathaniel Peaslee": "the library: under their owners' control; the print leaves it open",
    },
    "codex": {
        "Hyperion": "the library: Arrives or attacks; the print: Attacks",
        "Hallucination": "the same: one adds the subtype to what it has, one to each",
        "Gunpoint Taxman": "the same: one writes where a trigger answers anyway",
        "Necromancer": "the same: so, too",
        "Smoker": "the same: so, too",
    },
}


def printed(key: str) -> Iterator[tuple[PrintedText, Mapping[str, Any], CardRead]]:
    """Printed cards that the library has too, and what is understood of them."""
    if not FOLDERS[key].exists():
        pytest.skip("no printed cards at hand")
    lexicon = lexicons.lexicon_of(key)
    types = system_files.system(key).properties["type"].symbols
    library = {system_files.fold(name): card for name, card in system_files.library(key).items()}
    for card in printed_texts(FOLDERS[key], lexicon.data["printed"], types):
        if (known := library.get(system_files.fold(card.name))) is not None:
            yield card, known, read(lexicon, card.text, name=card.name, type_=card.type, xs=card.xs)


@pytest.mark.parametrize("key", FOLDERS)
def test_what_is_understood_is_what_a_hand_wrote_or_was_looked_at(key: str) -> None:
    otherwise = set()
    for card, known, found in printed(key):
        if found.understood:
            wanted = {part: known[part] for part in TEXT if known.get(part)}
            got = {part: value for part, value in found.data().items() if part in TEXT}
            if not alike(got, wanted):
                otherwise.add(card.name)
    assert otherwise <= set(OTHERWISE[key])


def test_every_typing_error_that_was_put_right_stands_in_the_print() -> None:
    for key, folder in FOLDERS.items():
        if not folder.exists():
            pytest.skip("no printed cards at hand")
        lexicon = lexicons.lexicon_of(key)
        types = system_files.system(key).properties["type"].symbols
        texts: dict[str, str] = {}
        for card in printed_texts(folder, lexicon.data["printed"], types):
            texts[card.name] = f"{texts.get(card.name, '')}\n{card.text}"
        gone = [
            (name, wrong)
            for name, slips in misprints(key).items()
            for wrong in slips
            if wrong not in texts.get(name, "")
        ]
        assert gone == []


def test_the_worked_cases_hold_with_understood_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "coc-lcg"
    library = dict(system_files.library(key))
    differs = {name for name, why in OTHERWISE[key].items() if not why.startswith("the same")}
    replaced = set()
    for card, known, found in printed(key):
        if found.understood and card.name not in differs:
            own = {part: value for part, value in known.items() if part not in TEXT}
            read_ = {part: value for part, value in found.data().items() if part in TEXT}
            library[system_files.fold(card.name)] = {**own, **renamed(normal(read_), known)}
            replaced.add(system_files.fold(card.name))
    assert len(replaced) > 10
    monkeypatch.setattr(system_files, "library", lambda asked: library)
    held = 0
    for case in (case for case in CASES if case.name.startswith(f"{key}/")):
        told = system_files.fold(case_files.text(case))
        if not any(name in told for name in replaced):
            continue  # none of them plays a part in it
        wrong = [
            one for one in case_files.run(case).failures if "does not cite" not in one
        ]  # a print cites no rule
        assert wrong == [], case.name
        held += 1
    assert held > 100


def test_what_is_understood_of_thrones_passes_every_gate() -> None:
    folder = CARDS / "agot2" / "packs"
    if not folder.exists():
        pytest.skip("no printed cards at hand")
    lexicon = lexicons.lexicon_of("agot")
    types = system_files.system("agot").properties["type"].symbols
    cards = list(printed_texts(folder, lexicon.data["printed"], types))[::25]
    found = coverage("agot", cards)
    assert found.count("understood") > 30
    assert not found.failed
