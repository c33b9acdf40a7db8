"""The API of bans."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournament import selectors, services
from tournament.api.pages import EventView, ListView
from tournament.models import Ban
from tournament.selectors.accounts import find_person
from tournament.selectors.bans import access_ban, bans_of


class BanIn(serializers.Serializer[Any]):
    who = serializers.CharField(
        max_length=150, help_text="A user name, or a display name if only one person has it."
    )
    reason = serializers.CharField(max_length=300)


class BanOut(serializers.ModelSerializer[Ban]):
    username = serializers.CharField(source="user.username")
    name = serializers.CharField(source="user")
    by = serializers.CharField(source="by.username")

    class Meta:
        model = Ban
        fields = ["id", "username", "name", "reason", "by", "at"]


class EventBans(ListView):
    @extend_schema(operation_id="bans_list", responses=BanOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The people banned from the event. For the head judge and organizers."""
        event = selectors.access_event(request.user, slug, selectors.HEAD_JUDGES)
        return self.page(bans_of(event), BanOut, request)

    @extend_schema(operation_id="event_ban", request=BanIn, responses={201: BanOut})
    def post(self, request: Request, slug: str) -> Response:
        """Ban a person from the event. A player who is banned is dropped; results stay. For the head judge and
        organizers."""
        event = selectors.access_event(request.user, slug, selectors.HEAD_JUDGES)
        asked = self.body(BanIn, request)
        ban = services.event_ban(
            event=event,
            user=find_person(asked["who"]),
            reason=asked["reason"],
            by=self.asker(request),
            now=timezone.now(),
        )
        return Response(BanOut(ban).data, status=201)


class OneBan(EventView):
    @extend_schema(operation_id="event_unban", responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Lift a ban. For the head judge and organizers."""
        services.event_unban(
            ban=access_ban(request.user, slug, pk), by=self.asker(request), now=timezone.now()
        )
        return Response(status=204)
