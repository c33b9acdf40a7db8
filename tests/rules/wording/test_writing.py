"""The way back: a sentence for what a hand wrote as data, by the same rules, and it means just that."""

from typing import Any

import pytest

from rules.law import system_files
from rules.texts import lexicons
from rules.wording.alike import alike
from rules.wording.reading import read
from rules.wording.writing import Unwritten, write
from tests.rules.wording.test_reading import OF_THRONES, TEXTS


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (
            {"abilities": [{"kind": "action", "choose": {"v": "character"}, "do": [
                {"do": "wound", "to": "v", "from": "this"}]}]},
            "Action: Choose and wound a character.",
        ),
        ({"attaches-to": "character where controller = you"}, "Attach to a character you control."),
        ({"always": [{"stat": "skill", "by": 2, "of": "it = this.host"}]}, "Attached character gets +2 skill."),
        (
            {"always": [
                {"stat": "forfeit", "to": "yes", "of": "it = this",
                    "while": "any(in-play where subtypes has 'Night')"}]},
            "If it is night, sacrifice Old Clerk.",
        ),
        (
            {"always": [
                {"stat": "expelled", "to": "yes",
                    "of": "it.type = 'character' and it.skill = 0 and it.zone = 'play'"}]},
            "Characters with exactly 0 skill are discarded from play.",
        ),
        (
            {"abilities": [{"kind": "disrupt", "at": "would", "of": "destroy",
                "if": "trigger.card.type = 'character' and trigger.card.controller = you",
                "cost": [{"do": "sacrifice", "card": "this"}], "do": [{"cancel": "trigger"}]}]},
            "Disrupt: Sacrifice Old Clerk to prevent a character you control from being destroyed.",
        ),
    ],
)  # fmt: skip
def test_data_becomes_a_sentence(entry: dict[str, object], text: str) -> None:
    assert write(lexicons.lexicon_of("coc-lcg"), entry, name="Old Clerk") == text


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (
            {"cannot": [{"kind": "start-challenge", "if": "how = 'intrigue' and by = you",
                "because": "a card's text says that it cannot"}]},
            "You cannot initiate an intrigue challenge.",
        ),
        (
            {"always": [{"stat": "renown", "to": "yes",
                "while": "any(in-play as a where a.host = this and a.type = 'attachment')"}]},
            "While Old Clerk has an attachment, Old Clerk gets renown.",
        ),
        (
            {"always": [{"stat": "stealth", "to": "yes",
                "while": "none(player as p where p != you and p.faction-card.power >= you.faction-card.power)"}]},
            "While you have more power on your faction card than your opponents, Old Clerk gets stealth.",
        ),
        (
            {"abilities": [{"kind": "forced-reaction", "at": "after", "of": "enter-play", "if": "trigger.card = this",
                "choose": {"target": "player where it != you"},
                "do": [{"do": "take-control", "card": "this", "by": "target"}]}]},
            "Forced reaction: After Old Clerk is put into play, give control of Old Clerk to an opponent.",
        ),
    ],
)  # fmt: skip
def test_of_another_game_too(entry: dict[str, object], text: str) -> None:
    assert write(lexicons.lexicon_of("agot"), entry, name="Old Clerk") == text


@pytest.mark.parametrize(("system", "texts"), [("coc-lcg", TEXTS), ("agot", OF_THRONES)])
def test_what_is_written_is_read_as_the_same(system: str, texts: list[dict[str, Any]]) -> None:
    """Of what a hand wrote in the library, and of our own texts: what has a sentence has one that means just this."""
    lexicon = lexicons.lexicon_of(system)
    cards = [(card.get("type"), card) for card in system_files.library(system).values()]
    cards += [(entry.get("type"), entry["means"]) for entry in texts if isinstance(entry["means"], dict)]
    written = 0
    for type_, card in cards:
        for part in ("abilities", "always", "cannot"):
            for one in card.get(part, ()):
                try:
                    text = write(lexicon, {part: [one]}, name="Old Clerk", type_=type_)
                except Unwritten:
                    continue
                written += 1
                (ability,) = read(lexicon, text, name="Old Clerk", type_=type_).abilities
                assert [alike(reading, {part: [one]}) for reading in ability.readings] == [True], text
    assert written > 15


def test_what_no_sentence_means_is_said_to_have_none() -> None:
    with pytest.raises(Unwritten):
        write(
            lexicons.lexicon_of("coc-lcg"),
            {"abilities": [{"kind": "action", "do": [{"run": "redistribute"}]}]},
        )
