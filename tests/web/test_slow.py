"""A slow line: however late a reply comes, it never takes back what somebody did after it was asked for."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from rules import services as rules_services
from rules.models import LawRun
from tests.rules.scenarios import SHOTGUN, different
from tests.tournament import factories
from tests.web.conftest import World
from tournament import services
from tournament.models import Event, User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Every page with a part that renews itself. Who: what they look at.
HERE, DOOR = "/events/kingsport", "/events/dunwich"
PAGES = {
    "ann": [f"{HERE}/match", f"{HERE}/", f"{HERE}/pairings", f"{HERE}/standings"],
    "organizer": [f"{HERE}/control", f"{HERE}/calls", f"{HERE}/tables", f"{HERE}/screen", f"{HERE}/bracket"],
    "judge": ["/matches/{match}/file", "/rules/disputes/{dispute}"],
    "owner": [f"{DOOR}/check-in", "/events/final/bracket", f"{DOOR}/slips", "/imports/{import}"],
    "operator": ["/operations", "/rules/review/{law_run}", "/decks/rechecks/{recheck}"],
}
# Every poll is answered in full, as if something had happened; the next one comes soon.
RESTLESS = """document.addEventListener("htmx:configRequest",
  (event) => { delete event.detail.headers["If-None-Match"]; })"""
# Opens and closes, ticks, picks and writes whatever there is in the part, and says what stands there then.
DO = """() => {
  const live = document.getElementById("live");
  live.dataset.old = "yes";
  for (const one of live.querySelectorAll("details[id] > summary, input[type=checkbox]")) one.click();
  for (const one of live.querySelectorAll("input[type=radio]:last-of-type")) one.click();
  for (const one of live.querySelectorAll("select")) {
    one.selectedIndex = one.options.length - 1;
    one.dispatchEvent(new Event("change", { bubbles: true }));
  }
  const texts = "textarea, input:not([type=checkbox], [type=radio], [type=hidden], [type=file])";
  for (const one of live.querySelectorAll(texts)) {
    one.value = one.inputMode === "numeric" || one.type === "number" ? "7" : "Written meanwhile";
    one.dispatchEvent(new Event("input", { bubbles: true }));
  }
}"""
SEEN = """() => [...document.querySelectorAll("#live :is(details[id], input:not([type=hidden]), select, textarea)")]
  .map((one) => [one.id || one.name, one.open, one.checked, one.value].join(" "))"""
ON_ITS_WAY, EXCHANGED = "#live.htmx-request", "#live:not([data-old])"


def slowed(page: Any, milliseconds: int) -> None:
    """Have every request of the page's take so long."""
    line = page.context.new_cdp_session(page)
    line.send("Network.enable")
    line.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": milliseconds, "downloadThroughput": -1, "uploadThroughput": -1},
    )


def at_the_door(owner: User, now: datetime, slug: str = "dunwich") -> Event:
    """An event of four guests, whose check-in is open."""
    event = factories.make_event(owner, slug, planned_rounds=3, cut={"places": 2})
    for name in ("Amara", "Birgit", "Cleo", "Dov"):
        services.player_register(event=event, user=None, name=name, by=owner, now=now)
    services.checkin_open(event=event, by=owner, now=now)
    return event


def others(now: datetime) -> dict[str, int]:
    """What an owner and an operator look at, with nobody at work on it: check-in, flights, a file, checks."""
    owner = User.objects.create_user("owner", password="owner")
    User.objects.create_superuser("operator", password="operator")
    final, door = factories.make_event(owner, "final"), at_the_door(owner, now)
    services.flight_join(flight=door, final=final, by=owner, now=now)
    run = LawRun.objects.create(system="coc-lcg", system_version="x", system_hash="x", asked_at=now, total=1)
    asked = services.players_import_ask(event=door, source="Late", by=owner, now=now)
    return {"import": asked.pk, "law_run": run.pk}


@pytest.mark.parametrize("milliseconds", [3000])  # later than the next poll is due
def test_a_late_reply_takes_nothing_back(
    world: World, phone: Callable[[str], Any], milliseconds: int, now: datetime
) -> None:
    services.call_withdraw(call=world.call, by=world.ann, now=now)
    services.statement_make(match=world.match, text="He passed.", by=world.ann, now=now)
    services.result_report(match=world.match, by=world.bo, outcome="win", now=now)
    waiting = rules_services.dispute_file(
        by=world.judge, title="Another", source=different(SHOTGUN, 5), now=now
    )
    words = {"match": world.match.pk, "dispute": waiting.pk, "recheck": world.recheck.pk, **others(now)}
    for who, paths in PAGES.items():
        first = phone(who)
        tabs = [first] + [first.context.new_page() for _ in paths[1:]]
        for page, path in zip(tabs, paths, strict=True):
            page.add_init_script(RESTLESS)
            page.goto(path.format(**words))
            slowed(page, milliseconds)
        wanted = []
        for page in tabs:
            page.wait_for_selector(ON_ITS_WAY, state="attached")
            page.evaluate(DO)
            wanted.append(page.evaluate(SEEN))
        for page, path, seen in zip(tabs, paths, wanted, strict=True):
            page.wait_for_selector(EXCHANGED, state="attached")  # by the reply to what was asked before
            assert page.evaluate(SEEN) == seen, path
            page.evaluate("document.getElementById('live').dataset.old = 'yes'")
        for page, path, seen in zip(tabs, paths, wanted, strict=True):
            page.wait_for_selector(EXCHANGED, state="attached")  # by one that was asked afterwards
            assert page.evaluate(SEEN) == seen, path
        assert who not in ("ann", "owner") or len(wanted[0]) > 3, "there is something to do on the first page"
        first.context.close()


@pytest.mark.parametrize("milliseconds", [800, 3000])
def test_a_search_finds_what_was_typed(
    organizer: User, phone: Callable[[str], Any], milliseconds: int, now: datetime
) -> None:
    """Polls that were asked before and after come meanwhile: none takes the place of what was searched."""
    from playwright.sync_api import expect

    at_the_door(organizer, now)
    event = factories.make_event(organizer)
    factories.enter(event, 4)
    services.round_pair(event=event, by=organizer, seed=1, now=now)
    first = phone("organizer")
    tabs = [
        (first.context.new_page(), path)
        for path in (f"{DOOR}/check-in", f"{HERE}/pairings", f"{HERE}/standings")
    ]
    for page, path in tabs:
        page.add_init_script(RESTLESS)
        page.goto(path)
        slowed(page, milliseconds)
    for page, _path in tabs:
        page.wait_for_selector(ON_ITS_WAY, state="attached")
        page.fill("#q", "Birgit")
    for page, path in tabs:
        live, found = page.locator("#live"), re.compile(r"[?&]q=Birgit")
        expect(live, path).to_have_attribute("hx-get", found, timeout=20_000)
        page.evaluate("document.getElementById('live').dataset.old = 'yes'")
        page.wait_for_selector(EXCHANGED, state="attached")
        expect(live, path).to_have_attribute("hx-get", found)
    first.context.close()
