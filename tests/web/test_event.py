"""An event from its announcement to its end, through the pages alone, without a script."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.formats import date_format
from django.utils.timezone import localdate

from config.errors import Conflict
from tests.rules.scenarios import SHOTGUN, different
from tests.tournament import factories
from tests.tournament.factories import ILLEGAL, LEGAL
from tests.web.conftest import World
from tournament import services
from tournament.models import Event, Match, Round

AsUser = Callable[[Any], Client]
FILLED = re.compile(r'<(?:a|button)\s[^>]*class="[^"]*\bprimary\b[^>]*>([^<]*)<')
HOSTILE = "<script>alert('x')</script> \"Bob\" & <b>Co</b>"


def text(response: Any) -> str:
    return str(response.content.decode())


def test_an_event_is_announced_and_run_to_its_end(ann: Any, bo: Any, organizer: Any, as_user: AsUser) -> None:
    staff, players = as_user(organizer), [as_user(ann), as_user(bo)]
    fields = {
        "name": "Arkham Open",
        "starts_on": "2026-11-21",
        "format": "coc-lcg",
        "format_on": "2013-10-01",
        "policy_key": "coc-lcg",
        "planned_rounds": "1",
        "timezone": "UTC",
        "slug": "",
    }
    assert "A round needs two" in text(staff.post("/events/new", fields, follow=True))
    home = "/events/arkham-open-2026/"
    for player in players:
        assert "Registration is open." in text(player.get(home))
        page = text(player.post(home + "register", {"deck": "", "text": LEGAL, "name": "Mine"}, follow=True))
        assert "your decklist is in" in page
    page = text(staff.post(home + "control", {"do": "pair", "number": "1"}, follow=True))
    assert "0 of 1 tables have a result." in page
    for player, outcome in zip(players, ("win", "loss"), strict=True):
        page = text(player.post(home + "match", {"outcome": outcome}, follow=True))
    assert "Confirmed: lost." in page
    assert "End round 1" in text(staff.get(home + "control"))
    page = text(staff.post(home + "control", {"do": "finish", "number": "1"}, follow=True))
    assert "The event is over." in page
    assert text(players[0].get(home + "standings")).index("Ann") < text(
        players[0].get(home + "standings")
    ).index(">Bo<")


def test_two_reports_that_differ_are_staffs_to_decide(world: World, as_user: AsUser) -> None:
    for player in (world.ann, world.bo):
        page = text(as_user(player).post("/events/kingsport/match", {"outcome": "win"}, follow=True))
    assert "Your reports don’t match." in page
    staff = as_user(world.organizer)
    assert "Decide table 1" in text(staff.get("/events/kingsport/control"))
    where = f"/matches/{world.match.pk}"
    refused = staff.post(where, {"outcome": "win", "reason": ""})
    assert refused.status_code == 400
    page = text(staff.post(where, {"outcome": "draw", "reason": "Both agreed at the desk"}, follow=True))
    assert "Decided by event staff" in page
    assert "Both agreed at the desk" in text(as_user(world.ann).get("/events/kingsport/match"))


def test_the_control_page_names_the_calls_and_fills_one_button(world: World, as_user: AsUser) -> None:
    """Before the clock runs starting it comes first; then the tables that have not reported."""
    staff = as_user(world.organizer)
    page = text(staff.get("/events/kingsport/control"))
    assert f'href="/events/kingsport/calls/{world.call.pk}"' in page
    assert [words.strip() for words in FILLED.findall(page)] == ["Start the clock"]
    services.clock_start(round=world.match.round, by=world.organizer, now=factories.NOW)
    page = text(staff.get("/events/kingsport/control"))
    assert [words.strip() for words in FILLED.findall(page)] == ["Remind the open table"]
    services.call_withdraw(call=world.call, by=world.ann, now=factories.NOW)
    assert 'id="calls-waiting"' not in text(staff.get("/events/kingsport/control"))


def test_a_conflict_comes_before_the_clock(world: World, as_user: AsUser) -> None:
    for player in (world.ann, world.bo):
        as_user(player).post("/events/kingsport/match", {"outcome": "win"})
    page = text(as_user(world.organizer).get("/events/kingsport/control"))
    assert [words.strip() for words in FILLED.findall(page)] == ["Decide table 1"]


def test_the_call_that_has_waited_longest_is_filled(world: World, as_user: AsUser) -> None:
    services.table_call_open(
        event=world.event,
        table=7,
        subject="rules",
        by=world.organizer,
        now=factories.NOW + timedelta(hours=1),
    )
    page = text(as_user(world.judge).get("/events/kingsport/calls"))
    assert page.count("On my way") == 2
    assert [words.strip() for words in FILLED.findall(page)] == ["On my way"]


def test_without_players_the_decklists_page_says_what_comes(organizer: Any, as_user: AsUser) -> None:
    factories.make_event(organizer)
    page = text(as_user(organizer).get("/events/kingsport/decks"))
    assert "each with its legality check" in page
    assert "Most played cards" not in page
    assert "Pick a deck to check at random" not in page


def test_a_call_nobody_has_taken_has_one_filled_button(world: World, as_user: AsUser) -> None:
    where = f"/events/kingsport/calls/{world.call.pk}"
    judge = as_user(world.judge)
    assert [words.strip() for words in FILLED.findall(text(judge.get(where)))] == ["On my way"]
    judge.post(where, {"do": "claim"})
    assert [words.strip() for words in FILLED.findall(text(judge.get(where)))] == ["See the engine’s answer"]


def test_a_player_is_not_offered_to_penalize_themselves(world: World, as_user: AsUser) -> None:
    where = f"/events/kingsport/players/{world.entry(world.ann).pk}"
    assert "Give a penalty" not in text(as_user(world.ann).get(where))
    assert "Give a penalty" in text(as_user(world.judge).get(where))


def test_an_illegal_list_is_not_registered_and_what_was_typed_stays(
    ann: Any, organizer: Any, as_user: AsUser
) -> None:
    event = factories.make_event(organizer)
    response = as_user(ann).post("/events/kingsport/register", {"deck": "", "name": "Mine", "text": ILLEGAL})
    page = text(response)
    assert response.status_code == 400
    assert "you haven’t been registered" in page
    assert "Museum Curator" in page
    assert "1x Itinerant Scholar</textarea>" in page
    assert not event.registrations.exists()


def test_a_list_can_follow_later(ann: Any, organizer: Any, as_user: AsUser) -> None:
    factories.make_event(organizer)
    page = text(as_user(ann).post("/events/kingsport/register", {"deck": "", "do": "later"}, follow=True))
    assert "your decklist is missing" in page


def test_a_report_too_late_says_why_on_the_same_page(world: World, as_user: AsUser) -> None:
    for player, outcome in ((world.ann, "win"), (world.bo, "loss")):
        as_user(player).post("/events/kingsport/match", {"outcome": outcome})
    response = as_user(world.bo).post("/events/kingsport/match", {"outcome": "win"})
    assert response.status_code == 409
    assert "the result is confirmed" in text(response)
    assert 'class="table-no"' in text(response)


def test_pressing_pair_twice_pairs_once(world: World, as_user: AsUser) -> None:
    staff = as_user(world.organizer)
    response = staff.post("/events/kingsport/control", {"do": "pair", "number": "1"})
    assert response.status_code == 409
    assert "has already been paired" in text(response)
    assert Round.objects.count() == 1


def test_a_bad_date_stands_beside_its_field_with_everything_else_kept(
    organizer: Any, as_user: AsUser
) -> None:
    response = as_user(organizer).post("/events/new", {"name": "Kept Name", "starts_on": "31 February"})
    assert response.status_code == 400
    assert 'value="Kept Name"' in text(response)
    assert 'value="31 February"' in text(response)
    assert 'id="id_starts_on_error"' in text(response)


def test_a_taken_address_stands_beside_its_field(world: World, as_user: AsUser) -> None:
    fields = {
        "name": "Again",
        "starts_on": "2026-11-21",
        "format": "coc-lcg",
        "format_on": "2026-11-21",
        "policy_key": "coc-lcg",
        "timezone": "UTC",
        "slug": "kingsport",
    }
    response = as_user(world.organizer).post("/events/new", fields)
    assert response.status_code == 409
    assert "Choose a different address." in text(response)
    assert Event.objects.count() == 1


def test_dropping_asks_nobody_and_says_goodbye(world: World, as_user: AsUser) -> None:
    page = text(as_user(world.ann).post("/events/kingsport/match", {"do": "drop"}, follow=True))
    assert "You have dropped" in page
    assert world.entry(world.ann).state == "dropped"


def test_an_organizer_admits_a_player_without_a_list_giving_a_reason(
    ann: Any, organizer: Any, as_user: AsUser, now: datetime
) -> None:
    event = factories.make_event(organizer)
    entry = services.player_register(event=event, user=ann, by=ann, now=now)
    where = f"/events/kingsport/players/{entry.pk}"
    page = text(as_user(organizer).post(where, {"do": "admit", "reason": "Paper list seen"}, follow=True))
    assert "Paper list seen" in page
    assert as_user(ann).post(where, {"do": "admit", "reason": "me too"}).status_code == 403


def test_hostile_names_are_text(organizer: Any, as_user: AsUser, now: datetime) -> None:
    event = factories.make_event(organizer, name=HOSTILE)
    for name in (HOSTILE, "Second"):
        services.player_register(event=event, user=None, name=name, by=organizer, now=now)
    services.round_pair(event=event, by=organizer, seed=1, now=now)
    match = Match.objects.get()
    staff = as_user(organizer)
    for page in (
        "",
        "pairings",
        "pairings?by=table",
        "pairings?q=<script>",
        "standings",
        "players",
        "control",
        "slips",
        "tables?as=dense",
        "tables?as=names",
        "tables?as=full",
        "decks",
        "print/pairings",
        "print/slips",
        "print/standings",
    ):
        assert "<script>alert" not in text(staff.get(f"/events/kingsport/{page}")), page
    assert "<script>alert" not in text(staff.get(f"/matches/{match.pk}"))
    assert "<script>alert" not in text(staff.get("/"))


@pytest.mark.parametrize(
    "path",
    [
        "/", "/events/", "/events/kingsport/", "/events/kingsport/pairings", "/events/kingsport/pairings?by=table",
        "/events/kingsport/standings", "/events/kingsport/players", "/events/kingsport/control",
        "/events/kingsport/match", "/events/kingsport/mine", "/events/kingsport/tables",
        "/events/kingsport/tables?as=full", "/events/kingsport/decks", "/events/kingsport/slips",
        "/events/kingsport/print/slips", "/events/kingsport/print/standings", "/decks/", "/rules/disputes/",
        "/events/kingsport/log", "/events/kingsport/calls", "/events/kingsport/rulings", "/events/kingsport/staff",
        "/events/kingsport/bans",
    ],
)  # fmt: skip
def test_the_queries_of_a_page_do_not_grow_with_its_rows(
    world: World, as_user: AsUser, path: str, now: datetime
) -> None:
    """Counted with one more of everything, then with many more."""
    client = as_user(world.organizer)
    services.player_register(event=world.event, user=world.organizer, by=world.organizer, now=now)
    services.call_withdraw(call=world.call, by=world.ann, now=now)
    _grow(world, range(1), now)
    few = _queries(client, path)
    _grow(world, range(1, 8), now)
    many = _queries(client, path)
    assert len(many) <= len(few), "\n".join(many)


def _queries(client: Client, path: str) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return [query["sql"][:160] for query in captured]


def _grow(world: World, numbers: range, now: datetime) -> None:
    """So many more guests, decks, events and disputes, and another round."""
    organizer = world.organizer
    for number in numbers:
        services.player_register(event=world.event, user=None, name=f"Guest {number}", by=organizer, now=now)
        factories.make_revision(organizer, f"{LEGAL}\n1x Card {number}")
        other = factories.make_event(organizer, slug=f"other-{number}")
        services.player_register(event=other, user=organizer, by=organizer, now=now)
        source = different(SHOTGUN, number)
        services.dispute_file(match=world.match, by=organizer, title=f"No. {number}", source=source, now=now)
    for match in Match.objects.filter(round__event=world.event, table__isnull=False):
        services.result_decide(match=match, by=world.judge, outcome="win", reason="slip", now=now)
    services.round_pair(event=world.event, by=organizer, seed=2, now=now)


def _today() -> str:
    """The day that is proposed for a format whose lists of today are its own, as the page writes it."""
    return date_format(localdate(), "j F Y")


CODEX = {"format": "codex", "proposed_for": "coc-lcg", "format_on": "2013-10-01", "policy_key": "coc-lcg"}


def test_another_format_brings_its_day_and_policy_and_says_so_before_anything_is_saved(
    organizer: Any, as_user: AsUser
) -> None:
    staff = as_user(organizer)
    fields = {"name": "Codex Open", "starts_on": "2026-11-21", "timezone": "UTC", **CODEX}
    asked = staff.post("/events/new", fields)
    assert not Event.objects.exists()
    told = f"Codex: the legality date is {_today()} and the policy is “Matches of one game (house default)”."
    assert told in text(asked)
    assert 'value="Codex Open"' in text(asked)
    staff.post("/events/new", {**fields, **_as_shown(text(asked))})
    event = Event.objects.get()
    assert (event.format, event.format_on.isoformat(), event.policy_key) == (
        "codex",
        localdate().isoformat(),
        "single-game",
    )


def test_the_settings_propose_what_goes_with_another_format_too(
    organizer: Any, as_user: AsUser, now: datetime
) -> None:
    event, staff = factories.make_event(organizer), as_user(organizer)
    before = text(staff.get("/events/kingsport/settings"))
    fields = {"name": event.name, "starts_on": "2026-11-21", "timezone": "UTC", "list_visibility": "staff"}
    fields |= _as_shown(before)
    asked = text(staff.post("/events/kingsport/settings", fields | {"format": "codex"}))
    assert f"Codex: the legality date is {_today()}" in asked
    assert "So far: 21 November 2026, “Call of Cthulhu LCG (house default)”." in asked
    event.refresh_from_db()
    assert event.format == "coc-lcg"
    staff.post("/events/kingsport/settings", fields | _as_shown(asked))
    event.refresh_from_db()
    assert (event.format, event.format_on.isoformat(), event.policy_key) == (
        "codex",
        localdate().isoformat(),
        "single-game",
    )
    # Whoever wants it otherwise says so: what is sent with the format it was proposed for stays as it is.
    staff.post("/events/kingsport/settings", fields | _as_shown(asked) | {"policy_key": "mtg-mtr"})
    event.refresh_from_db()
    assert event.policy_key == "mtg-mtr"


def test_a_policy_is_fixed_with_round_1_and_shared_with_the_final(world: World, now: datetime) -> None:
    with pytest.raises(Conflict) as refused:
        services.event_change(event=world.event, policy_key="mtg-mtr", by=world.organizer, now=now)
    assert refused.value.code == "event-running"
    flight, final = (factories.make_event(world.organizer, slug=slug) for slug in ("flight", "final"))
    services.flight_join(flight=flight, final=final, by=world.organizer, now=now)
    for one in (flight, final):
        with pytest.raises(Conflict) as refused:
            services.event_change(event=one, policy_key="mtg-mtr", by=world.organizer, now=now)
        assert refused.value.code == "flight"


def test_a_format_is_proposed_as_soon_as_it_is_chosen(phone: Callable[[str], Any], organizer: Any) -> None:
    from playwright.sync_api import expect

    page = phone("organizer")
    page.goto("/events/new")
    page.fill("#id_name", "Codex Open")
    page.select_option("#id_format", "codex")
    expect(page.locator("#format-fields [role=status]")).to_contain_text(_today())
    expect(page.locator("#id_format_on")).to_have_value(localdate().isoformat())
    expect(page.locator("#id_policy_key")).to_have_value("single-game")
    page.select_option("#id_format", "coc-lcg")
    expect(page.locator("#id_policy_key")).to_have_value("coc-lcg")
    page.click("text=Open registration")
    expect(page.locator("h1")).to_contain_text("Before round 1")


def _as_shown(page: str) -> dict[str, str]:
    """The format's fields as a page holds them."""
    fields = page.partition('id="format-fields"')[2]
    inputs = re.findall(r'<input[^>]* name="(proposed_for|format_on)" value="([^"]*)"', fields)
    choices = re.findall(r'<select name="(format|policy_key)".*?value="([^"]*)" selected', fields, re.DOTALL)
    return dict(inputs + choices)
