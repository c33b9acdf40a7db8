"""Invitations by name to run an event: for who is asked, and for who asked."""

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from config.errors import NotFound
from tournament.models import Event, Invitation, Staff, User
from tournament.selectors.access import ORGANIZERS, Person, access_event

State = Invitation.State


def invitations_to(person: User) -> QuerySet[Invitation]:
    """What the person is asked and has not answered, the oldest first."""
    found = Invitation.objects.filter(user=person, state=State.OPEN)
    return found.select_related("event", "made_by").order_by("pk")


def invitations_of(event: Event) -> QuerySet[Invitation]:
    """Whom the event waits for, and who declined and has not been asked since; the latest first. For organizers."""
    later = Invitation.objects.filter(event=OuterRef("event"), user=OuterRef("user"), pk__gt=OuterRef("pk"))
    joined = Staff.objects.filter(event=OuterRef("event"), user=OuterRef("user"), role=OuterRef("role"))
    told = Q(state=State.OPEN) | (Q(state__in=(State.DECLINED, State.REFUSED)) & ~Exists(later))
    return event.invitations.filter(told & ~Exists(joined)).select_related("user", "made_by")


def access_invitation(person: User, pk: int) -> Invitation:
    """One of one's own; others' do not exist. Raises NotFound."""
    return _found(Invitation.objects.filter(user=person, pk=pk))


def access_invitation_of(user: Person, slug: str, pk: int) -> Invitation:
    """One of an event, for its organizers. Raises NotFound, Forbidden."""
    event = access_event(user, slug, ORGANIZERS)
    return _found(Invitation.objects.filter(event=event, pk=pk))


def _found(rows: QuerySet[Invitation]) -> Invitation:
    found = rows.select_related("event", "user", "made_by").first()
    if found is None:
        raise NotFound(_("invitation"))
    return found
