"""Decides whose job is next, so that no one waits behind someone who asked for a lot (docs/jobs.md, "Turns").

In a lane: the more urgent first; then whoever had the fewest turns lately; then who waits longest. Nobody has more
than so many in hand at once, however many workers are idle.
"""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Min, Q, Value

from config.jobs.kinds import KINDS, J, Kind
from config.jobs.model import CLOCKS_DIFFER, State, in_hand, is_due

LATELY = timedelta(minutes=10)  # turns of before are forgotten


Standing = tuple[int, int]  # (urgency, turns lately): the smaller is served before the other


def waiting(kind: Kind[J], lane: str, now: datetime) -> list[int]:
    """The first job of everybody who waits in the lane, in the order in which they are to be had."""
    ordered = sorted((*standing, since, pk) for standing, since, pk in _firsts(kind, lane, now))
    return [pk for *_, pk in ordered]


def before(kind: Kind[J], job: J, now: datetime) -> bool:
    """Whether somebody waits in the job's lane who is to be served before its owner is again."""
    owner, lane, urgency = kind.rows.filter(pk=job.pk).values_list(
        kind.owner, "lane", kind.urgency or Value(0)
    )[0]
    mine = (urgency, _turns(kind, lane, now).get(owner, 0))
    return any(standing < mine for standing, *_ in _firsts(kind, lane, now))


def _firsts(kind: Kind[J], lane: str, now: datetime) -> list[tuple[Standing, datetime, int]]:
    rows = kind.rows.filter(is_due(now), lane=lane).order_by()
    firsts = rows.values_list(kind.owner, kind.urgency or Value(0)).annotate(Min("queued_at"), Min("pk"))
    turns = _turns(kind, lane, now) if firsts else {}
    return [((urgency, turns.get(owner, 0)), since, pk) for owner, urgency, since, pk in firsts]


def _turns(kind: Kind[J], lane: str, now: datetime) -> dict[int, int]:
    """How often each owner's jobs were begun in the lane lately."""
    began = kind.rows.filter(lane=lane, started_at__range=(now - LATELY, now + CLOCKS_DIFFER)).order_by()
    return dict(began.values_list(kind.owner).annotate(Count("pk")))


def may_begin(kind: Kind[J], pk: int, now: datetime, lane: str = "") -> bool:
    """Whether one more of this job's owner, and of its lane (or the one named), may be in hand. Inside the claim's
    transaction: claims for one owner come one after the other."""
    found = kind.rows.filter(pk=pk).values_list("lane", kind.owner).first()
    if found is None:
        return False
    lane, owner = lane or found[0], found[1]
    # Locked without its key: who writes a row that names the owner need not wait.
    list(_owners(kind).select_for_update(no_key=True).filter(pk=owner).only("pk"))
    busy = kind.rows.filter(in_hand(now), lane=lane).exclude(pk=pk)
    if busy.filter(**{kind.owner: owner}).count() >= settings.JOBS_AT_ONCE_PER_OWNER:
        return False
    most = settings.JOBS_AT_ONCE.get(lane)
    return most is None or busy.count() < most


def oldest(now: datetime) -> dict[str, float]:
    """Lane -> the seconds that its oldest job has waited; one whose worker is gone waits as well. Idle lanes are left
    out."""
    found: dict[str, float] = {}
    for kind in KINDS.values():
        late = is_due(now) | Q(state=State.RUNNING, lease_until__lt=now)
        for lane, since in kind.rows.filter(late).order_by().values_list("lane").annotate(Min("queued_at")):
            found[lane] = max((now - since).total_seconds(), found.get(lane, 0.0))
    return found


def slow(now: datetime) -> dict[str, float]:
    """Of `oldest`, those that waited longer than they should."""
    most = settings.READY_MAX_QUEUE_SECONDS
    return {lane: round(seconds, 1) for lane, seconds in sorted(oldest(now).items()) if seconds > most}


def _owners(kind: Kind[J]) -> Any:
    model: Any = kind.model
    for step in kind.owner.split("__"):
        model = model._meta.get_field(step).related_model
    return model._default_manager
