"""A match's file for its judges: both statements, advice, notes, rulings."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import Forbidden, NotFound, UserError
from config.live import render_live
from config.text import whole_number
from rules.selectors import access_adjudication
from tournament import services
from tournament.models import JudgeCall, Match, Registration, Remark
from tournament.selectors import access_match, roles_of
from tournament.selectors.calls import open_call
from tournament.selectors.overview import event_version
from tournament.selectors.remarks import remarks_for, require_judge_at, statements_for
from tournament.selectors.rulings import rulings_at
from tournament.views.requests import PersonRequest

Kind = Remark.Kind


@login_required
def match_file(request: PersonRequest, pk: int) -> HttpResponse:
    """Everything said about a match, for the event's judges who do not sit at it."""
    match = access_match(request.user, pk)
    require_judge_at(request.user, match)
    problem = None
    if request.method == "POST":
        try:
            said(request, match)
            return redirect("match-file", pk)
        except (Forbidden, NotFound):
            raise
        except UserError as error:
            problem = error
    event = match.round.event
    response = render_live(
        request,
        page="tournament/match_file.html",
        part="tournament/_file_live.html",
        version=event_version(event),
        context=lambda: {
            "event": event,
            "roles": roles_of(request.user, event),
            "match": match,
            "call": open_call(match),
            "problem": problem,
            "typed": request.POST.get("text", "") if problem else "",
            **told_about(request, match),
        },
    )
    response.status_code = problem.status if problem else response.status_code
    return response


def told_about(request: PersonRequest, about: Match | JudgeCall) -> dict[str, Any]:
    """What a page shows of the file of a match, or of a call from a table without one."""
    match = about if isinstance(about, Match) else about.match
    found: dict[str, Any] = {
        "consult": remarks_for(request.user, about, Kind.CONSULT),
        "notes": remarks_for(request.user, about, Kind.NOTE),
    }
    if match is None:
        return found
    return found | {
        "statements": statements_for(request.user, match),
        "given": list(rulings_at(match)),
        "runs": [
            (filed.dispute, job)
            for filed in match.match_disputes.select_related("dispute").prefetch_related(
                "dispute__adjudications"
            )
            for job in filed.dispute.adjudications.all()
            if job.answer is not None
        ],
    }


def said(request: PersonRequest, about: Match | JudgeCall) -> None:
    """Store what was posted: a statement taken down, a consultation, a note. Raises UserError."""
    who: dict[str, Any] = {"by": request.user, "now": timezone.now()}
    text, do = request.POST.get("text", ""), request.POST.get("do", "")
    if do == "statement":
        match = about if isinstance(about, Match) else about.match
        if match is None:
            raise NotFound(_("match"))
        entry = Registration.objects.filter(pk=_whole(request, "player"), seats__match=match).first()
        services.statement_make(match=match, text=text, registration=entry, **who)
        return
    run = _whole(request, "run")
    job = access_adjudication(request.user, run, judging=True) if run else None
    services.remark_make(about=about, kind=do, text=text, adjudication=job, **who)


def _whole(request: PersonRequest, name: str) -> int:
    given = request.POST.get(name, "")
    return whole_number(given) or 0
