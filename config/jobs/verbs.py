"""What can be done to any job. Each verb is one conditional UPDATE: if several try, one succeeds.

Only `ended` and `orphaned` of a kind write a row in the audit log; claims and progress are bookkeeping.
"""

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from config.errors import UserError
from config.jobs import turns
from config.jobs.kinds import J, Kind
from config.jobs.model import State, is_due


class NotOurs(Exception):
    """The job is cancelled, or in another worker's hands: whatever this one was about to store is not stored."""


def queue(kind: Kind[J], rows: Q, now: datetime, **fields: Any) -> list[int]:
    """Let those of the rows that are not in hand wait again, as if for the first time, and ring; their keys. Inside a
    transaction."""
    waiting = kind.rows.filter(rows).exclude(state=State.RUNNING)
    pks = list(waiting.values_list("pk", flat=True))
    anew = {"state": State.QUEUED, "runs": 0, "stepped_back": 0, "finished_at": None}
    waiting.filter(pk__in=pks).update(**anew | {"queued_at": now, "sent_at": now} | fields)
    for pk in pks:
        ring(kind, pk)
    return pks


def ring(kind: Kind[J], pk: int) -> None:
    """Tell the broker once the row is committed.

    Robust: a broker that is down must not turn what is stored into an error; the sweep rings again.
    """
    transaction.on_commit(lambda: send(kind, pk), robust=True)


def send(kind: Kind[J], pk: int) -> None:
    """Ring now; each lane has its own bell, but embedded, where one worker hears them all."""
    lane = kind.rows.filter(pk=pk).values_list("lane", flat=True).first()
    if lane is not None:
        from config.celery import app  # not before it is needed: half a second

        where = {} if settings.EMBEDDED_BROKER else {"queue": lane}
        app.send_task(kind.name, [pk], ignore_result=True, **where)


def claim(kind: Kind[J], pk: int, now: datetime) -> J | None:
    """Take a job that waits: the row with a fresh token and lease. None: another was first, it is not due, or as many
    of its owner, or of its lane, are in hand as may be."""
    # Duplicate deliveries are usual after a sweep; looking first spares them the write lock.
    mine = kind.rows.filter(is_due(now), pk=pk)
    if not mine.exists():
        return None
    token = uuid.uuid4().hex
    with transaction.atomic():
        claimed = turns.may_begin(kind, pk, now) and mine.update(
            state=State.RUNNING,
            token=token,
            lease_until=now + timedelta(seconds=kind.lease_seconds),
            runs=F("runs") + 1,
            started_at=now,
        )
    return kind.rows.select_related(*kind.related).filter(pk=pk, token=token).first() if claimed else None


def mine_of(kind: Kind[J], job: J) -> Any:
    """The job's row as long as it is in this worker's hands."""
    return kind.rows.filter(pk=job.pk, state=State.RUNNING, token=job.token)


def note(kind: Kind[J], job: J, now: datetime, **fields: Any) -> bool:
    """Say how far it is and renew the lease. False: the job is no longer this worker's, stop."""
    lease = now + timedelta(seconds=kind.lease_seconds)
    return bool(mine_of(kind, job).update(lease_until=lease, **fields))


def finish(kind: Kind[J], job: J, now: datetime, **fields: Any) -> None:
    """Store the result. Raises NotOurs when the job is not this worker's any more; whatever was written in the same
    transaction is undone by it."""
    if not _end(kind, job, State.DONE, now, fields):
        raise NotOurs


def fail(kind: Kind[J], job: J, error: UserError, now: datetime, **fields: Any) -> bool:
    """Give the job up with a sentence for a person, if it is still this worker's; False when it is not."""
    return _end(kind, job, State.FAILED, now, kind.told(error) | fields)


def cancel(kind: Kind[J], pk: int, now: datetime) -> bool:
    """Stop a job that waits or runs; its worker notices at its next progress. False when it has ended."""
    open_ = kind.rows.filter(pk=pk, state__in=[State.QUEUED, State.RUNNING])
    return bool(open_.update(state=State.CANCELLED, token="", lease_until=None, finished_at=now))


def _end(kind: Kind[J], job: J, state: str, now: datetime, fields: dict[str, Any]) -> bool:
    with transaction.atomic():
        ended = mine_of(kind, job).update(state=state, token="", lease_until=None, finished_at=now, **fields)
        if ended:
            job.refresh_from_db(fields=["state", "token", "lease_until", "finished_at", *fields])
            kind.ended(job, now)
    return bool(ended)


def put_back(kind: Kind[J], job: J, now: datetime, **fields: Any) -> bool:
    """Let a job of this worker's wait again: at once, or until the `due_at` given."""
    with transaction.atomic():
        back = mine_of(kind, job).update(
            **{"state": State.QUEUED, "token": "", "lease_until": None, "queued_at": now, "sent_at": now}
            | fields
        )
        if back and "due_at" not in fields:
            ring(kind, job.pk)
    return bool(back)


def step_back(kind: Kind[J], job: J, now: datetime, lane: str) -> None:
    """Make room for others: the job waits in `lane`, and begins anew when it is its turn. Raises NotOurs, always: its
    worker is to stop. It is no run that ended with its worker."""
    put_back(kind, job, now, lane=lane, runs=F("runs") - 1, stepped_back=F("stepped_back") + 1)
    raise NotOurs


def move(kind: Kind[J], job: J, now: datetime, lane: str) -> bool:
    """Let a job of this worker's go on in another lane, if there is room in it, and ring for who waits in the one it
    was in. Only where one worker serves both lanes."""
    left = job.lane
    with transaction.atomic():
        moved = turns.may_begin(kind, job.pk, now, lane) and mine_of(kind, job).update(lane=lane)
    if moved:
        job.lane = lane
        for pk in turns.waiting(kind, left, now)[:1]:
            send(kind, pk)
    return bool(moved)
