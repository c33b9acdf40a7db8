"""Penalties of an event and of a player; deck checks done and still to do."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import Forbidden, NotFound, UserError
from config.text import whole_number
from tournament import services
from tournament.forms.events import ReasonForm
from tournament.forms.judging import PenaltyForm
from tournament.models import Event, Match, Penalty
from tournament.selectors import JUDGES, STAFF, access_event, access_match, access_registration, held_roles
from tournament.selectors.coverage import checks_of, coverage
from tournament.selectors.penalties import (
    access_penalty,
    by_category,
    guide_of,
    history_of,
    may_deviate,
    offer_of,
    penalties_of,
    suggestions,
)
from tournament.views.requests import PersonRequest


@login_required
def event_penalties(request: PersonRequest, slug: str) -> HttpResponse:
    """Every penalty of the event, for staff, and whom to give the next."""
    event = access_event(request.user, slug, STAFF)
    query = " ".join(request.GET.get("q", "").split())[:80]
    found = event.registrations.filter(name__icontains=query)[:20] if query else []
    context = {
        "event": event,
        "roles": held_roles(request.user, event),
        "rows": penalties_of(event).filter(revokes=None),
        "query": query,
        "found": found,
    }
    return render(request, "tournament/penalties.html", context)


@login_required
def player_penalties(request: PersonRequest, slug: str, pk: int) -> HttpResponse:
    """A player's penalties, for the player and staff; for judges the form that gives the next."""
    entry = access_registration(request.user, slug, pk)
    event = entry.event
    roles = held_roles(request.user, event)
    judge = bool(roles & JUDGES) and entry.user_id != request.user.pk
    found = suggestions(entry) if judge else []
    form = _form(request, event, found) if judge else None
    if request.method == "POST":
        if form is None:
            raise Forbidden("forbidden", _("Only a judge can give penalties."))
        if form.is_valid():
            with form.catching():
                given = services.penalty_issue(
                    registration=entry, by=request.user, now=timezone.now(), **form.cleaned_data
                )
                messages.success(request, _("Saved: %(what)s.") % {"what": _told(given)})
                return redirect("penalty" if offer_of(given) else "player-penalties", slug, _where(given))
    context = {
        "event": event,
        "entry": entry,
        "roles": roles,
        "rows": history_of(entry).filter(revokes=None),
        "form": form,
    }
    return render(request, "tournament/player_penalties.html", context, status=form.status if form else 200)


def _where(given: Penalty) -> int:
    return given.pk if offer_of(given) else given.registration_id


def _told(penalty: Penalty) -> str:
    return f"{penalty.infraction_title}, {penalty.level_title or _('no penalty')}"


def _form(request: PersonRequest, event: Event, found: list[Any]) -> PenaltyForm:
    groups = by_category(event, found)
    return PenaltyForm(
        request.POST or None,
        groups=groups,
        levels=guide_of(event).levels,
        deviate=may_deviate(request.user, event),
    )


@login_required
def penalty_page(request: PersonRequest, slug: str, pk: int) -> HttpResponse:
    """One penalty: what it asks for, entering that, and taking it back."""
    penalty = access_penalty(request.user, slug, pk)
    entry = penalty.registration
    roles = held_roles(request.user, entry.event)
    form = ReasonForm(request.POST if request.POST.get("do") == "revoke" else None)
    problem = None
    if request.method == "POST":
        try:
            if _did(request, penalty, form):
                return redirect("penalty", slug, pk)
        except (Forbidden, NotFound):
            raise
        except UserError as error:
            problem = error
    context = {
        "event": entry.event,
        "penalty": penalty,
        "entry": entry,
        "roles": roles,
        "staff": bool(roles & STAFF),
        "may_revoke": _may_revoke(request, penalty, roles),
        "offer": offer_of(penalty) if roles & STAFF else None,
        "form": form,
        "problem": problem,
    }
    return render(
        request, "tournament/penalty.html", context, status=problem.status if problem else form.status
    )


def _may_revoke(request: PersonRequest, penalty: Penalty, roles: set[str]) -> bool:
    if hasattr(penalty, "revoked_by") or penalty.registration.user_id == request.user.pk:
        return False
    mine = penalty.by_id == request.user.pk and bool(roles & JUDGES)
    return mine or may_deviate(request.user, penalty.registration.event)


def _did(request: PersonRequest, penalty: Penalty, form: ReasonForm) -> bool:
    now, by, do = timezone.now(), request.user, request.POST.get("do")
    offer = offer_of(penalty)
    if do == "revoke" and form.is_valid():
        services.penalty_revoke(penalty=penalty, reason=form.cleaned_data["reason"], by=by, now=now)
        messages.success(request, _("The penalty has been revoked. Results entered for it are kept."))
    elif do == "enter" and offer is not None and offer.outcome:
        match: Match = access_match(by, offer.match.pk, STAFF)
        services.result_decide(match=match, outcome=offer.outcome, reason=offer.reason, by=by, now=now)
        messages.success(request, _("The result has been entered."))
    elif do == "drop":
        services.player_drop(registration=penalty.registration, by=by, now=now)
        messages.success(
            request, _("%(name)s has been removed from the event.") % {"name": penalty.registration.name}
        )
    else:
        return False
    return True


@login_required
def deck_checks(request: PersonRequest, slug: str) -> HttpResponse:
    """How many decks were checked, and a table drawn by lot for the next check."""
    event = access_event(request.user, slug, STAFF)
    roles = held_roles(request.user, event)
    problem = None
    drawn: Match | None = None
    if request.method == "POST":
        try:
            if request.POST.get("do") == "start":
                return _start(request, event)
            drawn = services.table_check_draw(event=event, by=request.user)
        except (Forbidden, NotFound):
            raise
        except UserError as error:
            problem = error
    context = {
        "event": event,
        "roles": roles,
        "judge": bool(roles & JUDGES),
        "coverage": coverage(event),
        "checks": checks_of(event),
        "drawn": drawn,
        "players": [seat.registration for seat in drawn.seats.all()] if drawn else [],
        "problem": problem,
    }
    return render(request, "tournament/deck_checks.html", context, status=problem.status if problem else 200)


def _start(request: PersonRequest, event: Event) -> HttpResponse:
    given = request.POST.get("match", "")
    pk = whole_number(given) or 0
    match = access_match(request.user, pk, JUDGES)
    if match.round.event_id != event.pk:
        raise NotFound(_("match"))
    services.table_check_start(match=match, by=request.user, now=timezone.now())
    return redirect("event-deck-checks", event.slug)
