"""Players: registering, their lists, dropping."""

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden, UserError
from decks import services as deck_services
from decks.models import LegalityReport, Revision
from tournament.models import Event, Registration, User
from tournament.selectors import ORGANIZER, ORGANIZERS, STAFF, require, roles_of
from tournament.services.checks import text


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
    enter late players while the event runs. With `revision`, the list is checked and registered at once.
    Raises UserError, Forbidden, Conflict (`registered`, `name-taken`, `registration-closed`).
    """
    itself = user is not None and user == by
    if not itself:
        require(by, event, STAFF)
    given = text(name, "name", most=80) if name.strip() or user is None else ""
    club = text(club, "club", most=80) if club.strip() else ""
    try:
        with transaction.atomic():
            event = _lock(event)
            _must_be_open(event, late=not itself or ORGANIZER in roles_of(by, event))
            registration = Registration.objects.create(
                event=event,
                user=user,
                name=given or _free_name(event, user),
                club=club,
                registered_at=now,
            )
            audit(
                "player_register",
                actor=by,
                target=registration,
                event=event,
                data={"name": registration.name},
            )
            if revision is not None:
                deck_register(registration=registration, revision=revision, by=by, now=now)
    except IntegrityError as error:
        raise _taken(event, user, given) from error
    return registration


def deck_register(
    *, registration: Registration, revision: Revision | None, override: str = "", by: User, now: datetime
) -> Registration:
    """Check a list under the event's format and date, and register it for the player.

    An illegal list is refused unless an organizer gives a reason in `override`; an unverified one is taken
    and shown as such. Players register their own lists until round 1 is paired; organizers may for anybody,
    and afterwards only with a reason. An organizer may also admit a player without a list (`revision` None)
    with a reason, say a paper list seen at the desk. Raises UserError `illegal-deck` (with the findings in
    `details`), `wrong-format`, `no-deck`; Forbidden; Conflict `deck-locked`.
    """
    override = " ".join(override.split())
    with transaction.atomic():
        event = _lock(registration.event)
        organizer = ORGANIZER in roles_of(by, event)
        _may_register_deck(registration, revision, by, organizer, override)
        if event.state != Event.State.REGISTRATION and not (organizer and override):
            raise Conflict(
                "deck-locked",
                _("Lists are locked since round 1 was paired."),
                remedy=_("An organizer may change it, giving a reason."),
            )
        report = _report(event, revision, now) if revision is not None else None
        if report is not None and report.verdict == LegalityReport.Verdict.ILLEGAL and not override:
            raise _illegal(report)
        registration.revision, registration.report = revision, report
        registration.deck_override = override
        registration.save(update_fields=["revision", "report", "deck_override"])
        audit(
            "deck_register",
            actor=by,
            target=registration,
            event=event,
            reason=override,
            data={"revision": revision and revision.pk, "verdict": report and report.verdict},
        )
    return registration


def player_drop(*, registration: Registration, by: User, now: datetime) -> Registration:
    """Take a player out of the rounds to come. The row stays, and counts for former opponents.

    A match in progress is still to be reported. Raises Forbidden, Conflict `dropped`.
    """
    if registration.user_id != by.pk:
        require(by, registration.event, STAFF)
    with transaction.atomic():
        _lock(registration.event)
        changed = Registration.objects.filter(pk=registration.pk, state=Registration.State.ACTIVE).update(
            state=Registration.State.DROPPED
        )
        if not changed:
            raise Conflict("dropped", _("%(name)s has dropped already.") % {"name": registration.name})
        audit("player_drop", actor=by, target=registration, event=registration.event)
    registration.refresh_from_db(fields=["state"])
    return registration


def _lock(event: Event) -> Event:
    """The event's row, held until the transaction ends: entering, dropping and pairing take turns.

    On SQLite the transaction itself is the lock (IMMEDIATE).
    """
    return Event.objects.select_for_update().get(pk=event.pk)


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


def _may_register_deck(
    registration: Registration, revision: Revision | None, by: User, organizer: bool, override: str
) -> None:
    if override and not organizer:
        require(by, registration.event, ORGANIZERS)
    if revision is None:
        if not override:
            raise UserError(
                "no-deck",
                _("There is no list to register."),
                place="revision",
                remedy=_("Choose a list; an organizer may admit a player without one, giving a reason."),
            )
        return
    if organizer:
        return
    if registration.user_id != by.pk or revision.deck.owner_id != by.pk:
        raise Forbidden(
            "forbidden",
            _("You may register only your own list, for yourself."),
            remedy=_("Ask an organizer."),
        )


def _report(event: Event, revision: Revision, now: datetime) -> LegalityReport:
    if revision.deck.format != event.format:
        raise UserError(
            "wrong-format",
            _("This list is for %(theirs)s; the event plays %(ours)s.")
            % {"theirs": revision.deck.format, "ours": event.format},
            place="revision",
            remedy=_("Submit the list again for the event's format."),
        )
    return deck_services.report_make(revision=revision, on=event.format_on, now=now)


def _illegal(report: LegalityReport) -> UserError:
    findings: list[dict[str, Any]] = [one for one in report.findings if one.get("severity") == "illegal"]
    return UserError(
        "illegal-deck",
        " ".join([_("This list is not legal here."), *(str(one["message"]) for one in findings[:3])]),
        place="revision",
        remedy=_("Mend the list and submit it again; an organizer may admit it as it is, giving a reason."),
        details={"report": report.pk, "findings": findings},
    )
