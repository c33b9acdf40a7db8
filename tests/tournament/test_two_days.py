"""An event over two days: a cut by standing after the first, Swiss rounds after it, then perhaps a bracket."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from config.errors import Conflict, Forbidden, NotFound, UserError
from tests.tournament.factories import NOW, enter, make_event, play, report_all
from tournament import services
from tournament.invariants import _everybody_plays, _second_days
from tournament.models import Event, Registration, Seat, User
from tournament.policy.policy_files import policy
from tournament.selectors import replay, standings
from tournament.selectors.overview import next_step, round_control
from tournament.selectors.stages import current_stage, second_day_is_due, second_day_preview
from tournament.selectors.standings import snapshot, told
from tournament.simulator import Plan, Simulator
from tournament.swiss import TIE_BREAKS, Outcome, Played, Scoring, SecondDay, standings_over_days
from tournament.swiss.simulation import Chances

pytestmark = pytest.mark.django_db
SCORING = Scoring({"win": 3, "draw": 1, "loss": 0, "bye": 3, "double-loss": 0})
POINTS = [TIE_BREAKS["points"](), TIE_BREAKS["head-to-head"]()]


def game(round: int, first: int, second: int) -> Played:
    """`first` won."""
    return Played(round, first, second, Outcome.WIN)


# --- the table, worked by hand ---------------------------------------------------------------------------------

FIRST_DAY = [game(1, 1, 4), game(1, 2, 5), game(1, 3, 6), game(2, 1, 2), game(2, 3, 4), game(2, 5, 6)]
"""After it: 1 and 3 have 6 points, 2 and 5 have 3, 4 and 6 none."""


def ranked(day: SecondDay | None, *later: Played) -> list[tuple[int, int, int]]:
    rows = standings_over_days(range(1, 7), [*FIRST_DAY, *later], SCORING, POINTS, day)
    return [(row.rank, row.player, row.points) for row in rows]


def test_carried_points_count_on_and_the_second_day_ranks_first() -> None:
    day = SecondDay(2, frozenset({1, 2, 3}))
    # Player 2 lost to 1, then to 3: 3 points, like 5, who has gone home but beat nobody of them.
    assert ranked(day, game(3, 3, 2)) == [(1, 3, 9), (2, 1, 6), (3, 2, 3), (4, 5, 3), (5, 4, 0), (5, 6, 0)]


def test_afresh_only_the_second_day_counts_for_its_players_and_the_first_for_the_others() -> None:
    day = SecondDay(2, frozenset({1, 2, 3}), afresh=True)
    assert ranked(day, game(3, 2, 1)) == [(1, 2, 3), (2, 1, 0), (2, 3, 0), (4, 5, 3), (5, 4, 0), (5, 6, 0)]


def test_nobody_is_tied_with_somebody_of_the_other_group() -> None:
    # Level in points with 2 and never met: alone among those who went home, 5 is still ranked 4th, not 3rd.
    day = SecondDay(2, frozenset({1, 2, 3}))
    assert [row[:2] for row in ranked(day)][2:4] == [(3, 2), (4, 5)]
    assert [row[:2] for row in ranked(None)][2:4] == [(3, 2), (4, 5)]  # 2 has beaten 5


# --- an event --------------------------------------------------------------------------------------------------


@pytest.fixture
def two_days(organizer: User) -> Callable[..., Event]:
    """two_days(places=4, ...) -> an event of eight whose first day has two rounds of three."""

    def made(slug: str = "kingsport", **law: Any) -> Event:
        document = {
            **policy("coc-lcg").document,
            "key": f"two-days-{slug}",
            "title": "Two days",
            "decklists": "optional",
            "two-days": {"rounds": 2, "places": 4, **law},
        }
        services.policy_publish(source=document, by=organizer, now=NOW)
        event = make_event(
            organizer,
            slug,
            policy_key=f"two-days-{slug}",
            planned_rounds=4,
            cut={"places": 2, "ties": False},
        )
        enter(event, 8, prefix=slug)
        return event

    return made


def first_day(event: Event, organizer: User) -> Event:
    play(event, organizer, 2)
    services.round_finish(round=event.rounds.get(number=2), by=organizer, now=NOW)
    return Event.objects.get(pk=event.pk)


def on(event: Event) -> set[int]:
    return set(event.registrations.filter(second_day=True).values_list("pk", flat=True))


def settle(event: Event, organizer: User) -> Event:
    return services.second_day_open(event=event, seen=second_day_preview(event).seeds, by=organizer, now=NOW)


def test_from_the_first_day_over_the_second_to_the_bracket(
    two_days: Callable[..., Event], organizer: User
) -> None:
    event = two_days()
    play(event, organizer, 1)
    with pytest.raises(Conflict, match="isn’t over"):
        services.second_day_open(event=event, by=organizer, now=NOW)
    report_all(services.round_pair(event=event, by=organizer, seed=8, now=NOW))
    with pytest.raises(Conflict, match="first day is over"):
        services.round_pair(event=event, by=organizer, now=NOW)
    services.round_finish(round=event.rounds.get(number=2), by=organizer, now=NOW)
    event = Event.objects.get(pk=event.pk)
    assert second_day_is_due(event)
    assert round_control(event, organizer=True).code == "second-day"
    best = [row.registration.pk for row in standings(event)[:4]]
    event = settle(event, organizer)
    assert on(event) == set(best)
    assert round_control(event, organizer=True).code == "pair"
    gone = event.registrations.filter(state=Registration.State.OUT)
    assert gone.count() == 4
    one = gone.first()
    assert one is not None and one.user is not None
    assert next_step(one.user, event).code == "out"
    places = {row.registration.pk: row.rank for row in standings(event)}
    play(event, organizer, 2, seed=20)
    later = Seat.objects.filter(round__event=event, round__number__gt=2)
    assert set(later.values_list("registration", flat=True)) == set(best)
    services.round_finish(round=event.rounds.get(number=4), by=organizer, now=NOW)
    event = Event.objects.get(pk=event.pk)
    rows = standings(event)
    assert {row.registration.pk for row in rows[:4]} == set(best)
    assert (
        all(row.rank >= 5 for row in rows[4:]) and min(places[row.registration.pk] for row in rows[4:]) >= 5
    )
    stage = services.stage_open(event=event, by=organizer, now=NOW)
    assert set(stage.entries.values_list("registration", flat=True)) == {
        row.registration.pk for row in rows[:2]
    }
    for round in event.rounds.filter(stage=None):
        assert [pair.first for pair in replay(round).pairs]  # what it was paired from is all there
    assert not list(_second_days())


def test_those_tied_with_the_last_or_with_so_many_points_go_on(
    two_days: Callable[..., Event], organizer: User
) -> None:
    ties = first_day(two_days("ties", places=3, ties=True), organizer)
    rows = standings(ties)
    wanted = {row.registration.pk for row in rows if row.points >= rows[2].points}
    assert set(second_day_preview(ties).seeds) == wanted and len(wanted) > 3
    points = first_day(two_days("points", places=0, points=rows[2].points), organizer)
    enough = {row.registration.pk for row in standings(points) if row.points >= rows[2].points}
    assert set(second_day_preview(points).seeds) == enough and enough


def test_afresh_everybody_is_paired_and_ranked_by_the_second_day_alone(
    two_days: Callable[..., Event], organizer: User
) -> None:
    event = settle(first_day(two_days(start="afresh"), organizer), organizer)
    assert {player.score for player in snapshot(event, 3).players} == {0}
    assert all(len(player.opponents) == 2 for player in snapshot(event, 3).players)  # who met, has met
    play(event, organizer, 1, seed=30)
    rows = standings(event)
    assert [row.played for row in rows] == [1] * 4 + [2] * 4
    assert max(row.points for row in rows[:4]) == rows[0].points < max(row.points for row in rows) * 2
    for row in rows:
        for one in told(event, rows, row):
            if one.value.tie_break.key == "points":
                assert sum((part.value for part, _text in one.parts), Fraction()) == row.points


def test_who_came_too_late_or_dropped_before_the_cut_is_not_paired_on_the_second_day(
    two_days: Callable[..., Event], organizer: User
) -> None:
    event = first_day(two_days(), organizer)
    leader = standings(event)[0].registration
    services.player_drop(registration=leader, by=organizer, now=NOW)
    with pytest.raises(Conflict, match="have changed"):
        services.second_day_open(event=event, seen=[leader.pk], by=organizer, now=NOW)
    event = settle(event, organizer)
    assert leader.pk not in on(event) and len(on(event)) == 4
    for attempt in (
        lambda: services.player_return(registration=leader, by=organizer, now=NOW),
        lambda: services.player_register(event=event, user=None, name="Late", by=organizer, now=NOW),
    ):
        with pytest.raises(Conflict, match="made its cut"):
            attempt()
    out = event.registrations.filter(state=Registration.State.OUT).first()
    assert out is not None
    with pytest.raises(Conflict, match="make the cut"):
        services.player_drop(registration=out, by=organizer, now=NOW)
    mine = event.registrations.filter(second_day=True).first()
    assert mine is not None
    services.player_drop(registration=mine, by=organizer, now=NOW)
    services.player_return(registration=mine, by=organizer, now=NOW)  # who made it may think again
    assert Registration.objects.get(pk=mine.pk).state == Registration.State.ACTIVE


def test_it_can_be_taken_back_until_a_round_is_paired(
    two_days: Callable[..., Event], organizer: User, judge: User
) -> None:
    event = first_day(two_days(), organizer)
    with pytest.raises(Forbidden):
        services.second_day_open(event=event, by=judge, now=NOW)
    event = settle(event, organizer)
    with pytest.raises(Conflict, match="already been made"):
        settle(event, organizer)
    with pytest.raises(UserError):
        services.second_day_withdraw(event=event, reason=" ", by=organizer, now=NOW)
    event = services.second_day_withdraw(event=event, reason="A slip", by=organizer, now=NOW)
    assert not on(event) and event.registrations.filter(state="active").count() == 8
    event = settle(event, organizer)
    services.round_draft(event=event, by=organizer, now=NOW)
    with pytest.raises(Conflict, match="is paired"):
        services.second_day_withdraw(event=event, reason="A slip", by=organizer, now=NOW)


def test_an_event_with_no_more_rounds_than_the_first_day_has_one_day(
    two_days: Callable[..., Event], organizer: User
) -> None:
    event = two_days("short", rounds=4)
    play(event, organizer, 4)
    with pytest.raises(NotFound):
        second_day_preview(event)
    with pytest.raises(Conflict, match="one day"):
        services.second_day_open(event=event, by=organizer, now=NOW)


@pytest.mark.parametrize("law", [{"places": 0}, {"places": 4, "points": 9}])
def test_a_policy_says_by_places_or_by_points(law: dict[str, int], organizer: User) -> None:
    document = {**policy("coc-lcg").document, "key": "x", "two-days": {"rounds": 2, **law}}
    with pytest.raises(UserError) as refused:
        services.policy_publish(source=document, by=organizer, now=NOW)
    assert refused.value.place == "two-days.places"


def test_a_file_of_the_event_brings_both_days_and_it_can_be_played_on(
    two_days: Callable[..., Event], organizer: User, visitor: User
) -> None:
    event = settle(first_day(two_days(), organizer), organizer)
    client = Client()
    client.force_login(organizer)
    text = client.get(f"/events/{event.slug}/files/event.json").content.decode()
    again = services.event_import(source=text, slug="again", by=visitor, now=NOW)
    assert again.second_day_at == event.second_day_at
    names = [row.registration.name for row in standings(event)]
    assert [row.registration.name for row in standings(again)] == names
    here = services.round_pair(event=event, by=organizer, seed=5, now=NOW)
    there = services.round_pair(event=again, by=visitor, seed=5, now=NOW)
    tables = [
        [[seat.registration.name for seat in match.seats.all()] for match in round.matches.all()]
        for round in (here, there)
    ]
    assert tables[0] == tables[1] and len(tables[0]) == 2
    older = json.loads(text)
    del older["event"]["second_day_at"]
    for row in older["players"]:
        del row["second_day"]
        row["state"] = "active"
    assert services.event_import(source=json.dumps(older), slug="older", by=visitor, now=NOW)


def test_the_pages_and_the_api_settle_it(two_days: Callable[..., Event], organizer: User) -> None:
    event = first_day(two_days(), organizer)
    client = Client()
    client.force_login(organizer)
    control = client.get(f"/events/{event.slug}/control").content.decode()
    assert f"/events/{event.slug}/second-day" in control
    page = client.get(f"/events/{event.slug}/second-day").content.decode()
    assert "4 players advance." in page and page.count('name="seen"') == 4
    stale = client.post(f"/events/{event.slug}/second-day", {"do": "open", "seen": ["1"]})
    assert stale.status_code == 409 and "have changed" in stale.content.decode()
    address = f"/api/v1/events/{event.slug}/second-day"
    before = client.get(address).json()
    assert (before["due"], before["settled_at"], before["first_rounds"]) == (True, None, 2)
    seen = [row["registration"] for row in before["players"] if row["code"] == "in"]
    after = client.post(address, {"seen": seen}, content_type="application/json").json()
    assert [row["code"] for row in after["players"]] == ["in"] * 4 + ["out"] * 4
    assert "The cut has been made." in client.get(f"/events/{event.slug}/second-day").content.decode()
    assert "second day come first" in client.get(f"/events/{event.slug}/standings").content.decode()
    told = client.post(f"{address}/withdraw", {"reason": "A slip"}, content_type="application/json")
    assert told.json()["settled_at"] is None
    posted = client.post(f"/events/{event.slug}/second-day", {"do": "open", "seen": seen})
    assert posted.status_code == 302 and len(on(event)) == 4
    shown = client.post(f"/events/{event.slug}/second-day", {"do": "withdraw", "reason": "Once more"})
    assert shown.status_code == 302 and not on(event)
    one_day = make_event(organizer, "one-day")
    assert client.get(f"/events/{one_day.slug}/second-day").status_code == 404


@pytest.mark.parametrize("start", ["carried", "afresh"])
def test_whole_events_over_two_days(organizer: User, start: str) -> None:
    document = {
        **policy("coc-lcg").document,
        "key": "two",
        "title": "Two days",
        "two-days": {"rounds": 3, "places": 8, "start": start},
    }
    services.policy_publish(source=document, by=organizer, now=NOW)
    plan = Plan(
        players=21,
        seed=7,
        rounds=6,
        policy="two",
        cut={"places": 4, "ties": False},
        chances=Chances(drops=0.05, late=0.05, conflicts=0.15, slips=0.1, corrections=0.05),
    )
    simulator = Simulator(plan, start=datetime(2026, 1, 3, 9, 0, tzinfo=UTC))
    event = simulator.event()
    assert event.state == Event.State.FINISHED and simulator.total["second day"] == 8
    assert current_stage(event) is not None
    seats = Seat.objects.filter(round__event=event, round__number__gt=3)
    assert set(seats.values_list("registration", flat=True)) <= on(event)
    assert not list(_second_days()) and not list(_everybody_plays())
