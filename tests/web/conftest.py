"""An event as people find it: Ann and Bo sit at one table, a dispute at it is answered, a visitor looks on."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest
from django.utils import timezone

from decks.models import Deck, Recheck
from decks.services import recheck_start
from rules import services as rules_services
from rules.models import Dispute, Table
from rules.tasks import adjudicate
from tests.access.world import people
from tests.access.world import world as everybodys_world
from tests.rules.scenarios import SHOTGUN
from tests.tournament import factories
from tests.tournament.factories import make_staff
from tournament import services
from tournament.models import DeckCheck, Event, JudgeCall, Match, Penalty, Registration, User

DESKTOP = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


@dataclass
class World:
    event: Event
    match: Match
    dispute: Dispute
    deck: Deck
    ann: User
    bo: User
    judge: User
    organizer: User
    visitor: User
    check: DeckCheck
    recheck: Recheck
    secret: str
    penalty: Penalty
    call: JudgeCall
    table: Table

    def entry(self, user: User) -> Registration:
        return self.event.registrations.get(user=user)


@pytest.fixture
def world(ann: Any, bo: Any, judge: Any, organizer: Any, visitor: Any, now: datetime) -> World:
    event = factories.make_event(organizer, planned_rounds=3)
    make_staff(event=event, user=judge, role="judge", by=organizer, now=now)
    for player in (ann, bo):
        revision = factories.make_revision(player)
        services.player_register(event=event, user=player, revision=revision, by=player, now=now)
    services.round_pair(event=event, by=organizer, seed=1, now=now)
    match = Match.objects.get(round__event=event)
    filed = services.dispute_file(match=match, by=judge, title="May Bo respond?", source=SHOTGUN, now=now)
    adjudicate(filed.dispute.adjudications.get().pk)
    deck = Deck.objects.get(owner=ann)
    check = services.deck_check_start(registration=event.registrations.get(user=ann), by=judge, now=now)
    recheck = recheck_start(format="coc-lcg", what_if=True, by=organizer, now=now)
    _invite, secret = services.invite_make(event=event, role="judge", by=organizer, now=timezone.now())
    table = rules_services.table_open(by=judge, source=SHOTGUN, title="The shot", now=now)
    entry = event.registrations.get(user=ann)
    penalty = services.penalty_issue(registration=entry, infraction="slow-play", by=judge, now=now)
    call = services.call_open(match=match, subject="rules", by=ann, now=now)
    return World(
        event,
        match,
        filed.dispute,
        deck,
        ann,
        bo,
        judge,
        organizer,
        visitor,
        check,
        recheck,
        secret,
        penalty,
        call,
        table,
    )


@pytest.fixture
def everything(settings: Any) -> tuple[dict[str, User], dict[str, Any]]:
    """The world of tests/access, in which every page has something to show: its people, its words for addresses."""
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]
    person = people()
    return person, everybodys_world(person)


@pytest.fixture
def phone(chromium: Any, live_server: Any) -> Iterator[Callable[[str], Any]]:
    """phone("ann") -> a page in a phone's browser, logged in as ann; any error in its console fails the test."""
    yield from _browsers(chromium, live_server, PHONE)


@pytest.fixture(params=[PHONE, DESKTOP], ids=["phone", "desktop"])
def screen(request: pytest.FixtureRequest, chromium: Any, live_server: Any) -> Iterator[Callable[[str], Any]]:
    """The same on a phone and on a desktop: the test runs on both."""
    yield from _browsers(chromium, live_server, request.param)


@pytest.fixture
def scriptless(chromium: Any, live_server: Any) -> Iterator[Callable[[str], Any]]:
    """A phone on which scripts are off."""
    yield from _browsers(chromium, live_server, {**PHONE, "java_script_enabled": False})


def _browsers(chromium: Any, live_server: Any, size: dict[str, Any]) -> Iterator[Callable[[str], Any]]:
    contexts, errors = [], []

    def open_as(username: str) -> Any:
        context = chromium.new_context(**size, base_url=live_server.url)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto("/login")
        page.fill("#id_username", username)
        page.fill("#id_password", username)
        page.click("main form button.primary")
        page.wait_for_url("**/")
        return page

    yield open_as
    for context in contexts:
        context.close()
    # refusals, and networks that a test cut
    expected = r"status of 4\d\d|net::ERR_INTERNET_DISCONNECTED|htmx:(afterRequest|sendError)"
    unexpected = [error for error in errors if not re.search(expected, error)]
    assert unexpected == []
