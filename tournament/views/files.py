"""Files of an event: the whole event, tables, other programs' formats; and importing an event or a list of players."""

from datetime import date
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from config.live import render_live
from decks import selectors as deck_selectors
from tournament import services
from tournament.files.names import Named
from tournament.forms.files import EventFileForm, NamesForm
from tournament.models import Event, FileImport
from tournament.selectors import ORGANIZERS, STAFF, access_event, exports, held_roles
from tournament.selectors.imports import access_import, address_of, import_progress
from tournament.services.outside.imports import names_read
from tournament.views.requests import PersonRequest


@login_required
def event_files(request: PersonRequest, slug: str) -> HttpResponse:
    """What can be taken away."""
    event = access_event(request.user, slug, ORGANIZERS)
    context = {"event": event, "roles": held_roles(request.user, event), "tables": list(exports.TABLES)}
    return render(request, "tournament/files.html", context)


@login_required
def event_file(request: PersonRequest, slug: str, name: str) -> HttpResponse:
    """One file, by its name (selectors.exports.file_of)."""
    event = access_event(request.user, slug, ORGANIZERS)
    text, media = exports.file_of(request.user, event, name, bom="bom" in request.GET)
    headers = {"Content-Disposition": f'attachment; filename="{event.slug}-{name}"'}
    return HttpResponse(text, content_type=f"{media}; charset=utf-8", headers=headers)


@login_required
def event_read(request: PersonRequest) -> HttpResponse:
    """Make an event of a file: ours, a tournament report file or an NRTM file. First it is shown (file_import)."""
    form = EventFileForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        with form.catching():
            shown = services.event_import_look(
                source=form.text(),
                guessed=form.guessed,
                slug=form.cleaned_data["slug"],
                policy_key=form.cleaned_data["policy_key"],
                by=request.user,
                now=timezone.now(),
            )
            return redirect("import", shown.pk)
    return render(request, "tournament/event_read.html", {"form": form}, status=form.status)


@login_required
def players_read(request: PersonRequest, slug: str) -> HttpResponse:
    """A pasted or uploaded list of players: first what would happen, then it happens."""
    event = access_event(request.user, slug, STAFF)
    form = NamesForm(request.POST or None, request.FILES or None)
    preview: list[tuple[Named, str]] = []
    if request.method == "POST" and form.is_valid():
        with form.catching():
            if request.POST.get("do") == "enter":
                asked = services.players_import_ask(
                    event=event, source=form.text(), by=request.user, now=timezone.now()
                )
                return redirect("import", asked.pk)
            preview = _preview(event, names_read(form.text()))
    context: dict[str, Any] = {
        "event": event,
        "roles": held_roles(request.user, event),
        "form": form,
        "preview": preview,
        "enters": sum(not why for _one, why in preview),
        "text": form.text() if preview else "",
    }
    return render(request, "tournament/players_read.html", context, status=form.status)


@login_required
def file_import(request: PersonRequest, pk: int) -> HttpResponse:
    """A file on its way in: what would be made of it, how far it is, then what came of it."""
    found, problem = access_import(request.user, pk), None
    if request.method == "POST":
        try:
            if request.POST.get("do") == "discard":
                services.event_import_discard(job=found, by=request.user, now=timezone.now())
                return redirect("event-read")
            if request.POST.get("do", "read") != "read":
                raise NotFound(_("button"))
            services.event_import_confirm(
                job=found, slug=request.POST.get("slug", "").strip(), by=request.user, now=timezone.now()
            )
            return redirect("import", pk)
        except UserError as error:
            problem = error
    progress = import_progress(found)
    response = render_live(
        request,
        page="tournament/import.html",
        part="tournament/_import_live.html",
        version=(found.pk, found.state, progress),
        context=lambda: {
            "job": found,
            "done": progress[0],
            "total": progress[1],
            "problem": problem,
            **_address(request, found),
            **_shown(found),
        },
    )
    response.status_code = problem.status if problem else response.status_code
    return response


def _address(request: PersonRequest, job: FileImport) -> dict[str, Any]:
    """What the event's address would be, and whether another event has it."""
    address = request.POST.get("slug", "").strip() or address_of(job)
    return {"address": address, "taken": bool(address) and Event.objects.filter(slug=address).exists()}


def _shown(job: FileImport) -> dict[str, Any]:
    """The words for what is not in the file itself."""
    if job.seen is None:
        return {}
    return {
        "seen": job.seen,
        "day": date.fromisoformat(job.seen["starts_on"]),
        "format": deck_selectors.formats()[job.seen["format"]].title,
    }


def _preview(event: Event, named: list[Named]) -> list[tuple[Named, str]]:
    """(the line, why it is left out) of every line."""
    known = {name.casefold() for name in event.registrations.values_list("name", flat=True)}
    words = {
        "empty": _("no name"),
        "long": _("too long"),
        "unprintable": _("unprintable characters"),
        "twice": _("is already listed above"),
        "columns": _("more than name, club and pronouns: name the columns in the first line"),
    }
    return [
        (one, words.get(one.problem) or (_("is already registered") if one.name.casefold() in known else ""))
        for one in named
    ]
