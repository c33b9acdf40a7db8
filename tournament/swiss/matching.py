"""The cheapest perfect matching under lexicographic costs, exact, in integers.

Solver: rustworkx `max_weight_matching` (Galil 1986, blossom, O(n^3)), whose weights are 128-bit integers.
"""

from collections.abc import Sequence
from operator import mul

import rustworkx as rx

WEIGHT_BITS = 126  # what the solver's 128-bit arithmetic leaves for one weight
NOISE_BITS = 40  # of one edge's draw: two equal cheapest rounds are then about once in 2**25
_LEAST_NOISE_BITS = 16
_MASK = (1 << 64) - 1

Edge = tuple[int, int, tuple[int, ...]]


def cheapest(nodes: int, edges: Sequence[Edge], carriers: Sequence[int]) -> list[int] | None:
    """The perfect matching whose summed digits are lexicographically least, as places in `edges`; None: there is none.

    Edges are (a, b, digits) with a < b, all digits >= 0 and as many in each edge; the last is the draw.
    carriers: for each digit, how many edges of one matching can carry it at most (the bye's digits: one).
    Raises OverflowError when the digits are too large for the solver.
    """
    graph: rx.PyGraph[int, int] = rx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from(
        [(a, b, -cost) for (a, b, _), cost in zip(edges, _weights(edges, carriers), strict=True)]
    )
    matched = rx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    if 2 * len(matched) != nodes:
        return None
    chosen = {(min(pair), max(pair)) for pair in matched}
    return [index for index, (a, b, _) in enumerate(edges) if (a, b) in chosen]


def _weights(edges: Sequence[Edge], carriers: Sequence[int]) -> list[int]:
    """One number an edge. A digit's base exceeds the largest sum it can reach, so it never carries.

    Where the rules' digits need the room, the draw gives up its lowest bits.
    """
    if not edges:
        return []
    largest = [max(column) for column in zip(*(digits for _, _, digits in edges), strict=True)]
    *bases, noise_base = [count * top + 1 for count, top in zip(carriers, largest, strict=True)]
    room = WEIGHT_BITS - sum(base.bit_length() for base in bases)
    shift = max(0, noise_base.bit_length() - room)
    if NOISE_BITS - shift < _LEAST_NOISE_BITS:
        raise OverflowError("the pairing's costs do not fit the solver: scores are too large")
    scales = [(noise_base >> shift) + 1]
    for base in reversed(bases[1:]):
        scales.append(scales[-1] * base)
    scales.reverse()
    return [
        (sum(map(mul, digits, scales)) if any(digits[:-1]) else 0) + (digits[-1] >> shift)
        for _, _, digits in edges
    ]


def mix(a: int, b: int) -> int:
    """A 64-bit number for an unordered pair of them (the finisher of SplitMix64, Steele et al. 2014)."""
    low, high = (a, b) if a < b else (b, a)
    z = (low * 0x9E3779B97F4A7C15 + high) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)
