"""Cards that the grammar understood, as the library has them."""

import json
from pathlib import Path

import pytest

from rules import scenarios
from rules.engine.compiler import compile_card
from rules.law import system_files
from rules.texts.telling import told
from rules.texts.understanding import understood
from tests.rules.wording.test_commands import run

SHIPPED = sorted(path.stem for path in (system_files.FOLDER / "library" / "understood").glob("*.jsonl"))


@pytest.mark.parametrize("key", SHIPPED)
def test_every_shipped_card_can_be_played_and_told(key: str) -> None:
    cards = system_files.understood(key)
    assert len(cards) > 50
    for card in cards.values():
        compile_card(system_files.system(key), card["name"], card)
        assert told(key, {word: value for word, value in card.items() if word != "type"}), card["name"]
        assert not {"text", "unread"} & set(card), card["name"]


@pytest.mark.parametrize("key", SHIPPED)
def test_a_card_written_by_hand_wins(key: str) -> None:
    assert not set(system_files.understood(key)) & set(system_files.library(key))


def test_the_printed_cards_of_a_folder_become_data_without_their_words(tmp_path: Path) -> None:
    cards = [
        {"name": "Old Clerk", "Type": "Character", "Card Text": "Action: Exhaust Old Clerk to draw a card.",
         "Cost": "2", "Skill": "1", "Icons": "@ #", "Subtypes": "Student. Item.", "Keyword": "Fast.", "unique": "True"},
        {"name": "Lamp", "Type": "Support", "Card Text": "Lamp blorps.", "Cost": "1"},
        {"name": "Twin", "Type": "Support", "Card Text": "Attach to a character.", "Cost": "1"},
        {"name": "Twin", "Type": "Support", "Card Text": "Attach to a story.", "Cost": "1"},
        {"name": "Two", "Type": "Event", "Card Text": "Action: Draw a card.", "Cost": "X"},
        {"name": "Shotgun Blast", "Type": "Event", "Card Text": "Action: Draw a card.", "Cost": "1"},
    ]  # fmt: skip
    (tmp_path / "cards.json").write_text(json.dumps(cards), "utf-8")
    to = tmp_path / "out.jsonl"
    found, code = run(
        "cards_understand", "coc-lcg", "--texts", str(tmp_path / "cards.json"), "--to", str(to), "--list"
    )
    assert code == 0
    rows = [json.loads(line) for line in to.read_text("utf-8").splitlines()]
    assert [row["name"] for row in rows] == ["Old Clerk"]
    assert rows[0]["card"] == {
        "type": "character", "cost": 2, "skill": 1, "unique": "yes", "subtypes": ["Student", "Item"], "terror": 1,
        "combat": 1, "fast": True,
        "abilities": [
            {"kind": "action", "cost": [{"do": "exhaust", "card": "this"}], "do": [{"do": "draw", "who": "you"}]}
        ],
    }  # fmt: skip
    for why in (
        "Lamp: not understood (blorps)",
        "Twin: two cards",
        "Two: a printed fact",
        "Shotgun Blast: written by hand",
    ):
        assert why in found


def test_a_keyword_in_a_column_of_its_own_is_no_word_of_the_next_sentence(tmp_path: Path) -> None:
    card = {"name": "Old Guide", "Type": "Character", "Keyword": "Loyal", "Subtypes": "Explorer.",
            "Card Text": "Explorer characters gain Fast."}  # fmt: skip
    (tmp_path / "cards.json").write_text(json.dumps([card]), "utf-8")
    to = tmp_path / "out.jsonl"
    run("cards_understand", "coc-lcg", "--texts", str(tmp_path / "cards.json"), "--to", str(to))
    (row,) = [json.loads(line)["card"] for line in to.read_text("utf-8").splitlines()]
    assert row["loyal"] is True
    assert "loyal" not in row["always"][0]["of"]


def test_a_card_that_is_printed_as_a_token_is_one(tmp_path: Path) -> None:
    rat = {"name": "Brown Rat", "type": "Unit", "HP": 1, "ATK": 1, "subtype": "Rat", "rules_text_1": "Haste"}
    cards = [rat | {"filename": "rat_token.jpg"}, rat | {"name": "Old Rat", "filename": "old_rat.jpg"}]
    (tmp_path / "cards.json").write_text(json.dumps(cards), "utf-8")
    to = tmp_path / "out.jsonl"
    run("cards_understand", "codex", "--texts", str(tmp_path / "cards.json"), "--to", str(to))
    found = {row["name"]: row["card"] for row in map(json.loads, to.read_text("utf-8").splitlines())}
    assert found["Brown Rat"]["token"] == "yes"
    assert "token" not in found["Old Rat"]


def test_an_understood_card_is_named_like_one_of_the_library() -> None:
    name = next(
        card["name"] for card in system_files.understood("coc-lcg").values() if card["type"] == "character"
    )
    laid = {"system": "coc-lcg", "cards": {"one": {"is": name, "of": "Ann"}}}
    assert scenarios.read(json.dumps(laid)).canonical["cards"]["one"] == {"is": name, "of": "Ann"}


def test_what_two_passages_tell_of_one_fact_is_joined_or_declined() -> None:
    stark = ("You may include non-loyal [stark] cards", "You must include at least 12 [stark] cards")
    banner = "\n".join(f"{one} in your deck." for one in stark)
    assert understood("agot", banner, type_="agenda").data["deck-rules"] == [
        "deck: may (not it.loyal and it.house = 'stark')", "deck: at least 12 (it.house = 'stark')",
    ]  # fmt: skip
    hosts = understood("coc-lcg", "Attach to a character. Attach to a story. Fast.", type_="support")
    assert [passage.taken for passage in hosts.passages] == [0, 0, 1]
    assert {one.trouble.code for one in hosts.passages if one.trouble} == {"told-twice"}
    assert "attaches-to" not in hosts.data
    twice = understood("coc-lcg", "Toughness +1.\nFast.\nToughness +1. Fast.", type_="character")
    assert twice.whole and (twice.data["toughness"], twice.data["fast"]) == (2, True)
