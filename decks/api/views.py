"""The API of decks: check a decklist, keep decks, read formats."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.generics import GenericAPIView
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from config.api import ApiView, ListApi
from decks import selectors, services
from decks.api import serializers as shapes
from decks.legality import Budget, Cap, Exclusion, Snapshot

PARSERS = [*ApiView.parser_classes, MultiPartParser]


class ValidateView(ApiView):
    """Judge a list without storing anything."""

    needs_scope, changes = "read", False
    throttle_scope = "validate"
    permission_classes = (AllowAny,)
    parser_classes = PARSERS

    @extend_schema(
        operation_id="validate",
        request=shapes.JudgedSerializer,
        responses=shapes.ValidationSerializer,
        description="Read and check a decklist, return every finding, and store nothing. No login is needed.",
    )
    def post(self, request: Request) -> Response:
        fields = self.body(shapes.JudgedSerializer, request)
        overrides = {"list": named} if (named := fields.pop("list")) else None
        return Response(shapes.validation_json(services.list_judge(**fields, overrides=overrides)))


class DecksView(ApiView, GenericAPIView[Any]):
    """The asker's decks."""

    asks = {"GET": shapes.DeckWhere}
    needs_scope = "decks"
    serializer_class = shapes.DeckSerializer
    parser_classes = PARSERS

    def get_queryset(self) -> Any:
        return selectors.decks_of(self.request.user)

    @extend_schema(
        operation_id="deck_list",
        responses=shapes.DeckSerializer(many=True),
        description="Your decks, newest first.",
    )
    def get(self, request: Request) -> Response:
        page = self.paginate_queryset(self.get_queryset().filter(**self.asked))
        return self.get_paginated_response(shapes.DeckSerializer(page, many=True).data)

    @extend_schema(
        operation_id="deck_submit",
        request=shapes.DeckCreateSerializer,
        responses={201: shapes.DeckSerializer},
        description="Store a new deck and its report. An illegal deck is stored too, with the reasons in the report.",
    )
    def post(self, request: Request) -> Response:
        fields = self.body(shapes.DeckCreateSerializer, request)
        revision = services.deck_submit(owner=request.user, now=timezone.now(), **fields)
        deck = selectors.access_deck(request.user, revision.deck_id)
        return Response(shapes.DeckSerializer(deck).data, status=status.HTTP_201_CREATED)


class DeckView(ApiView):
    @extend_schema(operation_id="deck", responses=shapes.DeckSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """One of your decks."""
        return Response(shapes.DeckSerializer(selectors.access_deck(request.user, pk)).data)


class RevisionsView(ApiView, GenericAPIView[Any]):
    """The revisions of a deck, newest first."""

    needs_scope = "decks"
    serializer_class = shapes.RevisionSerializer
    parser_classes = PARSERS

    @extend_schema(operation_id="revision_list", responses=shapes.RevisionSerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        deck = selectors.access_deck(request.user, pk)
        page = self.paginate_queryset(selectors.revisions_of(deck))
        return self.get_paginated_response(shapes.RevisionSerializer(page, many=True).data)

    @extend_schema(
        operation_id="revision_submit",
        request=shapes.SubmitSerializer,
        responses={201: shapes.RevisionDetailSerializer},
        description="Store the next revision of this deck. If nothing changed, the answer is the existing revision.",
    )
    def post(self, request: Request, pk: int) -> Response:
        deck = selectors.access_deck(request.user, pk)
        fields = self.body(shapes.SubmitSerializer, request)
        revision = services.deck_submit(
            owner=request.user, name="", format=deck.format, deck=deck, now=timezone.now(), **fields
        )
        return Response(shapes.RevisionDetailSerializer(revision).data, status=status.HTTP_201_CREATED)


class RevisionView(ApiView):
    @extend_schema(operation_id="revision", responses=shapes.RevisionDetailSerializer)
    def get(self, request: Request, pk: int, number: int) -> Response:
        """One revision of a deck, with its report."""
        revision = selectors.access_revision(request.user, pk, number)
        return Response(shapes.RevisionDetailSerializer(revision).data)


class FormatsView(ListApi):
    permission_classes = (AllowAny,)
    asks = {"GET": shapes.FormatWhere}

    @extend_schema(
        operation_id="format_list",
        responses=shapes.FormatSerializer(many=True),
        description="The deck formats: those that ship, and those made here.",
    )
    def get(self, request: Request) -> Response:
        game = self.asked.get("game")
        found = [one for one in selectors.formats().values() if game in (None, one.game)]
        return self.page(found, shapes.FormatSerializer, request)


class FormatView(ApiView):
    permission_classes = (AllowAny,)
    asks = {"GET": shapes.DayAsked}

    @extend_schema(
        operation_id="format",
        responses=shapes.SnapshotSerializer,
        description="A format on a date: the restriction list in effect, and what it says.",
    )
    def get(self, request: Request, key: str) -> Response:
        snapshot = selectors.snapshot(key, self.asked.get("on"))
        return Response(shapes.SnapshotSerializer(_snapshot_json(snapshot)).data)


def _snapshot_json(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "id": snapshot.id,
        "format": snapshot.format,
        "on": snapshot.on,
        "list": snapshot.period.list_name,
        "since": snapshot.period.since,
        "until": snapshot.period.until,
        "doubt": snapshot.doubt,
        "restrictions": [_restriction_json(snapshot, rule) for rule in snapshot.restrictions],
    }


def _restriction_json(snapshot: Snapshot, rule: Any) -> dict[str, Any]:
    """Cards by title: their copies (caps), their points (budgets), or null (groups)."""
    numbers: dict[str, int | None]
    maximum: int | None
    if isinstance(rule, Cap):
        numbers, maximum = dict(rule.maximum), None
    elif isinstance(rule, Exclusion):
        numbers, maximum = {}, 0
    elif isinstance(rule, Budget):
        numbers, maximum = dict(rule.points), rule.maximum
    else:
        numbers, maximum = dict.fromkeys(sorted(rule.titles)), rule.maximum
    return {
        "code": rule.code,
        "list": rule.because if isinstance(rule, Exclusion) else rule.list_name,
        "rule": rule.cite.rule,
        "source": rule.cite.source,
        "maximum": maximum,
        "cards": {snapshot.named[key]: number for key, number in numbers.items()},
    }
