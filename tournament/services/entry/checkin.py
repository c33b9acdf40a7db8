"""Check-in. Players who haven't checked in when it closes are withdrawn; the waiting list moves up."""

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden, UserError
from tournament.models import Event, Registration, User
from tournament.selectors import ORGANIZERS, STAFF, must_be_welcome, require, roles_of
from tournament.selectors.codes import is_presence_code, typed_code
from tournament.selectors.entries import checkin_is_open
from tournament.services.entry.registration import promote_waiting, withdraw
from tournament.services.locks import lock_event
from tournament.services.people.attempts import count_attempt

State = Registration.State


@dataclass(frozen=True, slots=True)
class Closed:
    """What closing the check-in did."""

    withdrawn: int
    promoted: tuple[Registration, ...]


def checkin_open(*, event: Event, by: User, now: datetime) -> Event:
    """Open the check-in, or open it again; who has checked in stays so. A new hall code is drawn.

    Raises Forbidden, Conflict `checkin-open`, `event-running`.
    """
    require(by, event, ORGANIZERS)
    with transaction.atomic():
        event = lock_event(event)
        if event.state != Event.State.REGISTRATION:
            raise Conflict("event-running", _("Check-in is over: round 1 is paired."))
        if checkin_is_open(event):
            raise Conflict("checkin-open", _("Check-in is already open."))
        event.checkin_opened_at, event.checkin_closed_at = now, None
        event.checkin_code = "".join(secrets.choice("0123456789") for _digit in range(6))
        event.save(update_fields=["checkin_opened_at", "checkin_closed_at", "checkin_code"])
        audit("checkin_open", actor=by, target=event, event=event)
    return event


def checkin_close(*, event: Event, withdraw_ids: Collection[int], by: User, now: datetime) -> Closed:
    """Close the check-in. Of those in `withdraw_ids` (as previewed), who has not checked in has withdrawn;
    free places go to those on the waiting list who are here, in order.

    Who checked in since the preview stays; who registered since stays too. Raises Forbidden, Conflict
    `checkin-closed`.
    """
    require(by, event, ORGANIZERS)
    with transaction.atomic():
        event = lock_event(event)
        if not checkin_is_open(event):
            raise Conflict("checkin-closed", _("Check-in isn’t open."))
        event.checkin_closed_at, event.checkin_code = now, ""
        event.save(update_fields=["checkin_closed_at", "checkin_code"])
        absent = event.registrations.filter(
            pk__in=withdraw_ids, state=State.ACTIVE, checked_in_at__isnull=True
        )
        gone = withdraw(absent, by=by, event=event)
        promoted = promote_waiting(event, by=by, present_only=True)
        data = {"withdrawn": gone, "promoted": len(promoted)}
        audit("checkin_close", actor=by, target=event, event=event, data=data)
    return Closed(gone, tuple(promoted))


def player_check_in(*, registration: Registration, code: str = "", by: User, now: datetime) -> Registration:
    """Note that a player is here: staff by tapping or by reading the code on the player's phone, players
    themselves by the code posted in the hall. Twice changes nothing.

    code: for players the hall's; staff may give the player's own, which must then be right.
    Raises Forbidden, UserError `wrong-code`, `too-many-attempts`, Conflict `checkin-closed`, `not-playing`.
    """
    event = registration.event
    staff = bool(roles_of(by, event) & STAFF)
    if not staff and registration.user_id != by.pk:
        raise Forbidden(
            "forbidden", _("Players check themselves in."), remedy=_("Event staff check others in.")
        )
    if not staff:
        must_be_welcome(by, event)
        count_attempt(f"checkin:{event.pk}", by)
    with transaction.atomic():
        event = lock_event(event)
        if not checkin_is_open(event):
            raise Conflict(
                "checkin-closed",
                _("Check-in isn’t open."),
                remedy=_("Talk to event staff. They can still register you.")
                if event.checkin_closed_at
                else "",
            )
        _must_be_right(event, registration, code, staff)
        registration.refresh_from_db(fields=["state", "checked_in_at"])
        if registration.state not in (State.ACTIVE, State.WAITING):
            raise Conflict(
                "not-playing",
                _("%(name)s has left this event.") % {"name": registration.name},
                remedy=_("Register again first."),
            )
        if registration.checked_in_at is None:
            registration.checked_in_at = now
            registration.save(update_fields=["checked_in_at"])
            audit("player_check_in", actor=by, target=registration, event=event)
    return registration


def players_check_in(*, event: Event, ids: Collection[int], by: User, now: datetime) -> list[Registration]:
    """Note that several players are here, as an organizer or judge saw them listed: those of `ids` who may check in and
    have not. Returns whom it noted, for `players_check_out`. Raises Forbidden, Conflict `checkin-closed`."""
    require(by, event, STAFF)
    with transaction.atomic():
        event = lock_event(event)
        if not checkin_is_open(event):
            raise Conflict("checkin-closed", _("Check-in isn’t open."))
        here = list(
            event.registrations.filter(
                pk__in=ids, state__in=[State.ACTIVE, State.WAITING], checked_in_at__isnull=True
            )
        )
        event.registrations.filter(pk__in=[entry.pk for entry in here]).update(checked_in_at=now)
        if here:
            audit(
                "players_check_in",
                actor=by,
                target=event,
                event=event,
                data={"players": [entry.name for entry in here]},
            )
    return here


def players_check_out(*, event: Event, ids: Collection[int], by: User, now: datetime) -> int:
    """Take several check-ins back that were a mistake; how many. Raises Forbidden, Conflict `checkin-closed`."""
    require(by, event, STAFF)
    with transaction.atomic():
        event = lock_event(event)
        if not checkin_is_open(event):
            raise Conflict("checkin-closed", _("Check-in isn’t open."))
        found = event.registrations.filter(pk__in=ids, checked_in_at__isnull=False)
        names = list(found.values_list("name", flat=True))
        found.update(checked_in_at=None)
        if names:
            audit("players_check_out", actor=by, target=event, event=event, data={"players": names})
    return len(names)


def player_check_out(*, registration: Registration, by: User, now: datetime) -> Registration:
    """Take a check-in back that was a mistake. Raises Forbidden, Conflict `checkin-closed`."""
    event = registration.event
    require(by, event, STAFF)
    with transaction.atomic():
        event = lock_event(event)
        if not checkin_is_open(event):
            raise Conflict("checkin-closed", _("Check-in isn’t open."))
        if Registration.objects.filter(pk=registration.pk, checked_in_at__isnull=False).update(
            checked_in_at=None
        ):
            audit("player_check_out", actor=by, target=registration, event=event)
    registration.refresh_from_db(fields=["checked_in_at"])
    return registration


def must_not_be_open(event: Event) -> None:
    """For the service that pairs round 1. Raises Conflict `checkin-open`."""
    if checkin_is_open(event):
        raise Conflict(
            "checkin-open",
            _("Check-in is open."),
            remedy=_("Close it first; otherwise absent players would be paired."),
        )


def _must_be_right(event: Event, registration: Registration, code: str, staff: bool) -> None:
    if staff and not code:
        return
    right = (
        is_presence_code(registration, code)
        if staff
        else bool(event.checkin_code) and constant_time_compare(typed_code(code), event.checkin_code)
    )
    if not right:
        raise UserError(
            "wrong-code",
            _("That code isn’t right."),
            place="code",
            remedy=_("Today’s code is posted in the hall.")
            if not staff
            else _("Have the player reload the page."),
        )
