"""The desk: check-in, players, standings, a player's page, paper lists, running a bracket, creating an event."""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.timezone import localdate

from config.errors import Forbidden
from decks import selectors as deck_selectors
from rules.reference import showcase
from tests.tournament import factories
from tests.tournament.factories import ILLEGAL, LEGAL, make_staff
from tests.web.conftest import World
from tournament import services
from tournament.forms.events import EventForm, usual_day
from tournament.forms.people import SettingsForm
from tournament.models import AuditRow, Event, Match, Registration, Round

AsUser = Callable[[Any], Client]
DAYS = {"first_day_rounds": None, "second_day_players": ""}


def text(response: Any) -> str:
    return " ".join(response.content.decode().split())


@pytest.fixture
def door(organizer: Any, now: datetime) -> Event:
    """Four guests, two of them here."""
    event = factories.make_event(organizer)
    for name in ("Amara", "Birgit", "Cleo", "Dov"):
        services.player_register(event=event, user=None, name=name, by=organizer, now=now)
    services.checkin_open(event=event, by=organizer, now=now)
    for entry in event.registrations.filter(name__in=["Amara", "Birgit"]):
        services.player_check_in(registration=entry, by=organizer, now=now)
    return event


# --- check-in ---------------------------------------------------------------------------------------------


def here(event: Event) -> set[str]:
    return set(event.registrations.exclude(checked_in_at=None).values_list("name", flat=True))


def test_everybody_listed_is_checked_in_with_one_tap_and_taken_back_as_one(
    door: Event, organizer: Any, as_user: AsUser
) -> None:
    client, where = as_user(organizer), f"/events/{door.slug}/check-in"
    listed = list(door.registrations.filter(checked_in_at=None).values_list("pk", flat=True))
    late = services.player_register(event=door, user=None, name="Late", by=organizer, now=door.created_at)
    after = client.post(where, {"do": "all-in", "all": listed})["Location"]
    assert here(door) == {"Amara", "Birgit", "Cleo", "Dov"}  # who came after the page was shown was not meant
    assert AuditRow.objects.get(verb="players_check_in").data == {"players": ["Cleo", "Dov"]}
    page = text(client.get(after))
    assert "2 players are checked in." in page
    client.post(where, {"do": "all-out", "all": listed})
    assert here(door) == {"Amara", "Birgit"}
    assert late.checked_in_at is None


def test_the_desk_finds_by_name_club_and_number_and_shows_who_is_missing(
    door: Event, organizer: Any, as_user: AsUser
) -> None:
    client, where = as_user(organizer), f"/events/{door.slug}/check-in"
    missing = text(client.get(where, {"show": "missing"}))
    rows = missing.partition("<aside>")[0]
    assert "Cleo" in rows
    assert "Amara" not in rows
    number = door.registrations.get(name="Dov").number
    rows = text(client.get(where, {"q": str(number)})).partition("<aside>")[0]
    assert "Dov" in rows
    assert "Cleo" not in rows


def test_a_player_checks_nobody_else_in(door: Event, ann: Any, as_user: AsUser, now: datetime) -> None:
    services.player_register(event=door, user=ann, by=ann, now=now)
    with pytest.raises(Forbidden):
        services.players_check_in(event=door, ids=[1], by=ann, now=now)


def test_who_is_unticked_when_check_in_closes_stays(door: Event, organizer: Any, as_user: AsUser) -> None:
    client, where = as_user(organizer), f"/events/{door.slug}/check-in"
    [cleo, dov] = door.registrations.filter(checked_in_at=None).order_by("name")
    page = text(client.get(where))
    for entry in (cleo, dov):
        assert f'name="missing" value="{entry.pk}" checked' in page
    assert "Untick all" in page
    client.post(where, {"do": "close", "missing": [dov.pk]})
    assert dict(door.registrations.values_list("name", "state")) == {
        "Amara": "active", "Birgit": "active", "Cleo": "active", "Dov": "withdrawn",
    }  # fmt: skip


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_untick_all_withdraws_nobody_whoever_arrives_meanwhile(
    door: Event, organizer: Any, phone: Callable[[str], Any], now: datetime
) -> None:
    from playwright.sync_api import expect

    services.player_register(event=door, user=None, name="Eri", by=organizer, now=now)
    page = phone("organizer")
    page.goto(f"/events/{door.slug}/check-in")
    boxes, ticked = page.locator("[name=missing]"), page.locator("[name=missing]:checked")
    expect(ticked).to_have_count(3)
    page.click("button:has-text('Untick all')")
    expect(ticked).to_have_count(0)
    page.click("button:text-is('Tick all')")
    expect(ticked).to_have_count(3)
    page.click("button:has-text('Untick all')")
    page.click(".desk-rows button:has-text('Eri')")
    expect(page.locator(".undo")).to_contain_text("Eri is checked in.")
    expect(boxes).to_have_count(2)
    expect(ticked).to_have_count(0)
    services.player_check_in(registration=door.registrations.get(name="Dov"), by=organizer, now=now)
    expect(boxes).to_have_count(1, timeout=30_000)  # the list has renewed itself
    expect(ticked).to_have_count(0)
    page.click("button:has-text('Close check-in now')")
    page.wait_for_url("**/control")
    assert set(door.registrations.values_list("state", flat=True)) == {"active"}


# --- players, standings, one player -----------------------------------------------------------------------


@pytest.fixture
def hall(organizer: Any, ann: Any, now: datetime) -> Event:
    """A hundred and thirty players after one round; Ann, who lost, comes last."""
    event = factories.make_event(organizer, planned_rounds=3)
    Registration.objects.bulk_create(
        Registration(event=event, name=f"Player {n:03}", number=n, registered_at=now) for n in range(1, 130)
    )
    services.player_register(event=event, user=ann, by=ann, now=now)
    event.registrations.update(deck_override="Seen")
    round = services.round_pair(event=event, by=organizer, seed=3, now=now)
    for match in Match.objects.filter(round=round):
        first = match.seats.filter(registration__user=ann, side=1).exists()
        services.result_decide(
            match=match, outcome="loss" if first else "win", reason="Slip", by=organizer, now=now
        )
    services.round_finish(round=round, by=organizer, now=now)
    return event


def test_a_player_reads_their_place_and_the_long_table_comes_in_pages(
    hall: Event, ann: Any, as_user: AsUser
) -> None:
    client, where = as_user(ann), f"/events/{hall.slug}/standings"
    page = text(client.get(where))
    assert page.count("<tr") == 101
    rank = next(row for row in page.split('<p class="lead">')[1:] if "You are number" in row).partition(".")[
        0
    ]
    assert rank.endswith("of 130")
    mine = re.search(r'href="\?page=(\d)#me"', page)
    assert mine is not None
    assert 'class="me" id="me"' in text(client.get(where, {"page": mine[1]}))
    second = text(client.get(where, {"page": 2}))
    assert second.count("<tr") == 31
    found = text(client.get(where, {"q": "player 077"}))
    assert found.count("<tr") == 2
    assert client.get(where, {"page": "999999999999"}).status_code == 200


def test_the_desk_sees_place_decklist_penalties_and_table_in_one_row(world: World, as_user: AsUser) -> None:
    page = text(as_user(world.organizer).get("/events/kingsport/players"))
    row = next(one for one in page.split("<tr") if ">Ann<" in one)
    assert "table 1" in row
    assert "Legal" in row
    assert str(world.penalty.level_title) in row
    assert "?show=penalties" in page
    assert "?show=illegal" not in page  # a filter that finds nobody is left out
    public = text(as_user(world.visitor).get("/events/kingsport/players"))
    assert str(world.penalty.level_title) not in public
    assert "Legal" not in public


def test_a_players_page_has_record_matches_list_and_penalties(world: World, as_user: AsUser) -> None:
    where = f"/events/kingsport/players/{world.entry(world.ann).pk}"
    page = text(as_user(world.judge).get(where))
    assert "Matches" in page
    assert f"/matches/{world.match.pk}" in page
    assert str(world.penalty.infraction_title) in page


def test_a_round_missed_is_no_bye_wherever_it_is_shown(
    world: World, ann: Any, as_user: AsUser, now: datetime
) -> None:
    """Who enters late and gets a loss for round 1 had no bye, and nobody lost beside them."""
    late = services.player_register(event=world.event, user=None, name="Late", by=world.organizer, now=now)
    desk, where = as_user(world.organizer), "/events/kingsport"
    for path in (
        "pairings", "pairings?by=table", "screen?show=pairings", "print/pairings", f"players/{late.pk}",
        f"standings/{late.pk}",
    ):  # fmt: skip
        page = text(desk.get(f"{where}/{path}"))
        assert "missed" in page, path
        assert "bye)" not in page and ">bye" not in page and "both lost" not in page, path
    match = Match.objects.get(seats__registration=late)
    assert "<h1> A round missed </h1>" in text(desk.get(f"/matches/{match.pk}"))


def test_staff_type_in_a_paper_list_and_an_illegal_one_needs_an_organizers_reason(
    organizer: Any, judge: Any, as_user: AsUser, now: datetime
) -> None:
    event = factories.make_event(organizer)
    make_staff(event=event, user=judge, role="judge", by=organizer, now=now)
    entry = services.player_register(event=event, user=None, name="Guest", by=organizer, now=now)
    where = f"/events/{event.slug}/players/{entry.pk}"
    assert as_user(judge).post(where, {"do": "list", "text": LEGAL}).status_code == 302
    entry.refresh_from_db()
    assert entry.report is not None
    assert entry.report.verdict == "legal"
    bad = {"do": "list", "text": ILLEGAL}
    assert as_user(judge).post(where, {**bad, "override": "He asked"}).status_code == 400
    assert as_user(organizer).post(where, bad).status_code == 400
    assert as_user(organizer).post(where, {**bad, "override": "Head judge agreed"}).status_code == 302
    entry.refresh_from_db()
    assert entry.deck_override == "Head judge agreed"


def test_every_staff_page_names_its_event(world: World, as_user: AsUser, now: datetime) -> None:
    """Whoever works at several events sees at which they are: also where the engine's answer and the board stand."""
    given = services.ruling_give(
        match=world.match, verdict="It stands.", dispute=world.dispute, by=world.judge, now=now
    )
    judge, place = as_user(world.judge), f"/matches/{world.match.pk}"
    board = judge.post(f"{place}/dispute", {"do": "open"})["Location"]
    here = "/events/kingsport"
    pages = [
        f"{here}/{page}" for page in ("control", "calls", "players", "tables", "slips", "penalties", "print")
    ]
    pages += [f"{here}/calls/{world.call.pk}", place, f"{place}/file", board]
    pages += [reverse("dispute", args=[world.dispute.pk]), reverse("ruling", args=[given.ruling_id])]
    for page in pages:
        assert world.event.name in text(judge.get(page)).partition("<body")[2], page


def test_an_appeal_waits_before_everything_else(world: World, as_user: AsUser, now: datetime) -> None:
    """This event has no head judge, so its owner decides."""
    given = services.ruling_give(
        match=world.match, verdict="It stands.", dispute=world.dispute, by=world.judge, now=now
    )
    services.appeal_make(ruling=given.ruling, by=world.ann, now=now)
    owner = as_user(world.organizer)
    start, control = (
        text(owner.get(page)).partition("<main")[2] for page in ("/", "/events/kingsport/control")
    )
    assert re.search(r'<a class="button large primary"[^>]*> 1 appeal waits', start)
    assert control.index("1 appeal waits for the head judge.") < control.index("<h1")


def test_an_event_that_is_over_says_so_once_to_its_organizer(
    world: World, as_user: AsUser, now: datetime
) -> None:
    Round.objects.filter(event=world.event).update(finished_at=now)
    Event.objects.filter(pk=world.event.pk).update(state=Event.State.FINISHED)
    page = text(as_user(world.organizer).get("/events/kingsport/"))
    assert page.count("The event is over.") == 1
    assert "See the final standings" in page and "Run the event" in page


# --- a bracket from one page ------------------------------------------------------------------------------


def test_control_carries_a_bracket_from_publishing_to_the_end_of_the_event(
    organizer: Any, as_user: AsUser, now: datetime
) -> None:
    event = factories.make_event(organizer, planned_rounds=1, cut={"places": 4})
    for name in ("Amara", "Birgit", "Cleo", "Dov", "Eri", "Finn", "Goran", "Hana"):
        entry = services.player_register(event=event, user=None, name=name, by=organizer, now=now)
        services.deck_register(registration=entry, revision=None, override="Seen", by=organizer, now=now)
    round = services.round_pair(event=event, by=organizer, seed=1, now=now)
    decide(round, organizer, now)
    services.round_finish(round=round, by=organizer, now=now)
    client, where = as_user(organizer), f"/events/{event.slug}/control"
    page = client.get(f"/events/{event.slug}/bracket")
    seen = list(page.context["cut"].seeds)
    client.post(f"/events/{event.slug}/bracket", {"do": "open", "seen": seen})
    for title, following in (("Semifinals", "Publish: Final"), ("Final", "End the event")):
        assert f"Publish: {title}" in text(client.get(where))
        wave = client.get(where).context["control"].next_wave
        client.post(where, {"do": "stage", "wave": wave})
        assert f"<h1> {title}" in text(client.get(where))
        decide(Round.objects.get(event=event, finished_at=None), organizer, now)
        assert following in text(client.get(where))
    client.post(where, {"do": "finish"})
    event.refresh_from_db()
    assert event.state == Event.State.FINISHED
    assert event.name in text(client.get("/"))


def decide(round: Round, by: Any, now: datetime) -> None:
    for match in Match.objects.filter(round=round, table__isnull=False):
        services.result_decide(match=match, outcome="win", reason="Slip", by=by, now=now)


# --- creating an event ------------------------------------------------------------------------------------


def form(**given: Any) -> EventForm:
    usual = {
        "name": "Harbor Open", "starts_on": "2027-03-06", "format": "coc-lcg", "proposed_for": "coc-lcg",
        "format_on": "2013-10-01", "policy_key": "coc-lcg", "timezone": "Europe/Vienna",
    }  # fmt: skip
    return EventForm({**usual, **given})


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Harbor Open", "harbor-open-2027"),
        ("Harbor Open 2027", "harbor-open-2027"),
        ("Open 20270", "open-20270-2027"),
    ],
)
def test_a_year_stands_in_the_address_once(db: None, name: str, slug: str) -> None:
    typed = form(name=name)
    assert typed.is_valid(), typed.errors
    assert typed.cleaned_data["slug"] == slug


def test_what_players_must_know_is_told_when_the_event_is_created(organizer: Any, as_user: AsUser) -> None:
    typed = form(venue="Town hall", capacity="32", start="Round 1 at 10:00", fee="5 €")
    as_user(organizer).post("/events/new", typed.data)
    event = Event.objects.get()
    assert (event.venue, event.capacity, event.timezone) == ("Town hall", 32, "Europe/Vienna")
    assert (event.start, event.fee, event.description) == ("Round 1 at 10:00", "5 €", "")
    for address in (reverse("event", args=[event.slug]), reverse("print-poster", args=[event.slug])):
        page = as_user(organizer).get(address).content.decode()
        assert all(words in page for words in ("Round 1 at 10:00", "Town hall", "5 €")), address
    changed = {**typed.data, "fee": "6 €", "list_visibility": "staff"}
    as_user(organizer).post(reverse("event-settings", args=[event.slug]), changed)
    event.refresh_from_db()
    assert (event.start, event.fee) == ("Round 1 at 10:00", "6 €")


def test_a_time_zone_that_is_no_place_is_refused(db: None) -> None:
    assert "timezone" in form(timezone="Middle/Earth").errors
    assert form(timezone="US/Eastern").is_valid()  # a name of old is still one


def test_the_day_of_the_lists_is_today_unless_other_lists_apply_today(
    monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    monkeypatch.setattr("tournament.forms.events.localdate", lambda: date(2026, 11, 23))
    arkham, cthulhu = deck_selectors.format_of("arkham"), deck_selectors.format_of("coc-lcg")
    assert usual_day(arkham) == date(2026, 11, 23)
    assert usual_day(cthulhu) == cthulhu.default_on
    asked = form(format="coc-lcg")
    asked.group()
    assert "a different list applies today" in str(asked.fields["format_on"].help_text)
    asked = form(format="arkham", proposed_for="arkham", policy_key="arkham")
    asked.group()
    assert "applies today" not in str(asked.fields["format_on"].help_text)


def test_a_long_form_shows_every_field_in_one_of_its_parts(db: None) -> None:
    for form in (EventForm(), SettingsForm(running=False, initial=DAYS), SettingsForm(running=True)):
        shown = [field.name for part in form.parts() for field in part.fields] + list(form.AFTER)
        assert sorted(shown) == sorted(form.fields)


def test_the_settings_name_their_parts_and_link_to_each(door: Event, organizer: Any, as_user: AsUser) -> None:
    page = text(as_user(organizer).get(reverse("event-settings", args=[door.slug])))
    for part in ("about", "registration", "format", "rounds", "disputes"):
        assert f'href="#{part}"' in page and f'id="{part}"' in page
    services.checkin_close(event=door, withdraw_ids=[], by=organizer, now=factories.NOW)
    services.round_pair(event=door, by=organizer, seed=1, now=factories.NOW)
    page = text(as_user(organizer).get(reverse("event-settings", args=[door.slug])))
    assert 'href="#registration"' in page
    assert 'href="#rounds"' not in page and 'href="#format"' not in page


# --- the start page ---------------------------------------------------------------------------------------


def test_the_start_page_shows_the_engines_own_answers(db: None) -> None:
    answers = {(one.did, one.read): one.answer["sentence"] for one in showcase.variants()}
    assert answers == {
        (0, 0): "Next to act: Ann.", (0, 1): "Next to act: Bo.",
        (1, 0): "Next to act: Bo.", (1, 1): "Next to act: Bo.",
    }  # fmt: skip
    page = text(Client().get("/"))
    for did, read in answers:
        assert f"of-{did}-{read}" in page


def test_the_start_page_begins_with_the_events_of_today(organizer: Any) -> None:
    today = localdate()
    make = factories.make_event
    make(organizer, slug="now", name="Harbor Open", starts_on=today)
    make(organizer, slug="next", name="Old Mill Cup", starts_on=today + timedelta(days=8))
    long = make(organizer, slug="days", name="Northside Three Days", starts_on=today - timedelta(days=2))
    left = make(organizer, slug="left", name="Left Open", starts_on=today - timedelta(days=30))
    Event.objects.filter(pk__in=[long.pk, left.pk]).update(state=Event.State.RUNNING)
    page = text(Client().get("/"))
    first, rest = page.split('<form class="try"')
    assert "Today’s events" in first
    assert "Harbor Open" in first and "Northside Three Days" in first
    assert "Old Mill Cup" in rest and "Left Open" in rest and "Harbor Open" not in rest
    Event.objects.exclude(slug="next").update(state=Event.State.FINISHED)
    page = text(Client().get("/"))
    assert "Today’s events" not in page and "Old Mill Cup" in page
