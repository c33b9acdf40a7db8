"""Writing facts: edits, payments, effects that last or wait."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rules.engine.combinators import Compiled
from rules.engine.errors import Need
from rules.engine.identity import summed
from rules.engine.operations.base import OK, Operation
from rules.engine.records import NOTHING, Delayed, Lasting, Obj, Open, Reason, counted, label, named

if TYPE_CHECKING:
    from rules.engine.footprint import Footprint
    from rules.engine.machine import Machine
    from rules.engine.model import Ability, Property, System


class Write(NamedTuple):
    """One change of the facts, all values known."""

    what: str  # set | add | move
    obj: Obj
    property: "Property | None"
    value: Any
    host: Obj | None = None
    controller: Obj | None = None
    way: int | None = None  # how a use that is watched worked the value out, for nobody but this fact

    def perform(self, m: "Machine") -> None:
        if self.what == "move":
            m.move(self.obj, self.value, self.host, self.controller)
            return
        assert self.property is not None
        slot = self.obj.base + self.property.slot
        if self.way is not None and m.watch is not None:
            m.watch.write(slot, self.way, adds=self.what == "add")
            return
        m.facts[slot] = self.value if self.what == "set" else m.fact(self.obj, self.property) + self.value


def immune(m: "Machine", obj: Obj) -> bool:
    """Do effects of the running use leave this card alone?"""
    if not m.scene.immunities or m.cur is None:
        return False
    reason = m.immune(obj, m.cur.obj)
    if reason is not None and m.tracer:
        m.tracer.note(f"{obj.label} is left alone: {reason.text}", cites=reason.cites)
    return reason is not None


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
        obj = self.of(m, b)
        if obj is not None and self.what != "set":
            self._settled(m, obj)
        return Write(
            self.what,
            obj,
            self.property,
            self.value(m, b),
            self.host(m, b) if self.host else None,
            self.controller(m, b) if self.controller else None,
        )

    def _settled(self, m: "Machine", obj: Obj) -> None:
        """What is added to, or moved from, must be settled before anything is written: afterwards it is too late to ask
        the facts. Looked at only where the scenario leaves it open."""
        slot = obj.base + (m.scene.zone_slot if self.property is None else self.property.slot)
        if m.scene.facts[slot].__class__ is Open and m.facts[slot].__class__ is Open:
            raise Need(slot)

    def unlooked(self, m: "Machine", b: tuple[Any, ...]) -> Write:
        """`prepare`, by somebody who does not look at the value: what is remembered need not hang on it."""
        if m.watch is None or self.property is None:
            return self.prepare(m, b)
        obj = self.of(m, b)
        if obj is not None and self.what != "set":
            self._settled(m, obj)
        found = m.watch.way(m, self.value, b) or (None, self.value(m, b))
        return Write(self.what, obj, self.property, found[1], way=found[0])

    def mark(self, footprint: "Footprint") -> None:
        if self.property is None:
            footprint.moves = True
            footprint.attaches = footprint.attaches or self.host is not None
            footprint.hands_over = footprint.hands_over or self.controller is not None
        else:
            footprint.written.add(self.property.slot)

    def run(self, m: "Machine") -> None:
        write = self.unlooked(m, ())
        if write.obj is None or self._immune(m, write.obj):
            self.set(m, OK, False)
            return
        if m.tracer:
            m.tracer.wrote(m, write, self.cites)
        write.perform(m)
        self.set(m, OK, True)

    def _immune(self, m: "Machine", obj: Obj) -> bool:
        return not (self.chart or self.paying) and immune(m, obj)

    def obstacle(self, m: "Machine") -> Reason | None:
        """As a cost: a change that changes nothing pays nothing."""
        write = self.prepare(m, ())
        if write.obj is None:
            return NOTHING
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
        if amount is None:  # it hangs on a choice that is still to be made
            return None
        payment = m.system.payments.get(self.property.name)
        if payment is not None:
            if payment.possible(m, (payer, amount)):
                return None
            return Reason(named(payment.because, {"payer": payer, "amount": amount}), payment.cites)
        have = m.fact(payer, self.property)
        if have is not None and have < amount:
            return Reason(
                f"{payer.label} has {counted(have, self.property.name)} and needs {amount}", self.cites
            )
        return None

    def leads_to(self, system: "System") -> Sequence[Any]:
        payment = system.payments.get(self.property.name)
        return () if payment is None else (payment.unit,)

    def mark(self, footprint: "Footprint") -> None:
        footprint.written.add(self.property.slot)

    def run(self, m: "Machine") -> None:
        payer, amount = self.of(m, ()), self.amount(m, ())
        payment = m.system.payments.get(self.property.name)
        if payment is not None:
            fine = bool(payment.possible(m, (payer, amount)))
            self.set(m, OK, fine)
            if m.tracer:
                what = (
                    f"{payer.label} {'pays' if fine else 'cannot pay'} {counted(amount, self.property.name)}"
                )
                m.tracer.note(what, cites=self.cites or payment.cites)
            if fine:
                m.push(payment.unit, arguments={"payer": payer, "amount": amount})
            return
        have = m.fact(payer, self.property)
        fine = have is None or have >= amount
        if fine and have is not None:
            m.facts[payer.base + self.property.slot] = have - amount
        if m.tracer:
            what = f"{payer.label} {'pays' if fine else 'cannot pay'} {counted(amount, self.property.name)}"
            m.tracer.note(what, cites=self.cites)
        self.set(m, OK, fine)


@dataclass(slots=True, eq=False)
class PayDone(Operation):
    """After a payment with a procedure of its own: was it paid after all?"""

    payment: Pay

    def run(self, m: "Machine") -> None:
        found = m.system.payments.get(self.payment.property.name)
        if found is not None and found.paid is not None and self.get(m, OK):
            amounts = (self.payment.of(m, ()), self.payment.amount(m, ()))
            self.set(m, OK, bool(found.paid(m, amounts)))


@dataclass(slots=True, eq=False)
class MakeLasting(Operation):
    of: Compiled
    property: "Property"
    op: str
    value: Compiled
    until: str
    mentions: tuple[int, ...]  # targets of the use that its words name

    def mark(self, footprint: "Footprint") -> None:
        footprint.lasting.add(self.property.name)

    def run(self, m: "Machine") -> None:
        found, value = self.of(m, ()), self.value(m, ())
        objects = found if isinstance(found, list | tuple) else [found]
        objects = [obj for obj in objects if obj is not None and (self.chart or not self._left_alone(m, obj))]
        for obj in objects:
            effect = Lasting(obj, m.inc(obj), self.property, self.op, value, self.until)
            m.lasting = _joined(m.lasting, effect)
        self.set(m, OK, bool(objects))
        if m.tracer:
            period = (
                "as long as it is in play" if self.until == "leaves" else f"until the end of the {self.until}"
            )
            for obj in objects:
                m.tracer.note(f"{self._change(obj, value)} {period}", cites=self.cites)

    def _left_alone(self, m: "Machine", obj: Obj) -> bool:
        if m.cur is not None and m.cur.lost(self.mentions, obj):
            if m.tracer:
                cites = m.system.refusals.get("illegal-target", ())
                m.tracer.note(f"{obj.label} is left alone: it is no longer a legal target", cites=cites)
            return True
        if any(when(m, (obj,)) for when in self.property.ignores):
            if m.tracer:
                cites = m.system.refusals.get("fixed", ())
                m.tracer.note(
                    f"{obj.label} is left alone: nothing changes its {self.property.name}", cites=cites
                )
            return True
        return immune(m, obj)

    def _change(self, obj: Obj, value: Any) -> str:
        name = self.property.name
        if self.property.type == "yes-no":
            return f"{obj.label} {'becomes' if value else 'is no longer'} {name}"
        if self.op == "set":
            return f"{obj.label}: {name} becomes {label(value)}"
        return f"{obj.label}: {name} {f'{value:+}' if isinstance(value, int) else f'gains {label(value)}'}"


def _joined(effects: tuple[Lasting, ...], new: Lasting) -> tuple[Lasting, ...]:
    """With one more effect: the same change for the same time adds up, or takes the place of the earlier one."""
    like = [e for e in effects if e._replace(value=new.value) == new and summed(e) == summed(new)]
    if summed(new):
        new = new._replace(value=new.value + sum(effect.value for effect in like))
    elif new.op == "add":
        like = []
    return (*(effect for effect in effects if effect not in like), new)


@dataclass(slots=True, eq=False)
class Copy(Operation):
    """A card becomes a printed copy of another until it leaves play: its printed facts, its name and its text; or its
    text alone, in which a title still names the original."""

    source: Compiled
    onto: Compiled
    text_only: bool

    def mark(self, footprint: "Footprint") -> None:
        footprint.copies = True

    def run(self, m: "Machine") -> None:
        source, card = self.source(m, ()), self.onto(m, ())
        fine = source is not None and card is not None
        self.set(m, OK, fine)
        if not fine:
            return
        m.copy(source, card, text_only=self.text_only)
        if m.tracer:
            what = "bears the text of" if self.text_only else "becomes a copy of"
            m.tracer.note(f"{card.label} {what} {source.label}", cites=self.cites)


@dataclass(slots=True, eq=False)
class MakeDelayed(Operation):
    ability: "Ability"
    keep: dict[int, Compiled]
    once: bool
    until: str

    def mark(self, footprint: "Footprint") -> None:
        footprint.take(self.ability)

    def run(self, m: "Machine") -> None:
        use = m.cur
        assert use is not None
        env = list(self.ability.defaults)
        for slot, value in self.keep.items():
            env[slot] = value(m, ())
        number = max((effect.number for effect in m.delayed), default=-1) + 1
        kept = [use.obj]
        for slot in self.keep:
            kept += env[slot] if isinstance(env[slot], list | tuple) else [env[slot]]
        incs = tuple((obj, m.inc(obj)) for obj in kept if isinstance(obj, Obj) and obj.kind == "card")
        m.delayed += (
            Delayed(self.ability, use.obj, use.you, tuple(env), self.once, self.until, number, incs),
        )
        if m.tracer:
            ban = self.ability.forbids
            told = "leaves a delayed effect behind"
            if ban is not None:
                told = f"forbids something until the end of the {self.until}"
            m.tracer.note(f"{use.obj.label} {told}", cites=self.cites or (ban.cites if ban else ()))

    def leads_to(self, system: "System") -> Sequence[Any]:
        return (self.ability,)


@dataclass(slots=True, eq=False)
class Expire(Operation):
    """The end of a period: what lasted until then, what waited until then, what was counted for it.

    What waited and was triggered before the end is still carried out, once.
    """

    period: str

    def run(self, m: "Machine") -> None:
        if m.tracer:
            self._tell(m)
        m.lasting = tuple(effect for effect in m.lasting if effect.until != self.period)
        m.delayed = tuple(
            effect if effect.until != self.period else effect._replace(once=True, until="")
            for effect in m.delayed
            if effect.until != self.period or m.triggered(effect)
        )
        m.ledger = {key: count for key, count in m.ledger.items() if key[0] != self.period}

    def _tell(self, m: "Machine") -> None:
        assert m.tracer is not None
        for lasting in m.lasting:
            if lasting.until == self.period:
                what = f"{lasting.obj.label}: the change of {lasting.property.name} ends"
                m.tracer.note(what, cites=self.cites)
        for delayed in m.delayed:
            if delayed.until == self.period and not m.triggered(delayed):
                ban = delayed.ability.forbids is not None
                what = "its ban ends" if ban else "what it left behind lapses unused"
                m.tracer.note(f"{delayed.obj.label}: {what}", cites=self.cites)
