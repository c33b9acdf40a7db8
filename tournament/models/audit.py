"""The trail of who did what."""

from django.conf import settings
from django.db import models

from config.append_only import AppendOnly
from tournament.models.events import Event


class AuditRow(AppendOnly):
    """Who did what to what, when, why. Written by services through config.audit."""

    verb = models.CharField(max_length=60)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    event = models.ForeignKey(Event, on_delete=models.PROTECT, null=True, related_name="audit_rows")
    target_type = models.CharField(max_length=60)
    target_id = models.CharField(max_length=60, help_text="A number, or a catalog's word.")
    reason = models.TextField(blank=True)
    data = models.JSONField(default=dict)
    request_id = models.CharField(max_length=40, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["target_type", "target_id"])]


class Erasure(models.Model):
    """Somebody is being erased: as long as the row is there, words in the trail may be rewritten (migration 0018).

    It is made and deleted within the transaction of the erasure, so that nobody else ever sees one.
    """

    person = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
