"""The API for a deck's changes: differences, their cost, legality over time, export to other formats."""

from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from config.api import ApiView
from config.errors import NotFound
from config.pagination import MOST
from decks import selectors, services
from decks.api import serializers as shapes
from decks.api.views import PARSERS
from decks.judging.judgement import upgrade_json, verdicts_over_time
from decks.lists import WRITTEN


class ChangeSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    section = serializers.CharField()
    before = serializers.IntegerField()
    after = serializers.IntegerField()


class StepSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(["new", "upgrade", "bought", "free", "removed", "exiled"])
    name = serializers.CharField()
    copies = serializers.IntegerField()
    cost = serializers.IntegerField(help_text="For all copies together.")
    before = serializers.CharField(help_text="The lower version it replaces.")


class UpgradeSerializer(serializers.Serializer[Any]):
    cost = serializers.IntegerField()
    earned = serializers.IntegerField(allow_null=True, help_text="As the decklist says; null if it doesn't.")
    changers = serializers.ListField(
        child=serializers.CharField(), help_text="Cards that change prices, so the cost is uncertain."
    )
    steps = StepSerializer(many=True)
    findings = shapes.FindingSerializer(many=True)


class ChangesSerializer(serializers.Serializer[Any]):
    earlier = serializers.IntegerField(help_text="The number of the earlier revision.")
    cards = ChangeSerializer(many=True)
    upgrade = UpgradeSerializer(allow_null=True, help_text="Only in formats whose decks grow by experience.")


class SpanSerializer(serializers.Serializer[Any]):
    since = serializers.DateField()
    until = serializers.DateField(allow_null=True, help_text="Inclusive; null: still so.")
    verdict = serializers.CharField()
    list = serializers.CharField(source="list_name")
    doubt = serializers.CharField(help_text="What is uncertain about these days.")
    codes = serializers.ListField(child=serializers.CharField())


class ChangesWhere(serializers.Serializer[Any]):
    earlier = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST,
        help_text="Since which revision; default: the one before.",
    )


class RevisionChangesView(ApiView):
    asks = {"GET": ChangesWhere}

    @extend_schema(
        operation_id="revision_changes",
        responses=ChangesSerializer,
        description="What changed since an earlier revision, card by card, and what the changes cost.",
    )
    def get(self, request: Request, pk: int, number: int) -> Response:
        revision = selectors.access_revision(request.user, pk, number)
        before = selectors.access_revision(request.user, pk, self.asked.get("earlier", number - 1))
        upgrade = services.list_upgrade(before=before, after=revision)
        answer = {
            "earlier": before.number,
            "cards": selectors.changes_between(before, revision),
            "upgrade": upgrade_json(upgrade) if upgrade else None,
        }
        return Response(ChangesSerializer(answer).data)


class RevisionExportView(ApiView):
    @extend_schema(
        operation_id="revision_export",
        responses={(200, "text/plain"): OpenApiTypes.STR},
        description="The decklist as a file: " + ", ".join(WRITTEN) + ".",
    )
    def get(self, request: Request, pk: int, number: int, kind: str) -> HttpResponse:
        revision = selectors.access_revision(request.user, pk, number)
        if kind not in WRITTEN:
            raise NotFound(_("kind of file"))
        suffix, media = WRITTEN[kind]
        headers = {"Content-Disposition": f'attachment; filename="deck-{pk}-{number}{suffix}"'}
        text = services.list_export(revision=revision, kind=kind)
        return HttpResponse(text, content_type=f"{media}; charset=utf-8", headers=headers)


class RevisionOverTimeView(ApiView):
    @extend_schema(
        operation_id="revision_over_time",
        responses=SpanSerializer(many=True),
        description="The verdict under every dated restriction list of the format, oldest first: legal since, until.",
    )
    def get(self, request: Request, pk: int, number: int) -> Response:
        revision = selectors.access_revision(request.user, pk, number)
        law = selectors.format_of(revision.deck.format)
        spans = verdicts_over_time(services.stored_list(revision), law, selectors.catalog(law.game))
        return Response(SpanSerializer(spans, many=True).data)


class ValidateOverTimeView(ApiView):
    needs_scope, changes = "read", False
    throttle_scope = "validate"
    permission_classes = (AllowAny,)
    parser_classes = PARSERS

    @extend_schema(
        operation_id="validate_over_time",
        request=shapes.OverTimeSerializer,
        responses=SpanSerializer(many=True),
        description="Like `validate`, for every dated restriction list of the format. Stores nothing.",
    )
    def post(self, request: Request) -> Response:
        fields = self.body(shapes.OverTimeSerializer, request)
        law = selectors.format_of(fields["format"])
        listed = services.list_read(source=fields["source"], filename=fields["filename"])
        spans = verdicts_over_time(listed, law, selectors.catalog(law.game))
        return Response(SpanSerializer(spans, many=True).data)
