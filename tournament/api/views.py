"""The API of events. Views translate; selectors and services check and decide."""

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from config.api import bodiless
from config.errors import UserError
from decks.models import Revision
from tournament import selectors, services
from tournament.api import serializers as shapes
from tournament.api.pages import EventView, ListView
from tournament.models import Registration, User
from tournament.selectors.searching import entries_where, events_where


class Events(ListView):
    asks = {"GET": shapes.EventWhere}

    @extend_schema(operation_id="events_list", responses=shapes.EventOut(many=True))
    def get(self, request: Request) -> Response:
        """All events, latest first."""
        found = events_where(request.user, **self.asked)
        return self.page(found, shapes.EventOut, request)

    @extend_schema(operation_id="event_create", request=shapes.EventIn, responses={201: shapes.EventOut})
    def post(self, request: Request) -> Response:
        """Create an event and open registration. You become its owner."""
        asked = self.body(shapes.EventIn, request)
        event = services.event_create(by=self.asker(request), now=timezone.now(), **asked)
        return Response(shapes.EventOut(event).data, status=201)


class OneEvent(EventView):
    @extend_schema(operation_id="event_read", responses=shapes.EventWithRoles)
    def get(self, request: Request, slug: str) -> Response:
        """An event, and your roles in it."""
        event = selectors.access_event(request.user, slug)
        roles = selectors.roles_of(request.user, event)
        return Response(shapes.EventWithRoles(event, context={"roles": roles}).data)


class EventStaff(ListView):
    @extend_schema(operation_id="staff_list", responses=shapes.StaffOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The event staff."""
        event = selectors.access_event(request.user, slug)
        return self.page(selectors.staff_of(event), shapes.StaffOut, request)

    @extend_schema(operation_id="staff_invite", request=shapes.StaffIn, responses={201: shapes.InvitationOut})
    def post(self, request: Request, slug: str) -> Response:
        """Invite a person to a role, which they have once they accept; yourself: at once. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        asked = self.body(shapes.StaffIn, request)
        asked_for = services.staff_invite(
            event=event,
            user=_user(asked["username"]),
            role=asked["role"],
            by=self.asker(request),
            now=timezone.now(),
        )
        return Response(shapes.InvitationOut(asked_for).data, status=201)


class Registrations(ListView):
    needs_scope = "play"
    asks = {"GET": shapes.RegistrationWhere}

    @extend_schema(operation_id="registrations_list", responses=shapes.RegistrationOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The event's players by name, including those who dropped."""
        event = selectors.access_event(request.user, slug)
        found = entries_where(event, **self.asked)
        return self.page(found, shapes.RegistrationOut, request)

    @extend_schema(
        operation_id="player_register",
        request=shapes.RegistrationIn,
        responses={201: shapes.RegistrationWithDeck},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Register yourself or, as event staff, another person or a guest. An illegal decklist is refused."""
        event = selectors.access_event(request.user, slug)
        asked = self.body(shapes.RegistrationIn, request)
        user = None if asked["guest"] else self.asker(request)
        if asked["username"] and not asked["guest"]:
            selectors.require(request.user, event, selectors.STAFF)
            user = _user(asked["username"])
        entry = services.player_register(
            event=event,
            user=user,
            name=asked["name"],
            club=asked["club"],
            pronouns=asked["pronouns"],
            revision=_revision(asked["revision"], self.asker(request)),
            missed=asked["missed"],
            missed_reason=asked["missed_reason"],
            by=self.asker(request),
            now=timezone.now(),
        )
        return Response(shapes.RegistrationWithDeck(entry).data, status=201)


class OneRegistration(EventView):
    @extend_schema(operation_id="registration_read", responses=shapes.RegistrationWithDeck)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """A player's registration with the decklist and its report. For that player and event staff."""
        entry = selectors.access_registration(request.user, slug, pk)
        return Response(shapes.RegistrationWithDeck(entry).data)


class RegistrationDeck(EventView):
    needs_scope = "play"

    @extend_schema(operation_id="deck_register", request=shapes.DeckIn, responses=shapes.RegistrationWithDeck)
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Submit a revision as the decklist. An organizer can make an exception, with a reason."""
        entry = selectors.access_registration(request.user, slug, pk)
        asked = self.body(shapes.DeckIn, request)
        entry = services.deck_register(
            registration=entry,
            revision=_revision(asked["revision"], self.asker(request), entry),
            override=asked["override"],
            by=self.asker(request),
            now=timezone.now(),
        )
        return Response(shapes.RegistrationWithDeck(entry).data)


class RegistrationDrop(EventView):
    needs_scope = "play"

    @bodiless(operation_id="player_drop", responses=shapes.RegistrationOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Drop from the remaining rounds. For the player and event staff."""
        entry = selectors.access_registration(request.user, slug, pk)
        entry = services.player_drop(registration=entry, by=self.asker(request), now=timezone.now())
        return Response(shapes.RegistrationOut(entry).data)


class RegistrationReturn(EventView):
    needs_scope = "play"

    @extend_schema(operation_id="player_return", request=shapes.ReturnIn, responses=shapes.RegistrationOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Undo a drop. Players can until the next round is published, event staff at any time."""
        entry = selectors.access_registration(request.user, slug, pk)
        asked = self.body(shapes.ReturnIn, request)
        entry = services.player_return(
            registration=entry, by=self.asker(request), now=timezone.now(), **asked
        )
        return Response(shapes.RegistrationOut(entry).data)


class RegistrationByes(EventView):
    @extend_schema(operation_id="bye_award", request=shapes.ByeIn, responses={201: shapes.ByeIn})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Award a bye for a future round. For organizers."""
        entry = selectors.access_registration(request.user, slug, pk)
        asked = self.body(shapes.ByeIn, request)
        services.bye_award(registration=entry, by=self.asker(request), now=timezone.now(), **asked)
        return Response(asked, status=201)


class RegistrationBye(EventView):
    @extend_schema(operation_id="bye_withdraw", request=None, responses={204: None})
    def delete(self, request: Request, slug: str, pk: int, number: int) -> Response:
        """Undo an awarded bye before its round is published. For organizers."""
        entry = selectors.access_registration(request.user, slug, pk)
        services.bye_withdraw(registration=entry, number=number, by=self.asker(request), now=timezone.now())
        return Response(status=204)


class RegistrationTable(EventView):
    @extend_schema(operation_id="table_keep", request=shapes.TableIn, responses=shapes.TableIn)
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Fix a player's table for all future rounds, or remove that (null). For event staff."""
        entry = selectors.access_registration(request.user, slug, pk)
        asked = self.body(shapes.TableIn, request)
        services.table_keep(registration=entry, by=self.asker(request), now=timezone.now(), **asked)
        return Response(asked)


class MatchDisputes(EventView):
    @extend_schema(
        operation_id="match_dispute_file",
        request=shapes.MatchDisputeIn,
        responses={201: shapes.MatchDisputeOut},
    )
    def post(self, request: Request, pk: int) -> Response:
        """File the dispute of a table. A worker answers it; continue under /disputes. For judges."""
        match = selectors.access_match(request.user, pk, selectors.JUDGES)
        asked = self.body(shapes.MatchDisputeIn, request)
        filed = services.dispute_file(match=match, by=self.asker(request), now=timezone.now(), **asked)
        return Response(shapes.MatchDisputeOut(filed).data, status=201)


class EventDisputes(ListView):
    @extend_schema(operation_id="event_disputes_list", responses=shapes.MatchDisputeOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The event's disputes, newest first. For judges."""
        event = selectors.access_event(request.user, slug, selectors.JUDGES)
        return self.page(selectors.disputes_judged(request.user, event), shapes.MatchDisputeOut, request)


def _user(username: str) -> User:
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise UserError(
            "unknown-user", _("No one has the user name “%(name)s”.") % {"name": username}, place="username"
        )
    return user


def _revision(pk: int | None, asker: User, entry: Registration | None = None) -> Revision | None:
    """The submitted list, or None when none is asked for; lists of others do not exist here, but for what a player
    has handed in for this entry: who plays shows the organizer that list, and no other of their decks."""
    if pk is None:
        return None
    shown = Q(deck__owner=asker)
    if entry is not None:
        shown |= Q(pk__in=entry.lists.filter(revision__isnull=False).values("revision"))
    revision = Revision.objects.select_related("deck").filter(shown, pk=pk).first()
    if revision is None:
        raise UserError("unknown-list", _("That submitted decklist doesn’t exist."), place="revision")
    return revision
