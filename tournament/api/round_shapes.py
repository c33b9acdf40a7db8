"""Serializers of rounds, clocks and slips. They check shapes only; services decide."""

from typing import Any

from rest_framework import serializers

from tournament.api.serializers import DecisionIn
from tournament.models import AuditRow, Extension

EDITION = "The edition of the draft you reviewed; any other is refused. Empty: the present one."


MOST_ID = 2**63 - 1
MOST = 9_999


class EditionIn(serializers.Serializer[Any]):
    edition = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=0, max_value=2**31 - 1, help_text=EDITION
    )


class PublishIn(EditionIn):
    start_clock = serializers.BooleanField(
        default=False, help_text="Start the round's clock at the same time."
    )


class RedrawIn(EditionIn):
    reason = serializers.CharField(max_length=300, help_text="Public, like the number of random seeds drawn.")


class SwapIn(RedrawIn):
    first = serializers.IntegerField(min_value=1, max_value=MOST_ID, help_text="A registration.")
    second = serializers.IntegerField(
        min_value=1, max_value=MOST_ID, help_text="A registration. If it has a bye, the bye moves."
    )


class MoveIn(RedrawIn):
    table = serializers.IntegerField(min_value=1, max_value=MOST, help_text="Their present table.")
    to = serializers.IntegerField(
        min_value=1, max_value=MOST, help_text="The players seated there move to their table."
    )


CLOCK_COUNTS = (
    "true: every table has begun once the clock has started; false: only tables where something is recorded."
)


class RepairAsk(serializers.Serializer[Any]):
    clock_counts = serializers.BooleanField(default=True, help_text=CLOCK_COUNTS)


class RepairIn(RepairAsk):
    mark = serializers.CharField(max_length=16, help_text="The plan you reviewed; any other is refused.")
    reason = serializers.CharField(max_length=300, help_text="Public.")


class MovedOut(serializers.Serializer[Any]):
    table = serializers.IntegerField(source="number", allow_null=True, help_text="Empty: the bye.")
    now = serializers.ListField(child=serializers.CharField(), help_text="The names of the players there.")
    then = serializers.ListField(child=serializers.CharField())


class RepairSwapOut(serializers.Serializer[Any]):
    """Tables that change together."""

    tables = MovedOut(many=True)
    rule = serializers.CharField(help_text="The first rule that would be worse if these tables stayed.")
    was = serializers.IntegerField(help_text="Its sum over these tables now.")
    would = serializers.IntegerField(help_text="Its sum after the change.")


class RepairOut(serializers.Serializer[Any]):
    code = serializers.ChoiceField(choices=["repair", "nothing", "begun", "bracket", "over"])
    tables = serializers.IntegerField(help_text="How many tables change.")
    swaps = RepairSwapOut(many=True)
    concerned = serializers.ListField(
        child=serializers.CharField(),
        help_text="The names of the players whose points or meetings have changed.",
    )
    begun = serializers.IntegerField(help_text="The tables that have begun and therefore stay.")
    proven = serializers.BooleanField(
        source="repair.proven",
        default=True,
        help_text="true: it is proven that no round as good changes fewer tables; false: there may be one, "
        "which happens only in very large rounds whose players differ in many ways.",
    )
    mark = serializers.CharField()


class StoryOut(serializers.ModelSerializer[AuditRow]):
    by = serializers.CharField(source="actor", help_text="The name of the person.")
    data = serializers.DictField()  # type: ignore[assignment]

    class Meta:
        model = AuditRow
        fields = ["verb", "by", "at", "reason", "data"]


class ClockIn(serializers.Serializer[Any]):
    do = serializers.ChoiceField(choices=["start", "pause", "add"])
    minutes = serializers.IntegerField(
        default=0, min_value=-MOST, max_value=MOST, help_text="Minutes to add; negative to take away."
    )
    reason = serializers.CharField(max_length=300, default="", allow_blank=True)


class ClockOut(serializers.Serializer[Any]):
    now = serializers.DateTimeField(help_text="The server's time of this answer.")
    minutes = serializers.IntegerField(help_text="The round's minutes, including added ones.")
    running = serializers.BooleanField()
    began = serializers.BooleanField()
    seconds_left = serializers.IntegerField(help_text="Seconds left; negative after time is called.")
    ends_at = serializers.DateTimeField(
        allow_null=True, help_text="When time will be called; empty while the clock is stopped."
    )
    called = serializers.BooleanField(
        help_text="Whether time has been called for tables without an extension."
    )
    extensions = serializers.DictField(
        child=serializers.IntegerField(), help_text="Table -> its own extra minutes."
    )


class ExtensionIn(serializers.Serializer[Any]):
    minutes = serializers.IntegerField(
        min_value=-MOST, max_value=MOST, help_text="Minutes; negative to correct a mistake."
    )
    cause = serializers.ChoiceField(choices=Extension.Cause.choices, default=Extension.Cause.OTHER)
    reason = serializers.CharField(
        max_length=300, default="", allow_blank=True, help_text="Required if the cause is other."
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
        help_text="Why not this player? If left out: the player ranked just above the opponent.",
    )


class DigitOut(serializers.Serializer[Any]):
    counts = serializers.CharField(help_text="What the rule counts.")
    table = serializers.IntegerField()
    round = serializers.IntegerField(help_text="The sum over the whole round.")


class WhyOut(serializers.Serializer[Any]):
    player = serializers.IntegerField(source="player.pk")
    opponent = serializers.IntegerField(
        source="opponent.pk", allow_null=True, default=None, help_text="Empty: a bye."
    )
    sentence = serializers.CharField()
    by_hand = serializers.BooleanField(help_text="An organizer paired this table by hand.")
    digits = DigitOut(many=True, help_text="Most important first; empty in a bracket.")
    other = serializers.IntegerField(source="other.pk", allow_null=True, default=None)
    instead = serializers.CharField(allow_blank=True, help_text="Why not with the other player.")


class ResolvedOut(serializers.Serializer[Any]):
    tables = serializers.IntegerField(help_text="How many tables were scored by the policy.")
