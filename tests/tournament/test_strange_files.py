"""Files of other programs as strangers sent them in November 2026, each with what it means written down first."""

import json
from typing import Any

import pytest

from config.errors import UserError
from tournament.files.nrtm import read_nrtm
from tournament.files.results import Meeting, read_json
from tournament.swiss import Outcome


def of_melee(*names: str, said: str = "", has: bool = True, wins: tuple[Any, ...] = (2, 1)) -> dict[str, Any]:
    return {
        "RoundNumber": 1,
        "TableNumber": 1,
        "HasResult": has,
        "ResultString": said,
        "Competitors": [
            {"Team": {"Players": [{"DisplayName": name}]}, "GameWins": count}
            for name, count in zip(names, wins, strict=False)
        ],
    }


def first_of(row: dict[str, Any]) -> Meeting:
    other = {"round": 1, "table": 9, "player1": "Yin", "player2": "Zoe", "winner": "Yin"}
    return read_json([row, other]).rounds[0][0]


@pytest.mark.parametrize(
    ("row", "outcome"),
    [
        (of_melee("Ann", said="Ann was assigned a bye", wins=(2,)), None),
        (of_melee("Ann", said="Ann was assigned a loss", wins=(None,)), Outcome.DOUBLE_LOSS),
        ({"round": 1, "table": 1, "player1": "Ann", "winner": "Ann"}, None),
        ({"round": 1, "table": 1, "player1": "Ann", "winner": -1}, Outcome.DOUBLE_LOSS),
    ],
)
def test_who_is_alone_at_a_table_may_have_lost(row: dict[str, Any], outcome: Outcome | None) -> None:
    """All of them were a bye, which wins, in silence."""
    assert first_of(row).outcome is outcome


def test_what_else_is_said_of_a_player_alone_is_asked_about() -> None:
    found = read_json([of_melee("Ann", said="Ann left the hall", wins=(None,))])
    assert any("Ann left the hall" in one for one in found.remarks)
    alone = {"round": 1, "table": 1, "player1": "Ann", "winner": 0}
    assert any("without an opponent" in one for one in read_json([alone]).remarks)
    with pytest.raises(UserError, match="isn’t at this table"):
        first_of({"round": 1, "table": 1, "player1": "Ann", "winner": "Bo"})


def test_a_table_that_says_it_has_no_result_is_open() -> None:
    row = of_melee("Ann", "Bo", said="Not reported", has=False, wins=(0, 0))
    assert first_of(row).outcome is None


@pytest.mark.parametrize(("said", "wins"), [("Ann won 2-1-0", (0, 0)), ("Not reported", (2, 1))])
def test_a_result_beside_the_word_that_there_is_none_is_refused(said: str, wins: tuple[int, int]) -> None:
    with pytest.raises(UserError, match="says that it has none"):
        first_of(of_melee("Ann", "Bo", said=said, has=False, wins=wins))


def of_topdeck(**said: Any) -> dict[str, Any]:
    return {
        "round": 1,
        "table": 1,
        "players": [{"name": "Ann", "id": "a"}, {"name": "Bo", "id": "b"}],
        **said,
    }


def test_a_winner_told_by_an_id_is_the_one_told_by_name() -> None:
    """The ID was not looked at."""
    assert first_of(of_topdeck(winner="Ann", winner_id="a")).outcome is Outcome.WIN
    assert first_of(of_topdeck(winner_id="b")).outcome is Outcome.LOSS
    assert first_of(of_topdeck(winner="Draw", winner_id="Draw")).outcome is Outcome.DRAW
    with pytest.raises(UserError, match="two different results"):
        first_of(of_topdeck(winner="Ann", winner_id="b"))


def nrtm(*scores: int, won: int | None = None) -> dict[str, Any]:
    table: dict[str, Any] = {
        f"player{at}": {"id": at, "combinedScore": score, "winner": at == won}
        for at, score in enumerate(scores, 1)
    }
    players = [{"id": at, "name": name} for at, name in ((1, "Ann"), (2, "Bo"))]
    document: dict[str, Any] = json.loads(json.dumps({"name": "x", "players": players, "rounds": [[table]]}))
    return document


def test_a_winner_with_the_lower_score_is_refused() -> None:
    """The score counted, in silence."""
    assert read_nrtm(nrtm(3, 0, won=1)).swiss[0][0].scores == (3, 0)
    with pytest.raises(UserError, match=r"rounds\[1\]\[1\].*lower score"):
        read_nrtm(nrtm(3, 0, won=2))
