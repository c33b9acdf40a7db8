"""Two players report, staff decides: what becomes a match's result."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from config.errors import Conflict, Forbidden, UserError
from tests.tournament.factories import NOW, enter, make_event, make_staff, play, player_of
from tournament import services
from tournament.models import AuditRow, Event, Match, Report, Staff, User
from tournament.policy import policy_files
from tournament.selectors import access_match, conflicts, match_state, round_matches, standings
from tournament.swiss import Outcome, Said, result_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(organizer: Any) -> Match:
    event = make_event(organizer)
    enter(event, 3)
    round = services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    return next(match for match in round_matches(round) if match.table)


def report(match: Match, side: int, outcome: str) -> Report:
    return services.result_report(match=match, by=player_of(match, side), outcome=outcome, now=NOW)


def state(match: Match) -> tuple[str, str | None]:
    found = match_state(access_match(None, match.pk))
    return found.state, found.outcome


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("win", "loss", ("confirmed", "win")),
        ("timed-win", "timed-loss", ("confirmed", "timed-win")),
        ("draw", "draw", ("confirmed", "draw")),
        ("loss", "win", ("confirmed", "loss")),
        ("win", "win", ("conflict", None)),
        ("win", "timed-loss", ("conflict", None)),
        ("loss", "timed-win", ("conflict", None)),
    ],
)
def test_equal_reports_confirm_and_different_ones_conflict(
    match: Match, first: str, second: str, expected: tuple[str, str | None]
) -> None:
    assert state(match) == ("waiting", None)
    report(match, 1, first)
    assert state(match) == ("reported", None)
    report(match, 2, second)
    assert state(match) == expected


def test_one_player_reporting_twice_never_confirms_a_match(match: Match) -> None:
    first = report(match, 1, "win")
    assert report(match, 1, "win") == first
    assert Report.objects.count() == 1
    report(match, 1, "timed-win")
    assert state(match) == ("reported", None)


def test_the_latest_report_of_each_side_counts(match: Match) -> None:
    report(match, 1, "win")
    report(match, 2, "win")
    assert conflicts(match.round.event) == [match]
    report(match, 2, "loss")
    assert state(match) == ("confirmed", "win")
    assert conflicts(match.round.event) == []
    assert list(Report.objects.order_by("number").values_list("number", "outcome")) == [
        (1, "win"),
        (2, "loss"),
        (3, "win"),
    ]


def test_a_confirmed_result_is_not_taken_back_by_one_player(match: Match) -> None:
    report(match, 1, "win")
    confirmed = report(match, 2, "loss")
    assert report(match, 2, "loss") == confirmed
    with pytest.raises(Conflict) as refused:
        report(match, 2, "win")
    assert refused.value.code == "confirmed"
    assert state(match) == ("confirmed", "win")


def test_staff_settles_a_conflict_and_a_late_report_is_refused(match: Match, organizer: Any) -> None:
    report(match, 1, "win")
    report(match, 2, "win")
    services.result_decide(match=match, by=organizer, outcome="draw", reason="both asked for it", now=NOW)
    assert state(match) == ("decided", "draw")
    with pytest.raises(Conflict) as refused:
        report(match, 1, "win")
    assert refused.value.code == "decided"
    assert state(match) == ("decided", "draw")


def test_of_several_decisions_the_latest_counts(match: Match, organizer: Any, judge: Any) -> None:
    make_staff(event=match.round.event, user=judge, role="judge", by=organizer, now=NOW)
    services.result_decide(match=match, by=organizer, outcome="win", reason="slip", now=NOW)
    services.result_decide(match=match, by=judge, outcome="double-loss", reason="nobody came", now=NOW)
    assert state(match) == ("decided", "double-loss")


def test_staff_may_decide_before_anybody_reports_and_must_say_why(match: Match, organizer: Any) -> None:
    with pytest.raises(UserError) as refused:
        services.result_decide(match=match, by=organizer, outcome="win", reason="  ", now=NOW)
    assert refused.value.place == "reason"
    services.result_decide(match=match, by=organizer, outcome="loss", reason="match slip", now=NOW)
    assert state(match) == ("decided", "loss")


def test_only_players_of_the_match_report_and_only_staff_decides(
    match: Match, organizer: Any, visitor: Any
) -> None:
    for stranger in (visitor, organizer):
        with pytest.raises(Forbidden):
            services.result_report(match=match, by=stranger, outcome="win", now=NOW)
    for stranger in (visitor, player_of(match, 1)):
        with pytest.raises(Forbidden):
            services.result_decide(match=match, by=stranger, outcome="win", reason="because", now=NOW)
    assert Report.objects.count() == 0


def test_nobody_decides_their_own_match_while_others_of_the_staff_can(match: Match, organizer: Any) -> None:
    player = player_of(match, 1)
    make_staff(event=match.round.event, user=player, role="judge", by=organizer, now=NOW)
    with pytest.raises(Forbidden) as refused:
        services.result_decide(match=match, by=player, outcome="win", reason="trust me", now=NOW)
    assert refused.value.code == "own-match"
    Staff.objects.exclude(user=player).delete()
    services.result_decide(match=match, by=player, outcome="win", reason="I am alone here", now=NOW)


def test_nobody_gives_their_own_table_time_or_checks_its_decks_while_others_could(
    match: Match, organizer: Any
) -> None:
    player, event = player_of(match, 2), match.round.event
    make_staff(event=event, user=player, role="judge", by=organizer, now=NOW)
    own = match.seats.get(side=2).registration
    tries = (
        lambda: services.time_extend(match=match, minutes=5, cause="judge-call", by=player, now=NOW),
        lambda: services.deck_check_start(registration=own, by=player, now=NOW),
        lambda: services.table_check_start(match=match, by=player, now=NOW),
    )
    for attempt in tries:
        with pytest.raises(Forbidden) as refused:
            attempt()
        assert refused.value.code == "own-match"
    Staff.objects.exclude(user=player).delete()  # now there is nobody else
    assert tries[0]().minutes == 5


def test_a_bye_is_settled_by_itself_and_takes_no_reports(match: Match, organizer: Any) -> None:
    bye = match.round.matches.get(table=None)
    assert state(bye) == ("bye", None)
    with pytest.raises(Conflict):
        report(bye, 1, "loss")
    with pytest.raises(Conflict):
        services.result_decide(match=bye, by=organizer, outcome="loss", reason="no", now=NOW)
    [standing] = [row for row in standings(match.round.event) if row.points]
    assert standing.points == 5 and standing.results == {"bye": 1}


def agreed_draw_under(policy: str, organizer: Any) -> Match:
    event = make_event(organizer, policy_key=policy)
    for entry in enter(event, 2):
        services.deck_register(registration=entry, revision=None, override="paper", by=organizer, now=NOW)
    [match] = round_matches(services.round_pair(event=event, by=organizer, now=NOW))
    return match


def agree(match: Match, side: int, outcome: str = "draw") -> Report:
    player = player_of(match, side)
    return services.result_report(match=match, by=player, outcome=outcome, how="agreed", now=NOW)


def test_an_agreed_draw_is_reported_by_both_where_the_policy_allows_it(organizer: Any) -> None:
    match = agreed_draw_under("mtg-mtr", organizer)
    agree(match, 1)
    assert state(match) == ("reported", None)
    agree(match, 2)
    assert state(match) == ("confirmed", "draw")
    assert all(row.how == "agreed" for row in Report.objects.all())


def test_an_agreed_draw_is_entered_by_a_judge_where_the_policy_wants_one(
    organizer: Any, judge: Any, visitor: Any
) -> None:
    match = agreed_draw_under("netrunner-nsg", organizer)
    event = match.round.event
    make_staff(event=event, user=judge, role="judge", by=organizer, now=NOW)
    make_staff(event=event, user=visitor, role="scorekeeper", by=organizer, now=NOW)

    def decide(by: Any) -> Report:
        return services.result_decide(
            match=match, by=by, outcome="draw", how="agreed", reason="both asked", now=NOW
        )

    with pytest.raises(Forbidden) as refused:
        agree(match, 1)
    assert refused.value.code == "needs-judge"
    with pytest.raises(Forbidden):
        decide(visitor)
    assert decide(judge).how == "agreed"
    assert state(match) == ("decided", "draw")


def test_an_agreed_draw_is_refused_to_everybody_where_the_policy_forbids_it(
    match: Match, organizer: Any
) -> None:
    with pytest.raises(UserError) as refused:
        agree(match, 1)
    assert (refused.value.code, refused.value.place) == ("intentional-draw-forbidden", "how")
    with pytest.raises(UserError):
        services.result_decide(
            match=match, by=organizer, outcome="draw", how="agreed", reason="both asked", now=NOW
        )
    assert Report.objects.count() == 0
    report(match, 1, "draw")
    report(match, 2, "draw")
    assert state(match) == ("confirmed", "draw"), "a draw that was played is a result"


def test_only_a_draw_can_be_agreed(organizer: Any) -> None:
    match = agreed_draw_under("mtg-mtr", organizer)
    with pytest.raises(UserError) as refused:
        agree(match, 1, "win")
    assert refused.value.code == "how-does-not-fit"


@pytest.mark.parametrize("outcome", ["double-loss", "bye", "victory", "", "WIN"])
def test_an_unknown_outcome_is_refused_with_the_known_ones(match: Match, outcome: str) -> None:
    with pytest.raises(UserError) as refused:
        report(match, 1, outcome)
    assert refused.value.place == "outcome"
    assert Report.objects.count() == 0


def test_a_policy_without_timed_results_takes_none(organizer: Any) -> None:
    event = make_event(organizer, policy_key="mtg-mtr")
    for entry in enter(event, 2):
        services.deck_register(registration=entry, revision=None, override="paper", by=organizer, now=NOW)
    [match] = round_matches(services.round_pair(event=event, by=organizer, now=NOW))
    with pytest.raises(UserError):
        report(match, 1, "timed-win")


def test_counted_games_must_fit_and_both_must_count_alike(match: Match) -> None:
    one, two = player_of(match, 1), player_of(match, 2)
    with pytest.raises(UserError) as refused:
        services.result_report(match=match, by=one, outcome="win", games=(1, 2, 0), now=NOW)
    assert refused.value.code == "games-do-not-fit"
    services.result_report(match=match, by=one, outcome="win", games=(2, 1, 0), now=NOW)
    services.result_report(match=match, by=two, outcome="loss", games=(0, 2, 0), now=NOW)
    assert state(match) == ("conflict", None)
    services.result_report(match=match, by=two, outcome="loss", games=(1, 2, 0), now=NOW)
    assert state(match) == ("confirmed", "win")


def test_a_corrected_result_changes_standings_but_no_past_pairing(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 4)
    first = services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    for match in round_matches(first):
        services.result_decide(match=match, by=organizer, outcome="win", reason="slip", now=NOW)
    second = services.round_pair(event=event, by=organizer, seed=2, now=NOW)
    before = [[seat.registration_id for seat in match.seats.all()] for match in round_matches(second)]
    leader = standings(event)[0].registration
    corrected = next(
        match for match in round_matches(first) if match.seats.filter(registration=leader).exists()
    )
    services.result_decide(match=corrected, by=organizer, outcome="loss", reason="misread", now=NOW)
    assert next(row for row in standings(event) if row.registration == leader).points == 0
    assert [[seat.registration_id for seat in match.seats.all()] for match in round_matches(second)] == before


def test_editing_round_1_after_round_3_is_paired_changes_standings_no_pairing_and_leaves_a_row_in_the_log(
    organizer: Any,
) -> None:
    event = make_event(organizer)
    enter(event, 8)
    rounds = play(event, organizer, 2)
    rounds.append(services.round_pair(event=event, by=organizer, seed=9, now=NOW))

    def seating() -> list[list[int]]:
        return [
            [seat.registration_id for seat in match.seats.all()]
            for round in rounds
            for match in round_matches(round)
        ]

    before, told = seating(), [round.explanation for round in rounds]
    points = {row.registration.pk: row.points for row in standings(event)}
    edited = round_matches(rounds[0])[0]
    winner, loser = (seat.registration_id for seat in edited.seats.order_by("side"))
    services.result_decide(match=edited, by=organizer, outcome="loss", reason="misread slip", now=NOW)
    after = {row.registration.pk: row.points for row in standings(event)}
    assert after == points | {winner: points[winner] - 5, loser: points[loser] + 5}
    for round in rounds:
        round.refresh_from_db()
    assert (seating(), [round.explanation for round in rounds]) == (before, told)
    row = AuditRow.objects.filter(verb="result_decide", target_id=str(edited.pk)).get()
    assert (row.actor, row.reason) == (organizer, "misread slip")


def test_the_database_itself_refuses_two_reports_of_one_number(match: Match) -> None:
    row = report(match, 1, "win")
    with pytest.raises(IntegrityError), transaction.atomic():
        Report.objects.create(
            match=match, seat=row.seat, by=row.by, number=1, outcome="loss", reported_at=NOW
        )
    with pytest.raises(RuntimeError):
        row.delete()


W, D, L = Outcome.WIN, Outcome.DRAW, Outcome.LOSS


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([], "waiting"),
        ([(1, W)], "reported"),
        ([(2, W), (2, L)], "reported"),
        ([(1, W), (2, W)], "confirmed win"),
        ([(1, W), (2, L)], "conflict"),
        ([(1, W), (2, L), (1, L)], "confirmed loss"),
        ([(None, D)], "decided draw"),
        ([(1, W), (2, W), (None, L)], "decided loss"),
        ([(None, D), (1, W), (2, W)], "decided draw"),
        ([(None, D), (1, W), (None, L), (2, W)], "decided loss"),
    ],
)
def test_the_result_follows_from_the_reports_alone(
    said: list[tuple[int | None, Outcome]], expected: str
) -> None:
    result = result_of([Said(side, outcome) for side, outcome in said])
    assert " ".join(filter(None, [result.state, result.outcome])) == expected
    assert result.settled == (result.outcome is not None)


def test_models_and_pure_code_name_the_same_outcomes() -> None:
    assert set(Report.Outcome.values) == {outcome.value for outcome in Outcome}


def test_what_one_wrote_on_a_shared_phone_is_not_sent_in_anothers_name(match: Match, client: Client) -> None:
    """The two players of a match use one phone; the second logs in while the first's report waits on it."""
    ann, bo = player_of(match, 1), player_of(match, 2)

    def send(by: User) -> Any:
        sent = {"do": "report", "outcome": "win", "match": match.pk, "known": "", "by": by.pk}
        return client.post(f"/events/{match.round.event.slug}/match", sent, headers={"Idempotency-Key": "k"})

    client.force_login(bo)
    refused = send(by=ann)
    assert (refused.status_code, refused.json()["code"]) == (409, "other-account")
    assert not Report.objects.exists()
    client.force_login(ann)
    assert send(by=ann).status_code == 200
    assert [one.by_id for one in Report.objects.all()] == [ann.pk]


def test_where_points_are_for_games_each_game_is_reported_and_counts(organizer: Any) -> None:
    """Two games a match at 3 points each: a win and a draw are 4 to 1, and no match has three games."""
    event = make_event(organizer)
    enter(event, 2)
    round = services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    policy = policy_files.policy("netrunner-double-sided").document
    Event.objects.filter(pk=event.pk).update(policy=policy, policy_key="netrunner-double-sided")
    event = Event.objects.get(pk=event.pk)
    match = next(iter(round_matches(event.rounds.get(pk=round.pk))))
    client = Client()
    client.force_login(player_of(match, 1))
    page = client.get(f"/events/{event.slug}/match").content.decode()
    shown = ("2-0-0", "1-0-1", "1-1-0", "0-0-2", "0-1-1", "0-2-0")
    assert [f'value="{one}"' in page for one in (*shown, "2-1-0")] == [True] * 6 + [False]
    for side, outcome, games in ((1, "win", (1, 0, 1)), (2, "loss", (0, 1, 1))):
        services.result_report(match=match, by=player_of(match, side), outcome=outcome, games=games, now=NOW)
    assert state(match) == ("confirmed", "win")
    assert sorted(row.points for row in standings(event)) == [1, 4]
    with pytest.raises(UserError) as refused:
        services.result_decide(
            match=match, by=organizer, outcome="win", games=(2, 1, 0), reason="slip", now=NOW
        )
    assert refused.value.code == "too-many-games"
