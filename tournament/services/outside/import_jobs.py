"""Files imported by a worker, each a job (docs/jobs.md).

What is read and that it was read are stored in one transaction, fenced by the token of the claim: nothing is stored by
half, and nothing twice, whoever dies on the way.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.core.cache import cache
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config import jobs
from config.audit import audit
from config.errors import Conflict, UserError
from tournament.files.shape import KINDS
from tournament.models import Event, FileImport, User
from tournament.policy.model import Policy
from tournament.selectors import STAFF, require
from tournament.selectors.imports import PROGRESS_SECONDS, progress_key
from tournament.services.checks import slug_of
from tournament.services.outside.imports import (
    MOST_TOLD,
    FileRead,
    event_checked,
    event_ready,
    event_store,
    file_read,
    names_read,
    open_tables,
    players_enter,
    rows_checked,
    standings_compared,
)

State = FileImport.State
CHECKED_AT_ONCE = 30_000  # rows of a file, while somebody waits for its page: some seconds
SHOWN_FOR = timedelta(days=1)  # a file that nobody says yes to


def event_import_ask(
    *, source: str, slug: str = "", policy_key: str = "", accept: bool = False, by: User, now: datetime
) -> FileImport:
    """Queue the file of a whole event, ours or another program's; `policy_key`: what the latter is run by. What is no
    such file at all, or asks for a taken address, is refused at once; so is a file whose points are not those of its
    results, unless one accepts that.

    Raises UserError `bad-file`, `bad-trf`, `too-large`, Conflict `slug-taken`, `points-differ`.
    """
    read = file_read(source, policy_key=policy_key, now=now)
    if read.foreign and not accept:
        _must_agree(read)
    wanted = read.document["event"].get("slug", "")
    if slug:
        wanted = slug
        slug_of(slug)
    _must_be_free(wanted)
    job = FileImport(kind=FileImport.Kind.EVENT, source=source, slug=wanted, policy_key=policy_key)
    job.remarks = (*read.remarks, *_still_open(read))
    return _queued(job, by, now)


def _still_open(read: FileRead) -> Iterator[str]:
    """What the page of a file shows, told to programs."""
    if read.foreign and (n := open_tables(read.document)):
        yield ngettext(
            "%(n)s table has no result: its round is still in progress.",
            "%(n)s tables have no result: their round is still in progress.",
            n,
        ) % {"n": n}


def _must_agree(read: FileRead) -> None:
    """A file that was read otherwise than it was meant shows in its points."""
    if sum(len(read.document[kind.key]) for kind in KINDS) > CHECKED_AT_ONCE:
        return
    rows_checked(read.document)
    _fields, policy = event_checked(read.document["event"])
    found = [one for one in standings_compared(read, policy) if one.what == "points"]
    if found:
        first = found[0]
        raise Conflict(
            "points-differ",
            _(
                "For %(n)s players, the points in the file differ from its results: %(who)s has %(said)s, not %(ours)s."
            )
            % {"n": len(found), "who": first.player, "said": first.said, "ours": first.ours},
            place="policy",
            remedy=_("Choose the policy the event was run under, or accept the difference."),
        )


def event_import_look(
    *, source: str, slug: str = "", policy_key: str = "", guessed: str = "", by: User, now: datetime
) -> FileImport:
    """Keep the file of a whole event and what would be made of it (`seen`), to be confirmed. guessed: its code page.

    It is checked as if it were read, rows up to CHECKED_AT_ONCE of them: raises what `event_import` raises, but for a
    taken address, which can be changed when it is confirmed.
    """
    read = file_read(source, policy_key=policy_key, now=now)
    document = read.document
    if slug:
        document["event"]["slug"] = slug
    fields, policy = event_checked(document["event"])
    job = FileImport(
        kind=FileImport.Kind.EVENT,
        state=State.SHOWN,
        source=source,
        slug=slug,
        policy_key=policy_key,
        seen=_seen(fields, policy, read, guessed=guessed),
    )
    _ask(job, by, now)
    with transaction.atomic():
        job.save()
        audit("import_look", actor=by, target=job)
    return job


def event_import_confirm(*, job: FileImport, slug: str = "", by: User, now: datetime) -> FileImport:
    """Have a shown file read, or one whose address was taken while it was read. Said twice, it is read once.
    slug: another address than the one that was shown.

    Raises UserError for the address, Conflict `slug-taken`: the file stays, to be confirmed with another one.
    """
    if slug:
        slug_of(slug)
    wanted = slug or (job.seen["slug"] if job.seen else job.slug)
    ours = Q(pk=job.pk, asked_by=by) & (Q(state=State.SHOWN) | Q(state=State.FAILED) & ~Q(source=""))
    with transaction.atomic():
        if jobs.queue(FILE, ours, now, seen=None, failure=None, asked_at=now, slug=wanted):
            _must_be_free(wanted)
            audit("import_ask", actor=by, target=job, event=job.event, data={"kind": job.kind})
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
            _("An event with the address “%(slug)s” already exists.") % {"slug": slug},
            place="slug",
            remedy=_("Choose a different address."),
        )


def _seen(
    fields: Mapping[str, Any],
    policy: Policy,
    read: FileRead,
    *,
    guessed: str,
) -> dict[str, Any]:
    """What would be made of a file, as plain JSON: the event's words, how many of what, and what to heed (codes)."""
    document = read.document
    counts = {kind.key: len(document[kind.key]) for kind in KINDS}
    heed: dict[str, Any] = {
        "guessed": guessed,
        "report": read.foreign,
        "unplayed": not counts["rounds"],
        "remarks": read.remarks[:MOST_TOLD],
        "more_remarks": max(0, len(read.remarks) - MOST_TOLD),
    }
    names: list[str] = []
    if sum(counts.values()) <= CHECKED_AT_ONCE:
        rows = rows_checked(dict(document))
        names = [one["name"] for one in rows["players"]]
        heed["open"] = open_tables(rows)
        differ = standings_compared(read, policy)
        heed["differ"] = [[one.player, one.what, one.said, one.ours] for one in differ[:MOST_TOLD]]
        heed["more_differ"] = max(0, len(differ) - MOST_TOLD)
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


def players_import_ask(*, event: Event, source: str, by: User, now: datetime) -> FileImport:
    """Queue a list of players to be entered as guests. Raises Forbidden, and what `names_read` raises."""
    require(by, event, STAFF)
    names_read(source)
    return _queued(FileImport(kind=FileImport.Kind.PLAYERS, source=source, event=event), by, now)


def _ask(job: FileImport, by: User, now: datetime) -> None:
    job.lane, job.asked_by, job.asked_at, job.queued_at, job.sent_at = jobs.Lane.FILES, by, now, now, now


def _queued(job: FileImport, by: User, now: datetime) -> FileImport:
    _ask(job, by, now)
    with transaction.atomic():
        job.save()
        audit("import_ask", actor=by, target=job, event=job.event, data={"kind": job.kind})
        jobs.ring(FILE, job.pk)
    return job


# --- one job --------------------------------------------------------------------------------------------


def _work(job: FileImport) -> None:
    """Store what the file says and that it was read, in one transaction."""
    by, told, now = job.asked_by, _Progress(job.pk), timezone.now()
    if job.kind == FileImport.Kind.EVENT:
        ready = event_ready(job.source, job.slug, job.policy_key, now)
    else:
        named = names_read(job.source)
    with transaction.atomic():
        if job.kind == FileImport.Kind.EVENT:
            event: Event | None = event_store(ready, by=by, now=now, progress=told)
            done = told.all
        else:
            assert job.event is not None
            event = job.event
            done = len(players_enter(event=event, named=named, by=by, now=now, progress=told))
        jobs.finish(FILE, job, now, source="", event=event, done=done)


class _Progress:
    """How far it is, for the page: in the cache, as the transaction that stores the rows holds SQLite's one pen."""

    def __init__(self, pk: int) -> None:
        self.key, self.all = progress_key(pk), 0

    def __call__(self, kind: str, done: int, all: int) -> None:
        self.all = all
        cache.set(self.key, (done, all), PROGRESS_SECONDS)


def _told(error: UserError) -> dict[str, Any]:
    """What is wrong with the file, and where. The file itself is kept where another address mends it."""
    words = ("code", "message", "place", "remedy")
    told: dict[str, Any] = {"failure": {key: value for key, value in error.as_json().items() if key in words}}
    return told if error.code == "slug-taken" else told | {"source": ""}


def _ended(job: FileImport, now: datetime) -> None:
    if job.failure is not None:
        data = {"code": job.failure["code"], "place": job.failure.get("place", "")}
        audit("import_fail", actor=job.asked_by, target=job, event=job.event, data=data)


FILE = jobs.Kind(
    name="tournament.read",
    word="file",
    model=FileImport,
    owner="asked_by",
    work=_work,
    lease="IMPORT_LEASE_SECONDS",
    related=("event", "asked_by"),
    told=_told,
    ended=_ended,
    remedy=lambda: _("Nothing was saved. Try a smaller file, or tell the administrator of this service."),
)


def imports_sweep(*, now: datetime) -> int:
    """As `jobs.sweep`; files that nobody said yes to, or gave another address, are thrown away."""
    old = FileImport.objects.filter(asked_at__lt=now - SHOWN_FOR)
    old.filter(state=State.SHOWN).delete()
    old.filter(state=State.FAILED).exclude(source="").update(source="")
    return jobs.sweep(FILE, now)
