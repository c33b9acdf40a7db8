"""Every page in a phone's browser: no violation of WCAG 2.2 A and AA in light or dark, targets for fingers; and nothing
on it comes from elsewhere."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.access import table
from tests.web.conftest import PHONE

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
SHARES = 2  # of the staff's many pages, so that several processes can take them
LOOKERS = ("nobody", "player", "judge", "owner")
HERE = "/events/kingsport"
ALSO = {  # pages that look otherwise to somebody who is not the first to see them
    "player": {"/", f"{HERE}/", f"{HERE}/match", f"{HERE}/register", f"{HERE}/standings", "/matches/{match}"},
    "judge": {"/", f"{HERE}/control", f"{HERE}/calls", f"{HERE}/calls/{{call}}", "/matches/{match}"},
}


def pages(who: str) -> list[str]:
    """The addresses to look at as this person: those named above, and those that nobody before may see."""
    before = LOOKERS[: LOOKERS.index(who)]
    seen = {row.address for one in before for row in table.pages(one)}
    return [
        row.address for row in table.pages(who) if row.address not in seen or row.address in ALSO.get(who, ())
    ]


@pytest.fixture
def eyes(chromium: Any, live_server: Any, as_user: Callable[[Any], Any]) -> Iterator[Callable[[Any], Any]]:
    """eyes(user) -> a page in a phone's browser, logged in without typing."""
    contexts, elsewhere = [], []

    def refuse(route: Any) -> None:
        elsewhere.append(route.request.url)
        route.abort()

    def open_as(user: Any) -> Any:
        context = chromium.new_context(**PHONE, base_url=live_server.url, reduced_motion="reduce")
        contexts.append(context)
        context.route(lambda address: not address.startswith((live_server.url, "data:")), refuse)
        if user is not None:
            cookie = as_user(user).cookies["sessionid"]
            context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": live_server.url}])
        return context.new_page()

    yield open_as
    for context in contexts:
        context.close()
    assert not elsewhere, "a hall without internet has no more than this service"


@pytest.mark.parametrize(
    ("who", "share"),
    [("nobody", 0), ("player", 0), *((who, share) for who in ("judge", "owner") for share in range(SHARES))],
)
def test_every_page_is_for_everybody(
    everything: Any, eyes: Callable[[Any], Any], who: str, share: int
) -> None:
    person, words = everything
    page = eyes(person.get(who))
    found = []
    for name in pages(who)[share :: SHARES if who in ("judge", "owner") else 1]:
        page.emulate_media(color_scheme="light")
        page.goto(name.format(**words))
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
