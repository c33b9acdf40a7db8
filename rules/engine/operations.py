"""The instructions of charts and effects, compiled. Each evaluates all it needs before it writes anything, so it can
be restarted after an open fact or reading was asked for.

`run(m)` performs one instruction and returns None, or the Decision somebody must take first; `take(m, decision,
index)` performs it with that decision answered.
"""

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

from rules.engine.expressions import Compiled
from rules.engine.records import (
    CANCELLED,
    DONE,
    IMPOSSIBLE,
    PREVENTED,
    PROPOSED,
    REPLACED,
    VOID,
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
    from rules.engine.machine import Machine
    from rules.engine.model import Ability, OccurrenceKind, Property, Unit

OK = 0  # the variable that says whether the instruction before was done in full

MAX_COMBINATIONS = 5_000


@dataclass(slots=True, eq=False)
class Operation:
    """An instruction. `cites` are the rules behind it, `says` what a trace calls it."""

    cites: tuple[str, ...] = field(default=(), kw_only=True)
    says: str = field(default="", kw_only=True)
    chart: bool = field(default=True, kw_only=True)  # variables live in the chart's frame, else in the use

    def run(self, m: "Machine") -> Decision | None:
        raise NotImplementedError

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        raise NotImplementedError

    def set(self, m: "Machine", slot: int, value: Any) -> None:
        if self.chart:
            m.set_chart(slot, value)
        else:
            m.set_use(slot, value)

    def get(self, m: "Machine", slot: int) -> Any:
        if self.chart:
            return m.env[slot]
        assert m.cur is not None
        return m.cur.env[slot]


# --- control ------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Jump(Operation):
    to: int = -1

    def run(self, m: "Machine") -> None:
        m.pc = self.to


@dataclass(slots=True, eq=False)
class JumpUnless(Operation):
    """Go on when the condition holds, else jump."""

    test: Compiled
    to: int = -1

    def run(self, m: "Machine") -> None:
        if not self.test(m, ()):
            m.pc = self.to


@dataclass(slots=True, eq=False)
class JumpUnlessOk(Operation):
    """`then`: only when the instruction before, or the named group, was done in full (COC-F-1.3b)."""

    group: int | None
    to: int = -1

    def run(self, m: "Machine") -> None:
        fine = self.get(m, OK) if self.group is None else m.fully(self.get(m, self.group))
        if not fine:
            m.pc = self.to
            if m.tracer:
                m.tracer.note("the part after “then” is not reached", cites=self.cites)


@dataclass(slots=True, eq=False)
class Let(Operation):
    slot: int
    value: Compiled

    def run(self, m: "Machine") -> None:
        self.set(m, self.slot, self.value(m, ()))


@dataclass(slots=True, eq=False)
class Call(Operation):
    """`run: chart`: a chart of the system, with arguments; the caller's use and group stay visible."""

    unit_name: str
    arguments: dict[str, Compiled]
    unit: "Unit | None" = None

    def run(self, m: "Machine") -> None:
        assert self.unit is not None
        arguments = {name: value(m, ()) for name, value in self.arguments.items()}
        opened = 0
        if m.tracer and (self.says or self.unit.says):
            opened = m.tracer.enter("step", None, self.says or self.unit.says, self.cites or self.unit.cites)
        m.push(self.unit, arguments=arguments, opened=opened)


@dataclass(slots=True, eq=False)
class Stop(Operation):
    """Leave this chart, or end the game, when the condition holds."""

    test: Compiled | None
    game: Compiled | None

    def run(self, m: "Machine") -> None:
        if self.test is not None and not self.test(m, ()):
            return
        if self.game is not None:
            winner = self.game(m, ())
            m.ended = "game"
            m.marks.append(f"game:{winner.id if winner else '-'}")
            if m.tracer:
                text = f"The game ends: {winner.label} wins" if winner else "The game ends"
                m.tracer.note(text, cites=self.cites, kind="end")
            return
        m.pc = len(m.code)


@dataclass(slots=True, eq=False)
class ForNext(Operation):
    """One member after another; the list is fixed at the start; with `order` a player picks the next each time."""

    members: Compiled
    left: int  # hidden variable: who is left
    slot: int
    order: Compiled | None
    to: int = -1

    def run(self, m: "Machine") -> Decision | None:
        left = self.get(m, self.left)
        if left is None:
            left = tuple(self.members(m, ()))
        if not left:
            self.set(m, self.left, None)
            m.pc = self.to
            return None
        if self.order is not None and len(left) > 1:
            return Decision(self.order(m, ()), "order", list(left), [], subject="next", cites=self.cites)
        self._next(m, left, 0)
        return None

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        self._next(m, tuple(decision.options), index)

    def _next(self, m: "Machine", left: tuple[Any, ...], index: int) -> None:
        self.set(m, self.left, left[:index] + left[index + 1 :])
        self.set(m, self.slot, left[index])


# --- choices ------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Choose(Operation):
    """A choice in mid-effect. None available, or fewer than the exact number: nothing is chosen, not ok."""

    slot: int
    members: Compiled
    by: Compiled
    count: Compiled
    up_to: bool
    name: str
    at_random: bool = False

    def run(self, m: "Machine") -> Decision | None:
        members, count = self.members(m, ()), self.count(m, ())
        options = combos(members, count, self.up_to)
        if not options:
            self._bind(m, None, False)
            if m.tracer:
                m.tracer.note(f"nothing can be chosen for “{self.name}”", cites=self.cites)
            return None
        who = "chance" if self.at_random else self.by(m, ())
        if len(options) == 1:
            self._bind(m, options[0], True)
            if m.tracer:
                m.tracer.only_choice(who, self.name, options[0], self.cites)
            return None
        return Decision(who, "choose", options, [], subject=self.name, cites=self.cites)

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        self._bind(m, decision.options[index], True)

    def _bind(self, m: "Machine", value: Any, ok: bool) -> None:
        self.set(m, self.slot, value)
        self.set(m, OK, ok)


def combos(members: list[Any], count: int, up_to: bool) -> list[Any]:
    """The ways to choose: single members when one is asked, else tuples; `up to` includes fewer (COC-F-2.6)."""
    if count == 1:
        return [*members, None] if up_to and members else list(members)
    found: list[Any] = []
    for size in range(count, -1 if up_to else count - 1, -1):
        for combination in combinations(members, size):
            found.append(combination)
            if len(found) > MAX_COMBINATIONS:
                return found
    return found


@dataclass(slots=True, eq=False)
class May(Operation):
    """Yes or no; no is “not done”."""

    by: Compiled
    what: str
    to: int = -1

    def run(self, m: "Machine") -> Decision | None:
        return Decision(self.by(m, ()), "may", [True, False], [], subject=self.what, cites=self.cites)

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        yes = decision.options[index]
        self.set(m, OK, yes)
        if not yes:
            m.pc = self.to


@dataclass(slots=True, eq=False)
class OneOf(Operation):
    """One of several labelled blocks; impossible ones are refused unless all are (COC-F-2.3c, COC-Q-27)."""

    labels: list[str]
    checks: list[Operation | None]
    by: Compiled
    targets: list[int] = field(default_factory=list)

    def run(self, m: "Machine") -> Decision | None:
        options, refused = [], []
        for label, check in zip(self.labels, self.checks, strict=True):
            reason = check.obstacle(m) if isinstance(check, Do) else None
            if reason is None:
                options.append(label)
            else:
                refused.append((label, reason))
        if not options:
            options, refused = list(self.labels), []
        if len(options) == 1:
            m.pc = self.targets[self.labels.index(options[0])]
            return None
        return Decision(self.by(m, ()), "one-of", options, refused, cites=self.cites)

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        m.pc = self.targets[self.labels.index(decision.options[index])]


# --- occurrences --------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Do(Operation):
    """Propose one group: one record per member of `each` (or a single one), and run its chart."""

    kind: "OccurrenceKind"
    roles: dict[str, Compiled]
    each: Compiled | None
    group: int  # hidden variable: the group's cell, for what follows
    mentions: tuple[int, ...]  # targets of the use that its words name
    skip_pending: bool = False
    number: int = 0
    via: "Unit | None" = None

    def bindings(self, m: "Machine") -> list[tuple[Any, ...]]:
        """The roles of every member, evaluated now."""
        kind = self.kind
        members = [()] if self.each is None else [(member,) for member in self.each(m, ())]
        found = []
        for b in members:
            roles = []
            for name in kind.role_names:
                value = self.roles.get(name)
                roles.append(kind.roles[name].default if value is None else value(m, b))
            found.append(tuple(roles))
        return found

    def obstacle(self, m: "Machine") -> Reason | None:
        """Why none of it could happen now, or None."""
        bindings = self.bindings(m)
        first: Reason | None = None
        for roles in bindings:
            reason = m.obstacle(self.kind, roles)
            if reason is None:
                return None
            first = first or reason
        return first or Reason("there is nothing it could apply to", ())

    def _refused(self, m: "Machine", roles: tuple[Any, ...]) -> Reason | None:
        """A chosen object that is no longer legal, or no longer the same object, is left alone (COC-F-1.9d)."""
        use = m.cur
        if use is None:
            return None
        if any(slot in use.illegal for slot in self.mentions):
            return Reason("its target is no longer legal", m.system.refusals.get("illegal-target", ()))
        for obj, inc in use.incs:
            if (
                m.inc(obj) != inc
                and any(roles[i] is obj for i in self.kind.subjects)
                and not self._own(m, obj)
            ):
                return Reason(f"{obj.label} has become a new object", m.system.refusals.get("new-object", ()))
        return None

    def _own(self, m: "Machine", obj: Obj) -> bool:
        """A reaction of a card to its own leaving still finds that card where it went."""
        use = m.cur
        return use is not None and obj is use.obj

    def run(self, m: "Machine") -> Decision | None:
        planned = -1
        use = m.cur
        if use is not None and not self.chart:
            planned = next((group for number, group in use.plan if number == self.number), -1)
        index = self.take_over(m, planned) if planned >= 0 else self.propose(m)
        group: Group = m.cells[index]
        self.set(m, self.group, index)
        if not any(m.cells[member].status == PROPOSED for member in group.members):
            return None
        unit = self.via
        assert unit is not None
        opened = 0
        if m.tracer:
            opened = m.tracer.enter_group(m, index, self.cites)
        m.push(unit, grp=index, opened=opened)
        return None

    def propose(self, m: "Machine", planned: bool = False) -> int:
        """Make the records and their group; returns the group's cell."""
        records = []
        for roles in self.bindings(m):
            if self.skip_pending and any(
                isinstance(roles[i], Obj) and m.pending(self.kind.name, roles[i]) for i in self.kind.subjects
            ):
                continue
            records.append(m.propose(self.kind, roles, self._refused(m, roles)))
        members = tuple(m.add_cell(record) for record in records)
        if m.tracer:
            for record in records:
                if record.status == IMPOSSIBLE:
                    m.tracer.impossible(m, record)
        return m.add_cell(Group(members, planned, self.each is not None))

    def take_over(self, m: "Machine", planned: int) -> int:
        """The records foreseen at initiation, brought up to date: the subjects are read at execution (COC-Q-38)."""
        group: Group = m.cells[planned]
        old = {m.cells[index].roles: index for index in group.members}
        members = []
        for roles in self.bindings(m):
            index = old.pop(roles, None)
            reason = self._refused(m, roles)
            if index is None:
                index = m.add_cell(m.propose(self.kind, roles, reason))
            elif reason is not None and m.cells[index].status == PROPOSED:
                m.cells[index] = m.cells[index]._replace(status=IMPOSSIBLE, why=reason)
                if m.tracer:
                    m.tracer.impossible(m, m.cells[index])
            members.append(index)
        for index in old.values():
            if m.cells[index].status == PROPOSED:
                m.cells[index] = m.cells[index]._replace(status=VOID)
        m.cells[planned] = group._replace(members=tuple(members))
        return planned


@dataclass(slots=True, eq=False)
class DoDone(Operation):
    """After a group's chart: was it done in full?"""

    group: int
    name: int | None = None  # `as`
    keep: bool = False  # something further on looks at the group again

    def run(self, m: "Machine") -> None:
        index = self.get(m, self.group)
        self.set(m, OK, m.fully(index))
        if self.name is not None:
            members = m.cells[index].members
            self.set(m, self.name, members[0] if members else None)
        if not self.keep:
            self.set(m, self.group, None)


@dataclass(slots=True, eq=False)
class CheckAgain(Operation):
    """State checks go on in waves until a wave changes nothing."""

    groups: tuple[int, ...]
    to: int = 0

    def run(self, m: "Machine") -> None:
        again = False
        for slot in self.groups:
            index = self.get(m, slot)
            again = again or any(m.cells[member].status == DONE for member in m.cells[index].members)
            self.set(m, slot, None)
        if again:
            m.pc = self.to


@dataclass(slots=True, eq=False)
class Plan(Operation):
    """Foresee what the use is about to do, so that it can be disrupted before it is carried out."""

    use_kind: "OccurrenceKind | None"

    def run(self, m: "Machine") -> None:
        use = m.cur
        assert use is not None
        ability = use.ability
        plan: list[tuple[int, int]] = []
        members: list[int] = []
        record = -1
        if self.use_kind is not None:
            values = {"source": use.obj, "by": use.you, "ability-kind": ability.kind.name}
            roles = tuple(values.get(name) for name in self.use_kind.role_names)
            record = m.add_cell(m.propose(self.use_kind, roles))
            members.append(record)
        for operation in ability.parts[0].code if ability.parts else ():
            if isinstance(operation, DoDone):
                continue
            if not isinstance(operation, Do):
                break
            tracer, m.tracer = m.tracer, None
            group = operation.propose(m)
            m.tracer = tracer
            m.cells[group] = m.cells[group]._replace(planned=True)
            plan.append((operation.number, group))
            members += m.cells[group].members
        m.grp = m.add_cell(Group(tuple(members), True, True))
        m.update_use(use._replace(plan=tuple(plan), record=record))


@dataclass(slots=True, eq=False)
class Commit(Operation):
    """The group happens: re-check each member, look at everything once more as it is, then write all as one step."""

    def run(self, m: "Machine") -> None:
        group: Group = m.cells[m.grp]
        live: list[tuple[int, Record, tuple[Any, ...]]] = []
        failed: list[tuple[int, Record]] = []
        for index in group.members:
            record: Record = m.cells[index]
            if record.status != PROPOSED:
                continue
            roles = m.record_roles(record)
            reason = self._gone(m, record) or m.obstacle(record.kind, roles)
            if reason is None:
                live.append((index, record, roles))
            else:
                failed.append((index, record._replace(status=VOID, why=reason)))
        before = self._snapshots(m, live)
        writes = []
        for _, record, roles in live:
            for edit in record.kind.edits:
                assert isinstance(edit, Edit)
                writes.append(edit.prepare(m, (roles,)))
        for index, record in failed:
            m.cells[index] = record
            if m.tracer:
                m.tracer.impossible(m, record)
        for index, record, _ in live:
            m.cells[index] = record._replace(status=DONE, before=before)
        if m.tracer:
            m.tracer.committed(m, [record for _, record, _ in live], writes, self.cites)
        for write in writes:
            write.perform(m)

    def _gone(self, m: "Machine", record: Record) -> Reason | None:
        for i, inc in zip(record.kind.subjects, record.incs, strict=True):
            obj = record.roles[i]
            if isinstance(obj, Obj) and m.inc(obj) != inc:
                return Reason(f"{obj.label} is not there any more", m.system.refusals.get("new-object", ()))
        return None

    def _snapshots(
        self, m: "Machine", live: list[tuple[int, Record, tuple[Any, ...]]]
    ) -> dict[int, Any] | None:
        if not any(record.kind.name in m.scene.remembered for _, record, _ in live):
            return None
        before: dict[int, Any] = {}
        for _, record, roles in live:
            for i in record.kind.subjects:
                obj = roles[i]
                if isinstance(obj, Obj) and obj.kind == "card":
                    for near in (obj, *m.scene.neighbours(m, obj)):
                        if near.index not in before:
                            before[near.index] = m.snapshot(near)
        return before


@dataclass(slots=True, eq=False)
class Steps(Operation):
    """The procedures of the members that have one (an attack, a story), one after another."""

    left: int

    def run(self, m: "Machine") -> None:
        left = self.get(m, self.left)
        if left is None:
            members = m.cells[m.grp].members
            left = tuple(i for i in members if m.cells[i].status == DONE and m.cells[i].kind.steps)
        if not left:
            self.set(m, self.left, None)
            return
        record: Record = m.cells[left[0]]
        self.set(m, self.left, left[1:])
        m.pc -= 1
        arguments = dict(zip(record.kind.role_names, m.record_roles(record), strict=True))
        assert record.kind.steps is not None
        m.push(record.kind.steps, arguments=arguments)


@dataclass(slots=True, eq=False)
class Point(Operation):
    """A moment at which abilities may listen: before it happens, as it happens, after it happened."""

    name: str

    def run(self, m: "Machine") -> None:
        m.raise_point(self.name)


@dataclass(slots=True, eq=False)
class Cancel(Operation):
    record: Compiled
    status: str = CANCELLED

    def run(self, m: "Machine") -> None:
        index = self.record(m, ())
        record: Record | None = m.cells[index] if index is not None and index >= 0 else None
        reason = self._reason(m, record, index)
        if reason is None and record is not None:
            by = m.cur.obj.label if m.cur else "the rules"
            why = Reason(f"{'prevented' if self.status == PREVENTED else 'cancelled'} by {by}", self.cites)
            m.cells[index] = record._replace(status=self.status, why=why)
            if m.tracer:
                m.tracer.note(f"{m.describe(record)}: {why.text}", cites=self.cites)
        elif m.tracer and reason is not None:
            m.tracer.note(f"cannot be cancelled: {reason.text}", cites=reason.cites)
        self.set(m, OK, reason is None)

    def _reason(self, m: "Machine", record: Record | None, index: int) -> Reason | None:
        if record is None or record.status != PROPOSED:
            return Reason("it is not about to happen any more", ())
        for cell in m.cells:
            if isinstance(cell, Use) and cell.record == index and cell.ability.kind.uncancellable:
                return Reason(f"a {cell.ability.kind.title} cannot be cancelled", cell.ability.kind.cites)
        return None


@dataclass(slots=True, eq=False)
class Replace(Operation):
    """`instead`: the pending occurrence will not happen; what stands here happens in its place (COC-F-1.8)."""

    record: Compiled
    to: int = -1  # behind the block, when there is nothing to replace

    def run(self, m: "Machine") -> None:
        index = self.record(m, ())
        record: Record | None = m.cells[index] if index is not None and index >= 0 else None
        fine = record is not None and record.status == PROPOSED
        self.set(m, OK, fine)
        if not fine:
            m.pc = self.to
            return
        assert record is not None
        by = m.cur.obj.label if m.cur else "the rules"
        why = Reason(f"replaced by {by}", self.cites)
        m.cells[index] = record._replace(status=REPLACED, why=why)
        if m.tracer:
            m.tracer.note(f"{m.describe(record)}: {why.text}", cites=self.cites)


@dataclass(slots=True, eq=False)
class ReplaceDone(Operation):
    """Remember what the replaced occurrence became, so that a `then` can follow the chain."""

    record: Compiled
    group: int

    def run(self, m: "Machine") -> None:
        index, group = self.record(m, ()), self.get(m, self.group)
        if index is not None and index >= 0 and group is not None:
            m.cells[index] = m.cells[index]._replace(resolved_as=group)


@dataclass(slots=True, eq=False)
class Alter(Operation):
    """Change the pending occurrence's amount (changes are summed at commit) or one of its roles."""

    record: Compiled
    by: Compiled | None
    roles: dict[str, Compiled]

    def run(self, m: "Machine") -> None:
        index = self.record(m, ())
        record: Record = m.cells[index]
        if record.status != PROPOSED:
            self.set(m, OK, False)
            return
        if self.by is not None:
            record = record._replace(changes=(*record.changes, self.by(m, ())))
        if self.roles:
            new = {name: value(m, ()) for name, value in self.roles.items()}
            names = record.kind.role_names
            roles = tuple(new.get(name, old) for name, old in zip(names, record.roles, strict=True))
            incs = tuple(m.inc(roles[i]) if isinstance(roles[i], Obj) else 0 for i in record.kind.subjects)
            record = record._replace(roles=roles, incs=incs)
        m.cells[index] = record
        self.set(m, OK, True)
        if m.tracer:
            m.tracer.note(f"changed to: {m.describe(record)}", cites=self.cites)


# --- writing facts ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Write:
    """One change of the facts, all values known."""

    what: str  # set | add | move
    obj: Obj
    property: "Property | None"
    value: Any
    host: Obj | None = None
    controller: Obj | None = None

    def perform(self, m: "Machine") -> None:
        if self.what == "move":
            m.move(self.obj, self.value, self.host, self.controller)
            return
        assert self.property is not None
        slot = self.obj.base + self.property.slot
        m.facts[slot] = self.value if self.what == "set" else m.fact(self.obj, self.property) + self.value


@dataclass(slots=True, eq=False)
class Edit(Operation):
    """set, add, move: as an instruction, or as one of the edits of an occurrence kind."""

    what: str
    property: "Property | None"
    of: Compiled
    value: Compiled
    host: Compiled | None = None
    controller: Compiled | None = None

    def prepare(self, m: "Machine", b: tuple[Any, ...]) -> Write:
        return Write(
            self.what,
            self.of(m, b),
            self.property,
            self.value(m, b),
            self.host(m, b) if self.host else None,
            self.controller(m, b) if self.controller else None,
        )

    def run(self, m: "Machine") -> None:
        write = self.prepare(m, ())
        if write.obj is None:
            self.set(m, OK, False)
            return
        if m.tracer:
            m.tracer.wrote(m, write, self.cites)
        write.perform(m)
        self.set(m, OK, True)

    def obstacle(self, m: "Machine") -> Reason | None:
        """As a cost: a change that changes nothing pays nothing."""
        write = self.prepare(m, ())
        if (
            self.what == "set"
            and self.property is not None
            and m.fact(write.obj, self.property) == write.value
        ):
            return Reason(f"{write.obj.label} is already {self.property.name}", ())
        return None


@dataclass(slots=True, eq=False)
class Pay(Operation):
    """One payment from a counter. A counter that the scenario does not mention is taken to be enough."""

    property: "Property"
    of: Compiled
    amount: Compiled
    to: int = -1

    def obstacle(self, m: "Machine") -> Reason | None:
        payer, amount = self.of(m, ()), self.amount(m, ())
        have = m.fact(payer, self.property)
        if have is not None and have < amount:
            return Reason(f"{payer.label} has {have} {self.property.name} and needs {amount}", self.cites)
        return None

    def run(self, m: "Machine") -> None:
        payer, amount = self.of(m, ()), self.amount(m, ())
        have = m.fact(payer, self.property)
        fine = have is None or have >= amount
        if fine and have is not None:
            m.facts[payer.base + self.property.slot] = have - amount
        if m.tracer:
            what = f"{payer.label} {'pays' if fine else 'cannot pay'} {amount} {self.property.name}"
            m.tracer.note(what, cites=self.cites)
        self.set(m, OK, fine)


# --- windows and triggers -----------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class OpenGate(Operation):
    kinds: tuple[str, ...]

    def run(self, m: "Machine") -> None:
        m.gates = (m.add_cell(Gate(self.kinds, (), ())), m.gates)


@dataclass(slots=True, eq=False)
class CloseGate(Operation):
    def run(self, m: "Machine") -> None:
        m.gates = m.gates[1]


@dataclass(slots=True, eq=False)
class Must(Operation):
    """Compulsory abilities, one at a time, looked for again after each; several at once are put in order."""

    kinds: tuple[str, ...]
    order: Compiled
    nest_name: str
    state: int  # hidden: was the trace's node opened?
    nest: "Unit | None" = None

    def run(self, m: "Machine") -> Decision | None:
        options, refused = m.choices(self.kinds, None, must=True)
        if m.tracer and (options or refused) and self.get(m, self.state) is None:
            m.tracer.enter("window", None, self.says or f"{' and '.join(self.kinds)}, compulsory", self.cites)
            self.set(m, self.state, True)
        if not options:
            if m.tracer and self.get(m, self.state):
                m.tracer.refused(m, refused)
                m.tracer.exit(1)
            self.set(m, self.state, None)
            return None
        if len(options) > 1:
            who = self.order(m, ())
            return Decision(who, "order", options, refused, subject=self.kinds, cites=self.cites)
        self._start(m, options[0])
        return None

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        self._start(m, decision.options[index])

    def _start(self, m: "Machine", option: tuple[Candidate, int]) -> None:
        m.pc -= 1
        assert self.nest is not None
        opened = m.tracer.enter_use(m, option[0], self.nest.cites) if m.tracer else 0
        m.start_use(*option, self.nest, opened)


@dataclass(slots=True, eq=False)
class Window(Operation):
    """Optional abilities: whose turn, how turns and passes move, what closes it, what a use runs."""

    kinds: tuple[str, ...]
    start: Compiled
    clock: (
        "Property | None"  # a game variable that each use and each pass moves on; else a pointer of its own
    )
    closes: str  # all-pass | first-use | each-done
    stays: bool  # a user keeps the turn
    nest_name: str
    state: int  # hidden: (turn, passes in a row, seats done)
    used: int  # variable `used`: the last use, or nothing
    stops: bool
    nest: "Unit | None" = None

    def run(self, m: "Machine") -> Decision | None:
        state = self.get(m, self.state)
        if state is None:
            state = self._open(m)
        turn, passes, done = state
        seats = len(m.players)
        while passes < seats and len(done) < seats:
            player = m.fact(m.game, self.clock) if self.clock else turn
            if player in done:
                turn = m.next_player(player)
                continue
            options, refused = m.choices(self.kinds, player, must=False)
            if options or self.stops:
                self.set(m, self.state, (turn, passes, done))
                options.append(None)  # pass
                return Decision(
                    player, "use", options, refused, subject=self.kinds, stop=self.stops, cites=self.cites
                )
            if m.tracer:
                m.tracer.nobody(m, player, refused)
            turn, passes, done = self._passed(m, player, turn, passes, done)
        if m.tracer:
            m.tracer.exit(1)
        self.set(m, self.state, None)
        return None

    def _open(self, m: "Machine") -> tuple[Any, int, tuple[Any, ...]]:
        start = self.start(m, ())
        if m.tracer:
            m.tracer.enter("window", None, self.says or f"{' and '.join(self.kinds)} window", self.cites)
        self.set(m, self.used, None)
        return (start, 0, ())

    def _passed(self, m: "Machine", player: Any, turn: Any, passes: int, done: Any) -> tuple[Any, int, Any]:
        if self.clock:
            m.facts[m.game.base + self.clock.slot] = m.next_player(player)
        if self.closes == "each-done":
            return m.next_player(player), passes, (*done, player)
        return m.next_player(player), passes + 1, done

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        turn, passes, done = self.get(m, self.state)
        option, player = decision.options[index], decision.who
        if option is None:
            self.set(m, self.state, self._passed(m, player, turn, passes, done))
            m.pc -= 1
            return
        if self.clock:
            m.facts[m.game.base + self.clock.slot] = m.next_player(player)
        self.set(m, self.used, Ref(len(m.cells)))  # the cell that the use is about to get
        after = player if self.stays or self.closes == "each-done" else m.next_player(player)
        if self.closes == "first-use":
            self.set(m, self.state, None)
        else:
            self.set(m, self.state, (after, 0, done))
            m.pc -= 1
        assert self.nest is not None
        opened = m.tracer.enter_use(m, option[0], self.nest.cites) if m.tracer else 0
        if m.tracer and self.closes == "first-use":
            opened += 1  # the window's own node ends with the use
        m.start_use(*option, self.nest, opened)


# --- a use from targets to execution ------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Targets(Operation):
    """Step b: the choices of the ability in printed order, each a decision of its user."""

    state: int  # hidden: which target is next

    def run(self, m: "Machine") -> Decision | None:
        use = m.cur
        assert use is not None
        number = self.get(m, self.state) or 0
        while number < len(use.ability.targets):
            target = use.ability.targets[number]
            members, count = target.members(m, ()), target.count(m, ())
            options = self._possible(m, number, combos(members, count, target.up_to))
            if len(options) > 1:
                who = target.by(m, ()) if target.by else use.you
                self.set(m, self.state, number)
                return Decision(
                    who, "target", options, [], subject=target.name, cites=target.cites or self.cites
                )
            chosen = options[0] if options else None
            if m.tracer:
                m.tracer.only_choice(use.you, target.name, chosen, target.cites or self.cites)
            self._bind(m, number, chosen)
            use = m.cur
            assert use is not None
            number += 1
        self.set(m, self.state, None)
        return None

    def _possible(self, m: "Machine", number: int, options: list[Any]) -> list[Any]:
        """Only choices that leave the later ones possible."""
        use = m.cur
        assert use is not None
        if number + 1 >= len(use.ability.targets):
            return options
        fine = []
        for option in options:
            env = (*use.env[: use.ability.targets[number].slot], option)
            m.cur = use._replace(env=(*env, *use.env[len(env) :]))
            if m._refused_targets(use.ability, number + 1) is None:
                fine.append(option)
        m.cur = use
        return fine

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        number = self.get(m, self.state) or 0
        self._bind(m, number, decision.options[index])
        self.set(m, self.state, number + 1)
        m.pc -= 1

    def _bind(self, m: "Machine", number: int, chosen: Any) -> None:
        use = m.cur
        assert use is not None
        m.set_use(use.ability.targets[number].slot, chosen)
        many = chosen if isinstance(chosen, tuple) else (chosen,)
        incs = tuple((obj, m.inc(obj)) for obj in many if isinstance(obj, Obj))
        assert m.cur is not None
        m.update_use(m.cur._replace(incs=(*m.cur.incs, *incs)))


@dataclass(slots=True, eq=False)
class Costs(Operation):
    """Pay, and count the use against its limit: it stays counted and paid though cancelled (COC-F-2.9c, 2.13d)."""

    def run(self, m: "Machine") -> None:
        use = m.cur
        assert use is not None
        if use.ability.limit is not None:
            key = m.limit_key(use.ability, use.obj)
            m.ledger[key] = m.ledger.get(key, 0) + 1
        if use.ability.cost is not None:
            opened = m.tracer.enter("step", use.you, "pays the cost", self.cites) if m.tracer else 0
            m.push(use.ability.cost, opened=opened)


@dataclass(slots=True, eq=False)
class Execute(Operation):
    """Carry the ability out, part after part, unless it was cancelled; targets are looked at again first."""

    state: int

    def run(self, m: "Machine") -> None:
        use = m.cur
        assert use is not None
        number = self.get(m, self.state)
        if number is None:
            if use.record >= 0 and m.cells[use.record].status != PROPOSED:
                self._void_plan(m, use)
                return
            if use.record >= 0:
                m.cells[use.record] = m.cells[use.record]._replace(status=DONE)
            self._recheck(m, use)
            number = 0
        if number >= len(use.ability.parts):
            self.set(m, self.state, None)
            return
        self.set(m, self.state, number + 1)
        m.pc -= 1
        opened = 0
        if m.tracer and number == 0:
            opened = m.tracer.enter("step", None, f"{use.obj.label} takes effect", self.cites)
        m.push(use.ability.parts[number], opened=opened)

    def _void_plan(self, m: "Machine", use: Use) -> None:
        for _, group in use.plan:
            for index in m.cells[group].members:
                if m.cells[index].status == PROPOSED:
                    m.cells[index] = m.cells[index]._replace(status=VOID)
        if m.tracer:
            m.tracer.note(
                f"{use.obj.label} has no effect: it was cancelled; what was paid stays paid", cites=self.cites
            )

    def _recheck(self, m: "Machine", use: Use) -> None:
        illegal = []
        for target in use.ability.targets:
            chosen = use.env[target.slot]
            if chosen is None:
                continue
            members = target.members(m, ())
            same = dict(use.incs)
            many = chosen if isinstance(chosen, tuple) else (chosen,)
            if any(obj not in members or (obj in same and m.inc(obj) != same[obj]) for obj in many):
                illegal.append(target.slot)
        if illegal:
            m.update_use(use._replace(illegal=tuple(illegal)))


# --- durations ----------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class MakeLasting(Operation):
    of: Compiled
    property: "Property"
    op: str
    value: Compiled
    until: str

    def run(self, m: "Machine") -> None:
        from rules.engine.machine import Lasting

        found, value = self.of(m, ()), self.value(m, ())
        objects = found if isinstance(found, list | tuple) else [found]
        objects = [obj for obj in objects if obj is not None]
        m.lasting += tuple(
            Lasting(obj, m.inc(obj), self.property, self.op, value, self.until) for obj in objects
        )
        self.set(m, OK, bool(objects))
        if m.tracer:
            sign = "becomes" if self.op == "set" else ("+" if value >= 0 else "")
            for obj in objects:
                text = f"{obj.label}: {self.property.name} {sign}{value if self.op != 'set' else ' ' + str(value)}"
                m.tracer.note(f"{text} until the end of the {self.until}", cites=self.cites)


@dataclass(slots=True, eq=False)
class MakeDelayed(Operation):
    ability: "Ability"
    keep: dict[int, Compiled]
    once: bool
    until: str

    def run(self, m: "Machine") -> None:
        from rules.engine.machine import Delayed

        use = m.cur
        assert use is not None
        env = list(self.ability.defaults)
        for slot, value in self.keep.items():
            env[slot] = value(m, ())
        number = len(m.delayed)
        m.delayed += (Delayed(self.ability, use.obj, use.you, tuple(env), self.once, self.until, number),)
        if m.tracer:
            m.tracer.note(f"{use.obj.label} leaves a delayed effect behind", cites=self.cites)


@dataclass(slots=True, eq=False)
class Expire(Operation):
    """The end of a period: what lasted until then, what waited until then, what was counted for it."""

    period: str

    def run(self, m: "Machine") -> None:
        m.lasting = tuple(effect for effect in m.lasting if effect.until != self.period)
        m.delayed = tuple(effect for effect in m.delayed if effect.until != self.period)
        m.ledger = {key: count for key, count in m.ledger.items() if key[0] != self.period}


__all__ = ["VOID", "Operation"]
