"""Alerts on My match: those a player chose on the device, each once."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.utils import timezone
from playwright.sync_api import expect

from config import web_push
from tests.web.conftest import World
from tournament import services
from tournament.models import AlertAddress
from tournament.selectors import policy_of

SOON = 15_000


def test_a_player_is_alerted_of_what_was_chosen_and_of_nothing_else(
    world: World, phone: Callable[[str], Any], now: Any
) -> None:
    page = phone("ann")
    page.goto(f"/events/{world.event.slug}/match")
    shown, choice = page.locator("#alert-shown p"), page.locator("#alert-choice")
    expect(page.locator("#alert-shown")).to_be_hidden()  # what is there already is no news
    choice.locator("summary").click()
    for kind in ("time", "five"):
        choice.locator(f"input[value={kind}]").check()

    services.call_claim(call=world.call, by=world.judge, now=timezone.now())
    expect(page.locator("#my-call")).to_contain_text("on the way", timeout=SOON)
    expect(shown).to_have_count(0)  # not chosen
    services.time_extend(
        match=world.match, minutes=3, reason="Deck check", by=world.judge, now=timezone.now()
    )
    expect(shown).to_have_text(["3 more minutes for your table"], timeout=SOON)

    minutes = policy_of(world.event).minutes(bracket=False) + 3
    began = timezone.now() - timedelta(minutes=minutes - 5)
    services.clock_start(round=world.match.round, by=world.organizer, now=began)
    expect(shown).to_have_text(
        ["3 more minutes for your table", "The round ends in five minutes."], timeout=SOON
    )
    page.click("#alert-dismiss")
    page.reload()
    expect(page.locator("#alert-choice input[value=time]")).to_be_checked()
    page.wait_for_timeout(1500)
    expect(page.locator("#alert-shown")).to_be_hidden()  # each once


def test_who_chose_nothing_is_not_disturbed(world: World, phone: Callable[[str], Any], now: Any) -> None:
    page = phone("ann")
    page.goto(f"/events/{world.event.slug}/match")
    services.call_claim(call=world.call, by=world.judge, now=timezone.now())
    expect(page.locator("#alerts")).to_contain_text("on the way", timeout=SOON)
    page.wait_for_timeout(1500)
    expect(page.locator("#alert-shown")).to_be_hidden()


NO_PUSH_SERVICE = """
  // No push service can be reached here: the browser's part of it, kept on the device.
  const NAME = "held-by-test", of = (text) => Uint8Array.from(text.split(",").map(Number)).buffer;
  const held = () => {
    const kept = localStorage.getItem(NAME);
    return kept && {
      endpoint: "https://push.example.org/" + kept.length,
      options: { applicationServerKey: of(kept) },
      toJSON() { return { endpoint: this.endpoint, keys: { p256dh: "%(key)s", auth: "%(secret)s" } }; },
      async unsubscribe() { localStorage.removeItem(NAME); return true; },
    };
  };
  PushManager.prototype.getSubscription = async () => held();
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    localStorage.setItem(NAME, String(new Uint8Array(applicationServerKey)));
    return held();
  };
"""


def test_a_device_is_alerted_while_the_page_is_closed_if_a_player_wants_it(
    world: World, phone: Callable[[str], Any], settings: Any, live_server: Any
) -> None:
    settings.WEB_PUSH_KEY, settings.WEB_PUSH_CONTACT = web_push.new_key(), "mailto:hall@example.org"
    settings.WEB_PUSH_HOSTS = ["push.example.org"]
    page = phone("ann")
    page.context.grant_permissions(["notifications"])
    known = {"key": web_push.public_key(), "secret": "A" * 22}  # any point of the curve will do
    page.add_init_script(NO_PUSH_SERVICE % known)
    page.goto(f"/events/{world.event.slug}/match")
    choice = page.locator("#alert-choice")
    choice.locator("summary").click()
    closed = choice.get_by_label("Also when this page is closed")
    expect(closed).to_be_visible()
    choice.locator("input[value=paired]").check()
    assert not AlertAddress.objects.exists()  # nothing leaves the device before the player says so
    with page.expect_response("**/api/v1/me/alerts/browsers"):
        closed.check()
    with page.expect_response("**/api/v1/me/alerts/browsers"):
        choice.locator("input[value=judge]").check()
    [address] = AlertAddress.objects.all()
    assert (address.user, address.kinds) == (world.ann, ["paired", "judge"])

    page.reload()
    choice.locator("summary").click()
    expect(closed).to_be_checked()
    worker = _worker(page)
    told = {"title": "Kingsport Open", "body": "Table 3", "page": "/events/kingsport/match", "tag": "x"}
    worker(json.dumps(told), live_server.url)
    shown = (
        "async () => (await (await navigator.serviceWorker.ready).getNotifications()).map((one) => one.body)"
    )
    page.wait_for_function(f"async () => String(await ({shown})()) === 'Table 3'")

    with page.expect_response("**/api/v1/me/alerts/browsers/*"):
        closed.uncheck()
    assert not AlertAddress.objects.exists()


def _worker(page: Any) -> Callable[[str, str], Any]:
    """What delivers a message to the page's service worker, as a push service would."""
    session, found = page.context.new_cdp_session(page), list[str]()
    session.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda told: found.extend(one["registrationId"] for one in told["registrations"]),
    )
    session.send("ServiceWorker.enable")
    page.evaluate("navigator.serviceWorker.ready.then(() => 1)")

    def deliver(data: str, origin: str) -> None:
        sent = {"origin": origin, "registrationId": found[-1], "data": data}
        session.send("ServiceWorker.deliverPushMessage", sent)

    return deliver


def test_without_a_key_nobody_is_asked_about_closed_pages(world: World, phone: Callable[[str], Any]) -> None:
    page = phone("ann")
    page.goto(f"/events/{world.event.slug}/match")
    page.locator("#alert-choice summary").click()
    expect(page.get_by_label("Also when this page is closed")).to_be_hidden()
