"""Rechecks all decks of a format, in chunks, each a job (docs/jobs.md)."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q
from django.utils import timezone
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from config import jobs
from config.audit import audit
from config.errors import Conflict, Forbidden
from decks import selectors
from decks.judging.judgement import deck_list_from_json, judge
from decks.law import format_files
from decks.law.model import Format
from decks.models import LegalityReport, Recheck, RecheckChunk, Revision, VerdictChange

State = RecheckChunk.State
CHUNK = 1_000  # lists; a chunk takes about a second


def recheck_start(*, format: str, text: str = "", what_if: bool, by: Any, now: datetime) -> Recheck:
    """Queue the newest list of every deck of the format, and every list an event holds, to be judged by `text`.

    what_if: nothing but the differences is stored. The text must have been checked (`format_read`).
    """
    with transaction.atomic():
        lists = wanted(format)
        pks = list(lists.order_by("pk").values_list("pk", flat=True))
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
            RecheckChunk(
                recheck=recheck,
                lane=jobs.Lane.RECHECKS,
                first=part[0],
                last=part[-1],
                size=len(part),
                queued_at=now,
                sent_at=now,
            )
            for part in (pks[start : start + CHUNK] for start in range(0, len(pks), CHUNK))
        ]
        RecheckChunk.objects.bulk_create(chunks, batch_size=500)
        audit("recheck_start", actor=by, target=recheck, data={"lists": len(pks), "what_if": what_if})
        for chunk in chunks:
            jobs.ring(RECHECK, chunk.pk)
    return recheck


def wanted(format: str) -> Any:
    """The lists a change of the format concerns: the newest of each deck, and those an event holds."""
    newer = Revision.objects.filter(deck=OuterRef("deck"), number__gt=OuterRef("number"))
    held = import_string(settings.REVISIONS_HELD)()
    return Revision.objects.filter(~Exists(newer) | Q(pk__in=held), deck__format=format)


# --- one chunk -----------------------------------------------------------------------------------------


def _work(chunk: RecheckChunk) -> None:
    """Judge the chunk's lists and store what came out, in one transaction."""
    recheck, now = chunk.recheck, timezone.now()
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
        overrides = still_known(law, before.overrides)
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
        VerdictChange.objects.bulk_create(changes, batch_size=200, ignore_conflicts=True)
        if not recheck.what_if:
            LegalityReport.objects.bulk_create(reports, batch_size=200)
        jobs.finish(RECHECK, chunk, now)


def _reports(chunk: RecheckChunk) -> Iterator[tuple[Revision, LegalityReport]]:
    """The chunk's lists, each with its newest report. What one list weighs is all that is held beside the reports."""
    within = wanted(chunk.recheck.format).filter(pk__gte=chunk.first, pk__lte=chunk.last)
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


def still_known(law: Format, overrides: dict[str, Any]) -> dict[str, Any]:
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


def _ended(chunk: RecheckChunk, now: datetime) -> None:
    recheck = chunk.recheck
    if not recheck.chunks.exclude(state__in=[State.DONE, State.FAILED]).exists():
        ended = Recheck.objects.filter(pk=recheck.pk, finished_at=None).update(finished_at=now)
        if ended:
            audit("recheck_finish", actor=None, target=recheck, data={"changes": recheck.changes.count()})


RECHECK = jobs.Kind(
    name="decks.recheck",
    word="recheck",
    model=RecheckChunk,
    owner="recheck",
    work=_work,
    lease="RECHECK_LEASE_SECONDS",
    resend="RECHECK_RESEND_SECONDS",
    related=("recheck",),
    ended=_ended,
)


def recheck_resume(*, recheck: Recheck, by: Any, now: datetime) -> Recheck:
    """Queue again what failed: for who asked for the check, and administrators.

    Raises Forbidden, Conflict `nothing-failed`.
    """
    if not (by.is_authenticated and (by.is_superuser or by.pk == recheck.asked_by_id)):
        raise Forbidden(
            "forbidden",
            _("Only the person who started this check can resume it."),
            remedy=_("Ask them, or an administrator."),
        )
    with transaction.atomic():
        failed = jobs.queue(RECHECK, Q(recheck=recheck, state=State.FAILED), now, failure="")
        if not failed:
            raise Conflict("nothing-failed", _("No part of this check has failed."))
        Recheck.objects.filter(pk=recheck.pk).update(finished_at=None)
        audit("recheck_resume", actor=by, target=recheck, data={"chunks": len(failed)})
    recheck.refresh_from_db()
    return recheck


def notice_dismiss(*, change: VerdictChange, by: Any, now: datetime) -> None:
    """The owner has seen that a verdict changed."""
    with transaction.atomic():
        if VerdictChange.objects.filter(pk=change.pk, seen_at=None, revision__deck__owner=by).update(
            seen_at=now
        ):
            audit("notice_dismiss", actor=by, target=change)
