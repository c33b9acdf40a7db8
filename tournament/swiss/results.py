"""What a match's result is, derived from what people reported. Reports are only ever added."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """Seen from one side of a match. A timed loss is not a loss: some policies score it lower."""

    WIN = "win"
    TIMED_WIN = "timed-win"
    DRAW = "draw"
    TIMED_LOSS = "timed-loss"
    LOSS = "loss"
    DOUBLE_LOSS = "double-loss"

    @property
    def mirrored(self) -> "Outcome":
        """The same result seen from the other side."""
        return _MIRROR[self]


_MIRROR = {
    Outcome.WIN: Outcome.LOSS,
    Outcome.TIMED_WIN: Outcome.TIMED_LOSS,
    Outcome.DRAW: Outcome.DRAW,
    Outcome.TIMED_LOSS: Outcome.TIMED_WIN,
    Outcome.LOSS: Outcome.WIN,
    Outcome.DOUBLE_LOSS: Outcome.DOUBLE_LOSS,
}

BYE = "bye"
"""The code of a round without an opponent, beside the outcomes."""


class State(StrEnum):
    WAITING = "waiting"  # nobody has reported
    REPORTED = "reported"  # one side has
    CONFIRMED = "confirmed"  # both say the same
    CONFLICT = "conflict"  # they differ: staff must decide
    DECIDED = "decided"  # staff has spoken
    BYE = "bye"  # nobody to play: settled by itself


@dataclass(frozen=True, slots=True)
class Said:
    """One report: by side 1, side 2 or staff (None); the outcome as seen from side 1.

    `games` is (won by side 1, won by side 2, drawn) where a match is several games and they were counted.
    """

    side: int | None
    outcome: Outcome
    games: tuple[int, int, int] | None = None


_LEAD = {Outcome.WIN: 1, Outcome.TIMED_WIN: 1, Outcome.DRAW: 0, Outcome.TIMED_LOSS: -1, Outcome.LOSS: -1}


def games_fit(outcome: Outcome, games: Sequence[int]) -> bool:
    """Whether (won, lost, drawn) games give this outcome; with a double loss any do."""
    won, lost, _drawn = games
    lead = (won > lost) - (won < lost)
    return _LEAD.get(outcome, lead) == lead


@dataclass(frozen=True, slots=True)
class Result:
    """`outcome` (from side 1) and `games` stand only when the match is settled."""

    state: State
    outcome: Outcome | None = None
    games: tuple[int, int, int] | None = None

    @property
    def settled(self) -> bool:
        return self.state in {State.CONFIRMED, State.DECIDED, State.BYE}


def result_of(reports: Sequence[Said], *, seats: int = 2) -> Result:
    """Derive a match's result from its reports, oldest first.

    The latest report of staff settles it, whatever players say before or after. Otherwise the latest of
    each side counts: two equal ones confirm, two different ones conflict. One side alone never confirms,
    however often it reports. One seat alone is a bye, unless staff says otherwise.
    """
    latest: dict[int | None, Said] = {said.side: said for said in reports}
    if None in latest:
        return Result(State.DECIDED, latest[None].outcome, latest[None].games)
    if seats == 1:
        return Result(State.BYE)
    if not latest:
        return Result(State.WAITING)
    if len(latest) == 1:
        return Result(State.REPORTED)
    first, second = latest[1], latest[2]
    if (first.outcome, first.games) == (second.outcome, second.games):
        return Result(State.CONFIRMED, first.outcome, first.games)
    return Result(State.CONFLICT)
