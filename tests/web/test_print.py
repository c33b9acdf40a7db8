"""What is printed fits on its paper, and the hall's display gets to everybody."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from tests.tournament import factories
from tests.web.conftest import World
from tournament import services
from tournament.models import User

SLIP = """() => [...document.querySelectorAll(".match-slip")].flatMap((slip) => {
  const marks = [...slip.querySelectorAll(".box, .qr, .slip-foot")].map((one) => [one, one.getBoundingClientRect()]);
  const edge = slip.getBoundingClientRect();
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return marks.flatMap(([one, at], i) => [
    ...(at.right > edge.right || at.bottom > edge.bottom ? [`${one.textContent} is cut`] : []),
    ...marks.slice(i + 1).filter(([, other]) => meet(at, other)).map(([other]) =>
      `${one.textContent} meets ${other.textContent || "a code"}`),
  ]);
})"""
PAGE = 1032  # what A4 leaves between the margins, in CSS pixels


def test_an_answer_and_its_ruling_print_on_one_page(
    world: World, chromium: Any, live_server: Any, now: Any
) -> None:
    given = services.ruling_give(
        match=world.match, verdict="It stands.", dispute=world.dispute, by=world.judge, now=now
    )
    context = chromium.new_context(base_url=live_server.url, viewport={"width": 688, "height": 400})
    page = context.new_page()
    page.goto("/login")
    page.fill("#id_username", "judge")
    page.fill("#id_password", "judge")
    page.click("main form button.primary")
    page.wait_for_url("**/")
    page.emulate_media(media="print")
    for address, most in (
        (reverse("dispute", args=[world.dispute.pk]), 0.85 * PAGE),
        (reverse("ruling", args=[given.ruling_id]), 0.5 * PAGE),
    ):
        page.goto(address)
        assert page.evaluate("document.body.getBoundingClientRect().height") < most, address
        assert page.pdf(format="A4").count(b"/Type /Page\n") == 1, address
        if "disputes" in address:
            assert page.locator(".rule:visible").count() > 10  # the rules it cites are on it
    context.close()


def test_what_is_printed_names_its_event_once(world: World, phone: Callable[[str], Any]) -> None:
    page = phone("organizer")
    page.emulate_media(media="print")
    for path in ("standings", "bracket", "players", "print/standings", "print/slips", "print/poster"):
        page.goto(f"/events/kingsport/{path}")
        assert page.locator(f":text-is('{world.event.name}'):visible").count() >= 1, path
        assert page.locator(".tabs:visible").count() == (not path.startswith("print")), path
        assert not page.locator(".tab-row").is_visible(), path
    page.evaluate(
        "document.querySelector('main').innerHTML = '<div class=bracket><svg class=broad></svg></div>'"
    )
    assert b"/MediaBox [0 0 842" in page.pdf(format="A4", prefer_css_page_size=True)  # across the sheet


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_box_of_a_slip_can_be_ticked(
    organizer: Any, screen: Callable[[str], Any], now: Any, language: str
) -> None:
    event = factories.make_event(organizer)
    for name in ("Maximilian Castellanos-Whitfield", "Guadalupe Castellanos-Whitfield"):
        services.player_register(event=event, user=None, name=name, by=organizer, now=now)
    services.round_pair(event=event, by=organizer, seed=1, now=now)
    User.objects.filter(pk=organizer.pk).update(language=language)
    page = screen("organizer")
    page.goto(reverse("print-slips", args=[event.slug]))
    assert page.locator(".match-slip .qr").count() == 2
    assert page.evaluate(SLIP) == []
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 720, "height": PAGE})  # 190 mm
    assert page.evaluate(SLIP) == []


def test_six_slips_fill_one_sheet_of_either_size(
    organizer: Any, chromium: Any, live_server: Any, now: Any
) -> None:
    """Cut as a stack they are in order only if a sheet holds six."""
    event = factories.make_event(organizer)
    for number in range(24):
        services.player_register(event=event, user=None, name=f"Ann {number}", by=organizer, now=now)
    services.round_pair(event=event, by=organizer, seed=1, now=now)
    client = Client()
    client.force_login(organizer)
    context = chromium.new_context(base_url=live_server.url)
    session = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    context.add_cookies([session])
    page = context.new_page()
    page.goto(reverse("print-slips", args=[event.slug]))
    for size in ("A4", "Letter"):
        assert page.pdf(format=size).count(b"/Type /Page\n") == 2, size
    context.close()


def test_the_display_in_the_hall_goes_through_all_names_and_begins_again(
    organizer: Any, screen: Callable[[str], Any], now: Any
) -> None:
    event = factories.make_event(organizer)
    factories.enter(event, 90)
    services.round_pair(event=event, by=organizer, seed=1, now=now)
    page = screen("organizer")
    page.clock.install()
    page.goto(reverse("screen", args=[event.slug]))
    first, last = (page.locator(".hall-names li").nth(at) for at in (0, -1))
    expect(last).not_to_be_in_viewport()
    height = page.evaluate("document.documentElement.scrollHeight")
    for _second in range(height // 40 + 10):
        page.clock.run_for(1000)
        if page.evaluate("scrollY + innerHeight >= document.documentElement.scrollHeight - 1"):
            break
    expect(last).to_be_in_viewport()
    page.clock.run_for(7000)
    expect(first).to_be_in_viewport()


def test_the_halls_display_is_dark_on_every_screen_and_ink_on_paper(
    organizer: Any, chromium: Any, live_server: Any, now: Any
) -> None:
    event = factories.make_event(organizer)
    factories.enter(event, 4)
    services.round_pair(event=event, by=organizer, seed=1, now=now)
    page = chromium.new_page(base_url=live_server.url)
    page.goto(reverse("screen", args=[event.slug]))
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    for scheme in ("light", "dark"):
        page.emulate_media(media="screen", color_scheme=scheme)
        assert page.evaluate(ground) == "rgb(10, 11, 13)", scheme
        page.emulate_media(media="print", color_scheme=scheme)
        assert (
            page.evaluate("getComputedStyle(document.querySelector('.hall-names li')).color")
            == "rgb(0, 0, 0)"
        )
    page.close()


IN_ONE_ROW = """() => {
  const parts = [...document.querySelectorAll(".hall-head > *, .hall-clock b, .hall-clock small")];
  const boxes = parts.map((one) => one.getBoundingClientRect());
  return Math.max(...boxes.map((one) => one.top)) < Math.min(...boxes.map((one) => one.bottom))
    && boxes.every((one) => one.right <= innerWidth);
}"""
SHARE = "parseFloat(getComputedStyle(document.querySelector('.hall-clock b')).fontSize) / innerWidth"


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (3840, 2160)], ids=str)
def test_the_halls_clock_stands_in_one_row_and_is_large_on_every_screen(
    organizer: Any, chromium: Any, live_server: Any, now: Any, size: tuple[int, int]
) -> None:
    event = factories.make_event(organizer, name="The Kingsport Open Championship of New England, Autumn")
    factories.enter(event, 24)
    round = services.round_pair(event=event, by=organizer, seed=1, now=now)
    services.clock_start(round=round, by=organizer, now=timezone.now())
    page = chromium.new_page(base_url=live_server.url, viewport={"width": size[0], "height": size[1]})
    page.goto(reverse("screen", args=[event.slug]))
    assert page.locator(".hall-clock b").is_visible()
    assert page.evaluate(IN_ONE_ROW)
    assert page.evaluate(SHARE) >= 0.049  # as large on a wall of many pixels as on one of few
    page.close()
