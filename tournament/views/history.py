"""A player's own history over all events."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from config.errors import NotFound
from tournament.selectors.exports import history_file
from tournament.selectors.history import history
from tournament.views.requests import PersonRequest
from tournament.views.rows import outcome_word


@login_required
def my_history(request: PersonRequest) -> HttpResponse:
    """My events with places, my record, and how I did against everybody I met (?against=: an entry of theirs)."""
    mine = history(request.user)
    chosen = None
    if asked := request.GET.get("against", ""):
        chosen = next((one for one in mine.opponents if str(one.key) == asked), None)
        if chosen is None:
            raise NotFound(_("opponent"))
    meetings = [(one, outcome_word(one.outcome.value)) for one in (chosen.meetings if chosen else ())]
    context = {"history": mine, "chosen": chosen, "meetings": meetings}
    return render(request, "tournament/history.html", context)


@login_required
def my_history_file(request: PersonRequest, name: str) -> HttpResponse:
    """My history as matches.csv or history.json."""
    text, media = history_file(request.user, name, bom="bom" in request.GET)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type=f"{media}; charset=utf-8", headers=headers)
