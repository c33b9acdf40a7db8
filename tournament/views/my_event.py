"""A player's own page of an event."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from config.errors import NotFound
from tournament.models import Event
from tournament.selectors import access_event, held_roles, my_registration
from tournament.selectors.my_event import my_rounds, news
from tournament.selectors.overview import event_version
from tournament.selectors.penalties import standing_penalties
from tournament.selectors.standings import standings_at
from tournament.views.requests import PersonRequest
from tournament.views.rows import outcome_word


@login_required
def my_event(request: PersonRequest, slug: str) -> HttpResponse:
    """My results, my place, my penalties, my list, and what others did that I should know."""
    event = access_event(request.user, slug)
    entry = my_registration(request.user, event)
    if entry is None:
        raise NotFound(_("registration"))
    entry.event = event
    rows = standings_at(event, event_version(event)) if event.state != Event.State.REGISTRATION else []
    context = {
        "event": event,
        "roles": held_roles(request.user, event),
        "entry": entry,
        "row": next((row for row in rows if row.registration.pk == entry.pk), None),
        "of": len(rows),
        "rounds": [
            (match, state, opponent, outcome_word(outcome, alone=opponent is None))
            for match, state, opponent, outcome in my_rounds(entry)
        ],
        "news": news([entry]),
        "penalties": standing_penalties(entry.penalties.all()),
    }
    return render(request, "tournament/mine.html", context)
