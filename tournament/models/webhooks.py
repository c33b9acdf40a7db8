"""Where an event tells other programs what happened, and what was told."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from config.fields import JSONText
from tournament.models.events import Event


class Webhook(models.Model):
    """An address that is told what happens in an event. Its secret is derived, not stored (services.webhooks)."""

    class Kind(models.TextChoices):
        ROUND_PUBLISHED = "round.published"
        RESULT_SETTLED = "result.settled"
        RULING_FILED = "ruling.filed"

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="webhooks")
    address = models.CharField(max_length=500)
    kinds = models.JSONField(help_text="Of Webhook.Kind: what it is told.")
    salt = models.CharField(max_length=32, help_text="What its secret is derived from, besides our own.")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]


class Delivery(models.Model):
    """One message to one address: job and outbox row in one (docs/jobs.md)."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    message = models.UUIDField(
        default=uuid.uuid4, help_text="The same in every try: who gets it twice knows."
    )
    kind = models.CharField(max_length=20)
    body = JSONText()
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    token = models.CharField(max_length=32, blank=True)
    lease_until = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(help_text="Not before; later after each try that failed.")
    sent_at = models.DateTimeField(help_text="When the broker was last told.")
    status = models.PositiveSmallIntegerField(null=True, help_text="What the last try was answered.")
    failure = models.CharField(max_length=300, blank=True, help_text="Why the last try failed.")
    made_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["state", "due_at"])]
        constraints = [
            models.UniqueConstraint(fields=["webhook", "message"], name="a_message_is_told_once_per_address"),
            models.CheckConstraint(
                condition=Q(state="running", lease_until__isnull=False)
                | (~Q(state="running") & Q(lease_until__isnull=True)),
                name="only_a_running_delivery_has_a_lease",
            ),
        ]
