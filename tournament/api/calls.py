"""The API of judge calls."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournament import selectors, services
from tournament.api.pages import EventView, ListView
from tournament.models import JudgeCall
from tournament.selectors.calls import access_call, calls_at, may_read, past_calls, queue


class CallIn(serializers.Serializer[Any]):
    subject = serializers.ChoiceField(
        choices=JudgeCall.Subject.choices,
        default=JudgeCall.Subject.OTHER.value,
        help_text="private: the opponent does not learn what it is about. other: takes words.",
    )
    words = serializers.CharField(max_length=200, allow_blank=True, default="")


class TableCallIn(CallIn):
    table = serializers.IntegerField(min_value=1, max_value=9_999)


class CallDoneIn(serializers.Serializer[Any]):
    outcome = serializers.CharField(max_length=1000, help_text="What came of it; the players read it.")
    minutes = serializers.IntegerField(
        default=0, min_value=0, max_value=600, help_text="Given back to the table for the call."
    )


class CallOut(serializers.ModelSerializer[JudgeCall]):
    """`subject`, `words` and `outcome` of a private word are empty for the opponent of who called."""

    match = serializers.IntegerField(source="match_id", allow_null=True)
    state = serializers.ChoiceField(choices=JudgeCall.State.choices)
    subject = serializers.SerializerMethodField()
    words = serializers.SerializerMethodField()
    outcome = serializers.SerializerMethodField()
    opened_by = serializers.CharField(help_text="The name of who called.")
    judge = serializers.CharField(allow_null=True, help_text="The name of who has it, or had it.")
    dispute = serializers.IntegerField(
        source="dispute.dispute_id", allow_null=True, default=None, help_text="Asked because of this call."
    )

    class Meta:
        model = JudgeCall
        fields = [
            "id", "match", "table", "state", "subject", "words", "opened_by", "opened_at", "judge", "claimed_at",
            "closed_at", "outcome", "dispute",
        ]  # fmt: skip

    def get_subject(self, call: JudgeCall) -> str:
        return call.subject if self._known(call) else ""

    def get_words(self, call: JudgeCall) -> str:
        return call.words if self._known(call) else ""

    def get_outcome(self, call: JudgeCall) -> str:
        return call.outcome if self._known(call) else ""

    def _known(self, call: JudgeCall) -> bool:
        return may_read(self.context["asker"], call)


class CallWhere(serializers.Serializer[Any]):
    over = serializers.BooleanField(
        required=False, help_text="Those that are over, the latest first; else the queue."
    )


class EventCalls(ListView):
    asks = {"GET": CallWhere}

    @extend_schema(
        operation_id="calls_list",
        responses=CallOut(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """The queue of judge calls, the oldest first. For staff."""
        event = selectors.access_event(request.user, slug, selectors.STAFF)
        rows = past_calls(event) if self.asked.get("over") else queue(event)
        return self.page(rows, CallOut, request, asker=self.asker(request))

    @extend_schema(operation_id="table_call_open", request=TableCallIn, responses={201: CallOut})
    def post(self, request: Request, slug: str) -> Response:
        """Call a judge to any table. For staff."""
        event = selectors.access_event(request.user, slug, selectors.STAFF)
        asked = self.body(TableCallIn, request)
        call = services.table_call_open(event=event, by=self.asker(request), now=timezone.now(), **asked)
        return Response(CallOut(call, context={"asker": request.user}).data, status=201)


class MatchCalls(ListView):
    needs_scope = "play"

    @extend_schema(operation_id="match_calls_list", responses=CallOut(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """The judge calls at a match, the latest first. For its players and staff."""
        match = selectors.access_match(request.user, pk, {selectors.PLAYER, *selectors.STAFF})
        return self.page(calls_at(match), CallOut, request, asker=self.asker(request))

    @extend_schema(operation_id="call_open", request=CallIn, responses={201: CallOut})
    def post(self, request: Request, pk: int) -> Response:
        """Call a judge to a match. For its players and staff; one call at a time."""
        match = selectors.access_match(request.user, pk)
        asked = self.body(CallIn, request)
        call = services.call_open(match=match, by=self.asker(request), now=timezone.now(), **asked)
        return Response(CallOut(call, context={"asker": request.user}).data, status=201)


class CallClaim(EventView):
    @extend_schema(operation_id="call_claim", request=None, responses=CallOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Take a call. For judges; who comes second is told who has it."""
        call = services.call_claim(
            call=access_call(request.user, slug, pk), by=self.asker(request), now=timezone.now()
        )
        return Response(CallOut(call, context={"asker": request.user}).data)


class CallRelease(EventView):
    @extend_schema(operation_id="call_release", request=None, responses=CallOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Give a call back to the queue. For who has it and the head judge."""
        call = services.call_release(
            call=access_call(request.user, slug, pk), by=self.asker(request), now=timezone.now()
        )
        return Response(CallOut(call, context={"asker": request.user}).data)


class CallClose(EventView):
    @extend_schema(operation_id="call_close", request=CallDoneIn, responses=CallOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """End a call with its outcome, and give the table time back. For who has it and the head judge."""
        asked = self.body(CallDoneIn, request)
        call = services.call_close(
            call=access_call(request.user, slug, pk), by=self.asker(request), now=timezone.now(), **asked
        )
        return Response(CallOut(call, context={"asker": request.user}).data)


class CallWithdraw(EventView):
    needs_scope = "play"

    @extend_schema(operation_id="call_withdraw", request=None, responses=CallOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Take a call back that nobody has taken yet. For who called."""
        call = services.call_withdraw(
            call=access_call(request.user, slug, pk), by=self.asker(request), now=timezone.now()
        )
        return Response(CallOut(call, context={"asker": request.user}).data)
