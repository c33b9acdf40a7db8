"""A bad line, impatient fingers, the back button, a keyboard: what is on the page stays right."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from tests.web.conftest import World
from tournament import services
from tournament.models import Report

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Phone = Callable[[str], Any]
MATCH = "/events/kingsport/match"
HELD = """() => document.addEventListener("htmx:beforeRequest",
  (event) => { if (event.defaultPrevented) document.body.dataset.held = "yes"; })"""


def test_a_lost_line_shows_and_mends_itself(world: World, phone: Phone, now: datetime) -> None:
    from playwright.sync_api import expect

    page = phone("ann")
    page.goto(MATCH)
    page.context.set_offline(True)
    expect(page.locator("#offline")).to_be_visible()
    services.result_report(match=world.match, by=world.bo, outcome="win", now=now)
    page.context.set_offline(False)
    expect(page.locator("#live")).to_contain_text("Bo reported, for you: lost")
    expect(page.locator("#offline")).to_be_hidden()


def test_a_report_sent_twice_counts_once(world: World, phone: Phone) -> None:
    from playwright.sync_api import expect

    page = phone("ann")
    page.goto(MATCH)
    page.get_by_role("button", name="I won", exact=True).dblclick(no_wait_after=True)
    expect(page.locator("#live")).to_contain_text("You reported: won")
    assert Report.objects.count() == 1


def test_what_was_opened_outlives_a_renewal(world: World, phone: Phone, now: datetime) -> None:
    from playwright.sync_api import expect

    page = phone("ann")
    page.goto(MATCH)
    page.click("#timed > summary")
    page.click("#without > summary")
    services.result_report(match=world.match, by=world.bo, outcome="win", now=now)
    expect(page.locator("#live")).to_contain_text("Bo reported, for you: lost")
    expect(page.locator("#timed")).to_have_attribute("open", "")
    expect(page.locator("#without")).to_have_attribute("open", "")


def test_a_reason_half_written_outlives_a_renewal(world: World, phone: Phone, now: datetime) -> None:
    from playwright.sync_api import expect

    page = phone("organizer")
    page.goto("/events/kingsport/control")
    page.click("#add-time > summary")
    page.fill("#add-reason", "The lights went")
    page.locator("h1").click()  # the field is left, and what is in it stays
    services.result_report(match=world.match, by=world.bo, outcome="win", now=now)
    services.result_report(match=world.match, by=world.ann, outcome="win", now=now)
    expect(page.locator(".next .say")).to_contain_text("two different reports")
    expect(page.locator("#add-reason")).to_have_value("The lights went")


def test_a_button_under_a_finger_is_not_swept_away(world: World, phone: Phone, now: datetime) -> None:
    from playwright.sync_api import expect

    page = phone("ann")
    page.goto(MATCH)
    button = page.get_by_role("button", name="I won", exact=True)
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.evaluate("document.querySelector('#live').dataset.same = 'yes'")
    services.result_report(match=world.match, by=world.bo, outcome="loss", now=now)
    page.evaluate(HELD)
    expect(page.locator("body[data-held]")).to_have_count(1)  # the next renewal was due, and waits
    expect(page.locator("#live[data-same]")).to_have_count(1)
    page.mouse.up()
    expect(page.locator("#live")).to_contain_text("You both reported the same result")


def test_the_back_button_shows_the_page_as_it_is_now(world: World, phone: Phone, now: datetime) -> None:
    from playwright.sync_api import expect

    page = phone("ann")
    page.goto(MATCH)
    page.locator(".tabs").get_by_text("Standings").click()
    page.wait_for_url("**/standings")
    services.result_report(match=world.match, by=world.bo, outcome="win", now=now)
    page.go_back()
    expect(page.locator("#live")).to_contain_text("Bo reported, for you: lost")


def test_by_keyboard_from_the_top_to_a_report(world: World, phone: Phone) -> None:
    from playwright.sync_api import expect

    page = phone("ann")
    page.goto(MATCH)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")  # past what was said of the call: “Not needed any more”
    while not page.evaluate("document.activeElement.value === 'win'"):
        assert page.evaluate("document.activeElement.closest('main') !== null"), "the focus left the page"
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#live")).to_contain_text("You reported: won")


def test_a_menu_opens_and_closes_by_keyboard(world: World, phone: Phone) -> None:
    from playwright.sync_api import expect

    page = phone("organizer")
    page.goto("/events/kingsport/control")
    page.locator(".tabs summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".menu-list").get_by_text("Settings")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator(".menu-list a").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".tabs summary")).to_be_focused()
    expect(page.locator(".tabs .menu-list")).to_be_hidden()


def test_whoever_works_by_keyboard_stays_where_they_were(world: World, phone: Phone, now: datetime) -> None:
    from playwright.sync_api import expect

    page = phone("ann")
    page.goto(MATCH)
    page.locator("#without > summary").focus()
    services.result_report(match=world.match, by=world.bo, outcome="win", now=now)
    expect(page.locator("#live")).to_contain_text("Bo reported, for you: lost")
    expect(page.locator("#without > summary")).to_be_focused()
