"""Events as everybody sees them: list, page, making one, registering for one."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.live import render_live
from decks import format_files
from decks import services as deck_services
from decks.selectors import access_deck, decks_of, latest_revision
from tournament import policy_files, services
from tournament.forms import EventForm, RegisterForm
from tournament.models import Event, Registration
from tournament.selectors import (
    access_event,
    my_registration,
    policy_of,
    roles_of,
    staff_of,
)
from tournament.selectors.overview import event_version, events_with_players, next_step


def event_list(request: HttpRequest) -> HttpResponse:
    events = events_with_players()[:200]
    groups = [
        (_("Now and soon"), [event for event in events if event.state != Event.State.FINISHED]),
        (_("Over"), [event for event in events if event.state == Event.State.FINISHED]),
    ]
    return render(request, "tournament/event_list.html", {"groups": groups})


@login_required
def event_new(request: HttpRequest) -> HttpResponse:
    form = EventForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with form.catching():
            event = services.event_create(by=request.user, now=timezone.now(), **form.cleaned_data)
            return redirect("event-control", event.slug)
    return render(request, "tournament/event_new.html", {"form": form}, status=form.status)


def event_page(request: HttpRequest, slug: str) -> HttpResponse:
    event = access_event(request.user, slug)

    def context() -> dict[str, Any]:
        return {
            "event": event,
            "roles": roles_of(request.user, event),
            "step": next_step(request.user, event),
            "players": event.registrations.filter(state=Registration.State.ACTIVE).count(),
            "rounds": event.rounds.all(),
            "staff": staff_of(event),
            "policy": policy_of(event),
            "format": format_files.format_of(event.format),
        }

    return render_live(
        request,
        page="tournament/event.html",
        part="tournament/_event_live.html",
        version=event_version(event),
        context=context,
    )


@login_required
def register(request: HttpRequest, slug: str) -> HttpResponse:
    """Enter the event, or hand in another list while registration is open."""
    event = access_event(request.user, slug)
    entry = my_registration(request.user, event)
    decks = [deck for deck in decks_of(request.user) if deck.format == event.format]
    form = RegisterForm(request.POST or None, request.FILES or None, decks=decks, event=event, entered=entry)
    if request.method == "POST" and form.is_valid():
        with form.catching():
            _enter(request, event, entry, form)
            messages.success(request, _("Your list is registered.") if form.has_list else _("You are registered."))
            return redirect("event", event.slug)
    context = {"event": event, "entry": entry, "form": form, "decks": decks, "policy": policy_of(event)}
    context["roles"] = roles_of(request.user, event)
    return render(request, "tournament/register.html", context, status=form.status)


def _enter(request: HttpRequest, event: Event, entry: Registration | None, form: RegisterForm) -> None:
    now = timezone.now()
    revision = None
    if deck := form.cleaned_data.get("deck"):
        revision = latest_revision(access_deck(request.user, int(deck)))
    elif form.has_list:
        revision = deck_services.deck_submit(
            owner=request.user,
            name=form.cleaned_data["name"] or event.name,
            format=event.format,
            **form.given(),
            on=event.format_on,
            now=now,
        )
    if entry is None:
        services.player_register(event=event, user=request.user, revision=revision, by=request.user, now=now)
    else:
        services.deck_register(registration=entry, revision=revision, by=request.user, now=now)
