"""Judging every deck of a format again: rows are the truth, the broker a doorbell (docs/jobs.md).

A recheck is cut into chunks; each is claimed, leased and fenced as an adjudication is, and finishing one twice writes
nothing twice.
"""

import uuid
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden
from config.leases import SWEEP_AT_ONCE, lease_is_over, not_heard
from decks import format_files, selectors
from decks.format_model import Format
from decks.judgement import deck_list_from_json, judge
from decks.models import LegalityReport, Recheck, RecheckChunk, Revision, VerdictChange

State = RecheckChunk.State
CHUNK = 1_000  # lists; a chunk takes about a second


def recheck_start(*, format: str, text: str = "", what_if: bool, by: Any, now: datetime) -> Recheck:
    """Queue the newest list of every deck of the format, and every list an event holds, to be judged by `text`.

    what_if: nothing but the differences is stored. The text must have been checked (`format_read`).
    """
    with transaction.atomic():
        wanted = _wanted(format)
        pks = list(wanted.order_by("pk").values_list("pk", flat=True))
        recheck = Recheck.objects.create(
            format=format,
            text=text,
            what_if=what_if,
            asked_by=by,
            asked_at=now,
            total=len(pks),
            finished_at=None if pks else now,
        )
        chunks = [
            RecheckChunk(recheck=recheck, first=part[0], last=part[-1], size=len(part), sent_at=now)
            for part in (pks[start : start + CHUNK] for start in range(0, len(pks), CHUNK))
        ]
        RecheckChunk.objects.bulk_create(chunks, batch_size=500)
        audit("recheck_start", actor=by, target=recheck, data={"lists": len(pks), "what_if": what_if})
        _ring([chunk.pk for chunk in chunks])
    return recheck


def _wanted(format: str) -> Any:
    """The lists a change of the format concerns: the newest of each deck, and those an event holds."""
    newer = Revision.objects.filter(deck=OuterRef("deck"), number__gt=OuterRef("number"))
    held = import_string(settings.REVISIONS_HELD)()
    return Revision.objects.filter(~Exists(newer) | Q(pk__in=held), deck__format=format)


def _ring(pks: list[int]) -> None:
    """Tell the broker once the rows are committed; a broker that is down is rung again by the sweep."""
    from decks import tasks  # the one allowed step upwards (pyproject.toml, import contracts)

    def ring() -> None:
        for pk in pks:
            tasks.recheck.delay(pk)

    transaction.on_commit(ring, robust=True)


# --- one chunk -----------------------------------------------------------------------------------------


def chunk_claim(*, pk: int, now: datetime) -> RecheckChunk | None:
    """Take a queued chunk: the row with a fresh token and lease, or None when another delivery was first."""
    if not RecheckChunk.objects.filter(pk=pk, state=State.QUEUED).exists():
        return None
    token = uuid.uuid4().hex
    claimed = RecheckChunk.objects.filter(pk=pk, state=State.QUEUED).update(
        state=State.RUNNING,
        token=token,
        lease_until=now + timedelta(seconds=settings.RECHECK_LEASE_SECONDS),
        runs=F("runs") + 1,
    )
    return (
        RecheckChunk.objects.select_related("recheck").filter(pk=pk, token=token).first() if claimed else None
    )


def chunk_work(*, chunk: RecheckChunk, now: datetime) -> bool:
    """Judge the chunk's lists and store what came out, in one transaction; False when it is no longer ours."""
    recheck = chunk.recheck
    law = (
        format_files.parsed(recheck.text, name=recheck.format)
        if recheck.text
        else selectors.format_of(recheck.format)
    )
    catalog = selectors.catalog(law.game)
    changes, reports = [], []
    for revision, before in _reports(chunk):
        deck_list = deck_list_from_json(
            revision.entries, revision.notes, kind=revision.source_kind, name="", choices=revision.choices
        )
        on = date.fromisoformat(before.snapshot.split("/")[1])
        overrides = _still_known(law, before.overrides)
        snapshot = format_files.snapshot_of(law, on, overrides=overrides, choices=deck_list.choices)
        after = judge(deck_list, snapshot, catalog).report
        if after.snapshot == before.snapshot and after.catalog == before.catalog_version:
            continue
        findings = [finding.as_json() for finding in after.findings]
        reports.append(
            LegalityReport(
                revision=revision,
                snapshot=after.snapshot,
                catalog_version=after.catalog,
                overrides=overrides,
                verdict=after.verdict.value,
                findings=findings,
                checked_at=now,
            )
        )
        if after.verdict.value != before.verdict or _reasons(findings) != _reasons(before.findings):
            changes.append(
                VerdictChange(
                    recheck=recheck,
                    revision=revision,
                    before=before.verdict,
                    after=after.verdict.value,
                    findings_before=before.findings,
                    findings_after=findings,
                )
            )
    with transaction.atomic():
        ours = RecheckChunk.objects.filter(pk=chunk.pk, state=State.RUNNING, token=chunk.token).update(
            state=State.DONE, token="", lease_until=None
        )
        if not ours:
            return False
        VerdictChange.objects.bulk_create(changes, batch_size=200, ignore_conflicts=True)
        if not recheck.what_if:
            LegalityReport.objects.bulk_create(reports, batch_size=200, ignore_conflicts=True)
        _finish(recheck, now)
    return True


def _reports(chunk: RecheckChunk) -> Iterator[tuple[Revision, LegalityReport]]:
    """The chunk's lists, each with its newest report. What one list weighs is all that is held beside the reports."""
    within = _wanted(chunk.recheck.format).filter(pk__gte=chunk.first, pk__lte=chunk.last)
    newest = dict(
        LegalityReport.objects.filter(
            revision__pk__gte=chunk.first,
            revision__pk__lte=chunk.last,
            revision__deck__format=chunk.recheck.format,
        )
        .order_by()
        .values("revision_id")
        .annotate(newest=Max("pk"))
        .values_list("revision_id", "newest")
    )
    reports = LegalityReport.objects.in_bulk(list(newest.values()))
    for revision in within.only("pk", "entries", "notes", "source_kind", "choices").iterator(chunk_size=200):
        if (report := reports.get(newest.get(revision.pk, 0))) is not None:
            yield revision, report


def _still_known(law: Format, overrides: dict[str, Any]) -> dict[str, Any]:
    """An event's changes as far as the new text still has what they change."""
    return {
        word: value
        for word, value in overrides.items()
        if (value in law.lists if word == "list" else word in law.law)
    }


def _reasons(findings: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What makes two reports differ for a reader: codes, rules and cards, not words."""
    return [
        (
            one["code"],
            one["severity"],
            one["rule"],
            [(card["name"], card["count"]) for card in one["cards"]],
            one["allowed"],
        )
        for one in findings
    ]


def _finish(recheck: Recheck, now: datetime) -> None:
    if (
        not RecheckChunk.objects.filter(recheck=recheck)
        .exclude(state__in=[State.DONE, State.FAILED])
        .exists()
    ):
        ended = Recheck.objects.filter(pk=recheck.pk, finished_at=None).update(finished_at=now)
        if ended:
            audit("recheck_finish", actor=None, target=recheck, data={"changes": recheck.changes.count()})


def chunk_fail(*, pk: int, token: str, reason: str, now: datetime) -> bool:
    """Give a chunk up with a sentence for a person, if it is still this worker's."""
    with transaction.atomic():
        ended = RecheckChunk.objects.filter(pk=pk, state=State.RUNNING, token=token).update(
            state=State.FAILED, token="", lease_until=None, failure=reason
        )
        if ended:
            _finish(RecheckChunk.objects.select_related("recheck").get(pk=pk).recheck, now)
    return bool(ended)


def chunks_sweep(*, now: datetime) -> int:
    """Mend what a dead worker or an emptied broker left: the number of chunks put back or rung again. Idempotent."""
    touched = 0
    over = lease_is_over(now, settings.RECHECK_LEASE_SECONDS)
    expired = RecheckChunk.objects.filter(over, state=State.RUNNING)
    for chunk in expired.only("pk", "token", "runs")[:SWEEP_AT_ONCE]:
        if chunk.runs >= settings.JOB_MAX_RUNS:
            reason = _("The worker stopped %(runs)s times while working on this.") % {"runs": chunk.runs}
            touched += chunk_fail(pk=chunk.pk, token=chunk.token, reason=reason, now=now)
            continue
        mine = RecheckChunk.objects.filter(pk=chunk.pk, state=State.RUNNING, token=chunk.token)
        with transaction.atomic():
            if mine.update(state=State.QUEUED, token="", lease_until=None, sent_at=now):
                _ring([chunk.pk])
                touched += 1
    unheard = RecheckChunk.objects.filter(not_heard(now, settings.RECHECK_RESEND_SECONDS), state=State.QUEUED)
    for pk in list(unheard.order_by("sent_at").values_list("pk", flat=True)[:SWEEP_AT_ONCE]):
        with transaction.atomic():
            if unheard.filter(pk=pk).update(sent_at=now):
                _ring([pk])
                touched += 1
    return touched


def recheck_resume(*, recheck: Recheck, by: Any, now: datetime) -> Recheck:
    """Queue again what failed: for who asked for the check, and administrators.

    Raises Forbidden, Conflict `nothing-failed`.
    """
    if not (by.is_authenticated and (by.is_superuser or by.pk == recheck.asked_by_id)):
        raise Forbidden(
            "forbidden",
            _("Only who asked for this check may resume it."),
            remedy=_("Ask them, or an administrator."),
        )
    with transaction.atomic():
        failed = list(recheck.chunks.filter(state=State.FAILED).values_list("pk", flat=True))
        if not failed:
            raise Conflict("nothing-failed", _("No part of this check has failed."))
        recheck.chunks.filter(pk__in=failed).update(state=State.QUEUED, runs=0, failure="", sent_at=now)
        Recheck.objects.filter(pk=recheck.pk).update(finished_at=None)
        audit("recheck_resume", actor=by, target=recheck, data={"chunks": len(failed)})
        _ring(failed)
    recheck.refresh_from_db()
    return recheck


def notice_dismiss(*, change: VerdictChange, by: Any, now: datetime) -> None:
    """The owner has seen that a verdict changed."""
    with transaction.atomic():
        if VerdictChange.objects.filter(pk=change.pk, seen_at=None, revision__deck__owner=by).update(
            seen_at=now
        ):
            audit("notice_dismiss", actor=by, target=change)
