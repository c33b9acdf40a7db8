"""The interpreter: executes the top frame's next operation until somebody must decide.

A position is plain data: facts, a stack of frames, the occurrences and uses still reachable, the open gates, what was
used how often, lasting and delayed effects. `Machine` holds one position in registers; `save` and `load` copy it in
and out, `run` goes on to the next `Decision` or to the end, `take` answers the decision.

The machine knows no game. Everything that differs between systems stands in the compiled system's charts.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rules.engine.errors import Need
from rules.engine.expressions import Open
from rules.engine.records import (
    CANCELLED,
    DONE,
    IMPOSSIBLE,
    PROPOSED,
    REPLACED,
    Candidate,
    Decision,
    Gate,
    Group,
    Obj,
    Reason,
    Record,
    Ref,
    Use,
)

if TYPE_CHECKING:
    from rules.engine.model import Ability, OccurrenceKind, Property, Unit
    from rules.engine.operations import Operation
    from rules.engine.scene import Scene
    from rules.engine.trace import Tracer

MAX_STEPS = 20_000  # operations between two decisions: more is an ability that triggers itself for ever
MAX_FRAMES = 400


class Runaway(Exception):  # noqa: N818 (an outcome of the position, not a fault of the program)
    """The game goes on for ever without anybody deciding: a loop of obligatory effects."""


class Snapshot(NamedTuple):
    """An object just before it left: its facts, its computed stats, whether its text worked."""

    row: tuple[Any, ...]
    stats: dict[str, Any]
    works: bool


class Lasting(NamedTuple):
    """A continuous effect made by an effect, bound to the object as it was then."""

    obj: Obj
    inc: int
    property: "Property"
    op: str  # add | set
    value: Any
    until: str


class Delayed(NamedTuple):
    """A trigger made by an effect: waits for its occurrence, with the variables it keeps."""

    ability: "Ability"
    obj: Obj
    you: Obj
    env: tuple[Any, ...]
    once: bool
    until: str
    number: int


class Machine:
    """One position of one scene, with the registers of the running frame."""

    def __init__(self, scene: "Scene", tracer: "Tracer | None" = None) -> None:
        self.scene = scene
        self.system = scene.system
        self.cards = scene.cards
        self.players = scene.players
        self.game = scene.game
        self.tracer = tracer
        self.facts: list[Any] = list(scene.facts)
        self.cells: list[Any] = []
        self.ledger: dict[tuple[Any, ...], int] = {}
        self.lasting: tuple[Lasting, ...] = ()
        self.delayed: tuple[Delayed, ...] = ()
        self.script = 0  # how many of the scripted moves were made
        self.ended: str | None = None  # why the line is over
        self.code: Sequence[Operation] = ()
        self.pc = 0
        self.env: tuple[Any, ...] = ()
        self.use = -1
        self.cur: Use | None = None
        self.grp = -1
        self.gates: Any = None  # linked: (cell, outer)
        self.stack: Any = None  # linked frames
        self.frames = 0
        self.opened = 0  # trace nodes this frame opened
        self.marks: list[str] = []

    # --- positions -----------------------------------------------------------------------------------

    def save(self) -> tuple[Any, ...]:
        return (
            tuple(self.facts),
            tuple(self.cells),
            dict(self.ledger) if self.ledger else {},
            self.lasting,
            self.delayed,
            self.script,
            self.ended,
            self.code,
            self.pc,
            self.env,
            self.use,
            self.grp,
            self.gates,
            self.stack,
            self.frames,
        )

    def load(self, position: tuple[Any, ...]) -> None:
        (
            facts,
            cells,
            ledger,
            self.lasting,
            self.delayed,
            self.script,
            self.ended,
            self.code,
            self.pc,
            self.env,
            self.use,
            self.grp,
            self.gates,
            self.stack,
            self.frames,
        ) = position
        self.facts = list(facts)
        self.cells = list(cells)
        self.ledger = dict(ledger)
        self.cur = self.cells[self.use] if self.use >= 0 else None
        self.marks = []

    def enter(self, unit: "Unit", arguments: dict[str, Any] | None = None) -> None:
        """Start at a chart: the first frame of a scene."""
        self.code, self.pc, self.env = unit.code, 0, self._environment(unit, arguments)

    def _environment(self, unit: "Unit", arguments: dict[str, Any] | None) -> tuple[Any, ...]:
        values = [True, *([None] * (unit.slots - 1))]
        for index, name in enumerate(unit.params, start=1):
            values[index] = (arguments or {}).get(name)
        return tuple(values)

    def push(
        self,
        unit: "Unit",
        *,
        arguments: dict[str, Any] | None = None,
        use: int | None = None,
        grp: int | None = None,
        opened: int = 0,
    ) -> None:
        """Run `unit` now; the present frame goes on when it is done. Gates opened inside close with it."""
        if self.frames >= MAX_FRAMES:
            raise Runaway
        self.stack = (
            self.code,
            self.pc,
            self.env,
            self.use,
            self.grp,
            self.gates,
            self.opened if self.tracer else 0,
            self.stack,
        )
        self.frames += 1
        self.code, self.pc = unit.code, 0
        self.env = self._environment(unit, arguments) if unit.is_chart else ()
        if use is not None:
            self.use = use
            self.cur = self.cells[use] if use >= 0 else None
        if grp is not None:
            self.grp = grp
        self.opened = opened

    def pop(self) -> bool:
        """Return to the caller; False when there is none."""
        if self.tracer and self.opened:
            self.tracer.exit(self.opened)
        if self.stack is None:
            self.opened = 0
            return False
        (self.code, self.pc, self.env, self.use, self.grp, self.gates, self.opened, self.stack) = self.stack
        self.frames -= 1
        self.cur = self.cells[self.use] if self.use >= 0 else None
        return True

    # --- the loop ------------------------------------------------------------------------------------

    def run(self) -> Decision | None:
        """Go on to the next decision. None: the line is over, `ended` says why."""
        steps = 0
        while self.ended is None:
            if self.pc >= len(self.code):
                if not self.pop():
                    self.ended = "done"
                continue
            steps += 1
            if steps > MAX_STEPS:
                raise Runaway
            operation = self.code[self.pc]
            self.pc += 1
            try:
                decision = operation.run(self)
            except Need as need:
                self.pc -= 1
                return self._open(need.slot)
            if decision is not None:
                self.pc -= 1
                return decision
        return None

    def take(self, decision: Decision, index: int) -> None:
        """Answer the open decision with its option number `index`."""
        if decision.kind in ("reading", "fact"):
            self.facts[decision.subject] = decision.options[index]
            return
        operation = self.code[self.pc]
        self.pc += 1
        operation.take(self, decision, index)

    def _open(self, slot: int) -> Decision:
        """The decision that settles an open fact or reading."""
        value: Open = self.facts[slot]
        rules = slot >= self.scene.readings_base
        return Decision(
            "rules" if rules else "facts",
            "reading" if rules else "fact",
            list(value.options),
            [],
            subject=slot,
        )

    # --- facts ---------------------------------------------------------------------------------------

    def fact(self, obj: Obj, prop: "Property") -> Any:
        value = self.facts[obj.base + prop.slot]
        if value.__class__ is Open:
            raise Need(obj.base + prop.slot)
        return value

    def stat(self, obj: Obj, prop: "Property") -> Any:
        """Printed value, then the last `set`, then the sum of all changes; the floor holds for reading only."""
        value = self.fact(obj, prop)
        if prop.name not in self.scene.modified:
            return value
        inc = self.inc(obj)
        for source, always in self.scene.always.get(prop.name, ()):
            if self.works(source) and self._covers(source, obj, always):
                env = (source, obj)
                if always.to is not None:
                    value = always.to(self, env)
                if always.by is not None:
                    value += always.by(self, env)
        for effect in self.lasting:
            if effect.obj is obj and effect.inc == inc and effect.property is prop and effect.op == "set":
                value = effect.value
        for effect in self.lasting:
            if effect.obj is obj and effect.inc == inc and effect.property is prop and effect.op == "add":
                value += effect.value
        return value if prop.floor is None else max(prop.floor, value)

    def _covers(self, source: Obj, obj: Obj, always: Any) -> bool:
        env = (source, obj)
        return bool(always.covers(self, env)) and (
            always.condition is None or bool(always.condition(self, env))
        )

    def inc(self, obj: Obj) -> int:
        """A card that leaves play and returns is a new object: its incarnation number has grown."""
        return self.facts[obj.base + self.scene.inc_slot]  # type: ignore[no-any-return]

    def works(self, obj: Obj) -> bool:
        """Is the card in play with its text working?"""
        return self.facts[obj.base + self.scene.zone_slot] in self.system.zones_in_play and not self.silent(
            obj
        )

    def silent(self, obj: Obj) -> bool:
        return self.system.silent is not None and bool(self.system.silent(self, (obj,)))

    def zone(self, obj: Obj) -> Any:
        return self.fact(obj, self.system.properties["zone"])

    def controller(self, obj: Obj) -> Any:
        return self.fact(obj, self.system.properties["controller"])

    def next_player(self, player: Obj | None) -> Obj | None:
        """The next seat clockwise."""
        if player is None:
            return None
        return self.players[(self.players.index(player) + 1) % len(self.players)]

    def reading(self, key: str) -> Any:
        self.scene.touched.add(key)
        slot = self.scene.reading_slots[key]
        value = self.facts[slot]
        if value.__class__ is Open:
            raise Need(slot)
        return value

    def move(self, obj: Obj, zone: str, host: Obj | None, controller: Obj | None) -> None:
        """Change of zone or host. Crossing the border of play makes a new object that sheds what it bore."""
        scene, system, facts = self.scene, self.system, self.facts
        base = obj.base
        before = facts[base + scene.zone_slot]
        if before.__class__ is Open:
            raise Need(base + scene.zone_slot)
        was_in, is_in = before in system.zones_in_play, zone in system.zones_in_play
        facts[base + scene.zone_slot] = zone
        if was_in != is_in:
            facts[base + scene.inc_slot] += 1
            for prop in scene.shed:
                facts[base + prop.slot] = prop.default
            if not is_in:  # out of play a card is its owner's, whatever moved it
                facts[base + scene.controller_slot] = facts[base + scene.owner_slot]
            if self.lasting:
                self.lasting = tuple(effect for effect in self.lasting if effect.obj is not obj)
        if host is not None:
            facts[base + scene.host_slot] = host
        if controller is not None:
            facts[base + scene.controller_slot] = controller

    # --- records and groups --------------------------------------------------------------------------

    def add_cell(self, cell: Any) -> Ref:
        self.cells.append(cell)
        return Ref(len(self.cells) - 1)

    def propose(
        self, kind: "OccurrenceKind", roles: tuple[Any, ...], refused: Reason | None = None
    ) -> Record:
        """A new record; impossible from the start when a requirement fails, which is before any point."""
        incs = tuple(self.inc(roles[i]) if isinstance(roles[i], Obj) else 0 for i in kind.subjects)
        why = refused or self.obstacle(kind, roles)
        return Record(kind, roles, IMPOSSIBLE if why else PROPOSED, why, (), incs, None, -1)

    def obstacle(self, kind: "OccurrenceKind", roles: tuple[Any, ...]) -> Reason | None:
        """The first requirement of `kind` that fails, or the prohibition that forbids it."""
        for requirement in kind.possible:
            if not requirement.test(self, (roles,)):
                return Reason(self.fill(requirement.because, kind, roles), requirement.cites)
        for source, prohibition in self.scene.prohibitions:
            if (
                kind.name in prohibition.kinds
                and self.works(source)
                and prohibition.test(self, (source, roles))
            ):
                text = prohibition.because or f"{source.label} forbids it"
                return Reason(self.fill(text, kind, roles), prohibition.cites)
        return None

    def record_roles(self, record: Record) -> tuple[Any, ...]:
        """The roles with the amount as altered so far (summed, clamped once: COC-F-1.5, L5R-34)."""
        if not record.changes:
            return record.roles
        index = record.kind.role_names.index("amount")
        amount = max(0, record.roles[index] + sum(record.changes))
        return (*record.roles[:index], amount, *record.roles[index + 1 :])

    def record_field(self, index: int | None, name: str) -> Any:
        if index is None or index < 0:
            return None
        record: Record = self.cells[index]
        if name == "kind":
            return record.kind.name
        if name == "status":
            return record.status
        if name not in record.kind.roles:
            return None
        return self.record_roles(record)[record.kind.role_names.index(name)]

    def last_known(self, trigger: int, obj: Obj | None, prop: "Property") -> Any:
        """A property of an object in the trigger, as it was just before it left, else as it is."""
        if obj is None:
            return None
        record: Record = self.cells[trigger]
        if record.before is not None:
            snapshot = record.before.get(obj.index)
            if snapshot is not None and snapshot.row[self.scene.inc_slot] != self.inc(obj):
                return snapshot.stats.get(prop.name, snapshot.row[prop.slot])
        return self.stat(obj, prop) if prop.stat else self.fact(obj, prop)

    def snapshot(self, obj: Obj) -> Snapshot:
        system = self.system
        stats = {
            name: self.stat(obj, system.properties[name])
            for name in self.scene.modified
            if system.properties[name].of == "card"
        }
        row = tuple(self.facts[obj.base : obj.base + system.width])
        return Snapshot(row, stats, self.works(obj))

    def fully(self, group: int | None) -> bool:
        """Did everything in the group (or the one record) happen, to every member (COC-F-1.3b, 2.3b)?"""
        if group is None or group < 0:
            return False
        found = self.cells[group]
        if isinstance(found, Record):
            return found.status == DONE
        if not found.members:
            return found.empty_ok
        return all(self.cells[index].status == DONE for index in found.members)

    def pending(self, kind: str, obj: Obj) -> bool:
        """Is an occurrence of this kind on this object already on its way?"""
        return any(
            isinstance(cell, Record)
            and cell.status == PROPOSED
            and cell.kind.name == kind
            and obj in cell.roles
            for cell in self.cells
        )

    def use_field(self, use: Any) -> Any:
        return None if use is None else self.cells[use].obj

    # --- identity of a position ----------------------------------------------------------------------

    def key(self) -> tuple[Any, ...]:
        """Equal for positions with the same future: what no frame, gate or use can reach any more is left out,
        and what is left is numbered in the order in which it is reached."""
        numbers: dict[int, int] = {}
        contents: list[Any] = []
        cells = self.cells

        def value(v: Any) -> Any:
            if v.__class__ is Ref:
                return ref(v)
            if v.__class__ is tuple:
                return tuple(value(one) for one in v)
            return v

        def ref(index: int) -> Any:
            if index < 0:
                return -1
            number = numbers.get(index)
            if number is None:
                number = numbers[index] = len(contents)
                contents.append(None)
                contents[number] = content(cells[index])
            return ("#", number)

        def content(cell: Any) -> Any:
            if cell.__class__ is Record:
                before = cell.before
                kept = (
                    tuple((i, s.row, tuple(s.stats.items()), s.works) for i, s in before.items())
                    if before
                    else None
                )
                return (
                    cell.kind.name,
                    cell.roles,
                    cell.status,
                    cell.changes,
                    cell.incs,
                    kept,
                    ref(cell.resolved_as),
                )
            if cell.__class__ is Group:
                return ("g", cell.planned, cell.empty_ok, tuple(ref(i) for i in cell.members))
            if cell.__class__ is Gate:
                entries = tuple((ref(i), point) for i, point in cell.entries)
                return ("w", cell.kinds, entries, tuple((a, o, ref(r)) for a, o, r in cell.used))
            return (
                cell.ability.id, cell.obj, cell.you, ref(cell.trigger), value(cell.env), cell.incs, cell.illegal,
                tuple((n, ref(g)) for n, g in cell.plan), ref(cell.record), ref(cell.gate),
            )  # fmt: skip

        def chain(gates: Any) -> tuple[Any, ...]:
            found = []
            while gates is not None:
                found.append(ref(gates[0]))
                gates = gates[1]
            return tuple(found)

        frames = [(id(self.code), self.pc, value(self.env), ref(self.use), ref(self.grp), chain(self.gates))]
        stack = self.stack
        while stack is not None:
            code, pc, env, use, grp, gates, _, stack = stack
            frames.append((id(code), pc, value(env), ref(use), ref(grp), chain(gates)))
        return (
            tuple(self.facts),
            tuple(frames),
            tuple(contents),
            tuple(sorted(self.ledger.items(), key=repr)) if self.ledger else (),
            self.lasting,
            tuple((d.ability.id, d.obj, d.you, value(d.env), d.once, d.until) for d in self.delayed),
            self.script,
            self.ended,
        )

    # --- points and gates ----------------------------------------------------------------------------

    def raise_point(self, point: str) -> None:
        """Put the group's live members on the innermost gate accepting each kind that listens to them."""
        group: Group = self.cells[self.grp]
        wanted = DONE if point in self.system.later else PROPOSED
        for index in group.members:
            record: Record = self.cells[index]
            if record.status != wanted:
                continue
            for kind in self._listening(point, record.kind.name):
                cell = self.gate_for(kind)
                if cell is not None:
                    gate: Gate = self.cells[cell]
                    if (index, point) not in gate.entries:
                        self.cells[cell] = gate._replace(entries=(*gate.entries, (index, point)))

    def _listening(self, point: str, kind: str) -> tuple[str, ...]:
        found = self.scene.listening.get((point, kind), ())
        for effect in self.delayed:
            ability = effect.ability
            if ability.point == point and kind in ability.of and ability.kind.name not in found:
                found = (*found, ability.kind.name)
        return found

    def gate_for(self, kind: str) -> int | None:
        """The innermost open gate that accepts abilities of this kind."""
        gates = self.gates
        while gates is not None:
            if kind in self.cells[gates[0]].kinds:
                return gates[0]  # type: ignore[no-any-return]
            gates = gates[1]
        return None

    # --- candidates ----------------------------------------------------------------------------------

    def candidates(self, kinds: Sequence[str]) -> list[tuple[Candidate, int]]:
        """Every (use, gate) that abilities of these kinds could make here, before any test; in a fixed order."""
        found: list[tuple[Candidate, int]] = []
        for kind in kinds:
            for obj, ability in self.scene.untriggered.get(kind, ()):
                found.append((Candidate(ability, obj, self.user(ability, obj, -1), -1), -1))
            cell = self.gate_for(kind)
            if cell is None:
                continue
            for record_index, point in self.cells[cell].entries:
                name = self.cells[record_index].kind.name
                for obj, ability in self.scene.listeners.get((point, name), ()):
                    if ability.kind.name == kind:
                        you = self.user(ability, obj, record_index)
                        found.append((Candidate(ability, obj, you, record_index), cell))
                for effect in self.delayed:
                    ability = effect.ability
                    if ability.kind.name == kind and ability.point == point and name in ability.of:
                        found.append((Candidate(ability, effect.obj, effect.you, record_index), cell))
        return found

    def user(self, ability: "Ability", obj: Obj, trigger: int) -> Obj:
        """Who may use it: the controller (as it left, for one that left) unless the ability says otherwise."""
        if ability.user is not None:
            kept, self.cur = self.cur, self._candidate_use(Candidate(ability, obj, obj, trigger))
            try:
                return ability.user(self, ())  # type: ignore[no-any-return]
            finally:
                self.cur = kept
        snapshot = self._left(ability, obj, trigger)
        if snapshot is not None:
            return snapshot.row[self.scene.controller_slot]  # type: ignore[no-any-return]
        return self.controller(obj)  # type: ignore[no-any-return]

    def _left(self, ability: "Ability", obj: Obj, trigger: int) -> Snapshot | None:
        """The snapshot to judge the ability by, when its card left with the occurrence it answers."""
        if trigger < 0:
            return None
        record: Record = self.cells[trigger]
        if record.before is None:
            return None
        snapshot: Snapshot | None = record.before.get(obj.index)
        if snapshot is None or snapshot.row[self.scene.inc_slot] == self.inc(obj):
            return None
        return snapshot if obj in record.roles or ability.look_back else None

    def _candidate_use(self, candidate: Candidate) -> Use:
        ability = candidate.ability
        env = ability.defaults
        for effect in self.delayed:
            if effect.ability is ability and effect.obj is candidate.obj:
                env = effect.env
        return Use(ability, candidate.obj, candidate.you, candidate.trigger, env, (), (), (), -1, -1)

    def refusal(self, candidate: Candidate, gate: int) -> Reason | None:
        """Why the candidate may not be used now: the first reason in a fixed order, or None when it may."""
        ability, obj, _you, trigger = candidate
        kept, self.cur = self.cur, self._candidate_use(candidate)
        try:
            return (
                self._refused_place(ability, obj, trigger)
                or self._refused_trigger(candidate, gate)
                or self._refused_limit(ability, obj)
                or self._refused_targets(ability)
                or self._refused_cost(ability)
            )
        finally:
            self.cur = kept

    def _cite(self, cause: str) -> tuple[str, ...]:
        return self.system.refusals.get(cause, ())

    def _refused_place(self, ability: "Ability", obj: Obj, trigger: int) -> Reason | None:
        if any(effect.ability is ability for effect in self.delayed):
            return None
        snapshot = self._left(ability, obj, trigger)
        zone = snapshot.row[self.scene.zone_slot] if snapshot else self.zone(obj)
        if zone not in ability.zones:
            places = self.system.zone_names
            where = " or ".join(places[z] for z in self.system.zones if z in ability.zones)
            return Reason(
                f"{obj.label} is {places[zone]}; it can be used only {where}", self._cite("zone"), 1
            )
        in_play = zone in self.system.zones_in_play
        if in_play and (not snapshot.works if snapshot else self.silent(obj)):
            return Reason(
                f"{obj.label}'s text does not work", self._cite("silent") or self.system.silent_cites, 2
            )
        return None

    def _refused_trigger(self, candidate: Candidate, gate: int) -> Reason | None:
        ability, obj, _, trigger = candidate
        if ability.condition is not None and not ability.condition.test(self, ()):
            text = ability.condition.because or "its condition does not hold"
            return Reason(text, ability.condition.cites or self._cite("condition"), 3)
        if gate >= 0 and ability.kind.once_per_trigger:
            key = self.used_key(ability, obj, trigger)
            if key in self.cells[gate].used:
                return Reason("it was already used on this occasion", self._cite("once"), 4)
        return None

    def used_key(self, ability: "Ability", obj: Obj, trigger: int) -> tuple[int, int, int]:
        if ability.per_group:
            trigger = next(
                i for i, cell in enumerate(self.cells) if isinstance(cell, Group) and trigger in cell.members
            )
        return (ability.id, obj.index, trigger)

    def limit_key(self, ability: "Ability", obj: Obj) -> tuple[Any, ...]:
        """Per card as an object, or per name for what is used from out of play (COC-F-2.9)."""
        limit = ability.limit
        assert limit is not None
        if limit.by == "name":
            name = obj.definition.name if obj.definition else obj.label
            return (limit.per, name, ability.id, self.cur.you.index if self.cur else -1)
        return (limit.per, obj.index, ability.id, self.inc(obj))

    def _refused_limit(self, ability: "Ability", obj: Obj) -> Reason | None:
        limit = ability.limit
        if limit is not None and self.ledger.get(self.limit_key(ability, obj), 0) >= limit.times:
            times = "once" if limit.times == 1 else f"{limit.times} times"
            return Reason(f"it may be used only {times} per {limit.per}", self._cite("limit"), 5)
        return None

    def _refused_targets(self, ability: "Ability", index: int = 0) -> Reason | None:
        """Can all the choices of step b be made, the later ones depending on the earlier?"""
        if index >= len(ability.targets):
            return None
        target = ability.targets[index]
        members = target.members(self, ())
        count = target.count(self, ())
        if len(members) < (min(1, count) if target.up_to else count):
            text = (
                "there is no legal target" if not members else f"there are only {len(members)} legal targets"
            )
            return Reason(text, target.cites or self._cite("target"), 6)
        if index + 1 == len(ability.targets) or count != 1:
            return None
        first: Reason | None = None
        kept = self.cur
        assert kept is not None
        for member in members:
            self.cur = kept._replace(env=_set(kept.env, target.slot, member))
            reason = self._refused_targets(ability, index + 1)
            self.cur = kept
            if reason is None:
                return None
            first = first or reason
        return first

    def _refused_cost(self, ability: "Ability") -> Reason | None:
        for check in ability.cost_checks:
            reason = check.obstacle(self)
            if reason is not None:
                return Reason(reason.text, reason.cites or self._cite("cost"), 7)
        return None

    def choices(self, kinds: Sequence[str], seat: Obj | None, *, must: bool) -> tuple[list[Any], list[Any]]:
        """(options, refused) among abilities of these kinds for `seat` (None: anybody's).

        options: [(Candidate, gate)]; refused: [(Candidate, Reason)], one per candidate, first reason.
        """
        options, refused = [], []
        for candidate, gate in self.candidates(kinds):
            if seat is not None and candidate.you is not seat:
                continue
            if candidate.ability.kind.must != must:
                continue
            reason = self.refusal(candidate, gate)
            if reason is None:
                options.append((candidate, gate))
            elif self.tracer or self.scene.wants_reasons:
                refused.append((candidate, reason))
        return options, refused

    def start_use(self, candidate: Candidate, gate: int, nest: "Unit", opened: int = 0) -> None:
        """Initiate an ability: mark its opportunity used, and run `nest` for it."""
        ability, obj, you, trigger = candidate
        use = self._candidate_use(candidate)
        subjects = [obj]
        if trigger >= 0:
            subjects += [role for role in self.cells[trigger].roles if isinstance(role, Obj)]
        incs = tuple((subject, self.inc(subject)) for subject in dict.fromkeys(subjects))
        index = self.add_cell(use._replace(incs=incs, gate=gate))
        if gate >= 0:
            cell: Gate = self.cells[gate]
            self.cells[gate] = cell._replace(used=(*cell.used, self.used_key(ability, obj, trigger)))
        for effect in self.delayed:
            if effect.ability is ability and effect.obj is obj and effect.once:
                self.delayed = tuple(e for e in self.delayed if e is not effect)
                break
        if obj.id in self.scene.watched:
            self.marks.append(f"{you.id}:{obj.id}")
        self.push(nest, use=index, grp=-1, opened=opened)

    # --- variables of the running use ----------------------------------------------------------------

    def set_chart(self, slot: int, value: Any) -> None:
        self.env = _set(self.env, slot, value)

    def set_use(self, slot: int, value: Any) -> None:
        use = self.cur
        assert use is not None
        self.update_use(use._replace(env=_set(use.env, slot, value)))

    def update_use(self, use: Use) -> None:
        self.cells[self.use] = self.cur = use

    # --- words ---------------------------------------------------------------------------------------

    def fill(self, template: str, kind: "OccurrenceKind", roles: tuple[Any, ...]) -> str:
        """The template with role names replaced by what people call their holders."""
        if "{" not in template:
            return template
        values = {name: _label(value) for name, value in zip(kind.role_names, roles, strict=True)}
        return template.format_map(_Missing(values))

    def describe(self, record: Record) -> str:
        template = record.kind.says or f"{record.kind.name}: " + ", ".join(
            f"{{{name}}}" for name in record.kind.role_names
        )
        return self.fill(template, record.kind, self.record_roles(record))


class _Missing(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return key


def _label(value: Any) -> str:
    if isinstance(value, Obj):
        return value.label
    return "nothing" if value is None else str(value)


def _set(env: tuple[Any, ...], slot: int, value: Any) -> tuple[Any, ...]:
    return (*env[:slot], value, *env[slot + 1 :])


__all__ = [
    "CANCELLED",
    "REPLACED",
    "Delayed",
    "Lasting",
    "Machine",
    "Runaway",
    "Snapshot",
]
