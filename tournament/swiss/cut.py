"""Who plays on after the Swiss rounds: the first so many, all tied with the last of them, or all by record.

Works on standings rows; which tie-breakers made them is the policy's business.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tournament.swiss.results import Outcome
from tournament.swiss.standings import Row

LOSSES = frozenset({Outcome.LOSS, Outcome.TIMED_LOSS, Outcome.DOUBLE_LOSS})


@dataclass(frozen=True, slots=True)
class Cut:
    """`seeds`: everybody who plays on, in order of standing. `bracket`: places in the bracket, a power of two.

    The last of the seeds first play for the places: `play_ins` are their matches, the better seed first.
    """

    seeds: tuple[int, ...]
    bracket: int
    play_ins: tuple[tuple[int, int], ...]

    @property
    def seeded(self) -> tuple[int, ...]:
        """Those with a place in the bracket already."""
        return self.seeds[: len(self.seeds) - 2 * len(self.play_ins)]


def cut_to(rows: Sequence[Row], places: int) -> tuple[int, ...]:
    """The first `places` of the standings, all of them when they are fewer."""
    return tuple(row.player for row in rows[:places])


def cut_with_ties(rows: Sequence[Row], places: int) -> tuple[int, ...]:
    """The first `places` and everybody with as many points as the last of them (a graduated cut)."""
    if len(rows) <= places:
        return cut_to(rows, places)
    last = rows[places - 1].points
    return tuple(row.player for index, row in enumerate(rows) if index < places or row.points == last)


def cut_by_record(rows: Sequence[Row], losses: int, *, active: Callable[[int], bool] = lambda _: True) -> Cut:
    """Everybody still `active` with at most `losses` lost matches ("X-2"), draws and byes counting as none.

    When they are no power of two, the last of them play in for the places left in the largest bracket that
    is full, so that nobody has a bye there. Raises ValueError when nobody qualifies.
    """
    seeds = tuple(row.player for row in rows if active(row.player) and lost(row) <= losses)
    if not seeds:
        raise ValueError("nobody has so few losses")
    bracket = 1 << (len(seeds).bit_length() - 1)
    matches = len(seeds) - bracket
    playing = seeds[len(seeds) - 2 * matches :]
    return Cut(seeds, bracket, tuple((playing[i], playing[-1 - i]) for i in range(matches)))


def lost(row: Row) -> int:
    """Matches lost, on time or by both, too."""
    return sum(line.code in LOSSES for line in row.record.lines)
