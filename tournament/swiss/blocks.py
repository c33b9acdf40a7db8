"""Splits a large matching into smaller ones, with a proof that nothing is lost.

Nodes stand in order of score. Between two scores with an even number of nodes above, nobody need be paired across;
there the field may be split, and the blocks are matched one by one, which costs a fraction of the whole.

Why the blocks' optima are the field's. Let g be the gaps between neighbouring scores and c how many tables lie across
each. A table across several gaps costs the square of their sum, at least the sum of their squares, so a round's squared
distance is at least the sum of c·g². c is odd exactly where an odd number of nodes stands above: these gaps, once
each, are a block's lower bound, and its slack is what it costs beyond. A round that joins a run of neighbouring blocks
lies at least twice across every split in it, so it costs the run's lower bounds and 2g² for each split or more. Where
every run has less slack than that, no round that lies across a split is as good, and what lies across none is the sum
of its blocks. The greater rules (rematch, second bye, height of the bye) must be at their least, nothing, in every
block; where a run or a rule fails, the blocks are joined and matched anew, in the end as one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Pairs = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Solved:
    """A block's cheapest matching, its squared distance, and whether every greater rule costs nothing."""

    pairs: Pairs
    distance: int
    clean: bool


Solve = Callable[[int, int], Solved | None]


def cheapest(scores: Sequence[int], solve: Solve) -> Pairs | None:
    """The cheapest perfect matching of nodes 0, 1, ... with these scores, highest first; None when there is none.

    solve(start, stop): the cheapest matching of those nodes among themselves, None when there is none.
    """
    blocks = _split(scores)
    found: dict[tuple[int, int], Solved | None] = {}
    more = 0  # neighbours joined beyond what must be: where one join was not enough, many single steps would cost more
    while True:
        for block in blocks:
            if block not in found:
                found[block] = solve(*block)
        joined = _to_join(scores, blocks, [found[block] for block in blocks])
        if joined is None:
            break
        first, last = max(0, joined[0] - more), min(len(blocks) - 1, joined[1] + more)
        more = 2 * more + 1
        blocks[first : last + 1] = [(blocks[first][0], blocks[last][1])]
    solved = [found[block] for block in blocks]
    if any(one is None for one in solved):
        return None
    return [pair for one in solved if one is not None for pair in one.pairs]


def _split(scores: Sequence[int]) -> list[tuple[int, int]]:
    cuts = [at for at in range(2, len(scores), 2) if scores[at - 1] != scores[at]]
    return list(zip([0, *cuts], [*cuts, len(scores)], strict=True))


def _to_join(
    scores: Sequence[int], blocks: Sequence[tuple[int, int]], solved: Sequence[Solved | None]
) -> tuple[int, int] | None:
    """A run of blocks, first and last, that must be matched as one; None when all may stand."""
    if len(blocks) == 1:
        return None
    for index, one in enumerate(solved):
        if one is None or not one.clean:
            return (index, index + 1) if index + 1 < len(blocks) else (index - 1, index)
    start, total = 0, 0  # the run that ends here and has the most slack beyond what its splits forbid
    for index, (block, one) in enumerate(zip(blocks, solved, strict=True)):
        assert one is not None
        slack = one.distance - _lower_bound(scores, *block)
        joining = total - 2 * _gap(scores, block[0]) if index else -1
        if index and joining + slack >= 0:
            return start, index
        if joining < 0:
            start, joining = index, 0
        total = joining + slack
    return None


def _lower_bound(scores: Sequence[int], start: int, stop: int) -> int:
    return sum(_gap(scores, at) for at in range(start + 1, stop) if (at - start) % 2)


def _gap(scores: Sequence[int], at: int) -> int:
    return (scores[at - 1] - scores[at]) ** 2
