"""What players look at while the event runs: my match, pairings, standings, players."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from config.live import render_live
from tournament import services
from tournament.forms import OUTCOMES
from tournament.models import Event, Match, Registration
from tournament.selectors import (
    STAFF,
    access_event,
    access_round,
    current_match,
    current_round,
    event_disputes,
    match_state,
    my_registration,
    pairing_words,
    policy_of,
    roles_of,
    round_matches,
    standings,
)
from tournament.selectors.decklists import deck_hashes
from tournament.selectors.overview import disputes_version, event_version, next_step
from tournament.swiss import BYE, Outcome
from tournament.views.people import PersonRequest


@login_required
def my_match(request: PersonRequest, slug: str) -> HttpResponse:
    """The table, the opponent, the report. A refused report is said on the same page."""
    event = access_event(request.user, slug)
    problem = None
    if request.method == "POST":
        try:
            return _act(request, event)
        except UserError as error:
            problem = error
    response = render_live(
        request,
        page="tournament/my_match.html",
        part="tournament/_my_match_live.html",
        version=(event_version(event), disputes_version(event_disputes(event))),
        context=lambda: {**_my_match(request, event), "problem": problem},
    )
    response.status_code = problem.status if problem else response.status_code
    return response


def _act(request: PersonRequest, event: Event) -> HttpResponse:
    now = timezone.now()
    if request.POST.get("do") == "drop":
        if (entry := my_registration(request.user, event)) is None:
            raise NotFound(_("registration"))
        services.player_drop(registration=entry, by=request.user, now=now)
        messages.success(request, _("You have dropped from the event. Thank you for playing."))
        return redirect("event", event.slug)
    if (match := current_match(request.user, event)) is None:
        raise NotFound(_("match"))
    services.result_report(match=match, by=request.user, outcome=request.POST.get("outcome", ""), now=now)
    return redirect("my-match", event.slug)


def _my_match(request: PersonRequest, event: Event) -> dict[str, Any]:
    step = next_step(request.user, event)
    context: dict[str, Any] = {"event": event, "step": step, "roles": roles_of(request.user, event)}
    if step.match is None or step.registration is None:
        return context
    state = match_state(step.match)
    side = next(seat.side for seat in state.seats if seat.registration_id == step.registration.pk)
    hashes = deck_hashes(step.match)
    return context | {
        "match": step.match,
        "state": state,
        "hashes": [
            (seat.registration.name, hashes[seat.registration_id])
            for seat in state.seats
            if seat.registration_id in hashes
        ],
        "mine": _said(state.latest(side), side),
        "theirs": _said(state.latest(3 - side), side),
        "decided": _said(state.latest(None), side),
        "settled": OUTCOMES.get(Outcome(state.outcome_for(step.registration)))  # type: ignore[arg-type]
        if state.settled and state.outcome
        else None,
        "offers": _offers(event),
        "ruled": step.match.match_disputes.filter(dispute__rulings__isnull=False).distinct(),
    }


def _offers(event: Event) -> dict[str, bool]:
    """Which results the policy has points for."""
    return {outcome.name.lower(): outcome in policy_of(event).outcomes for outcome in Outcome}


def _said(report: Any, side: int) -> Any:
    """A report in words, seen from `side`."""
    if report is None:
        return None
    outcome = Outcome(report.outcome)
    return {"outcome": OUTCOMES[outcome if side == 1 else outcome.mirrored], "reason": report.reason}


def pairings(request: HttpRequest, slug: str, number: int | None = None) -> HttpResponse:
    """A round's pairings by name (each pairing twice, so that everybody finds themselves) or by table."""
    event = access_event(request.user, slug)
    latest = current_round(event)
    round = access_round(request.user, slug, number) if number is not None else latest

    def context() -> dict[str, Any]:
        matches = round_matches(round) if round else []
        by_table = request.GET.get("by") == "table"
        query = request.GET.get("q", "").strip()
        rows = _by_table(matches, pairing_words(round) if round else {}) if by_table else _by_name(matches)
        if query:
            rows = [row for row in rows if query.casefold() in row["names"].casefold()]
        return {
            "event": event,
            "roles": roles_of(request.user, event),
            "round": round,
            "rounds": event.rounds.all(),
            "latest": latest,
            "rows": rows,
            "by_table": by_table,
            "query": query,
            "me": my_registration(request.user, event),
        }

    return render_live(
        request,
        page="tournament/pairings.html",
        part="tournament/_pairings_live.html",
        version=(event_version(event), round and round.pk),
        context=context,
    )


def _by_name(matches: list[Match]) -> list[dict[str, Any]]:
    rows = []
    for match in matches:
        state = match_state(match)
        for seat in state.seats:
            other = next((one for one in state.seats if one.side != seat.side), None)
            rows.append(
                {
                    "match": match,
                    "state": state,
                    "player": seat.registration,
                    "opponent": other and other.registration,
                    "names": seat.registration.name,
                    "result": _result_word(state, seat.registration),
                }
            )
    return sorted(rows, key=lambda row: row["player"].name.casefold())


def _by_table(matches: list[Match], words: dict[int, str]) -> list[dict[str, Any]]:
    rows = []
    for match in matches:
        state = match_state(match)
        players = [seat.registration for seat in state.seats]
        rows.append(
            {
                "match": match,
                "state": state,
                "player": players[0],
                "opponent": players[1] if len(players) > 1 else None,
                "names": " ".join(player.name for player in players),
                "why": words.get(players[0].pk, ""),
                "result": _result_word(state, players[0]),
            }
        )
    return rows


def _result_word(state: Any, registration: Registration) -> object:
    code = state.outcome_for(registration)
    return None if code is None else _("bye") if code == BYE else OUTCOMES[Outcome(code)]


def standings_page(request: HttpRequest, slug: str) -> HttpResponse:
    event = access_event(request.user, slug)

    def context() -> dict[str, Any]:
        return {
            "event": event,
            "roles": roles_of(request.user, event),
            "rows": standings(event),
            "policy": policy_of(event),
            "round": current_round(event),
            "me": my_registration(request.user, event),
        }

    return render_live(
        request,
        page="tournament/standings.html",
        part="tournament/_standings_live.html",
        version=event_version(event),
        context=context,
    )


def standing_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """How one player's numbers come about: every round, every opponent, every formula."""
    event = access_event(request.user, slug)
    rows = {row.registration.pk: row for row in standings(event)}
    if (row := rows.get(pk)) is None:
        raise NotFound(_("player"))
    lines = [
        {"line": line, "opponent": rows.get(line.opponent or 0), "word": _code_word(line.code)}
        for line in row.record.lines
    ]
    context = {
        "event": event,
        "roles": roles_of(request.user, event),
        "row": row,
        "lines": lines,
        "policy": policy_of(event),
    }
    return render(request, "tournament/standing.html", context)


def _code_word(code: str) -> object:
    return _("bye") if code == BYE else OUTCOMES[Outcome(code)]


def players(request: HttpRequest, slug: str) -> HttpResponse:
    event = access_event(request.user, slug)
    roles = roles_of(request.user, event)
    context = {
        "event": event,
        "roles": roles,
        "staff": bool(roles & STAFF),
        "players": event.registrations.select_related("report", "user"),
        "me": my_registration(request.user, event),
    }
    return render(request, "tournament/players.html", context)
