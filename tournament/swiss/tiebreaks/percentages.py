"""Percentages of what could be won: matches, games, and the opponents' percentages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tournament.swiss.i18n import gettext_noop
from tournament.swiss.records import Line, Record, Table
from tournament.swiss.tiebreaks.base import (
    Breakdown,
    Made,
    Part,
    TieBreak,
    Values,
    mean_over_opponents,
    memo,
    over_opponents,
)

THIRD = Fraction(1, 3)


@dataclass(frozen=True)
class OpponentMatchWin(TieBreak):
    """floor: the least a match-win percentage counts; byes: whether a player's own byes count in it."""

    floor: Fraction = THIRD
    byes: bool = True

    key = "omw"
    name = gettext_noop("Opponents' match-win percentage")
    short = "OMW%"
    formula = gettext_noop(
        "The average, over your opponents, of their points divided by the points possible in the rounds "
        "they played, but never below the minimum."
    )
    percent = True

    def values(self, table: Table) -> Values:
        return mean_over_opponents(table, self.shares(table))

    def shares(self, table: Table) -> Values:
        """Every player's own match-win percentage."""
        best = table.scoring.by_result["win"]

        def share(record: Record) -> Fraction:
            lines = record.lines if self.byes else record.without_byes()
            return _share(sum(line.points for line in lines), best * len(lines), self.floor)

        return {id: share(record) for id, record in table.records.items()}

    def parts(self, table: Table, id: int, tied: Sequence[int] = ()) -> Breakdown:
        return over_opponents(Made.MEAN, self.shares(table), table, id)


@dataclass(frozen=True)
class GameWin(TieBreak):
    """floor and byes as in OpponentMatchWin, for games."""

    floor: Fraction = THIRD
    byes: bool = True

    key = "gw"
    name = gettext_noop("Game-win percentage")
    short = "GW%"
    formula = gettext_noop(
        "Your game points divided by the points possible in the games you played, but never below the "
        "minimum."
    )
    percent = True

    def values(self, table: Table) -> Values:
        win, drawn = table.scoring.game_points

        def share(record: Record) -> Fraction:
            lines = record.lines if self.byes else record.without_byes()
            return _share(
                _game_points(lines, win, drawn), win * sum(sum(line.games) for line in lines), self.floor
            )

        return memo(table, self, lambda: {id: share(record) for id, record in table.records.items()})

    def parts(self, table: Table, id: int, tied: Sequence[int] = ()) -> Breakdown:
        win, drawn = table.scoring.game_points
        return Breakdown(
            Made.SHARE,
            tuple(
                Part(
                    line.round,
                    line.opponent,
                    Fraction(_game_points([line], win, drawn)),
                    of=win * sum(line.games),
                    counted=self.byes or not line.is_bye,
                )
                for line in table.records[id].lines
            ),
        )


@dataclass(frozen=True)
class OpponentGameWin(TieBreak):
    floor: Fraction = THIRD
    byes: bool = True

    key = "ogw"
    name = gettext_noop("Opponents' game-win percentage")
    short = "OGW%"
    formula = gettext_noop("The average of your opponents’ game-win percentages.")
    percent = True

    def values(self, table: Table) -> Values:
        return mean_over_opponents(table, GameWin(self.floor, self.byes).values(table))

    def parts(self, table: Table, id: int, tied: Sequence[int] = ()) -> Breakdown:
        return over_opponents(Made.MEAN, GameWin(self.floor, self.byes).values(table), table, id)


def _share(won: int, most: int, floor: Fraction) -> Fraction:
    return max(floor, Fraction(won, most)) if most else floor


def _game_points(lines: Iterable[Line], win: int, drawn: int) -> int:
    return sum(line.games[0] * win + line.games[2] * drawn for line in lines)
