"""From a match to the engine: the board with both statements on top, or the situation as text."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.errors import NotFound, UserError
from config.text import whole_number
from rules.forms import ScenarioForm
from rules.law.system_files import systems
from rules.models import Dispute, Table
from rules.reference.examples import example_scenario, under_system
from rules.selectors import access_table
from rules.views.board import Around, Offer, Pile, board, offer_named
from rules.views.table_parts import home_of
from tournament import services
from tournament.models import Match
from tournament.selectors import JUDGES, access_match, held_roles
from tournament.selectors.boards import (
    Listed,
    Seat,
    address_of_boards,
    board_of,
    named_in,
    seats_of,
    system_of,
)
from tournament.selectors.remarks import require_judge_at, statements_for
from tournament.views.requests import PersonRequest


@login_required
def match_board(request: PersonRequest, pk: int) -> HttpResponse:
    """Ask the engine about a match: on the judge's board, or (`?as=text`) with a situation written as text."""
    match = access_match(request.user, pk, roles=JUDGES)
    require_judge_at(request.user, match)
    if request.POST.get("do") == "open":
        return _opened(request, match)
    table = _table(request, match)
    as_text = "source" in request.POST or request.FILES or "as" in request.GET
    if table is None or as_text:
        return _start(request, match, table)

    def file(table: Table, line: int, step: int, keep: bool, title: str) -> Dispute:
        return services.board_file(
            match=match, table=table, line=line, step=step, keep=keep, title=title, by=request.user,
            now=timezone.now(),
        ).dispute  # fmt: skip

    return board(request, table, _around(request, match, table, file))


def _table(request: PersonRequest, match: Match) -> Table | None:
    """The board that the address names, else the one worked on last."""
    given = request.GET.get("table", "")
    if not given:
        return board_of(request.user, match)
    table = access_table(request.user, whole_number(given) or 0)
    if table.filing_at != address_of_boards(match):
        raise NotFound(_("board"))
    return table


def _opened(request: PersonRequest, match: Match) -> HttpResponse:
    chosen = request.POST.get("system", "")
    system = chosen if chosen in {one.key for one in systems()} else ""
    try:
        table = services.board_open(match=match, by=request.user, system=system, now=timezone.now())
    except UserError as error:
        return _start(request, match, None, problem=error)
    return redirect(home_of(table))


def _around(request: PersonRequest, match: Match, table: Table, file: Any) -> Around:
    laid = table.scenario
    seats = seats_of(match, laid["system"], laid["seats"])
    statements = list(statements_for(request.user, match))
    named = named_in([one.text for one in statements], laid["system"], seats)
    context = {
        "event": match.round.event,
        "match": match,
        "roles": held_roles(request.user, match.round.event),
        "statements": statements,
    }
    return Around(
        file=file,
        context=context,
        piles=[_pile(laid, seat) for seat in seats if seat.cards],
        named=[offer_named(laid, name, (side,) if side else ()) for name, side in named],
    )


def _pile(laid: Any, seat: Seat) -> Pile:
    title = ngettext("%(name)s’s deck · %(n)s card", "%(name)s’s deck · %(n)s cards", len(seat.cards))
    words = {"name": seat.word, "n": len(seat.cards)}
    return Pile(title % words, [_offer(laid, seat, card) for card in seat.cards])


def _offer(laid: Any, seat: Seat, card: Listed) -> Offer:
    """A card of a decklist, on its player's side."""
    if not card.known:
        return Offer(card.name, (seat.word,), known=False, facts=card.facts)
    return offer_named(laid, card.name, (seat.word,))


def _start(
    request: PersonRequest, match: Match, table: Table | None, problem: UserError | None = None
) -> HttpResponse:
    """No board yet: begin one, or write the situation as text."""
    texts = "source" in request.POST or request.FILES
    form = ScenarioForm(
        request.POST if texts else None, request.FILES or None, initial={"source": example_scenario()}
    )
    if texts and form.is_valid():
        with form.catching():
            filed = services.dispute_file(
                match=match,
                by=request.user,
                title=form.cleaned_data["title"],
                source=under_system(form.cleaned_data["source"], form.cleaned_data["system"]),
                now=timezone.now(),
            )
            return redirect("dispute", filed.dispute_id)
    event = match.round.event
    context = {
        "event": event,
        "match": match,
        "form": form,
        "roles": held_roles(request.user, event),
        "board": table and home_of(table),
        "systems": [] if system_of(event) else systems(),
        "statements": statements_for(request.user, match),
        "as_text": "as" in request.GET or form.errors or form.problem,
        "problem": problem,
    }
    status = problem.status if problem else form.status
    return render(request, "tournament/dispute_new.html", context, status=status)
