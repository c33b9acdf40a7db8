"""What the screenshots show: the demo, and beside it an event of 46 in the middle of round 3."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from tests.screenshots import corners
from tests.tournament.factories import make_event, make_staff
from tournament import services
from tournament.models import Event, Match, Registration, Round, User
from tournament.selectors import match_state, round_matches

FIRST = ["Amara", "Birgit", "Cleo", "Dov", "Eri", "Finn", "Goran", "Hana", "Ines", "Jonas", "Keiko"]
LAST = ["Aster", "Brandt", "Castillo", "Dahl", "Eze", "Fontaine", "Grau", "Holm", "Ito", "Jansen", "Kaya"]
OUTCOMES = ["win", "win", "loss", "loss", "draw"]
REPORTED = 14  # tables of round 3 that are settled


def play() -> dict[str, Any]:
    """Plays the scene through the services; the numbers of what is photographed."""
    people = {user.username: user for user in User.objects.all()}
    with transaction.atomic():  # one write to the disk
        event = _rounds(people, timezone.now())
    return {
        "ann": Registration.objects.get(event=event, user=people["ann"]).pk,
        **corners.play(people, timezone.now()),
    }


def _rounds(people: dict[str, User], now: datetime) -> Event:
    by = people["organizer"]
    event = _event(people, now)
    for number in (1, 2):
        round = services.round_pair(event=event, by=by, seed=number, now=now)
        for count, match in enumerate(_tables(round)):
            _decide(match, OUTCOMES[(count + number) % len(OUTCOMES)], by, now)
        services.round_finish(round=round, by=by, now=now)
    third = services.round_pair(event=event, by=by, seed=3, now=now)
    services.clock_start(round=third, by=by, now=now - timedelta(minutes=28, seconds=17))
    _half_way(third, people, now)
    return event


def _event(people: dict[str, User], now: datetime) -> Event:
    """Kingsport Open: Ann and Bo with their decks, 44 guests, Jun Verhoeven as head judge."""
    by = people["organizer"]
    event = make_event(by, starts_on=now.date(), planned_rounds=5)
    services.event_change(
        event=event,
        start="Check-in from 9:30, round 1 at 10:00",
        venue="Town hall, Kingsport",
        fee="5 €",
        by=by,
        now=now,
    )
    make_staff(event=event, user=people["judge"], role="head-judge", by=by, now=now)
    for username in ("ann", "bo"):
        mine = people[username]
        revision = Registration.objects.get(event__slug="demo-open", user=mine).revision
        services.player_register(event=event, user=mine, revision=revision, by=mine, now=now)
    for number in range(44):
        name = f"{FIRST[number % 11]} {LAST[(number + number // 11 * 3) % 11]}"
        entry = services.player_register(event=event, user=None, name=name, by=by, now=now)
        services.deck_register(
            registration=entry, revision=None, override="List on paper, seen at the desk.", by=by, now=now
        )
    return event


def _half_way(round: Round, people: dict[str, User], now: datetime) -> None:
    """Results come in; one table has more time, one waits for a judge. Ann has not reported."""
    others = [match for match in _tables(round) if not _sits(match, people["ann"])]
    for count, match in enumerate(others[:REPORTED]):
        _decide(match, OUTCOMES[count % len(OUTCOMES)], people["organizer"], now)
    services.time_extend(match=others[REPORTED], minutes=3, cause="judge-call", by=people["judge"], now=now)
    table = others[-1].table or 0
    services.table_call_open(event=round.event, table=table, subject="rules", by=people["judge"], now=now)


def _tables(round: Round) -> list[Match]:
    return [match for match in round_matches(round) if not match_state(match).settled]


def _sits(match: Match, user: User) -> bool:
    return match.seats.filter(registration__user=user).exists()


def _decide(match: Match, outcome: str, by: User, now: datetime) -> None:
    services.result_decide(match=match, by=by, outcome=outcome, reason="Slip", now=now)
