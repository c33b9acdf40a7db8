"""What players see during an event: my match, pairings, standings, players."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.errors import NotFound, UserError
from config.live import render_live
from config.outbox import answer_outbox, is_from_outbox
from config.web_push import public_key
from rules.models import Ruling
from tournament import services
from tournament.forms.events import OUTCOMES
from tournament.mail import mail_works
from tournament.models import Event, Match, Registration, Report
from tournament.selectors import (
    ORGANIZERS,
    PLAYER,
    STAFF,
    Clock,
    access_event,
    access_match,
    access_round,
    clock_of,
    current_match,
    current_round,
    event_disputes,
    extension_of,
    held_roles,
    match_state,
    my_registration,
    pairing_words,
    policy_of,
    round_seeds,
    round_story,
    shown_clock,
)
from tournament.selectors.calls import access_call, calls_at, judges_are_there, may_read, player_calls
from tournament.selectors.deadlines import clock_phase, is_due, quiet_seconds
from tournament.selectors.decklists import deck_hashes
from tournament.selectors.entries import playing
from tournament.selectors.invitations import invitations_to
from tournament.selectors.matches import current_seat
from tournament.selectors.overview import (
    disputes_version,
    event_rows,
    event_version,
    next_step,
    own_rows,
    own_version,
)
from tournament.selectors.penalties import history_of, standing_penalties
from tournament.selectors.player_rows import DeskPlayer, desk_players
from tournament.selectors.remarks import statements_for
from tournament.selectors.rulings import rulings_at
from tournament.selectors.standings import standings_at, told
from tournament.swiss import Outcome, State
from tournament.views.requests import PersonRequest, whole
from tournament.views.rows import (
    desk_lines,
    outcome_word,
    paged,
    pairing_lines,
    public_lines,
    standing_lines,
    together,
)
from tournament.words import ALERTS, CALL_SUBJECTS

FIVE_MINUTES = timedelta(minutes=5)


@login_required
def my_match(request: PersonRequest, slug: str) -> HttpResponse:
    """The table, the opponent, the report. A refused report is said on the same page."""
    event = access_event(request.user, slug)
    problem = None
    if is_from_outbox(request):
        return answer_outbox(request, lambda: _report(request, event))
    if request.method == "POST":
        try:
            return _act(request, event)
        except UserError as error:
            problem = error
    round, match = current_round(event), current_seat(request.user, event)
    response = render_live(
        request,
        page="tournament/my_match.html",
        part="tournament/_my_match_live.html",
        version=(
            own_version(event, match),
            disputes_version(event_disputes(event)),
            clock_phase(round, timezone.now()),
        ),
        quiet=quiet_seconds(round, timezone.now()),
        concerns=own_rows(event, match),
        context=lambda: {**_my_match(request, event), "problem": problem, **_alerts()},
    )
    response.status_code = problem.status if problem else response.status_code
    return response


def _alerts() -> dict[str, Any]:
    """What alerts are offered, and by which ways."""
    return {"alert_kinds": ALERTS, "push_key": public_key(), "mail_works": mail_works()}


def _act(request: PersonRequest, event: Event) -> HttpResponse:
    now, do = timezone.now(), request.POST.get("do")
    if do in ("drop", "return", "call"):
        return _act_as_player(request, event, do)
    if do == "withdraw-call":
        call = access_call(request.user, event.slug, whole(request, "call"))
        services.call_withdraw(call=call, by=request.user, now=now)
        return redirect("my-match", event.slug)
    match = _match_meant(request, event)
    if do == "state":
        services.statement_make(match=match, text=request.POST.get("text", ""), by=request.user, now=now)
        messages.success(request, _("Your statement has been sent to the judges."))
        return redirect("my-match", event.slug)
    if do == "appeal":  # before there is a ruling; afterwards its own page takes it
        raise services.appeal_early(match)
    if do not in (None, "", "report"):
        raise NotFound(_("button"))
    _report(request, event)
    return redirect("my-match", event.slug)


def _act_as_player(request: PersonRequest, event: Event, do: str) -> HttpResponse:
    """What a player does in the event, at a table or not."""
    entry, by, now = my_registration(request.user, event), request.user, timezone.now()
    if entry is None:
        raise NotFound(_("registration"))
    entry.event = event
    if do == "drop":
        services.player_drop(registration=entry, by=by, now=now)
        messages.success(request, _("You have dropped from the event. Thank you for playing."))
        return redirect("event", event.slug)
    if do == "return":
        services.player_return(registration=entry, by=by, now=now)
        messages.success(request, _("You are back in the event."))
    else:
        said = {name: request.POST.get(name, "") for name in ("subject", "words", "place")}
        services.player_call_open(registration=entry, by=by, now=now, **said)
    return redirect("my-match", event.slug)


def _match_meant(request: PersonRequest, event: Event) -> Match:
    """The match that the page showed when something was tapped, though another round may have begun since."""
    if not request.POST.get("match"):
        match = current_match(request.user, event)
    else:
        match = access_match(request.user, whole(request, "match"))
    if match is None or match.round.event_id != event.pk:
        raise NotFound(_("match"))
    return match


def _report(request: PersonRequest, event: Event) -> dict[str, Any]:
    match, now = _match_meant(request, event), timezone.now()
    report = services.result_report(match=match, by=request.user, now=now, **_reported(request))
    return {"known": report.number}


def _reported(request: PersonRequest) -> dict[str, Any]:
    """What was tapped: a result ("win"), one with how it came about ("loss:conceded"), or a score ("2-1-0"); `known`
    where it is sent late."""
    said = request.POST.get("outcome", "")
    known = whole(request, "known") if request.POST.get("known") else None
    if said == "score":
        said = "-".join(request.POST.get(name, "").strip() or "0" for name in ("won", "lost", "drawn"))
    counted = said.split("-")
    if len(counted) == 3 and all(part.isdecimal() and len(part) < 4 for part in counted):
        won, lost, drawn = map(int, counted)
        outcome = "win" if won > lost else "loss" if lost > won else "draw"
        return {"outcome": outcome, "games": [won, lost, drawn], "known": known}
    outcome, _colon, how = said.partition(":")
    return {"outcome": outcome, "how": how or "played", "known": known}


def _my_match(request: PersonRequest, event: Event) -> dict[str, Any]:
    step = next_step(request.user, event)
    context: dict[str, Any] = {"event": event, "step": step, "roles": held_roles(request.user, event)}
    if step.registration is None:
        return context
    calls = _calls(request, event, step.registration, step.match)
    if step.match is None:
        return context | calls
    state = match_state(step.match)
    side = next(seat.side for seat in state.seats if seat.registration_id == step.registration.pk)
    hashes = deck_hashes(step.match)
    heard = _heard(request, step.match, step.registration)
    return context | {
        "match": step.match,
        "invitations": invitations_to(request.user),
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
        "offers": offers(event, step.match),
        "scores": scores(event, step.match),
        "agreed": policy_of(event).intentional_draw,
        "clock": shown_clock(step.match.round),
        "extension": (extension := extension_of(step.match)),
        "owed": is_due(step.match, clock_of(step.match.round), timezone.now(), extension),
        "now": timezone.now(),
        **_warning(shown_clock(step.match.round), extension or 0),
        "why": pairing_words(step.match.round, [step.match])[step.match.pk] if step.match.game else "",
        "busy": state.state == State.CONFLICT or bool(calls["call"] or heard["given"]),
        **calls,
        **heard,
    }


def _warning(clock: Clock | None, extension: int) -> dict[str, int]:
    """When a table that plays until then is to hear that five minutes are left, and what time it is; milliseconds."""
    ends = clock.ends_at(extension) if clock is not None and clock.running else None
    if ends is None:
        return {}
    return {
        "warn_at": int((ends - FIVE_MINUTES).timestamp() * 1000),
        "now_at": int(timezone.now().timestamp() * 1000),
    }


def _calls(request: PersonRequest, event: Event, me: Registration, match: Match | None) -> dict[str, Any]:
    """The open judge call at the table, or the player's own away from it; what judges said before, in this round; and
    whether one can be called."""
    round = match.round if match is not None else current_round(event)
    own = player_calls(me)
    if round is not None:
        own = own.filter(Q(closed_at=None) | Q(opened_at__gte=round.published_at))
    calls = [*(calls_at(match) if match is not None else ()), *own]
    call = next((one for one in calls if one.closed_at is None), None)
    return {
        "call": call,
        "call_known": call is not None and may_read(request.user, call),
        "call_mine": call is not None and call.opened_by_id == request.user.pk,
        "calls_heard": [
            one for one in calls if one.outcome and not one.given.all() and may_read(request.user, one)
        ],
        "may_call": call is None
        and PLAYER in held_roles(request.user, event)
        and me.state != Registration.State.WITHDRAWN
        and judges_are_there(event, timezone.now()),
        "at_table": match is not None and match.table is not None and match.round.finished_at is None,
        "subjects": CALL_SUBJECTS,
    }


def _heard(request: PersonRequest, match: Match, me: Registration) -> dict[str, Any]:
    """The rulings at the table, the latest first, with the penalties they brought this player; the player's other
    penalties of the round; and what this player stated there."""
    under_way = match.round.finished_at is None
    mine = {one.pk: one for one in standing_penalties(history_of(me)).filter(round=match.round.number)}
    given = [
        {
            "given": one,
            "penalty": mine.pop(one.penalty_id or 0, None),
            "may_appeal": under_way
            and one.ruling.event_status == Ruling.EventSide.FLOOR
            and one.ruling.decided is None,
        }
        for one in rulings_at(match).order_by("-pk")
        if one.ruling.event_side != Ruling.EventSide.NONE
    ]
    stated = list(statements_for(request.user, match).filter(registration__user=request.user))
    called = match.judge_calls.exists() or bool(given) or bool(stated)
    return {
        "given": given,
        "more_penalties": list(mine.values()),
        "my_statements": stated,
        "may_state": called and under_way,
    }


def offers(event: Event, match: Match | None = None) -> dict[str, bool]:
    """Which results the policy has points for; nobody draws in a bracket."""
    known = policy_of(event).outcomes
    bracket = match is not None and match.game is not None
    return {
        outcome.name.lower(): outcome in known and not (bracket and outcome is Outcome.DRAW)
        for outcome in Outcome
    }


def scores(event: Event, match: Match) -> list[tuple[str, str, object]]:
    """Where games are counted, the scores a match usually has: (value of the button, score, won or lost or drawn)."""
    policy = policy_of(event)
    if not policy.counts_games:
        return []
    most = policy.scoring.games["win"][0]
    if policy.scoring.per_game:  # every game is played, and a drawn one counts
        return [
            (
                f"{one}-{two}-{most - one - two}",
                f"{one}\u2013{two}\u2013{most - one - two}",
                OUTCOMES[_lead(one, two)],
            )
            for one in range(most, -1, -1)
            for two in range(most - one + 1)
        ]
    won = [(most, less) for less in range(most)]
    rows = [(one, OUTCOMES[Outcome.WIN]) for one in won]
    if offers(event, match)["draw"]:
        rows.append(((most - 1, most - 1), OUTCOMES[Outcome.DRAW]))
    rows += [((less, more), OUTCOMES[Outcome.LOSS]) for more, less in reversed(won)]
    return [(f"{one}-{two}-0", f"{one}\u2013{two}", word) for (one, two), word in rows]


def _lead(one: int, two: int) -> Outcome:
    return Outcome.WIN if one > two else Outcome.LOSS if one < two else Outcome.DRAW


def _said(report: Any, side: int) -> Any:
    """A report in words, seen from `side`."""
    if report is None:
        return None
    outcome = Outcome(report.outcome)
    games = report.games and (
        report.games if side == 1 else [report.games[1], report.games[0], report.games[2]]
    )
    return {
        "outcome": OUTCOMES[outcome if side == 1 else outcome.mirrored],
        "games": games and "\u2013".join(map(str, games if games[2] else games[:2])),
        "how": report.how,
        "number": report.number,
        "said": _button(outcome if side == 1 else outcome.mirrored, games, report.how),
        "reason": report.reason,
    }


def _button(outcome: Outcome, games: list[int] | None, how: str) -> str:
    """The value of the button that says this result: the other way round than `_reported`."""
    if how != Report.How.PLAYED:
        return f"{outcome.value}:{how}"
    return "-".join(map(str, games)) if games else outcome.value


ROUTINE = ("round_pair", "round_draft", "round_publish", "round_renew")
"""What is done to every round; anything else in a round's story is said to everybody on its page."""


def pairings(request: HttpRequest, slug: str, number: int | None = None) -> HttpResponse:
    """A round's pairings by name (each pairing twice, so that everybody finds themselves) or by table."""
    event = access_event(request.user, slug)
    latest = current_round(event)
    round = access_round(request.user, slug, number) if number is not None else latest

    version = event_version(event)
    by_table = request.GET.get("by") == "table"
    query = request.GET.get("q", "").strip()[:80]

    def context() -> dict[str, Any]:
        roles = held_roles(request.user, event)
        me = my_registration(request.user, event)
        desk = bool(roles & ORGANIZERS)
        lines = pairing_lines(event, round, version, by_table=by_table, desk=desk) if round else []
        page = paged(lines, request.GET.get("page", ""), me, query)
        return {
            "event": event,
            "roles": roles,
            "round": round,
            "rounds": event.rounds.published().select_related("stage").defer("explanation"),
            "latest": latest,
            "rows": together(page.with_mine(lines, me), me),
            "page": page,
            "by_table": by_table,
            "query": query,
            "clock": shown_clock(round),
            "now": timezone.now(),
            "story": [row for row in round_story(round) if row.verb not in ROUTINE] if round else [],
            "round_seeds": round_seeds(round) if round else [],
        }

    return render_live(
        request,
        page="tournament/pairings.html",
        part="tournament/_pairings_live.html",
        version=(version, round and round.pk, clock_phase(latest, timezone.now())),
        quiet=quiet_seconds(latest, timezone.now()),
        concerns=event_rows(event),
        context=context,
    )


def standings_page(request: HttpRequest, slug: str) -> HttpResponse:
    event = access_event(request.user, slug)
    version = event_version(event)
    query = request.GET.get("q", "").strip()[:80]

    def context() -> dict[str, Any]:
        me, lines = my_registration(request.user, event), standing_lines(event, version)
        page = paged(lines, request.GET.get("page", ""), me, query)
        return {
            "event": event,
            "roles": held_roles(request.user, event),
            "rows": together(page.lines, me),
            "page": page,
            "query": query,
            "place": next(
                (row for row in standings_at(event, version) if me and row.registration.pk == me.pk), None
            ),
            "of": len(lines),
            "policy": policy_of(event),
            "has_bracket": event.stages.exists(),
            "round": event.rounds.published().filter(stage=None).defer("explanation").last(),
        }

    return render_live(
        request,
        page="tournament/standings.html",
        part="tournament/_standings_live.html",
        quiet=settings.LIVE_QUIET_SECONDS,
        concerns=event_rows(event),
        version=version,
        context=context,
    )


def standing_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """How one player's numbers come about: every round, every opponent, every formula."""
    event = access_event(request.user, slug)
    everybody = standings_at(event, event_version(event))
    rows = {row.registration.pk: row for row in everybody}
    if (row := rows.get(pk)) is None:
        raise NotFound(_("player"))
    lines = [
        {
            "line": line,
            "opponent": rows.get(line.opponent or 0),
            "word": outcome_word(line.code, alone=line.opponent is None),
        }
        for line in row.record.lines
    ]
    context = {
        "event": event,
        "roles": held_roles(request.user, event),
        "row": row,
        "lines": lines,
        "told": [
            (one, [(part, rows.get(part.opponent or 0), text) for part, text in one.parts])
            for one in told(event, everybody, row)
        ],
        "policy": policy_of(event),
    }
    return render(request, "tournament/standing.html", context)


def players(request: HttpRequest, slug: str) -> HttpResponse:
    """Who plays: for everybody by name; for event staff with place, decklist, penalties and table."""
    event = access_event(request.user, slug)
    roles = held_roles(request.user, event)
    staff, me = bool(roles & STAFF), my_registration(request.user, event)
    query, show = request.GET.get("q", "").strip()[:80], request.GET.get("show", "")
    filters: list[dict[str, Any]] = []
    faint: set[int] = set()
    if staff:
        everybody = desk_players(event, event_version(event))
        filters = _filters(everybody, show)
        lines = desk_lines(event, [one for one in everybody if _FILTERS.get(show, _anybody)(one)])
        faint = {one.pk for one in everybody if one.state != Registration.State.ACTIVE}
    else:
        others = event.registrations.exclude(state=Registration.State.WITHDRAWN).order_by("name", "pk")
        lines = public_lines(
            event,
            others.values_list("pk", "name", "club", "state", "deck_override", "report__verdict"),
            me,
        )
    page = paged(lines, request.GET.get("page", ""), me, query)
    policy = policy_of(event)
    context = {
        "event": event,
        "roles": roles,
        "staff": staff,
        "page": page,
        "rows": together(page.lines, me, faint=faint),
        "query": query,
        "show": show,
        "filters": filters,
        "tie": policy.tie_breaks[1] if len(policy.tie_breaks) > 1 else None,
        "playing": playing(event).count(),
        "entry": me,
    }
    part = request.headers.get("HX-Target") == "players"
    return render(request, "tournament/_players.html" if part else "tournament/players.html", context)


def _anybody(one: DeskPlayer) -> bool:
    return one.state != Registration.State.WITHDRAWN


_FILTERS: dict[str, Callable[[DeskPlayer], bool]] = {
    "no-deck": lambda one: one.standing == "no-deck" and _anybody(one),
    "illegal": lambda one: one.standing == "illegal" and _anybody(one),
    "unverified": lambda one: one.standing == "unverified" and _anybody(one),
    "penalties": lambda one: bool(one.penalties),
    "waiting": lambda one: one.state == Registration.State.WAITING,
    "dropped": lambda one: one.state == Registration.State.DROPPED,
    "withdrawn": lambda one: one.state == Registration.State.WITHDRAWN,
}
_FILTER_WORDS = {
    "": gettext_lazy("All"),
    "no-deck": gettext_lazy("No decklist"),
    "illegal": gettext_lazy("Illegal"),
    "unverified": gettext_lazy("Unverified"),
    "penalties": gettext_lazy("Penalties"),
    "waiting": gettext_lazy("Waiting list"),
    "dropped": gettext_lazy("Dropped"),
    "withdrawn": gettext_lazy("Withdrawn"),
}


def _filters(everybody: list[DeskPlayer], show: str) -> list[dict[str, Any]]:
    """The filters with their counts; one that finds nobody is left out."""
    counts = {key: sum(_FILTERS.get(key, _anybody)(one) for one in everybody) for key in _FILTER_WORDS}
    return [
        {"key": key, "word": word, "n": counts[key], "here": key == show}
        for key, word in _FILTER_WORDS.items()
        if counts[key] or not key
    ]
