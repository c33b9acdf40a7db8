"""Bans people from an event, and lifts bans."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, UserError
from tournament.models import Ban, Event, Registration, Staff, User
from tournament.selectors import HEAD_JUDGES, STAFF, require
from tournament.services.checks import text
from tournament.services.entry.registration import player_drop

PLAYS = (Registration.State.ACTIVE, Registration.State.WAITING)


def event_ban(*, event: Event, user: User, reason: str, by: User, now: datetime) -> Ban:
    """Keep somebody out: whoever plays is dropped, results stay, and nothing more is taken from this account here.

    For the head judge and organizers. Raises Forbidden, UserError, Conflict `banned`, `is-staff`.
    """
    require(by, event, HEAD_JUDGES)
    reason = text(reason, "reason", most=300)
    if user == by:
        raise UserError("invalid", _("You can’t ban yourself."), place="who")
    if Staff.objects.filter(event=event, user=user, role__in=STAFF).exists():
        raise Conflict(
            "is-staff",
            _("%(name)s is on this event’s staff.") % {"name": user},
            remedy=_("Remove that role first."),
        )
    try:
        with transaction.atomic():
            ban = Ban.objects.create(event=event, user=user, reason=reason, by=by, at=now)
            entry = Registration.objects.filter(event=event, user=user, state__in=PLAYS).first()
            if entry is not None:
                player_drop(registration=entry, by=by, now=now)
            audit("event_ban", actor=by, target=ban, event=event, reason=reason, data={"user": user.pk})
    except IntegrityError as error:
        raise Conflict("banned", _("%(name)s is already banned.") % {"name": user}) from error
    return ban


def event_unban(*, ban: Ban, by: User, now: datetime) -> None:
    """Lift a ban; who was dropped may be brought back by the staff. Raises Forbidden, Conflict `lifted`."""
    require(by, ban.event, HEAD_JUDGES)
    with transaction.atomic():
        if not Ban.objects.filter(pk=ban.pk, lifted_at=None).update(lifted_at=now):
            raise Conflict("lifted", _("This ban has already been lifted."))
        audit("event_unban", actor=by, target=ban, event=ban.event, data={"user": ban.user_id})
