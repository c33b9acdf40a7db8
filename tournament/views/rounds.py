"""Running rounds: the control page, the draft of the next round, entering slips by keyboard."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from config.live import is_poll, render_live
from config.outbox import answer_outbox, is_from_outbox
from config.text import whole_number
from tournament import services
from tournament.bracket_words import round_words
from tournament.forms.events import SlipForm
from tournament.models import Event, Match, Registration, Round
from tournament.selectors import (
    ORGANIZERS,
    STAFF,
    access_event,
    access_match,
    access_round,
    by_hand,
    current_round,
    disputes_judged,
    draft_of,
    drift,
    held_roles,
    match_state,
    pairing_words,
    policy_of,
    round_matches,
    round_seeds,
    round_story,
    shown_clock,
)
from tournament.selectors.audit_log import lately
from tournament.selectors.calls import waiting_calls
from tournament.selectors.deadlines import clock_phase, quiet_seconds, unreported
from tournament.selectors.overview import Control, disputes_version, event_version, round_control
from tournament.selectors.pairing_reasons import why_paired
from tournament.selectors.repairs import repair_plan
from tournament.selectors.rulings import open_appeals, party_of
from tournament.selectors.stages import current_stage
from tournament.views.log_lines import log_lines
from tournament.views.play import offers
from tournament.views.requests import PersonRequest, whole
from tournament.views.rows import open_lines
from tournament.words import result_words


@login_required
def control(request: PersonRequest, slug: str) -> HttpResponse:
    """One sentence, one button: pair, publish, decide, wait, finish; and the clock."""
    event = access_event(request.user, slug, roles=STAFF)
    problem = None
    if request.method == "POST":
        try:
            return _run(request, event)
        except UserError as error:
            problem = error
    roles = held_roles(request.user, event)
    disputes = disputes_judged(request.user, event)
    round = current_round(event)
    response = render_live(
        request,
        page="tournament/control.html",
        part="tournament/_control_live.html",
        version=(event_version(event), disputes_version(disputes), clock_phase(round, timezone.now())),
        quiet=quiet_seconds(round, timezone.now()),
        context=lambda: {
            **_control(event, roles),
            "disputes": disputes,
            "disputes_due": any(not one.dispute.rulings.all() for one in disputes),
            "appeals": [one for one in open_appeals(event) if party_of(request.user, one.match) is None],
            "problem": problem,
            "polled": is_poll(request),
        },
    )
    response.status_code = problem.status if problem else response.status_code
    return response


def _control(event: Event, roles: set[str]) -> dict[str, Any]:
    control = round_control(event, organizer=bool(roles & ORGANIZERS))
    round, now = control.round, timezone.now()
    return {
        "event": event,
        "roles": roles,
        "keeps_clock": bool(roles & services.CLOCK_KEEPERS),
        "control": control,
        "open_lines": open_lines(control.open, control.extensions),
        "now": now,
        "due": unreported(round, now) if round and round.finished_at is None else [],
        "policy": policy_of(event),
        "calls": waiting_calls(event),
        "log": log_lines(event, lately(event)),
    }


def _run(request: PersonRequest, event: Event) -> HttpResponse:
    by, now, do = request.user, timezone.now(), request.POST.get("do", "")
    if do in ("pair", "draft"):
        arguments: dict[str, Any] = {
            "event": event,
            "by": by,
            "number": whole(request, "number"),
            "now": now,
        }
        if do == "draft":
            services.round_draft(**arguments)
            return redirect("round-draft", event.slug)
        round = services.round_pair(start_clock="clock" in request.POST, **arguments)
        messages.success(request, _("Round %(number)s has been published.") % {"number": round.number})
        return redirect("event-control", event.slug)
    if do == "stage":
        stage = current_stage(event)
        if stage is None:
            raise NotFound(_("stage"))
        round = services.stage_round(stage=stage, wave=whole(request, "wave"), by=by, now=now)
        messages.success(request, _("%(round)s: published.") % {"round": round_words(round)})
        return redirect("event-control", event.slug)
    round = _shown_round(event)
    reason = request.POST.get("reason", "")
    verbs: dict[str, Callable[[], Any]] = {
        "finish": lambda: services.round_finish(round=round, by=by, now=now),
        "take-back": lambda: services.round_unpublish(round=round, reason=reason, by=by, now=now),
        "nudge": lambda: services.round_nudge(round=round, by=by, now=now),
        "resolve": lambda: services.round_resolve(round=round, by=by, now=now),
        "start": lambda: services.clock_start(round=round, by=by, now=now),
        "pause": lambda: services.clock_pause(round=round, by=by, now=now),
        "add": lambda: services.clock_add(
            round=round, minutes=whole(request, "minutes"), reason=reason, by=by, now=now
        ),
    }
    if do not in verbs:
        raise NotFound(_("button"))
    verbs[do]()
    if do == "take-back":
        messages.success(request, _("Round %(number)s is a draft again.") % {"number": round.number})
        return redirect("round-draft", event.slug)
    if do == "nudge":
        messages.success(request, _("Players who haven’t reported now see a reminder."))
    if do == "finish":
        messages.success(request, _("%(round)s: ended.") % {"round": round_words(round)})
    return redirect("event-control", event.slug)


@login_required
def draft(request: PersonRequest, slug: str) -> HttpResponse:
    """The next round before players see it: look, change, publish."""
    event = access_event(request.user, slug, roles=ORGANIZERS)
    round = draft_of(event)
    if round is None:
        return redirect("event-control", slug)
    round.event = event
    problem = None
    if request.method == "POST":
        try:
            return _change(request, round)
        except UserError as error:
            problem = error
            round = draft_of(event) or round
            round.event = event
    matches = round_matches(round)
    words, hand = pairing_words(round, matches), by_hand(round)
    rows = [
        {
            "match": match,
            "seats": list(match.seats.all()),
            "why": words[match.pk],
            "by_hand": _is_by_hand(match, hand),
        }
        for match in matches
    ]
    context = {
        "event": event,
        "roles": held_roles(request.user, event),
        "round": round,
        "rows": rows,
        "players": Registration.objects.filter(seats__round=round).order_by("name"),
        "drift": drift(round),
        "round_seeds": round_seeds(round),
        "story": round_story(round),
        "policy": policy_of(event),
        "problem": problem,
    }
    return render(request, "tournament/draft.html", context, status=problem.status if problem else 200)


def _change(request: PersonRequest, round: Round) -> HttpResponse:
    by, now, do = request.user, timezone.now(), request.POST.get("do", "")
    edition, reason = whole(request, "edition"), request.POST.get("reason", "")
    looked_at: dict[str, Any] = {"round": round, "edition": edition, "by": by, "now": now}
    if do == "publish":
        services.round_publish(start_clock="clock" in request.POST, **looked_at)
        messages.success(request, _("Round %(number)s has been published.") % {"number": round.number})
        return redirect("event-control", round.event.slug)
    if do == "discard":
        services.round_discard(round=round, by=by, now=now)
        messages.success(request, _("The draft has been discarded. Its random seed is kept."))
        return redirect("event-control", round.event.slug)
    if do == "renew":
        services.round_renew(round=round, by=by, now=now)
    elif do == "redraw":
        services.round_redraw(reason=reason, **looked_at)
    elif do == "swap":
        first, second = whole(request, "first"), whole(request, "second")
        services.seats_swap(first=first, second=second, reason=reason, **looked_at)
    elif do == "move":
        services.table_move(
            table=whole(request, "table"), to=whole(request, "to"), reason=reason, **looked_at
        )
    else:
        raise NotFound(_("button"))
    return redirect("round-draft", round.event.slug)


def _is_by_hand(match: Match, hand: set[frozenset[int | None]]) -> bool:
    players: list[int | None] = [seat.registration_id for seat in match.seats.all()]
    return frozenset(players if len(players) > 1 else [*players, None]) in hand


@login_required
def repair(request: PersonRequest, slug: str) -> HttpResponse:
    """A published round whose basis was corrected: the fewest tables to change, before anybody presses."""
    event = access_event(request.user, slug, roles=ORGANIZERS)
    round = _shown_round(event)
    round.event = event
    given = request.POST if request.method == "POST" else request.GET
    clock_counts = "not-begun" not in given
    problem = None
    if request.method == "POST":
        try:
            services.round_repair(
                round=round,
                mark=request.POST.get("mark", ""),
                reason=request.POST.get("reason", ""),
                clock_counts=clock_counts,
                by=request.user,
                now=timezone.now(),
            )
            messages.success(request, _("The tables are changed. Their players see it on their phones."))
            return redirect("event-control", slug)
        except UserError as error:
            problem = error
    context = {
        "event": event,
        "roles": held_roles(request.user, event),
        "round": round,
        "plan": repair_plan(round, clock_counts=clock_counts),
        "clock": shown_clock(round),
        "clock_counts": clock_counts,
        "problem": problem,
    }
    return render(request, "tournament/repair.html", context, status=problem.status if problem else 200)


@login_required
def slips(request: PersonRequest, slug: str) -> HttpResponse:
    """Slips by keyboard: table, result, Enter, the next one."""
    event = access_event(request.user, slug, roles=STAFF)
    form = SlipForm(request.POST or None)
    if is_from_outbox(request):
        return answer_outbox(request, lambda: {"done": _slip(request, event, form)})
    if request.method == "POST" and form.is_valid():
        with form.catching():
            messages.success(request, _slip(request, event, form))
            return redirect("slips", slug)
    response = render_live(
        request,
        page="tournament/slips.html",
        part="tournament/_slips_live.html",
        version=event_version(event),
        context=lambda: {**_slips(event), "roles": held_roles(request.user, event), "form": form},
    )
    response.status_code = form.status if form.is_bound else response.status_code
    return response


def _slips(event: Event) -> dict[str, Any]:
    control: Control = round_control(event, organizer=False)
    return {
        "event": event,
        "control": control,
        "open_lines": open_lines(control.open),
        "policy": policy_of(event),
        "offers": offers(event),
    }


def _slip(request: PersonRequest, event: Event, form: SlipForm) -> str:
    """Enter what was typed, into the round that the page showed; the result in words. Raises UserError."""
    said = form.checked()
    number = request.POST.get("round")
    report = services.result_enter(
        round=access_round(request.user, event.slug, whole(request, "round"), STAFF)
        if number
        else _shown_round(event),
        table=said["table"],
        by=request.user,
        now=timezone.now(),
        **said["result"],
    )
    match = access_match(request.user, report.match_id)
    told = {"table": said["table"], "result": result_words(match_state(match))}
    return _("Table %(table)s: %(result)s.") % told


def _shown_round(event: Event) -> Round:
    round = current_round(event)
    if round is None:
        raise NotFound(_("round"))
    return round


def why(request: HttpRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Why a player meets whom they meet, in the pairing's own numbers, and why not somebody else."""
    round = access_round(request.user, slug, number)
    event = round.event
    other = request.GET.get("other", "")
    problem = None
    try:
        found = why_paired(round, pk, whole_number(other, 9))
    except UserError as error:
        if error.status == 404:
            raise
        problem = error
        found = why_paired(round, pk)
    context = {
        "event": event,
        "roles": held_roles(request.user, event),
        "round": round,
        "why": found,
        "problem": problem,
        "players": Registration.objects.filter(seats__round=round).exclude(pk=pk).order_by("name"),
        "swiss": round.stage_id is None,
        "story": round_story(round),
        "round_seeds": round_seeds(round),
    }
    return render(request, "tournament/why.html", context, status=problem.status if problem else 200)
