"""What people dispute, what the engine answered, what a judge ruled."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from config.append_only import AppendOnly
from config.fields import JSONText


class Dispute(models.Model):
    """A situation two players disagree about, as a scenario (docs/scenarios.md), canonical and hashed.

    A dispute may stand alone ("ask the engine") or belong to a match; the latter link lives in `tournament`.
    """

    title = models.CharField(max_length=200)
    filed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="disputes")
    source = models.TextField(help_text="The scenario as it was written, word for word.")
    scenario = JSONText(help_text="The canonical form: defaults filled in, names normalised.")
    scenario_hash = models.CharField(max_length=64, db_index=True)
    filed_at = models.DateTimeField()

    class Meta:
        ordering = ["-filed_at", "-pk"]


class Adjudication(models.Model):
    """One scenario put to the engine under one version of one system: job, outbox row and result in one.

    The row is the truth; the broker is a doorbell. `queued -> running -> done | failed | cancelled`,
    claimed by a conditional UPDATE, fenced by `token`, leased until `lease_until` (docs/jobs.md).
    """

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    dispute = models.ForeignKey(Dispute, on_delete=models.CASCADE, related_name="adjudications")
    system = models.CharField(max_length=40)
    system_version = models.CharField(max_length=40)
    system_hash = models.CharField(max_length=64)
    scenario = JSONText()
    scenario_hash = models.CharField(max_length=64)
    budget = models.PositiveIntegerField(help_text="Positions the exploration may visit.")

    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    token = models.CharField(max_length=32, blank=True)
    lease_until = models.DateTimeField(null=True)
    runs = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(help_text="When the broker was last told.")
    queued_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    positions = models.PositiveIntegerField(default=0, help_text="Progress: positions explored so far.")
    failure = models.TextField(blank=True, help_text="Why the run failed, for a person.")
    answer = models.JSONField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["dispute", "scenario_hash", "system_hash"],
                name="one_adjudication_per_scenario_and_system",
            ),
            models.CheckConstraint(
                condition=Q(state="done", answer__isnull=False) | (~Q(state="done") & Q(answer__isnull=True)),
                name="only_a_done_adjudication_has_an_answer",
            ),
            models.CheckConstraint(
                condition=Q(state="running", lease_until__isnull=False)
                | (~Q(state="running") & Q(lease_until__isnull=True)),
                name="only_a_running_adjudication_has_a_lease",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running"], finished_at__isnull=True)
                | Q(state__in=["done", "failed", "cancelled"], finished_at__isnull=False),
                name="an_ended_adjudication_says_when",
            ),
            models.CheckConstraint(
                condition=~Q(state="failed") | ~Q(failure=""), name="failed_adjudication_says_why"
            ),
        ]
        indexes = [
            models.Index(fields=["state", "queued_at"]),
            models.Index(fields=["scenario_hash", "system_hash"]),
        ]


class Ruling(AppendOnly):
    """What the judge decided, agreeing with the engine or not. Rows are final; a correction is a new row."""

    class EventSide(models.TextChoices):
        FLOOR = "floor"
        APPEALED = "appealed"
        FINAL = "final"

    class LawSide(models.TextChoices):
        UNVERIFIED = "unverified"
        VERIFIED = "verified"
        SUPERSEDED = "superseded"
        REVERSED = "reversed"

    dispute = models.ForeignKey(Dispute, on_delete=models.PROTECT, related_name="rulings")
    adjudication = models.ForeignKey(
        Adjudication, on_delete=models.PROTECT, null=True, related_name="rulings"
    )
    judge = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="rulings")
    verdict = models.CharField(max_length=300)
    explanation = models.TextField(blank=True)
    agrees = models.BooleanField(null=True, help_text="With the engine; empty when ruled without it.")
    citations = models.JSONField(
        default=list, help_text="[{rule, document, section, version, sentence, sentence_hash}]"
    )
    event_side = models.CharField(max_length=10, choices=EventSide.choices, default=EventSide.FLOOR)
    law_side = models.CharField(max_length=10, choices=LawSide.choices, default=LawSide.UNVERIFIED)
    issued_at = models.DateTimeField()

    class Meta:
        ordering = ["-issued_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(agrees=False) | ~Q(explanation=""), name="disagreeing_ruling_says_why"
            ),
            models.CheckConstraint(
                condition=Q(adjudication__isnull=True, agrees__isnull=True)
                | Q(adjudication__isnull=False, agrees__isnull=False),
                name="a_ruling_agrees_with_an_answer_or_has_none",
            ),
            models.UniqueConstraint(
                fields=["dispute"], condition=Q(event_side="final"), name="one_final_ruling_per_dispute"
            ),
        ]
