"""The clock, tables' own minutes, and what happens when time is called."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from config.errors import Conflict, Forbidden, UserError
from tests.tournament.factories import NOW, enter, make_event, make_revision, make_staff, player_of
from tournament import services
from tournament.models import Event, Match, Report, Round
from tournament.selectors import access_match, clock_of, extensions, match_state, round_matches
from tournament.selectors.deadlines import clock_phase, owed_report, unreported

pytestmark = pytest.mark.django_db


def after(minutes: float) -> datetime:
    return NOW + timedelta(minutes=minutes)


@pytest.fixture
def round(organizer: Any) -> Round:
    """Eight players, four tables, fifty minutes."""
    event = make_event(organizer)
    enter(event, 8)
    return services.round_pair(event=event, by=organizer, seed=1, now=NOW)


@pytest.fixture
def match(round: Round) -> Match:
    return round_matches(round)[0]


def left(round: Round, minutes: float, extension: int = 0) -> float:
    return clock_of(round).left(after(minutes), extension).total_seconds() / 60


def test_the_clock_runs_by_the_servers_time_whoever_looks(round: Round, organizer: Any) -> None:
    assert (left(round, 30), clock_of(round).began) == (50, False)
    services.clock_start(round=round, by=organizer, now=after(2))
    assert [left(round, minute) for minute in (2, 12, 52, 60)] == [50, 40, 0, -8]
    assert clock_of(round).ends_at() == after(52)


def test_a_stopped_clock_stands_and_goes_on_where_it_stood(round: Round, organizer: Any) -> None:
    services.clock_start(round=round, by=organizer, now=NOW)
    services.clock_pause(round=round, by=organizer, now=after(10))
    assert (left(round, 25), clock_of(round).ends_at()) == (40, None)
    services.clock_start(round=round, by=organizer, now=after(30))
    assert (left(round, 40), clock_of(round).ends_at()) == (30, after(70))


def test_a_clock_set_back_gives_nobody_more_than_the_whole_time(round: Round, organizer: Any) -> None:
    services.clock_start(round=round, by=organizer, now=after(10))
    assert left(round, 5) == 50
    services.clock_pause(round=round, by=organizer, now=after(5))
    assert left(round, 20) == 50


def test_minutes_for_everybody_and_for_one_table_add_up(round: Round, match: Match, organizer: Any) -> None:
    services.clock_start(round=round, by=organizer, now=NOW)
    services.clock_add(round=round, minutes=5, reason="fire alarm", by=organizer, now=after(10))
    services.time_extend(match=match, minutes=3, cause="judge-call", by=organizer, now=after(11))
    services.time_extend(match=match, minutes=4, reason="spilt coffee", by=organizer, now=after(12))
    services.time_extend(match=match, minutes=-1, reason="counted twice", by=organizer, now=after(13))
    assert extensions(round) == {match.pk: 6}
    assert (left(round, 55), left(round, 55, 6)) == (0, 6)


@pytest.mark.parametrize(
    ("verb", "arguments", "code"),
    [
        ("clock_pause", {}, "clock-stopped"),
        ("clock_add", {"minutes": 0, "reason": "x"}, "invalid"),
        ("clock_add", {"minutes": 5, "reason": ""}, "missing"),
        ("clock_add", {"minutes": 601, "reason": "x"}, "invalid"),
    ],
)
def test_a_clock_cannot_be_turned_so(
    round: Round, organizer: Any, verb: str, arguments: dict[str, Any], code: str
) -> None:
    with pytest.raises(UserError) as refused:
        getattr(services, verb)(round=round, by=organizer, now=NOW, **arguments)
    assert refused.value.code == code
    assert not round.clock_entries.exists()


def test_a_clock_that_runs_is_not_started_and_one_of_a_finished_round_not_turned(
    round: Round, organizer: Any
) -> None:
    services.clock_start(round=round, by=organizer, now=NOW)
    with pytest.raises(Conflict) as running:
        services.clock_start(round=round, by=organizer, now=after(1))
    assert running.value.code == "clock-running"
    for match in round_matches(round):
        services.result_decide(match=match, by=organizer, outcome="win", reason="slip", now=NOW)
    services.round_finish(round=round, by=organizer, now=after(50))
    for call in (
        lambda: services.clock_pause(round=round, by=organizer, now=after(51)),
        lambda: services.time_extend(
            match=round_matches(round)[0], minutes=1, cause="judge-call", by=organizer, now=after(51)
        ),
    ):
        with pytest.raises(Conflict) as over:
            call()
        assert over.value.code == "round-over"


def test_judges_give_tables_minutes_and_only_the_head_judge_and_organizers_turn_the_clock(
    round: Round, match: Match, organizer: Any, judge: Any
) -> None:
    make_staff(event=round.event, user=judge, role="judge", by=organizer, now=NOW)
    services.time_extend(match=match, minutes=2, cause="judge-call", by=judge, now=NOW)
    with pytest.raises(Forbidden):
        services.clock_start(round=round, by=judge, now=NOW)
    with pytest.raises(Forbidden):
        services.time_extend(match=match, minutes=2, cause="judge-call", by=player_of(match, 1), now=NOW)
    make_staff(event=round.event, user=judge, role="head-judge", by=organizer, now=NOW)
    services.clock_start(round=round, by=judge, now=NOW)


def test_a_deck_check_gives_the_table_its_time_back_once(organizer: Any, ann: Any, bo: Any) -> None:
    """Both decks of a table are checked at once: the longer check counts, not the sum."""
    event = make_event(organizer)
    for player in (ann, bo):
        services.player_register(event=event, user=player, revision=make_revision(player), by=player, now=NOW)
    round = services.round_pair(event=event, by=organizer, now=NOW)
    checks = [
        services.deck_check_start(registration=entry, by=organizer, now=after(1))
        for entry in event.registrations.all()
    ]
    extra = 3
    services.deck_check_finish(check=checks[0], matches=True, by=organizer, now=after(6))
    assert extensions(round) == {round_matches(round)[0].pk: 5 + extra}
    services.deck_check_finish(check=checks[1], matches=True, by=organizer, now=after(8))
    assert extensions(round) == {round_matches(round)[0].pk: 7 + extra}


# --- missing results ------------------------------------------------------------------------------------


def test_who_has_not_reported_is_asked_when_their_own_time_is_over(
    round: Round, match: Match, organizer: Any
) -> None:
    event = Event.objects.get(pk=round.event_id)
    late, other = player_of(match, 1), player_of(round_matches(round)[1], 1)
    services.clock_start(round=round, by=organizer, now=NOW)
    services.time_extend(match=match, minutes=5, cause="judge-call", by=organizer, now=NOW)
    assert owed_report(other, event, after(49)) is None
    assert owed_report(other, event, after(51)) == round_matches(round)[1]
    assert owed_report(late, event, after(51)) is None
    assert owed_report(late, event, after(56)) == match
    services.result_report(match=match, by=late, outcome="win", now=after(56))
    assert owed_report(late, event, after(57)) is None
    assert owed_report(player_of(match, 2), event, after(57)) == match
    assert owed_report(organizer, event, after(57)) is None


def test_staff_asks_before_time_is_called_and_every_page_says_so(
    round: Round, match: Match, organizer: Any, client: Client
) -> None:
    player = player_of(match, 2)
    client.force_login(player)
    pages = [f"/events/kingsport/{page}" for page in ("", "pairings", "standings", "players")]
    asked = f"You haven’t reported the result for table {match.table}."
    assert all(asked not in client.get(page).content.decode() for page in pages)
    services.round_nudge(round=round, by=organizer, now=after(40))
    assert all(asked in client.get(page).content.decode() for page in pages[1:])
    assert "Please report your result." in client.get("/events/kingsport/match").content.decode()
    services.result_report(match=match, by=player, outcome="loss", now=NOW)
    assert all(asked not in client.get(page).content.decode() for page in pages)


def test_the_round_ends_by_the_policy_for_who_said_nothing_and_for_nobody_else(organizer: Any) -> None:
    event = make_event(organizer, policy_key="mtg-mtr")
    for entry in enter(event, 8):
        services.deck_register(registration=entry, revision=None, override="paper", by=organizer, now=NOW)
    round = services.round_pair(event=event, by=organizer, start_clock=True, now=NOW)
    silent, told, extended, done = round_matches(round)
    services.result_report(match=told, by=player_of(told, 1), outcome="win", games=[2, 0, 0], now=NOW)
    services.time_extend(match=extended, minutes=10, cause="deck-check", by=organizer, now=NOW)
    services.result_decide(match=done, by=organizer, outcome="win", reason="slip", now=NOW)
    with pytest.raises(Conflict) as early:
        services.round_resolve(round=round, by=organizer, now=after(49))
    assert early.value.code == "nothing-to-resolve"
    assert [match.table for match in unreported(round, after(51))] == [silent.table]
    assert services.round_resolve(round=round, by=organizer, now=after(51)) == 1
    states = [match_state(access_match(None, match.pk)) for match in (silent, told, extended, done)]
    assert [state.state for state in states] == ["decided", "reported", "waiting", "decided"]
    row = Report.objects.get(match=silent)
    assert (row.outcome, row.how, row.reason) == (
        "double-loss",
        "no-show",
        "not reported when the round ended",
    )


def test_where_the_policy_names_no_result_the_staff_decides(round: Round, organizer: Any) -> None:
    event = Event.objects.get(pk=round.event_id)
    assert event.policy is not None
    del event.policy["time"]["unreported"]
    event.save(update_fields=["policy"])
    round = event.rounds.get()
    services.clock_start(round=round, by=organizer, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.round_resolve(round=round, by=organizer, now=after(60))
    assert refused.value.code == "staff-decides"


# --- faces ----------------------------------------------------------------------------------------------


def test_a_page_shows_the_time_without_a_script_and_tells_scripts_when_it_ends(
    round: Round, match: Match, organizer: Any, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.clock_start(round=round, by=organizer, now=NOW)
    services.time_extend(match=match, minutes=3, cause="judge-call", by=organizer, now=NOW)
    monkeypatch.setattr("django.utils.timezone.now", lambda: after(12.5))
    client.force_login(player_of(match, 1))
    page = client.get("/events/kingsport/match").content.decode()
    assert "<b>40:30</b>" in page and "+3′" in page and "until 12:53" in page
    ends = int(after(53).timestamp() * 1000)
    assert f'data-ends="{ends}"' in page
    assert "<b>37:30</b>" in client.get("/events/kingsport/pairings").content.decode()


def test_a_page_renews_itself_when_time_is_called_though_nobody_did_anything(
    round: Round, organizer: Any
) -> None:
    services.clock_start(round=round, by=organizer, now=NOW)
    phases = [clock_phase(round, after(minute)) for minute in (0, 49, 50, 51, 200)]
    assert phases == [-1, -1, 0, 1, 60]
    assert clock_phase(None, NOW) is None
