"""Trying things out: what each task of an order loop reads and changes, and which of them clash (docs/engine.md)."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from rules.engine.base.errors import FAULTS, Need, Unworkable
from rules.engine.definitions.positions import Position
from rules.engine.definitions.values import Decision, Gate, Ref
from rules.engine.machine import identity
from rules.engine.machine.interpreter import MAX_STEPS, Machine, Runaway
from rules.engine.machine.watch import TooLong, Truth, Watch
from rules.engine.operations import Operation, TakeWaiting

MOST_CONTEXTS = 40  # ways in which what a yes or no hangs on can be: more are not tried


def differ(one: Any, other: Any) -> bool:
    """Are two values of a fact told apart? True is not 1."""
    return one is not other and (one.__class__ is not other.__class__ or one != other)


@dataclass(slots=True, eq=False)
class Task:
    """What came of one option of an order loop, tried out from a position.

    changed: facts whose value at the end is another one than before; silent: set, and as they were; grown: those
    changed by nothing but additions, and by how much. cells: those that are others than before; spends: the gate on
    which it used up its own opportunity; puts: the gate on which it waits now, to be carried out later.
    """

    subject: Hashable
    watch: Watch
    before: Sequence[Any]
    after: list[Any]
    changed: frozenset[int]
    silent: frozenset[int]
    grown: dict[int, int]
    cells: frozenset[Ref]
    spends: Ref | None
    spent: frozenset[Any]
    puts: Ref | None
    marked: bool
    truths: list[Truth] = field(
        default_factory=list
    )  # those it reads, and those that its being possible hangs on

    @property
    def written(self) -> frozenset[int]:
        """The facts that it sets."""
        return (self.changed | self.silent).difference(self.grown)

    def on(self, slot: int, value: Any) -> Any:
        """What it makes of a fact that has this value."""
        return value + self.grown[slot] if slot in self.grown and value.__class__ is int else self.after[slot]

    def clashes(self, other: "Task", *, ordered: bool) -> bool:
        """Does one read outright, or write over, what the other changes? ordered: the order of uses is asked for."""
        return self._upsets(other) or other._upsets(self) or (ordered and self.marked and other.marked)

    def _upsets(self, other: "Task") -> bool:
        """Does the other one read, or set, what this one changes, or add to what this one sets?"""
        seen, changed = other.watch, self.changed
        return bool(
            not changed.isdisjoint(seen.slots)
            or not changed.isdisjoint(other.written)
            or not self.written.isdisjoint(other.grown)
            or not self.cells.isdisjoint(seen.refs)
            or not self.cells.isdisjoint(other.cells)
            or (seen.whole and (self.cells or self.watch.grown))
            or (self.spends is not None and self.spends in seen.spent)
            or not seen.counts.isdisjoint(self.watch.grown)
            or not self.spent.isdisjoint(other.spent)
            or any(
                not self.cells.isdisjoint(truth.refs) or not truth.counts.isdisjoint(self.watch.grown)
                for truth in other.truths
                if truth.refs or truth.counts
            )
        )


class Trial:
    """Tries out the options of one position on a machine of its own."""

    def __init__(self, machine: Machine, position: Position, decision: Decision, loop: Operation) -> None:
        self.machine, self.position, self.decision, self.loop = machine, position, decision, loop
        self.facts = position.facts
        machine.load(position)
        self.frames = machine.frames
        self.registers = self._registers(machine)
        self.subjects = list(loop.waiting(machine, decision) or ())

    def _registers(self, m: Machine) -> tuple[Any, ...]:
        """What must be the same at the end of a task as it was before."""
        return (
            m.unit,
            m.pc,
            m.use,
            m.grp,
            m.gates,
            m.stack,
            m.lasting,
            m.delayed,
            m.script,
            m.told,
            m.due,
            m.ended,
        )

    def task(self, index: int) -> Task | None:
        """The option taken and carried out, until the loop asks again. None: it cannot be judged."""
        return self._tried(lambda m: m.take(self.decision, index))

    def automatic(self) -> Task | None:
        """The same of the only thing that is left, which nobody is asked about."""

        def start(m: Machine) -> None:
            m.pc += 1
            if self.loop.run(m) is not None:
                raise Runaway
            if m.watch is not None:  # whether it may be used is asked on the way, of its own opportunity
                m.watch.spent.clear()

        return self._tried(start)

    def after(self, index: int) -> Position | None:
        """Where the machine asks again when the option has been carried out."""
        m = self.machine
        m.load(self.position)
        m.take(self.decision, index)
        return m.save() if self._back(m) else None

    def _tried(self, start: Callable[[Machine], None]) -> Task | None:
        m = self.machine
        m.load(self.position)
        watch = Watch()
        before = m.cells
        gates = {ref: cell for ref, cell in before.items() if cell.__class__ is Gate}
        env = self._outer(m)
        watch.begin(m, self.facts)
        try:
            start(m)
            back = self._back(m)
        except (Need, Unworkable, Runaway, TooLong, *FAULTS):
            back = False
        finally:
            Watch.end(m)
        picked = [what for loop, frames, what in m.picks if loop is self.loop and frames == self.frames]
        if len(picked) != 1 or picked[0] is None:
            return None
        if not back or self._registers(m) != self.registers or self._outer(m) != env or m.judging:
            return None
        changed, silent, grown = self._written(watch, m)
        puts = [ref for ref, old in gates.items() if ref in m.cells and m.cells[ref].waiting != old.waiting]
        for ref in puts:  # what waits there now is looked at when it is taken (`Later`)
            if len(puts) > 1 or m.cells[ref].waiting[:-1] != gates[ref].waiting:
                return None
            m.cells[ref] = m.cells[ref]._replace(waiting=gates[ref].waiting)
        cells = self._cells(m, before)
        if cells is None:
            return None
        spends, spent = None, frozenset[Any]()
        for ref in [ref for ref in cells if ref in gates]:
            old, new = gates[ref], m.cells[ref]
            if new._replace(used=old.used) != old or not new.used > old.used or spends is not None:
                return None
            spends, spent = ref, frozenset(new.used - old.used)
        if spends is not None and len(spent) != 1:
            return None
        return Task(
            picked[0],
            watch,
            self.facts,
            m.facts,
            changed,
            silent,
            grown,
            frozenset(ref for ref in cells if ref not in gates),
            spends,
            spent,
            puts[0] if puts else None,
            bool(m.marks),
            list(watch.truths.values()),
        )

    def _written(self, watch: Watch, m: Machine) -> tuple[frozenset[int], frozenset[int], dict[int, int]]:
        """The facts that are others than before, those that were set and are not, and what was only added to."""
        before, after = self.facts, m.facts
        grown = {slot: by for slot, by in watch.grown_by.items() if by and slot not in watch.written}
        changed = {slot for slot in watch.written if differ(before[slot], after[slot])}
        return frozenset(changed.union(grown)), frozenset(watch.written - changed), grown

    def _outer(self, m: Machine) -> tuple[Any, ...]:
        """The variables of the frame and of the running use, but for those of the loop itself."""
        own = self.loop.own_variables
        env = tuple(value for slot, value in enumerate(m.env) if not (self.loop.chart and slot in own))
        use = () if m.cur is None else m.cur
        if m.cur is not None and not self.loop.chart:
            use = m.cur.with_env(tuple(v for slot, v in enumerate(m.cur.env) if slot not in own))
        return env, use

    def _back(self, m: Machine) -> bool:
        """Run until the loop is about to ask again. False: somebody is asked before, or the line is over."""
        unit, pc = self.registers[:2]
        for _ in range(MAX_STEPS):
            while m.pc >= len(m.code):
                if m.frames <= self.frames or not m.pop():
                    return False
            if m.pc == pc and m.unit is unit and m.frames == self.frames:
                return m.ended is None
            if m.frames < self.frames:
                return False
            operation = m.code[m.pc]
            m.pc += 1
            if operation.run(m) is not None or m.ended is not None:
                return False
        return False

    def _cells(self, m: Machine, before: dict[Ref, Any]) -> list[Ref] | None:
        """The cells that are not as they were before; None: something new can be spoken of from now on."""
        left = [one for one in self.subjects if one.__class__ is Ref]
        roots = identity.roots((None, None, self._outer(m)[0], m.use, m.grp, m.gates, m.stack))
        mine = None if self.loop.chart else m.use  # the loop's own variables live in this cell
        now = identity.reachable(m, (*roots, *left))
        if any(ref not in before for ref in now):
            return None
        return [
            ref
            for ref, cell in before.items()
            if ref != mine and (ref not in m.cells or (m.cells[ref] is not cell and m.cells[ref] != cell))
        ]

    def asking(self) -> Watch | None:
        """What the loop reads when it asks what is next; None: it cannot be judged."""
        m = self.machine
        m.load(self.position)
        watch = Watch()
        watch.begin(m, self.facts)
        try:
            m.pc += 1
            found = self.loop.run(m)
        except (Need, Unworkable, Runaway, TooLong, *FAULTS):
            return None
        finally:
            Watch.end(m)
        if found is None or found.who != self.decision.who or watch.written:
            return None
        watch.spent.clear()  # each task uses up its own opportunity alone (`Task.spent`)
        return watch

    def again(self, truth: Truth, facts: list[Any]) -> bool:
        """Has the truth the same answer with these facts? What it is now read from, it hangs on as well."""
        self.machine.load(self.position)
        found = truth.again(self.machine, facts)
        if found is None or found[0] != truth.value:
            return False
        truth.slots |= found[1]
        return True


class Change(Protocol):
    """What something makes of facts."""

    @property
    def changed(self) -> frozenset[int]: ...

    def on(self, slot: int, value: Any) -> Any: ...


def contexts_of(
    truth: Truth, others: Sequence[Change], facts: list[Any] | None = None
) -> Iterator[list[Any]] | None:
    """The facts as they can be when the truth is asked, if any of the others come before; None: too many.

    facts: those that it was asked of, or others.
    """
    asked_of = truth.at.facts if facts is None else facts
    slots = sorted(truth.slots.intersection(frozenset().union(*(other.changed for other in others))))
    here = tuple(asked_of[slot] for slot in slots)
    found = {here}
    for other in others:
        for values in tuple(found):
            pairs = zip(slots, values, strict=True)
            found.add(tuple(other.on(slot, v) if slot in other.changed else v for slot, v in pairs))
        if len(found) > MOST_CONTEXTS:
            return None
    found.discard(here)

    def with_these(values: tuple[Any, ...]) -> list[Any]:
        changed = list(asked_of)
        for slot, value in zip(slots, values, strict=True):
            changed[slot] = value
        return changed

    return map(with_these, found)


class Later(Trial):
    """Tries out what waits on a gate: each use as if it were the first that is taken from there.

    position: where the first of them is about to be taken. picked: what was put there, in the order of `uses`.
    """

    def __init__(self, trial: Trial, gate: Ref, picked: list[Hashable], uses: tuple[Ref, ...]) -> None:
        m = self.machine = trial.machine
        self.position, self.decision, self.loop = m.save(), trial.decision, trial.loop
        self.facts, self.frames = self.position.facts, m.frames
        self.registers, self.subjects = self._registers(m), []
        self.gate, self.picked, self.uses = gate, picked, uses

    @classmethod
    def where(cls, trial: Trial, gate: Ref) -> "Later | None":
        """When all that waits in the loop has been put there, in one order. None: somebody is asked before, or sees in
        which order it waits."""
        m = trial.machine
        m.load(trial.position)
        before = m.cells[gate].waiting
        watch = Watch(busy=True)
        watch.begin(m, trial.facts)
        try:
            m.take(trial.decision, 0)
            there = cls._to_the_taking(m, gate, trial)
        except (Need, Unworkable, Runaway, TooLong, *FAULTS):
            there = False
        finally:
            Watch.end(m)
        waiting = m.cells[gate].waiting if gate in m.cells else ()
        if not there or watch.looked or waiting[: len(before)] != before or (before and cls._taking(m).first):
            return None
        picked = [what for loop, frames, what in m.picks if loop is trial.loop and frames == trial.frames]
        if not {*trial.subjects}.issubset(picked[: len(waiting) - len(before)]):
            return None
        return cls(trial, gate, picked, waiting[len(before) :])

    @staticmethod
    def _taking(m: Machine) -> TakeWaiting:
        operation = m.code[m.pc]
        assert isinstance(operation, TakeWaiting)
        return operation

    @staticmethod
    def _to_the_taking(m: Machine, gate: Ref, trial: Trial | None) -> bool:
        """Run until something is about to be taken from the gate. trial: that whose loop may ask on the way."""
        for _ in range(MAX_STEPS):
            while m.pc >= len(m.code):
                if not m.pop():
                    return False
            operation = m.code[m.pc]
            if isinstance(operation, TakeWaiting) and m.gate_for(operation.kind) == gate:
                return True
            m.pc += 1
            decision = operation.run(m)
            if m.ended is not None:
                return False
            if decision is not None:
                if trial is None or operation is not trial.loop or m.frames != trial.frames:
                    return False
                m.pc -= 1
                m.take(decision, 0)
        return False

    def tasks(self) -> list[Task] | None:
        """What each does when it is taken; None where one cannot be judged."""
        tasks: list[Task] = []
        for use in self.uses:
            task = self._taken(use)
            if task is None:
                return None
            tasks.append(task)
        return tasks

    def _taken(self, use: Ref) -> Task | None:
        """The use taken and carried out, until the next one is about to be taken."""
        m = self.machine
        m.load(self.position)
        take = self._taking(m)
        left = tuple(one for one in m.cells[self.gate].waiting if one != use)
        order = (use, *left) if take.first else (*left, use)
        m.cells[self.gate] = m.cells[self.gate]._replace(waiting=order)
        before = m.cells
        # while it is carried out it may be the last; until the next is taken, there is a next
        carried_out, between = Watch(busy=False), Watch(busy=True)
        try:
            carried_out.begin(m, self.facts)
            m.pc += 1
            take.run(m)
            back = self._carry_out(m)
            Watch.end(m)
            after = m.facts
            between.begin(m, after)
            back = back and self._to_the_taking(m, self.gate, None)
        except (Need, Unworkable, Runaway, TooLong, *FAULTS):
            back = False
        finally:
            Watch.end(m)
        if not back or self._registers(m) != self.registers or m.env != self.position.env or m.judging:
            return None
        if any(watch.looked or watch.whole for watch in (carried_out, between)):
            return None
        if self._changed(between, after, m.facts):
            return None  # what the rules do in between would, after the last of them, come too late
        if m.cells[self.gate] != before[self.gate]._replace(waiting=left):
            return None
        now = identity.reachable(m, identity.roots((None, None, m.env, m.use, m.grp, m.gates, m.stack)))
        cells = [ref for ref in now if ref != self.gate and m.cells[ref] != before.get(ref)]
        if any(ref not in before or before[ref].__class__ is Gate for ref in cells):
            return None
        for name in ("slots", "refs", "spent", "counts", "written"):
            getattr(carried_out, name).update(getattr(between, name))
        changed, silent, grown = self._written(carried_out, m)
        return Task(
            use,
            carried_out,
            self.facts,
            m.facts,
            changed,
            silent,
            grown,
            frozenset(cells),
            None,
            frozenset(),
            None,
            bool(m.marks),
            [*carried_out.truths.values(), *between.truths.values()],
        )

    def _changed(self, watch: Watch, before: list[Any], after: list[Any]) -> bool:
        differ = any(differ(before[slot], after[slot]) for slot in watch.written)
        return bool(watch.grown_by or watch.grown or differ)

    def _carry_out(self, m: Machine) -> bool:
        for _ in range(MAX_STEPS):
            if m.frames == self.frames:
                return True
            if m.pc >= len(m.code):
                m.pop()
                continue
            operation = m.code[m.pc]
            m.pc += 1
            if operation.run(m) is not None or m.ended is not None:
                return False
        return False

    def marked(self) -> set[Hashable] | None:
        """Those of them of which a mark is left as they are carried out; None: they do not all leave one another alone,
        in whatever order they are taken."""
        tasks = self.tasks()
        if tasks is None or len(Look(self, tasks, Watch(), ordered=False).singles()) < len(tasks):
            return None
        return {what for what, task in zip(self.picked, tasks, strict=False) if task.marked}


class Look:
    """All tasks of one position, and which of them are singles."""

    def __init__(self, trial: Trial, tasks: list[Task] | None, asked: Watch, *, ordered: bool) -> None:
        """tasks: None where one of them cannot be judged. asked: what the loop read to ask what is next."""
        self.trial, self.tasks, self.asked, self.ordered = trial, tasks, asked, ordered
        self._changing: dict[int, set[int]] = {}  # by fact: the tasks that change it
        for i, task in enumerate(tasks or ()):
            for slot in task.changed:
                self._changing.setdefault(slot, set()).add(i)
        self.common: list[Truth] = []  # what all that is next hangs on
        by_subject = {task.subject: task for task in tasks or ()}
        for truth in asked.truths.values():
            own = by_subject.get(getattr(truth.about, "subject", None))
            (self.common if own is None else own.truths).append(truth)
        # a loop looks at what waits in it, to say what it is: each is that task's own matter
        asked.refs -= {ref for ref in asked.refs if ref in by_subject}

    @classmethod
    def at(cls, trial: Trial, *, ordered: bool) -> "Look":
        """At a decision: every option tried out."""
        asked = trial.asking()
        tasks: list[Task] | None = [] if asked is not None else None
        for index in range(len(trial.decision.options)) if tasks is not None else ():
            task = trial.task(index)
            if task is None:
                tasks = None
                break
            assert tasks is not None
            tasks.append(task)
        return cls(trial, tasks, asked or Watch(), ordered=ordered)

    def singles(self) -> list[int]:
        """The tasks (by place) that go in every context as they go here, and leave all others alone."""
        tasks = self.tasks
        if tasks is None or any(self.upsets_asking(task) for task in tasks):
            return []
        if any(task.puts is not None for task in tasks):
            return self._waiting(tasks)
        return self._alone(tasks, ordered=self.ordered)

    def _waiting(self, tasks: list[Task]) -> list[int]:
        """The same where all that they do is to wait on a gate: only if they leave one another alone both as they are
        put there and as they are taken."""
        gate = tasks[0].puts
        if gate is None or any(task.puts != gate or task.watch.looked for task in tasks) or self.asked.looked:
            return []
        if len(self._alone(tasks, ordered=False)) < len(tasks):
            return []
        later = Later.where(self.trial, gate)
        marked = later.marked() if later is not None else None
        if marked is None:
            return []
        for task in tasks:
            task.marked = task.marked or task.subject in marked
        apart = self.ordered and sum(task.marked for task in tasks) > 1
        return [i for i, task in enumerate(tasks) if not (apart and task.marked)]

    def _alone(self, tasks: list[Task], *, ordered: bool) -> list[int]:
        clash = [[False] * len(tasks) for _ in tasks]
        for reader, task in enumerate(tasks):
            for truth in task.truths:
                for i in self._disturbing(truth, reader):
                    for j in (reader, *self._writers(truth)):
                        if i != j:
                            clash[i][j] = clash[j][i] = True
        for i, one in enumerate(tasks):
            for j in range(i):
                if not clash[i][j]:
                    clash[i][j] = clash[j][i] = one.clashes(tasks[j], ordered=ordered)
        if any(self._disturbing(truth, None) for truth in self.common):
            return []
        return [i for i in range(len(tasks)) if not any(clash[i])]

    def upsets_asking(self, task: Task) -> bool:
        """Does it change something that is looked at whoever is next?"""
        asked = self.asked
        return bool(
            not task.changed.isdisjoint(asked.slots)
            or not task.cells.isdisjoint(asked.refs)
            or not asked.counts.isdisjoint(task.watch.grown)
            or (asked.whole and (task.cells or task.watch.grown))
        )

    def _writers(self, truth: Truth) -> list[int]:
        changing = self._changing
        return sorted(set[int]().union(*(changing[slot] for slot in truth.slots.intersection(changing))))

    def _disturbing(self, truth: Truth, reader: int | None) -> list[int]:
        """The tasks that may change the answer for its reader: some of them together do (each wound kills nobody, two
        do), or they write what it is read from in more ways than can be tried."""
        assert self.tasks is not None
        while True:
            others = [i for i in self._writers(truth) if i != reader]
            if not others:
                return []
            known = len(truth.slots)
            contexts = contexts_of(truth, [self.tasks[i] for i in others])
            if contexts is None or not all(self.trial.again(truth, facts) for facts in contexts):
                return others
            if len(truth.slots) == known:
                return []
