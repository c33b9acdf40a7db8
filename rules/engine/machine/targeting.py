"""What an ability may choose when it is used, and why not others."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from rules.engine.base.errors import FAULTS, Need, Untold
from rules.engine.base.messages import Message, both, clauses, either, named
from rules.engine.definitions.instructions import OK, Operation
from rules.engine.definitions.values import (
    Candidate,
    Obj,
    Offer,
    Reason,
    Use,
    label,
    replaced,
)
from rules.engine.machine.afterwards import may_be_otherwise
from rules.engine.machine.misfit import misfit, of_another_kind
from rules.engine.machine.occurrences import Occurrences
from rules.engine.machine.paying import AsIfPaid, Part
from rules.engine.machine.unmet import unmet

MAX_NAMED = 4  # so many things that may be chosen are named where something else may not
MAX_COMBINATIONS = 5_000

if TYPE_CHECKING:
    from rules.engine.definitions.model import Ability, OccurrenceKind, Requirement, Target


class Open(NamedTuple):
    """Of the choices of a use that is judged, by their variables: those still to be made, those that are made, and
    those for which nothing can be chosen; and, on the way, what it hangs on whether something can be."""

    open_: frozenset[int]
    settled: frozenset[int]
    unnamed: list[Untold]
    void: frozenset[int] = frozenset()

    def with_void(self, void: set[int]) -> "Open":
        return self._replace(void=self.void | void)

    def with_settled(self, variable: int, value: Any) -> "Open":
        if value in (None, ()):
            return self._replace(void=self.void | {variable})
        return self._replace(settled=self.settled | {variable})


NO_TARGET = Message("there is no legal target")
NO_PAYMENT = Message("there is nothing to pay the cost with")
NO_SUCH_CHOICE = Message("it has no such choice")
GIVEN_UP = Message("what is given up as payment cannot also be the target")


class Targeting(Occurrences):
    """The choices of an ability: each member legal or barred with its reason."""

    doubting = False  # is it asked what nobody told, though its player knows it?

    def _candidate_use(self, candidate: Candidate) -> Use:
        ability = candidate.ability
        env = ability.defaults if candidate.effect is None else candidate.effect.env
        you, trigger, free = candidate.you, candidate.trigger, candidate.free
        return Use(ability, candidate.obj, you, trigger, env, (), (), (), None, None, free)

    def _refused_targets(self, ability: "Ability", index: int = 0) -> Reason | None:
        """Can all the choices of step b be made, the later ones depending on the earlier? Raises Unnamed where only a
        card that nobody named could be chosen, and it hangs on which card that is."""
        if index >= len(ability.targets):
            return None
        members, unsure = self.among(ability.targets[index].members)
        reason = self._refused_among(ability, index, members)
        if reason is not None and unsure:
            raise self.unnamed_one(unsure[0])
        return reason

    def _refused_among(self, ability: "Ability", index: int, members: list[Any]) -> Reason | None:
        target = ability.targets[index]
        count = target.count(self, ())
        # `count` may be how many there are, which is none
        least = max(target.least, min(1, count)) if target.up_to else count
        last = index + 1 == len(ability.targets)
        apart = count > 1 and bool(self.system.choosable)
        members, barred = self.legal(
            members,
            target.slot,
            count,
            target=target.aimed,
            pays=target.pays,
            anew=True,
            enough=None if apart or (count == 1 and not last) else least,
        )
        if len(members) < least:
            if barred:
                return self._all_barred(target, barred)
            if target.because:
                return Reason(target.because, target.cites or self._cite("target"), 7)
            text = Message("there are only {number} legal targets", number=len(members))
            if target.pays:
                text = NO_PAYMENT
                if members:
                    said = "only {number} of the {least} that the cost asks for are there"
                    text = Message(said, number=len(members), least=least)
            elif len(members) < 2:
                text = Message("there is only 1 legal target") if members else NO_TARGET
            return Reason(text, target.cites or self._cite("target"), 7)
        if apart:
            options, reason = self.beside(target, combos(members, count, target.up_to, target.least))
            if not options:
                return reason
        if last or count != 1:
            return None
        first: Reason | None = None
        kept = self.cur
        assert kept is not None
        for member in members:
            self.cur = kept.with_env(replaced(kept.env, target.slot, member))
            reason = self._refused_targets(ability, index + 1)
            self.cur = kept
            if reason is None:
                return None
            first = first or reason
        return first

    def legal(
        self,
        members: list[Any],
        slot: int,
        count: int,
        *,
        target: bool = True,
        pays: bool = False,
        anew: bool = False,
        enough: int | None = None,
        whatever_way: bool = False,
    ) -> tuple[list[Any], list[tuple[str, Reason]]]:
        """Those of a choice's members that may be chosen, and why the others may not.

        target: False for a choice in mid-effect, which targets nothing. pays: the cost, yet unpaid, is paid with it.
        anew: it is chosen now, not looked at again. enough: when so many may be, nobody looks any further.
        whatever_way: also those with which none of the several things could be done that the text leaves open.
        """
        use = self.cur
        assert use is not None
        aims, when = self.system.targeting if target else None, self.system.targeting_when
        if aims is not None and not self.scene.forbids(aims):
            aims = None
        if aims is not None and when is not None and not when(self, ()):
            aims = None
        asked = self.system.choosable if anew and target else ()
        affects = anew and target and self.system.idle_cites is not None
        checks = () if use.free else use.ability.cost_checks
        # what has been paid is not asked for again where it is looked at once more
        prices = pays or (anew and any(slot in getattr(check, "mentions", ()) for check in checks))
        bars = (
            self.scene.immunities
            or use.ability.designations
            or use.ability.changing
            or aims is not None
            or prices
        )
        given_up = anew and bool(self.system.given_up) and use.ability.cost is not None
        open_way = next((one for one in use.ability.targets if one.slot == slot and one.ways), None)
        if whatever_way or not anew:
            open_way = None
        if not (bars or asked or affects or given_up or open_way):
            return members, []
        fine: list[Any] = []
        barred: list[tuple[str, Reason]] = []
        for member in members:
            reason = None
            if isinstance(member, Obj):
                chosen = member if count == 1 else (member,)
                reason = self.immune(member, use.obj) or self._barred(use, slot, member, chosen)
                if reason is None and aims is not None:
                    reason = self.obstacle(aims, self.aiming(aims, use, member), absolute=True)
                    reason = reason and reason._replace(depth=7, cites=reason.cites or self._cite("target"))
                if reason is None and prices and not use.free:
                    reason = self._no_payment(use, slot, chosen)
                if reason is None and given_up:
                    reason = self._given_up_already(use, slot, member)
                if reason is None and asked:
                    reason = self._not_choosable(member)
                if reason is None and affects and not pays:
                    reason = self._unaffected(use, slot, chosen)
            elif prices and member.__class__ is int and not use.free:
                reason = self._too_dear(use, slot, member)
            if reason is not None:
                barred.append((member.label if isinstance(member, Obj) else str(member), reason))
                continue
            fine.append(member)
            if len(fine) == enough and open_way is None:
                break
        return (fine, barred) if open_way is None else self._able_one_way(use, open_way, fine, barred)

    def _able_one_way(
        self, use: Use, target: "Target", fine: list[Any], barred: list[tuple[str, Reason]]
    ) -> tuple[list[Any], list[tuple[str, Reason]]]:
        """The same without those with which none of several things could be done of which one is to be done, each “if
        able”; unless there are no others."""
        anybody = self.legal(
            self.among(target.members)[0], target.slot, 1, target=target.aimed, anew=True, whatever_way=True
        )[0]
        against = {
            member: self._against_each(use, target, member) for member in dict.fromkeys([*anybody, *fine])
        }
        if all(against.values()):
            return fine, barred
        barred += [(member.label, reason) for member in fine if (reason := against[member]) is not None]
        return [member for member in fine if against[member] is None], barred

    def _against_each(self, use: Use, target: "Target", member: Any) -> Reason | None:
        """Why none of the things that the text leaves open could be done with it; None: one of them could."""
        self.cur = use.with_env(replaced(use.env, target.slot, member))
        try:
            reasons = [way.obstacle(self) for way in target.ways]
        finally:
            self.cur = use
        found = [reason for reason in reasons if reason is not None]
        if len(found) < len(reasons):
            return None
        return Reason(clauses(dict.fromkeys(reason.text for reason in found)), self._cite("ways"), 7)

    def _all_barred(self, target: "Target", barred: list[tuple[str, Reason]]) -> Reason:
        """Why nothing may be chosen: what stands against each."""
        reasons = list(dict.fromkeys(reason.text for _, reason in barred))
        first = barred[0][1]
        numbers = all(
            label.isdigit() for label, _ in barred
        )  # what stands against the least is enough to say
        if len(barred) == 1 or self.tracer is None or numbers:
            return first
        if len(reasons) > MAX_NAMED:
            return Reason(NO_PAYMENT if target.pays else NO_TARGET, self._cite("target"), 7)
        cites = tuple(dict.fromkeys(cite for _, reason in barred for cite in reason.cites))
        said = "{nothing}: {reasons}"
        text = Message(said, nothing=NO_PAYMENT if target.pays else NO_TARGET, reasons=clauses(reasons))
        return Reason(text, cites, first.depth)

    def _unaffected(self, use: Use, slot: int, chosen: Any) -> Reason | None:
        """Under rules by which no use may change nothing: why none of what the use would do to what is chosen could
        be."""
        self.cur = use.with_env(replaced(use.env, slot, chosen))
        try:
            later = frozenset(target.slot for target in use.ability.targets if target.slot > slot)
            reason = self.idle(use.ability, later, slot)
        finally:
            self.cur = use
        return reason and Reason(reason.text, self.system.idle_cites or reason.cites, 7)

    def idle(self, ability: "Ability", open_: frozenset[int], slot: int | None = None) -> Reason | None:
        """Why nothing that the ability does (with slot: to what is chosen there) could be; None: something may be.
        open_: the variables of choices still to be made. Where only a card that nobody named could be chosen on the
        way, its player knows whether it may be, so it is offered; asked for `doubt`, this raises what it hangs on."""
        found: list[Reason] = []
        unnamed: list[Untold] = []
        env = self.cur.env if self.cur is not None else ()
        settled = frozenset(
            target.slot
            for target in ability.targets
            if target.slot not in open_ and isinstance(env[target.slot], Obj)
        )
        for part in ability.parts:
            changes, reason = self._idle(part.code, 0, len(part.code), Open(open_, settled, unnamed), slot)
            if changes:
                return None
            found += [] if reason is None else [reason]
        if unnamed:
            if self.doubting:
                raise unnamed[0]
            return None
        return _all_of(found)

    def _idle(
        self, code: Sequence[Operation], at: int, end: int, chosen: Open, slot: int | None
    ) -> tuple[bool, Reason | None]:
        """May the code from one place to another change something? If not, the first reason why."""
        first: Reason | None = None
        unheld: Reason | None = None  # of a condition: told where it is all there is
        failed, open_ = False, chosen.open_
        void = set(chosen.void)  # the variables for which nothing can be chosen on the way
        stirred = slot is not None  # may what stands before it have changed what a condition asks?
        moved = False  # the same of a condition of what is chosen
        absent: set[int] = set()  # the variables of the cards that would have come into play, and cannot
        behind: dict[
            int, int
        ] = {}  # where what a condition that holds lets happen ends, and where it goes on
        while at < end:
            if at in behind:
                at = behind[at]
                continue
            operation = code[at]
            at += 1
            settled = (
                chosen.settled
                if not moved and not void.intersection(getattr(operation, "mentions", ()))
                else None
            )
            holds = operation.holds(self, settled, whatever=not stirred)
            if holds is not None and (condition := operation.failing) is not None:
                if not holds:
                    at, failed = operation.passes_over(self) or at, True
                    unheld = unheld or Reason(self._unmet(condition), operation.cites)
                    continue
                for beyond in operation.jumps():
                    if at < beyond and code[beyond - 1].always_jumps:  # it leaves out what holds otherwise
                        behind[beyond - 1] = max((beyond, *code[beyond - 1].jumps()))
                continue
            if operation.needs_success and failed:
                at = max((at, *operation.jumps()))
            if void.intersection(getattr(operation, "mentions", ())):
                if operation.neutral:
                    at = operation.passes_over(self) or at
                else:
                    failed = True
                continue
            if void and getattr(operation, "slot", None) == OK:  # so it says that nothing was done
                failed = True
                continue
            if getattr(operation, "until", "") in self.system.idle_within:
                stirred = moved = True
                continue
            if operation.neutral:
                continue
            if slot is None and not stirred and (loop := operation.each_of(self, open_ | void)) is not None:
                variable, members, beyond = loop
                for member in members:
                    changes, reason = self._idle_for(variable, member, code[:beyond], at, chosen)
                    if changes:
                        return True, None
                    first = first or reason
                first = first or Reason(Message("there is nothing it could apply to"), ())
                at, failed = beyond, True
                continue
            if (
                slot is None
                and not (stirred or moved)
                and (picked := operation.picks(self, open_ | void)) is not None
            ):
                changes, reason = self._idle_whichever(*picked, code[:end], at, chosen.with_void(void))
                return changes, None if changes else first or reason
            if slot is None and (lone := operation.unnamed_alone(self, open_ | void)) is not None:
                chosen.unnamed.append(lone)  # what is done with it hangs on what it is
                void.add(getattr(operation, "slot", OK))
                failed = True
                continue
            if blocks := operation.blocks():
                moved = moved or slot is not None
                found = [
                    self._idle(code, start, stop, chosen.with_void(void), slot) for start, stop in blocks
                ]
                if any(changes for changes, _ in found):
                    return True, None
                first = first or _all_of([reason for _, reason in found if reason is not None])
                at, failed = blocks[-1][1], True
                continue
            reason = operation.idle(self, open_)
            if reason is not None:
                absent |= operation.entering(self)
            elif absent:
                reason = operation.missing(self, frozenset(absent))
            failed = reason is not None
            if failed and slot is None and (unchosen := getattr(operation, "slot", None)) is not None:
                void.add(unchosen)
            if slot is not None and slot not in getattr(operation, "mentions", (slot,)):
                moved = moved or not failed
                continue
            if reason is None:
                return True, None
            first = first or reason
        return False, first or unheld

    def _idle_for(
        self, variable: int, member: Any, code: Sequence[Operation], at: int, chosen: Open
    ) -> tuple[bool, Reason | None]:
        """The same of the code from there on, where a variable is this."""
        use = self.cur
        assert use is not None
        self.cur = use.with_env(replaced(use.env, variable, member))
        try:
            return self._idle(code, at, len(code), chosen.with_settled(variable, member), None)
        finally:
            self.cur = use

    def _idle_whichever(
        self, variable: int, options: Sequence[Any], code: Sequence[Operation], at: int, chosen: Open
    ) -> tuple[bool, Reason | None]:
        """The same of the code behind a choice on the way, whichever of these is chosen there."""
        first: Reason | None = None
        unknown: Need | Untold | None = None
        for option in options:
            try:
                changes, reason = self._idle_for(variable, option, code, at, chosen)
            except (Need, Untold) as found:
                unknown = unknown or found
                continue
            except FAULTS:  # it hangs on what is not settled yet
                return True, None
            if changes or reason is None:
                return True, None
            first = first or reason
        if unknown is not None:
            raise unknown
        return False, first

    def _unmet(self, condition: "Requirement") -> str:
        part = unmet(self, condition) if self.tracer is not None else ""
        if not part:
            return Message("its condition does not hold")
        return Message("its condition does not hold ({part})", part=part)

    def unaffordable(self, kind: "OccurrenceKind", roles: tuple[Any, ...]) -> Reason | None:
        raise NotImplementedError  # rules.engine.machine.eligibility

    def unmet_head(self) -> bool:
        """Does the text of the running use, which answers and chooses nothing, begin with a condition that does not
        hold, so that it would do nothing at all?"""
        if self.cur is None or self.cur.ability.of or self.cur.ability.targets:
            return False
        code = [part.code for part in self.cur.ability.parts]
        if (
            not code or not code[0] or code[0][0].failing is None
        ):  # “each ..” of which there is none is no condition
            return False
        for part in code:
            at = 0
            while at < len(part):
                to = part[at].passes_over(self)
                if to is None:
                    return False
                at = to
        return True

    def _given_up_already(self, use: Use, slot: int, member: Obj) -> Reason | None:
        """Why what pays the cost by being given up may not be the target as well, whichever of the two was chosen
        first."""
        slots = {target.slot for target in use.ability.targets}
        paying = {one for one in slots if self._gives_up(use.ability, one)}
        if slot not in slots:  # a choice in mid-effect
            return None
        for target in use.ability.targets:
            if target.slot == slot or (target.slot in paying) == (slot in paying):
                continue
            chosen = use.env[target.slot]
            if member is chosen or (chosen.__class__ is tuple and member in chosen):
                return Reason(GIVEN_UP, self.system.given_up_cites, 7)
        if slot not in paying and self._gives_up_unchosen(use.ability, slots, member):
            return Reason(GIVEN_UP, self.system.given_up_cites, 7)
        return None

    def _gives_up(self, ability: "Ability", slot: int) -> bool:
        """Is what is chosen there given up to pay the cost?"""
        return any(slot in operation.mentions for operation in self._giving_up(ability))

    def _gives_up_unchosen(self, ability: "Ability", slots: set[int], member: Obj) -> bool:
        """Does the cost give the member up without anybody choosing it: “sacrifice this card”?"""
        return any(
            roles[operation.kind.patient] is member
            for operation in self._giving_up(ability)
            if operation.kind.patient is not None and not slots.intersection(operation.mentions)
            for roles in operation.bindings(self)
        )

    def _giving_up(self, ability: "Ability") -> Iterator[Any]:
        """The parts of its cost that give something up."""
        for operation in ability.cost.code if ability.cost is not None else ():
            kind = getattr(operation, "kind", None)
            if kind is not None and kind.name in self.system.given_up:
                yield operation

    def _not_choosable(self, member: Obj) -> Reason | None:
        """What the system asks of a card that is chosen, if it fails."""
        for when, requirement in self.system.choosable if member.kind == "card" else ():
            if when(self, (member,)) and not requirement.test(self, (member,)):
                return Reason(named(requirement.because, {"it": member}), requirement.cites, 7)
        return None

    def beside(self, target: "Target", options: list[Any]) -> tuple[list[Any], Reason | None]:
        """The combinations in which each may be chosen beside the others, and why the first of the rest may not."""
        use = self.cur
        assert use is not None
        if not (self.system.choosable and target.aimed):
            return options, None
        fine, first = [], None
        for option in options:
            reason = None
            for member in option if option.__class__ is tuple and len(option) > 1 else ():
                others = tuple(other for other in option if other is not member)
                self.cur = use.with_env(replaced(use.env, target.slot, others))
                reason = reason or (self._not_choosable(member) if isinstance(member, Obj) else None)
            self.cur = use
            first = first or reason
            if reason is None:
                fine.append(option)
        return fine, first

    def choosable(self, candidate: Candidate, wanted: Sequence[tuple[str, tuple[str, ...]]]) -> Reason | None:
        """Why the candidate may not be used with these choices (name, or "" for whichever, and ids), if it may not."""
        kept, self.cur = self.cur, self._candidate_use(candidate)
        try:
            return self._choosable(candidate.ability, 0, self._apart(candidate.ability, wanted))
        finally:
            self.cur = kept

    def asks_nothing(self, candidate: Candidate) -> bool:
        """Is there one way only to choose for its use, so that its player is not asked?"""
        kept, self.cur = self.cur, self._candidate_use(candidate)
        try:
            for target in candidate.ability.targets:
                count = target.count(self, ())
                members = self.among(target.members)[0]
                fine, _ = self.legal(
                    members, target.slot, count, target=target.aimed, pays=target.pays, anew=True
                )
                if target.up_to or len(fine) != count:
                    return False
                chosen = fine[0] if count == 1 else tuple(fine)
                self.cur = self.cur.with_env(replaced(self.cur.env, target.slot, chosen))
            return True
        finally:
            self.cur = kept

    def _apart(
        self, ability: "Ability", wanted: Sequence[tuple[str, tuple[str, ...]]]
    ) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Several named together that no single choice takes, as a choice each where there are as many choices."""
        most = max((target.count(self, ()) or 0 for target in ability.targets), default=0)
        found: list[tuple[str, tuple[str, ...]]] = []
        for name, ids in wanted:
            apart = not name and len(ids) > max(most, 1) and len(ids) <= len(ability.targets)
            found += [("", (one,)) for one in ids] if apart else [(name, ids)]
        return tuple(found)

    def _choosable(self, ability: "Ability", index: int, wanted: tuple[Any, ...]) -> Reason | None:
        if index >= len(ability.targets):
            return Reason(NO_SUCH_CHOICE, self._cite("target")) if wanted else None
        target, use = ability.targets[index], self.cur
        assert use is not None
        count = target.count(self, ())
        members = self.among(target.members)[0]
        named = next((want for want in wanted if want[0] == target.name), None)
        first: Reason | None = None
        further: Reason | None = None  # what stands against the rest, where what was named first may be this
        payment: Reason | None = (
            None  # of what nobody said is to pay, or how much, it is not the first thing to say
        )
        for want in [named] if named else [*(want for want in wanted if not want[0]), None]:
            rest = tuple(other for other in wanted if other is not want)
            chosen = members if want is None else [o for o in members if self._said(o) in want[1]]
            fine, barred = self.legal(
                chosen, target.slot, count, target=target.aimed, pays=target.pays, anew=True
            )
            if want is not None and (barred or len(fine) < len(want[1])):
                why = barred[0][1] if barred else self._not_among(target, want[1], members, count)
                if not (want[0] or self._may_mean(target, members, want[1])):
                    payment = why
                else:
                    first = first or why
                continue
            if want is not None and len(want[1]) > max(count, 1):
                first = first or self._too_many(target, count)
                continue
            if want is not None and 0 < len(want[1]) < (target.least if target.up_to else count):
                first = first or self._too_few(target, count)
                continue
            options = combos(fine, count, target.up_to, target.least)
            if not options and target.pays:  # whatever is chosen besides, nothing pays
                return self._refused_among(ability, index, members) or payment
            if not options and want is None:
                first = first or self._refused_among(ability, index, members)
            if want is not None:
                options = fine if count == 1 else [tuple(fine)]
            options, reason = self.beside(target, options)
            first = first or reason
            for option in options:
                self.cur = use.with_env(replaced(use.env, target.slot, option))
                reason = self._choosable(ability, index + 1, rest)
                self.cur = use
                if reason is None:
                    return None
                # The largest number leaves the most to choose from: what stands against even that is told.
                first = reason if isinstance(option, int) else first or reason
                further = further or (reason if want is not None and rest else None)
        return further or first or payment or Reason(NO_TARGET, target.cites or self._cite("target"))

    def _too_many(self, target: "Target", count: int) -> Reason:
        text = "no more than {number} may be chosen" if target.up_to else "exactly {number} must be chosen"
        return Reason(Message(text, number=max(count, 1)), target.cites or self._cite("target"))

    def _too_few(self, target: "Target", count: int) -> Reason:
        text = "at least {number} must be chosen" if target.up_to else "exactly {number} must be chosen"
        number = target.least if target.up_to else count
        return Reason(Message(text, number=number), target.cites or self._cite("target"))

    def unfit(self, candidate: Candidate, name: str, ids: tuple[str, ...]) -> Reason | None:
        """Why these fit no choice of the candidate (of that name), whatever else is chosen for it; None where they fit
        one."""
        kept, self.cur = self.cur, self._candidate_use(candidate)
        try:
            return self._unfit(candidate.ability, 0, name, ids)
        finally:
            self.cur = kept

    def _unfit(self, ability: "Ability", index: int, name: str, ids: tuple[str, ...]) -> Reason | None:
        if index >= len(ability.targets):
            return Reason(NO_SUCH_CHOICE, self._cite("target"))
        target, use, first, payment = ability.targets[index], self.cur, None, None
        assert use is not None
        count, members = target.count(self, ()), self.among(target.members)[0]
        if name in ("", target.name):
            chosen = [member for member in members if self._said(member) in ids]
            barred = self.legal(chosen, target.slot, count, target=target.aimed, pays=target.pays, anew=True)[
                1
            ]
            if len(chosen) == len(ids) and not barred:
                return None
            first = barred[0][1] if barred else self._not_among(target, ids, members, count)
            if not (name or self._may_mean(target, members, ids)) and index + 1 < len(ability.targets):
                first, payment = None, first
        if index + 1 == len(ability.targets):
            return first or Reason(NO_SUCH_CHOICE, self._cite("target"))
        for option in members if count == 1 else combos(members, count, target.up_to, target.least):
            self.cur = use.with_env(replaced(use.env, target.slot, option))
            reason = self._unfit(ability, index + 1, name, ids)
            self.cur = use
            if reason is None:
                return None
            first = first or reason
        return first or payment

    def _may_mean(self, target: "Target", members: list[Any], named: Sequence[str]) -> bool:
        """Are cards named without the choice likely to be of this one? What pays, and a number, goes without saying;
        what is nothing of its kind is for another one."""
        cards = not members or any(isinstance(member, Obj) for member in members)
        return not target.pays and cards and not self._of_another_kind(target, named)

    def _not_among(self, target: "Target", wanted: Sequence[str], members: list[Any], count: int) -> Reason:
        """These cannot be chosen: the reason that the choice gives, else what can be."""
        objects = self.scene.objects
        names = both(objects[one].label if one in objects else one for one in wanted)
        fine = self.legal(members, target.slot, count, target=target.aimed, pays=target.pays, anew=True)[0]
        if count == 1:
            fine = [member for member in fine if self._leaves_a_choice(target, member)]
        offers = [self.offer(member) for member in fine]
        others = [offer.text if isinstance(offer, Offer) else label(offer) for offer in offers]
        text = Message("{names} may not be chosen", names=names)
        if 0 < len(others) <= MAX_NAMED:
            text = Message("{names} may not be chosen; only {others} may", names=names, others=either(others))
        because = "" if self._of_another_kind(target, wanted) else target.because
        why = self._misfits(target, wanted) or because or text
        return Reason(why, target.cites or self._cite("target"))

    def _leaves_a_choice(self, target: "Target", member: Any) -> bool:
        """Can what the use chooses behind this still be chosen, if this is chosen here?"""
        use = self.cur
        assert use is not None
        index = next(at for at, one in enumerate(use.ability.targets) if one.slot == target.slot)
        self.cur = use.with_env(replaced(use.env, target.slot, member))
        try:
            return self._refused_targets(use.ability, index + 1) is None
        finally:
            self.cur = use

    def _of_another_kind(self, target: "Target", wanted: Sequence[str]) -> bool:
        """Is one of these nothing of the kind that is chosen, so that what the choice asks for besides says nothing?"""
        cards = [self.scene.objects[one] for one in wanted if one in self.scene.objects]
        return target.said is not None and any(of_another_kind(self, target.said, card) for card in cards)

    def _misfits(self, target: "Target", wanted: Sequence[str]) -> str:
        """What the cards that cannot be chosen lack for it, where that can be said."""
        cards = [self.scene.objects[one] for one in wanted if one in self.scene.objects]
        whys = [misfit(self, target.said, card) for card in cards] if target.said is not None else []
        return both(dict.fromkeys(filter(None, whys)))

    def _said(self, member: Any) -> str:
        offer = self.offer(member)
        thing = offer.card if isinstance(offer, Offer) else offer
        return thing.id if isinstance(thing, Obj) else str(thing)

    @staticmethod
    def using(kind: "OccurrenceKind", use: Use) -> tuple[Any, ...]:
        """The roles of “this ability is used”."""
        values = {
            "source": use.obj,
            "by": use.you,
            "ability-kind": use.ability.kind.name,
            "chosen": use.chosen,
        }
        flags = use.ability.flags  # a role named like a mark tells whether the ability carries it
        return tuple(values.get(name, name in flags) for name in kind.role_names)

    @staticmethod
    def aiming(kind: "OccurrenceKind", use: Use, card: Obj) -> tuple[Any, ...]:
        """The roles of “this card is chosen as a target”."""
        by = kind.roles.get("by")
        values = {
            "card": card,
            "by": use.obj if by is not None and by.type == "card" else use.you,
            "source": use.obj,
        }
        return tuple(values.get(name, role.default) for name, role in kind.roles.items())

    def _no_payment(self, use: Use, slot: int, chosen: Any) -> Reason | None:
        """Why the cost cannot be paid with what would be chosen, beside what was chosen before. A card that is played,
        or used from elsewhere than in play, is on its way already when its cost is paid."""
        own = use.obj in (chosen if isinstance(chosen, tuple) else (chosen,))
        if own and self.zone(use.obj) not in self.system.zones_in_play:
            return Reason(Message("it can’t pay for itself"), self._cite("cost"), 7)
        to_come = {
            target.slot
            for target in use.ability.targets
            if target.slot != slot and use.env[target.slot] is None
        }
        parts: list[Part] = []
        for check in use.ability.cost_checks:
            speaks = slot in getattr(check, "mentions", (slot,))
            settled = not to_come.intersection(getattr(check, "mentions", ()))
            if settled or (speaks and chosen.__class__ is not int):
                asked = speaks or any(part.asked for part in parts)
                parts.append(Part(check, asked, settled, open_=True))
        self.cur = use.with_env(replaced(use.env, slot, chosen))
        try:
            return self._cannot_be_paid(parts)
        finally:
            self.cur = use

    def _cannot_be_paid(self, parts: Sequence[Part]) -> Reason | None:
        with AsIfPaid(self) as cost:
            reason = cost.obstacle(parts)
        return reason and Reason(reason.text, reason.cites or self._cite("cost"), 7)

    def _too_dear(self, use: Use, slot: int, number: int) -> Reason | None:
        """Why the cost, with this number in it, cannot be paid beside what the rules ask for the card itself."""
        if (reason := self._no_payment(use, slot, number)) is not None:
            return reason
        refused_anyway = self._refused_by_rule() is not None
        self.cur = use.with_env(replaced(use.env, slot, number))
        try:
            reason = None if refused_anyway else self._refused_by_rule()
            return reason and reason._replace(depth=7)
        finally:
            self.cur = use

    def _refused_by_rule(self) -> Reason | None:
        """The system's own restrictions on using and playing."""
        raise NotImplementedError

    def _barred(self, use: Use, slot: int, member: Obj, chosen: Any) -> Reason | None:
        """What the effect will do to the member, if it is chosen, cannot be done to it."""
        for do in use.ability.designations:
            if slot not in do.mentions or not self.scene.forbids(do.kind):
                continue
            self.cur = use.with_env(replaced(use.env, slot, chosen))
            try:
                for roles in do.bindings(self):
                    subject = roles[do.kind.patient] if do.kind.patient is not None else None
                    if do.meant or subject is member or self._names(use.ability, do, subject):
                        reason = self.obstacle(do.kind, roles, absolute=True)
                        if reason is not None:
                            return reason._replace(depth=7)
            finally:
                self.cur = use
        for change in use.ability.changing:
            if slot not in change.mentions:
                continue
            for when, because in change.property.barred:
                if when(self, (member,)):
                    return Reason(named(because, {"it": member}), self.behind("cannot", ()), 7)
        return None

    def _names(self, ability: "Ability", do: Any, subject: Obj | None) -> bool:
        """Does the effect name the card to which it does this, without choosing it, so that it must be possible?"""
        use = self.cur
        if use is None or subject is None or any(use.env[one.slot] is subject for one in ability.targets):
            return False
        bars = self.system.designates is None or bool(self.system.designates(self, ()))
        return bars and not may_be_otherwise(self, ability, do)

    def _refused_designations(self, ability: "Ability") -> Reason | None:
        """A card that the effect names without choosing it, and to which that cannot be done."""
        for do in ability.designations:
            if do.each is not None or do.kind.patient is None or not self.scene.forbids(do.kind):
                continue
            if any(target.slot in do.mentions for target in ability.targets):
                continue
            roles = do.bindings(self)[0]
            if roles[do.kind.patient] is None:
                continue
            reason = self.obstacle(do.kind, roles, absolute=True)
            if reason is not None and (do.meant or self._names(ability, do, roles[do.kind.patient])):
                return reason._replace(depth=7)
        return None

    def _cite(self, cause: str) -> tuple[str, ...]:
        return self.system.refusals.get(cause, ())

    def _cite_for(self, ability: "Ability", cause: str) -> tuple[str, ...]:
        """The rule behind a cause of refusal, else the rule of the ability's kind."""
        return self._cite(cause) or ability.kind.cites


def combos(members: list[Any], count: int, up_to: bool, least: int = 0) -> list[Any]:
    """The ways to choose: single members when one is asked, else tuples; `up to` includes fewer, down to `least`."""
    if count == 1:
        return [*members, None] if up_to and members and not least else list(members)
    found: list[Any] = []
    for size in range(count, least - 1 if up_to else count - 1, -1):
        for combination in combinations(members, size):
            found.append(combination)
            if len(found) > MAX_COMBINATIONS:
                return found
    return found


def _all_of(reasons: list[Reason]) -> Reason | None:
    """Several reasons as one that names each."""
    if len(reasons) < 2:
        return reasons[0] if reasons else None
    cites = tuple(dict.fromkeys(cite for reason in reasons for cite in reason.cites))
    return Reason(clauses(list(dict.fromkeys(reason.text for reason in reasons))), cites, reasons[0].depth)
