"""Every legal line of a scene: a graph of positions, merged when their futures are equal.

Nothing here writes a trace; lines worth showing are replayed afterwards (rules.engine.answer).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rules.engine import identity
from rules.engine.errors import BudgetExceeded
from rules.engine.machine import Machine, Runaway
from rules.engine.records import Candidate, Decision, Obj
from rules.engine.scene import Scene

Outcome = tuple[Any, ...]  # one value per question
PROGRESS_EVERY = 500

LOOP = "loop"


@dataclass(slots=True, eq=False)
class Node:
    """A position with its open decision, or an end (`decision` is None)."""

    number: int
    decision: Decision | None
    position: tuple[Any, ...]
    key: tuple[Any, ...] = ()
    edges: list[tuple[int, "Node | None", tuple[str, ...]]] = field(
        default_factory=list
    )  # option, child, marks
    seen: tuple[bool, ...] = ()  # per question: is the asked move offered here?
    outcomes: frozenset[Outcome] = frozenset()
    lines: int = 0
    scripted: bool = False
    end: str = ""  # why the line is over here: stop | done | game | illegal | loop | runaway


@dataclass(slots=True)
class Graph:
    root: Node
    marks: tuple[str, ...]
    positions: int
    ends: int
    loops: list[list[Node]]

    @property
    def outcomes(self) -> frozenset[Outcome]:
        return self.root.outcomes

    @property
    def lines(self) -> int:
        return self.root.lines


class Explorer:
    """Depth first over decisions, with a table of positions already settled."""

    def __init__(
        self,
        scene: Scene,
        questions: list[Any],
        *,
        budget: int,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.scene = scene
        self.questions = questions
        self.budget = budget
        self.progress = progress
        self.table: dict[tuple[Any, ...], Node] = {}
        self.end_states: set[tuple[Any, ...]] = set()
        self.positions = 0
        self.loops: list[list[Node]] = []

    def explore(self) -> Graph:
        """Raises BudgetExceeded when more than `budget` positions would be visited."""
        machine = Machine(self.scene)
        machine.enter(self.scene.start, self.scene.arguments)
        marks, root = self._advance(machine, {})
        assert root is not None
        self._search(machine, root)
        root.outcomes = frozenset(self._fold(outcome, marks, ()) for outcome in root.outcomes)
        return Graph(root, marks, self.positions, len(self.end_states), self.loops)

    def _search(self, machine: Machine, root: Node) -> None:
        """Iterative, so that a long game is no deeper for Python than a short one."""
        path: dict[tuple[Any, ...], Node] = {}
        stack: list[tuple[Node, tuple[Any, ...], list[int]]] = []

        def open_node(node: Node) -> None:
            machine.load(node.position)
            path[node.key] = node
            stack.append((node, node.key, self._options(machine, node)))

        if root.decision is None or root.end:
            return
        open_node(root)
        while stack:
            node, key, options = stack[-1]
            if not options:
                stack.pop()
                del path[key]
                self._settle(node)
                self.table[key] = node
                continue
            index = options.pop(0)
            machine.load(node.position)
            assert node.decision is not None
            self._take(machine, node, index)
            marks, child = self._advance(machine, path)
            node.edges.append((index, child, marks))
            if (
                child.decision is not None
                and not child.end
                and not child.lines
                and child.number > node.number
            ):
                open_node(child)

    def _take(self, machine: Machine, node: Node, index: int) -> None:
        assert node.decision is not None
        if node.scripted and _matches(
            self.scene.did[machine.script], node.decision, node.decision.options[index]
        ):
            machine.script += 1
        machine.take(node.decision, index)

    def _advance(
        self, machine: Machine, path: Mapping[tuple[Any, ...], Node]
    ) -> tuple[tuple[str, ...], Node]:
        """Run to the next decision; the node for it, an old one when the position is known."""
        try:
            decision = machine.run()
        except Runaway:
            return tuple(machine.marks), self._end(machine, "runaway")
        marks = tuple(machine.marks)
        if decision is None:
            return marks, self._end(machine, machine.ended or "done")
        if decision.stop and machine.script >= len(self.scene.did):
            return marks, self._end(machine, "stop", decision)
        key = identity.key(machine)
        if key in path:
            self.loops.append([*list(path.values())[list(path).index(key) :]])
            return marks, self._end(machine, LOOP)
        known = self.table.get(key)
        if known is not None:
            return marks, known
        self.positions += 1
        if self.positions > self.budget:
            raise BudgetExceeded
        if self.progress and self.positions % PROGRESS_EVERY == 0:
            self.progress(self.positions)
        return marks, Node(self.positions, decision, machine.save(), key)

    def _end(self, machine: Machine, why: str, decision: Decision | None = None) -> Node:
        if why != LOOP:
            self.end_states.add((why, identity.key(machine)))
        node = Node(0, decision, machine.save(), end=why, lines=1)
        outcome = tuple(question.at_end(machine, why, decision) for question in self.questions)
        if decision is not None:
            seen = tuple(question.offered(machine, decision) for question in self.questions)
            outcome = self._fold(outcome, (), seen)
        node.outcomes = frozenset({outcome})
        return node

    def _options(self, machine: Machine, node: Node) -> list[int]:
        """The options to follow: all, or the one that the scenario says was taken."""
        decision = node.decision
        assert decision is not None
        node.seen = tuple(question.offered(machine, decision) for question in self.questions)
        script = self.scene.did
        if machine.script >= len(script):
            return list(range(len(decision.options)))
        move = script[machine.script]
        for index, option in enumerate(decision.options):
            if _matches(move, decision, option):
                node.scripted = True
                return [index]
        if decision.kind == "use":
            if decision.who.id == move["who"] and decision.stop:
                return self._illegal(machine, node)
            node.scripted = False
            return [len(decision.options) - 1]  # it is not what was done, so here there was a pass
        return list(range(len(decision.options)))

    def _illegal(self, machine: Machine, node: Node) -> list[int]:
        """The scenario's next move is not among the options: the line ends with that."""
        node.end = "illegal"
        node.lines = 1
        node.outcomes = frozenset(
            {tuple(question.at_end(machine, "illegal", node.decision) for question in self.questions)}
        )
        return []

    def _settle(self, node: Node) -> None:
        if node.end:
            return
        outcomes: set[Outcome] = set()
        for _, child, marks in node.edges:
            assert child is not None
            node.lines += child.lines
            for outcome in child.outcomes:
                outcomes.add(self._fold(outcome, marks, node.seen))
        node.outcomes = frozenset(outcomes)

    def _fold(self, outcome: Outcome, marks: tuple[str, ...], seen: tuple[bool, ...]) -> Outcome:
        """What a whole line answers, from what its rest answers and what happened on the way there."""
        return tuple(
            question.fold(value, marks, bool(seen and seen[i]))
            for i, (question, value) in enumerate(zip(self.questions, outcome, strict=True))
        )


def _matches(move: Mapping[str, Any], decision: Decision, option: Any) -> bool:
    """Is this option what the scripted move says?"""
    if isinstance(option, Candidate):
        return (
            "use" in move
            and option.you.id == move["who"]
            and option.obj.id == move["use"]
            and move.get("ability", option.ability.name) == option.ability.name
        )
    if not isinstance(decision.who, Obj) or decision.who.id != move["who"]:
        return False
    if decision.kind == "use":
        return option is None and "pass" in move
    if "choose" in move:
        wanted = move["choose"]
        ids = [obj.id for obj in (option if isinstance(option, tuple) else (option,)) if isinstance(obj, Obj)]
        if decision.kind in ("target", "choose", "order") and ids:
            name = decision.subject
            return (name == move.get("for", name)) and ids == (
                wanted if isinstance(wanted, list) else [wanted]
            )
        if decision.kind == "may":
            return wanted in ("yes", "no") and option is (wanted == "yes")
        if decision.kind == "one-of":
            return bool(wanted == option)
    return False
