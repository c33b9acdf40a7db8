"""The facts of cards that a hand wrote, held against their prints; skipped where no print is at hand."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rules.law import system_files
from rules.texts import lexicons
from rules.texts.printed import PrintedText, printed_texts

SHARED = Path(os.environ.get("HEADJUDGE_SHARED", Path(__file__).resolve().parents[2].parent / "shared"))
PRINTS = SHARED / "data" / "cards" / "call_of_cthulhu_lcg" / "cards.csv"
KEY = "coc-lcg"
FACTS = ("type", "cost", "skill", "terror", "combat", "arcane", "investigation", "subtypes")


def _prints() -> dict[str, list[PrintedText]]:
    """Folded name -> the prints that bear it: versions of a character have one name and different facts."""
    if not PRINTS.exists():
        pytest.skip("no printed cards at hand")
    lexicon = lexicons.lexicon_of(KEY)
    properties = system_files.system(KEY).properties
    found: dict[str, list[PrintedText]] = {}
    for card in printed_texts(PRINTS, lexicon.data["printed"], properties["type"].symbols):
        found.setdefault(system_files.fold(card.name), []).append(card)
    return found


def _differences(card: Mapping[str, Any], printed: PrintedText) -> dict[str, tuple[Any, Any]]:
    """Fact -> (what the library says, what is printed), where they differ. An X is whatever its player makes it."""
    facts = {"type": printed.type, **printed.facts}
    pairs = {
        fact: (card.get(fact), facts.get(fact))
        for fact in FACTS
        if fact not in printed.xs and not (printed.type == "story" and fact in facts)
    }
    return {
        fact: (ours, theirs)
        for fact, (ours, theirs) in pairs.items()
        if (
            sorted(ours or ()) != sorted(theirs or ()) if fact == "subtypes" else (ours or 0) != (theirs or 0)
        )
    }


def test_a_card_that_a_hand_wrote_has_the_facts_of_its_print() -> None:
    prints = _prints()
    wrong = {}
    for folded, card in system_files.library(KEY).items():
        name = str(card["name"])
        versions = prints.get(folded) or prints.get(system_files.fold(name.split(", ")[0])) or []
        differences = [_differences(card, printed) for printed in versions]
        if differences and all(differences):
            wrong[name] = min(differences, key=len)
    assert wrong == {}


# Sentences of a print that a hand-written card once left out without a word, and where its data says them now.
SAID = {
    'Jack "Brass" Brady': ("abilities", "triggered ability"),
    "Bokrug": ("unblankable", "cannot be blanked"),
    "Dreamwalkers": ("abilities", "each player must choose"),
    "Khopesh of the Abyss": ("abilities", "shuffle it into its owner's deck"),
    "Parallel Universe": ("abilities", "from your hand"),
    "Horrid Dreams": ("unread", "the same faction"),
    "A Sight for Sore Eyes": ("abilities", "copy of"),
    "Eye of the Deep": ("abilities", "called"),
    "Prepared Alienist": ("cannot", "through triggered effects"),
}


@pytest.mark.parametrize("name", SAID)
def test_a_sentence_that_was_left_out_is_in_the_print_and_in_the_data(name: str) -> None:
    part, words = SAID[name]
    folded = system_files.fold(name)
    assert any(words in " ".join(card.text.split()).lower() for card in _prints()[folded])
    assert system_files.library(KEY)[folded].get(part)


def test_no_card_says_in_passing_that_it_leaves_something_out() -> None:
    """What the data cannot say is marked (`unread`), so that answers that depend on it are insufficient."""
    passing = ("left out", "nothing here says so", "simplified")
    said = {name: str(card.get("text", "")) for name, card in system_files.library(KEY).items()}
    assert [name for name, text in said.items() if any(words in text for words in passing)] == []


def test_a_card_of_an_older_print_says_so() -> None:
    assert "collectible game" in str(system_files.library(KEY)[system_files.fold("Field Researcher")]["text"])
