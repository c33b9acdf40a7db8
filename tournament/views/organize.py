"""What the staff looks at: a player's entry, a match."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import UserError
from decks import selectors as deck_selectors
from decks.views import law_of, sections
from rules.models import Ruling
from tournament import services
from tournament.forms.events import OUTCOMES, DecideForm, ExtensionForm, PaperListForm, PlayerForm, ReasonForm
from tournament.models import Event, Match, Registration
from tournament.selectors import (
    JUDGES,
    PLAYER,
    STAFF,
    access_event,
    access_match,
    access_registration,
    current_round,
    extension_of,
    held_roles,
    match_roles,
    match_state,
    policy_of,
    require,
    shown_clock,
)
from tournament.selectors.calls import open_call
from tournament.selectors.decklists import may_see_lists
from tournament.selectors.mine import my_rounds
from tournament.selectors.overview import event_version
from tournament.selectors.penalties import history_of
from tournament.selectors.remarks import is_judge_at
from tournament.selectors.rulings import rulings_at
from tournament.selectors.stages import DECISIVE
from tournament.selectors.standings import standings_at
from tournament.views.people import PersonRequest, whole
from tournament.views.rows import outcome_word


@login_required
def player_new(request: PersonRequest, slug: str) -> HttpResponse:
    event = access_event(request.user, slug, roles=STAFF)
    form = PlayerForm(request.POST or None, late=current_round(event) is not None)
    if request.method == "POST" and form.is_valid():
        with form.catching():
            entry = services.player_register(
                event=event, user=None, by=request.user, now=timezone.now(), **form.cleaned_data
            )
            messages.success(request, _("%(name)s is registered.") % {"name": entry.name})
            return redirect("player-new", event.slug)
    context = {"event": event, "roles": held_roles(request.user, event), "form": form}
    return render(request, "tournament/player_new.html", context, status=form.status)


@login_required
def player(request: PersonRequest, slug: str, pk: int) -> HttpResponse:
    """A player's entry with its list and report: for that player and for staff."""
    entry = access_registration(request.user, slug, pk)
    form = ReasonForm(request.POST or None) if request.POST.get("do") == "admit" else ReasonForm()
    staff = bool(held_roles(request.user, entry.event) & STAFF)
    typed = request.POST.get("do") == "list"
    list_form = PaperListForm(request.POST if typed else None, request.FILES if typed else None)
    problem = None
    if request.method == "POST":
        try:
            if typed:
                require(request.user, entry.event, STAFF)
                if list_form.is_valid():
                    with list_form.catching():
                        services.deck_enter(
                            registration=entry,
                            override=list_form.cleaned_data["override"],
                            by=request.user,
                            now=timezone.now(),
                            **list_form.given(),
                        )
                        messages.success(request, _("The decklist is saved."))
                        return redirect("player", slug, pk)
            elif request.POST.get("do") == "drop":
                services.player_drop(registration=entry, by=request.user, now=timezone.now())
                return redirect("event-players", slug)
            if request.POST.get("do") in _ARRANGE:
                _ARRANGE[request.POST["do"]](request, entry)
                return redirect("player", slug, pk)
            if not typed and form.is_valid():
                services.deck_register(
                    registration=entry,
                    revision=entry.revision,
                    override=form.cleaned_data["reason"],
                    by=request.user,
                    now=timezone.now(),
                )
                return redirect("player", slug, pk)
        except UserError as error:
            problem = error
    findings = entry.report.findings if entry.report else []
    everybody = standings_at(entry.event, event_version(entry.event)) if current_round(entry.event) else []
    context = {
        "row": next((row for row in everybody if row.registration.pk == entry.pk), None),
        "of": len(everybody),
        "rounds": [
            (match, state, opponent, outcome_word(code)) for match, state, opponent, code in my_rounds(entry)
        ],
        "penalties": list(history_of(entry).filter(revokes=None)),
        "list_form": list_form,
        "staff": staff,
        "may_list": staff and entry.event.state != Event.State.FINISHED,
        "event": entry.event,
        "entry": entry,
        "roles": held_roles(request.user, entry.event),
        "form": form,
        "problem": problem,
        "byes": entry.awarded_byes.all(),
        "following": (last.number if (last := current_round(entry.event)) else 0) + 1,
        "may_see": entry.user_id == request.user.pk or may_see_lists(request.user, entry.event),
        "sections": sections(entry.revision.entries) if entry.revision else [],
        **law_of(deck_selectors.format_of(entry.event.format), findings),
    }
    status = problem.status if problem else max(form.status, list_form.status)
    return render(request, "tournament/player.html", context, status=status)


def _keep(request: PersonRequest, entry: Registration) -> None:
    typed = request.POST.get("table", "").strip()
    table = whole(request, "table") if typed else None
    services.table_keep(registration=entry, table=table, by=request.user, now=timezone.now())
    messages.success(
        request, _("The table is fixed from the next round on.") if table else _("Fixed table removed.")
    )


def _bye(request: PersonRequest, entry: Registration) -> None:
    services.bye_award(
        registration=entry,
        number=whole(request, "number"),
        reason=request.POST.get("reason", ""),
        by=request.user,
        now=timezone.now(),
    )


def _no_bye(request: PersonRequest, entry: Registration) -> None:
    services.bye_withdraw(
        registration=entry, number=whole(request, "number"), by=request.user, now=timezone.now()
    )


def _return(request: PersonRequest, entry: Registration) -> None:
    services.player_return(
        registration=entry,
        missed=request.POST.get("missed", "losses"),
        missed_reason=request.POST.get("reason", ""),
        by=request.user,
        now=timezone.now(),
    )
    messages.success(request, _("%(name)s has been reinstated.") % {"name": entry.name})


_ARRANGE = {"keep": _keep, "bye": _bye, "no-bye": _no_bye, "return": _return}


@login_required
def match_page(request: PersonRequest, pk: int) -> HttpResponse:
    """A match for staff and for who sits at it: reports, decision, disputes."""
    match = access_match(request.user, pk, roles=[*STAFF, "player"])
    event = match.round.event
    roles = match_roles(request.user, match)
    state = match_state(match)
    posted = request.POST.get("do", "decide") if request.method == "POST" else ""
    form = DecideForm(
        request.POST if posted == "decide" else None,
        choices=_results(event, match),
        counts_games=policy_of(event).counts_games,
    )
    extend = ExtensionForm(request.POST if posted == "extend" else None)
    now = timezone.now()
    if posted == "decide" and form.is_valid():
        with form.catching():
            services.result_decide(match=match, by=request.user, now=now, **form.cleaned_data)
            messages.success(request, _("The result has been saved."))
            return redirect("match", pk)
    if posted == "extend" and extend.is_valid():
        with extend.catching():
            services.time_extend(match=match, by=request.user, now=now, **extend.cleaned_data)
            messages.success(request, _("The table has a time extension."))
            return redirect("match", pk)
    under_way = match.table is not None and match.round.finished_at is None
    context = {
        "event": event,
        "match": match,
        "state": state,
        "reports": [_report_words(report, state) for report in state.reports],
        "roles": roles,
        "staff": bool(roles & STAFF),
        "form": form,
        "extend": extend if under_way and roles & JUDGES else None,
        "clock": shown_clock(match.round) if match.table is not None else None,
        "extensions": match.extensions.select_related("by"),
        "extension": extension_of(match),
        "now": now,
        "disputes": _disputes(match, roles),
        "call": open_call(match),
        "may_judge": is_judge_at(request.user, match),
        "given": [one for one in rulings_at(match) if one.ruling.event_side != Ruling.EventSide.NONE]
        if roles & {*JUDGES, PLAYER}
        else [],
    }
    return render(request, "tournament/match.html", context, status=max(form.status, extend.status))


def _disputes(match: Match, roles: set[str]) -> list[Any]:
    """The match's disputes: all for judges, for its players (be they judges or not) those with a ruling."""
    found = match.match_disputes.select_related("dispute").prefetch_related("dispute__rulings")
    judging = roles & JUDGES and PLAYER not in roles
    return [one.dispute for one in found if judging or one.dispute.rulings.all()]


def _results(event: Event, match: Match) -> list[tuple[str, str]]:
    """Every result of the policy in words with names, seen from side 1."""
    names = [seat.registration.name for seat in match.seats.all()]
    if len(names) < 2:
        return []
    first, second = names
    words = {
        "win": _("%(name)s won") % {"name": first},
        "timed-win": _("%(name)s won on time") % {"name": first},
        "draw": _("Draw"),
        "timed-loss": _("%(name)s won on time") % {"name": second},
        "loss": _("%(name)s won") % {"name": second},
        "double-loss": _("Both lost"),
    }
    possible = [one for one in policy_of(event).outcomes if match.game is None or one in DECISIVE]
    return [(outcome.value, words[outcome.value]) for outcome in possible]


def _report_words(report: Any, state: Any) -> dict[str, Any]:
    """One report as a sentence about side 1's player, whoever gave it."""
    who = report.seat.registration.name if report.seat else _("%(name)s (event staff)") % {"name": report.by}
    return {
        "who": who,
        "what": OUTCOMES[report.outcome],
        "games": report.games
        and "\u2013".join(map(str, report.games if report.games[2] else report.games[:2])),
        "of": state.seats[0].registration.name,
        "report": report,
    }
