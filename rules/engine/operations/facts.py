"""Writing facts: edits, payments, effects that last or wait."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rules.engine.base.errors import FAULTS, Need
from rules.engine.base.facts import Open
from rules.engine.base.messages import Message, named
from rules.engine.definitions.instructions import OK, Operation
from rules.engine.definitions.values import NOTHING, Delayed, Lasting, Obj, Reason, Use, label
from rules.engine.language.combinators import Compiled
from rules.engine.language.folding import UNKNOWN, fold
from rules.engine.machine.identity import summed
from rules.engine.machine.writes import Write

if TYPE_CHECKING:
    from rules.engine.definitions.effects import Footprint
    from rules.engine.definitions.instructions import Known
    from rules.engine.definitions.model import Ability, Property, System
    from rules.engine.machine.interpreter import Machine


NOT_THERE = "{card} does not enter play"


def immune(m: "Machine", obj: Obj) -> bool:
    """Do effects of the running use leave this card alone?"""
    if not m.scene.immunities or m.cur is None:
        return False
    reason = m.immune(obj, m.cur.obj)
    if reason is not None and m.tracer:
        text = Message("{card} is not affected: {reason}", card=obj, reason=reason.text)
        m.tracer.note(text, cites=reason.cites)
    return reason is not None


def not_ones_own(m: "Machine", obj: Any) -> Reason | None:
    """Why a cost cannot be paid with this card, under rules by which one pays only with one's own cards."""
    cites = m.system.own_cost_cites
    if cites is None or m.cur is None or not isinstance(obj, Obj) or obj.kind != "card":
        return None
    if m.zone(obj) not in m.system.zones_in_play or m.controller(obj) in (None, m.cur.you):
        return None
    return Reason(Message("costs are paid only with cards one controls"), cites)


@dataclass(slots=True, eq=False)
class Edit(Operation):
    """set, add, move: as an instruction, or as one of the edits of an occurrence kind."""

    what: str
    property: "Property | None"
    of: Compiled
    value: Compiled
    host: Compiled | None = None
    controller: Compiled | None = None
    enters: bool = False  # a move that may bring a card into play

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

    def is_about(self, m: "Machine", obj: Obj) -> bool:
        """Does it change this card, and no other?"""
        return self.of(m, ()) is obj

    def _settled(self, m: "Machine", obj: Obj) -> None:
        """What is added to, or moved from, must be settled before anything is written: afterwards it is too late to ask
        the facts. Looked at only where the scenario leaves it open."""
        slot = obj.base + (m.scene.zone_slot if self.property is None else self.property.slot)
        if m.scene.facts[slot].__class__ is Open and m.facts[slot].__class__ is Open:
            raise Need(slot)

    def mark(self, footprint: "Footprint") -> None:
        if self.property is None:
            footprint.moves = True
            footprint.attaches = footprint.attaches or self.host is not None
            footprint.hands_over = footprint.hands_over or self.controller is not None
        else:
            footprint.written.add(self.property.slot)

    def idle_in(self, known: "Known", roles: tuple[Any, ...]) -> bool:
        """As an edit of an occurrence with these roles (UNKNOWN where they are not known): does it set nothing but what
        is so anyway, of whomever it is about?"""
        prop, subject = self.property, getattr(self.of, "role", None)
        if self.what != "set" or prop is None or subject is None or prop.slot in known.footprint.written:
            return False
        known.consulted.clear()
        facts = known.scene.facts
        for obj in known.scene.objects.values():
            if obj.kind != prop.of or obj.stranger:
                continue
            value = fold(self.value, known, ((*roles[:subject], obj, *roles[subject + 1 :]),))
            had = facts[obj.base + prop.slot]
            if value is UNKNOWN or known.consulted or had.__class__ is not value.__class__ or had != value:
                return False
        return True

    def run(self, m: "Machine") -> None:
        write = self.prepare(m, ())
        if write.obj is None or self._immune(m, write.obj):
            self.set(m, OK, False)
            return
        if m.tracer:
            m.tracer.wrote(m, write, self.cites)
        write.perform(m)
        self.set(m, OK, True)

    def changes(self, m: "Machine") -> list[Write]:
        write = self.prepare(m, ())
        return [] if write.obj is None else [write]

    def _immune(self, m: "Machine", obj: Obj) -> bool:
        return not (self.chart or self.paying) and immune(m, obj)

    def obstacle(self, m: "Machine") -> Reason | None:
        """As a cost: a change that changes nothing pays nothing."""
        write = self.prepare(m, ())
        if write.obj is None:
            return NOTHING
        if self.paying and (reason := not_ones_own(m, write.obj)) is not None:
            return reason
        if (
            self.what == "set"
            and self.property is not None
            and m.fact(write.obj, self.property) == write.value
        ):
            is_so = m.system.word(self.property.name)
            return Reason(Message("{it} is already {property}", it=write.obj, property=is_so), ())
        return None


@dataclass(slots=True, eq=False)
class Pay(Operation):
    """One payment from a counter. A counter that the scenario does not mention is taken to be enough."""

    property: "Property"
    of: Compiled
    amount: Compiled
    to: int = -1
    mentions: tuple[int, ...] = ()  # variables that who pays, or how much, speaks of
    due: bool = False  # is it what the rules ask for, and not the card's own text?

    def obstacle(self, m: "Machine") -> Reason | None:
        payer, amount = self.of(m, ()), self.amount(m, ())
        if amount is None:  # it hangs on a choice that is still to be made
            return None
        payment = m.system.payments.get(self.property.name)
        amount += m.reserved.get(payer.base + self.property.slot, 0)
        if payment is not None:
            if payment.possible(m, (payer, amount, self.due)):
                return None
            return Reason(named(payment.because, {"payer": payer, "amount": amount}), payment.cites)
        have = m.fact(payer, self.property)
        if have is not None and have < amount:
            has = m.system.counted(have, self.property.name)
            return Reason(
                Message("{who} has {has} and needs {amount}", who=payer, has=has, amount=amount), self.cites
            )
        return None

    def ways(self, m: "Machine") -> Sequence[Sequence[Write]]:
        """Of what is not paid from one supply: with each of those of which one pays for all of it."""
        payment = m.system.payments.get(self.property.name)
        payer, amount = self.of(m, ()), self.amount(m, ())
        if payment is None or payment.choice is None or not amount:
            return ((),)
        env, m.env = m.env, m.environment(payment.unit, self._arguments(payer, amount))
        try:
            return [payment.choice.takes(m, one) for one in m.among(payment.choice.members)[0]] or ((),)
        finally:
            m.env = env

    def _arguments(self, payer: Any, amount: Any) -> dict[str, Any]:
        return {"payer": payer, "amount": amount, "due": self.due}

    def asks(self, m: "Machine", counter: str) -> tuple[Any, Any] | None:
        return (self.of(m, ()), self.amount(m, ())) if self.property.name == counter else None

    def reserve(self, m: "Machine") -> None:
        payer, amount = self.of(m, ()), self.amount(m, ())
        if isinstance(payer, Obj) and amount is not None and not any(self.ways(m)):
            slot = payer.base + self.property.slot
            m.reserved[slot] = m.reserved.get(slot, 0) + amount

    def leads_to(self, system: "System") -> Sequence[Any]:
        payment = system.payments.get(self.property.name)
        return () if payment is None else (payment.unit,)

    def mark(self, footprint: "Footprint") -> None:
        footprint.written.add(self.property.slot)

    def run(self, m: "Machine") -> None:
        payer, amount = self.of(m, ()), self.amount(m, ())
        payment = m.system.payments.get(self.property.name)
        if self.paying and amount is None:  # there is nothing of it to be paid
            self.set(m, OK, True)
            return
        if payment is not None:
            fine = bool(payment.possible(m, (payer, amount, self.due)))
            self.set(m, OK, fine)
            if m.tracer and not (fine and self.paying and amount == 0):
                m.tracer.note(self._told(m, payer, amount, fine=fine), cites=self.cites or payment.cites)
            if fine:
                m.push(payment.unit, arguments=self._arguments(payer, amount))
            return
        have = m.fact(payer, self.property)
        fine = have is None or have >= amount
        if fine and have is not None:
            m.facts[payer.base + self.property.slot] = have - amount
        if m.tracer:
            m.tracer.note(self._told(m, payer, amount, fine=fine), cites=self.cites)
        self.set(m, OK, fine)

    def _told(self, m: "Machine", payer: Obj, amount: Any, *, fine: bool) -> str:
        what = m.system.counted(amount, self.property.name)
        if fine:
            return Message("{who} pays {what}", who=payer, what=what)
        return Message("{who} cannot pay {what}", who=payer, what=what)


@dataclass(slots=True, eq=False)
class PayDone(Operation):
    """After a payment with a procedure of its own: was it paid after all?"""

    payment: Pay

    def run(self, m: "Machine") -> None:
        found = m.system.payments.get(self.payment.property.name)
        payer, amount = self.payment.of(m, ()), self.payment.amount(m, ())
        if found is not None and found.paid is not None and amount is not None and self.get(m, OK):
            self.set(m, OK, bool(found.paid(m, (payer, amount))))


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

    def idle(self, m: "Machine", chosen: frozenset[int]) -> Reason | None:
        if self.op != "add" or chosen.intersection(self.mentions):
            return None
        try:
            return Reason(Message("nothing would be added"), self.cites) if self.value(m, ()) == 0 else None
        except FAULTS:  # it hangs on what is not settled yet
            return None

    def missing(self, m: "Machine", absent: frozenset[int]) -> Reason | None:
        return _not_there(m, self.of, self.mentions, absent)

    def run(self, m: "Machine") -> None:
        found, value = self.of(m, ()), self.value(m, ())
        objects = found if isinstance(found, list | tuple) else [found]
        objects = [obj for obj in objects if obj is not None and (self.chart or not self._left_alone(m, obj))]
        for obj in objects:
            effect = Lasting(
                obj, m.inc(obj), self.property, self.op, value, self.until, _whose(m, self.until)
            )
            m.lasting = _joined(m.lasting, effect)
        self.set(m, OK, bool(objects))
        if m.tracer:
            for obj in objects:
                m.tracer.note(for_a_while(m, self._change(m, obj, value), self.until), cites=self.cites)

    def _left_alone(self, m: "Machine", obj: Obj) -> bool:
        if m.cur is not None and m.cur.lost(self.mentions, obj):
            if m.tracer:
                cites = m.system.refusals.get("illegal-target", ())
                text = Message("{card} is not affected: it is no longer a legal target", card=obj)
                if m.cur.lost_with_others(self.mentions, obj):
                    said = "{card} is not affected: another target chosen with it is no longer legal"
                    text = Message(said, card=obj)
                m.tracer.note(text, cites=cites)
            return True
        if any(when(m, (obj,)) for when in self.property.ignores):
            if m.tracer:
                cites = m.system.refusals.get("fixed", ())
                fixed = "{card} is not affected: nothing can change its {property}"
                name = m.system.word(self.property.name)
                m.tracer.note(Message(fixed, card=obj, property=name), cites=cites)
            return True
        return immune(m, obj)

    def _change(self, m: "Machine", obj: Obj, value: Any) -> str:
        name = m.system.word(self.property.name)
        if self.property.type == "yes-no":
            return becomes(obj, name, so=bool(value))
        if self.op == "set":
            return Message("{it}: {property} becomes {value}", it=obj, property=name, value=label(value))
        if isinstance(value, int):
            return Message("{it}: {property} {change}", it=obj, property=name, change=f"{value:+}")
        return Message("{it}: {property} gains {value}", it=obj, property=name, value=label(value))


def becomes(obj: Obj, name: str, *, so: bool) -> str:
    """What is said of a fact that is so from now on, or no longer."""
    if so:
        return Message("{it} becomes {property}", it=obj, property=name)
    return Message("{it} is no longer {property}", it=obj, property=name)


def for_a_while(m: "Machine", what: str, until: str) -> str:
    """How long a change lasts, behind the change."""
    if until == "leaves":
        return Message("{what} as long as it is in play", what=what)
    return Message("{what} until the end of the {period}", what=what, period=m.system.word(until))


@dataclass(slots=True, eq=False)
class GrantAbility(Operation):
    """Cards have an ability for a while, as if it stood on them: `this` in it is the card, `you` who controls it."""

    of: Compiled
    ability: "Ability"
    until: str
    mentions: tuple[int, ...]

    def mark(self, footprint: "Footprint") -> None:
        if self.ability not in footprint.gained:
            footprint.gained[self.ability] = None
            footprint.take(self.ability)

    def leads_to(self, system: "System") -> Sequence[Any]:
        return (self.ability,)

    def missing(self, m: "Machine", absent: frozenset[int]) -> Reason | None:
        return _not_there(m, self.of, self.mentions, absent)

    def run(self, m: "Machine") -> None:
        found = self.of(m, ())
        objects = found if isinstance(found, list | tuple) else [found]
        lost = m.cur is not None and not self.chart and m.cur.lost
        objects = [
            obj
            for obj in objects
            if obj is not None
            and not (lost and lost(self.mentions, obj))
            and (self.chart or not immune(m, obj))
        ]
        for obj in objects:
            whose = _whose(m, self.until)
            gained = Lasting(obj, m.inc(obj), None, "gain", self.ability, self.until, whose)
            m.lasting = _joined(m.lasting, gained)
        self.set(m, OK, bool(objects))
        for obj in objects if m.tracer else ():
            assert m.tracer is not None
            name = self.ability.name or self.ability.kind.title
            has = Message("{card} has “{ability}”", card=obj, ability=name)
            m.tracer.note(for_a_while(m, has, self.until), cites=self.cites)


def _not_there(
    m: "Machine", of: Compiled, mentions: tuple[int, ...], absent: frozenset[int]
) -> Reason | None:
    """Why what would last for a card comes to nothing where the cards of these variables do not come into play."""
    cards = [m.cur.env[slot] for slot in absent.intersection(mentions)] if m.cur is not None else []
    found = of(m, ()) if cards else None
    return Reason(Message(NOT_THERE, card=found), ()) if found in cards and cards else None


def _whose(m: "Machine", period: str) -> Obj | None:
    """Whose period an effect lasts for: of whoever made it, where the period is each player's own."""
    return m.cur.you if m.cur is not None and period in m.system.own_periods else None


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
            text = Message("{card} becomes a copy of {source}", card=card, source=source)
            if self.text_only:
                text = Message("{card} bears the text of {source}", card=card, source=source)
            m.tracer.note(text, cites=self.cites)


@dataclass(slots=True, eq=False)
class MakeDelayed(Operation):
    ability: "Ability"
    keep: dict[int, Compiled]
    once: bool
    until: str

    def mark(self, footprint: "Footprint") -> None:
        footprint.take(self.ability)

    def missing(self, m: "Machine", absent: frozenset[int]) -> Reason | None:
        """It waits for nothing if what it asks of such a card (“if that card is in play”) is not so."""
        use, condition = m.cur, self.ability.condition
        if use is None or condition is None:
            return None
        env = self._kept(m)
        gone = [use.env[slot] for slot in absent]
        cards = [one for slot in self.keep if (one := env[slot]) is not None and one in gone]
        if not cards:
            return None
        m.cur = Use(self.ability, use.obj, use.you, None, env, (), (), (), None, None)
        try:
            return None if condition.test(m, ()) else Reason(Message(NOT_THERE, card=cards[0]), ())
        except FAULTS:  # it hangs on what it will answer
            return None
        finally:
            m.cur = use

    def _kept(self, m: "Machine") -> tuple[Any, ...]:
        """Its variables as it begins."""
        env = list(self.ability.defaults)
        for slot, value in self.keep.items():
            env[slot] = value(m, ())
        return tuple(env)

    def run(self, m: "Machine") -> None:
        use = m.cur
        assert use is not None
        env = self._kept(m)
        number = max((effect.number for effect in m.delayed), default=-1) + 1
        kept = [use.obj]
        for slot in self.keep:
            kept += env[slot] if isinstance(env[slot], list | tuple) else [env[slot]]
        incs = tuple((obj, m.inc(obj)) for obj in kept if isinstance(obj, Obj) and obj.kind == "card")
        m.delayed += (Delayed(self.ability, use.obj, use.you, env, self.once, self.until, number, incs),)
        if m.tracer:
            ban = self.ability.forbids
            told, words = "{card} leaves a delayed effect behind", {}
            if (change := self.ability.changes) is not None:
                told = "{card} changes the {property} of every card it applies to"
                if self.once:
                    told = "{card} changes the {property} of the next card it applies to"
                words = {"property": m.system.word(change.property.name)}
            if ban is not None:
                told = "{card} forbids something until the end of the {period}"
                words = {"period": m.system.word(self.until)}
            m.tracer.note(
                Message(told, card=use.obj, **words), cites=self.cites or (ban.cites if ban else ())
            )

    def leads_to(self, system: "System") -> Sequence[Any]:
        return (self.ability,)


@dataclass(slots=True, eq=False)
class UsedUp(Operation):
    """What an effect left behind for the next such thing has come to it: it changes nothing any more."""

    property: "Property"
    of: Compiled

    def run(self, m: "Machine") -> None:
        obj = self.of(m, ())
        gone = [e for e in m.delayed if e.once and e.ability.changes is not None]
        gone = [
            e
            for e in gone
            if e.ability.changes is not None
            and e.ability.changes.property is self.property
            and m.covers(e, obj)
        ]
        if gone:
            m.delayed = tuple(effect for effect in m.delayed if effect not in gone)
        for effect in gone if m.tracer else ():
            assert m.tracer is not None
            text = Message("{card}: what it changed for the next one is used up", card=effect.obj)
            m.tracer.note(text, cites=self.cites)


@dataclass(slots=True, eq=False)
class Expire(Operation):
    """The end of a period: what lasted until then, what waited until then, what was counted for it; `of`: only what
    that player has made.

    What waited and was triggered before the end is still carried out, once.
    """

    period: str
    of: Compiled | None = None

    def run(self, m: "Machine") -> None:
        whose = None if self.of is None else self.of(m, ())
        if m.tracer:
            self._tell(m, whose)
        m.lasting = tuple(effect for effect in m.lasting if not self._ends(effect.until, effect.whose, whose))
        m.delayed = tuple(
            effect._replace(once=True, until="") if self._ends(effect.until, effect.you, whose) else effect
            for effect in m.delayed
            if not self._ends(effect.until, effect.you, whose) or m.triggered(effect)
        )
        if self.of is None:
            m.ledger = {key: count for key, count in m.ledger.items() if key[0] != self.period}

    def _ends(self, until: str, made_by: Obj | None, whose: Obj | None) -> bool:
        return until == self.period and (self.of is None or made_by is whose)

    def _tell(self, m: "Machine", whose: Obj | None) -> None:
        assert m.tracer is not None
        for lasting in m.lasting:
            if self._ends(lasting.until, lasting.whose, whose):
                what = Message("{card}: the ability that it was given ends", card=lasting.obj)
                if lasting.property:
                    name = m.system.word(lasting.property.name)
                    what = Message("{it}: the change of {property} ends", it=lasting.obj, property=name)
                m.tracer.note(what, cites=self.cites)
        for delayed in m.delayed:
            if self._ends(delayed.until, delayed.you, whose) and not m.triggered(delayed):
                ban = delayed.ability.forbids is not None
                what = Message("{card}: its delayed effect ends", card=delayed.obj)
                if delayed.once:
                    what = Message("{card}: its delayed effect ends unused", card=delayed.obj)
                if ban:
                    what = Message("{card}: its ban ends", card=delayed.obj)
                m.tracer.note(what, cites=self.cites)
