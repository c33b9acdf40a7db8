"""The job of answering a dispute (docs/jobs.md): asking, and what the worker does."""

import logging
import time
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from config import jobs
from config.audit import audit
from config.errors import Conflict, UserError
from config.jobs import Lane
from rules import scenarios
from rules.engine.base.messages import packed
from rules.law.system_files import ENGINE_VERSION
from rules.law.system_files import system as system_file
from rules.models import Adjudication, Dispute
from rules.scenarios import adjudicate as engine

State = Adjudication.State
Urgency = Adjudication.Urgency
PROGRESS_SECONDS = 0.5  # between two notes; far below any lease
LONGEST_PAUSE = 0.2  # seconds
LANES = {Urgency.ROUND: Lane.MATCHES, Urgency.SOMEBODY: Lane.DISPUTES, Urgency.NOBODY: Lane.LONG}

log = logging.getLogger(__name__)


def adjudication_queue(
    *, dispute: Dispute, scenario: scenarios.Scenario, by: Any, now: datetime
) -> Adjudication:
    """Put `scenario` (the dispute's own under another system, or a what-if) to the engine.

    Asking the same again returns the existing row; one that failed or was cancelled is tried anew.
    """
    with transaction.atomic():
        job = queue(dispute, scenario, now)
        audit("adjudication_queue", actor=by, target=job, data={"dispute": dispute.pk, "system": job.system})
    return job


def queue(
    dispute: Dispute,
    scenario: scenarios.Scenario,
    now: datetime,
    budget: int | None = None,
    urgency: Urgency | None = None,
) -> Adjudication:
    """The row for this question, new, existing or taken up again; to be called inside a transaction.

    budget: positions; None: what the dispute's event allows. urgency: None: as the dispute's match stands.
    """
    law = system_file(scenario.system)
    if budget is None:
        budget = import_string(settings.DISPUTE_BUDGET)(dispute)
    if urgency is None:
        in_a_round = import_string(settings.DISPUTE_IN_A_ROUND)(dispute)
        urgency = Urgency.ROUND if in_a_round else Urgency.SOMEBODY
    place = {"urgency": urgency, "lane": LANES[urgency]}
    job, created = Adjudication.objects.get_or_create(
        dispute=dispute,
        scenario_hash=scenario.hash,
        system_hash=law.hash,
        defaults={
            "system": law.key,
            "system_version": law.version,
            "scenario": scenario.canonical,
            "budget": budget,
            **place,
            "queued_at": now,
            "sent_at": now,
            **_answered_before(scenario.hash, law.hash, budget, now),
        },
    )
    if not created and (job.state in (State.FAILED, State.CANCELLED) or _may_go_further(job, budget)):
        if job.state == State.DONE:
            audit("adjudication_widen", actor=None, target=job, data={"budget": [job.budget, budget]})
        anew = {"failure": "", "answer": None, "budget": budget, "positions": 0, **place}
        jobs.queue(ADJUDICATION, Q(pk=job.pk, state=job.state), now, **anew)
        job.refresh_from_db()
    elif created and job.state == State.QUEUED:
        jobs.ring(ADJUDICATION, job.pk)
    return job


def _may_go_further(job: Adjudication, budget: int) -> bool:
    """Not decided within a budget that was smaller than today's, and nobody has ruled on it."""
    undecided = job.state == State.DONE and (job.answer or {}).get("status") == "undecided"
    return undecided and job.budget < budget and not job.rulings.exists()


def _answered_before(scenario_hash: str, system_hash: str, budget: int, now: datetime) -> dict[str, Any]:
    """The engine is deterministic: the same scenario under the same law and engine has the same answer."""
    known = Adjudication.objects.filter(
        state=State.DONE,
        scenario_hash=scenario_hash,
        system_hash=system_hash,
        budget__gte=budget,
        answer__engine=ENGINE_VERSION,
        answer__stopped__isnull=True,  # by the clock, or for its memory: another day it may get further
    ).first()
    if known is None:
        return {}
    return {
        "state": State.DONE,
        "answer": known.answer,
        "positions": known.positions,
        "started_at": now,
        "finished_at": now,
    }


def adjudication_cancel(*, adjudication: Adjudication, by: Any, now: datetime) -> None:
    """Stop a queued or running job; its worker notices at its next progress. Conflict when it has ended."""
    with transaction.atomic():
        if not jobs.cancel(ADJUDICATION, adjudication.pk, now):
            raise Conflict(
                "already-ended", _("This run of the engine has already ended. There is nothing to cancel.")
            )
        audit("adjudication_cancel", actor=by, target=adjudication)
    adjudication.refresh_from_db()


# --- a worker's part ----------------------------------------------------------------------------------


def _work(job: Adjudication) -> None:
    if system_file(job.system).hash != job.system_hash:
        raise UserError("law-changed", _("The rules file changed while this was waiting. Ask again."))
    try:
        progress = _Progress(job)
        answer = engine.adjudicate(
            job.scenario,
            budget=job.budget,
            seconds=settings.ADJUDICATION_SECONDS,
            megabytes=settings.ADJUDICATION_MEMORY_MB,
            progress=progress,
            spare=progress.within_its_turn,
        )
    except engine.Cancelled as error:
        raise jobs.NotOurs from error
    positions = answer["counts"]["positions"] or 0  # none where nothing could be explored
    jobs.finish(ADJUDICATION, job, timezone.now(), answer=packed(answer), positions=positions)
    log.info("adjudication %s: %s after %s positions", job.pk, answer["status"], positions)


class _Progress:
    """What the engine calls often, and what is looked at a few times a second: whether the job is still ours (else the
    answer is False), and whether it is to make room for others."""

    def __init__(self, job: Adjudication) -> None:
        self.job = job
        self.began = self.noted = self.called = time.monotonic()
        self.turn = self._turn()

    def __call__(self, positions: int) -> bool:
        now = time.monotonic()
        if self.job.lane == Lane.LONG and jobs.others_in_hand(Lane.LONG):
            # They share the interpreter with it, where one worker serves all lanes: half of the time is theirs.
            time.sleep(min(now - self.called, LONGEST_PAUSE))
        self.called = time.monotonic()
        if now - self.noted < PROGRESS_SECONDS:
            return True
        self.noted = now
        if not jobs.note(ADJUDICATION, self.job, timezone.now(), positions=positions):
            return False
        if now - self.began > self.turn:
            self._make_room()
        return True

    def within_its_turn(self, positions: int) -> bool:
        """Called while other readings are asked about: for these nobody waits longer than the turn of the job."""
        now = time.monotonic()
        if now - self.began > self.turn:
            return False
        if now - self.noted < PROGRESS_SECONDS:
            return True
        self.noted = now
        return jobs.note(ADJUDICATION, self.job, timezone.now(), positions=positions)

    def _turn(self) -> float:
        """Seconds before it is asked to make room; longer each time that it was, so that it ends."""
        if self.job.lane != Lane.LONG:
            return float(settings.TURN_SECONDS)
        return float(settings.LONG_TURN_SECONDS) * 2**self.job.stepped_back

    def _make_room(self) -> None:
        """What takes long goes on in the lane for that, where somebody who is to be served before may still come."""
        now = timezone.now()
        if self.job.lane == Lane.LONG:
            if jobs.turns.before(ADJUDICATION, self.job, now):
                jobs.step_back(ADJUDICATION, self.job, now, Lane.LONG)
        elif settings.LANES_SHARE_A_WORKER and jobs.move(ADJUDICATION, self.job, now, Lane.LONG):
            self.turn = time.monotonic() - self.began + self._turn()
        else:
            jobs.step_back(ADJUDICATION, self.job, now, Lane.LONG)


def _ended(job: Adjudication, now: datetime) -> None:
    verb = "adjudication_finish" if job.state == State.DONE else "adjudication_fail"
    audit(verb, actor=None, target=job, reason=job.failure, data={"runs": job.runs} if job.failure else {})


def _orphaned(job: Adjudication) -> None:
    audit("adjudication_requeue", actor=None, target=job, data={"runs": job.runs})


ADJUDICATION = jobs.Kind(
    name="rules.adjudicate",
    word="adjudication",
    model=Adjudication,
    owner="dispute__filed_by",
    work=_work,
    lease="JOB_LEASE_SECONDS",
    urgency="urgency",
    ended=_ended,
    orphaned=_orphaned,
)
