"""What the staff looks at: round control, a player's entry, a match, filing a dispute."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from config.live import render_live
from decks import selectors as deck_selectors
from decks.views import law_of, sections
from rules.examples import example_scenario, under_system
from rules.forms import ScenarioForm
from tournament import services
from tournament.forms import OUTCOMES, DecideForm, PlayerForm, ReasonForm
from tournament.models import Event, Match
from tournament.selectors import (
    JUDGES,
    ORGANIZERS,
    STAFF,
    access_event,
    access_match,
    access_registration,
    access_round,
    event_disputes,
    match_roles,
    match_state,
    policy_of,
    roles_of,
)
from tournament.selectors.decklists import may_see_lists
from tournament.selectors.overview import disputes_version, event_version, round_control
from tournament.views.people import PersonRequest


@login_required
def control(request: PersonRequest, slug: str) -> HttpResponse:
    """One sentence, one button: pair, decide, wait, finish."""
    event = access_event(request.user, slug, roles=STAFF)
    problem = None
    if request.method == "POST":
        try:
            return _run(request, event)
        except UserError as error:
            problem = error
    roles = roles_of(request.user, event)
    disputes = event_disputes(event) if roles & JUDGES else event_disputes(event).none()
    response = render_live(
        request,
        page="tournament/control.html",
        part="tournament/_control_live.html",
        version=(event_version(event), disputes_version(disputes)),
        context=lambda: {
            "event": event,
            "roles": roles,
            "control": round_control(event),
            "disputes": disputes,
            "problem": problem,
            "log": event.audit_rows.select_related("actor")[:8],
        },
    )
    response.status_code = problem.status if problem else response.status_code
    return response


def _run(request: PersonRequest, event: Event) -> HttpResponse:
    now = timezone.now()
    try:
        number = int(request.POST.get("number", ""))
    except ValueError:
        raise NotFound(_("round")) from None
    if request.POST.get("do") == "finish":
        round = access_round(request.user, event.slug, number, roles=ORGANIZERS)
        services.round_finish(round=round, by=request.user, now=now)
        messages.success(request, _("Round %(number)s is finished.") % {"number": number})
    else:
        round = services.round_pair(event=event, by=request.user, number=number, now=now)
        messages.success(request, _("Round %(number)s is published.") % {"number": round.number})
    return redirect("event-control", event.slug)


@login_required
def player_new(request: PersonRequest, slug: str) -> HttpResponse:
    event = access_event(request.user, slug, roles=STAFF)
    form = PlayerForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with form.catching():
            entry = services.player_register(
                event=event, user=None, by=request.user, now=timezone.now(), **form.cleaned_data
            )
            messages.success(request, _("%(name)s is registered.") % {"name": entry.name})
            return redirect("player-new", event.slug)
    context = {"event": event, "roles": roles_of(request.user, event), "form": form}
    return render(request, "tournament/player_new.html", context, status=form.status)


@login_required
def player(request: PersonRequest, slug: str, pk: int) -> HttpResponse:
    """A player's entry with its list and report: for that player and for staff."""
    entry = access_registration(request.user, slug, pk)
    form = ReasonForm(request.POST or None) if request.POST.get("do") == "admit" else ReasonForm()
    problem = None
    if request.method == "POST":
        try:
            if request.POST.get("do") == "drop":
                services.player_drop(registration=entry, by=request.user, now=timezone.now())
                return redirect("event-players", slug)
            if form.is_valid():
                services.deck_register(
                    registration=entry,
                    revision=entry.revision,
                    override=form.cleaned_data["reason"],
                    by=request.user,
                    now=timezone.now(),
                )
                return redirect("player", slug, pk)
        except UserError as error:
            problem = error
    findings = entry.report.findings if entry.report else []
    context = {
        "event": entry.event,
        "entry": entry,
        "roles": roles_of(request.user, entry.event),
        "form": form,
        "problem": problem,
        "may_see": entry.user_id == request.user.pk or may_see_lists(request.user, entry.event),
        "sections": sections(entry.revision.entries) if entry.revision else [],
        **law_of(deck_selectors.format_of(entry.event.format), findings),
    }
    status = problem.status if problem else form.status
    return render(request, "tournament/player.html", context, status=status)


@login_required
def match_page(request: PersonRequest, pk: int) -> HttpResponse:
    """A match for staff and for who sits at it: reports, decision, disputes."""
    match = access_match(request.user, pk, roles=[*STAFF, "player"])
    event = match.round.event
    roles = match_roles(request.user, match)
    state = match_state(match)
    form = DecideForm(request.POST or None, choices=_results(event, match))
    if request.method == "POST" and form.is_valid():
        with form.catching():
            services.result_decide(match=match, by=request.user, now=timezone.now(), **form.cleaned_data)
            messages.success(request, _("The result stands."))
            return redirect("match", pk)
    context = {
        "event": event,
        "match": match,
        "state": state,
        "reports": [_report_words(report, state) for report in state.reports],
        "roles": roles,
        "staff": bool(roles & STAFF),
        "form": form,
        "disputes": _disputes(match, roles),
        "may_judge": bool(roles & JUDGES),
    }
    return render(request, "tournament/match.html", context, status=form.status)


def _disputes(match: Match, roles: set[str]) -> list[Any]:
    """The match's disputes: all for judges, for its players those with a ruling."""
    found = match.match_disputes.select_related("dispute").prefetch_related("dispute__rulings")
    return [one.dispute for one in found if roles & JUDGES or one.dispute.rulings.all()]


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
    return [(outcome.value, words[outcome.value]) for outcome in policy_of(event).outcomes]


def _report_words(report: Any, state: Any) -> dict[str, Any]:
    """One report as a sentence about side 1's player, whoever gave it."""
    who = report.seat.registration.name if report.seat else _("%(name)s (staff)") % {"name": report.by}
    return {
        "who": who,
        "what": OUTCOMES[report.outcome],
        "of": state.seats[0].registration.name,
        "reason": report.reason,
        "at": report.reported_at,
        "staff": report.seat is None,
    }


@login_required
def dispute_new(request: PersonRequest, pk: int) -> HttpResponse:
    """State the facts of a dispute at a table; the engine applies the law."""
    match = access_match(request.user, pk, roles=JUDGES)
    form = ScenarioForm(request.POST or None, initial={"source": example_scenario()})
    if request.method == "POST" and form.is_valid():
        with form.catching():
            filed = services.dispute_file(
                match=match,
                by=request.user,
                title=form.cleaned_data["title"],
                source=under_system(form.cleaned_data["source"], form.cleaned_data["system"]),
                now=timezone.now(),
            )
            return redirect("dispute", filed.dispute_id)
    event = match.round.event
    context = {"event": event, "match": match, "form": form, "roles": roles_of(request.user, event)}
    return render(request, "tournament/dispute_new.html", context, status=form.status)
