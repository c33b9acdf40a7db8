"""Every legal line of a scene: a graph of positions, merged when their futures are equal.

Nothing here writes a trace; lines worth showing are replayed afterwards (rules.engine.answer).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rules.engine import identity, loops
from rules.engine.errors import BudgetExceeded, Need, Untold
from rules.engine.garbage import uncollected
from rules.engine.machine import Machine, Runaway
from rules.engine.questions import Question, untold
from rules.engine.recall import Memory
from rules.engine.records import Candidate, Decision, Reason
from rules.engine.routes import Place, Round, Routes
from rules.engine.scene import Scene
from rules.engine.script import matches, never_came, scripted, told
from rules.engine.specialise import narrow

Outcome = tuple[Any, ...]  # one value per question
PROGRESS_EVERY = 100  # decisions taken, known positions or not: with many cards most lead back to known ones
GROWING_CYCLES = 3  # a line that repeats itself so often, but for numbers that grow alike, goes on for ever
GROWING_AFTER = 12  # decisions
NARROW_AFTER = 16  # positions: about what rewriting the procedures, and learning how uses go, costs

LOOP = "loop"


@dataclass(slots=True, eq=False)
class Node:
    """A position with its open decision, or an end (`end` says why the line is over here)."""

    number: int
    decision: Decision | None
    position: tuple[Any, ...]
    key: Any = ()
    edges: list[tuple[int, "Node", tuple[str, ...]]] = field(default_factory=list)  # option, child, marks
    seen: tuple[
        Any, ...
    ] = ()  # per question: what it makes of the open decision (is the asked move offered here?)
    outcomes: frozenset[Outcome] = frozenset()
    lines: int = 0
    scripted: bool = False
    end: str = ""  # stop | done | game | illegal | loop | runaway | untold
    back: "Node | None" = None  # for a loop: the position that came again
    place: Place | None = None  # what it shares with positions that differ in facts alone
    round: Round | None = None  # of uses that wait together
    used: int = 0  # which of them were used


@dataclass(frozen=True, slots=True)
class Loop:
    """A stretch of play that leads back to where it began, or round again with numbers grown."""

    path: tuple[tuple[Node, int], ...]  # decisions and the options taken, one whole cycle
    change: tuple[tuple[int, int], ...]  # facts that grow, by how much a cycle; empty: nothing changes
    ending: str = ""  # what became of it, when a player named a number
    cites: tuple[str, ...] = ()


def _as_taken(node: Node, index: int) -> tuple[Any, ...]:
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

    @property
    def outcomes(self) -> frozenset[Outcome]:
        return self.root.outcomes

    @property
    def lines(self) -> int:
        return self.root.lines


class Explorer:
    """Depth first over decisions, with a table of positions already met."""

    routed = True  # does it remember where options lead?

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
        self.adding = any(type(one).fold is not Question.fold for one in questions)
        self.budget = budget
        self.progress = progress
        self._begin(scene)

    def _begin(self, scene: Scene) -> None:
        self.scene = scene
        self.routes = Routes(scene) if self.routed and scene.specialiser is not None else None
        self.table: dict[Any, Node] = {}
        self.after: dict[
            tuple[Any, ...], tuple[tuple[str, ...], Node]
        ] = {}  # what a position goes on to by itself
        self.outcomes: dict[frozenset[Outcome], frozenset[Outcome]] = {}
        self.offers: dict[tuple[Any, ...], list[Any]] = {}  # options, one list for equal ones
        self.ended: dict[tuple[str, frozenset[Outcome]], Node] = {}  # one for equal ends
        self.end_states: set[tuple[str, Any]] = set()
        self.positions = 0
        self.played = False  # is there a line on which every move came up?
        self.followed = 0
        self.loops: list[Loop] = []
        self.path: dict[Any, Node] = {}
        self.taken: list[tuple[Node, int]] = []
        self.shapes: dict[
            tuple[Any, ...], list[tuple[int, Node]]
        ] = {}  # position but for numbers -> where on the path

    def explore(self) -> Graph:
        """Raises BudgetExceeded when more than `budget` positions would be visited."""
        with uncollected():
            if self.budget > NARROW_AFTER:
                try:
                    return self._explore(NARROW_AFTER)
                except BudgetExceeded:  # it pays to rewrite the procedures for this scene
                    self._begin(narrow(self.scene))
            return self._explore(self.budget)

    def _explore(self, limit: int) -> Graph:
        self.limit = limit
        machine = Machine(self.scene)
        machine.enter(self.scene.start, self.scene.arguments)
        marks, root = self._run(machine)
        self._search(machine, root)
        settle(root, self._fold, self._shared)
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
            self.taken[len(stack) - 1 :] = [(node, index)]
            marks, child = self._follow(machine, node, index)
            node.edges.append((index, child, marks))
            if not child.end and child.key not in self.table:
                open_node(child)

    def _follow(self, machine: Machine, node: Node, index: int) -> tuple[tuple[str, ...], Node]:
        """Take an option and go on to the next node."""
        self._report()
        way, place, routes = ~index if node.scripted else index, node.place, self.routes
        if routes is not None and place is not None:
            found = routes.follow(place, way, node.key, node.position[0])
            if found is not None:
                key, facts, marks, arrived = found
                return marks, self._arrive(machine, key, facts, arrived)
        if routes is not None and node.round is not None and not node.scripted:
            known = self._known(node, index)
            if known is not None:
                return known
        if node.edges:  # else the machine has only just come here
            machine.load(node.position)
        machine.marks = []  # what was used before this decision belongs to the edges that led here
        machine.recalled = None
        if routes is not None and place is not None:
            routes.begin(machine, place, way)
        try:
            self._take(machine, node, index)
        except Runaway:  # one use within another, without end
            return tuple(machine.marks), self._end(machine, "runaway")
        except Untold as unclear:
            return tuple(machine.marks), self._unknown(unclear)
        return self._advance(machine, node, index)

    def _report(self) -> None:
        self.followed += 1
        if self.progress and self.followed % PROGRESS_EVERY == 0:
            self.progress(self.positions)

    def _take(self, machine: Machine, node: Node, index: int) -> None:
        assert node.decision is not None
        if node.scripted and matches(
            machine, self.scene.did[machine.script], node.decision, node.decision.options[index]
        ):
            machine.made()
        machine.take(node.decision, index)

    def _known(self, node: Node, index: int) -> tuple[tuple[str, ...], Node] | None:
        """Where an option leads, if it is a use that waited with others and all of them have been met already."""
        assert node.round is not None and node.decision is not None and self.routes is not None
        option = node.decision.options[index]
        found = self.routes.use(node.round, node.used, node.key, node.position, option)
        return None if found is None else self._met(*found)

    def _met(self, key: Any, marks: tuple[str, ...]) -> tuple[tuple[str, ...], Node] | None:
        """The node for a position that was met before, on the way to a decision or with one open."""
        known = self.table.get(key)
        if known is not None:  # the next decision is open just here
            return marks, known
        found = self.after.get(key)
        return None if found is None or found[1].key in self.path else (marks + found[0], found[1])

    def _advance(self, machine: Machine, node: Node, index: int) -> tuple[tuple[str, ...], Node]:
        """Run to the next decision; the node for it, an old one when the position is known."""
        recalled, watch = machine.recalled, machine.watch
        if machine.script < self.scene.last_repeat:
            return self._run(machine)
        if recalled is None:
            if watch is not None:
                watch.wanted = self._leaves_others(node, *node.position[7:9])
            marks, child = self._run(machine)
            if watch is not None and watch.kept is not None:
                memory, control, at = watch.kept
                if self._leaves_others(node, *at):
                    self._joins(node, index, child, memory, control)
            return marks, child
        key, before = identity.key(machine), tuple(machine.marks)
        same = self._leaves_others(node, machine.unit, machine.pc)
        met = self._met(key, before)
        if met is None:
            marks, child = met = self._run(machine, key if same else None)
            if child.end != LOOP and child.key != key:
                self.after[key] = (marks[len(before) :], child)
        if same:
            self._joins(node, index, met[1], recalled, key[-1])
        return met

    def _leaves_others(self, node: Node, unit: Any, pc: int) -> bool:
        """Has a machine that is at this instruction not moved from the node's decision, but for a use?"""
        if (unit, pc) != node.position[7:9] or self.routes is None or node.scripted or self.scene.copies:
            return False
        return bool(unit.code[pc].leaves_others)

    def _joins(self, node: Node, index: int, child: Node, memory: Memory, control: int) -> None:
        """A use that leaves others alone is known, and the control just after it."""
        assert node.decision is not None
        node.round = node.round or Round()
        used = node.round.keep(node.used, node.decision.options[index], memory, control)
        if child.round is None and child.key[-1:] == (control,):
            child.round, child.used = node.round, used

    def _run(self, machine: Machine, before: Any = None) -> tuple[tuple[str, ...], Node]:
        """Run to the next decision. before: the key, where a machine that need not run has it still."""
        try:
            decision = machine.run()
            while decision is not None and self._repeats(machine, decision):
                decision = machine.run()
        except Runaway:
            return tuple(machine.marks), self._end(machine, "runaway")
        except Untold as found:
            return tuple(machine.marks), self._unknown(found)
        marks, end = tuple(machine.marks), ""
        if decision is None or (decision.stop and told(machine)):
            end = "stop" if decision is not None else machine.ended or "done"
        if self.routes is None:
            return marks, self._come(machine, decision, end)
        rest = machine.rest() if end else ()
        key = before if before is not None and machine.at_once and not end else self._key(machine)
        place = None
        if machine.script >= self.scene.last_repeat:
            place = self.routes.place(machine, key[-1], decision, end, rest)
        self.routes.arrived(machine, marks, place)
        if end:  # questions see it as it is, with what is over
            machine.load((machine.facts, *rest))
        return marks, self._come(machine, decision, end, key, place)

    def _arrive(self, machine: Machine, key: Any, facts: list[Any], place: Place) -> Node:
        """The node for where an option is known to lead."""
        known = None if place.end else self.table.get(key)
        if known is not None:
            return known
        machine.load((facts, *place.rest))
        return self._come(machine, place.decision, place.end, key, place)

    def _come(
        self,
        machine: Machine,
        decision: Decision | None,
        end: str,
        key: Any = None,
        place: Place | None = None,
    ) -> Node:
        """The node for the open decision, or for the end, that the machine has come to."""
        if end:
            try:
                return self._end(machine, end, decision, key)
            except Need as need:  # a question hangs on what nothing on the way has asked for
                decision, place = machine.settling(need.slot), None
        assert decision is not None
        if key is None:
            key = self._key(machine)
        if machine.script < self.scene.last_repeat:  # what will be repeated is part of the position
            key = (key, tuple((node.number, index) for node, index in self.taken))
        return (
            self._come_again(machine, key)
            or self._growing(machine, decision, key, place)
            or self._node(machine, decision, key, place)
        )

    def _come_again(self, machine: Machine, key: Any) -> Node | None:
        """The node of a position that was met before: on this line (a loop), or on another. None: a new one, if the
        budget has room for it."""
        if key in self.path:
            return self._loop(machine, self.path[key])
        known = self.table.get(key)
        if known is None and self.positions >= self.limit:
            raise BudgetExceeded
        return known

    def _node(self, machine: Machine, decision: Decision, key: Any, place: Place | None) -> Node:
        self.positions += 1
        if place is not None and place.decision is not None:
            decision = place.decision  # equal in many positions, and large
        elif decision.kind in ("use", "order"):
            decision.options = self.offers.setdefault(tuple(decision.options), decision.options)
        return Node(self.positions, decision, machine.save(), key, place=place)

    def _key(self, machine: Machine) -> Any:
        """Equal for positions with the same future."""
        return identity.key(machine)

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

    def _growing(self, machine: Machine, decision: Decision, key: Any, place: Place | None) -> Node | None:
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
        node = self._node(machine, decision, key, place)
        self.shapes[shape] = [*earlier, (depth, node)]
        return node

    def _nested(self) -> None:
        """One use sits within another without end: the stretch from the last decision taken alike."""
        taken = [_as_taken(node, index) for node, index in self.taken]
        begun = next((k for k in range(len(taken) - 2, -1, -1) if taken[k] == taken[-1]), None)
        if begun is None or self.loops:
            return
        first, last = self.taken[begun][0].position[0], self.taken[-1][0].position[0]
        change = tuple((s, last[s] - first[s]) for s in self.scene.number_slots if last[s] != first[s])
        self.loops.append(Loop(tuple(self.taken[begun:-1]), change))

    def _end(self, machine: Machine, why: str, decision: Decision | None = None, key: Any = None) -> Node:
        if why == "runaway" and self.taken:
            self._nested()
        self.played = self.played or why not in ("done", "game", "stop") or never_came(machine) is None
        outcome = tuple(question.at_end(machine, why, decision) for question in self.questions)
        if why != LOOP:
            self.end_states.add((why, self._key(machine) if key is None else key))
        if decision is not None:
            seen = tuple(question.offered(machine, decision) for question in self.questions)
            outcome = self._fold(outcome, (), seen)
        outcomes = self._shared(frozenset({outcome}))
        if why == LOOP:
            return Node(0, None, (), end=why, lines=1, outcomes=outcomes)
        node = self.ended.get((why, outcomes))
        if node is None:
            node = self.ended[why, outcomes] = Node(0, None, (), end=why, lines=1, outcomes=outcomes)
        return node

    def _unknown(self, found: Untold) -> Node:
        """The line cannot be followed any further: nobody told what it hangs on."""
        self.played = True
        self.end_states.add(("untold", found.place))
        outcome = tuple(untold(found) for _ in self.questions)
        return Node(0, None, (), end="untold", lines=1, outcomes=self._shared(frozenset({outcome})))

    def _shared(self, outcomes: frozenset[Outcome]) -> frozenset[Outcome]:
        """One object for equal sets: hundreds of thousands of positions share a few."""
        return self.outcomes.setdefault(outcomes, outcomes)

    def _options(self, machine: Machine, node: Node) -> list[int]:
        """The options to follow: all, or the one that the scenario says was taken."""
        decision = node.decision
        assert decision is not None
        node.seen = tuple(question.offered(machine, decision) for question in self.questions)
        said = scripted(machine, decision)
        node.scripted = said.move
        if not said.legal:
            self.played = True  # it came up, and could not be
            node.end, node.lines = "illegal", 1
            outcome = tuple(question.at_end(machine, "illegal", decision) for question in self.questions)
            node.outcomes = frozenset({outcome})
            return []
        return list(said.options or range(len(decision.options)))

    def _fold(self, outcome: Outcome, marks: tuple[str, ...], seen: tuple[Any, ...]) -> Outcome:
        """What a whole line answers, from what its rest answers and what happened on the way there."""
        if not self.adding:
            return outcome
        return tuple(
            question.fold(value, marks, seen[i] if seen else None)
            for i, (question, value) in enumerate(zip(self.questions, outcome, strict=True))
        )


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
