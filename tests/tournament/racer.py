"""A process of its own that acts on an event when told to, to the millisecond (test_races.py).

Reads one JSON command a line: {"do": name, "at": clock time to begin, ...}; answers one JSON line.
"""

import json
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any
from unittest import mock

os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"

import django
from django.db import OperationalError

django.setup()

from django.db.models import QuerySet  # noqa: E402

from config.errors import UserError  # noqa: E402
from tests.tournament.factories import NOW, make_event, make_staff, make_users  # noqa: E402
from tournament import services  # noqa: E402
from tournament.models import (  # noqa: E402
    AuditRow,
    Event,
    Invitation,
    JudgeCall,
    Match,
    Registration,
    Report,
    Round,
    RoundSeed,
    Seat,
    User,
)
from tournament.selectors import access_match, match_state  # noqa: E402
from tournament.selectors.codes import claim_code, guest_of_code  # noqa: E402


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
    return {"match": match.pk, "players": names, "round": round.pk}


def pair(slug: str) -> int:
    return services.round_pair(event=Event.objects.get(slug=slug), by=organizer(), now=NOW).number


def report(match: int, player: str, outcome: str) -> int:
    by = User.objects.get(username=player)
    return services.result_report(match=access_match(None, match), by=by, outcome=outcome, now=NOW).number


def decide(match: int, outcome: str) -> int:
    found = access_match(None, match)
    return services.result_decide(match=found, by=organizer(), outcome=outcome, reason="seen", now=NOW).number


def draft(slug: str) -> dict[str, Any]:
    """The next round, unpublished: its edition, and who sits where."""
    found = services.round_draft(event=Event.objects.get(slug=slug), by=organizer(), now=NOW)
    seats = Seat.objects.filter(round=found).order_by("match", "side")
    players = list(seats.values_list("registration", flat=True))
    return {"round": found.pk, "edition": found.edition, "players": players}


def publish(round: int, edition: int | None = None) -> int:
    found = Round.objects.get(pk=round)
    return services.round_publish(round=found, edition=edition, by=organizer(), now=NOW).edition


def unpublish(round: int) -> int:
    found = Round.objects.get(pk=round)
    return services.round_unpublish(round=found, reason="too early", by=organizer(), now=NOW).edition


def swap(round: int, first: int, second: int, edition: int | None = None) -> int:
    found = Round.objects.get(pk=round)
    return services.seats_swap(
        round=found, first=first, second=second, edition=edition, reason="by hand", by=organizer(), now=NOW
    ).edition


def redraw(round: int, edition: int | None = None) -> int:
    found = Round.objects.get(pk=round)
    return services.round_redraw(round=found, edition=edition, reason="lot", by=organizer(), now=NOW).edition


def finish(round: int) -> int:
    return services.round_finish(round=Round.objects.get(pk=round), by=organizer(), now=NOW).number


def start_clock(round: int) -> int:
    return services.clock_start(round=Round.objects.get(pk=round), by=organizer(), now=NOW).number


def extend(match: int) -> int:
    found = access_match(organizer(), match)
    return services.time_extend(match=found, minutes=3, cause="judge-call", by=organizer(), now=NOW).minutes


def call(match: int, player: str) -> int:
    by = User.objects.get(username=player)
    return services.call_open(match=access_match(by, match), subject="rules", by=by, now=NOW).pk


def judges(slug: str) -> None:
    """Two judges, slug-j1 and slug-j2."""
    for user in make_users(2, f"{slug}-j"):
        event = Event.objects.get(slug=slug)
        make_staff(event=event, user=user, role="judge", by=organizer(), now=NOW)


def take(call: int, judge: str) -> str:
    found, by = JudgeCall.objects.select_related("event").get(pk=call), User.objects.get(username=judge)
    services.call_claim(call=found, by=by, now=NOW)
    return judge


def withdraw(call: int, player: str) -> str:
    found, by = JudgeCall.objects.select_related("event").get(pk=call), User.objects.get(username=player)
    return services.call_withdraw(call=found, by=by, now=NOW).state


def end(call: int, judge: str) -> str:
    found, by = JudgeCall.objects.select_related("event").get(pk=call), User.objects.get(username=judge)
    return services.call_close(call=found, outcome="Told.", minutes=3, by=by, now=NOW).state


def look_at_calls(match: int) -> dict[str, Any]:
    calls = JudgeCall.objects.filter(match=match).select_related("judge").order_by("pk")
    return {
        "states": [one.state for one in calls],
        "judges": [one.judge and one.judge.username for one in calls],
        "minutes": sum(Match.objects.get(pk=match).extensions.values_list("minutes", flat=True)),
    }


def register(slug: str, player: str) -> str:
    event, user = Event.objects.get(slug=slug), User.objects.get_or_create(username=player)[0]
    return services.player_register(event=event, user=user, by=user, now=NOW).name


def drop(slug: str, player: str) -> str:
    entry = Registration.objects.select_related("event").get(event__slug=slug, name=player)
    return services.player_drop(registration=entry, by=organizer(), now=NOW).state


def verbs(slug: str) -> dict[str, int]:
    """The audit log of an event: verb -> rows."""
    return dict(Counter(AuditRow.objects.filter(event__slug=slug).values_list("verb", flat=True)))


def limit(slug: str, capacity: int) -> int | None:
    event = Event.objects.get(slug=slug)
    return services.event_change(event=event, capacity=capacity, by=organizer(), now=NOW).capacity


def invite(slug: str) -> str:
    event = Event.objects.get(slug=slug)
    return services.invite_make(event=event, role="judge", by=organizer(), now=NOW)[1]


def join(secret: str, player: str) -> str:
    return services.invite_accept(secret=secret, by=User.objects.get(username=player), now=NOW).role


def ask(slug: str, player: str, role: str) -> int:
    """The organizer asks a player of the event to take a role."""
    event, user = Event.objects.get(slug=slug), User.objects.get(username=player)
    return services.staff_invite(event=event, user=user, role=role, by=organizer(), now=NOW).pk


def accept(invitation: int) -> str:
    found = Invitation.objects.get(pk=invitation)
    return services.invitation_accept(invitation=found, by=found.user, now=NOW).role


def refuse(invitation: int) -> None:
    found = Invitation.objects.get(pk=invitation)
    services.invitation_decline(invitation=found, for_good=True, by=found.user, now=NOW)


def ask_player(slug: str, code: str, player: str) -> int:
    """The organizer asks whether the guest's entry with this code is that player."""
    entry = guest_of_code(Event.objects.get(slug=slug), code)
    assert entry is not None
    user = User.objects.get(username=player)
    return services.player_invite(registration=entry, user=user, by=organizer(), now=NOW).pk


def accept_entry(invitation: int) -> str:
    found = Invitation.objects.get(pk=invitation)
    return services.entry_accept(invitation=found, by=found.user, now=NOW).name


def withdraw_invitation(invitation: int) -> None:
    services.invitation_withdraw(invitation=Invitation.objects.get(pk=invitation), by=organizer(), now=NOW)


def asked(slug: str) -> dict[str, Any]:
    """What became of the event's invitations, and who has a role beside its owner."""
    event = Event.objects.get(slug=slug)
    held = event.staff.exclude(role="owner").values_list("role", flat=True)
    return {"states": sorted(event.invitations.values_list("state", flat=True)), "roles": list(held)}


def claim(slug: str, code: str, player: str) -> str:
    event, by = Event.objects.get(slug=slug), User.objects.get(username=player)
    return services.player_claim(event=event, code=code, by=by, now=NOW).name


def guest(slug: str) -> str:
    event = Event.objects.get(slug=slug)
    return claim_code(services.player_register(event=event, user=None, name="Guest", by=organizer(), now=NOW))


def active(slug: str) -> list[str]:
    found = Registration.objects.filter(event__slug=slug, state=Registration.State.ACTIVE)
    return list(found.order_by("number").values_list("name", flat=True))


def states(slug: str) -> list[str]:
    return sorted(Registration.objects.filter(event__slug=slug).values_list("state", flat=True))


def over(slug: str) -> None:
    """An event of four whose one Swiss round is over; a cut to four is due."""
    event = make_event(organizer(), slug, planned_rounds=1, cut={"places": 4, "ties": False})
    for user in make_users(4, slug):
        services.player_register(event=event, user=user, name=user.username, by=user, now=NOW)
    round = services.round_pair(event=event, by=organizer(), seed=1, now=NOW)
    for match in round.matches.select_related("round__event"):
        services.result_decide(match=match, by=organizer(), outcome="win", reason="slip", now=NOW)
    services.round_finish(round=round, by=organizer(), now=NOW)


def cut(slug: str) -> int:
    return services.stage_open(event=Event.objects.get(slug=slug), by=organizer(), now=NOW).number


def wave(slug: str) -> int | None:
    stage = Event.objects.get(slug=slug).stages.get()
    return services.stage_round(stage=stage, by=organizer(), now=NOW).wave


def look_at_stage(slug: str) -> dict[str, Any]:
    event = Event.objects.get(slug=slug)
    rounds = Round.objects.filter(event=event, stage__isnull=False)
    return {
        "stages": event.stages.count(),
        "entries": sum(stage.entries.count() for stage in event.stages.all()),
        "rounds": rounds.count(),
        "seats": Seat.objects.filter(round__in=rounds).count(),
    }


def look_at_match(match: int) -> dict[str, Any]:
    state = match_state(access_match(None, match))
    reports = Report.objects.filter(match=match).order_by("number").values_list("number", flat=True)
    return {"state": state.state, "outcome": state.outcome, "reports": list(reports)}


def look_at_round(round: int) -> dict[str, Any]:
    """Every player of the round sits once, at a table that exists."""
    found = Round.objects.get(pk=round)
    seats = list(Seat.objects.filter(round=found).values_list("registration", flat=True))
    return {
        "state": found.state,
        "edition": found.edition,
        "players": sorted(seats),
        "matches": found.matches.count(),
        "match": found.matches.filter(table=1).values_list("pk", flat=True).first(),
        "names": list(
            Seat.objects.filter(round=found, match__table=1)
            .order_by("side")
            .values_list("registration__name", flat=True)
        ),
        "reports": Report.objects.filter(match__round=found).count(),
        "lots": RoundSeed.objects.filter(event=found.event, number=found.number).count(),
        "clock": found.clock_entries.count(),
    }


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
    verb.__name__: verb
    for verb in (
        prepare, pair, report, decide, register, drop, draft, publish, unpublish, swap, redraw, finish, start_clock,
        extend, limit, verbs, call, judges, take, withdraw, end, look_at_calls,
        invite, join, ask, accept, ask_player, accept_entry, refuse, withdraw_invitation, asked, guest, claim,
        active, states, over, cut, wave, look_at_match, look_at_round, look_at_event, look_at_stage,
    )
}  # fmt: skip


def _ended_or_again(verb: Callable[..., Any], command: dict[str, Any]) -> Any:
    """Without row locks two may wait for each other; PostgreSQL then sends one of them away whole, to ask again."""
    try:
        return verb(**command)
    except OperationalError as error:
        if "deadlock" not in str(error):
            raise
        return verb(**command)


def act(command: dict[str, Any]) -> dict[str, Any]:
    verb, at, locks = VERBS[command.pop("do")], command.pop("at", 0.0), command.pop("locks", True)
    without_locks = mock.patch.object(QuerySet, "select_for_update", lambda rows, **how: rows)
    with nullcontext() if locks else without_locks:
        while time.time() < at:
            pass
        try:
            return {"done": _ended_or_again(verb, command)}
        except UserError as error:
            return {"refused": error.code, "status": error.status}
        except Exception:
            return {"broke": traceback.format_exc()}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(act(json.loads(line))), flush=True)
