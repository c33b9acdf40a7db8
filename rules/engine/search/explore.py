"""Every legal line of a scene, walked: positions are merged when their futures are equal.

Nothing here writes a trace; lines worth showing are replayed afterwards (rules.engine.answers.answer).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rules.engine.base.errors import BudgetExceeded, Need, Untold
from rules.engine.base.garbage import uncollected
from rules.engine.base.messages import Message
from rules.engine.definitions.model import TOLD_PASSES
from rules.engine.definitions.values import Candidate, Decision, Reason
from rules.engine.machine import identity
from rules.engine.machine.interpreter import Machine, Runaway
from rules.engine.narrowing.partial_evaluation import narrow
from rules.engine.scene.scene import Scene
from rules.engine.search import loops
from rules.engine.search.graph import (
    LOOP,
    UNEXPLORED,
    Edge,
    Graph,
    Loop,
    Node,
    Outcome,
    as_taken,
    settle,
    weight,
)
from rules.engine.search.questions.question import Question, untold
from rules.engine.search.reduction import Plan, Reduction, Stage
from rules.engine.search.script import implied_key, matches, never_came, says_how, scripted, told

MOST_OPEN = 100_000  # options and cells of one line: a line that holds more is one that piles up without end
MOST_HELD = 4_000_000  # options, cells and positions of all that was explored: some hundreds of megabytes
PROGRESS_EVERY = 20  # decisions taken, known positions or not: with many cards most lead back to known ones
BREATHS = 1_000  # of long expressions, each of which looks at every card: some tenths of a second
GROWING_CYCLES = 3  # a line that repeats itself so often, but for numbers that grow alike, goes on for ever
GROWING_AFTER = 12  # decisions
NARROW_AFTER = 16  # positions: about what rewriting the procedures, and learning how uses go, costs

SETTLED_AFTER = 1_000  # positions: from here on, an exploration whose questions are all answered ends

NODE = 8  # a position weighs as much as so many options


class _Settled(Exception):
    """What is not explored can change no answer."""


class Explorer:
    """Depth first over decisions, with a table of positions already met."""

    def __init__(
        self,
        scene: Scene,
        questions: list[Any],
        *,
        budget: int,
        progress: Callable[[int], None] | None = None,
        reduce: bool = True,
        ends_early: bool = False,
    ) -> None:
        """reduce: False walks every order of what commutes, for the same answers, ends and lines. ends_early: of a long
        exploration, only as much is wanted as the questions need."""
        self.scene = scene
        self.questions = questions
        self.reduce = reduce
        self.ends_early = ends_early and bool(questions) and all(one.settles for one in questions)
        self.adding = any(type(one).fold is not Question.fold for one in questions)
        self.budget = budget
        self.progress = progress
        self.breaths = 0
        self._begin(scene)

    def _begin(self, scene: Scene) -> None:
        self.scene = scene
        self.reduction = Reduction(scene, self.questions) if self.reduce else None
        self.stage: Stage | None = None  # of the position that an option is being taken in
        self.came_from: Node | None = None
        self.table: dict[Any, Node] = {}
        self.outcomes: dict[frozenset[Outcome], frozenset[Outcome]] = {}
        self.offers: dict[tuple[Any, ...], list[Any]] = {}  # options, one list for equal ones
        self.ended: dict[tuple[str, bool, frozenset[Outcome]], Node] = {}  # one for equal ends
        self.end_states: set[tuple[str, Any]] = set()
        self.positions = 0
        self.open = self.held = 0  # weighed: options, cells, positions (MOST_OPEN, MOST_HELD)
        self.told_passes = scene.reading_slots[TOLD_PASSES.key]
        self.misfits: dict[int, set[int]] = {}
        self.implied: dict[Any, int] = {}  # what a told choice says of the decision before it (`implied_key`)
        self.told_so: set[str] = set()  # the values of this reading under which the told moves can be made
        self.played = False  # is there a line on which every move came up?
        self.came_up = False  # did a choice come up that was taken for one that does not?
        self.cut = False  # was a line cut that nests without end?
        self.followed = 0
        self.loops: list[Loop] = []
        self.path: dict[Any, Node] = {}
        self.taken: list[tuple[Node, int]] = []
        self.stack: list[
            tuple[Node, list[int]]
        ] = []  # open positions, and the options of each still to follow
        self.begun: tuple[tuple[str, ...], Node] | None = None  # what was used before the first decision; it
        self.shapes: dict[
            tuple[Any, ...], list[tuple[int, Node]]
        ] = {}  # position but for numbers -> where on the path

    def explore(self) -> Graph:
        """Raises BudgetExceeded when more than `budget` positions would be visited; `so_far` has what is known then."""
        with uncollected(), self._breathing():
            if (
                self.budget > NARROW_AFTER and not self.scene.moments
            ):  # what is so in between is read as it goes
                try:
                    return self._explore(NARROW_AFTER)
                except BudgetExceeded as bound:  # it pays to rewrite the procedures for this scene
                    if bound.of != "positions":
                        raise
                    self._begin(narrow(self.scene))
                    self.scene.breath = self.breathe
            return self._explore(self.budget)

    def _explore(self, limit: int) -> Graph:
        self.limit = limit
        machine = Machine(self.scene)
        machine.supposes = True
        machine.enter(self.scene.start, self.scene.arguments)
        marks, root = self.begun = self._run(machine)
        try:
            self._search(machine, root)
        except _Settled:
            found = self.so_far()
            assert found is not None
            return found
        settle(root, self._fold, self._shared)
        root.outcomes = frozenset(self._fold(outcome, marks, ()) for outcome in root.outcomes)
        if not self.played:  # the last moves never came up on any line
            if root.position:  # else nothing was ever decided, and the machine is still there
                machine.load(root.at)
            root.lines = 1
            root.end, root.outcomes = self._impossible(machine, never_came(machine), None)
        settled = {}
        if self.told_so and TOLD_PASSES.default not in self.told_so:
            settled = {self.told_passes: min(self.told_so)}
        return Graph(
            root,
            self.positions,
            len(self.end_states),
            self.loops,
            marks,
            settled,
            self.implied,
            nested=self.cut,
            misfits=self.misfits,
        )

    def so_far(self) -> Graph | None:
        """What was explored when a bound ended the exploration: each option that was not followed leads to the end
        `unexplored`. None: not even whether the moves can be made is known.

        In a plan that was not seen through, the orders that it leaves out count as not followed.
        """
        if self.begun is None or not self._can_be_played():
            return None
        marks, root = self.begun
        cut: Outcome = tuple(UNEXPLORED for _ in self.questions)
        rest = Node(0, None, None, end=UNEXPLORED, outcomes=self._shared(frozenset({cut})))
        left = {node.key: options for node, options in self.stack}
        for node in self.path.values():
            if node.end or node.decision is None:
                continue
            followed = {index for index, _, _ in node.edges}
            options = set(range(len(node.decision.options)))
            if node.key in left and node.stage is None:
                options = {*left[node.key], *(index for one, index in self.taken if one is node)}
            node.edges += [Edge(index, rest, ()) for index in sorted(options - followed)]
            if node.decision.subject == self.told_passes:
                node.edges = [edge for edge in node.edges if edge.child.told] or node.edges
        settle(root, self._fold, self._shared)
        root.outcomes = frozenset(self._fold(outcome, marks, ()) for outcome in root.outcomes)
        ends = len(self.end_states)
        return Graph(root, self.positions, ends, [], marks, whole=False, misfits=self.misfits)

    def _can_be_played(self) -> bool:
        """Is there a line on which every move came up? So it is where one has come past them all, wherever it ends."""
        moves = len(self.scene.did)
        return self.played or any(one.position and one.at.script >= moves for one in self.path.values())

    def _search(self, machine: Machine, root: Node) -> None:
        """Iterative, so that a long game is no deeper for Python than a short one."""
        stack = self.stack

        def open_node(node: Node) -> None:
            self.path[node.key] = node
            self.open += weight(node)
            if self.open > MOST_OPEN or self.held > MOST_HELD:
                raise BudgetExceeded("memory")
            options = self._options(machine, node)
            if len(options) > 1:
                options = self._reduced(node, options)
            stack.append((node, options))

        if not root.end:
            open_node(root)
        while stack:
            node, options = stack[-1]
            if node.stage is not None and node.stage.plan.denied:
                self._undo(stack, node.stage.plan)
                continue
            if not options:
                stack.pop()
                del self.path[node.key]
                self.open -= weight(node)
                if not node.end:
                    self._fitting(node)
                    node.lines = self._lines(node)
                if node.stage is not None and node.stage.plan.first is node:
                    node.stage.plan.close()
                if stack:
                    node.position = None  # nobody comes back to it; hundreds of thousands of them are large
                self.table[node.key] = node
                continue
            index = options.pop(0)
            self.taken[len(stack) - 1 :] = [(node, index)]
            marks, child = self._follow(machine, node, index)
            node.edges.append(Edge(index, child, marks))
            if not child.end and child.key not in self.table:
                open_node(child)

    def _fitting(self, node: Node) -> None:
        """Of where passes were told, only that is kept under which the told moves can be made; if none, the default. So
        with a told use that may be of several abilities of its card. What a player told to have chosen says, too, what
        the same player decided just before: that without which it could not have been chosen."""
        node.fits = any(child.fits for _, child, _ in node.edges)
        node.told = any(child.told for _, child, _ in node.edges)
        if node.decision is None:
            return
        if node.scripted and node.fits and _several_abilities(node):
            options = node.decision.options
            left = {options[edge.option].ability.id for edge in node.edges if not edge.child.fits}
            self.misfits.setdefault(node.at.script, set()).update(left)
            node.edges = [edge for edge in node.edges if edge.child.fits]
        if (
            node.stage is None
            and node.position is not None
            and says_how(self.scene, node.at.script, node.decision)
        ):
            fitting = [edge for edge in node.edges if edge.child.fits]
            if fitting and len(fitting) < len(node.edges):
                node.edges = fitting
                self.implied[implied_key(node.at.script, node.decision)] = fitting[0].option
            return
        if node.decision.subject != self.told_passes:
            return
        node.edges = [edge for edge in node.edges if edge.child.told] or node.edges[:1]
        self.told_so |= {node.decision.options[index] for index, _, _ in node.edges}

    # --- one order for many (search.reduction)

    def _reduced(self, node: Node, options: list[int]) -> list[int]:
        """The options to follow where things commute: the next single alone, until none is left."""
        if self.reduction is None or node.decision is None:
            return options
        stage = node.stage
        if stage is None:
            if not node.again and len(options) == len(node.decision.options):
                stage = node.stage = self.reduction.look(node.at, node.decision, node.key)
            if stage is None:
                return options
            stage.plan.first = node
        if stage.single is None:
            stage.plan.denied = stage.plan.denied or not self.reduction.holds(stage, node.at, node.decision)
            return options
        waiting = self.reduction.waiting(node.at, node.decision)
        if stage.single.subject not in waiting:
            stage.plan.denied = True
            return options
        return [waiting.index(stage.single.subject)]

    def _undo(self, stack: list[tuple[Node, list[int]]], plan: Plan) -> None:
        """A plan that does not hold: the position it began with is explored in full."""
        assert self.reduction is not None
        first = plan.first
        while stack[-1][0] is not first:
            undone, _ = stack.pop()
            del self.path[undone.key]
            self.open -= weight(undone)
        self.reduction.give_up(plan, first.key)
        self.positions -= plan.positions
        assert first.decision is not None
        first.edges, first.stage, first.stale = [], None, True
        stack[-1] = (first, list(range(len(first.decision.options))))

    def _within(self, machine: Machine, decision: Decision | None) -> Stage | None:
        """The stage that the machine has come to, if the loop of the plan it came from goes on."""
        stage = self.stage
        if stage is None or self.reduction is None:
            return None
        plan, picks, left = stage.plan, 0, False
        for loop, frames, subject in machine.picks:
            if loop is plan.loop and frames == plan.frames:
                left = left or subject not in plan.members
                picks += not left
        stage.picks.append(picks)
        if stage.single is not None:
            plan.denied = plan.denied or not 1 <= picks <= len(plan.singles) - stage.taken
        elif (
            picks > 1 and self.came_from is not None
        ):  # the last came without a decision, so nobody has looked at it
            held = self.reduction.holds_after(stage, self.came_from, self.taken[-1][1], picks)
            plan.denied = plan.denied or not held
        if left:
            return None
        if decision is None or not plan.goes_on(machine, decision):
            plan.denied = plan.denied or not plan.over(machine, decision)
            return None
        return Stage(plan, min(stage.taken + 1, len(plan.singles)))

    @staticmethod
    def _lines(node: Node) -> int:
        """The lines from here on. In a plan, those not walked are counted: a single can stand at any place among the
        picks that are left."""
        stage = node.stage
        if stage is None:
            return sum(child.lines for _, child, _ in node.edges)
        for picks, (_, child, _) in zip(stage.picks, node.edges, strict=True):
            inside = child.stage is not None and child.stage.plan is stage.plan
            below = child.stage.table if inside and child.stage is not None else {0: child.lines}
            for left, lines in below.items():
                places = left + picks if stage.single is not None else 1
                stage.table[left + picks] = stage.table.get(left + picks, 0) + lines * places
        return sum(stage.table.values())

    def _follow(self, machine: Machine, node: Node, index: int) -> tuple[tuple[str, ...], Node]:
        """Take an option and go on to the next node."""
        self._report()
        if node.edges or node.stale:  # else the machine has only just come here
            machine.load(node.at)
        machine.marks, machine.picks = (
            [],
            [],
        )  # what was used before this decision belongs to the edges that led here
        self.stage, self.came_from = node.stage, node
        try:
            self._take(machine, node, index)
        except Runaway as endless:  # one use within another
            return self._run_away(machine, endless)
        except Untold as unclear:
            self._deny()
            return tuple(machine.marks), self._unknown(machine, unclear)
        return self._run(machine)

    def _run_away(self, machine: Machine, endless: Runaway) -> tuple[tuple[str, ...], Node]:
        """The line ends, as it goes on for ever; one that is only long is not decided. Raises BudgetExceeded."""
        if not endless.sure:
            raise BudgetExceeded(
                "time", Message("Not decided: an effect does more than is followed for one answer.")
            )
        self._deny()
        return tuple(machine.marks), self._end(machine, "runaway")

    def _deny(self) -> None:
        """What the plan did not foresee has happened in it."""
        if self.stage is not None:
            self.stage.plan.denied = True

    @contextmanager
    def _breathing(self) -> Iterator[None]:
        """While this explores, long expressions let `progress` look at its budget."""
        before, self.scene.breath = self.scene.breath, self.breathe
        try:
            yield
        finally:
            self.scene.breath = before

    def breathe(self) -> None:
        """Called from within long expressions. Raises what `progress` raises."""
        self.breaths += 1
        if self.progress and self.breaths % BREATHS == 0:
            self.progress(self.positions)

    def _report(self) -> None:
        self.followed += 1
        if self.followed % PROGRESS_EVERY:
            return
        if self.progress:
            self.progress(self.positions)
        if self.ends_early and self.positions >= SETTLED_AFTER and self._settled():
            raise _Settled

    def _settled(self) -> bool:
        """Is every question answered by the line that is being followed, whatever its branches still to be explored
        lead to? Every line that is not explored yet begins along it."""
        if self.begun is None or not self._can_be_played():
            return False
        open_: Outcome = ()  # what the lines not explored from here on may answer; UNEXPLORED: anything
        for node, options in reversed(self.stack):
            marks = node.edges[-1].marks if open_ and node.edges else ()
            found = [self._fold(open_, marks, node.seen)] if open_ else []
            if options or node.stage is not None or not open_:
                found.append(self._fold((UNEXPLORED,) * len(self.questions), (), node.seen))
            open_ = tuple(UNEXPLORED if UNEXPLORED in values else None for values in zip(*found, strict=True))
        return UNEXPLORED not in self._fold(open_, self.begun[0], ())

    def _take(self, machine: Machine, node: Node, index: int) -> None:
        assert node.decision is not None
        if node.scripted and matches(
            machine, self.scene.did[machine.script], node.decision, node.decision.options[index]
        ):
            machine.made()
        machine.in_doubt = None
        machine.take(node.decision, index)
        if machine.in_doubt is not None:
            node.doubts[index] = tuple(untold(machine.in_doubt) for _ in self.questions)

    def _run(self, machine: Machine) -> tuple[tuple[str, ...], Node]:
        """Run to the next decision, or to the end of the line, and give the node for it."""
        try:
            decision = machine.run()
            while decision is not None and self._repeats(machine, decision):
                decision = machine.run()
        except Runaway as endless:
            return self._run_away(machine, endless)
        except Untold as found:
            self._deny()
            return tuple(machine.marks), self._unknown(machine, found)
        marks, end = tuple(machine.marks), ""
        within = self._within(machine, decision)
        if decision is None or (decision.stop and told(machine)):
            end = "stop" if decision is not None else machine.ended or "done"
        return marks, self._come(machine, decision, end, within)

    def _come(self, machine: Machine, decision: Decision | None, end: str, within: Stage | None) -> Node:
        """The node for the open decision, or for the end, that the machine has come to."""
        if end:
            try:
                return self._end(machine, end, decision)
            except Need as need:  # a question hangs on what nothing on the way has asked for
                try:
                    decision = machine.settling(need.slot)
                except Untold as found:
                    return self._unknown(machine, found)
        assert decision is not None
        key = self._key(machine)
        if machine.script < self.scene.last_repeat:  # what will be repeated is part of the position
            key = (key, tuple((node.number, index) for node, index in self.taken))
        if within is not None:  # another plan, or none, looks at other things here
            key = (key, within.plan.number, within.taken)
        node = (
            self._come_again(machine, key)
            or self._growing(machine, decision, key)
            or self._node(machine, decision, key)
        )
        if within is not None and node.stage is None and not node.end:
            node.stage = within
            within.plan.positions += 1
        return node

    def _come_again(self, machine: Machine, key: Any) -> Node | None:
        """The node of a position that was met before: on this line (a loop), or on another. None: a new one, if the
        budget has room for it."""
        if key in self.path:
            return self._loop(machine, self.path[key])
        known = self.table.get(key)
        if known is None and self.positions >= self.limit:
            raise BudgetExceeded
        return known

    def _node(self, machine: Machine, decision: Decision, key: Any) -> Node:
        self.positions += 1
        if decision.kind in ("use", "order"):  # equal in many positions, and large
            options = self.offers.setdefault(tuple(decision.options), decision.options)
            self.held += len(options) if options is decision.options else 0
            decision.options = options
        self.held += NODE
        node = Node(self.positions, decision, machine.save(), key)
        node.again = decision.kind == "order" and self._again(machine, decision)
        return node

    def _again(self, machine: Machine, decision: Decision) -> bool:
        """Is it the order loop, and the person, of the decision before?"""
        before = self.came_from
        if before is None or before.decision is None or not before.position:
            return False
        same = (decision.kind, decision.who) == (before.decision.kind, before.decision.who)
        at = (machine.unit, machine.pc, machine.frames)
        if not same or at != (before.position.unit, before.position.pc, before.position.frames):
            return False
        loop = machine.code[machine.pc] if machine.pc < len(machine.code) else None
        return not any(
            op is loop and frames == machine.frames and what is None for op, frames, what in machine.picks
        )

    def _key(self, machine: Machine) -> Any:
        """Equal for positions with the same future."""
        return identity.key(machine)

    def _repeats(self, machine: Machine, decision: Decision) -> bool:
        """Carry out the repetition that the scenario says comes now; False: there is none, or it is not possible."""
        if not loops.due(machine, decision):
            return False
        path = [(node.at, node.decision, index) for node, index in self.taken if node.decision]
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
        self._deny_all(nodes[nodes.index(start) :])
        self.loops.append(Loop(tuple(self.taken[nodes.index(start) :]), ()))
        node = self._end(machine, LOOP)
        node.back = start
        return node

    def _growing(self, machine: Machine, decision: Decision, key: Any) -> Node | None:
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
        if len(earlier) >= GROWING_CYCLES and loops.may_go_round(earlier[-1][1].decision, decision):
            taken = self.taken[earlier[-1][0] :]
            path = [(node.at, node.decision, index) for node, index in taken if node.decision]
            cycle = loops.cycle_of(self.scene, path, machine.save())
            if cycle is not None and any(cycle.change) and cycle.endless:
                self._deny_all([node for node, _ in taken])
                self.loops.append(Loop(tuple(taken), cycle.told(), *loops.nature(cycle)))
                return self._end(machine, LOOP)
        node = self._node(machine, decision, key)
        self.shapes[shape] = [*earlier, (depth, node)]
        return node

    @staticmethod
    def _deny_all(nodes: Iterable[Node]) -> None:
        """Lines that go round are counted as they are walked."""
        for node in nodes:
            if node.stage is not None:
                node.stage.plan.denied = True

    def _nested(self) -> None:
        """One use sits within another without end: the stretch from the last decision taken alike."""
        taken = [as_taken(node, index) for node, index in self.taken]
        begun = next((k for k in range(len(taken) - 2, -1, -1) if taken[k] == taken[-1]), None)
        if begun is None or self.loops:
            return
        first, last = self.taken[begun][0].at.facts, self.taken[-1][0].at.facts
        change = tuple((s, last[s] - first[s]) for s in self.scene.number_slots if last[s] != first[s])
        self.loops.append(Loop(tuple(self.taken[begun:-1]), change))

    def _end(self, machine: Machine, why: str, decision: Decision | None = None) -> Node:
        if why == "runaway" and self.taken:
            self.cut = True
            self._nested()
        fits = why not in ("done", "game", "stop", "illegal") or never_came(machine) is None
        self.played = self.played or fits
        if not fits:
            why, outcomes = self._impossible(machine, never_came(machine), decision)
            self.end_states.add((why, self._key(machine)))
            unfit = Node(0, None, None, end=why, lines=1, outcomes=self._shared(outcomes))
            self._does_not_fit(unfit, machine)
            return unfit
        outcome = tuple(question.at_end(machine, why, decision) for question in self.questions)
        if why != LOOP:
            self.end_states.add((why, self._key(machine)))
        if decision is not None:
            seen = tuple(question.offered(machine, decision) for question in self.questions)
            outcome = self._fold(outcome, (), seen)
        outcomes = self._shared(frozenset({outcome}))
        if why == LOOP:
            return Node(0, None, None, end=why, lines=1, outcomes=outcomes)
        node = self.ended.get((why, fits, outcomes))
        if node is None:
            node = Node(0, None, None, end=why, lines=1, outcomes=outcomes, fits=fits)
            self.ended[why, fits, outcomes] = node
        return node

    def _unknown(self, machine: Machine, found: Untold) -> Node:
        """The line cannot be followed any further: nobody told what it hangs on."""
        self.played = True
        self.end_states.add(("untold", found.place))
        outcome: Outcome = tuple(untold(found) for _ in self.questions)
        if found.decision is not None:
            seen = tuple(question.offered(machine, found.decision) for question in self.questions)
            outcome = self._fold(outcome, (), seen)
        node = Node(0, None, None, end="untold", lines=1, outcomes=self._shared(frozenset({outcome})))
        node.fits = told(machine)  # else nobody knows
        return node

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
            node.lines = 1
            move = next(iter(self.scene.did[machine.script :]), None)
            self.came_up = self.came_up or machine.is_lapsed(decision.subject, decision.who)
            node.end, node.outcomes = self._impossible(machine, move, decision)
            self._does_not_fit(node, machine)
            return []
        return list(said.options or range(len(decision.options)))

    def _does_not_fit(self, node: Node, machine: Machine) -> None:
        """Mark the end of a line on which the next of the moves, told or asked about, isn't made."""
        node.fits = node.end != "illegal"
        node.told = node.fits or machine.script >= self.scene.asked_from

    def _impossible(
        self, machine: Machine, move: Mapping[str, Any] | None, decision: Decision | None
    ) -> tuple[str, frozenset[Outcome]]:
        """How a line ends on which the move that was told cannot be made: nobody knows, if that may hang on its card's
        own words."""
        found = machine.unread_use(move["who"], move["use"]) if move is not None and "use" in move else None
        if found is not None:
            return "untold", frozenset({tuple(untold(found) for _ in self.questions)})
        return "illegal", frozenset({tuple(q.at_end(machine, "illegal", decision) for q in self.questions)})

    def _fold(self, outcome: Outcome, marks: tuple[str, ...], seen: tuple[Any, ...]) -> Outcome:
        """What a whole line answers, from what its rest answers and what happened on the way there."""
        if not self.adding:
            return outcome
        return tuple(
            question.fold(value, marks, seen[i] if seen else None)
            for i, (question, value) in enumerate(zip(self.questions, outcome, strict=True))
        )


def _several_abilities(node: Node) -> bool:
    """Does a told use leave open which ability of its card is meant?"""
    options = node.decision.options if node.decision is not None else ()
    used = [options[index] for index, _, _ in node.edges]
    return len({one.ability.id for one in used if isinstance(one, Candidate)}) > 1
