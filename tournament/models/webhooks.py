"""The URLs an event notifies, and the messages sent."""

import uuid

from django.conf import settings
from django.db import models

from config.fields import JSONText
from config.jobs.model import Job
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


class Delivery(Job):
    """One message to one address: job and result in one (docs/jobs.md)."""

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    message = models.UUIDField(
        default=uuid.uuid4, help_text="The same in every attempt, so that a receiver recognizes a repeat."
    )
    kind = models.CharField(max_length=20)
    body = JSONText()
    status = models.PositiveSmallIntegerField(null=True, help_text="The response to the last attempt.")
    failure = models.CharField(max_length=300, blank=True, help_text="Why the last attempt failed.")
    made_at = models.DateTimeField()

    class Meta(Job.Meta):
        ordering = ["-pk"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["webhook", "message"], name="a_message_is_told_once_per_address"),
        ]
