"""Where an option leads, found out once for all positions that differ in facts which nobody looks at on the way.

What a position is but for its facts (frames, gates, occurrences, counts: `identity.control`) comes again in thousands
of positions. Taking an option there reads some facts, writes some, and ends at a decision or the end of the line; where
what it read is the same again, it writes the same (or what is worked out in the same way, `Watch.way`) and ends in the
same control, with the same decision open. Nothing of that is run again.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rules.engine.errors import FAULTS, Need, Untold
from rules.engine.machine import Machine
from rules.engine.noting import Elsewhere, Noted, Step, WatchedFacts
from rules.engine.recall import Memory, carried_out
from rules.engine.records import Decision
from rules.engine.scene import taking

if TYPE_CHECKING:
    from rules.engine.scene import Scene

TRIES = 64  # found out so much oftener than known, at decisions about the same: it does not pay
WORTH = 4  # one that is known is worth so many that are found out in vain
MOST = 4096  # known of one option


class Place:
    """What positions that differ in facts alone have in common: an open decision, or the end of a line.

    rest: the position but for its facts, as `Machine.save` gives it. routes: by option.
    """

    __slots__ = ("control", "decision", "end", "rest", "routes", "worth")

    def __init__(
        self, control: int, decision: Decision | None, end: str, rest: tuple[Any, ...], worth: "Worth"
    ) -> None:
        self.control, self.decision, self.end, self.rest, self.worth = control, decision, end, rest, worth
        self.routes: dict[int, Route] = {}


class Round:
    """Uses that wait together and leave each other's opportunities alone: of those that were carried out from memory a
    position shows which they were, and not in which order they came."""

    __slots__ = ("_after", "_uses")

    def __init__(self) -> None:
        self._uses: dict[Any, tuple[Memory, int]] = {}  # its memory, and its bit
        self._after: dict[int, int] = {}  # which were used -> control just then

    def keep(self, used: int, option: Any, memory: Memory, control: int) -> int:
        """Which were used, now that this one was."""
        _, bit = self._uses.setdefault(option, (memory, 1 << len(self._uses)))
        self._after[used | bit] = control
        return used | bit

    def after(self, used: int, option: Any) -> tuple[Memory, int] | None:
        """(memory, control) of using this one too, if these were used before in whatever order."""
        memory, bit = self._uses.get(option, (None, 0))
        control = self._after.get(used | bit)
        return None if memory is None or control is None else (memory, control)


class Worth:
    """Does it pay to find out where options of such decisions lead? Not when so many were found out in vain."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = TRIES


class Known(NamedTuple):
    """Where an option leads. chunks: of the facts that the steps write (Scene.chunks)."""

    steps: Sequence[Step]
    chunks: tuple[int, ...]
    marks: tuple[str, ...]
    place: Place


class Route:
    """Where one option of one place leads, by the facts that this was read from."""

    __slots__ = ("_known", "_slots", "_values")

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Known] = {}
        self._slots: tuple[int, ...] = ()
        self._values: Callable[[Sequence[Any]], tuple[Any, ...]] = taking(())

    def known(self, facts: Sequence[Any]) -> Known | None:
        return self._known.get(self._values(facts))

    def keep(self, facts: Sequence[Any], read: set[int], found: Known) -> None:
        if not read.issubset(self._slots) or len(self._known) >= MOST:
            self._slots = tuple(sorted(read.union(self._slots)))
            self._values = taking(self._slots)
            self._known.clear()
        self._known[self._values(facts)] = found


class Routes:
    """All that is known of one narrowed scene."""

    def __init__(self, scene: "Scene") -> None:
        assert scene.specialiser is not None and scene.specialiser.recall is not None
        self._scene, self._recall = scene, scene.specialiser.recall
        self._changing = frozenset(scene.dynamic_slots)
        self._places: dict[Any, Place] = {}
        self._worth: dict[Any, Worth] = {}
        self._begun: tuple[Sequence[Any], WatchedFacts, Route] | None = None

    def place(
        self, machine: Machine, control: int, decision: Decision | None, end: str, rest: tuple[Any, ...]
    ) -> Place | None:
        """Of where the machine is now; None where it does not pay to know.

        rest: of the position, if it is another one by now.
        """
        meaning: Any = None
        worth = self._worth.setdefault(None, Worth())
        if decision is not None:
            if decision.kind in ("reading", "fact") or decision.untold is not None:
                return None
            meaning = (decision.who, decision.kind, decision.subject, tuple(decision.options))
            worth = self._worth.setdefault(meaning[1:3], Worth())
        if worth.left < 0 and not self._watching(machine):
            return None
        found = self._places.get((control, end, meaning))
        if found is None:
            found = Place(control, decision, end, rest or machine.rest(), worth)
            self._places[control, end, meaning] = found
        return found

    def follow(
        self, place: Place, way: int, key: tuple[int, ...], facts: list[Any]
    ) -> tuple[tuple[int, ...], list[Any], tuple[str, ...], Place] | None:
        """(key, facts, what was used on the way, place) to which an option is known to lead from a position."""
        route = place.routes.get(way)
        found = None if route is None else route.known(facts)
        if found is None or not self._recall.checks.idle(_Standing(facts, *place.rest[:5])):
            return None
        steps, chunks, marks, arrived = found
        now = facts.copy()
        try:
            for step in steps:
                step(now, [], self._recall.probe)
        except (*FAULTS, Need, Untold, Elsewhere):
            return None
        place.worth.left += WORTH
        return self._scene.changed(key, now, chunks, arrived.control), now, marks, arrived

    def use(
        self, waiting: Round, used: int, key: tuple[int, ...], position: tuple[Any, ...], option: Any
    ) -> tuple[tuple[int, ...], tuple[str, ...]] | None:
        """(key, what was used) after a use that is carried out from memory in this position."""
        after = waiting.after(used, option)
        if after is None:
            return None
        memory, control = after
        facts, standing = position[0], _Standing(*position[:6])
        found = memory.recall(facts, standing) if self._recall.checks.idle(standing) else None
        if found is None:
            return None
        steps, marks, _, chunks = found
        try:
            facts = carried_out(steps, standing, self._recall.probe)
        except (*FAULTS, Need, Untold, Elsewhere):
            return None
        return self._scene.changed(key, facts, chunks, control), marks

    def begin(self, machine: Machine, place: Place, way: int) -> None:
        """Watch what the machine reads and writes from here on, if it pays."""
        self._begun = None
        if place.worth.left < 0 or not self._recall.checks.idle(machine):
            return
        place.worth.left -= 1
        route = place.routes.get(way)
        if route is None:
            route = place.routes[way] = Route()
        facts = machine.facts
        machine.facts = WatchedFacts(facts, Noted())
        machine.facts.lasting = machine.lasting
        self._begun = (facts, machine.facts, route)

    def arrived(self, machine: Machine, marks: tuple[str, ...], place: Place | None) -> None:
        """The option has led here; that is kept, if the machine was watched all the way."""
        if self._begun is None or not self._watching(machine):
            return
        before, watched, route = self._begun
        machine.facts = watched.copy()
        if place is not None:
            read = watched.noted.slots.intersection(self._changing)
            chunks = self._scene.chunks(watched.changed)
            route.keep(before, read, Known(watched.steps, chunks, marks, place))

    def _watching(self, machine: Machine) -> bool:
        """Has the machine been watched all the way, and by nobody else in between?"""
        return self._begun is not None and machine.facts is self._begun[1]


class _Standing:
    """As much of a machine at a position as the state checks look at."""

    __slots__ = ("cells", "delayed", "facts", "lasting", "ledger", "script")

    def __init__(
        self, facts: list[Any], cells: Any, ledger: Any, lasting: Any, delayed: Any, script: int
    ) -> None:
        self.facts, self.cells, self.ledger = facts, cells, ledger
        self.lasting, self.delayed, self.script = lasting, delayed, script
