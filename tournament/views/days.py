"""The cut between two days: who plays the second, before and after it is made."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import Forbidden, UserError
from config.text import numbers_in
from tournament import services
from tournament.bracket_words import cut_sentence
from tournament.models import Event
from tournament.selectors import access_event, held_roles, my_registration, policy_of
from tournament.selectors.stages import second_day_is_due, second_day_preview, second_day_rows
from tournament.selectors.standings import first_day_rounds
from tournament.views.requests import PersonRequest


def second_day(request: HttpRequest, slug: str) -> HttpResponse:
    """Who would play on by the standings as they are; organizers settle it. Afterwards who does."""
    event = access_event(request.user, slug)
    cut, problem = second_day_preview(event), None
    if request.method == "POST":
        try:
            return _act(request, event)  # type: ignore[arg-type]
        except UserError as error:
            problem = error
    settled = event.second_day_at is not None
    context = {
        "event": event,
        "roles": held_roles(request.user, event),
        "me": my_registration(request.user, event),
        "rule": cut_sentence(cut.rule),
        "law": policy_of(event).two_days,
        "cut": cut,
        "rows": second_day_rows(event) if settled else cut.rows,
        "rounds": first_day_rounds(event),
        "due": second_day_is_due(event),
        "begun": settled and event.rounds.filter(number__gt=first_day_rounds(event)).exists(),
        "problem": problem,
    }
    status = problem.status if problem else 200
    return render(request, "tournament/second_day.html", context, status=status)


def _act(request: PersonRequest, event: Event) -> HttpResponse:
    if not request.user.is_authenticated:
        raise Forbidden("forbidden", _("Log in to do this."))
    by, now = request.user, timezone.now()
    if request.POST.get("do") == "withdraw":
        reason = request.POST.get("reason", "")
        services.second_day_withdraw(event=event, reason=reason, by=by, now=now)
        messages.success(request, _("The cut has been undone."))
        return redirect("second-day", event.slug)
    seen = numbers_in(request.POST.getlist("seen"))
    services.second_day_open(event=event, seen=seen, by=by, now=now)
    messages.success(request, _("The cut is made. Pair the first round of the second day when it begins."))
    return redirect("event-control", event.slug)
