"""The shapes of rounds, clocks and slips in the API. They check shape only; services decide."""

from typing import Any

from rest_framework import serializers

from tournament.api.serializers import DecisionIn
from tournament.models import AuditRow, Extension

EDITION = "The draft's edition you looked at; another one is refused. Empty: whichever it is."


MOST_ID = 2**63 - 1
MOST = 9_999


class EditionIn(serializers.Serializer[Any]):
    edition = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=0, max_value=2**31 - 1, help_text=EDITION
    )


class PublishIn(EditionIn):
    start_clock = serializers.BooleanField(default=False, help_text="Start the round's clock with it.")


class RedrawIn(EditionIn):
    reason = serializers.CharField(max_length=300, help_text="Public, like the number of lots drawn.")


class SwapIn(RedrawIn):
    first = serializers.IntegerField(min_value=1, max_value=MOST_ID, help_text="A registration.")
    second = serializers.IntegerField(
        min_value=1, max_value=MOST_ID, help_text="A registration; with one that has a bye, the bye moves."
    )


class MoveIn(RedrawIn):
    table = serializers.IntegerField(min_value=1, max_value=MOST, help_text="Where they sit now.")
    to = serializers.IntegerField(
        min_value=1, max_value=MOST, help_text="Who was to sit there takes their table."
    )


class StoryOut(serializers.ModelSerializer[AuditRow]):
    by = serializers.CharField(source="actor", help_text="Who did it.")
    data = serializers.DictField()  # type: ignore[assignment]

    class Meta:
        model = AuditRow
        fields = ["verb", "by", "at", "reason", "data"]


class ClockIn(serializers.Serializer[Any]):
    do = serializers.ChoiceField(choices=["start", "pause", "add"])
    minutes = serializers.IntegerField(
        default=0, min_value=-MOST, max_value=MOST, help_text="To add; negative to take away."
    )
    reason = serializers.CharField(max_length=300, default="", allow_blank=True)


class ClockOut(serializers.Serializer[Any]):
    now = serializers.DateTimeField(help_text="The server's time this was worked out at.")
    minutes = serializers.IntegerField(help_text="Everybody's time, added minutes included.")
    running = serializers.BooleanField()
    began = serializers.BooleanField()
    seconds_left = serializers.IntegerField(help_text="Negative once time is called.")
    ends_at = serializers.DateTimeField(allow_null=True, help_text="Empty while the clock stands still.")
    called = serializers.BooleanField(help_text="Whether time has been called for tables without extension.")
    extensions = serializers.DictField(
        child=serializers.IntegerField(), help_text="Table -> its own minutes beside everybody's."
    )


class ExtensionIn(serializers.Serializer[Any]):
    minutes = serializers.IntegerField(
        min_value=-MOST, max_value=MOST, help_text="Negative to take back what was given by mistake."
    )
    cause = serializers.ChoiceField(choices=Extension.Cause.choices, default=Extension.Cause.OTHER)
    reason = serializers.CharField(
        max_length=300, default="", allow_blank=True, help_text="Needed where the cause is other."
    )


class ExtensionOut(serializers.ModelSerializer[Extension]):
    class Meta:
        model = Extension
        fields = ["minutes", "cause", "reason", "at"]


class SlipIn(DecisionIn):
    table = serializers.IntegerField(min_value=1, max_value=MOST)
    reason = serializers.CharField(
        max_length=300, default="", allow_blank=True, help_text="Empty: the match slip."
    )


class WhyIn(serializers.Serializer[Any]):
    player = serializers.IntegerField(min_value=1, max_value=MOST_ID, help_text="A registration.")
    other = serializers.IntegerField(
        min_value=1,
        max_value=MOST_ID,
        required=False,
        help_text="Why not this one? Left out: who stands above the opponent.",
    )


class DigitOut(serializers.Serializer[Any]):
    counts = serializers.CharField(help_text="What the rule counts.")
    table = serializers.IntegerField()
    round = serializers.IntegerField(help_text="Summed over the whole round.")


class WhyOut(serializers.Serializer[Any]):
    player = serializers.IntegerField(source="player.pk")
    opponent = serializers.IntegerField(
        source="opponent.pk", allow_null=True, default=None, help_text="Empty: a bye."
    )
    sentence = serializers.CharField()
    by_hand = serializers.BooleanField(help_text="The organizer seated this table.")
    digits = DigitOut(many=True, help_text="Most important first; empty in a bracket.")
    other = serializers.IntegerField(source="other.pk", allow_null=True, default=None)
    instead = serializers.CharField(allow_blank=True, help_text="Why not with the other one.")


class ResolvedOut(serializers.Serializer[Any]):
    tables = serializers.IntegerField(help_text="How many tables were given the policy's result.")
