"""A large exploration in parts, each a job of its own: rows are the truth, the broker a doorbell (docs/jobs.md).

The adjudication is `split` meanwhile. When its parts are over it is queued once more: who claims it puts together what
they found out, and gives the answer that one worker alone would have given.
"""

import json
import uuid
import zlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Sum
from django.utils.translation import gettext as _

from config.audit import audit
from config.leases import SWEEP_AT_ONCE, lease_is_over, not_heard
from rules.models import Adjudication, AdjudicationPart
from rules.services.adjudications import ring_for

State = Adjudication.State
PartState = AdjudicationPart.State


def adjudication_split(*, pk: int, token: str, parts: Sequence[list[int]], now: datetime) -> bool:
    """Hand a run out in parts, if it is still this worker's (`token`); False when it is not."""
    with transaction.atomic():
        mine = Adjudication.objects.filter(pk=pk, state=State.RUNNING, token=token)
        if not mine.update(state=State.SPLIT, token="", lease_until=None, runs=0):
            return False
        AdjudicationPart.objects.bulk_create(
            AdjudicationPart(adjudication_id=pk, number=number, choices=choices)
            for number, choices in enumerate(parts, start=1)
        )
        _hand_out(pk, now)
        audit("adjudication_split", actor=None, target=Adjudication(pk=pk), data={"parts": len(parts)})
    return True


def partials_of(job: Adjudication) -> list[dict[str, Any]]:
    """What the parts of a run found out; empty for one that was never split."""
    packed = job.parts.filter(state=PartState.DONE).order_by("number").values_list("found", flat=True)
    return [json.loads(zlib.decompress(bytes(one))) for one in packed if one is not None]


def part_claim(*, pk: int, now: datetime) -> AdjudicationPart | None:
    """Take a queued part: the row with a fresh token and lease, or None when another delivery was first."""
    wanted = AdjudicationPart.objects.filter(pk=pk, state=PartState.QUEUED, adjudication__state=State.SPLIT)
    if not wanted.exists():
        return None
    token = uuid.uuid4().hex
    claimed = AdjudicationPart.objects.filter(pk=pk, state=PartState.QUEUED).update(
        state=PartState.RUNNING, token=token, lease_until=_lease(now), runs=F("runs") + 1, positions=0
    )
    mine = AdjudicationPart.objects.select_related("adjudication").defer("adjudication__answer")
    return mine.filter(pk=pk, token=token).first() if claimed else None


def part_progress(*, part: AdjudicationPart, positions: int, now: datetime) -> bool:
    """Note how far it is and renew the lease. False: the part is no longer wanted from this worker, stop."""
    if not _mine(part).update(positions=positions, lease_until=_lease(now)):
        return False
    total = AdjudicationPart.objects.filter(adjudication=part.adjudication_id).aggregate(n=Sum("positions"))
    return bool(
        Adjudication.objects.filter(pk=part.adjudication_id, state=State.SPLIT).update(
            positions=total["n"] or 0
        )
    )


def part_finish(*, part: AdjudicationPart, found: Mapping[str, Any], now: datetime) -> bool:
    """Store what the part found out, if it is still this worker's; the last one queues the whole to be put together.

    So does one that alone has more positions than the budget allows: then nothing more needs to be known.
    """
    packed = zlib.compress(json.dumps(found, separators=(",", ":")).encode(), 6)
    with transaction.atomic():
        if not _lock(part.adjudication_id):
            return False
        if not _mine(part).update(state=PartState.DONE, token="", lease_until=None, found=packed):
            return False
        _go_on(part.adjudication_id, now, enough=found["state"] == "over")
    return True


def part_fail(*, part: AdjudicationPart, reason: str, now: datetime) -> bool:
    """Give the whole run up with a sentence for a person, if the part is still this worker's."""
    with transaction.atomic():
        return _lock(part.adjudication_id) and _mine(part).exists() and _give_up(part, reason, now)


def parts_sweep(*, now: datetime) -> int:
    """As `jobs_sweep`, for parts: the number put back, rung again, handed out or put together. Idempotent."""
    touched = 0
    expired = AdjudicationPart.objects.filter(
        lease_is_over(now, settings.JOB_LEASE_SECONDS), state=PartState.RUNNING
    )
    for part in expired.defer("found")[:SWEEP_AT_ONCE]:
        touched += _lease_expire(part, now)
    unheard = AdjudicationPart.objects.filter(
        not_heard(now, settings.JOB_RESEND_SECONDS), state=PartState.QUEUED
    )
    for pk in list(unheard.order_by("sent_at").values_list("pk", flat=True)[:SWEEP_AT_ONCE]):
        with transaction.atomic():
            if unheard.filter(pk=pk).update(sent_at=now):
                _ring(pk)
                touched += 1
    at_work = AdjudicationPart.objects.exclude(state=PartState.DONE).filter(sent_at__isnull=False)
    idle = Adjudication.objects.filter(state=State.SPLIT).exclude(pk__in=at_work.values("adjudication"))
    for pk in list(idle.values_list("pk", flat=True)[:SWEEP_AT_ONCE]):
        with transaction.atomic():
            if _lock(pk):
                _go_on(pk, now)
                touched += 1
    return touched


def _mine(part: AdjudicationPart) -> Any:
    return AdjudicationPart.objects.filter(
        pk=part.pk, state=PartState.RUNNING, token=part.token, adjudication__state=State.SPLIT
    )


def _lock(pk: int) -> bool:
    """The split run, held until the transaction ends: its parts end one after the other."""
    return (
        Adjudication.objects.select_for_update().only("pk").filter(pk=pk, state=State.SPLIT).first()
        is not None
    )


def _lease(now: datetime) -> datetime:
    return now + timedelta(seconds=settings.JOB_LEASE_SECONDS)


def _go_on(pk: int, now: datetime, *, enough: bool = False) -> None:
    """Inside a transaction that holds the run: hand out the next part, or queue the whole when none is open."""
    parts = AdjudicationPart.objects.filter(adjudication=pk)
    if not enough and parts.exclude(state=PartState.DONE).exists():
        _hand_out(pk, now)
        return
    parts.exclude(state=PartState.DONE).delete()
    Adjudication.objects.filter(pk=pk).update(state=State.QUEUED, queued_at=now, sent_at=now)
    ring_for(pk)


def _hand_out(pk: int, now: datetime) -> None:
    """Tell the broker of so many parts at a time, so that other disputes find a worker too."""
    parts = AdjudicationPart.objects.filter(adjudication=pk)
    open = parts.filter(sent_at__isnull=False).exclude(state=PartState.DONE).count()
    free = max(settings.ADJUDICATION_PARTS_AT_ONCE - open, 0)
    for part in list(parts.filter(state=PartState.QUEUED, sent_at=None).values_list("pk", flat=True)[:free]):
        AdjudicationPart.objects.filter(pk=part).update(sent_at=now)
        _ring(part)


def _ring(pk: int) -> None:
    from rules import tasks  # the one allowed step upwards (pyproject.toml, import contracts)

    transaction.on_commit(lambda: tasks.explore_part.delay(pk), robust=True)


def _lease_expire(part: AdjudicationPart, now: datetime) -> int:
    with transaction.atomic():
        if not _lock(part.adjudication_id):
            return 0
        mine = _mine(part).filter(lease_until=part.lease_until)
        if part.runs >= settings.JOB_MAX_RUNS:
            reason = _("The worker stopped %(runs)s times while working on this.") % {"runs": part.runs}
            return int(mine.exists() and _give_up(part, reason, now))
        put_back: int = mine.update(state=PartState.QUEUED, token="", lease_until=None, sent_at=now)
        if put_back:
            _ring(part.pk)
    return put_back


def _give_up(part: AdjudicationPart, reason: str, now: datetime) -> bool:
    pk = part.adjudication_id
    Adjudication.objects.filter(pk=pk).update(state=State.FAILED, finished_at=now, failure=reason)
    AdjudicationPart.objects.filter(adjudication=pk).delete()
    audit(
        "adjudication_fail", actor=None, target=Adjudication(pk=pk), reason=reason, data={"part": part.number}
    )
    return True
