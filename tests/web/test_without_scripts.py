"""A browser in which scripts are off: every core step is a link or a form, and says what came of it."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from tests.tournament import factories
from tests.tournament.factories import LEGAL, make_staff
from tournament import services
from tournament.models import Event, JudgeCall, Match, Registration
from tournament.selectors import match_state

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Person = Callable[[str], Any]


def test_a_tournament_without_scripts(
    scriptless: Person, ann: Any, bo: Any, judge: Any, organizer: Any, now: datetime
) -> None:
    """Ann registers, the organizer pairs and publishes, both report, Ann calls, the judge rules, Ann appeals."""
    from playwright.sync_api import expect

    event = factories.make_event(organizer)
    make_staff(event=event, user=judge, role="head-judge", by=organizer, now=now)
    services.player_register(event=event, user=bo, revision=factories.make_revision(bo), by=bo, now=now)

    hers = scriptless("ann")
    _registers(hers, expect)
    _pairs(scriptless("organizer"), expect)
    _reports(hers, scriptless("bo"), expect)
    _calls(hers, expect)
    _rules(scriptless("judge"), expect)
    hers.goto("/events/kingsport/match")
    expect(hers.locator("#live")).to_contain_text("The table plays on.")
    assert Event.objects.get().state == Event.State.RUNNING


def _registers(page: Any, expect: Any) -> None:
    """An illegal list is refused with its reasons, what was typed stays, the mended one is taken."""
    page.goto("/events/kingsport/")
    page.click("main >> text=Register")
    page.fill("#id_name", "Ann's deck")
    page.fill("#id_text", LEGAL + "\n4x Local Sheriff")
    page.locator("main form button.primary").click()
    expect(page.locator("main")).to_contain_text("isn’t legal here")
    expect(page.locator("#verdict .kind-illegal").first).to_be_visible()
    expect(page.locator("#id_name")).to_have_value("Ann's deck")
    page.fill("#id_text", LEGAL)
    page.locator("main form button.primary").click()
    expect(page.locator(".next")).to_contain_text("your decklist is in")
    assert Registration.objects.get(user__username="ann").revision is not None


def _pairs(page: Any, expect: Any) -> None:
    page.goto("/events/kingsport/control")
    page.get_by_role("button", name="Pair round 1").click()
    expect(page.locator("h1")).to_contain_text("draft")
    page.get_by_role("button", name="Publish round 1").click()
    expect(page.locator(".next .say")).to_contain_text("0 of 1 tables")


def _reports(hers: Any, his: Any, expect: Any) -> None:
    """Both say different things, then the same."""
    hers.goto("/events/kingsport/match")
    hers.get_by_role("button", name="I won", exact=True).click()
    expect(hers.locator("#live")).to_contain_text("You reported: won")
    his.goto("/events/kingsport/match")
    his.get_by_role("button", name="I won", exact=True).click()
    expect(his.locator("#live")).to_contain_text("Your reports don’t match.")
    his.get_by_role("button", name="I lost", exact=True).click()
    expect(his.locator("#live")).to_contain_text("You both reported the same result")
    assert match_state(Match.objects.get()).outcome is not None
    hers.get_by_role("link", name="Reload").click()
    expect(hers.locator("#live")).to_contain_text("You both reported the same result")


def _calls(page: Any, expect: Any) -> None:
    page.locator(".call-bar").get_by_role("button", name="Call a judge").click()
    page.click("button[value=rules]")
    expect(page.locator("#my-call")).to_contain_text("A judge has been called")


def _rules(page: Any, expect: Any) -> None:
    page.goto("/events/kingsport/calls")
    page.get_by_role("button", name="On my way").click()
    assert JudgeCall.objects.get().judge is not None
    page.goto(f"/matches/{Match.objects.get().pk}/rule")
    page.fill("#id_verdict", "The table plays on.")
    page.get_by_role("button", name="Give the ruling").click()
    expect(page.locator(".slip").first).to_contain_text("The table plays on.")
    page.goto("/events/kingsport/calls")
    expect(page.locator("main")).to_contain_text("No calls waiting")
