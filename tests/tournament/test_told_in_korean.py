"""What the service keeps it keeps in English; a reader of another language is told it in theirs."""

from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from config.translations import languages
from tests.tournament.factories import NOW, enter, make_event
from tournament import services
from tournament.bracket_words import round_words
from tournament.models import Round
from tournament.selectors.rounds import why_words
from tournament.swiss import TIE_BREAKS

pytestmark = pytest.mark.django_db


def test_why_a_table_is_as_it_is(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 3)
    with translation.override("ko"):
        round = services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    game, bye = sorted(round.explanation["pairs"], key=lambda told: told["second"] is None)
    assert game["sentence"] == "Both have 0 points; they haven’t met before."
    with translation.override("ko"):
        assert why_words(game, by_hand=False) == "둘 다 0점; 이전에 만난 적 없음."
        assert why_words(bye, by_hand=False).startswith("0점에서 부전승; 이 라운드의 최저 점수")
    assert why_words(game, by_hand=False) == game["sentence"]
    assert (
        "둘 다 0점"
        in Client()
        .get(f"/events/{event.slug}/pairings/1/why/{game['first']}", HTTP_ACCEPT_LANGUAGE="ko")
        .content.decode()
    )


@pytest.mark.parametrize(
    ("kept", "told"),
    [("Quarterfinals", "8강"), ("Round of 16", "16강"),
     ("Losers’ round 2 · Winners’ final", "패자조 2라운드 · 승자조 결승"),
     ("", "7라운드"), ("A title of 1999 of ours", "A title of 1999 of ours")],
)  # fmt: skip
def test_a_round_of_the_bracket_has_its_name_in_the_reader_s_language(kept: str, told: str) -> None:
    with translation.override("ko"):
        assert round_words(Round(number=7, stage_id=1, title=kept)) == told


@pytest.mark.parametrize("key", sorted(TIE_BREAKS))
def test_every_tie_breaker_is_told_in_every_language(key: str) -> None:
    for language in languages():
        with translation.override(language):
            for text in (TIE_BREAKS[key].name, TIE_BREAKS[key].formula):
                assert translation.gettext(text) != text
