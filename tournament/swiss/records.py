"""What was played, from each player's side: the table that standings and tie-breakers are computed from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import attrgetter
from typing import NamedTuple

from tournament.swiss.results import BYE, Outcome


@dataclass(frozen=True, slots=True)
class Played:
    """A settled match or bye. `outcome` is from side `first`. Without `second` it is a bye, or with an outcome what
    a player got who sat alone (a round missed by entering late).

    `games` is (won by first, won by second, drawn), where games were counted.
    """

    round: int
    first: int
    second: int | None
    outcome: Outcome | None
    games: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Scoring:
    """points: match points per code (the outcomes and "bye"); games: (won, lost, drawn) per code, assumed
    where games were not counted; game_points: (won, drawn), what a game is worth in game-win percentages.

    per_game: `points` of a win, a draw and a loss are those of a game, and a match has the sum of its games; a bye
    and a double loss are worth what they say.
    """

    points: Mapping[str, int]
    games: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    game_points: tuple[int, int] = (3, 1)
    per_game: bool = False

    def worth(self, code: str, games: tuple[int, int, int] | None = None) -> int:
        """Match points of a result, by its games where these count."""
        if not self.per_game or code in (BYE, Outcome.DOUBLE_LOSS):
            return self.points[code]
        won, lost, drawn = games or self.games[code]
        each = self.points
        return won * each[Outcome.WIN] + lost * each[Outcome.LOSS] + drawn * each.get(Outcome.DRAW, 0)

    @property
    def by_result(self) -> dict[str, int]:
        """Match points of every result as it usually is."""
        return {code: self.worth(code) for code in self.points}


class Line(NamedTuple):
    """One round of one player, from that player's side. A bye is nobody's opponent.

    A tuple: a table of 2,048 players after 11 rounds makes 22,528 of them.
    """

    round: int
    opponent: int | None
    code: str
    points: int
    games: tuple[int, int, int]

    @property
    def is_bye(self) -> bool:
        """Whether it is a bye, or half a one; a round missed by entering late is one that was lost."""
        return self.opponent is None and self.code != Outcome.DOUBLE_LOSS


class Record:
    """One player's rounds, oldest first, and their sums. A bye is nobody's opponent."""

    __slots__ = ("id", "lines", "opponents", "points")

    def __init__(self, id: int, lines: Sequence[Line]) -> None:
        self.id = id
        self.lines = tuple(lines)
        self.points = sum([line.points for line in lines])
        self.opponents = tuple([line.opponent for line in lines if line.opponent is not None])

    def without_byes(self) -> tuple[Line, ...]:
        return tuple(line for line in self.lines if not line.is_bye)


class Table:
    """Every player's record; what tie-breakers are computed from. `memo` holds what several of them share.

    lots: the number a player's draw is made by, where it is not the id.
    """

    def __init__(
        self,
        players: Sequence[int],
        played: Sequence[Played],
        scoring: Scoring,
        draw_seed: int,
        lots: Mapping[int, int] | None = None,
    ) -> None:
        self.lots = lots or {}
        self.scoring = scoring
        self.draw_seed = draw_seed
        self.memo: dict[object, dict[int, Fraction]] = {}
        lines: dict[int, list[Line]] = {id: [] for id in players}
        none = (0, 0, 0)
        worth = {
            code: (str(code), won, scoring.games.get(code, none)) for code, won in scoring.by_result.items()
        }
        summed = scoring.per_game
        for match in sorted(played, key=attrgetter("round")):
            first, second, outcome, games = match.first, match.second, match.outcome, match.games
            if second is None:
                code, points, usual = worth[BYE if outcome is None else outcome]
                lines[first].append(Line(match.round, None, code, points, games or usual))
                continue
            if outcome is None:
                raise ValueError("a match between two players needs an outcome")
            code, points, usual = worth[outcome]
            points = scoring.worth(code, games) if summed else points
            lines[first].append(Line(match.round, second, code, points, games or usual))
            code, points, usual = worth[outcome.mirrored]
            turned = (games[1], games[0], games[2]) if games else usual
            points = scoring.worth(code, turned) if summed else points
            lines[second].append(Line(match.round, first, code, points, turned))
        self.records = {id: Record(id, rounds) for id, rounds in lines.items()}
