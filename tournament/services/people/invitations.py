"""Invites people by name: to join an event's staff, or to confirm that a registration made by staff is theirs.

Nobody is on the event staff who has not accepted, and no account plays that has not agreed. A desk cannot wait for an
answer, though: so staff enters the player at once, as a guest under the name they give, who is checked in, paired and
reported for like any guest; the account is only asked. Until it accepts, nothing of it is shown or changed, and nobody
but the staff knows that it was asked; then the entry with all its results is the account's, as if it had been claimed
with the code on the slip.
"""

from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden, NotFound
from config.limits import Limit, count
from tournament.models import Event, Invitation, Registration, Staff, User
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


def player_invite(*, registration: Registration, user: User, by: User, now: datetime) -> Invitation:
    """Ask `user` whether a guest's entry is theirs; who asks themselves has it at once. Asking again changes nothing;
    to offer the entry to another account, the first is asked no more.

    Raises Forbidden, TooMany; Conflict `registered`, `claimed`, `refused`, `invited-elsewhere`, `invited-meanwhile`.
    """
    event = registration.event
    may_give(event, Invitation.PLAYER, by)
    must_be_welcome(user, event)
    if user.pk != by.pk:
        count(Limit(*settings.LIMITS["invite"]), "invite", by.pk)
    try:
        with transaction.atomic():
            lock_event(event)
            return _ask_player(registration, user, by, now)
    except IntegrityError as error:
        raise Conflict(
            "invited-meanwhile", _("Someone else has just invited %(name)s.") % {"name": f"@{user.username}"}
        ) from error


def entry_accept(*, invitation: Invitation, by: User, now: datetime) -> Registration:
    """Take the entry that one was asked about for one's own, with its results; accepting twice changes nothing. It
    keeps the name that the staff gave it; club and pronouns the player may mend.

    Raises NotFound, Forbidden `banned`; Conflict `registered`, `claimed`, `invitation-over`.
    """
    _must_be_asked(invitation, by)
    entry = invitation.entry
    if entry is None:
        raise NotFound(_("registration"))
    must_be_welcome(by, invitation.event)
    try:
        with transaction.atomic():
            lock_event(invitation.event)
            entry.refresh_from_db()
            if entry.user_id != by.pk:
                _must_be_worth(invitation)
                _end(invitation, State.ACCEPTED, by, now)
                _link(entry, by)
    except IntegrityError as error:
        raise _registered(by) from error
    return entry


def entry_claimed(entry: Registration, by: User, now: datetime) -> None:
    """The entry is somebody's now: who was asked about it is asked no more. For services that hold the event."""
    for one in entry.invitations.filter(state=State.OPEN):
        mine = one.user_id == by.pk
        _end(one, State.ACCEPTED if mine else State.WITHDRAWN, by, now)


def invitation_accept(*, invitation: Invitation, by: User, now: datetime) -> Staff:
    """Take the role one was asked to take; accepting twice changes nothing. An entry: `entry_accept`.

    Raises NotFound, Forbidden `banned`; Conflict `invitation-over`, also when who asked may not give the role any more.
    """
    _must_be_asked(invitation, by)
    if invitation.entry_id is not None:
        raise NotFound(_("role"))
    must_be_welcome(by, invitation.event)
    with transaction.atomic():
        lock_event(invitation.event)  # who asked may be losing the right to
        has = Staff.objects.filter(event=invitation.event, user=by, role=invitation.role).first()
        if has is not None and Invitation.objects.filter(pk=invitation.pk, state=State.ACCEPTED).exists():
            return has
        _must_be_worth(invitation)
        _end(invitation, State.ACCEPTED, by, now)
        return _give(invitation)


def invitation_decline(*, invitation: Invitation, for_good: bool = False, by: User, now: datetime) -> None:
    """Decline; for good: nobody can invite this person to this event by name any more, neither to help nor to play,
    and what else it asks is declined too. A link, or the code of an entry, still works: that is their own doing.

    Raises NotFound, Conflict `invitation-over`.
    """
    _must_be_asked(invitation, by)
    with transaction.atomic():
        lock_event(invitation.event)  # who asks for something else at this moment asks before, or not at all
        _end(invitation, State.REFUSED if for_good else State.DECLINED, by, now)
        if for_good:
            for other in Invitation.objects.filter(event=invitation.event, user=by, state=State.OPEN):
                _end(other, State.DECLINED, by, now)


def invitation_withdraw(*, invitation: Invitation, by: User, now: datetime) -> None:
    """Take back an invitation that has not been answered. Raises Forbidden, Conflict `invitation-over`."""
    may_give(invitation.event, invitation.role, by)
    with transaction.atomic():
        _end(invitation, State.WITHDRAWN, by, now)


def _ask(event: Event, user: User, role: str, by: User, now: datetime) -> Invitation:
    if Staff.objects.filter(event=event, user=user, role=role).exists():
        raise Conflict("has-role", _("%(name)s already has this role.") % {"name": user})
    own = user.pk == by.pk
    before = None
    if not own:
        _must_not_have_refused(event, user)
        before = Invitation.objects.filter(event=event, user=user, entry=None, state=State.OPEN).first()
    if before is not None and before.role == role and _is_worth(before):
        return before
    if before is not None:
        invitation_withdraw(invitation=before, by=by, now=now)
    made = _made(event, user, role, by, now)
    _audit("staff_add" if own else "staff_invite", made, by)
    if own:
        _give(made)
    return made


def _ask_player(entry: Registration, user: User, by: User, now: datetime) -> Invitation:
    """For services that hold the event."""
    if Registration.objects.filter(event=entry.event, user=user).exists():
        raise _registered(user)
    if Registration.objects.filter(pk=entry.pk, user__isnull=False).exists():
        raise _claimed()
    own = user.pk == by.pk
    if not own:
        _must_not_have_refused(entry.event, user)
    before = Invitation.objects.filter(
        entry__isnull=False, event=entry.event, user=user, state=State.OPEN
    ).first()
    if before is not None and before.entry_id != entry.pk:
        raise Conflict(
            "invited-elsewhere",
            _("@%(username)s is already asked about another registration, %(name)s.")
            % {"username": user.username, "name": before.entry},
            remedy=_("Withdraw that invitation first."),
        )
    if before is not None and _is_worth(before):
        return before
    for other in entry.invitations.filter(state=State.OPEN):
        invitation_withdraw(invitation=other, by=by, now=now)
    made = _made(entry.event, user, Invitation.PLAYER, by, now, entry)
    _audit("invitation_accept" if own else "player_invite", made, by)
    if own:
        _link(entry, user)
    return made


def _made(
    event: Event, user: User, role: str, by: User, now: datetime, entry: Registration | None = None
) -> Invitation:
    own = user.pk == by.pk
    return Invitation.objects.create(
        event=event,
        user=user,
        role=role,
        entry=entry,
        state=State.ACCEPTED if own else State.OPEN,
        made_by=by,
        made_at=now,
        ended_at=now if own else None,
    )


def _link(entry: Registration, user: User) -> None:
    """One conditional update: of two who take the entry at once, one does."""
    if not Registration.objects.filter(pk=entry.pk, user=None).update(user=user):
        raise _claimed()
    entry.user = user


_VERBS = {
    State.ACCEPTED: "invitation_accept",
    State.DECLINED: "invitation_decline",
    State.REFUSED: "invitation_refuse",
    State.WITHDRAWN: "invitation_withdraw",
}


def _must_not_have_refused(event: Event, user: User) -> None:
    if Invitation.objects.filter(event=event, user=user, state=State.REFUSED).exists():
        raise Conflict(
            "refused",
            _("@%(name)s doesn’t want to be invited to this event again.") % {"name": user.username},
            remedy=_(
                "If they change their mind, they can follow a link that you create, or enter the code of their "
                "registration."
            ),
        )


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


def _must_be_worth(invitation: Invitation) -> None:
    if not _is_worth(invitation):
        raise _over(_("The person who invited you can no longer do so."))


def _must_be_asked(invitation: Invitation, by: User) -> None:
    if invitation.user_id != by.pk:
        raise NotFound(_("invitation"))


def _registered(user: User) -> Conflict:
    return Conflict(
        "registered",
        _("@%(name)s already has a registration in this event.") % {"name": user.username},
        place="user",
        remedy=_("Event staff can withdraw one of the two."),
    )


def _claimed() -> Conflict:
    return Conflict("claimed", _("This registration has already been claimed."))


def _over(why: str) -> Conflict:
    return Conflict("invitation-over", why)


def _audit(verb: str, invitation: Invitation, by: User) -> None:
    """An entry's are told of the entry: whose account was asked is shown to nobody who reads the log."""
    data = {"user": invitation.user_id, "role": invitation.role}
    audit(verb, actor=by, target=invitation.entry or invitation, event=invitation.event, data=data)
