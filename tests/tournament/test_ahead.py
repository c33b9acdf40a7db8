"""Small fields are paired so that the rounds to come can be: nobody meets twice while there is another way."""

import random

import pytest

from tournament.swiss import Pairing, PairingPolicy, Player, Snapshot, pair, why_not
from tournament.swiss.lookahead import Patience, rounds_left

POLICY = PairingPolicy()
# Six players after two rounds; 1 and 2 have won both. By points alone 1-2 leaves 2-4-6 and 1-3-5 who have not met.
MET = {1: (4, 6), 2: (3, 5), 3: (2, 6), 4: (1, 5), 5: (2, 4), 6: (1, 3)}


def played(players: int, rounds: int, seed: int) -> tuple[int, int]:
    """(repeated meetings, second byes) of an event with results by lot."""
    lot = random.Random(seed)
    met: dict[int, list[int]] = {one: [] for one in range(1, players + 1)}
    score, byes = dict.fromkeys(met, 0), dict.fromkeys(met, 0)
    again = second = 0
    for number in range(1, rounds + 1):
        field = tuple(Player(one, score[one], tuple(met[one]), byes[one]) for one in met)
        for table in pair(Snapshot(number, field, rounds - number), POLICY, seed + number).pairs:
            if table.second is None:
                second += byes[table.first] > 0
                byes[table.first] += 1
                score[table.first] += 3
                continue
            again += table.second in met[table.first]
            met[table.first].append(table.second)
            met[table.second].append(table.first)
            score[lot.choice((table.first, table.second))] += 3
    return again, second


@pytest.mark.parametrize(
    ("players", "rounds"), [(4, 3), (5, 4), (5, 5), (6, 4), (6, 5), (7, 7), (8, 6), (8, 7), (10, 9)]
)
def test_nobody_meets_twice_or_has_a_second_bye_while_it_can_be_avoided(players: int, rounds: int) -> None:
    assert {played(players, rounds, seed) for seed in range(20)} == {(0, 0)}


def after_two_rounds(to_come: int) -> Snapshot:
    scores = {1: 6, 2: 6, 3: 3, 4: 3, 5: 0, 6: 0}
    return Snapshot(3, tuple(Player(one, scores[one], MET[one]) for one in MET), to_come)


def tables(pairing: Pairing) -> set[tuple[int, int]]:
    return {(min(one.first, one.second or 0), max(one.first, one.second or 0)) for one in pairing.pairs}


def test_without_rounds_to_come_points_alone_decide() -> None:
    pairing = pair(after_two_rounds(0), POLICY, 1)
    assert (tables(pairing), pairing.ahead) == ({(1, 2), (3, 4), (5, 6)}, 0)


def test_a_round_leaves_as_many_clean_ones_as_can_be() -> None:
    pairing = pair(after_two_rounds(2), POLICY, 1)
    assert (tables(pairing), pairing.ahead) == ({(1, 3), (2, 4), (5, 6)}, 2)


def test_the_rounds_to_come_are_the_reason_unless_this_one_would_repeat_a_meeting() -> None:
    met = {1: (3, 4, 5), 2: (), 3: (1,), 4: (1, 5), 5: (1, 4, 6), 6: (5,)}
    scores = {1: 6, 2: 3, 3: 3, 4: 6, 5: 3, 6: 3}
    field = Snapshot(3, tuple(Player(one, scores[one], met[one]) for one in met), 1)
    pairing = pair(field, POLICY, 1)
    told = why_not(field, POLICY, pairing, 2, 4)
    assert (told.digit, told.before, told.after) == ("ahead", 1, 0)
    assert "only 0 instead of 1 of the remaining rounds" in told.sentence
    assert why_not(field, POLICY, pairing, 1, 4).digit == "rematch"


def test_two_groups_of_three_have_no_round_left_and_a_ring_of_six_has_two() -> None:
    groups = [0b000110, 0b000101, 0b000011, 0b110000, 0b101000, 0b011000]
    ring = [0b100010, 0b000101, 0b001010, 0b010100, 0b101000, 0b010001]
    assert (rounds_left(groups, 5, Patience()), rounds_left(ring, 5, Patience())) == (0, 2)
    assert rounds_left(ring, 1, Patience()) == 1


def test_a_search_that_takes_too_long_changes_nothing() -> None:
    spent = Patience(0)
    assert (
        rounds_left([0b000110, 0b000101, 0b000011, 0b110000, 0b101000, 0b011000], 5, spent) == 2
        and spent.over
    )
