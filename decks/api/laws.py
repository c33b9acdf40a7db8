"""The API for format files, the meaning of findings, rechecks and card data."""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from config.api import ApiView, ListApi, bodiless
from config.errors import NotFound
from decks import selectors, services
from decks.api import serializers as shapes
from decks.api.views import PARSERS
from decks.judging import explanations
from decks.law.house import House
from decks.models import Recheck, VerdictChange

# --- formats -------------------------------------------------------------------------------------------


class FormatTextSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(trim_whitespace=False, help_text="A format's file (docs/formats.md).")


class PublishSerializer(FormatTextSerializer):
    note = serializers.CharField(required=False, allow_blank=True, default="", max_length=200)


UNKNOWN = "Titles, facts and values (“type: charcter”) that no card of the game has, such as misspellings."


class FormatCheckedSerializer(shapes.FormatSerializer):
    unknown = serializers.ListField(child=serializers.CharField(), help_text=UNKNOWN)


class PublishedSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    number = serializers.IntegerField(help_text="Of the published version.")
    recheck = serializers.IntegerField(
        allow_null=True, help_text="The recheck of every deck that was started."
    )
    unknown = serializers.ListField(child=serializers.CharField(), help_text=UNKNOWN)


class FormatTextView(ApiView):
    permission_classes = (AllowAny,)

    @extend_schema(operation_id="format_text", responses=FormatTextSerializer)
    def get(self, request: Request, key: str) -> Response:
        """The published file of a format, as it was written."""
        return Response({"text": selectors.format_text(key)})


class FormatCheckView(ApiView):
    needs_scope, changes = "read", False

    @extend_schema(
        operation_id="format_check", request=FormatTextSerializer, responses=FormatCheckedSerializer
    )
    def post(self, request: Request) -> Response:
        """Check a format's file and store nothing. A mistake is reported with its place and line."""
        law = services.format_read(text=self.body(FormatTextSerializer, request)["text"])
        unknown = services.format_unknown(law)
        return Response({**shapes.FormatSerializer(law).data, "unknown": unknown})


class BoundsSerializer(serializers.Serializer[Any]):
    least = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=0)
    most = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=0)


class HouseSerializer(serializers.Serializer[Any]):
    base = serializers.CharField(help_text="The format it extends, or its own key if it exists already.")
    key = serializers.SlugField(max_length=40)
    title = serializers.CharField(max_length=100)
    since = serializers.DateField(help_text="The first day of the restriction list.")
    copies = serializers.IntegerField(min_value=1, max_value=999, help_text="The most copies of one card.")
    sizes = serializers.DictField(child=BoundsSerializer(), default=dict, help_text="By section of the deck.")
    banned = serializers.ListField(child=serializers.CharField(), default=list)
    restricted = serializers.ListField(child=serializers.CharField(), default=list)
    restricted_most = serializers.IntegerField(min_value=1, default=1)
    limits = serializers.DictField(child=serializers.IntegerField(min_value=0), default=dict)
    points = serializers.DictField(child=serializers.IntegerField(min_value=0), default=dict)
    points_most = serializers.IntegerField(min_value=0, default=0)


class HouseTextSerializer(FormatTextSerializer):
    unknown = serializers.ListField(
        child=serializers.CharField(), help_text="Titles that aren't in our card data."
    )


class FormatComposeView(ApiView):
    needs_scope, changes = "read", False

    @extend_schema(operation_id="format_compose", request=HouseSerializer, responses=HouseTextSerializer)
    def post(self, request: Request) -> Response:
        """Make the file of a house format from its fields, check it, and store nothing. To use it, publish its text."""
        asked = self.body(HouseSerializer, request)
        base = asked.pop("base")
        sizes = {part: (one["least"], one["most"]) for part, one in asked["sizes"].items()}
        lists = {word: tuple(asked[word]) for word in ("banned", "restricted")}
        house = House(**{**asked, "sizes": sizes, **lists})
        text, unknown = services.house_text(house=house, base=base)
        return Response(HouseTextSerializer({"text": text, "unknown": unknown}).data)


class FormatPublishView(ApiView):
    @extend_schema(
        operation_id="format_publish", request=PublishSerializer, responses={201: PublishedSerializer}
    )
    def post(self, request: Request) -> Response:
        """Publish a format and recheck every deck of it. Publishing the same text again changes nothing."""
        asked = self.body(PublishSerializer, request)
        version, begun = services.format_publish(by=request.user, now=timezone.now(), **asked)
        answer = {
            "key": version.key,
            "number": version.number,
            "recheck": begun and begun.pk,
            "unknown": services.format_unknown(selectors.format_of(version.key)),
        }
        return Response(PublishedSerializer(answer).data, status=201)


# --- findings ------------------------------------------------------------------------------------------


class RuleSerializer(serializers.Serializer[Any]):
    format = serializers.CharField()
    rule = serializers.CharField()
    text = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    uncertain = serializers.CharField()


class ExplanationSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    title = serializers.CharField()
    meaning = serializers.CharField()
    mend = serializers.CharField()


class ExplanationWithRulesSerializer(ExplanationSerializer):
    rules = RuleSerializer(many=True)


class FindingCodesView(ListApi):
    permission_classes = (AllowAny,)

    @extend_schema(operation_id="finding_list", responses=ExplanationSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Every finding code that has an explanation."""
        return self.page([_explained(code) for code in explanations.codes()], ExplanationSerializer, request)


class FindingCodeView(ApiView):
    permission_classes = (AllowAny,)

    @extend_schema(operation_id="finding", responses=ExplanationWithRulesSerializer)
    def get(self, request: Request, code: str) -> Response:
        """What a finding code means, how to fix it, and the rules behind it."""
        rules = selectors.rules_of_code(code)
        if explanations.explained(code) is None and not rules:
            raise NotFound(_("finding"))
        said = [
            {
                "format": law.key,
                "rule": rule,
                "text": law.law[rule].text,
                "source": law.law[rule].source,
                "uncertain": law.law[rule].uncertain,
            }
            for law, rule in rules
        ]
        return Response(ExplanationWithRulesSerializer(_explained(code) | {"rules": said}).data)


def _explained(code: str) -> dict[str, Any]:
    found = explanations.explained(code)
    words = (found.title, found.meaning, found.mend) if found else (code, "", "")
    return {"code": code} | {
        key: str(word) for key, word in zip(("title", "meaning", "mend"), words, strict=True)
    }


# --- decks judged again --------------------------------------------------------------------------------


class WhatIfSerializer(FormatTextSerializer):
    pass


class ProgressSerializer(serializers.Serializer[Any]):
    total = serializers.IntegerField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField()
    changes = serializers.IntegerField(help_text="Verdicts that changed, or whose reasons did.")


class RecheckSerializer(serializers.ModelSerializer[Recheck]):
    progress = serializers.SerializerMethodField()

    class Meta:
        model = Recheck
        fields = ("id", "format", "what_if", "asked_at", "finished_at", "progress")

    @extend_schema_field(ProgressSerializer)
    def get_progress(self, check: Recheck) -> Any:
        return selectors.recheck_progress(check)


class VerdictChangeSerializer(serializers.ModelSerializer[VerdictChange]):
    deck = serializers.IntegerField(source="revision.deck_id")
    name = serializers.CharField(source="revision.deck.name")
    revision = serializers.IntegerField(source="revision.number")
    before = serializers.CharField(help_text="A verdict.")
    after = serializers.CharField(help_text="A verdict.")
    findings_before = shapes.FindingSerializer(many=True)
    findings_after = shapes.FindingSerializer(many=True)

    class Meta:
        model = VerdictChange
        fields = ("id", "deck", "name", "revision", "before", "after", "findings_before", "findings_after")


class WhatIfView(ApiView):
    @extend_schema(
        operation_id="format_what_if", request=WhatIfSerializer, responses={202: RecheckSerializer}
    )
    def post(self, request: Request) -> Response:
        """What if this format took effect? Checks every deck by it and stores only the differences. Only for people who
        may publish the format."""
        text = self.body(WhatIfSerializer, request)["text"]
        check = services.format_what_if(text=text, by=request.user, now=timezone.now())
        return Response(RecheckSerializer(check).data, status=202)


class RecheckView(ApiView):
    @extend_schema(operation_id="recheck", responses=RecheckSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """The progress of a recheck of every deck of a format."""
        return Response(RecheckSerializer(selectors.access_recheck(request.user, pk)).data)


class ChangeWhere(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=["became-illegal", "became-legal"], required=False)


class RecheckResumeView(ApiView):
    @bodiless(operation_id="recheck_resume", responses=RecheckSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Requeue the failed parts of a recheck. For the person who started it, and administrators."""
        check = selectors.access_recheck(request.user, pk)
        check = services.recheck_resume(recheck=check, by=request.user, now=timezone.now())
        return Response(RecheckSerializer(check).data)


class RecheckChangesView(ApiView, GenericAPIView[Any]):
    asks = {"GET": ChangeWhere}
    serializer_class = VerdictChangeSerializer

    @extend_schema(
        operation_id="recheck_changes",
        responses=VerdictChangeSerializer(many=True),
    )
    def get(self, request: Request, pk: int) -> Response:
        """The verdicts that changed, with old and new findings: all of them for administrators, otherwise those of your
        own decks."""
        check = selectors.access_recheck(request.user, pk)
        page = self.paginate_queryset(selectors.changes_of(check, request.user, self.asked.get("kind", "")))
        return self.get_paginated_response(VerdictChangeSerializer(page, many=True).data)


class NoticesView(ApiView, GenericAPIView[Any]):
    serializer_class = VerdictChangeSerializer

    @extend_schema(operation_id="notice_list", responses=VerdictChangeSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Your decks whose verdict changed because their format did, except dismissed notices."""
        page = self.paginate_queryset(selectors.notices_of(request.user))
        return self.get_paginated_response(VerdictChangeSerializer(page, many=True).data)


class NoticeView(ApiView):
    needs_scope = "decks"

    @extend_schema(operation_id="notice_dismiss", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Dismiss a notice."""
        change = selectors.access_notice(request.user, pk)
        services.notice_dismiss(change=change, by=request.user, now=timezone.now())
        return Response(status=204)


# --- card data -----------------------------------------------------------------------------------------


class TextsSerializer(serializers.Serializer[Any]):
    whole = serializers.IntegerField(help_text="Understood, every word.")
    part = serializers.IntegerField(help_text="Understood in part, or not at all.")
    waiting = serializers.IntegerField(help_text="Not read by a worker yet.")


class CatalogSerializer(serializers.Serializer[Any]):
    game = serializers.CharField()
    name = serializers.CharField()
    cards = serializers.IntegerField()
    partial = serializers.BooleanField(  # type: ignore[assignment]
        help_text="A missing name is unverified, not illegal."
    )
    imported_at = serializers.DateTimeField(allow_null=True)
    as_of = serializers.DateField(allow_null=True, help_text="The day of its source.")
    texts = TextsSerializer(allow_null=True, help_text="Imported card texts; null if there are none.")


class ImportSerializer(serializers.Serializer[Any]):
    game = serializers.CharField(max_length=50)
    file = serializers.FileField(help_text="OCTGN sets, ArkhamDB packs or taboos, a CSV, or a zip of them.")
    complete = serializers.BooleanField(default=False, help_text="The game has no other cards.")


class SummarySerializer(serializers.Serializer[Any]):
    game = serializers.CharField()
    new = serializers.IntegerField()
    changed = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    version = serializers.CharField()
    lists = serializers.ListField(child=serializers.CharField())
    new_lists = serializers.IntegerField()
    texts = serializers.IntegerField(help_text="Card texts that are new or changed. A worker reads them.")


class CatalogsView(ListApi):
    permission_classes = (AllowAny,)

    @extend_schema(operation_id="catalog_list", responses=CatalogSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The card data in this installation, by game."""
        return self.page(list(selectors.catalogs()), CatalogSerializer, request)


class ImportView(ApiView):
    parser_classes = PARSERS

    @extend_schema(operation_id="cards_import", request=ImportSerializer, responses=SummarySerializer)
    def post(self, request: Request) -> Response:
        """Import card data. Importing the same file again changes nothing. For administrators."""
        asked = self.body(ImportSerializer, request)
        file = asked["file"]
        summary = services.cards_upload(
            game=asked["game"],
            name=file.name or "cards",
            data=file.read(),
            complete=asked["complete"],
            by=request.user,
            now=timezone.now(),
        )
        return Response(SummarySerializer(summary).data)
