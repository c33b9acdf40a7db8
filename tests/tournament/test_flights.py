"""Two flights with rounds and standings of their own, merging into one bracket."""

from typing import Any

import pytest
from django.test import Client

from config.errors import Conflict, Forbidden, UserError
from tests.tournament.factories import NOW, enter, make_event, play, report_all
from tournament import services
from tournament.models import Event, Stage
from tournament.selectors import standings
from tournament.selectors.flights import flights_of, merged
from tournament.selectors.stages import access_cut, bracket_view, cut_is_due, final_standings

pytestmark = pytest.mark.django_db
FOUR = {"places": 4, "ties": False}


@pytest.fixture
def final(organizer: Any) -> Event:
    return make_event(organizer, "final", name="Final")


def flight(organizer: Any, final: Event, slug: str, players: int = 8, *, over: bool = True) -> Event:
    event = make_event(organizer, slug, name=f"Flight {slug}", planned_rounds=3, cut=FOUR)
    services.flight_join(flight=event, final=final, by=organizer, now=NOW)
    enter(event, players, prefix=slug)
    rounds = play(event, organizer, 3)
    if over:
        services.round_finish(round=rounds[-1], by=organizer, now=NOW)
    return Event.objects.get(pk=event.pk)


def test_two_flights_merge_into_one_bracket_and_its_places(organizer: Any, final: Event) -> None:
    one, two = flight(organizer, final, "a"), flight(organizer, final, "b", 12)
    assert one.state == two.state == Event.State.FINISHED and not cut_is_due(one)
    players = merged(flights_of(final))
    assert [row.seed for row in players] == list(range(1, 9))
    points = [row.standing.points for row in players]
    assert points == sorted(points, reverse=True)
    assert {row.flight for row in players} == {one, two}
    with pytest.raises(Conflict, match="no cut of its own"):
        access_cut(final)
    stage = services.flights_merge(event=final, by=organizer, now=NOW)
    entered = [entry.registration for entry in stage.entries.select_related("registration")]
    assert [entry.user_id for entry in entered] == [row.standing.registration.user_id for row in players]
    while bracket_view(stage).next_wave is not None:
        round = services.stage_round(stage=stage, by=organizer, seed=1, now=NOW)
        report_all(round)
    services.round_finish(round=round, by=organizer, now=NOW)
    final.refresh_from_db()
    assert final.state == Event.State.FINISHED and round.number == 3
    assert [place.place for place in final_standings(final)] == [1, 2, 3, 3, 5, 5, 5, 5]
    assert [row.registration.event_id for row in standings(one)] == [one.pk] * 8, (
        "a flight keeps its standings"
    )


def test_flights_do_not_merge_while_one_is_played_or_the_cut_has_changed(
    organizer: Any, final: Event
) -> None:
    flight(organizer, final, "a")
    second = flight(organizer, final, "b", over=False)
    with pytest.raises(Conflict) as refused:
        services.flights_merge(event=final, by=organizer, now=NOW)
    assert refused.value.code == "flights-not-over" and "Flight b" in refused.value.message
    services.round_finish(round=second.rounds.get(number=3), by=organizer, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.flights_merge(event=final, seen=[1, 2, 3], by=organizer, now=NOW)
    assert refused.value.code == "cut-changed" and not Stage.objects.exists()


def test_who_made_the_cut_twice_plays_once_and_who_declines_is_replaced(organizer: Any, final: Event) -> None:
    one, two = flight(organizer, final, "a"), flight(organizer, final, "b")
    best, other = standings(one)[0].registration, standings(two)[1].registration
    other.user = best.user
    other.save()
    rows = merged(flights_of(final))
    assert len(rows) == 7 and sum(row.standing.registration.user_id == best.user_id for row in rows) == 1
    services.cut_decline(registration=standings(two)[0].registration, by=organizer, now=NOW)
    assert len(merged(flights_of(final))) == 7, "the fifth of flight b takes the place"


def test_a_final_has_no_players_of_its_own_and_the_same_rules(organizer: Any, final: Event, bo: Any) -> None:
    event = make_event(organizer, "a")
    other = make_event(organizer, "other", policy_key="single-game")
    busy = make_event(organizer, "busy")
    enter(busy, 2)
    for wrong, code in ((event, "not-a-final"), (busy, "not-a-final"), (other, "other-rules")):
        with pytest.raises(UserError) as refused:
            services.flight_join(flight=event, final=wrong, by=organizer, now=NOW)
        assert refused.value.code == code
    with pytest.raises(Forbidden):
        services.flight_join(flight=event, final=final, by=bo, now=NOW)
    services.flight_join(flight=event, final=final, by=organizer, now=NOW)
    with pytest.raises(Conflict, match="register for a final"):
        services.player_register(event=final, user=None, name="Bo", by=organizer, now=NOW)
    services.flight_join(flight=event, final=None, by=organizer, now=NOW)
    assert not final.flights.exists()


def test_flights_on_the_pages(organizer: Any, final: Event, client: Client) -> None:
    client.force_login(organizer)
    first = make_event(organizer, "a", name="Flight a", planned_rounds=3, cut=FOUR)
    client.post("/events/a/bracket", {"do": "join", "final": "final"})
    first.refresh_from_db()
    assert first.final == final
    flight(organizer, final, "b")
    assert "flights are in progress" in client.get("/events/final/control").content.decode()
    assert "Merge the flights" not in client.get("/events/final/bracket").content.decode()
    client.post("/events/a/bracket", {"do": "join", "final": ""})
    page = client.get("/events/final/bracket").content.decode()
    assert "Merge the flights" in page and "4 players advance" in page
    seen = [str(row.standing.registration.pk) for row in merged(flights_of(final))]
    client.post("/events/final/bracket", {"do": "merge", "seen": seen})
    assert "<svg" in client.get("/events/final/bracket").content.decode()
    assert "Semifinals" in client.get("/events/final/control").content.decode()


def test_flights_through_the_api(organizer: Any, final: Event, client: Client) -> None:
    client.force_login(organizer)
    root = "/api/v1/events"
    make_event(organizer, "c")
    sent = {"final": "final"}
    assert client.put(f"{root}/c/flights", sent, content_type="application/json").status_code == 204
    assert (
        client.put(f"{root}/c/flights", {"final": None}, content_type="application/json").status_code == 204
    )
    flight(organizer, final, "a")
    seen = client.get(f"{root}/final/flights").json()
    assert [one["flight"] for one in seen["flights"]] == ["a"] and len(seen["merged"]) == 4
    merge = {"seen": [one["registration"] for one in seen["merged"]]}
    stage = client.post(f"{root}/final/flights", merge, content_type="application/json")
    assert stage.status_code == 201 and stage.json()["next_title"] == "Semifinals"
    again = client.post(f"{root}/final/flights", merge, content_type="application/json")
    assert again.json()["code"] == "stage-open"
