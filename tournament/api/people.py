"""The API of people: accounts, staff, invitations, entries, check-in."""

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from config.api import bodiless
from tournament import selectors, services
from tournament.api import people_shapes as shapes
from tournament.api.pages import EventView, ListView
from tournament.api.serializers import (
    EventOut,
    InvitationOut,
    RegistrationOut,
    RegistrationWithDeck,
    StaffOut,
)
from tournament.selectors.accounts import person_of
from tournament.selectors.entries import (
    access_invite,
    access_staff,
    checkin,
    checkin_is_open,
    invites_that_work,
)
from tournament.selectors.invitations import (
    access_asked_about,
    access_invitation,
    access_invitation_of,
    invitations_of,
    invitations_to,
)
from tournament.selectors.personal import personal_data


class Me(EventView):
    needs_scope = None
    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="me_read", responses=shapes.PersonOut)
    def get(self, request: Request) -> Response:
        """Your account."""
        return Response(shapes.PersonOut(self.asker(request)).data)

    @extend_schema(operation_id="me_change", request=shapes.PersonIn, responses=shapes.PersonOut)
    def put(self, request: Request) -> Response:
        """Change your account."""
        asked = self.body(shapes.PersonIn, request)
        return Response(shapes.PersonOut(services.account_change(person=self.asker(request), **asked)).data)


class MyData(EventView):
    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="my_data", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """Everything we store about you. To have it erased, log in and open the page of your account."""
        return Response(personal_data(self.asker(request)))


class Settings(EventView):
    @extend_schema(operation_id="event_settings", responses=EventOut)
    def get(self, request: Request, slug: str) -> Response:
        """The settings of an event. Send the ETag back with a change. For organizers."""
        return Response(EventOut(selectors.access_event(request.user, slug, selectors.ORGANIZERS)).data)

    @extend_schema(operation_id="event_change", request=shapes.EventChange, responses=EventOut)
    def patch(self, request: Request, slug: str) -> Response:
        """Change the settings of an event. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        asked = self.body(shapes.EventChange, request)
        event = services.event_change(event=event, by=self.asker(request), now=timezone.now(), **asked)
        return Response(EventOut(event).data)


class OneStaff(EventView):
    @extend_schema(operation_id="staff_remove", responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Remove a role, or step down from your own. The last owner can't."""
        staff = access_staff(request.user, slug, pk)
        services.staff_remove(staff=staff, by=self.asker(request), now=timezone.now())
        return Response(status=204)


class Invites(ListView):
    tells_secret = True

    @extend_schema(operation_id="invites_list", responses=shapes.InviteOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Invitations that still work. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        return self.page(invites_that_work(event, timezone.now()), shapes.InviteOut, request)

    @extend_schema(operation_id="invite_make", request=shapes.InviteIn, responses={201: shapes.InviteMade})
    def post(self, request: Request, slug: str) -> Response:
        """Create a link that gives a role. Only this answer contains its secret."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        asked = self.body(shapes.InviteIn, request)
        invite, secret = services.invite_make(
            event=event, by=self.asker(request), now=timezone.now(), **asked
        )
        return Response(shapes.InviteMade(invite, context={"secret": secret}).data, status=201)


class OneInvite(EventView):
    @extend_schema(operation_id="invite_revoke", responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Revoke a link. The roles it gave stay."""
        invite = access_invite(request.user, slug, pk)
        services.invite_revoke(invite=invite, by=self.asker(request), now=timezone.now())
        return Response(status=204)


class Join(EventView):
    needs_scope = None
    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="invite_accept", request=shapes.SecretIn, responses={201: StaffOut})
    def post(self, request: Request) -> Response:
        """Accept an invitation."""
        asked = self.body(shapes.SecretIn, request)
        staff = services.invite_accept(secret=asked["secret"], by=self.asker(request), now=timezone.now())
        return Response(StaffOut(staff).data, status=201)


class EventInvitations(ListView):
    @extend_schema(operation_id="invitations_list", responses=InvitationOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """People invited by name who haven't answered, and those who declined. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        return self.page(invitations_of(event), InvitationOut, request)


class EventInvitation(EventView):
    @extend_schema(operation_id="invitation_withdraw", responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Withdraw an invitation that hasn't been answered. For organizers."""
        invitation = access_invitation_of(request.user, slug, pk)
        services.invitation_withdraw(invitation=invitation, by=self.asker(request), now=timezone.now())
        return Response(status=204)


class MyInvitations(ListView):
    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="my_invitations", responses=InvitationOut(many=True))
    def get(self, request: Request) -> Response:
        """Roles you are invited to and haven't answered, and players that event staff asks about: is that you?"""
        return self.page(invitations_to(self.asker(request)), InvitationOut, request)


class MyInvitation(EventView):
    needs_scope = None
    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="invitation_answer", request=shapes.AnswerIn, responses=InvitationOut)
    def post(self, request: Request, pk: int) -> Response:
        """Accept or decline an invitation."""
        person, now = self.asker(request), timezone.now()
        answer, invitation = self.body(shapes.AnswerIn, request)["answer"], access_invitation(person, pk)
        if answer == "accept" and invitation.entry_id is not None:
            services.entry_accept(invitation=invitation, by=person, now=now)
        elif answer == "accept":
            services.invitation_accept(invitation=invitation, by=person, now=now)
        else:
            services.invitation_decline(
                invitation=invitation, for_good=answer == "refuse", by=person, now=now
            )
        return Response(InvitationOut(access_invitation(person, pk)).data)


class EntryInvitation(EventView):
    @extend_schema(operation_id="player_invite", request=shapes.AskIn, responses={201: shapes.AskedOut})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Ask an account whether a guest's registration is theirs. Until it accepts, nothing changes. For event
        staff."""
        entry = selectors.access_registration(request.user, slug, pk)
        asked = self.body(shapes.AskIn, request)
        selectors.require(request.user, entry.event, selectors.STAFF)
        found = services.player_invite(
            registration=entry,
            user=person_of(asked["username"]),
            by=self.asker(request),
            now=timezone.now(),
        )
        return Response(shapes.AskedOut(found).data, status=201)

    @extend_schema(operation_id="player_invite_withdraw", responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Withdraw the question to the account. For event staff."""
        entry = selectors.access_registration(request.user, slug, pk)
        selectors.require(request.user, entry.event, selectors.STAFF)
        services.invitation_withdraw(
            invitation=access_asked_about(entry), by=self.asker(request), now=timezone.now()
        )
        return Response(status=204)


class Watch(EventView):
    needs_scope = "play"

    @extend_schema(operation_id="event_watch", request=shapes.WatchIn, responses={204: None})
    def post(self, request: Request, slug: str) -> Response:
        """Follow an event on your start page, or stop."""
        event = selectors.access_event(request.user, slug)
        asked = self.body(shapes.WatchIn, request)
        services.event_watch(
            event=event, watching=asked["watching"], by=self.asker(request), now=timezone.now()
        )
        return Response(status=204)


class Entry(EventView):
    needs_scope = "play"

    @extend_schema(operation_id="entry_read", responses=shapes.EntryOut)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """A registration with its staff details, such as a guest's claim code. For event staff."""
        entry = selectors.access_registration(request.user, slug, pk)
        selectors.require(request.user, entry.event, selectors.STAFF)
        return Response(shapes.EntryOut(entry).data)

    @extend_schema(operation_id="player_change", request=shapes.EntryIn, responses=RegistrationOut)
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Correct club and pronouns; only event staff can correct the name."""
        entry = selectors.access_registration(request.user, slug, pk)
        asked = self.body(shapes.EntryIn, request)
        entry = services.player_change(
            registration=entry, by=self.asker(request), now=timezone.now(), **asked
        )
        return Response(RegistrationOut(entry).data)


class Admit(EventView):
    @extend_schema(operation_id="player_admit", request=shapes.ReasonIn, responses=RegistrationOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Admit a player ahead of the waiting list. For organizers."""
        entry = selectors.access_registration(request.user, slug, pk)
        asked = self.body(shapes.ReasonIn, request)
        entry = services.player_admit(
            registration=entry, reason=asked["reason"], by=self.asker(request), now=timezone.now()
        )
        return Response(RegistrationOut(entry).data)


class Unclaim(EventView):
    @extend_schema(operation_id="player_unclaim", request=shapes.ReasonIn, responses=RegistrationOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Unlink a registration from the account that claimed it. For organizers."""
        entry = selectors.access_registration(request.user, slug, pk)
        asked = self.body(shapes.ReasonIn, request)
        entry = services.player_unclaim(
            registration=entry, reason=asked["reason"], by=self.asker(request), now=timezone.now()
        )
        return Response(RegistrationOut(entry).data)


class Codes(EventView):
    @bodiless(operation_id="codes_renew", responses=shapes.EntryOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Replace the codes of a registration. For event staff."""
        entry = selectors.access_registration(request.user, slug, pk)
        entry = services.codes_renew(registration=entry, by=self.asker(request), now=timezone.now())
        return Response(shapes.EntryOut(entry).data)


class Claim(EventView):
    needs_scope = "play"

    @extend_schema(operation_id="player_claim", request=shapes.CodeIn, responses=RegistrationWithDeck)
    def post(self, request: Request, slug: str) -> Response:
        """Claim a guest's registration with its code."""
        event = selectors.access_event(request.user, slug)
        asked = self.body(shapes.CodeIn, request)
        entry = services.player_claim(
            event=event, code=asked["code"], by=self.asker(request), now=timezone.now()
        )
        return Response(RegistrationWithDeck(entry).data)


class CheckIn(EventView):
    @extend_schema(operation_id="checkin_read", responses=shapes.CheckInOut)
    def get(self, request: Request, slug: str) -> Response:
        """Who is here, who is missing, and what closing check-in would do. For event staff."""
        event = selectors.access_event(request.user, slug, selectors.STAFF)
        found = checkin(event)
        told = {
            "open": checkin_is_open(event),
            "hall_code": event.checkin_code,
            "present": found.present,
            "missing": found.missing,
            "waiting": found.waiting,
            "promoted": found.promoted,
        }
        return Response(shapes.CheckInOut(told).data)

    @bodiless(operation_id="checkin_open", responses=EventOut)
    def post(self, request: Request, slug: str) -> Response:
        """Open check-in. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        event = services.checkin_open(event=event, by=self.asker(request), now=timezone.now())
        return Response(EventOut(event).data)


class CheckInClose(EventView):
    @extend_schema(operation_id="checkin_close", request=shapes.CloseIn, responses=shapes.CloseOut)
    def post(self, request: Request, slug: str) -> Response:
        """Close check-in: missing players are withdrawn, and players on the waiting list who are here get their
        spots. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        asked = self.body(shapes.CloseIn, request)
        closed = services.checkin_close(
            event=event, withdraw_ids=asked["withdraw"], by=self.asker(request), now=timezone.now()
        )
        return Response(shapes.CloseOut({"withdrawn": closed.withdrawn, "promoted": closed.promoted}).data)


class EntryCheckIn(EventView):
    needs_scope = "play"

    @extend_schema(operation_id="player_check_in", request=shapes.CodeIn, responses=RegistrationOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Check a player in. For event staff, or the player with the code posted in the hall."""
        entry = selectors.access_registration(request.user, slug, pk)
        asked = self.body(shapes.CodeIn, request)
        entry = services.player_check_in(
            registration=entry, code=asked["code"], by=self.asker(request), now=timezone.now()
        )
        return Response(RegistrationOut(entry).data)

    @extend_schema(operation_id="player_check_out", responses=RegistrationOut)
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Undo a check-in. For event staff."""
        entry = selectors.access_registration(request.user, slug, pk)
        entry = services.player_check_out(registration=entry, by=self.asker(request), now=timezone.now())
        return Response(RegistrationOut(entry).data)
