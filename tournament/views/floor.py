"""The tables of the current round in three densities, and the audit log."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from config.live import is_poll, render_live
from config.text import whole_number
from tournament.selectors import HEAD_JUDGES, STAFF, access_event, current_round, held_roles, shown_clock
from tournament.selectors.audit_log import KINDS, searched
from tournament.selectors.deadlines import clock_phase, quiet_seconds
from tournament.selectors.floor import SHOWS, floor, floor_counts
from tournament.selectors.overview import event_version
from tournament.views.log_lines import log_lines, verbs_like
from tournament.views.requests import PersonRequest
from tournament.views.rows import floor_cells

DENSITIES = {"dense": _("Numbers"), "names": _("Names"), "full": _("Everything")}
AT_A_GLANCE = 48  # tables; more are shown as numbers, unless asked for otherwise
WORDS = {
    "all": _("All tables"),
    "open": pgettext_lazy("tables of a round", "Open"),
    "look": _("Needs a judge"),
    "reported": _("One report"),
    "settled": _("With a result"),
    "extended": _("Time extension"),
}

LOG_WORDS = {
    "": _("Everything"),
    "players": _("Players"),
    "rounds": _("Rounds"),
    "results": _("Results"),
    "decklists": _("Decklists"),
    "judging": _("Judging"),
    "event": _("Event and staff"),
}


@login_required
def tables(request: PersonRequest, slug: str) -> HttpResponse:
    """Every table and what it wants, as small or as large as one likes to see it."""
    event = access_event(request.user, slug, STAFF)
    round = current_round(event)
    asked = request.GET.get("as")
    show = _one_of(request.GET.get("show"), SHOWS, "all")

    def context() -> dict[str, Any]:
        everything = floor(event, round) if round else []
        density = _one_of(asked, DENSITIES, "names" if len(everything) <= AT_A_GLANCE else "dense")
        counts = floor_counts(everything)
        return {
            "event": event,
            "roles": held_roles(request.user, event),
            "round": round,
            "density": density,
            "densities": DENSITIES.items(),
            "show": show,
            "shows": [(key, WORDS[key], counts[key]) for key in SHOWS],
            "tables": floor_cells([table for table in everything if show in table.kinds], density),
            "clock": shown_clock(round),
            "now": timezone.now(),
            "polled": is_poll(request),
        }

    return render_live(
        request,
        page="tournament/floor.html",
        part="tournament/_floor_live.html",
        version=(event_version(event), clock_phase(round, timezone.now())),
        quiet=quiet_seconds(round, timezone.now()),
        context=context,
    )


@login_required
def log(request: PersonRequest, slug: str) -> HttpResponse:
    """Who did what, when and why; any word of it finds it, and it is narrowed to a kind."""
    event = access_event(request.user, slug, HEAD_JUDGES)
    query = " ".join(request.GET.get("q", "").split())[:80]
    kind = _one_of(request.GET.get("kind"), KINDS, "")
    before = request.GET.get("before", "")
    older = whole_number(before)
    found = searched(event, query, kind=kind, verbs=verbs_like(query), before=older)
    context = {
        "event": event,
        "roles": held_roles(request.user, event),
        "query": query,
        "kind": kind,
        "kinds": LOG_WORDS.items(),
        "older": found.older,
        "newest": not before,
        "lines": log_lines(event, found),
    }
    return render(request, "tournament/log.html", context)


def _one_of(given: str | None, known: Any, usual: str) -> str:
    return given if given is not None and given in known else usual
