"""Points, and what opponents' points say: strength of schedule and sums."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tournament.swiss.i18n import gettext_noop
from tournament.swiss.records import Table
from tournament.swiss.tiebreaks.base import (
    ZERO,
    Breakdown,
    Made,
    Part,
    TieBreak,
    Values,
    mean_over_opponents,
    memo,
    over_opponents,
    sum_over_opponents,
)


@dataclass(frozen=True)
class MatchPoints(TieBreak):
    key = "points"
    name = gettext_noop("Match points")
    short = gettext_noop("Points")
    formula = gettext_noop("The sum of your points from all rounds, including byes.")

    def values(self, table: Table) -> Values:
        return {id: Fraction(record.points) for id, record in table.records.items()}

    def parts(self, table: Table, id: int, tied: Sequence[int] = ()) -> Breakdown:
        lines = table.records[id].lines
        return Breakdown(
            Made.SUM, tuple(Part(one.round, one.opponent, Fraction(one.points)) for one in lines)
        )


@dataclass(frozen=True)
class StrengthOfSchedule(TieBreak):
    """Mean form: FFG and NSG regulations. Go's SoS is the sum form (`SumOfOpponents`)."""

    key = "sos"
    name = gettext_noop("Strength of schedule")
    short = "SoS"
    formula = gettext_noop(
        "The average, over your opponents, of their points divided by the rounds they played (including "
        "their byes). Your own byes have no opponent and are left out."
    )

    def values(self, table: Table) -> Values:
        return memo(table, self, lambda: mean_over_opponents(table, points_per_round(table)))

    def parts(self, table: Table, id: int, tied: Sequence[int] = ()) -> Breakdown:
        return over_opponents(Made.MEAN, points_per_round(table), table, id)


@dataclass(frozen=True)
class ExtendedStrengthOfSchedule(TieBreak):
    key = "esos"
    name = gettext_noop("Extended strength of schedule")
    short = "ESoS"
    formula = gettext_noop("The average of your opponents’ strength of schedule.")

    def values(self, table: Table) -> Values:
        return mean_over_opponents(table, StrengthOfSchedule().values(table))

    def parts(self, table: Table, id: int, tied: Sequence[int] = ()) -> Breakdown:
        return over_opponents(Made.MEAN, StrengthOfSchedule().values(table), table, id)


@dataclass(frozen=True)
class SumOfOpponents(TieBreak):
    key = "sos-sum"
    name = gettext_noop("Sum of opponents' points")
    short = "SoS"
    formula = gettext_noop("The sum of your opponents’ points. A bye adds nothing.")

    def values(self, table: Table) -> Values:
        return memo(table, self, lambda: sum_over_opponents(table, MatchPoints().values(table)))

    def parts(self, table: Table, id: int, tied: Sequence[int] = ()) -> Breakdown:
        return over_opponents(Made.SUM, MatchPoints().values(table), table, id)


@dataclass(frozen=True)
class SumOfOpponentsSums(TieBreak):
    key = "sosos-sum"
    name = gettext_noop("Sum of opponents' sums")
    short = "SoSoS"
    formula = gettext_noop("The sum of your opponents’ sums of opponents’ points.")

    def values(self, table: Table) -> Values:
        return sum_over_opponents(table, SumOfOpponents().values(table))

    def parts(self, table: Table, id: int, tied: Sequence[int] = ()) -> Breakdown:
        return over_opponents(Made.SUM, SumOfOpponents().values(table), table, id)


def points_per_round(table: Table) -> Values:
    return {
        id: Fraction(record.points, len(record.lines)) if record.lines else ZERO
        for id, record in table.records.items()
    }
