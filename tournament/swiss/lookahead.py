"""Small fields, where everybody soon has met almost everybody: how many rounds to come can still be paired without a
repeated meeting or a second bye.

Six players may be left after three rounds as two groups of three in which nobody has met: no fourth round without a
repeated meeting is there any more, though another third round would have left one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MOST_NODES = 10  # 945 rounds can be made of ten
STEPS = 10_000  # of all searches for one round: about a second at worst

Table = tuple[int, int]


@dataclass(slots=True)
class Patience:
    """Steps left to search. What is not found in time counts as found, so that nothing is changed for it."""

    steps: int = STEPS

    @property
    def over(self) -> bool:
        return self.steps <= 0


def rounds_left(open_to: Sequence[int], most: int, patience: Patience) -> int:
    """How many rounds, at most `most`, can be played one after another in which nobody meets anybody twice.

    open_to: for each player, the others still to be met, as a bit set; the bye is one of them. Their number is even.
    """
    for wanted in range(min(most, *(one.bit_count() for one in open_to)), 0, -1):
        if _can_play(list(open_to), wanted, patience):
            return wanted
    return 0


def rounds_of(open_to: Sequence[int]) -> Iterator[list[Table]]:
    """Every round that seats all players with somebody still to be met."""
    yield from _rounds(open_to, (1 << len(open_to)) - 1)


def without(open_to: Sequence[int], tables: Sequence[Table]) -> list[int]:
    """Who is still to be met once these tables have been played."""
    left = list(open_to)
    for one, two in tables:
        left[one] &= ~(1 << two)
        left[two] &= ~(1 << one)
    return left


def _rounds(open_to: Sequence[int], waiting: int) -> Iterator[list[Table]]:
    if not waiting:
        yield []
        return
    one = (waiting & -waiting).bit_length() - 1
    others = open_to[one] & waiting
    while others:
        two = (others & -others).bit_length() - 1
        others &= others - 1
        for rest in _rounds(open_to, waiting & ~(1 << one | 1 << two)):
            yield [(one, two), *rest]


def _can_play(open_to: list[int], wanted: int, patience: Patience) -> bool:
    patience.steps -= 1
    if wanted == 0 or patience.over:
        return True
    if any(one.bit_count() < wanted for one in open_to):
        return False
    return any(_can_play(without(open_to, tables), wanted - 1, patience) for tables in rounds_of(open_to))
