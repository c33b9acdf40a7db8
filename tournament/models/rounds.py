"""Stages, rounds and their clocks."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from config.append_only import AppendOnly
from tournament.models.entries import Registration
from tournament.models.events import Event


class Rounds(models.QuerySet["Round"]):
    def published(self) -> "Rounds":
        """Those that players see: drafts are the organizers' alone."""
        return self.filter(published_at__isnull=False)


class Stage(models.Model):
    """A bracket after the Swiss rounds: who made the cut, in order of seed, and how they play."""

    class Kind(models.TextChoices):
        SINGLE = "single-elimination"
        DOUBLE = "double-elimination"

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="stages")
    number = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=20, choices=Kind.choices)
    third_place = models.BooleanField(default=False)
    choice = models.CharField(max_length=20, help_text="Who chooses who begins (tournament.policy.model).")
    cut = models.JSONField(help_text="The rule it was opened by, and the place of the line.")
    opened_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["event", "number"], name="one_stage_per_number")]


class StageEntry(models.Model):
    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="entries")
    registration = models.ForeignKey(Registration, on_delete=models.PROTECT, related_name="stage_entries")
    seed = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["seed"]
        constraints = [
            models.UniqueConstraint(fields=["stage", "seed"], name="one_player_per_seed"),
            models.UniqueConstraint(fields=["stage", "registration"], name="one_seed_per_player"),
        ]


class Round(models.Model):
    """A draft until it is published, over once it is finished: the two times say which."""

    class State(models.TextChoices):
        DRAFT = "draft"
        PUBLISHED = "published"
        FINISHED = "finished"

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    stage = models.ForeignKey(
        Stage,
        on_delete=models.PROTECT,
        null=True,
        related_name="rounds",
        help_text="The bracket it belongs to; empty: a Swiss round.",
    )
    wave = models.PositiveSmallIntegerField(null=True, help_text="Which of the bracket's waves it plays.")
    title = models.CharField(max_length=200, blank=True, help_text="What a bracket's round is called.")
    seed = models.BigIntegerField(
        help_text="Of the pairing: the same players, results and seed give the same round."
    )
    explanation = models.JSONField(
        help_text="What the round was paired from, why each pairing is what it is (tournament.swiss.Pairing), "
        "and the tables seated by hand."
    )
    edition = models.PositiveIntegerField(
        default=1,
        help_text="Grows with every change of the draft: who publishes names the one they looked at.",
    )
    published_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    nudged_at = models.DateTimeField(null=True, help_text="When staff last asked for the missing results.")

    objects = Rounds.as_manager()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["event", "number"], name="one_round_per_number"),
            models.CheckConstraint(
                condition=Q(finished_at=None) | Q(published_at__isnull=False), name="a_draft_is_not_finished"
            ),
            models.UniqueConstraint(fields=["stage", "wave"], name="one_round_per_wave"),
        ]

    @property
    def state(self) -> "Round.State":
        if self.published_at is None:
            return self.State.DRAFT
        return self.State.PUBLISHED if self.finished_at is None else self.State.FINISHED


class ClockEntry(AppendOnly):
    """Something done to a round's clock. What it shows is derived from these rows and the time of day."""

    class Kind(models.TextChoices):
        START = "start"
        PAUSE = "pause"
        ADD = "add"
        RESET = "reset"

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="clock_entries")
    number = models.PositiveSmallIntegerField(help_text="1, 2, ... within the round: two at once take turns")
    kind = models.CharField(max_length=5, choices=Kind.choices)
    minutes = models.SmallIntegerField(default=0, help_text="Added to everybody's time.")
    reason = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["round", "number"]
        constraints = [
            models.UniqueConstraint(fields=["round", "number"], name="clock_entries_are_numbered"),
            models.CheckConstraint(
                condition=Q(kind="add", reason__gt="") | (~Q(kind="add") & Q(minutes=0)),
                name="only_added_minutes_are_minutes_and_have_a_reason",
            ),
        ]
