"""Trying things out: what each task of an order loop reads and changes, and which of them clash (docs/engine.md)."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rules.engine.base.errors import FAULTS, Need, Unworkable
from rules.engine.definitions.positions import Position
from rules.engine.definitions.values import Decision, Gate, Ref
from rules.engine.machine import identity
from rules.engine.machine.interpreter import MAX_STEPS, Machine, Runaway
from rules.engine.machine.watch import Truth, Watch
from rules.engine.operations import Operation


@dataclass(slots=True, eq=False)
class Task:
    """What came of one option of an order loop, tried out from a position.

    changed: facts whose value at the end is another one than before; silent: written, and as they were.
    cells: those that are others than before; spends: the gate on which it used up its own opportunity.
    """

    subject: Hashable
    watch: Watch
    before: Sequence[Any]
    after: list[Any]
    changed: frozenset[int]
    silent: frozenset[int]
    cells: frozenset[Ref]
    spends: Ref | None
    spent: frozenset[Any]
    marked: bool
    truths: list[Truth] = field(
        default_factory=list
    )  # those it reads, and those that its being possible hangs on

    @property
    def written(self) -> frozenset[int]:
        return self.changed | self.silent

    def clashes(self, other: "Task", *, ordered: bool) -> bool:
        """Does one read outright, or write over, what the other changes? ordered: the order of uses is asked for."""
        return self._upsets(other) or other._upsets(self) or (ordered and self.marked and other.marked)

    def _upsets(self, other: "Task") -> bool:
        """Does the other one read, or write, what this one changes?"""
        seen, changed = other.watch, self.changed
        return bool(
            not changed.isdisjoint(seen.slots)
            or not changed.isdisjoint(other.written)
            or not self.cells.isdisjoint(seen.refs)
            or not self.cells.isdisjoint(other.cells)
            or (seen.whole and (self.cells or self.watch.grown))
            or (self.spends is not None and self.spends in seen.spent)
            or not seen.counts.isdisjoint(self.watch.grown)
            or not self.spent.isdisjoint(other.spent)
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
        return (m.unit, m.pc, m.use, m.grp, m.gates, m.stack, m.lasting, m.delayed, m.script, m.told, m.ended)

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
        except (Need, Unworkable, Runaway, *FAULTS):
            back = False
        finally:
            Watch.end(m)
        picked = [what for loop, frames, what in m.picks if loop is self.loop and frames == self.frames]
        if len(picked) != 1 or picked[0] is None:
            return None
        if not back or self._registers(m) != self.registers or self._outer(m) != env or m.judging:
            return None
        written = watch.written
        changed = frozenset(slot for slot in written if self._differ(self.facts[slot], m.facts[slot]))
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
            frozenset(written - changed),
            frozenset(ref for ref in cells if ref not in gates),
            spends,
            spent,
            bool(m.marks),
            list(watch.truths.values()),
        )

    @staticmethod
    def _differ(one: Any, other: Any) -> bool:
        return one is not other and (one.__class__ is not other.__class__ or one != other)

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
        except (Need, Unworkable, Runaway, *FAULTS):
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


class Look:
    """All tasks of one position, and which of them are singles."""

    def __init__(self, trial: Trial, tasks: list[Task] | None, asked: Watch, *, ordered: bool) -> None:
        """tasks: None where one of them cannot be judged. asked: what the loop read to ask what is next."""
        self.trial, self.tasks, self.asked, self.ordered = trial, tasks, asked, ordered
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
        clash = [[False] * len(tasks) for _ in tasks]
        for i, one in enumerate(tasks):
            for j in range(i):
                clash[i][j] = clash[j][i] = one.clashes(tasks[j], ordered=self.ordered)
        for reader, task in enumerate(tasks):
            for truth in task.truths:
                for i in self._disturbing(truth, reader):
                    for j in (reader, *self._writers(truth)):
                        if i != j:
                            clash[i][j] = clash[j][i] = True
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
        assert self.tasks is not None
        return [i for i, task in enumerate(self.tasks) if not task.changed.isdisjoint(truth.slots)]

    def _disturbing(self, truth: Truth, reader: int | None) -> list[int]:
        """The tasks that may change the answer for its reader: one alone does, or several write what it is read from
        (each wound kills nobody, two do)."""
        assert self.tasks is not None
        while True:
            writers = self._writers(truth)
            others = [i for i in writers if i != reader]
            if not others:
                return []
            if len(writers) > 1:
                return writers
            known = len(truth.slots)
            if not self.trial.again(truth, self.tasks[others[0]].after):
                return others
            if len(truth.slots) == known:
                return []
