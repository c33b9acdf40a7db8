"""Standings: who stands where, with every number exact and every tie-breaker shown.

Ranking is by the policy's tie-breakers in order, compared as fractions, never as floats.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from tournament.swiss.results import BYE, Outcome
from tournament.swiss.tiebreaks import TieBreak


@dataclass(frozen=True, slots=True)
class Played:
    """A settled match or bye. `outcome` is from side `first`; a bye has no `second` and no outcome.

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
    where games were not counted; game_points: (won, drawn), what a game is worth in game-win percentages."""

    points: Mapping[str, int]
    games: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    game_points: tuple[int, int] = (3, 1)


@dataclass(frozen=True, slots=True)
class Line:
    """One round of one player, from that player's side. A bye is nobody's opponent."""

    round: int
    opponent: int | None
    code: str
    points: int
    games: tuple[int, int, int]


class Record:
    """One player's rounds, oldest first, and their sums."""

    def __init__(self, id: int, lines: Sequence[Line]) -> None:
        self.id = id
        self.lines = tuple(lines)

    @cached_property
    def points(self) -> int:
        return sum(line.points for line in self.lines)

    @cached_property
    def opponents(self) -> tuple[int, ...]:
        return tuple(line.opponent for line in self.lines if line.opponent is not None)

    def without_byes(self) -> tuple[Line, ...]:
        return tuple(line for line in self.lines if line.opponent is not None)


class Table:
    """Every player's record; what tie-breakers are computed from. `memo` holds what several of them share."""

    def __init__(
        self, players: Sequence[int], played: Sequence[Played], scoring: Scoring, draw_seed: int
    ) -> None:
        self.scoring = scoring
        self.draw_seed = draw_seed
        self.memo: dict[object, dict[int, Fraction]] = {}
        lines: dict[int, list[Line]] = {id: [] for id in players}
        for match in sorted(played, key=lambda match: match.round):
            if match.second is None:
                lines[match.first].append(self._line(match.round, None, BYE, match.games))
                continue
            if match.outcome is None:
                raise ValueError("a match between two players needs an outcome")
            lines[match.first].append(self._line(match.round, match.second, match.outcome, match.games))
            games = match.games and (match.games[1], match.games[0], match.games[2])
            lines[match.second].append(self._line(match.round, match.first, match.outcome.mirrored, games))
        self.records = {id: Record(id, rounds) for id, rounds in lines.items()}

    def _line(self, round: int, opponent: int | None, code: str, games: tuple[int, int, int] | None) -> Line:
        counted = games or self.scoring.games.get(code, (0, 0, 0))
        return Line(round, opponent, str(code), self.scoring.points[code], counted)


@dataclass(frozen=True, slots=True)
class Row:
    """A player's place. Equal values share a rank. `values` follow the tie-breakers' order."""

    rank: int
    player: int
    points: int
    values: tuple[Fraction, ...]
    record: Record


def standings(
    players: Sequence[int],
    played: Sequence[Played],
    scoring: Scoring,
    tie_breaks: Sequence[TieBreak],
    *,
    draw_seed: int = 0,
) -> list[Row]:
    """Rank `players` by `tie_breaks` in order; those equal in all of them share a rank, in order of id.

    Dropped players belong into `players`: they keep their row and count for their opponents.
    """
    table = Table(players, played, scoring, draw_seed)
    columns: list[Mapping[int, Fraction]] = []
    for tie_break in tie_breaks:
        columns.append(
            tie_break.among(table, _tied(table, columns)) if tie_break.relative else tie_break.values(table)
        )
    keyed = sorted(
        ((tuple(-column[id] for column in columns), id) for id in table.records),
        key=lambda item: (item[0], item[1]),
    )
    rows: list[Row] = []
    previous = None
    for index, (key, id) in enumerate(keyed, start=1):
        rank = rows[-1].rank if rows and key == previous else index
        previous = key
        record = table.records[id]
        rows.append(Row(rank, id, record.points, tuple(-value for value in key), record))
    return rows


def _tied(table: Table, columns: Sequence[Mapping[int, Fraction]]) -> list[list[int]]:
    """All players, in groups that are equal in every column so far."""
    groups: dict[tuple[Fraction, ...], list[int]] = {}
    for id in table.records:
        groups.setdefault(tuple(column[id] for column in columns), []).append(id)
    return list(groups.values())
