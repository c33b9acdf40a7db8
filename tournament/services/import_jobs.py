"""FileImport files by a worker: the row is the truth, the broker a doorbell (docs/jobs.md).

What is read and that it was read are stored in one transaction, fenced by the token of the claim: nothing is stored by
half, and nothing twice, whoever dies on the way.
"""

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, UserError
from config.leases import SWEEP_AT_ONCE, lease_is_over, not_heard
from tournament.models import Event, FileImport, User
from tournament.selectors import STAFF, require
from tournament.selectors.imports import PROGRESS_SECONDS, progress_key
from tournament.services.checks import slug_of
from tournament.services.imports import document_read, event_import, names_read, players_enter

State = FileImport.State


class NotOurs(Exception):
    """Another worker has the import by now; nothing of ours is stored."""


def event_import_ask(
    *, source: str, slug: str = "", policy_key: str = "", by: User, now: datetime
) -> FileImport:
    """Queue the file of a whole event, ours or a TRF; `policy_key`: what the latter is run by. What is no such file
    at all, or asks for a taken address, is refused at once.

    Raises UserError `bad-file`, `bad-trf`, `too-large`, Conflict `slug-taken`.
    """
    wanted = document_read(source, policy_key=policy_key, now=now)["event"].get("slug", "")
    if slug:
        wanted = slug
        slug_of(slug)
    if Event.objects.filter(slug=wanted).exists():
        raise Conflict(
            "slug-taken",
            _("An event with the address “%(slug)s” exists.") % {"slug": wanted},
            place="slug",
            remedy=_("Choose another address."),
        )
    return _queued(
        FileImport(kind=FileImport.Kind.EVENT, source=source, slug=slug, policy_key=policy_key), by, now
    )


def players_import_ask(*, event: Event, source: str, by: User, now: datetime) -> FileImport:
    """Queue a list of players to be entered as guests. Raises Forbidden, and what `names_read` raises."""
    require(by, event, STAFF)
    names_read(source)
    return _queued(FileImport(kind=FileImport.Kind.PLAYERS, source=source, event=event), by, now)


def _queued(job: FileImport, by: User, now: datetime) -> FileImport:
    job.asked_by, job.asked_at, job.sent_at = by, now, now
    with transaction.atomic():
        job.save()
        audit("import_ask", actor=by, target=job, event=job.event, data={"kind": job.kind})
        _ring(job.pk)
    return job


def _ring(pk: int) -> None:
    from tournament import tasks  # the one allowed step upwards (pyproject.toml, import contracts)

    transaction.on_commit(lambda: tasks.read.delay(pk), robust=True)


# --- one job --------------------------------------------------------------------------------------------


def import_claim(*, pk: int, now: datetime) -> FileImport | None:
    """Take a queued job: the row with a fresh token and lease, or None when another delivery was first."""
    token = uuid.uuid4().hex
    claimed = FileImport.objects.filter(pk=pk, state=State.QUEUED).update(
        state=State.RUNNING,
        token=token,
        lease_until=now + timedelta(seconds=settings.IMPORT_LEASE_SECONDS),
        runs=F("runs") + 1,
    )
    found = FileImport.objects.select_related("event", "asked_by").filter(pk=pk, token=token)
    return found.first() if claimed else None


def import_work(*, job: FileImport, now: datetime) -> bool:
    """Store what the file says and that it was read, in one transaction; False when it is no longer ours."""
    by, told = job.asked_by, _Progress(job.pk)
    try:
        with transaction.atomic():
            if job.kind == FileImport.Kind.EVENT:
                event: Event | None = event_import(
                    source=job.source, slug=job.slug, policy_key=job.policy_key, by=by, now=now, progress=told
                )
                done = told.all
            else:
                assert job.event is not None
                event, named = job.event, names_read(job.source)
                done = len(players_enter(event=event, named=named, by=by, now=now, progress=told))
            ours = FileImport.objects.filter(pk=job.pk, state=State.RUNNING, token=job.token).update(
                state=State.DONE,
                token="",
                lease_until=None,
                source="",
                event=event,
                done=done,
                finished_at=now,
            )
            if not ours:
                raise NotOurs
    except NotOurs:
        return False
    return True


class _Progress:
    """How far it is, for the page: in the cache, as the transaction that stores the rows holds SQLite's one pen."""

    def __init__(self, pk: int) -> None:
        self.key, self.all = progress_key(pk), 0

    def __call__(self, kind: str, done: int, all: int) -> None:
        self.all = all
        cache.set(self.key, (done, all), PROGRESS_SECONDS)


def import_fail(*, pk: int, token: str, error: UserError, now: datetime) -> bool:
    """Give a job up, saying what is wrong with the file and where, if it is still this worker's."""
    failure: dict[str, Any] = {
        key: value for key, value in error.as_json().items() if key in ("code", "message", "place", "remedy")
    }
    with transaction.atomic():
        ended = FileImport.objects.filter(pk=pk, state=State.RUNNING, token=token).update(
            state=State.FAILED, token="", lease_until=None, source="", failure=failure, finished_at=now
        )
        if ended:
            job = FileImport.objects.select_related("event", "asked_by").get(pk=pk)
            data = {"code": error.code, "place": error.place}
            audit("import_fail", actor=job.asked_by, target=job, event=job.event, data=data)
    return bool(ended)


def imports_sweep(*, now: datetime) -> int:
    """Mend what a dead worker or an emptied broker left: how many were put back, rung again or given up. Idempotent."""
    touched = 0
    over = lease_is_over(now, settings.IMPORT_LEASE_SECONDS)
    expired = FileImport.objects.filter(over, state=State.RUNNING)
    for job in expired.only("pk", "token", "runs")[:SWEEP_AT_ONCE]:
        if job.runs >= settings.JOB_MAX_RUNS:
            error = UserError(
                "worker-stopped",
                _("The worker stopped %(runs)s times while working on this.") % {"runs": job.runs},
                remedy=_("Nothing was stored. Try a smaller file, or tell whoever runs this service."),
            )
            touched += import_fail(pk=job.pk, token=job.token, error=error, now=now)
            continue
        mine = FileImport.objects.filter(pk=job.pk, state=State.RUNNING, token=job.token)
        with transaction.atomic():
            if mine.update(state=State.QUEUED, token="", lease_until=None, sent_at=now):
                _ring(job.pk)
                touched += 1
    unheard = FileImport.objects.filter(not_heard(now, settings.JOB_RESEND_SECONDS), state=State.QUEUED)
    for pk in list(unheard.order_by("sent_at").values_list("pk", flat=True)[:SWEEP_AT_ONCE]):
        with transaction.atomic():
            if unheard.filter(pk=pk).update(sent_at=now):
                _ring(pk)
                touched += 1
    return touched
