"""The audit log: who did what."""

from typing import Any

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
    data = models.JSONField(default=dict)
    request_id = models.CharField(max_length=40, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["target_type", "target_id"])]

    @classmethod
    def write(cls, *, reason: str, **fields: Any) -> "AuditRow":
        row: AuditRow = cls.objects.create(**fields)
        if reason:
            AuditReason.objects.create(row=row, text=reason)
        return row

    @property
    def reason(self) -> str:
        """Why, in the actor's words; empty if none were given, or they were erased."""
        return self.said.text if hasattr(self, "said") else ""


class AuditReason(AppendOnly):
    """The words somebody gave for what they did, beside the row: they can be erased, and the log stays as it is."""

    row = models.OneToOneField(AuditRow, on_delete=models.PROTECT, related_name="said")
    text = models.TextField()


class Erasure(models.Model):
    """A person, or the words of one reason (`person` empty), are being erased: as long as the row is there, words in
    the audit log may be rewritten or deleted (migrations 0018 and 0022).

    It is made and deleted within the transaction of the erasure, so that nobody else ever sees one.
    """

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+"
    )
