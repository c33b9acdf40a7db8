"""Rulings at matches: who judges them, who can appeal, who decides, and the event's readings of the rules.

The rules app asks `judged` and `readings_for` here (config.settings).
"""

from collections.abc import Iterable
from typing import Any

from django.db.models import Prefetch, Q, QuerySet
from django.utils.translation import gettext as _

from config.errors import NotFound
from rules.models import Ruling
from rules.selectors import RULINGS
from tournament.models import Ban, Event, GivenRuling, Match, PinnedReading, Registration, Seat, Staff
from tournament.selectors.access import (
    HEAD_JUDGE,
    HEAD_JUDGES,
    JUDGES,
    OWNER,
    PLAYER,
    STAFF,
    Person,
    match_roles,
)

GIVEN: QuerySet[GivenRuling] = (
    GivenRuling.objects.select_related("match__round__event", "call", "penalty__registration", "extension")
    .defer("match__round__explanation")
    .prefetch_related(
        Prefetch("ruling", RULINGS),
        Prefetch("match__seats", Seat.objects.select_related("registration")),
    )
)
"""Rulings at matches with everything a page shows."""


def judged(user: Person, what: str) -> Q:
    """Which of `what` ("rulings" or "disputes") somebody reads as a judge: of the events where they judge, but never
    of a match they sit at, and their own free disputes."""
    if user is None or user.pk is None:
        return Q(pk__in=[])
    events = list(Staff.objects.filter(user=user, role__in=JUDGES).values_list("event", flat=True))
    own = Seat.objects.filter(registration__user=user).values("match")
    if what == "disputes":
        at_events = Q(match_dispute__match__round__event__in=events) & ~Q(match_dispute__match__in=own)
        return at_events | Q(match_dispute__isnull=True, filed_by=user)
    at_events = Q(given__match__round__event__in=events) & ~Q(given__match__in=own)
    own_free = Q(dispute__match_dispute__isnull=True, dispute__filed_by=user) | Q(dispute=None, judge=user)
    return at_events | Q(given__isnull=True) & own_free


def rulings_at(match: Match) -> QuerySet[GivenRuling]:
    """The rulings of a match, the first first; corrections of the law among them."""
    return GIVEN.filter(match=match).order_by("pk")


def rulings_of(event: Event) -> QuerySet[GivenRuling]:
    """The rulings of an event, the latest first."""
    return GIVEN.filter(match__round__event=event)


def open_appeals(*events: Event) -> QuerySet[GivenRuling]:
    """The appealed rulings that nobody has decided yet, the oldest appeal first."""
    found = GIVEN.filter(match__round__event__in=events, ruling__appeal__isnull=False)
    return found.exclude(ruling__successors__change__in=Ruling.AT_THE_EVENT).order_by("ruling__appeal__at")


def appeals_to_decide(user: Person, events: Iterable[Event]) -> list[GivenRuling]:
    """Of the open appeals at these events, those that wait for the asker's word."""
    return [one for one in open_appeals(*events) if may_decide(user, one.match)]


def access_given(user: Person, pk: int, *, judging: bool = False) -> GivenRuling:
    """A ruling at a match: for its players, and for staff who do not sit there. By the ruling's number.

    judging: for judges who do not sit there. Raises NotFound: for others it is not there, and to say so takes the same
    steps as where there is none.
    """
    given = GIVEN.filter(_open_to(user, judging=judging), ruling=pk).first()
    if given is None:
        raise NotFound(_("ruling"))
    return given


def _open_to(user: Person, *, judging: bool) -> Q:
    if user is None or user.pk is None:
        return Q(pk__in=[])
    sits = Q(match__in=Seat.objects.filter(registration__user=user).values("match"))
    roles = frozenset() if user.without_staff else JUDGES if judging else STAFF
    events = Staff.objects.filter(user=user, role__in=roles).values("event")
    found = Q(match__round__event__in=events) & ~sits
    if judging:
        return found
    banned = Ban.objects.filter(user=user, lifted_at=None).values("event")
    return found | sits & ~Q(match__round__event__in=banned) & ~Q(ruling__event_side=Ruling.EventSide.NONE)


def appeal_deciders(match: Match) -> set[int]:
    """Who decides an appeal at a match: the head judges, the owners where there are none; never who sits there."""
    event = match.round.event
    sitting = set(match.seats.values_list("registration__user", flat=True))
    for role in (HEAD_JUDGE, OWNER):
        held = set(Staff.objects.filter(event=event, role=role).values_list("user", flat=True)) - sitting
        if held:
            return held
    return set()


def may_decide(user: Person, match: Match) -> bool:
    """Whether somebody's word at this match is final."""
    return user is not None and user.pk in appeal_deciders(match)


def may_right(user: Person, given: GivenRuling) -> bool:
    """Whether somebody may say that a ruling is right or wrong in law: who leads the judging of its event, and the
    site's own staff."""
    if user is None or user.pk is None:
        return False
    roles = match_roles(user, given.match)
    return PLAYER not in roles and bool(user.is_staff or roles & HEAD_JUDGES)


def names_at(match: Match) -> list[str]:
    """The names of the people at a match, none of which stands in a published precedent."""
    seats = match.seats.select_related("registration__user")
    found = [seat.registration.name for seat in seats]
    return found + [
        name
        for seat in seats
        if seat.registration.user is not None
        for name in (seat.registration.user.username, seat.registration.user.display_name)
    ]


# --- how an event reads the law --------------------------------------------------------------------------


def pinned(event: Event) -> dict[tuple[str, str], PinnedReading]:
    """(system, reading) -> the row that counts, for what is settled now; two queries at most."""
    rows = event.pinned_readings.select_related("by").order_by("number")
    newest = {(row.system, row.reading): row for row in rows}
    return {key: row for key, row in newest.items() if row.option}


def readings_for(user: Person, system: str) -> dict[str, list[tuple[str, str]]]:
    """How the events somebody plays or works at read a system's open places: reading -> [(event's name, option)]."""
    if user is None or user.pk is None:
        return {}
    mine = (
        Q(staff__user=user) | Q(registrations__user=user, registrations__state=Registration.State.ACTIVE)
    ) & ~Q(state=Event.State.FINISHED)
    found: dict[str, list[tuple[str, str]]] = {}
    for event in Event.objects.filter(mine, pinned_readings__system=system).distinct():
        for (of, reading), row in pinned(event).items():
            if of == system:
                found.setdefault(reading, []).append((event.name, row.option))
    return found


def party_of(user: Any, match: Match) -> Registration | None:
    """The entry with which somebody sits at a match."""
    seats = match.seats.select_related("registration")
    return next((seat.registration for seat in seats if user and seat.registration.user_id == user.pk), None)
