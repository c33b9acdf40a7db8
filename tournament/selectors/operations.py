"""The state of the installation, from rows that all its processes share."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, DateTimeField, DurationField, ExpressionWrapper, F, Min, Q, Sum
from django.db.models.functions import Coalesce

from config.jobs import CLOCKS_DIFFER
from config.operations import GONE_AFTER
from decks.models import RecheckChunk, TextReading
from rules.models import Adjudication
from tournament.models import Fault, FileImport, Process

BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Seconds from a question to its answer."""


@dataclass(frozen=True, slots=True)
class Queue:
    """waiting, running: jobs; oldest_seconds: how long the one that waits longest has waited, 0 when none does."""

    name: str
    waiting: int
    running: int
    oldest_seconds: float


@dataclass(frozen=True, slots=True)
class Answering:
    """Adjudications so far: ended by how, and of those that a worker answered how many within each bucket."""

    ended: dict[str, int]
    within: dict[float, int]
    count: int
    seconds: float


def queues(now: datetime) -> list[Queue]:
    return [
        _queue("adjudications", Adjudication, "queued_at", now),
        _queue("re-checks", RecheckChunk, "recheck__asked_at", now),
        _queue("files", FileImport, "asked_at", now),
        _queue("card texts", TextReading, "asked_at", now),
    ]


def _queue(name: str, model: type, since: str, now: datetime) -> Queue:
    """A job whose worker is gone (its lease is over) waits as well."""
    waits = Q(state="queued") | Q(state="running", lease_until__lt=now)
    told = model._default_manager.order_by().aggregate(  # type: ignore[attr-defined]
        waiting=Count("pk", filter=waits),
        running=Count("pk", filter=Q(state="running", lease_until__gte=now)),
        oldest=Min(since, filter=waits, output_field=DateTimeField()),
    )
    age = (now - told["oldest"]).total_seconds() if told["oldest"] else 0.0
    return Queue(name, told["waiting"], told["running"], max(age, 0.0))


def answering() -> Answering:
    """Over all runs that are stored; those answered from store took no worker's time and are left out."""
    ended = dict(
        Adjudication.objects.filter(finished_at__isnull=False)
        .order_by()
        .values_list("state")
        .annotate(n=Count("pk"))
    )
    took = ExpressionWrapper(F("finished_at") - F("queued_at"), output_field=DurationField())
    done = Adjudication.objects.filter(state=Adjudication.State.DONE, runs__gt=0).annotate(took=took)
    counted = {f"b{n}": Count("pk", filter=Q(took__lte=_duration(limit))) for n, limit in enumerate(BUCKETS)}
    told = done.order_by().aggregate(
        count=Count("pk"), total=Coalesce(Sum("took"), _duration(0.0)), **counted
    )
    return Answering(
        ended,
        {limit: told[f"b{n}"] for n, limit in enumerate(BUCKETS)},
        told["count"],
        told["total"].total_seconds(),
    )


def _duration(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


def processes(now: datetime) -> list[Process]:
    """Workers and clocks that were seen lately."""
    return list(Process.objects.filter(seen_at__range=(now - GONE_AFTER, now + CLOCKS_DIFFER)))


def faults() -> list[Fault]:
    """The last faults, newest first."""
    return list(Fault.objects.all()[:20])


def faults_counted() -> int:
    """So many there have ever been; their numbers go on when old rows are let go."""
    return Fault.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
