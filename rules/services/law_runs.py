"""Asks the engine about every recorded dispute of a system again, under the current rules (docs/jobs.md).

The row is the truth: the sweep lays the disputes into the queue a few at a time, so that a live dispute never waits
for more than that, and nothing is lost with a worker or the broker.
"""

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, UserError
from rules import scenarios
from rules.law.system_files import keys
from rules.law.system_files import system as system_file
from rules.models import Adjudication, LawRun, LawRunItem
from rules.services.adjudications import queue

AT_ONCE = 20  # in the queue at a time
State = Adjudication.State


def law_run_start(*, system: str, by: Any, now: datetime) -> LawRun:
    """Ask every recorded dispute of the system again under the law now in force; one run at a time.

    Raises UserError `unknown-system`; Conflict `nothing-recorded`, `under-way`.
    """
    if system not in keys():
        raise UserError("unknown-system", _("That timing system doesn’t exist."), place="system")
    law = system_file(system)
    total = recorded(law.key, law.hash).count()
    if not total:
        raise Conflict(
            "nothing-recorded", _("Every recorded dispute already has an answer under the current rules.")
        )
    try:
        with transaction.atomic():
            run: LawRun = LawRun.objects.create(
                system=law.key,
                system_version=law.version,
                system_hash=law.hash,
                asked_by=by,
                asked_at=now,
                total=total,
            )
            audit("law_run_start", actor=by, target=run, data={"system": law.key, "disputes": total})
    except IntegrityError as error:
        raise Conflict("under-way", _("The disputes are already being asked again.")) from error
    return run


def recorded(system: str, law_hash: str) -> QuerySet[Adjudication]:
    """What was answered under another law and is to be asked again: of each dispute its own situation, and what was
    ruled on; the newest answer of each. Whatever this law has answered already is left out."""
    same = Adjudication.objects.filter(dispute=OuterRef("dispute"), scenario_hash=OuterRef("scenario_hash"))
    answered = Adjudication.objects.filter(system=system, state=State.DONE).exclude(system_hash=law_hash)
    return answered.filter(
        Q(scenario_hash=F("dispute__scenario_hash")) | Q(rulings__isnull=False),
        ~Exists(same.filter(system_hash=law_hash)),
        ~Exists(
            same.filter(system=system, state=State.DONE, pk__gt=OuterRef("pk")).exclude(system_hash=law_hash)
        ),
    ).distinct()


def law_changed(*, now: datetime) -> list[LawRun]:
    """Start a run for each system whose law is another than that of recorded disputes; for a new installation of the
    service. A run that has been made is not made again."""
    started = []
    for key in keys():
        if LawRun.objects.filter(system=key, system_hash=system_file(key).hash).exists():
            continue
        if recorded(key, system_file(key).hash).exists():
            started.append(law_run_start(system=key, by=None, now=now))
    return started


def law_runs_sweep(*, now: datetime) -> int:
    """Lay the next disputes of every run under way into the queue, and end what is answered. Idempotent; the number
    of disputes laid into the queue."""
    laid = 0
    for run in LawRun.objects.filter(finished_at=None):
        if (
            system_file(run.system).hash != run.system_hash
        ):  # the law changed once more: another run asks again
            LawRun.objects.filter(pk=run.pk).update(finished_at=now)
            continue
        waiting = run.items.filter(after__state__in=[State.QUEUED, State.RUNNING]).count()
        laid += _lay(run, AT_ONCE - waiting, now) if waiting < AT_ONCE else 0
    return laid


def _lay(run: LawRun, most: int, now: datetime) -> int:
    wanted = recorded(run.system, run.system_hash).filter(pk__gt=run.reached).order_by("pk")
    jobs = list(wanted.select_related("dispute")[:most])
    if not jobs:
        _finish(run, now)
        return 0
    with transaction.atomic():
        # Who moves the mark first lays these; another sweep at the same moment finds it moved.
        if not LawRun.objects.filter(pk=run.pk, reached=run.reached).update(reached=jobs[-1].pk):
            return 0
        LawRunItem.objects.bulk_create([_item(run, job, now) for job in jobs], ignore_conflicts=True)
    return len(jobs)


def _item(run: LawRun, before: Adjudication, now: datetime) -> LawRunItem:
    try:
        asked = scenarios.Scenario(scenarios.checked(dict(before.scenario)))
    except UserError as error:
        failure = f"{error.message} ({error.place})" if error.place else error.message
        return LawRunItem(run=run, before=before, failure=failure)
    return LawRunItem(
        run=run, before=before, after=queue(before.dispute, asked, now, urgency=Adjudication.Urgency.NOBODY)
    )


def _finish(run: LawRun, now: datetime) -> None:
    if run.items.filter(after__state__in=[State.QUEUED, State.RUNNING]).exists():
        return
    with transaction.atomic():
        if LawRun.objects.filter(pk=run.pk, finished_at=None).update(finished_at=now):
            audit("law_run_finish", actor=None, target=run, data={"disputes": run.items.count()})
