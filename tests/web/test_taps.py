"""How many taps a whole job takes on a phone; more than that is a fault of the pages.

A tap is a press of a button, a link, a choice or a field; text that is typed into a field costs the tap into it, unless
the page has put the cursor there, and the key that sends it.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from rules.models import Dispute, Ruling
from rules.tasks import adjudicate
from tests.tournament import factories
from tests.tournament.factories import make_staff
from tournament import services
from tournament.models import Event, Match

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PLAYERS = ("Amara", "Birgit", "Cleo", "Dov", "Eri", "Finn", "Goran", "Hana")


class Hand:
    """One hand on one phone: counts what it does."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.taps = 0

    def tap(self, what: str) -> None:
        self.page.locator(what).first.click()
        self.taps += 1

    def write(self, field: str, text: str) -> None:
        self.tap(field)
        self.page.locator(field).fill(text)

    def type(self, text: str) -> None:
        """Where the cursor is; sent with the keyboard's key."""
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")
        self.taps += 1


def test_an_organizer_runs_a_whole_event_in_under_55_taps(
    phone: Callable[[str], Any], organizer: Any
) -> None:
    """Eight guests, check-in, three rounds, slips, a final of two: from the start page to the final places."""
    from playwright.sync_api import expect

    page = phone("organizer")
    hand = Hand(page)
    hand.tap("main a:has-text('Create an event')")
    hand.write("#id_name", "Harbor Open")
    hand.tap("summary:has-text('Rounds, cut')")
    hand.write("#id_planned_rounds", "3")
    hand.write("#id_cut", "2")
    hand.tap("button:has-text('Open registration')")
    hand.tap(".next a:has-text('Add a player')")
    for name in PLAYERS:
        expect(page.locator("#id_name")).to_be_focused()  # the page puts the cursor there
        hand.type(name)
        expect(page.locator(".problem.done")).to_contain_text(name)
    hand.tap(".tabs a:has-text('Control')")
    hand.tap("aside a:has-text('Check-in')")
    hand.tap("button[value=open]")
    hand.tap("button:has-text('Check in all 8')")
    hand.tap("button:has-text('Close check-in now')")
    hand.tap("button:has-text('Pair and publish now')")
    for number in (1, 2, 3):
        expect(page.locator("h1")).to_contain_text(f"Round {number}")
        hand.tap("main a:has-text('Enter match slips')")
        for table in range(1, 5):
            expect(page.locator("#id_table")).to_be_focused()
            page.keyboard.type(str(table))
            page.keyboard.press("Tab")
            hand.type("1")
            entered = page.locator(".waiting[data-state=done]", has_text=f"Table {table}:")
            expect(entered).to_be_visible()
        hand.tap(".tabs a:has-text('Control')")
        if number < 3:
            hand.tap("button:has-text('Pair and publish now')")
    hand.tap("button:has-text('End round 3')")
    hand.tap("a:has-text('Review the cut')")
    hand.tap("button:has-text('Make the cut')")
    hand.tap("button:has-text('Publish the round')")
    expect(page.locator("h1")).to_contain_text("Final")
    hand.tap("main a:has-text('Enter match slips')")
    expect(page.locator("#id_table")).to_be_focused()
    page.keyboard.type("1")
    page.keyboard.press("Tab")
    hand.type("1")
    hand.tap(".tabs a:has-text('Control')")
    hand.tap("button:has-text('End the event')")
    expect(page.locator(".next .say")).to_contain_text("The event is over")
    assert Event.objects.get().state == Event.State.FINISHED
    assert hand.taps < 55, hand.taps
    page.goto("/")
    expect(page.locator("main")).to_contain_text("Harbor Open")  # it stays on its organizer's start page


def call_a_judge(ann: Any, bo: Any, judge: Any, organizer: Any, now: datetime) -> None:
    """Ann and Bo sit at one table and disagree over two cards of their lists; she calls, and both say what happened."""
    event = factories.make_event(organizer)
    make_staff(event=event, user=judge, role="judge", by=organizer, now=now)
    for player, cards in ((ann, "3x Shotgun Blast"), (bo, "3x Field Researcher")):
        revision = factories.make_revision(player, cards)
        entry = services.player_register(event=event, user=player, by=player, now=now)
        services.deck_register(registration=entry, revision=revision, override="Short", by=organizer, now=now)
    services.round_pair(event=event, by=organizer, seed=1, now=now)
    match = Match.objects.get()
    services.call_open(match=match, subject="rules", by=ann, now=now)
    for player, words in ((ann, "My Shotgun Blast killed it."), (bo, "Field Researcher answers that!")):
        services.statement_make(match=match, text=words, by=player, now=now)


def test_a_judge_comes_from_the_call_to_the_ruling_in_under_20_taps(
    phone: Callable[[str], Any], ann: Any, bo: Any, judge: Any, organizer: Any, now: datetime
) -> None:
    """From the start page: take the call, lay out what the statements name, play it, ask, rule. No text is written."""
    from playwright.sync_api import expect

    call_a_judge(ann, bo, judge, organizer, now)

    page = phone("judge")
    hand = Hand(page)
    hand.tap("main a:has-text('judge call waiting')")
    hand.tap("button:has-text('On my way')")
    hand.tap("button:has-text('Ask the engine')")
    expect(page.locator(".pinned")).to_contain_text("Field Researcher answers that!")
    expect(page.locator(".laid > li")).to_have_count(2)
    hand.tap(".chips label:has-text('Ann’s turn')")
    expect(page.locator(".chips label:has-text('Ann’s turn') input")).to_be_checked()
    hand.tap("#played button:has-text('Shotgun Blast')")
    expect(page.locator(".done-list > li")).to_have_count(1)
    hand.tap("#ask button")
    page.wait_for_url("**/rules/disputes/*")
    adjudicate(Dispute.objects.get().adjudications.get().pk)
    expect(page.locator(".answer .say")).to_contain_text("Bo may use Field Researcher.")
    hand.tap(".thumb a:has-text('Give this ruling')")
    assert page.locator(".thumb button").bounding_box()["y"] < 844  # in reach without scrolling
    hand.tap("button:has-text('Give the ruling')")
    page.wait_for_url("**/rulings/*")
    assert "Bo may use Field Researcher." in Ruling.objects.get().verdict
    assert hand.taps < 20, hand.taps
