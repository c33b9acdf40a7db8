"""Whatever somebody pastes gets a located answer, never an exception and never a guess."""

import pytest

from rules.texts import lexicons
from rules.wording.reading import DECLINED, CardRead, read


def read_it(text: str) -> CardRead:
    return read(lexicons.lexicon_of("coc-lcg"), text, name="Old Clerk")


@pytest.mark.parametrize(
    "text",
    [
        "카드를 두 장 뽑는다.",
        "Ziehe zwei Karten.",
        "<script>alert(1)</script>",
        "'; DROP TABLE cards; --",
        "Action:",
        "Action: Action: Action:",
        ". . . .",
        "((((((((((",
        "\x00\x01\x02",
        "non-",
        "+1 skill and and and",
        "Action: " + "choose and " * 300 + "wound a character.",
        "Action: Exhaust a character" + " and a character" * 400 + ".",
        "Attached character gains " + "[Terror] " * 500,
        "x " * 9_000,
    ],
)
def test_nonsense_is_declined(text: str) -> None:
    found = read_it(text)
    for ability in found.abilities:
        if ability.outcome == DECLINED:
            assert ability.trouble is not None
            assert 0 <= ability.trouble.start <= ability.trouble.end <= len(text)


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_no_text_is_no_ability(text: str) -> None:
    assert read_it(text).abilities == ()


def test_an_open_quotation_is_told_where_it_opens() -> None:
    found = read_it('Attached character gains "Action: draw a card.')
    assert found.trouble is not None
    assert (found.trouble.code, found.trouble.start) == ("open-quote", 25)


def test_a_text_that_is_too_long_is_refused() -> None:
    found = read_it("draw a card. " * 2_000)
    assert found.trouble is not None
    assert found.trouble.code == "too-long"


def test_a_text_of_twenty_thousand_characters_is_answered() -> None:
    found = read_it("Action: draw a card.\n" * 900)
    assert len(found.abilities) == 900
