"""One match as event staff see it: reports, result, time extensions, disputes and rulings."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from rules.models import Ruling
from tournament import services
from tournament.forms.events import OUTCOMES, DecideForm, ExtensionForm
from tournament.models import Event, Match
from tournament.selectors import (
    JUDGES,
    PLAYER,
    STAFF,
    access_match,
    extension_of,
    match_roles,
    match_state,
    policy_of,
    shown_clock,
)
from tournament.selectors.calls import open_call
from tournament.selectors.remarks import is_judge_at
from tournament.selectors.rulings import rulings_at
from tournament.selectors.stages import DECISIVE
from tournament.views.requests import PersonRequest


@login_required
def match_page(request: PersonRequest, pk: int) -> HttpResponse:
    """A match for staff and for who sits at it: reports, decision, disputes."""
    match = access_match(request.user, pk, roles=[*STAFF, "player"])
    event = match.round.event
    roles = match_roles(request.user, match)
    state = match_state(match)
    posted = request.POST.get("do", "decide") if request.method == "POST" else ""
    form = DecideForm(
        request.POST if posted == "decide" else None,
        choices=_results(event, match),
        counts_games=policy_of(event).counts_games,
    )
    extend = ExtensionForm(request.POST if posted == "extend" else None)
    now = timezone.now()
    if posted == "decide" and form.is_valid():
        with form.catching():
            services.result_decide(match=match, by=request.user, now=now, **form.cleaned_data)
            messages.success(request, _("The result has been saved."))
            return redirect("match", pk)
    if posted == "extend" and extend.is_valid():
        with extend.catching():
            services.time_extend(match=match, by=request.user, now=now, **extend.cleaned_data)
            messages.success(request, _("The table has a time extension."))
            return redirect("match", pk)
    under_way = match.table is not None and match.round.finished_at is None
    context = {
        "event": event,
        "match": match,
        "state": state,
        "reports": [_report_words(report, state) for report in state.reports],
        "roles": roles,
        "staff": bool(roles & STAFF),
        "form": form,
        "extend": extend if under_way and roles & JUDGES else None,
        "clock": shown_clock(match.round) if match.table is not None else None,
        "extensions": match.extensions.select_related("by"),
        "extension": extension_of(match),
        "now": now,
        "disputes": _disputes(match, roles),
        "call": open_call(match),
        "may_judge": is_judge_at(request.user, match),
        "given": [one for one in rulings_at(match) if one.ruling.event_side != Ruling.EventSide.NONE]
        if roles & {*JUDGES, PLAYER}
        else [],
    }
    return render(request, "tournament/match.html", context, status=max(form.status, extend.status))


def _disputes(match: Match, roles: set[str]) -> list[Any]:
    """The match's disputes: all for judges, for its players (be they judges or not) those with a ruling."""
    found = match.match_disputes.select_related("dispute").prefetch_related("dispute__rulings")
    judging = roles & JUDGES and PLAYER not in roles
    return [one.dispute for one in found if judging or one.dispute.rulings.all()]


def _results(event: Event, match: Match) -> list[tuple[str, str]]:
    """Every result of the policy in words with names, seen from side 1."""
    names = [seat.registration.name for seat in match.seats.all()]
    if len(names) < 2:
        return []
    first, second = names
    words = {
        "win": _("%(name)s won") % {"name": first},
        "timed-win": _("%(name)s won on time") % {"name": first},
        "draw": _("Draw"),
        "timed-loss": _("%(name)s won on time") % {"name": second},
        "loss": _("%(name)s won") % {"name": second},
        "double-loss": _("Both lost"),
    }
    possible = [one for one in policy_of(event).outcomes if match.game is None or one in DECISIVE]
    return [(outcome.value, words[outcome.value]) for outcome in possible]


def _report_words(report: Any, state: Any) -> dict[str, Any]:
    """One report as a sentence about side 1's player, whoever gave it."""
    who = report.seat.registration.name if report.seat else _("%(name)s (event staff)") % {"name": report.by}
    return {
        "who": who,
        "what": OUTCOMES[report.outcome],
        "games": report.games
        and "\u2013".join(map(str, report.games if report.games[2] else report.games[:2])),
        "of": state.seats[0].registration.name,
        "report": report,
    }
