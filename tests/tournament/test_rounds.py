"""Pairing a round, closing a round."""

from dataclasses import asdict
from typing import Any

import pytest

from config.errors import Conflict, Forbidden
from tests.tournament.factories import (
    NOW,
    enter,
    make_event,
    make_revision,
    make_staff,
    play,
    player_of,
    report_all,
    user_of,
)
from tournament import services
from tournament.models import AuditRow, Event, Match, Registration, Round, Seat
from tournament.selectors import match_state, replay, round_matches, snapshot, standings

pytestmark = pytest.mark.django_db


def pairs(round: Round) -> list[tuple[int | None, ...]]:
    return [
        (match.table, *(seat.registration_id for seat in match.seats.all())) for match in round_matches(round)
    ]


def test_a_round_seats_every_active_player_once_and_gives_the_odd_one_a_bye(organizer: Any) -> None:
    event = make_event(organizer)
    entries = enter(event, 7)
    services.player_drop(registration=entries[0], by=organizer, now=NOW)
    enter(event, 1, "late")
    round = services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    seated = sorted(Seat.objects.filter(round=round).values_list("registration", flat=True))
    active = Registration.objects.filter(event=event, state="active").order_by("pk")
    assert seated == list(active.values_list("pk", flat=True))
    matches = round_matches(round)
    assert [match.table for match in matches] == [1, 2, 3, None]
    assert match_state(matches[-1]).state == "bye"


def test_every_past_round_can_be_paired_again_from_its_seed(organizer: Any) -> None:
    event = make_event(organizer)
    entries = enter(event, 9)
    rounds = play(event, organizer, 3)
    services.player_drop(registration=entries[4], by=organizer, now=NOW)
    for round in rounds:
        again = [asdict(pair) for pair in replay(round).pairs]
        assert again == round.explanation["pairs"]
        assert [(pair["table"], pair["first"]) for pair in again] == [seated[:2] for seated in pairs(round)]


def test_the_first_pairing_pins_the_policy_and_the_number_of_rounds(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 6)
    services.round_pair(event=event, by=organizer, now=NOW)
    event.refresh_from_db()
    assert event.state == Event.State.RUNNING
    assert event.planned_rounds == 4
    assert event.policy is not None and event.policy["points"]["timed-win"] == 4


def test_announced_rounds_are_kept_whatever_the_attendance(organizer: Any) -> None:
    event = make_event(organizer, planned_rounds=1, cut={"places": 0, "ties": False})
    enter(event, 6)
    [round] = play(event, organizer, 1)
    with pytest.raises(Conflict) as refused:
        services.round_pair(event=event, by=organizer, now=NOW)
    assert refused.value.code == "all-rounds-played"
    services.round_finish(round=round, by=organizer, now=NOW)
    event.refresh_from_db()
    assert event.state == Event.State.FINISHED


def test_pairing_is_refused_while_results_are_missing_and_names_the_tables(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 8)
    round = services.round_pair(event=event, by=organizer, seed=3, now=NOW)
    open_tables = [match for match in round_matches(round) if match.table in (2, 4)]
    for match in round_matches(round):
        if match not in open_tables:
            services.result_decide(match=match, by=organizer, outcome="win", reason="slip", now=NOW)
    services.result_report(match=open_tables[0], by=player_of(open_tables[0], 1), outcome="win", now=NOW)
    with pytest.raises(Conflict) as refused:
        services.round_pair(event=event, by=organizer, now=NOW)
    assert refused.value.code == "results-missing"
    assert refused.value.details == {"round": 1, "tables": [2, 4]}
    assert "tables 2, 4" in refused.value.message
    with pytest.raises(Conflict):
        services.round_finish(round=round, by=organizer, now=NOW)


def test_pairing_closes_the_round_before_and_pairs_equal_scores(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 8)
    [first] = play(event, organizer, 1)
    second = services.round_pair(event=event, by=organizer, seed=5, now=NOW)
    first.refresh_from_db()
    assert first.finished_at == NOW
    assert second.number == 2
    for pair in second.explanation["pairs"]:
        assert pair["first_score"] == pair["second_score"]
        assert "they haven’t met before" in pair["sentence"]


def test_the_round_is_the_one_the_organizer_meant_to_pair(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 4)
    services.round_pair(event=event, by=organizer, number=1, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.round_pair(event=event, by=organizer, number=1, now=NOW)
    assert refused.value.code == "already-paired"
    assert Round.objects.count() == 1


def test_a_failure_leaves_no_empty_round(organizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    event = make_event(organizer)
    enter(event, 4)

    def fail(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(Seat.objects, "bulk_create", fail)
    with pytest.raises(RuntimeError):
        services.round_pair(event=event, by=organizer, now=NOW)
    event.refresh_from_db()
    assert (Round.objects.count(), Match.objects.count(), event.policy, event.state) == (
        0,
        0,
        None,
        "registration",
    )


def test_one_player_is_no_round(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 1)
    with pytest.raises(Conflict) as refused:
        services.round_pair(event=event, by=organizer, now=NOW)
    assert refused.value.code == "too-few-players"


@pytest.mark.parametrize("role", ["judge", "head-judge", "scorekeeper", None])
def test_only_an_organizer_pairs(organizer: Any, visitor: Any, role: str | None) -> None:
    event = make_event(organizer)
    enter(event, 4)
    if role:
        make_staff(event=event, user=visitor, role=role, by=organizer, now=NOW)
    with pytest.raises(Forbidden):
        services.round_pair(event=event, by=visitor, now=NOW)


def test_a_list_is_missing_where_the_policy_requires_one(organizer: Any) -> None:
    event = make_event(organizer, policy_key="mtg-mtr")
    entries = enter(event, 2)
    with pytest.raises(Conflict) as refused:
        services.round_pair(event=event, by=organizer, now=NOW)
    assert refused.value.code == "decks-missing"
    assert refused.value.details == {"names": ["Player 001", "Player 002"]}
    for entry in entries:
        services.deck_register(
            registration=entry, revision=None, override="paper list at the desk", by=organizer, now=NOW
        )
    services.round_pair(event=event, by=organizer, now=NOW)


def test_a_list_that_is_no_longer_legal_is_changed_or_admitted_before_round_1(organizer: Any) -> None:
    event = make_event(organizer, policy_key="mtg-mtr")
    for entry in enter(event, 2):
        revision = make_revision(user_of(entry))
        services.deck_register(registration=entry, revision=revision, by=user_of(entry), now=NOW)
    services.decks_arrange(
        event=event, visibility="staff", due=None, changes={"COC-DECK-01": 60}, by=organizer, now=NOW
    )
    one, other = event.registrations.all()
    services.deck_register(
        registration=one, revision=one.revision, override="told too late", by=organizer, now=NOW
    )
    with pytest.raises(Conflict) as refused:
        services.round_pair(event=event, by=organizer, now=NOW)
    assert (refused.value.code, refused.value.details) == ("decks-illegal", {"names": [other.name]})
    services.decks_arrange(event=event, visibility="staff", due=None, changes={}, by=organizer, now=NOW)
    services.round_pair(event=event, by=organizer, now=NOW)


def test_dropped_players_are_not_paired_and_their_opponents_are(organizer: Any) -> None:
    event = make_event(organizer)
    entries = enter(event, 6)
    play(event, organizer, 1)
    services.player_drop(registration=entries[2], by=user_of(entries[2]), now=NOW)
    round = services.round_pair(event=event, by=organizer, now=NOW)
    seated = set(Seat.objects.filter(round=round).values_list("registration", flat=True))
    assert seated == {entry.pk for entry in entries} - {entries[2].pk}


def test_late_players_enter_with_no_points(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 4)
    play(event, organizer, 1)
    late = services.player_register(event=event, user=None, name="Late Guest", by=organizer, now=NOW)
    round = services.round_pair(event=event, by=organizer, seed=2, now=NOW)
    [pair] = [pair for pair in round.explanation["pairs"] if late.pk in (pair["first"], pair["second"])]
    own = pair["first_score"] if pair["first"] == late.pk else pair["second_score"]
    assert own == 0


def test_who_was_paired_up_or_down_is_remembered_for_the_next_round(organizer: Any) -> None:
    """Six players: after round 1 three have won, so in round 2 one of them meets one who has not."""
    event = make_event(organizer)
    enter(event, 6)
    first, second = play(event, organizer, 2)
    [crossing] = [pair for pair in second.explanation["pairs"] if pair["digits"]["distance"]]
    ids = (crossing["first"], crossing["second"])
    winner, loser = ids if crossing["first_score"] > crossing["second_score"] else ids[::-1]
    floated = {player.id: player.floated for player in snapshot(event, 3).players if player.floated}
    assert floated == {winner: -1, loser: 1}
    assert not any(player.floated for player in snapshot(event, first.number + 1).players)


def test_before_round_1_all_stand_equal_and_then_lots_are_drawn_once(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 4)
    assert [row.rank for row in standings(event)] == [1, 1, 1, 1]
    play(event, organizer, 1, seed=5)
    lots = {row.registration.pk: row.values[-1] for row in standings(event)}
    assert {value.tie_break.key for value in lots.values()} == {"random"}
    play(event, organizer, 1, seed=9)
    assert {row.registration.pk: row.values[-1] for row in standings(event)} == lots
    assert [row.rank for row in standings(event)] == [1, 2, 3, 4]


def test_who_dropped_before_the_first_round_did_not_take_part(organizer: Any) -> None:
    event = make_event(organizer)
    early, late, *_ = enter(event, 5)
    services.player_drop(registration=early, by=organizer, now=NOW)
    play(event, organizer, 1)
    services.player_drop(registration=late, by=organizer, now=NOW)
    rows = {row.registration: row for row in standings(event)}
    assert early not in rows and rows[late].dropped


def test_every_verb_leaves_its_audit_row(organizer: Any) -> None:
    event = make_event(organizer)
    entries = enter(event, 2)
    round = services.round_pair(event=event, by=organizer, now=NOW)
    report_all(round)
    services.round_finish(round=round, by=organizer, now=NOW)
    services.player_drop(registration=entries[0], by=organizer, now=NOW)
    verbs = list(AuditRow.objects.filter(event=event).order_by("pk").values_list("verb", flat=True))
    assert verbs == [
        "event_create",
        "player_register",
        "player_register",
        "round_pair",
        "result_report",
        "result_report",
        "round_finish",
        "event_finish",
        "player_drop",
    ]
