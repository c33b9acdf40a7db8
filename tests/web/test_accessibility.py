"""Every page in a phone's browser: no violation of WCAG 2.2 A and AA in light or dark, and targets for fingers."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.conftest import PHONE, World
from tests.web.test_pages import PAGES, WHO, address

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text(encoding="utf-8")
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
RUN = """async (options) => (await axe.run(document, options)).violations.flatMap(
  (rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(" ")} ${node.failureSummary.slice(0, 240)}`))"""
TOUCHED = "button, summary, select, input:not([type=hidden]), textarea, .tabs a, .places a, .lines > li > a"
SMALL = f"""() => [...document.querySelectorAll("{TOUCHED}")]
  .filter((one) => one.checkVisibility({{ visibilityProperty: true }}) && !one.matches(".away, .away *, .cite"))"""
SMALL += """
  .map((one) => [one, (one.closest("label") ?? one).getBoundingClientRect().height])
  .filter(([one, height]) => height < (one.matches(".refused > summary") ? 32 : 43.5))
  .map(([one, height]) => `${Math.round(height)} px high: ${one.outerHTML.slice(0, 120)}`)"""
OPEN = "() => document.querySelectorAll('details:not(.menu)').forEach((one) => { one.open = true; })"
WIDE = "() => document.documentElement.scrollWidth > window.innerWidth + 1"
NO_PAGE = {
    "event-file",
    "policy-file",
    "dispute-case",
    "deck-export",
    "table-file",
    "my-data",
    "metrics",
}  # files
SHARES = 3  # of the organizer's many pages, so that several processes can take them
BY = {
    "nobody": {"home", "login", "sign-up", "event", "join", "screen"},
    "ann": {"home", "event", "my-match", "register", "match", "player-penalties", "penalty", "standings"},
    "judge": {"home", "event-control", "event-calls", "call", "match", "dispute"},
}


def pages(who: str) -> list[str]:
    """The pages to look at as this person: those named above, and those that nobody before may see."""
    place = {name: number for number, name in enumerate(WHO)}
    seen = []
    for name, (_path, statuses) in PAGES.items():
        if name in NO_PAGE or statuses[place[who]] != 200:
            continue
        first = next(one for one in ("organizer", "judge", "ann", "nobody") if statuses[place[one]] == 200)
        if first == who or name in BY.get(who, ()):
            seen.append(name)
    return seen


@pytest.fixture
def eyes(chromium: Any, live_server: Any, as_user: Callable[[Any], Any]) -> Iterator[Callable[[Any], Any]]:
    """eyes(user) -> a page in a phone's browser, logged in without typing."""
    contexts = []

    def open_as(user: Any) -> Any:
        context = chromium.new_context(**PHONE, base_url=live_server.url, reduced_motion="reduce")
        contexts.append(context)
        if user is not None:
            cookie = as_user(user).cookies["sessionid"]
            context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": live_server.url}])
        return context.new_page()

    yield open_as
    for context in contexts:
        context.close()


@pytest.mark.parametrize(
    ("who", "share"),
    [("nobody", 0), ("ann", 0), ("judge", 0), *(("organizer", share) for share in range(SHARES))],
)
def test_every_page_is_for_everybody(world: World, eyes: Callable[[Any], Any], who: str, share: int) -> None:
    page = eyes(None if who == "nobody" else getattr(world, who))
    found = []
    for name in pages(who)[share :: SHARES if who == "organizer" else 1]:
        page.emulate_media(color_scheme="light")
        page.goto(address(PAGES[name][0], world))
        page.evaluate(OPEN)
        page.evaluate(AXE)
        options: dict[str, Any] = {
            "runOnly": {"type": "tag", "values": LEVELS},
            "rules": {"target-size": {"enabled": True}},
            "resultTypes": ["violations"],
        }
        found += [f"{name}, light: {fault}" for fault in page.evaluate(RUN, options)]
        found += [f"{name}: {fault}" for fault in page.evaluate(SMALL)]
        if page.evaluate(WIDE):
            found.append(f"{name}: wider than the phone")
        page.emulate_media(color_scheme="dark")
        dark = {"runOnly": {"type": "rule", "values": ["color-contrast"]}, "resultTypes": ["violations"]}
        found += [f"{name}, dark: {fault}" for fault in page.evaluate(RUN, dark)]
    assert not found, "\n".join(found)
