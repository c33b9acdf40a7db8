"""A job's row: what all kinds of job have in common."""

from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q

CLOCKS_DIFFER = timedelta(seconds=30)  # at most, between the machines of one service


class State(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = (State.DONE, State.FAILED, State.CANCELLED)


class Job(models.Model):
    """Job, outbox row and result in one: `queued -> running -> done | failed | cancelled`.

    Claimed by a conditional UPDATE, fenced by `token`, leased until `lease_until` (config.jobs.verbs).
    """

    State = State

    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    lane = models.CharField(max_length=10, help_text="The queue it stands in (config.jobs.Lane).")
    token = models.CharField(max_length=32, blank=True, help_text="Of the claim; drawn anew at each.")
    lease_until = models.DateTimeField(null=True)
    runs = models.PositiveSmallIntegerField(default=0, help_text="How many times a worker has started it.")
    stepped_back = models.PositiveSmallIntegerField(
        default=0, help_text="How often it made room for others and began anew."
    )
    queued_at = models.DateTimeField(help_text="When it began to wait.")
    due_at = models.DateTimeField(null=True, help_text="Not before; empty: at once.")
    sent_at = models.DateTimeField(help_text="When the broker was last told.")
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=Q(state="running", lease_until__isnull=False)
                | (~Q(state="running") & Q(lease_until__isnull=True)),
                name="only_a_running_%(class)s_has_a_lease",
            ),
            models.CheckConstraint(
                condition=Q(state__in=ENDED, finished_at__isnull=False)
                | (~Q(state__in=ENDED) & Q(finished_at__isnull=True)),
                name="an_ended_%(class)s_says_when",
            ),
        ]
        indexes = [models.Index(fields=["state", "lane"]), models.Index(fields=["lane", "started_at"])]


def in_hand(now: datetime) -> Q:
    """A worker has it, and its lease runs."""
    return Q(state=State.RUNNING, lease_until__gte=now)


def lease_is_over(now: datetime, seconds: float) -> Q:
    """Leases are given for so many seconds. Also one that runs longer than any that is given: the clock was ahead."""
    longest = timedelta(seconds=seconds)
    return Q(lease_until__lt=now) | Q(lease_until__gt=now + longest + CLOCKS_DIFFER)


def is_due(now: datetime) -> Q:
    return Q(state=State.QUEUED) & (Q(due_at=None) | Q(due_at__lte=now))


def not_heard(now: datetime, seconds: float) -> Q:
    """Due, and rung for so many seconds ago or, as a clock that was ahead had it, in time to come."""
    return is_due(now) & Q(sent_at__lte=now - timedelta(seconds=seconds)) | told_ahead(now)


def told_ahead(now: datetime) -> Q:
    """Rung for by a clock that was ahead, and has been set back since."""
    return Q(state=State.QUEUED, sent_at__gt=now + CLOCKS_DIFFER)
