"""Judge calls: the queue, who can read what a call is about, and the minutes it has cost the table."""

from datetime import datetime, timedelta
from math import ceil
from zoneinfo import ZoneInfo

from django.db.models import Prefetch, Q, QuerySet
from django.utils.translation import gettext as _

from config.errors import NotFound
from rules.models import Ruling
from tournament.models import ClockEntry, Event, GivenRuling, JudgeCall, Match, Registration, Round, Seat
from tournament.selectors.access import STAFF, Person, roles_of
from tournament.selectors.clock import clock_from
from tournament.selectors.matches import match_state
from tournament.selectors.standings import policy_of

SHORTEST = timedelta(minutes=1)
"""A call that stopped a game no longer than this gives no time back (the usual floor rule: more than a minute)."""

PLAYING = Round.objects.published().filter(finished_at=None)
CALLS: QuerySet[JudgeCall] = (
    JudgeCall.objects.select_related(
        "event", "opened_by", "judge", "closed_by", "match__round", "dispute__dispute", "registration"
    )
    .defer("match__round__explanation")
    .prefetch_related(
        Prefetch("match__seats", Seat.objects.select_related("registration")),
        "dispute__dispute__rulings",
        "remarks",
        Prefetch("given", GivenRuling.objects.select_related("ruling__appeal")),
        "given__ruling__successors",
        Prefetch(
            "registration__seats",
            Seat.objects.filter(round__in=PLAYING, match__table__isnull=False).select_related("match"),
            to_attr="seats_now",
        ),
    )
)
"""Calls with everything a line of the queue shows: eight queries, however many calls."""


def queue(event: Event) -> QuerySet[JudgeCall]:
    """The calls that are not over, the oldest first."""
    return CALLS.filter(event=event, closed_at=None)


def waiting_calls(event: Event) -> QuerySet[JudgeCall]:
    """The same with where and who alone, for a short list; one query."""
    calls = JudgeCall.objects.filter(event=event, closed_at=None)
    return calls.select_related("judge", "registration").order_by("opened_at", "pk")


def past_calls(event: Event) -> QuerySet[JudgeCall]:
    """The calls that are over, the latest first."""
    return CALLS.filter(event=event, closed_at__isnull=False).order_by("-closed_at", "-pk")


def unclaimed(event: Event) -> int:
    """How many calls nobody has taken yet, and appeals nobody has decided; one query."""
    appealed = GivenRuling.objects.filter(match__round__event=event, ruling__appeal__isnull=False)
    appeals = appealed.exclude(ruling__successors__change__in=Ruling.AT_THE_EVENT).order_by()
    calls = event.judge_calls.filter(closed_at=None, judge=None).order_by()
    return calls.values("pk").union(appeals.values("pk"), all=True).count()


def access_call(user: Person, slug: str, pk: int) -> JudgeCall:
    """A call of the event: for staff, who sits at its match and who called; for others it is not there, and to say so
    takes the same steps as where there is none. Raises NotFound."""
    event = Event.objects.filter(slug=slug).first()
    calls = CALLS.filter(event=event, pk=pk)
    if event is None or not roles_of(user, event) & STAFF:
        own = user.pk if user is not None else None
        seated = Q(match__seats__registration__user=own, match__seats__registration__user__isnull=False)
        calls = calls.filter(seated | Q(registration__user=own, registration__user__isnull=False))
    call = calls.first()
    if call is None:
        raise NotFound(_("judge call"))
    return call


def open_call(match: Match) -> JudgeCall | None:
    """The call at a table that is not over."""
    return CALLS.filter(match=match, closed_at=None).first()


def calls_at(match: Match) -> QuerySet[JudgeCall]:
    """All calls at a table, the latest first."""
    return CALLS.filter(match=match).order_by("-opened_at", "-pk")


def player_calls(entry: Registration) -> QuerySet[JudgeCall]:
    """All calls a player made away from a table, the latest first."""
    return CALLS.filter(registration=entry).order_by("-opened_at", "-pk")


def played_by(entry: Registration) -> Match | None:
    """The match that the player sits at, while its round lasts."""
    seat = Seat.objects.filter(registration=entry, round__in=PLAYING, match__table__isnull=False)
    found = seat.select_related("match__round__event").first()
    return found.match if found is not None else None


def last_table(entry: Registration) -> int | None:
    """Where the player sat last."""
    sat = Seat.objects.filter(
        registration=entry, round__published_at__isnull=False, match__table__isnull=False
    )
    return sat.order_by("-round__number").values_list("match__table", flat=True).first()


def table_now(call: JudgeCall) -> int | None:
    """Where to go for a call: its table, or the one that who called without one sits at by now."""
    if call.registration is None:
        return call.table
    seats: list[Seat] | None = getattr(call.registration, "seats_now", None)  # CALLS has it
    if seats is None:
        match = played_by(call.registration)
        return match.table if match is not None else None
    return seats[0].match.table if seats else None


def judges_are_there(event: Event, now: datetime) -> bool:
    """Whether somebody may hear a call: from check-in, or the event's day, to the end of the event."""
    if event.state != Event.State.REGISTRATION:
        return event.state == Event.State.RUNNING
    today = now.astimezone(ZoneInfo(event.timezone)).date()
    return event.checkin_opened_at is not None or today >= event.starts_on


def sits_at(user: Person, call: JudgeCall) -> bool:
    """Whether the asker plays the match that the call is from, or called without one."""
    if user is None or user.pk is None:
        return False
    if call.registration is not None:
        return call.registration.user_id == user.pk
    if call.match is None:
        return False
    return any(seat.registration.user_id == user.pk for seat in call.match.seats.all())


def may_read(user: Person, call: JudgeCall) -> bool:
    """Whether somebody who may know of the call may know what it is about and how it ended.

    A private word is kept from the opponent of who called, be they on the staff or not.
    """
    if call.subject != JudgeCall.Subject.PRIVATE or not sits_at(user, call):
        return True
    return user is not None and user.pk == call.opened_by_id


def lost_minutes(call: JudgeCall, now: datetime) -> int:
    """The minutes of the round that ran off while the table waited and listened: what it may be given back.

    Time that did not run (a stopped clock, after the end) is not lost. 0 for a minute or less, for a table without
    a match, and where the match or the round is over.
    """
    if call.match is None or call.match.round.finished_at is not None or match_state(call.match).settled:
        return 0
    round = call.match.round
    minutes = policy_of(call.event).minutes(bracket=round.stage_id is not None)
    entries: list[ClockEntry] = list(round.clock_entries.all())
    own = sum(call.match.extensions.filter(at__lte=call.opened_at).values_list("minutes", flat=True), start=0)
    before = clock_from(minutes, [one for one in entries if one.at <= call.opened_at])
    left = max(timedelta(), before.left(call.opened_at, own))
    ran = clock_from(minutes, entries).ran(now) - before.ran(call.opened_at)
    lost = min(ran, left)
    return ceil(lost.total_seconds() / 60) if lost > SHORTEST else 0
