"""The API of disputes, adjudications and rulings. Views translate; services decide."""

from django.utils import timezone, translation
from drf_spectacular.utils import OpenApiTypes, extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from config.api import ApiView, ListApi, bodiless
from config.languages import accepted_language
from rules import selectors, services
from rules.api import serializers as shapes
from rules.api.rulings import RulingOut
from rules.law.system_files import systems
from rules.scenarios.schema import schema as scenario_schema
from rules.spoken import answer_spoken, spoken


def _readers_language(request: Request) -> translation.override:
    """What the engine says is in the language that the request accepts; everything else of the API is in English."""
    return translation.override(accepted_language(request.headers.get("Accept-Language", "")))


class Systems(ListApi):
    permission_classes = [AllowAny]

    @extend_schema(operation_id="systems_list", responses=shapes.SystemOut(many=True))
    def get(self, request: Request) -> Response:
        """The timing systems, each with the version of its rules."""
        return self.page(list(systems()), shapes.SystemOut, request)


class ScenarioSchema(ApiView):
    permission_classes = [AllowAny]

    @extend_schema(operation_id="scenario_schema", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """The JSON Schema of a scenario, for editors, made from the present systems."""
        return Response(scenario_schema())


class Adjudicate(ApiView):
    permission_classes = [AllowAny]
    throttle_scope = "adjudicate"
    needs_scope, changes = "read", False

    @extend_schema(operation_id="adjudicate", request=shapes.ScenarioIn, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request) -> Response:
        """Answer a scenario at once and store nothing. For large scenarios, file a dispute."""
        answer = services.scenario_adjudicate(source=self.body(shapes.ScenarioIn, request)["source"])
        with _readers_language(request):
            return Response(answer_spoken(answer))


class CardText(ApiView):
    permission_classes = [AllowAny]
    throttle_scope = "adjudicate"
    needs_scope, changes = "read", False

    @extend_schema(operation_id="card_text_read", request=shapes.CardTextIn, responses=shapes.CardTextOut)
    def post(self, request: Request) -> Response:
        """Read a card's printed English: each passage with every meaning it can have, or with the first word that is
        not understood. Nothing is stored."""
        return Response(services.card_text_read(**self.body(shapes.CardTextIn, request)))


class Play(ApiView):
    permission_classes = [AllowAny]
    throttle_scope = "adjudicate"
    needs_scope, changes = "read", False

    @extend_schema(operation_id="play", request=shapes.PlayIn, responses=shapes.PlayOut)
    def post(self, request: Request) -> Response:
        """Play a scenario on by hand: the legal options after the given choices, and why the others are refused.
        Nothing is stored; the same choices lead to the same moment."""
        asked = self.body(shapes.PlayIn, request)
        moment = services.scenario_play(**asked)
        with _readers_language(request):
            return Response(shapes.PlayOut(spoken(moment)).data)


class Disputes(ListApi):
    needs_scope = "play"

    @extend_schema(operation_id="disputes_list", responses=shapes.DisputeOut(many=True))
    def get(self, request: Request) -> Response:
        """The disputes you filed, newest first."""
        return self.page(selectors.disputes_of(request.user), shapes.DisputeOut, request)

    @extend_schema(operation_id="dispute_file", request=shapes.DisputeIn, responses={201: shapes.DisputeOut})
    def post(self, request: Request) -> Response:
        """File a dispute. A worker answers it; poll its adjudication until it has ended."""
        asked = self.body(shapes.DisputeIn, request)
        dispute = services.dispute_file(by=request.user, now=timezone.now(), **asked)
        return Response(shapes.DisputeOut(dispute).data, status=201)


class OneDispute(ApiView):
    @extend_schema(operation_id="dispute_read", responses=shapes.DisputeOut)
    def get(self, request: Request, pk: int) -> Response:
        """A dispute with the state of its adjudications, and its rulings."""
        return Response(shapes.DisputeOut(selectors.access_dispute(request.user, pk)).data)


class DisputeAdjudications(ApiView):
    @extend_schema(
        operation_id="adjudication_queue",
        request=shapes.AdjudicationIn,
        responses={201: shapes.AdjudicationBrief},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Ask again: the same scenario under another system, or a changed scenario. The same question returns the
        same adjudication."""
        dispute = selectors.access_dispute(request.user, pk, judging=True)
        asked = self.body(shapes.AdjudicationIn, request)
        if "system" in asked:
            scenario = services.scenario_under(dispute=dispute, system=asked["system"])
        else:
            scenario = services.scenario_read(asked["source"])
        job = services.adjudication_queue(
            dispute=dispute, scenario=scenario, by=request.user, now=timezone.now()
        )
        return Response(shapes.AdjudicationBrief(job).data, status=201)


class OneAdjudication(ApiView):
    @extend_schema(operation_id="adjudication_read", responses=shapes.AdjudicationOut)
    def get(self, request: Request, pk: int) -> Response:
        """A run of the engine and its answer. The dispute's players see it after a judge has ruled."""
        job = selectors.access_adjudication(request.user, pk)
        with _readers_language(request):
            return Response(shapes.AdjudicationOut(job).data)


class AdjudicationCancel(ApiView):
    @bodiless(operation_id="adjudication_cancel", responses=shapes.AdjudicationBrief)
    def post(self, request: Request, pk: int) -> Response:
        """Stop a run that is queued or running."""
        job = selectors.access_adjudication(request.user, pk, judging=True)
        services.adjudication_cancel(adjudication=job, by=request.user, now=timezone.now())
        return Response(shapes.AdjudicationBrief(job).data)


class DisputeRulings(ApiView):
    @extend_schema(operation_id="ruling_file", request=shapes.RulingIn, responses={201: RulingOut})
    def post(self, request: Request, pk: int) -> Response:
        """File a ruling. A ruling never changes; a correction or the outcome of an appeal is a new ruling."""
        dispute = selectors.access_dispute(request.user, pk, judging=True)
        asked = self.body(shapes.RulingIn, request)
        if (job := asked.pop("adjudication")) is not None:
            asked["adjudication"] = selectors.access_adjudication(request.user, job, judging=True)
        ruling = services.ruling_file(dispute=dispute, by=request.user, now=timezone.now(), **asked)
        return Response(RulingOut(ruling).data, status=201)
