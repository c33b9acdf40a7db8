"""Who advances after the Swiss rounds: the top N, also everyone tied with the last of them, or everyone with a given
record.

Works on standings rows, best first; which tie-breakers made them is the policy's business, and leaving out who does
not play on is the caller's. How many play, and who has a bye or plays in, is the bracket's (`brackets`).
"""

from collections.abc import Sequence

from tournament.swiss.results import Outcome
from tournament.swiss.standings import Row

LOSSES = frozenset({Outcome.LOSS, Outcome.TIMED_LOSS, Outcome.DOUBLE_LOSS})


def cut_to(rows: Sequence[Row], places: int) -> tuple[int, ...]:
    """The first `places` of the standings, all of them when they are fewer."""
    return tuple(row.player for row in rows[:places])


def cut_with_ties(rows: Sequence[Row], places: int) -> tuple[int, ...]:
    """The first `places` and everybody with as many points as the last of them (a graduated cut)."""
    if len(rows) <= places:
        return cut_to(rows, places)
    last = rows[places - 1].points
    return tuple(row.player for index, row in enumerate(rows) if index < places or row.points == last)


def cut_by_record(rows: Sequence[Row], losses: int) -> tuple[int, ...]:
    """Everybody with at most `losses` lost matches ("X-2"), draws and byes counting as none."""
    return tuple(row.player for row in rows if lost(row) <= losses)


def cut_by_points(rows: Sequence[Row], points: int) -> tuple[int, ...]:
    """Everybody with at least so many points."""
    return tuple(row.player for row in rows if row.points >= points)


def lost(row: Row) -> int:
    """Matches lost, on time or by both, too."""
    return sum(line.code in LOSSES for line in row.record.lines)
