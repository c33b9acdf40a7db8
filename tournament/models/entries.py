"""Registrations, with their decklists, awarded byes and random numbers."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from config.append_only import AppendOnly
from tournament.models.events import Event


class Registration(models.Model):
    """A player in an event; `user` is empty for a guest whom staff registers, until the guest claims the entry."""

    class State(models.TextChoices):
        """Plays; waits for a place; left before round 1 (and may come back); left later; played the first day, but did
        not make the cut to the second. No row is ever deleted."""

        ACTIVE = "active"
        WAITING = "waiting"
        WITHDRAWN = "withdrawn"
        DROPPED = "dropped"
        OUT = "out"

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="registrations")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="registrations",
    )
    number = models.PositiveIntegerField(
        help_text="1, 2, ... in the order of entering: the waiting list's order, and two at once cannot both be next."
    )
    name = models.CharField(max_length=80)
    pronouns = models.CharField(max_length=40, blank=True)
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
    dropped_after = models.PositiveSmallIntegerField(
        null=True, help_text="The last round published before the player dropped (0: none)."
    )
    fixed_table = models.PositiveSmallIntegerField(
        null=True, help_text="The table this player keeps in every round, where moving is hard."
    )
    plays_on = models.BooleanField(
        default=True, help_text="No: declines a place in the bracket, which the next then takes."
    )
    second_day = models.BooleanField(default=False, help_text="Made the cut to the second day.")
    checked_in_at = models.DateTimeField(null=True)
    codes = models.PositiveSmallIntegerField(
        default=0, help_text="How often its codes were renewed; the former ones are void."
    )
    registered_at = models.DateTimeField()

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["event", "user"], name="one_registration_per_person"),
            models.UniqueConstraint(fields=["event", "name"], name="one_registration_per_name"),
            models.UniqueConstraint(fields=["event", "fixed_table"], name="a_fixed_table_is_one_players"),
            models.UniqueConstraint(fields=["event", "number"], name="entries_are_numbered"),
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


class AwardedBye(models.Model):
    """A bye given beforehand, or for a round missed by entering late: the player is not paired in that round."""

    registration = models.ForeignKey(Registration, on_delete=models.CASCADE, related_name="awarded_byes")
    number = models.PositiveSmallIntegerField(help_text="The round's number.")
    reason = models.CharField(max_length=300)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["registration", "number"]
        constraints = [
            models.UniqueConstraint(fields=["registration", "number"], name="a_bye_is_awarded_once")
        ]


class RoundSeed(AppendOnly):
    """A seed drawn to pair a round with. The first is drawn with the round's first draft and kept for ever: to draw
    another takes a reason, and everybody sees how often it was done."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="round_seeds")
    number = models.PositiveSmallIntegerField(help_text="The round's number.")
    sequence = models.PositiveSmallIntegerField(help_text="1, 2, ... among the random seeds of one round.")
    seed = models.BigIntegerField()
    reason = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["number", "sequence"]
        constraints = [
            models.UniqueConstraint(fields=["event", "number", "sequence"], name="lots_are_numbered"),
            models.CheckConstraint(condition=Q(sequence=1) | ~Q(reason=""), name="another_lot_has_a_reason"),
        ]
