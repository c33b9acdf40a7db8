"""Tie-breakers among tied players and of the Buchholz family, beside hand-worked tables and brute force."""

from fractions import Fraction as F
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.swiss import Outcome, Played, Scoring, Table, standings
from tournament.swiss.tiebreaks import (
    Buchholz,
    BuchholzCut,
    BuchholzMedian,
    BuchholzVirtual,
    HeadToHead,
    MatchPoints,
    OpponentMatchWin,
    SonnebornBerger,
)

WIN, DRAW, LOSS = Outcome.WIN, Outcome.DRAW, Outcome.LOSS
A, B, C, D, E = range(1, 6)
THREE = Scoring({"win": 3, "draw": 1, "loss": 0, "double-loss": 0, "bye": 3})
CHESS = Scoring({"win": 2, "draw": 1, "loss": 0, "bye": 2})  # in half points
ODD = Scoring({"win": 10, "timed-win": 6, "timed-loss": 0, "loss": 1, "double-loss": 0, "bye": 10})


def head_to_head(
    *wins: tuple[int, int], tied: tuple[int, ...], draws: tuple[tuple[int, int], ...] = ()
) -> dict[int, int]:
    """The values of the tied players when each pair is a win of its first."""
    played = [Played(1, one, two, WIN) for one, two in wins]
    played += [Played(1, one, two, DRAW) for one, two in draws]
    found = HeadToHead().among(Table((A, B, C, D, E), played, THREE, 0), [tied])
    return {id: int(value) for id, value in found.items()}


# --- head-to-head ---------------------------------------------------------------------------------------


def test_of_two_the_winner_of_their_match_stands_first() -> None:
    assert head_to_head((B, A), tied=(A, B)) == {A: 0, B: 1}


def test_two_who_drew_or_never_met_stay_tied() -> None:
    assert head_to_head(tied=(A, B), draws=((A, B),)) == {A: 0, B: 0}
    assert head_to_head((A, C), (D, B), tied=(A, B)) == {A: 0, B: 0}


def test_a_circle_of_wins_decides_nothing() -> None:
    assert head_to_head((A, B), (B, C), (C, A), tied=(A, B, C)) == {A: 0, B: 0, C: 0}


def test_who_beat_all_others_stands_first_although_the_others_never_met() -> None:
    assert head_to_head((A, B), (A, C), tied=(A, B, C)) == {A: 2, B: 0, C: 0}


def test_a_missing_match_never_decides() -> None:
    """A beat B and B beat C; had C beaten A, it would be a circle."""
    assert head_to_head((A, B), (B, C), tied=(A, B, C)) == {A: 0, B: 0, C: 0}


def test_a_missing_match_that_cannot_matter_for_the_first_place_leaves_the_rest_to_themselves() -> None:
    """A beat B, C and D. B, C and D: B beat C, C beat D, B and D never met, so those three stay tied."""
    wins = ((A, B), (A, C), (A, D), (B, C), (C, D))
    assert head_to_head(*wins, tied=(A, B, C, D)) == {A: 3, B: 0, C: 0, D: 0}


def test_those_still_equal_are_compared_again_by_their_own_matches() -> None:
    """All met: A and B two wins, C and D one. A beat B; C beat D."""
    wins = ((A, B), (A, C), (D, A), (B, C), (B, D), (C, D))
    assert head_to_head(*wins, tied=(A, B, C, D)) == {A: 3, B: 2, C: 1, D: 0}


def test_only_matches_among_the_tied_count() -> None:
    assert head_to_head((A, B), (B, C), (B, D), (B, E), tied=(A, B)) == {A: 1, B: 0}


def test_a_pair_that_met_twice_counts_the_mean() -> None:
    """A beat B twice, B beat C, C beat A: still a circle, although A has won twice as often."""
    assert head_to_head((A, B), (A, B), (B, C), (C, A), tied=(A, B, C)) == {A: 0, B: 0, C: 0}


def test_head_to_head_breaks_only_ties_of_the_tie_breakers_before() -> None:
    """A, B and C have 3 points each, D none. C beat B, but A and C, A and B never met."""
    played = [Played(1, A, D, WIN), Played(1, C, B, WIN), Played(2, B, D, WIN)]
    rows = standings([A, B, C, D], played, THREE, (MatchPoints(), HeadToHead()))
    assert [(row.rank, row.player) for row in rows] == [(1, A), (1, B), (1, C), (4, D)]
    met = [*played, Played(3, A, B, DRAW), Played(3, C, A, DRAW)]  # A 5, C 4, B 4
    rows = standings([A, B, C, D], met, THREE, (MatchPoints(), HeadToHead()))
    assert [(row.rank, row.player) for row in rows] == [(1, A), (2, C), (3, B), (4, D)]


def test_a_last_place_value_is_no_reason_to_stand_behind_players_of_fewer_points() -> None:
    """Values compare within one group of tied players only: D leads E among 0 points, B trails A among 3."""
    played = [Played(1, A, B, WIN), Played(2, B, C, WIN), Played(1, D, E, DRAW), Played(2, D, E, LOSS)]
    rows = standings([A, B, C, D, E], played, THREE, (MatchPoints(), HeadToHead()))
    assert [(row.player, row.points) for row in rows] == [(E, 4), (A, 3), (B, 3), (D, 1), (C, 0)]


@st.composite
def groups(draw_from: st.DrawFn) -> tuple[Scoring, tuple[int, ...], list[Played]]:
    scoring = draw_from(st.sampled_from([THREE, ODD]))
    ids = tuple(range(1, draw_from(st.integers(2, 4)) + 1))
    outcomes = [outcome for outcome in Outcome if outcome in scoring.points]
    played = [
        Played(1, one, two, draw_from(st.sampled_from(outcomes)))
        for one, two in combinations(ids, 2)
        if draw_from(st.integers(0, 3))
    ]
    return scoring, ids, played


@settings(max_examples=200, deadline=None)
@given(groups())
def test_the_first_is_who_stays_alone_in_front_whatever_the_missing_matches_bring(
    group: tuple[Scoring, tuple[int, ...], list[Played]],
) -> None:
    """Brute force: play every missing match in every way and see who is first each time."""
    scoring, ids, played = group
    outcomes = [outcome for outcome in Outcome if outcome in scoring.points]
    met = {(match.first, match.second) for match in played}
    missing = [pair for pair in combinations(ids, 2) if pair not in met]
    firsts = set()
    for results in product(outcomes, repeat=len(missing)):
        whole = [*played, *(Played(1, *pair, result) for pair, result in zip(missing, results, strict=True))]
        points = {id: record.points for id, record in Table(ids, whole, scoring, 0).records.items()}
        best = max(points.values())
        firsts.add(tuple(id for id in ids if points[id] == best))
    values = HeadToHead().values(Table(ids, played, scoring, 0))
    top = tuple(id for id in ids if values[id] == len(ids) - 1)
    alone = next(iter(firsts)) if len(firsts) == 1 else ()
    if missing or len(alone) == 1:
        assert top == (alone if len(alone) == 1 else ())


@settings(max_examples=60, deadline=None)
@given(groups(), st.permutations(range(4)))
def test_head_to_head_does_not_depend_on_the_order_players_come_in(
    group: tuple[Scoring, tuple[int, ...], list[Played]], turned: list[int]
) -> None:
    scoring, ids, played = group
    order = [ids[index] for index in turned if index < len(ids)]
    table = Table(ids, played, scoring, 0)
    assert HeadToHead().among(table, [order]) == HeadToHead().among(table, [ids])


# --- the Buchholz family --------------------------------------------------------------------------------


FIVE_ROUNDS = [  # A beats B and C, draws D, loses to E, has a bye; points in the end: A 7, B 4, C 2, D 5, E 10
    Played(1, A, B, WIN),
    Played(2, A, C, WIN),
    Played(3, A, D, DRAW),
    Played(4, A, E, LOSS),
    Played(5, A, None, None),
    *(Played(number, B, None, None) for number in (2, 3)),
    Played(3, C, None, None),
    *(Played(number, D, None, None) for number in (1, 2)),
    *(Played(number, E, None, None) for number in (1, 2, 3, 5)),
]


@pytest.mark.parametrize(
    ("tie_break", "expected"),
    [
        (Buchholz(), 4 + 2 + 5 + 10 + 0),
        (BuchholzCut(), 4 + 2 + 5 + 10),  # the bye adds least
        (BuchholzMedian(), 4 + 2 + 5),
        (Buchholz(byes=True), 4 + 2 + 5 + 10 + 7),
        (BuchholzCut(byes=True), 4 + 5 + 10 + 7),
        (BuchholzMedian(byes=True), 4 + 5 + 7),
        (SonnebornBerger(), F(4 + 2) + F(5, 2)),
    ],
)
def test_the_buchholz_family_worked_by_hand(tie_break: Buchholz | SonnebornBerger, expected: F) -> None:
    table = Table((A, B, C, D, E), FIVE_ROUNDS, CHESS, 0)
    assert [table.records[id].points for id in (A, B, C, D, E)] == [7, 4, 2, 5, 10]
    assert tie_break.values(table)[A] == expected


def test_with_fewer_rounds_than_cuts_nothing_is_left() -> None:
    table = Table((A, B), [Played(1, A, B, WIN)], CHESS, 0)
    assert BuchholzMedian().values(table) == BuchholzCut().values(table) == {A: 0, B: 0}


def test_virtual_opponents_worked_by_hand() -> None:
    """In half points, three rounds."""
    played = [
        Played(1, A, B, WIN), Played(1, C, None, None),
        Played(2, A, C, WIN), Played(2, B, None, DRAW),
        Played(3, B, C, WIN),
    ]  # fmt: skip
    table = Table((A, B, C), played, CHESS, 0)
    # Points with rounds off as draws: A 2+2+1 = 5, B 0+1+2 = 3, C 1+0+0 = 1 (A has dropped before round 3).
    # A: B 3, C 1, round 3 off: 4 points before it + a whole win = 6.                     -> 10
    # B: A 5, round 2 off with a half point: 0 + (2-1) + 1 draw later = 2, C 1.          -> 8
    # C: round 1 off with a full one: 0 + (2-2) + 2 draws later = 2, A 5, B 3.           -> 10
    assert BuchholzVirtual().values(table) == {A: 10, B: 8, C: 10}
    assert [(one.round, one.opponent, one.value) for one in BuchholzVirtual().parts(table, B).parts] == [
        (1, A, 5), (2, None, 2), (3, C, 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("off", "code", "won", "own", "theirs"),
    [(3, None, (1, 2, 5, 6, 7), F(5), F(11, 2)), (7, LOSS, (1, 2, 3, 4, 8, 9), F(6), F(13, 2))],
)
def test_virtual_opponents_as_a_programs_manual_has_them(
    off: int, code: Outcome | None, won: tuple[int, ...], own: F, theirs: F
) -> None:
    """Vega's manual of 2016, nine rounds: 6 points with a default win in round 3 after 2 points give 5 and count 5½ for
    opponents; 6 points with an absence in round 7 after 4 give 6 and count 6½."""
    played = [
        Played(at, 1, 1 + at, WIN if at in won else LOSS) if at != off else Played(at, 1, None, code)
        for at in range(1, 10)
    ]
    table = Table(range(1, 12), played, CHESS, 0)
    [virtual] = [one.value for one in BuchholzVirtual().parts(table, 1).parts if one.opponent is None]
    [met] = [one.value for one in BuchholzVirtual().parts(table, 2).parts if one.opponent == 1]
    assert (virtual / 2, met / 2) == (own, theirs)


# --- points of games --------------------------------------------------------------------------------------


def test_where_points_are_for_games_a_match_has_their_sum() -> None:
    """Two games a match: A 2-0 over B is 6-0, C and D a game each 3-3, A 1-0-1 over C 4-1, B's bye its own 6."""
    double = Scoring(
        {"win": 3, "draw": 1, "loss": 0, "double-loss": 0, "bye": 6},
        {WIN: (2, 0, 0), DRAW: (1, 1, 0), LOSS: (0, 2, 0), "double-loss": (0, 0, 0), "bye": (2, 0, 0)},
        per_game=True,
    )
    played = [
        Played(1, A, B, WIN, (2, 0, 0)), Played(1, C, D, DRAW, None),
        Played(2, A, C, WIN, (1, 0, 1)), Played(2, B, None, None), Played(2, D, None, Outcome.DOUBLE_LOSS),
    ]  # fmt: skip
    table = Table((A, B, C, D), played, double, 0)
    assert {id: record.points for id, record in table.records.items()} == {A: 10, B: 6, C: 4, D: 3}
    # A's opponents B (6 of 12 possible) and C (4 of 12); the floor is out of reach.
    assert OpponentMatchWin(floor=F(0)).values(table)[A] == (F(6, 12) + F(4, 12)) / 2
