"""Disputes of matches. The rules app asks here who judges one (settings.DISPUTE_STANDING)."""

from django.db.models import QuerySet

from rules.models import Dispute
from tournament.models import Event, MatchDispute
from tournament.selectors.access import JUDGES, PLAYER, Person, match_roles


def dispute_standing(user: Person, dispute: Dispute) -> str | None:
    """How somebody stands to a dispute: "judge", "party" (sits at the match), "" (has no part).

    A party learns of it once it is ruled. Who sits at the match is a party even as a judge of the event:
    nobody rules on their own game. None when the dispute belongs to no match.
    """
    found = (
        MatchDispute.objects.select_related("match__round__event")
        .prefetch_related("match__seats__registration")
        .filter(dispute=dispute)
        .first()
    )
    if found is None:
        return None
    roles = match_roles(user, found.match)
    if PLAYER in roles:
        return "party" if dispute.rulings.exists() else ""
    return "judge" if roles & JUDGES else ""


def event_disputes(event: Event) -> QuerySet[MatchDispute]:
    """The event's disputes, newest first, with match, filer, adjudications and rulings at hand."""
    return (
        MatchDispute.objects.filter(match__round__event=event)
        .select_related("match__round", "dispute__filed_by")
        .defer("match__round__explanation")
        .prefetch_related("dispute__adjudications", "dispute__rulings")
    )
