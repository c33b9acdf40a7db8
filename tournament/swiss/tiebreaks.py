"""Tie-breakers: one small class each, with its key, its name and its formula in words.

`values(table)` gives every player's value as an exact fraction; higher is better.
Options are the class's fields, so that a policy file can set them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, ClassVar

from tournament.swiss import draw

if TYPE_CHECKING:
    from tournament.swiss.standings import Line, Record, Table

Values = dict[int, Fraction]
ZERO = Fraction(0)
THIRD = Fraction(1, 3)


class TieBreak(ABC):
    key: ClassVar[str]
    name: ClassVar[str]
    short: ClassVar[str]
    formula: ClassVar[str]
    percent: ClassVar[bool] = False

    @abstractmethod
    def values(self, table: "Table") -> Values:
        """Every player's value."""


@dataclass(frozen=True)
class MatchPoints(TieBreak):
    key = "points"
    name = "Match points"
    short = "Points"
    formula = "The points of all rounds added up, a bye's points included."

    def values(self, table: "Table") -> Values:
        return {id: Fraction(record.points) for id, record in table.records.items()}


@dataclass(frozen=True)
class StrengthOfSchedule(TieBreak):
    """Mean form: FFG and NSG regulations. Go's SoS is the sum form (`SumOfOpponents`)."""

    key = "sos"
    name = "Strength of schedule"
    short = "SoS"
    formula = (
        "For each opponent, their points divided by the rounds they played, their byes included; "
        "then the mean over your opponents. Your own byes are nobody's strength and are left out."
    )

    def values(self, table: "Table") -> Values:
        return _memo(table, self, lambda: _mean_over_opponents(table, _points_per_round(table)))


@dataclass(frozen=True)
class ExtendedStrengthOfSchedule(TieBreak):
    key = "esos"
    name = "Extended strength of schedule"
    short = "ESoS"
    formula = "The mean of your opponents' strength of schedule."

    def values(self, table: "Table") -> Values:
        return _mean_over_opponents(table, StrengthOfSchedule().values(table))


@dataclass(frozen=True)
class SumOfOpponents(TieBreak):
    key = "sos-sum"
    name = "Sum of opponents' points"
    short = "SoS"
    formula = "The points of your opponents added up; a bye adds nothing."

    def values(self, table: "Table") -> Values:
        return _memo(table, self, lambda: _sum_over_opponents(table, MatchPoints().values(table)))


@dataclass(frozen=True)
class SumOfOpponentsSums(TieBreak):
    key = "sosos-sum"
    name = "Sum of opponents' sums"
    short = "SoSoS"
    formula = "Your opponents' sums of opponents' points, added up."

    def values(self, table: "Table") -> Values:
        return _sum_over_opponents(table, SumOfOpponents().values(table))


@dataclass(frozen=True)
class OpponentMatchWin(TieBreak):
    """floor: the least a match-win percentage counts; byes: whether a player's own byes count in it."""

    floor: Fraction = THIRD
    byes: bool = True

    key = "omw"
    name = "Opponents' match-win percentage"
    short = "OMW%"
    formula = (
        "For each opponent, their points divided by the most they could have won in the rounds they played, "
        "but never less than the floor; then the mean over your opponents."
    )
    percent = True

    def values(self, table: "Table") -> Values:
        best = table.scoring.points["win"]

        def share(record: "Record") -> Fraction:
            lines = record.lines if self.byes else record.without_byes()
            return _share(sum(line.points for line in lines), best * len(lines), self.floor)

        return _mean_over_opponents(table, {id: share(record) for id, record in table.records.items()})


@dataclass(frozen=True)
class GameWin(TieBreak):
    """floor and byes as in OpponentMatchWin, for games."""

    floor: Fraction = THIRD
    byes: bool = True

    key = "gw"
    name = "Game-win percentage"
    short = "GW%"
    formula = (
        "Your points from games divided by the most you could have won in the games you played, "
        "but never less than the floor."
    )
    percent = True

    def values(self, table: "Table") -> Values:
        win, drawn = table.scoring.game_points

        def share(record: "Record") -> Fraction:
            lines = record.lines if self.byes else record.without_byes()
            return _share(
                _game_points(lines, win, drawn), win * sum(sum(line.games) for line in lines), self.floor
            )

        return _memo(table, self, lambda: {id: share(record) for id, record in table.records.items()})


@dataclass(frozen=True)
class OpponentGameWin(TieBreak):
    floor: Fraction = THIRD
    byes: bool = True

    key = "ogw"
    name = "Opponents' game-win percentage"
    short = "OGW%"
    formula = "The mean of your opponents' game-win percentages."
    percent = True

    def values(self, table: "Table") -> Values:
        return _mean_over_opponents(table, GameWin(self.floor, self.byes).values(table))


@dataclass(frozen=True)
class Drawn(TieBreak):
    key = "random"
    name = "Random draw"
    short = "Draw"
    formula = "A number between 0 and 1, drawn once for each player when round 1 is paired; the higher stands first."

    def values(self, table: "Table") -> Values:
        return {
            id: Fraction(draw.number(table.draw_seed, "standings", id, bits=32), 2**32)
            for id in table.records
        }


ALL: dict[str, type[TieBreak]] = {
    kind.key: kind
    for kind in (
        MatchPoints,
        StrengthOfSchedule,
        ExtendedStrengthOfSchedule,
        SumOfOpponents,
        SumOfOpponentsSums,
        OpponentMatchWin,
        GameWin,
        OpponentGameWin,
        Drawn,
    )
}


def _memo(table: "Table", key: object, compute: Callable[[], Values]) -> Values:
    """Compute once a table what two tie-breakers share."""
    if key not in table.memo:
        table.memo[key] = compute()
    return table.memo[key]


def _points_per_round(table: "Table") -> Values:
    return {
        id: Fraction(record.points, len(record.lines)) if record.lines else ZERO
        for id, record in table.records.items()
    }


def _share(won: int, most: int, floor: Fraction) -> Fraction:
    return max(floor, Fraction(won, most)) if most else floor


def _game_points(lines: Iterable["Line"], win: int, drawn: int) -> int:
    return sum(line.games[0] * win + line.games[2] * drawn for line in lines)


def _mean_over_opponents(table: "Table", values: Values) -> Values:
    """Mean over real opponents, one met twice counted twice; nobody met gives 0."""
    sums = _sum_over_opponents(table, values)
    return {
        id: sums[id] / len(record.opponents) if record.opponents else ZERO
        for id, record in table.records.items()
    }


def _sum_over_opponents(table: "Table", values: Values) -> Values:
    """Sum over real opponents. One common denominator turns the sums into whole-number sums, still exact."""
    common = lcm(*(value.denominator for value in values.values()))
    whole = {id: value.numerator * (common // value.denominator) for id, value in values.items()}
    return {
        id: Fraction(sum(whole[opponent] for opponent in record.opponents), common)
        for id, record in table.records.items()
    }
