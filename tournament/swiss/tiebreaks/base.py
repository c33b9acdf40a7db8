"""The base class of tie-breakers: every player's value, and its parts, so that it can be checked by hand.

`values(table)` gives every player's value as an exact fraction; higher is better. A tie-breaker that only compares
players still tied (`relative`) is asked through `among(table, tied)`. Options are the class's fields, so that a policy
file can set them. A class with a `key` registers itself in `ALL` by being defined.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import lcm
from typing import Any, ClassVar

from tournament.swiss.records import Table

Values = dict[int, Fraction]
ZERO = Fraction(0)
ALL: dict[str, type["TieBreak"]] = {}


class Made(StrEnum):
    """How the parts make the value: added up; their mean; of all that could be had, but at least the minimum; or they
    are what was compared among the tied; or there are none."""

    SUM = "sum"
    MEAN = "mean"
    SHARE = "share"
    COMPARED = "compared"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Part:
    """What one round gives. opponent: None for a bye; of: the most that could be had (a share only); counted: parts
    that are left out are shown, too."""

    round: int
    opponent: int | None
    value: Fraction
    of: int = 0
    counted: bool = True


@dataclass(frozen=True, slots=True)
class Breakdown:
    made: Made
    parts: tuple[Part, ...] = ()


class TieBreak(ABC):
    """One number by which tied players are ranked. A class that sets `key` is registered (`ALL`).

    percent: shown as a percentage. relative: the value depends on who else is tied (`among`), so it means nothing
    outside of the event. random: drawn, not earned.
    """

    key: ClassVar[str]
    name: ClassVar[str]
    short: ClassVar[str]
    formula: ClassVar[str]
    percent: ClassVar[bool] = False
    relative: ClassVar[bool] = False
    random: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "key" in cls.__dict__:
            if cls.key in ALL:
                raise TypeError(f"two tie-breakers have the key {cls.key}")
            ALL[cls.key] = cls

    @abstractmethod
    def values(self, table: Table) -> Values:
        """Every player's value."""

    @abstractmethod
    def parts(self, table: Table, id: int, tied: Sequence[int] = ()) -> Breakdown:
        """The parts of one player's value, round by round. tied: the players equal so far, where these are compared."""

    def among(self, table: Table, tied: Iterable[Sequence[int]]) -> Values:
        """Every player's value, given who is still tied; `tied` splits all players into groups.

        Values are then comparable only within a group. Asked where `relative` is true.
        """
        return self.values(table)


def over_opponents(made: Made, of: Values, table: Table, id: int) -> Breakdown:
    """A number of each opponent; byes are left out."""
    return Breakdown(
        made,
        tuple(
            Part(line.round, line.opponent, of[line.opponent])
            for line in table.records[id].lines
            if line.opponent is not None
        ),
    )


def memo(table: Table, key: object, compute: Callable[[], Values]) -> Values:
    """Compute once a table what two tie-breakers share."""
    if key not in table.memo:
        table.memo[key] = compute()
    return table.memo[key]


def mean_over_opponents(table: Table, values: Values) -> Values:
    """Mean over real opponents, one met twice counted twice; nobody met gives 0."""
    sums, common = _whole_sums(table, values)
    return {
        id: Fraction(sums[id], common * len(record.opponents)) if record.opponents else ZERO
        for id, record in table.records.items()
    }


def sum_over_opponents(table: Table, values: Values) -> Values:
    """Sum over real opponents."""
    sums, common = _whole_sums(table, values)
    return {id: Fraction(total, common) for id, total in sums.items()}


def _whole_sums(table: Table, values: Values) -> tuple[dict[int, int], int]:
    """(sums over opponents, their common denominator): one denominator makes them sums of whole numbers, exact."""
    common = lcm(*(value.denominator for value in values.values()))
    whole = {id: value.numerator * (common // value.denominator) for id, value in values.items()}
    at = whole.__getitem__
    return {id: sum(map(at, record.opponents)) for id, record in table.records.items()}, common
