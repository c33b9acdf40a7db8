"""Imported card data: what its rows tell of a card, what its text means, and what is said of the rest."""

import json
from typing import Any

import pytest

from config.errors import UserError
from rules import scenarios
from rules.scenarios.adjudicate import adjudicate
from rules.texts import imported
from rules.texts.imported import Imported, Meaning, card_of, meaning_of, whole
from tests.rules.wording.test_scenarios import LAID, TWO

COLUMNS = {
    "type": "character",
    "faction": "Agency",
    "cost": "2",
    "skill": "3",
    "icons": "@ #",
    "subtypes": "",
}
CATALOG: dict[str, Any] = {"type": "character", "faction": "Agency", "cost": 2, "skill": 3}


def row(text: str, **more: str) -> dict[str, str]:
    return {"title": "Maid", "text": text, **COLUMNS, **more}


def read(*rows: dict[str, str], name: str = "Maid", **facts: Any) -> Meaning:
    return meaning_of("coc-lcg", name, rows, {**CATALOG, **facts})


def codes(meaning: Meaning) -> list[str]:
    return [one["code"] for one in meaning["remarks"]]


def test_a_row_is_the_card_that_a_hand_would_have_written() -> None:
    meaning = read(row("Action: Exhaust Maid to draw a card."))
    assert whole(meaning)
    assert card_of("Maid", meaning) == {
        "name": "Maid",
        "type": "character",
        "faction": "The Agency",  # as the system's own cards have it
        "cost": 2,
        "skill": 3,
        "terror": 1,
        "combat": 1,
        "abilities": [
            {
                "kind": "action",
                "cost": [{"do": "exhaust", "card": "this"}],
                "do": [{"do": "draw", "who": "you"}],
            }
        ],
    }


def test_a_column_counts_however_it_is_written() -> None:
    """A keyword that stands in a column of its own is part of the text."""
    meaning = read({"title": "Maid", "Card_Text": "", "keyword": "Willpower.", **COLUMNS})
    assert card_of("Maid", meaning)["willpower"] is True


def test_the_first_word_that_is_not_understood_is_told_and_the_rest_stands() -> None:
    meaning = read(row("Willpower.\nAction: Exhaust Maid to zonk a card."))
    (known, stopped) = meaning["passages"]
    assert (known["taken"], stopped["taken"], stopped["trouble"]["word"]) == (1, 0, "zonk")
    card = card_of("Maid", meaning)
    assert card["willpower"] is True and card["unread"][0]["says"].startswith("zonk")
    assert not whole(meaning) and codes(meaning) == []


OPEN = 'Attached character gains "Action: draw a card.'
STRANGE: dict[str, tuple[dict[str, str], list[str]]] = {
    "too long": (row("draw a card. " * 2_000), ["too-long"]),
    "twenty thousand characters": (row("Action: draw a card.\n" * 900), []),
    "an open quotation": (row(OPEN), ["open-quote"]),
    "markup": (row("<script>alert(1)</script> Action: Draw a card."), []),
    "another language": (row("카드를 두 장 뽑는다."), []),
    "explodes": (row("Action: Exhaust a character" + " and a character" * 400 + "."), []),
    "a type that the game does not have": (row("Fast.", type="starship"), ["no-type"]),
    "an event that does nothing": (row("", type="event"), ["no-text"]),
    "an X": (row("Fast.", cost="X"), ["untold"]),
    "a faction that is none": (row("Fast.", faction="The Postmen"), ["untold"]),
}


@pytest.mark.parametrize("what", STRANGE)
def test_whatever_a_file_holds_is_a_remark_on_its_card(what: str) -> None:
    told, expected = STRANGE[what]
    facts: Any = {
        "type": told["type"],
        "faction": told["faction"],
        "cost": told["cost"] if told["cost"] == "X" else 2,
    }
    meaning = read(told, **facts)
    assert codes(meaning) == expected
    for one in meaning["passages"]:
        trouble = one["trouble"]
        assert one["taken"] or (trouble["start"] <= trouble["end"] <= len(meaning["text"]))
    laid = {**LAID, "cards": {**LAID["cards"], "maid": {**card_of("Maid", meaning), "of": "Bo"}}}
    assert json.loads(json.dumps(meaning)) == meaning
    scenarios.read(json.dumps(laid))  # it can lie on a table all the same


def test_what_no_column_tells_may_matter() -> None:
    """A file with titles and texts alone says nothing of a character's skill; nothing is taken for 0."""
    meaning = meaning_of("coc-lcg", "Maid", [{"title": "Maid", "type": "character", "text": "Fast."}], {})
    (remark,) = meaning["remarks"]
    assert remark["code"] == "untold" and "skill" in remark["details"] and "terror" in remark["details"]
    assert {"says": "skill"} in card_of("Maid", meaning)["unread"]


def test_two_cards_of_one_name_are_neither() -> None:
    assert codes(read(row("Fast."), row("Willpower."))) == ["two-texts"]
    assert codes(read(row("Fast."), row("Fast.", skill="3"))) == []  # a reprint
    assert codes(read(row("Draw a card."), row("Draw a card."), type="event")) == codes(
        read(row("Draw a card."), type="event")
    )


def test_what_is_printed_twice_stands_if_both_agree() -> None:
    """A keyword that the card data has as a fact too."""
    assert whole(read(row("Fast."), fast=True)) and read(row("Fast."), fast=True)["facts"]["fast"] == "yes"
    assert codes(read(row("Toughness +1."), toughness=1)) == []
    assert codes(read(row("Toughness +1."), toughness=2)) == ["told-twice"]


def test_nested_columns_are_read_and_columns_of_other_types_are_not_missed() -> None:
    """A Game of Thrones as throneteki has it: icons within a mapping, no strength on an attachment."""
    told = {
        "name": "Old Knight",
        "type": "character",
        "faction": "thenightswatch",
        "cost": 3,
        "strength": 4,
        "traits": [],
    }
    stats = dict.fromkeys(
        ("plotStats.income", "plotStats.initiative", "plotStats.claim", "plotStats.reserve"), ""
    )
    icons = {"icons": {"military": True, "power": False}, "text": "Stealth."}
    meaning = meaning_of("agot", "Old Knight", [{**stats, **told, **icons}], {"type": "character", "cost": 3})
    card = card_of("Old Knight", meaning)
    assert (card["house"], card["strength"], card["military"]) == ("nights-watch", 4, "yes")
    assert "power-icon" not in card and whole(meaning)


def test_what_a_person_held_back_is_not_taken() -> None:
    meaning = meaning_of("coc-lcg", "Living Ink", [row("Fast.", title="Living Ink")], CATALOG)
    assert codes(meaning) == ["held"] and "fast" not in card_of("Living Ink", meaning)


def test_a_game_whose_texts_cannot_be_read_has_its_facts_and_an_open_text() -> None:
    meaning = meaning_of(
        "arkham", "Knife", [{"name": "Knife", "text": "[action]: Fight."}], {"type": "asset"}
    )
    card = card_of("Knife", meaning)
    assert card["type"] == "asset" and card["unread"] == [{"says": "[action]: Fight."}]


def test_the_grammar_has_a_name_of_its_own_for_each_system() -> None:
    assert imported.grammar("coc-lcg") == imported.grammar("coc-lcg") != imported.grammar("codex")


# --- in a scenario ---------------------------------------------------------------------------------------


def finder(**texts: str) -> Any:
    """Finds imported cards by these names, and says which were looked for."""

    def find(system: str, name: str) -> Imported | None:
        find.asked.append(name)  # type: ignore[attr-defined]
        if name not in texts:
            return None
        rows = [row(texts[name], title=name)]
        return Imported(name, rows, CATALOG, meaning_of(system, name, rows, CATALOG))

    find.asked = []  # type: ignore[attr-defined]
    return find


def canonical(imported: Any, **cards: Any) -> dict[str, Any]:
    laid = {**LAID, "cards": {**LAID["cards"], **cards}}
    return scenarios.read(json.dumps(laid), imported=imported).canonical


def test_an_imported_card_is_named_and_the_scenario_keeps_what_it_means() -> None:
    found = canonical(finder(Maid="Willpower."), maid={"is": "Maid", "of": "Bo", "wounds": 0})["cards"][
        "maid"
    ]
    assert (
        found["name"] == "Maid" and found["willpower"] is True and found["of"] == "Bo" and "is" not in found
    )
    again = scenarios.read(json.dumps({**LAID, "cards": {"maid": found}, "did": [], "ask": ["next"]}))
    assert again.canonical["cards"]["maid"] == found


def test_a_card_of_the_library_stands_before_an_imported_one() -> None:
    find = finder(**{"Shotgun Blast": "Fast."})
    assert canonical(find)["cards"]["shotgun"]["is"] == "Shotgun Blast"
    assert find.asked == []


def test_a_name_that_nobody_has_is_refused_as_before() -> None:
    with pytest.raises(UserError) as refused:
        canonical(finder(), maid={"is": "Nobody at all"})
    assert (refused.value.code, refused.value.place) == ("unknown-card", "cards.maid.is")


def test_an_answer_that_may_hang_on_what_is_not_understood_says_so() -> None:
    def statuses(text: str) -> list[str]:
        told = canonical(finder(Maid=text), maid={"is": "Maid", "of": "Bo"})
        return [one["status"] for one in adjudicate(told, budget=10_000)["questions"]]

    assert statuses("Willpower.") == ["determined", "determined"]
    assert "insufficient" in statuses("Response: After a character is wounded, zonk it.")


def test_a_text_told_in_the_scenario_stands_for_the_imported_one() -> None:
    told = {"is": "Maid", "of": "Bo", "text": "Fast."}
    found = canonical(finder(Maid="Willpower."), maid=told)["cards"]["maid"]
    assert found["fast"] is True and "willpower" not in found and found["skill"] == 3


def test_of_several_readings_the_scenario_chooses_one() -> None:
    find = finder(Maid=TWO)
    assert "unread" in canonical(find, maid={"is": "Maid", "of": "Bo"})["cards"]["maid"]
    both = [canonical(find, maid={"is": "Maid", "of": "Bo", "reading": n})["cards"]["maid"] for n in (1, 2)]
    assert both[0] != both[1] and all("unread" not in one for one in both)
    with pytest.raises(UserError) as refused:
        canonical(find, maid={"is": "Maid", "of": "Bo", "reading": 7})
    assert refused.value.code == "wrong-reading"
