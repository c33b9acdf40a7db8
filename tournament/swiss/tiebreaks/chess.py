"""Tie-breakers from chess: Buchholz in its variants, Sonneborn-Berger."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from tournament.swiss.i18n import gettext_noop
from tournament.swiss.records import Record, Table
from tournament.swiss.tiebreaks.base import Breakdown, Made, Part, TieBreak, Values


@dataclass(frozen=True)
class Buchholz(TieBreak):
    """Chess's sum of opponents' points, with the extremes left out in the forms below.

    byes: whether a bye counts as an opponent with one's own points (FIDE's dummy opponent) or as nothing.
    FIDE also adjusts the points of opponents who missed rounds; this does not, `BuchholzVirtual` does.
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
class BuchholzVirtual(TieBreak):
    """FIDE's rule until 2022 (Handbook C.02.13.15, “virtual opponents”). A round without an opponent is one against
    somebody who had one's points before it, the rest of its win, and drew all rounds after; an opponent's rounds
    without an opponent are draws. A match that somebody missed counts as played: its record does not tell it apart.
    """

    key = "buchholz-virtual"
    name = gettext_noop("Buchholz with virtual opponents")
    short = "BH-V"
    formula = gettext_noop(
        "The sum of your opponents’ points, with their rounds without an opponent counted as draws. Your "
        "own round without an opponent counts as a round against someone who had your points before it, "
        "scored in it what you missed of a win, and drew every later round. A match that a player missed "
        "counts as played."
    )

    def values(self, table: Table) -> Values:
        last, own = self._adjusted(table)
        return {
            id: sum((value for _r, _o, value in self._rounds(table, record, last, own)), Fraction(0))
            for id, record in table.records.items()
        }

    def parts(self, table: Table, id: int, tied: Sequence[int] = ()) -> Breakdown:
        rounds = self._rounds(table, table.records[id], *self._adjusted(table))
        return Breakdown(Made.SUM, tuple(Part(round, opponent, value) for round, opponent, value in rounds))

    def _adjusted(self, table: Table) -> tuple[int, Values]:
        """(the last round, everybody's points with every round without an opponent a draw)"""
        last = max((line.round for record in table.records.values() for line in record.lines), default=0)
        draw = self._draw(table)
        return last, {
            id: sum(line.points for line in record.lines if line.opponent is not None)
            + draw * (last - len(record.opponents))
            for id, record in table.records.items()
        }

    def _rounds(
        self, table: Table, record: Record, last: int, adjusted: Values
    ) -> Iterator[tuple[int, int | None, Fraction]]:
        lines = {line.round: line for line in record.lines}
        win, before = table.scoring.by_result["win"], Fraction(0)
        for round in range(1, last + 1):
            line = lines.get(round)
            points = line.points if line else 0
            if line is not None and line.opponent is not None:
                yield round, line.opponent, adjusted[line.opponent]
            else:
                yield round, None, before + win - points + self._draw(table) * (last - round)
            before += points

    def _draw(self, table: Table) -> Fraction:
        points = table.scoring.by_result
        return Fraction(points["draw"]) if "draw" in points else Fraction(points["win"], 2)


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
                table.scoring.by_result["win"],
            )
            for id, record in table.records.items()
        }

    def parts(self, table: Table, id: int, tied: Sequence[int] = ()) -> Breakdown:
        win = table.scoring.by_result["win"]
        return Breakdown(
            Made.SUM,
            tuple(
                Part(one.round, one.opponent, Fraction(table.records[one.opponent].points * one.points, win))
                for one in table.records[id].lines
                if one.opponent is not None
            ),
        )
