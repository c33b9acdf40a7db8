"""Series of events: the standings for everyone, and editing for the owner."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from tournament import services
from tournament.forms.series import SeriesForm, words_of_steps
from tournament.models import Event, Registration, Series
from tournament.selectors import access_event
from tournament.selectors.exports import series_file
from tournament.selectors.series import (
    access_series,
    events_of,
    events_to_add,
    may_run,
    members_of,
    require_owner,
    scale_of,
    series_table,
)
from tournament.views.requests import PersonRequest, whole


def series_list(request: HttpRequest) -> HttpResponse:
    """Every series, the latest first."""
    return render(request, "tournament/series_list.html", {"all_series": Series.objects.all()[:200]})


def series_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The table: who leads, with the points from each event."""
    series = access_series(slug)
    table = series_table(series)
    context = {
        "series": series,
        "table": table,
        "coming": [one for one in events_of(series) if one.state != Event.State.FINISHED],
        "scale": scale_of(series),
        "steps": [line.split(": ") for line in words_of_steps(scale_of(series)).split("\n")],
        "mine": may_run(request.user, series),
    }
    return render(request, "tournament/series.html", context)


def series_download(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """The table as table.csv or table.json."""
    text, media = series_file(access_series(slug), name, bom="bom" in request.GET)
    headers = {"Content-Disposition": f'attachment; filename="{slug}-{name}"'}
    return HttpResponse(text, content_type=f"{media}; charset=utf-8", headers=headers)


@login_required
def series_new(request: PersonRequest) -> HttpResponse:
    form = SeriesForm(request.POST or None, new=True)
    if request.method == "POST" and form.is_valid():
        with form.catching():
            series = services.series_make(by=request.user, now=timezone.now(), **form.cleaned_data)
            return redirect("series-edit", series.slug)
    return render(request, "tournament/series_new.html", {"form": form}, status=form.status)


@login_required
def series_edit(request: PersonRequest, slug: str) -> HttpResponse:
    """For the owner: points, events, and which entries are one person's."""
    series = access_series(slug)
    require_owner(request.user, series)
    scale = scale_of(series)
    said = {"name": series.name, "steps": words_of_steps(scale), "others": scale.others, "best": scale.best}
    form = SeriesForm(request.POST if request.POST.get("do") == "save" else None, initial=said, new=False)
    problem = None
    if request.method == "POST":
        try:
            if _changed(request, series, form):
                return redirect("series-edit", slug)
        except UserError as error:
            if error.status == 404:
                raise
            problem = error
    members = members_of(series, events_of(series))
    context = {
        "series": series,
        "form": form,
        "problem": problem or form.problem,
        "events": events_of(series),
        "more": events_to_add(request.user, series),
        "members": sorted(members.items(), key=lambda one: one[1].name.casefold()),
        "joined": series.joined.select_related("one__event", "other__event").order_by("pk"),
    }
    status = problem.status if problem else form.status
    return render(request, "tournament/series_edit.html", context, status=status)


def _changed(request: PersonRequest, series: Series, form: SeriesForm) -> bool:
    """Do what was asked; whether it is done. Raises UserError."""
    do, by = request.POST.get("do", ""), request.user
    if do == "save":
        if not form.is_valid():
            return False
        with form.catching():
            services.series_change(series=series, by=by, **form.cleaned_data)
            messages.success(request, _("Saved."))
        return not form.errors and form.problem is None
    if do in ("add", "leave-out"):
        event = access_event(by, request.POST.get("event", ""))
        change: Any = services.series_add if do == "add" else services.series_leave_out
        change(series=series, event=event, by=by)
    elif do == "join":
        one, other = (_entry(request, name) for name in ("one", "other"))
        services.players_join(series=series, one=one, other=other, by=by, now=timezone.now())
        messages.success(request, _("They count as one player now."))
    elif do == "part":
        joined = series.joined.filter(pk=whole(request, "pk")).first()
        if joined is None:
            raise NotFound(_("registration"))
        services.players_part(joined=joined, by=by)
    else:
        raise UserError("unknown", _("Choose what to do."), place="do")
    return True


def _entry(request: PersonRequest, name: str) -> Registration:
    found = Registration.objects.filter(pk=whole(request, name)).first()
    if found is None:
        raise NotFound(_("registration"))
    return found
