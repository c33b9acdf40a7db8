"""How many taps a player needs on a phone, from nothing to the final standings; more than that is a fault of the pages.

A tap is a press of a button, a link or a field; typing into the field that a page put the cursor in costs none.
"""

from datetime import datetime
from typing import Any

import pytest

from tests.tournament import factories
from tests.tournament.factories import LEGAL
from tests.web.conftest import PHONE
from tournament import services
from tournament.models import Event, Match, Round, User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MOST = 19  # it was 21 without the check-in and the second round


def test_a_player_needs_few_taps(
    chromium: Any, live_server: Any, bo: Any, organizer: Any, now: datetime
) -> None:
    """An account, a decklist, check-in, two rounds, a call for a judge, the standings."""
    from playwright.sync_api import expect

    event = factories.make_event(organizer, planned_rounds=2)
    services.player_register(event=event, user=bo, revision=factories.make_revision(bo), by=bo, now=now)
    context = chromium.new_context(**PHONE, base_url=live_server.url)
    page, taps = context.new_page(), 0

    def tap(what: str) -> None:
        nonlocal taps
        page.locator(what).first.click()
        taps += 1

    def write(field: str, text: str) -> None:
        tap(field)
        page.locator(field).fill(text)

    page.goto("/")
    tap("main >> text=Kingsport Open")
    tap("text=Create one")
    write("#id_display_name", "Cleo")
    write("#id_username", "cleo")
    write("#id_password", "correct horse 7")
    tap("main form button.primary")
    write("#id_name", "Cleo's deck")
    write("#id_text", LEGAL)
    tap("main form button.primary >> text=Register")
    expect(page.locator(".next")).to_contain_text("your decklist is in")

    services.checkin_open(event=event, by=organizer, now=now)
    tap(".next a:has-text('Check in')")
    tap("main form button.primary")
    _pair(event, organizer, bo, now)
    page.goto("/")  # the phone was put away
    tap("text=Report the result")
    tap("button[value=win]")
    expect(page.locator("#live")).to_contain_text("You reported: won")
    _report(bo, "loss", now)
    services.round_finish(round=Round.objects.get(number=1), by=organizer, now=now)

    services.round_pair(event=event, by=organizer, seed=2, now=now)
    expect(page.locator("h1")).to_have_text("Round 2")  # by itself
    tap(".call-bar button:visible")
    tap("#judge button[value=rules]")
    expect(page.locator("#my-call")).to_contain_text("A judge has been called")
    services.call_close(call=event.judge_calls.get(), outcome="Answered.", by=organizer, now=now)
    tap("button[value=win]")
    expect(page.locator("#live")).to_contain_text("You reported: won")
    _report(bo, "loss", now)
    services.round_finish(round=Round.objects.get(number=2), by=organizer, now=now)
    tap("text=See the final standings")
    expect(page.locator("tr.me .first")).to_have_text("1")
    context.close()
    assert taps <= MOST, taps


def _pair(event: Event, organizer: User, bo: User, now: datetime) -> None:
    entry = event.registrations.get(user=bo)
    services.player_check_in(registration=entry, by=organizer, now=now)
    services.checkin_close(event=event, withdraw_ids=[], by=organizer, now=now)
    services.round_pair(event=event, by=organizer, seed=1, now=now)


def _report(player: User, outcome: str, now: datetime) -> None:
    match = Match.objects.filter(seats__registration__user=player).latest("pk")
    services.result_report(match=match, by=player, outcome=outcome, now=now)
