"""Bugs read in the code of other tournament programs, and the test that keeps each out of this one.

Races run in processes of their own, on SQLite and on PostgreSQL (test_races.py); what needed a test of its own stands
below the table.
"""

from importlib import import_module
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import NoReverseMatch, reverse

from config.errors import Conflict
from tests.tournament.factories import (
    NOW,
    enter,
    make_event,
    make_revision,
    play,
    player_of,
    report_all,
    user_of,
)
from tournament import services, urls
from tournament.models import Event, Registration, Report, Round, Seat
from tournament.selectors import match_state, round_matches, snapshot, standings

pytestmark = pytest.mark.django_db

BUGS: list[tuple[str, str, list[str]]] = [
    # (where it was read, what happened, module.test ...)
    (
        "Cobra: reports are not unique",
        "Two quick posts by one player count as both players' and settle the match.",
        ["races.one_player_posting_twice_never_confirms", "results.one_player_reporting_twice_never_confirms_a_match"],
    ),
    (
        "Cobra: the policy does not ask whether a match is scored",
        "Reports that come late overwrite the organizer's decision; a request may name the side it speaks for.",
        [
            "races.a_report_never_overtakes_the_staffs_decision",
            "results.staff_settles_a_conflict_and_a_late_report_is_refused",
            "bugs_of_others.a_report_speaks_for_who_sends_it_whatever_side_it_names",
        ],
    ),
    (
        "Cobra: a new round is the highest number plus one, unlocked",
        "A double click makes two rounds; nothing keeps a player from sitting twice in one.",
        [
            "races.two_organizers_pressing_pair_make_one_round",
            "races.two_drafts_are_one",
            "races.two_publications_are_one",
            "bugs_of_others.the_database_itself_seats_nobody_twice_and_numbers_no_round_twice",
        ],
    ),
    (
        "Cobra: players are shuffled by the process's own chance",
        "A round cannot be paired again.",
        [
            "pairing.a_replay_is_byte_identical_whatever_the_hash_seed",
            "drafts.a_past_round_is_paired_again_byte_for_byte_though_results_were_corrected",
            "event_file.a_copy_of_an_event_is_paired_and_ranked_as_the_event_byte_for_byte",
        ],
    ),
    (
        "Aesop's: the flag of a bye is written to a column that was renamed",
        "Nobody remembers byes, and one player gets several.",
        [
            "bugs_of_others.byes_are_remembered_in_the_database_and_go_round",
            "pairing.a_whole_event_has_no_rematch_and_no_second_bye",
        ],
    ),
    (
        "Aesop's: results are set, players removed, rounds paired by GET",
        "A crawler, a preview or the back button changes the event.",
        ["bugs_of_others.looking_at_a_page_writes_nothing"],
    ),
    (
        "Aesop's: the round's number is stored before it is paired",
        "A failure leaves a hole.",
        ["rounds.a_failure_leaves_no_empty_round", "drafts.a_failing_publication_leaves_the_draft_as_it_was"],
    ),
    (
        "Gatherling: scores are added to",
        "Settling a match twice counts it twice.",
        [
            "bugs_of_others.settling_a_match_again_counts_it_once",
            "races.two_of_the_staff_deciding_at_once_leave_one_result",
        ],
    ),
    (
        "Gatherling: the event is read before the lock is taken",
        "Who loaded the event earlier and comes after the lock's release pairs the same round again.",
        [
            "races.two_organizers_pressing_pair_make_one_round",
            "bugs_of_others.a_page_loaded_before_the_round_was_paired_does_not_pair_it_again",
        ],
    ),
    (
        "Tabbycat: no transaction, and a lock in the memory of one worker",
        "Two workers confirm two ballots of one match.",
        [
            "races.both_players_reporting_at_once_are_both_heard",
            "races.two_of_the_staff_deciding_at_once_leave_one_result",
            "results.the_database_itself_refuses_two_reports_of_one_number",
        ],
    ),
    (
        "Tabbycat: the draw counts ballots nobody has confirmed",
        "Pairings rest on results that are not results.",
        ["bugs_of_others.what_one_player_says_alone_is_in_no_standing_and_pairs_nobody"],
    ),
    (
        "Cobra: a round that cannot be paired; an odd number with a bye given beforehand",
        "An empty round stays behind; pairing crashes.",
        [
            "rounds.a_failure_leaves_no_empty_round",
            "pairing.when_every_opponent_was_met_the_least_met_are_met_again",
            "bugs_of_others.a_bye_given_beforehand_leaves_an_odd_number_that_is_paired",
        ],
    ),
    (
        "Cobra: sides outweigh rematches",
        "Two meet again though others were free.",
        [
            "pairing.a_rematch_is_never_bought_with_points",
            "pairing_oracle.the_total_of_every_rule_is_the_least_possible",
        ],
    ),
    (
        "lichess: leaving and coming back",
        "A player who comes and goes collects byes for the rounds missed.",
        ["bugs_of_others.who_leaves_and_comes_back_gains_nothing_by_it"],
    ),
    (
        "ANRTournament and others: the bye is given away before the rest is paired",
        "It goes to the wrong player, or the rest cannot be paired.",
        [
            "pairing.the_bye_goes_to_the_lowest_without_one_even_across_a_gap",
            "pairing.no_other_round_is_cheaper_in_any_rule_that_comes_first",
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize("bug", BUGS, ids=[where for where, _what, _tests in BUGS])
def test_every_bug_has_tests_that_exist(bug: tuple[str, str, list[str]]) -> None:
    _where, _what, tests = bug
    for one in tests:
        module, _dot, name = one.partition(".")
        assert hasattr(import_module(f"tests.tournament.test_{module}"), f"test_{name}"), one


def test_a_report_speaks_for_who_sends_it_whatever_side_it_names(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 2)
    [match] = round_matches(services.round_pair(event=event, by=organizer, seed=1, now=NOW))
    client = Client()
    client.force_login(player_of(match, 2))
    said = {"outcome": "win", "side": 1, "seat": match.seats.get(side=1).pk, "match": 0}
    for _again in range(2):
        client.post(f"/api/v1/matches/{match.pk}/reports", said, content_type="application/json")
    assert {report.seat and report.seat.side for report in Report.objects.filter(match=match)} <= {2}
    assert match_state(match).state != "confirmed"


def test_the_database_itself_seats_nobody_twice_and_numbers_no_round_twice(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 4)
    round = services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    one, two, *_byes = round_matches(round)
    sits = one.seats.get(side=1).registration
    two.seats.get(side=1).delete()
    with pytest.raises(IntegrityError), transaction.atomic():
        Seat.objects.create(round=round, match=two, registration=sits, side=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        Round.objects.create(event=event, number=1, seed=1, explanation={})


def test_byes_are_remembered_in_the_database_and_go_round(organizer: Any) -> None:
    event = make_event(organizer, planned_rounds=5, cut={"places": 0, "ties": False})
    enter(event, 5)
    play(event, organizer, 5)
    assert [row.results.get("bye") for row in standings(event)] == [1] * 5
    assert [player.byes for player in snapshot(event, 6).players] == [1] * 5


def test_looking_at_a_page_writes_nothing(organizer: Any) -> None:
    """Every page of an event in the middle of a round, opened by its owner; a visit's own row apart."""
    event = make_event(organizer)
    entries = enter(event, 5)
    player = user_of(entries[1])
    services.deck_register(registration=entries[1], revision=make_revision(player), by=player, now=NOW)
    match = round_matches(services.round_pair(event=event, by=organizer, seed=1, now=NOW))[0]
    given = services.penalty_issue(registration=entries[0], infraction="slow-play", by=organizer, now=NOW)
    call = services.table_call_open(event=event, table=1, subject="rules", by=organizer, now=NOW)
    check = services.deck_check_start(registration=entries[1], by=organizer, now=NOW)
    keys = {
        "penalty": given.pk,
        "call": call.pk,
        "deck-check-page": check.pk,
        "match": match.pk,
        "dispute-new": match.pk,
    }
    client = Client()
    client.force_login(organizer)
    looked = set()
    for pattern in urls.urlpatterns:
        name = str(pattern.name)
        words = {
            "slug": event.slug, "key": "coc-lcg", "number": 1, "code": "ABCD2345", "name": "event.json",
            "pk": keys.get(name, entries[0].pk), "secret": "none",
        }  # fmt: skip
        wanted = pattern.pattern.converters
        try:
            path = reverse(name, kwargs={key: value for key, value in words.items() if key in wanted})
        except NoReverseMatch:  # pragma: no cover
            pytest.fail(f"{name} wants more words than this test knows")
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(path)
        assert answer.status_code in (200, 302, 404, 405, 409), (path, answer.status_code)
        written = [one["sql"] for one in queries if one["sql"].split()[0] in ("INSERT", "UPDATE", "DELETE")]
        assert not [sql for sql in written if "django_session" not in sql], path
        looked |= {name} if answer.status_code == 200 else set()
    assert len(looked) > 50, "most pages were there to be looked at"


def test_settling_a_match_again_counts_it_once(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 2)
    [match] = round_matches(services.round_pair(event=event, by=organizer, seed=1, now=NOW))
    for _again in range(3):
        services.result_decide(match=match, by=organizer, outcome="win", reason="slip", now=NOW)
    assert [(row.points, row.played) for row in standings(event)] == [(5, 1), (0, 1)]


def test_a_page_loaded_before_the_round_was_paired_does_not_pair_it_again(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 4)
    [first] = play(event, organizer, 1)
    loaded = Event.objects.get(pk=event.pk)
    services.round_pair(event=event, by=organizer, number=2, seed=2, now=NOW)
    for asked in ({"number": 2}, {}):
        with pytest.raises(Conflict) as refused:
            services.round_pair(event=loaded, by=organizer, now=NOW, **asked)  # type: ignore[arg-type]
        assert refused.value.code in ("already-paired", "results-missing")
    assert list(Round.objects.values_list("number", flat=True)) == [first.number, 2]


def test_what_one_player_says_alone_is_in_no_standing_and_pairs_nobody(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 2)
    round = services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    [match] = round_matches(round)
    services.result_report(match=match, by=player_of(match, 1), outcome="win", now=NOW)
    assert [row.points for row in standings(event)] == [0, 0]
    with pytest.raises(Conflict) as refused:
        services.round_pair(event=event, by=organizer, now=NOW)
    assert refused.value.code == "results-missing"


def test_a_bye_given_beforehand_leaves_an_odd_number_that_is_paired(organizer: Any) -> None:
    event = make_event(organizer)
    entries = enter(event, 6)
    services.bye_award(registration=entries[0], number=1, reason="won the trial", by=organizer, now=NOW)
    round = services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    byes = [match for match in round_matches(round) if match.table is None]
    assert len(byes) == 2 and round.seats.count() == 6
    assert entries[0].pk in {seat.registration_id for match in byes for seat in match.seats.all()}


def test_who_leaves_and_comes_back_gains_nothing_by_it(organizer: Any) -> None:
    event = make_event(organizer, planned_rounds=4)
    entries = enter(event, 6)
    for _round in range(2):
        [away, *_] = entries
        services.player_drop(registration=away, by=organizer, now=NOW)
        report_all(services.round_pair(event=event, by=organizer, seed=3, now=NOW))
        away.refresh_from_db()
        services.player_return(registration=away, by=organizer, now=NOW)
    [row] = [one for one in standings(event) if one.registration == away]
    assert (row.points, row.results) == (0, {"double-loss": 2})
    assert Registration.objects.get(pk=away.pk).number == 1, "the entry, and the lot, is the same"
