"""The graph of all lines of a scene: positions with their open decision, ends, loops; and what follows from them.

`rules.engine.search.explore` walks it out, `rules.engine.answers` reads it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rules.engine.definitions.positions import Position
from rules.engine.definitions.values import Candidate, Decision
from rules.engine.search.reduction import Stage

Outcome = tuple[Any, ...]  # one value per question
OFTEN = 10  # uses of one ability on one line: that is worth saying when it never ends
LOOP = "loop"
UNEXPLORED = (
    "unexplored"  # why a line is over that the bound of the exploration cut off, and what is known of it
)


@dataclass(slots=True, eq=False)
class Node:
    """A position with its open decision, or an end (`end` says why the line is over here)."""

    number: int
    decision: Decision | None
    position: Position | None
    key: Any = ()
    edges: list["Edge"] = field(default_factory=list)
    seen: tuple[
        Any, ...
    ] = ()  # per question: what it makes of the open decision (is the asked move offered here?)
    outcomes: frozenset[Outcome] = frozenset()
    lines: int = 0
    doubts: dict[int, Outcome] = field(
        default_factory=dict
    )  # options that may not be there -> what is not known then
    scripted: bool = False
    again: bool = False  # is it one more decision of an order loop that was looked at when it began?
    stale: bool = False  # is the machine no longer here, though no option was taken yet?
    end: str = ""  # stop | done | game | illegal | loop | runaway | untold | unexplored
    fits: bool = True  # is there a line from here on which every told move is made?
    told: bool = True  # and every move but those that are only asked about?
    back: "Node | None" = None  # for a loop: the position that came again
    stage: Stage | None = None  # where it stands in a plan that explores one order for many

    @property
    def at(self) -> Position:
        """The position, of a node that is still come back to."""
        assert self.position is not None
        return self.position


class Edge(NamedTuple):
    """An option that was followed. marks: what was used on the way to the child."""

    option: int
    child: Node
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """A stretch of play that leads back to where it began, or round again with numbers grown."""

    path: tuple[tuple[Node, int], ...]  # decisions and the options taken, one whole cycle
    change: tuple[tuple[int, int], ...]  # facts that grow, by how much a cycle; empty: nothing changes
    ending: str = ""  # what became of it, when a player named a number
    cites: tuple[str, ...] = ()


def as_taken(node: Node, index: int) -> tuple[Any, ...]:
    """A decision and what was taken of it, without what it answered."""
    assert node.decision is not None
    option = node.decision.options[index]
    which = (option.obj, option.ability) if isinstance(option, Candidate) else option
    return node.decision.who, node.decision.kind, which


@dataclass(slots=True)
class Graph:
    root: Node
    positions: int
    ends: int
    loops: list[Loop]
    marks: tuple[str, ...] = ()  # what was used before the first decision
    settled: Mapping[int, str] = field(
        default_factory=dict
    )  # readings of which the told moves leave one, by slot
    implied: Mapping[Any, int] = field(
        default_factory=dict
    )  # what a told choice says of the decision before it (search.script.implied_key)
    whole: bool = True  # else some lines end `unexplored`, and neither lines nor ends are counted
    nested: bool = (
        False  # does a line nest without end? Where it was cut says nothing of how many lines there are
    )

    # by the place of a told use that several abilities of its card fit: those with which the told moves can't be made
    misfits: Mapping[int, set[int]] = field(default_factory=dict)

    def knows(self, number: int) -> bool:
        """Is question `number` answered by what was explored, whatever the rest would be?"""
        return self.whole or all(outcome[number] != UNEXPLORED for outcome in self.outcomes)

    @property
    def counted(self) -> bool:
        """Are its lines and ends all there are?"""
        return self.whole and (not self.nested or self.lines == 1)

    @property
    def outcomes(self) -> frozenset[Outcome]:
        return self.root.outcomes

    @property
    def lines(self) -> int:
        return self.root.lines


def weight(node: Node) -> int:
    """What an open position holds beside its facts: cells, and options."""
    return (len(node.position.cells) if node.position else 0) + len(
        node.decision.options if node.decision else ()
    )


def often_used(taken: Sequence[tuple[Node, int]]) -> list[tuple[Candidate, int]]:
    """What is used again and again on a line, the most used first, and how many times."""
    first: dict[Any, Candidate] = {}
    times: Counter[Any] = Counter()
    for node, index in taken:
        option = node.decision.options[index] if node.decision is not None else None
        if isinstance(option, Candidate):
            what = option.subject[:3]
            first.setdefault(what, option)
            times[what] += 1
    return [(first[what], number) for what, number in times.most_common() if number >= OFTEN]


# --- outcomes over a graph with loops ---------------------------------------------------------------------


def settle(
    root: Node,
    fold: Callable[[Outcome, tuple[str, ...], tuple[bool, ...]], Outcome],
    shared: Callable[[frozenset[Outcome]], frozenset[Outcome]],
) -> None:
    """Give every node the set of outcomes below it (`shared`: one object for equal sets).

    Going round a loop and then leaving it is a line like any other, so nodes that reach one another share their
    exits: sets grow until nothing changes within each strongly connected component, from the ends upwards.
    A component that cannot be left keeps the outcome `loop`.
    """
    for component in components(root):
        for node in component:
            if node.doubts:
                node.edges = _beyond_doubt(node, fold, shared, known=len(component) == 1)
        leaves = any(
            child.back not in component if child.back else child not in component
            for node in component
            for _, child, _ in node.edges
        )
        changed = True
        while changed:
            changed = False
            for node in component:
                if node.end:
                    continue
                found = set(node.outcomes)
                for _, child, marks in node.edges:
                    below = child.back.outcomes if child.back is not None and leaves else child.outcomes
                    found.update(fold(outcome, marks, node.seen) for outcome in below)
                if len(found) != len(node.outcomes):
                    node.outcomes = shared(frozenset(found))
                    changed = changed or len(component) > 1 or any(c.back is node for _, c, _ in node.edges)


def _beyond_doubt(
    node: Node,
    fold: Callable[[Outcome, tuple[str, ...], tuple[bool, ...]], Outcome],
    shared: Callable[[frozenset[Outcome]], frozenset[Outcome]],
    *,
    known: bool,
) -> list[Edge]:
    """The edges of a node, where nobody knows whether some options are there: of what these lead to, only that is
    answered which all others answer, too. known: is it settled what they answer?"""

    def answers(edges: list[Edge]) -> list[set[Any]]:
        folded = (fold(outcome, marks, node.seen) for _, child, marks in edges for outcome in child.outcomes)
        return [set(values) for values in zip(*folded, strict=True)]

    sure = [edge for edge in node.edges if edge.option not in node.doubts]
    agreed = answers(sure) if known else []
    found = sure
    for edge in node.edges:
        doubt = node.doubts.get(edge.option)
        if doubt is not None:
            outcome = doubt
            if agreed:
                some = next(iter(edge.child.outcomes))
                each = zip(agreed, answers([edge]), some, doubt, strict=True)
                outcome = tuple(
                    UNEXPLORED if UNEXPLORED in a | b else value if len(a) == 1 and a == b else unknown
                    for a, b, value, unknown in each
                )
            end = Node(0, None, None, end="untold", lines=1, outcomes=shared(frozenset({outcome})))
            found.append(edge._replace(child=end))
    return found


def components(root: Node) -> Iterator[set[Node]]:
    """Strongly connected components, those below first (Tarjan, iterative)."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    waiting: list[Node] = []
    on_stack: set[Node] = set()

    def targets(node: Node) -> list[Node]:
        return [child.back or child for _, child, _ in node.edges if not child.end or child.back]

    work: list[tuple[Node, list[Node]]] = []

    def enter(node: Node) -> None:
        index[node] = low[node] = len(index)
        waiting.append(node)
        on_stack.add(node)
        work.append((node, targets(node)))

    enter(root)
    while work:
        node, left = work[-1]
        if left:
            child = left.pop()
            if child not in index:
                enter(child)
            elif child in on_stack:
                low[node] = min(low[node], index[child])
            continue
        work.pop()
        if work:
            parent = work[-1][0]
            low[parent] = min(low[parent], low[node])
        if low[node] == index[node]:
            component: set[Node] = set()
            while True:
                member = waiting.pop()
                on_stack.discard(member)
                component.add(member)
                if member is node:
                    break
            yield component


def nodes(root: Node) -> Iterator[Node]:
    """Every node with a decision below `root`, each once, nearest first."""
    seen = {id(root)}
    queue = [root]
    while queue:
        node = queue.pop(0)
        if node.decision is not None and not node.end:
            yield node
        for _, child, _ in node.edges:
            if id(child) not in seen:
                seen.add(id(child))
                queue.append(child)


def ends_of(root: Node) -> frozenset[str]:
    """Why the lines are over."""
    if root.end:
        return frozenset({root.end})
    return frozenset(child.end for node in nodes(root) for _, child, _ in node.edges if child.end)
