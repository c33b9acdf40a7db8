"""What was found out once need not be found out again.

An exploration does the same things in thousands of positions that differ in facts which nobody looked at: it asks
whether the state checks find anything to do, it carries out an ability from beginning to end. What is read on the way
is noted (`noting`); where all of that is the same again, so is what comes of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rules.engine.combinators import Compiled
from rules.engine.errors import FAULTS, Need, Untold, Unworkable
from rules.engine.identity import control
from rules.engine.machine import Machine
from rules.engine.noting import (
    UNSEEN,
    Elsewhere,
    FixedFacts,
    Noted,
    Step,
    WatchedCells,
    WatchedCounts,
    WatchedFacts,
    fixed,
)
from rules.engine.operations.control import Affirm
from rules.engine.operations.occurrences import CheckAgain, Do, DoDone, Together
from rules.engine.records import Candidate, Open, Ref, Use
from rules.engine.scene import taking

if TYPE_CHECKING:
    from rules.engine.model import Unit
    from rules.engine.operations import Operation
    from rules.engine.scene import Scene
    from rules.engine.state import State

TRIES = 64  # worked out so much oftener than remembered: it does not pay
MOST = 4096  # kept of one thing
NOBODY: frozenset[int] = frozenset()


class Recall:
    """The memory of one narrowed scene. Used only where no account is written."""

    def __init__(self, scene: "Scene") -> None:
        self.scene = scene
        self.changing = frozenset(scene.dynamic_slots)
        self._uses: dict[Any, Memory] = {}
        self.probe = Probe(scene)

    def use(self, m: Machine, candidate: Candidate, nest: "Unit") -> None:
        """`Machine.start_use`; carried out at once, to its end, where it is known how that goes."""
        ability, obj, you, trigger, gate, _, effect = candidate[:7]
        if m.watch is not None or effect is not None or candidate.free:
            m.start_use(candidate, nest)
            return
        place = (ability, obj, you, trigger, gate, nest, m.gates, m.frames)
        memory = self._uses.get(place)
        if memory is None:
            memory = self._uses[place] = Memory(self.changing, () if trigger is None else (trigger,))
        if memory.hopeless:
            m.start_use(candidate, nest)
            return
        checks, idle = self.checks, self.idle(m)
        found = memory.recall(m.facts, m) if idle else None
        if found is None:
            m.facts = m.facts.copy()
            m.watch = Watch(m, memory, checks if idle else None, candidate, nest, self.probe)
            return
        steps, marks, written, _ = found
        try:
            facts = carried_out(steps, m, self.probe)
        except (
            *FAULTS,
            Need,
            Untold,
            Elsewhere,
        ):  # with these facts it cannot be worked out: let the use say so
            m.start_use(candidate, nest)
            return
        m.recalled = memory
        m.take_opportunity(candidate)
        m.marks += marks
        if m.facts.__class__ is WatchedFacts:  # somebody wants to know where the whole option leads
            m.facts.take_over(facts, written, together(steps, m.lasting))
        else:
            m.facts = facts

    def idle(self, m: Machine) -> bool:
        """Do the state checks find nothing to do now?"""
        if m.watch is not None:
            return m.watch.idle(m)
        if m.facts.__class__ is WatchedFacts and m.facts.lasting is m.lasting:  # they found nothing at first
            return not self.checks.stirred(m, m.facts.changed)
        return self.checks.idle(m)

    @cached_property
    def checks(self) -> "StateChecks":
        checks, specialiser = self.scene.system.checks, self.scene.specialiser
        assert specialiser is not None
        return StateChecks.of(() if checks is None else specialiser.unit(checks, None, None).code, self)


class Memory:
    """What came of one thing, by the values of all that any of its answers was read from."""

    __slots__ = (
        "_cells",
        "_changing",
        "_counted",
        "_facts",
        "_kept",
        "_known",
        "_tried",
        "hopeless",
        "slots",
        "told",
    )

    def __init__(self, changing: frozenset[int], cells: tuple[Ref, ...] = ()) -> None:
        self._changing = changing
        self._known: dict[tuple[Any, ...], Any] = {}
        self.slots: tuple[int, ...] = ()
        self._facts: Callable[[Sequence[Any]], tuple[Any, ...]] = taking(())
        self._cells = cells
        self._kept: list[Any] = []  # cells are told apart by which they are, so those once seen stay
        self._counted = False  # does it hang on what was used how often?
        self.told = self._tried = 0
        self.hopeless = False

    def recall(self, facts: Sequence[Any], m: Any) -> Any:
        """What came of it where things were as they are now; None: not known."""
        found = self._known.get(self._key(facts, m))
        if found is not None:
            self.told += 1
        else:
            self._tried += 1
            self.hopeless = self._tried > TRIES + self.told
        return found

    def keep(self, facts: Sequence[Any], m: Any, noted: "Noted", found: Any) -> None:
        """Remember what came of it here (`m` has the rest of the position as it was then). What it was read from now
        tells positions apart; what was kept under less is forgotten."""
        slots = noted.slots.intersection(self._changing).difference(self.slots)
        refs = [ref for ref in dict.fromkeys(noted.refs) if ref not in self._cells]
        if slots or refs or noted.counted > self._counted or len(self._known) >= MOST:
            self.slots = tuple(sorted(slots.union(self.slots)))
            self._facts = taking(self.slots)
            self._cells = (*self._cells, *refs)
            self._counted = self._counted or noted.counted
            self._known.clear()
            self._kept.clear()
        self._kept.extend(m.cells.get(ref) for ref in self._cells)
        self._known[self._key(facts, m)] = found

    def _key(self, facts: Sequence[Any], m: Any) -> tuple[Any, ...]:
        cells = tuple([id(m.cells.get(ref)) for ref in self._cells]) if self._cells else ()
        ledger = frozenset(m.ledger.items()) if self._counted and m.ledger else None
        return (self._facts(facts), cells, m.lasting, m.delayed, ledger, m.script)


class Watch:
    """Watches a use that is being carried out, and remembers what came of it when it is over without a decision."""

    def __init__(
        self,
        m: Machine,
        memory: Memory,
        checks: "StateChecks | None",
        candidate: Candidate,
        nest: "Unit",
        probe: "Probe",
    ) -> None:
        """checks: the state checks, if they found nothing to do before."""
        self.wanted = (
            False  # does somebody want to know what was kept, and control and instruction just then?
        )
        self.kept: tuple[Memory, int, tuple[Any, int]] | None = None
        self._probe = probe
        self._values: list[
            tuple[Any, frozenset[int]]
        ] = []  # worked out for nobody to look at; what they hang on
        self._memory = memory
        self._checks = checks
        self._gate = candidate.gate
        self._frames = m.frames
        self._marks = len(m.marks)
        self._facts = m.facts.copy()
        self.lasting, self.delayed, self.script = m.lasting, m.delayed, m.script
        self.ledger: Mapping[Any, int] = dict(m.ledger)
        self.cells: dict[Ref, Any] = dict(m.cells)
        self._noted = Noted()
        m.facts = self._written = WatchedFacts(m.facts, self._noted)
        m.start_use(candidate, nest)
        if self._gate is not None:
            self.cells[self._gate] = m.cells[self._gate]
        m.cells = self._after = WatchedCells(m.cells, self._noted, self.cells)
        m.ledger = WatchedCounts(m.ledger, self._noted)

    def idle(self, m: Machine) -> bool:
        """Do the state checks still find nothing to do? That hangs on what the use has changed alone."""
        return (
            self._checks is not None
            and m.lasting is self.lasting
            and not self._checks.stirred(m, self._written.changed)
        )

    def way(self, m: Machine, value: Compiled, b: tuple[Any, ...]) -> tuple[int, Any] | None:
        """Work out a value that only goes into a fact: the use goes on alike whatever it is, so what is remembered is
        how it is worked out. None where that hangs on more than facts, or on facts that may be open."""
        use, env, written = m.cur, m.env, self._written
        try:
            noted = self._probe.at(m, use, env)
            found = value(self._probe, b)
        except (*FAULTS, Need, Untold, Elsewhere):
            return None
        hangs_on = frozenset(origin for slot in noted.slots for origin in written.origins(slot))
        if any(m.scene.facts[slot].__class__ is Open for slot in hangs_on):
            return None

        def step(facts: list[Any], worked_out: list[Any], probe: Probe) -> None:
            probe.use_facts(facts, use, env)
            worked_out.append(value(probe, b))

        written.steps.append(step)
        self._values.append((found, hangs_on))
        return len(self._values) - 1, found

    def write(self, slot: int, way: int, *, adds: bool) -> None:
        """A fact becomes what was worked out in this way, or grows by it."""
        written, (value, hangs_on) = self._written, self._values[way]
        if adds:
            origins = frozenset(written.origins(slot))
            if any(self._probe.scene.facts[origin].__class__ is Open for origin in origins):
                value = written[slot] + value
            else:
                value, hangs_on = list.__getitem__(written, slot) + value, hangs_on | origins

        def step(facts: list[Any], worked_out: list[Any], probe: Probe) -> None:
            facts[slot] = facts[slot] + worked_out[way] if adds else worked_out[way]

        written.make(slot, value, hangs_on, step)

    def over(self, m: Machine) -> bool:
        """Is the use that is watched over?"""
        return m.frames == self._frames

    def finish(self, m: Machine) -> None:
        """It is over: what came of it is remembered, if that is no more than some facts."""
        kept = (
            self._checks is not None
            and m.ended is None
            and not self._after.seen_whole
            and m.lasting is self.lasting
            and m.delayed is self.delayed
            and m.script == self.script
            and m.ledger == self.ledger
            and all(dict.get(self._after, ref) is cell for ref, cell in self.cells.items())
        )
        self.leave(m)
        if kept:
            steps, made_of = (
                self._written.steps,
                self._written.made_of,
            )  # in their turn, as some hang on others
            if not self._values:
                steps = [fixed(slot, m.facts[slot]) for slot in sorted(self._written.changed)]
            written = [(slot, made_of.get(slot, NOBODY)) for slot in self._written.changed]
            chunks = m.scene.chunks(self._written.changed)
            found = (steps, tuple(m.marks[self._marks :]), written, chunks)
            self._memory.keep(self._facts, self, self._noted, found)
            m.cells = self.cells  # what was new has no future
            if self.wanted:
                self.kept = (self._memory, control(m), (m.unit, m.pc))
        else:
            self._memory.hopeless = True

    def leave(self, m: "State") -> None:
        """Watch no more."""
        m.watch = None
        m.facts = self._written.copy()
        if m.cells is self._after:
            m.cells = dict(dict.items(self._after))
        m.ledger = dict(m.ledger.items())


class StateChecks:
    """The state checks as one question for each object that they look at."""

    def __init__(self, tests: Iterable[Callable[[Any], Any]], recall: Recall) -> None:
        self._probe = Probe(recall.scene)
        self._tests = [(test, Memory(recall.changing)) for test in tests]
        self._found = [True] * len(self._tests)
        self._readers: dict[int, list[int]] = {}  # slot -> the tests that read it
        self._slots: tuple[int, ...] = ()
        self._facts: Callable[[Sequence[Any]], tuple[Any, ...]] = taking(())
        self._values: Any = None
        self._lasting: Any = None

    @classmethod
    def of(cls, checks: Iterable["Operation"], recall: Recall) -> "StateChecks":
        """Checks that are more than a list of those to whom something happens are never known to be idle."""
        tests: list[Callable[[Any], Any]] = []
        for operation in checks:
            if isinstance(operation, Do | Together):
                for part in operation.parts if isinstance(operation, Together) else (operation,):
                    tests += one_by_one(part.each)
            elif not isinstance(operation, DoDone | CheckAgain | Affirm):
                tests.append(always)
        return cls(tests, recall)

    def idle(self, m: Any) -> bool:
        """Is there nobody to whom they do anything? Only what reads a fact that has changed is looked at again."""
        values = self._facts(m.facts)
        if values != self._values or m.lasting != self._lasting:
            for number in self._stale(values, m):
                self._found[number] = self._finds(number, m)
            self._look_at_readers()
            self._values, self._lasting = self._facts(m.facts), m.lasting
        return True not in self._found

    def stirred(self, m: Machine, changed: Iterable[int]) -> bool:
        """Having been idle, do they find something now that these facts have changed?"""
        numbers = {number for slot in changed for number in self._readers.get(slot, ())}
        found = [self._finds(number, m) for number in numbers]
        self._look_at_readers()
        return True in found

    def _look_at_readers(self) -> None:
        """Look at every fact that some test reads from now on."""
        if len(self._slots) != len(self._readers):
            self._slots = tuple(self._readers)
            self._facts = taking(self._slots)
            self._values = None

    def _stale(self, values: Any, m: Machine) -> Iterable[int]:
        if self._values is None or m.lasting != self._lasting:
            return range(len(self._tests))
        return {
            number
            for slot, before, now in zip(self._slots, self._values, values, strict=True)
            if before != now
            for number in self._readers[slot]
        }

    def _finds(self, number: int, m: Machine) -> bool:
        test, memory = self._tests[number]
        found = memory.recall(m.facts, m)
        if found is None:
            probe = self._probe
            noted = probe.at(m)
            try:
                found = bool(test(probe))
            except (Elsewhere, Need, Unworkable):
                return True  # let the checks themselves see to it
            memory.keep(m.facts, m, noted, found)
            for slot in memory.slots:
                readers = self._readers.setdefault(slot, [])
                if number not in readers:
                    readers.append(number)
        return bool(found)


class Probe(Machine):
    """A machine at a position that notes which facts are read; of the rest of the position it shows nothing."""

    def __init__(self, scene: "Scene") -> None:
        super().__init__(scene)
        self.recall = None
        self.cells = self.ledger = self.delayed = self.gates = self.grp = self.stack = self.script = (
            self.env
        ) = UNSEEN

    def at(self, m: Machine, use: Use | None = None, env: Any = UNSEEN) -> Noted:
        """Stand where the machine is; with a use and the variables of its procedure, also see those."""
        noted = Noted()
        self.lasting = m.lasting
        self.use_facts(FixedFacts(m.facts.copy(), noted), use, env)
        return noted

    def use_facts(self, facts: list[Any], use: Use | None, env: Any) -> None:
        self.facts, self.cur, self.env = facts, use, env


def carried_out(steps: Iterable[Step], m: Any, probe: Probe) -> list[Any]:
    """The facts after a use that is carried out from memory."""
    facts: list[Any] = m.facts.copy()
    worked_out: list[Any] = []
    probe.lasting = m.lasting
    for step in steps:
        step(facts, worked_out, probe)
    return facts


def together(steps: Iterable[Step], lasting: Any) -> Step:
    """The steps of one use as one."""

    def step(facts: list[Any], _: list[Any], probe: Any) -> None:
        probe.lasting = lasting
        worked_out: list[Any] = []
        for one in steps:
            one(facts, worked_out, probe)

    return step


def one_by_one(members: Any) -> list[Callable[[Any], Any]]:
    """Is anybody a member? As one question for each of the objects that a filter looks at, where it tells them."""

    def fits(check: Any, obj: Any) -> Callable[[Any], Any]:
        return lambda m: check is None or check(m, (obj,))

    if members is None:
        return [always]
    looked_at = getattr(members, "looked_at", None)
    return [lambda m: members(m, ())] if looked_at is None else [fits(test, obj) for obj, test in looked_at]


def always(m: Any) -> bool:
    return True
