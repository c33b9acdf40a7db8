"""Decklists of an event: the organizer's table, a player's decklist and its history, sheets, deck checks."""

from collections import Counter
from datetime import datetime
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import Forbidden, UserError
from decks import selectors as deck_selectors
from decks.views import law_of, sections
from decks.views.drawing import bars
from decks.views.lists import sheet_of
from tournament import services
from tournament.forms.events import ArrangeForm, DeckCheckForm
from tournament.models import Event, Registration
from tournament.selectors import JUDGES, ORGANIZERS, STAFF, access_event, held_roles, require
from tournament.selectors.decklists import (
    access_deck_check,
    access_list,
    card_usage,
    history,
    list_rows,
    may_see_lists,
)
from tournament.views.requests import PersonRequest
from tournament.views.rows import list_lines

FILTERS = ("illegal", "unverified", "legal", "no-deck", "override")


@login_required
def deck_table(request: PersonRequest, slug: str) -> HttpResponse:
    """Every player's list with its verdict, filtered, and which cards are played."""
    event = access_event(request.user, slug)
    if not may_see_lists(request.user, event):
        require(request.user, event, STAFF)
        raise Forbidden("lists-private", _("Decklists are private until they are locked."))
    if request.method == "POST":
        return _act(request, event)
    wanted = request.GET.get("show", "")
    card = " ".join(request.GET.get("card", "").split())[:200]
    entries = list_rows(event)
    held = list_rows(event, holding=card) if card else entries
    counts = Counter(one.standing for one in entries)
    cards, factions, counted = card_usage(event)
    context = {
        "event": event,
        "roles": held_roles(request.user, event),
        "entries": list_lines(event, [one for one in held if not wanted or one.standing == wanted]),
        "counts": [(word, counts[word]) for word in FILTERS],
        "all": len(entries),
        "show": wanted,
        "card": card,
        "cards": cards[:30],
        "factions": bars([(name or _("unknown"), copies) for name, copies in factions]),
        "counted": counted,
    }
    return render(request, "tournament/decks.html", context)


def _act(request: PersonRequest, event: Event) -> HttpResponse:
    do = request.POST.get("do")
    now = timezone.now()
    if do in ("lock", "unlock"):
        services.decks_lock(event=event, locked=do == "lock", by=request.user, now=now)
    elif do == "draw":
        drawn = services.deck_check_draw(event=event, by=request.user)
        messages.success(request, _("Picked at random: %(name)s.") % {"name": drawn.name})
        return redirect("player-list", event.slug, drawn.pk)
    return redirect("event-decks", event.slug)


@login_required
def deck_arrange(request: PersonRequest, slug: str) -> HttpResponse:
    """Who sees lists, until when they come in, and what the event plays differently from its format."""
    event = access_event(request.user, slug, ORGANIZERS)
    law = deck_selectors.format_of(event.format)
    zone = ZoneInfo(event.timezone)
    initial = {
        "visibility": event.list_visibility,
        "due": timezone.localtime(event.decks_due, zone).strftime("%Y-%m-%dT%H:%M")
        if event.decks_due
        else "",
    }
    form = ArrangeForm(request.POST or None, initial=initial, law=law, changes=event.format_changes)
    if request.method == "POST" and form.is_valid():
        with form.catching():
            services.decks_arrange(
                event=event,
                visibility=form.cleaned_data["visibility"],
                due=_in_zone(form.cleaned_data["due"], zone),
                changes=form.changes(),
                by=request.user,
                now=timezone.now(),
            )
            messages.success(request, _("Saved. Submitted decklists were rechecked where a rule changed."))
            return redirect("event-decks", slug)
    context = {"event": event, "roles": held_roles(request.user, event), "form": form, "law": law}
    return render(request, "tournament/deck_arrange.html", context, status=form.status)


def _in_zone(written: datetime | None, zone: ZoneInfo) -> datetime | None:
    """What was typed is the time on the venue's clock."""
    return written.replace(tzinfo=zone) if written else None


def player_list(request: PersonRequest, slug: str, pk: int) -> HttpResponse:
    """One player's list in the event: cards, verdict, hash, and what was handed in when."""
    entry = access_list(request.user, slug, pk)
    roles = held_roles(request.user, entry.event)
    if request.method == "POST":
        return _act_on_list(request, entry)
    context = {
        "event": entry.event,
        "entry": entry,
        "roles": roles,
        "staff": bool(roles & STAFF),
        "judge": bool(roles & JUDGES),
        "history": history(entry),
        "checks": entry.deck_checks.select_related("judge") if roles & STAFF else [],
        "sections": sections(entry.revision.entries) if entry.revision else [],
        **law_of(deck_selectors.format_of(entry.event.format), entry.report.findings if entry.report else []),
    }
    return render(request, "tournament/player_list.html", context)


def _act_on_list(request: PersonRequest, entry: Registration) -> HttpResponse:
    now, do = timezone.now(), request.POST.get("do")
    if do == "check":
        check = services.deck_check_start(registration=entry, by=request.user, now=now)
        return redirect("deck-check-page", entry.event.slug, check.pk)
    if do in ("lock", "unlock"):
        services.decks_lock(
            event=entry.event, registration=entry, locked=do == "lock", by=request.user, now=now
        )
    return redirect("player-list", entry.event.slug, entry.pk)


@login_required
def player_sheet(request: PersonRequest, slug: str, pk: int) -> HttpResponse:
    entry = access_list(request.user, slug, pk)
    if entry.revision is None:
        raise UserError("no-deck", _("This player hasn’t submitted a decklist."), status=404)
    sheet = sheet_of(entry.revision, player=entry.name, event=entry.event.name)
    return render(request, "decks/sheet.html", sheet)


@login_required
def deck_check(request: PersonRequest, slug: str, pk: int) -> HttpResponse:
    """A deck check: the clock, the registered list, what the judge counted, the difference."""
    check = access_deck_check(request.user, slug, pk)
    form = DeckCheckForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with form.catching():
            services.deck_check_finish(
                check=check,
                seen=form.cleaned_data["seen"],
                matches=request.POST.get("do") == "matches",
                note=form.cleaned_data["note"],
                by=request.user,
                now=timezone.now(),
            )
            return redirect("deck-check-page", slug, pk)
    event = check.registration.event
    elapsed = int(((check.finished_at or timezone.now()) - check.started_at).total_seconds())
    context = {
        "event": event,
        "roles": held_roles(request.user, event),
        "check": check,
        "form": form,
        "elapsed": elapsed,
        "minutes": elapsed // 60,
        "sections": sections(check.revision.entries),
        "differences": [{**one, "more": one["after"] - one["before"]} for one in check.differences],
    }
    return render(request, "tournament/deck_check.html", context, status=form.status)
