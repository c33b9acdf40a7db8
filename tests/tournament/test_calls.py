"""Judge calls: who may call, which judge has a call, what it costs the table, and who may read what it is about."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from config.errors import Conflict, Forbidden, NotFound, UserError
from tests.markup import tight
from tests.rules.scenarios import SHOTGUN
from tests.tournament.factories import NOW, enter, make_event, make_staff, player_of, user_of
from tournament import services
from tournament.models import AuditRow, Event, JudgeCall, Match, Registration, User
from tournament.selectors import extension_of, round_matches
from tournament.selectors.calls import (
    access_call,
    lost_minutes,
    may_read,
    past_calls,
    queue,
    table_now,
    unclaimed,
)

pytestmark = pytest.mark.django_db

Make = Callable[..., Any]


def after(minutes: float) -> Any:
    return NOW + timedelta(minutes=minutes)


@pytest.fixture
def kim(make_user: Make) -> User:
    user: User = make_user("kim", display_name="Judge Kim")
    return user


@pytest.fixture
def event(organizer: Any, judge: Any, kim: User) -> Event:
    """Four tables, the round's clock running since noon, two judges."""
    event = make_event(organizer)
    for user in (judge, kim):
        make_staff(event=event, user=user, role="judge", by=organizer, now=NOW)
    enter(event, 8)
    round = services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    services.clock_start(round=round, by=organizer, now=NOW)
    return event


@pytest.fixture
def matches(event: Event) -> list[Match]:
    return round_matches(event.rounds.get())


@pytest.fixture
def match(matches: list[Match]) -> Match:
    return matches[0]


@pytest.fixture
def caller(match: Match) -> User:
    return player_of(match, 1)


@pytest.fixture
def opponent(match: Match) -> User:
    return player_of(match, 2)


@pytest.fixture
def call(match: Match, caller: User) -> JudgeCall:
    return services.call_open(match=match, subject="rules", by=caller, now=after(10))


# --- calling -------------------------------------------------------------------------------------------


def test_the_oldest_call_is_on_top_of_the_queue(event: Event, matches: list[Match]) -> None:
    for minute, match in enumerate(reversed(matches)):
        services.call_open(match=match, subject="rules", by=player_of(match, 2), now=after(minute))
    assert [call.table for call in queue(event)] == [4, 3, 2, 1]
    assert unclaimed(event) == 4


def test_one_call_at_a_time_is_open_at_a_match(match: Match, call: JudgeCall, opponent: User) -> None:
    with pytest.raises(Conflict) as refused:
        services.call_open(match=match, subject="result", by=opponent, now=after(11))
    assert refused.value.code == "already-called"
    with pytest.raises(IntegrityError), transaction.atomic():
        JudgeCall.objects.create(
            event=call.event, match=match, table=1, subject="rules", opened_by=opponent, opened_at=NOW
        )


def test_once_a_call_has_ended_the_next_may_be_made(
    match: Match, call: JudgeCall, opponent: User, judge: Any
) -> None:
    services.call_close(call=call, outcome="Explained.", by=judge, now=after(12))
    services.call_open(match=match, subject="result", by=opponent, now=after(20))
    assert [one.state for one in match.judge_calls.order_by("pk")] == ["closed", "open"]


def test_only_the_players_of_the_match_and_staff_call(
    match: Match, matches: list[Match], visitor: Any, judge: Any
) -> None:
    for stranger in (visitor, player_of(matches[1], 1)):
        with pytest.raises(Forbidden):
            services.call_open(match=match, subject="rules", by=stranger, now=NOW)
    assert services.call_open(match=match, subject="rules", by=judge, now=NOW).opened_by == judge


def test_something_else_is_said_in_words(match: Match, caller: User) -> None:
    with pytest.raises(UserError) as refused:
        services.call_open(match=match, words="  ", by=caller, now=NOW)
    assert (refused.value.code, refused.value.place) == ("missing", "words")
    assert services.call_open(match=match, words=" A  spilled drink ", by=caller, now=NOW).words == (
        "A spilled drink"
    )


def test_staff_calls_to_any_table_and_finds_the_match_there(
    event: Event, matches: list[Match], judge: Any
) -> None:
    played = services.table_call_open(event=event, table=2, subject="deck", by=judge, now=NOW)
    assert played.match == matches[1]
    empty = services.table_call_open(event=event, table=40, subject="rules", by=judge, now=NOW)
    assert (empty.match, empty.table) == (None, 40)
    with pytest.raises(Conflict) as refused:
        services.table_call_open(event=event, table=40, subject="rules", by=judge, now=NOW)
    assert refused.value.code == "already-called"


def end_round(event: Event, organizer: Any) -> None:
    round = event.rounds.get(finished_at=None)
    for match in round_matches(round):
        if match.table is not None:
            services.result_decide(match=match, outcome="win", reason="slip", by=organizer, now=NOW)
    services.round_finish(round=round, by=organizer, now=NOW)


def test_a_bye_and_a_match_of_a_round_that_is_over_are_no_tables_to_go_to(
    organizer: Any, event: Event, matches: list[Match]
) -> None:
    odd = make_event(organizer, "odd")
    enter(odd, 3, "odd")
    bye = round_matches(services.round_pair(event=odd, by=organizer, seed=1, now=NOW))[-1]
    with pytest.raises(Conflict) as refused:
        services.call_open(match=bye, subject="rules", by=player_of(bye, 1), now=NOW)
    assert refused.value.code == "bye"
    end_round(event, organizer)
    with pytest.raises(Conflict) as refused:
        services.call_open(match=matches[0], subject="rules", by=player_of(matches[0], 1), now=NOW)
    assert refused.value.code == "round-over"


def test_a_round_in_which_a_judge_was_called_is_not_taken_back(
    event: Event, call: JudgeCall, organizer: Any
) -> None:
    with pytest.raises(Conflict) as refused:
        services.round_unpublish(round=event.rounds.get(), reason="too early", by=organizer, now=NOW)
    assert (refused.value.code, refused.value.details) == ("calls-open", {"tables": [call.table]})
    assert "can cancel the call" in refused.value.remedy


def test_a_call_that_was_taken_back_keeps_no_round_and_one_that_was_answered_does(
    event: Event, call: JudgeCall, organizer: Any, kim: User
) -> None:
    round = event.rounds.get()
    services.call_withdraw(call=call, by=call.opened_by, now=NOW)
    services.round_unpublish(round=round, reason="too early", by=organizer, now=NOW)
    call.refresh_from_db()
    assert (call.state, call.match) == ("withdrawn", None)
    services.round_publish(round=round, by=organizer, now=NOW)
    match = round_matches(round)[0]
    again = services.call_open(match=match, subject="rules", by=player_of(match, 1), now=NOW)
    services.call_claim(call=again, by=kim, now=NOW)
    services.call_close(call=again, outcome="Explained.", by=kim, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.round_unpublish(round=round, reason="too early", by=organizer, now=NOW)
    assert refused.value.code == "results-in"


# --- without a table -----------------------------------------------------------------------------------


def entry_of(event: Event, user: User) -> Registration:
    return event.registrations.get(user=user)


def test_a_player_calls_before_round_1_with_a_bye_and_between_rounds(organizer: Any) -> None:
    odd = make_event(organizer, "odd")
    entries = enter(odd, 3, "odd")
    early = services.player_call_open(
        registration=entries[0], subject="deck", place=" at the  door ", by=user_of(entries[0]), now=NOW
    )
    assert (early.table, early.match, early.last_table, early.place) == (None, None, None, "at the door")
    with pytest.raises(Conflict) as refused:
        services.player_call_open(registration=entries[0], subject="rules", by=user_of(entries[0]), now=NOW)
    assert refused.value.code == "already-called"
    services.call_withdraw(call=early, by=user_of(entries[0]), now=NOW)
    matches = round_matches(services.round_pair(event=odd, by=organizer, seed=1, now=NOW))
    resting, playing = player_of(matches[-1], 1), player_of(matches[0], 1)
    bye = services.player_call_open(registration=entry_of(odd, resting), subject="rules", by=resting, now=NOW)
    assert (bye.table, bye.match, bye.last_table) == (None, None, None)
    end_round(odd, organizer)
    between = services.player_call_open(
        registration=entry_of(odd, playing), subject="result", by=playing, now=NOW
    )
    assert (between.table, between.match, between.last_table) == (None, None, 1)
    assert [one.registration for one in queue(odd)] == [entry_of(odd, resting), entry_of(odd, playing)]
    assert unclaimed(odd) == 2


def test_while_the_round_lasts_a_players_call_is_from_the_table(
    event: Event, match: Match, caller: User
) -> None:
    call = services.player_call_open(
        registration=entry_of(event, caller), subject="rules", place="at the desk", by=caller, now=NOW
    )
    assert (call.match, call.table, call.registration, call.place) == (
        match,
        match.table,
        None,
        "at the desk",
    )


def test_whoever_is_seated_meanwhile_is_found_at_the_table(organizer: Any, kim: User) -> None:
    event = make_event(organizer, "late")
    entries = enter(event, 4, "late")
    services.player_call_open(registration=entries[0], subject="rules", by=user_of(entries[0]), now=NOW)
    [before] = queue(event)
    round = services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    [call] = queue(event)
    seat = round.seats.select_related("match").get(registration=entries[0])
    assert (table_now(before), table_now(call), call.table) == (None, seat.match.table, None)
    assert table_now(JudgeCall.objects.get(pk=call.pk)) == seat.match.table
    make_staff(event=event, user=kim, role="judge", by=organizer, now=NOW)
    told = tight(page(kim, "/events/late/calls"))
    assert f"now at table {seat.match.table}" in told and "Player 001" in told


def test_nobody_calls_for_another_long_before_the_day_or_after_the_end(
    organizer: Any, event: Event, caller: User, opponent: User, judge: Any
) -> None:
    for other in (opponent, judge):
        with pytest.raises(Forbidden) as told:
            services.player_call_open(
                registration=entry_of(event, caller), subject="rules", by=other, now=NOW
            )
        assert told.value.code == "not-yours"
    coming = make_event(organizer, "coming", starts_on=date(2100, 1, 1))
    [one, gone] = enter(coming, 2, "coming")

    def refused_to(player: Registration) -> str:
        with pytest.raises(Conflict) as refused:
            called_by(player)
        return refused.value.code

    def called_by(player: Registration) -> JudgeCall:
        entry = Registration.objects.get(pk=player.pk)
        return services.player_call_open(registration=entry, subject="rules", by=user_of(entry), now=NOW)

    assert refused_to(one) == "not-running"
    assert "Call a judge" not in page(user_of(one), "/events/coming/match")
    services.checkin_open(event=coming, by=organizer, now=NOW)
    assert called_by(one).state == "open", "people come to check in"
    services.player_drop(registration=gone, by=user_of(gone), now=NOW)
    assert refused_to(gone) == "withdrawn"
    Event.objects.filter(pk=coming.pk).update(state="finished")
    assert refused_to(gone) == "not-running"


def test_who_called_and_the_staff_alone_find_a_call_without_a_table(
    organizer: Any, kim: User, visitor: Any
) -> None:
    event = make_event(organizer, "odd")
    one, two = enter(event, 2, "odd")
    call = services.player_call_open(registration=one, subject="private", by=user_of(one), now=NOW)
    for somebody in (None, visitor, user_of(two)):
        with pytest.raises(NotFound):
            access_call(somebody, "odd", call.pk)
    for user in (kim, user_of(one)):  # who called is a judge here, too
        make_staff(event=event, user=user, role="judge", by=organizer, now=NOW)
        assert access_call(user, "odd", call.pk) == call
    with pytest.raises(Forbidden) as refused:
        services.call_claim(call=call, by=user_of(one), now=NOW)
    assert refused.value.code == "own-match"
    services.call_claim(call=call, by=kim, now=NOW)
    with pytest.raises(UserError):
        services.call_close(call=call, outcome="Said.", minutes=2, by=kim, now=NOW)
    assert services.call_close(call=call, outcome="Said.", by=kim, now=NOW).state == "closed"


def test_the_button_is_on_my_match_at_every_moment(organizer: Any, kim: User, visitor: Any) -> None:
    event = make_event(organizer, "odd")
    entries = enter(event, 3, "odd")
    make_staff(event=event, user=kim, role="judge", by=organizer, now=NOW)

    def calls_and_hears(user: User, moment: str, table: bool) -> None:
        told = page(user, "/events/odd/match")
        assert 'popovertarget="judge"' in told and ('id="call-place"' in told) != table, moment
        client = Client()
        client.force_login(user)
        client.post("/events/odd/match", {"do": "call", "subject": "rules", "place": "by the window"})
        told = tight(page(user, "/events/odd/match"))
        assert "A judge has been called." in told and 'id="judge"' not in told, moment
        assert "by the window" in told and "by the window" in page(kim, "/events/odd/calls"), moment
        call = JudgeCall.objects.get(closed_at=None)
        there = page(kim, f"/events/odd/calls/{call.pk}")
        assert "by the window" in there and "A question about the rules" in there, moment
        services.call_claim(call=call, by=kim, now=NOW)
        assert "A judge is on the way: Judge Kim" in page(user, "/events/odd/match"), moment
        closed = Client()
        closed.force_login(kim)
        closed.post(f"/events/odd/calls/{call.pk}", {"do": "close", "outcome": f"Heard {moment}."})
        assert f"Heard {moment}." in page(user, "/events/odd/match"), moment

    services.checkin_open(event=event, by=organizer, now=NOW)
    calls_and_hears(user_of(entries[0]), "before round 1", table=False)
    services.checkin_close(event=event, withdraw_ids=[], by=organizer, now=NOW)
    matches = round_matches(services.round_pair(event=event, by=organizer, seed=1, now=NOW))
    calls_and_hears(player_of(matches[-1], 1), "with a bye", table=False)
    calls_and_hears(player_of(matches[0], 1), "at a table", table=True)
    late = services.player_register(event=event, user=None, name="Late", by=organizer, now=NOW)
    Registration.objects.filter(pk=late.pk).update(user=visitor)
    calls_and_hears(visitor, "in a missed round", table=False)
    end_round(event, organizer)
    calls_and_hears(player_of(matches[0], 1), "between rounds", table=False)
    [last] = JudgeCall.objects.filter(outcome="Heard between rounds.")
    assert last.last_table == 1
    assert "last at table 1" in tight(page(kim, f"/events/odd/calls/{last.pk}"))


def test_a_player_takes_a_call_without_a_table_back_on_the_page(organizer: Any) -> None:
    event = make_event(organizer, "odd")
    one, two = enter(event, 2, "odd")
    call = services.player_call_open(registration=one, subject="rules", by=user_of(one), now=NOW)
    for user, state in ((user_of(two), "open"), (user_of(one), "withdrawn")):
        client = Client()
        client.force_login(user)
        client.post("/events/odd/match", {"do": "withdraw-call", "call": call.pk})
        call.refresh_from_db()
        assert call.state == state


def test_the_api_takes_and_tells_calls_without_a_table(organizer: Any) -> None:
    event = make_event(organizer, "odd")
    one, two = enter(event, 2, "odd")
    services.checkin_open(event=event, by=organizer, now=NOW)
    address = f"/api/v1/events/odd/registrations/{one.pk}/calls"
    client = Client()
    client.force_login(user_of(one))
    body = {"subject": "rules", "place": "row 3"}
    made = client.post(address, body, content_type="application/json")
    assert made.status_code == 201
    told = made.json()
    assert {key: told[key] for key in ("table", "table_now", "last_table", "match", "player", "place")} == {
        "table": None, "table_now": None, "last_table": None, "match": None, "player": one.pk, "place": "row 3",
    }  # fmt: skip
    assert client.post(address, body, content_type="application/json").status_code == 409
    assert [row["id"] for row in client.get(address).json()["results"]] == [told["id"]]
    client.force_login(user_of(two))
    for answer in (client.get(address), client.post(address, body, content_type="application/json")):
        assert answer.status_code == 403
    client.force_login(organizer)
    assert client.post(address, body, content_type="application/json").status_code == 403
    queued = client.get("/api/v1/events/odd/calls").json()["results"]
    assert [(row["player"], row["place"]) for row in queued] == [(one.pk, "row 3")]


# --- taking, giving back, ending -----------------------------------------------------------------------


def test_the_second_judge_hears_who_was_first(call: JudgeCall, judge: Any, kim: User) -> None:
    taken = services.call_claim(call=call, by=kim, now=after(11))
    assert (taken.state, taken.judge) == ("claimed", kim)
    with pytest.raises(Conflict) as refused:
        services.call_claim(call=call, by=judge, now=after(11))
    assert (refused.value.code, refused.value.message) == ("claimed", "Judge Kim has taken this call.")
    with pytest.raises(Conflict):
        services.call_close(call=call, outcome="Mine.", by=judge, now=after(12))
    call.refresh_from_db()
    assert (call.judge, call.state) == (kim, "claimed")


def test_a_call_given_back_keeps_its_age(event: Event, call: JudgeCall, judge: Any, kim: User) -> None:
    services.call_claim(call=call, by=kim, now=after(11))
    with pytest.raises(Conflict):
        services.call_release(call=call, by=judge, now=after(12))
    back = services.call_release(call=call, by=kim, now=after(12))
    assert (back.state, back.opened_at, unclaimed(event)) == ("open", after(10), 1)
    with pytest.raises(Conflict) as refused:
        services.call_release(call=call, by=kim, now=after(12))
    assert refused.value.code == "not-claimed"


def test_the_head_judge_may_give_back_and_end_anybodys_call(
    call: JudgeCall, kim: User, organizer: Any
) -> None:
    services.call_claim(call=call, by=kim, now=after(11))
    services.call_release(call=call, by=organizer, now=after(12))
    services.call_claim(call=call, by=kim, now=after(13))
    ended = services.call_close(call=call, outcome="Settled.", by=organizer, now=after(14))
    assert (ended.judge, ended.closed_by, ended.state) == (kim, organizer, "closed")


def test_a_call_ends_once_and_with_an_outcome(event: Event, call: JudgeCall, judge: Any) -> None:
    with pytest.raises(UserError) as refused:
        services.call_close(call=call, outcome=" ", by=judge, now=after(12))
    assert (refused.value.code, refused.value.place) == ("missing", "outcome")
    services.call_close(call=call, outcome="The card is exhausted.", by=judge, now=after(12))
    for again in (
        lambda: services.call_close(call=call, outcome="Again.", by=judge, now=after(13)),
        lambda: services.call_claim(call=call, by=judge, now=after(13)),
        lambda: services.call_release(call=call, by=judge, now=after(13)),
    ):
        with pytest.raises(Conflict) as over:
            again()
        assert over.value.code == "call-over"
    assert (list(queue(event)), [one.pk for one in past_calls(event)]) == ([], [call.pk])


def test_who_called_may_take_it_back_until_a_judge_comes(
    match: Match, call: JudgeCall, caller: User, opponent: User, judge: Any
) -> None:
    with pytest.raises(Forbidden):
        services.call_withdraw(call=call, by=opponent, now=after(11))
    assert services.call_withdraw(call=call, by=caller, now=after(11)).state == "withdrawn"
    again = services.call_open(match=match, subject="rules", by=caller, now=after(12))
    services.call_claim(call=again, by=judge, now=after(13))
    with pytest.raises(Conflict) as refused:
        services.call_withdraw(call=again, by=caller, now=after(14))
    assert refused.value.code == "claimed"


def test_nobody_is_judge_at_their_own_table(
    event: Event, call: JudgeCall, opponent: User, organizer: Any
) -> None:
    make_staff(event=event, user=opponent, role="head-judge", by=organizer, now=NOW)
    for act in (
        lambda: services.call_claim(call=call, by=opponent, now=after(11)),
        lambda: services.call_close(call=call, outcome="I win.", by=opponent, now=after(11)),
    ):
        with pytest.raises(Forbidden) as refused:
            act()
        assert refused.value.code == "own-match"


def test_players_and_scorekeepers_take_no_calls(
    event: Event, call: JudgeCall, caller: User, visitor: Any, organizer: Any
) -> None:
    make_staff(event=event, user=visitor, role="scorekeeper", by=organizer, now=NOW)
    for somebody in (caller, visitor):
        with pytest.raises(Forbidden):
            services.call_claim(call=call, by=somebody, now=after(11))


def test_every_step_leaves_one_row_that_does_not_say_what_it_was_about(
    event: Event, match: Match, caller: User, judge: Any
) -> None:
    before = AuditRow.objects.count()
    call = services.call_open(match=match, subject="private", words="He smells", by=caller, now=after(1))
    services.call_claim(call=call, by=judge, now=after(2))
    services.call_release(call=call, by=judge, now=after(3))
    services.call_close(call=call, outcome="A talk.", by=judge, now=after(4))
    rows = list(AuditRow.objects.order_by("pk")[before:])
    assert [row.verb for row in rows] == ["call_open", "call_claim", "call_release", "call_close"]
    assert {row.event for row in rows} == {event}
    told = " ".join(f"{row.reason} {row.data}" for row in rows)
    assert "smells" not in told and "private" not in told and "talk" not in told


# --- time ----------------------------------------------------------------------------------------------


def test_the_minutes_given_for_a_call_are_the_tables_extension(
    match: Match, call: JudgeCall, judge: Any
) -> None:
    services.call_claim(call=call, by=judge, now=after(11))
    services.call_close(call=call, outcome="Explained.", minutes=5, by=judge, now=after(15))
    [given] = match.extensions.all()
    assert (given.minutes, given.cause, given.by) == (5, "judge-call", judge)


def test_a_call_that_cannot_give_its_minutes_does_not_end(
    event: Event, match: Match, call: JudgeCall, judge: Any
) -> None:
    for minutes, code in ((-3, "invalid"), (601, "invalid")):
        with pytest.raises(UserError) as refused:
            services.call_close(call=call, outcome="x", minutes=minutes, by=judge, now=after(15))
        assert refused.value.code == code
    call.refresh_from_db()
    assert (call.state, extension_of(match)) == ("open", 0)


def test_what_is_suggested_is_the_time_of_the_round_that_ran_off(
    event: Event, call: JudgeCall, organizer: Any
) -> None:
    round = event.rounds.get()
    assert lost_minutes(call, after(10.9)) == 0, "a minute or less is not given back"
    assert lost_minutes(call, after(14.5)) == 5
    services.clock_pause(round=round, by=organizer, now=after(15))
    assert lost_minutes(call, after(25)) == 5, "the clock stood still"
    services.clock_start(round=round, by=organizer, now=after(25))
    assert lost_minutes(call, after(27)) == 7


def test_after_the_end_of_the_round_only_what_was_left_is_lost(
    event: Event, match: Match, caller: User, organizer: Any
) -> None:
    from tournament.selectors import clock_of

    length = clock_of(event.rounds.get()).minutes
    services.time_extend(match=match, minutes=2, cause="deck-check", by=organizer, now=after(1))
    call = services.call_open(match=match, subject="rules", by=caller, now=after(length - 3))
    assert lost_minutes(call, after(length + 20)) == 3 + 2, "to the end of its own time"


def test_a_settled_table_and_an_empty_one_lose_no_time(
    event: Event, match: Match, call: JudgeCall, organizer: Any
) -> None:
    empty = services.table_call_open(event=event, table=40, subject="rules", by=organizer, now=after(1))
    assert lost_minutes(empty, after(30)) == 0
    services.result_decide(match=match, outcome="win", reason="slip", by=organizer, now=after(12))
    assert lost_minutes(JudgeCall.objects.get(pk=call.pk), after(30)) == 0


# --- who reads what ------------------------------------------------------------------------------------


def test_a_call_is_there_for_its_players_and_staff_only(
    event: Event, call: JudgeCall, matches: list[Match], visitor: Any, caller: User, opponent: User, kim: User
) -> None:
    for somebody in (None, visitor, player_of(matches[1], 1)):
        with pytest.raises(NotFound):
            access_call(somebody, event.slug, call.pk)
    for somebody in (caller, opponent, kim):
        assert access_call(somebody, event.slug, call.pk) == call


def test_another_events_call_is_not_found(event: Event, call: JudgeCall, organizer: Any) -> None:
    make_event(organizer, "dunwich")
    with pytest.raises(NotFound):
        access_call(organizer, "dunwich", call.pk)


def test_a_word_in_private_is_kept_from_the_opponent_on_the_staff_or_not(
    event: Event, match: Match, caller: User, opponent: User, organizer: Any, kim: User
) -> None:
    private = services.call_open(match=match, subject="private", words="It smells", by=caller, now=NOW)
    assert may_read(caller, private) and may_read(kim, private)
    assert not may_read(opponent, private)
    make_staff(event=event, user=opponent, role="judge", by=organizer, now=NOW)
    client = Client()
    client.force_login(opponent)
    for path in ("match", "calls", f"calls/{private.pk}"):
        told = client.get(f"/events/kingsport/{path}").content.decode()
        assert "private" not in tight(told).replace('value="private">A private question', ""), path
    services.call_close(call=private, outcome="A quiet talk.", by=kim, now=after(2))
    pages = ["/match", "/calls", f"/calls/{private.pk}", "/control"]
    paths = [f"/events/kingsport{page}" for page in pages] + [
        f"/matches/{match.pk}",
        f"/api/v1/matches/{match.pk}/calls",
        "/api/v1/events/kingsport/calls?over=true",
    ]
    for path in paths:
        answer = client.get(path)
        assert answer.status_code == 200, path
        for word in ("smells", "A quiet talk"):
            assert word not in answer.content.decode(), path
    client.force_login(caller)
    assert "A quiet talk." in client.get("/events/kingsport/match").content.decode()


def test_an_engine_dispute_filed_during_a_call_belongs_to_it(
    match: Match, call: JudgeCall, judge: Any
) -> None:
    filed = services.dispute_file(match=match, by=judge, title="The shot", source=SHOTGUN, now=after(12))
    call.refresh_from_db()
    assert call.dispute == filed


# --- pages ---------------------------------------------------------------------------------------------


def page(user: User, path: str) -> str:
    client = Client()
    client.force_login(user)
    return client.get(path).content.decode()


def test_a_player_calls_with_one_button_and_both_see_who_comes(
    event: Event, match: Match, caller: User, opponent: User, kim: User
) -> None:
    client = Client()
    client.force_login(caller)
    answer = client.post("/events/kingsport/match", {"do": "call", "subject": "rules"})
    assert answer.status_code == 302
    call = match.judge_calls.get()
    for player in (caller, opponent):
        told = page(player, "/events/kingsport/match")
        assert "A judge has been called." in told and "A question about the rules" in told
        assert 'id="judge"' not in told, "one call is enough"
    services.call_claim(call=call, by=kim, now=after(1))
    for player in (caller, opponent):
        assert "A judge is on the way: Judge Kim" in page(player, "/events/kingsport/match")
    again = client.post("/events/kingsport/match", {"do": "call", "subject": "rules"})
    assert again.status_code == 409 and "already" in again.content.decode()


def test_a_judge_takes_ends_and_gives_minutes_on_the_pages(event: Event, call: JudgeCall, kim: User) -> None:
    client = Client()
    client.force_login(kim)
    taken = client.post("/events/kingsport/calls", {"do": "claim", "call": call.pk})
    assert taken["Location"] == f"/events/kingsport/calls/{call.pk}"
    refused = client.post(taken["Location"], {"do": "close", "outcome": "", "minutes": "4"})
    assert refused.status_code == 400
    done = client.post(taken["Location"], {"do": "close", "outcome": "It is exhausted.", "minutes": "4"})
    assert done["Location"] == "/events/kingsport/calls"
    call.refresh_from_db()
    assert call.match is not None
    assert (call.state, call.outcome, extension_of(call.match)) == ("closed", "It is exhausted.", 4)


def test_a_judge_who_comes_second_reads_who_has_it_on_the_queue(
    event: Event, call: JudgeCall, kim: User, judge: Any
) -> None:
    services.call_claim(call=call, by=kim, now=after(1))
    client = Client()
    client.force_login(judge)
    late = client.post("/events/kingsport/calls", {"do": "claim", "call": call.pk})
    assert late.status_code == 409
    assert "Judge Kim has taken this call." in late.content.decode()


def test_the_staff_sees_on_every_page_how_many_wait_and_players_do_not(
    event: Event, call: JudgeCall, kim: User, opponent: User
) -> None:
    badge = '<span class="badge">1<'
    for path in ("/", "/control", "/pairings", "/standings", "/calls"):
        assert badge in tight(page(kim, f"/events/kingsport{path}")), path
        assert badge not in tight(page(opponent, f"/events/kingsport{path}")), path
    services.call_claim(call=call, by=kim, now=after(1))
    assert badge not in tight(page(kim, "/events/kingsport/control"))


def test_a_polled_queue_brings_the_number_for_the_navigation(
    event: Event, call: JudgeCall, kim: User
) -> None:
    client = Client()
    client.force_login(kim)
    headers = {"HX-Request": "true", "HX-Target": "live"}
    for path in ("calls", "control"):
        part = client.get(f"/events/kingsport/{path}", headers=headers).content.decode()
        assert 'id="calls-badge" hx-swap-oob="true"' in part
    assert "hx-swap-oob" not in page(kim, "/events/kingsport/calls")


def test_the_queue_costs_the_same_however_long(
    organizer: Any, django_assert_max_num_queries: Any, make_user: Make
) -> None:
    counts: dict[str, set[int]] = {}
    for players in (16, 48):
        slug = f"of{players}"
        event = make_event(organizer, slug)
        enter(event, players, slug)
        round = services.round_pair(event=event, by=organizer, seed=1, now=NOW)
        for match in round_matches(round):
            services.call_open(match=match, subject="rules", by=player_of(match, 1), now=NOW)
        client = Client()
        client.force_login(organizer)
        for path in (f"/events/{slug}/calls", f"/api/v1/events/{slug}/calls"):
            with django_assert_max_num_queries(20) as asked:
                assert client.get(path).status_code == 200
            counts.setdefault(path.replace(slug, ""), set()).add(len(asked))
    assert {len(one) for one in counts.values()} == {1}, counts
