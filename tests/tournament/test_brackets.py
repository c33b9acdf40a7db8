"""Brackets of every size, played out by lot: who loses how often, who meets whom, where byes go."""

from collections import Counter
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournament.swiss import brackets, seeded_random
from tournament.swiss.brackets import (
    Bracket,
    From,
    Part,
    Source,
    champion,
    double_elimination,
    over,
    places,
    seeding,
    single_elimination,
    state,
)


def play(bracket: Bracket, lot: int | None) -> dict[int, int]:
    """Every game played wave by wave: the better seed wins, or whom the lot says."""
    won: dict[int, int] = {}
    for wave in range(1, bracket.waves + 1):
        for one in state(bracket, won):
            if one.game.wave == wave and one.needed:
                assert one.ready, "a wave can be played as soon as the waves before it are"
                assert one.one is not None and one.two is not None
                better = 1 if one.one < one.two else 2
                won[one.game.number] = (
                    better if lot is None else 1 + seeded_random.number(lot, one.game.number, bits=1)
                )
    return won


def losses(bracket: Bracket, won: dict[int, int]) -> Counter[int]:
    return Counter(
        one.loser for one in state(bracket, won) if one.game.part is not Part.THIRD and one.loser is not None
    )


ENTRANTS = st.integers(2, 128)
LOTS = st.integers(0, 2**30)


@given(ENTRANTS, LOTS, st.booleans())
def test_in_single_elimination_everybody_but_the_winner_loses_once(n: int, lot: int, third: bool) -> None:
    bracket = single_elimination(n, third_place=third)
    won = play(bracket, lot)
    first = champion(state(bracket, won))
    assert losses(bracket, won) == {seed: 1 for seed in range(1, n + 1) if seed != first}
    assert len(bracket.games) == n - 1 + (third and n > 3)


@given(ENTRANTS, LOTS)
def test_in_double_elimination_everybody_but_the_winner_loses_twice(n: int, lot: int) -> None:
    bracket = double_elimination(n)
    won = play(bracket, lot)
    standing = state(bracket, won)
    first = champion(standing)
    assert first is not None and over(standing)
    lost = losses(bracket, won)
    assert lost.pop(first, 0) <= 1
    assert lost == {seed: 2 for seed in range(1, n + 1) if seed != first}
    assert len(bracket.games) == 2 * n - 1


@given(ENTRANTS)
def test_byes_go_to_the_top_seeds(n: int) -> None:
    for bracket in (single_elimination(n), double_elimination(n)):
        assert bracket.byes() == tuple(range(1, bracket.places - n + 1))


@given(ENTRANTS)
def test_where_the_better_seed_always_wins_the_best_two_meet_in_the_final_only(n: int) -> None:
    bracket = single_elimination(n)
    met = [one.game for one in state(bracket, play(bracket, None)) if {one.one, one.two} == {1, 2}]
    assert met == [bracket.games[-1]]
    assert [place for place, _ in places(bracket, state(bracket, play(bracket, None)))][:2] == [1, 2]


@given(ENTRANTS, LOTS)
def test_seeds_one_and_two_cannot_meet_before_the_final_whatever_happens(n: int, lot: int) -> None:
    bracket = single_elimination(n)
    for one in state(bracket, play(bracket, lot)):
        if {one.one, one.two} == {1, 2}:
            assert one.game.number == len(bracket.games)
    double = double_elimination(n)
    for one in state(double, play(double, lot)):
        if {one.one, one.two} == {1, 2} and one.game.part is Part.WINNERS:
            assert one.game.round == max(g.round for g in double.games if g.part is Part.WINNERS)


@given(ENTRANTS, LOTS)
def test_the_final_is_won_by_beating_the_undefeated_twice(n: int, lot: int) -> None:
    bracket = double_elimination(n)
    standing = state(bracket, play(bracket, lot))
    final, reset = standing[-2], standing[-1]
    assert (final.game.part, reset.game.part) == (Part.FINAL, Part.RESET)
    assert reset.needed == (final.winner == final.two)
    assert (reset.winner is None) == (not reset.needed)


@given(ENTRANTS, LOTS)
def test_places_are_everybody_once_and_fall_with_the_round_one_went_out(n: int, lot: int) -> None:
    for bracket in (single_elimination(n, third_place=True), double_elimination(n)):
        ranked = places(bracket, state(bracket, play(bracket, lot)))
        assert sorted(seed for _, seed in ranked) == list(range(1, n + 1))
        assert [place for place, _ in ranked] == sorted(place for place, _ in ranked)
        assert [place for place, _ in ranked][: min(n, 3)] == [1, 2, 3][: min(n, 3)]


def test_play_ins_are_a_first_round_of_the_last_seeds() -> None:
    bracket = single_elimination(11)
    first = [(game.one.number, game.two.number) for game in bracket.wave(1)]
    assert sorted(first) == [(6, 11), (7, 10), (8, 9)]
    assert bracket.byes() == (1, 2, 3, 4, 5)


def test_the_order_of_eight() -> None:
    assert seeding(8) == [1, 8, 4, 5, 2, 7, 3, 6]


def test_eight_places_with_a_match_for_third() -> None:
    bracket = single_elimination(8, third_place=True)
    won = play(bracket, None)
    assert places(bracket, state(bracket, won)) == [
        (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (5, 6), (5, 7), (5, 8),
    ]  # fmt: skip
    third = next(game for game in bracket.games if game.part is Part.THIRD)
    won[third.number] = 3 - won[third.number]
    assert places(bracket, state(bracket, won))[2:4] == [(3, 4), (4, 3)]


def test_places_while_the_bracket_is_open_are_shared_by_who_is_still_in() -> None:
    bracket = single_elimination(4)
    assert places(bracket, state(bracket, {1: 1})) == [(1, 1), (1, 2), (1, 3), (4, 4)]


def test_a_result_of_a_game_not_reached_is_nobodys() -> None:
    bracket = single_elimination(4)
    assert all(one.winner is None for one in state(bracket, {3: 1}))


@pytest.mark.parametrize("n", [0, 1, 129])
def test_a_bracket_has_two_to_so_many(n: int) -> None:
    for build in (single_elimination, double_elimination):
        with pytest.raises(ValueError, match="2 to 128"):
            build(n)


# --- rematches ------------------------------------------------------------------------------------------------


def earliest_rematch(bracket: Bracket) -> tuple[int, ...]:
    """How many pairs of games bring together again, in each round of the losers' half, two who have met.

    Who loses a game of the winners' half has met who goes on from it, and may see them again where their ways down
    join.
    """
    into = {
        (source.kind, source.number): game.number for game in bracket.games for source in (game.one, game.two)
    }

    def up(number: int) -> list[int]:
        found = []
        game = into.get((From.WINNER, number))
        while game is not None and bracket.game(game).part is Part.WINNERS:
            found.append(game)
            game = into.get((From.WINNER, game))
        return found

    def down(number: int) -> list[int]:
        game = into[From.LOSER, number]
        found = [game]
        while bracket.game(game).part is Part.LOSERS:
            game = into[From.WINNER, game]
            found.append(game)
        return found

    rounds = max((game.round for game in bracket.games if game.part is Part.LOSERS), default=0)
    count = [0] * (rounds + 1)
    for game in bracket.games:
        if game.part is not Part.WINNERS:
            continue
        way = down(game.number)
        for later in up(game.number):
            join = next(step for step in way if step in set(down(later)))
            if bracket.game(join).part is Part.LOSERS:
                count[bracket.game(join).round] += 1
    return tuple(count)


def crossed(monkeypatch: pytest.MonkeyPatch, masks: list[int], depth: int) -> Bracket:
    monkeypatch.setattr(brackets, "crossings", lambda _: masks)
    return double_elimination(1 << depth)


@pytest.mark.parametrize("depth", [2, 3, 4, 5])
def test_no_crossing_puts_off_the_first_rematch_longer(monkeypatch: pytest.MonkeyPatch, depth: int) -> None:
    ours = earliest_rematch(double_elimination(1 << depth))
    masks = [range(1 << (depth - level)) for level in range(2, depth + 1)]
    assert ours == min(earliest_rematch(crossed(monkeypatch, list(one), depth)) for one in product(*masks))


def test_no_order_of_losers_at_all_puts_off_the_first_rematch_of_eight_longer() -> None:
    """Every way in which losers of the second round may drop, not only crossings."""
    ours = earliest_rematch(double_elimination(8))
    first = next(round for round, count in enumerate(ours) if count)
    bracket = double_elimination(8)
    drops = [
        s for g in bracket.games if g.part is Part.LOSERS for s in (g.one, g.two) if s.kind is From.LOSER
    ]
    assert len(drops) == 7
    best = 0
    for order in permutations(drops[:4]):
        for second in permutations(drops[4:6]):
            swap = dict(zip(drops, (*order, *second, drops[6]), strict=True))
            other = Bracket(8, 8, True, tuple(_with(game, swap) for game in bracket.games))
            counted = earliest_rematch(other)
            best = max(best, next(round for round, count in enumerate(counted) if count))
    assert first == best


def _with(game: brackets.Game, swap: dict[Source, Source]) -> brackets.Game:
    if game.part is not Part.LOSERS:
        return game
    sides = (swap.get(game.one, game.one), swap.get(game.two, game.two))
    return brackets.Game(game.number, game.part, game.round, game.row, game.wave, *sides)


@given(st.integers(5, 128), LOTS)
def test_nobody_meets_anybody_three_times_and_a_rematch_waits_for_the_second_half(n: int, lot: int) -> None:
    bracket = double_elimination(n)
    met: Counter[frozenset[int | None]] = Counter()
    for one in state(bracket, play(bracket, lot)):
        if not one.needed:
            continue
        pair = frozenset({one.one, one.two})
        if one.game.part is Part.LOSERS and one.game.round <= 2:
            assert not met[pair]
        met[pair] += 1
    assert max(met.values()) <= 3, "winners' final, final and its repetition"
