"""Who met whom and how it ended, as sheets and sites tell it: a row a table, a row a player and round, a cross table by
rounds, or JSON of the same (Melee, the caches of Magic Online's events, Limitless). Read into plain values.

Nothing is guessed: what contradicts itself, and a result that may mean two things, is refused with its place.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from unicodedata import normalize

from django.utils.translation import gettext as _

from config.text import whole_number
from tournament.files.claims import Claim, claimed, number, whole
from tournament.files.doubts import listed
from tournament.files.result_words import (
    BRACKET,
    COLUMNS,
    DRAWN,
    LOST,
    LOST_BY_BOTH,
    MATCHES,
    ROUND_WORDS,
    STANDINGS,
    WON,
    is_bye,
    key_of,
)
from tournament.files.shape import MOST_PLAYERS, MOST_TABLES, not_more, wrong
from tournament.files.tables import table_rows
from tournament.swiss import Outcome

Games = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Meeting:
    """One table. one, two: names' places in `Results.names`, from 1 (two: None for a bye); outcome: of the first, None
    while it is open or of a bye; games: won by the first, by the second, drawn."""

    place: str
    one: int
    two: int | None
    outcome: Outcome | None
    games: Games | None = None
    table: int | None = None


@dataclass(slots=True)
class Results:
    """headed: whether such a file has a place for the event's name and date; remarks: what stands in the file and is
    not read; byes: (place, how it is written) of each."""

    name: str = ""
    date: str = ""
    headed: bool = False
    names: list[str] = field(default_factory=list)
    rounds: list[list[Meeting]] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)  # of the names, from 1
    byes: list[tuple[str, tuple[str, bool]]] = field(default_factory=list)

    def player(self, name: str, place: str) -> int:
        """The place of a player of this name, entered when new."""
        name = plain_name(name)
        if not name or len(name) > 80 or not name.isprintable():
            raise wrong(place, _("must be the player’s name"))
        if name not in self.places:
            not_more(len(self.names) + 1, MOST_PLAYERS)
            self.names.append(name)
            self.places[name] = len(self.names)
        return self.places[name]


def plain_name(name: str) -> str:
    """As it is compared: single spaces, composed accents, without the marks of no width that copied pages have."""
    return normalize("NFC", " ".join(name.translate(_NO_WIDTH).split()))


_NO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200e\u200f\u2060\ufeff"))


# --- which kind it is -----------------------------------------------------------------------------------


def is_results_table(source: str) -> bool:
    """Whether a text is a table of results: its first line names two players and a result, or rounds one by one."""
    return _head_of(source) is not None


def is_standings_table(source: str) -> bool:
    """Whether a text is a table of players with ranks or points, and without their opponents."""
    columns = _columns(re.split(r"[\t;,|]", next(iter(_first_lines(source)), "")))
    return "one" in columns and bool(columns.keys() & {"rank", "points", "omw", "sos"})


def is_results_json(document: Any) -> bool:
    return next(_matches_in(document), None) is not None


def read_table(source: str) -> Results:
    """Raises UserError `bad-file` with the line."""
    above, mark = _head_of(source) or (0, ",")
    before, head, rows = _sheet(source, above, mark)
    not_more(len(rows), MOST_TABLES)
    columns = _columns(head)
    found = Results()
    if before:
        found.remarks.append(
            _("Lines above the heading were left out: %(lines)s.") % {"lines": listed(before)}
        )
    for line, row in rows:
        if any(row[len(head) :]):
            raise wrong(
                _("line %(line)s") % {"line": line},
                _(
                    "has more cells than the heading: put a name with “%(mark)s” in it in quotes, and name a further "
                    "column in the heading"
                )
                % {"mark": mark},
            )
    if _is_meetings(columns):
        told = (_row(head, columns, line, row) for line, row in rows)
        places = (_("line %(line)s") % {"line": line} for line, _row in rows)
        _meetings(found, zip(places, told, strict=True), by_round="round" in columns)
    else:
        _cross_table(found, head, columns, rows)
    ask_whether_whole(found)
    return found


def read_json(document: Any) -> Results:
    """Raises UserError `bad-file` with the path."""
    found = Results(headed=isinstance(document, Mapping))
    event = _under(document, ("tournament",)) or document
    name = _under(event, ("name",))
    found.name = name if isinstance(name, str) else ""
    found.date = str(_under(event, ("date", "startdate")) or "")[:10]
    rows = list(_matches_in(document))
    not_more(len(rows), MOST_TABLES)
    _meetings(found, ((place, _flat(place, row) | more) for place, row, more in rows), by_round=True)
    found.claims = list(_claims(found, document))
    said = _under(document, ("recordstotal", "totalcount"))
    if isinstance(said, int) and said != len(rows):  # a page of a longer list
        told = _("The file announces %(said)s tables but has %(n)s.")
        found.remarks.append(told % {"said": said, "n": len(rows)})
    ask_whether_whole(found)
    return found


def ask_whether_whole(found: Results) -> None:
    """Without standings, a file cut off at the end of a round looks like a shorter event; and a word for a bye that we
    don't know looks like a player."""
    found.remarks += [
        _("“%(name)s” is only ever an opponent and never wins: is this a player, or a bye?") % {"name": name}
        for name in _perhaps_byes(found)
    ]
    if not any(one.points is not None for one in found.claims):
        asked = _(
            "The file doesn’t say whether it is complete (players: %(players)s, rounds: %(rounds)s). Is that all of it?"
        )
        found.remarks.append(asked % {"players": len(found.names), "rounds": len(found.rounds)})


def _perhaps_byes(found: Results) -> Iterator[str]:
    """Names that stand in several rounds, and always where a bye would, when the other players are odd in number."""
    if len(found.names) % 2:
        return
    first = {one.one for meetings in found.rounds for one in meetings}
    met: dict[int, list[Meeting]] = {}
    for one in (one for meetings in found.rounds for one in meetings if one.two is not None):
        met.setdefault(one.two or 0, []).append(one)
    for place, theirs in met.items():
        beaten = all(one.outcome in (None, Outcome.WIN) for one in theirs)
        if place not in first and len(theirs) > 1 and beaten:
            yield found.names[place - 1]


# --- rows of two players --------------------------------------------------------------------------------


def _meetings(found: Results, rows: Iterable[tuple[str, dict[str, str]]], *, by_round: bool) -> None:
    rounds: dict[int, _Round] = {}
    other: dict[str, int] = {}
    drawn: list[
        tuple[str, str, Games]
    ] = []  # (place, what is said of drawn games, the games) of games by player
    written: list[tuple[str, str]] = []  # (place, the result) of two players, without games
    for place, told in rows:
        if not any(told.values()):
            continue
        label = told.get("round", "") if by_round else "1"
        if (phase := number(told.get("phase", ""))) and phase > 1:
            label = _("phase %(phase)s") % {"phase": phase}
        if (phase and phase > 1) or BRACKET.search(label):
            other[label] = other.get(label, 0) + 1
            continue
        new = _meeting(found, told, place)
        rounds.setdefault(_round_number(label, place), _Round(found)).add(new)
        if new.two is not None and new.games is None and (said := _plain(told.get("result", ""))):
            written.append((place, said))
        if new.games and told.get("games1", ""):
            drawn.append((place, told.get("draws", ""), new.games))
    tables = {round: one.meetings for round, one in rounds.items()}
    found.remarks += [
        *_undrawn(drawn),
        *_without_games(tables),
        *_bare(written),
        *_tables_missing(tables),
        *_odd_byes(found.byes),
    ]
    if other:
        said = ", ".join(f"{label} ({count})" for label, count in other.items())
        found.remarks.append(_("The bracket’s rounds were left out: %(which)s.") % {"which": said})
    for at, round in enumerate(sorted(tables), start=1):
        if round != at:
            raise wrong(
                tables[round][0].place,
                _("belongs to round %(n)s, but round %(m)s is missing") % {"n": round, "m": at},
            )
        found.rounds.append(tables[round])
    if not found.rounds:
        raise wrong(_("the file"), _("has no table of a Swiss round"))
    if not by_round and len({one for m in found.rounds[0] for one in (m.one, m.two)}) < len(found.rounds[0]):
        raise wrong(_("the file"), _("doesn’t name a round"))


def _undrawn(drawn: Sequence[tuple[str, str, Games]]) -> Iterator[str]:
    """Where a number of drawn games is missing: on some tables although others say 0, or everywhere, which matters
    where both won as many."""
    said = {count for _place, count, _games in drawn}
    if any(number(count) == 0 for count in said):
        lost = [place for place, count, _games in drawn if not count]
    else:
        lost = [place for place, _count, games in drawn if said == {""} and games[0] == games[1]]
    if lost:
        yield _("No number of drawn games, read as 0: %(places)s.") % {"places": listed(lost)}


def _without_games(rounds: Mapping[int, Sequence[Meeting]]) -> Iterator[str]:
    """Where most tables have the games of their result, those that have none."""
    told = [
        one for at in sorted(rounds) for one in rounds[at] if one.two is not None and one.outcome is not None
    ]
    bare = [one.place for one in told if one.games is None and one.outcome is not Outcome.DOUBLE_LOSS]
    if 0 < 2 * len(bare) < len(told):
        yield _("No games in the result, though other tables have them: %(places)s.") % {
            "places": listed(bare)
        }


def _bare(written: Sequence[tuple[str, str]]) -> Iterator[str]:
    """“0” and “1” among results in words, signs or games: the rest of a score, or a cell of another column."""
    bare = [f"{place} (“{said}”)" for place, said in written if said in ("0", "1")]
    if 0 < 2 * len(bare) < len(written):
        yield _("Results written unlike the others, read as won (1) or lost (0): %(places)s.") % {
            "places": listed(bare)
        }


def long_matches(rounds: Sequence[Sequence[Meeting]], to_win: int) -> Iterator[str]:
    """More games than decide a match: possible with drawn games, and rare."""
    long = [one for meetings in rounds for one in meetings if one.games and sum(one.games) > 2 * to_win - 1]
    told = [f"{one.place} ({'-'.join(map(str, one.games or ()))})" for one in long]
    if told and to_win:
        yield _("More games than decide a match: %(places)s.") % {"places": listed(told)}


def _odd_byes(byes: Sequence[tuple[str, tuple[str, bool]]]) -> Iterator[str]:
    """A program writes all its byes in one way; an opponent that was lost is written otherwise."""
    ways = Counter(way for _place, way in byes)
    if len(ways) > 1:
        (usual, most), (_next, second) = ways.most_common(2)
        odd = [place for place, way in byes if way != usual or most == second]
        yield _("Byes are written in different ways, so an opponent may be missing: %(places)s.") % {
            "places": listed(odd)
        }


def _tables_missing(rounds: Mapping[int, Sequence[Meeting]]) -> Iterator[str]:
    """Gaps between the numbers of tables; a few tables far off are only numbered otherwise."""
    for round in sorted(rounds):
        there = {one.table for one in rounds[round] if one.table is not None}
        gaps = sorted(set(range(1, min(max(there, default=0), 10_000))) - there)
        if 0 < len(gaps) <= len(there):
            yield _("Round %(round)s has no table %(tables)s.") % {
                "round": round,
                "tables": listed([str(one) for one in gaps]),
            }


def _round_number(label: str, place: str) -> int:
    digits = re.fullmatch(r"(\D*)(\d{1,3})(\D*)", label)
    if digits is None or key_of(digits[1] + digits[3]) not in ROUND_WORDS:
        raise wrong(place, _("doesn’t name a round"))
    return int(digits[2])


def _meeting(found: Results, told: Mapping[str, str], place: str) -> Meeting:
    if told.get("one", "") and is_bye(told["one"]) and not is_bye(told.get("two", "")):
        told = _turned(told, place)
    one = found.player(told.get("one", ""), place)
    opponent = told.get("two", "")
    result = _plain(told.get("result", ""))
    table = int(told["table"]) if re.fullmatch(r"[0-9]{1,4}", told.get("table", "")) else None
    if is_bye(opponent):
        found.byes.append((place, (opponent.strip().casefold(), table is not None)))
        outcome = _without_opponent(told, result, place)
        nobody = told.get("winner") == "0"
        if outcome is None and (nobody or not _is_of_a_bye(result)):
            asked = _("%(place)s: “%(said)s” without an opponent is read as a bye.")
            found.remarks.append(asked % {"place": place, "said": (result or "0")[:60]})
        if outcome is not None and result and not any(map(str.isalpha, result)):
            lost = _("%(place)s: “%(said)s” without an opponent is read as lost.")
            drawn = _("%(place)s: “%(said)s” without an opponent is read as a draw.")
            asked = drawn if outcome is Outcome.DRAW else lost
            found.remarks.append(asked % {"place": place, "said": result[:60]})
        return Meeting(place, one, None, outcome, table=table)
    two = found.player(opponent, place)
    if one == two:
        raise wrong(place, _("names the same player twice"))
    outcome, games = _agreed(list(_told(told, result, place)), place)
    return Meeting(place, one, two, outcome, games, table)


def _plain(result: str) -> str:
    result = " ".join(result.translate(_FULL_WIDTH).split())
    wrapped = _WRAPPED.match(result)
    return next(text for text in wrapped.groups() if text is not None).strip() if wrapped else result


def _turned(told: Mapping[str, str], place: str) -> Mapping[str, str]:
    """A row whose first player is a bye, from the other side."""
    result = told.get("result", "")
    if games := _score(result):
        result = f"{games[1]}-{games[0]}-{games[2]}"
    elif key_of(result) in LOST or result in LOST:
        result = ""
    elif result and not is_bye(result):
        raise wrong(place, _("has a result for a bye: name the player first"))
    return {**told, "one": told["two"], "two": "", "result": result}


def _without_opponent(told: Mapping[str, str], said: str, place: str) -> Outcome | None:
    """The result of a player without an opponent: None for a bye. Raises UserError for one that somebody else won."""
    games = _score(said)
    lost = {said, key_of(said)} & (LOST | LOST_BY_BOTH) or (games and games[0] < games[1])
    if lost or _says_lost(said.replace(told["one"], "")):
        return Outcome.DOUBLE_LOSS
    if (winner := told.get("winner", "")) and not is_bye(winner):
        outcome = _won_by(winner, {"one": told["one"], "two": ""}, place)
        return None if outcome is Outcome.WIN else outcome if outcome is Outcome.DRAW else Outcome.DOUBLE_LOSS
    drawn = {said, key_of(said)} & DRAWN or (games and games[0] == games[1] and any(games))
    return Outcome.DRAW if drawn else None


def _says_lost(said: str) -> bool:
    """“Ann was assigned a loss”: a word for it in a sentence."""
    return any(len(word) > 2 and word in LOST for word in said.casefold().split())


def _is_of_a_bye(said: str) -> bool:
    """Whether what is said of a player without an opponent goes with a bye."""
    words = said.casefold().replace("(", " ").split()
    return (
        is_bye(said) or "bye" in words or _won_alone(said) or bool({said, key_of(said)} & WON)
        or bool(_HALVES.match(said)) or any(len(word) > 2 and word in WON for word in words) or said in _FULL
    )  # fmt: skip


def _won_alone(said: str) -> bool:
    """“2-0”: nobody was there to win or draw a game."""
    games = _score(said)
    return games is not None and not any(games[1:])


_FULL = ("1", "1.0", "1,0", "3", "6")  # the points of it


Said = tuple[Outcome, Games | None]


def _told(told: Mapping[str, str], result: str, place: str) -> Iterator[Said]:
    """What each of the row's fields says of the result."""
    if winner := told.get("winner", ""):
        yield _won_by(winner, told, place), None
    if told.get("games1", "") or told.get("games2", ""):
        one_sided = not (told.get("games1", "") and told.get("games2", ""))
        if one_sided and not (winner or result or is_bye(told.get("two", ""))):
            raise wrong(place, _("has the games of only one player: write 0 for none"))
        won, lost, drawn = (_games(told.get(word, ""), place) for word in ("games1", "games2", "draws"))
        if won or lost or drawn or not winner:
            yield _of_games((won, lost, drawn), place)
    for written in (result, _plain(told.get(SECOND, ""))):
        said, games = _result(written, told, place)
        if said is not None:
            yield said, games
    points = [number(told.get(word, "")) for word in ("points1", "points2")]
    alone = not told.keys() & {"result", "games1", "winner"}
    if points == [0, 0] and alone:
        raise wrong(place, _("0-0 could be a double loss or not played yet: add a column for the result"))
    if points[0] is not None and points[1] is not None and any(points):
        lead = points[0] - points[1]
        yield (Outcome.WIN if lead > 0 else Outcome.LOSS if lead < 0 else Outcome.DRAW), None


def _agreed(said: Sequence[Said], place: str) -> tuple[Outcome | None, Games | None]:
    """The one result that all fields tell; a draw may be one by time, whatever the games."""
    if len({outcome for outcome, _counted in said}) > 1:
        raise wrong(place, _("gives two different results"))
    games = [counted for _outcome, counted in said if counted is not None]
    if len(set(games)) > 1:
        raise wrong(place, _("gives two different results"))
    return (said[0][0] if said else None), (games[0] if games else None)


class _Round:
    """The tables of a round as they are read."""

    def __init__(self, found: Results) -> None:
        self.found = found
        self.meetings: list[Meeting] = []
        self._at: dict[int, Meeting] = {}  # a player's table

    def add(self, new: Meeting) -> None:
        """A second row of the same table, from the other's side, must say the same. Raises UserError `bad-file`."""
        seated = [one for one in (new.one, new.two) if one is not None]
        old = next((self._at[one] for one in sorted(seated) if one in self._at), None)
        if old is None:
            self.meetings.append(new)
            self._at.update(dict.fromkeys(seated, new))
            return
        if (old.one, old.two) == (new.one, new.two):
            raise wrong(new.place, _("repeats %(place)s") % {"place": old.place})
        if (old.one, old.two) != (new.two, new.one):
            name = self.found.names[min(one for one in seated if one in self._at) - 1]
            raise wrong(new.place, _("%(name)s is at two tables") % {"name": name})
        games = new.games and (new.games[1], new.games[0], new.games[2])
        turned = new.outcome.mirrored if new.outcome else None
        if old.outcome != turned or (old.games and games and old.games != games):
            raise wrong(new.place, _("contradicts %(place)s") % {"place": old.place})


def _won_by(winner: str, told: Mapping[str, str], place: str) -> Outcome:
    said = " ".join(winner.split())
    names = [" ".join(told.get(word, "").split()) for word in ("one", "two")]
    if said in names:
        return (Outcome.WIN, Outcome.LOSS)[names.index(said)]
    if said in ("1", "2"):
        return (Outcome.WIN, Outcome.LOSS)[int(said) - 1]
    if said == "0" or key_of(said) in DRAWN:
        return Outcome.DRAW
    if said == "-1":
        return Outcome.DOUBLE_LOSS
    raise wrong(place, _("names “%(who)s” as the winner, who isn’t at this table") % {"who": said[:40]})


_SCORE = re.compile(r"^(\d{1,2})(?: ?[-:–−/] ?| (?:to|zu|à|a|tot) )(\d{1,2})(?: ?[-:–−/] ?(\d{1,2}))?$", re.I)
_WRAPPED = re.compile(
    r"^(?:=\"([^\"]*)\"|'(.*)|\((\d[^()]*)\))$"
)  # as a sheet keeps a text from being a date
_NEGATIVE = re.compile(r"^[-–−] ?\d+$")
_HALVES = re.compile(r"^(½|1/2|0[.,]5)(?: ?[-:–] ?\1)?$")
_FULL_WIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_WON_BY = re.compile(r"^(.+?) (?:won|wins|gewinnt|gewann|a gagné|gana|ganó)(?: (\d[\d: –/-]*))?$", re.I)


def _result(said: str, told: Mapping[str, str], place: str) -> tuple[Outcome | None, Games | None]:
    if not said or key_of(said) in (
        "pending",
        "open",
        "notplayed",
        "inprogress",
        "notreported",
        "unreported",
        "noresult",
    ):
        return None, None
    if _NEGATIVE.match(said):
        raise wrong(place, _("“%(said)s” isn’t a result we know") % {"said": said[:40]})
    if found := _WON_BY.match(said):
        outcome = _won_by(found[1], told, place)
        games = _score(found[2] or "")
        if games and outcome is Outcome.LOSS:
            games = (games[1], games[0], games[2])
        return outcome, games
    for word, outcome in (("one", Outcome.WIN), ("two", Outcome.LOSS)):
        if said == told.get(word):  # the winner's name
            return outcome, None
    drawn = re.sub(r"(?i)\bdraw\b", "", said).strip() if re.search(r"(?i)\d.*\bdraw\b", said) else said
    if _HALVES.match(said) or said in DRAWN or key_of(said) in DRAWN:
        return Outcome.DRAW, None
    if games := _score(drawn):
        outcome, games = _of_games(games, place)
        return (Outcome.DRAW, games) if drawn != said else (outcome, games)
    if said in ("timed-win", "timed-loss"):  # as our own tables say it
        return Outcome(said), None
    for words, outcome in ((WON, Outcome.WIN), (LOST, Outcome.LOSS), (LOST_BY_BOTH, Outcome.DOUBLE_LOSS)):
        if key_of(said) in words or said in words:
            return outcome, None
    raise wrong(place, _("“%(said)s” isn’t a result we know") % {"said": said[:40]})


def _score(said: str) -> Games | None:
    found = _SCORE.match(said.strip())
    return (int(found[1]), int(found[2]), int(found[3] or 0)) if found else None


def _of_games(games: Games, place: str) -> Said:
    """The outcome of the games; what was won by nobody and drawn by nobody may be anything."""
    won, lost, drawn = games
    if won != lost:
        return (Outcome.WIN if won > lost else Outcome.LOSS), games
    if won or drawn:
        return Outcome.DRAW, games
    raise wrong(
        place,
        _(
            "0-0 could be a draw, a double loss or not played yet: write “draw” or “double loss”, or leave it empty"
        ),
    )


def _games(said: str, place: str) -> int:
    if not said.strip():
        return 0
    count = number(said)
    if count is None or count != int(count) or not 0 <= count < 100:
        raise wrong(place, _("“%(said)s” isn’t a number of games") % {"said": said[:20]})
    return int(count)


# --- a cross table by rounds ----------------------------------------------------------------------------

_ROUND_HEAD = re.compile(
    r"^(?:round|rd|r|runde|ronda|ronde|tour|rodada|turno|라운드|ラウンド)? ?\.?(\d{1,2})\.? ?"
    r"(?:rd|round|runde|ronda|ronde|라운드|回戦)?\.?$",
    re.I,
)
_CELL = re.compile(
    r"^(?:(?P<n>\d{1,4}) ?(?P<c>[wbWB])?/? ?(?P<r>[+=½]|[-–]|[wldWLD]|(?<=[wbWB/ ])(?:1/2|0\.5|[01]))"
    r"|(?P<r2>[+=½wldWLD-]) ?(?P<n2>\d{1,4})(?P<c2>[wbWB])?)$"
)
_SIGNS = {"+": Outcome.WIN, "w": Outcome.WIN, "1": Outcome.WIN, "=": Outcome.DRAW, "½": Outcome.DRAW, "d": Outcome.DRAW,
          "1/2": Outcome.DRAW, "0.5": Outcome.DRAW, "-": Outcome.LOSS, "–": Outcome.LOSS, "l": Outcome.LOSS,
          "0": Outcome.LOSS}  # fmt: skip


def _cross_table(
    found: Results, head: Sequence[str], columns: Mapping[str, int], rows: Sequence[tuple[int, list[str]]]
) -> None:
    """Each cell names the opponent by number, and how it went: 12+, +12, 12w1, W12."""
    if not rows:
        raise wrong(_("the file"), _("has no players"))
    at_round = _round_columns(head)
    if "one" not in columns:
        columns = {**columns, **_names_column(head, columns, at_round, rows)}
    numbers: dict[int, int] = {}
    for place, (line, row) in enumerate(rows, start=1):
        said = _cell(row, columns["number"]) if "number" in columns else str(place)
        where = _("line %(line)s") % {"line": line}
        number = whole_number(said.rstrip("."))
        if number is None or number in numbers:
            raise wrong(
                where, _("“%(said)s” isn’t a player’s number, or appears twice") % {"said": said[:20]}
            )
        name = _cell(row, columns["one"]) if "one" in columns else f"#{said}"
        before = len(found.names)
        numbers[number] = found.player(name, where)
        if len(found.names) == before:
            raise wrong(where, _("names a player who appears twice"))
        told = {word: _cell(row, at) for word, at in columns.items()}
        found.claims.append(_claim(len(found.names), told, where))
    for column in at_round:
        round = _Round(found)
        for place, (line, row) in enumerate(rows, start=1):
            where = _("line %(line)s, column %(column)s") % {"line": line, "column": column + 1}
            if (one := _met(found, _cell(row, column), place, numbers, where)) is not None:
                round.add(one)
        for one in round.meetings:
            if one.two is not None and not _answered(rows, column, one, numbers):
                raise wrong(one.place, _("names an opponent whose row doesn’t name this player"))
        found.rounds.append(round.meetings)


def _names_column(
    head: Sequence[str],
    columns: Mapping[str, int],
    at_round: Sequence[int],
    rows: Sequence[tuple[int, list[str]]],
) -> dict[str, int]:
    """Where the names stand, when the heading has no word for it that we know; nothing when the table has none."""
    others = [at for at in range(len(head)) if at not in columns.values() and at not in at_round]
    worded = [at for at in others if all(any(map(str.isalpha, _cell(row, at))) for _line, row in rows)]
    if len(worded) > 1:
        named = ", ".join(f"“{head[at][:20]}”" for at in worded)
        raise wrong(
            _("the heading"),
            _("doesn’t say which column has the players’ names: %(named)s") % {"named": named},
        )
    return {"one": worded[0]} if worded else {}


def _met(found: Results, cell: str, place: int, numbers: Mapping[int, int], where: str) -> Meeting | None:
    if not cell or (key_of(cell) in ("", "absent", "x") and cell != "+"):
        return None
    if is_bye(cell) or cell in ("0+", "+0", "+"):
        return Meeting(where, place, None, None)
    if cell in ("0-", "-0", "0=", "=0"):
        return Meeting(where, place, None, Outcome.DRAW) if "=" in cell else None
    parts = _CELL.match(cell)
    if parts is None:
        raise wrong(where, _("“%(said)s” doesn’t name an opponent and a result") % {"said": cell[:20]})
    other = int(parts["n"] or parts["n2"])
    if other not in numbers:
        raise wrong(where, _("isn’t a player’s ID"))
    return Meeting(where, place, numbers[other], _SIGNS[(parts["r"] or parts["r2"]).lower()])


def _answered(
    rows: Sequence[tuple[int, list[str]]], column: int, one: Meeting, numbers: Mapping[int, int]
) -> bool:
    theirs = _CELL.match(_cell(rows[(one.two or 1) - 1][1], column))
    return theirs is not None and numbers.get(int(theirs["n"] or theirs["n2"])) == one.one


# --- sheets ---------------------------------------------------------------------------------------------


MOST_ABOVE = 10  # lines over the heading: a title, what the program says of itself


def _first_lines(source: str) -> list[str]:
    """The lines that may be the heading."""
    lines = source[:5_000].removeprefix("\ufeff").splitlines()
    return [line for line in lines if line.strip()][: MOST_ABOVE + 1]


def _head_of(source: str) -> tuple[int, str] | None:
    """(how many lines with text are above the heading, what stands between its cells); None if there is no heading."""
    for at, line in enumerate(_first_lines(source)):
        for mark in "\t;,|":
            if mark in line and _is_head([cell.strip(' "') for cell in line.split(mark)], first=not at):
                return at, mark
    return None


def _sheet(source: str, above: int, mark: str) -> tuple[list[str], list[str], list[tuple[int, list[str]]]]:
    """(the numbers of the lines above the heading, the heading's cells, the other lines with their numbers)"""
    lines = source.removeprefix("\ufeff").splitlines()
    filled = [number for number, line in enumerate(lines, start=1) if line.strip()]
    rows = table_rows("\n".join(lines[filled[above] - 1 :]), mark, first=filled[above])
    (_line, head), *others = ((line, row) for line, row in rows if any(cell.strip(" -:|") for cell in row))
    return [str(number) for number in filled[:above]], head, others


def _is_head(cells: Sequence[str], *, first: bool) -> bool:
    """Whether a line, the file's first or a later one, says what the columns are. Numbers alone may be a row, too."""
    columns = _columns(cells)
    return _is_meetings(columns) or ((first or "one" in columns) and len(_round_columns(cells)) > 1)


def _columns(head: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for at, cell in enumerate(head):
        for word, names in COLUMNS.items():
            if key_of(cell) in names or (word == "number" and cell == "#"):
                found.setdefault(SECOND if word == "result" and word in found else word, at)
    return found


SECOND = "second result"  # “Result” and “Score”: both must say the same


def _row(head: Sequence[str], columns: Mapping[str, int], line: int, row: Sequence[str]) -> dict[str, str]:
    """A row by our words. Raises UserError `bad-file` where it ends before its opponent or its result."""
    told = {word: _cell(row, at) for word, at in columns.items()}
    alone = {"result", "games1", "games2", "winner"} if is_bye(told["two"]) else set()
    for word in ("two", "result", "games1", "games2", "winner"):
        if word in columns and word not in alone and columns[word] >= len(row):
            raise wrong(
                _("line %(line)s") % {"line": line},
                _("ends before the column “%(column)s”") % {"column": head[columns[word]]},
            )
    return told


def _is_meetings(columns: Mapping[str, int]) -> bool:
    return {"one", "two"} <= columns.keys() and bool(
        columns.keys() & {"result", "games1", "winner", "points1"}
    )


def _round_columns(head: Sequence[str]) -> list[int]:
    """The columns of rounds 1, 2, 3 ..., in this order."""
    found: list[int] = []
    for at, cell in enumerate(head):
        named = _ROUND_HEAD.match(cell)
        if named and int(named[1]) == len(found) + 1:
            found.append(at)
    return found


def _cell(row: Sequence[str], at: int) -> str:
    return row[at] if at < len(row) else ""


# --- JSON -----------------------------------------------------------------------------------------------


def _matches_in(document: Any) -> Iterator[tuple[str, Mapping[str, Any], dict[str, str]]]:
    """(path, the object of a table, what the round around it says) of every table in the file."""
    rounds = document if _are_rounds(document) else _under(document, ("rounds",))
    if isinstance(rounds, list):
        for at, round in enumerate(rounds, start=1):
            tables, label = round, str(at)
            if isinstance(round, Mapping):
                tables = _under(round, MATCHES)
                label = str(_under(round, ("roundname", "number", "roundnumber", "round", "name")) or at)
                kind = _under(round, ("roundtype", "type"))
                label = f"{kind} {label}" if isinstance(kind, str) else label
            if not isinstance(tables, list):
                raise wrong(f"rounds[{at}]", _("must be a list of tables"))
            for place, one in enumerate(tables, start=1):
                yield f"rounds[{at}][{place}]", _object(one, f"rounds[{at}][{place}]"), {"round": label}
        return
    tables = document if isinstance(document, list) else _under(document, MATCHES)
    if not isinstance(tables, list) or not any(_is_table(one) for one in tables):
        return
    for place, one in enumerate(tables, start=1):
        yield f"[{place}]", _object(one, f"[{place}]"), {}


def _are_rounds(document: Any) -> bool:
    """Whether it is a list of rounds, each with its tables, without anything around it."""
    return isinstance(document, list) and any(isinstance(_under(one, MATCHES), list) for one in document)


def _is_table(one: Any) -> bool:
    said = {key_of(str(key)) for key in one} if isinstance(one, Mapping) else set()
    return bool(said & COLUMNS["round"]) and bool(said & {*COLUMNS["one"], "competitors", "players"})


def _object(one: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(one, Mapping):
        raise wrong(place, _("must be an object"))
    return one


def _under(document: Any, keys: Iterable[str]) -> Any:
    if not isinstance(document, Mapping):
        return None
    said = {key_of(str(key)): value for key, value in document.items()}
    return next((said[key] for key in keys if key in said), None)


def _flat(place: str, row: Mapping[str, Any]) -> dict[str, str]:
    """A table's object by our words. Raises UserError `bad-file` for more than two sides."""
    said = {key_of(str(key)): value for key, value in row.items()}
    told: dict[str, str] = {}
    sides = said.get("competitors", said.get("players"))
    if isinstance(sides, list):
        if len(sides) > 2:
            raise wrong(place, _("has more than two players"))
        for side, one in zip(("1", "2"), sides, strict=False):
            if one is not None:
                told[{"1": "one", "2": "two"}[side]] = _seated(one, place)
                wins = _under(one, ("gamewins", "wins", "games"))
                told[f"games{side}"] = "" if wins is None else str(wins).strip()
    if said.get("hasresult") is False:
        _must_be_open(told, said, place)
    by_id = _winner_by_id(said, sides, told)
    for word, names in COLUMNS.items():
        for name in sorted(names):
            if (
                word not in told
                and name in said
                and name in _OF_PEOPLE
                and isinstance(said[name], bool | list)
            ):
                raise wrong(place, _("has no name where a player’s name belongs (%(key)s)") % {"key": name})
            if word not in told and name in said and not isinstance(said[name], bool):
                value = said[name]
                told[word] = (
                    _named(value, place)
                    if isinstance(value, Mapping)
                    else ""
                    if value is None
                    else str(value).strip()
                )
    if by_id and told.setdefault("winner", by_id) != by_id:
        raise wrong(place, _("gives two different results"))
    return told


_OF_PEOPLE = ("player", "player1", "player2", "opponent", "winner")


def _seated(one: Any, place: str) -> str:
    """The name of who sits at a table. Raises UserError `bad-file` for somebody without one."""
    if not isinstance(one, Mapping):
        raise wrong(place, _("must be an object"))
    name = _named(one, place)
    if not name.strip() and _under(one, ("id", "playerid", "userid")) is not None:
        raise wrong(place, _("has a player without a name"))
    return name


def _winner_by_id(said: Mapping[str, Any], sides: Any, told: Mapping[str, str]) -> str:
    """The name of the player whose ID is told as the winner's; empty where there is none."""
    winner = said.get("winnerid")
    for word, one in zip(("one", "two"), sides if isinstance(sides, list) else (), strict=False):
        if winner is not None and isinstance(one, Mapping) and str(_under(one, ("id",))) == str(winner):
            return told.get(word, "")
    return ""


def _must_be_open(told: dict[str, str], said: Mapping[str, Any], place: str) -> None:
    """A table that says it has no result has none in its games and its words. Raises UserError `bad-file`."""
    if any(number(told.pop(word, "")) for word in ("games1", "games2")) or _DIGIT_RESULT.search(
        str(said.get("resultstring") or "")
    ):
        raise wrong(place, _("has a result, and says that it has none"))


_DIGIT_RESULT = re.compile(r"\d ?[-:] ?\d")


def _named(one: Any, place: str) -> str:
    """The name in an object of a player, of a team of one, or of what stands around them."""
    if isinstance(one, str):
        return one
    for key in ("displayname", "name", "player", "team", "players", "username"):
        inner = _under(one, (key,))
        if isinstance(inner, list) and len(inner) > 1:
            raise wrong(place, _("has a team of several players"))
        inner = inner[0] if isinstance(inner, list) and inner else inner
        if inner and (name := _named(inner, place)):
            return name
    return ""


def _claims(found: Results, document: Any) -> Iterator[Claim]:
    rows = _under(document, ("standings", "standing", "finalstandings", "players"))
    seen: set[int] = set()
    nowhere: list[str] = []
    for at, row in enumerate(rows if isinstance(rows, list) else (), start=1):
        place = f"standings[{at}]"
        said = {key_of(str(key)): value for key, value in _object(row, place).items()}
        name = plain_name(_named(said.get("player", row), place))
        if name not in found.places:
            nowhere.append(name[:80])
            continue
        told = {word: said[key] for word, names in STANDINGS.items() for key in sorted(names) if key in said}
        if isinstance(told.get("rank"), Mapping):  # by stage
            told["rank"] = _under(told["rank"], ("swiss",))
        seen.add(found.places[name])
        yield _claim(found.places[name], told, place)
    if nowhere:
        found.remarks.append(_("In the standings but in no round: %(who)s.") % {"who": listed(nowhere)})
    if seen and (missing := [name for at, name in enumerate(found.names, start=1) if at not in seen]):
        found.remarks.append(_("Not in the standings: %(who)s.") % {"who": listed(missing)})


_VALUES = ("omw", "gw", "ogw", "sos", "esos", "sosos")


def _claim(player: int, told: Mapping[str, Any], place: str) -> Claim:
    read = {word: claimed(told.get(word), f"{place}: {word}") for word in ("points", *_VALUES)}
    numbers = {word: value for word, value in read.items() if value is not None}
    rank = whole(told.get("rank"), f"{place}: rank")
    values: dict[str, Decimal] = {key: numbers[key] for key in _VALUES if key in numbers}
    for plain in (
        "sos",
        "sosos",
    ):  # the same word is used for the mean and for the sum: that of whole points is whole
        if plain in values and values[plain] == values[plain].to_integral_value():
            values[f"{plain}-sum"] = values.pop(plain)
    return Claim(player, rank, numbers.get("points"), values)
