"""Paper as plain values: seating by name, and stacks that are in order once cut."""

from collections.abc import Sequence
from math import ceil
from typing import TypeVar

T = TypeVar("T")


def collate(slips: Sequence[T], per_page: int) -> list[list[T | None]]:
    """Pages of `per_page` slips, so that the printed stack, cut once and its piles laid on each other, is in order.

    The first pile holds the first slips, one of each page, the next pile goes on from there. None is an empty place.

    >>> collate([1, 2, 3, 4, 5], 2)
    [[1, 4], [2, 5], [3, None]]
    """
    if per_page < 1:
        raise ValueError("a page holds at least one slip")
    pages = ceil(len(slips) / per_page)
    return [
        [slips[index] if (index := pile * pages + page) < len(slips) else None for pile in range(per_page)]
        for page in range(pages)
    ]


def seats(names: Sequence[T], per_table: int = 2) -> list[tuple[int, int, T]]:
    """(table, seat at it, who) for everybody, in the order given: the meeting before round 1, or a seat for all.

    >>> seats(["Ann", "Bo", "Cleo"])
    [(1, 1, 'Ann'), (1, 2, 'Bo'), (2, 1, 'Cleo')]
    """
    return [(index // per_table + 1, index % per_table + 1, name) for index, name in enumerate(names)]
