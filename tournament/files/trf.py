"""Tournament report files (TRF16), which chess federations' pairing programs exchange.

Source: FIDE, "Agreement on the Data Exchange Format" (TRF16), and files written by such programs. Lines end with LF,
CR LF or CR alone: the programs of the federation itself write the last.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from django.utils.translation import gettext as _

from config.text import whole_number
from tournament.files.claims import Claim, number
from tournament.files.shape import MOST_ROUNDS, MOST_TABLES

MOST_LINES = 20_000
WON, DRAWN, LOST = "1WF+U", "=DH", "0L-Z"
ALONE, MET = "FUHZ+-", "1WF+=D0L-"  # which results there are without an opponent, and against one
FORFEIT = ("+", "-")  # a game that was not played
WORTH = {  # in the points of these files, whatever the policy counts
    **dict.fromkeys(("win", "timed-win", "bye"), Fraction(1)),
    "draw": Fraction(1, 2),
    **dict.fromkeys(("loss", "timed-loss", "double-loss"), Fraction(0)),
}


class TrfError(Exception):
    """line: from 1; what: a sentence."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line, self.what = line, what


@dataclass(frozen=True, slots=True)
class Game:
    """One round of one player. opponent: a number, None for none; color: w, b or ""; result: 1 = 0 of a game
    played, + - by forfeit, H half-point bye, F full-point bye, U bye by pairing, Z absent."""

    opponent: int | None
    color: str
    result: str


@dataclass(frozen=True, slots=True)
class TrfPlayer:
    """games: one entry a round, None where the file is blank (a round not yet played)."""

    number: int
    name: str
    points: float | None = None
    rank: int | None = None
    games: list[Game | None] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Trf:
    """asked: (number of a player, round) of byes asked for in rounds that nobody was paired in yet; unread: the numbers
    of lines that say nothing we know."""

    name: str
    rounds: int
    players: list[TrfPlayer]
    headers: dict[str, str] = field(default_factory=dict)
    asked: tuple[tuple[int, int], ...] = ()
    unread: tuple[int, ...] = ()


def is_trf(text: str) -> bool:
    """Whether a text looks like such a file: a line of it is a player's."""
    return re.search(r"(?:^|[\r\n])001 {1,4}\d{1,4} ", text) is not None


def read_trf(text: str) -> Trf:
    """Raises TrfError with the line: a player twice, an unknown opponent, a result that does not exist, two
    players who tell different things about their game, fewer rounds announced than there are."""
    lines = re.split(r"\r\n|\n|\r", text.removeprefix("\ufeff"))
    if len(lines) > MOST_LINES:
        raise TrfError(MOST_LINES, _("the file is too long"))
    headers: dict[str, str] = {}
    players: dict[int, TrfPlayer] = {}
    at: dict[int, int] = {}
    unread: list[int] = []
    line_of: dict[str, int] = {}
    games = 0
    for index, line in enumerate(lines, start=1):
        code, rest = line[:3], line[4:].strip()
        if code == "001":
            player = _player(index, line)
            if player.number in players:
                raise TrfError(index, _("player %(n)s is in the file twice") % {"n": player.number})
            players[player.number], at[player.number] = player, index
            games += len(player.games)
            if len(player.games) > MOST_ROUNDS or games > 2 * MOST_TABLES:
                raise TrfError(index, _("the file is too long"))
        elif code.isdigit() or code.startswith("XX"):
            headers.setdefault(code, rest)
            line_of.setdefault(code, index)
        elif line.strip() and not line.startswith(("BB", "###")):
            unread.append(index)
    if not players:
        raise TrfError(1, _("there is no player (001) in the file"))
    _must_agree(players, at)
    asked = _without_rounds_to_come(players.values())
    rounds = max((len(player.games) for player in players.values()), default=0)
    said = headers.get("XXR", "")
    announced = whole_number(said) if said else rounds
    if announced is None or announced < rounds:
        raise TrfError(
            line_of["XXR"],
            _("XXR must be the number of rounds, at least the %(n)s that are in the file") % {"n": rounds},
        )
    return Trf(headers.get("012", ""), announced, list(players.values()), headers, asked, tuple(unread))


def _without_rounds_to_come(players: Iterable[TrfPlayer]) -> tuple[tuple[int, int], ...]:
    """Take away the rounds at the end in which nobody has an opponent: byes are asked for before a round is paired."""
    players = list(players)
    paired = max(
        (at for one in players for at, game in enumerate(one.games, start=1) if game and game.opponent),
        default=0,
    )
    if not paired:
        return ()
    asked = [
        (one.number, at)
        for one in players
        for at, game in enumerate(one.games[paired:], start=paired + 1)
        if game is not None
    ]
    for one in players:
        del one.games[paired:]
    return tuple(asked)


def claims_of(trf: Trf) -> list[Claim]:
    """What the file says of its players' standing, in its own points (`WORTH`)."""
    return [Claim(place, one.rank, number(one.points)) for place, one in enumerate(trf.players, start=1)]


def _player(index: int, line: str) -> TrfPlayer:
    """Columns as in the agreement: number 5-8, name 15-47, points 81-84, rank 86-89, then 10 columns a round."""
    number = line[4:8].strip()
    if not number.isdecimal():
        raise TrfError(index, _("columns 5 to 8 must hold the player’s number"))
    if not (name := " ".join(line[14:47].split())):
        raise TrfError(index, _("columns 15 to 47 must hold the player’s name"))
    points, rank = line[80:84].strip().replace(",", "."), line[85:89].strip()
    if points and not re.fullmatch(r"\d+(\.\d+)?", points):
        raise TrfError(
            index, _("columns 81 to 84 must hold the player’s points, not “%(said)s”") % {"said": points}
        )
    if rank and not rank.isdecimal():
        raise TrfError(
            index, _("columns 86 to 89 must hold the player’s rank, not “%(said)s”") % {"said": rank}
        )
    games: list[Game | None] = []
    rest = line[91:].rstrip()
    for start in range(0, len(rest), 10):
        games.append(_game(index, rest[start : start + 10]))
    return TrfPlayer(
        int(number),
        name,
        float(points) if points else None,
        int(rank) if rank else None,
        games,
    )


def _game(index: int, cell: str) -> Game | None:
    if not cell.strip():
        return None
    opponent, color, result = cell[:4].strip(), cell[5:6].strip().lower(), cell[7:8].strip().upper()
    if between := (cell[4:5] + cell[6:7] + cell[8:]).strip():
        raise TrfError(
            index,
            _("“%(said)s” is between the columns of a round: opponent, color and result are shifted")
            % {"said": between},
        )
    if opponent and not opponent.isdecimal():
        raise TrfError(index, _("“%(said)s” isn’t an opponent’s number") % {"said": opponent})
    if color not in ("", "-", "w", "b"):
        raise TrfError(index, _("“%(said)s” isn’t a color (w, b or -)") % {"said": color})
    met = bool(opponent) and int(opponent) > 0
    if result not in (MET if met else ALONE):
        told = _("“%(said)s” isn’t a result against an opponent")
        raise TrfError(
            index, (told if met else _("“%(said)s” isn’t a result without an opponent")) % {"said": result}
        )
    if not result:
        return None if not opponent or opponent == "0000" else Game(int(opponent), color.strip("-"), "")
    number = int(opponent) if opponent else 0
    return Game(number or None, color.strip("-"), result)


def _must_agree(players: dict[int, TrfPlayer], at: dict[int, int]) -> None:
    """Both players of a game name each other in the same round with other colors, and both did not win."""
    for player in players.values():
        for round, game in enumerate(player.games):
            if game is None or game.opponent is None:
                continue
            other = players.get(game.opponent)
            if other is None:
                raise TrfError(
                    at[player.number], _("opponent %(n)s isn’t in the file") % {"n": game.opponent}
                )
            theirs = other.games[round] if round < len(other.games) else None
            if theirs is None or theirs.opponent != player.number:
                raise TrfError(
                    at[player.number],
                    _(
                        "round %(round)s: the row of %(one)s names %(two)s as the opponent, but not the other way round"
                    )
                    % {"round": round + 1, "one": player.number, "two": other.number},
                )
            if {"w": "b", "b": "w", "": ""}[game.color] != theirs.color:
                raise TrfError(
                    at[player.number],
                    _(
                        "round %(round)s: the colors of %(one)s and %(two)s don’t match: “%(said)s” and “%(theirs)s”"
                    )
                    % {
                        "round": round + 1,
                        "one": player.number,
                        "two": other.number,
                        "said": game.color or "-",
                        "theirs": theirs.color or "-",
                    },
                )
            forfeits = (game.result in FORFEIT) != (theirs.result in FORFEIT)
            if _side(theirs.result) not in _FITTING[_side(game.result)] or (game.result and forfeits):
                raise TrfError(
                    at[player.number],
                    _(
                        "round %(round)s: the results of %(one)s and %(two)s don’t match: “%(said)s” and “%(theirs)s”"
                    )
                    % {
                        "round": round + 1,
                        "one": player.number,
                        "two": other.number,
                        "said": game.result,
                        "theirs": theirs.result,
                    },
                )


_FITTING = {"won": ("lost",), "drawn": ("drawn",), "lost": ("won", "lost"), "": ("",)}


def _side(result: str) -> str:
    sides = (("won", WON), ("drawn", DRAWN), ("lost", LOST))
    return next((side for side, signs in sides if result and result in signs), "")


def write_trf(trf: Trf) -> str:
    """The file, lines ended by LF. Points are those of wins and half-points, as its readers count them."""
    lines = [f"012 {trf.name}"]
    lines += [
        f"{code} {said}"
        for code, said in sorted(trf.headers.items())
        if said and code.isdigit() and code != "012"
    ]
    lines.append(f"062 {len(trf.players)}")
    lines.append("092 Individual: Swiss-System")
    lines.append(f"XXR {trf.rounds}")
    for player in trf.players:
        points = sum(_worth(game) for game in player.games if game is not None)
        name = "".join(one if one.isprintable() else " " for one in player.name)[:33]
        head = f"001 {player.number:>4}      {name:<33}"
        told = f"{head:<80}{points:>4.1f} {player.rank or '':>4}"
        lines.append((told + "".join(_cell(game) for game in player.games)).rstrip())
    return "\n".join(lines) + "\n"


def _worth(game: Game) -> float:
    if game.result in WON and game.result:
        return 1.0
    return 0.5 if game.result and game.result in DRAWN else 0.0


def _cell(game: Game | None) -> str:
    if game is None:
        return " " * 10
    opponent = f"{game.opponent:>4}" if game.opponent else "0000"
    return f"  {opponent} {game.color or '-'} {game.result or ' '}"
