"""People, events, rounds, results, and the trail of who did what."""

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q

from config.append_only import AppendOnly


class User(AbstractUser):
    display_name = models.CharField(max_length=80, blank=True)
    pronouns = models.CharField(max_length=40, blank=True)
    language = models.CharField(max_length=10, blank=True)

    def __str__(self) -> str:
        return self.display_name or self.username


class Event(models.Model):
    class ListVisibility(models.TextChoices):
        """Besides the player: nobody until the lists are frozen, staff, everybody once they are frozen, or everybody
        when the Swiss rounds are over."""

        PRIVATE = "private"
        STAFF = "staff"
        OPEN = "open"
        CUT = "cut"

    class State(models.TextChoices):
        REGISTRATION = "registration"
        RUNNING = "running"
        FINISHED = "finished"

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=120)
    starts_on = models.DateField()
    timezone = models.CharField(max_length=40, default="UTC")
    format = models.CharField(max_length=40, help_text="Key of a file in decks/formats/.")
    format_on = models.DateField(help_text="Decks are checked as of this date.")
    format_changes = models.JSONField(
        default=dict,
        help_text="What the event plays differently: a rule's id -> number or null, list -> the list's key.",
    )
    decks_due = models.DateTimeField(
        null=True, help_text="Until then players hand in lists; empty: until round 1."
    )
    decks_locked = models.BooleanField(
        default=False, help_text="No list changes without an organizer's reason."
    )
    list_visibility = models.CharField(
        max_length=10,
        choices=ListVisibility.choices,
        default=ListVisibility.STAFF,
        help_text="Who sees lists.",
    )
    policy_key = models.CharField(max_length=40, help_text="Key of a file in tournament/policies/.")
    policy = models.JSONField(null=True, help_text="The policy's content, pinned when round 1 is paired.")
    planned_rounds = models.PositiveSmallIntegerField(
        null=True,
        help_text="Swiss rounds. Announced before round 1 and kept; empty: the policy's table decides then.",
    )
    state = models.CharField(max_length=12, choices=State.choices, default=State.REGISTRATION)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="created_events"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-starts_on", "-pk"]

    def __str__(self) -> str:
        return self.name


class Staff(models.Model):
    class Role(models.TextChoices):
        ORGANIZER = "organizer"
        HEAD_JUDGE = "head-judge"
        JUDGE = "judge"
        SCOREKEEPER = "scorekeeper"

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="staff")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="staffed")
    role = models.CharField(max_length=12, choices=Role.choices)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["event", "user", "role"], name="one_row_per_role")]


class Registration(models.Model):
    """A player in an event; `user` is empty for a guest whom staff registers."""

    class State(models.TextChoices):
        ACTIVE = "active"
        DROPPED = "dropped"

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="registrations")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="registrations",
    )
    name = models.CharField(max_length=80)
    club = models.CharField(
        max_length=80, blank=True, help_text="Players of one club meet only if nothing better is left."
    )
    revision = models.ForeignKey(
        "decks.Revision", on_delete=models.PROTECT, null=True, related_name="registrations"
    )
    report = models.ForeignKey(
        "decks.LegalityReport",
        on_delete=models.PROTECT,
        null=True,
        related_name="registrations",
        help_text="The check the list was admitted on.",
    )
    deck_override = models.TextField(
        blank=True, help_text="The organizer's reason for admitting an illegal list, or none."
    )
    deck_locked = models.BooleanField(
        default=False, help_text="This player's list changes only with an organizer's reason."
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    registered_at = models.DateTimeField()

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["event", "user"], name="one_registration_per_person"),
            models.UniqueConstraint(fields=["event", "name"], name="one_registration_per_name"),
            models.CheckConstraint(
                condition=Q(revision__isnull=True, report__isnull=True)
                | Q(revision__isnull=False, report__isnull=False),
                name="a_registered_list_was_checked",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class RegisteredList(AppendOnly):
    """A list handed in for an event, one row each time; the registration points at the newest."""

    registration = models.ForeignKey(Registration, on_delete=models.CASCADE, related_name="lists")
    number = models.PositiveSmallIntegerField()
    revision = models.ForeignKey("decks.Revision", on_delete=models.PROTECT, null=True, related_name="+")
    report = models.ForeignKey("decks.LegalityReport", on_delete=models.PROTECT, null=True, related_name="+")
    override = models.TextField(blank=True, help_text="The organizer's reason, or none.")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["registration", "number"], name="handed_in_lists_are_numbered")
        ]


class DeckCheck(models.Model):
    """A judge counts a player's cards against the registered list."""

    registration = models.ForeignKey(Registration, on_delete=models.CASCADE, related_name="deck_checks")
    revision = models.ForeignKey("decks.Revision", on_delete=models.PROTECT, related_name="+")
    judge = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    seen = models.TextField(blank=True, help_text="The list as the judge counted it.")
    differences = models.JSONField(
        default=list, help_text="[{name, section, before: registered, after: seen}]"
    )
    extension = models.PositiveSmallIntegerField(
        null=True, help_text="Minutes the match gets back: how long it took, and the policy's few more."
    )
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-started_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["registration"], condition=Q(finished_at=None), name="one_open_deck_check_per_player"
            )
        ]


class Round(models.Model):
    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    seed = models.BigIntegerField(
        help_text="Of the pairing: the same players, results and seed give the same round."
    )
    explanation = models.JSONField(help_text="Why each pairing is what it is (tournament.swiss.Pairing).")
    published_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["event", "number"], name="one_round_per_number")]


class Match(models.Model):
    """One table of one round; who sits there is in its seats, what happened in its reports."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="matches")
    table = models.PositiveSmallIntegerField(null=True, help_text="Empty for a bye: nobody sits down.")

    class Meta:
        ordering = [models.F("table").asc(nulls_last=True), "pk"]
        constraints = [models.UniqueConstraint(fields=["round", "table"], name="one_match_per_table")]


class Seat(models.Model):
    """A player at a table. A match with one seat is a bye."""

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
    intentional = models.BooleanField(default=False, help_text="A draw agreed without playing it out.")
    reason = models.CharField(max_length=300, blank=True)
    reported_at = models.DateTimeField()

    class Meta:
        ordering = ["match", "number"]
        constraints = [
            models.UniqueConstraint(fields=["match", "number"], name="reports_are_numbered"),
            models.CheckConstraint(condition=Q(seat__isnull=False) | ~Q(reason=""), name="staff_says_why"),
            models.CheckConstraint(
                condition=Q(intentional=False) | Q(outcome="draw"), name="only_a_draw_is_intentional"
            ),
        ]


class MatchDispute(models.Model):
    """The dispute of a match (the rules app knows nothing of matches)."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="match_disputes")
    dispute = models.OneToOneField("rules.Dispute", on_delete=models.PROTECT, related_name="match_dispute")

    class Meta:
        ordering = ["-pk"]


class AuditRow(AppendOnly):
    """Who did what to what, when, why. Written by services through config.audit."""

    verb = models.CharField(max_length=60)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    event = models.ForeignKey(Event, on_delete=models.PROTECT, null=True, related_name="audit_rows")
    target_type = models.CharField(max_length=60)
    target_id = models.CharField(max_length=60, help_text="A number, or a catalog's word.")
    reason = models.TextField(blank=True)
    data = models.JSONField(default=dict)
    request_id = models.CharField(max_length=12, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["target_type", "target_id"])]
