"""The API of judge calls."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from config.api import bodiless
from tournament import selectors, services
from tournament.api.pages import EventView, ListView
from tournament.models import JudgeCall
from tournament.selectors.calls import (
    access_call,
    calls_at,
    may_read,
    past_calls,
    player_calls,
    queue,
    table_now,
)


class CallIn(serializers.Serializer[Any]):
    subject = serializers.ChoiceField(
        choices=JudgeCall.Subject.choices,
        default=JudgeCall.Subject.OTHER.value,
        help_text="private: the opponent isn't shown the subject. other: needs words.",
    )
    words = serializers.CharField(max_length=200, allow_blank=True, default="")


class TableCallIn(CallIn):
    table = serializers.IntegerField(min_value=1, max_value=9_999)


class PlayerCallIn(CallIn):
    place = serializers.CharField(
        max_length=80, allow_blank=True, default="", help_text="Where the judge can find the player."
    )


class CallDoneIn(serializers.Serializer[Any]):
    outcome = serializers.CharField(max_length=1000, help_text="The outcome, which the players can read.")
    minutes = serializers.IntegerField(
        default=0, min_value=0, max_value=600, help_text="The time extension given for the call, in minutes."
    )


class CallOut(serializers.ModelSerializer[JudgeCall]):
    """A call comes from a `table`, or from a `player` who sat at none (a registration; `table` is null).

    In a private question, `subject`, `words` and `outcome` are empty for the opponent of the player who called."""

    match = serializers.IntegerField(source="match_id", allow_null=True)
    player = serializers.IntegerField(source="registration_id", allow_null=True)
    table_now = serializers.SerializerMethodField(
        help_text="Where to go: `table`, or the table at which `player` sits now. null: no table."
    )
    state = serializers.ChoiceField(choices=JudgeCall.State.choices)
    subject = serializers.SerializerMethodField()
    words = serializers.SerializerMethodField()
    outcome = serializers.SerializerMethodField()
    opened_by = serializers.CharField(help_text="The name of the person who called.")
    judge = serializers.CharField(allow_null=True, help_text="The name of the judge who took it.")
    dispute = serializers.IntegerField(
        source="dispute.dispute_id",
        allow_null=True,
        default=None,
        help_text="The disputes filed from this call.",
    )

    class Meta:
        model = JudgeCall
        fields = [
            "id", "match", "table", "player", "last_table", "table_now", "place", "state", "subject", "words",
            "opened_by", "opened_at", "judge", "claimed_at", "closed_at", "outcome", "dispute",
        ]  # fmt: skip

    def get_table_now(self, call: JudgeCall) -> int | None:
        return table_now(call)

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
        required=False, help_text="true: closed calls, latest first; otherwise the queue."
    )


class EventCalls(ListView):
    asks = {"GET": CallWhere}

    @extend_schema(
        operation_id="calls_list",
        responses=CallOut(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """The queue of judge calls, oldest first. For event staff."""
        event = selectors.access_event(request.user, slug, selectors.STAFF)
        rows = past_calls(event) if self.asked.get("over") else queue(event)
        return self.page(rows, CallOut, request, asker=self.asker(request))

    @extend_schema(operation_id="table_call_open", request=TableCallIn, responses={201: CallOut})
    def post(self, request: Request, slug: str) -> Response:
        """Call a judge to any table. For event staff."""
        event = selectors.access_event(request.user, slug, selectors.STAFF)
        asked = self.body(TableCallIn, request)
        call = services.table_call_open(event=event, by=self.asker(request), now=timezone.now(), **asked)
        return Response(CallOut(call, context={"asker": request.user}).data, status=201)


class MatchCalls(ListView):
    needs_scope = "play"

    @extend_schema(operation_id="match_calls_list", responses=CallOut(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """The judge calls at a match, latest first. For its players and event staff."""
        match = selectors.access_match(request.user, pk, {selectors.PLAYER, *selectors.STAFF})
        return self.page(calls_at(match), CallOut, request, asker=self.asker(request))

    @extend_schema(operation_id="call_open", request=CallIn, responses={201: CallOut})
    def post(self, request: Request, pk: int) -> Response:
        """Call a judge to a match, one call at a time. For its players and event staff."""
        match = selectors.access_match(request.user, pk)
        asked = self.body(CallIn, request)
        call = services.call_open(match=match, by=self.asker(request), now=timezone.now(), **asked)
        return Response(CallOut(call, context={"asker": request.user}).data, status=201)


class PlayerCalls(ListView):
    needs_scope = "play"

    @extend_schema(operation_id="player_calls_list", responses=CallOut(many=True))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """The judge calls a player made away from a table, latest first. For the player and event staff."""
        entry = selectors.access_registration(request.user, slug, pk)
        return self.page(player_calls(entry), CallOut, request, asker=self.asker(request))

    @extend_schema(operation_id="player_call_open", request=PlayerCallIn, responses={201: CallOut})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Call a judge at any time of an event: to your match while its round lasts, otherwise to you. For the
        player."""
        entry = selectors.access_registration(request.user, slug, pk)
        asked = self.body(PlayerCallIn, request)
        call = services.player_call_open(
            registration=entry, by=self.asker(request), now=timezone.now(), **asked
        )
        return Response(CallOut(call, context={"asker": request.user}).data, status=201)


class CallClaim(EventView):
    @bodiless(operation_id="call_claim", responses=CallOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Take a call. If another judge was faster, the error says who. For judges."""
        call = services.call_claim(
            call=access_call(request.user, slug, pk), by=self.asker(request), now=timezone.now()
        )
        return Response(CallOut(call, context={"asker": request.user}).data)


class CallRelease(EventView):
    @bodiless(operation_id="call_release", responses=CallOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Hand a call back to the queue. For the judge who took it and the head judge."""
        call = services.call_release(
            call=access_call(request.user, slug, pk), by=self.asker(request), now=timezone.now()
        )
        return Response(CallOut(call, context={"asker": request.user}).data)


class CallClose(EventView):
    @extend_schema(operation_id="call_close", request=CallDoneIn, responses=CallOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Close a call with its outcome and a time extension. For the judge who took it and the head judge."""
        asked = self.body(CallDoneIn, request)
        call = services.call_close(
            call=access_call(request.user, slug, pk), by=self.asker(request), now=timezone.now(), **asked
        )
        return Response(CallOut(call, context={"asker": request.user}).data)


class CallWithdraw(EventView):
    needs_scope = "play"

    @bodiless(operation_id="call_withdraw", responses=CallOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Cancel a call that no judge has taken yet. For the person who called."""
        call = services.call_withdraw(
            call=access_call(request.user, slug, pk), by=self.asker(request), now=timezone.now()
        )
        return Response(CallOut(call, context={"asker": request.user}).data)
