"""An event as people find it: Ann and Bo sit at one table, a dispute at it is answered, a visitor looks on."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from decks.models import Deck, Recheck
from decks.services import recheck_start
from rules.models import Dispute
from rules.tasks import adjudicate
from tests.rules.scenarios import SHOTGUN
from tests.tournament import factories
from tournament import services
from tournament.models import DeckCheck, Event, Match, Registration, User


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

    def entry(self, user: User) -> Registration:
        return self.event.registrations.get(user=user)


@pytest.fixture
def world(ann: Any, bo: Any, judge: Any, organizer: Any, visitor: Any, now: datetime) -> World:
    event = factories.make_event(organizer, planned_rounds=3)
    services.staff_add(event=event, user=judge, role="judge", by=organizer, now=now)
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
    return World(event, match, filed.dispute, deck, ann, bo, judge, organizer, visitor, check, recheck)


@pytest.fixture
def as_user() -> Callable[[Any], Client]:
    """as_user(ann) -> a client logged in as her; as_user(None) -> nobody's."""

    def logged_in(user: Any) -> Client:
        client = Client()
        if user is not None:
            client.force_login(user)
        return client

    return logged_in
