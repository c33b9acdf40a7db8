"""Disputes at matches. The rules app asks here who judges one (settings.DISPUTE_STANDING)."""

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from rules.models import Dispute
from tournament.models import Event, MatchDispute, Seat, Staff
from tournament.selectors.access import JUDGES, PLAYER, Person, match_roles, roles_of


def dispute_standing(user: Person, dispute: Dispute) -> str | None:
    """How somebody stands to a dispute: "judge", "party" (sits at the match), "" (has no part).

    A party learns of it once it is ruled. Who sits at the match is a party even as a judge of the event:
    nobody rules on their own game. None when the dispute belongs to no match.
    """
    of_it = MatchDispute.objects.filter(dispute_id=dispute.pk)
    asker = user.pk if user is not None else None
    staff = Staff.objects.filter(event=OuterRef("match__round__event"), user=asker)
    sits = Seat.objects.filter(match=OuterRef("match"), registration__user=asker)
    concerned = (
        of_it.annotate(concerned=Exists(staff) | Exists(sits)).values_list("concerned", flat=True).first()
    )
    if not concerned:  # told at once: the time it takes must not tell that there is a dispute
        return None if concerned is None else ""
    found = (
        of_it.select_related("match__round__event")
        .defer("match__round__explanation")
        .prefetch_related("match__seats__registration")
        .get()
    )
    roles = match_roles(user, found.match)
    if PLAYER in roles:
        return "party" if dispute.rulings.exists() else ""
    return "judge" if roles & JUDGES else ""


def disputes_judged(user: Person, event: Event) -> QuerySet[MatchDispute]:
    """Those of the event's disputes that somebody may know of as a judge: none of a match they sit at."""
    if not roles_of(user, event) & JUDGES:
        return event_disputes(event).none()
    return event_disputes(event).exclude(match__seats__registration__user=user.pk if user else None)


def dispute_budget(dispute: Dispute) -> int:
    """Positions the engine may explore for the dispute: as its event says, else the service's own number."""
    found = MatchDispute.objects.filter(dispute=dispute).values_list(
        "match__round__event__adjudication_budget", flat=True
    )
    return found.first() or settings.ADJUDICATION_BUDGET


def dispute_in_a_round(dispute: Dispute) -> bool:
    """Whether it arose at a table of a round that is being played."""
    return MatchDispute.objects.filter(dispute=dispute, match__round__finished_at=None).exists()


def event_disputes(event: Event) -> QuerySet[MatchDispute]:
    """The event's disputes, newest first, with match, filer, adjudications and rulings at hand."""
    return (
        MatchDispute.objects.filter(match__round__event=event)
        .select_related("match__round", "dispute__filed_by")
        .defer("match__round__explanation")
        .prefetch_related("dispute__adjudications", "dispute__rulings")
    )
