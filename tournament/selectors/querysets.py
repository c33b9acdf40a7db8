"""Querysets that fetch everything needed to read their rows."""

from typing import Any

from django.db.models import Prefetch, QuerySet

from tournament.models import Match, Registration, Report, Seat

MATCHES: QuerySet[Match] = (
    Match.objects.select_related("round")
    .defer("round__explanation")  # as large as the round: not to be read again with every table
    .prefetch_related(
        Prefetch("seats", Seat.objects.select_related("registration")),
        Prefetch("reports", Report.objects.select_related("by", "seat").order_by("number")),
    )
)
"""Matches with everything `match_state` reads: three queries, however many matches."""


def revisions_held() -> QuerySet[Any]:
    """The lists that stand in events, by their keys (settings.REVISIONS_HELD)."""
    return Registration.objects.filter(revision__isnull=False).values("revision_id")
