"""A printed text is understood in every reading it has, or in none."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from rules.texts import lexicons
from rules.wording.gates import failures
from rules.wording.meaning.abilities import canonical
from rules.wording.meaning.draft import Card
from rules.wording.reading import DECLINED, SEVERAL, UNDERSTOOD, CardRead, read

HERE = Path(__file__).parent
TEXTS: list[dict[str, Any]] = yaml.safe_load((HERE / "texts.yaml").read_text("utf-8"))
OF_THRONES: list[dict[str, Any]] = yaml.safe_load((HERE / "texts_agot.yaml").read_text("utf-8"))


def read_it(text: str, name: str = "Old Clerk", type_: str | None = None) -> CardRead:
    return read(lexicons.lexicon_of("coc-lcg"), text, name=name, type_=type_)


def shape(data: Any) -> str:
    """A meaning, to compare: `yes` of a file is the data language's word."""
    return canonical(data)


@pytest.mark.parametrize("entry", OF_THRONES, ids=lambda entry: entry["text"][:60])
def test_a_text_of_thrones_means_that_or_is_declined(entry: dict[str, Any]) -> None:
    lexicon = lexicons.lexicon_of("agot")
    found = read(lexicon, entry["text"], name="Old Clerk", type_=entry["type"], xs=entry.get("xs", ()))
    if entry["means"] == "nothing":
        assert [ability.outcome for ability in found.abilities] == [DECLINED], found.abilities
        return
    assert found.understood, found.abilities
    assert shape(found.data()) == shape(entry["means"])
    assert lexicons.compiles("agot", "Old Clerk", {"type": entry["type"], **found.data()}) is None
    for ability in found.abilities:
        assert not list(failures(lexicon, ability, found.card))


@pytest.mark.parametrize("entry", TEXTS, ids=lambda entry: entry["text"][:40])
def test_a_text_means_what_a_hand_would_have_written(entry: dict[str, Any]) -> None:
    found = read_it(entry["text"], entry.get("name", ""), entry.get("type"))
    if entry["means"] == "nothing":
        assert DECLINED in {ability.outcome for ability in found.abilities}, found.abilities
        return
    assert found.understood, found.abilities
    assert shape(found.data()) == shape(entry["means"])


@pytest.mark.parametrize(
    "entry", [one for one in TEXTS if one["means"] != "nothing"], ids=lambda entry: entry["text"][:40]
)
def test_what_is_understood_passes_the_gates(entry: dict[str, Any]) -> None:
    found = read_it(entry["text"], entry.get("name", ""), entry.get("type"))
    lexicon = lexicons.lexicon_of("coc-lcg")
    for ability in found.abilities:
        assert list(failures(lexicon, ability, Card(entry.get("type")))) == []
    assert lexicons.compiles("coc-lcg", "test", {"type": "character", **found.data()}) is None


@pytest.mark.parametrize(
    ("text", "code", "word"),
    [
        ("Action: Exhaust a charecter.", "unknown-word", "charecter"),
        ("Response: After you blorp, draw a card.", "unknown-word", "blorp"),
        ("Attached character gets +1 skill wound.", "unexpected-word", "wound"),
        ("Action: Wound that character.", "nothing-meant", "action"),
    ],
)
def test_what_is_not_understood_is_declined_with_the_first_word_not_used(
    text: str, code: str, word: str
) -> None:
    (ability,) = read_it(text).abilities
    assert ability.outcome == DECLINED
    assert ability.trouble is not None
    assert (ability.trouble.code, ability.trouble.word) == (code, word)


WOUND, DRAW = "Exhaust Old Clerk to choose and wound a character.", "After Old Clerk readies, draw a card."
PARTED = "Exhaust Old\nClerk to choose and wound a charac-\nter."


@pytest.mark.parametrize(
    "pasted",
    [
        f"**Action:** {WOUND}\n**Response:** {DRAW}",
        f"<b>Action:</b> {WOUND}<br><b>Response:</b> {DRAW}",
        f"Action: {PARTED}\n\nResponse: {DRAW}",
        f"Action: {WOUND}Response: {DRAW}",
        f"• Action: {WOUND}\n• Response: {DRAW}",
        f"ACTION - {WOUND} RESPONSE – {DRAW}",
        f"1x Old Clerk (The Set)\nCharacter - Cost 3\nAction: {WOUND}\nResponse: {DRAW}",
        f"Old Clerk\nAction: {WOUND} Response: {DRAW}",
    ],
)
def test_a_text_pasted_in_a_hurry_means_the_same(pasted: str) -> None:
    printed = read_it(f"Action: {WOUND}\nResponse: {DRAW}", type_="character")
    assert shape(read_it(pasted, type_="character").data()) == shape(printed.data())


def test_what_stands_above_a_text_is_only_passed_over_if_it_is_the_cards_name() -> None:
    found = read_it("Somebody Else\nAction: Exhaust Old Clerk to draw a card.")
    assert found.abilities[0].outcome == DECLINED
    assert found.abilities[1].outcome == UNDERSTOOD


def test_a_typing_error_is_offered_the_nearest_word_and_never_taken() -> None:
    (ability,) = read_it("Action: Choose and wound a charecter.").abilities
    assert ability.trouble is not None
    assert "character" in ability.trouble.near
    assert not ability.readings


def test_a_pronoun_that_fits_two_things_is_two_readings() -> None:
    (ability,) = read_it("Action: Exhaust Old Clerk to choose a character. Wound him.").abilities
    assert ability.outcome == UNDERSTOOD  # what was chosen is nearer than what was paid with
    (ability,) = read_it("Response: After Old Clerk wounds, draw a card.").abilities
    assert ability.outcome == DECLINED
    (ability,) = read_it(
        "Response: After a character is exhausted, sacrifice Old Clerk to return it to its owner's hand."
    ).abilities
    assert ability.outcome == SEVERAL
    assert len(ability.readings) == 2


def test_two_paragraphs_are_two_abilities_and_a_limit_belongs_to_the_one_before() -> None:
    found = read_it(
        "Old Clerk gains Willpower.\nAction: Draw a card. (Limit once per turn.)\n"
        "Response: After you play Old Clerk, draw a card.",
        type_="character",
    )
    assert [ability.outcome for ability in found.abilities] == [UNDERSTOOD] * 3
    assert found.data()["abilities"][0]["limit"] == {"times": 1, "per": "turn"}


def test_no_faction_is_two_factions() -> None:
    (ability,) = read_it("Attach to a [Hastur] Cthulhu character.").abilities
    assert ability.outcome == DECLINED


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("Forced Response: Draw a card.", "forced ability without a trigger"),
        (
            "Action: Choose and put into play one character from each player's discard pile.",
            "several players choosing",
        ),
        (
            'Attached character gains "Action: Exhaust Old Clerk to draw a card."',
            "the card that gives the ability",
        ),
        (
            "Action: Look at the top 3 cards of your deck. Put them back in any order. Put one of those cards into "
            "your hand.",
            "put back",
        ),
        (
            "Action: Choose an opponent. That opponent places 2 cards from his hand on top of his deck.",
            "several cards of a hand",
        ),
        (
            "Response: After a character enters play, draw a card. At the end of the phase, that player draws a card.",
            "which player",
        ),
    ],
)
def test_what_the_data_language_cannot_say_is_declined_with_the_reason(text: str, because: str) -> None:
    (ability,) = read_it(text, type_="character").abilities
    assert ability.outcome == DECLINED
    assert ability.trouble is not None
    assert because in ability.trouble.says, ability.trouble


def test_sentences_that_belong_together_are_understood_together_or_not_at_all() -> None:
    found = read_it("After Old Clerk leaves play, draw a card. Then blorp.", type_="character")
    assert [ability.outcome for ability in found.abilities] == [DECLINED] * len(found.abilities)


def test_a_number_that_a_text_tells_twice_adds_up() -> None:
    assert read_it("Toughness +1. Willpower. Toughness +2.").data() == {"toughness": 3, "willpower": True}


def test_what_codex_chooses_for_later_parts_is_not_chosen_in_front() -> None:
    text = "Destroy a tech 0 unit and return a tech I unit to its owner's hand."
    (ability,) = read(lexicons.lexicon_of("codex"), text, type_="spell").abilities
    assert ability.trouble is not None
    assert "choices made one after another" in ability.trouble.says


def test_codex_has_its_own_words() -> None:
    lexicon = lexicons.lexicon_of("codex")
    found = read(
        lexicon,
        "Haste (It can attack at once.)\nArrives: Deal 2 damage to a unit. ◎",
        name="Ox",
        type_="unit",
    )
    assert found.data() == {
        "haste": True,
        "abilities": [
            {
                "kind": "trigger",
                "of": "arrive",
                "if": "trigger.card = this",
                "choose": {"target": "unit"},
                "flags": ["symbol"],
                "do": [{"do": "damage", "amount": 2, "to": "target", "by": "this"}],
            }
        ],
    }
