"""The sweep: every few seconds it requeues jobs that a dead worker, an emptied broker or a clock change left behind."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from config.errors import UserError
from config.jobs.kinds import J, Kind
from config.jobs.model import State, lease_is_over, not_heard
from config.jobs.verbs import fail, mine_of, ring

SWEEP_AT_ONCE = 200  # one sweep stays well under a second; the next one takes the rest
RESEND_LONGEST = timedelta(
    seconds=30
)  # a clock that jumped on looks like a long outage: nobody waits for that


def sweep(kind: Kind[J], now: datetime) -> int:
    """Mend what a dead worker, an emptied broker or a moved clock left behind; the number of jobs touched. Idempotent.

    An expired lease puts a job back into the queue, or fails it after `most_runs` runs. A job that nobody came for is
    rung again, then after waits that double (up to 30 seconds), so that a long outage does not fill the broker. A
    time that lies ahead was told by a clock that has been moved since.
    """
    touched = 0
    expired = kind.rows.filter(lease_is_over(now, kind.lease_seconds), state=State.RUNNING)
    for job in expired.select_related(*kind.related)[:SWEEP_AT_ONCE]:
        touched += _lease_expire(kind, job, now)
    unheard = kind.rows.filter(not_heard(now, kind.resend_seconds))
    rows = unheard.order_by("sent_at").values_list("pk", "queued_at", "sent_at")
    for pk, queued_at, sent_at in rows[:SWEEP_AT_ONCE]:
        ahead = sent_at > now
        if ahead or now - sent_at >= min(sent_at - queued_at, RESEND_LONGEST):
            touched += _send_again(kind, pk, sent_at, now, ahead)
    return touched


def _lease_expire(kind: Kind[J], job: J, now: datetime) -> bool:
    """Its lease is compared too: a worker that comes back in this moment keeps the job."""
    if not mine_of(kind, job).filter(lease_until=job.lease_until).exists():
        return False
    if job.runs >= kind.most_runs:
        reason = _("The worker stopped %(runs)s times while working on this.") % {"runs": job.runs}
        return fail(kind, job, UserError("worker-stopped", reason, remedy=kind.remedy()), now)
    with transaction.atomic():
        mine = mine_of(kind, job).filter(lease_until=job.lease_until)
        fields = {"queued_at": now, "sent_at": now} | ({"due_at": now} if job.due_at else {})  # it was due
        back = mine.update(state=State.QUEUED, token="", lease_until=None, **fields)
        if back:
            ring(kind, job.pk)
            kind.orphaned(job)
    return bool(back)


def _send_again(kind: Kind[J], pk: int, sent_at: datetime, now: datetime, ahead: bool) -> bool:
    with transaction.atomic():
        fields = {"sent_at": now} | ({"due_at": now} if ahead else {})  # so was its next try
        sent = kind.rows.filter(pk=pk, state=State.QUEUED, sent_at=sent_at).update(**fields)
        if sent:
            ring(kind, pk)
    return bool(sent)
