"""Judge calls: the queue, who may read what a call is about, and the minutes it cost a table."""

from datetime import datetime, timedelta
from math import ceil

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _

from config.errors import NotFound
from rules.models import Ruling
from tournament.models import ClockEntry, Event, GivenRuling, JudgeCall, Match, Seat
from tournament.selectors.access import STAFF, Person, roles_of
from tournament.selectors.clock import clock_from
from tournament.selectors.matches import match_state
from tournament.selectors.standings import policy_of

SHORTEST = timedelta(minutes=1)
"""A call that stopped a game no longer than this gives no time back (the usual floor rule: more than a minute)."""

CALLS: QuerySet[JudgeCall] = (
    JudgeCall.objects.select_related(
        "event", "opened_by", "judge", "closed_by", "match__round", "dispute__dispute"
    )
    .defer("match__round__explanation")
    .prefetch_related(
        Prefetch("match__seats", Seat.objects.select_related("registration")),
        "dispute__dispute__rulings",
        "remarks",
        Prefetch("given", GivenRuling.objects.select_related("ruling__appeal")),
        "given__ruling__successors",
    )
)
"""Calls with everything a line of the queue shows: seven queries, however many calls."""


def queue(event: Event) -> QuerySet[JudgeCall]:
    """The calls that are not over, the oldest first."""
    return CALLS.filter(event=event, closed_at=None)


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
    """A call of the event: for staff and for who sits at its match; for others it is not there, and to say so takes
    the same steps as where there is none. Raises NotFound."""
    event = Event.objects.filter(slug=slug).first()
    calls = CALLS.filter(event=event, pk=pk)
    if event is None or not roles_of(user, event) & STAFF:
        own = user.pk if user is not None else None
        calls = calls.filter(
            match__seats__registration__user=own, match__seats__registration__user__isnull=False
        )
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


def sits_at(user: Person, call: JudgeCall) -> bool:
    """Whether the asker plays the match that the call is from."""
    if user is None or user.pk is None or call.match is None:
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
