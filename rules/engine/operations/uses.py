"""An ability from its targets to its execution."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rules.engine.base.messages import Message
from rules.engine.definitions.instructions import OK, Operation
from rules.engine.definitions.values import (
    DONE,
    PROPOSED,
    VOID,
    Candidate,
    Decision,
    Group,
    Obj,
    Reason,
    Record,
    Ref,
    Use,
    bare,
    replaced,
)
from rules.engine.language.combinators import Compiled
from rules.engine.machine.targeting import combos
from rules.engine.machine.unmet import unmet
from rules.engine.operations.control import Affirm
from rules.engine.operations.facts import Pay

if TYPE_CHECKING:
    from rules.engine.definitions.instructions import Known
    from rules.engine.definitions.model import OccurrenceKind, System, Unit
    from rules.engine.machine.interpreter import Machine


PAYS = Message("pays the cost")


@dataclass(slots=True, eq=False)
class Targets(Operation):
    """Step b: the choices of the ability in printed order, each a decision of its user.

    announce: the kind of occurrence that each choice of cards is (roles card, by, source): what answers it may change
    or prevent it before it takes hold. Nothing is announced when nobody listens.
    """

    state: int  # hidden: (which target is next, the group in which it was announced)
    announce: "OccurrenceKind | None" = None
    via: "Unit | None" = None

    def run(self, m: "Machine") -> Decision | None:
        use = m.cur
        assert use is not None
        number, announced = self.get(m, self.state) or (0, None)
        if announced is not None:
            self._settle(m, number, announced)
            number += 1
            use = m.cur
            assert use is not None
        while number < len(use.ability.targets):
            target = use.ability.targets[number]
            options, barred = self._choices(m, number)
            who = target.by(m, ()) if target.by else use.you
            if len(options) > 1 or (options and self._said_here(m, number, who, options[0], barred)):
                self.set(m, self.state, (number, None))
                offers = [m.offer(option) for option in options]
                return Decision(
                    who, "target", offers, barred, subject=target.name, cites=target.cites or self.cites
                )
            chosen = options[0] if options else None
            m.surely(target.members, chosen)
            if m.tracer:
                name = m.system.word(target.name)
                m.tracer.only_choice(use.you, name, m.offer(chosen), target.cites or self.cites)
            self._bind(m, number, chosen)
            if self._announced(m, number):
                return None
            use = m.cur
            assert use is not None
            number += 1
        self.set(m, self.state, None)
        return None

    def _said_here(
        self, m: "Machine", number: int, who: Any, option: Any, barred: Sequence[tuple[Any, Reason]]
    ) -> bool:
        """Does the scenario speak of this choice, though one option is left?

        Of a choice that it does not name, a later one that leaves something to choose is meant first; what may not be
        chosen here is said of this one.
        """
        assert m.cur is not None
        if not m.scripted_choice(m.cur.ability.targets[number].name, who, m.offer(option)):
            return m.scripted_among(who, [label for label, _ in barred])
        if "for" in m.scene.did[m.script]:
            return True
        before, later = m.cur, range(number + 1, len(m.cur.ability.targets))
        self._bind(m, number, option)  # whom a later one may choose can hang on it
        try:
            offered = [self._choices(m, one)[0] for one in later]
        finally:
            m.update_use(before)
        return not any(len(found) > 1 and option in found for found in offered)

    def _choices(self, m: "Machine", number: int) -> tuple[list[Any], list[tuple[Any, Reason]]]:
        """What may be chosen for a target, and why other cards may not."""
        assert m.cur is not None
        target = m.cur.ability.targets[number]
        count = target.count(m, ())
        members, unsure = m.among(target.members)
        if unsure and count != 1:
            raise m.unnamed_one(unsure[0])
        members, barred = m.legal(
            members, target.slot, count, target=target.aimed, pays=target.pays, anew=True
        )
        found = dict.fromkeys(
            combos(members, count, target.up_to, target.least)
        )  # cards nobody named are alike
        options, _ = m.beside(target, list(found))
        return [*self._possible(m, number, options), *unsure], [*barred]

    def leads_to(self, system: "System") -> Sequence[Any]:
        return (self.announce, self.via)

    def reduced(self, known: "Known") -> Operation | None:
        return self if known.ability is None or known.ability.targets else None

    def _announced(self, m: "Machine", number: int) -> bool:
        """Propose the choice as an occurrence, when somebody listens; this instruction goes on afterwards."""
        kind, use = self.announce, m.cur
        assert use is not None
        target = use.ability.targets[number]
        if kind is None or not target.aimed or not m.listened(kind.name):
            return False
        chosen = use.env[target.slot]
        many = chosen if chosen.__class__ is tuple else (chosen,)
        cards = [obj for obj in many if isinstance(obj, Obj) and obj.kind == "card"]
        if not cards:
            return False
        members = []
        for card in cards:
            members.append(m.add_record(m.propose(kind, m.aiming(kind, use, card))[0]))
        group = m.add_cell(Group(tuple(members), False, False), "group", m.frames, "announced")
        self.set(m, self.state, (number, group))
        m.pc -= 1
        if not any(m.cells[member].status == PROPOSED for member in members):
            return True
        assert self.via is not None
        opened = m.tracer.enter_group(m, group, kind.cites or self.cites) if m.tracer else 0
        m.push(self.via, grp=group, opened=opened)
        return True

    def _settle(self, m: "Machine", number: int, announced: Ref) -> None:
        """What was announced, as it came out, is what is chosen."""
        assert m.cur is not None and self.announce is not None
        place = self.announce.role_names.index("card")
        records: list[Record] = [m.cells[member] for member in m.cells[announced].members]
        chosen = tuple(record.roles[place] for record in records if record.status == DONE)
        single = m.cur.env[m.cur.ability.targets[number].slot].__class__ is not tuple
        self._bind(m, number, (chosen[0] if chosen else None) if single else chosen)

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
        number, _ = self.get(m, self.state) or (0, None)
        assert m.cur is not None
        m.surely(m.cur.ability.targets[number].members, decision.options[index])
        self._bind(m, number, bare(decision.options[index]))
        if not self._announced(m, number):
            self.set(m, self.state, (number + 1, None))
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
    """Pay, and count the use against its limit: it stays counted and paid though cancelled.

    counts: False leaves the counting to a `count` of the chart.
    """

    counts: bool = True

    def run(self, m: "Machine") -> None:
        use = m.cur
        assert use is not None
        if self.counts:
            m.count_use()
        if use.ability.cost is not None and not use.free:
            opened = 0
            if m.tracer and any(
                not isinstance(one, Pay) or one.amount(m, ()) for one in use.ability.cost_checks
            ):
                opened = m.tracer.enter("step", use.you, PAYS, self.cites)
            m.push(use.ability.cost, opened=opened)

    def reduced(self, known: "Known") -> Operation | None:
        ability = known.ability
        idle = ability is not None and ability.cost is None and not (self.counts and ability.limit)
        return None if idle else self


@dataclass(slots=True, eq=False)
class CostsDone(Operation):
    """Was all of it paid? The chart's `ok` says."""

    def run(self, m: "Machine") -> None:
        use = m.cur
        assert use is not None
        paid = use.ability.cost is None or use.free or bool(use.env[OK])
        self.set(m, OK, paid)
        if m.tracer and not paid:
            text = Message("{card}: the cost was not paid in full", card=use.obj)
            m.tracer.note(text, cites=self.cites)

    def reduced(self, known: "Known") -> Operation | None:
        return Affirm(chart=self.chart) if known.ability is not None and known.ability.cost is None else self


@dataclass(slots=True, eq=False)
class Count(Operation):
    """Here the use is counted against its limit."""

    def run(self, m: "Machine") -> None:
        m.count_use()

    def reduced(self, known: "Known") -> Operation | None:
        return None if known.ability is not None and known.ability.limit is None else self


@dataclass(slots=True, eq=False)
class Execute(Operation):
    """Carry the ability out, part after part, unless it was cancelled; targets are looked at again first."""

    state: int

    def run(self, m: "Machine") -> None:
        use = m.cur
        assert use is not None
        number = self.get(m, self.state)
        if number is None:
            if not self.begin(m, use):
                return
            number = 0
        last = len(use.ability.parts) - 1
        if number > last:
            return
        if number < last:
            self.set(m, self.state, number + 1)
            m.pc -= 1
        else:
            self.set(m, self.state, None)
        opened = 0
        if m.tracer and number == 0:
            text = Message("{card} takes effect", card=use.obj)
            opened = m.tracer.enter("step", None, text, self.cites)
        m.push(use.ability.parts[number], opened=opened)

    def begin(self, m: "Machine", use: Use) -> bool:
        """False when the use was cancelled; else its targets are looked at once more."""
        if use.record is not None and m.cells[use.record].status != PROPOSED:
            self._void_plan(m, use)
            return False
        if use.record is not None:
            m.cells[use.record] = m.cells[use.record].with_status(DONE)
        self._recheck(m, use)
        return True

    def _void_plan(self, m: "Machine", use: Use) -> None:
        for _, group in use.plan:
            for index in m.cells[group].members:
                if m.cells[index].status == PROPOSED:
                    m.cells[index] = m.cells[index].with_status(VOID)
        if m.tracer:
            cites = m.system.refusals.get("cancelled", self.cites)
            text = "{card} has no effect: it was cancelled; what was paid stays paid"
            m.tracer.note(Message(text, card=use.obj), cites=cites)

    def _recheck(self, m: "Machine", use: Use) -> None:
        illegal: list[int | tuple[int, Any]] = []
        for target in use.ability.targets:
            chosen = use.env[target.slot]
            if chosen is None or not target.aimed or chosen.__class__ is int:  # a number is no target
                continue
            many = chosen if chosen.__class__ is tuple else (chosen,)
            members = m.legal(
                m.among(target.again or target.members)[0], target.slot, 2 if many is chosen else 1
            )[0]
            same = dict(use.incs)
            lost = [obj for obj in many if obj not in members or (obj in same and m.inc(obj) != same[obj])]
            if len(lost) == len(many) or (lost and m.system.exact_targets and not target.up_to):
                illegal.append(target.slot)
            if len(lost) < len(many):
                illegal += [(target.slot, obj) for obj in lost]
        if illegal:
            m.update_use(use._replace(illegal=tuple(illegal)))


@dataclass(slots=True, eq=False)
class Recheck(Operation):
    """Before a use that has waited is carried out: is what its `still` asks for still so, and is any of its targets
    still legal? Of several chosen together the illegal ones are dropped, and the rest goes on."""

    def run(self, m: "Machine") -> None:
        use = m.cur
        assert use is not None
        still = use.ability.still
        if still is not None and not still.test(m, ()):
            text = still.because or Message("its condition no longer holds")
            if part := "" if still.because or m.tracer is None else unmet(m, still):
                text = Message("its condition no longer holds ({part})", part=part)
            self._told(m, Reason(text, still.cites or self.cites))
            return
        same, env, chosen, lost = dict(use.incs), use.env, 0, 0
        illegal = []
        for target in use.ability.targets:
            if env[target.slot] is None or not target.aimed or env[target.slot].__class__ is int:
                continue
            many = env[target.slot] if env[target.slot].__class__ is tuple else (env[target.slot],)
            members = m.legal(
                m.among(target.again or target.members)[0], target.slot, 2 if len(many) > 1 else 1
            )[0]
            fine = tuple(o for o in many if o in members and (o not in same or m.inc(o) == same[o]))
            chosen, lost = chosen + len(many), lost + len(many) - len(fine)
            if m.tracer:
                for one in (o for o in many if o not in fine):
                    what = m.describe(m.cells[one]) if isinstance(one, Ref) else one.label
                    text = Message("{what} is no longer a legal target", what=what)
                    m.tracer.note(text, cites=self.cites)
            if env[target.slot].__class__ is tuple:
                env = replaced(env, target.slot, fine)
            elif not fine:
                illegal.append(target.slot)
        m.update_use(use.with_env(env)._replace(illegal=tuple(illegal)))
        all_lost = Reason(Message("all its targets are illegal"), self.cites)
        self._told(m, all_lost if chosen and chosen == lost else None)

    def _told(self, m: "Machine", why: Reason | None) -> None:
        self.set(m, OK, why is None)
        if why is None and m.cur is not None:
            m.note_waiting(m.cur, over=True)
        if m.tracer and why is not None and m.cur is not None:
            text = Message("{card} has no effect: {reason}", card=m.cur.obj, reason=why.text)
            m.tracer.note(text, cites=why.cites)


@dataclass(slots=True, eq=False)
class UseAbility(Operation):
    """An effect has a player use an ability of a card, wherever it is: initiated and carried out now, as `nest` says.
    Several: the player picks one. None that may be used: not ok."""

    card: Compiled
    kinds: tuple[str, ...]
    by: Compiled
    free: bool
    nest: "Unit"

    def run(self, m: "Machine") -> Decision | None:
        card, by = self.card(m, ()), self.by(m, ())
        options, reason = m.uses_of(card, self.kinds, by, free=self.free) if card is not None else ([], None)
        self.set(m, OK, bool(options))
        if not options:
            if m.tracer and card is not None:
                why = reason or Reason(Message("it has nothing of that kind"), ())
                text = Message("{card} cannot be used: {reason}", card=card, reason=why.text)
                m.tracer.note(text, cites=why.cites or self.cites)
            return None
        if len(options) > 1 or m.scripted_use(card):
            return Decision(by, "order", options, [], subject=self.kinds, cites=self.cites)
        self._start(m, options[0])
        return None

    def leads_to(self, system: "System") -> Sequence[Any]:
        return (self.nest,)

    @property
    def asks_for(self) -> Sequence[str]:
        return self.kinds

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        self.set(m, OK, True)
        self._start(m, decision.options[index])

    def _start(self, m: "Machine", option: Candidate) -> None:
        opened = m.tracer.enter_use(m, option, (*self.cites, *self.nest.cites)) if m.tracer else 0
        m.begin_use(option, self.nest, opened)


@dataclass(slots=True, eq=False)
class UseAbilityDone(Operation):
    """What has become of the card was the effect's own doing: it can go on to speak of it."""

    card: Compiled

    def run(self, m: "Machine") -> None:
        use, card = m.cur, self.card(m, ())
        if use is not None and not self.chart and any(obj is card for obj, _ in use.incs):
            incs = tuple((obj, m.inc(obj) if obj is card else inc) for obj, inc in use.incs)
            m.update_use(use._replace(incs=incs))


@dataclass(slots=True, eq=False)
class NextPart(Operation):
    """`each-part`: the chart acts between the parts of an ability."""

    part: int  # variable: the number of the part, from 1
    to: int = -1

    def run(self, m: "Machine") -> None:
        use = m.cur
        assert use is not None
        number = self.get(m, self.part)
        if number is None:
            if not Execute(self.part, cites=self.cites).begin(m, use):
                m.pc = self.to
                return
            number = 0
        if number >= len(use.ability.parts):
            self.set(m, self.part, None)
            m.pc = self.to
            return
        self.set(m, self.part, number + 1)


@dataclass(slots=True, eq=False)
class RunPart(Operation):
    part: int

    def run(self, m: "Machine") -> None:
        use = m.cur
        assert use is not None
        opened = 0
        if m.tracer:
            text = Message("{card} takes effect", card=use.obj)
            opened = m.tracer.enter("step", None, text, self.cites)
        m.push(use.ability.parts[self.get(m, self.part) - 1], opened=opened)
