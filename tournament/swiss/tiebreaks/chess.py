"""Chess's tie-breakers: Buchholz in its forms, Sonneborn-Berger."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from tournament.swiss.marking import gettext_noop
from tournament.swiss.records import Record, Table
from tournament.swiss.tiebreaks.base import Breakdown, Made, Part, TieBreak, Values


@dataclass(frozen=True)
class Buchholz(TieBreak):
    """Chess's sum of opponents' points, with the extremes left out in the forms below.

    byes: whether a bye counts as an opponent with one's own points (FIDE's dummy opponent) or as nothing.
    FIDE also adjusts the points of opponents who missed rounds; this does not.
    """

    byes: bool = False

    key = "buchholz"
    name = gettext_noop("Buchholz")
    short = "BH"
    formula = gettext_noop(
        "The sum of your opponents’ points. A bye adds nothing, or your own points if the policy says so."
    )
    least_cut: ClassVar[int] = 0
    most_cut: ClassVar[int] = 0

    def values(self, table: Table) -> Values:
        return {
            id: Fraction(sum(added for added, counted in self._rounds(table, record) if counted))
            for id, record in table.records.items()
        }

    def parts(self, table: Table, id: int, tied: Sequence[int] = ()) -> Breakdown:
        record = table.records[id]
        return Breakdown(
            Made.SUM,
            tuple(
                Part(line.round, line.opponent, Fraction(added), counted=counted)
                for line, (added, counted) in zip(record.lines, self._rounds(table, record), strict=True)
            ),
        )

    def _rounds(self, table: Table, record: Record) -> list[tuple[int, bool]]:
        """What every round adds, and whether this form counts it."""
        bye = record.points if self.byes else 0
        added = [
            table.records[line.opponent].points if line.opponent is not None else bye for line in record.lines
        ]
        order = sorted(range(len(added)), key=added.__getitem__)
        kept = set(order[self.least_cut : max(self.least_cut, len(order) - self.most_cut)])
        return [(value, at in kept) for at, value in enumerate(added)]


@dataclass(frozen=True)
class BuchholzCut(Buchholz):
    key = "buchholz-cut"
    name = gettext_noop("Buchholz without the weakest")
    short = "BH-1"
    formula = gettext_noop("Like Buchholz, without the round that adds least.")
    least_cut = 1


@dataclass(frozen=True)
class BuchholzMedian(Buchholz):
    key = "buchholz-median"
    name = gettext_noop("Median Buchholz")
    short = "BH-M"
    formula = gettext_noop("Like Buchholz, without the rounds that add least and most.")
    least_cut = 1
    most_cut = 1


@dataclass(frozen=True)
class SonnebornBerger(TieBreak):
    key = "sonneborn-berger"
    name = gettext_noop("Sonneborn-Berger")
    short = "SB"
    formula = gettext_noop(
        "The sum, over your opponents, of their points times your score against them as a share of a win: "
        "all their points for a win, none for a match that scored nothing."
    )

    def values(self, table: Table) -> Values:
        return {
            id: Fraction(
                sum(
                    table.records[line.opponent].points * line.points
                    for line in record.lines
                    if line.opponent is not None
                ),
                table.scoring.points["win"],
            )
            for id, record in table.records.items()
        }

    def parts(self, table: Table, id: int, tied: Sequence[int] = ()) -> Breakdown:
        win = table.scoring.points["win"]
        return Breakdown(
            Made.SUM,
            tuple(
                Part(one.round, one.opponent, Fraction(table.records[one.opponent].points * one.points, win))
                for one in table.records[id].lines
                if one.opponent is not None
            ),
        )
