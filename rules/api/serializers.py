"""Serializers of disputes, adjudications and rulings. They check shapes only."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from rules.api.rulings import FactField, RulingOut
from rules.models import Adjudication, Dispute
from rules.spoken import answer_spoken


class SystemOut(serializers.Serializer[Any]):
    key = serializers.CharField()
    title = serializers.CharField()
    version = serializers.CharField()
    hash = serializers.CharField()


class ScenarioIn(serializers.Serializer[Any]):
    source = serializers.CharField(  # type: ignore[assignment]  # (a field's own attribute has this name)
        trim_whitespace=False, help_text="A scenario, YAML or JSON text."
    )


class CardTextIn(serializers.Serializer[Any]):
    system = serializers.CharField(max_length=40, help_text="The timing system, such as coc-lcg.")
    text = serializers.CharField(max_length=20_000, trim_whitespace=False, help_text="The printed English.")
    name = serializers.CharField(
        max_length=200, required=False, allow_blank=True, default="", help_text="How the card calls itself."
    )
    type = serializers.CharField(max_length=40, required=False, allow_blank=True, default="")
    readings = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=1000),
        max_length=100,
        required=False,
        default=list,
        help_text="Of the passages with several readings, in their order, which one is meant (from 1; 0: open).",
    )


class MeaningLine(serializers.Serializer[Any]):
    depth = serializers.IntegerField()
    text = serializers.CharField()


class CardReadingOut(serializers.Serializer[Any]):
    meaning = MeaningLine(many=True)
    data = serializers.DictField(help_text="As docs/systems.md has it.")  # type: ignore[assignment]


class TextTroubleOut(serializers.Serializer[Any]):
    code = serializers.CharField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    word = serializers.CharField()
    says = serializers.CharField()
    near = serializers.ListField(child=serializers.CharField())


class PassageOut(serializers.Serializer[Any]):
    start = serializers.IntegerField(help_text="Characters of the text.")
    end = serializers.IntegerField()
    words = serializers.CharField()
    taken = serializers.IntegerField(help_text="The reading that was taken, from 1; 0: none.")
    readings = CardReadingOut(many=True)
    trouble = TextTroubleOut(allow_null=True)


class CardTextOut(serializers.Serializer[Any]):
    system = serializers.CharField()
    whole = serializers.BooleanField(help_text="Is every word understood?")
    asks = serializers.BooleanField(help_text="Is there a reading to choose?")
    passages = PassageOut(many=True)
    card = serializers.DictField(help_text="The card's keys, as a scenario has them.")


class DisputeIn(ScenarioIn):
    title = serializers.CharField(max_length=200)


class AdjudicationIn(serializers.Serializer[Any]):
    """Either another scenario (a what-if), or another system for the dispute's own scenario."""

    source = serializers.CharField(trim_whitespace=False, required=False)  # type: ignore[assignment]
    system = serializers.CharField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) != 1:
            raise serializers.ValidationError("Send either source or system.")
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
    """What the engine answered (docs/answers.md), in the reader's language; empty until it has."""

    def to_representation(self, value: Any) -> Any:
        answer: Any = super().to_representation(value)
        return answer_spoken(answer)


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
        help_text="The option taken at each decision so far, numbered from 0. The scenario's own moves are not made.",
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
        help_text="A player, chance, the rules or the facts; empty at the end of the line."
    )
    decider = serializers.CharField()
    decision = serializers.CharField()
    options = PlayOption(many=True)
    refused = PlayRefusal(many=True)
    changes = serializers.ListField(
        child=serializers.CharField(), help_text="What has changed since the start."
    )
    did = serializers.ListField(
        child=serializers.DictField(), help_text="The line so far, as moves of a scenario."
    )
    exact = serializers.BooleanField(help_text="Whether these moves reproduce exactly this line.")
    trace = serializers.ListField(
        child=serializers.DictField(), help_text="The steps of the line (docs/answers.md)."
    )
