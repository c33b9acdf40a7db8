"""Whole journeys in a real browser on a phone: from a deck to a decided match, from a dispute to a ruling."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from rules.models import Dispute
from rules.tasks import adjudicate
from tests.rules.scenarios import SHOTGUN
from tests.tournament import factories
from tests.tournament.factories import LEGAL, make_staff
from tournament import services
from tournament.models import Match

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# 3 + 1 restricted titles, a banned bird, four copies, and 49 cards.
FOUR_FAULTS = "\n".join(
    [
        "3x Museum Curator",
        "1x Itinerant Scholar",
        "1x Magah Bird",
        "4x Local Sheriff",
        *LEGAL.splitlines()[1:14],
        "1x Living Mummy",
    ]
)


def test_from_an_illegal_deck_to_a_decided_match(
    phone: Callable[[str], Any], ann: Any, bo: Any, organizer: Any, now: datetime
) -> None:
    from playwright.sync_api import expect

    event = factories.make_event(organizer)
    services.player_register(event=event, user=bo, revision=factories.make_revision(bo), by=bo, now=now)

    hers = phone("ann")
    hers.goto("/decks/new")
    hers.fill("#id_name", "Ann's deck")
    hers.fill("#id_text", FOUR_FAULTS)
    expect(hers.locator("#verdict .word")).to_have_text("Illegal")
    expect(hers.locator("#verdict .kind-illegal")).to_have_count(4)
    hers.click("#verdict .cite >> nth=0")
    expect(hers.locator("[popover]:popover-open")).to_be_visible()
    hers.click("[popover]:popover-open button")
    hers.fill("#id_text", LEGAL)
    expect(hers.locator("#verdict .word")).to_have_text("Legal")
    hers.click("text=Save deck")
    expect(hers.locator(".verdict .word")).to_have_text("Legal")

    hers.goto("/events/kingsport/")
    hers.click("main >> text=Register")
    hers.click("main >> button:has-text('Register') >> nth=0")
    expect(hers.locator(".next")).to_contain_text("your decklist is in")

    services.round_pair(event=event, by=organizer, seed=1, now=now)
    expect(hers.locator(".next")).to_contain_text("table 1, against Bo", timeout=8_000)  # by itself
    hers.click("text=Report the result")
    expect(hers.locator(".table-no .n")).to_have_text("1")
    hers.click("text=I won")
    expect(hers.locator("#live")).to_contain_text("You reported: won")

    his = phone("bo")
    his.goto("/events/kingsport/match")
    his.click("text=I won")
    expect(his.locator("#live")).to_contain_text("Your reports don’t match.")
    expect(hers.locator("#live")).to_contain_text("Your reports don’t match.", timeout=8_000)  # by itself

    staff = phone("organizer")
    staff.goto("/events/kingsport/control")
    staff.click("text=Decide table 1")
    staff.locator("label.choice", has_text=" won").first.click()
    staff.fill("#id_reason", "Bo conceded at the desk")
    staff.click("text=Decide the result")
    expect(staff.locator("main")).to_contain_text("Decided by event staff")
    expect(hers.locator("#live")).to_contain_text("Decided by event staff", timeout=8_000)


def test_what_is_being_typed_is_not_swept_away(
    phone: Callable[[str], Any], ann: Any, bo: Any, judge: Any, now: datetime
) -> None:
    """The page renews itself when the answer comes; the ruling that is being written stays."""
    from playwright.sync_api import expect

    from rules import services as rules_services

    dispute = rules_services.dispute_file(by=judge, title="May Bo respond?", source=SHOTGUN, now=now)
    page = phone("judge")
    page.goto(f"/rules/disputes/{dispute.pk}")
    expect(page.locator("#live")).to_contain_text("The engine will start")
    page.fill("#id_verdict", "I rule before it answers")
    adjudicate(dispute.adjudications.get().pk)
    expect(page.locator("#live")).to_contain_text("Bo may use Field Researcher.", timeout=8_000)
    expect(page.locator("#id_verdict")).to_have_value("I rule before it answers")
    expect(page.locator("#agrees")).to_contain_text("I agree with the engine")


def test_from_a_dispute_to_its_ruling(
    phone: Callable[[str], Any], ann: Any, bo: Any, judge: Any, organizer: Any, now: datetime
) -> None:
    from playwright.sync_api import expect

    event = factories.make_event(organizer)
    make_staff(event=event, user=judge, role="judge", by=organizer, now=now)
    for player in (ann, bo):
        services.player_register(event=event, user=player, by=player, now=now)
    services.round_pair(event=event, by=organizer, seed=1, now=now)

    page = phone("judge")
    page.goto(f"/matches/{Match.objects.get().pk}")
    page.click("button >> text=Ask the engine")
    page.wait_for_url("**/dispute?table=*")
    page.goto(page.url.replace("?table=", "?as=text&table="))
    page.fill("#id_title", "May Bo respond?")
    page.fill("#id_source", SHOTGUN)
    page.click("main details form button >> text=Ask the engine")
    page.wait_for_url("**/rules/disputes/*")
    dispute = Dispute.objects.get()
    adjudicate(dispute.adjudications.get().pk)
    expect(page.locator(".answer .say")).to_contain_text("Bo may use Field Researcher.", timeout=8_000)
    page.click(".step-row .cite >> nth=0")
    expect(page.locator("[popover]:popover-open blockquote")).to_be_visible()
    page.keyboard.press("Escape")
    page.click(".refused summary >> nth=0")
    expect(page.locator(".refused[open] div").first).to_be_visible()

    page.click("text=Ask under Call of Cthulhu CCG")
    adjudicate(dispute.adjudications.get(system="coc-ccg").pk)
    expect(page.locator(".differs")).to_contain_text("Who acts next?", timeout=8_000)

    page.click("text=Give this ruling")
    page.wait_for_url("**/rule?dispute=*")
    page.fill("#id_verdict", "Bo may respond, and acts next.")
    page.click("button >> text=Give the ruling")
    expect(page.locator(".slip")).to_contain_text("Bo may respond, and acts next.")
    page.click("text=The engine’s answer")
    expect(page.locator(".slip")).to_contain_text("Agrees with the engine")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
