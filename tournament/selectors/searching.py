"""Filters lists of events and of players."""

from datetime import date

from django.db.models import Q, QuerySet

from tournament.models import Event, Registration
from tournament.selectors.access import Person


def events_where(
    user: Person,
    *,
    state: str = "",
    format: str = "",
    q: str = "",
    since: date | None = None,
    mine: bool = False,
) -> QuerySet[Event]:
    """Events, the latest first. q: part of the name or venue; since: not before that day; mine: where the asker plays
    or works."""
    found = Event.objects.select_related("created_by")
    if state:
        found = found.filter(state=state)
    if format:
        found = found.filter(format=format)
    if q:
        found = found.filter(Q(name__icontains=q) | Q(venue__icontains=q))
    if since is not None:
        found = found.filter(starts_on__gte=since)
    if mine:
        pk = user.pk if user is not None and user.is_authenticated else None
        found = found.filter(Q(registrations__user=pk) | Q(staff__user=pk)).distinct() if pk else found.none()
    return found


def entries_where(event: Event, *, state: str = "", q: str = "", club: str = "") -> QuerySet[Registration]:
    """An event's entries, by name. q: part of the name."""
    found = event.registrations.all()
    if state:
        found = found.filter(state=state)
    if club:
        found = found.filter(club__iexact=club)
    return found.filter(name__icontains=q) if q else found
