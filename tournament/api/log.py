"""The API of an event's log."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournament import selectors
from tournament.api.pages import EventView
from tournament.models import AuditRow
from tournament.selectors.audit_log import searched


class LogAsked(serializers.Serializer[Any]):
    q = serializers.CharField(
        max_length=80,
        required=False,
        allow_blank=True,
        help_text="Text in the name of the actor or of the person concerned, in the reason or in the data.",
    )
    before = serializers.IntegerField(
        required=False, min_value=1, max_value=2**63 - 1, help_text="Only entries older than this one."
    )


class LogRowOut(serializers.ModelSerializer[AuditRow]):
    by = serializers.CharField(
        source="actor.username", default=None, allow_null=True, help_text="Empty: the service itself."
    )
    reason = serializers.CharField()
    data = serializers.DictField(help_text="What was written down.")  # type: ignore[assignment]

    class Meta:
        model = AuditRow
        fields = ["id", "at", "verb", "by", "target_type", "target_id", "reason", "data", "request_id"]


class LogOut(serializers.Serializer[Any]):
    rows = LogRowOut(many=True)
    older = serializers.IntegerField(
        allow_null=True, help_text="Send it as `before` for the next page; null: there is none."
    )


class EventLog(EventView):
    asks = {"GET": LogAsked}

    @extend_schema(operation_id="event_log", responses=LogOut)
    def get(self, request: Request, slug: str) -> Response:
        """Who did what, when and why, the latest first. For the head judge and organizers."""
        event = selectors.access_event(request.user, slug, selectors.HEAD_JUDGES)
        found = searched(event, self.asked.get("q", ""), before=self.asked.get("before"))
        return Response(LogOut(found).data)
