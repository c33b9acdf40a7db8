"""The shapes of disputes, adjudications and rulings in the API; they check shape only."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from rules.api.rulings import FactField, RulingOut
from rules.models import Adjudication, Dispute


class SystemOut(serializers.Serializer[Any]):
    key = serializers.CharField()
    title = serializers.CharField()
    version = serializers.CharField()
    hash = serializers.CharField()


class ScenarioIn(serializers.Serializer[Any]):
    source = serializers.CharField(  # type: ignore[assignment]  # (a field's own attribute has this name)
        trim_whitespace=False, help_text="A scenario, YAML or JSON text."
    )


class DisputeIn(ScenarioIn):
    title = serializers.CharField(max_length=200)


class AdjudicationIn(serializers.Serializer[Any]):
    """Either another scenario (a what-if), or another system for the dispute's own."""

    source = serializers.CharField(trim_whitespace=False, required=False)  # type: ignore[assignment]
    system = serializers.CharField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) != 1:
            raise serializers.ValidationError("Give either source or system.")
        return attrs


class AdjudicationBrief(serializers.ModelSerializer[Adjudication]):
    class Meta:
        model = Adjudication
        fields = [
            "id",
            "dispute",
            "system",
            "system_version",
            "state",
            "positions",
            "budget",
            "failure",
            "queued_at",
            "started_at",
            "finished_at",
        ]


@extend_schema_field({"type": "object", "additionalProperties": True})
class ScenarioField(serializers.JSONField):
    """A scenario in its canonical form (docs/scenarios.md)."""


@extend_schema_field({"type": "object", "nullable": True, "additionalProperties": True})
class AnswerField(serializers.JSONField):
    """What the engine answered (docs/answers.md); empty until it has."""


class AdjudicationOut(AdjudicationBrief):
    scenario = ScenarioField(read_only=True)
    answer = AnswerField(read_only=True, allow_null=True)

    class Meta(AdjudicationBrief.Meta):
        fields = [*AdjudicationBrief.Meta.fields, "scenario_hash", "runs", "scenario", "answer"]


class RulingIn(serializers.Serializer[Any]):
    verdict = serializers.CharField(max_length=300)
    explanation = serializers.CharField(required=False, allow_blank=True, default="")
    adjudication = serializers.IntegerField(required=False, allow_null=True, default=None)
    agrees = serializers.BooleanField(required=False, allow_null=True, default=None)
    event_side = serializers.ChoiceField(choices=["floor", "final"], default="floor")
    citations = serializers.ListField(child=serializers.CharField(), max_length=50, default=list)
    question = serializers.CharField(max_length=200, allow_blank=True, default="")
    facts = FactField(many=True, default=list)
    cards = serializers.ListField(child=serializers.CharField(max_length=120), max_length=40, default=list)
    remedy = serializers.CharField(max_length=300, allow_blank=True, default="")


class DisputeOut(serializers.ModelSerializer[Dispute]):
    filed_by = serializers.CharField(source="filed_by.username")
    adjudications = AdjudicationBrief(many=True)
    rulings = RulingOut(many=True)

    class Meta:
        model = Dispute
        fields = [
            "id",
            "title",
            "filed_by",
            "filed_at",
            "source",
            "scenario_hash",
            "adjudications",
            "rulings",
        ]


class PlayIn(ScenarioIn):
    choices = serializers.ListField(
        child=serializers.IntegerField(min_value=0), max_length=200, default=list,
        help_text="The option taken at each decision so far, by its number from 0; the scenario's moves are not made.",
    )  # fmt: skip


class PlayOption(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    text = serializers.CharField()


class PlayRefusal(serializers.Serializer[Any]):
    text = serializers.CharField()
    reason = serializers.CharField()
    cites = serializers.ListField(child=serializers.CharField())


class PlayOut(serializers.Serializer[Any]):
    """One moment of one line of play."""

    over = serializers.BooleanField()
    who = serializers.CharField(
        help_text="A player, chance, the rules or the facts; empty when the line is over."
    )
    decider = serializers.CharField()
    decision = serializers.CharField()
    options = PlayOption(many=True)
    refused = PlayRefusal(many=True)
    changes = serializers.ListField(
        child=serializers.CharField(), help_text="What is different from the start."
    )
    did = serializers.ListField(
        child=serializers.DictField(), help_text="The line so far as a scenario's moves."
    )
    exact = serializers.BooleanField(help_text="Whether these moves make exactly this line again.")
    trace = serializers.ListField(child=serializers.DictField(), help_text="Its steps (docs/answers.md).")
