"""What is printed: stacks in order once cut, everybody on every list, and no more queries for more people."""

import re
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from tests.tournament.factories import NOW, enter, make_event, make_revision, user_of
from tournament import services
from tournament.models import Event, Round, Staff
from tournament.paper import collate, seats
from tournament.selectors import round_matches
from tournament.selectors.codes import claim_code, readable_code
from tournament.selectors.stages import final_standings
from tournament.simulator import Plan, Simulator


@given(st.integers(0, 200), st.integers(1, 12))
def test_a_cut_stack_is_in_order(slips: int, per_page: int) -> None:
    pages = collate(list(range(slips)), per_page)
    assert all(len(page) == per_page for page in pages)
    piles = [[page[place] for page in pages] for place in range(per_page)]
    stacked = [slip for pile in piles for slip in pile if slip is not None]
    assert stacked == list(range(slips))
    assert len(pages) == -(-slips // per_page), "and no page is wasted"


def test_a_page_holds_something() -> None:
    with pytest.raises(ValueError, match="at least one"):
        collate([1], 0)


@given(st.integers(0, 50))
def test_everybody_has_a_seat_and_no_seat_two_people(count: int) -> None:
    found = seats(list(range(count)))
    assert [who for _table, _seat, who in found] == list(range(count))
    assert len({(table, seat) for table, seat, _who in found}) == count


@pytest.fixture
def event(organizer: Any) -> Event:
    event = make_event(organizer)
    for entry in enter(event, 6):
        revision = make_revision(user_of(entry))
        services.deck_register(registration=entry, revision=revision, by=user_of(entry), now=NOW)
    services.player_register(event=event, user=None, name="Old Wilma", by=organizer, now=NOW)
    return event


@pytest.fixture
def desk(organizer: Any) -> Client:
    client = Client()
    client.force_login(organizer)
    return client


def played(event: Event, by: Any) -> Round:
    """Round 1 with every table decided at the desk."""
    round = services.round_pair(event=event, by=by, seed=1, now=NOW)
    for match in round_matches(round):
        if match.table is not None:
            services.result_decide(match=match, outcome="win", reason="slip", by=by, now=NOW)
    return round


def page(client: Client, name: str) -> str:
    answer = client.get(f"/events/kingsport/print/{name}".rstrip("/"))
    assert answer.status_code == 200, answer.content
    return str(answer.content.decode())


@pytest.mark.django_db
def test_pairings_by_name_have_everybody_and_by_table_every_table(
    event: Event, organizer: Any, desk: Client
) -> None:
    assert desk.get("/events/kingsport/print/pairings").status_code == 404
    assert desk.get("/events/kingsport/print/pairings?round=3").status_code == 404
    played(event, organizer)
    names = re.findall(r'<th scope="row">([^<]+)</th>', page(desk, "pairings"))
    assert names == sorted([entry.name for entry in event.registrations.all()], key=str.casefold)
    tables = re.findall(r'<td class="big-no">([^<]+)</td>', page(desk, "pairings?by=table"))
    assert tables == ["1", "2", "3", "–"]


@pytest.mark.django_db
def test_slips_have_the_policys_results_and_a_guests_code(event: Event, organizer: Any, desk: Client) -> None:
    services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    guest = event.registrations.get(user=None)
    text = page(desk, "slips")
    assert text.count('class="match-slip"') == 6, "a page of six places, three of them empty"
    assert text.count('class="slip-head"') == 3
    assert text.count(">won on time<") == 6 and "both lost" not in text
    sits = guest.seats.filter(match__table__isnull=False).exists()
    assert (readable_code(claim_code(guest)) in text) == sits
    for entry in event.registrations.exclude(user=None):
        assert readable_code(claim_code(entry)) not in text, "who has an account needs no code"


@pytest.mark.django_db
def test_sheets_are_for_every_list_and_only_when_staff_sees_lists(
    event: Event, organizer: Any, desk: Client
) -> None:
    text = page(desk, "sheets")
    assert text.count('class="paper page"') == 6 and text.count("Shotgun Blast") == 6
    services.decks_arrange(event=event, visibility="private", due=None, changes={}, by=organizer, now=NOW)
    assert desk.get("/events/kingsport/print/sheets").status_code == 403
    assert "Registration sheets" not in desk.get("/events/kingsport/print").content.decode()


@pytest.mark.django_db
def test_the_poster_shows_the_halls_code_only_while_the_check_in_is_open(
    event: Event, organizer: Any, desk: Client
) -> None:
    assert "testserver/events/kingsport" in page(desk, "poster")
    assert "Hall code" not in page(desk, "poster")
    event = services.checkin_open(event=event, by=organizer, now=NOW)
    assert f"<b>{event.checkin_code}</b>" in page(desk, "poster")


@pytest.mark.django_db
def test_the_screen_welcomes_then_shows_tables_then_standings(event: Event, organizer: Any) -> None:
    anybody = Client()
    where = "/events/kingsport/screen"
    event = services.checkin_open(event=event, by=organizer, now=NOW)
    welcome = anybody.get(where).content.decode()
    assert "Welcome." in welcome and event.checkin_code not in welcome
    services.checkin_close(event=event, withdraw_ids=[], by=organizer, now=NOW)
    round = played(event, organizer)
    shown = anybody.get(where).content.decode()
    assert all(entry.name in shown for entry in event.registrations.all())
    assert "Round 1" in shown and "Standings" not in shown
    services.round_finish(round=round, by=organizer, now=NOW)
    assert "Standings after round 1" in anybody.get(where).content.decode()
    assert "Round 1" in anybody.get(where + "?show=pairings").content.decode()


@pytest.mark.django_db
def test_after_a_bracket_the_screen_and_the_event_show_its_places() -> None:
    cut = {"places": 4, "ties": False}
    simulator = Simulator(Plan(players=10, seed=1, rounds=2, cut=cut, policy="netrunner-nsg"), start=NOW)
    for _told in simulator.rounds():
        pass
    event, anybody = simulator.fresh(), Client()
    assert event.state == Event.State.FINISHED
    [winner] = [one.standing.registration.name for one in final_standings(event) if one.place == 1]
    screen = anybody.get(f"/events/{event.slug}/screen").content.decode()
    assert "Final standings" in screen and "won the bracket" in screen
    assert "Standings after round" not in screen
    page = anybody.get(f"/events/{event.slug}/").content.decode()
    assert f"{winner} has won the event." in page
    assert f'href="/events/{event.slug}/places"' in page
    desk = Client()
    desk.force_login(Staff.objects.filter(event=event, role="owner").get().user)
    assert "Standings, round 2" in desk.get(f"/events/{event.slug}/print/standings").content.decode()


@pytest.mark.django_db
def test_the_screen_asks_the_database_little_while_nothing_happens(
    event: Event, organizer: Any, django_assert_max_num_queries: Any
) -> None:
    played(event, organizer)
    anybody = Client()
    poll = {"HX-Request": "true", "HX-Target": "live"}
    tag = anybody.get("/events/kingsport/screen", headers=poll)["ETag"]
    with django_assert_max_num_queries(5):
        again = anybody.get("/events/kingsport/screen", headers=poll | {"If-None-Match": tag})
    assert again.status_code == 304


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["pairings", "slips", "standings", "seats", "sheets", "poster", ""])
def test_paper_costs_the_same_for_many(
    event: Event, organizer: Any, desk: Client, name: str, django_assert_max_num_queries: Any
) -> None:
    for entry in enter(event, 20, "crowd"):
        revision = make_revision(user_of(entry))
        services.deck_register(registration=entry, revision=revision, by=user_of(entry), now=NOW)
    services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    with django_assert_max_num_queries(15):  # the navigation asks for flights and for judge calls
        page(desk, name)
