"""A large exploration split at its first decisions, for several processes.

    parts = split(scene, questions)                          # in one process
    partial = explore_part(scene, questions, part, ...)      # in others, each for its part; plain JSON
    graph = Merger(scene, questions, partials, ...).explore()

A part is the list of options that lead to it from the beginning of the scene: so whoever explores it resumes there.
What is found out are the decisions below and where their options lead, by fingerprints of positions. Merging is the
plain exploration again, in the same order, which looks up what the parts found out instead of running the machine. So
the graph, and with it the answer, is that of one worker to the byte; what no part found out (one was lost, say) is
worked out on the way.

Where lines meet again, parts do the same work twice: splitting pays where they rarely do.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rules.engine import identity
from rules.engine.errors import BudgetExceeded, Unworkable
from rules.engine.explore import LOOP, NARROW_AFTER, Explorer, Graph, Node
from rules.engine.fingerprint import Fingerprints
from rules.engine.garbage import uncollected
from rules.engine.machine import Machine
from rules.engine.questions import Question
from rules.engine.records import Candidate, Decision, Offer
from rules.engine.routes import Place
from rules.engine.scene import Scene
from rules.engine.specialise import narrow

Part = list[int]  # the options taken, from the beginning
Partial = Mapping[str, Any]  # plain JSON
Progress = Callable[[int], None] | None

PARTS = 16
MOST_LOOKED_AT = 256  # positions, in search of places to split at
TABLES = ("marks", "seen", "outcomes", "ends")  # of a partial: what many positions share, by numbers


def split(scene: Scene, questions: Sequence[Question], *, parts: int = PARTS) -> list[Part]:
    """At least `parts` places to go on from, if the first decisions allow it; empty: it is not to be split.

    Raises Unworkable.
    """
    if scene.last_repeat:  # what was shown before a repetition belongs to its position
        return []
    with uncollected():
        return _Splitter(narrow(scene), questions, budget=MOST_LOOKED_AT).frontier(parts)


def explore_part(
    scene: Scene,
    questions: Sequence[Question],
    part: Part,
    *,
    budget: int,
    progress: Progress = None,
) -> Partial:
    """What can be found out from where the part begins, as plain JSON for `Merger`.

    state: `whole`; `over`, where there are more than `budget` positions; `unfit`, where only the exploration of all may
    say what becomes of it (numbers that grow for ever, something that cannot be worked out).
    """
    explorer = _PartExplorer(narrow(scene), questions, budget=budget, progress=progress)
    with uncollected():
        try:
            root = explorer.explore_from(part)
        except Unworkable:
            return {"state": "unfit"}
        except BudgetExceeded:
            return {"state": "unfit" if explorer.grew else "over"}
        return {"state": "unfit"} if explorer.grew else _Writer(explorer, part).partial(root)


class _Walker(Explorer):
    """An explorer of a narrowed scene that can go where choices lead."""

    def __init__(
        self, scene: Scene, questions: Sequence[Question], *, budget: int, progress: Progress = None
    ) -> None:
        super().__init__(scene, list(questions), budget=budget, progress=progress)
        self.limit = budget
        self.machine = Machine(scene)

    def walk(self, part: Iterable[int]) -> Node:
        """The node that the choices lead to; the machine stands there."""
        machine = self.machine = Machine(self.scene)
        machine.enter(self.scene.start, self.scene.arguments)
        _, node = self._run(machine)
        for index in part:
            node = self.step(node, index)
        if not node.end:
            machine.load(node.position)
        return node

    def step(self, node: Node, index: int) -> Node:
        """Where an option of the node leads."""
        self.machine.load(node.position)
        self._options(self.machine, node)
        return self._follow(self.machine, node, index)[1]


class _Splitter(_Walker):
    """Goes through the first decisions, nearest first."""

    def frontier(self, parts: int) -> list[Part]:
        """Places that together are all there is to explore behind the decisions looked at."""
        root = self.walk(())
        waiting: list[tuple[Part, Node]] = [] if root.end else [([], root)]
        met = {root.key}
        try:
            while 0 < len(waiting) < parts:
                choices, node = waiting.pop(0)
                self.machine.load(node.position)
                for index in self._options(self.machine, node):
                    child = self.step(node, index)
                    if not child.end and child.key not in met:
                        met.add(child.key)
                        waiting.append(([*choices, index], child))
        except BudgetExceeded:
            return []
        return [choices for choices, _ in waiting] if len(waiting) > 1 else []


class _PartExplorer(_Walker):
    """Explores from where a part begins; notes when numbers grow for ever."""

    grew = False

    def explore_from(self, part: Part) -> Node:
        root = self.walk(part)
        self.positions = 1
        self.end_states.clear()
        self.after.clear()
        if not root.end:
            self._search(self.machine, root)
        return root

    def _growing(self, machine: Machine, decision: Decision, key: Any, place: Place | None) -> Node | None:
        node = super()._growing(machine, decision, key, place)
        self.grew = self.grew or (node is not None and node.end == LOOP)
        return node


class _Writer:
    """An explored part as plain JSON; what many positions share stands in a table, once."""

    def __init__(self, explorer: _PartExplorer, part: Part) -> None:
        self.explorer, self.part = explorer, part
        self.places: dict[int, int] = {}  # by which node it is
        self.parents: dict[int, tuple[Node, int]] = {}
        self.decisions: dict[Any, int] = {}
        self.witnesses: list[Part] = []  # the way to one position with each decision
        self.tables: dict[str, dict[Any, int]] = {name: {} for name in TABLES}

    def partial(self, root: Node) -> Partial:
        fingerprints = Fingerprints(self.explorer.scene)
        order = self._nearest_first(root)
        return {
            "state": "whole",
            "positions": [fingerprints.of(node.key) for node in order],
            "nodes": [self._node(node) for node in order],
            "witnesses": self.witnesses,
            **{name: list(table) for name, table in self.tables.items()},
            "end_states": sorted((why, fingerprints.of(key)) for why, key in self.explorer.end_states),
            "played": self.explorer.played,
            "readings": sorted(self.explorer.scene.touched),
        }

    def _nearest_first(self, root: Node) -> list[Node]:
        """Every position with a decision."""
        order = [root] if root.decision is not None else []
        self.places = {id(root): 0}
        for node in order:
            for index, child, _ in node.edges:
                if child.decision is not None and id(child) not in self.places:
                    self.places[id(child)] = len(self.places)
                    self.parents[id(child)] = (node, index)
                    order.append(child)
        return order

    def _node(self, node: Node) -> list[Any]:
        """[decision, seen, end, option, marks, child, option, marks, child ...]: numbers in the tables; -1: no end.

        child: the place of a position, or below 0, from -1, an end.
        """
        end = -1 if not node.end else self._end(node)
        found = [self._decision(node), self._number("seen", node.seen), end]
        for index, child, marks in node.edges:
            target = child.back or child
            place = self.places[id(target)] if target.decision is not None else -1 - self._end(target)
            found += [index, self._number("marks", marks), place]
        return found

    def _end(self, node: Node) -> int:
        (outcome,) = node.outcomes
        return self._number("ends", (node.end, self._number("outcomes", outcome)))

    def _number(self, table: str, value: Any) -> int:
        known = self.tables[table]
        return known.setdefault(value, len(known))

    def _decision(self, node: Node) -> int:
        assert node.decision is not None
        meaning = _meaning(node.decision)
        number = self.decisions.setdefault(meaning, len(self.decisions))
        if number == len(self.witnesses):
            self.witnesses.append(self._way(node))
        return number

    def _way(self, node: Node) -> Part:
        found: Part = []
        while (step := self.parents.get(id(node))) is not None:
            node, index = step
            found.append(index)
        return [*self.part, *reversed(found)]


def _meaning(decision: Decision) -> tuple[Any, ...]:
    """All that anybody says of a decision once the exploration is over."""
    options = tuple(
        (one.ability, one.obj, one.you, one.about)
        if isinstance(one, Candidate)
        else tuple(one[1:])
        if isinstance(one, Offer)
        else (one.__class__, one)
        for one in decision.options
    )
    return decision.who, decision.kind, decision.subject, decision.cites, options


class _Table:
    """What one part found out."""

    def __init__(self, partial: Partial) -> None:
        self.partial = partial
        self.seen = [_frozen(value) for value in partial["seen"]]
        self.marks = [tuple(marks) for marks in partial["marks"]]
        self.outcomes = [frozenset({_frozen(outcome)}) for outcome in partial["outcomes"]]
        self.decisions: dict[int, Decision] = {}


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


class Merger(_Walker):
    """The plain exploration, with what parts of it found out."""

    routed = False  # positions are known by their fingerprints here

    def __init__(
        self,
        scene: Scene,
        questions: Sequence[Question],
        partials: Iterable[Partial],
        *,
        budget: int,
        progress: Progress = None,
    ) -> None:
        super().__init__(narrow(scene), questions, budget=budget, progress=progress)
        self.small = Explorer(scene, list(questions), budget=min(budget, NARROW_AFTER))
        self.fingerprints = Fingerprints(self.scene)
        self.guide = _Walker(self.scene, questions, budget=budget)
        self.ways: dict[tuple[int, ...], Node] = {}
        self.told: dict[str, tuple[_Table, int]] = {}  # fingerprint -> where it stands
        self.partials = list(partials)

    def _add(self, partial: Partial) -> None:
        table = _Table(partial)
        for place, position in enumerate(partial["positions"]):
            self.told.setdefault(position, (table, place))
        self.played = self.played or partial["played"]
        self.end_states.update((why, position) for why, position in partial["end_states"])
        self.scene.touched.update(partial["readings"])

    def explore(self) -> Graph:
        """Raises BudgetExceeded, Unworkable."""
        try:
            return self.small.explore()
        except BudgetExceeded:  # as always: the exploration of all begins anew when it grows
            pass
        if self.budget <= NARROW_AFTER or any(partial["state"] == "over" for partial in self.partials):
            raise BudgetExceeded
        for partial in self.partials:
            if partial["state"] == "whole":
                self._add(partial)
        with uncollected():
            self.ways[()] = self.guide.walk(())
            return self._explore(self.budget)

    def _key(self, machine: Machine) -> Any:
        return self.fingerprints.of(identity.key(machine))

    def _options(self, machine: Machine, node: Node) -> list[int]:
        found = self.told.get(node.key)
        if found is None:
            return super()._options(machine, node)
        table, place = found
        _, seen, end, *edges = table.partial["nodes"][place]
        node.seen = table.seen[seen]
        if end >= 0:
            self._close(node, table, end)
        return list(edges[::3])

    def _follow(self, machine: Machine, node: Node, index: int) -> tuple[tuple[str, ...], Node]:
        found = self.told.get(node.key)
        if found is None:
            return super()._follow(machine, node, index)
        self._report()
        table, place = found
        edges = table.partial["nodes"][place][3:]
        at = edges[::3].index(index) * 3
        return table.marks[edges[at + 1]], self._child(machine, table, edges[at + 2])

    def _child(self, machine: Machine, table: _Table, place: int) -> Node:
        if place < 0:
            return self._close(Node(0, None, (), lines=1), table, -1 - place)
        key = table.partial["positions"][place]
        met = self._come_again(machine, key)
        if met is not None:
            return met
        self.positions += 1
        return Node(self.positions, self._decision(table, table.partial["nodes"][place][0]), (), key)

    def _close(self, node: Node, table: _Table, end: int) -> Node:
        node.end, outcome = table.partial["ends"][end]
        node.lines, node.outcomes = 1, self._shared(table.outcomes[outcome])
        return node

    def _decision(self, table: _Table, number: int) -> Decision:
        """The decision as the machine puts it, where the part met it first."""
        found = table.decisions.get(number)
        if found is None:
            decision = self._led_to(tuple(table.partial["witnesses"][number])).decision
            assert decision is not None
            found = table.decisions[number] = decision
        return found

    def _led_to(self, way: tuple[int, ...]) -> Node:
        known = next(i for i in range(len(way), -1, -1) if way[:i] in self.ways)
        node = self.ways[way[:known]]
        for i in range(known, len(way)):
            node = self.ways[way[: i + 1]] = self.guide.step(node, way[i])
        return node
