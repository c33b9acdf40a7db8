"""Who is banned from an event."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from config.errors import NotFound
from tournament.models import Ban, Event
from tournament.selectors.access import HEAD_JUDGES, Person, require


def bans_of(event: Event) -> QuerySet[Ban]:
    """Bans in force, the latest first."""
    return event.bans.filter(lifted_at=None).select_related("user", "by")


def access_ban(user: Person, slug: str, pk: int) -> Ban:
    """A ban, for the head judge and organizers. Raises NotFound, Forbidden."""
    found = Ban.objects.select_related("event", "user").filter(event__slug=slug, pk=pk).first()
    if found is None:
        raise NotFound(_("ban"))
    require(user, found.event, HEAD_JUDGES)
    return found
