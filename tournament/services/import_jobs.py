"""FileImport files by a worker: the row is the truth, the broker a doorbell (docs/jobs.md).

What is read and that it was read are stored in one transaction, fenced by the token of the claim: nothing is stored by
half, and nothing twice, whoever dies on the way.
"""

import uuid
from collections import Counter
from collections.abc import Mapping
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
from tournament.files.shape import KINDS
from tournament.models import Event, FileImport, User
from tournament.policy_model import Policy
from tournament.selectors import STAFF, require
from tournament.selectors.imports import PROGRESS_SECONDS, progress_key
from tournament.services.checks import slug_of
from tournament.services.imports import (
    document_read,
    event_checked,
    event_import,
    is_report_file,
    names_read,
    players_enter,
    rows_checked,
)

State = FileImport.State
CHECKED_AT_ONCE = 30_000  # rows of a file, while somebody waits for its page: some seconds
SHOWN_FOR = timedelta(days=1)  # a file that nobody says yes to


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
    _must_be_free(wanted)
    return _queued(
        FileImport(kind=FileImport.Kind.EVENT, source=source, slug=slug, policy_key=policy_key), by, now
    )


def event_import_look(
    *, source: str, slug: str = "", policy_key: str = "", guessed: bool = False, by: User, now: datetime
) -> FileImport:
    """Keep the file of a whole event and what would be made of it (`seen`), to be confirmed. guessed: its encoding was.

    It is checked as if it were read, rows up to CHECKED_AT_ONCE of them: raises what `event_import` raises.
    """
    document = document_read(source, policy_key=policy_key, now=now)
    if slug:
        document["event"]["slug"] = slug
    fields, policy = event_checked(document["event"])
    _must_be_free(fields["slug"])
    job = FileImport(
        kind=FileImport.Kind.EVENT,
        state=State.SHOWN,
        source=source,
        slug=slug,
        policy_key=policy_key,
        seen=_seen(fields, policy, document, report=is_report_file(source), guessed=guessed),
        asked_by=by,
        asked_at=now,
        sent_at=now,
    )
    with transaction.atomic():
        job.save()
        audit("import_look", actor=by, target=job)
    return job


def event_import_confirm(*, job: FileImport, by: User, now: datetime) -> FileImport:
    """Have a shown file read. Said twice, it is read once. Raises Conflict `slug-taken`."""
    wanted = job.seen["slug"] if job.seen else ""
    with transaction.atomic():
        mine = FileImport.objects.filter(pk=job.pk, asked_by=by, state=State.SHOWN)
        if mine.update(state=State.QUEUED, seen=None, asked_at=now, sent_at=now):
            _must_be_free(wanted)
            audit("import_ask", actor=by, target=job, event=job.event, data={"kind": job.kind})
            _ring(job.pk)
    job.refresh_from_db()
    return job


def event_import_discard(*, job: FileImport, by: User, now: datetime) -> None:
    """Throw a shown file away; one that is being read stays. Idempotent."""
    with transaction.atomic():
        mine = FileImport.objects.filter(pk=job.pk, asked_by=by, state=State.SHOWN)
        if mine.exists():
            audit("import_discard", actor=by, target=job)
            mine.delete()


def _must_be_free(slug: str) -> None:
    if Event.objects.filter(slug=slug).exists():
        raise Conflict(
            "slug-taken",
            _("An event with the address “%(slug)s” exists.") % {"slug": slug},
            place="slug",
            remedy=_("Choose another address."),
        )


def _seen(
    fields: Mapping[str, Any],
    policy: Policy,
    document: Mapping[str, Any],
    *,
    report: bool,
    guessed: bool,
) -> dict[str, Any]:
    """What would be made of a file, as plain JSON: the event's words, how many of what, and what to heed (codes)."""
    counts = {kind.key: len(document[kind.key]) for kind in KINDS}
    heed: dict[str, Any] = {"guessed": guessed, "report": report, "unplayed": not counts["rounds"]}
    names: list[str] = []
    if sum(counts.values()) <= CHECKED_AT_ONCE:
        rows = rows_checked(dict(document))
        names = [one["name"] for one in rows["players"]]
        heed["open"] = _open_tables(rows)
    else:
        heed["unchecked"] = True
    return {
        "name": fields["name"],
        "slug": fields["slug"],
        "starts_on": fields["starts_on"].isoformat(),
        "format": fields["format"],
        "policy": policy.title,
        "counts": counts,
        "names": names,
        "heed": {code: found for code, found in heed.items() if found},
    }


def _open_tables(rows: Mapping[str, list[dict[str, Any]]]) -> int:
    """How many tables of two have no report."""
    reported = {one["match"] for one in rows["reports"]}
    seated = Counter(one["match"] for one in rows["seats"])
    return sum(count > 1 and match not in reported for match, count in seated.items())


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
    FileImport.objects.filter(state=State.SHOWN, asked_at__lt=now - SHOWN_FOR).delete()
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
