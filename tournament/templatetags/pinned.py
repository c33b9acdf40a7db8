"""What stays in view while a judge works on a match: the table, the players, the clock, both statements."""

from typing import Any

from django import template
from django.utils import timezone

from tournament.models import Match
from tournament.selectors import extension_of, shown_clock
from tournament.selectors.remarks import is_judge_at, statements_for

register = template.Library()


@register.inclusion_tag("tournament/_pinned.html", takes_context=True)
def pinned(context: dict[str, Any], match: Match | None) -> dict[str, Any]:
    """The strip above a judge's work; nothing for anybody who does not judge the match."""
    request = context["request"]
    if match is None or not is_judge_at(request.user, match):
        return {"match": None}
    return {
        "match": match,
        "event": match.round.event,
        "seats": [seat.registration for seat in match.seats.select_related("registration")],
        "statements": statements_for(request.user, match),
        "clock": shown_clock(match.round) if match.table is not None else None,
        "extension": extension_of(match),
        "now": timezone.now(),
        "request": request,
    }
