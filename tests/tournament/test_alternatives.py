"""Why a pairing is not another one, beside every possible round."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournament.test_pairing import all_rounds, cost, fields, tables
from tournament.swiss import CannotPair, PairingPolicy, Player, Snapshot, pair, player_above, why_not
from tournament.swiss.alternatives import RULES
from tournament.swiss.simulation import last_round

POLICY = PairingPolicy()


@settings(max_examples=150, deadline=None)
@given(fields(most=7), st.integers(0, 2**48), st.data())
def test_the_round_instead_is_the_best_of_all_that_have_the_table(
    snapshot: Snapshot, seed: int, data: st.DataObject
) -> None:
    players = {player.id: player for player in snapshot.players}
    pairing = pair(snapshot, POLICY, seed)
    paired = {frozenset(table) for table in tables(pairing)}
    wanted = {
        frozenset(table) for round in all_rounds(sorted(players)) for table in round
    } - paired  # every table that could be and is not
    if not wanted:
        return
    asked = data.draw(st.sampled_from(sorted(wanted, key=lambda table: sorted(id or 0 for id in table))))
    player, *others = sorted(id for id in asked if id is not None)
    found = why_not(snapshot, POLICY, pairing, player, others[0] if others else None)
    best = min(
        cost(players, round) for round in all_rounds(sorted(players)) if asked in map(frozenset, round)
    )
    assert asked in {frozenset(table) for table in tables(found.instead)}
    assert cost(players, tables(found.instead)) == best
    paid = cost(players, tables(pairing))
    first = next((rule for rule in range(6) if best[rule] != paid[rule]), None)
    assert found.digit == (None if first is None else RULES[first])
    if first is not None:
        assert (found.before, found.after) == (paid[first], best[first])
        assert found.after > found.before, "no other round is better in the first rule that differs"


def test_a_meeting_that_was_is_the_reason() -> None:
    players = (Player(1, 6, (2,)), Player(2, 6, (1,)), Player(3, 3), Player(4, 3))
    snapshot = Snapshot(3, players)
    found = why_not(snapshot, POLICY, pair(snapshot, POLICY, 1), 1, 2)
    assert (found.digit, found.before, found.after) == ("rematch", 0, 1)
    assert found.sentence == (
        "The two have met before. With this table: rematches in the round: 1 instead of 0."
    )


def test_a_meeting_forced_on_others_is_the_reason() -> None:
    """1 and 2 have not met, but then 3 and 4 would meet again."""
    players = (Player(1, 6), Player(2, 6), Player(3, 3, (4,)), Player(4, 3, (3,)))
    snapshot = Snapshot(3, players)
    found = why_not(snapshot, POLICY, pair(snapshot, POLICY, 1), 1, 2)
    assert found.sentence == "With this table: rematches in the round: 1 instead of 0."


def test_points_are_the_reason() -> None:
    """9-9 and 0-0 cost nothing; 9-0 and 9-0 cost 81 each."""
    snapshot = Snapshot(3, (Player(1, 9), Player(2, 9), Player(3), Player(4)))
    found = why_not(snapshot, POLICY, pair(snapshot, POLICY, 1), 1, 4)
    assert found.sentence == ("With this table: the sum of squared score differences: 162 instead of 0.")


def test_the_lot_is_the_reason() -> None:
    snapshot = Snapshot(1, tuple(Player(id) for id in range(4)))
    pairing = pair(snapshot, POLICY, 1)
    met = pairing.pairs[0].second
    other = next(id for id in range(4) if id not in (pairing.pairs[0].first, met))
    found = why_not(snapshot, POLICY, pairing, pairing.pairs[0].first, other)
    assert found.digit is None and found.sentence.endswith(
        "just as good by every rule; the choice was random."
    )
    assert found.instead.total.noise > pairing.total.noise


def test_why_the_bye_is_another_player_s() -> None:
    snapshot = Snapshot(2, (Player(1, 3), Player(2, 3), Player(3, 0, byes=1)))
    pairing = pair(snapshot, POLICY, 1)
    found = why_not(snapshot, POLICY, pairing, 3, None)
    assert found.sentence == "With this table: previous byes of the player with the bye: 1 instead of 0."


def test_a_better_round_that_the_search_missed_is_admitted() -> None:
    """Only the next opponent tried: 9-6, 6-0 and 3-0 (54), where 9-6, 6-3 and 0-0 (18) was possible."""
    players = (
        Player(1, 9, (5,)),
        Player(2, 6, (4, 6)),
        Player(3, 6),
        Player(4, 3, (2, 5)),
        Player(5, 0, (1, 4)),
        Player(6, 0, (2,)),
    )
    hasty = PairingPolicy(candidates=1, dense_up_to=0)
    snapshot = Snapshot(3, players)
    found = why_not(snapshot, hasty, pair(snapshot, hasty, 1), 1, 2)
    assert (found.digit, found.before, found.after) == ("distance", 54, 18)
    assert found.sentence.endswith(
        ". This would be a better round, which the search among nearby opponents missed."
    )


def test_the_player_above_stands_directly_above_the_opponent() -> None:
    snapshot = Snapshot(2, tuple(Player(id, score=10 - id) for id in range(1, 6)))
    pairing = pair(snapshot, POLICY, 1)  # 1-2, 3-4, and 5 has the bye
    assert {frozenset(table) for table in tables(pairing)} == {
        frozenset({1, 2}),
        frozenset({3, 4}),
        frozenset({5, None}),
    }
    assert [player_above(snapshot, pairing, id) for id in range(1, 6)] == [None, None, 2, 2, 4]


@pytest.mark.parametrize(("player", "other"), [(1, 1), (1, 9), (9, 1), (1, None)])
def test_what_is_no_table_is_refused(player: int, other: int | None) -> None:
    snapshot = Snapshot(1, tuple(Player(id) for id in range(1, 5)))
    with pytest.raises(CannotPair):
        why_not(snapshot, POLICY, pair(snapshot, POLICY, 1), player, other)


def test_a_table_of_the_round_needs_no_other_reason() -> None:
    snapshot = Snapshot(1, (Player(1), Player(2)))
    with pytest.raises(CannotPair):
        why_not(snapshot, POLICY, pair(snapshot, POLICY, 1), 1, 2)
    with pytest.raises(CannotPair):
        player_above(snapshot, pair(snapshot, POLICY, 1), 3)


def test_forced_tables_stand_in_a_large_field_and_the_rest_is_paired_around_them() -> None:
    snapshot, pairing = last_round(302, 4, seed=2)
    bye = next(one for one in pairing.pairs if one.second is None).first
    order = [player.id for player in sorted(snapshot.players, key=lambda player: -player.score)]
    one, two = (id for id in (order[0], order[-1]))
    other = next(id for id in order if id not in (bye, one, two))
    forced = [(one, two), (other, None)]
    seated = pair(snapshot, POLICY, pairing.seed, forced=forced)
    assert {frozenset(table) for table in forced} <= {frozenset(table) for table in tables(seated)}
    assert sorted(id for table in tables(seated) for id in table if id is not None) == sorted(order)
