"""A published round after a correction: the fewest tables change, beside every possible round."""

import json
from collections.abc import Sequence
from dataclasses import astuple, replace
from datetime import timedelta
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


def test_tables_must_seat_the_players() -> None:
    snapshot = Snapshot(2, (Player(1), Player(2)))
    with pytest.raises(CannotPair):
        repair(snapshot, POLICY, 1, [(1, 3)])


@pytest.mark.parametrize("players", [48, 97, 300])
def test_next_opponents_are_enough_to_find_it(players: int) -> None:
    """Large fields are searched among next opponents: the round is as good, and changes as few tables."""
    for seed in range(3):
        snapshot, pairing = last_round(players, 4, seed=seed)
        wrong = {snapshot.players[5].id: snapshot.players[5].score + 3, snapshot.players[20].id: 0}
        now = corrected(snapshot, wrong)
        dense, sparse = (
            repair(now, PairingPolicy(dense_up_to=most), seed, tables(pairing), concerned=list(wrong))
            for most in (10_000, 0)
        )
        assert dense.proven and not sparse.proven
        assert (sparse.after, sparse.tables) == (dense.after, dense.tables)


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
