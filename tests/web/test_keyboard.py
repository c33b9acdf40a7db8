"""A whole journey each by keyboard alone: every step is reached with Tab, seen where it is, and taken with a key."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest

from rules.models import Dispute, Ruling
from rules.tasks import adjudicate
from tests.tournament import factories
from tests.tournament.factories import LEGAL
from tests.web.conftest import DESKTOP, World
from tests.web.test_taps import PLAYERS, call_a_judge
from tournament import services
from tournament.models import Event, Match, User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FARTHEST = 120  # presses of Tab
# The outline may stand around the label of a box or a choice, or the field that a box stands in.
SEEN = """e => [e, e.closest('label'), e.parentElement, e.nextElementSibling].some(one => {
  if (!one) return false
  const style = getComputedStyle(one)
  return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0
})"""


# Where the focus is: what it is on, whether that shows, and what lies over its middle.
WHERE = """([seen]) => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const box = (e.getBoundingClientRect().width < 3 ? e.closest('label') ?? e : e).getBoundingClientRect();
  const over = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  const own = [e, e.closest('label'), e.nextElementSibling].filter(Boolean);
  return {
    name: `${e.localName} “${(e.innerText || e.name || e.id).trim().slice(0, 30)}”`,
    seen: eval(seen)(e),
    hidden: box.height < innerHeight / 2 && !(over && own.some(one => one.contains(over) || over.contains(one))),
  };
}"""
NARROW = {"viewport": {"width": 390, "height": 844}}  # also a desktop's window at 330 %
STOPS = {
    "ann": ("/", "/events/kingsport/match", "/events/kingsport/mine", "/decks/{deck}/edit", "/account"),
    "organizer": (
        "/events/kingsport/control",
        "/events/kingsport/slips",
        "/events/kingsport/settings",
        "/events/new",
    ),
    "judge": (
        "/events/kingsport/calls/{call}",
        "/rules/disputes/{dispute}",
        "/rules/table/{table}/",
        "/rules/coc-ccg/",
    ),
}
MOST_STOPS = 60


class Keys:
    """A keyboard in front of one page; there is no mouse."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def to(self, what: str) -> None:
        """Tab to the first element that matches, from where the focus is."""
        there = self.page.locator(what).first
        there.wait_for(state="attached")
        for _ in range(FARTHEST):
            if there.evaluate("e => e === document.activeElement"):
                assert there.evaluate(SEEN), f"the focus does not show on {what}"
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not come to {what}")

    def press(self, what: str, key: str = "Enter") -> None:
        self.to(what)
        self.page.keyboard.press(key)

    def write(self, field: str, text: str) -> None:
        self.to(field)
        self.page.keyboard.press("ControlOrMeta+A")
        self.page.keyboard.type(text)


@pytest.fixture
def keys(chromium: Any, live_server: Any) -> Iterator[Callable[[str], Keys]]:
    """keys("ann") -> a keyboard on the start page of a desktop's browser, logged in as ann; keys("") as nobody."""
    contexts = []

    def sit_down(username: str) -> Keys:
        context = chromium.new_context(**DESKTOP, base_url=live_server.url)
        contexts.append(context)
        page = context.new_page()
        hands = Keys(page)
        page.goto("/")
        if username:
            hands.press("header a:has-text('Log in')")
            page.wait_for_url("**/login**")
            hands.write("#id_username", username)
            hands.write("#id_password", username)
            page.keyboard.press("Enter")
            page.wait_for_url("**/")
        return hands

    yield sit_down
    for context in contexts:
        context.close()


@pytest.mark.parametrize("who", list(STOPS))
def test_the_focus_shows_and_stops_under_no_bar(
    world: World, chromium: Any, live_server: Any, as_user: Callable[[Any], Any], who: str
) -> None:
    """WCAG 2.2, 2.4.7 and 2.4.11, where the room is least: the navigation and what comes next lie over the page."""
    context = chromium.new_context(**NARROW, base_url=live_server.url, reduced_motion="reduce")
    cookie = as_user(getattr(world, who)).cookies["sessionid"]
    context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": live_server.url}])
    page, faults = context.new_page(), []
    for path in STOPS[who]:
        page.goto(
            path.format(
                deck=world.deck.pk, call=world.call.pk, dispute=world.dispute.pk, table=world.table.pk
            )
        )
        for _ in range(MOST_STOPS):
            page.keyboard.press("Tab")
            stop = page.evaluate(WHERE, [SEEN])
            if stop is None:
                break
            if not stop["seen"] or stop["hidden"]:
                faults.append((path, stop))
    context.close()
    assert not faults


def test_a_sheet_and_a_menu_close_when_the_focus_leaves_them(
    world: World, keys: Callable[[str], Keys]
) -> None:
    from playwright.sync_api import expect

    world.call.delete()
    hands = keys("ann")
    page = hands.page
    page.goto("/events/kingsport/match")
    hands.press("button:has-text('Call a judge')")
    sheet = page.locator("#judge")
    expect(sheet).to_be_visible()
    hands.to("#judge button:has-text('Call') >> nth=-1")
    expect(sheet).to_be_visible()
    page.keyboard.press("Tab")
    expect(sheet).to_be_hidden()
    hands.to("header summary")
    page.keyboard.press("Enter")
    expect(page.locator("header details[open]")).to_have_count(1)
    hands.to(".tabs a >> nth=0")
    expect(page.locator("details.menu[open]")).to_have_count(0)


def test_a_player_from_an_account_to_the_final_standings(
    keys: Callable[[str], Keys], bo: Any, organizer: Any, now: datetime
) -> None:
    from playwright.sync_api import expect

    event = factories.make_event(organizer, planned_rounds=1)
    services.player_register(event=event, user=bo, revision=factories.make_revision(bo), by=bo, now=now)
    hands = keys("")
    page = hands.page
    hands.press("main a:has-text('Kingsport Open')")
    hands.press("main a:has-text('Create one')")
    hands.write("#id_display_name", "Cleo")
    hands.write("#id_username", "cleo")
    hands.write("#id_password", "correct horse 7")
    hands.press("main form button.primary")
    hands.write("#id_name", "Cleo's deck")
    hands.to("#id_text")
    page.keyboard.insert_text(LEGAL)  # pasted
    hands.press("main form button.primary >> text=Register")
    expect(page.locator(".next")).to_contain_text("your decklist is in")
    services.round_pair(event=event, by=organizer, seed=1, now=now)
    expect(page.locator("body")).to_contain_text("Report the result")
    hands.press("main a:has-text('Report the result')")
    hands.press("button[value=win]")
    expect(page.locator("#live")).to_contain_text("You reported: won")
    match = Match.objects.get()
    services.result_report(match=match, by=User.objects.get(username="bo"), outcome="loss", now=now)
    services.round_finish(round=match.round, by=organizer, now=now)
    hands.press("main a:has-text('See the final standings')")
    expect(page.locator("tr.me .first")).to_have_text("1")


def test_an_organizer_from_creating_an_event_to_its_end(keys: Callable[[str], Keys], organizer: Any) -> None:
    from playwright.sync_api import expect

    hands = keys("organizer")
    page = hands.page
    hands.press("main a:has-text('Create an event')")
    hands.write("#id_name", "Harbor Open")
    hands.press("summary:has-text('Rounds, cut')")
    hands.write("#id_planned_rounds", "1")
    hands.write("#id_cut", "2")
    hands.press("button:has-text('Open registration')")
    hands.press(".next a:has-text('Add a player')")
    for name in PLAYERS[:4]:
        expect(page.locator("#id_name")).to_be_focused()
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        expect(page.locator(".problem.done")).to_contain_text(name)
    hands.press(".tabs a:has-text('Control')")
    hands.press("button:has-text('Pair and publish now')")
    expect(page.locator("h1")).to_contain_text("Round 1")
    hands.press("main a:has-text('Enter match slips')")
    for table in ("1", "2"):
        _slip(page, table)
    hands.press(".tabs a:has-text('Control')")
    hands.press("button:has-text('End round 1')")
    hands.press("a:has-text('Review the cut')")
    hands.press("button:has-text('Make the cut')")
    hands.press("button:has-text('Publish the round')")
    expect(page.locator("h1")).to_contain_text("Final")
    hands.press("main a:has-text('Enter match slips')")
    _slip(page, "1")
    hands.press(".tabs a:has-text('Control')")
    hands.press("button:has-text('End the event')")
    expect(page.locator(".next .say")).to_contain_text("The event is over")
    assert Event.objects.get().state == Event.State.FINISHED


def _slip(page: Any, table: str) -> None:
    """The winner of a table is the one who is named first."""
    from playwright.sync_api import expect

    expect(page.locator("#id_table")).to_be_focused()
    page.keyboard.type(table)
    page.keyboard.press("Tab")
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    expect(page.locator(".waiting[data-state=done]", has_text=f"Table {table}:")).to_be_visible()


def test_a_judge_from_the_call_to_the_ruling(
    keys: Callable[[str], Keys], ann: Any, bo: Any, judge: Any, organizer: Any, now: datetime
) -> None:
    from playwright.sync_api import expect

    call_a_judge(ann, bo, judge, organizer, now)

    hands = keys("judge")
    page = hands.page
    hands.press("main a:has-text('judge call waiting')")
    hands.press("button:has-text('On my way')")
    hands.press("button:has-text('Ask the engine')")
    expect(page.locator(".laid > li")).to_have_count(2)
    turn = ".chips label:has-text('Ann’s turn') input"
    if not page.locator(turn).is_checked():
        hands.to(".chips:has(label:has-text('Ann’s turn')) input:checked")
        page.keyboard.press("ArrowLeft")
    expect(page.locator(turn)).to_be_checked()
    hands.press("#played button:has-text('Shotgun Blast')")
    expect(page.locator(".done-list > li")).to_have_count(1)
    hands.press("#ask button")
    page.wait_for_url("**/rules/disputes/*")
    adjudicate(Dispute.objects.get().adjudications.get().pk)
    expect(page.locator(".answer .say")).to_contain_text("Bo may use Field Researcher.")
    hands.press("a:has-text('Give this ruling')")
    hands.press("button:has-text('Give the ruling')")
    page.wait_for_url("**/rulings/*")
    assert "Bo may use Field Researcher." in Ruling.objects.get().verdict
