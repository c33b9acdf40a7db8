"""Decks of Codex that players entered for events (worked/codex.yaml), in the ways in which people send them, by the
rulebook and by an event's ban list."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from config import strict_yaml
from decks.cards import catalog_files
from decks.judging.judgement import judge
from decks.law import format_files
from decks.legality import Report, Severity, Snapshot
from decks.lists import read

_known: Any = strict_yaml.load(
    (Path(__file__).parent / "worked" / "codex.yaml").read_text(), name="codex.yaml"
)
WORKED = [(deck, deck in one["barred"]) for one in _known for deck in one["decks"]]
WAYS = (
    "{}",
    "Ann\n{}",
    "Player: Ann\n{}",
    "{}\nPlayer: Ann\nDate: 2017-04-01",
    "Name: Ann\nDeck: {}\nEvent: Spring Swiss",
    "Ann ({})",
    "Hello Eric, here is my deck:\n\n{}\n\nThanks, Ann",
)
FALL_2018 = """
key: fall-2018
title: Fall Swiss 2018
extends: codex
default-on: 2018-09-21
law:
  F-1: {text: The pairs that this event bars., document: Announcement 2018}
lists:
  fall:
    title: the ban list of fall
    document: Announcement 2018
    exclusive:
      - {rule: F-1, titles: [Strength, Growth]}
      - {rule: F-1, titles: [Peace, Purple Starter]}
      - {rule: F-1, titles: [Demonology, Necromancy]}
timeline:
  - {from: 2018-09-21, list: fall, basis: announced}
"""


def judged(text: str, snapshot: Snapshot | None = None) -> Report:
    snapshot = snapshot or format_files.snapshot("codex", date(2018, 9, 21))
    return judge(read(text), snapshot, catalog_files.shipped_index("codex")).report


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("deck", [deck for deck, _barred in WORKED])
def test_a_deck_that_was_let_in_is_legal_however_it_is_sent(deck: str, way: str) -> None:
    report = judged(way.format(deck))
    assert report.verdict.value == "legal", [found.message for found in report.findings]


@pytest.mark.parametrize(("deck", "barred"), WORKED)
def test_an_event_bars_pairs(deck: str, barred: bool) -> None:
    snapshot = format_files.parsed(FALL_2018, name="fall").snapshot(date(2018, 9, 21))
    report = judged(deck, snapshot)
    codes = {found.code for found in report.findings if found.severity is not Severity.NOTE}
    assert (report.verdict.value, bool(codes)) == (("illegal", True) if barred else ("legal", False))


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("My deck: [Anarchy]/Blood/Fire (mono red)", "legal"),
        ("Hello, here is my deck: [Anarchy]/Blood/Fire", "legal"),
        ("Red deck: [Fire/Growth/Finesse]", "legal"),
        ("Blue starter: [Fire]/Growth/Finesse", "illegal"),
        ("[Fire]/Growth/Finesse\nLaw", "unverified"),  # a deck's name, or a fourth specialty
        ("Player: Ann\n[Fire]/Growth/Finesse\nLaw", "unverified"),
        ("Player: Ann\n[Fire]/Growth/Finesse\nLaw\nTruth", "illegal"),
        ("My deck:\n[Fire]/Growth/Finesse\nSpecs: Law", "illegal"),
        ("Player: Ann\nConsidered:\n[Fire]/Growth/Finesse", "illegal"),
        ("Lawr (Mono White)", "illegal"),  # nearly a specialty: nobody is called so for sure
        ("Law (Mono White)", "illegal"),
    ],
)
def test_what_stands_beside_a_deck_is_no_card_and_a_card_is_never_lost(text: str, verdict: str) -> None:
    assert judged(text).verdict.value == verdict


def test_what_brackets_say_of_the_colour_is_told() -> None:
    notes = read("[Fire]/Growth/Finesse (mono blue)").notes
    assert [note.text for note in notes] == ["(mono blue)"]
