"""What the people who run the installation see: server errors, and running processes."""

from django.db import models


class Fault(models.Model):
    """An error that is ours to mend: answered 500, or a job given up. The log has its trace under the same id."""

    at = models.DateTimeField(auto_now_add=True)
    where = models.CharField(max_length=200, help_text="A request's method and path, or a job.")
    message = models.CharField(
        max_length=300, help_text="The error's kind alone: its text may hold what is private."
    )
    request_id = models.CharField(max_length=40)

    class Meta:
        ordering = ["-pk"]


class Process(models.Model):
    """A worker or a clock that is running, or was: it renews its row every few seconds (config.operations)."""

    class Kind(models.TextChoices):
        WORKER = "worker"
        CLOCK = "clock"

    name = models.CharField(max_length=120, unique=True)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["kind", "name"]

    @property
    def place(self) -> str:
        """The machine and the process's number there."""
        return self.name.partition(" ")[2]
