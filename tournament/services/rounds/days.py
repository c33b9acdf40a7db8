"""The cut between an event's two days, and undoing it."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict
from tournament.models import Event, Registration, User
from tournament.selectors import ORGANIZERS, require
from tournament.selectors.stages import second_day_is_due, second_day_preview
from tournament.selectors.standings import first_day_rounds
from tournament.services.checks import text
from tournament.services.locks import lock_event
from tournament.services.rounds.stages import cut_changed

State = Registration.State


def second_day_open(*, event: Event, seen: Sequence[int] | None = None, by: User, now: datetime) -> Event:
    """Settle who plays the second day: the others keep their place and are paired no more.

    seen: the registrations the asker was shown as playing on; when the standings have changed since, nothing is
    settled. Raises Forbidden; Conflict `no-second-day`, `second-day`, `first-day-not-over`, `cut-changed`,
    `too-few-players`.
    """
    require(by, event, ORGANIZERS)
    with transaction.atomic():
        event = lock_event(event)
        _must_be_due(event)
        on = second_day_preview(event).seeds
        if seen is not None and set(seen) != set(on):
            raise cut_changed()
        if len(on) < 2:
            raise Conflict("too-few-players", _("A round needs at least two players."))
        event.registrations.filter(pk__in=on).update(second_day=True)
        event.registrations.filter(state=State.ACTIVE, second_day=False).update(state=State.OUT)
        event.second_day_at = now
        event.save(update_fields=["second_day_at"])
        audit("second_day_open", actor=by, target=event, event=event, data={"players": list(on)})
    return event


def second_day_withdraw(*, event: Event, reason: str, by: User, now: datetime) -> Event:
    """Take the cut back while no round of the second day is paired. Raises Forbidden, UserError `missing`; Conflict
    `no-second-day`, `second-day-begun`."""
    require(by, event, ORGANIZERS)
    reason = text(reason, "reason", most=300)
    with transaction.atomic():
        event = lock_event(event)
        if event.second_day_at is None:
            raise Conflict("no-second-day", _("The cut to the second day hasn’t been made."))
        if event.rounds.filter(number__gt=first_day_rounds(event)).exists():
            raise Conflict(
                "second-day-begun",
                _("A round of the second day is paired."),
                remedy=_("Discard its draft first. Once it is published, the cut stays."),
            )
        event.registrations.filter(second_day=True).update(second_day=False)
        event.registrations.filter(state=State.OUT).update(state=State.ACTIVE)
        event.second_day_at = None
        event.save(update_fields=["second_day_at"])
        audit("second_day_withdraw", actor=by, target=event, event=event, reason=reason)
    return event


def _must_be_due(event: Event) -> None:
    if not first_day_rounds(event):
        raise Conflict("no-second-day", _("This event has one day."))
    if event.second_day_at is not None:
        raise Conflict("second-day", _("The cut to the second day has already been made."))
    if not second_day_is_due(event):
        raise Conflict(
            "first-day-not-over",
            _("The first day isn’t over."),
            remedy=_("End its last round first."),
        )
