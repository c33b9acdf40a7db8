"""Event staff: roles given by an invitation's link, and removed. By name: invitations.py."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden, NotFound, UserError
from tournament.models import Event, Invite, Staff, User
from tournament.selectors import (
    ORGANIZER,
    ORGANIZERS,
    OWNER,
    OWNERS,
    PLAYER,
    STAFF,
    must_be_welcome,
    require,
)
from tournament.services.checks import one_of, text
from tournament.services.locks import lock_event

MOST_USES = 100
MOST_DAYS = 90


def staff_remove(*, staff: Staff, by: User, now: datetime) -> None:
    """Take a role away, or lay down one's own. An event keeps at least one owner.

    Raises Forbidden, Conflict `last-owner`.
    """
    event = staff.event
    if staff.user_id != by.pk:
        may_give(event, staff.role, by)
    with transaction.atomic():
        event = lock_event(event)  # two owners removing each other take turns: the second finds nobody left
        others = Staff.objects.filter(event=event, role=OWNER).exclude(pk=staff.pk)
        if staff.role == OWNER and not others.exists():
            raise Conflict(
                "last-owner",
                _("%(name)s is the only owner of this event.") % {"name": staff.user},
                remedy=_("Make someone else an owner first."),
            )
        gone, _each = Staff.objects.filter(pk=staff.pk).delete()
        if gone:
            data = {"user": staff.user_id, "role": staff.role}
            audit("staff_remove", actor=by, target=event, event=event, data=data)


def event_watch(*, event: Event, watching: bool, by: User, now: datetime) -> None:
    """Find the event on one's start page, or no more."""
    role = Staff.Role.SPECTATOR
    with transaction.atomic():
        if watching:
            changed = Staff.objects.get_or_create(event=event, user=by, role=role)[1]
        else:
            changed = bool(Staff.objects.filter(event=event, user=by, role=role).delete()[0])
        if changed:
            audit("event_watch" if watching else "event_unwatch", actor=by, target=event, event=event)


def invite_make(
    *, event: Event, role: str, uses: int = 1, days: int = 7, note: str = "", by: User, now: datetime
) -> tuple[Invite, str]:
    """(the invitation, its secret): whoever has the secret takes the role, `uses` times within `days`.

    The secret is told here once; only its hash is stored. Raises UserError, Forbidden.
    """
    one_of(role, "role", Staff.Role.values)
    may_give(event, role, by)
    if not 1 <= uses <= MOST_USES:
        raise UserError(
            "invalid", _("A link can be used 1 to %(most)s times.") % {"most": MOST_USES}, place="uses"
        )
    if not 1 <= days <= MOST_DAYS:
        raise UserError(
            "invalid", _("A link can be valid for 1 to %(most)s days.") % {"most": MOST_DAYS}, place="days"
        )
    secret = secrets.token_urlsafe(24)
    with transaction.atomic():
        invite = Invite.objects.create(
            event=event,
            role=role,
            token_hash=_hash(secret),
            note=text(note, "note", most=80) if note.strip() else "",
            most_uses=uses,
            expires_at=now + timedelta(days=days),
            made_by=by,
            made_at=now,
        )
        data = {"role": role, "uses": uses, "days": days}
        audit("invite_make", actor=by, target=invite, event=event, data=data)
    return invite, secret


def invite_revoke(*, invite: Invite, by: User, now: datetime) -> None:
    """Let the link work no more; roles it gave stay. Raises Forbidden, Conflict `revoked`."""
    may_give(invite.event, invite.role, by)
    with transaction.atomic():
        if not Invite.objects.filter(pk=invite.pk, revoked_at=None).update(revoked_at=now):
            raise Conflict("revoked", _("This invitation has already been revoked."))
        audit("invite_revoke", actor=by, target=invite, event=invite.event, data={"role": invite.role})


def invite_of(*, secret: str, now: datetime) -> Invite:
    """The invitation of a link that still works. Raises NotFound, Conflict `invite-over` saying why."""
    invite = Invite.objects.select_related("event", "made_by").filter(token_hash=_hash(secret)).first()
    if invite is None:
        raise NotFound(_("invitation"))
    why = ""
    if invite.revoked_at is not None:
        why = _("This invitation was revoked.")
    elif now >= invite.expires_at:
        why = _("This invitation has expired.")
    elif invite.uses >= invite.most_uses:
        why = _("This invitation has been used up.")
    if why:
        raise Conflict("invite-over", why, remedy=_("Ask the organizer for a new one."))
    return invite


def invite_accept(*, secret: str, by: User, now: datetime) -> Staff:
    """Take the role of an invitation; following the link again changes nothing.

    Raises NotFound, Conflict `invite-over`; Forbidden when its maker may not give that role any more.
    """
    invite = invite_of(secret=secret, now=now)
    may_give(invite.event, invite.role, invite.made_by)
    must_be_welcome(by, invite.event)
    with transaction.atomic():
        staff, created = Staff.objects.get_or_create(event=invite.event, user=by, role=invite.role)
        if not created:
            return staff
        open_still = Invite.objects.filter(pk=invite.pk, revoked_at=None, uses__lt=F("most_uses"))
        if not open_still.update(uses=F("uses") + 1):
            raise Conflict("invite-over", _("This invitation has been used up."))
        data = {"user": by.pk, "role": invite.role, "invite": invite.pk}
        audit("invite_accept", actor=by, target=staff, event=invite.event, data=data)
    return staff


def may_give(event: Event, role: str, by: User) -> None:
    """Who may give a role may take it away and invite to it: owners make owners and organizers, organizers all other
    staff, and whoever is at the desk offers a guest's entry to an account. Raises Forbidden."""
    if role in (OWNER, ORGANIZER):
        if not require(by, event, ORGANIZERS) & OWNERS:
            raise Forbidden(
                "forbidden",
                _("Only an owner can add or remove owners and organizers."),
                remedy=_("Ask an owner. The event page names them."),
            )
        return
    require(by, event, STAFF if role == PLAYER else ORGANIZERS)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
