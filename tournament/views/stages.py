"""The cut and the bracket: who advances and why, every game as a picture and in tables."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import Forbidden, NotFound, UserError
from config.live import render_live
from config.text import numbers_in
from tournament import services
from tournament.bracket_words import wave_title
from tournament.forms.events import CutForm
from tournament.models import Event, Stage
from tournament.policy import policy_files
from tournament.selectors import ORGANIZERS, access_event, held_roles, my_registration, policy_of
from tournament.selectors.access import access_registration
from tournament.selectors.flights import flights_of, merged
from tournament.selectors.overview import event_version
from tournament.selectors.stages import (
    BracketView,
    announced,
    bracket_view,
    changed_since_the_cut,
    current_stage,
    cut_is_due,
    cut_preview,
    final_standings,
)
from tournament.swiss.bracket_layout import HEIGHT, WIDTH, Layout, layout
from tournament.swiss.brackets import Game, Part
from tournament.views.requests import PersonRequest


def bracket(request: HttpRequest, slug: str) -> HttpResponse:
    """Before the cut: who would play on by the standings as they are. After it: the bracket."""
    event = access_event(request.user, slug)
    problem, form = None, _announcing(request, event)
    if request.method == "POST":
        try:
            if request.POST.get("do") == "announce" and form is not None:
                return _announced(request, event, form)  # type: ignore[arg-type]
            return _act(request, event)  # type: ignore[arg-type]
        except UserError as error:
            problem = error
    stage = current_stage(event)
    response = render_live(
        request,
        page="tournament/bracket.html",
        part=_part(event, stage),
        version=(
            event_version(event),
            stage and stage.pk,
            [event_version(one) for one in event.flights.all()],
        ),
        context=lambda: {**_context(request, event, stage), "problem": problem, "form": form},
    )
    response.status_code = problem.status if problem else response.status_code
    return response


def _announcing(request: HttpRequest, event: Event) -> CutForm | None:
    """The organizers' form for another cut, as long as none is made."""
    if event.state == Event.State.FINISHED or event.stages.exists() or event.flights.exists():
        return None
    if not held_roles(request.user, event) & ORGANIZERS:
        return None
    sent = request.POST if request.POST.get("do") == "announce" else None
    begin = {
        "cut": "" if event.cut is None else policy_files.cut_words(policy_files.cut_rule(event.cut)),
        "bracket_kind": event.bracket_kind,
    }
    return CutForm(sent, running=event.state == Event.State.RUNNING, initial=begin)


def _announced(request: PersonRequest, event: Event, form: CutForm) -> HttpResponse:
    """Raises UserError for what is wrong; what was typed stays in the form."""
    if form.is_valid():
        with form.catching():
            services.cut_announce(event=event, by=request.user, now=timezone.now(), **form.cleaned_data)
            messages.success(request, _("Announced."))
            return redirect("bracket", event.slug)
    raise form.problem or UserError("invalid", _("Check the fields marked below."))


def _part(event: Event, stage: Stage | None) -> str:
    if stage is not None:
        return "tournament/_bracket_live.html"
    return "tournament/_flights_live.html" if event.flights.exists() else "tournament/_cut_live.html"


def _context(request: HttpRequest, event: Event, stage: Stage | None) -> dict[str, Any]:
    shared = {
        "event": event,
        "roles": held_roles(request.user, event),
        "me": my_registration(request.user, event),
        "policy": policy_of(event),
        "stage": stage,
        "part": _part(event, stage),
    }
    if stage is None and (flights := flights_of(event)):
        players = merged(flights)
        return shared | {"flights": flights, "merged": players, "due": all(one.over for one in flights)}
    if stage is None:
        return shared | {
            "cut": cut_preview(event),
            "due": cut_is_due(event),
            "announced": announced(event),
        }
    view = bracket_view(stage)
    return shared | {
        "view": view,
        "picture": _picture(view),
        "waves": _waves(view),
        "next": wave_title(view.bracket, view.next_wave) if view.next_wave else None,
        "reported": any(tie.match_state and tie.match_state.reports for tie in view.ties),
        "playing": any(round.finished_at is None for round in view.rounds),
        "changed": changed_since_the_cut(view),
    }


def _waves(view: BracketView) -> list[dict[str, Any]]:
    """The rounds in their order; `now`: the one that is played or comes next, the last when all is over."""
    waves = view.waves()
    now = next((wave for wave, ties in waves if any(tie.open for tie in ties)), waves[-1][0])
    return [
        {"title": wave_title(view.bracket, wave), "ties": ties, "now": wave == now, "past": wave < now}
        for wave, ties in waves
    ]


HEADS = 28  # above the picture, for what its columns are called


def _picture(view: BracketView) -> dict[str, Any]:
    placed = layout(view.bracket)
    heads: dict[tuple[int, bool], dict[str, Any]] = {}
    below = min((placed.boxes[game.number][1] for game in view.bracket.games if _is_below(game)), default=0)
    for tie in view.ties:
        x, y = placed.boxes[tie.game.number]
        if tie.game.part is Part.THIRD:
            heads[tie.wave, True] = {"x": x, "y": y - 8, "title": tie.title}
        elif tie.state != "not-needed":
            column = (tie.wave, _is_below(tie.game))
            heads.setdefault(column, {"x": x, "y": below - 8 if column[1] else -8, "title": tie.title})
    boxes = [
        {"tie": tie, "x": placed.boxes[tie.game.number][0], "y": placed.boxes[tie.game.number][1]}
        for tie in view.ties
        if tie.state != "not-needed"
    ]
    return {"width": placed.width, "height": placed.height + HEADS, "top": -HEADS, "lines": placed.lines,
            "boxes": boxes, "heads": heads.values(), "w": WIDTH, "h": HEIGHT, "at": _at(view, placed)}  # fmt: skip


def _at(view: BracketView, placed: Layout) -> int:
    """Up to where the picture is to be seen first: the round that is played, and half of the next."""
    now = next((tie for tie in view.ties if tie.open), view.ties[-1])
    return placed.boxes[now.game.number][0] + WIDTH * 3 // 2


def _is_below(game: Game) -> bool:
    return game.part is Part.LOSERS


def _act(request: PersonRequest, event: Event) -> HttpResponse:
    if not request.user.is_authenticated:
        raise Forbidden("forbidden", _("Log in first."))
    now, by, what = timezone.now(), request.user, request.POST.get("do", "")
    if what == "open":
        seen = numbers_in(request.POST.getlist("seen"))
        services.stage_open(event=event, seen=seen, by=by, now=now)
        messages.success(request, _("The cut has been made and the bracket is open."))
    elif what == "merge":
        seen = numbers_in(request.POST.getlist("seen"))
        services.flights_merge(event=event, seen=seen, by=by, now=now)
        messages.success(request, _("The flights have been merged and the bracket is open."))
    elif what == "join":
        final = access_event(by, request.POST.get("final", "")) if request.POST.get("final") else None
        services.flight_join(flight=event, final=final, by=by, now=now)
    elif what == "close":
        services.event_close(event=event, reason=request.POST.get("reason", ""), by=by, now=now)
    elif what in {"decline", "accept"}:
        entry = access_registration(by, event.slug, _number(request, "player"))
        services.cut_decline(registration=entry, plays_on=what == "accept", by=by, now=now)
    elif (stage := current_stage(event)) is not None and what == "publish":
        services.stage_round(stage=stage, wave=_number(request, "wave"), by=by, now=now)
        messages.success(request, _("The round has been published."))
        return redirect("event-control", event.slug)
    elif stage is not None and what == "withdraw":
        services.stage_withdraw(stage=stage, reason=request.POST.get("reason", ""), by=by, now=now)
    else:
        raise NotFound(_("stage"))
    return redirect("bracket", event.slug)


def _number(request: HttpRequest, name: str) -> int:
    try:
        return int(request.POST.get(name, ""))
    except ValueError:
        raise NotFound(_("player") if name == "player" else _("round")) from None


def final_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Everybody's place in the whole event: the bracket over the Swiss rounds."""
    event = access_event(request.user, slug)
    context = {
        "event": event,
        "roles": held_roles(request.user, event),
        "places": final_standings(event),
        "me": my_registration(request.user, event),
    }
    return render(request, "tournament/final.html", context)
