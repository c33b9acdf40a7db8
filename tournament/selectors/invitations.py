"""Invitations by name, to run an event or to play in it: for those invited and those who invite."""

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from config.errors import NotFound
from tournament.models import Event, Invitation, Registration, Staff, User
from tournament.selectors.access import ORGANIZERS, Person, access_event

State = Invitation.State


def invitations_to(person: User) -> QuerySet[Invitation]:
    """What the person is asked and has not answered, the oldest first."""
    found = Invitation.objects.filter(user=person, state=State.OPEN)
    return found.select_related("event", "made_by", "entry").order_by("pk")


def asked_to_play(person: Person, event: Event) -> Invitation | None:
    """The guest's entry of the event that the person is asked about."""
    if person is None or not person.is_authenticated:
        return None
    return invitations_to(person).filter(event=event, entry__isnull=False).first()


def asked_about(entry: Registration) -> Invitation | None:
    """Which account a guest's entry was offered to last, whatever it answered; for the event's staff."""
    if entry.user_id is not None:
        return None
    found = entry.invitations.exclude(state=State.WITHDRAWN).select_related("user", "made_by")
    return found.order_by("-pk").first()


def invitations_of(event: Event) -> QuerySet[Invitation]:
    """Whom the event's staff waits for, and who declined and has not been asked since; the latest first. For
    organizers."""
    later = Invitation.objects.filter(
        event=OuterRef("event"), user=OuterRef("user"), entry=None, pk__gt=OuterRef("pk")
    )
    joined = Staff.objects.filter(event=OuterRef("event"), user=OuterRef("user"), role=OuterRef("role"))
    told = Q(state=State.OPEN) | (Q(state__in=(State.DECLINED, State.REFUSED)) & ~Exists(later))
    return event.invitations.filter(told & ~Exists(joined), entry=None).select_related("user", "made_by")


def access_asked_about(entry: Registration) -> Invitation:
    """The same, where there is one. Raises NotFound."""
    found = asked_about(entry)
    if found is None:
        raise NotFound(_("invitation"))
    return found


def access_invitation(person: User, pk: int) -> Invitation:
    """One of one's own; others' do not exist. Raises NotFound."""
    return _found(Invitation.objects.filter(user=person, pk=pk))


def access_invitation_of(user: Person, slug: str, pk: int) -> Invitation:
    """One of an event, for its organizers. Raises NotFound, Forbidden."""
    event = access_event(user, slug, ORGANIZERS)
    return _found(Invitation.objects.filter(event=event, entry=None, pk=pk))


def _found(rows: QuerySet[Invitation]) -> Invitation:
    found = rows.select_related("event", "user", "made_by", "entry").first()
    if found is None:
        raise NotFound(_("invitation"))
    return found
