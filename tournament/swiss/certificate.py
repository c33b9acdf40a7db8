"""A better matching of a large round, or the proof that there is none, without trying every table.

If there is a better matching than the one at hand, the two differ in circles along which their tables alternate, and
costs add up over circles: one of them alone costs less than nothing. Most tables of a round stay, and seat players
whom no rule can tell apart: by points, floats, byes and club, hundreds of tables are of a few kinds. Let each player
of a kind cost what the cheapest of them does: that makes no circle dearer. Then a circle that passes two tables of one
kind in the same direction falls apart into two that cost as much together, one of them less than nothing as well. So
there is a circle that passes each kind once in each direction at most, and two tables of each kind are enough to find
it. The matching of these few is solved exactly: if it is no cheaper than the one at hand, nothing is.

For example: 600 players have 6 points, and 290 of their tables cost nothing. Whoever could be seated better by
breaking up two of these tables could be so by breaking up one. The proof goes one way: where what is cheap belongs to
different players of a kind (one has not met this opponent, another not that one), the few may look better than the
round can be.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from itertools import chain, combinations, product

from tournament.swiss import matching
from tournament.swiss.pairing import Digits, Field

Nodes = tuple[int, int]
Cost = tuple[int, ...]
"""What a table costs by each rule, and then 1 if it is not kept."""
Looks = tuple[int, int, int, str]
"""What the rules see of a player, apart from whom they have met: (points, float, byes, club if it is a large one)."""

MOST_NODES = 500  # among the few: more take longer than a second
MOST_PAIRS = (
    16  # looked at for one that costs what the looks of its players say; if none does, one is taken to
)
LARGE_CLUB = 8  # a club of one player in so many counts among their looks
REMATCH, CLUB = ([one.name for one in fields(Digits)].index(name) for name in ("rematch", "club"))


@dataclass(frozen=True, slots=True)
class Better:
    """tables: they seat some nodes anew and may cost less; empty: nothing among the few does.

    proof: the few were of every kind, so that nothing costs less. Once the nodes of `tables` are apart, these cost what
    they were thought to.
    """

    tables: frozenset[Nodes]
    proof: bool


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a table: its own node, and all that are on this side of tables of its kind."""

    node: int
    alike: list[int]


class Certificate:
    """What costs less than `matched` by the rules, and then by tables that are not in `kept`, or the proof of nothing.

    apart: nodes that are like no other. Where the tables are of more kinds than MOST_NODES allows, the few are the
    nearest in score to those that are like no other.
    """

    def __init__(
        self, field: Field, matched: set[Nodes], kept: Collection[Nodes], apart: Collection[int] = ()
    ) -> None:
        self.field, self.matched, self.kept, self.apart = field, matched, kept, apart
        clubs = Counter(player.club for player in field.players if player.club and field.avoid_club)
        large = {club for club, count in clubs.items() if count * LARGE_CLUB >= len(field.players)}
        self.looks: list[Looks] = [
            (player.score, player.floated, player.byes, player.club if player.club in large else "")
            for player in field.players
        ]

    def better(self) -> Better:
        tables = self._tables()
        few = list(chain.from_iterable(tables[: MOST_NODES // 2]))
        known: dict[tuple[int, int], Cost] = {}
        edges: list[matching.Edge] = []
        for a, b in combinations(range(len(few)), 2):
            one, other = few[a], few[b]
            key = id(one.alike), id(other.alike)
            if _stands(a, b):
                cost = self._cost(one.node, other.node)
            elif key in known:
                cost = known[key]
            else:
                cost = known[key] = self._least(one.alike, other.alike)
            edges.append((a, b, (*cost, 0)))
        carriers = self.field.carriers(len(few))
        chosen = matching.cheapest(len(few), edges, (*carriers, carriers[0]))
        assert chosen is not None, "the tables that stand are a perfect matching"
        best = [edges[at] for at in chosen]
        if _total(best) == _total(edge for edge in edges if _stands(edge[0], edge[1])):
            return Better(frozenset(), proof=len(few) == 2 * len(tables))
        anew = (_nodes(few[a].node, few[b].node) for a, b, _ in best if not _stands(a, b))
        return Better(frozenset(anew), proof=False)

    def _tables(self) -> list[tuple[Side, Side]]:
        """The tables that are enough: those that are like no other, then two of each kind, the nearest first."""
        alone: list[tuple[Side, Side]] = []
        alike: list[tuple[Side, Side]] = []
        kinds: dict[tuple[Looks, Looks], tuple[list[int], list[int]]] = {}
        for a, b in sorted(self.matched):
            if self._is_alone(a, b):
                alone.append((Side(a, [a]), Side(b, [b])))
                continue
            a, b = sorted((a, b), key=lambda node: self.looks[node])
            ones, others = kinds.setdefault((self.looks[a], self.looks[b]), ([], []))
            ones.append(a)
            others.append(b)
            if len(ones) <= 2:
                alike.append((Side(a, ones), Side(b, others)))
        scores = {self.field.scores[one.node] for one in chain(*alone) if one.node != self.field.bye}

        def far(table: tuple[Side, Side]) -> int:
            here = [self.field.scores[one.node] for one in table]
            return min((abs(score - other) for score in here for other in scores), default=0)

        return [*alone, *sorted(alike, key=far)]

    def _is_alone(self, a: int, b: int) -> bool:
        if b == self.field.bye or a in self.apart or b in self.apart:
            return True
        return self._cost(a, b) != (*self._by_looks(a, b), 0)

    def _least(self, ones: list[int], others: list[int]) -> Cost:
        """What a table of one of each costs at least, those that stand left out."""
        found: list[Cost] = []
        for a, b in product(ones, others):
            if a == b or _nodes(a, b) in self.matched:
                continue
            found.append(self._cost(a, b))
            if self.field.bye in (a, b):
                continue
            least = (*self._by_looks(a, b), found[-1][-1])
            if found[-1] == least or len(found) == MOST_PAIRS:
                return least
        return min(found)

    def _cost(self, a: int, b: int) -> Cost:
        table = _nodes(a, b)
        return (*self.field.rules(*table), int(table not in self.kept))

    def _by_looks(self, a: int, b: int) -> tuple[int, ...]:
        """What two players who have not met cost by the rules, as far as their looks say."""
        costs = list(self.field.rules(*_nodes(a, b)))
        costs[REMATCH] = 0
        costs[CLUB] = int(self.looks[a][-1] == self.looks[b][-1] != "")
        return tuple(costs)


def _stands(a: int, b: int) -> bool:
    """Whether places a < b among the few are the two sides of one table."""
    return a % 2 == 0 and b == a + 1


def _nodes(a: int, b: int) -> Nodes:
    return (a, b) if a < b else (b, a)


def _total(edges: Iterable[matching.Edge]) -> Cost:
    return tuple(map(sum, zip(*(cost for _, _, cost in edges), strict=True)))
