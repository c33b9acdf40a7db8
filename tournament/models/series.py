"""A series of events whose places bring points."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from tournament.models.entries import Registration
from tournament.models.events import Event


class Series(models.Model):
    """Events that belong together, such as a season. Its table is computed, never stored."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=120)
    scale = models.JSONField(
        help_text="What places are worth: {steps: [[up to this place, points], ...], others, best}."
    )
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="series")
    made_at = models.DateTimeField()
    events = models.ManyToManyField(Event, through="SeriesEvent", related_name="series")

    class Meta:
        ordering = ["-made_at", "-pk"]
        verbose_name_plural = "series"

    def __str__(self) -> str:
        return self.name


class SeriesEvent(models.Model):
    series = models.ForeignKey(Series, on_delete=models.CASCADE)
    event = models.ForeignKey(Event, on_delete=models.CASCADE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["series", "event"], name="an_event_counts_once")]


class SamePlayer(models.Model):
    """Two entries of a series that its owner knows to be one person's. What else is known of either (the account, a
    guest's name) then holds for both."""

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="joined")
    one = models.ForeignKey(Registration, on_delete=models.CASCADE, related_name="+")
    other = models.ForeignKey(Registration, on_delete=models.CASCADE, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["series", "one", "other"], name="joined_once"),
            models.CheckConstraint(condition=Q(one__lt=F("other")), name="joined_in_order"),
        ]
