"""The API of rounds, their clock, their matches and results."""

from collections.abc import Callable, Iterable
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from config.api import bodiless
from tournament import selectors, services
from tournament.api import round_shapes
from tournament.api import serializers as shapes
from tournament.api.pages import EventView, ListView
from tournament.api.people_shapes import ReasonIn
from tournament.models import Round
from tournament.selectors.pairing_reasons import why_paired
from tournament.selectors.repairs import repair_plan


class RoundView(EventView):
    """A step in the life of a round: all of them read alike, and answer with the round as it is then."""

    def take(
        self,
        request: Request,
        slug: str,
        number: int,
        step: Callable[..., Round],
        *,
        asks: type[Serializer[Any]] | None = None,
        who: Iterable[str] = selectors.ORGANIZERS,
        shows: type[Serializer[Round]] = shapes.RoundWithExplanation,
    ) -> Response:
        round = selectors.access_round(request.user, slug, number, who)
        asked = self.body(asks, request) if asks else {}
        round = step(round=round, by=self.asker(request), now=timezone.now(), **asked)
        return Response(shows(round).data)


class Rounds(ListView):
    @extend_schema(operation_id="rounds_list", responses=shapes.RoundOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The rounds published so far."""
        event = selectors.access_event(request.user, slug)
        return self.page(event.rounds.published().defer("explanation"), shapes.RoundOut, request)

    @extend_schema(
        operation_id="round_pair", request=shapes.PairIn, responses={201: shapes.RoundWithExplanation}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Pair the next round and, unless you ask for a draft, publish it. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        asked = self.body(shapes.PairIn, request)
        draft, start_clock = asked.pop("draft"), asked.pop("start_clock")
        if draft:
            round = services.round_draft(event=event, by=self.asker(request), now=timezone.now(), **asked)
        else:
            round = services.round_pair(
                event=event, by=self.asker(request), start_clock=start_clock, now=timezone.now(), **asked
            )
        return Response(shapes.RoundWithExplanation(round).data, status=201)


class OneRound(EventView):
    @extend_schema(operation_id="round_read", responses=shapes.RoundWithExplanation)
    def get(self, request: Request, slug: str, number: int) -> Response:
        """A round, its random seed, and the reason for each pairing. Only organizers can see a draft."""
        round = selectors.access_round(request.user, slug, number)
        return Response(shapes.RoundWithExplanation(round).data)

    @extend_schema(operation_id="round_discard", request=None, responses={204: None})
    def delete(self, request: Request, slug: str, number: int) -> Response:
        """Discard a draft. Its random seed is kept, so pairing again gives the same round. For organizers."""
        round = selectors.access_round(request.user, slug, number, selectors.ORGANIZERS)
        services.round_discard(round=round, by=self.asker(request), now=timezone.now())
        return Response(status=204)


class RoundStory(ListView):
    @extend_schema(operation_id="round_story", responses=round_shapes.StoryOut(many=True))
    def get(self, request: Request, slug: str, number: int) -> Response:
        """How the round came about: random seeds, changes by hand and publications, with who and why."""
        round = selectors.access_round(request.user, slug, number)
        return self.page(list(selectors.round_story(round)), round_shapes.StoryOut, request)


class RoundWhy(EventView):
    asks = {"GET": round_shapes.WhyIn}

    @extend_schema(
        operation_id="round_why",
        responses=round_shapes.WhyOut,
    )
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Why a player has this opponent, and why not a different one."""
        round = selectors.access_round(request.user, slug, number)
        return Response(round_shapes.WhyOut(why_paired(round, **self.asked)).data)


class RoundRepair(RoundView):
    asks = {"GET": round_shapes.RepairAsk}

    @extend_schema(operation_id="round_repair_plan", responses=round_shapes.RepairOut)
    def get(self, request: Request, slug: str, number: int) -> Response:
        """The fewest tables to change after an earlier result was corrected, what that costs, and why fewer won't do.

        For organizers.
        """
        round = selectors.access_round(request.user, slug, number, selectors.ORGANIZERS)
        return Response(round_shapes.RepairOut(repair_plan(round, **self.asked)).data)

    @extend_schema(
        operation_id="round_repair",
        request=round_shapes.RepairIn,
        responses=shapes.RoundWithExplanation,
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Change these tables of the published round. Tables that have begun stay. For organizers."""
        return self.take(request, slug, number, services.round_repair, asks=round_shapes.RepairIn)


class RoundNudge(RoundView):
    @bodiless(operation_id="round_nudge", responses=shapes.RoundOut)
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Remind players who haven't reported. For event staff."""
        return self.take(
            request, slug, number, services.round_nudge, who=selectors.STAFF, shows=shapes.RoundOut
        )


class RoundResolve(EventView):
    @bodiless(operation_id="round_resolve", responses=round_shapes.ResolvedOut)
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Score tables that are out of time without a report as the policy says. For organizers."""
        round = selectors.access_round(request.user, slug, number, selectors.ORGANIZERS)
        count = services.round_resolve(round=round, by=self.asker(request), now=timezone.now())
        return Response({"tables": count})


class RoundMatches(ListView):
    @extend_schema(operation_id="round_matches_list", responses=shapes.MatchOut(many=True))
    def get(self, request: Request, slug: str, number: int) -> Response:
        """The round's matches by table, byes last."""
        round = selectors.access_round(request.user, slug, number)
        return self.page(selectors.MATCHES.filter(round=round), shapes.MatchOut, request)


class RoundPublish(RoundView):
    @extend_schema(
        operation_id="round_publish",
        request=round_shapes.PublishIn,
        responses=shapes.RoundWithExplanation,
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Publish the draft. For organizers."""
        return self.take(request, slug, number, services.round_publish, asks=round_shapes.PublishIn)


class RoundUnpublish(RoundView):
    @extend_schema(operation_id="round_unpublish", request=ReasonIn, responses=shapes.RoundWithExplanation)
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Unpublish a round while nothing has been reported. For organizers."""
        return self.take(request, slug, number, services.round_unpublish, asks=ReasonIn)


class RoundRenew(RoundView):
    @bodiless(operation_id="round_renew", responses=shapes.RoundWithExplanation)
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Pair the draft again with the current data and the same random seed. For organizers."""
        return self.take(request, slug, number, services.round_renew)


class RoundRedraw(RoundView):
    @extend_schema(
        operation_id="round_redraw", request=round_shapes.RedrawIn, responses=shapes.RoundWithExplanation
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Pair the draft with a new random seed. The reason and the number of seeds are public. For organizers."""
        return self.take(request, slug, number, services.round_redraw, asks=round_shapes.RedrawIn)


class RoundSwap(RoundView):
    @extend_schema(
        operation_id="seats_swap", request=round_shapes.SwapIn, responses=shapes.RoundWithExplanation
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Swap two players of the draft. The reason is public. For organizers."""
        return self.take(request, slug, number, services.seats_swap, asks=round_shapes.SwapIn)


class RoundMove(RoundView):
    @extend_schema(
        operation_id="table_move", request=round_shapes.MoveIn, responses=shapes.RoundWithExplanation
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Move a pairing of the draft to a different table. The reason is public. For organizers."""
        return self.take(request, slug, number, services.table_move, asks=round_shapes.MoveIn)


class RoundFinish(RoundView):
    @bodiless(operation_id="round_finish", responses=shapes.RoundOut)
    def post(self, request: Request, slug: str, number: int) -> Response:
        """End a round in which every table has a result. For organizers."""
        return self.take(request, slug, number, services.round_finish, shows=shapes.RoundOut)


class RoundClock(EventView):
    @extend_schema(operation_id="clock_read", responses=round_shapes.ClockOut)
    def get(self, request: Request, slug: str, number: int) -> Response:
        """The round's clock, by the server's time."""
        return Response(_clock(selectors.access_round(request.user, slug, number)))

    @extend_schema(operation_id="clock_turn", request=round_shapes.ClockIn, responses=round_shapes.ClockOut)
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Start or stop the clock, or add time for everyone. For organizers and the head judge."""
        round = selectors.access_round(request.user, slug, number)
        asked = self.body(round_shapes.ClockIn, request)
        by, now = self.asker(request), timezone.now()
        if asked["do"] == "start":
            services.clock_start(round=round, by=by, now=now)
        elif asked["do"] == "pause":
            services.clock_pause(round=round, by=by, now=now)
        else:
            services.clock_add(round=round, minutes=asked["minutes"], reason=asked["reason"], by=by, now=now)
        return Response(_clock(round))


class RoundResults(EventView):
    @extend_schema(operation_id="result_enter", request=round_shapes.SlipIn, responses={201: shapes.MatchOut})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Enter a match slip by its table, from side 1. A different result that already counts is not overwritten.
        For event staff."""
        round = selectors.access_round(request.user, slug, number, selectors.STAFF)
        asked = self.body(round_shapes.SlipIn, request)
        report = services.result_enter(round=round, by=self.asker(request), now=timezone.now(), **asked)
        match = selectors.access_match(request.user, report.match_id)
        return Response(shapes.MatchOut(match).data, status=201)


class OneMatch(EventView):
    @extend_schema(operation_id="match_read", responses=shapes.MatchOut)
    def get(self, request: Request, pk: int) -> Response:
        """A match: its players, and what is known of the result."""
        return Response(shapes.MatchOut(selectors.access_match(request.user, pk)).data)


class MatchReports(ListView):
    needs_scope = "play"

    @extend_schema(operation_id="reports_list", responses=shapes.ReportOut(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """Every report on the match, oldest first. For its players and event staff."""
        match = selectors.access_match(request.user, pk, {selectors.PLAYER, *selectors.STAFF})
        staff = bool(selectors.match_roles(request.user, match) & selectors.STAFF)
        return self.page(selectors.match_state(match).reports, shapes.ReportOut, request, staff=staff)

    @extend_schema(operation_id="result_report", request=shapes.ReportIn, responses={201: shapes.MatchOut})
    def post(self, request: Request, pk: int) -> Response:
        """Report your result, from your own side. It is confirmed when your opponent reports the same."""
        match = selectors.access_match(request.user, pk)
        asked = self.body(shapes.ReportIn, request)
        services.result_report(match=match, by=self.asker(request), now=timezone.now(), **asked)
        return Response(shapes.MatchOut(selectors.access_match(request.user, pk)).data, status=201)


class MatchDecision(EventView):
    @extend_schema(operation_id="result_decide", request=shapes.DecisionIn, responses={201: shapes.MatchOut})
    def post(self, request: Request, pk: int) -> Response:
        """Decide a match as event staff, from side 1, with a reason."""
        match = selectors.access_match(request.user, pk, selectors.STAFF)
        asked = self.body(shapes.DecisionIn, request)
        services.result_decide(match=match, by=self.asker(request), now=timezone.now(), **asked)
        return Response(shapes.MatchOut(selectors.access_match(request.user, pk)).data, status=201)


class MatchExtensions(EventView):
    @extend_schema(
        operation_id="time_extend",
        request=round_shapes.ExtensionIn,
        responses={201: round_shapes.ExtensionOut(many=True)},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Give a table a time extension. The answer lists all its extensions. For judges."""
        match = selectors.access_match(request.user, pk)
        asked = self.body(round_shapes.ExtensionIn, request)
        services.time_extend(match=match, by=self.asker(request), now=timezone.now(), **asked)
        return Response(round_shapes.ExtensionOut(match.extensions.all(), many=True).data, status=201)


def _clock(round: Round) -> dict[str, object]:
    now = timezone.now()
    clock = selectors.clock_of(round)
    shown = {
        "now": now,
        "minutes": clock.minutes,
        "running": clock.running,
        "began": clock.began,
        "seconds_left": int(clock.left(now).total_seconds()),
        "ends_at": clock.ends_at(),
        "called": clock.called(now),
        "extensions": selectors.extensions_by_table(round),
    }
    return dict(round_shapes.ClockOut(shown).data)
