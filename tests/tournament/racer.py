"""A process of its own that acts on an event when told to, to the millisecond (test_races.py).

Reads one JSON command a line: {"do": name, "at": clock time to begin, ...}; answers one JSON line.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any
from unittest import mock

os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"

import django

django.setup()

from django.db.models import QuerySet  # noqa: E402

from config.errors import UserError  # noqa: E402
from tests.tournament.factories import NOW, make_event, make_users  # noqa: E402
from tournament import services  # noqa: E402
from tournament.models import Event, Match, Report, Round, Seat, User  # noqa: E402
from tournament.selectors import access_match, match_state  # noqa: E402


def organizer() -> User:
    return User.objects.get_or_create(username="organizer")[0]


def prepare(slug: str, players: int, paired: bool) -> dict[str, Any]:
    """An event with players slug1, slug2, ...; when paired, round 1's first match."""
    event = make_event(organizer(), slug)
    for user in make_users(players, slug):
        services.player_register(event=event, user=user, name=user.username, by=user, now=NOW)
    if not paired:
        return {}
    round = services.round_pair(event=event, by=organizer(), seed=1, now=NOW)
    match = Match.objects.get(round=round, table=1)
    names = [seat.registration.name for seat in match.seats.select_related("registration")]
    return {"match": match.pk, "players": names}


def pair(slug: str) -> int:
    return services.round_pair(event=Event.objects.get(slug=slug), by=organizer(), now=NOW).number


def report(match: int, player: str, outcome: str) -> int:
    by = User.objects.get(username=player)
    return services.result_report(match=access_match(None, match), by=by, outcome=outcome, now=NOW).number


def decide(match: int, outcome: str) -> int:
    found = access_match(None, match)
    return services.result_decide(match=found, by=organizer(), outcome=outcome, reason="seen", now=NOW).number


def register(slug: str, player: str) -> str:
    event, user = Event.objects.get(slug=slug), User.objects.get_or_create(username=player)[0]
    return services.player_register(event=event, user=user, by=user, now=NOW).name


def look_at_match(match: int) -> dict[str, Any]:
    state = match_state(access_match(None, match))
    reports = Report.objects.filter(match=match).order_by("number").values_list("number", flat=True)
    return {"state": state.state, "outcome": state.outcome, "reports": list(reports)}


def look_at_event(slug: str) -> dict[str, Any]:
    event = Event.objects.get(slug=slug)
    return {
        "rounds": Round.objects.filter(event=event).count(),
        "matches": Match.objects.filter(round__event=event).count(),
        "seats": Seat.objects.filter(round__event=event).count(),
        "registrations": event.registrations.count(),
        "pinned": event.policy is not None,
    }


VERBS: dict[str, Callable[..., Any]] = {
    verb.__name__: verb for verb in (prepare, pair, report, decide, register, look_at_match, look_at_event)
}


def act(command: dict[str, Any]) -> dict[str, Any]:
    verb, at, locks = VERBS[command.pop("do")], command.pop("at", 0.0), command.pop("locks", True)
    without_locks = mock.patch.object(QuerySet, "select_for_update", lambda rows: rows)
    with nullcontext() if locks else without_locks:
        while time.time() < at:
            pass
        try:
            return {"done": verb(**command)}
        except UserError as error:
            return {"refused": error.code, "status": error.status}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(act(json.loads(line))), flush=True)
