"""Serializers of the API. They check shapes only; services decide."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from decks.judging.judgement import Judgement, list_json
from decks.models import Deck, LegalityReport, Revision
from decks.selectors import latest_report

# --- in ----------------------------------------------------------------------------------------------


class SourceSerializer(serializers.Serializer[dict[str, Any]]):
    """A decklist as text, or as an uploaded file (multipart)."""

    text = serializers.CharField(
        required=False, allow_blank=True, trim_whitespace=False, help_text="The decklist, one card per line."
    )
    file = serializers.FileField(
        required=False, allow_empty_file=True, help_text="The decklist as a file (multipart/form-data)."
    )
    filename = serializers.CharField(required=False, allow_blank=True, default="", max_length=255)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("text" in attrs) == ("file" in attrs):
            raise serializers.ValidationError("Send either `text` or `file`.")
        if upload := attrs.pop("file", None):
            return attrs | {"source": upload.read(), "filename": upload.name or ""}
        return attrs | {"source": attrs.pop("text")}


class OverTimeSerializer(SourceSerializer):
    format = serializers.CharField(max_length=40, help_text="Key of a format, see /formats.")


class SubmitSerializer(SourceSerializer):
    on = serializers.DateField(
        required=False, allow_null=True, default=None, help_text="The legality date; default: the format's."
    )


class ValidateSerializer(OverTimeSerializer, SubmitSerializer):
    """A decklist, its format and the legality date."""


class JudgedSerializer(ValidateSerializer):
    list = serializers.CharField(
        required=False,
        allow_blank=True,
        default="",
        max_length=80,
        help_text="Use this restriction list of the format on any date, such as 3.0; see /formats/{key}.",
    )


class DeckCreateSerializer(ValidateSerializer):
    name = serializers.CharField(
        required=False,
        allow_blank=True,
        default="",
        max_length=200,
        help_text="Default: the decklist's own name.",
    )


# --- out ---------------------------------------------------------------------------------------------


class CardCountSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    count = serializers.IntegerField()


class FindingSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="Stable, for programs.")
    severity = serializers.ChoiceField(["illegal", "unverified", "note"])
    message = serializers.CharField()
    cards = CardCountSerializer(many=True)
    have = serializers.IntegerField(allow_null=True)
    allowed = serializers.IntegerField(allow_null=True)
    rule = serializers.CharField(help_text="Id of the rule.")
    source = serializers.CharField(help_text="The document and section of the rule.")  # type: ignore[assignment]
    remedy = serializers.CharField()
    line = serializers.IntegerField(allow_null=True, help_text="In the submitted decklist, from 1.")
    suggestions = serializers.ListField(child=serializers.CharField())


class EntrySerializer(serializers.Serializer[Any]):
    count = serializers.IntegerField()
    name = serializers.CharField(help_text="As written.")
    hint = serializers.CharField(help_text="The text in brackets after it.")
    card = serializers.CharField(help_text="The card's title; empty if the name is unknown.")
    section = serializers.CharField()
    line = serializers.IntegerField(allow_null=True)


class NoteSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    message = serializers.CharField()
    line = serializers.IntegerField(allow_null=True)
    text = serializers.CharField()


class ReportSerializer(serializers.Serializer[Any]):
    verdict = serializers.ChoiceField(LegalityReport.Verdict.choices)
    snapshot = serializers.CharField(help_text="Format, date, and hash of the rules in effect on it.")
    catalog = serializers.CharField(help_text="The version of the card data.")
    findings = FindingSerializer(many=True)


class ListSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    kind = serializers.CharField(help_text="The kind of decklist it was read as.")
    count = serializers.IntegerField(help_text="Cards in the decklist.")
    hash = serializers.CharField(help_text="The same for decklists with the same cards.")
    entries = EntrySerializer(many=True)
    notes = NoteSerializer(many=True)


class ValidationSerializer(serializers.Serializer[Any]):
    list = ListSerializer()
    report = ReportSerializer()


def validation_json(judgement: Judgement) -> dict[str, Any]:
    return {"list": list_json(judgement), "report": judgement.report.as_json()}


class StoredReportSerializer(serializers.ModelSerializer[LegalityReport]):
    catalog = serializers.CharField(source="catalog_version")
    findings = FindingSerializer(many=True)

    class Meta:
        model = LegalityReport
        fields = ("verdict", "snapshot", "catalog", "findings", "checked_at")


class RevisionSerializer(serializers.ModelSerializer[Revision]):
    entries = EntrySerializer(many=True)
    notes = NoteSerializer(many=True)
    report = serializers.SerializerMethodField(help_text="The newest one.")

    class Meta:
        model = Revision
        fields = (
            "id",
            "number",
            "submitted_at",
            "source_kind",
            "card_count",
            "hash",
            "entries",
            "notes",
            "report",
        )

    @extend_schema_field(StoredReportSerializer(allow_null=True))
    def get_report(self, revision: Revision) -> Any:
        report = latest_report(revision)
        return StoredReportSerializer(report).data if report else None


class RevisionDetailSerializer(RevisionSerializer):
    class Meta(RevisionSerializer.Meta):
        fields = (*RevisionSerializer.Meta.fields, "source")  # type: ignore[assignment]


class DeckSerializer(serializers.ModelSerializer[Deck]):
    revision = serializers.IntegerField(
        source="revision_id", help_text="The latest revision, which is what you submit to an event."
    )
    revision_number = serializers.IntegerField(help_text="Of the latest revision.")
    card_count = serializers.IntegerField()
    submitted_at = serializers.DateTimeField()
    verdict = serializers.ChoiceField(LegalityReport.Verdict.choices)

    class Meta:
        model = Deck
        fields = (
            "id",
            "name",
            "format",
            "created_at",
            "revision",
            "revision_number",
            "card_count",
            "submitted_at",
            "verdict",
        )


# --- formats -----------------------------------------------------------------------------------------


class PeriodSerializer(serializers.Serializer[Any]):
    since = serializers.DateField()
    list = serializers.CharField(help_text="The restriction list in effect, or the nearest known one.")
    doubt = serializers.CharField(help_text="What is uncertain about these days; empty if nothing is.")
    basis = serializers.CharField()


class LawSerializer(serializers.Serializer[Any]):
    rule = serializers.CharField()
    text = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    uncertain = serializers.CharField()


class FormatSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    title = serializers.CharField()
    game = serializers.CharField()
    default_on = serializers.DateField(help_text="The date used if you don't name one.")
    timeline = PeriodSerializer(many=True)
    law = serializers.SerializerMethodField()

    @extend_schema_field(LawSerializer(many=True))
    def get_law(self, format_: Any) -> Any:
        rows = [
            {"rule": rule, "text": law.text, "source": law.source, "uncertain": law.uncertain}
            for rule, law in format_.law.items()
        ]
        return LawSerializer(rows, many=True).data


class RestrictionSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    list = serializers.CharField()
    rule = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    maximum = serializers.IntegerField(
        allow_null=True, help_text="Titles, or points; null if it is per card."
    )
    cards = serializers.DictField(
        child=serializers.IntegerField(allow_null=True), help_text="Title -> its copies or points, or null."
    )


class SnapshotSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    format = serializers.CharField()
    on = serializers.DateField()
    list = serializers.CharField()
    since = serializers.DateField()
    until = serializers.DateField(allow_null=True)
    doubt = serializers.CharField()
    restrictions = RestrictionSerializer(many=True)


# --- what lists can be asked for ----------------------------------------------------------------------


class DeckWhere(serializers.Serializer[Any]):
    format = serializers.CharField(required=False, max_length=40, help_text="Key of a format.")


class FormatWhere(serializers.Serializer[Any]):
    game = serializers.CharField(required=False, max_length=40, help_text="Key of a game.")


class DayAsked(serializers.Serializer[Any]):
    on = serializers.DateField(required=False, help_text="Default: the format's own date.")
