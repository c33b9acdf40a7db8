"""Matches, their seats, and the reports."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from config.append_only import AppendOnly
from tournament.models.entries import Registration
from tournament.models.rounds import Round


class Match(models.Model):
    """One table of one round; who sits there is in its seats, what happened in its reports.

    One seat alone is a bye, unless staff has decided it (a round missed by entering late is a loss).
    """

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="matches")
    table = models.PositiveSmallIntegerField(null=True, help_text="Empty for a bye.")
    game = models.PositiveSmallIntegerField(
        null=True, help_text="Its number in the bracket; empty in a Swiss round."
    )

    class Meta:
        ordering = [models.F("table").asc(nulls_last=True), "pk"]
        constraints = [
            models.UniqueConstraint(fields=["round", "table"], name="one_match_per_table"),
            models.UniqueConstraint(fields=["round", "game"], name="one_match_per_game"),
        ]


class Seat(models.Model):
    """A player at a table."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="seats")
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seats")
    registration = models.ForeignKey(Registration, on_delete=models.PROTECT, related_name="seats")
    side = models.PositiveSmallIntegerField(help_text="1 or 2")

    class Meta:
        ordering = ["side"]
        constraints = [
            models.UniqueConstraint(fields=["round", "registration"], name="a_player_sits_once_a_round"),
            models.UniqueConstraint(fields=["match", "side"], name="one_player_per_side"),
            models.CheckConstraint(condition=Q(side__in=[1, 2]), name="two_sides"),
        ]


class Extension(AppendOnly):
    """Minutes one table gets back. A table's extension is the sum of its rows."""

    class Cause(models.TextChoices):
        DECK_CHECK = "deck-check"
        JUDGE_CALL = "judge-call"
        OTHER = "other"

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="extensions")
    minutes = models.SmallIntegerField(help_text="Negative to take back what was given by mistake.")
    cause = models.CharField(max_length=10, choices=Cause.choices)
    reason = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["match", "pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(cause="other") | ~Q(reason=""), name="other_says_what"),
        ]


class Report(AppendOnly):
    """What one side, or staff, says the result was. Rows are only added; the match's result is derived.

    Latest row of each side counts; equal ones confirm, different ones conflict; a staff row settles it.
    """

    class Outcome(models.TextChoices):
        """Seen from side 1: win, timed win, draw, timed loss, loss, and nobody wins."""

        WIN = "win"
        TIMED_WIN = "timed-win"
        DRAW = "draw"
        TIMED_LOSS = "timed-loss"
        LOSS = "loss"
        DOUBLE_LOSS = "double-loss"

    class How(models.TextChoices):
        """Played out; a draw agreed without playing; given up by the loser; the loser, or nobody, was there."""

        PLAYED = "played"
        AGREED = "agreed"
        CONCEDED = "conceded"
        NO_SHOW = "no-show"

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="reports")
    seat = models.ForeignKey(
        Seat,
        on_delete=models.PROTECT,
        null=True,
        related_name="reports",
        help_text="Whose report; empty: staff's",
    )
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reports")
    number = models.PositiveSmallIntegerField(
        help_text="1, 2, ... within the match: two at once cannot both be next"
    )
    outcome = models.CharField(max_length=12, choices=Outcome.choices)
    games = models.JSONField(
        null=True, help_text="[won by side 1, won by side 2, drawn], where games were counted."
    )
    how = models.CharField(max_length=8, choices=How.choices, default=How.PLAYED)
    reason = models.CharField(max_length=300, blank=True)
    reported_at = models.DateTimeField()

    SAID = ("outcome", "games", "how", "reason", "reported_at")
    """What a report says, for whoever may read it."""

    class Meta:
        ordering = ["match", "number"]
        constraints = [
            models.UniqueConstraint(fields=["match", "number"], name="reports_are_numbered"),
            models.CheckConstraint(condition=Q(seat__isnull=False) | ~Q(reason=""), name="staff_says_why"),
            models.CheckConstraint(
                condition=Q(how="played")
                | Q(how="agreed", outcome="draw")
                | Q(how="conceded", outcome__in=["win", "loss"])
                | Q(how="no-show", outcome__in=["win", "loss", "double-loss"]),
                name="how_it_came_about_fits_the_outcome",
            ),
        ]
