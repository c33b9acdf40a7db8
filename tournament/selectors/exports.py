"""An event as files: whole (JSON), as tables (CSV), and in other programs' formats."""

import json
from collections.abc import Callable
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from config.consistent_reads import one_moment
from config.errors import Conflict, NotFound
from decks.models import LegalityReport, Revision
from tournament.files.shape import (
    DECK_FIELDS,
    DIGEST,
    EVENT,
    KIND,
    KINDS,
    VERSION,
    Rows,
    digest_of,
    plain,
    players_in,
)
from tournament.files.tables import Table, as_csv
from tournament.files.trf import Game, Trf, TrfPlayer, write_trf
from tournament.models import DeckCheck, Event, RegisteredList, Round, Series, User
from tournament.selectors.access import Person
from tournament.selectors.decklists import may_see_lists
from tournament.selectors.history import History, Tally, history
from tournament.selectors.matches import match_state, round_matches
from tournament.selectors.series import SeriesTable, series_table
from tournament.selectors.stages import WON, final_standings
from tournament.selectors.standings import policy_of, standings
from tournament.swiss import Scoring


def whole_event(user: Person, event: Event) -> dict[str, Any]:
    """The event with everything that happened in it (tournament.files.shape), in a constant number of queries.

    Reading it again gives an event whose file is the same. Raises Conflict `lists-private`.
    """
    if not may_see_lists(user, event):
        raise Conflict(
            "lists-private",
            _("Decklists are private until they are locked, and the file would contain them."),
            remedy=_("Lock the decklists first, or change who can see them."),
        )
    with one_moment():  # players register and report meanwhile
        return _whole(event)


def _whole(event: Event) -> dict[str, Any]:
    places: dict[str, dict[int, int]] = {}
    out: dict[str, Any] = {"kind": KIND, "version": VERSION, "event": _row(EVENT, event, places)}
    for kind in KINDS:
        rows = list(_rows(kind, event))
        places[kind.key] = {row.pk: place for place, row in enumerate(rows, start=1)}
        out[kind.key] = [_row(kind, row, places) for row in rows]
    return out | {DIGEST: digest_of(out)}


def _rows(kind: Rows, event: Event) -> Any:
    manager = kind.model._default_manager
    if kind.model is Revision:
        return manager.filter(_revisions(event)).select_related("deck").order_by("pk")
    if kind.model is LegalityReport:
        held = Q(pk__in=event.registrations.values("report")) | Q(
            pk__in=RegisteredList.objects.filter(registration__event=event).values("report")
        )
        return manager.filter(held).order_by("pk")
    return manager.filter(**{kind.of: event}).order_by("pk")


def _revisions(event: Event) -> Q:
    handed = RegisteredList.objects.filter(registration__event=event)
    checks = DeckCheck.objects.filter(registration__event=event)
    return (
        Q(pk__in=event.registrations.values("revision"))
        | Q(pk__in=handed.values("revision"))
        | Q(pk__in=checks.values("revision"))
        | Q(reports__in=event.registrations.values("report"))
    )


def _row(kind: Rows, row: Any, places: dict[str, dict[int, int]]) -> dict[str, Any]:
    told = {one.name: plain(getattr(row, one.name)) for one in kind.own}
    for name, key in kind.refs.items():
        pk = getattr(row, f"{name}_id")
        told[name] = None if pk is None else places[key][pk]
    if isinstance(row, Revision):
        told["deck"] = {name: plain(getattr(row.deck, name)) for name in DECK_FIELDS}
    if isinstance(row, Round):
        told["explanation"] = players_in(row.explanation, places["players"].__getitem__)
    return told


def file_of(user: Person, event: Event, name: str, *, bom: bool = False) -> tuple[str, str]:
    """(text, media type) of event.json, players.csv, standings.csv, results.csv, nrtm.json or event.trf.

    bom: a table begins with the mark by which some spreadsheets know UTF-8. Raises NotFound, Conflict.
    """
    stem, _dot, kind = name.rpartition(".")
    if kind == "csv" and stem in TABLES:
        return as_csv(TABLES[stem](event), bom=bom), "text/csv"
    if name == "event.json":
        return _json(whole_event(user, event)), "application/json"
    if name == "nrtm.json":
        return _json(nrtm(event)), "application/json"
    if name == "event.trf":
        return write_trf(trf(event)), "text/plain"
    raise NotFound(_("file"))


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=1)


def series_file(series: Series, name: str, *, bom: bool = False) -> tuple[str, str]:
    """(text, media type) of table.csv or table.json, the table of a series. Raises NotFound."""
    table = series_table(series)
    if name == "table.csv":
        head = ("rank", "name", "points", *(event.slug for event in table.events))
        rows = [
            (
                line.rank,
                member.name,
                line.points,
                *("" if one is None else one.points for _event, one in results),
            )
            for line, member, results in table.rows()
        ]
        return as_csv(Table(head, rows), bom=bom), "text/csv"
    if name == "table.json":
        return _json(told_series(series, table)), "application/json"
    raise NotFound(_("file"))


def told_series(series: Series, table: SeriesTable) -> dict[str, Any]:
    """The table as plain values."""
    slugs = {event.pk: event.slug for event in table.events}
    players = [
        {
            "rank": line.rank,
            "name": member.name,
            "points": line.points,
            "results": [
                {"event": slugs[one.event], "place": one.place, "points": one.points, "counts": one.counts}
                for one in line.results
            ],
        }
        for line, member, _results in table.rows()
    ]
    return {
        "slug": series.slug,
        "name": series.name,
        "scale": series.scale,
        "events": list(slugs.values()),
        "players": players,
    }


def history_file(user: User, name: str, *, bom: bool = False) -> tuple[str, str]:
    """(text, media type) of matches.csv or history.json, what a person played here. Raises NotFound."""
    mine = told_history(history(user))
    if name == "matches.csv":
        head = ("day", "event", "round", "table", "opponent", "result")
        return as_csv(
            Table(head, [tuple(one[word] for word in head) for one in mine["matches"]]), bom=bom
        ), "text/csv"
    if name == "history.json":
        return _json(mine), "application/json"
    raise NotFound(_("file"))


def told_history(mine: History) -> dict[str, Any]:
    """A history as plain values."""
    return {
        "record": _told(mine.tally),
        "events": [
            {
                "event": one.event.slug,
                "name": one.event.name,
                "day": plain(one.event.starts_on),
                "place": one.place,
                "of": one.of or None,
                "record": _told(one.tally),
            }
            for one in mine.events
        ],
        "opponents": [{"name": one.name, "record": _told(one.tally)} for one in mine.opponents],
        "matches": [
            {
                "day": plain(one.event.starts_on),
                "event": one.event.slug,
                "round": one.match.round.number,
                "table": one.match.table,
                "opponent": one.opponent.name,
                "result": one.outcome.value,
            }
            for one in mine.meetings
        ],
    }


def _told(tally: Tally) -> dict[str, int]:
    return {"won": tally.won, "drawn": tally.drawn, "lost": tally.lost}


# --- tables ---------------------------------------------------------------------------------------------


def players_table(event: Event) -> Table:
    rows = event.registrations.order_by("number")
    return Table(
        ("number", "name", "club", "pronouns", "state", "checked in"),
        [
            (one.number, one.name, one.club, one.pronouns, one.state, plain(one.checked_in_at) or "")
            for one in rows
        ],
    )


def standings_table(event: Event) -> Table:
    breaks = [one for one in policy_of(event).tie_breaks if one.key != "random"]
    return Table(
        ("rank", "name", "club", "dropped", "won", "drawn", "lost", *(one.key for one in breaks)),
        [
            (
                row.rank,
                row.registration.name,
                row.registration.club,
                "yes" if row.dropped else "",
                row.won,
                row.drawn,
                row.lost,
                *(str(value.exact) for value in row.values if value.tie_break.key != "random"),
            )
            for row in standings(event)
        ],
    )


def matches_table(event: Event, number: int | None = None) -> Table:
    """Every match of the published rounds, or of one, with its result as far as it is settled."""
    rounds = Round.objects.published().filter(event=event).order_by("number")
    rows: list[tuple[Any, ...]] = []
    for round in rounds if number is None else rounds.filter(number=number):
        for match in round_matches(round):
            state = match_state(match)
            names = [seat.registration.name for seat in state.seats] + [""]
            rows.append(
                (round.number, match.table or "", names[0], names[1], state.state, state.outcome or "")
            )
    return Table(("round", "table", "player 1", "player 2", "state", "result of player 1"), rows)


TABLES: dict[str, Callable[[Event], Table]] = {
    "players": players_table,
    "standings": standings_table,
    "results": matches_table,
}


# --- forms of other programs -------------------------------------------------------------------------------


def nrtm(event: Event) -> dict[str, Any]:
    """The event in the shape of NRTM, which fan sites of one game read: ranks, points, strengths, rounds.

    Scores are the policy's match points; a bye has no second player.
    """
    scoring = policy_of(event).scoring
    rows = standings(event)
    values = [{value.tie_break.key: float(value.exact) for value in row.values} for row in rows]
    shown = Round.objects.published().filter(event=event).order_by("number")
    rounds, bracket = shown.filter(stage=None), shown.exclude(stage=None)
    seeded = sorted((one for one in final_standings(event) if one.seed), key=lambda one: one.place)
    return {
        "name": event.name,
        "date": event.starts_on.isoformat(),
        "cutToTop": len(seeded),
        "preliminaryRounds": len(rounds),
        "players": [
            {
                "id": row.registration.number,
                "name": row.registration.name,
                "rank": row.rank,
                "corpIdentity": None,
                "runnerIdentity": None,
                "matchPoints": row.points,
                "strengthOfSchedule": told.get("sos", 0.0),
                "extendedStrengthOfSchedule": told.get("esos", 0.0),
            }
            for row, told in zip(rows, values, strict=True)
        ],
        "eliminationPlayers": [
            {
                "id": one.standing.registration.number,
                "name": one.standing.registration.name,
                "rank": one.place,
                "seed": one.seed,
            }
            for one in seeded
        ],
        "rounds": [
            *([_nrtm_match(match, scoring) for match in round_matches(round)] for round in rounds),
            *([_nrtm_game(match) for match in round_matches(round)] for round in bracket),
        ],
    }


def _nrtm_game(match: Any) -> dict[str, Any]:
    """A game of the bracket: who won, not by how much."""
    state = match_state(match)
    sides: dict[str, Any] = {
        f"player{side}": {
            "id": seat.registration.number,
            "role": None,
            "winner": state.outcome_for(seat.registration) in WON,
        }
        for side, seat in enumerate(state.seats, start=1)
    }
    return {
        "table": match.table,
        **sides,
        "intentionalDraw": False,
        "twoForOne": False,
        "eliminationGame": True,
    }


def _nrtm_match(match: Any, scoring: Scoring) -> dict[str, Any]:
    state = match_state(match)

    def player(seat: Any) -> dict[str, Any]:
        code = state.outcome_for(seat.registration) if seat else None
        games = state.games and (
            state.games if seat.side == 1 else (state.games[1], state.games[0], state.games[2])
        )
        score = scoring.worth(code, games) if code is not None and code in scoring.points else 0
        number = seat.registration.number if seat else None
        return {"id": number, "runnerScore": None, "corpScore": None, "combinedScore": score}

    one, two = (*state.seats, None)[:2]
    return {
        "table": match.table,
        "player1": player(one),
        "player2": player(two),
        "intentionalDraw": any(report.how == "agreed" for report in state.reports),
        "twoForOne": False,
        "eliminationGame": False,
    }


def trf(event: Event) -> Trf:
    """The Swiss rounds as a tournament report file: wins 1, draws ½, byes U. The first named is said to be white."""
    rows = standings(event)
    ordered = sorted((row.registration for row in rows), key=lambda one: one.number)
    numbers = {one.pk: place for place, one in enumerate(ordered, start=1)}
    games: dict[int, dict[int, Game | None]] = {pk: {} for pk in numbers}
    rounds = list(Round.objects.published().filter(event=event, stage=None).order_by("number"))
    for place, round in enumerate(rounds):
        for match in round_matches(round):
            state = match_state(match)
            for seat in state.seats:
                other = next((one for one in state.seats if one.pk != seat.pk), None)
                games[seat.registration_id][place] = _game(seat, other, state, numbers)
    rank = {row.registration.pk: row.rank for row in rows}
    return Trf(
        name=event.name,
        rounds=max(len(rounds), 0 if event.state == Event.State.FINISHED else event.planned_rounds or 0),
        players=[
            TrfPlayer(
                number=numbers[one.pk],
                name=one.name,
                rank=rank[one.pk],
                games=[games[one.pk].get(place) for place in range(len(rounds))],
            )
            for one in ordered
        ],
        headers={"042": event.starts_on.strftime("%Y/%m/%d"), "022": event.venue},
    )


_SIGNS = {"win": "1", "timed-win": "1", "draw": "=", "timed-loss": "0", "loss": "0", "double-loss": "0"}


def _game(seat: Any, other: Any, state: Any, numbers: dict[int, int]) -> Game | None:
    if other is None:
        return Game(None, "", "U" if state.outcome is None else "Z")
    outcome = state.outcome_for(seat.registration)
    if outcome is None:
        return None
    return Game(numbers[other.registration_id], "w" if seat.side == 1 else "b", _SIGNS[outcome])
