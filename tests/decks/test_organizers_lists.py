"""Decklists as an organizer is sent them, in the forms of a dozen programs and mails. What each deck holds and its
verdict were written down first; these are the ones that came out otherwise."""

import pytest

from tests.decks.test_strange_lists import (
    BURN,
    LEGAL,
    SIDE,
    held,
    judged,
    lines,
    made,
    told,
)

DECK = f"Deck\n{lines(BURN)}\n\nSideboard\n{lines(SIDE)}\n\n"
HELD = "2x Black Lotus\n"


@pytest.mark.parametrize("heading", ["Für Klaus:", "Unused pool", "Haves:", "[For Ann]", "MB:"])
def test_an_unknown_heading_below_the_deck_is_never_its_name(heading: str) -> None:
    """It was taken for the deck's name, and its cards were in the deck in silence."""
    found = judged(f"{DECK}{heading}\n{HELD}", "magic")
    assert told(found) == ("unverified", ["unknown-heading"])


@pytest.mark.parametrize("heading", ["Still missing", "Proxies:", "IN:"])
def test_cards_named_again_under_an_unknown_heading_condemn_no_deck(heading: str) -> None:
    found = judged(f"{DECK}{heading}\n4x Goblin Guide\n", "magic")
    assert told(found)[0] == "unverified"


def test_a_category_that_its_program_keeps_out_of_the_deck_is_beside_it() -> None:
    rows = lines(BURN, lambda n, name: f"{n}x {name} (2x2) 117 [Burn]")
    found = judged(f"{rows}\n1x Thoughtseize (ths) 107 [Wants{{noDeck}}]\n", "magic")
    assert (told(found), held(found)) == (LEGAL, made(BURN))
