"""Registers players, keeps the waiting list, drops and reinstates players, and lets guests claim their registration."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet
from django.db.models.functions import Length
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden, NotFound
from decks.models import Revision
from tournament.models import Event, Invitation, Registration, User
from tournament.selectors import (
    ORGANIZERS,
    STAFF,
    current_round,
    must_be_welcome,
    policy_of,
    require,
    roles_of,
)
from tournament.selectors.codes import guest_of_code
from tournament.selectors.entries import free_places, waiting_list
from tournament.services.checks import name as checked_name
from tournament.services.checks import text
from tournament.services.entry.decklists import deck_register
from tournament.services.locks import lock_event
from tournament.services.people.attempts import count_attempt
from tournament.services.people.invitations import entry_claimed, player_invite
from tournament.services.rounds.arrangements import missed_rounds_settle

State = Registration.State
LEFT = (State.DROPPED, State.WITHDRAWN)


def player_register(
    *,
    event: Event,
    user: User | None,
    name: str = "",
    club: str = "",
    pronouns: str = "",
    revision: Revision | None = None,
    missed: str = "",
    missed_reason: str = "",
    by: User,
    now: datetime,
) -> Registration:
    """Enter a player: oneself while registration is open, or anybody as staff.

    Whom staff enters is a guest under the name they give: with `user`, that account is asked whether the entry is
    theirs, and nothing of it is shown or changed before it accepts (services.people.invitations says why).
    One's own name left empty is the account's; when another player has it, the account's name is added. Before round 1
    a full event puts the player on its waiting list. Staff may enter late players while the event runs.
    Who left comes back into the same entry. With `revision`, the list is checked and registered at once.
    missed: what rounds published before count for who enters late: "losses", "byes", "nothing", or "" as the policy
    says; an exception from it, and entering later than it allows, is an organizer's, with `missed_reason`.
    Raises UserError, Forbidden, TooMany, Conflict (`registered`, `name-taken`, `registration-closed`,
    `registered-meanwhile`, `too-late`, `invited`, and those of `player_invite`).
    """
    itself = user is not None and user == by
    if not itself:
        require(by, event, STAFF)
    if user is not None:
        must_be_welcome(user, event)
    asked = None
    if user is not None and not itself and not event.registrations.filter(user=user).exists():
        user, asked = None, user
    given = checked_name(name, "name", most=80) if name.strip() or user is None else ""
    told = {
        "club": text(club, "club", most=80) if club.strip() else "",
        "pronouns": text(pronouns, "pronouns", most=40) if pronouns.strip() else "",
    }
    try:
        with transaction.atomic():
            event = lock_event(event)
            _must_be_open(event, staff=bool(roles_of(by, event) & STAFF), now=now)
            entry = _returning(event, user, given, missed_reason, by)
            if entry is None and user is not None:
                _must_not_be_asked(event, user)
            if entry is None:
                _must_not_be_too_late(event, missed_reason, by)
                entry = _entered(event, user, given, told, by, now)
            missed_rounds_settle(entry, missed, missed_reason, by, now)
            if revision is not None:
                deck_register(registration=entry, revision=revision, by=by, now=now)
            if asked is not None:
                player_invite(registration=entry, user=asked, by=by, now=now)
    except IntegrityError as error:
        raise _taken(event, user, given) from error
    return entry


def player_drop(*, registration: Registration, by: User, now: datetime) -> Registration:
    """Take a player out. Before round 1 the entry is withdrawn, and its place goes to who waits longest;
    later the player has dropped: not paired any more, results stay and count for former opponents.

    A match in progress is still to be reported. Raises Forbidden, Conflict `dropped`.
    """
    if registration.user_id != by.pk:
        require(by, registration.event, STAFF)
    with transaction.atomic():
        event = lock_event(registration.event)
        before = event.state == Event.State.REGISTRATION
        there = Registration.objects.filter(pk=registration.pk)
        if before or there.filter(state=State.WAITING).exists():
            left = withdraw(there, by=by, event=event)
        else:
            last = current_round(event)
            left = there.filter(state=State.ACTIVE).update(
                state=State.DROPPED, dropped_after=last.number if last else 0
            )
            if left:
                audit("player_drop", actor=by, target=registration, event=event)
        if not left:
            raise Conflict(
                "dropped",
                (
                    _("%(name)s didn’t make the cut to the second day and isn’t paired any more.")
                    if there.filter(state=State.OUT).exists()
                    else _("%(name)s has already dropped.")
                )
                % {"name": registration.name},
            )
        if before:
            promote_waiting(event, by=by)
    registration.refresh_from_db(fields=["state", "checked_in_at", "dropped_after"])
    return registration


def player_return(
    *, registration: Registration, missed: str = "", missed_reason: str = "", by: User, now: datetime
) -> Registration:
    """Take a drop back. Players do it themselves until the next round is published; later, staff does.

    missed: as in `player_register`, for rounds published since; who left before round 1 enters late, as a new player
    does. Raises Forbidden (`too-late`), UserError; Conflict `not-dropped`, `registration-closed`, `too-late`.
    """
    event = registration.event
    staff = bool(roles_of(by, event) & STAFF)
    if registration.user is not None:
        must_be_welcome(registration.user, event)
    if registration.user_id != by.pk and not staff:
        require(by, event, STAFF)
    with transaction.atomic():
        event = lock_event(event)
        registration.refresh_from_db()
        if registration.state not in LEFT:
            raise Conflict("not-dropped", _("%(name)s hasn’t dropped.") % {"name": registration.name})
        _must_be_open(event, staff=staff or event.state == Event.State.RUNNING, now=now)
        last = current_round(event)
        if not staff and last is not None and last.number != registration.dropped_after:
            raise Forbidden(
                "too-late",
                _("Another round has been published since you dropped."),
                remedy=_("Ask the organizer. Event staff can reinstate you."),
            )
        _take_up_again(registration, event, missed_reason, by)
        missed_rounds_settle(registration, missed, missed_reason, by, now)
    return registration


def player_change(
    *, registration: Registration, name: str, club: str = "", pronouns: str = "", by: User, now: datetime
) -> Registration:
    """Mend a name, a club, pronouns. The player changes the last two, staff all. Raises Forbidden, Conflict."""
    event = registration.event
    name = checked_name(name, "name", most=80) if name != registration.name else name
    if registration.user_id != by.pk or name != registration.name:
        require(by, event, STAFF)
    before = {"name": registration.name, "club": registration.club, "pronouns": registration.pronouns}
    after = {
        "name": name,
        "club": text(club, "club", most=80) if club.strip() else "",
        "pronouns": text(pronouns, "pronouns", most=40) if pronouns.strip() else "",
    }
    try:
        with transaction.atomic():
            lock_event(event)
            if name != registration.name:
                _must_be_no_ones(event, name, but=registration)
            for field, value in after.items():
                setattr(registration, field, value)
            registration.save(update_fields=list(after))
            data = {key: [before[key], after[key]] for key in after if before[key] != after[key]}
            audit("player_change", actor=by, target=registration, event=event, data=data)
    except IntegrityError as error:
        raise _taken(event, None, name) from error
    return registration


def player_admit(*, registration: Registration, reason: str, by: User, now: datetime) -> Registration:
    """Take somebody from the waiting list out of turn, or above the capacity, saying why. In a running event this is a
    late entry: the rounds published before count as the policy says.

    Raises Forbidden, UserError `missing`, Conflict `not-waiting`, `registration-closed`.
    """
    event = registration.event
    require(by, event, ORGANIZERS)
    reason = text(reason, "reason", most=300)
    with transaction.atomic():
        event = lock_event(event)
        _must_be_open(event, staff=True, now=now)
        _must_be_of_the_day(event, registration)
        waiting = Registration.objects.filter(pk=registration.pk, state=State.WAITING)
        if not waiting.update(state=State.ACTIVE):
            raise Conflict(
                "not-waiting", _("%(name)s isn’t on the waiting list.") % {"name": registration.name}
            )
        audit("player_admit", actor=by, target=registration, event=event, reason=reason)
        registration.refresh_from_db(fields=["state"])
        missed_rounds_settle(registration, "", "", by, now)
    return registration


def player_claim(*, event: Event, code: str, by: User, now: datetime) -> Registration:
    """Take over the entry of a guest, with its results, by the code that the guest was given.

    Raises NotFound for a code of nobody, UserError `too-many-attempts`, Conflict `registered`.
    """
    must_be_welcome(by, event)
    count_attempt("claim", by)
    entry = guest_of_code(event, code)
    if entry is None:
        raise NotFound(_("code"), remedy=_("Check the slip again. A code works only once."))
    try:
        with transaction.atomic():
            lock_event(event)
            if not Registration.objects.filter(pk=entry.pk, user=None).update(user=by):
                raise Conflict("claimed", _("This registration has already been claimed."))
            audit("player_claim", actor=by, target=entry, event=event)
            entry_claimed(entry, by, now)
    except IntegrityError as error:
        raise Conflict(
            "registered",
            _("You already have a registration in this event."),
            remedy=_("Ask event staff to withdraw one of the two."),
        ) from error
    entry.refresh_from_db()
    return entry


def player_unclaim(*, registration: Registration, reason: str, by: User, now: datetime) -> Registration:
    """Part an entry from the account that claimed it, saying why; the codes are renewed. Results stay.

    Raises Forbidden, UserError `missing`, Conflict `guest`.
    """
    event = registration.event
    require(by, event, ORGANIZERS)
    reason = text(reason, "reason", most=300)
    with transaction.atomic():
        lock_event(event)
        fresh = Registration.objects.get(pk=registration.pk)
        if fresh.user_id is None:
            raise Conflict("guest", _("This registration isn’t linked to an account."))
        data = {"user": fresh.user_id}
        fresh.user, fresh.codes = None, fresh.codes + 1
        fresh.save(update_fields=["user", "codes"])
        audit("player_unclaim", actor=by, target=fresh, event=event, reason=reason, data=data)
    return fresh


def codes_renew(*, registration: Registration, by: User, now: datetime) -> Registration:
    """Void the entry's codes, say because a slip was lost. Raises Forbidden."""
    require(by, registration.event, STAFF)
    with transaction.atomic():
        lock_event(registration.event)
        registration.refresh_from_db(fields=["codes"])
        registration.codes += 1
        registration.save(update_fields=["codes"])
        audit("codes_renew", actor=by, target=registration, event=registration.event)
    return registration


# --- places: called by services that hold the event ------------------------------------------------------


def withdraw(entries: QuerySet[Registration], *, by: User, event: Event) -> int:
    """Mark these entries as having left before round 1; how many there were."""
    left = 0
    for entry in entries.filter(state__in=[State.ACTIVE, State.WAITING]):
        still = Registration.objects.filter(pk=entry.pk, state=entry.state)
        if still.update(state=State.WITHDRAWN, checked_in_at=None):
            audit("player_withdraw", actor=by, target=entry, event=event, data={"was": entry.state})
            left += 1
    return left


def promote_waiting(event: Event, *, by: User, present_only: bool = False) -> list[Registration]:
    """Give free places to who waits, in order. `present_only`: those among them who have checked in."""
    free = free_places(event)
    waiting = waiting_list(event)
    if present_only:
        waiting = waiting.filter(checked_in_at__isnull=False)
    promoted = list(waiting if free is None else waiting[: max(0, free)])
    for entry in promoted:
        entry.state = State.ACTIVE
        entry.save(update_fields=["state"])
        audit("player_promote", actor=by, target=entry, event=event, data={"number": entry.number})
    return promoted


def _returning(event: Event, user: User | None, name: str, reason: str, by: User) -> Registration | None:
    """The former entry of a player who left and is back, taken up again with its history."""
    who = {"user": user} if user is not None else {"user": None, "name": name}
    former = event.registrations.filter(state__in=LEFT, **who).first()
    if former is not None:
        _take_up_again(former, event, reason, by)
    return former


def _must_not_be_asked(event: Event, user: User) -> None:
    """Entered twice, a player would be paired twice."""
    asked = event.invitations.filter(user=user, entry__isnull=False, state=Invitation.State.OPEN).first()
    if asked is not None:
        raise Conflict(
            "invited",
            _("Event staff has already registered someone as %(name)s and asks whether that is you.")
            % {"name": asked.entry},
            remedy=_("Accept or decline the invitation first."),
        )


def _must_be_of_the_day(event: Event, entry: Registration | None) -> None:
    """Once it is settled who plays the second day, nobody else is paired. Raises Conflict `second-day`."""
    if event.second_day_at is not None and (entry is None or not entry.second_day):
        raise Conflict("second-day", _("The second day is only for players who made its cut."))


def _take_up_again(former: Registration, event: Event, reason: str, by: User) -> None:
    _must_be_of_the_day(event, former)
    if former.state == State.WITHDRAWN:  # never played here
        _must_not_be_too_late(event, reason, by)
    if event.state == Event.State.REGISTRATION:  # behind those who wait; once lots are drawn by it, it stays
        former.number = _next_number(event)
    former.state, former.dropped_after = _state_of_next(event), None
    former.save(update_fields=["state", "number", "dropped_after"])
    audit("player_return", actor=by, target=former, event=event, data={"state": str(former.state)})


def _entered(
    event: Event, user: User | None, name: str, told: dict[str, str], by: User, now: datetime
) -> Registration:
    _must_be_of_the_day(event, None)
    if user is not None and not told["pronouns"]:
        told = told | {"pronouns": user.pronouns}
    if name:
        _must_be_no_ones(event, name)
    entry = Registration.objects.create(
        event=event,
        user=user,
        number=_next_number(event),
        name=name or _free_name(event, user),
        state=_state_of_next(event),
        registered_at=now,
        **told,
    )
    data = {"state": "waiting"} if entry.state == State.WAITING else {}
    audit("player_register", actor=by, target=entry, event=event, data=data)
    return entry


def _state_of_next(event: Event) -> Registration.State:
    """Active, or waiting where the event is full or others wait. Late players are staff's to judge."""
    if event.state != Event.State.REGISTRATION or event.capacity is None:
        return State.ACTIVE
    free = free_places(event) or 0
    return State.ACTIVE if free > 0 and not waiting_list(event).exists() else State.WAITING


def _next_number(event: Event) -> int:
    """The next entry's number. Two at once take the same, and the database refuses the second: so neither
    can have counted the last place without the other."""
    last: int | None = event.registrations.aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def _must_be_open(event: Event, *, staff: bool, now: datetime) -> None:
    why, remedy = "", _("Ask the organizer. Event staff can register players.")
    if event.state == Event.State.FINISHED:
        raise Conflict("registration-closed", _("The event is over."))
    if event.flights.exists():
        raise Conflict(
            "registration-closed",
            _("Players can’t register for a final. Players who make a flight’s cut play in it."),
            remedy=_("Register for one of its flights."),
        )
    if staff:
        return
    if event.state != Event.State.REGISTRATION:
        why = _("Registration closed when round 1 was paired.")
    elif event.registration_opens is not None and now < event.registration_opens:
        why = _("Registration hasn’t opened yet.")
        remedy = _("It opens automatically. The event page says when.")
    elif event.registration_closes is not None and now >= event.registration_closes:
        why = _("Registration has closed.")
    if why:
        raise Conflict("registration-closed", why, remedy=remedy)


def _must_not_be_too_late(event: Event, reason: str, by: User) -> None:
    """A new player of a running event may still play a first round as late as the policy allows; an organizer who
    says why makes an exception."""
    until = policy_of(event).late_entries.until
    last = current_round(event)
    if until is None or last is None or last.number < until:
        return
    if reason.strip() and roles_of(by, event) & ORGANIZERS:
        text(reason, "missed_reason", most=300)
        return
    raise Conflict(
        "too-late",
        _("Under this event’s policy, no one can enter once round %(number)s is published.")
        % {"number": until},
        place="missed_reason",
        remedy=_("An organizer can make an exception, with a reason."),
    )


def _free_name(event: Event, user: User | None) -> str:
    assert user is not None
    shown = " ".join(str(user).split())[:80]
    if _of_that_name(event, shown) is None:
        return shown
    suffix = f" ({user.username})"
    return shown[: max(0, 80 - len(suffix))] + suffix[:80]


def _must_be_no_ones(event: Event, name: str, but: Registration | None = None) -> None:
    """Two players whose names differ in capitals alone would be taken for each other. The event is held."""
    if _of_that_name(event, name, but) is not None:
        raise _name_taken(name)


def _of_that_name(event: Event, name: str, but: Registration | None = None) -> Registration | None:
    others = event.registrations.exclude(pk=but.pk if but else 0)
    if name.isascii():
        return others.filter(name__iexact=name).first()
    alike = others.annotate(size=Length("name")).filter(
        size=len(name)
    )  # databases know capitals of ASCII at least
    return next((one for one in alike if one.name.casefold() == name.casefold()), None)


def _taken(event: Event, user: User | None, name: str) -> Conflict:
    if user is not None and event.registrations.filter(user=user).exists():
        return Conflict("registered", _("%(name)s is already registered.") % {"name": user}, place="user")
    if user is not None and not (name and event.registrations.filter(name=name).exists()):
        return Conflict(
            "registered-meanwhile",
            _("Someone else just registered."),
            remedy=_("Send it again."),
        )
    return _name_taken(name)


def _name_taken(name: str) -> Conflict:
    return Conflict(
        "name-taken",
        _("A player named “%(name)s” is already registered.") % {"name": name},
        place="name",
        remedy=_("Add something to tell the two apart."),
    )
