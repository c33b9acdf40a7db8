"""The API of penalties and deck checks."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from config.api import bodiless
from tournament import selectors, services
from tournament.api.lists import DeckCheckOut
from tournament.api.pages import EventView, ListView
from tournament.api.people_shapes import ReasonIn
from tournament.models import Penalty
from tournament.selectors.coverage import coverage
from tournament.selectors.penalties import access_penalty, history_of, penalties_of, suggestions


class PenaltyIn(serializers.Serializer[Any]):
    infraction = serializers.CharField(
        max_length=40, help_text="The infraction's key in the guide (see suggestions)."
    )
    level = serializers.CharField(
        max_length=40, allow_blank=True, default="", help_text="Empty: the suggested level; none: no penalty."
    )
    reason = serializers.CharField(
        max_length=300,
        allow_blank=True,
        default="",
        help_text="The reason for deviating from the suggested level.",
    )
    note = serializers.CharField(max_length=2_000, allow_blank=True, default="")


class PenaltyOut(serializers.ModelSerializer[Penalty]):
    registration = serializers.IntegerField(source="registration_id")
    by = serializers.CharField(source="by.username")
    revoked = serializers.SerializerMethodField(help_text="Taken back.")

    class Meta:
        model = Penalty
        fields = [
            "id", "registration", "number", "round", "infraction", "infraction_title", "level", "level_title",
            "effect", "suggested", "reason", "note", "by", "at", "revoked",
        ]  # fmt: skip

    def get_revoked(self, penalty: Penalty) -> bool:
        return hasattr(penalty, "revoked_by")


class SuggestionOut(serializers.Serializer[Any]):
    infraction = serializers.CharField(source="infraction.key")
    title = serializers.CharField(source="infraction.title")
    category = serializers.CharField(source="infraction.category")
    earlier = serializers.IntegerField(help_text="Earlier offenses of this kind that count.")
    level = serializers.CharField(source="level.key", allow_null=True, default=None)


class CoverageOut(serializers.Serializer[Any]):
    players = serializers.IntegerField(help_text="Players who submitted a decklist.")
    checked = serializers.IntegerField()
    percent = serializers.IntegerField(help_text="How many the policy asks for over the event.")
    wanted = serializers.IntegerField()
    missing = serializers.IntegerField()


class DrawnOut(serializers.Serializer[Any]):
    match = serializers.IntegerField(source="pk")
    table = serializers.IntegerField()


class EventPenalties(ListView):
    @extend_schema(operation_id="penalties_list", responses=PenaltyOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Every penalty of the event, latest first. For event staff."""
        event = selectors.access_event(request.user, slug, selectors.STAFF)
        return self.page(penalties_of(event).filter(revokes=None), PenaltyOut, request)


class EntryPenalties(ListView):
    @extend_schema(operation_id="player_penalties_list", responses=PenaltyOut(many=True))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """A player's penalties, latest first. For the player and event staff."""
        entry = selectors.access_registration(request.user, slug, pk)
        return self.page(history_of(entry).filter(revokes=None), PenaltyOut, request)

    @extend_schema(operation_id="penalty_issue", request=PenaltyIn, responses={201: PenaltyOut})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Give a penalty. Only the head judge can deviate from the suggested level. No result is entered. For
        judges."""
        entry = selectors.access_registration(request.user, slug, pk)
        asked = self.body(PenaltyIn, request)
        given = services.penalty_issue(
            registration=entry, by=self.asker(request), now=timezone.now(), **asked
        )
        return Response(PenaltyOut(given).data, status=201)


class Suggestions(EventView):
    @extend_schema(operation_id="penalty_suggestions", responses=SuggestionOut(many=True))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """The penalty this player would get now for each infraction of the guide. For judges."""
        entry = selectors.access_registration(request.user, slug, pk)
        selectors.require(request.user, entry.event, selectors.JUDGES)
        found: Any = suggestions(entry)
        return Response(SuggestionOut(found, many=True).data)


class PenaltyRevoke(EventView):
    @extend_schema(operation_id="penalty_revoke", request=ReasonIn, responses=PenaltyOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Revoke a penalty, with a reason. For the judge who gave it and the head judge."""
        penalty = access_penalty(request.user, slug, pk)
        asked = self.body(ReasonIn, request)
        services.penalty_revoke(
            penalty=penalty, reason=asked["reason"], by=self.asker(request), now=timezone.now()
        )
        return Response(PenaltyOut(access_penalty(request.user, slug, pk)).data)


class Coverage(EventView):
    @extend_schema(operation_id="deck_check_coverage", responses=CoverageOut)
    def get(self, request: Request, slug: str) -> Response:
        """How many decks have been checked, and how many the policy asks for. For event staff."""
        event = selectors.access_event(request.user, slug, selectors.STAFF)
        return Response(CoverageOut(coverage(event)).data)


class TableDraw(EventView):
    @bodiless(operation_id="table_check_draw", responses=DrawnOut)
    def post(self, request: Request, slug: str) -> Response:
        """Pick a table for the next check at random; nothing is stored. For judges."""
        event = selectors.access_event(request.user, slug, selectors.JUDGES)
        return Response(DrawnOut(services.table_check_draw(event=event, by=self.asker(request))).data)


class TableCheck(EventView):
    @bodiless(operation_id="table_check_start", responses={201: DeckCheckOut(many=True)})
    def post(self, request: Request, pk: int) -> Response:
        """Start a check of both decks of a table. For judges."""
        match = selectors.access_match(request.user, pk, selectors.JUDGES)
        checks = services.table_check_start(match=match, by=self.asker(request), now=timezone.now())
        return Response(DeckCheckOut(checks, many=True).data, status=201)
