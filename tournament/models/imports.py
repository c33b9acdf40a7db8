"""Files being imported, each a job (docs/jobs.md)."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from config.jobs.model import Job
from tournament.models.events import Event


class FileImport(Job):
    """A file on its way into an event: a whole event, or a list of players. All of it is stored or nothing."""

    class Kind(models.TextChoices):
        EVENT = "event"
        PLAYERS = "players"

    class State(models.TextChoices):
        """Shown: what is in it, and nothing happens before its owner says yes."""

        SHOWN = "shown"
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    kind = models.CharField(max_length=10, choices=Kind.choices)
    source = models.TextField(blank=True, help_text="The file's text; empty once it was read.")
    slug = models.CharField(max_length=50, blank=True, help_text="Another address than the file's.")
    policy_key = models.CharField(
        max_length=40, blank=True, help_text="What a tournament report file is run by."
    )
    event = models.ForeignKey(
        Event,
        on_delete=models.CASCADE,
        null=True,
        related_name="imports",
        help_text="Into which players are read; of a whole event, the one that was made.",
    )
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    seen = models.JSONField(null=True, help_text="While it is shown: what would be made of it.")
    done = models.PositiveIntegerField(default=0, help_text="Rows, or players, stored.")
    failure = models.JSONField(null=True, help_text="code, message, place, remedy.")
    remarks: tuple[str, ...] = ()  # what to check, for who sends the file; not stored

    class Meta(Job.Meta):
        ordering = ["-asked_at", "-pk"]
        constraints = [
            *Job.Meta.constraints,
            models.CheckConstraint(
                condition=Q(state="failed", failure__isnull=False) | (~Q(state="failed") & Q(failure=None)),
                name="a_failed_import_says_why",
            ),
        ]

    @property
    def over(self) -> bool:
        return self.finished_at is not None
