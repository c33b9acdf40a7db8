"""Serializers of people: accounts, settings, staff, invitations, check-in."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournament.api.serializers import TWO_DAYS, RegistrationOut, TwoDaysIn
from tournament.models import Event, Invitation, Invite, Registration, Staff, User
from tournament.selectors.codes import claim_code
from tournament.selectors.invitations import asked_about


class PersonIn(serializers.Serializer[Any]):
    display_name = serializers.CharField(max_length=80)
    pronouns = serializers.CharField(max_length=40, allow_blank=True, default="")
    language = serializers.CharField(max_length=10, allow_blank=True, default="", help_text="For example de.")


class PersonOut(serializers.ModelSerializer[User]):
    class Meta:
        model = User
        fields = ["username", "display_name", "pronouns", "language"]


class EventChange(serializers.Serializer[Any]):
    """Only the fields given are changed."""

    name = serializers.CharField(max_length=120, required=False)
    starts_on = serializers.DateField(required=False)
    start = serializers.CharField(max_length=200, required=False, allow_blank=True)
    timezone = serializers.CharField(required=False)
    venue = serializers.CharField(max_length=200, required=False, allow_blank=True)
    fee = serializers.CharField(max_length=200, required=False, allow_blank=True)
    description = serializers.CharField(max_length=4_000, required=False, allow_blank=True)
    capacity = serializers.IntegerField(required=False, allow_null=True, help_text="Empty: no limit.")
    registration_opens = serializers.DateTimeField(required=False, allow_null=True)
    registration_closes = serializers.DateTimeField(required=False, allow_null=True)
    planned_rounds = serializers.IntegerField(required=False, allow_null=True)
    format = serializers.CharField(
        required=False, help_text="Can change until the first decklist is submitted."
    )
    format_on = serializers.DateField(required=False)
    policy_key = serializers.CharField(required=False, help_text="Can change until round 1 is paired.")
    two_days = TwoDaysIn(required=False, allow_null=True, help_text=TWO_DAYS)
    list_visibility = serializers.ChoiceField(choices=Event.ListVisibility.choices, required=False)
    adjudication_budget = serializers.IntegerField(
        required=False,
        allow_null=True,
        help_text="The most positions the engine explores for one dispute. Empty: the installation's limit.",
    )


class InviteIn(serializers.Serializer[Any]):
    role = serializers.ChoiceField(choices=Staff.Role.choices)
    uses = serializers.IntegerField(default=1, help_text="How many times it can be used, 1 to 100.")
    days = serializers.IntegerField(default=7, help_text="How many days it works, 1 to 90.")
    note = serializers.CharField(max_length=80, allow_blank=True, default="")


class InviteOut(serializers.ModelSerializer[Invite]):
    made_by = serializers.CharField(source="made_by.username")

    class Meta:
        model = Invite
        fields = ["id", "role", "note", "uses", "most_uses", "expires_at", "made_by", "made_at"]


class InviteMade(InviteOut):
    secret = serializers.SerializerMethodField(
        help_text="Shown once. The link is /join/ followed by the secret."
    )

    class Meta(InviteOut.Meta):
        fields = [*InviteOut.Meta.fields, "secret"]

    def get_secret(self, invite: Invite) -> str:
        return str(self.context["secret"])


class AnswerIn(serializers.Serializer[Any]):
    answer = serializers.ChoiceField(
        choices=["accept", "decline", "refuse"],
        help_text="`refuse`: decline for good; no one can invite you to this event by name again.",
    )


class SecretIn(serializers.Serializer[Any]):
    secret = serializers.CharField(max_length=100)


class CodeIn(serializers.Serializer[Any]):
    code = serializers.CharField(max_length=20, allow_blank=True, default="")


class ReasonIn(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=300)


class WatchIn(serializers.Serializer[Any]):
    watching = serializers.BooleanField()


class EntryIn(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=80)
    club = serializers.CharField(max_length=80, allow_blank=True, default="")
    pronouns = serializers.CharField(max_length=40, allow_blank=True, default="")


class AskedOut(serializers.ModelSerializer[Invitation]):
    """The account that was asked whether a guest's registration is theirs. `state`: `open` until it answers."""

    username = serializers.CharField(source="user.username")
    made_by = serializers.CharField(source="made_by.username")

    class Meta:
        model = Invitation
        fields = ["id", "username", "state", "made_by", "made_at", "ended_at"]


class AskIn(serializers.Serializer[Any]):
    username = serializers.CharField(max_length=150)


class EntryOut(RegistrationOut):
    """A registration with its staff details."""

    guest = serializers.SerializerMethodField(help_text="A player without an account.")
    claim_code = serializers.SerializerMethodField(
        help_text="The code with which a guest claims the registration."
    )
    asked = serializers.SerializerMethodField(
        help_text="The account asked whether this is them, or null. Nothing of it is shown before it accepts."
    )

    class Meta(RegistrationOut.Meta):
        fields = [*RegistrationOut.Meta.fields, "number", "checked_in_at", "guest", "claim_code", "asked"]

    def get_guest(self, entry: Registration) -> bool:
        return entry.user_id is None

    def get_claim_code(self, entry: Registration) -> str | None:
        return claim_code(entry) if entry.user_id is None else None

    @extend_schema_field(AskedOut(allow_null=True))
    def get_asked(self, entry: Registration) -> Any:
        found = asked_about(entry)
        return AskedOut(found).data if found is not None else None


class CheckInOut(serializers.Serializer[Any]):
    """What closing check-in now would do."""

    open = serializers.BooleanField()
    hall_code = serializers.CharField(help_text="The code posted in the hall, which players enter.")
    present = RegistrationOut(many=True)
    missing = RegistrationOut(many=True, help_text="The players who will be withdrawn when check-in closes.")
    waiting = RegistrationOut(many=True, help_text="The waiting list, in order.")
    promoted = RegistrationOut(
        many=True, help_text="The waiting players who will get a spot when check-in closes."
    )


class CloseIn(serializers.Serializer[Any]):
    withdraw = serializers.ListField(
        child=serializers.IntegerField(),
        max_length=100_000,
        help_text="The missing players to withdraw, as previewed. Players who have checked in since stay.",
    )


class CloseOut(serializers.Serializer[Any]):
    withdrawn = serializers.IntegerField()
    promoted = RegistrationOut(many=True)
