"""Series: points for places, entries that are one person's, and a player's own history."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.errors import Conflict, Forbidden, NotFound, UserError
from tests.tournament import factories
from tournament import services
from tournament.forms.series import steps_of_words, words_of_steps
from tournament.models import Event, Match, Registration, Series, User
from tournament.selectors.history import history
from tournament.selectors.series import members_of, series_table
from tournament.swiss.seasons import Scale, season

NOW = factories.NOW
SCALE = Scale(((1, 10), (2, 6), (4, 3)), others=1)


# --- pure ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("place", "points"), [(1, 10), (2, 6), (3, 3), (4, 3), (5, 1), (400, 1)])
def test_a_place_brings_the_points_of_its_step(place: int, points: int) -> None:
    assert SCALE.points(place) == points


def test_points_add_up_and_the_best_results_count() -> None:
    # by hand: 1 has 10 + 3 + 3, 2 has 6 + 10, 3 has 3 + 6 + 10 (share of place 1); the best two of each count
    events = [(7, {1: 1, 2: 2, 3: 3}), (8, {1: 3, 3: 2, 2: 1}), (9, {1: 4, 3: 1})]
    lines = season(events, Scale(SCALE.steps, 1, best=2))
    assert [(line.rank, line.player, line.points) for line in lines] == [(1, 2, 16), (1, 3, 16), (3, 1, 13)]
    third = lines[1]
    assert [(one.event, one.points, one.counts) for one in third.results] == [
        (7, 3, False), (8, 6, True), (9, 10, True)
    ]  # fmt: skip


def test_who_has_as_many_points_stands_by_the_better_single_results() -> None:
    # 1: 10 + 1, 2: 6 + 3 + ... a scale in which 10 + 2 and 6 + 6 are level
    scale = Scale(((1, 10), (2, 6), (3, 2)))
    lines = season([(1, {1: 1, 2: 2}), (2, {1: 3, 2: 2})], scale)
    assert [(line.player, line.points, line.rank) for line in lines] == [(1, 12, 1), (2, 12, 2)]


def test_a_result_without_points_is_no_better_than_none() -> None:
    lines = season([(1, {1: 1, 2: 2}), (2, {2: 3, 3: 1})], Scale(((1, 10),)))
    assert [(line.player, line.rank) for line in lines] == [(1, 1), (3, 1), (2, 3)]
    lines = season([(1, {1: 1, 2: 1}), (2, {2: 2})], Scale(((1, 10),)))
    assert [(line.player, line.rank) for line in lines] == [(1, 1), (2, 1)]


# --- points as typed ----------------------------------------------------------------------------------------


def test_points_are_typed_as_people_write_them() -> None:
    steps = steps_of_words("1: 20\n2:15, 3-4: 10\n5\u20138 : 6")
    assert steps == ((1, 20), (2, 15), (4, 10), (8, 6))
    assert words_of_steps(Scale(steps)) == "1: 20\n2: 15\n3-4: 10\n5-8: 6"


@pytest.mark.parametrize(
    "said", ["first: 20", "2: 20", "1: 20\n3: 5", "1: 20\n2-1: 5", "1: -3", "1-2: 5\n2: 4"]
)
def test_points_that_cannot_be_meant_are_refused_with_their_line(said: str) -> None:
    with pytest.raises(UserError) as caught:
        steps_of_words(said)
    assert caught.value.place == "steps" and caught.value.remedy


@pytest.mark.parametrize(
    ("scale", "place"),
    [
        (Scale(()), "steps"),
        (Scale(((2, 5), (1, 3))), "steps"),
        (Scale(((1, 5), (2, 6))), "steps"),
        (Scale(((1, 5),), others=6), "steps"),
        (Scale(((1, 5),), others=-1), "steps"),
        (Scale(((1, 5),), best=0), "best"),
    ],
)
def test_a_scale_that_is_wrong_is_refused(organizer: User, scale: Scale, place: str) -> None:
    with pytest.raises(UserError) as caught:
        services.series_make(name="Season", slug="season", scale=scale, by=organizer, now=NOW)
    assert caught.value.place == place


# --- a series of two events ---------------------------------------------------------------------------------


def over(by: User, slug: str, winner: Any, loser: Any) -> Event:
    """A finished event of one round; players are accounts, or names of guests."""
    event = factories.make_event(by, slug, planned_rounds=1, cut={"places": 0})
    for one in (winner, loser):
        if isinstance(one, User):
            services.player_register(event=event, user=one, by=one, now=NOW)
        else:
            services.player_register(event=event, user=None, name=one, by=by, now=NOW)
    round = services.round_pair(event=event, by=by, seed=1, now=NOW)
    match = Match.objects.get(round=round)
    first = match.seats.get(side=1).registration
    won = first.user == winner if isinstance(winner, User) else first.name == winner
    services.result_decide(match=match, outcome="win" if won else "loss", reason="Slip", by=by, now=NOW)
    services.round_finish(round=round, by=by, now=NOW)
    event.refresh_from_db()
    return event


@pytest.fixture
def series(organizer: User, ann: User) -> Series:
    """Ann wins the first event against the guest Cleo, and loses the second against the guest Dov."""
    made = services.series_make(name="Season", slug="season", scale=SCALE, by=organizer, now=NOW)
    for slug, winner, loser in (("one", ann, "Cleo"), ("two", "Dov", ann)):
        services.series_add(series=made, event=over(organizer, slug, winner, loser), by=organizer)
    return made


def told(series: Series) -> list[tuple[int, str, int]]:
    return [(line.rank, member.name, line.points) for line, member, _results in series_table(series).rows()]


def entry(slug: str, name: str) -> Registration:
    return Registration.objects.get(event__slug=slug, name=name)


def test_the_table_counts_finished_events(series: Series, organizer: User) -> None:
    assert told(series) == [(1, "Ann", 16), (2, "Dov", 10), (3, "Cleo", 6)]
    running = factories.make_event(organizer, "three")
    services.series_add(series=series, event=running, by=organizer)
    assert len(series_table(series).events) == 2
    services.series_leave_out(series=series, event=Event.objects.get(slug="two"), by=organizer)
    assert told(series) == [(1, "Ann", 10), (2, "Cleo", 6)]
    with pytest.raises(NotFound):
        services.series_leave_out(series=series, event=Event.objects.get(slug="two"), by=organizer)
    with pytest.raises(Conflict):
        services.series_add(series=series, event=running, by=organizer)


def test_guests_of_one_name_are_one_player_and_others_are_joined(series: Series, organizer: User) -> None:
    services.series_add(series=series, event=over(organizer, "three", "cleo", "Cleo  Marsh"), by=organizer)
    assert told(series) == [(1, "Ann", 16), (1, "cleo", 16), (3, "Dov", 10), (4, "Cleo Marsh", 6)]
    one, other = entry("two", "Dov"), entry("three", "Cleo Marsh")
    joined = services.players_join(series=series, one=other, other=one, by=organizer, now=NOW)
    assert told(series)[-1] == (1, "Cleo Marsh", 16)
    with pytest.raises(Conflict) as caught:
        services.players_join(series=series, one=one, other=other, by=organizer, now=NOW)
    assert caught.value.code == "one-already"
    with pytest.raises(Conflict) as caught:  # Cleo and Ann met
        services.players_join(
            series=series, one=entry("one", "Ann"), other=entry("three", "cleo"), by=organizer, now=NOW
        )
    assert caught.value.code == "both-played"
    services.players_part(joined=joined, by=organizer)
    assert told(series)[-1] == (4, "Cleo Marsh", 6)


def test_who_turn_out_to_be_two_count_once_an_event_and_it_is_said(series: Series, organizer: User) -> None:
    services.players_join(
        series=series, one=entry("one", "Cleo"), other=entry("two", "Dov"), by=organizer, now=NOW
    )
    both = over(organizer, "three", "Dov", "Cleo")
    services.series_add(series=series, event=both, by=organizer)
    assert (1, "Cleo", 26) in told(series)  # 6 + 10 + 10, not + 6
    found = [one.twice for one in members_of(series, series.events.all()).values() if one.twice]
    assert found == [[both]]


def test_only_the_owner_changes_a_series_and_only_with_own_events(
    series: Series, organizer: User, judge: User
) -> None:
    theirs = factories.make_event(judge, "theirs")
    with pytest.raises(Forbidden):
        services.series_add(series=series, event=theirs, by=organizer)
    changes: list[Callable[[], Any]] = [
        lambda: services.series_change(series=series, name="Mine", scale=SCALE, by=judge),
        lambda: services.series_add(series=series, event=theirs, by=judge),
        lambda: services.series_leave_out(series=series, event=Event.objects.get(slug="one"), by=judge),
        lambda: services.players_join(
            series=series, one=entry("one", "Cleo"), other=entry("two", "Dov"), by=judge, now=NOW
        ),
    ]
    for change in changes:
        with pytest.raises(Forbidden):
            change()
    with pytest.raises(Conflict):
        services.series_make(name="Season", slug="season", scale=SCALE, by=judge, now=NOW)


def test_a_series_is_made_and_run_on_its_pages(organizer: User, client: Client) -> None:
    client.force_login(organizer)
    event = over(organizer, "one", "Ann", "Bo")
    said = {"name": "Season", "slug": "season", "steps": "1: 10\n2: 6", "others": "1", "best": ""}
    assert "steps" in client.post(reverse("series-new"), {**said, "steps": "2: 1"}).context["form"].errors
    assert client.post(reverse("series-new"), said).status_code == 302
    edit = reverse("series-edit", args=["season"])
    assert client.post(edit, {"do": "add", "event": event.slug}).status_code == 302
    client.post(edit, {**said, "do": "save", "steps": "1: 12\n2: 6", "best": "3"})
    page = client.get(reverse("series", args=["season"])).content.decode()
    assert "Ann" in page and "12" in page and "best 3 results" in " ".join(page.split())
    assert "Season" in client.get(reverse("event", args=[event.slug])).content.decode()
    rows = list(csv.reader(io.StringIO(client.get("/series/season/files/table.csv").content.decode())))
    assert rows == [["rank", "name", "points", "one"], ["1", "Ann", "12", "12"], ["2", "Bo", "6", "6"]]
    assert json.loads(client.get("/series/season/files/table.json").content)["players"][0]["points"] == 12
    assert client.post(edit, {"do": "dance"}).status_code == 400


# --- a player's history -------------------------------------------------------------------------------------


def test_a_history_has_places_record_and_everybody_met(series: Series, ann: User, client: Client) -> None:
    mine = history(ann)
    assert str(mine.tally) == "1–0–1"
    assert {(one.event.slug, one.place, one.of) for one in mine.events} == {("one", 1, 2), ("two", 2, 2)}
    assert {(one.name, str(one.tally)) for one in mine.opponents} == {("Cleo", "1–0–0"), ("Dov", "0–0–1")}
    client.force_login(ann)
    dov = next(one for one in mine.opponents if one.name == "Dov")
    assert "Against Dov" in client.get(f"/history?against={dov.key}").content.decode()
    assert client.get("/history?against=0").status_code == 404
    rows = list(csv.DictReader(io.StringIO(client.get("/history/files/matches.csv").content.decode())))
    assert {(row["event"], row["opponent"], row["result"]) for row in rows} == {
        ("one", "Cleo", "win"), ("two", "Dov", "loss")
    }  # fmt: skip
    assert client.get("/history/files/others.csv").status_code == 404


def test_a_longer_history_asks_no_more_of_the_database(organizer: User, ann: User, client: Client) -> None:
    """What is made once for each finished event is at hand after the first look."""
    client.force_login(ann)
    asked = []
    for events in (["one"], ["two", "three", "four", "five"]):
        for slug in events:
            over(organizer, slug, ann, "Bo")
        client.get("/history")
        with CaptureQueriesContext(connection) as looked:
            client.get("/history")
        asked.append(len(looked))
    assert asked[0] == asked[1]


def test_a_guest_and_an_account_of_one_name_are_two_opponents(organizer: User, ann: User, bo: User) -> None:
    over(organizer, "one", ann, "Bo")
    over(organizer, "two", ann, bo)
    assert [(one.name, str(one.tally)) for one in history(ann).opponents] == [("Bo", "1–0–0")] * 2
    assert str(history(bo).tally) == "0–0–1"
