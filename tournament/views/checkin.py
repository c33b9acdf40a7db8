"""Check-in for staff and players, and guests who claim their registration."""

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.errors import Forbidden, NotFound, UserError
from config.live import render_live
from config.text import numbers_in, whole_number
from tournament import services
from tournament.forms.people import CodeForm
from tournament.models import Event, Registration
from tournament.selectors import (
    STAFF,
    access_event,
    access_registration,
    held_roles,
    my_registration,
    require,
)
from tournament.selectors.codes import presence_code
from tournament.selectors.entries import checkin, checkin_is_open
from tournament.selectors.invitations import asked_to_play
from tournament.selectors.overview import event_version
from tournament.views.requests import PersonRequest


@login_required
def check_in(request: PersonRequest, slug: str) -> HttpResponse:
    """Staff: the list at the door. A player: the code to show, and the hall's code to type."""
    event = access_event(request.user, slug)
    if held_roles(request.user, event) & STAFF:
        return _at_the_door(request, event)
    entry = my_registration(request.user, event)
    if entry is None and asked_to_play(request.user, event) is not None:
        return redirect("invitations")
    if entry is None:
        raise Forbidden(
            "not-registered",
            _("You aren’t registered for this event."),
            remedy=_("Register on the event page first."),
        )
    return _on_the_phone(request, event, entry)


def _at_the_door(request: PersonRequest, event: Event) -> HttpResponse:
    problem = None
    if request.method == "POST":
        try:
            return _run(request, event)
        except UserError as error:
            if error.status in (403, 404):
                raise
            problem = error
    query, show = " ".join(request.GET.get("q", "").split())[:80], request.GET.get("show", "")
    response = render_live(
        request,
        page="tournament/check_in.html",
        part="tournament/_check_in_live.html",
        version=event_version(event),
        context=lambda: {
            "event": event,
            "roles": held_roles(request.user, event),
            "list": checkin(event, query, show),
            "open": checkin_is_open(event),
            "query": query,
            "show": show,
            "undo": _undone(request, event),
            "problem": problem,
        },
    )
    response.status_code = problem.status if problem else response.status_code
    return response


def _undone(request: PersonRequest, event: Event) -> list[Registration]:
    """Who was checked in with the last tap, so that it can be taken back as one."""
    ids = numbers_in(request.GET.get("undo", "").split(","))
    return (
        list(event.registrations.filter(pk__in=ids, checked_in_at__isnull=False).order_by("name"))
        if ids
        else []
    )


def _run(request: PersonRequest, event: Event) -> HttpResponse:
    now, by, do = timezone.now(), request.user, request.POST.get("do", "")
    if do in ("all-in", "all-out"):
        ids = numbers_in(request.POST.getlist("all"))
        if do == "all-out":
            services.players_check_out(event=event, ids=ids, by=by, now=now)
            return redirect("check-in", event.slug)
        here = services.players_check_in(event=event, ids=ids, by=by, now=now)
        undo = [entry.pk for entry in here]
        return redirect(
            f"{request.path}?{urlencode({'undo': ','.join(map(str, undo))})}" if undo else request.path
        )
    if do in ("in", "out"):
        pk = request.POST.get("pk", "")
        entry = access_registration(by, event.slug, whole_number(pk) or 0)
        if do == "in":
            services.player_check_in(registration=entry, by=by, now=now)
        else:
            services.player_check_out(registration=entry, by=by, now=now)
        if do == "in":
            return redirect(
                f"{request.path}?{urlencode({'undo': entry.pk, 'show': request.GET.get('show', '')})}"
            )
        return redirect(request.path)
    if do == "open":
        services.checkin_open(event=event, by=by, now=now)
    elif do == "close":
        missing = numbers_in(request.POST.getlist("missing"))
        closed = services.checkin_close(event=event, withdraw_ids=missing, by=by, now=now)
        words = ngettext(
            "Check-in is closed: %(n)s player was withdrawn, %(m)s came from the waiting list.",
            "Check-in is closed: %(n)s players were withdrawn, %(m)s came from the waiting list.",
            closed.withdrawn,
        )
        if not closed.withdrawn and not closed.promoted:
            words = _("Check-in is closed. No one was withdrawn.")
        messages.success(request, words % {"n": closed.withdrawn, "m": len(closed.promoted)})
        return redirect("event-control", event.slug)
    else:
        raise NotFound(_("button"))
    return redirect("check-in", event.slug)


def _on_the_phone(request: PersonRequest, event: Event, entry: Registration) -> HttpResponse:
    form = CodeForm(request.POST or None, initial={"code": request.GET.get("code", "")[:20]})
    if request.method == "POST" and form.is_valid():
        with form.catching():
            services.player_check_in(
                registration=entry, code=form.cleaned_data["code"], by=request.user, now=timezone.now()
            )
            messages.success(request, _("You’re checked in."))
            return redirect("event", event.slug)
    address = reverse("check-in-one", args=[event.slug, entry.pk, presence_code(entry)])
    context = {
        "event": event,
        "entry": entry,
        "roles": held_roles(request.user, event),
        "form": form,
        "open": checkin_is_open(event),
        "address": request.build_absolute_uri(address),
    }
    return render(request, "tournament/check_in_mine.html", context, status=form.status)


@login_required
def check_in_one(request: PersonRequest, slug: str, pk: int, code: str) -> HttpResponse:
    """What a judge's camera opens from a player's phone: who it is, and one button."""
    entry = access_registration(request.user, slug, pk)
    roles = held_roles(request.user, entry.event)
    if not roles & STAFF:
        if request.method == "POST":
            require(request.user, entry.event, STAFF)
        return redirect("check-in", slug)
    problem = None
    if request.method == "POST":
        try:
            services.player_check_in(registration=entry, code=code, by=request.user, now=timezone.now())
            messages.success(request, _("%(name)s is checked in.") % {"name": entry.name})
            return redirect("check-in", slug)
        except UserError as error:
            problem = error
    context = {"event": entry.event, "entry": entry, "roles": roles, "problem": problem}
    return render(request, "tournament/check_in_one.html", context, status=problem.status if problem else 200)


def claim(request: HttpRequest, slug: str, code: str = "") -> HttpResponse:
    """Take over the entry that the staff made, by the code on the slip. Nobody is asked to log in without a reason."""
    if request.user.is_authenticated or request.method == "POST":
        return _claim(request, slug, code)  # type: ignore[arg-type]
    return render(request, "tournament/claim.html", {"event": access_event(request.user, slug)})


@login_required
def _claim(request: PersonRequest, slug: str, code: str) -> HttpResponse:
    event = access_event(request.user, slug)
    form = CodeForm(request.POST or None, initial={"code": code})
    if request.method == "POST" and form.is_valid():
        with form.catching():
            entry = _claimed(request, event, form)
            messages.success(request, _("You are now in this event as %(name)s.") % {"name": entry.name})
            return redirect("event", slug)
    context = {
        "event": event,
        "roles": held_roles(request.user, event),
        "form": form,
        "entry": my_registration(request.user, event),
    }
    return render(request, "tournament/claim.html", context, status=form.status)


def _claimed(request: PersonRequest, event: Event, form: CodeForm) -> Registration:
    try:
        return services.player_claim(
            event=event, code=form.cleaned_data["code"], by=request.user, now=timezone.now()
        )
    except UserError as error:
        if error.status == 404:  # beside the field, with what was typed
            raise UserError(
                error.code, error.message, place="code", remedy=error.remedy, status=404
            ) from error
        raise
