"""Asking people by name to run an event with others. Nobody is on the event staff who has not accepted."""

from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden, NotFound
from config.limits import Limit, count
from tournament.models import Event, Invitation, Staff, User
from tournament.selectors import must_be_welcome
from tournament.services.checks import one_of
from tournament.services.locks import lock_event
from tournament.services.people.staff import may_give

State = Invitation.State


def staff_invite(*, event: Event, user: User, role: str, by: User, now: datetime) -> Invitation:
    """Ask `user` to take a role; who asks themselves has it at once. Asking again changes nothing; asking for another
    role takes the place of what was asked before.

    Raises UserError, Forbidden, TooMany; Conflict `has-role`, `refused`, `invited-meanwhile`.
    """
    one_of(role, "role", Staff.Role.values)
    may_give(event, role, by)
    if user.pk != by.pk:
        count(Limit(*settings.LIMITS["invite"]), "invite", by.pk)
    try:
        with transaction.atomic():
            return _ask(lock_event(event), user, role, by, now)
    except IntegrityError as error:
        raise Conflict(
            "invited-meanwhile", _("Someone else has just invited %(name)s.") % {"name": user}
        ) from error


def invitation_accept(*, invitation: Invitation, by: User, now: datetime) -> Staff:
    """Take the role one was asked to take; accepting twice changes nothing.

    Raises NotFound, Forbidden `banned`; Conflict `invitation-over`, also when who asked may not give the role any more.
    """
    _must_be_asked(invitation, by)
    must_be_welcome(by, invitation.event)
    with transaction.atomic():
        lock_event(invitation.event)  # who asked may be losing the right to
        has = Staff.objects.filter(event=invitation.event, user=by, role=invitation.role).first()
        if has is not None and Invitation.objects.filter(pk=invitation.pk, state=State.ACCEPTED).exists():
            return has
        if not _is_worth(invitation):
            raise _over(_("The person who invited you can no longer give this role."))
        _end(invitation, State.ACCEPTED, by, now)
        return _give(invitation)


def invitation_decline(*, invitation: Invitation, for_good: bool = False, by: User, now: datetime) -> None:
    """Decline; for good: nobody can invite this person to this event by name any more. A link still works, because
    following it is their own doing.

    Raises NotFound, Conflict `invitation-over`.
    """
    _must_be_asked(invitation, by)
    with transaction.atomic():
        _end(invitation, State.REFUSED if for_good else State.DECLINED, by, now)


def invitation_withdraw(*, invitation: Invitation, by: User, now: datetime) -> None:
    """Take back an invitation that has not been answered. Raises Forbidden, Conflict `invitation-over`."""
    may_give(invitation.event, invitation.role, by)
    with transaction.atomic():
        _end(invitation, State.WITHDRAWN, by, now)


def _ask(event: Event, user: User, role: str, by: User, now: datetime) -> Invitation:
    if Staff.objects.filter(event=event, user=user, role=role).exists():
        raise Conflict("has-role", _("%(name)s already has this role.") % {"name": user})
    own = user.pk == by.pk
    before = None if own else _asked_before(event, user)
    if before is not None and before.role == role and _is_worth(before):
        return before
    if before is not None:
        invitation_withdraw(invitation=before, by=by, now=now)
    made = Invitation.objects.create(
        event=event,
        user=user,
        role=role,
        state=State.ACCEPTED if own else State.OPEN,
        made_by=by,
        made_at=now,
        ended_at=now if own else None,
    )
    _audit("staff_add" if own else "staff_invite", made, by)
    if own:
        _give(made)
    return made


_VERBS = {
    State.ACCEPTED: "invitation_accept",
    State.DECLINED: "invitation_decline",
    State.REFUSED: "invitation_refuse",
    State.WITHDRAWN: "invitation_withdraw",
}


def _asked_before(event: Event, user: User) -> Invitation | None:
    """What the person was asked and has not answered."""
    found = Invitation.objects.filter(event=event, user=user, state__in=(State.OPEN, State.REFUSED)).first()
    if found is not None and found.state == State.REFUSED:
        raise Conflict(
            "refused",
            _("%(name)s doesn’t want to be invited to this event again.") % {"name": user},
            remedy=_("If they change their mind, they can follow a link that you create."),
        )
    return found


def _end(invitation: Invitation, state: State, by: User, now: datetime) -> None:
    """Of two people who end it at once, the first does."""
    if not Invitation.objects.filter(pk=invitation.pk, state=State.OPEN).update(state=state, ended_at=now):
        invitation.refresh_from_db(fields=["state"])
        if invitation.state == State.WITHDRAWN:
            raise _over(_("This invitation was withdrawn."))
        raise _over(_("This invitation has already been answered."))
    _audit(_VERBS[state], invitation, by)


def _give(invitation: Invitation) -> Staff:
    return Staff.objects.get_or_create(
        event=invitation.event, user_id=invitation.user_id, role=invitation.role
    )[0]


def _is_worth(invitation: Invitation) -> bool:
    """An invitation is worth no more than who made it."""
    try:
        may_give(invitation.event, invitation.role, invitation.made_by)
    except Forbidden:
        return False
    return True


def _must_be_asked(invitation: Invitation, by: User) -> None:
    if invitation.user_id != by.pk:
        raise NotFound(_("invitation"))


def _over(why: str) -> Conflict:
    return Conflict("invitation-over", why)


def _audit(verb: str, invitation: Invitation, by: User) -> None:
    data = {"user": invitation.user_id, "role": invitation.role}
    audit(verb, actor=by, target=invitation, event=invitation.event, data=data)
