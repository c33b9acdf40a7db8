"""Three people, each from the first tap to the last, on a phone and on a desktop.

What others do meanwhile is done by the services; whatever these three do, they do on their pages, and what changes
without them is expected on the open page, not on one loaded again.
"""

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
from tournament.models import Event, Match, Round

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Screen = Callable[[str], Any]


def test_a_player_from_registration_to_the_final_standing(
    screen: Screen, ann: Any, bo: Any, organizer: Any, now: datetime
) -> None:
    from playwright.sync_api import expect

    event = factories.make_event(organizer, planned_rounds=1)
    services.player_register(event=event, user=bo, revision=factories.make_revision(bo), by=bo, now=now)

    page = screen("ann")
    page.click("main >> text=Kingsport Open")
    page.click("main >> text=Register")
    page.fill("#id_name", "Ann's deck")
    page.fill("#id_text", LEGAL)
    expect(page.locator("#verdict .word")).to_have_text("Legal")
    page.click("main form button.primary >> text=Register")
    expect(page.locator(".next")).to_contain_text("your decklist is in")

    services.round_pair(event=event, by=organizer, seed=1, now=now)
    expect(page.locator(".next")).to_contain_text("table 1, against Bo")
    page.click("text=Report the result")
    page.get_by_role("button", name="I won", exact=True).click()
    expect(page.locator("#live")).to_contain_text("You reported: won")
    services.result_report(match=Match.objects.get(), by=bo, outcome="loss", now=now)
    expect(page.locator("#live")).to_contain_text("You both reported the same result")

    services.round_finish(round=Round.objects.get(), by=organizer, now=now)
    expect(page.locator("#live")).to_contain_text("The event is over")
    page.click("text=See the final standings")
    expect(page.locator("tr.me .first")).to_have_text("1")
    page.click("tr.me a")
    expect(page.locator("main")).to_contain_text("Rank 1, 5 points")
    expect(page.locator("main")).to_contain_text("How is this calculated?")


def test_an_organizer_from_creating_an_event_to_the_bracket(
    screen: Screen, organizer: Any, now: datetime
) -> None:
    from playwright.sync_api import expect

    page = screen("organizer")
    page.goto("/events/new")
    page.fill("#id_name", "Arkham Open")
    page.fill("#id_starts_on", "2026-11-21")
    page.select_option("#id_policy_key", "coc-lcg")
    page.click("summary >> text=Rounds, cut")
    page.fill("#id_planned_rounds", "1")
    page.fill("#id_cut", "2")
    page.click("text=Open registration")
    expect(page.locator(".next .say")).to_contain_text("A round needs two")
    for name in ("Amara Aster", "Birgit Brandt", "Cleo Castillo", "Dov Dahl"):
        page.goto("/events/arkham-open-2026/players/new")
        page.fill("#id_name", name)
        page.click("main form button.primary")
        expect(page.locator(".problem.done")).to_contain_text(name)
    page.locator(".tabs").get_by_text("Control").click()
    page.get_by_role("button", name="Pair round 1").click()
    expect(page.locator("h1")).to_contain_text("draft")
    page.get_by_role("button", name="Publish round 1").click()
    expect(page.locator(".next .say")).to_contain_text("0 of 2 tables")

    page.click("text=Enter match slips")
    for table in ("1", "2"):  # by keyboard alone: table, result, Enter
        page.locator("#id_table").press_sequentially(table)
        page.keyboard.press("Tab")
        page.keyboard.type("1")
        page.keyboard.press("Enter")
        entered = page.locator(".waiting[data-state=done]", has_text=f"Table {table}:")
        expect(entered).to_be_visible()
    page.locator(".tabs").get_by_text("Control").click()
    page.get_by_role("button", name="End round 1").click()
    page.click("text=Review the cut")
    page.get_by_role("button", name="Make the cut").click()
    page.get_by_role("button", name="Publish the round").click()
    expect(page.locator("h1")).to_contain_text("Final")
    page.goto("/events/arkham-open-2026/bracket")
    expect(page.locator(".bracket svg")).to_be_visible()
    final = Match.objects.get(round__event__slug="arkham-open-2026", round__stage__isnull=False)
    page.goto(f"/matches/{final.pk}")
    page.locator("label.choice").first.click()
    page.fill("#id_reason", "Seen at the table")
    page.click("text=Decide the result")
    page.locator(".tabs").get_by_text("Control").click()
    page.click(".next button.primary")  # finish the final
    page.goto("/events/arkham-open-2026/bracket")
    expect(page.locator("main")).to_contain_text("has won the event")
    assert Event.objects.get().state == Event.State.FINISHED


def test_a_judge_from_the_call_to_the_appeal(
    screen: Screen, ann: Any, bo: Any, judge: Any, organizer: Any, now: datetime
) -> None:
    from playwright.sync_api import expect

    event = factories.make_event(organizer)
    make_staff(event=event, user=judge, role="judge", by=organizer, now=now)
    for player in (ann, bo):
        services.player_register(event=event, user=player, by=player, now=now)
    services.round_pair(event=event, by=organizer, seed=1, now=now)

    page = screen("judge")
    page.goto("/events/kingsport/tables")
    expect(page.locator(".floor a")).to_have_count(1)
    hers = screen("ann")
    hers.goto("/events/kingsport/match")
    hers.locator(".call-bar").get_by_role("button", name="Call a judge").click()
    hers.click("button[value=rules]")
    expect(hers.locator("#my-call")).to_contain_text("A judge has been called")

    expect(page.locator(".floor .is-call")).to_have_count(1)  # by itself
    expect(page.locator("#calls-badge")).to_contain_text("1")
    page.locator(".tabs").get_by_text("Calls").click()
    page.click("text=On my way")
    expect(hers.locator("#my-call")).to_contain_text("on the way")  # by itself

    page.click("button >> text=Ask the engine")
    page.wait_for_url("**/dispute?table=*")
    page.goto(page.url.replace("?table=", "?as=text&table="))
    page.fill("#id_title", "May Bo respond?")
    page.fill("#id_source", SHOTGUN)
    page.click("main details form button >> text=Ask the engine")
    page.wait_for_url("**/rules/disputes/*")
    adjudicate(Dispute.objects.get().adjudications.get().pk)
    expect(page.locator(".answer .say")).to_contain_text("Bo may use Field Researcher.")
    page.click("text=Give this ruling")
    page.wait_for_url("**/rule?dispute=*")
    page.fill("#id_verdict", "Bo may respond, and acts next.")
    page.click("button >> text=Give the ruling")
    expect(page.locator(".slip").first).to_contain_text("Bo may respond, and acts next.")
    page.goto("/events/kingsport/calls")
    expect(page.locator("main")).to_contain_text("No calls waiting")  # the call ended with the ruling
    expect(hers.locator("#live")).to_contain_text("Bo may respond, and acts next.")  # by itself

    hers.locator("#live button", has_text="Appeal").click()
    expect(hers.locator("main")).to_contain_text("The head judge will come to your table")
    head = screen("organizer")
    head.goto("/events/kingsport/calls")
    head.click("text=Bo may respond, and acts next.")
    head.locator("main").get_by_role("link", name="Decide the appeal").click()
    head.locator("fieldset label.choice", has_text="Overturn").click()
    head.fill("#id_verdict", "Bo may not respond.")
    head.fill("#id_explanation", "The card was blank.")
    head.click("button >> text=Decide the appeal")
    expect(head.locator(".slip").first).to_contain_text("Bo may not respond.")
    hers.goto("/events/kingsport/match")
    expect(hers.locator("#live")).to_contain_text("Bo may not respond.")
