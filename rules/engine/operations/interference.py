"""Changing what is about to happen: cancelled, replaced, altered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rules.engine.base.errors import Unworkable
from rules.engine.base.messages import Message
from rules.engine.definitions.instructions import OK, Operation
from rules.engine.definitions.values import (
    CANCELLED,
    PREVENTED,
    PROPOSED,
    REPLACED,
    Gate,
    Obj,
    Reason,
    Record,
    Ref,
    Use,
)
from rules.engine.language.combinators import Compiled

if TYPE_CHECKING:
    from rules.engine.definitions.effects import Footprint
    from rules.engine.definitions.model import OccurrenceKind, System
    from rules.engine.machine.interpreter import Machine
    from rules.engine.operations.occurrences import Do


THE_RULES = Message("the rules")


@dataclass(slots=True, eq=False)
class Cancel(Operation):
    """The pending occurrence will not happen; with an amount, so many of what it amounts to, and the rest goes on."""

    record: Compiled
    status: str = CANCELLED
    amount: Compiled | None = None

    def mark(self, footprint: "Footprint") -> None:
        footprint.cancels = True
        if self.amount is not None:
            footprint.altered.add("amount")

    def idle(self, m: "Machine", chosen: frozenset[int]) -> Reason | None:
        index = self.record(m, ())
        return None if index is None else self._reason(m, m.cells[index], index)

    def run(self, m: "Machine") -> None:
        index = self.record(m, ())
        record: Record | None = m.cells[index] if index is not None else None
        reason = self._reason(m, record, index)
        if reason is None and record is not None and not self._in_part(m, index, record):
            by = m.cur.obj.label if m.cur and not self.chart else THE_RULES
            why = Message("cancelled by {source}", source=by)
            if self.status == PREVENTED:
                why = Message("prevented by {source}", source=by)
            m.cells[index] = record.with_status(self.status)
            if m.tracer:
                cites = m.behind("cancelled", self.cites)
                text = Message("{what}: {said}", what=m.describe(record), said=self.says or why)
                m.tracer.note(text, cites=cites)
            self._leave(m, index)
        elif m.tracer and reason is not None:
            m.tracer.note(Message("cannot be cancelled: {reason}", reason=reason.text), cites=reason.cites)
        self.set(m, OK, reason is None)

    def _in_part(self, m: "Machine", index: Ref, record: Record) -> bool:
        """Less than all of it is cancelled: what is left happens, but not in full."""
        if self.amount is None or "amount" not in record.kind.roles:
            return False
        less = self.amount(m, ())
        if m.record_field(index, "amount") <= less:
            return False
        short = record.short or less > 0
        m.cells[index] = record = record._replace(changes=(*record.changes, -less), short=short)
        if m.tracer:
            said = self.says or Message("{amount} cancelled", amount=less)
            note = Message("{said}: {what}", said=said, what=m.describe(record))
            m.tracer.note(note, cites=m.behind("cancelled", self.cites))
        return True

    @staticmethod
    def _leave(m: "Machine", index: Ref) -> None:
        """A use that waits to be carried out, once cancelled, waits no longer."""
        for ref, gate in m.cells.items():
            if gate.__class__ is Gate and gate.waiting:
                left = tuple(use for use in gate.waiting if m.cells[use].record != index)
                if len(left) < len(gate.waiting):
                    m.cells[ref] = gate._replace(waiting=left)
                    return

    def _reason(self, m: "Machine", record: Record | None, index: Ref) -> Reason | None:
        if record is None or record.status != PROPOSED:
            return Reason(Message("it is no longer about to happen"), ())
        for cell in m.cells.values():
            if isinstance(cell, Use) and cell.record == index and cell.ability.kind.uncancellable:
                why = Message("a {kind} cannot be cancelled", kind=cell.ability.kind.title)
                return Reason(why, cell.ability.kind.cites)
        by = m.proposer(index)
        if by is not None and by.ability.kind.uncancellable:
            title = by.ability.kind.title
            why = Message("the effect of a {kind} cannot be cancelled", kind=title)
            return Reason(why, by.ability.kind.cites)
        return None


def waiting_at(m: "Machine", index: Ref) -> str:
    """The point at which an occurrence waits now."""
    gates = m.gates
    while gates is not None:
        for entry in m.cells[gates.gate].entries:
            if entry.record == index:
                return entry.point  # type: ignore[no-any-return]
        gates = gates.outer
    return ""


@dataclass(slots=True, eq=False)
class Replace(Operation):
    """`instead`: the pending occurrence, or all of a list, will not happen; what stands here happens in its place."""

    record: Compiled
    kept: int  # hidden variable: what was replaced
    to: int = -1  # behind the block, when there is nothing to replace
    instead: "Do | None" = None  # the one thing that happens in its place, if it is one

    def mark(self, footprint: "Footprint") -> None:
        footprint.cancels = True

    def run(self, m: "Machine") -> None:
        found = self.record(m, ())
        many = found if isinstance(found, list | tuple) and not isinstance(found, Ref) else (found,)
        refs = tuple(
            ref
            for ref in many
            if ref is not None and m.cells[ref].status == PROPOSED and not self._firm(m, ref)
        )
        self.set(m, OK, bool(refs))
        self.set(m, self.kept, refs)
        if not refs:
            m.pc = self.to
            return
        by = m.cur.obj.label if m.cur and not self.chart else THE_RULES
        foreseen = all(m.foreseen(ref) for ref in refs)
        later = self.instead is not None and foreseen
        if foreseen and not later and self._others_interfere(m):
            raise Unworkable(
                Message(
                    "{by} puts several things in the place of what is only foreseen, and others may still interfere; "
                    "write them as one kind of occurrence",
                    by=by,
                )
            )
        for ref in refs:
            record: Record = m.cells[ref]
            m.cells[ref] = record.with_status(REPLACED)
            if m.tracer:
                cites = m.behind("replaced", self.cites)
                said = self.says or Message("replaced by {source}", source=by)
                m.tracer.note(Message("{what}: {said}", what=m.describe(record), said=said), cites=cites)
            if later:
                self._substitute(m, ref)
        if later:
            m.pc = self.to

    @staticmethod
    def _others_interfere(m: "Machine") -> bool:
        """Has any other ability of a card here a cancel or a replacement, for which it matters when things happen?"""
        own = None if m.cur is None else m.cur.ability
        return any(
            isinstance(operation, Cancel | Replace)
            for _, ability in m.scene.abilities
            if ability is not own and not ability.of_rules
            for part in ability.parts
            for operation in part.code
        )

    def _substitute(self, m: "Machine", ref: Ref) -> None:
        """What a use only foresees becomes the other thing in its place: it happens when the use is carried out, if it
        is, and until then others can answer it or put something else in its place."""
        assert self.instead is not None
        record, why = m.propose(self.instead.kind, self.instead.bindings(m)[0])
        if why is not None:
            if m.tracer:
                m.tracer.impossible(m, record, why)
            return
        if m.tracer:
            m.tracer.turned.add(m.cells[ref].kind.name)
        m.cells[ref] = record._replace(short=not m.replaced_counts(ref))
        m.raise_point(waiting_at(m, ref), [ref])
        if m.tracer:
            m.tracer.note(Message("instead: {what}", what=m.describe(m.cells[ref])), cites=self.cites)

    @staticmethod
    def _firm(m: "Machine", ref: Ref) -> bool:
        """Is it the effect of an ability of a kind that cannot be replaced?"""
        use = m.proposer(ref) if m.system.irreplaceable else None
        kind = use.ability.kind if use is not None else None
        firm = (
            kind is not None
            and kind.name in m.system.irreplaceable
            and m.system.irreplaceable[kind.name](m, ())
        )
        if firm and kind is not None and m.tracer:
            text = Message("the effect of a {kind} cannot be replaced", kind=kind.title)
            m.tracer.note(text, cites=kind.cites)
        return bool(firm)


@dataclass(slots=True, eq=False)
class ReplaceDone(Operation):
    """Remember what the replaced occurrence became, so that a `then` can follow the chain."""

    kept: int
    group: int

    def run(self, m: "Machine") -> None:
        group = self.get(m, self.group)
        for ref in self.get(m, self.kept) or ():
            if group is not None:
                m.cells[ref] = m.cells[ref]._replace(resolved_as=group)


@dataclass(slots=True, eq=False)
class Alter(Operation):
    """Change the pending occurrence's amount (changes are summed at commit) or one of its roles; or what it is, so
    that it goes on as another kind of occurrence, in its place among those that happen with it."""

    record: Compiled
    by: Compiled | None
    roles: dict[str, Compiled]
    kind: "OccurrenceKind | None" = None

    def leads_to(self, system: "System") -> Sequence[Any]:
        return (self.kind,)

    def mark(self, footprint: "Footprint") -> None:
        footprint.altered.update(self.roles)
        if self.by is not None:
            footprint.altered.add("amount")

    def run(self, m: "Machine") -> None:
        index = self.record(m, ())
        record: Record | None = m.cells[index] if index is not None else None
        if record is None or record.status != PROPOSED or not self._fits(record):
            self.set(m, OK, False)
            return
        if self.kind is not None:
            record, why = self._become(m, index, record)
            if why is not None:
                self.set(m, OK, False)
                if m.tracer:
                    m.tracer.impossible(m, record, why)
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
        if self.kind is not None:  # whoever listens to what it is now
            m.raise_point(waiting_at(m, index), [index])
        if m.tracer:
            said = self.says or Message("changed to")
            m.tracer.note(Message("{said}: {what}", said=said, what=m.describe(record)), cites=self.cites)

    def _become(self, m: "Machine", index: Ref, record: Record) -> tuple[Record, Reason | None]:
        """The occurrence as one of the other kind; roles of the same name keep their holders."""
        assert self.kind is not None
        old = dict(zip(record.kind.role_names, m.record_roles(record), strict=True))
        new = {name: value(m, ()) for name, value in self.roles.items()}
        values = {**old, **new}
        roles = tuple(values.get(name, role.default) for name, role in self.kind.roles.items())
        found, why = m.propose(self.kind, roles)
        m.cells[index] = found
        return found, why

    def _fits(self, record: Record) -> bool:
        """Has the occurrence the roles that are to be changed?"""
        if self.kind is not None:
            return True
        return all(name in record.kind.roles for name in (*self.roles, *(("amount",) if self.by else ())))
