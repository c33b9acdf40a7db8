"""The shapes of disputes, adjudications and rulings in the API; they check shape only."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from rules.models import Adjudication, Dispute, Ruling


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
        fields = [*AdjudicationBrief.Meta.fields, "scenario_hash", "budget", "runs", "scenario", "answer"]


class RulingIn(serializers.Serializer[Any]):
    verdict = serializers.CharField(max_length=300)
    explanation = serializers.CharField(required=False, allow_blank=True, default="")
    adjudication = serializers.IntegerField(required=False, allow_null=True, default=None)
    agrees = serializers.BooleanField(required=False, allow_null=True, default=None)
    event_side = serializers.ChoiceField(choices=Ruling.EventSide.choices, default=Ruling.EventSide.FLOOR)
    citations = serializers.ListField(child=serializers.CharField(), max_length=50, default=list)


class RulingOut(serializers.ModelSerializer[Ruling]):
    judge = serializers.CharField(source="judge.username")

    class Meta:
        model = Ruling
        fields = [
            "id",
            "dispute",
            "adjudication",
            "judge",
            "verdict",
            "explanation",
            "agrees",
            "citations",
            "event_side",
            "law_side",
            "issued_at",
        ]


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
