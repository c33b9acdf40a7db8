"""The API of the cut, the bracket and the final places. Views translate; selectors and services check and decide."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournament import selectors, services
from tournament.api.pages import EventView, ListView
from tournament.api.people_shapes import ReasonIn
from tournament.api.serializers import CutField, EventOut, RegistrationOut, RoundWithExplanation
from tournament.bracket_words import wave_title
from tournament.models import Event
from tournament.selectors.flights import flights_of, merged
from tournament.selectors.stages import (
    BracketView,
    CutPreview,
    Place,
    Side,
    Tie,
    access_cut,
    access_stage,
    bracket_view,
    changed_since_the_cut,
    cut_is_due,
    final_standings,
    second_day_is_due,
    second_day_preview,
    second_day_rows,
    stages_of,
)
from tournament.selectors.standings import first_day_rounds


class CutRowOut(serializers.Serializer[Any]):
    registration = serializers.IntegerField(source="standing.registration.pk")
    name = serializers.CharField(source="standing.registration.name")
    rank = serializers.IntegerField(source="standing.rank")
    points = serializers.IntegerField(source="standing.points")
    code = serializers.CharField(help_text="in, out, declined or dropped.")
    seed = serializers.IntegerField(allow_null=True)
    why = serializers.CharField(
        help_text="What decided, if players tied on points are on both sides of the line."
    )


class CutOut(serializers.Serializer[CutPreview]):
    rule = serializers.DictField(source="rule.document", help_text="{places, ties} or {losses}.")
    line = serializers.CharField()
    due = serializers.SerializerMethodField(help_text="Whether the cut can be made now.")
    seeds = serializers.ListField(
        child=serializers.IntegerField(), help_text="Registrations in order of seed."
    )
    byes = serializers.IntegerField(help_text="How many of the top seeds have a first-round bye.")
    rows = CutRowOut(many=True)

    def get_due(self, cut: CutPreview) -> bool:
        return bool(self.context["due"])


class AnnounceIn(serializers.Serializer[Any]):
    cut = CutField(allow_null=True)
    bracket_kind = serializers.ChoiceField(
        choices=Event.BracketKind.choices,
        default="",
        allow_blank=True,
        help_text="Empty: the policy's value.",
    )
    reason = serializers.CharField(
        max_length=300,
        default="",
        allow_blank=True,
        help_text="Required once round 1 is published; everyone can read it.",
    )


class StageIn(serializers.Serializer[Any]):
    seen = serializers.ListField(
        child=serializers.IntegerField(),
        required=False,
        allow_null=True,
        default=None,
        help_text="The seeds you were shown. If they have changed since, the request is refused.",
    )


class WaveIn(serializers.Serializer[Any]):
    wave = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        help_text="The number of the round to publish. With it, a repeated request is refused.",
    )


class DeclineIn(serializers.Serializer[Any]):
    plays_on = serializers.BooleanField(default=False)


class SideOut(serializers.Serializer[Side]):
    seed = serializers.IntegerField(allow_null=True)
    registration = serializers.SerializerMethodField()
    name = serializers.CharField(help_text="The player, or the match the player will come from.")
    won = serializers.BooleanField(allow_null=True)
    begins = serializers.BooleanField(help_text="true: this player chooses who goes first.")

    def get_registration(self, side: Side) -> int | None:
        return side.registration.pk if side.registration else None


class TieOut(serializers.Serializer[Tie]):
    game = serializers.IntegerField(source="game.number")
    part = serializers.CharField(source="game.part", help_text="winners, losers, third, final or reset.")
    wave = serializers.IntegerField(help_text="Matches of one wave are played at the same time.")
    title = serializers.CharField()
    state = serializers.CharField(help_text="coming, ready, a match's state, played or not-needed.")
    match = serializers.IntegerField(source="match.pk", allow_null=True, default=None)
    sides = SideOut(many=True)


class StageOut(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    kind = serializers.CharField(help_text="single-elimination or double-elimination.")
    third_place = serializers.BooleanField()
    choice = serializers.CharField(help_text="Who chooses who goes first.")
    opened_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class BracketOut(StageOut):
    games = TieOut(many=True)
    next_wave = serializers.IntegerField(allow_null=True)
    next_title = serializers.CharField(allow_null=True)
    champion = serializers.SerializerMethodField(
        help_text="The winner's registration, when the bracket is over."
    )
    changed_since = serializers.ListField(
        child=serializers.CharField(),
        help_text="What corrected Swiss results would now change in the cut.",
    )

    @extend_schema_field({"type": "integer", "nullable": True})
    def get_champion(self, shown: dict[str, Any]) -> int | None:
        champion = shown["view"].champion
        return champion.pk if champion else None


class PlaceOut(serializers.Serializer[Place]):
    place = serializers.IntegerField(help_text="Players who went out in the same round share a place.")
    registration = serializers.IntegerField(source="standing.registration.pk")
    name = serializers.CharField(source="standing.registration.name")
    seed = serializers.IntegerField(allow_null=True)
    words = serializers.CharField()
    swiss_rank = serializers.IntegerField(source="standing.rank")
    points = serializers.IntegerField(source="standing.points")


def _bracket(view: BracketView) -> dict[str, Any]:
    return {
        **StageOut(view.stage).data,
        "view": view,
        "games": view.ties,
        "next_wave": view.next_wave,
        "next_title": wave_title(view.bracket, view.next_wave) if view.next_wave else None,
        "changed_since": changed_since_the_cut(view),
    }


class EventCut(EventView):
    @extend_schema(operation_id="cut_read", responses=CutOut)
    def get(self, request: Request, slug: str) -> Response:
        """Who would make the cut by the present standings, and why."""
        event = selectors.access_event(request.user, slug)
        return Response(CutOut(access_cut(event), context={"due": cut_is_due(event)}).data)

    @extend_schema(operation_id="cut_announce", request=AnnounceIn, responses=EventOut)
    def put(self, request: Request, slug: str) -> Response:
        """Announce the cut and the bracket, before the cut is made. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        asked = self.body(AnnounceIn, request)
        event = services.cut_announce(event=event, by=self.asker(request), now=timezone.now(), **asked)
        return Response(EventOut(event).data)


class SecondDayIn(serializers.Serializer[Any]):
    seen = serializers.ListField(
        child=serializers.IntegerField(),
        required=False,
        allow_null=True,
        default=None,
        help_text="The players you were shown as advancing. If they have changed since, the request is refused.",
    )


class SecondDayRow(serializers.Serializer[Any]):
    registration = serializers.IntegerField(source="standing.registration.pk")
    name = serializers.CharField(source="standing.registration.name")
    rank = serializers.IntegerField(source="standing.rank")
    points = serializers.IntegerField(source="standing.points")
    code = serializers.CharField(help_text="in, out or dropped.")
    why = serializers.CharField(allow_blank=True, help_text="What decided between players tied on points.")


class SecondDayOut(serializers.Serializer[Any]):
    first_rounds = serializers.IntegerField(help_text="Swiss rounds of the first day.")
    start = serializers.CharField(help_text="carried or afresh: what the second day begins with.")
    due = serializers.BooleanField(help_text="The first day is over, and the cut hasn't been made.")
    settled_at = serializers.DateTimeField(allow_null=True)
    players = SecondDayRow(many=True)


def _second_day(event: Event) -> dict[str, Any]:
    cut = second_day_preview(event)
    return {
        "first_rounds": first_day_rounds(event),
        "start": selectors.policy_of(event).two_days.start,
        "due": second_day_is_due(event),
        "settled_at": event.second_day_at,
        "players": cut.rows if event.second_day_at is None else second_day_rows(event),
    }


class SecondDay(EventView):
    @extend_schema(operation_id="second_day_read", responses=SecondDayOut)
    def get(self, request: Request, slug: str) -> Response:
        """Who plays the second day: by the cut, or by the present standings before it. 404 for a one-day event."""
        event = selectors.access_event(request.user, slug)
        return Response(SecondDayOut(_second_day(event)).data)

    @extend_schema(operation_id="second_day_open", request=SecondDayIn, responses=SecondDayOut)
    def post(self, request: Request, slug: str) -> Response:
        """Make the cut to the second day once the first is over. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        asked = self.body(SecondDayIn, request)
        event = services.second_day_open(event=event, by=self.asker(request), now=timezone.now(), **asked)
        return Response(SecondDayOut(_second_day(event)).data)


class SecondDayWithdraw(EventView):
    @extend_schema(operation_id="second_day_withdraw", request=ReasonIn, responses=SecondDayOut)
    def post(self, request: Request, slug: str) -> Response:
        """Undo the cut to the second day while none of its rounds is paired. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        asked = self.body(ReasonIn, request)
        event = services.second_day_withdraw(event=event, by=self.asker(request), now=timezone.now(), **asked)
        return Response(SecondDayOut(_second_day(event)).data)


class EventClose(EventView):
    @extend_schema(operation_id="event_close", request=ReasonIn, responses={204: None})
    def post(self, request: Request, slug: str) -> Response:
        """End an event whose Swiss rounds are over without its bracket. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        asked = self.body(ReasonIn, request)
        services.event_close(event=event, by=self.asker(request), now=timezone.now(), **asked)
        return Response(status=204)


class CutDecline(EventView):
    needs_scope = "play"

    @extend_schema(operation_id="cut_decline", request=DeclineIn, responses=RegistrationOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Decline a spot in the bracket before the cut is made, or undo that. For the player and event staff."""
        entry = selectors.access_registration(request.user, slug, pk)
        asked = self.body(DeclineIn, request)
        entry = services.cut_decline(registration=entry, by=self.asker(request), now=timezone.now(), **asked)
        return Response(RegistrationOut(entry).data)


class Stages(ListView):
    @extend_schema(operation_id="stages_list", responses=StageOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The brackets of the event."""
        event = selectors.access_event(request.user, slug)
        return self.page(stages_of(event), StageOut, request)

    @extend_schema(operation_id="stage_open", request=StageIn, responses={201: BracketOut})
    def post(self, request: Request, slug: str) -> Response:
        """Make the cut and open the bracket. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        asked = self.body(StageIn, request)
        stage = services.stage_open(event=event, by=self.asker(request), now=timezone.now(), **asked)
        return Response(BracketOut(_bracket(bracket_view(stage))).data, status=201)


class OneStage(EventView):
    @extend_schema(operation_id="stage_read", responses=BracketOut)
    def get(self, request: Request, slug: str, number: int) -> Response:
        """A bracket: every match with its players, as far as they are known."""
        return Response(BracketOut(_bracket(bracket_view(access_stage(request.user, slug, number)))).data)


class StageRounds(EventView):
    @extend_schema(operation_id="stage_round", request=WaveIn, responses={201: RoundWithExplanation})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Publish the next round of the bracket. For organizers."""
        stage = access_stage(request.user, slug, number, selectors.ORGANIZERS)
        asked = self.body(WaveIn, request)
        round = services.stage_round(stage=stage, by=self.asker(request), now=timezone.now(), **asked)
        return Response(RoundWithExplanation(round).data, status=201)


class StageWithdraw(EventView):
    @extend_schema(operation_id="stage_withdraw", request=ReasonIn, responses={204: None})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Undo the cut while no round of the bracket is published. For organizers."""
        stage = access_stage(request.user, slug, number, selectors.ORGANIZERS)
        asked = self.body(ReasonIn, request)
        services.stage_withdraw(stage=stage, by=self.asker(request), now=timezone.now(), **asked)
        return Response(status=204)


class FlightIn(serializers.Serializer[Any]):
    final = serializers.SlugField(allow_null=True, help_text="The address of the final; empty: not a flight.")


class FlightOut(serializers.Serializer[Any]):
    flight = serializers.CharField(source="event.slug")
    name = serializers.CharField(source="event.name")
    over = serializers.BooleanField()
    seeds = serializers.ListField(child=serializers.IntegerField(), source="cut.seeds")


class MergedOut(serializers.Serializer[Any]):
    seed = serializers.IntegerField()
    flight = serializers.CharField(source="flight.slug")
    registration = serializers.IntegerField(
        source="standing.registration.pk", help_text="The rank in the flight."
    )
    name = serializers.CharField(source="standing.registration.name")
    points = serializers.IntegerField(source="standing.points")


class FlightsOut(serializers.Serializer[Any]):
    flights = FlightOut(many=True)
    merged = MergedOut(many=True)


class Flights(EventView):
    @extend_schema(operation_id="flights_read", responses=FlightsOut)
    def get(self, request: Request, slug: str) -> Response:
        """The flights of a final, and the players it would have."""
        flights = flights_of(selectors.access_event(request.user, slug))
        return Response(FlightsOut({"flights": flights, "merged": merged(flights)}).data)

    @extend_schema(operation_id="flights_merge", request=StageIn, responses={201: BracketOut})
    def post(self, request: Request, slug: str) -> Response:
        """Register all players who made the cut of their flight, and open the bracket. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        asked = self.body(StageIn, request)
        stage = services.flights_merge(event=event, by=self.asker(request), now=timezone.now(), **asked)
        return Response(BracketOut(_bracket(bracket_view(stage))).data, status=201)

    @extend_schema(operation_id="flight_join", request=FlightIn, responses={204: None})
    def put(self, request: Request, slug: str) -> Response:
        """Make this event a flight of a final, or an event of its own again. For organizers of both."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        asked = self.body(FlightIn, request)
        final = selectors.access_event(request.user, asked["final"]) if asked["final"] else None
        services.flight_join(flight=event, final=final, by=self.asker(request), now=timezone.now())
        return Response(status=204)


class Places(ListView):
    @extend_schema(operation_id="places_list", responses=PlaceOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Each player's final place: the bracket above the Swiss rounds."""
        event = selectors.access_event(request.user, slug)
        return self.page(final_standings(event), PlaceOut, request)
