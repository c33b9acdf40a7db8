"""A card's printed text in a scenario: understood, asked about, or told as what an answer may hang on."""

import json
from typing import Any

import pytest

from config.errors import UserError
from rules import scenarios
from rules.scenarios.adjudicate import adjudicate
from rules.scenarios.writing import write

LAID: dict[str, Any] = {
    "system": "coc-lcg",
    "cards": {
        "shotgun": {"is": "Shotgun Blast", "of": "Ann", "zone": "hand"},
        "thug": {"type": "character", "of": "Bo"},
    },
    "did": ["Ann plays shotgun on thug"],
    "ask": ["next", {"holds": "thug.zone = 'discard'"}],
}


def canonical(**cards: Any) -> dict[str, Any]:
    return scenarios.read(json.dumps({**LAID, "cards": {**LAID["cards"], **cards}})).canonical


def statuses(**cards: Any) -> list[str]:
    return [one["status"] for one in adjudicate(canonical(**cards), budget=10_000)["questions"]]


def maid(text: str, **more: Any) -> dict[str, Any]:
    return {"name": "Maid", "type": "character", "of": "Bo", "text": text, **more}


def test_a_text_is_what_a_hand_would_have_written() -> None:
    read = canonical(maid=maid("Willpower. Action: Exhaust Maid to draw a card."))["cards"]["maid"]
    assert read["willpower"] is True
    assert read["abilities"] == [
        {"kind": "action", "cost": [{"do": "exhaust", "card": "this"}], "do": [{"do": "draw", "who": "you"}]}
    ]
    assert "unread" not in read


def test_the_canonical_form_keeps_its_meaning_and_its_hash() -> None:
    once = scenarios.read(
        json.dumps({**LAID, "cards": {**LAID["cards"], "maid": maid("Fast. Response: Zonk.")}})
    )
    again = scenarios.read(json.dumps(once.canonical))
    assert again.hash == once.hash
    assert scenarios.read(write(once.canonical)).hash == once.hash


def test_what_a_hand_wrote_stands_and_the_text_only_quotes() -> None:
    told = maid("Action: Zonk.", abilities=[{"kind": "action", "do": [{"do": "draw", "who": "you"}]}])
    assert "unread" not in canonical(maid=told)["cards"]["maid"]


def test_a_text_on_a_library_card_stands_for_what_the_library_says() -> None:
    read = canonical(
        other={"is": "Shotgun Blast", "of": "Bo", "zone": "hand", "text": "Action: Draw a card."}
    )
    assert [one["do"] for one in read["cards"]["other"]["abilities"]] == [[{"do": "draw", "who": "you"}]]


@pytest.mark.parametrize(
    ("text", "more", "expected"),
    [
        ("Response: After a character is destroyed, zonk.", {}, "insufficient"),
        ("Response: After Maid is destroyed, zonk.", {}, "determined"),  # she is not
        ("Response: After you draw a card, zonk.", {}, "determined"),
        ("Forced Response: After a character is destroyed, zonk.", {}, "insufficient"),
        ("Disrupt: When a character would be wounded, zonk it.", {}, "insufficient"),
        ("Action: Zonk.", {}, "determined"),  # nobody takes an action in between
        ("Zonk all characters.", {}, "insufficient"),
        ("Zonk all characters.", {"blank": "yes"}, "determined"),
        ("Zonk all characters.", {"zone": "discard"}, "determined"),
        ("While Maid is in your discard pile, zonk.", {"zone": "discard"}, "insufficient"),
        ("Zonk all characters.", {"zone": "hand"}, "determined"),  # nobody plays her
        ("Action: Zonk. Characters zonk.", {}, "insufficient"),  # two things on one line
        ("Action: Zonk. It zonks.", {}, "determined"),
    ],
)
def test_only_what_may_hang_on_words_nobody_understood_is_insufficient(
    text: str, more: dict[str, Any], expected: str
) -> None:
    assert statuses(maid=maid(text, **more))[1] == expected


def test_the_answer_names_the_card_and_the_first_words_that_were_not_used() -> None:
    found = adjudicate(
        canonical(maid=maid("Response: After a character is destroyed, zonk it.")), budget=10_000
    )
    assert found["status"] == "insufficient"
    assert "Maid: “zonk it”" in found["questions"][0]["sentence"]


@pytest.mark.parametrize(
    ("did", "status"),
    [(["Bo plays other"], "determined"), (["Bo passes", "Ann passes", "Bo passes"], "insufficient")],
)
def test_a_use_that_is_told_passes_over_what_nobody_understood_and_passes_alone_do_not(
    did: list[str], status: str
) -> None:
    other = {"name": "Other", "type": "event", "of": "Bo", "zone": "hand", "text": "Action: Draw a card."}
    cards = {"maid": maid("Response: After a character is destroyed, zonk."), "other": other}
    laid = {**LAID, "cards": {**LAID["cards"], **cards}, "did": [*LAID["did"], *did], "ask": ["next"]}
    assert adjudicate(scenarios.read(json.dumps(laid)).canonical, budget=10_000)["status"] == status


TWO = (
    "Response: After a character committed to a story goes insane, "
    "exhaust Maid to ready a character committed to the same story."
)


def test_of_several_readings_one_is_chosen_or_the_answer_may_hang_on_it() -> None:
    assert {one["kind"] for one in canonical(maid=maid(TWO))["cards"]["maid"]["unread"]} == {"response"}
    chosen = [canonical(maid=maid(TWO, reading=number))["cards"]["maid"] for number in (1, 2)]
    assert all("unread" not in one for one in chosen)
    assert {one["abilities"][0]["choose"]["target"] for one in chosen} == {
        "character where ((story = this.story or stood = this.story) and this.story != nothing)"
        " or (stood = this.stood and this.stood != nothing)",
        "character where ((story = trigger.card.story or stood = trigger.card.story)"
        " and trigger.card.story != nothing) or (stood = trigger.card.stood and trigger.card.stood != nothing)",
    }


@pytest.mark.parametrize(
    ("more", "code", "place"),
    [
        ({"text": 'Maid gains "Action: draw a card.'}, "open-quote", "cards.maid.text"),
        ({"text": "x" * 20_001}, "too-long", "cards.maid.text"),
        ({"text": "Action: Draw a card.", "reading": 2}, "wrong-reading", "cards.maid.reading"),
        ({"text": "Action: Draw a card.", "reading": "two"}, "wrong-type", "cards.maid.reading"),
        ({"text": {"says": "x"}}, "wrong-type", "cards.maid.text"),
        ({"unread": [{"kind": "reponse", "says": "x"}]}, "unknown-ability-kind", "cards.maid.unread[0].kind"),
        ({"unread": [{"kind": "response"}]}, "missing-key", "cards.maid.unread[0]"),
    ],
)
def test_bad_input_is_told_with_its_place(more: dict[str, Any], code: str, place: str) -> None:
    with pytest.raises(UserError) as caught:
        canonical(maid={"name": "Maid", "type": "character", "of": "Bo", **more})
    assert (caught.value.code, caught.value.place) == (code, place)
