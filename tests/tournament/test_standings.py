"""Standings and tie-breakers, exact to the fraction."""

import csv
import json
from collections.abc import Iterator
from fractions import Fraction as F
from typing import Any

import pytest

from tests.tournament.shared import FOLDER, needs_published_tables
from tournament.swiss import TIE_BREAKS, Outcome, Played, Row, Scoring, standings
from tournament.swiss.tiebreaks import (
    Buchholz,
    ExtendedStrengthOfSchedule,
    GameWin,
    MatchPoints,
    OpponentGameWin,
    OpponentMatchWin,
    RandomDraw,
    StrengthOfSchedule,
    SumOfOpponents,
    SumOfOpponentsSums,
)

WIN, DRAW, LOSS = Outcome.WIN, Outcome.DRAW, Outcome.LOSS
THREE = Scoring({"win": 3, "draw": 1, "loss": 0, "double-loss": 0, "bye": 3})
SIX = Scoring({"win": 6, "draw": 3, "loss": 0, "bye": 6})
SCHEDULE = (MatchPoints(), StrengthOfSchedule(), ExtendedStrengthOfSchedule())
A, B, C, D, E = range(1, 6)


def values(rows: list[Row]) -> dict[int, tuple[F, ...]]:
    return {row.player: row.values for row in rows}


def test_four_players_two_rounds_as_worked_in_public() -> None:
    """First a beats b, c beats d; then a beats c, b beats d. The draw decides between b and c."""
    played = [Played(1, A, B, WIN, None), Played(1, C, D, WIN), Played(2, A, C, WIN), Played(2, B, D, WIN)]
    rows = values(standings([A, B, C, D], played, THREE, SCHEDULE))
    half = F(3, 2)
    assert {id: row[0] for id, row in rows.items()} == {A: 6, B: 3, C: 3, D: 0}
    assert rows[A][1] == rows[B][1] == rows[C][1] == half
    assert rows[B][2] == rows[C][2]
    ranked = standings([A, B, C, D], played, THREE, (*SCHEDULE, RandomDraw()), draw_seed=1)
    again = standings([D, C, B, A], played, THREE, (*SCHEDULE, RandomDraw()), draw_seed=1)
    assert [row.player for row in ranked] == [row.player for row in again]
    assert {row.rank for row in ranked} == {1, 2, 3, 4}
    orders = {
        tuple(
            row.player
            for row in standings([A, B, C, D], played, THREE, (*SCHEDULE, RandomDraw()), draw_seed=seed)
        )
        for seed in range(20)
    }
    assert orders == {(A, B, C, D), (A, C, B, D)}, "another seed may draw the other way"


def test_matches_of_two_games_as_a_netrunner_tool_works_them() -> None:
    """A beats B 6-0, C beats D 6-0, A beats C 6-0, B ties D 3-3."""
    played = [Played(1, A, B, WIN), Played(1, C, D, WIN), Played(2, A, C, WIN), Played(2, B, D, DRAW)]
    rows = values(standings([A, B, C, D], played, SIX, SCHEDULE))
    assert rows[A][1:] == (F(9, 4), F(15, 4))


def test_a_player_of_byes_alone_has_no_schedule() -> None:
    assert values(standings([A], [Played(1, A, None, None)], SIX, SCHEDULE)) == {A: (6, 0, 0)}


def test_an_opponents_bye_counts_as_their_round_and_their_points() -> None:
    played = [Played(1, A, B, WIN), Played(1, C, None, None), Played(2, A, C, LOSS), Played(2, B, None, None)]
    rows = values(standings([A, B, C], played, THREE, SCHEDULE))
    assert rows[A][1] == F(F(3, 2) + F(6, 2), 2)
    assert rows[C][1] == F(3, 2), "a bye is nobody's opponent"


def test_an_opponent_met_twice_counts_twice() -> None:
    played = [Played(1, A, B, WIN), Played(2, A, B, LOSS), Played(3, A, C, WIN), Played(3, B, None, None)]
    rows = values(standings([A, B, C], played, THREE, SCHEDULE))
    assert rows[A][1] == F(2 * F(6, 3) + 0, 3)


def test_dropped_players_count_with_the_rounds_they_played() -> None:
    """B drops after round 1: one round, no points."""
    played = [Played(1, A, B, WIN), Played(1, C, D, WIN), Played(2, A, C, WIN), Played(2, D, None, None)]
    rows = values(standings([A, B, C, D], played, THREE, SCHEDULE))
    assert rows[A][1] == F(0 + F(3, 2), 2)


def test_a_double_loss_is_a_round_for_both() -> None:
    played = [Played(1, A, B, Outcome.DOUBLE_LOSS), Played(2, A, C, WIN)]
    rows = values(standings([A, B, C], played, THREE, SCHEDULE))
    assert rows[A][0] == 3 and rows[B][0] == 0
    assert rows[C][1] == F(3, 2)


def test_equal_in_everything_is_equal_in_rank() -> None:
    rows = standings([A, B, C], [Played(1, A, B, DRAW), Played(1, C, None, None)], THREE, SCHEDULE)
    assert [(row.rank, row.player) for row in rows] == [(1, C), (2, A), (2, B)]


def test_a_timed_loss_may_score_below_a_loss() -> None:
    odd = Scoring({"win": 10, "timed-win": 6, "timed-loss": 0, "loss": 1, "bye": 10})
    played = [Played(1, A, B, Outcome.TIMED_LOSS), Played(1, C, D, LOSS)]
    rows = standings([A, B, C, D], played, odd, (MatchPoints(),))
    assert [(row.player, row.points) for row in rows] == [(D, 10), (B, 6), (C, 1), (A, 0)]


def test_the_floor_is_an_exact_third_unless_the_policy_says_otherwise() -> None:
    played = [Played(1, A, B, WIN, (2, 0, 0))]
    rows = values(standings([A, B], played, THREE, (OpponentMatchWin(), OpponentMatchWin(F(33, 100)))))
    assert rows[A] == (F(1, 3), F(33, 100))


def test_own_byes_count_in_percentages_only_where_the_policy_says_so() -> None:
    scoring = Scoring(THREE.points, {"bye": (2, 0, 0)})
    played = [Played(1, A, B, LOSS, (1, 2, 0)), Played(2, A, None, None)]
    breaks = (GameWin(), GameWin(byes=False))
    rows = values(standings([A, B], played, scoring, breaks))
    assert rows[A] == (F(9, 15), F(1, 3))


def test_a_round_missed_by_entering_late_is_lost_and_no_bye() -> None:
    missed = [Played(1, A, None, Outcome.DOUBLE_LOSS), Played(2, A, B, WIN), Played(3, A, None, None)]
    played = [*missed, Played(1, B, C, WIN)]
    breaks = (OpponentMatchWin(F(0)), OpponentMatchWin(F(0), byes=False))
    assert values(standings([A, B, C], played, THREE, breaks))[B] == (F(6, 9) / 2, F(3, 6) / 2)


def test_every_tie_breaker_says_what_it_is() -> None:
    for key, kind in TIE_BREAKS.items():
        assert kind.key == key
        assert kind.name and kind.short and kind.formula.endswith(".")


def test_a_match_without_an_outcome_is_refused() -> None:
    with pytest.raises(ValueError, match="outcome"):
        standings([A, B], [Played(1, A, B, None)], THREE, SCHEDULE)


# --- published tables ---------------------------------------------------------------------------------


def _published_magic_event() -> tuple[dict[str, Any], list[Played]]:
    event = json.loads((FOLDER / "melee_legacy_2024-01-11.json").read_text())
    played = []
    for number, matches in enumerate(event["rounds"], start=1):
        for match in matches:
            one, two = int(match["player1"][1:]), match["player2"] and int(match["player2"][1:])
            games = (match["games1"], match["games2"], match["games_drawn"])
            outcome = (WIN if games[0] > games[1] else LOSS if games[0] < games[1] else DRAW) if two else None
            played.append(Played(number, one, two, outcome, games))
    return event, played


@needs_published_tables
def test_a_published_magic_event_is_reproduced_in_every_column() -> None:
    event, played = _published_magic_event()
    scoring = Scoring({"win": 3, "draw": 1, "loss": 0, "bye": 3}, {"bye": (2, 0, 0)})
    breaks = (MatchPoints(), OpponentMatchWin(), GameWin(), OpponentGameWin())
    rows = {row.player: row for row in standings(range(1, 27), played, scoring, breaks)}
    assert len(rows) == len(event["standings"]) == 26
    for told in event["standings"]:
        row = rows[int(told["player"][1:])]
        assert (row.rank, row.points) == (told["rank"], told["points"])
        for value, column in zip(row.values[1:], ("omwp", "gwp", "ogwp"), strict=True):
            assert f"{float(value):.6f}" == f"{float(told[column]):.6f}", (told["player"], column)


def _published_go_event(name: str) -> tuple[list[dict[str, str]], list[Played]]:
    """A row's cells are opponent and result; opponent 0 is nobody: a win without playing, or not there."""
    with (FOLDER / "go_sos" / name).open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return rows, list(_go_matches(rows))


def _go_matches(rows: list[dict[str, str]]) -> Iterator[Played]:
    outcomes = {"+": WIN, "-": LOSS, "=": DRAW}
    for row in rows:
        one = int(row["rank"])
        for number in range(1, len(row) - 3):
            cell = row[f"r{number}"]
            two = int(cell[:-1])
            if two > one:
                yield Played(number, one, two, outcomes[cell[-1]])
            elif two == 0 and cell[-1] == "+":
                yield Played(number, one, None, None)


GO_EVENTS = sorted(path.name for path in (FOLDER / "go_sos").glob("*.tsv")) or ["absent"]


@needs_published_tables
def test_every_published_go_event_is_there_to_be_reproduced() -> None:
    assert len(GO_EVENTS) == 18
    assert sum(len(_published_go_event(name)[0]) for name in GO_EVENTS) > 900


@needs_published_tables
@pytest.mark.parametrize("name", GO_EVENTS)
def test_a_published_go_event_is_reproduced_in_every_row(name: str) -> None:
    told, played = _published_go_event(name)
    scoring = Scoring({"win": 1, "draw": 0, "loss": 0, "bye": 1})
    players = [int(row["rank"]) for row in told]
    breaks = (MatchPoints(), SumOfOpponents(), Buchholz(), SumOfOpponentsSums())
    rows = values(standings(players, played, scoring, breaks))
    for row in told:
        expected = tuple(int(row[column]) for column in ("wins", "sos", "sos", "sosos"))
        assert rows[int(row["rank"])] == expected, row["rank"]
