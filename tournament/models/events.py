"""An event, its staff, and their invitations."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from config.append_only import AppendOnly


class Event(models.Model):
    class ListVisibility(models.TextChoices):
        """Besides the player: nobody until the lists are frozen, staff, everybody once they are frozen, or everybody
        when the Swiss rounds are over."""

        PRIVATE = "private"
        STAFF = "staff"
        OPEN = "open"
        CUT = "cut"

    class BracketKind(models.TextChoices):
        """One lost match and one is out, or two (tournament.policy.model.BracketKind)."""

        SINGLE = "single-elimination"
        DOUBLE = "double-elimination"

    class State(models.TextChoices):
        REGISTRATION = "registration"
        RUNNING = "running"
        FINISHED = "finished"

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=120)
    starts_on = models.DateField()
    timezone = models.CharField(max_length=40, default="UTC")
    start = models.CharField(
        max_length=200, blank=True, help_text="When people should be there, in the organizer's words."
    )
    venue = models.CharField(max_length=200, blank=True)
    fee = models.CharField(max_length=200, blank=True, help_text="What it costs, in the organizer's words.")
    description = models.TextField(
        blank=True, help_text="What players should know, in the organizer's words."
    )
    capacity = models.PositiveIntegerField(
        null=True, help_text="The player cap; later registrations join the waiting list. Empty: no limit."
    )
    registration_opens = models.DateTimeField(null=True, help_text="Empty: at once.")
    registration_closes = models.DateTimeField(null=True, help_text="Empty: when round 1 is paired.")
    checkin_opened_at = models.DateTimeField(null=True, help_text="Empty: nobody need check in.")
    checkin_closed_at = models.DateTimeField(null=True)
    checkin_code = models.CharField(
        max_length=8, blank=True, help_text="Posted in the hall: who types it is here."
    )
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
    final = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        related_name="flights",
        help_text="The event whose bracket this one's cut goes into, together with other flights'.",
    )
    second_day_at = models.DateTimeField(null=True, help_text="When the first day's cut was made.")
    cut = models.JSONField(
        null=True,
        help_text="Who plays on after the Swiss rounds: {places, ties} or {losses}. Announced before round 1 and "
        "kept; empty: the policy's table decides then.",
    )
    bracket_kind = models.CharField(
        max_length=20,
        choices=BracketKind.choices,
        blank=True,
        help_text="How those who made the cut play; empty: as the policy says.",
    )
    state = models.CharField(max_length=12, choices=State.choices, default=State.REGISTRATION)
    adjudication_budget = models.PositiveIntegerField(
        null=True,
        help_text="Positions the engine may explore for one dispute. Empty: the service's own number.",
    )
    standings_seed = models.BigIntegerField(
        null=True, help_text="The lot of the last tie-breaker, drawn once, when round 1 is first published."
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="created_events"
    )
    created_at = models.DateTimeField()

    roles_held: tuple[int, set[str]] | None = (
        None  # (whose, which): selectors.held_roles keeps it for one page
    )

    class Meta:
        ordering = ["-starts_on", "-pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def has_cut(self) -> bool:
        """Whether a cut was announced, so that a bracket follows the Swiss rounds."""
        cut = self.cut or {}
        return bool(cut.get("places")) or cut.get("losses") is not None


class Staff(models.Model):
    """A role of somebody in an event, one row for each. An owner can do whatever an organizer can; a spectator
    can do nothing that a stranger cannot, and finds the event on the start page."""

    class Role(models.TextChoices):
        OWNER = "owner"
        ORGANIZER = "organizer"
        HEAD_JUDGE = "head-judge"
        JUDGE = "judge"
        SCOREKEEPER = "scorekeeper"
        SPECTATOR = "spectator"

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="staff")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="staffed")
    role = models.CharField(max_length=12, choices=Role.choices)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["event", "user", "role"], name="one_row_per_role")]


class Invitation(models.Model):
    """Somebody asked by name to take a role, or whether a guest's entry is theirs. It gives nothing until they accept;
    then there is a row of Staff, or the entry is their account's."""

    PLAYER = "player"

    class State(models.TextChoices):
        """Refused: declined for good, so that nobody asks this person again in this event."""

        OPEN = "open"
        ACCEPTED = "accepted"
        DECLINED = "declined"
        REFUSED = "refused"
        WITHDRAWN = "withdrawn"

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="invitations")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="invitations")
    role = models.CharField(max_length=12, choices=[*Staff.Role.choices, (PLAYER, PLAYER)])
    entry = models.ForeignKey(
        "tournament.Registration",
        on_delete=models.CASCADE,
        null=True,
        related_name="invitations",
        help_text="The guest’s entry that it is about; empty for a role.",
    )
    state = models.CharField(max_length=9, choices=State.choices, default=State.OPEN)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, help_text="When it was answered or withdrawn.")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["event", "user"],
                condition=Q(state__in=("open", "refused"), entry=None),
                name="one_open_invitation_and_none_once_refused",
            ),
            models.UniqueConstraint(
                fields=["event", "user"],
                condition=Q(state__in=("open", "refused"), entry__isnull=False),
                name="one_account_is_asked_about_one_entry",
            ),
            models.UniqueConstraint(
                fields=["entry"], condition=Q(state="open"), name="one_entry_is_offered_to_one_account"
            ),
            models.CheckConstraint(
                condition=Q(role="player", entry__isnull=False) | (~Q(role="player") & Q(entry=None)),
                name="an_invitation_to_play_names_the_entry",
            ),
            models.CheckConstraint(
                condition=Q(state="open", ended_at=None) | (~Q(state="open") & Q(ended_at__isnull=False)),
                name="an_ended_invitation_says_when",
            ),
        ]


class Invite(models.Model):
    """A link that gives a role to whoever follows it. The link's secret is known to those who hold it alone."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="invites")
    role = models.CharField(max_length=12, choices=Staff.Role.choices)
    token_hash = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the link's secret.")
    note = models.CharField(max_length=80, blank=True, help_text="For whom it is, for the organizers.")
    most_uses = models.PositiveSmallIntegerField()
    uses = models.PositiveSmallIntegerField(default=0)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["-made_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(uses__lte=models.F("most_uses")), name="no_more_uses_than_allowed"
            )
        ]


class Ban(models.Model):
    """Somebody who may not take part in an event any more; lifted, the row stays."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="bans")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="bans")
    reason = models.CharField(max_length=300)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    lifted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["event", "user"], condition=Q(lifted_at=None), name="one_ban_at_a_time"
            )
        ]


class PolicyVersion(AppendOnly):
    """A tournament policy that an organizer wrote; the newest of its key is in force for events not yet begun."""

    key = models.SlugField(max_length=40)
    number = models.PositiveIntegerField()
    title = models.CharField(max_length=120)
    document = models.JSONField(help_text="The policy's plain form (docs/tournament.md).")
    note = models.CharField(max_length=200, blank=True, help_text="What changed, in the author's words.")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["key", "-number"]
        constraints = [models.UniqueConstraint(fields=["key", "number"], name="one_policy_per_number")]
