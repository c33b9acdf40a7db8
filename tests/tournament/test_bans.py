"""Somebody who is kept out of an event: dropped at once, and nothing more is taken from that account here."""

from collections.abc import Callable
from typing import Any

import pytest

from config.errors import Conflict, Forbidden
from tests.tournament.factories import NOW, enter, make_event, make_revision, make_staff, user_of
from tournament import services
from tournament.models import Event, Match, Registration
from tournament.selectors import match_roles, roles_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(organizer: Any) -> Event:
    event = make_event(organizer)
    enter(event, 4)
    services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    return event


def test_who_is_banned_is_dropped_and_results_stay(event: Event, organizer: Any) -> None:
    entry = event.registrations.first()
    assert entry is not None
    match = Match.objects.get(seats__registration=entry)
    services.result_report(match=match, by=user_of(entry), outcome="win", now=NOW)
    services.event_ban(event=event, user=user_of(entry), reason="theft", by=organizer, now=NOW)
    entry.refresh_from_db()
    assert entry.state == Registration.State.DROPPED
    assert match.reports.count() == 1


def test_nothing_more_is_taken_from_the_account_until_the_ban_is_lifted(event: Event, organizer: Any) -> None:
    entry = event.registrations.first()
    assert entry is not None
    player, match = user_of(entry), Match.objects.get(seats__registration=entry)
    guest = services.player_register(event=event, user=None, name="Guest", by=organizer, now=NOW)
    ban = services.event_ban(event=event, user=player, reason="theft", by=organizer, now=NOW)
    assert (roles_of(player, event), match_roles(player, match)) == (set(), set())
    tries: list[Callable[[], object]] = [
        lambda: services.result_report(match=match, by=player, outcome="win", now=NOW),
        lambda: services.call_open(match=match, subject="rules", by=player, now=NOW),
        lambda: services.player_return(registration=entry, by=player, now=NOW),
        lambda: services.player_return(registration=entry, by=organizer, now=NOW),
        lambda: services.player_register(event=event, user=player, by=organizer, now=NOW),
        lambda: services.player_claim(event=event, code="x" * 8, by=player, now=NOW),
        lambda: services.player_check_in(registration=entry, code="x", by=player, now=NOW),
        lambda: services.deck_register(
            registration=entry, revision=make_revision(player), by=player, now=NOW
        ),
    ]
    for attempt in tries:
        with pytest.raises(Forbidden):
            attempt()
    assert guest.user is None
    services.event_unban(ban=ban, by=organizer, now=NOW)
    services.player_return(registration=entry, by=organizer, now=NOW)
    services.result_report(match=match, by=player, outcome="win", now=NOW)


def test_a_ban_is_the_head_judges_and_concerns_one_event(
    event: Event, organizer: Any, judge: Any, visitor: Any
) -> None:
    make_staff(event=event, user=judge, role="judge", by=organizer, now=NOW)
    with pytest.raises(Forbidden):
        services.event_ban(event=event, user=visitor, reason="x", by=judge, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.event_ban(event=event, user=judge, reason="x", by=organizer, now=NOW)
    assert refused.value.code == "is-staff"
    services.event_ban(event=event, user=visitor, reason="x", by=organizer, now=NOW)
    with pytest.raises(Conflict):
        services.event_ban(event=event, user=visitor, reason="x", by=organizer, now=NOW)
    elsewhere = make_event(organizer, "dunwich")
    assert services.player_register(event=elsewhere, user=visitor, by=visitor, now=NOW).user == visitor
