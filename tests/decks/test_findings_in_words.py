"""What findings say, where a number or a name used to make a sentence that nobody would write."""

from datetime import date

import pytest

from decks.cards import catalog_files
from decks.judging.judgement import judge
from decks.law import format_files
from decks.legality import Finding
from decks.lists import read


def found(text: str, law: str, on: str = "", **overrides: str) -> dict[str, Finding]:
    listed = read(text)
    day = date.fromisoformat(on) if on else None
    snapshot = format_files.snapshot(law, day, overrides=overrides or None, choices=listed.choices)
    report = judge(listed, snapshot, catalog_files.shipped_index(snapshot.game)).report
    return {finding.code: finding for finding in report.findings}


KINGS = "House Stark\nKings of Winter\n\nPlots:\n1x A Time for Wolves\n1x {}\n\nDeck:\n3x Winterfell Steward"


@pytest.mark.parametrize(
    ("text", "law", "code", "message"),
    [
        (
            KINGS.format("Late Summer Feast"),
            "agot2",
            "too-many-summer-plots",
            "The deck may have no Summer plots; it has 1.",
        ),
        (
            "House Stark\nBanner of the Sun\n\nDeck:\n1x Desert Scavenger",
            "agot2",
            "too-few-banner-cards",
            "The deck needs at least 12 Martell cards; it has 1.",
        ),
        (
            "[Fire/Law/Past/Growth] + Red",
            "codex",
            "too-many-specialties",
            "The deck has 4 specialties; it must have exactly 3.",
        ),
        (
            "[Fire/Law] + Red",
            "codex",
            "too-few-specialties",
            "The deck has 2 specialties; it needs exactly 3.",
        ),
    ],
)
def test_a_number_of_cards_of_a_kind(text: str, law: str, code: str, message: str) -> None:
    assert found(text, law)[code].message == message


def test_titles_that_exclude_each_other_are_on_a_list_of_such() -> None:
    text = "House Stark\n\nDeck:\n1x Robb Stark (Core)\n1x Skagos (R)"
    assert found(text, "agot2-joust", "2023-08-01")["excluded-together"].message == (
        "Robb Stark (Core) and Skagos (R) are on a list of cards that exclude each other (Standard v1.8); "
        "a deck may use one title of it."
    )


def test_what_our_data_does_not_say_is_said_without_the_name_of_a_column() -> None:
    crane = "Stronghold\n1 The Exquisite Palace of the Crane\n\nDynasty\n1 Akodo Daiken\n\nFate\n1 Advance Warning"
    said = found(crane, "l5r-ccg", list="ivory")
    assert said["unknown-legal"].message == (
        "Advance Warning can’t be checked: perhaps it is not in the pool of Ivory; our card data doesn’t say."
    )
    assert said["disloyal"].message == (
        "Akodo Daiken can’t be checked: perhaps it is loyal to another clan; our card data doesn’t say."
    )


@pytest.mark.parametrize(
    ("leader", "name", "code"),
    [
        ("Agnes Baker", "Aetheric Current", "too-many-copies"),  # both are Bonded: in no deck
        ("Roland Banks", "Jim's Trumpet", "not-for-this-leader"),  # both are another investigator's
    ],
)
def test_a_name_of_several_cards_of_one_level_is_judged_as_each(leader: str, name: str, code: str) -> None:
    said = found(f"{leader}\n\n1x {name}\n2x Guts", "arkham")
    assert "unknown-card" not in said
    assert said[code].severity == "illegal"


def test_a_name_of_several_levels_is_asked_about() -> None:
    said = found("Agnes Baker\n\n1x Book of Shadows\n2x Guts", "arkham")["unknown-card"]
    assert {"Book of Shadows (1)", "Book of Shadows (3)"} <= set(said.suggestions)


def test_a_card_that_no_deck_holds_is_said_to_be_in_none() -> None:
    said = found("Agnes Baker\n\n1x Aetheric Current: Yoth", "arkham")["too-many-copies"]
    assert said.message == "1 copy of Aetheric Current: Yoth; none may be in the deck."
