"""What the service stores about requests: saved responses, rate limit counts, and its running time."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class KeptAnswer(models.Model):
    """The answer to a request that carried an Idempotency-Key (config.idempotency); while the request runs, nothing
    but its lease."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    route = models.CharField(max_length=600, help_text="Method and full path.")
    body_hash = models.CharField(max_length=64)
    token = models.CharField(max_length=32, help_text="Drawn at each claim; who lost it may not answer.")
    lease_until = models.DateTimeField(null=True, help_text="While the request runs.")
    status = models.PositiveSmallIntegerField(null=True, help_text="Empty while the request runs.")
    content_type = models.CharField(max_length=100, blank=True)
    content = models.TextField(blank=True)
    made_at = models.BigIntegerField(db_index=True, help_text="By the running time (RunningTime.seconds).")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="one_answer_per_person_and_key"),
            models.CheckConstraint(
                condition=Q(status__isnull=True, lease_until__isnull=False)
                | Q(status__isnull=False, lease_until__isnull=True),
                name="an_answer_is_kept_or_being_made",
            ),
        ]


class RunningTime(models.Model):
    """How long this installation has run. One row; it goes on with every sweep, and never by more than the sweeps are
    apart: whoever sets the clock, hours ahead or back, makes nothing here older or younger (config.running_time)."""

    seconds = models.BigIntegerField(default=0)
    counted_at = models.DateTimeField(help_text="By the machine's clock, at the last sweep.")


class Count(models.Model):
    """How often something was tried within one span of time (config.limits)."""

    key = models.CharField(max_length=64, help_text="Hash of what is counted, and for whom.")
    span = models.BigIntegerField(help_text="Seconds since 1970 at which the span ends.")
    number = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "span"], name="one_count_per_span")]
        indexes = [models.Index(fields=["span"])]
