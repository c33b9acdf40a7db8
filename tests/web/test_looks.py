"""Where things stand on the pages: nothing wider than the screen, no control over another, the next step in reach.

Boxes are asked of the browser; no picture is compared, so that fonts and their smoothing change nothing here.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils.timezone import localdate

from tests.tournament.factories import NOW
from tests.web.conftest import DESKTOP, PHONE, World
from tournament import services
from tournament.selectors.stages import current_stage
from tournament.simulator import Plan, Simulator

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HERE = "/events/kingsport"
TABLET = {"width": 768, "height": 1024}  # upright: the narrowest that has a desktop's tables
PAGES = {
    "organizer": (
        "/",
        "/events/new",
        f"{HERE}/",
        f"{HERE}/control",
        f"{HERE}/players",
        f"{HERE}/players/new",
        f"{HERE}/slips",
        f"{HERE}/decks",
        f"{HERE}/settings",
        f"{HERE}/staff",
        f"{HERE}/log",
        f"{HERE}/files",
        f"{HERE}/policy",
        "/policies/coc-lcg/edit",
    ),
    "judge": (
        "/",
        f"{HERE}/tables",
        f"{HERE}/calls",
        "/rules/disputes/{dispute}",
        "/rules/table/{table}/",
        "/rules/table/{table}/play",
        "/rules/precedents/",
        "/rules/coc-lcg/law/COC-T-03",
        "/rules/coc-lcg/charts",
    ),
    "ann": (
        "/",
        f"{HERE}/match",
        f"{HERE}/mine",
        f"{HERE}/pairings",
        f"{HERE}/standings",
        "/decks/{deck}/",
        "/decks/new",
        "/decks/check",
        "/account",
    ),
}
# What a person came for, in the first screen of a phone.
IN_REACH = [
    ("ann", f"{HERE}/match", "button:has-text('I won')"),
    ("ann", f"{HERE}/match", "a:has-text('Call a judge'), button:has-text('Call a judge')"),
    ("judge", "/rules/disputes/{dispute}", ".thumb .primary"),
    ("judge", "/rules/table/{table}/", ".thumb .primary"),
    ("organizer", f"{HERE}/control", ".clock-row .primary"),
    ("organizer", f"{HERE}/control", ".next button.large"),
    ("organizer", f"{HERE}/players", "main .primary"),
]
FAULTS = """() => {
  const wide = document.documentElement.clientWidth, faults = [];
  const needs = document.documentElement.scrollWidth;
  if (needs > wide) faults.push(`the page is ${needs} wide`);
  const name = e => `${e.localName}.${e.className} “${(e.innerText || e.name || "").trim().slice(0, 30)}”`;
  const up = (e, test) => {
    for (; e; e = e.parentElement) if (test(e, getComputedStyle(e))) return true;
    return false;
  };
  const takes = e =>
    e.checkVisibility({visibilityProperty: true}) && getComputedStyle(e).pointerEvents != "none";
  const all = [...document.querySelectorAll("a, button, input:not([type=hidden]), select, textarea, summary")]
    .filter(e => takes(e) && e.getBoundingClientRect().width > 1);
  for (const e of all) {
    const box = e.getBoundingClientRect();
    const scrolls = up(e.parentElement, (p, s) =>
      /auto|scroll|hidden|clip/.test(s.overflowX) && p.scrollWidth > p.clientWidth);
    if (!scrolls && (box.left < -1 || box.right > wide + 1)) faults.push(`${name(e)} is off the screen`);
  }
  // What floats lies over the page by design.
  const still = all.filter(e => !up(e, (p, s) => s.position == "fixed" || s.position == "sticky"))
    .map(e => [e, [...e.getClientRects()]]);
  still.forEach(([a, ours], i) => still.slice(i + 1).forEach(([b, theirs]) => {
    if (a.contains(b) || b.contains(a)) return;
    const meets = ours.some(r => theirs.some(s =>
      Math.min(r.right, s.right) - Math.max(r.left, s.left) > 3 &&
      Math.min(r.bottom, s.bottom) - Math.max(r.top, s.top) > 3));
    if (meets) faults.push(`${name(a)} lies over ${name(b)}`);
  }));
  return faults;
}"""


def _address(world: World, path: str) -> str:
    return path.format(dispute=world.dispute.pk, table=world.table.pk, deck=world.deck.pk)


@pytest.mark.parametrize("who", list(PAGES))
def test_no_control_is_off_the_screen_or_over_another(
    world: World, screen: Callable[[str], Any], who: str
) -> None:
    page = screen(who)
    own = page.viewport_size
    sizes = [own] if own["width"] < TABLET["width"] else [own, TABLET]
    faults = {}
    for path in PAGES[who]:
        page.set_viewport_size(own)
        answer = page.goto(_address(world, path))
        assert answer.status == 200, path
        for size in sizes:
            page.set_viewport_size(size)
            if found := page.evaluate(FAULTS):
                faults[path, size["width"]] = found
    assert not faults


@pytest.mark.parametrize(("who", "path", "what"), IN_REACH)
def test_what_a_person_came_for_is_in_the_first_screen_of_a_phone(
    world: World, phone: Callable[[str], Any], who: str, path: str, what: str
) -> None:
    world.call.delete()  # nobody has called yet
    page = phone(who)
    page.goto(_address(world, path))
    box = page.locator(what).locator("visible=true").first.bounding_box()
    assert box is not None
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390, box
    assert box["y"] >= 0 and box["y"] + box["height"] <= 844, box


def test_todays_events_are_in_the_first_screen_of_a_phone(
    world: World, chromium: Any, live_server: Any
) -> None:
    type(world.event).objects.update(starts_on=localdate())
    page = chromium.new_page(**PHONE)
    page.goto(live_server.url)
    box = page.locator("main").get_by_text(world.event.name).bounding_box()
    assert box["y"] + box["height"] <= 844 - 57, box
    page.close()


# Where the next stop is both above and left of the one before, Tab goes back.
BACK = """() => {
  const stops = [...document.querySelectorAll("main :is(a[href], button, input:not([type=hidden]), select, summary)")]
    .filter((one) => one.checkVisibility()).map((one) => [one, one.getBoundingClientRect()]);
  return stops.slice(1).flatMap(([one, box], i) => {
    const [before, was] = stops[i];
    const back = box.bottom <= was.top && box.right <= was.left;
    return back ? [`from ${before.outerHTML.slice(0, 60)} to ${one.outerHTML.slice(0, 60)}`] : [];
  });
}"""


def test_tab_goes_on_from_column_to_column(
    world: World, chromium: Any, live_server: Any, as_user: Callable[[Any], Any], now: Any
) -> None:
    services.clock_start(round=world.match.round, by=world.organizer, now=now)
    services.time_extend(match=world.match, minutes=4, cause="judge-call", by=world.judge, now=now)
    page = chromium.new_page(**DESKTOP, base_url=live_server.url)
    session = as_user(world.judge).cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    for path in (f"/matches/{world.match.pk}", "/decks/formats/coc-lcg/"):
        page.goto(path)
        assert page.locator("main :is(.main-side, .two)").count() == 1, path
        assert page.evaluate(BACK) == [], path
    page.close()


RIGHT = """() => [...document.querySelectorAll("#live tbody tr")].map((row) => {
  const words = document.createRange();
  words.selectNodeContents([...row.children].filter((cell) => cell.checkVisibility() && cell.innerText.trim()).at(-1));
  return Math.round(words.getBoundingClientRect().right);
})"""


@pytest.mark.parametrize("path", ["pairings", "standings"])
def test_the_own_row_stands_in_line_with_the_others(
    world: World, screen: Callable[[str], Any], path: str
) -> None:
    page = screen("ann")
    page.goto(f"{HERE}/{path}")
    page.wait_for_selector("tr.me")
    ours, theirs = page.evaluate(RIGHT)
    assert ours == theirs


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_broad_bracket_keeps_its_size_and_scrolls(
    db: None, chromium: Any, live_server: Any, size: dict[str, Any]
) -> None:
    """Eight players in double elimination are wider than any screen: the names stay readable."""
    cut = {"places": 8, "ties": False}
    simulator = Simulator(Plan(players=10, seed=1, rounds=2, cut=cut, policy="netrunner-nsg"), start=NOW)
    for _told in simulator.rounds():
        if current_stage(simulator.fresh()) is not None:
            break
    page = chromium.new_page(**size)
    page.goto(f"{live_server.url}/events/{simulator.slug}/bracket")
    drawing = page.locator(".bracket svg")
    box = drawing.bounding_box()
    assert box["width"] == int(drawing.get_attribute("width")) > 1400
    assert box["height"] == int(drawing.get_attribute("height"))
    page.close()
