"""One player's registration as event staff see it; registering a player."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import UserError
from decks import selectors as deck_selectors
from decks.views import law_of, sections
from tournament import services
from tournament.forms.events import PaperListForm, PlayerForm, ReasonForm
from tournament.models import Event, Registration
from tournament.selectors import (
    JUDGES,
    STAFF,
    access_event,
    access_registration,
    current_round,
    held_roles,
    require,
)
from tournament.selectors.accounts import person_of
from tournament.selectors.decklists import may_see_lists
from tournament.selectors.my_event import my_rounds
from tournament.selectors.overview import event_version
from tournament.selectors.penalties import history_of
from tournament.selectors.standings import standings_at
from tournament.views.requests import PersonRequest, whole
from tournament.views.rows import outcome_word


@login_required
def player_new(request: PersonRequest, slug: str) -> HttpResponse:
    event = access_event(request.user, slug, roles=STAFF)
    form = PlayerForm(request.POST or None, late=current_round(event) is not None)
    if request.method == "POST" and form.is_valid():
        with form.catching():
            told = dict(form.cleaned_data)
            account = told.pop("account")
            entry = services.player_register(
                event=event,
                user=person_of(account, "account") if account else None,
                by=request.user,
                now=timezone.now(),
                **told,
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
    roles = held_roles(request.user, entry.event)
    staff = bool(roles & STAFF)
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
            (match, state, opponent, outcome_word(code, alone=opponent is None))
            for match, state, opponent, code in my_rounds(entry)
        ],
        "penalties": list(history_of(entry).filter(revokes=None)),
        "may_penalize": bool(roles & JUDGES)
        and entry.user_id != request.user.pk
        and entry.event.state != Event.State.FINISHED,
        "list_form": list_form,
        "staff": staff,
        "may_list": staff and entry.event.state != Event.State.FINISHED,
        "event": entry.event,
        "entry": entry,
        "roles": roles,
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
        missed=request.POST.get("missed", ""),
        missed_reason=request.POST.get("reason", ""),
        by=request.user,
        now=timezone.now(),
    )
    messages.success(request, _("%(name)s has been reinstated.") % {"name": entry.name})


_ARRANGE = {"keep": _keep, "bye": _bye, "no-bye": _no_bye, "return": _return}
