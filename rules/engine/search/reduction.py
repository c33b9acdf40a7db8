"""Partial-order reduction: of things that nobody can tell the order of, one order is explored.

Where compulsory abilities, or cards that leave play, are put in order one by one, each *task* (one of them from being
picked until the machine stands at the same instruction again) is tried out, and what it read and changed is held
against the others (`Look`). A task that neither reads nor undoes what any other changes is a *single*: it comes first,
and no other order is walked. The rest is explored in every order, and at each of its positions every task is tried out
again and held against the singles that went before (`Plan.holds_at`): if one clashes after all, the plan is given up
and the position is explored in full. docs/engine.md argues why this is right and where it must not reduce.

Whatever cannot be judged (it asks somebody, ends the game, leaves an effect behind, opens an opportunity) is not
reduced.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rules.engine.definitions.positions import Position
from rules.engine.definitions.values import Decision
from rules.engine.machine.interpreter import Machine
from rules.engine.machine.watch import Truth, Watch
from rules.engine.operations import Operation
from rules.engine.scene.scene import Scene
from rules.engine.search.trial import Look, Task, Trial, contexts_of, differ

LEAST = 4  # so many wait together: below, trying them out costs more than exploring them
VAIN = 3  # looks without a single, after which an instruction is looked at no more


@dataclass(frozen=True, slots=True)
class Undone:
    """A single, as if it had not been carried out yet. base: the facts before any was."""

    single: Task
    base: list[Any]

    @property
    def changed(self) -> frozenset[int]:
        return self.single.changed

    def on(self, slot: int, value: Any) -> Any:
        """What a fact of this value would be without it."""
        added = self.single.grown.get(slot)
        return self.base[slot] if added is None else value - added


class Plan:
    """One reduced position: its singles, taken first, and what may wait there beside them.

    members: all that waited there. base: the facts then.
    """

    def __init__(self, number: int, look: Look, singles: Sequence[int]) -> None:
        assert look.tasks is not None
        self.number = number
        self.loop = look.trial.loop
        self.frames = look.trial.frames
        self.base = look.trial.facts
        self.who = look.trial.decision.who
        self.members = frozenset(task.subject for task in look.tasks)
        self.singles = [look.tasks[i] for i in singles]
        self.ordered = look.ordered
        self.changed: frozenset[int] = frozenset().union(*(task.changed for task in self.singles))
        self.done = list(self.base)  # the facts if nothing but the singles had happened
        for single in self.singles:
            for slot in single.changed:
                self.done[slot] = single.on(slot, self.done[slot])
        self.first: Any = None  # the node of the position
        self.denied = False
        self.positions = 0  # that stand in it, but for the first

    def close(self) -> None:
        """All that it leads to was walked: what was tried out for it is large, and is wanted no more."""
        self.singles, self.base, self.done = [], [], []

    def goes_on(self, machine: Machine, decision: Decision) -> bool:
        """Is this decision, to which the machine has come, one more of the plan's loop?"""
        if machine.frames != self.frames or decision.kind != "order" or decision.who != self.who:
            return False
        at = machine.code[machine.pc] if machine.pc < len(machine.code) else None
        waiting = self.loop.waiting(machine, decision) if at is self.loop else None
        return waiting is not None and self.members.issuperset(waiting)

    def over(self, machine: Machine, decision: Decision | None) -> bool:
        """Is the machine, which has taken nothing else in the loop, at somebody else's turn in it?"""
        if machine.frames != self.frames or decision is None or decision.kind != "order":
            return False
        at = machine.code[machine.pc] if machine.pc < len(machine.code) else None
        waiting = self.loop.waiting(machine, decision) if at is self.loop else None
        return waiting is not None and self.members.isdisjoint(waiting)

    def holds_at(self, look: Look) -> bool:
        """Do the tasks of a later position still leave the singles alone, and would they without them?"""
        tasks = look.tasks
        if tasks is None:
            return False
        there = {slot for slot, now in enumerate(look.trial.facts) if now is not self.done[slot]}
        for task in tasks:
            if task.subject not in self.members:
                return False
            if any(task.clashes(single, ordered=self.ordered) for single in self.singles):
                return False
            moved = {slot for slot in there | task.changed if differ(task.after[slot], self.done[slot])}
            if not all(
                moved.isdisjoint(truth.slots) or self._unmoved(truth, single, task, look)
                for single in self.singles
                for truth in single.truths
            ):
                return False
            if not all(self._same_without(truth, look) for truth in task.truths):
                return False
        if any(self._reads(look.asked, single) for single in self.singles):
            return False
        return all(self._same_without(truth, look) for truth in look.common)

    @staticmethod
    def _reads(asked: Watch, single: Task) -> bool:
        return bool(
            not asked.slots.isdisjoint(single.changed)
            or not asked.refs.isdisjoint(single.cells)
            or not asked.counts.isdisjoint(single.watch.grown)
            or (asked.whole and (single.cells or single.watch.grown))
        )

    def _unmoved(self, truth: Truth, owner: Task, task: Task, look: Look) -> bool:
        """Does the truth of a single stay as it was when this task, after those before it, has been carried out, with
        or without the other singles?"""
        while True:
            known = len(truth.slots)
            facts, moved = list(truth.at.facts), False
            for slot in truth.slots:
                now, alone = task.after[slot], self.done[slot]
                if not differ(now, alone):
                    continue
                moved = True
                if slot not in self.changed:
                    facts[slot] = now
                elif now.__class__ is alone.__class__ is facts[slot].__class__ is int:  # both added to it
                    facts[slot] += now - alone
                else:
                    return False
            if not moved:
                return True
            others = [single for single in self.singles if single is not owner]
            if not self._same(truth, [facts], look) or not self._same(
                truth, contexts_of(truth, others, facts), look
            ):
                return False
            if len(truth.slots) == known:
                return True

    def _same_without(self, truth: Truth, look: Look) -> bool:
        """Would the truth be the same had some of the singles not been carried out before?"""
        while not self.changed.isdisjoint(truth.slots):
            known = len(truth.slots)
            undone = [Undone(single, self.base) for single in self.singles]
            if not self._same(truth, contexts_of(truth, undone), look):
                return False
            if len(truth.slots) == known:
                break
        return True

    @staticmethod
    def _same(truth: Truth, contexts: Iterable[list[Any]] | None, look: Look) -> bool:
        return contexts is not None and all(look.trial.again(truth, facts) for facts in contexts)


@dataclass(slots=True, eq=False)
class Stage:
    """Where a position stands in a plan: so many singles have been taken. picks: of each edge, in their order.

    table: lines by how many picks are left in the loop.
    """

    plan: Plan
    taken: int
    picks: list[int] = field(default_factory=list)
    table: dict[int, int] = field(default_factory=dict)

    @property
    def single(self) -> Task | None:
        return self.plan.singles[self.taken] if self.taken < len(self.plan.singles) else None


class Reduction:
    """Which positions of one exploration are reduced."""

    def __init__(self, scene: Scene, questions: Sequence[Any]) -> None:
        self.scene, self.questions = scene, questions
        self.machine = Machine(scene)
        self.fine = all(question.reducible for question in questions)
        self.ordered = any(question.kind == "order" for question in questions)
        self.plans = 0
        self._vain: dict[Any, int] = {}
        self._denied: set[Any] = set()

    def look(self, position: Position, decision: Decision, key: Any) -> Stage | None:
        """The stage of a position that is reduced; None: it is explored in full."""
        if not self.fine or decision.kind != "order" or len(decision.options) < LEAST or key in self._denied:
            return None
        look, loop = self._tried(position, decision)
        if loop is None or self._vain.get(loop, 0) >= VAIN:
            return None
        found = look() if look is not None else None
        singles = found.singles() if found is not None else []
        if not singles or found is None:
            self._vain[loop] = self._vain.get(loop, 0) + 1
            return None
        self._vain[loop] = 0
        self.plans += 1
        return Stage(Plan(self.plans, found, singles), 0)

    def waiting(self, position: Position, decision: Decision) -> Sequence[Any]:
        """What a decision of an order loop puts in order."""
        self.machine.load(position)
        return self.machine.code[self.machine.pc].waiting(self.machine, decision) or ()

    def holds(self, stage: Stage, position: Position, decision: Decision) -> bool:
        """May what is left at a later position of the plan go on without the singles being looked at again?"""
        look, _ = self._tried(position, decision)
        return look is not None and stage.plan.holds_at(look())

    def holds_after(self, stage: Stage, node: Any, index: int, picks: int) -> bool:
        """The same for what came after an option without anybody being asked: it was all that was left."""
        plan, position = stage.plan, node.position
        trial = Trial(self.machine, position, node.decision, plan.loop)
        next_ = trial.after(index)
        for _ in range(picks - 1):
            if next_ is None:
                return False
            trial = Trial(self.machine, next_, node.decision, plan.loop)
            task = trial.automatic()
            next_ = self.machine.save()
            if task is None or not plan.holds_at(Look(trial, [task], Watch(), ordered=self.ordered)):
                return False
        return True

    def give_up(self, plan: Plan, key: Any) -> None:
        """It is explored in full after all."""
        self._denied.add(key)
        self._vain[plan.loop] = self._vain.get(plan.loop, 0) + 1

    def _tried(
        self, position: Position, decision: Decision
    ) -> tuple[Callable[[], Look] | None, Operation | None]:
        machine = self.machine
        machine.load(position)
        if machine.pc >= len(machine.code):
            return None, None
        loop = machine.code[machine.pc]
        waiting = loop.waiting(machine, decision)
        if waiting is None or machine.script < len(self.scene.did):
            return None, None
        if any(question.hangs_on_offers(decision) for question in self.questions):
            return None, loop
        if len(set(waiting)) != len(waiting) or len(waiting) != len(decision.options):
            return None, loop

        def look() -> Look:
            return Look.at(Trial(machine, position, decision, loop), ordered=self.ordered)

        return look, loop
