"""Away from the network: pages stay, what was written waits, is shown to wait, and is sent once."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from config.models import KeptAnswer
from tests.web.conftest import PHONE, World
from tournament import services
from tournament.models import Match, Report
from tournament.selectors import match_state

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Phone = Callable[[str], Any]
HERE = "/events/kingsport"
# The service worker keeps pages once it has taken over, and the pages of the event that my match names.
READY = """async (paths) => {
  await navigator.serviceWorker.ready;
  const pages = await caches.open("headjudge-pages");
  for (let tries = 0; tries < 200; tries++) {
    if ((await Promise.all(paths.map((path) => pages.match(path, { ignoreVary: true })))).every(Boolean)
      && navigator.serviceWorker.controller) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("not kept: " + (await pages.keys()).map((one) => one.url));
}"""


def away(page: Any, yes: bool = True) -> None:
    """Cut the network of the page's browser, its service worker's too, or give it back."""
    page.context.set_offline(yes)


def at_my_match(page: Any, *also: str) -> Any:
    page.goto(f"{HERE}/match")
    page.evaluate(READY, [f"{HERE}/match", *also])
    return page


def tap(page: Any, button: str) -> None:
    page.get_by_role("button", name=button, exact=True).click()


def test_a_report_made_away_waits_and_is_sent_once(world: World, phone: Phone, now: datetime) -> None:
    from playwright.sync_api import expect

    services.call_withdraw(call=world.call, by=world.ann, now=now)
    entry = world.entry(world.ann)
    kept = [f"{HERE}/pairings", f"{HERE}/standings", f"{HERE}/decks/{entry.pk}"]
    page = at_my_match(phone("ann"), *kept)
    away(page)
    tap(page, "I won")
    waiting = page.locator(".waiting")
    expect(waiting).to_contain_text("I won")
    expect(waiting).to_contain_text("Waiting to send")
    page.reload()  # the browser has nothing to ask
    expect(page.locator("#offline")).to_contain_text("You’re offline")
    expect(page.locator(".table-no .n")).to_have_text(str(world.match.table))
    expect(waiting).to_contain_text("Waiting to send")
    for path in kept:
        page.goto(path)
        expect(page.locator("#offline")).to_contain_text("Waiting to be sent: 1")
    page.goto(f"{HERE}/players/{entry.pk}/edit")  # never opened before
    expect(page.locator("h1")).to_have_text("You’re offline")
    page.get_by_role("link", name="My match").click()
    page.locator(".call-bar").get_by_role("button", name="Show the judge flag").click()
    expect(page.locator("#flag b")).to_have_text(str(world.match.table))
    page.locator("#flag button").click()
    assert not Report.objects.exists()

    away(page, False)
    expect(page.locator("#live")).to_contain_text("You reported: won")
    expect(page.locator("#offline")).to_be_hidden()
    expect(waiting).to_have_count(0)
    assert [one.outcome for one in Report.objects.all()] == [outcome_of(world, "win")]
    assert KeptAnswer.objects.count() == 1


def outcome_of(world: World, said: str) -> str:
    side = world.match.seats.get(registration__user=world.ann).side
    return said if side == 1 else {"win": "loss", "loss": "win"}[said]


def test_what_was_changed_away_is_what_counts(world: World, phone: Phone) -> None:
    from playwright.sync_api import expect

    page = at_my_match(phone("ann"))
    away(page)
    tap(page, "I won")
    tap(page, "Change the report")
    tap(page, "I lost")
    expect(page.locator(".waiting")).to_have_count(1)
    tap(page, "Show as a slip")
    expect(page.locator("#paper-slip")).to_contain_text("I lost")
    tap(page, "Close")
    away(page, False)
    expect(page.locator("#live")).to_contain_text("You reported: lost")
    assert [one.outcome for one in Report.objects.all()] == [outcome_of(world, "loss")]


def test_it_is_sent_after_the_browser_was_closed(
    world: World, chromium: Any, chromium_path: str, live_server: Any, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    def opened() -> Any:
        return chromium.browser_type.launch_persistent_context(
            tmp_path,
            **PHONE,
            base_url=live_server.url,
            executable_path=chromium_path,
            args=["--no-sandbox"],
        )

    browser = opened()
    page = browser.new_page()
    page.goto("/login")
    page.fill("#id_username", "ann")
    page.fill("#id_password", "ann")
    page.click("main form button.primary")
    page.wait_for_url("**/")
    at_my_match(page)
    away(page)
    tap(page, "I won")
    expect(page.locator(".waiting")).to_contain_text("Waiting to send")
    browser.close()
    assert not Report.objects.exists()

    browser = opened()
    page = browser.new_page()
    page.goto(f"{HERE}/standings")  # whichever page it is
    for _ in range(100):
        if Report.objects.exists():
            break
        page.wait_for_timeout(100)
    page.goto(f"{HERE}/match")
    expect(page.locator("#live")).to_contain_text("You reported: won")
    assert Report.objects.count() == 1
    browser.close()


def test_an_answer_that_is_lost_does_not_make_two_reports(world: World, phone: Phone) -> None:
    """The report arrives, the answer does not: it is sent again, and is there already."""
    from playwright.sync_api import expect

    page = phone("ann")
    page.goto(f"{HERE}/match")
    page.evaluate("""() => {
      const ask = window.fetch;
      window.fetch = async (...asked) => { await ask(...asked); window.fetch = ask; throw new TypeError("lost"); };
    }""")
    tap(page, "I won")
    expect(page.locator("#live")).to_contain_text("You reported: won")
    page.reload()
    expect(page.locator(".waiting")).to_have_count(0)
    assert (Report.objects.count(), KeptAnswer.objects.count()) == (1, 1)


@pytest.mark.parametrize(("said", "state"), [("I lost", "confirmed"), ("I won", "conflict")])
def test_two_who_reported_apart_are_two_reports(world: World, phone: Phone, said: str, state: str) -> None:
    from playwright.sync_api import expect

    hers, his = at_my_match(phone("ann")), at_my_match(phone("bo"))
    for page, button in ((hers, "I won"), (his, said)):
        away(page)
        tap(page, button)
        expect(page.locator(".waiting")).to_contain_text("Waiting to send")
    away(his, False)
    expect(his.locator("#live")).to_contain_text("You reported:")
    away(hers, False)
    words = "You both reported the same result" if state == "confirmed" else "Your reports don’t match"
    for page in (hers, his):
        expect(page.locator("#live")).to_contain_text(words)
    assert match_state(Match.objects.get()).state == state


def test_what_waited_does_not_replace_what_was_said_since(world: World, phone: Phone, now: datetime) -> None:
    """Ann's phone is away; on her other device she says something else; then the phone comes back."""
    from playwright.sync_api import expect

    page = at_my_match(phone("ann"))
    away(page)
    tap(page, "I won")
    services.result_report(match=world.match, by=world.ann, outcome="draw", now=now)
    away(page, False)
    expect(page.locator(".waiting")).to_contain_text("You have reported this match again since")
    expect(page.locator("#live")).to_contain_text("You reported: draw")
    tap(page, "Dismiss")
    expect(page.locator(".waiting")).to_have_count(0)
    assert Report.objects.count() == 1


def test_what_waits_is_not_sent_in_anothers_name_nor_for_another_match(
    world: World, phone: Phone, now: datetime
) -> None:
    """Ann's report waits on a phone on which Bo logs in; meanwhile the next round begins."""
    from playwright.sync_api import expect

    services.call_withdraw(call=world.call, by=world.ann, now=now)
    page = at_my_match(phone("ann"))
    away(page)
    tap(page, "I won")
    expect(page.locator(".waiting")).to_contain_text("Waiting to send")
    page.context.clear_cookies(name="sessionid")
    services.result_decide(match=world.match, by=world.organizer, outcome="draw", reason="slip", now=now)
    services.round_finish(round=world.match.round, by=world.organizer, now=now)
    services.round_pair(event=world.event, by=world.organizer, seed=2, now=now)
    away(page, False)
    as_they(page, "bo")
    page.goto(f"{HERE}/match")
    expect(page.locator("#live")).to_contain_text("Round 2")
    expect(page.locator(".waiting")).to_have_count(0)
    as_they(page, "ann")
    page.goto(f"{HERE}/match")
    expect(page.locator("#live")).to_contain_text("Round 2")
    refused = page.locator("#outbox-rest")  # it went to the match it was made for
    expect(refused).to_contain_text("Round 1, Table 1: I won")
    expect(refused).to_contain_text("Event staff have decided this match")
    assert not Report.objects.filter(seat__isnull=False).exists()


def as_they(page: Any, who: str) -> None:
    page.context.clear_cookies(name="sessionid")
    page.goto("/login")
    page.fill("#id_username", who)
    page.fill("#id_password", who)
    page.click("main form button.primary")
    page.wait_for_url("**/")


def test_slips_typed_away_are_entered_once(world: World, phone: Phone) -> None:
    from playwright.sync_api import expect

    page = phone("organizer")
    page.goto(f"{HERE}/slips")
    page.evaluate(READY, [])
    page.reload()
    away(page)
    for table, result in (("1", "1"), ("77", "2")):
        page.fill("#id_table", table)
        page.fill("#id_result", result)
        page.keyboard.press("Enter")
        expect(page.locator("#id_table")).to_have_value("")
        expect(page.locator("#id_table")).to_be_focused()
    expect(page.locator(".waiting")).to_have_count(2)
    page.reload()
    expect(page.locator(".waiting").first).to_contain_text("Table 1: 1")
    away(page, False)
    expect(page.locator(".waiting[data-state=done]")).to_contain_text("Table 1: ")
    expect(page.locator(".waiting[data-state=refused]")).to_contain_text("Round 1 has no table 77")
    expect(page.locator("#live")).to_contain_text("0 open tables")
    tap(page, "Correct it")
    expect(page.locator("#id_table")).to_have_value("77")
    assert [one.outcome for one in Report.objects.all()] == ["win"]


def test_where_no_worker_may_stand_in_the_page_stays(
    world: World, chromium: Any, chromium_path: str, live_server: Any, settings: Any
) -> None:
    """A laptop in the hall, over http: browsers keep no pages, but nobody is led away from the open one."""
    from playwright.sync_api import expect

    settings.ALLOWED_HOSTS = ["*"]
    port = live_server.url.rpartition(":")[2]
    named = "--host-resolver-rules=MAP hall.example 127.0.0.1"
    browser = chromium.browser_type.launch(executable_path=chromium_path, args=["--no-sandbox", named])
    page = browser.new_context(**PHONE, base_url=f"http://hall.example:{port}").new_page()
    as_they(page, "ann")
    page.goto(f"{HERE}/match")
    assert not page.evaluate("window.isSecureContext")
    away(page)
    page.get_by_role("link", name="Standings").click()
    expect(page.locator("#offline")).to_be_visible()
    tap(page, "I won")
    expect(page.locator(".waiting")).to_contain_text("Waiting to send")
    page.locator("#drop > summary").click()
    tap(page, "Drop from the event")
    expect(page.locator(".waiting")).to_contain_text("Waiting to send")
    away(page, False)
    expect(page.locator("#live")).to_contain_text("You reported: won")
    page.get_by_role("link", name="Standings").click()
    expect(page.locator("h1")).to_have_text("Standings")
    browser.close()
