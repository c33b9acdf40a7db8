"""A published round after a correction: the fewest tables change, beside every possible round."""

import json
from collections.abc import Sequence
from dataclasses import astuple, replace
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from config.errors import Conflict, Forbidden
from config.invariants import checks
from tests.tournament.factories import NOW, make_event
from tests.tournament.test_pairing import all_rounds, cost, fields, tables
from tournament import services
from tournament.models import Round
from tournament.selectors import pairing_words, policy_of, round_story
from tournament.selectors.exports import whole_event
from tournament.selectors.repairs import repair_due, repair_plan
from tournament.selectors.standings import played
from tournament.swiss import CannotPair, PairingPolicy, Player, Snapshot, pair
from tournament.swiss import Table as Records
from tournament.swiss.alternatives import RULES
from tournament.swiss.repair import Change, Table, repair
from tournament.swiss.simulation import last_round

POLICY = PairingPolicy()
LATER = NOW + timedelta(minutes=10)


def corrected(snapshot: Snapshot, scores: dict[int, int]) -> Snapshot:
    """The same players, some with other points."""
    return replace(
        snapshot,
        players=tuple(replace(one, score=scores.get(one.id, one.score)) for one in snapshot.players),
    )


def as_sets(round: list[Table]) -> set[frozenset[int | None]]:
    return set(map(frozenset, round))


@settings(max_examples=250, deadline=None)
@given(fields(most=8), st.integers(0, 2**48), st.data())
def test_no_round_that_is_as_good_changes_fewer_tables(
    snapshot: Snapshot, seed: int, data: st.DataObject
) -> None:
    published = tables(pair(snapshot, POLICY, seed))
    concerned = data.draw(
        st.dictionaries(st.sampled_from([one.id for one in snapshot.players]), st.integers(0, 12), max_size=3)
    )
    begun = data.draw(st.lists(st.sampled_from(published), unique=True))
    now = corrected(snapshot, concerned)
    players = {player.id: player for player in now.players}
    found = repair(now, POLICY, seed, published, begun=begun, concerned=list(concerned))

    old = as_sets(published)
    may_be = [round for round in all_rounds(sorted(players)) if as_sets(begun) <= as_sets(round)]
    best = min((cost(players, round), len(as_sets(round) - old)) for round in may_be)
    left = {frozenset(table) for change in found.changes for table in change.before}
    joined = {frozenset(table) for change in found.changes for table in change.after}
    repaired = [tuple(table) for table in (old - left) | joined]
    assert sorted(id or 0 for table in repaired for id in table) == sorted(
        id or 0 for table in old for id in table
    )
    assert not as_sets(begun) & left
    assert found.proven and found.tables == len(left) == best[1]
    assert astuple(found.after)[:6] == best[0]
    assert astuple(found.before)[:6] == cost(players, published)


@settings(max_examples=100, deadline=None)
@given(fields(most=8), st.integers(0, 2**48), st.data())
def test_each_change_stands_for_itself(snapshot: Snapshot, seed: int, data: st.DataObject) -> None:
    """Left out, it makes the round worse by the rule it names, by as much as it says."""
    published = tables(pair(snapshot, POLICY, seed))
    scores = {one.id: data.draw(st.integers(0, 12)) for one in snapshot.players[:2]}
    now = corrected(snapshot, scores)
    found = repair(now, POLICY, seed, published, concerned=list(scores))
    players = {player.id: player for player in now.players}
    after = cost(players, [*found_round(published, found.changes)])
    for change in found.changes:
        without = [one for one in found.changes if one is not change]
        at = RULES.index(change.rule)
        worse = cost(players, found_round(published, without))
        assert worse[:at] == after[:at]
        assert worse[at] - after[at] == change.was - change.would > 0


def found_round(published: list[Table], changes: Sequence[Change]) -> list[Table]:
    left = {table for change in changes for table in as_sets(list(change.before))}
    joined = [table for change in changes for table in change.after]
    return [table for table in published if frozenset(table) not in left] + joined


def test_new_tables_take_the_place_of_old_ones_that_a_player_of_theirs_leaves() -> None:
    snapshot = Snapshot(3, tuple(Player(id, score=id // 4 * 3) for id in range(24)))
    published = tables(pair(snapshot, POLICY, 1))
    found = repair(corrected(snapshot, {0: 15, 9: 0}), POLICY, 1, published, concerned=[0, 9])
    assert found.tables
    for change in found.changes:
        assert len(change.before) == len(change.after)
        assert all(set(old) & set(new) for old, new in zip(change.before, change.after, strict=True))


def test_a_round_that_a_correction_leaves_as_good_as_any_is_left_alone() -> None:
    snapshot = Snapshot(1, tuple(Player(id) for id in range(16)))
    published = tables(pair(snapshot, POLICY, 7))
    assert repair(snapshot, POLICY, 99, published).changes == ()


def test_tables_that_have_begun_stay_though_they_cost() -> None:
    """1 has the points of 2 now, but both have begun."""
    snapshot = Snapshot(2, (Player(1, 3), Player(2, 3), Player(3, 0), Player(4, 0)))
    published: list[Table] = [(1, 3), (2, 4)]
    assert repair(snapshot, POLICY, 1, published).tables == 2
    assert repair(snapshot, POLICY, 1, published, begun=[(1, 3)]).tables == 0
    assert repair(snapshot, POLICY, 1, published, begun=published).tables == 0


def test_a_bye_moves_to_whoever_has_least_now() -> None:
    snapshot = Snapshot(2, (Player(1, 3), Player(2, 3), Player(3, 0)))
    found = repair(snapshot, POLICY, 1, [(3, 2), (1, None)])
    [change] = found.changes
    assert (change.rule, change.was, change.would) == ("bye_height", 3, 0)
    assert as_sets(list(change.after)) == {frozenset({1, 2}), frozenset({3, None})}


def test_in_a_small_field_the_rounds_to_come_count() -> None:
    """As in `pair`: a repair never leaves fewer clean rounds to come than pairing anew would."""
    for seed in range(6):
        snapshot, pairing = last_round(6, 3, seed=seed)
        assert repair(snapshot, POLICY, seed, tables(pairing)).tables == 0


@pytest.mark.parametrize("byes", [(), (6,)])
@pytest.mark.parametrize("late", [(7,), (7, 8), (7, 8, 9)])
def test_whoever_entered_late_sits_alone_beside_the_bye(byes: tuple[int, ...], late: tuple[int, ...]) -> None:
    """They missed the round, which is settled: it changes neither who is paired with whom nor who has the bye."""
    playing: list[Table] = [(1, 5), (2, 4), *((one, None) for one in byes)]
    everybody = [id for table in playing for id in table if id is not None]
    snapshot = Snapshot(2, tuple(Player(id, 3 if id < 4 else 0) for id in everybody), to_come=3)
    missed: list[Table] = [(id, None) for id in late]
    more = replace(snapshot, players=(*snapshot.players, *(Player(id) for id in late)))
    found = repair(more, POLICY, 1, [*playing, *missed], begun=missed)
    assert found.changes and found.changes == repair(snapshot, POLICY, 1, playing).changes


def test_tables_must_seat_the_players() -> None:
    snapshot = Snapshot(2, (Player(1), Player(2)))
    with pytest.raises(CannotPair):
        repair(snapshot, POLICY, 1, [(1, 3)])


LARGE = PairingPolicy(dense_up_to=0)  # every round counts as a large one


@settings(max_examples=250, deadline=None)
@given(fields(most=12), st.integers(0, 2**48), st.data())
def test_what_is_proven_without_trying_every_table_is_true(
    snapshot: Snapshot, seed: int, data: st.DataObject
) -> None:
    published = tables(pair(snapshot, POLICY, seed))
    some = st.sampled_from([one.id for one in snapshot.players])
    now = corrected(snapshot, data.draw(st.dictionaries(some, st.integers(0, 12), max_size=3)))
    now = replace(now, to_come=0)
    begun = data.draw(st.lists(st.sampled_from(published), unique=True, max_size=2))
    found = repair(now, LARGE, seed, published, begun=begun)
    every_table_tried = repair(now, POLICY, seed, published, begun=begun)
    assert found.proven
    assert (found.after, found.tables) == (every_table_tried.after, every_table_tried.tables)


@pytest.mark.parametrize("seed", range(60))
def test_players_whom_a_rule_tells_apart_are_not_alike(seed: int) -> None:
    """Many players with few scores, of whom only a few suit as the one who floats or has the bye."""
    chance = Random(seed)
    rare = chance.choice([2, 4, 12])
    clubs = chance.choice([[""], ["", "", "a"], [f"club {one}" for one in range(12)]])
    count = chance.randint(60, 91)
    friends = chance.choice([2, 12, 30])  # whoever is of the same rest by this number has been met
    players = [
        Player(
            id,
            score=chance.choice([0, 0, 0, 3, 3, 3, 6, 6]),
            opponents=tuple(other for other in range(count) if other != id and (other - id) % friends == 0),
            byes=int(chance.randrange(rare) > 0),
            floated=chance.choice([-1, 1]) if chance.randrange(rare) else 0,
            club=chance.choice(clubs),
        )
        for id in range(count)
    ]
    snapshot = Snapshot(4, tuple(players))
    published = tables(pair(snapshot, POLICY, seed))
    one, other = chance.sample(range(len(players)), 2)
    now = corrected(snapshot, {one: chance.choice([0, 3, 6]), other: chance.choice([0, 3, 6])})
    large, dense = (repair(now, policy, seed, published) for policy in (LARGE, POLICY))
    assert large.proven and (large.after, large.tables) == (dense.after, dense.tables)


@pytest.mark.parametrize("players", [48, 97, 300])
def test_two_tables_of_each_kind_are_enough(players: int) -> None:
    """Large rounds: as good as if every table had been tried, and changing as few."""
    for seed in range(3):
        snapshot, pairing = last_round(players, 4, seed=seed)
        wrong = {snapshot.players[5].id: snapshot.players[5].score + 3, snapshot.players[20].id: 0}
        now = corrected(snapshot, wrong)
        dense, large = (
            repair(now, policy, seed, tables(pairing), concerned=list(wrong))
            for policy in (PairingPolicy(dense_up_to=10_000), LARGE)
        )
        assert dense.proven and large.proven
        assert (large.after, large.tables) == (dense.after, dense.tables)


def test_of_too_many_kinds_the_nearest_are_tried_and_nothing_is_proven() -> None:
    """600 players, no two of whom have the same points."""
    snapshot = Snapshot(3, tuple(Player(id, score=3 * (600 - id)) for id in range(600)))
    published: list[Table] = [(id, id + 1) for id in range(0, 600, 2)]
    now = corrected(snapshot, {10: snapshot.players[13].score + 1, 11: snapshot.players[12].score + 1})
    found = repair(now, POLICY, 1, published, concerned=[10, 11])
    assert not found.proven
    assert found.changes and found.after.distance < found.before.distance


def test_a_repair_may_need_opponents_far_down_the_order() -> None:
    """Among each player's next opponents alone, eleven tables change."""
    snapshot, _ = last_round(300, 3, seed=0)
    published = tables(pair(snapshot, POLICY, 0))
    wrong = {200: 3, 219: 3}  # 6 and 0 points before the correction
    found = repair(corrected(snapshot, wrong), POLICY, 0, published, concerned=list(wrong))
    assert found.proven and found.tables == 7


# --- in an event -----------------------------------------------------------------------------------------


@pytest.fixture
def round_two(organizer: Any) -> Round:
    """Eight players, round 2 published: table 1 of round 1 was entered the wrong way round."""
    event = make_event(organizer)
    for name in ["Ann", "Bo", "Cy", "Dee", "Ed", "Flo", "Gus", "Hal"]:
        services.player_register(event=event, user=None, name=name, by=organizer, now=NOW)
    first = services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    for match in first.matches.all():
        services.result_decide(match=match, by=organizer, outcome="win", reason="slip", now=NOW)
    return services.round_pair(event=event, by=organizer, seed=1, now=NOW)


def correct(round: Round, by: Any) -> None:
    match = round.event.rounds.get(number=1).matches.get(table=1)
    services.result_decide(match=match, by=by, outcome="loss", reason="read wrongly", now=LATER)


def who_sits(round: Round) -> dict[int | None, frozenset[int]]:
    tables: dict[int | None, set[int]] = {}
    for table, player in round.seats.values_list("match__table", "registration"):
        tables.setdefault(table, set()).add(player)
    return {table: frozenset(players) for table, players in tables.items()}


def test_without_a_correction_nothing_is_to_be_done(round_two: Round, organizer: Any) -> None:
    assert not repair_due(round_two)
    assert repair_plan(round_two).code == "nothing"
    with pytest.raises(Conflict) as caught:
        services.round_repair(round=round_two, mark="", reason="late", by=organizer, now=LATER)
    assert caught.value.code == "nothing-to-repair"


def test_a_late_correction_changes_two_tables_and_no_more(round_two: Round, organizer: Any) -> None:
    correct(round_two, organizer)
    assert repair_due(round_two)
    plan = repair_plan(round_two)
    assert (plan.code, plan.tables, len(plan.concerned)) == ("repair", 2, 2)
    before = who_sits(round_two)
    old = set(round_two.matches.values_list("pk", flat=True))
    services.round_repair(round=round_two, mark=plan.mark, reason="late", by=organizer, now=LATER)
    after = who_sits(round_two)
    assert before.keys() == after.keys(), "the same tables are used"
    assert sum(before[table] != after[table] for table in before) == 2
    assert len(old & set(round_two.matches.values_list("pk", flat=True))) == 2, "changed matches are new ones"
    everybody = list(round_two.event.registrations.values_list("pk", flat=True))
    results = [match for match in played(round_two.event) if match.round == 1]
    table = Records(everybody, results, policy_of(round_two.event).scoring, 0)
    for players in after.values():
        assert len({table.records[one].points for one in players}) == 1, "equals meet"
    assert repair_plan(round_two).code == "nothing"
    assert not repair_due(round_two)
    assert round_story(round_two)[-1].verb == "round_repair"
    words = pairing_words(round_two, round_two.matches.all())
    assert sum("Changed after a result was corrected" in text for text in words.values()) == 2
    assert [told for check in checks() if check.key != "broker" for told in check.findings()] == []


def test_another_plan_than_the_one_looked_at_is_refused(round_two: Round, organizer: Any) -> None:
    correct(round_two, organizer)
    seen = repair_plan(round_two)
    [swap] = seen.swaps
    match = round_two.matches.get(table=swap.tables[0].number)
    services.result_decide(match=match, by=organizer, outcome="win", reason="slip", now=LATER)
    before = who_sits(round_two)
    with pytest.raises(Conflict):
        services.round_repair(round=round_two, mark=seen.mark, reason="late", by=organizer, now=LATER)
    assert who_sits(round_two) == before


def test_once_the_clock_runs_tables_have_begun_unless_the_organizer_knows_better(
    round_two: Round, organizer: Any
) -> None:
    correct(round_two, organizer)
    services.clock_start(round=round_two, by=organizer, now=LATER)
    assert repair_plan(round_two).code == "begun"
    assert repair_plan(round_two, clock_counts=False).code == "repair"


def test_only_organizers_repair(round_two: Round, organizer: Any, judge: Any) -> None:
    correct(round_two, organizer)
    with pytest.raises(Forbidden):
        services.round_repair(
            round=round_two, mark=repair_plan(round_two).mark, reason="late", by=judge, now=LATER
        )


def test_the_page_shows_it_and_does_it(round_two: Round, organizer: Any, client: Client) -> None:
    correct(round_two, organizer)
    client.force_login(organizer)
    slug = round_two.event.slug
    page = client.get(f"/events/{slug}/control").content.decode()
    assert f"/events/{slug}/repair" in page
    plan = client.get(f"/events/{slug}/repair").context["plan"]
    answer = client.post(f"/events/{slug}/repair", {"mark": plan.mark, "reason": "slip misread"})
    assert answer.status_code == 302
    assert f"/events/{slug}/repair" not in client.get(f"/events/{slug}/control").content.decode()


def test_an_event_with_a_repaired_round_goes_through_its_file(round_two: Round, organizer: Any) -> None:
    correct(round_two, organizer)
    services.round_repair(
        round=round_two, mark=repair_plan(round_two).mark, reason="late", by=organizer, now=LATER
    )
    copy = services.event_import(
        source=json.dumps(whole_event(organizer, round_two.event)), slug="copy", by=organizer, now=LATER
    )
    words = pairing_words(copy.rounds.get(number=2), copy.rounds.get(number=2).matches.all())
    assert sum("Changed after a result was corrected" in text for text in words.values()) == 2
