"""Players: entering an event and dropping from it."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict
from decks.models import Revision
from tournament.models import Event, Registration, User
from tournament.selectors import STAFF, require, roles_of
from tournament.services.checks import text
from tournament.services.decklists import deck_register
from tournament.services.locks import lock_event


def player_register(
    *,
    event: Event,
    user: User | None,
    name: str = "",
    club: str = "",
    revision: Revision | None = None,
    by: User,
    now: datetime,
) -> Registration:
    """Enter a player: oneself while registration is open, or anybody (a guest has no `user`) as staff.

    A name left empty is the account's; when another player has it, the account's name is added. Staff may
    enter late players while the event runs. Who has dropped comes back into the same entry.
    With `revision`, the list is checked and registered at once.
    Raises UserError, Forbidden, Conflict (`registered`, `name-taken`, `registration-closed`).
    """
    itself = user is not None and user == by
    if not itself:
        require(by, event, STAFF)
    given = text(name, "name", most=80) if name.strip() or user is None else ""
    club = text(club, "club", most=80) if club.strip() else ""
    try:
        with transaction.atomic():
            event = lock_event(event)
            _must_be_open(event, late=bool(roles_of(by, event) & STAFF))
            registration = _returning(event, user, given, by) or _entered(event, user, given, club, by, now)
            if revision is not None:
                deck_register(registration=registration, revision=revision, by=by, now=now)
    except IntegrityError as error:
        raise _taken(event, user, given) from error
    return registration


def player_drop(*, registration: Registration, by: User, now: datetime) -> Registration:
    """Take a player out of the rounds to come. The row stays, and counts for former opponents.

    A match in progress is still to be reported. Raises Forbidden, Conflict `dropped`.
    """
    if registration.user_id != by.pk:
        require(by, registration.event, STAFF)
    with transaction.atomic():
        lock_event(registration.event)
        changed = Registration.objects.filter(pk=registration.pk, state=Registration.State.ACTIVE).update(
            state=Registration.State.DROPPED
        )
        if not changed:
            raise Conflict("dropped", _("%(name)s has dropped already.") % {"name": registration.name})
        audit("player_drop", actor=by, target=registration, event=registration.event)
    registration.refresh_from_db(fields=["state"])
    return registration


def _returning(event: Event, user: User | None, name: str, by: User) -> Registration | None:
    """The former entry of a player who dropped and is back, taken up again with its history."""
    who = {"user": user} if user is not None else {"user": None, "name": name}
    former = event.registrations.filter(state=Registration.State.DROPPED, **who).first()
    if former is not None:
        former.state = Registration.State.ACTIVE
        former.save(update_fields=["state"])
        audit("player_return", actor=by, target=former, event=event)
    return former


def _entered(event: Event, user: User | None, name: str, club: str, by: User, now: datetime) -> Registration:
    registration = Registration.objects.create(
        event=event, user=user, name=name or _free_name(event, user), club=club, registered_at=now
    )
    data = {"name": registration.name}
    audit("player_register", actor=by, target=registration, event=event, data=data)
    return registration


def _must_be_open(event: Event, *, late: bool) -> None:
    if event.state == Event.State.FINISHED:
        raise Conflict("registration-closed", _("The event is over."))
    if event.state != Event.State.REGISTRATION and not late:
        raise Conflict(
            "registration-closed",
            _("Registration closed when round 1 was paired."),
            remedy=_("Ask the organizer: staff can enter late players."),
        )


def _free_name(event: Event, user: User | None) -> str:
    assert user is not None
    shown = " ".join(str(user).split())[:80]
    if not event.registrations.filter(name=shown).exists():
        return shown
    suffix = f" ({user.username})"
    return shown[: max(0, 80 - len(suffix))] + suffix[:80]


def _taken(event: Event, user: User | None, name: str) -> Conflict:
    if user is not None and event.registrations.filter(user=user).exists():
        return Conflict("registered", _("%(name)s is registered already.") % {"name": user}, place="user")
    return Conflict(
        "name-taken",
        _("A player named “%(name)s” is registered already.") % {"name": name},
        place="name",
        remedy=_("Add something that tells the two apart."),
    )
