"""The API of standings: ranks, and how one player's numbers are calculated."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from config.errors import NotFound
from tournament import selectors
from tournament.api.pages import EventView, ListView
from tournament.api.serializers import StandingOut, ValueOut
from tournament.selectors.standings import Told, told
from tournament.swiss.tiebreaks import Made, Part


class LineOut(serializers.Serializer[Any]):
    round = serializers.IntegerField()
    opponent = serializers.IntegerField(
        allow_null=True, help_text="The opponent's registration; empty for a bye."
    )
    code = serializers.CharField(help_text="The result from this player's side, or bye.")
    points = serializers.IntegerField()
    games = serializers.ListField(child=serializers.IntegerField(), help_text="Won, lost, drawn.")


class PartOut(serializers.Serializer[Part]):
    round = serializers.IntegerField()
    opponent = serializers.IntegerField(allow_null=True)
    value = serializers.CharField(help_text="As an exact fraction.")
    of = serializers.IntegerField(help_text="For a percentage: the most that was possible; otherwise 0.")
    counted = serializers.BooleanField(help_text="false: shown, but the formula leaves it out.")


class MadeOut(ValueOut):
    name = serializers.CharField(source="tie_break.name")
    formula = serializers.CharField(source="tie_break.formula")


class ToldOut(serializers.Serializer[Told]):
    value = MadeOut()
    made = serializers.ChoiceField(
        choices=[str(one) for one in Made], help_text="How the parts make up the value."
    )
    tied = serializers.IntegerField(help_text="How many players are tied so far, including this one.")
    parts = serializers.SerializerMethodField()

    @extend_schema_field(PartOut(many=True))
    def get_parts(self, one: Told) -> Any:
        parts: Any = [part for part, _text in one.parts]
        return PartOut(parts, many=True).data


class StandingTold(StandingOut):
    rounds = LineOut(many=True, source="record.lines")
    computed = serializers.SerializerMethodField(help_text="Every tie-breaker with the numbers behind it.")

    @extend_schema_field(ToldOut(many=True))
    def get_computed(self, _row: Any) -> Any:
        return ToldOut(self.context["told"], many=True).data


class StandingWhere(serializers.Serializer[Any]):
    name = serializers.CharField(
        required=False, allow_blank=True, help_text="Only players whose name contains this."
    )
    club = serializers.CharField(required=False, allow_blank=True, help_text="Only players of this club.")
    playing = serializers.BooleanField(required=False, help_text="Only players who haven't dropped.")


class Standings(ListView):
    asks = {"GET": StandingWhere}

    @extend_schema(
        operation_id="standings_list",
        responses=StandingOut(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """The standings, with the exact value of every tie-breaker. Ranks are among all players, also in a filtered
        list."""
        event = selectors.access_event(request.user, slug)
        name, club = (self.asked.get(word, "").casefold() for word in ("name", "club"))
        rows = [
            row
            for row in selectors.standings(event)
            if name in row.registration.name.casefold()
            and club in ("", row.registration.club.casefold())
            and not (self.asked.get("playing") and row.dropped)
        ]
        return self.page(rows, StandingOut, request)


class OneStanding(EventView):
    @extend_schema(operation_id="standing_read", responses=StandingTold)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """A player's rounds, and how each number of theirs is computed."""
        event = selectors.access_event(request.user, slug)
        everybody = selectors.standings(event)
        row = next((one for one in everybody if one.registration.pk == pk), None)
        if row is None:
            raise NotFound(_("player"))
        return Response(StandingTold(row, context={"told": told(event, everybody, row)}).data)
