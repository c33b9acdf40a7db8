"""Every legal line of a scene: a graph of positions, merged when their futures are equal.

Nothing here writes a trace; lines worth showing are replayed afterwards (rules.engine.answer).
"""

import gc
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rules.engine import identity, loops
from rules.engine.errors import BudgetExceeded
from rules.engine.machine import Machine, Runaway
from rules.engine.records import Candidate, Decision, Obj, Offer, Reason
from rules.engine.scene import Scene
from rules.engine.specialise import narrow

Outcome = tuple[Any, ...]  # one value per question
PROGRESS_EVERY = 100  # decisions taken, known positions or not: with many cards most lead back to known ones
GROWING_CYCLES = 3  # a line that repeats itself so often, but for numbers that grow alike, goes on for ever
GROWING_AFTER = 12  # decisions
NARROW_AFTER = 48  # positions

LOOP = "loop"


@dataclass(slots=True, eq=False)
class Node:
    """A position with its open decision, or an end (`end` says why the line is over here)."""

    number: int
    decision: Decision | None
    position: tuple[Any, ...]
    key: tuple[Any, ...] = ()
    edges: list[tuple[int, "Node", tuple[str, ...]]] = field(default_factory=list)  # option, child, marks
    seen: tuple[
        Any, ...
    ] = ()  # per question: what it makes of the open decision (is the asked move offered here?)
    outcomes: frozenset[Outcome] = frozenset()
    lines: int = 0
    scripted: bool = False
    end: str = ""  # stop | done | game | illegal | loop | runaway
    back: "Node | None" = None  # for a loop: the position that came again


@dataclass(frozen=True, slots=True)
class Loop:
    """A stretch of play that leads back to where it began, or round again with numbers grown."""

    path: tuple[tuple[Node, int], ...]  # decisions and the options taken, one whole cycle
    change: tuple[tuple[int, int], ...]  # facts that grow, by how much a cycle; empty: nothing changes
    ending: str = ""  # what became of it, when a player named a number
    cites: tuple[str, ...] = ()


@dataclass(slots=True)
class Graph:
    root: Node
    positions: int
    ends: int
    loops: list[Loop]

    @property
    def outcomes(self) -> frozenset[Outcome]:
        return self.root.outcomes

    @property
    def lines(self) -> int:
        return self.root.lines


class Explorer:
    """Depth first over decisions, with a table of positions already met."""

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
        self._begin(scene)

    def _begin(self, scene: Scene) -> None:
        self.scene = scene
        self.table: dict[tuple[Any, ...], Node] = {}
        self.end_states: set[tuple[Any, ...]] = set()
        self.positions = 0
        self.played = False  # is there a line on which every move came up?
        self.followed = 0
        self.loops: list[Loop] = []
        self.path: dict[tuple[Any, ...], Node] = {}
        self.taken: list[tuple[Node, int]] = []
        self.shapes: dict[
            tuple[Any, ...], list[tuple[int, Node]]
        ] = {}  # position but for numbers -> where on the path

    def explore(self) -> Graph:
        """Raises BudgetExceeded when more than `budget` positions would be visited."""
        collecting = gc.isenabled()
        gc.disable()  # hundreds of thousands of live tuples: each collection would look at them all in vain
        try:
            if self.budget > NARROW_AFTER:
                try:
                    return self._explore(NARROW_AFTER)
                except BudgetExceeded:  # it pays to rewrite the procedures for this scene
                    self._begin(narrow(self.scene))
            return self._explore(self.budget)
        finally:
            if collecting:
                gc.enable()

    def _explore(self, limit: int) -> Graph:
        self.limit = limit
        machine = Machine(self.scene)
        machine.enter(self.scene.start, self.scene.arguments)
        marks, root = self._advance(machine)
        self._search(machine, root)
        settle(root, self._fold)
        root.outcomes = frozenset(self._fold(outcome, marks, ()) for outcome in root.outcomes)
        if not self.played:  # the last moves never came up on any line
            if root.position:  # else nothing was ever decided, and the machine is still there
                machine.load(root.position)
            root.end, root.lines = "illegal", 1
            root.outcomes = frozenset({tuple(q.at_end(machine, "illegal", None) for q in self.questions)})
        return Graph(root, self.positions, len(self.end_states), self.loops)

    def _search(self, machine: Machine, root: Node) -> None:
        """Iterative, so that a long game is no deeper for Python than a short one."""
        stack: list[tuple[Node, list[int]]] = []

        def open_node(node: Node) -> None:
            self.path[node.key] = node
            stack.append((node, self._options(machine, node)))

        if not root.end:
            open_node(root)
        while stack:
            node, options = stack[-1]
            if not options:
                stack.pop()
                del self.path[node.key]
                if stack:
                    node.position = ()  # nobody comes back to it; hundreds of thousands of them are large
                if not node.end:
                    node.lines = sum(child.lines for _, child, _ in node.edges)
                self.table[node.key] = node
                continue
            index = options.pop(0)
            if node.edges:  # else the machine has only just come here
                machine.load(node.position)
            self.taken = [*self.taken[: len(stack) - 1], (node, index)]
            marks, child = self._follow(machine, node, index)
            node.edges.append((index, child, marks))
            if not child.end and child.key not in self.table:
                open_node(child)

    def _follow(self, machine: Machine, node: Node, index: int) -> tuple[tuple[str, ...], Node]:
        """Take an option and go on to the next node."""
        self.followed += 1
        machine.marks = []  # what was used before this decision belongs to the edges that led here
        if self.progress and self.followed % PROGRESS_EVERY == 0:
            self.progress(self.positions)
        try:
            self._take(machine, node, index)
        except Runaway:  # one use within another, without end
            return tuple(machine.marks), self._end(machine, "runaway")
        return self._advance(machine)

    def _take(self, machine: Machine, node: Node, index: int) -> None:
        assert node.decision is not None
        if node.scripted and matches(
            self.scene.did[machine.script], node.decision, node.decision.options[index]
        ):
            machine.script += 1
        machine.take(node.decision, index)

    def _advance(self, machine: Machine) -> tuple[tuple[str, ...], Node]:
        """Run to the next decision; the node for it, an old one when the position is known."""
        try:
            decision = machine.run()
            while decision is not None and self._repeats(machine, decision):
                decision = machine.run()
        except Runaway:
            return tuple(machine.marks), self._end(machine, "runaway")
        marks = tuple(machine.marks)
        if decision is None:
            return marks, self._end(machine, machine.ended or "done")
        if decision.stop and machine.script >= len(self.scene.did):
            return marks, self._end(machine, "stop", decision)
        key = identity.key(machine)
        if machine.script < self.scene.last_repeat:  # what will be repeated is part of the position
            key = (key, tuple((node.number, index) for node, index in self.taken))
        if key in self.path:
            return marks, self._loop(machine, self.path[key])
        known = self.table.get(key)
        if known is not None:
            return marks, known
        if self.positions >= self.limit:
            raise BudgetExceeded
        deep = self._growing(machine, decision, key)
        if deep is not None:
            return marks, deep
        self.positions += 1
        return marks, Node(self.positions, decision, machine.save(), key)

    def _repeats(self, machine: Machine, decision: Decision) -> bool:
        """Carry out the repetition that the scenario says comes now; False: there is none, or it is not possible."""
        if not loops.due(machine, decision):
            return False
        path = [(node.position, node.decision, index) for node, index in self.taken if node.decision]
        found = loops.repeat(machine, path, self.scene.did[machine.script]["repeat"])
        if isinstance(found, Reason):
            return False
        start = next(i for i, (position, _, _) in enumerate(path) if position is found.cycle.begun)
        self.loops.append(Loop(tuple(self.taken[start:]), found.cycle.told(), found.ending, found.cites))
        loops.go_on(machine, found)
        return True

    def _loop(self, machine: Machine, start: Node) -> Node:
        """The line is back where it was: what can follow is what could follow then."""
        nodes = [node for node, _ in self.taken]
        self.loops.append(Loop(tuple(self.taken[nodes.index(start) :]), ()))
        node = self._end(machine, LOOP)
        node.back = start
        return node

    def _growing(self, machine: Machine, decision: Decision, key: tuple[Any, ...]) -> Node | None:
        """The same decision again and again, with nothing but numbers changed, by the same amount each time.

        Looked for only on long lines: short ones cannot have gone round often enough.
        """
        depth = len(self.taken)
        if depth < GROWING_AFTER:
            return None
        shape = identity.shape(machine)
        earlier = [
            (at, node) for at, node in self.shapes.get(shape, ()) if at < depth and self.taken[at][0] is node
        ]
        if len(earlier) >= GROWING_CYCLES:
            taken = self.taken[earlier[-1][0] :]
            path = [(node.position, node.decision, index) for node, index in taken if node.decision]
            cycle = loops.cycle_of(self.scene, path, machine.save())
            if cycle is not None and any(cycle.change) and cycle.endless:
                self.loops.append(Loop(tuple(taken), cycle.told(), *loops.nature(cycle)))
                return self._end(machine, LOOP)
        self.positions += 1
        node = Node(self.positions, decision, machine.save(), key)
        self.shapes[shape] = [*earlier, (depth, node)]
        return node

    def _end(self, machine: Machine, why: str, decision: Decision | None = None) -> Node:
        self.played = self.played or why not in ("done", "game") or never_came(machine) is None
        if why != LOOP:
            self.end_states.add((why, identity.key(machine)))
        node = Node(0, decision, (), end=why, lines=1)
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
        index, node.scripted, legal = scripted(machine, decision)
        if not legal:
            self.played = True  # it came up, and could not be
            node.end, node.lines = "illegal", 1
            outcome = tuple(question.at_end(machine, "illegal", decision) for question in self.questions)
            node.outcomes = frozenset({outcome})
            return []
        return list(range(len(decision.options))) if index is None else [index]

    def _fold(self, outcome: Outcome, marks: tuple[str, ...], seen: tuple[Any, ...]) -> Outcome:
        """What a whole line answers, from what its rest answers and what happened on the way there."""
        return tuple(
            question.fold(value, marks, seen[i] if seen else None)
            for i, (question, value) in enumerate(zip(self.questions, outcome, strict=True))
        )


# --- what the scenario says was done --------------------------------------------------------------------


def scripted(machine: Machine, decision: Decision) -> tuple[int | None, bool, bool]:
    """(option, is it the scripted move itself, legal) for a decision; option None: all are open."""
    did, at = machine.scene.did, machine.script
    if at >= len(did):
        return None, False, True
    move = did[at]
    for index, option in enumerate(decision.options):
        if matches(move, decision, option) and (decision.stop or _chosen_here(machine, decision, option)):
            return index, True, True
        # who is called next in a window is told by whose move comes next
        called = decision.kind == "order" and isinstance(option, Obj) and option.kind == "player"
        if called and "choose" not in move and option.id == move["who"]:
            return index, False, True
    mine = _decider(decision) == move["who"]
    if decision.kind == "use":
        if mine and decision.stop and "choose" not in move:  # a choice may come later
            return None, False, False
        return len(decision.options) - 1, False, True  # it is not what was done, so here there was a pass
    if "choose" in move and mine and move.get("for", decision.subject) == decision.subject:
        return None, False, decision.kind not in ("target", "choose")
    return None, False, True


def never_came(machine: Machine) -> Mapping[str, Any] | None:
    """The first of the scenario's moves that the line, now over, had no place for; passing needs none."""
    return next((move for move in machine.scene.did[machine.script :] if "pass" not in move), None)


def _chosen_here(machine: Machine, decision: Decision, option: Any) -> bool:
    """Can what the scenario says was chosen for the use be chosen now? Else it was used at a later opportunity."""
    following = machine.scene.did[machine.script + 1 : machine.script + 2]
    if decision.kind != "use" or not isinstance(option, Candidate) or not following:
        return True
    name, names = following[0].get("for", ""), {target.name for target in option.ability.targets}
    if "choose" not in following[0] or not names or (name and name not in names):
        return True
    wanted = following[0]["choose"]
    ids = tuple(wanted) if isinstance(wanted, list) else (wanted,)
    return machine.choosable(option, [(name, ids)]) is None


def _decider(decision: Decision) -> str:
    """A player's id, or the word for another decider (chance)."""
    return str(decision.who.id if isinstance(decision.who, Obj) else decision.who)


def matches(move: Mapping[str, Any], decision: Decision, option: Any) -> bool:
    """Is this option what the scripted move says?"""
    if isinstance(option, Candidate):
        if decision.kind == "order" and move.get("for") == "next":  # what comes next, by its card
            return bool(move["who"] == _decider(decision) and move["choose"] == option.obj.id)
        return (
            "use" in move
            and move["who"] in (option.you.id, _decider(decision) if decision.kind == "order" else None)
            and option.obj.id == move["use"]
            and option.meant(move.get("ability", ""))
        )
    if _decider(decision) != move["who"]:
        return False
    if decision.kind == "use":
        return option is None and "pass" in move
    if "choose" in move:
        wanted = move["choose"]
        option = option.card if isinstance(option, Offer) else option
        many = option if isinstance(option, tuple) else (option,)
        ids = [one.id if isinstance(one, Obj) else str(one) for one in many if one is not None]
        if decision.kind in ("target", "choose", "order") and (ids or wanted == []):
            name = decision.subject
            chosen = wanted if isinstance(wanted, list) else [wanted]
            return name == move.get("for", name) and sorted(ids) == sorted(chosen)
        if decision.kind == "may":
            return wanted in ("yes", "no") and option is (wanted == "yes")
        if decision.kind == "one-of":
            return bool(wanted == option)
    return False


# --- outcomes over a graph with loops ---------------------------------------------------------------------


def settle(root: Node, fold: Callable[[Outcome, tuple[str, ...], tuple[bool, ...]], Outcome]) -> None:
    """Give every node the set of outcomes below it.

    Going round a loop and then leaving it is a line like any other, so nodes that reach one another share their
    exits: sets grow until nothing changes within each strongly connected component, from the ends upwards.
    A component that cannot be left keeps the outcome `loop`.
    """
    for component in components(root):
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
                    node.outcomes = frozenset(found)
                    changed = changed or len(component) > 1 or any(c.back is node for _, c, _ in node.edges)


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
