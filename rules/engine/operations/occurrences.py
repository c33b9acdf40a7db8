"""Proposing and committing what happens."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from rules.engine.base.messages import Message
from rules.engine.definitions.instructions import OK, Operation
from rules.engine.definitions.values import (
    DONE,
    IMPOSSIBLE,
    NOBODY,
    PROPOSED,
    VOID,
    Before,
    Decision,
    Group,
    Obj,
    Reason,
    Record,
    Ref,
    Use,
)
from rules.engine.language.combinators import Compiled
from rules.engine.language.folding import UNKNOWN, fold, reduced
from rules.engine.operations.facts import Edit, not_ones_own

if TYPE_CHECKING:
    from rules.engine.definitions.effects import Footprint
    from rules.engine.definitions.instructions import Known
    from rules.engine.definitions.model import OccurrenceKind, System, Unit
    from rules.engine.machine.interpreter import Machine
    from rules.engine.machine.writes import Write


MEMBER = "#member"  # in the steps of an occurrence, the variable that holds it


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
    if_able: bool = False  # is it said that whom it names may not be able to take it?
    designates: bool = False  # it happens whatever else is decided, and nothing is said of “if able”
    named: bool = False  # what follows speaks of it (`as`)
    meant: bool = False  # it says what a use comes to, and is no instruction of its own
    words: str = ""  # its roles as they are written

    def bindings(self, m: "Machine", chosen: list[Any] | None = None) -> list[tuple[Any, ...]]:
        """The roles of every member (of those `chosen` before), evaluated now."""
        kind = self.kind
        if self.each is None:
            members: list[tuple[Any, ...]] = [()]
        else:
            members = [(member,) for member in (self.each(m, ()) if chosen is None else chosen)]
        found = []
        for b in members:
            roles = []
            for name in kind.role_names:
                value = self.roles.get(name)
                roles.append(kind.roles[name].default if value is None else value(m, b))
            found.append(tuple(roles))
        return found

    def is_about(self, m: "Machine", obj: Obj) -> bool:
        """Does it happen to this card, and to no other?"""
        cards = {
            one for roles in self.bindings(m) for one in roles if isinstance(one, Obj) and one.kind == "card"
        }
        return cards == {obj}

    def obstacle(self, m: "Machine") -> Reason | None:
        """Why none of it could happen now, or None."""
        bindings = self.bindings(m)
        first: Reason | None = None
        for roles in bindings:
            reason = self._not_payable(m, roles) or m.obstacle(self.kind, roles)
            if reason is None:
                return None
            first = first or reason
        return first or Reason(Message("there is nothing it could apply to"), ())

    def changes(self, m: "Machine") -> "list[Write]":
        happening = [roles for roles in self.bindings(m) if m.obstacle(self.kind, roles) is None]
        edits = [edit for edit in self.kind.edits if isinstance(edit, Edit)]
        return [edit.prepare(m, (roles,)) for roles in happening for edit in edits]

    def forbidden(self, m: "Machine") -> Reason | None:
        """Why a card or the rules forbid all of it, or None."""
        reasons = [m.obstacle(self.kind, roles, absolute=True) for roles in self.bindings(m)]
        return None if None in reasons or not reasons else reasons[0]

    def _not_payable(self, m: "Machine", roles: tuple[Any, ...]) -> Reason | None:
        patient = self.kind.patient
        return not_ones_own(m, roles[patient]) if self.paying and patient is not None else None

    def idle(self, m: "Machine", chosen: frozenset[int]) -> Reason | None:
        if chosen.intersection(self.mentions):
            return None
        reason = self.obstacle(m)
        if reason is not None or self.each is not None:
            return reason
        return m.unaffordable(self.kind, self.bindings(m)[0])

    def entering(self, m: "Machine") -> frozenset[int]:
        moves = [one for one in self.kind.edits if getattr(one, "enters", False)]
        entering = [getattr(getattr(one, "of", None), "role", None) for one in moves]
        if m.cur is None or not entering:
            return frozenset()
        cards = [roles[role] for roles in self.bindings(m) for role in entering if role is not None]
        return frozenset(slot for slot in self.mentions if m.cur.env[slot] in cards)

    def mark(self, footprint: "Footprint") -> None:
        if self.named and not self.chart:
            footprint.told.add(self.kind.name)

    def vacuous(self, m: "Machine") -> bool:
        return self.each is not None and not self.each(m, ())

    def _refused(self, m: "Machine", roles: tuple[Any, ...]) -> Reason | None:
        """A chosen object that is no longer legal, or no longer the same object, is left alone."""
        use = m.cur
        if use is None:
            return None
        if use.illegal and not self.chart and any(use.lost(self.mentions, role) for role in roles or (None,)):
            why = Message("its target is no longer legal")
            subjects = [roles[i] for i in self.kind.subjects if i < len(roles)]
            if subjects and all(use.lost_with_others(self.mentions, one) for one in subjects):
                why = Message("another target chosen with it is no longer legal")
            return Reason(why, m.system.refusals.get("illegal-target", ()))
        for obj, inc in use.incs:
            if (
                m.inc(obj) != inc
                and any(roles[i] is obj for i in self.kind.subjects)
                and not self._own(use, obj, inc)
                and not (
                    self.chart and obj is use.obj
                )  # whose use it is, the rules say of any of its effects
            ):
                why = Message("{card} has become a new object", card=obj)
                return Reason(why, m.system.refusals.get("new-object", ()))
        if self.paying and (reason := self._not_payable(m, roles)) is not None:
            return reason
        if m.scene.immunities and not (self.chart or self.paying) and self.kind.patient is not None:
            patient = roles[self.kind.patient]
            return m.immune(patient, use.obj) if isinstance(patient, Obj) else None
        return None

    @staticmethod
    def _own(use: Use, obj: Obj, inc: int) -> bool:
        """A reaction of a card to its own leaving still finds that card where it went; what waited for something else
        does not."""
        return obj is use.obj and use.incs[0] == (obj, inc)

    def run(self, m: "Machine") -> Decision | None:
        planned = None
        use = m.cur
        if use is not None and not self.chart:
            planned = next((group for number, group in use.plan if number == self.number), None)
        chosen = None
        if planned is None and self.each is not None:
            chosen = self.each(m, ())
            if not chosen:  # state checks mostly find nobody
                self.set(m, self.group, None)
                if m.tracer and not self.chart:
                    cites = m.behind("all-of-none", self.cites)
                    m.tracer.note(Message("there is nothing to affect, which counts as done"), cites=cites)
                return None
        index = self.propose(m, chosen) if planned is None else self.take_over(m, planned)
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

    def leads_to(self, system: "System") -> Sequence[Any]:
        return (self.kind, self.via)

    def holders(self, kind: "OccurrenceKind", known: "Known") -> tuple[Any, ...]:
        found = []
        for name, role in kind.roles.items():
            known.consulted.clear()
            value = self.roles.get(name)
            holder = role.default if value is None else fold(value, known)
            found.append(UNKNOWN if known.consulted or not isinstance(holder, str | int | None) else holder)
        return tuple(found)

    def reduced(self, known: "Known") -> "Do | None":
        known.consulted.clear()
        if self.each is None:
            return self
        if fold(self.each, known) == [] and not known.consulted:
            return None
        return self if known.consulted else replace(self, each=reduced(self.each, known))

    def propose(self, m: "Machine", chosen: list[Any] | None = None) -> Ref:
        """Make the records and their group; returns the group's cell."""
        members = tuple(self.records(m, chosen))
        return m.add_cell(Group(members, False, self.each is not None), "group", m.frames, self.number)

    def records(self, m: "Machine", chosen: list[Any] | None = None) -> list[Ref]:
        """The cells of a new record for each member."""
        members = []
        for roles in self.bindings(m, chosen):
            if self.skip_pending and any(
                isinstance(roles[i], Obj) and m.pending(self.kind.name, roles[i]) for i in self.kind.subjects
            ):
                continue
            record, why = m.propose(self.kind, roles, self._refused(m, roles))
            members.append(m.add_record(record))
            if m.tracer and why:
                m.tracer.impossible(m, record, why)
        return members

    def take_over(self, m: "Machine", planned: Ref) -> Ref:
        """The records foreseen at initiation, brought up to date: the subjects are read at execution."""
        group: Group = m.cells[planned]
        old = {index[1]: index for index in group.members}  # by the roles as foreseen, before any was changed
        members = []
        foreseen = False
        for roles in self.bindings(m):
            index = old.pop(roles, None)
            reason = self._refused(m, roles)
            if index is not None and m.cells[index].status == IMPOSSIBLE:
                # what came before it may have made it possible; then nobody has had a chance to disrupt it yet
                m.cells[index], why = m.propose(self.kind, roles, reason)
                members.append(index)
                if m.tracer and why:
                    m.tracer.impossible(m, m.cells[index], why)
                continue
            foreseen = True
            if index is None:
                record, why = m.propose(self.kind, roles, reason)
                index = m.add_record(record)
                if m.tracer and why:
                    m.tracer.impossible(m, record, why)
            elif reason is not None and m.cells[index].status == PROPOSED:
                m.cells[index] = m.cells[index].with_status(IMPOSSIBLE)
                if m.tracer:
                    m.tracer.impossible(m, m.cells[index], reason)
            members.append(index)
        for index in old.values():
            if m.cells[index].status == PROPOSED:
                m.cells[index] = m.cells[index].with_status(VOID)
        m.cells[planned] = Group(tuple(members), foreseen, group.empty_ok)
        return planned


@dataclass(slots=True, eq=False)
class Together(Operation):
    """Several proposals as one group: they have one cause and happen at once."""

    parts: list[Do]
    group: int
    number: int
    via: "Unit | None" = None

    def run(self, m: "Machine") -> None:
        members: list[Ref] = []
        for part in self.parts:
            members += part.records(m)
        index = m.add_cell(Group(tuple(members), False, True), "group", m.frames, self.number)
        self.set(m, self.group, index)
        if not any(m.cells[member].status == PROPOSED for member in members):
            return
        assert self.via is not None
        opened = 0
        if m.tracer:
            records: list[Record] = [m.cells[member] for member in members]
            own = [cite for record in records if record.status == PROPOSED for cite in record.kind.cites]
            opened = m.tracer.enter_group(m, index, (*self.cites, *own))
        m.push(self.via, grp=index, opened=opened)

    def leads_to(self, system: "System") -> Sequence[Any]:
        return (*(part.kind for part in self.parts), self.via)

    def reduced(self, known: "Known") -> Operation | None:
        """Those parts for which anything may ever happen."""
        left = [part.reduced(known) for part in self.parts]
        return replace(self, parts=[part for part in left if part is not None])


@dataclass(slots=True, eq=False)
class DoDone(Operation):
    """After a group's chart: was it done in full? A group that was never proposed had nobody in it."""

    group: int
    name: int | None = None  # `as`
    keep: bool = False  # something further on looks at the group again

    neutral: ClassVar[bool] = True

    def run(self, m: "Machine") -> None:
        index = self.get(m, self.group)
        if index is None:
            self.set(m, OK, True)
            if self.name is not None:
                self.set(m, self.name, None)
            return
        self.set(m, OK, m.fully(index))
        self._follow(m, m.cells[index])
        if self.name is not None:
            members = m.cells[index].members
            self.set(m, self.name, members[0] if members else None)
        if not self.keep:
            self.set(m, self.group, None)

    def _follow(self, m: "Machine", group: Group) -> None:
        """What an effect has itself moved it can go on to speak of (“put it into play, then wound it”)."""
        use = m.cur
        if use is None or self.chart:
            return
        moved: set[object] = set()
        for member in group.members:
            record: Record = m.cells[member]
            if record.status == DONE:
                moved.update(record.roles[i] for i in record.kind.subjects)
        if any(obj in moved and m.inc(obj) != inc for obj, inc in use.incs):
            incs = tuple((obj, m.inc(obj) if obj in moved else inc) for obj, inc in use.incs)
            m.update_use(use._replace(incs=incs))


@dataclass(slots=True, eq=False)
class CheckAgain(Operation):
    """State checks go on in waves until a wave changes nothing."""

    groups: tuple[int, ...]
    to: int = 0

    def run(self, m: "Machine") -> None:
        again = False
        for slot in self.groups:
            index = self.get(m, slot)
            if index is None:
                continue
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
        plan: list[tuple[int, Ref]] = []
        members: list[Ref] = []
        record = None
        if self.use_kind is not None:
            record = m.add_record(m.propose(self.use_kind, m.using(self.use_kind, use))[0])
            members.append(record)
        for operation in ability.parts[0].code if ability.parts else ():
            if isinstance(operation, DoDone):
                continue
            if not isinstance(operation, Do):
                break
            tracer, m.tracer = m.tracer, None
            group = operation.propose(m)
            m.tracer = tracer
            m.cells[group] = Group(m.cells[group].members, True, m.cells[group].empty_ok)
            plan.append((operation.number, group))
            members += m.cells[group].members
        m.grp = m.add_cell(Group(tuple(members), True, True), "plan", m.frames)
        m.update_use(Use(*use[:7], tuple(plan), record, use.gate))

    def leads_to(self, system: "System") -> Sequence[Any]:
        return (self.use_kind,)

    def reduced(self, known: "Known") -> Operation | None:
        """Nothing is foreseen for nobody: needed only where something listens before things happen."""
        scene = known.scene
        early = any(known.hears(point) for point in scene.system.points - scene.system.later)
        return self if early else None


@dataclass(slots=True, eq=False)
class Commit(Operation):
    """The group happens: re-check each member, look at everything once more as it is, then write all as one step.

    only: one member, which happens before the others.
    """

    only: Compiled | None = None

    def run(self, m: "Machine") -> None:
        assert m.grp is not None
        group: Group = m.cells[m.grp]
        members = group.members if self.only is None else (self.only(m, ()),)
        live: list[tuple[Ref, Record, tuple[Any, ...]]] = []
        failed: list[tuple[Ref, Record, Reason]] = []
        for index in members:
            record: Record = m.cells[index]
            if record.status != PROPOSED:
                continue
            roles = m.record_roles(record)
            reason = m.gone(record) or m.obstacle(record.kind, roles)
            if reason is None:
                live.append((index, record, roles))
            else:
                failed.append((index, record.with_status(VOID), reason))
        before = self._snapshots(m, live)
        counted = self._counted(m, live) if m.scene.counted else ()
        writes = []
        for _, record, roles in live:
            for edit in record.kind.edits:
                assert isinstance(edit, Edit)
                writes.append(edit.prepare(m, (roles,)))
        leaving = m.spoken_of([write.obj for write in writes if m.takes_out(write)])
        for index, record, why in failed:
            m.cells[index] = record
            if m.tracer:
                m.tracer.impossible(m, record, why)
        for index, record, _ in live:
            m.cells[index] = Record(
                record.kind, record.roles, DONE, record.changes, record.incs, before, None, record.short
            )
        for key in counted:
            m.count(key)
        if m.tracer is None:
            self._perform(m, writes)
            m.remember_last(leaving)
            m.note_happened([index for index, _, _ in live])
            return
        if not live and any(m.cells[index].status == DONE for index in group.members):
            return  # one after another they have happened
        step = m.tracer.committed(m, [record for _, record, _ in live], writes, self.cites)
        standing = m.tracer.standing(m)
        self._perform(m, writes)
        m.remember_last(leaving)
        m.note_happened([index for index, _, _ in live])
        m.tracer.followed(m, step, standing)

    @staticmethod
    def _perform(m: "Machine", writes: "Sequence[Write]") -> None:
        """What goes from one place out of play to another one has moved on from what answers its coming there."""
        for write in writes:
            was = m.zone(write.obj) if write.what == "move" else None
            write.perform(m)
            if was is not None and was != write.value and not {was, write.value} & m.system.zones_in_play:
                m.move_on(write.obj)

    @staticmethod
    def _counted(
        m: "Machine", live: list[tuple[Ref, Record, tuple[Any, ...]]]
    ) -> list[tuple[str, str, Obj | None]]:
        """What is counted of all this, since somebody may ask how often it happened: the period, the kind or family (of
        a family only what meets its condition, as things still are), and to whom."""
        found: list[tuple[str, str, Obj | None]] = []
        for index, record, _ in live:
            for word, period in m.scene.counted.get(record.kind.name, ()):
                holds = m.system.family_holds.get(word)
                if word != record.kind.name and holds is not None and not holds(m, (index,)):
                    continue
                subjects = {record.roles[i] for i in record.kind.subjects if isinstance(record.roles[i], Obj)}
                found += [(period, word, subject) for subject in (None, *subjects)]
        return found

    def _snapshots(self, m: "Machine", live: list[tuple[Ref, Record, tuple[Any, ...]]]) -> Before:
        if not any(record.kind.name in m.scene.remembered for _, record, _ in live):
            return NOBODY
        subjects = (roles[i] for _, record, roles in live for i in record.kind.subjects)
        cards = [obj for obj in subjects if isinstance(obj, Obj) and obj.kind == "card" and not obj.stranger]
        seen = [near for obj in cards for near in (obj, *m.scene.neighbours(m, obj))]
        one_effect = m.system.one_effect is not None and bool(m.system.one_effect(m, ()))
        if one_effect:
            kinds = {record.kind.name for _, record, _ in live}
            seen += [obj for obj, ability in m.scene.abilities if kinds.intersection(ability.of)]
        return Before(
            (obj.index, m.snapshot(obj)._replace(in_one_effect=one_effect)) for obj in dict.fromkeys(seen)
        )


@dataclass(slots=True, eq=False)
class Steps(Operation):
    """The procedures of the members that have one (an attack, a story), one after another."""

    left: int

    def run(self, m: "Machine") -> None:
        left = self.get(m, self.left)
        if left is None:
            assert m.grp is not None
            members = m.cells[m.grp].members
            left = tuple(i for i in members if m.cells[i].status == DONE and m.cells[i].kind.steps)
        if not left:
            self.set(m, self.left, None)
            if m.scene.moments and m.grp is not None:
                members = m.cells[m.grp].members
                m.note_moments([index for index in members if m.cells[index].status == DONE], over=True)
            return
        record: Record = m.cells[left[0]]
        self.set(m, self.left, left[1:])
        m.pc -= 1
        arguments = dict(zip(record.kind.role_names, m.record_roles(record), strict=True))
        assert record.kind.steps is not None
        m.push(record.kind.steps, arguments={**arguments, MEMBER: left[0]})

    def reduced(self, known: "Known") -> Operation | None:
        return self if known.footprint.steps else None


@dataclass(slots=True, eq=False)
class FellShort(Operation):
    """In the steps of an occurrence: it happened, but not in full, so that what comes after a “then” does not."""

    member: int  # variable: the occurrence whose steps these are

    def run(self, m: "Machine") -> None:
        ref = self.get(m, self.member)
        if ref is not None:
            m.cells[ref] = m.cells[ref]._replace(short=True)
            if m.tracer:
                m.tracer.note(Message("it was not done in full"), cites=self.cites)


@dataclass(slots=True, eq=False)
class Point(Operation):
    """A moment at which abilities may listen: before it happens, as it happens, after it happened.

    members: the occurrences it is a moment of; None: those of the running group that are about to happen, or, for a
    later point, that happened.
    """

    name: str
    members: Compiled | None = None

    def run(self, m: "Machine") -> None:
        m.raise_point(self.name, None if self.members is None else self.members(m, ()))

    def reduced(self, known: "Known") -> Operation | None:
        return self if known.hears(self.name) else None
