"""The API of rulings at matches: statements, advice, rulings, appeals, precedents, readings."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from rules.api.rulings import FactField, PrecedentOut, RulingOut, SearchHit
from rules.models import Ruling
from rules.selectors import access_adjudication, access_dispute, access_precedent
from tournament import selectors, services
from tournament.api.pages import EventView, ListView
from tournament.models import GivenRuling, Match, PinnedReading, Registration, Remark, Statement
from tournament.selectors.calls import access_call
from tournament.selectors.remarks import remarks_for, require_judge_at, statements_for
from tournament.selectors.rulings import access_given, party_of, pinned, rulings_at, rulings_of


class StatementIn(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=4_000)
    registration = serializers.IntegerField(
        required=False, help_text="The player whose words a judge writes down. Players leave it empty."
    )


class StatementOut(serializers.ModelSerializer[Statement]):
    registration = serializers.IntegerField(source="registration_id")
    by = serializers.CharField(source="by.username")

    class Meta:
        model = Statement
        fields = ["id", "registration", "text", "by", "at"]


class RemarkIn(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=Remark.Kind.choices)
    text = serializers.CharField(max_length=4_000, allow_blank=True, default="")
    adjudication = serializers.IntegerField(
        required=False, allow_null=True, default=None, help_text="An answer of the engine, attached by link."
    )


class RemarkOut(serializers.ModelSerializer[Remark]):
    by = serializers.CharField(source="by.username")

    class Meta:
        model = Remark
        fields = ["id", "kind", "text", "adjudication", "by", "at"]


class RulingPenaltyIn(serializers.Serializer[Any]):
    registration = serializers.IntegerField()
    infraction = serializers.CharField(max_length=40)
    note = serializers.CharField(max_length=2_000, allow_blank=True, default="")


class FollowsIn(serializers.Serializer[Any]):
    """What follows from a ruling, in this order."""

    remedy = serializers.CharField(max_length=300, allow_blank=True, default="")
    penalty = RulingPenaltyIn(required=False, allow_null=True, default=None)
    minutes = serializers.IntegerField(default=0, min_value=0, max_value=600)


class RulingGiveIn(FollowsIn):
    verdict = serializers.CharField(max_length=300)
    explanation = serializers.CharField(allow_blank=True, default="")
    dispute = serializers.IntegerField(required=False, allow_null=True, default=None)
    adjudication = serializers.IntegerField(required=False, allow_null=True, default=None)
    agrees = serializers.BooleanField(required=False, allow_null=True, default=None)
    final = serializers.BooleanField(
        default=False, help_text="For the people who decide appeals at that match."
    )
    citations = serializers.ListField(child=serializers.CharField(), max_length=50, default=list)
    question = serializers.CharField(max_length=200, allow_blank=True, default="")
    facts = FactField(many=True, default=list)
    cards = serializers.ListField(child=serializers.CharField(max_length=120), max_length=40, default=list)
    system = serializers.CharField(max_length=40, allow_blank=True, default="")


class AppealDecisionIn(FollowsIn):
    upheld = serializers.BooleanField()
    verdict = serializers.CharField(max_length=300, allow_blank=True, default="")
    explanation = serializers.CharField()
    citations = serializers.ListField(child=serializers.CharField(), max_length=50, default=list)


class AppealIn(serializers.Serializer[Any]):
    words = serializers.CharField(max_length=500, allow_blank=True, default="")


class LawIn(serializers.Serializer[Any]):
    """verified or unverified: a mark. reversed or superseded: with the correct verdict."""

    side = serializers.ChoiceField(choices=Ruling.PrecedentStatus.choices)
    reason = serializers.CharField(max_length=300)
    verdict = serializers.CharField(max_length=300, allow_blank=True, default="")
    explanation = serializers.CharField(allow_blank=True, default="")
    citations = serializers.ListField(child=serializers.CharField(), max_length=50, default=list)


class PrecedentIn(serializers.Serializer[Any]):
    """If left out, the ruling's own words are published. Names of the match's players are refused."""

    question = serializers.CharField(max_length=200, allow_blank=True, default="")
    facts = FactField(many=True, required=False)
    verdict = serializers.CharField(max_length=300, allow_blank=True, default="")
    explanation = serializers.CharField(allow_blank=True, required=False)


class GivenOut(serializers.ModelSerializer[GivenRuling]):
    """A ruling at a match. Only event staff and the player see `penalty`."""

    ruling = RulingOut()
    match = serializers.IntegerField(source="match_id")
    table = serializers.IntegerField(source="match.table", allow_null=True)
    round = serializers.IntegerField(source="match.round.number")
    call = serializers.IntegerField(source="call_id", allow_null=True)
    minutes = serializers.SerializerMethodField(help_text="The time extension given with it, in minutes.")
    penalty = serializers.SerializerMethodField()

    class Meta:
        model = GivenRuling
        fields = ["ruling", "match", "round", "table", "call", "minutes", "penalty"]

    def get_minutes(self, given: GivenRuling) -> int:
        return given.extension.minutes if given.extension else 0

    def get_penalty(self, given: GivenRuling) -> int | None:
        own = party_of(self.context["asker"], given.match)
        if given.penalty is None or (own is not None and own.pk != given.penalty.registration_id):
            return None
        return int(given.penalty.pk)


class ReadingIn(serializers.Serializer[Any]):
    system = serializers.CharField(max_length=40)
    reading = serializers.CharField(max_length=60)
    option = serializers.CharField(
        max_length=60, allow_blank=True, help_text="Empty: the rule is open again."
    )
    reason = serializers.CharField(max_length=300, allow_blank=True, default="")


class ReadingOut(serializers.ModelSerializer[PinnedReading]):
    by = serializers.CharField(source="by.username")

    class Meta:
        model = PinnedReading
        fields = ["system", "reading", "option", "reason", "by", "at"]


class MatchStatements(ListView):
    needs_scope = "play"

    @extend_schema(operation_id="statements_list", responses=StatementOut(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """The players' statements: all of them for the match's judges, your own for a player."""
        match = selectors.access_match(request.user, pk, {selectors.PLAYER, *selectors.JUDGES})
        return self.page(statements_for(self.asker(request), match), StatementOut, request)

    @extend_schema(operation_id="statement_make", request=StatementIn, responses={201: StatementOut})
    def post(self, request: Request, pk: int) -> Response:
        """State what happened; your opponent can never read it. As a judge, write down a player's words."""
        match = selectors.access_match(request.user, pk)
        asked = self.body(StatementIn, request)
        entry = Registration.objects.filter(pk=asked.pop("registration", 0), seats__match=match).first()
        said = services.statement_make(
            match=match, registration=entry, by=self.asker(request), now=timezone.now(), **asked
        )
        return Response(StatementOut(said).data, status=201)


class RemarkWhere(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(
        choices=Remark.Kind.choices, default=Remark.Kind.CONSULT.value, help_text="Default: consult."
    )


class _Remarks(ListView):
    asks = {"GET": RemarkWhere}

    def _list(self, request: Request, about: Any) -> Response:
        return self.page(remarks_for(self.asker(request), about, self.asked["kind"]), RemarkOut, request)

    def _make(self, request: Request, about: Any) -> Response:
        asked = self.body(RemarkIn, request)
        if (job := asked.pop("adjudication")) is not None:
            asked["adjudication"] = access_adjudication(request.user, job, judging=True)
        said = services.remark_make(about=about, by=self.asker(request), now=timezone.now(), **asked)
        return Response(RemarkOut(said).data, status=201)


class MatchRemarks(_Remarks):
    @extend_schema(operation_id="match_remarks_list", responses=RemarkOut(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """The advice and notes about a match. For the event's judges who aren't playing in it."""
        match = selectors.access_match(request.user, pk)
        require_judge_at(request.user, match)
        return self._list(request, match)

    @extend_schema(operation_id="match_remark_make", request=RemarkIn, responses={201: RemarkOut})
    def post(self, request: Request, pk: int) -> Response:
        """Ask the other judges, or keep a note. No player can ever read it."""
        return self._make(request, selectors.access_match(request.user, pk))


class CallRemarks(_Remarks):
    @extend_schema(operation_id="call_remarks_list", responses=RemarkOut(many=True))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """The advice and notes about a judge call. For judges."""
        call = access_call(request.user, slug, pk)
        if call.match is not None:
            require_judge_at(request.user, call.match)
        selectors.require(request.user, call.event, selectors.JUDGES)
        return self._list(request, call)

    @extend_schema(operation_id="call_remark_make", request=RemarkIn, responses={201: RemarkOut})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Ask the other judges about a call, or keep a note."""
        return self._make(request, access_call(request.user, slug, pk))


class MatchRulings(ListView):
    @extend_schema(operation_id="match_rulings_list", responses=GivenOut(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """The rulings at a match, oldest first. For its players and event staff."""
        match = selectors.access_match(request.user, pk, {selectors.PLAYER, *selectors.STAFF})
        rows = rulings_at(match)
        if party_of(request.user, match) is not None:
            rows = rows.exclude(ruling__event_side="none")
        return self.page(rows, GivenOut, request, asker=request.user)

    @extend_schema(operation_id="ruling_give", request=RulingGiveIn, responses={201: GivenOut})
    def post(self, request: Request, pk: int) -> Response:
        """Give a ruling at a match, with or without the engine's answer: verdict, then remedy, penalty, time. Closes
        the open call. For judges who aren't playing in it."""
        match = selectors.access_match(request.user, pk)
        asked = self.body(RulingGiveIn, request)
        if (dispute := asked.pop("dispute")) is not None:
            asked["dispute"] = access_dispute(request.user, dispute, judging=True)
        if (job := asked.pop("adjudication")) is not None:
            asked["adjudication"] = access_adjudication(request.user, job, judging=True)
        given = services.ruling_give(
            match=match, by=self.asker(request), now=timezone.now(), **{**asked, **_follows(match, asked)}
        )
        return _given(request, given.ruling_id, status=201)


def _follows(match: Match, asked: dict[str, Any]) -> dict[str, Any]:
    if (penalty := asked["penalty"]) is None:
        return {}
    seat = (
        match.seats.filter(registration=penalty["registration"]).select_related("registration__event").first()
    )
    if seat is None:
        raise serializers.ValidationError({"penalty": ["This player is not in the match."]})
    return {"penalty": services.PenaltyGiven(seat.registration, penalty["infraction"], note=penalty["note"])}


def _given(request: Request, pk: int, status: int = 200) -> Response:
    given = access_given(request.user, pk)
    return Response(GivenOut(given, context={"asker": request.user}).data, status=status)


class EventRulings(ListView):
    @extend_schema(operation_id="event_rulings_list", responses=GivenOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The rulings of an event, latest first, without those of your own matches. For event staff."""
        event = selectors.access_event(request.user, slug, selectors.STAFF)
        rows = rulings_of(event).exclude(match__seats__registration__user=self.asker(request))
        return self.page(rows, GivenOut, request, asker=request.user)


class OneRuling(EventView):
    @extend_schema(operation_id="ruling_read", responses=GivenOut)
    def get(self, request: Request, pk: int) -> Response:
        """A ruling at a match with both its statuses. For the match's players and event staff."""
        return _given(request, pk)


class RulingAppeal(EventView):
    needs_scope = "play"

    @extend_schema(operation_id="appeal_make", request=AppealIn, responses=GivenOut)
    def post(self, request: Request, pk: int) -> Response:
        """Appeal a floor ruling, once, while the round is played. For the match's players."""
        given = access_given(request.user, pk)
        asked = self.body(AppealIn, request)
        services.appeal_make(ruling=given.ruling, by=self.asker(request), now=timezone.now(), **asked)
        return _given(request, pk)


class MatchAppeal(EventView):
    needs_scope = "play"

    @extend_schema(operation_id="appeal_make_latest", request=AppealIn, responses=GivenOut)
    def post(self, request: Request, pk: int) -> Response:
        """Appeal the latest ruling at your match; `no-ruling-yet` before there is one."""
        match = selectors.access_match(request.user, pk, {selectors.PLAYER})
        latest = rulings_at(match).exclude(ruling__event_side="none").last()
        if latest is None:
            raise services.appeal_early(match)
        asked = self.body(AppealIn, request)
        services.appeal_make(ruling=latest.ruling, by=self.asker(request), now=timezone.now(), **asked)
        return _given(request, latest.ruling_id)


class RulingDecision(EventView):
    @extend_schema(operation_id="appeal_decide", request=AppealDecisionIn, responses={201: GivenOut})
    def post(self, request: Request, pk: int) -> Response:
        """Uphold or overturn an appealed ruling. This is final for the event. For its head judge or, if there is
        none, an owner."""
        given = access_given(request.user, pk, judging=True)
        asked = self.body(AppealDecisionIn, request)
        decided = services.appeal_decide(
            ruling=given.ruling,
            by=self.asker(request),
            now=timezone.now(),
            **{**asked, **_follows(given.match, asked)},
        )
        return _given(request, decided.ruling_id, status=201)


class RulingLaw(EventView):
    @extend_schema(operation_id="ruling_law", request=LawIn, responses=GivenOut)
    def post(self, request: Request, pk: int) -> Response:
        """Say whether a ruling is right as a precedent. No result changes. For the head judge and administrators."""
        given = access_given(request.user, pk, judging=True)
        asked = self.body(LawIn, request)
        who: dict[str, Any] = {"ruling": given.ruling, "by": self.asker(request), "now": timezone.now()}
        if asked["side"] in ("verified", "unverified"):
            services.ruling_judge(side=asked["side"], reason=asked["reason"], **who)
        else:
            services.ruling_reverse(**asked, **who)
        return _given(request, pk)


class RulingPublish(EventView):
    @extend_schema(operation_id="precedent_publish", request=PrecedentIn, responses={201: SearchHit})
    def post(self, request: Request, pk: int) -> Response:
        """Publish a ruling as a precedent: question, facts and reasons, never a name. For the head judge and
        administrators."""
        given = access_given(request.user, pk, judging=True)
        asked = self.body(PrecedentIn, request)
        services.ruling_publish(ruling=given.ruling, by=self.asker(request), now=timezone.now(), **asked)
        return Response(SearchHit(access_precedent(request.user, pk)).data, status=201)

    @extend_schema(operation_id="precedent_withdraw", responses={200: PrecedentOut})
    def delete(self, request: Request, pk: int) -> Response:
        """Unpublish a precedent. For the head judge and administrators."""
        given = access_given(request.user, pk, judging=True)
        precedent = services.ruling_unpublish(ruling=given.ruling, by=self.asker(request), now=timezone.now())
        return Response(PrecedentOut(precedent).data)


class EventReadings(ListView):
    @extend_schema(operation_id="readings_list", responses=ReadingOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The interpretations the head judge has chosen for open rules. Public."""
        event = selectors.access_event(request.user, slug)
        return self.page(list(pinned(event).values()), ReadingOut, request)

    @extend_schema(operation_id="reading_pin", request=ReadingIn, responses={201: ReadingOut})
    def post(self, request: Request, slug: str) -> Response:
        """Choose how the event interprets an open rule. For its head judge and organizers."""
        event = selectors.access_event(request.user, slug)
        asked = self.body(ReadingIn, request)
        row = services.reading_pin(event=event, by=self.asker(request), now=timezone.now(), **asked)
        return Response(ReadingOut(row).data, status=201)
