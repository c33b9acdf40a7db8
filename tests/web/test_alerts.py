"""Alerts on My match: those a player chose on the device, each once."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.utils import timezone
from playwright.sync_api import expect

from tests.web.conftest import World
from tournament import services
from tournament.selectors import policy_of

SOON = 15_000


def test_a_player_is_alerted_of_what_was_chosen_and_of_nothing_else(
    world: World, phone: Callable[[str], Any], now: Any
) -> None:
    page = phone("ann")
    page.goto(f"/events/{world.event.slug}/match")
    shown, choice = page.locator("#alert-shown p"), page.locator("#alert-choice")
    expect(page.locator("#alert-shown")).to_be_hidden()  # what is there already is no news
    choice.locator("summary").click()
    for kind in ("time", "five"):
        choice.locator(f"input[value={kind}]").check()

    services.call_claim(call=world.call, by=world.judge, now=timezone.now())
    expect(page.locator("#my-call")).to_contain_text("on the way", timeout=SOON)
    expect(shown).to_have_count(0)  # not chosen
    services.time_extend(
        match=world.match, minutes=3, reason="Deck check", by=world.judge, now=timezone.now()
    )
    expect(shown).to_have_text(["3 more minutes for your table"], timeout=SOON)

    minutes = policy_of(world.event).minutes(bracket=False) + 3
    began = timezone.now() - timedelta(minutes=minutes - 5)
    services.clock_start(round=world.match.round, by=world.organizer, now=began)
    expect(shown).to_have_text(
        ["3 more minutes for your table", "The round ends in five minutes."], timeout=SOON
    )
    page.click("#alert-dismiss")
    page.reload()
    expect(page.locator("#alert-choice input[value=time]")).to_be_checked()
    page.wait_for_timeout(1500)
    expect(page.locator("#alert-shown")).to_be_hidden()  # each once


def test_who_chose_nothing_is_not_disturbed(world: World, phone: Callable[[str], Any], now: Any) -> None:
    page = phone("ann")
    page.goto(f"/events/{world.event.slug}/match")
    services.call_claim(call=world.call, by=world.judge, now=timezone.now())
    expect(page.locator("#alerts")).to_contain_text("on the way", timeout=SOON)
    page.wait_for_timeout(1500)
    expect(page.locator("#alert-shown")).to_be_hidden()
