"""The API of events. Views translate; selectors and services check and decide."""

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from config.errors import UserError
from decks.models import Revision
from tournament import policy_files, selectors, services
from tournament.api import serializers as shapes
from tournament.api.pages import EventView, ListView
from tournament.models import Event, User


class Policies(EventView):
    @extend_schema(operation_id="policies_list", responses=shapes.PolicyOut(many=True))
    def get(self, request: Request) -> Response:
        """The tournament policies an event can be run by."""
        found = list(policy_files.policies().values())
        return Response(shapes.PolicyOut(found, many=True).data)  # type: ignore[arg-type]


class Events(ListView):
    @extend_schema(operation_id="events_list", responses=shapes.EventOut(many=True))
    def get(self, request: Request) -> Response:
        """All events, the latest first."""
        return self.page(Event.objects.select_related("created_by"), shapes.EventOut, request)

    @extend_schema(operation_id="event_create", request=shapes.EventIn, responses={201: shapes.EventOut})
    def post(self, request: Request) -> Response:
        """Open an event for registration; you become its organizer."""
        asked = self.read(shapes.EventIn, request)
        event = services.event_create(by=self.asker(request), now=timezone.now(), **asked)
        return Response(shapes.EventOut(event).data, status=201)


class OneEvent(EventView):
    @extend_schema(operation_id="event_read", responses=shapes.EventWithRoles)
    def get(self, request: Request, slug: str) -> Response:
        """An event, and what you are in it."""
        event = selectors.access_event(request.user, slug)
        roles = selectors.roles_of(request.user, event)
        return Response(shapes.EventWithRoles(event, context={"roles": roles}).data)


class EventPolicy(EventView):
    @extend_schema(operation_id="event_policy_read", responses=shapes.PolicyOut)
    def get(self, request: Request, slug: str) -> Response:
        """Every number the event is run by; from round 1 on it is pinned."""
        event = selectors.access_event(request.user, slug)
        return Response(shapes.PolicyOut(selectors.policy_of(event)).data)


class EventStaff(ListView):
    @extend_schema(operation_id="staff_list", responses=shapes.StaffOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Who runs the event."""
        event = selectors.access_event(request.user, slug)
        return self.page(selectors.staff_of(event), shapes.StaffOut, request)

    @extend_schema(operation_id="staff_add", request=shapes.StaffIn, responses={201: shapes.StaffOut})
    def post(self, request: Request, slug: str) -> Response:
        """Give somebody a role. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        asked = self.read(shapes.StaffIn, request)
        staff = services.staff_add(
            event=event,
            user=_user(asked["username"]),
            role=asked["role"],
            by=self.asker(request),
            now=timezone.now(),
        )
        return Response(shapes.StaffOut(staff).data, status=201)


class Registrations(ListView):
    @extend_schema(operation_id="registrations_list", responses=shapes.RegistrationOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The event's players, by name, those who dropped among them."""
        event = selectors.access_event(request.user, slug)
        return self.page(event.registrations.all(), shapes.RegistrationOut, request)

    @extend_schema(
        operation_id="player_register",
        request=shapes.RegistrationIn,
        responses={201: shapes.RegistrationWithDeck},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Enter yourself, or as staff somebody else or a guest. An illegal list is refused."""
        event = selectors.access_event(request.user, slug)
        asked = self.read(shapes.RegistrationIn, request)
        user = None if asked["guest"] else self.asker(request)
        if asked["username"] and not asked["guest"]:
            selectors.require(request.user, event, selectors.STAFF)
            user = _user(asked["username"])
        entry = services.player_register(
            event=event,
            user=user,
            name=asked["name"],
            club=asked["club"],
            revision=_revision(asked["revision"], self.asker(request), user),
            by=self.asker(request),
            now=timezone.now(),
        )
        return Response(shapes.RegistrationWithDeck(entry).data, status=201)


class OneRegistration(EventView):
    @extend_schema(operation_id="registration_read", responses=shapes.RegistrationWithDeck)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """A player's entry with its list and the report on it. For that player and staff."""
        entry = selectors.access_registration(request.user, slug, pk)
        return Response(shapes.RegistrationWithDeck(entry).data)


class RegistrationDeck(EventView):
    @extend_schema(operation_id="deck_register", request=shapes.DeckIn, responses=shapes.RegistrationWithDeck)
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Register a submitted list. An organizer may make an exception, giving a reason."""
        entry = selectors.access_registration(request.user, slug, pk)
        asked = self.read(shapes.DeckIn, request)
        entry = services.deck_register(
            registration=entry,
            revision=_revision(asked["revision"], self.asker(request), entry.user),
            override=asked["override"],
            by=self.asker(request),
            now=timezone.now(),
        )
        return Response(shapes.RegistrationWithDeck(entry).data)


class RegistrationDrop(EventView):
    @extend_schema(operation_id="player_drop", request=None, responses=shapes.RegistrationOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Leave the rounds to come. For the player and staff."""
        entry = selectors.access_registration(request.user, slug, pk)
        entry = services.player_drop(registration=entry, by=self.asker(request), now=timezone.now())
        return Response(shapes.RegistrationOut(entry).data)


class Rounds(ListView):
    @extend_schema(operation_id="rounds_list", responses=shapes.RoundOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The rounds paired so far."""
        event = selectors.access_event(request.user, slug)
        return self.page(event.rounds.defer("explanation"), shapes.RoundOut, request)

    @extend_schema(
        operation_id="round_pair", request=shapes.PairIn, responses={201: shapes.RoundWithExplanation}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Pair and publish the next round. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        asked = self.read(shapes.PairIn, request)
        round = services.round_pair(event=event, by=self.asker(request), now=timezone.now(), **asked)
        return Response(shapes.RoundWithExplanation(round).data, status=201)


class OneRound(EventView):
    @extend_schema(operation_id="round_read", responses=shapes.RoundWithExplanation)
    def get(self, request: Request, slug: str, number: int) -> Response:
        """A round, its seed, and why each pairing is as it is."""
        round = selectors.access_round(request.user, slug, number)
        return Response(shapes.RoundWithExplanation(round).data)


class RoundMatches(ListView):
    @extend_schema(operation_id="round_matches_list", responses=shapes.MatchOut(many=True))
    def get(self, request: Request, slug: str, number: int) -> Response:
        """The round's matches by table, byes last."""
        round = selectors.access_round(request.user, slug, number)
        return self.page(selectors.MATCHES.filter(round=round), shapes.MatchOut, request)


class RoundFinish(EventView):
    @extend_schema(operation_id="round_finish", request=None, responses=shapes.RoundOut)
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Close a round whose results are all in. For organizers."""
        round = selectors.access_round(request.user, slug, number, selectors.ORGANIZERS)
        round = services.round_finish(round=round, by=self.asker(request), now=timezone.now())
        return Response(shapes.RoundOut(round).data)


class Standings(ListView):
    @extend_schema(operation_id="standings_list", responses=shapes.StandingOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Who stands where, with every tie-breaker's exact value."""
        event = selectors.access_event(request.user, slug)
        return self.page(selectors.standings(event), shapes.StandingOut, request)


class OneMatch(EventView):
    @extend_schema(operation_id="match_read", responses=shapes.MatchOut)
    def get(self, request: Request, pk: int) -> Response:
        """A match: who sits there, and what is known of the result."""
        return Response(shapes.MatchOut(selectors.access_match(request.user, pk)).data)


class MatchReports(ListView):
    @extend_schema(operation_id="reports_list", responses=shapes.ReportOut(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """Every report on the match, oldest first. For its players and staff."""
        match = selectors.access_match(request.user, pk, {selectors.PLAYER, *selectors.STAFF})
        staff = bool(selectors.match_roles(request.user, match) & selectors.STAFF)
        return self.page(selectors.match_state(match).reports, shapes.ReportOut, request, staff=staff)

    @extend_schema(operation_id="result_report", request=shapes.ReportIn, responses={201: shapes.MatchOut})
    def post(self, request: Request, pk: int) -> Response:
        """Report your result, from your own side. Your opponent's equal report confirms it."""
        match = selectors.access_match(request.user, pk)
        asked = self.read(shapes.ReportIn, request)
        services.result_report(match=match, by=self.asker(request), now=timezone.now(), **asked)
        return Response(shapes.MatchOut(selectors.access_match(request.user, pk)).data, status=201)


class MatchDecision(EventView):
    @extend_schema(operation_id="result_decide", request=shapes.DecisionIn, responses={201: shapes.MatchOut})
    def post(self, request: Request, pk: int) -> Response:
        """Settle a match as staff, from side 1, saying why."""
        match = selectors.access_match(request.user, pk, selectors.STAFF)
        asked = self.read(shapes.DecisionIn, request)
        services.result_decide(match=match, by=self.asker(request), now=timezone.now(), **asked)
        return Response(shapes.MatchOut(selectors.access_match(request.user, pk)).data, status=201)


class MatchDisputes(EventView):
    @extend_schema(
        operation_id="match_dispute_file",
        request=shapes.MatchDisputeIn,
        responses={201: shapes.MatchDisputeOut},
    )
    def post(self, request: Request, pk: int) -> Response:
        """File what the table disagrees about; a worker answers it. For judges. Go on under /disputes."""
        match = selectors.access_match(request.user, pk, selectors.JUDGES)
        asked = self.read(shapes.MatchDisputeIn, request)
        filed = services.dispute_file(match=match, by=self.asker(request), now=timezone.now(), **asked)
        return Response(shapes.MatchDisputeOut(filed).data, status=201)


class EventDisputes(ListView):
    @extend_schema(operation_id="event_disputes_list", responses=shapes.MatchDisputeOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The event's disputes, newest first. For judges."""
        event = selectors.access_event(request.user, slug, selectors.JUDGES)
        return self.page(selectors.event_disputes(event), shapes.MatchDisputeOut, request)


def _user(username: str) -> User:
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise UserError(
            "unknown-user", _("Nobody has the user name “%(name)s”.") % {"name": username}, place="username"
        )
    return user


def _revision(pk: int | None, *owners: User | None) -> Revision | None:
    """The submitted list, or None when none is asked for; lists of others do not exist here."""
    if pk is None:
        return None
    revision = Revision.objects.select_related("deck").filter(pk=pk, deck__owner__in=owners).first()
    if revision is None:
        raise UserError("unknown-list", _("There is no such submitted list."), place="revision")
    return revision
