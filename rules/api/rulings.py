"""The API of precedents, groups of cards, reviews, and disputes asked again."""

from typing import Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from config.api import ApiView, ListApi
from config.errors import NotFound
from rules import selectors, services
from rules.models import CardGroup, LawRun, Precedent, Ruling


class FactField(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=500)
    status = serializers.ChoiceField(choices=["agreed", "found", "assumed"], default="found")


class CitationOut(serializers.Serializer[Any]):
    system = serializers.CharField(default="")
    rule = serializers.CharField()
    document = serializers.CharField()
    section = serializers.CharField()
    version = serializers.CharField()
    sentence = serializers.CharField()
    sentence_hash = serializers.CharField()


class RulingOut(serializers.ModelSerializer[Ruling]):
    """`event_side`: its status at the event (none: as a precedent only)."""

    judge = serializers.CharField(source="judge.username")
    facts = FactField(many=True)
    citations = CitationOut(many=True)
    cards = serializers.SerializerMethodField()
    event_side = serializers.ChoiceField(choices=Ruling.EventSide.choices, source="event_status")
    precedent_status = serializers.ChoiceField(choices=Ruling.PrecedentStatus.choices)
    superseded_by = serializers.SerializerMethodField(help_text="The ruling that replaced it at its event.")
    righted_by = serializers.SerializerMethodField(help_text="The ruling that replaced it as a precedent.")

    class Meta:
        model = Ruling
        fields = [
            "id", "dispute", "adjudication", "judge", "system", "question", "facts", "cards", "verdict",
            "explanation", "remedy", "agrees", "citations", "event_side", "precedent_status", "supersedes", "change",
            "superseded_by", "righted_by", "issued_at",
        ]  # fmt: skip

    def get_cards(self, ruling: Ruling) -> list[str]:
        return [card.name for card in ruling.cards.all()]

    def get_superseded_by(self, ruling: Ruling) -> int | None:
        return ruling.decided.pk if ruling.decided else None

    def get_righted_by(self, ruling: Ruling) -> int | None:
        return ruling.righted.pk if ruling.righted else None


class PrecedentOut(serializers.ModelSerializer[Precedent]):
    class Meta:
        model = Precedent
        fields = ["ruling", "published_at", "withdrawn_at"]


class SearchHit(serializers.Serializer[Any]):
    """A ruling as you may read it: the published words, or its own words for its judges. It contains no names of
    people."""

    id = serializers.IntegerField(source="ruling.pk")
    address = serializers.SerializerMethodField(help_text="Its permalink on this site.")
    scope = serializers.ChoiceField(choices=["event", "global"])
    system = serializers.CharField(source="ruling.system")
    question = serializers.CharField()
    facts = FactField(many=True)
    verdict = serializers.CharField()
    explanation = serializers.CharField()
    cards = serializers.SerializerMethodField()
    citations = CitationOut(many=True, source="ruling.citations")
    agrees = serializers.BooleanField(source="ruling.agrees", allow_null=True)
    event_side = serializers.ChoiceField(choices=Ruling.EventSide.choices, source="ruling.event_status")
    precedent_status = serializers.ChoiceField(
        choices=Ruling.PrecedentStatus.choices, source="ruling.precedent_status"
    )
    righted_by = serializers.SerializerMethodField(
        help_text="The ruling that replaced it as a precedent, if you may read it."
    )
    issued_at = serializers.DateTimeField(source="ruling.issued_at")
    alike = serializers.ChoiceField(
        choices=["", "form", "occurrences", "cards"], help_text="Why it is suggested for a dispute."
    )
    engine_differs = serializers.BooleanField(
        source="differs", help_text="The engine disagrees with the ruling."
    )

    def get_address(self, hit: Any) -> str:
        return f"/rules/precedents/{hit.ruling.pk}"

    def get_cards(self, hit: Any) -> list[str]:
        return [card.name for card in hit.ruling.cards.all()]

    def get_righted_by(self, hit: Any) -> int | None:
        return hit.righted.ruling.pk if hit.righted else None


class GroupIn(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=80)
    cards = serializers.ListField(child=serializers.CharField(max_length=120), max_length=500)


class GroupOut(serializers.ModelSerializer[CardGroup]):
    cards = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = CardGroup
        fields = ["id", "name", "cards", "changed_at"]


class ChangedRule(serializers.Serializer[Any]):
    rule = serializers.CharField()
    quoted = serializers.CharField()
    now = serializers.CharField(help_text="Empty: the rule no longer exists.")


class ReviewOut(serializers.Serializer[Any]):
    ruling = RulingOut()
    rules = serializers.SerializerMethodField()

    @extend_schema_field(ChangedRule(many=True))
    def get_rules(self, changed: Any) -> list[dict[str, str]]:
        return [{"rule": rule, "quoted": quoted, "now": now} for rule, quoted, now in changed.rules]


class LawRunIn(serializers.Serializer[Any]):
    system = serializers.CharField(max_length=40)


class LawRunOut(serializers.ModelSerializer[LawRun]):
    answered = serializers.SerializerMethodField()

    class Meta:
        model = LawRun
        fields = [
            "id",
            "system",
            "system_version",
            "system_hash",
            "asked_at",
            "total",
            "answered",
            "finished_at",
        ]

    def get_answered(self, run: LawRun) -> int:
        return selectors.run_counts(run)["answered"]


class AnswerChange(serializers.Serializer[Any]):
    dispute = serializers.IntegerField(source="before.dispute_id")
    before = serializers.IntegerField(
        source="before_id", help_text="The adjudication under the previous rules."
    )
    after = serializers.IntegerField(source="after_id", allow_null=True)
    said = serializers.CharField(source="before.answer.sentence")
    says = serializers.SerializerMethodField()
    failure = serializers.SerializerMethodField(help_text="Why there is no answer under these rules.")

    def get_says(self, item: Any) -> str:
        return str(item.after.answer["sentence"]) if item.after and item.after.answer else ""

    def get_failure(self, item: Any) -> str:
        return str(item.failure or (item.after.failure if item.after else ""))


class LawRunDetail(LawRunOut):
    changes = serializers.SerializerMethodField(help_text="Of the disputes you judge.")

    class Meta(LawRunOut.Meta):
        fields = [*LawRunOut.Meta.fields, "changes"]

    @extend_schema_field(AnswerChange(many=True))
    def get_changes(self, run: LawRun) -> list[dict[str, Any]]:
        return list(AnswerChange(selectors.changes_of(self.context["asker"], run), many=True).data)


class PrecedentWhere(serializers.Serializer[Any]):
    card = serializers.ListField(
        child=serializers.CharField(max_length=120),
        required=False,
        max_length=5,
        help_text="A card. Send it twice to search for two cards together.",
    )
    rule = serializers.CharField(required=False, allow_blank=True, max_length=60, help_text="A rule's id.")
    q = serializers.CharField(
        required=False, allow_blank=True, max_length=200, help_text="Words; all of them must match."
    )
    system = serializers.CharField(required=False, max_length=40, help_text="A timing system's key.")
    status = serializers.ChoiceField(
        choices=[*Ruling.PrecedentStatus.values, *(one for one in Ruling.EventSide.values if one != "none")],
        required=False,
        help_text="Its status as a precedent, or at its event.",
    )
    scope = serializers.ChoiceField(
        choices=["event", "global"], required=False, help_text="event: from your events; global: published."
    )


class Precedents(ListApi):
    permission_classes = [AllowAny]
    asks = {"GET": PrecedentWhere}

    @extend_schema(operation_id="precedents_search", responses=SearchHit(many=True))
    def get(self, request: Request) -> Response:
        """Search rulings by card, rule, words, system and status; at most 200. A reversal is listed before what it
        reverses. Everyone finds published rulings; judges also find those of their events."""
        words = {
            "words" if name == "q" else name: value for name, value in self.asked.items() if name != "card"
        }
        asked = selectors.Asked(cards=tuple(self.asked.get("card", ())), **words)
        hits = selectors.search(request.user, asked)
        return self.page(list(hits), SearchHit, request)


class OnePrecedent(ApiView):
    permission_classes = [AllowAny]

    @extend_schema(operation_id="precedent_read", responses=SearchHit)
    def get(self, request: Request, pk: int) -> Response:
        """A ruling by its number, in the words you may read."""
        return Response(SearchHit(selectors.access_precedent(request.user, pk)).data)


class DisputePrecedents(ListApi):
    @extend_schema(operation_id="dispute_precedents", responses=SearchHit(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """The closest precedents for a dispute: the same situation first, then the same cards. For its judges."""
        dispute = selectors.access_dispute(request.user, pk, judging=True)
        answers = [job.answer for job in dispute.adjudications.all() if job.answer]
        hits = selectors.nearest(request.user, dispute, answers[0] if answers else None)
        return self.page(list(hits), SearchHit, request)


class CandidateCase(ApiView):
    @extend_schema(operation_id="candidate_case", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, pk: int) -> Response:
        """The case in which a judge disagreed with the engine, as it was then. For its judges."""
        hit = selectors.access_precedent(request.user, pk)
        if not hit.judged or not hit.ruling.candidate:
            raise NotFound("proposed test case")
        return Response({"ruling": pk, "case": hit.ruling.candidate})


class CardGroups(ListApi):
    @extend_schema(operation_id="card_groups_list", responses=GroupOut(many=True))
    def get(self, request: Request) -> Response:
        """The groups of cards that rulings treat alike."""
        return self.page(CardGroup.objects.all(), GroupOut, request)

    @extend_schema(operation_id="card_group_make", request=GroupIn, responses={201: GroupOut})
    def post(self, request: Request) -> Response:
        """Create a group of cards. For head judges, organizers and administrators."""
        selectors.must_review(request.user)
        asked = self.body(GroupIn, request)
        group = services.card_group_save(group=None, by=request.user, now=timezone.now(), **asked)
        return Response(GroupOut(group).data, status=201)


class OneCardGroup(ApiView):
    @extend_schema(operation_id="card_group_change", request=GroupIn, responses=GroupOut)
    def put(self, request: Request, pk: int) -> Response:
        """Change a group's name and cards. For head judges, organizers and administrators."""
        selectors.must_review(request.user)
        group = CardGroup.objects.filter(pk=pk).first()
        if group is None:
            raise NotFound("group of cards")
        asked = self.body(GroupIn, request)
        group = services.card_group_save(group=group, by=request.user, now=timezone.now(), **asked)
        return Response(GroupOut(group).data)


class RulingsReview(ListApi):
    @extend_schema(operation_id="rulings_review", responses=ReviewOut(many=True))
    def get(self, request: Request) -> Response:
        """The rulings that cite a rule whose sentence has changed, from the events you judge."""
        selectors.must_review(request.user)
        return self.page(list(selectors.rulings_to_review(request.user)), ReviewOut, request)


class LawRuns(ListApi):
    @extend_schema(operation_id="law_runs_list", responses=LawRunOut(many=True))
    def get(self, request: Request) -> Response:
        """The runs in which every recorded dispute was asked again, latest first."""
        selectors.must_review(request.user)
        return self.page(LawRun.objects.all(), LawRunOut, request)

    @extend_schema(operation_id="law_run_start", request=LawRunIn, responses={201: LawRunOut})
    def post(self, request: Request) -> Response:
        """Ask every recorded dispute of a system again under the present rules."""
        selectors.must_review(request.user)
        run = services.law_run_start(by=request.user, now=timezone.now(), **self.body(LawRunIn, request))
        return Response(LawRunOut(run).data, status=201)


class OneLawRun(ApiView):
    @extend_schema(operation_id="law_run_read", responses=LawRunDetail)
    def get(self, request: Request, pk: int) -> Response:
        """The progress of such a run, and the answers that changed."""
        run = selectors.access_law_run(request.user, pk)
        return Response(LawRunDetail(run, context={"asker": request.user}).data)
