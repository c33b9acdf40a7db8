"""A slow line: however late a reply comes, it never takes back what somebody did after it was asked for."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from rules import services as rules_services
from tests.rules.scenarios import SHOTGUN, different
from tests.web.conftest import World
from tournament import services

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Every page with a part that renews itself. Who: what they look at.
HERE = "/events/kingsport"
PAGES = {
    "ann": [f"{HERE}/match", f"{HERE}/", f"{HERE}/pairings", f"{HERE}/standings"],
    "organizer": [f"{HERE}/control", f"{HERE}/calls", f"{HERE}/tables", f"{HERE}/screen", f"{HERE}/bracket"],
    "judge": ["/matches/{match}/file", "/rules/disputes/{dispute}"],
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


@pytest.mark.parametrize("milliseconds", [800, 3000])
def test_a_late_reply_takes_nothing_back(
    world: World, phone: Callable[[str], Any], milliseconds: int, now: datetime
) -> None:
    services.call_withdraw(call=world.call, by=world.ann, now=now)
    services.statement_make(match=world.match, text="He passed.", by=world.ann, now=now)
    services.result_report(match=world.match, by=world.bo, outcome="win", now=now)
    waiting = rules_services.dispute_file(
        by=world.judge, title="Another", source=different(SHOTGUN, 5), now=now
    )
    words = {"match": world.match.pk, "dispute": waiting.pk}
    for who, paths in PAGES.items():
        first = phone(who)
        tabs = [first] + [first.context.new_page() for _ in paths[1:]]
        for page, path in zip(tabs, paths, strict=True):
            page.add_init_script(RESTLESS)
            page.goto(path.format(**words))
            line = page.context.new_cdp_session(page)
            line.send("Network.enable")
            line.send(
                "Network.emulateNetworkConditions",
                {"offline": False, "latency": milliseconds, "downloadThroughput": -1, "uploadThroughput": -1},
            )
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
        assert who != "ann" or len(wanted[0]) > 3, "there is something to do on my match"
        first.context.close()
