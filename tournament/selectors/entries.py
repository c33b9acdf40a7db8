"""Registrations of an event: spots, the waiting list, who has checked in."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from config.errors import NotFound
from tournament.models import AuditRow, Event, Invite, Registration, Staff
from tournament.selectors.access import ORGANIZERS, Person, require

State = Registration.State


def playing(event: Event) -> QuerySet[Registration]:
    """Who is to be paired."""
    return event.registrations.filter(state=State.ACTIVE)


def waiting_list(event: Event) -> QuerySet[Registration]:
    """Who waits for a place, the longest first."""
    return event.registrations.filter(state=State.WAITING).order_by("number")


def entered_themselves(entry: Registration) -> bool:
    """Whether the entry is of an account that registered, came back, claimed it or checked in by itself."""
    return AuditRow.objects.filter(
        verb__in=("player_register", "player_return", "player_claim", "player_check_in"),
        actor=entry.user,
        target_type=entry._meta.label_lower,
        target_id=str(entry.pk),
    ).exists()


def free_places(event: Event) -> int | None:
    """Places left (negative: more play than the organizer meant to); None without a capacity."""
    return None if event.capacity is None else event.capacity - playing(event).count()


def place_in_line(entry: Registration) -> int:
    """1 for whoever gets the next free place."""
    return waiting_list(entry.event).filter(number__lte=entry.number).count()


def registration_is_open(event: Event, now: datetime) -> bool:
    """Whether players can enter themselves now."""
    return (
        event.state == Event.State.REGISTRATION
        and (event.registration_opens is None or now >= event.registration_opens)
        and (event.registration_closes is None or now < event.registration_closes)
    )


def checkin_is_open(event: Event) -> bool:
    return (
        event.state == Event.State.REGISTRATION
        and event.checkin_opened_at is not None
        and event.checkin_closed_at is None
    )


@dataclass(frozen=True, slots=True)
class CheckIn:
    """The list at the door. `missing` are to be withdrawn when it closes; `present_waiting` get their places."""

    entries: tuple[Registration, ...]
    missing: tuple[Registration, ...]
    present: tuple[Registration, ...]
    waiting: tuple[Registration, ...]
    promoted: tuple[Registration, ...]

    @property
    def expected(self) -> int:
        return len(self.present) + len(self.missing)


def checkin(event: Event, query: str = "", show: str = "") -> CheckIn:
    """Everybody who may check in, in one query, and what closing the check-in would do.

    query: only `entries` whose name or club holds these letters, or whose number it is. show: "missing" or "here".
    """
    rows = list(event.registrations.filter(state__in=[State.ACTIVE, State.WAITING]).order_by("name", "pk"))
    wanted = query.casefold()
    active = [entry for entry in rows if entry.state == State.ACTIVE]
    missing = [entry for entry in active if entry.checked_in_at is None]
    waiting = sorted((entry for entry in rows if entry.state == State.WAITING), key=lambda one: one.number)
    there = [entry for entry in waiting if entry.checked_in_at is not None]
    free = None if event.capacity is None else max(0, event.capacity - len(active) + len(missing))
    return CheckIn(
        entries=tuple(
            entry
            for entry in rows
            if (
                wanted in entry.name.casefold()
                or wanted in entry.club.casefold()
                or wanted == str(entry.number)
            )
            and show in ("", "here" if entry.checked_in_at else "missing")
        ),
        missing=tuple(missing),
        present=tuple(entry for entry in active if entry.checked_in_at is not None),
        waiting=tuple(waiting),
        promoted=tuple(there[:free]),
    )


def watches(user: Person, event: Event) -> bool:
    """Whether the asker follows the event as a spectator."""
    if user is None or not user.is_authenticated:
        return False
    return Staff.objects.filter(event=event, user=user, role=Staff.Role.SPECTATOR).exists()


def access_staff(user: Person, slug: str, pk: int) -> Staff:
    """A row of the event's staff: for organizers, and for whose row it is. Raises NotFound, Forbidden."""
    found = Staff.objects.select_related("event", "user").filter(event__slug=slug, pk=pk).first()
    if found is None:
        raise NotFound(_("staff member"))
    if user is None or user.pk != found.user_id:
        require(user, found.event, ORGANIZERS)
    return found


def access_invite(user: Person, slug: str, pk: int) -> Invite:
    """An invitation, for organizers. Raises NotFound, Forbidden."""
    found = Invite.objects.select_related("event").filter(event__slug=slug, pk=pk).first()
    if found is None:
        raise NotFound(_("invitation"))
    require(user, found.event, ORGANIZERS)
    return found


def invites_that_work(event: Event, now: datetime) -> QuerySet[Invite]:
    """Invitations that still give their role, the newest first."""
    left = Q(uses__lt=F("most_uses"))
    return event.invites.filter(left, revoked_at=None, expires_at__gt=now).select_related("made_by")
