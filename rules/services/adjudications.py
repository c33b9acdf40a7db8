"""The job of answering a dispute: its row is the truth, the broker a doorbell (docs/jobs.md)."""

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict
from config.leases import SWEEP_AT_ONCE, lease_is_over, not_heard
from rules import scenario as scenarios
from rules.models import Adjudication, AdjudicationPart, Dispute
from rules.system_files import ENGINE_VERSION
from rules.system_files import system as system_file

State = Adjudication.State
RESEND_LONGEST = timedelta(minutes=5)


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
    dispute: Dispute, scenario: scenarios.Scenario, now: datetime, budget: int | None = None
) -> Adjudication:
    """The row for this question, new, existing or taken up again; to be called inside a transaction.

    budget: positions; None: what the dispute's event allows.
    """
    law = system_file(scenario.system)
    if budget is None:
        budget = import_string(settings.DISPUTE_BUDGET)(dispute)
    job, created = Adjudication.objects.get_or_create(
        dispute=dispute,
        scenario_hash=scenario.hash,
        system_hash=law.hash,
        defaults={
            "system": law.key,
            "system_version": law.version,
            "scenario": scenario.canonical,
            "budget": budget,
            "queued_at": now,
            "sent_at": now,
            **_answered_before(scenario.hash, law.hash, budget, now),
        },
    )
    if not created and (job.state in (State.FAILED, State.CANCELLED) or _may_go_further(job, budget)):
        if job.state == State.DONE:
            audit("adjudication_widen", actor=None, target=job, data={"budget": [job.budget, budget]})
        Adjudication.objects.filter(pk=job.pk, state=job.state).update(
            state=State.QUEUED, runs=0, failure="", answer=None, budget=budget, finished_at=None,
            queued_at=now, sent_at=now,
        )  # fmt: skip
        job.refresh_from_db()
        created = True
    if created and job.state == State.QUEUED:
        ring_for(job.pk)
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


def ring_for(pk: int) -> None:
    """Tell the broker once the row is committed.

    Robust: a broker that is down must not turn a stored dispute into an error; the sweep rings again.
    """
    from rules import tasks  # the one allowed step upwards (pyproject.toml, import contracts)

    def ring() -> None:
        tasks.adjudicate.delay(pk)

    transaction.on_commit(ring, robust=True)


def adjudication_claim(*, pk: int, now: datetime) -> Adjudication | None:
    """Take a queued job: the row with a fresh token and lease, or None when another delivery was first.

    Like `adjudication_progress` this is the machine's own bookkeeping: `runs` counts it, no audit row.
    """
    # Duplicate deliveries are usual after a sweep; looking first spares them the write lock.
    if not Adjudication.objects.filter(pk=pk, state=State.QUEUED).exists():
        return None
    token = uuid.uuid4().hex
    claimed = Adjudication.objects.filter(pk=pk, state=State.QUEUED).update(
        state=State.RUNNING,
        token=token,
        lease_until=now + timedelta(seconds=settings.JOB_LEASE_SECONDS),
        runs=F("runs") + 1,
        started_at=now,
        positions=0,
    )
    return Adjudication.objects.filter(pk=pk, token=token).first() if claimed else None


def adjudication_progress(*, pk: int, token: str, positions: int, now: datetime) -> bool:
    """Note how far it is and renew the lease. False: the job is no longer this worker's, stop."""
    return bool(
        Adjudication.objects.filter(pk=pk, state=State.RUNNING, token=token).update(
            positions=positions, lease_until=now + timedelta(seconds=settings.JOB_LEASE_SECONDS)
        )
    )


def adjudication_finish(*, pk: int, token: str, answer: dict[str, Any], now: datetime) -> bool:
    """Store the answer, if the job is still this worker's (`token`); False when it is not."""
    positions = answer["counts"]["positions"] or 0  # none where nothing could be explored
    return _end(pk, token, State.DONE, now, answer=answer, positions=positions)


def adjudication_fail(*, pk: int, token: str, reason: str, now: datetime) -> bool:
    """Give the job up with a sentence for a person, if it is still this worker's; False when it is not."""
    return _end(pk, token, State.FAILED, now, failure=reason)


def _end(pk: int, token: str, state: str, now: datetime, **fields: Any) -> bool:
    with transaction.atomic():
        ended = Adjudication.objects.filter(pk=pk, state=State.RUNNING, token=token).update(
            state=state, token="", lease_until=None, finished_at=now, **fields
        )
        if ended:
            AdjudicationPart.objects.filter(adjudication=pk).delete()
            verb = "adjudication_finish" if state == State.DONE else "adjudication_fail"
            job = Adjudication.objects.only("pk", "failure").get(pk=pk)
            audit(verb, actor=None, target=job, reason=job.failure)
    return bool(ended)


def adjudication_cancel(*, adjudication: Adjudication, by: Any, now: datetime) -> None:
    """Stop a queued or running job; its worker notices at its next progress. Conflict when it has ended."""
    with transaction.atomic():
        cancelled = Adjudication.objects.filter(
            pk=adjudication.pk, state__in=[State.QUEUED, State.RUNNING, State.SPLIT]
        ).update(state=State.CANCELLED, token="", lease_until=None, finished_at=now)
        if not cancelled:
            raise Conflict("already-ended", _("This adjudication has already ended; nothing to cancel."))
        AdjudicationPart.objects.filter(adjudication=adjudication).delete()
        audit("adjudication_cancel", actor=by, target=adjudication)
    adjudication.refresh_from_db()


def jobs_sweep(*, now: datetime) -> int:
    """Mend what a dead worker, an emptied broker or a moved clock left behind; the number of jobs touched. Idempotent.

    An expired lease puts a job back into the queue, or fails it after JOB_MAX_RUNS runs. A queued job whose
    message is JOB_RESEND_SECONDS old is sent again, then after waits that double (up to five minutes), so
    that a long outage does not fill the broker. A time that lies ahead was told by a clock that has been moved since.
    """
    touched = 0
    expired = Adjudication.objects.filter(lease_is_over(now, settings.JOB_LEASE_SECONDS), state=State.RUNNING)
    for job in expired.only("pk", "token", "runs", "lease_until")[:SWEEP_AT_ONCE]:
        touched += _lease_expire(job, now)
    unheard = Adjudication.objects.filter(not_heard(now, settings.JOB_RESEND_SECONDS), state=State.QUEUED)
    for job in unheard.only("pk", "queued_at", "sent_at").order_by("sent_at")[:SWEEP_AT_ONCE]:
        if job.sent_at > now or now - job.sent_at >= min(job.sent_at - job.queued_at, RESEND_LONGEST):
            touched += _send_again(job, now)
    return touched


def _lease_expire(job: Adjudication, now: datetime) -> int:
    given_up = job.runs >= settings.JOB_MAX_RUNS
    reason = _("The worker stopped %(runs)s times while working on this.") % {"runs": job.runs}
    mine = Adjudication.objects.filter(
        pk=job.pk, state=State.RUNNING, token=job.token, lease_until=job.lease_until
    )
    with transaction.atomic():
        if given_up:
            done = mine.update(
                state=State.FAILED, token="", lease_until=None, finished_at=now, failure=reason
            )
        else:
            done = mine.update(state=State.QUEUED, token="", lease_until=None, queued_at=now, sent_at=now)
            if done:
                ring_for(job.pk)
        if done and given_up:
            AdjudicationPart.objects.filter(adjudication=job).delete()
        if done:
            verb = "adjudication_fail" if given_up else "adjudication_requeue"
            audit(verb, actor=None, target=job, reason=reason, data={"runs": job.runs})
    return done


def _send_again(job: Adjudication, now: datetime) -> int:
    with transaction.atomic():
        sent = Adjudication.objects.filter(pk=job.pk, state=State.QUEUED, sent_at=job.sent_at).update(
            sent_at=now
        )
        if sent:
            ring_for(job.pk)
    return sent
