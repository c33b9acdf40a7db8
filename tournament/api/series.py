"""The API of series and of a person's own history."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from config.errors import NotFound
from tournament import selectors, services
from tournament.api.pages import EventView, ListView
from tournament.models import Registration, SamePlayer, Series
from tournament.selectors.exports import told_history, told_series
from tournament.selectors.history import history
from tournament.selectors.series import access_series, series_table
from tournament.swiss.seasons import Scale


class ScaleShape(serializers.Serializer[Any]):
    steps = serializers.ListField(
        child=serializers.ListField(
            child=serializers.IntegerField(min_value=0, max_value=1_000_000), min_length=2, max_length=2
        ),
        help_text="[[up to this place, points], ...], from the first place on.",
    )
    others = serializers.IntegerField(help_text="Points beyond the last step.")
    best = serializers.IntegerField(allow_null=True, help_text="Results of a player that count. Empty: all.")


class SeriesIn(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=120)
    slug = serializers.CharField(max_length=50, help_text="The last part of its address.")
    scale = ScaleShape()


class SeriesChange(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=120)
    scale = ScaleShape()


class SeriesOut(serializers.ModelSerializer[Series]):
    scale = ScaleShape()

    class Meta:
        model = Series
        fields = ["slug", "name", "scale", "made_at"]


class SeriesResultOut(serializers.Serializer[Any]):
    event = serializers.CharField()
    place = serializers.IntegerField()
    points = serializers.IntegerField()
    counts = serializers.BooleanField(help_text="Whether it is among the best that count.")


class SeriesPlayerOut(serializers.Serializer[Any]):
    rank = serializers.IntegerField()
    name = serializers.CharField()
    points = serializers.IntegerField()
    results = SeriesResultOut(many=True)


class SeriesTableOut(serializers.Serializer[Any]):
    slug = serializers.CharField()
    name = serializers.CharField()
    scale = ScaleShape()
    events = serializers.ListField(child=serializers.CharField(), help_text="The finished events, by day.")
    players = SeriesPlayerOut(many=True)


class SeriesEventIn(serializers.Serializer[Any]):
    event = serializers.CharField(help_text="An event that you organize.")


class JoinIn(serializers.Serializer[Any]):
    one = serializers.IntegerField(
        min_value=1, max_value=2**31, help_text="A registration in one of the events."
    )
    other = serializers.IntegerField(
        min_value=1, max_value=2**31, help_text="Another registration of the same person."
    )


class JoinedOut(serializers.ModelSerializer[SamePlayer]):
    class Meta:
        model = SamePlayer
        fields = ["id", "one", "other", "at"]


class AllSeries(ListView):
    @extend_schema(operation_id="series_list", responses=SeriesOut(many=True))
    def get(self, request: Request) -> Response:
        """Every series, the latest first."""
        return self.page(Series.objects.all(), SeriesOut, request)

    @extend_schema(operation_id="series_make", request=SeriesIn, responses={201: SeriesOut})
    def post(self, request: Request) -> Response:
        """Create a series. You become its owner."""
        asked = self.body(SeriesIn, request)
        series = services.series_make(
            name=asked["name"],
            slug=asked["slug"],
            scale=_scale(asked["scale"]),
            by=self.asker(request),
            now=timezone.now(),
        )
        return Response(SeriesOut(series).data, status=201)


class OneSeries(EventView):
    @extend_schema(operation_id="series_read", responses=SeriesTableOut)
    def get(self, request: Request, slug: str) -> Response:
        """The table of a series: points for the places in its finished events."""
        series = access_series(slug)
        return Response(SeriesTableOut(told_series(series, series_table(series))).data)

    @extend_schema(operation_id="series_change", request=SeriesChange, responses=SeriesOut)
    def put(self, request: Request, slug: str) -> Response:
        """Change its name and what places are worth. For the person who made it."""
        asked = self.body(SeriesChange, request)
        series = services.series_change(
            series=access_series(slug),
            name=asked["name"],
            scale=_scale(asked["scale"]),
            by=self.asker(request),
        )
        return Response(SeriesOut(series).data)


class SeriesEvents(EventView):
    @extend_schema(operation_id="series_add", request=SeriesEventIn, responses={204: None})
    def post(self, request: Request, slug: str) -> Response:
        """Count an event you organize. For the person who made the series."""
        event = selectors.access_event(request.user, self.body(SeriesEventIn, request)["event"])
        services.series_add(series=access_series(slug), event=event, by=self.asker(request))
        return Response(status=204)


class OneSeriesEvent(EventView):
    @extend_schema(operation_id="series_leave_out", responses={204: None})
    def delete(self, request: Request, slug: str, event: str) -> Response:
        """Stop counting an event. For the person who made the series."""
        found = selectors.access_event(request.user, event)
        services.series_leave_out(series=access_series(slug), event=found, by=self.asker(request))
        return Response(status=204)


class SeriesJoined(EventView):
    @extend_schema(operation_id="players_join", request=JoinIn, responses={201: JoinedOut})
    def post(self, request: Request, slug: str) -> Response:
        """Count two registrations as one player. For the person who made the series."""
        asked = self.body(JoinIn, request)
        held = Registration.objects.in_bulk(asked.values())
        if len(held) < 2:
            raise NotFound("registration")
        joined = services.players_join(
            series=access_series(slug),
            one=held[asked["one"]],
            other=held[asked["other"]],
            by=self.asker(request),
            now=timezone.now(),
        )
        return Response(JoinedOut(joined).data, status=201)


class OneSeriesJoined(EventView):
    @extend_schema(operation_id="players_part", responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Separate two registrations again. For the person who made the series."""
        joined = access_series(slug).joined.filter(pk=pk).first()
        if joined is None:
            raise NotFound("registration")
        services.players_part(joined=joined, by=self.asker(request))
        return Response(status=204)


class TallyOut(serializers.Serializer[Any]):
    won = serializers.IntegerField()
    drawn = serializers.IntegerField()
    lost = serializers.IntegerField()


class EventTakenOut(serializers.Serializer[Any]):
    event = serializers.CharField()
    name = serializers.CharField()
    day = serializers.DateField()
    place = serializers.IntegerField(allow_null=True, help_text="Once the event is over.")
    of = serializers.IntegerField(allow_null=True, help_text="How many took part.")
    record = TallyOut()


class OpponentMetOut(serializers.Serializer[Any]):
    name = serializers.CharField()
    record = TallyOut()


class MatchPlayedOut(serializers.Serializer[Any]):
    day = serializers.DateField()
    event = serializers.CharField()
    round = serializers.IntegerField()
    table = serializers.IntegerField(allow_null=True)
    opponent = serializers.CharField()
    result = serializers.CharField(help_text="Seen from your side: win, draw, loss ...")


class HistoryOut(serializers.Serializer[Any]):
    record = TallyOut()
    events = EventTakenOut(many=True)
    opponents = OpponentMetOut(many=True)
    matches = MatchPlayedOut(many=True)


class MyHistory(EventView):
    @extend_schema(operation_id="my_history", responses=HistoryOut)
    def get(self, request: Request) -> Response:
        """Your own history: events with places, your record, every opponent and match."""
        return Response(HistoryOut(told_history(history(self.asker(request)))).data)


def _scale(asked: dict[str, Any]) -> Scale:
    return Scale(tuple((last, points) for last, points in asked["steps"]), asked["others"], asked["best"])
