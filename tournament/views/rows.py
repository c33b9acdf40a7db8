"""The rows of long tables, written in Python: with hundreds of rows, a template takes ten times as long.

Every value goes through `drawn`, which escapes it. A row is the same for everybody who may see its table, so rows
are kept (config.row_cache); who looks is marked when they are put together.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from config.row_cache import kept
from tournament.forms.events import OUTCOMES
from tournament.models import Event, Registration, Round
from tournament.selectors import policy_of
from tournament.selectors.decklists import ListRow, list_standing_of
from tournament.selectors.floor import FloorTable
from tournament.selectors.player_rows import DeskPlayer
from tournament.selectors.rounds import paired_in, told_words
from tournament.selectors.standings import Standing, standings_at
from tournament.selectors.tables import Sitting, TableRow, round_tables
from tournament.swiss import BYE, Outcome, State
from tournament.templatetags.qr import qr
from tournament.templatetags.ui import chip, said, shape, status_shape, status_word


@dataclass(frozen=True, slots=True)
class Line:
    """A row's cells; players: whose row it is (registrations); words: what a search looks in."""

    players: tuple[int, ...]
    words: str
    cells: SafeString


def together(
    lines: Iterable[Line], me: Registration | None = None, query: str = "", faint: Collection[int] = ()
) -> SafeString:
    """The rows whose words hold `query`, those of `me` marked, those of the players in `faint` set back."""
    wanted, mine = query.casefold(), me.pk if me is not None else None
    return joined(
        drawn(
            '<tr role="row"%s>%s</tr>\n',
            _ME if mine in line.players else _FAINT if faint and line.players[0] in faint else "",
            line.cells,
        )
        for line in lines
        if not wanted or wanted in line.words
    )


_FAINT = SafeString(' class="gone"')
_ME = SafeString(' class="me" id="me"')


def drawn(form: str, *values: object) -> SafeString:
    """`form` with its %s filled, each value escaped unless it is drawn itself: `format_html` in a third of the time."""
    filled = form % tuple(one if type(one) is SafeString else escape(str(one)) for one in values)
    return SafeString(filled)  # escaped above  # nosec B703


def joined(parts: Iterable[SafeString], between: str = "") -> SafeString:
    """between: markup of ours."""
    return SafeString(between.join(parts))  # of safe parts  # nosec B703


def addresses(view: str, *args: object) -> Callable[[int], str]:
    """The page of each number: resolving an address anew for every row takes longer than all else in it."""
    before, _zero, after = reverse(view, args=[*args, 0]).rpartition("0")
    return lambda number: f"{before}{number}{after}"


def outcome_word(code: str | None, *, alone: bool = False) -> SafeString | None:
    """A result as a player reads it of themselves, told apart by weight; None while it is open.

    alone: nobody sat opposite, so that a round which didn't count as a bye was missed.
    """
    if code is None:
        return None
    if code == BYE:
        return drawn('<span class="won">%s</span>', _("bye"))
    if alone:
        return drawn('<span class="lost">%s</span>', _("missed"))
    outcome = Outcome(code)
    look = "won" if outcome in _WON else "drew" if outcome is Outcome.DRAW else "lost"
    return drawn('<span class="%s">%s</span>', look, OUTCOMES[outcome])


_WON = (Outcome.WIN, Outcome.TIMED_WIN)


def alone_word(state: str) -> str:
    """Why nobody sits opposite: a bye, or a round that was missed."""
    return _("bye") if state == State.BYE else _("missed")


PAGE = 100  # rows at once; more are a page further, or found by name


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a long table. `number` counts from 1; `mine`: the page on which the asker's own row is, 0 for none."""

    lines: Sequence[Line]
    number: int
    pages: int
    left: int  # rows after this page
    mine: int

    @property
    def before(self) -> int:
        return self.number - 1

    @property
    def after(self) -> int:
        return self.number + 1 if self.number < self.pages else 0

    def with_mine(self, lines: Sequence[Line], me: Registration | None) -> Sequence[Line]:
        """This page's rows, led by the asker's own where that is on another page."""
        if me is None or self.mine in (0, self.number):
            return self.lines
        return [*(line for line in lines if me.pk in line.players), *self.lines]


def paged(lines: Sequence[Line], asked: str, me: Registration | None = None, query: str = "") -> Page:
    """The page asked for of the rows that `query` finds."""
    wanted = query.casefold()
    found = [line for line in lines if wanted in line.words] if wanted else lines
    pages = max(1, -(-len(found) // PAGE))
    number = min(max(int(asked), 1), pages) if asked.isdecimal() and len(asked) < 6 else 1
    at = next((i for i, line in enumerate(found) if me is not None and me.pk in line.players), -1)
    return Page(
        found[(number - 1) * PAGE : number * PAGE],
        number,
        pages,
        max(len(found) - number * PAGE, 0),
        at // PAGE + 1,
    )


# --- standings ----------------------------------------------------------------------------------------------------


def standing_lines(event: Event, version: object) -> list[Line]:
    """Every player's place (public)."""
    key = "standing-lines", event.pk, version, get_language()
    return kept(key, lambda: list(_standing_lines(event, standings_at(event, version))))


def _standing_lines(event: Event, rows: Sequence[Standing]) -> Iterable[Line]:
    page = addresses("standing", event.slug)
    ties = [
        (at, said(one.short)) for at, one in enumerate(policy_of(event).tie_breaks) if one.key != "random"
    ]
    cell = '<td role="cell" class="num%s" data-label="%s">%s</td>'
    dropped, record = drawn(' <small class="quiet">%s</small>', _("dropped")), drawn("%s", _("W–D–L"))
    texts = {at: _below_each_other([row.values[at].text for row in rows]) for at, _label in ties}

    for number, row in enumerate(rows):
        yield Line(
            (row.registration.pk,),
            row.registration.name.casefold(),
            drawn(
                '<td role="cell" class="first">%s</td><th role="rowheader" scope="row" class="lead-cell">'
                '<a href="%s">%s</a>%s</th><td role="cell" data-label="%s">%s–%s–%s</td>%s',
                row.rank,
                page(row.registration.pk),
                row.registration.name,
                dropped if row.dropped else "",
                record,
                row.won,
                row.drawn,
                row.lost,
                joined(drawn(cell, "" if at else " strong", label, texts[at][number]) for at, label in ties),
            ),
        )


def _below_each_other(column: Sequence[str]) -> list[str]:
    """Figures of a column, whole ones with decimal places where others have them."""
    broken = any("." in one for one in column)
    return [f"{one}.0000" if broken and one.isdecimal() else one for one in column]


# --- pairings -----------------------------------------------------------------------------------------------------


def pairing_lines(event: Event, round: Round, version: object, *, by_table: bool, desk: bool) -> list[Line]:
    """A round's tables, or its players by name (each pairing twice). desk: organizers go from here to the matches."""
    desk = desk and round.published_at is not None
    key = "pairing-lines", event.pk, version, get_language(), round.pk, by_table, desk
    return kept(key, lambda: _pairing_lines(event, round, by_table=by_table, desk=desk))


def _pairing_lines(event: Event, round: Round, *, by_table: bool, desk: bool) -> list[Line]:
    write = _Pairings(event, round, by_table=by_table, desk=desk)
    if by_table:
        return [
            Line(
                tuple(one.pk for one in table.seats),
                " ".join(one.name for one in table.seats).casefold(),
                write(table, table.seats[0]),
            )
            for table in round_tables(round)
        ]
    seats = [(one, table) for table in round_tables(round) for one in table.seats]
    seats.sort(key=lambda seat: seat[0].name.casefold())
    return [Line((one.pk,), one.name.casefold(), write(table, one)) for one, table in seats]


class _Pairings:
    """Writes the cells of one player's row, or of one table's."""

    def __init__(self, event: Event, round: Round, *, by_table: bool, desk: bool) -> None:
        self.by_table = by_table
        self.why_page = addresses("why", event.slug, round.number)
        self.match_page = addresses("match") if desk else None
        self.words = told_words(round) if by_table else {}
        self.paired = paired_in(round)
        self.chips = Chips()
        self.nobody = drawn('<span class="quiet">%s</span>', _("no opponent (bye)"))
        self.missed = drawn('<span class="quiet">%s</span>', _("no opponent"))
        self.waiting = drawn('<span class="quiet">%s</span>', status_word("waiting"))
        self.against, self.why, self.whose = _("against"), _("why?"), _("Why this pairing for %(name)s?")

    def __call__(self, table: TableRow, player: Sitting) -> SafeString:
        name = drawn('<th role="rowheader" scope="row" class="lead-cell">%s</th>', player.name)
        number = drawn('<td role="cell" class="first">%s</td>', self._number(table))
        first, second = (number, name) if self.by_table else (name, number)
        other = next((one for one in table.seats if one.pk != player.pk), None)
        result = outcome_word(table.outcome_for(player.pk), alone=other is None)
        nobody = self.nobody if table.state == State.BYE else self.missed
        return drawn(
            '%s%s<td role="cell" data-label="%s">%s%s%s</td><td role="cell" class="last">%s</td>',
            first,
            second,
            self.against,
            nobody if other is None else other.name,
            self._words(table),
            self._why(player),
            self._open(table) if result is None else result,
        )

    def _open(self, table: TableRow) -> SafeString:
        """Only what is out of the ordinary gets a chip."""
        return self.waiting if table.state == State.WAITING else self.chips(table.state)

    def _number(self, table: TableRow) -> object:
        if table.table is None or self.match_page is None:
            return "–" if table.table is None else table.table
        return drawn('<a href="%s">%s</a>', self.match_page(table.pk), table.table)

    def _why(self, player: Sitting) -> str:
        """A link; "" for who entered later."""
        if player.pk not in self.paired:
            return ""
        return drawn(
            ' <small><a href="%s"><span aria-hidden="true">%s</span><span class="away">%s</span></a></small>',
            self.why_page(player.pk),
            self.why,
            self.whose % {"name": player.name},
        )

    def _words(self, table: TableRow) -> str:
        seated: list[int | None] = [one.pk for one in table.seats]
        words = self.words.get(frozenset(seated if len(seated) > 1 else [*seated, None]))
        return drawn('<br><small class="quiet">%s</small>', words) if words else ""


class Chips:
    """Chips drawn once for a table's rows."""

    def __init__(self) -> None:
        self._drawn: dict[str, SafeString] = {}

    def __call__(self, status: str) -> SafeString:
        if status not in self._drawn:
            self._drawn[status] = chip(status)
        return self._drawn[status]


# --- the floor and the desk -----------------------------------------------------------------------------------------


def floor_cells(tables: Iterable[FloorTable], density: str) -> SafeString:
    """The tables of the hall: numbers with a mark ("dense"), with names, or with everything ("full")."""
    page, chips = addresses("match"), Chips()
    write = {"dense": _mark, "names": _names}.get(density) or (lambda one: _full(one, chips))
    word = _("Table")
    return joined(
        drawn(
            '<a href="%s" class="%sis-%s"><b><span class="away">%s </span>%s</b>\n%s</a>',
            page(one.row.pk),
            "is-call " if one.call else "",
            "settled" if one.row.settled else one.row.state,
            word,
            one.row.table,
            write(one),
        )
        for one in tables
    )


def _mark(one: FloorTable) -> SafeString:
    away = '%s<span class="away">%s</span>'
    if one.call:
        return drawn(away, shape("alert"), _("judge called"))
    return drawn(away, status_shape(one.row.state), status_word(one.row.state))


def _names(one: FloorTable) -> SafeString:
    names = joined((drawn("%s", seat.name) for seat in one.row.seats), "<br>")
    return drawn("<span>%s</span><span>%s%s</span>", names, _minutes(one.minutes), _mark(one))


def _full(one: FloorTable, chips: Chips) -> SafeString:
    dropped = drawn(' <small class="quiet">%s</small>', _("dropped"))
    names = joined(
        (
            drawn("%s%s", seat.name, dropped if seat.state == Registration.State.DROPPED else "")
            for seat in one.row.seats
        ),
        "<br>",
    )
    called = "" if not one.call else chip("call-claimed") if one.call.judge_id else _waits()
    facts = drawn("%s%s%s", called, chips(one.row.state), _minutes(one.minutes))
    return drawn('<span>%s</span><span class="facts">%s</span>', names, facts)


def _waits() -> SafeString:
    return chip("call-open", _("Judge called"))


def _minutes(minutes: int) -> str:
    return drawn('<span class="extra">%s′</span> ', f"{minutes:+}") if minutes else ""


def open_lines(tables: Iterable[TableRow], extensions: dict[int, int] | None = None) -> SafeString:
    """Open tables as lines that lead to their matches."""
    page, chips, more = addresses("match"), Chips(), extensions or {}
    return joined(
        drawn(
            '<li><a href="%s"><span class="seated"><b>%s</b><span>%s%s</span></span>%s</a></li>',
            page(one.pk),
            one.table,
            " – ".join(seat.name for seat in one.seats),
            drawn(' <span class="look-ink">%s′</span>', f"{more[one.pk]:+}") if more.get(one.pk) else "",
            "" if one.state == State.WAITING else chips(one.state),
        )
        for one in tables
    )


# --- players and lists ----------------------------------------------------------------------------------------------


def desk_lines(event: Event, rows: Sequence[DeskPlayer]) -> list[Line]:
    """The players as a dense table for event staff: only what needs somebody has color."""
    page, edit, penalties = (
        addresses(view, event.slug) for view in ("player", "player-edit", "player-penalties")
    )
    ties = policy_of(event).tie_breaks
    label = str(said(ties[1].short)) if len(ties) > 1 else ""
    return [
        Line(
            (one.pk,),
            f"{one.name}\n{one.club}\n{one.number}".casefold(),
            _desk_cells(one, (label, tie), page, edit, penalties),
        )
        for one, tie in zip(rows, _below_each_other([one.tie for one in rows]), strict=True)
    ]


_GONE = {
    "dropped": _lazy("dropped"),
    "out": _lazy("first day only"),
    "withdrawn": _lazy("withdrawn"),
    "waiting": _lazy("on the waiting list"),
}


def _desk_cells(
    one: DeskPlayer,
    tie: tuple[str, str],
    page: Callable[[int], str],
    edit: Callable[[int], str],
    penalties: Callable[[int], str],
) -> SafeString:
    where = _GONE.get(one.state) or (_("table %(n)s") % {"n": one.table} if one.table else "–")
    look = {"illegal": "bad", "unverified": "look", "no-deck": "look"}.get(one.standing, "")
    word = str(status_word(one.standing))
    if one.problems and one.standing == "illegal":
        word = ngettext("Illegal: %(n)s problem", "Illegal: %(n)s problems", one.problems) % {
            "n": one.problems
        }
    given = ", ".join(
        f"{count} × {said(title)}" if count > 1 else str(said(title)) for title, count in one.penalties
    )
    return drawn(
        '<td role="cell" class="num first">%s</td><th role="rowheader" scope="row" class="lead-cell">'
        '<a href="%s">%s</a></th><td role="cell" class="grow-cell of-club">%s</td>'
        '<td role="cell" class="num strong" data-label="%s">%s</td>'
        '<td role="cell">%s</td>%s'
        '<td role="cell"%s><span class="word %s">%s%s</span></td>'
        '<td role="cell"%s><a href="%s">%s</a></td>'
        '<td role="cell">%s</td><td role="cell" class="last"><a href="%s"><u>%s</u>'
        '<span class="away"> %s</span></a></td>',
        one.rank or "–",
        page(one.pk),
        one.name,
        one.club,
        _("Points"),
        one.points if one.rank else "–",
        one.record,
        drawn('<td role="cell" class="num" data-label="%s">%s</td>', *tie)
        if tie[1]
        else drawn('<td role="cell"></td>'),
        "" if look else drawn(' class="usual"'),
        look,
        status_shape(one.standing),
        word,
        "" if given else drawn(' class="wide-only"'),
        penalties(one.pk),
        drawn('<span class="word look">%s</span>', given) if given else "–",
        where,
        edit(one.pk),
        _("Edit"),
        one.name,
    )


def public_lines(
    event: Event, rows: Iterable[tuple[int, str, str, str, str, str | None]], me: Registration | None
) -> list[Line]:
    """The players as everybody sees them; each for themselves also how it stands with the list.

    rows: (pk, name, club, state, why the list was admitted, verdict).
    """
    page, chips = addresses("player", event.slug), Chips()
    shown = {"dropped": "dropped", "waiting": "in-line"}
    return [
        Line(
            (pk,),
            f"{name}\n{club}".casefold(),
            drawn(
                '<th role="rowheader" scope="row" class="lead-cell">%s</th><td role="cell" class="of-club">%s</td>'
                '<td role="cell" class="last">%s%s</td>',
                drawn('<a href="%s">%s</a>', page(pk), name) if me is not None and pk == me.pk else name,
                club,
                chips(list_standing_of(admitted, verdict)) if me is not None and pk == me.pk else "",
                chips(shown[state]) if state in shown else "",
            ),
        )
        for pk, name, club, state, admitted, verdict in rows
    ]


def list_lines(event: Event, entries: Collection[ListRow]) -> SafeString:
    """The lists of an event with their verdicts."""
    page, chips, stamp = addresses("player-list", event.slug), Chips(), shape("stamp")
    locked = drawn(' %s<span class="away">%s</span>', stamp, _("locked"))
    return joined(
        drawn(
            '<tr role="row"><th role="rowheader" scope="row" class="lead-cell"><a href="%s">%s</a>%s%s</th>'
            '<td role="cell" class="last">%s</td><td role="cell">%s</td><td role="cell" class="note">%s</td>'
            '<td role="cell" class="hash">%s</td></tr>',
            page(one.pk),
            one.name,
            drawn(" %s", chips("dropped")) if one.state == Registration.State.DROPPED else "",
            locked if one.locked else "",
            chips(one.standing),
            one.deck,
            one.finding,
            one.hash,
        )
        for one in entries
    )


# --- paper ----------------------------------------------------------------------------------------------------------


def paper_standings(rows: Sequence[Standing]) -> SafeString:
    dropped = drawn(" <small>%s</small>", _("dropped"))
    ties = [at for at, one in enumerate(rows[0].values) if one.tie_break.key != "random"] if rows else []
    columns = [_below_each_other([row.values[at].text for row in rows]) for at in ties]
    return joined(
        drawn(
            '<tr><td class="big-no">%s</td><th scope="row">%s%s</th><td class="record">%s–%s–%s</td>%s</tr>',
            row.rank,
            row.registration.name,
            dropped if row.dropped else "",
            row.won,
            row.drawn,
            row.lost,
            joined(drawn('<td class="num">%s</td>', column[at]) for column in columns),
        )
        for at, row in enumerate(rows)
    )


def paper_pairings(rows: Iterable[tuple[int | None, str, str]], *, by_table: bool) -> SafeString:
    """rows: (table, player, opponent or why there is none)."""
    form = '<td class="big-no">%s</td><th scope="row">%s</th>'
    return joined(
        drawn(
            "<tr>%s<td>%s</td></tr>",
            drawn(form, table or "–", name)
            if by_table
            else drawn('<th scope="row">%s</th><td class="big-no">%s</td>', name, table or "–"),
            against,
        )
        for table, name, against in rows
    )


def slip_players(players: Iterable[tuple[str, str, str]], outcomes: Sequence[object]) -> SafeString:
    """Two halves of a match slip, each with boxes to tick. players: (name, the code of who has no account, the address
    where it is claimed)."""
    boxes = joined(drawn('<span class="box">%s</span>', one) for one in outcomes)
    signed = drawn(
        '<p class="slip-sign"><span>%s</span><span class="box">%s</span></p>', _("initials"), _("drops")
    )
    return joined(
        drawn(
            '<div class="slip-player">%s<p><b>%s</b>%s</p><p class="slip-boxes">%s</p>%s</div>',
            qr(address, _("Opens the page to claim the registration")) if code else "",
            name,
            drawn(" <small>%s</small>", code) if code else "",
            boxes,
            signed,
        )
        for name, code, address in players
    )
