"""Judges' work: deck checks, penalties, calls, disputes."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from config.append_only import AppendOnly
from tournament.models.entries import Registration
from tournament.models.events import Event
from tournament.models.matches import Match


class DeckCheck(models.Model):
    """A judge counts a player's cards against the registered list."""

    registration = models.ForeignKey(Registration, on_delete=models.CASCADE, related_name="deck_checks")
    revision = models.ForeignKey("decks.Revision", on_delete=models.PROTECT, related_name="+")
    round = models.PositiveSmallIntegerField(null=True, help_text="In which round; empty: outside one.")
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


class Penalty(AppendOnly):
    """What a judge gave a player for an offense, or, in a row of its own, that a former one was taken back.

    It says in its own words what the guide called it then, whatever the policy is called now. What it does to a
    match is entered as a result by somebody, never by itself.
    """

    registration = models.ForeignKey(Registration, on_delete=models.PROTECT, related_name="penalties")
    number = models.PositiveSmallIntegerField(
        help_text="1, 2, ... of this player: two at once cannot both have counted the same offenses"
    )
    round = models.PositiveSmallIntegerField(null=True, help_text="In which round; empty: outside one.")
    infraction = models.CharField(max_length=40, blank=True)
    infraction_title = models.CharField(max_length=120, blank=True)
    level = models.CharField(
        max_length=40, blank=True, help_text="none: nothing was given; empty: a row that takes back."
    )
    level_title = models.CharField(max_length=120, blank=True)
    effect = models.CharField(max_length=10, help_text="none, game-loss, match-loss or removal")
    tracked = models.BooleanField(help_text="It counts when the player offends again.")
    suggested = models.CharField(max_length=40, blank=True, help_text="The level the upgrade path gave.")
    reason = models.CharField(
        max_length=300,
        blank=True,
        help_text="Why the level is another than suggested, or why it is taken back.",
    )
    note = models.TextField(blank=True, help_text="What happened.")
    revokes = models.OneToOneField(
        "self",
        on_delete=models.PROTECT,
        null=True,
        related_name="revoked_by",
        help_text="The row taken back.",
    )
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["registration", "number"], name="penalties_are_numbered"),
            models.CheckConstraint(
                condition=Q(level=models.F("suggested"), revokes=None) | ~Q(reason=""),
                name="another_level_and_taking_back_have_a_reason",
            ),
        ]


class MatchDispute(models.Model):
    """The dispute of a match (the rules app knows nothing of matches)."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="match_disputes")
    dispute = models.OneToOneField("rules.Dispute", on_delete=models.PROTECT, related_name="match_dispute")

    class Meta:
        ordering = ["-pk"]


class JudgeCall(models.Model):
    """Somebody needs a judge: at a table, or a player who sits at none. Who has it and whether it is over is told by
    its times."""

    class Subject(models.TextChoices):
        """A private word is between who called and the staff: the opponent does not learn what it is about."""

        RULES = "rules"
        RESULT = "result"
        DECK = "deck"
        PRIVATE = "private"
        OTHER = "other"

    class State(models.TextChoices):
        """Of a call that ended with a ruling, what it is worth: ruled, appealed, final."""

        OPEN = "open"
        CLAIMED = "claimed"
        RULED = "ruled"
        APPEALED = "appealed"
        FINAL = "final"
        CLOSED = "closed"
        WITHDRAWN = "withdrawn"

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="judge_calls")
    match = models.ForeignKey(
        Match,
        on_delete=models.PROTECT,
        null=True,
        related_name="judge_calls",
        help_text="Empty: a table at which no match of a round is played.",
    )
    table = models.PositiveSmallIntegerField(null=True, help_text="Empty: from a player who sat at none.")
    registration = models.ForeignKey(
        Registration,
        on_delete=models.CASCADE,
        null=True,
        related_name="judge_calls",
        help_text="The player who called without a table: before round 1, with a bye, between rounds.",
    )
    last_table = models.PositiveSmallIntegerField(
        null=True, help_text="Where that player sat last; empty: nowhere yet."
    )
    place = models.CharField(max_length=80, blank=True, help_text="Where to find who called, in their words.")
    subject = models.CharField(max_length=10, choices=Subject.choices)
    words = models.CharField(max_length=200, blank=True, help_text="In the caller's own words.")
    dispute = models.ForeignKey(
        MatchDispute,
        on_delete=models.PROTECT,
        null=True,
        related_name="judge_calls",
        help_text="What was asked of the engine because of this call, the latest.",
    )
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    opened_at = models.DateTimeField()
    judge = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    claimed_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=1000, blank=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    closed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["opened_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["match"], condition=Q(closed_at=None), name="one_open_call_per_match"
            ),
            models.UniqueConstraint(
                fields=["event", "table"],
                condition=Q(closed_at=None, match=None),
                name="one_open_call_per_table_without_a_match",
            ),
            models.UniqueConstraint(
                fields=["registration"],
                condition=Q(closed_at=None),
                name="one_open_call_per_player_without_a_table",
            ),
            models.CheckConstraint(
                condition=Q(table__isnull=False, registration=None, last_table=None)
                | Q(table=None, match=None, registration__isnull=False),
                name="a_call_is_from_a_table_or_from_a_player",
            ),
            models.CheckConstraint(
                condition=~Q(subject="other") | ~Q(words=""), name="another_subject_is_said_in_words"
            ),
            models.CheckConstraint(
                condition=Q(judge=None, claimed_at=None) | Q(judge__isnull=False, claimed_at__isnull=False),
                name="a_claim_has_a_judge_and_a_time",
            ),
            models.CheckConstraint(
                condition=Q(closed_at=None, closed_by=None, outcome="")
                | Q(closed_at__isnull=False, closed_by__isnull=False, judge=None, outcome="")
                | Q(closed_at__isnull=False, closed_by__isnull=False, judge__isnull=False, outcome__gt=""),
                name="a_call_ends_with_an_outcome_or_is_withdrawn_unclaimed",
            ),
        ]

    @property
    def state(self) -> "JudgeCall.State":
        if self.closed_at is not None:
            return self.State.WITHDRAWN if self.judge_id is None else self._ended
        return self.State.OPEN if self.judge_id is None else self.State.CLAIMED

    @property
    def _ended(self) -> "JudgeCall.State":
        rulings = [one.ruling for one in self.given.all() if one.ruling.event_side != "none"]
        sides = {ruling.event_status for ruling in rulings}
        if "final" in sides:
            return self.State.FINAL
        if any(ruling.event_status == "appealed" and ruling.decided is None for ruling in rulings):
            return self.State.APPEALED
        return self.State.RULED if sides else self.State.CLOSED


class GivenRuling(models.Model):
    """A ruling given at a match, and what came with it (the rules app knows nothing of matches)."""

    ruling = models.OneToOneField("rules.Ruling", on_delete=models.PROTECT, related_name="given")
    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="given")
    call = models.ForeignKey(JudgeCall, on_delete=models.PROTECT, null=True, related_name="given")
    penalty = models.ForeignKey(Penalty, on_delete=models.PROTECT, null=True, related_name="+")
    extension = models.ForeignKey("Extension", on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["-pk"]


class Statement(AppendOnly):
    """What a player of a match says happened. The opponent never reads it; the event's judges do."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="statements")
    registration = models.ForeignKey(Registration, on_delete=models.PROTECT, related_name="statements")
    call = models.ForeignKey(JudgeCall, on_delete=models.PROTECT, null=True, related_name="statements")
    text = models.TextField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="Who wrote it down: the player, or a judge who listened.",
    )
    at = models.DateTimeField()

    class Meta:
        ordering = ["at", "pk"]


class Remark(AppendOnly):
    """What judges say to each other about a match or a call: a consultation among the event's judges, or a note that
    its author and the head judge alone read. No player ever does."""

    class Kind(models.TextChoices):
        CONSULT = "consult"
        NOTE = "note"

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="remarks")
    match = models.ForeignKey(Match, on_delete=models.PROTECT, null=True, related_name="remarks")
    call = models.ForeignKey(JudgeCall, on_delete=models.PROTECT, null=True, related_name="remarks")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    text = models.TextField(blank=True)
    adjudication = models.ForeignKey(
        "rules.Adjudication",
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="The engine's answer under discussion.",
    )
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(match__isnull=False) | Q(call__isnull=False), name="a_remark_is_about_something"
            ),
            models.CheckConstraint(
                condition=~Q(text="") | Q(adjudication__isnull=False), name="a_remark_says_something"
            ),
        ]


class PinnedReading(AppendOnly):
    """How an event reads the law where it leaves something open, settled by its head judge. The newest row of a
    reading counts; one without an option opens it again."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="pinned_readings")
    system = models.CharField(max_length=40)
    reading = models.CharField(max_length=60)
    option = models.CharField(max_length=60, blank=True)
    number = models.PositiveSmallIntegerField(help_text="1, 2, ... in the event: the newest is one row")
    reason = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["event", "number"]
        constraints = [
            models.UniqueConstraint(fields=["event", "number"], name="pinned_readings_are_numbered")
        ]
