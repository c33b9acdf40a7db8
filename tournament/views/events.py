"""Events as everyone sees them: the list, an event's page, creating one, registering for one."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import UserError
from config.live import render_live
from decks import selectors as deck_selectors
from decks import services as deck_services
from decks.models import LegalityReport, Revision
from decks.selectors import access_deck, decks_of, latest_revision
from decks.views import law_of
from tournament import services
from tournament.forms.events import EventForm, FormatForm, RegisterForm, Usual, with_usual
from tournament.models import Event, Registration, Series
from tournament.selectors import (
    STAFF,
    access_event,
    held_roles,
    my_registration,
    policy_of,
    staff_of,
)
from tournament.selectors.duties import duties
from tournament.selectors.entries import watches
from tournament.selectors.invitations import asked_to_play
from tournament.selectors.overview import event_version, events_found, next_step
from tournament.selectors.stages import announced
from tournament.views.requests import PersonRequest


def event_list(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "").strip()[:80]
    events = events_found(query)[:200]
    groups = [
        (_("Now and soon"), [event for event in events if event.state != Event.State.FINISHED]),
        (_("Over"), [event for event in events if event.state == Event.State.FINISHED]),
    ]
    titles = {key: format.title for key, format in deck_selectors.formats().items()}
    context = {"groups": groups, "titles": titles, "query": query}
    part = request.headers.get("HX-Target") == "found"
    return render(request, "tournament/_event_groups.html" if part else "tournament/event_list.html", context)


@login_required
def event_new(request: PersonRequest) -> HttpResponse:
    sent, usual = with_usual(request.POST or request.GET)
    if chosen := format_chosen(request, EventForm(initial=sent.dict()), usual):
        return chosen
    form = EventForm(sent if request.method == "POST" else None)
    form.usual = usual
    if request.method == "POST" and usual is None and form.is_valid():
        with form.catching():
            event = services.event_create(by=request.user, now=timezone.now(), **form.cleaned_data)
            return redirect("event-control", event.slug)
    return render(request, "tournament/event_new.html", {"form": form}, status=form.status)


def format_chosen(
    request: HttpRequest,
    form: FormatForm,
    usual: Usual | None,
    context: Mapping[str, Any] = MappingProxyType({}),
) -> HttpResponse | None:
    """The answer to a script that asks what goes with the format just chosen."""
    if request.method != "GET" or "HX-Request" not in request.headers:
        return None
    form.usual = usual
    return render(request, "tournament/_format_fields.html", {**context, "form": form})


def event_page(request: HttpRequest, slug: str) -> HttpResponse:
    event = access_event(request.user, slug)

    def context() -> dict[str, Any]:
        return {
            "event": event,
            "roles": held_roles(request.user, event),
            "step": next_step(request.user, event),
            "duty": duties([event], request.user)[event.pk]
            if held_roles(request.user, event) & STAFF
            else None,
            "invitations": [asked] if (asked := asked_to_play(request.user, event)) else [],
            "players": event.registrations.filter(state=Registration.State.ACTIVE).count(),
            "waiting": event.registrations.filter(state=Registration.State.WAITING).count(),
            "watching": watches(request.user, event),
            "rounds": event.rounds.published(),
            "staff": staff_of(event),
            "all_series": Series.objects.filter(events=event),
            "policy": policy_of(event),
            "announced": announced(event),
            "format": deck_selectors.format_of(event.format),
            "guests": event.state != Event.State.FINISHED
            and my_registration(request.user, event) is None
            and event.registrations.filter(user=None).exists(),
        }

    return render_live(
        request,
        page="tournament/event.html",
        part="tournament/_event_live.html",
        quiet=settings.LIVE_QUIET_SECONDS,
        version=event_version(event),
        context=context,
    )


@login_required
def register(request: PersonRequest, slug: str) -> HttpResponse:
    """Enter the event, or hand in another list while registration is open."""
    event = access_event(request.user, slug)
    entry = my_registration(request.user, event)
    decks = [deck for deck in decks_of(request.user) if deck.format == event.format]
    form = RegisterForm(request.POST or None, request.FILES or None, decks=decks)
    verdict: dict[str, Any] = {"empty": True}
    if request.method == "POST" and form.is_valid():
        with form.catching():
            _enter(request, event, entry, form)
            return redirect("event", event.slug)
        verdict = _findings(event, form)
    context = {
        "event": event,
        "roles": held_roles(request.user, event),
        "entry": entry,
        "form": form,
        "decks": decks,
        "policy": policy_of(event),
        "closed": services.why_closed(event, entry, timezone.now()) if entry and _plays(entry) else "",
        "changes": json.dumps(event.format_changes),
        "see": verdict,
    }
    return render(request, "tournament/register.html", context, status=form.status)


def _plays(entry: Registration) -> bool:
    return entry.state not in (Registration.State.WITHDRAWN, Registration.State.DROPPED)


def _enter(request: PersonRequest, event: Event, entry: Registration | None, form: RegisterForm) -> None:
    now = timezone.now()
    revision = None if request.POST.get("do") == "later" else _revision(request, event, form)
    if entry is None or not _plays(entry):
        entered = services.player_register(
            event=event, user=request.user, revision=revision, by=request.user, now=now
        )
        waits = entered.state == Registration.State.WAITING
        messages.success(request, _("You are on the waiting list.") if waits else _("You’re registered."))
    else:
        services.deck_register(registration=entry, revision=revision, by=request.user, now=now)
        messages.success(request, _("Your decklist is registered."))


def _revision(request: PersonRequest, event: Event, form: RegisterForm) -> Revision | None:
    """The latest list of the chosen deck, or the new list, which is kept as a deck only when it may be played."""
    if deck := form.cleaned_data["deck"]:
        return latest_revision(access_deck(request.user, int(deck)))
    if not form.has_list:
        return None
    given = form.given()
    _deck_list, report = deck_services.list_check(
        format=event.format, on=event.format_on, overrides=event.format_changes, **given
    )
    if report.verdict == LegalityReport.Verdict.ILLEGAL:
        raise UserError(
            "illegal-deck",
            _("This decklist isn’t legal here, so you haven’t been registered."),
            remedy=_("Fix the problems below and submit again, or register now and submit a decklist later."),
            details={"findings": [finding.as_json() for finding in report.findings]},
        )
    return deck_services.deck_submit(
        owner=request.user,
        name=form.cleaned_data["name"] or event.name,
        format=event.format,
        on=event.format_on,
        now=timezone.now(),
        **given,
    )


def _findings(event: Event, form: RegisterForm) -> dict[str, Any]:
    """What the verdict's template needs to show why a list was refused."""
    findings = form.problem.details.get("findings") if form.problem else None
    if not findings:
        return {"empty": True}
    law = law_of(deck_selectors.format_of(event.format), findings)
    return {"empty": False, "verdict": "illegal", "findings": findings, **law}
