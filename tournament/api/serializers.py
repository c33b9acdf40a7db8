"""Serializers of events. They check shapes only; services decide."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from config.schema_api import RecordOut
from tournament.models import Event, Invitation, Match, MatchDispute, Registration, Report, Round, Staff
from tournament.policy.model import POLICY
from tournament.selectors import Standing, match_state, round_seeds

TWO_DAYS = "The event gets a policy of its own with them. Empty: as the policy says."
REPORTED = [one for one in Report.Outcome.choices if one[0] != Report.Outcome.DOUBLE_LOSS]


# --- events and people ----------------------------------------------------------------------------------


class EventWhere(serializers.Serializer[Any]):
    state = serializers.ChoiceField(choices=Event.State.choices, required=False)
    format = serializers.CharField(required=False, max_length=40)
    q = serializers.CharField(
        required=False, allow_blank=True, max_length=80, help_text="Part of the name or the venue."
    )
    since = serializers.DateField(required=False, help_text="On or after this day.")
    mine = serializers.BooleanField(
        required=False, help_text="true: only events in which you play or are event staff."
    )


class RegistrationWhere(serializers.Serializer[Any]):
    state = serializers.ChoiceField(choices=Registration.State.choices, required=False)
    q = serializers.CharField(required=False, allow_blank=True, max_length=80, help_text="Part of the name.")
    club = serializers.CharField(required=False, allow_blank=True, max_length=80)


@extend_schema_field(
    {
        "oneOf": [
            {
                "type": "object",
                "required": ["places", "ties"],
                "properties": {"places": {"type": "integer"}, "ties": {"type": "boolean"}},
            },
            {"type": "object", "required": ["losses"], "properties": {"losses": {"type": "integer"}}},
        ],
        "nullable": True,
        "description": "Who makes the cut: the top places (ties: plus everyone tied with the last), or everyone with "
        "at most so many losses. Empty: by attendance, from the policy's table.",
    }
)
class CutField(serializers.DictField):
    """A cut in its plain form."""

    def __init__(self, **said: Any) -> None:
        said.setdefault(
            "help_text", "{places: 8}, {places: 8, ties: true} or {losses: 2}; {places: 0}: none."
        )
        super().__init__(**said)


class TwoDaysIn(serializers.Serializer[Any]):
    """The first of two days: its Swiss rounds, and how many players play the second."""

    rounds = serializers.IntegerField(min_value=0, max_value=29, help_text="0: the event has one day.")
    places = serializers.IntegerField(min_value=2, max_value=10_000, required=False)
    ties = serializers.BooleanField(
        required=False, help_text="Also everyone tied on points with the last of them."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs["rounds"]:
            return {"rounds": 0}
        if "places" not in attrs:
            raise serializers.ValidationError({"places": "Say how many players play the second day."})
        return {"ties": False, **attrs}


class EventIn(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=120)
    slug = serializers.CharField(max_length=50, help_text="The event's address: letters, digits, - and _.")
    starts_on = serializers.DateField()
    start = serializers.CharField(
        max_length=200, required=False, allow_blank=True, help_text="In your own words."
    )
    timezone = serializers.CharField(default="UTC", help_text="For example Europe/Vienna.")
    venue = serializers.CharField(max_length=200, required=False, allow_blank=True)
    fee = serializers.CharField(
        max_length=200, required=False, allow_blank=True, help_text="In your own words."
    )
    format = serializers.CharField(help_text="Key of a deck format.")
    format_on = serializers.DateField(help_text="The legality date.")
    policy_key = serializers.CharField(help_text="Key of a tournament policy (/policies).")
    planned_rounds = serializers.IntegerField(
        required=False, allow_null=True, help_text="Empty: by attendance, when round 1 is paired."
    )
    cut = CutField(required=False, allow_null=True)
    bracket_kind = serializers.ChoiceField(
        choices=Event.BracketKind.choices,
        required=False,
        allow_blank=True,
        help_text="Empty: the policy's value.",
    )
    two_days = TwoDaysIn(required=False, allow_null=True, help_text=TWO_DAYS)


class EventOut(serializers.ModelSerializer[Event]):
    created_by = serializers.CharField(source="created_by.username")
    cut = CutField(allow_null=True)

    class Meta:
        model = Event
        fields = [
            "slug",
            "name",
            "starts_on",
            "start",
            "timezone",
            "venue",
            "fee",
            "description",
            "capacity",
            "registration_opens",
            "registration_closes",
            "format",
            "format_on",
            "policy_key",
            "planned_rounds",
            "cut",
            "bracket_kind",
            "adjudication_budget",
            "state",
            "created_by",
            "created_at",
        ]


class EventWithRoles(EventOut):
    roles = serializers.SerializerMethodField(help_text="Your roles in this event.")

    class Meta(EventOut.Meta):
        fields = [*EventOut.Meta.fields, "roles"]

    def get_roles(self, event: Event) -> list[str]:
        return sorted(self.context["roles"])


class StaffIn(serializers.Serializer[Any]):
    username = serializers.CharField()
    role = serializers.ChoiceField(choices=Staff.Role.choices)


class StaffOut(serializers.ModelSerializer[Staff]):
    username = serializers.CharField(source="user.username")
    name = serializers.CharField(source="user")

    class Meta:
        model = Staff
        fields = ["id", "username", "name", "role"]


class InvitationOut(serializers.ModelSerializer[Invitation]):
    """A person invited to a role, or (`player`) asked whether a guest's registration is theirs.

    `state`: until `accepted`, they don't have it; `refused`: declined for good."""

    event = serializers.CharField(source="event.slug")
    username = serializers.CharField(source="user.username")
    name = serializers.CharField(source="user")
    made_by = serializers.CharField(source="made_by.username")
    registration = serializers.IntegerField(
        source="entry_id", allow_null=True, help_text="For `player`: the registration that it is about."
    )
    registered_as = serializers.CharField(source="entry.name", default=None, allow_null=True)

    class Meta:
        model = Invitation
        fields = [
            "id", "event", "username", "name", "role", "registration", "registered_as", "state", "made_by", "made_at",
            "ended_at",
        ]  # fmt: skip


class TieBreakOut(serializers.Serializer[Any]):
    key = serializers.CharField()
    name = serializers.CharField()
    short = serializers.CharField()
    formula = serializers.CharField(help_text="In words, for players.")


class RoundsOut(serializers.Serializer[Any]):
    players = serializers.IntegerField(
        allow_null=True, help_text="Up to this many players; empty: any number."
    )
    rounds = serializers.IntegerField()
    cut = serializers.DictField(
        source="rule.document", help_text="{places, ties} or {losses}; places 0: no cut."
    )


class PolicyOut(RecordOut):
    record = POLICY
    points = serializers.DictField(
        child=serializers.IntegerField(), help_text="For each result code and the bye."
    )
    rounds = RoundsOut(many=True)
    tie_breaks = TieBreakOut(many=True)


# --- players --------------------------------------------------------------------------------------------


class RegistrationIn(serializers.Serializer[Any]):
    """Without `username` and `guest`: yourself. Event staff register others, by `name`: they are guests. With
    `username`, that account is asked whether this is them; until it accepts, nothing of it is shown or changed."""

    name = serializers.CharField(max_length=80, required=False, allow_blank=True, default="")
    club = serializers.CharField(max_length=80, required=False, allow_blank=True, default="")
    pronouns = serializers.CharField(max_length=40, required=False, allow_blank=True, default="")
    username = serializers.CharField(required=False, allow_null=True, default=None)
    guest = serializers.BooleanField(default=False, help_text="A player without an account.")
    revision = serializers.IntegerField(
        required=False, allow_null=True, default=None, help_text="One of your own revisions."
    )
    missed = serializers.ChoiceField(
        choices=["losses", "byes", "nothing"],
        default="",
        allow_blank=True,
        help_text="How earlier rounds count for a player who registers late; empty: as the policy says.",
    )
    missed_reason = serializers.CharField(max_length=300, default="", allow_blank=True)


class RegistrationOut(serializers.ModelSerializer[Registration]):
    class Meta:
        model = Registration
        fields = ["id", "name", "club", "pronouns", "state", "registered_at"]


@extend_schema_field({"type": "array", "items": {"type": "object", "additionalProperties": True}})
class RowsField(serializers.JSONField):
    """A list of objects (the entries of a deck, the findings of a report)."""


class RegisteredDeck(serializers.Serializer[Registration]):
    deck = serializers.CharField(source="revision.deck.name")
    revision = serializers.IntegerField(source="revision.pk")
    number = serializers.IntegerField(source="revision.number")
    hash = serializers.CharField(source="revision.hash")
    entries = RowsField(source="revision.entries")
    verdict = serializers.CharField(source="report.verdict")
    findings = RowsField(source="report.findings")


class RegistrationWithDeck(RegistrationOut):
    username = serializers.SerializerMethodField()
    registered_deck = serializers.SerializerMethodField()

    class Meta(RegistrationOut.Meta):
        fields = [*RegistrationOut.Meta.fields, "username", "deck_override", "registered_deck"]

    def get_username(self, registration: Registration) -> str | None:
        return registration.user.username if registration.user else None

    @extend_schema_field(RegisteredDeck(allow_null=True))
    def get_registered_deck(self, registration: Registration) -> Any:
        return RegisteredDeck(registration).data if registration.revision_id else None


class ReturnIn(serializers.Serializer[Any]):
    missed = serializers.ChoiceField(
        choices=["losses", "byes", "nothing"],
        default="",
        allow_blank=True,
        help_text="How the rounds published meanwhile count; empty: as the policy says. A deviation needs an organizer "
        "and a reason.",
    )
    missed_reason = serializers.CharField(max_length=300, default="", allow_blank=True)


class ByeIn(serializers.Serializer[Any]):
    number = serializers.IntegerField(
        min_value=1, max_value=30, help_text="The number of a round that isn't published yet."
    )
    reason = serializers.CharField(max_length=300)


class TableIn(serializers.Serializer[Any]):
    table = serializers.IntegerField(allow_null=True, min_value=1, max_value=9_999)


class DeckIn(serializers.Serializer[Any]):
    revision = serializers.IntegerField(allow_null=True)
    override = serializers.CharField(
        required=False, allow_blank=True, default="", help_text="An organizer's reason for an exception."
    )


# --- rounds and matches ---------------------------------------------------------------------------------


class PairIn(serializers.Serializer[Any]):
    number = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        help_text="The number of the round to pair. With it, a repeated request doesn't pair the next round.",
    )
    draft = serializers.BooleanField(
        default=False, help_text="true: make a draft that only organizers see, to publish, change or discard."
    )
    start_clock = serializers.BooleanField(
        default=False, help_text="Start the round's clock at the same time."
    )


class RoundOut(serializers.ModelSerializer[Round]):
    state = serializers.ChoiceField(choices=Round.State.choices)

    class Meta:
        model = Round
        fields = ["number", "title", "state", "edition", "seed", "published_at", "finished_at"]


@extend_schema_field({"type": "object", "additionalProperties": True})
class ExplanationField(serializers.JSONField):
    """Why each pairing is as it is: its digits, most important first, and a sentence."""


class RoundWithExplanation(RoundOut):
    explanation = serializers.SerializerMethodField()
    lots = serializers.SerializerMethodField(help_text="How many random seeds were drawn for this round.")

    class Meta(RoundOut.Meta):
        fields = [*RoundOut.Meta.fields, "lots", "explanation"]

    def get_lots(self, round: Round) -> int:
        return len(round_seeds(round))

    @extend_schema_field(ExplanationField)
    def get_explanation(self, round: Round) -> Any:
        """Without the players' own data it was paired from: their fixed tables are nobody's business."""
        return {key: value for key, value in round.explanation.items() if key != "players"}


class SeatOut(serializers.Serializer[Any]):
    side = serializers.IntegerField()
    registration = serializers.IntegerField()
    name = serializers.CharField()
    outcome = serializers.CharField(allow_null=True, help_text="From this side, once the match has a result.")


class MatchOut(serializers.ModelSerializer[Match]):
    round = serializers.IntegerField(source="round.number")
    state = serializers.SerializerMethodField(
        help_text="waiting, reported, confirmed, conflict, decided or bye."
    )
    outcome = serializers.SerializerMethodField(help_text="From side 1, once the match has a result.")
    seats = serializers.SerializerMethodField()

    class Meta:
        model = Match
        fields = ["id", "round", "table", "state", "outcome", "seats"]

    def get_state(self, match: Match) -> str:
        return match_state(match).state

    def get_outcome(self, match: Match) -> str | None:
        return match_state(match).outcome

    @extend_schema_field(SeatOut(many=True))
    def get_seats(self, match: Match) -> Any:
        state = match_state(match)
        return [
            {
                "side": seat.side,
                "registration": seat.registration_id,
                "name": seat.registration.name,
                "outcome": state.outcome_for(seat.registration),
            }
            for seat in state.seats
        ]


def _games(help_text: str) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=20),
        min_length=3,
        max_length=3,
        required=False,
        allow_null=True,
        default=None,
        help_text=help_text,
    )


class ReportIn(serializers.Serializer[Any]):
    outcome = serializers.ChoiceField(choices=REPORTED, help_text="From your own side.")
    games = _games("[won, lost, drawn] from your own side, if the policy counts games.")
    how = serializers.ChoiceField(
        choices=["played", "agreed", "conceded"],
        default="played",
        help_text="agreed: a draw without playing, if the policy lets players report it; conceded: given up.",
    )
    drop = serializers.BooleanField(default=False, help_text="Drop from the event with this report.")
    known = serializers.IntegerField(
        min_value=0,
        max_value=100_000,
        required=False,
        allow_null=True,
        default=None,
        help_text="The number of your own latest report when you made this one (0: none); refused if you have "
        "reported since. For what is sent late.",
    )


class DecisionIn(serializers.Serializer[Any]):
    outcome = serializers.ChoiceField(choices=Report.Outcome.choices, help_text="From side 1.")
    games = _games("[won by side 1, won by side 2, drawn], if the policy counts games.")
    how = serializers.ChoiceField(
        choices=Report.How.choices,
        default="played",
        help_text="agreed: unless the policy forbids it; no-show: the loser, or both players, didn't appear.",
    )
    reason = serializers.CharField(max_length=300)


class ReportOut(serializers.ModelSerializer[Report]):
    side = serializers.SerializerMethodField(
        help_text="The side that reported; empty: decided by event staff."
    )
    by = serializers.SerializerMethodField(help_text="The author, shown only to event staff.")
    games = serializers.ListField(child=serializers.IntegerField(), allow_null=True)

    class Meta:
        model = Report
        fields = ["number", "side", *Report.SAID, "by"]

    def get_side(self, report: Report) -> int | None:
        return report.seat.side if report.seat else None

    def get_by(self, report: Report) -> str | None:
        return report.by.username if self.context.get("staff") else None


# --- standings and disputes -----------------------------------------------------------------------------


class ValueOut(serializers.Serializer[Any]):
    key = serializers.CharField(source="tie_break.key")
    text = serializers.CharField(help_text="The value as shown to people.")
    exact = serializers.CharField(help_text="The exact value as a fraction, such as 9/4.")


class StandingOut(serializers.Serializer[Standing]):
    rank = serializers.IntegerField()
    registration = serializers.IntegerField(source="registration.pk")
    name = serializers.CharField(source="registration.name")
    dropped = serializers.BooleanField()
    points = serializers.IntegerField()
    played = serializers.IntegerField(help_text="Rounds with a result, including byes.")
    results = serializers.DictField(
        child=serializers.IntegerField(), help_text="How often each result code occurred."
    )
    values = ValueOut(many=True, help_text="The tie-breakers, in the policy's order.")


class MatchDisputeIn(serializers.Serializer[Any]):
    title = serializers.CharField(max_length=200)
    source = serializers.CharField(  # type: ignore[assignment]
        trim_whitespace=False, help_text="The situation as a scenario (YAML or JSON)."
    )


class MatchDisputeOut(serializers.ModelSerializer[MatchDispute]):
    id = serializers.IntegerField(source="dispute_id", help_text="Under /disputes.")
    title = serializers.CharField(source="dispute.title")
    round = serializers.IntegerField(source="match.round.number")
    table = serializers.IntegerField(source="match.table", allow_null=True)
    filed_by = serializers.CharField(source="dispute.filed_by.username")
    filed_at = serializers.DateTimeField(source="dispute.filed_at")
    rulings = serializers.SerializerMethodField(help_text="How many rulings it has.")

    class Meta:
        model = MatchDispute
        fields = ["id", "match", "round", "table", "title", "filed_by", "filed_at", "rulings"]

    def get_rulings(self, filed: MatchDispute) -> int:
        return len(filed.dispute.rulings.all())
