"""What one player's value of a tie-breaker is made of, round by round, so that it can be checked by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from tournament.swiss.records import Line, Table
from tournament.swiss.tiebreaks import (
    Buchholz,
    GameWin,
    HeadToHead,
    MatchPoints,
    OpponentGameWin,
    OpponentMatchWin,
    SonnebornBerger,
    StrengthOfSchedule,
    SumOfOpponents,
    SumOfOpponentsSums,
    TieBreak,
)


class Made(StrEnum):
    """How the parts make the value: added up; their mean; of all that could be had, but at least the floor; or they
    are what was compared among the tied."""

    SUM = "sum"
    MEAN = "mean"
    SHARE = "share"
    COMPARED = "compared"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Part:
    """What one round gives. opponent: None for a bye; of: the most that could be had (a share only); counted: left
    out ones are shown, too."""

    round: int
    opponent: int | None
    value: Fraction
    of: int = 0
    counted: bool = True


@dataclass(frozen=True, slots=True)
class Breakdown:
    made: Made
    parts: tuple[Part, ...] = ()


def breakdown(tie_break: TieBreak, table: Table, id: int, tied: Sequence[int] = ()) -> Breakdown:
    """The parts of a player's value. tied: who was equal with the player so far, for what compares the tied."""
    lines = table.records[id].lines
    if isinstance(tie_break, MatchPoints):
        parts = [Part(line.round, line.opponent, Fraction(line.points)) for line in lines]
        return Breakdown(Made.SUM, tuple(parts))
    if isinstance(tie_break, Buchholz):
        return Breakdown(Made.SUM, _buchholz(tie_break, table, id))
    if isinstance(tie_break, GameWin):
        return Breakdown(Made.SHARE, _games(tie_break, table, lines))
    if isinstance(tie_break, HeadToHead):
        members = set(tied) - {id}
        met = [line for line in lines if line.opponent in members]
        return Breakdown(
            Made.COMPARED, tuple(Part(line.round, line.opponent, Fraction(line.points)) for line in met)
        )
    if isinstance(tie_break, SonnebornBerger):
        win = table.scoring.points["win"]
        return Breakdown(
            Made.SUM,
            tuple(
                Part(
                    line.round,
                    line.opponent,
                    Fraction(table.records[line.opponent].points * line.points, win),
                )
                for line in lines
                if line.opponent is not None
            ),
        )
    return _over_opponents(tie_break, table, lines)


def _over_opponents(tie_break: TieBreak, table: Table, lines: Sequence[Line]) -> Breakdown:
    """Means and sums of a number of each opponent."""
    made = Made.SUM if isinstance(tie_break, SumOfOpponents | SumOfOpponentsSums) else Made.MEAN
    of: dict[int, Fraction]
    if isinstance(tie_break, StrengthOfSchedule):
        of = {
            key: Fraction(record.points, len(record.lines)) if record.lines else Fraction(0)
            for key, record in table.records.items()
        }
    elif isinstance(tie_break, OpponentMatchWin):
        of = tie_break.shares(table)
    elif isinstance(tie_break, OpponentGameWin):
        of = GameWin(tie_break.floor, tie_break.byes).values(table)
    elif isinstance(tie_break, SumOfOpponents):
        of = MatchPoints().values(table)
    elif isinstance(tie_break, SumOfOpponentsSums):
        of = SumOfOpponents().values(table)
    elif tie_break.key == "esos":
        of = StrengthOfSchedule().values(table)
    else:  # a lot has no parts
        return Breakdown(Made.NOTHING)
    return Breakdown(
        made,
        tuple(
            Part(line.round, line.opponent, of[line.opponent]) for line in lines if line.opponent is not None
        ),
    )


def _buchholz(tie_break: Buchholz, table: Table, id: int) -> tuple[Part, ...]:
    """Every round's opponent's points; the extremes that the form leaves out are marked."""
    record = table.records[id]
    bye = record.points if tie_break.byes else 0
    values = [
        table.records[line.opponent].points if line.opponent is not None else bye for line in record.lines
    ]
    order = sorted(range(len(values)), key=lambda at: values[at])
    kept = set(order[tie_break.least_cut : max(tie_break.least_cut, len(order) - tie_break.most_cut)])
    return tuple(
        Part(line.round, line.opponent, Fraction(values[at]), counted=at in kept)
        for at, line in enumerate(record.lines)
    )


def _games(tie_break: GameWin, table: Table, lines: Sequence[Line]) -> tuple[Part, ...]:
    win, drawn = table.scoring.game_points
    return tuple(
        Part(
            line.round,
            line.opponent,
            Fraction(line.games[0] * win + line.games[2] * drawn),
            of=win * sum(line.games),
            counted=tie_break.byes or not line.is_bye,
        )
        for line in lines
    )
