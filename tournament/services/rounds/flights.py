"""Flights: an event joins a final; when all flights are over, their cuts merge into the final's bracket."""

from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, UserError
from tournament.models import Event, Registration, Stage, User
from tournament.selectors import ORGANIZERS, policy_of, require
from tournament.selectors.flights import Merged, flights_of, merged
from tournament.services.locks import lock_event
from tournament.services.rounds.stages import must_be_a_bracket, open_stage, stage_open_already


def flight_join(*, flight: Event, final: Event | None, by: User, now: datetime) -> Event:
    """Make an event a flight of `final`, or an event of its own again (None), before the final's bracket is open.

    Both are run by the asker, by the same policy and format; the final has no players of its own.
    Raises Forbidden, UserError `not-a-final`, `other-rules`; Conflict `stage-open`.
    """
    require(by, flight, ORGANIZERS)
    for one in (flight.final, final):
        if one is not None:
            require(by, one, ORGANIZERS)
            if one.stages.exists():
                raise stage_open_already()
    if final is not None:
        _must_fit(flight, final)
    with transaction.atomic():
        flight = lock_event(flight)
        flight.final = final
        flight.save(update_fields=["final"])
        data = {"final": final and final.slug}
        audit("flight_join" if final else "flight_leave", actor=by, target=flight, event=flight, data=data)
    return flight


def flights_merge(*, event: Event, seen: Sequence[int] | None = None, by: User, now: datetime) -> Stage:
    """Enter all who made the cut of their flight into the final, and open its bracket.

    seen: the flights' registrations the asker was shown, in order of seed; when they have changed, nothing is done.
    Raises Forbidden; Conflict `no-flights`, `flights-not-over`, `cut-changed`, `too-few-players`, `stage-open`.
    """
    require(by, event, ORGANIZERS)
    try:
        with transaction.atomic():
            event = lock_event(event)
            players = _merged(event, seen)
            event.policy = policy_of(players[0].flight).document
            event.state = Event.State.RUNNING
            event.save(update_fields=["policy", "state"])
            entered = [_enter(event, number, one, now) for number, one in enumerate(players, start=1)]
            data = {"flights": sorted({one.flight.slug for one in players})}
            audit("flights_merge", actor=by, target=event, event=event, data=data)
            return open_stage(event, [one.pk for one in entered], _line(players), by, now)
    except IntegrityError as error:
        raise stage_open_already() from error


def _merged(event: Event, seen: Sequence[int] | None) -> list[Merged]:
    flights = flights_of(event)
    if event.stages.exists():
        raise stage_open_already()
    if not flights:
        raise Conflict("no-flights", _("This event has no flights."))
    if open_ones := [one.event.name for one in flights if not one.over]:
        raise Conflict(
            "flights-not-over",
            _("Still in progress: %(names)s.") % {"names": ", ".join(open_ones)},
            remedy=_("End the last round of every flight first."),
        )
    players = merged(flights)
    must_be_a_bracket([one.standing.registration.pk for one in players], seen)
    return players


def _must_fit(flight: Event, final: Event) -> None:
    if (
        final.pk == flight.pk
        or final.final_id is not None
        or final.registrations.exists()
        or final.rounds.exists()
    ):
        raise UserError(
            "not-a-final",
            _("%(name)s can’t be the final: it has players of its own or is a flight itself.")
            % {"name": final.name},
            place="final",
            remedy=_("Create a separate event for the final, without players."),
        )
    if (flight.policy_key, flight.format) != (final.policy_key, final.format):
        raise UserError(
            "other-rules", _("A flight and its final must have the same policy and format."), place="final"
        )


def _enter(event: Event, number: int, one: Merged, now: datetime) -> Registration:
    """The player's entry in the final: the same person, name and list."""
    known = one.standing.registration
    taken = event.registrations.filter(name=known.name).exists()
    return Registration.objects.create(
        event=event,
        user_id=known.user_id,
        number=number,
        name=f"{known.name[:60]} ({one.flight.name[:17]})" if taken else known.name,
        pronouns=known.pronouns,
        club=known.club,
        revision_id=known.revision_id,
        report_id=known.report_id,
        deck_override=known.deck_override,
        registered_at=now,
    )


def _line(players: Sequence[Merged]) -> str:
    names = list(dict.fromkeys(one.flight.name for one in players))
    return _("%(count)s players from %(flights)s.") % {"count": len(players), "flights": ", ".join(names)}
