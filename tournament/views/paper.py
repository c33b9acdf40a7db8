"""What is printed: pairings, slips, standings, seats, sheets, the poster; and the hall display."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from config.embedded import EVERYWHERE, start_words
from config.errors import Forbidden, UserError
from config.live import render_live
from config.phone_address import in_the_hall, only_here
from decks.views import sections
from tournament.forms.events import OUTCOMES
from tournament.models import Event, Round
from tournament.paper import collate, seats
from tournament.selectors import (
    STAFF,
    access_event,
    access_round,
    current_round,
    held_roles,
    policy_of,
)
from tournament.selectors.clock import extensions, shown_clock
from tournament.selectors.codes import claim_code, readable_code
from tournament.selectors.deadlines import clock_phase, quiet_seconds
from tournament.selectors.decklists import may_see_lists, registered_lists
from tournament.selectors.entries import checkin_is_open, playing
from tournament.selectors.overview import event_version
from tournament.selectors.stages import final_standings
from tournament.selectors.standings import standings_at
from tournament.selectors.tables import round_tables
from tournament.swiss import Outcome
from tournament.views.requests import PersonRequest
from tournament.views.rows import alone_word, paper_pairings, paper_standings, slip_players

SLIPS_ON_A_PAGE = 6
CROWDS = (
    (80, ""),
    (180, " many"),
)  # up to so many names on the screen in the hall: how they stand there (paper.css)


def _staffs(request: PersonRequest, slug: str, **more: Any) -> dict[str, Any]:
    event = access_event(request.user, slug, STAFF)
    return {"event": event, "roles": held_roles(request.user, event), **more}


def _round(request: HttpRequest, event: Event) -> Round:
    """The round asked for (?round=2), or the latest. Raises NotFound, UserError `no-round`."""
    asked = request.GET.get("round", "")
    if asked.isdecimal() and len(asked) < 6:
        return access_round(request.user, event.slug, int(asked), roles=STAFF)
    if (latest := current_round(event)) is None:
        raise UserError("no-round", _("No round has been paired yet."), status=404)
    return latest


@login_required
def print_menu(request: PersonRequest, slug: str) -> HttpResponse:
    """Everything that can be printed, each with what it is for."""
    context = _staffs(request, slug)
    context["round"] = current_round(context["event"])
    context["lists"] = may_see_lists(request.user, context["event"])
    return render(request, "tournament/print_menu.html", context)


@login_required
def print_pairings(request: PersonRequest, slug: str) -> HttpResponse:
    """By name, each pairing twice so that everybody finds themselves, or by table (?by=table)."""
    context = _staffs(request, slug)
    round = _round(request, context["event"])
    rows = []
    for table in round_tables(round):
        names = [seat.name for seat in table.seats]
        rows.append((table.table, names[0], names[1] if len(names) > 1 else alone_word(table.state)))
        if len(names) > 1 and request.GET.get("by") != "table":
            rows.append((table.table, names[1], names[0]))
    by_table = request.GET.get("by") == "table"
    if not by_table:
        rows.sort(key=lambda row: row[1].casefold())
    context |= {"round": round, "rows": paper_pairings(rows, by_table=by_table), "by_table": by_table}
    return render(request, "tournament/print_pairings.html", context)


@login_required
def print_slips(request: PersonRequest, slug: str) -> HttpResponse:
    """Match slips, collated: cut the stack, lay the piles on each other, and the tables are in order."""
    context = _staffs(request, slug)
    event = context["event"]
    round = _round(request, event)
    words = [OUTCOMES[one] for one in policy_of(event).outcomes if one is not Outcome.DOUBLE_LOSS]
    codes = _guest_codes(request, event)
    slips = [
        {
            "table": table.table,
            "players": slip_players(
                [(one.name, *codes.get(one.pk, ("", ""))) for one in table.seats],
                words,
            ),
            "guest": any(one.pk in codes for one in table.seats),
        }
        for table in round_tables(round)
        if table.table is not None
    ]
    context |= {
        "round": round,
        "pages": collate(slips, SLIPS_ON_A_PAGE),
        "where": _address(request, reverse("claim", args=[slug]), bare=True),
    }
    return render(request, "tournament/print_slips.html", context)


def _guest_codes(request: HttpRequest, event: Event) -> dict[int, tuple[str, str]]:
    """Registration -> the code with which a guest's entry is claimed, and the address that does it."""
    codes = {entry.pk: claim_code(entry) for entry in event.registrations.filter(user=None)}
    return {
        pk: (readable_code(code), _address(request, reverse("claim-code", args=[event.slug, code])))
        for pk, code in codes.items()
    }


@login_required
def print_standings(request: PersonRequest, slug: str) -> HttpResponse:
    context = _staffs(request, slug)
    event = context["event"]
    context |= {
        "rows": paper_standings(standings_at(event, event_version(event))),
        "policy": policy_of(event),
        "round": _last_swiss(event),
    }
    return render(request, "tournament/print_standings.html", context)


def _last_swiss(event: Event) -> Round | None:
    """The round after which the Swiss standings are; the bracket changes nothing in them."""
    return event.rounds.published().filter(stage=None).defer("explanation").last()


@login_required
def print_seats(request: PersonRequest, slug: str) -> HttpResponse:
    """A seat for everybody in alphabetical order, for the meeting before round 1."""
    context = _staffs(request, slug)
    people = sorted(playing(context["event"]), key=lambda entry: entry.name.casefold())
    context["rows"] = seats(people)
    return render(request, "tournament/print_seats.html", context)


@login_required
def print_sheets(request: PersonRequest, slug: str) -> HttpResponse:
    """The registered list of every player, a page each."""
    context = _staffs(request, slug)
    event = context["event"]
    if not may_see_lists(request.user, event):
        raise Forbidden("lists-private", _("Decklists are private until they are locked."))
    context["sheets"] = [
        {"entry": entry, "revision": entry.revision, "sections": sections(entry.revision.entries)}
        for entry in registered_lists(event)
        if entry.revision is not None and entry.state in ("active", "waiting")
    ]
    return render(request, "tournament/print_sheets.html", context)


@login_required
def print_poster(request: PersonRequest, slug: str) -> HttpResponse:
    """A page for the door: the event's address to scan, and while the check-in is open the hall's code."""
    context = _staffs(request, slug)
    event = context["event"]
    home = reverse("event", args=[slug])
    context |= {
        "about": [line for line in (event.start, event.venue, event.fee) if line],
        "address": _address(request, home),
        "shown": _address(request, home, bare=True),
        "only_here": only_here(request),
        "in_the_hall": in_the_hall(request, request.path) if only_here(request) else "",
        "start": start_words(host=EVERYWHERE),
        "code": event.checkin_code if checkin_is_open(event) else "",
        "door": _address(request, f"{reverse('check-in', args=[slug])}?code={event.checkin_code}"),
    }
    return render(request, "tournament/print_poster.html", context)


def _address(request: HttpRequest, path: str, *, bare: bool = False) -> str:
    """The full address; `bare`: as people type it."""
    full = request.build_absolute_uri(path)
    return full.partition("://")[2].rstrip("/") if bare else full


def screen(request: HttpRequest, slug: str) -> HttpResponse:
    """The screen in the hall, for everybody: pairings by name while a round is played, standings after it."""
    event = access_event(request.user, slug)
    version = event_version(event)

    def context() -> dict[str, Any]:
        round = current_round(event)
        over = round is not None and round.finished_at is not None
        show = request.GET.get("show", "standings" if over else "pairings")
        rows = _by_name(round) if round is not None and show == "pairings" else []
        ranked = round is not None and show == "standings"
        places = final_standings(event) if ranked and round is not None and round.stage_id else []
        ranks = standings_at(event, version) if ranked and not places else []
        return {
            "event": event,
            "round": round,
            "show": show,
            "rows": rows,
            "crowd": next(
                (words for most, words in CROWDS if len(rows or ranks or places) <= most), " throng"
            ),
            "clock": shown_clock(round),
            "now": timezone.now(),
            "standings": ranks,
            "places": places,
            "address": _address(request, reverse("event", args=[slug])),
            "shown": _address(request, reverse("event", args=[slug]), bare=True),
            "only_here": only_here(request),
            "in_the_hall": in_the_hall(request, request.path) if only_here(request) else "",
            "start": start_words(host=EVERYWHERE),
        }

    return render_live(
        request,
        page="tournament/screen.html",
        part="tournament/_screen_live.html",
        version=(version, clock_phase(current_round(event), timezone.now())),
        quiet=quiet_seconds(current_round(event), timezone.now()),
        context=context,
    )


def _by_name(round: Round) -> list[tuple[str, int | None, str, bool, int]]:
    """(name, table, opponent, settled, the table's own minutes) of everybody, by name."""
    rows, more = [], extensions(round)
    for table in round_tables(round):
        names = [seat.name for seat in table.seats]
        for at, name in enumerate(names):
            rows.append(
                (
                    name,
                    table.table,
                    names[1 - at] if len(names) > 1 else alone_word(table.state),
                    table.settled,
                    more.get(table.pk, 0),
                )
            )
    return sorted(rows, key=lambda row: row[0].casefold())
