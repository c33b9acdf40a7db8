"""Who may use what now, and if not, why not."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rules.engine.base.errors import FAULTS, Need, Unread, Untold, Unworkable
from rules.engine.base.facts import Open
from rules.engine.base.messages import Message, both, either, named
from rules.engine.definitions.values import (
    NOBODY,
    ONCE,
    PROPOSED,
    UNTOLD,
    Candidate,
    Delayed,
    Entry,
    Gate,
    Group,
    Obj,
    Reason,
    Record,
    Ref,
    Snapshot,
    Use,
)
from rules.engine.machine.paying import Part
from rules.engine.machine.targeting import NO_TARGET, Targeting
from rules.engine.machine.unmet import fact_in_words, parts_held

if TYPE_CHECKING:
    from rules.engine.definitions.model import Ability, OccurrenceKind, Requirement, Restrictions
    from rules.engine.language.combinators import Compiled


UNWORKABLE_RULE = Message(
    "a rule of the game cannot be worked out with these facts: something it needs has no value"
)
ELSEWHERE_NOW = "{card} is {zone}; it can be used only {where}"
WHOSE = ("owner", "controller")
USED_ALREADY = Message("it was already used on this occasion")


class Eligibility(Targeting):
    """Candidates for a window, each allowed or refused with its first reason."""

    def candidates(self, kinds: Sequence[str]) -> list[Candidate]:
        """Every use that abilities of these kinds could make here, before any test; in a fixed order."""
        found: list[Candidate] = []
        facts, scene, told = self.facts, self.scene, self.tracer is not None
        listeners = scene.listeners
        for kind in kinds:
            for obj, ability in self.bearing(scene.untriggered.get(kind, ())):
                if not told:  # the first test of `refusal`, where nobody is told why not
                    zone = facts[obj.base + scene.zone_slot]
                    if zone not in ability.zones and zone.__class__ is not Open:
                        continue
                if not self.has(obj, ability):
                    continue
                for you in self.users(ability, obj, None):
                    found.append(Candidate(ability, obj, you, None, None, 0))
            ref = self.gate_for(kind)
            if ref is None:
                continue
            gate: Gate = self.cells[ref]
            used = gate.used  # likewise
            hushed = gate.hushed if not told and kind in self.system.hushes else ()
            for record, point, batch, matches, waits_for in gate.entries:
                if waits_for != kind or record in hushed:
                    continue
                name = self.cells[record].kind.name
                for obj, ability in self.bearing(listeners.get((point, name), ()), record):
                    if ability.kind.name != kind or (
                        matches is not None and (ability.id, obj.index) not in matches
                    ):
                        continue
                    if not self.has(obj, ability, record):
                        continue
                    if used and not told and self._plainly_spent(gate, ability, obj, record):
                        continue
                    for you in self.users(ability, obj, record):
                        found.append(Candidate(ability, obj, you, record, ref, batch))
                if self.delayed:
                    for candidate in self._delayed(record, point, kind):
                        if matches is None or self._bearer(candidate) in matches:
                            found.append(candidate._replace(gate=ref, batch=batch))
        return found

    def _delayed(self, record: Ref, point: str, kind: str) -> list[Candidate]:
        """The delayed effects of this kind that listen to the occurrence."""
        name = self.cells[record].kind.name
        return [
            Candidate(effect.ability, effect.obj, effect.you, record, None, 0, effect)
            for effect in self.delayed
            if effect.ability.kind.name == kind
            and effect.ability.point == point
            and name in effect.ability.of
        ]

    def _bearer(self, candidate: Candidate) -> tuple[int, int]:
        """An ability and whose it is: a card's, or one of several delayed effects (numbered downwards)."""
        effect = candidate.effect
        return (candidate.ability.id, candidate.obj.index if effect is None else -1 - effect.number)

    def triggered(self, effect: Delayed) -> bool:
        """Does the delayed effect wait on an open gate, fixed there as what answers something that happened?"""
        bearer, gates = (effect.ability.id, -1 - effect.number), self.gates
        while gates is not None:
            gate: Gate = self.cells[gates.gate]
            for entry in gate.entries:
                if entry.matches and bearer in entry.matches and (*bearer, 0, entry.record) not in gate.used:
                    return True
            gates = gates.outer
        return False

    def matches(self, record: Ref, point: str, kind: str) -> frozenset[tuple[int, int]]:
        """Who could answer this occurrence as things stand: fixed now, for a locked gate."""
        return frozenset(self._bearer(candidate) for candidate in self._answering(record, point, kind))

    def _answering(self, record: Ref, point: str, kind: str) -> list[Candidate]:
        """The abilities of a kind for which this occurrence is the occasion, as things stand."""
        candidates = [
            Candidate(ability, obj, you, record, None, 0)
            for obj, ability in self.bearing(
                self.scene.listeners.get((point, self.cells[record].kind.name), ()), record
            )
            if ability.kind.name == kind and self.has(obj, ability, record)
            for you in self.users(ability, obj, record)
        ]
        found = []
        for candidate in (*candidates, *self._delayed(record, point, kind)):
            kept, self.cur = self.cur, self._candidate_use(candidate)
            try:
                if not self._refused_place(candidate) and not self._refused_trigger(candidate, None):
                    found.append(candidate)
            finally:
                self.cur = kept
        return found

    def users(self, ability: "Ability", obj: Obj, trigger: Ref | None) -> tuple[Obj, ...]:
        """Who might use it: the controller (as it left, for one that left) unless the ability or the system's `you`
        names somebody else, or several players; for a card that nobody controls the active player."""
        if ability.user is not None:
            kept, self.cur = self.cur, self._candidate_use(Candidate(ability, obj, obj, trigger, None, 0))
            try:
                found = ability.user(self, ())
            finally:
                self.cur = kept
            return tuple(found) if isinstance(found, list | tuple) else (found,)
        snapshot = self.left_with(ability, obj, trigger)
        controller = snapshot.row[self.scene.controller_slot] if snapshot else self.controller(obj)
        return (controller or self.fact(self.game, self.system.game["active"]),)

    def left_with(self, ability: "Ability", obj: Obj, trigger: Ref | None) -> Snapshot | None:
        """The snapshot to judge the ability by, when its card left play with the occurrence it answers; one that
        entered play with it, or left through something else, is judged as it is now."""
        if trigger is None:
            return None
        record: Record = self.cells[trigger]
        snapshot = record.before.get(obj.index)
        if snapshot is None or snapshot.row[self.scene.inc_slot] == self.inc(obj):
            return None
        left = snapshot.row[self.scene.zone_slot] in self.system.zones_in_play and not snapshot.outlived
        return snapshot if left and self._sees(ability, obj, trigger, snapshot) else None

    def _sees(self, ability: "Ability", obj: Obj, trigger: Ref, snapshot: Snapshot) -> bool:
        """Does a card that left with an occurrence answer it? Its own leaving always."""
        record: Record = self.cells[trigger]
        patient = record.kind.patient  # who did it, and left as well, is another matter
        if (obj in record.roles if patient is None else record.roles[patient] is obj) or ability.look_back:
            return True
        back, row = record.kind.look_back, snapshot.row
        if isinstance(back, str):
            host = row[self.scene.host_slot]
            its = record.roles if patient is None else record.roles[patient : patient + 1]
            if back == "attached" and host is not None and host in its:
                return True
            if self.system.answers_all_of_it is None or not snapshot.in_one_effect:
                return False
            back = self.system.answers_all_of_it
        you = row[self.scene.controller_slot]
        kept, self.cur = self.cur, self._candidate_use(Candidate(ability, obj, you, trigger, None, 0))
        try:  # a reading counts as consulted only where it would answer
            return (ability.condition is None or ability.condition.test(self, ())) and bool(back(self, ()))
        finally:
            self.cur = kept

    def refusal(self, candidate: Candidate) -> Reason | None:
        """Why the candidate may not be used now: the first reason in a fixed order, or None when it may."""
        ability, obj = candidate.ability, candidate.obj
        gate: Gate | None = self.cells[candidate.gate] if candidate.gate is not None else None
        if candidate.you is None and not ability.kind.must:
            return Reason(Message("no one controls {card}", card=obj), self._cite("user"), 1)
        specialiser = self.scene.specialiser
        if specialiser is not None and specialiser.free(ability, obj) and (gate is None or not gate.locked):
            return self._refused_place(candidate) or self._refused_trigger(candidate, gate)
        kept, self.cur = self.cur, self._candidate_use(candidate)
        try:
            reason: Reason | None
            if gate is not None and gate.locked:
                if self._used(gate, candidate):
                    return self._used_up(candidate)
            else:
                reason = self._refused_place(candidate) or self._refused_whose(ability)
                if reason is None and self.scene.unread:
                    self._check_unread(obj)
                reason = reason or self._refused_trigger(candidate, gate)
                if reason is not None:
                    return reason
            return self._refused_in_use(ability, obj)
        except FAULTS as fault:
            raise self.unworkable() from fault
        finally:
            self.cur = kept

    def doubt(self, candidate: Candidate) -> Untold | None:
        """What it hangs on whether a use that is offered may be made: which card it is that its player holds, and that
        nobody named."""
        self.doubting = True
        try:
            return self.uncertain(candidate)
        finally:
            self.doubting = False

    def uncertain(self, candidate: Candidate) -> Untold | None:
        """What nobody told, and it hangs on whether the use can be made."""
        try:
            self._judged(candidate)
        except Untold as found:
            return found
        return None

    def _judged(self, candidate: Candidate) -> Reason | None:
        """The refusal of a use. Raises Untold, too, for a fact that nobody told and whose values cannot be listed."""
        try:
            return self.refusal(candidate)
        except Need as need:
            if self.facts[need.slot].options:
                raise
            raise self.untold_at(need.slot) from need

    def refusal_whatever(self, candidate: Candidate) -> Reason | None:
        """Why the candidate could not be used now whatever it answers; None also where that can't be worked out."""
        ability, kept = candidate.ability, self.cur
        self.cur = self._candidate_use(candidate)
        try:
            return (
                self._refused_place(candidate)
                or (self._refused_limit(ability, candidate.obj) if ability.limit is not None else None)
                or self._refused_cost(ability)
            )
        except (Need, Unworkable, *FAULTS):
            return None
        finally:
            self.cur = kept

    def _allowed(self, candidate: Candidate) -> bool:
        return self.refusal(candidate) is None

    def unworkable(self) -> Unworkable:
        """Whose text it is that cannot be worked out, as far as it is known."""
        if self.cur is None:
            return Unworkable(UNWORKABLE_RULE)
        text = "what {card} says cannot be worked out with these facts: something it needs has no value"
        return Unworkable(Message(text, card=self.cur.obj))

    def _refused_place(self, candidate: Candidate) -> Reason | None:
        ability, obj = candidate.ability, candidate.obj
        if candidate.effect is not None:  # what an effect left behind does not hang on its card any more
            return None
        if ability.given is not None and not ability.given(self, (obj,)):
            text = Message("{card} can’t be used in this way", card=obj)
            return Reason(text, self._cite_for(ability, "condition"), held=-1)  # any other way says more
        snapshot = self.left_with(ability, obj, candidate.trigger)
        zone = snapshot.row[self.scene.zone_slot] if snapshot else self.zone(obj)
        if zone not in ability.zones:
            if self.tracer is None:
                return UNTOLD
            places = self.system.zone_names
            where = either(places[z] for z in self.system.zones if z in ability.zones)
            so = ELSEWHERE_NOW
            if ability.of_rules:
                so = "{card} is {zone}; under the rules it can be used only {where}"
            text = Message(so, card=obj, zone=places[zone], where=where)
            return Reason(text, self._cite("zone"), 0 if ability.of_rules else 1)
        in_play = zone in self.system.zones_in_play
        works = None if snapshot is None else snapshot.works or ability.id in snapshot.gained
        if in_play and not ability.of_rules and (self.muted(obj, ability) if works is None else not works):
            if self.tracer is None:
                return UNTOLD
            return self.why_silent(obj, snapshot)
        return None

    def why_silent(self, obj: Obj, snapshot: "Snapshot | None" = None) -> Reason:
        """Why the card's text does not work (or did not, as it left)."""
        by = [] if snapshot else self.silencers(obj)
        text = Message("{card}'s text does not work", card=obj)
        if by:
            sources = both(source.label for source, _ in by)
            text = Message("{card}'s text does not work because of {sources}", card=obj, sources=sources)
        cites = self._cite("silent") or self.system.silent_cites
        row = snapshot.row if snapshot else self.facts[obj.base : obj.base + self.system.width]
        for prop, rules in () if by else self.system.silences:
            if row[prop.slot] is True:
                why = fact_in_words(self.scene, obj, prop, True)
                text, cites = Message("{card}'s text does not work ({why})", card=obj, why=why), rules
                break
        return Reason(text, (*cites, *(cite for _, cites in by for cite in cites)), 2)

    def _check_unread(self, obj: Obj) -> None:
        """Raises Unread where what is done with a card that is not in play may hang on words nobody understood."""
        for text in self.scene.unread.get(obj, ()):
            if self.zone(obj) not in self.system.zones_in_play:
                raise Unread(obj, text.says)

    def unread_use(self, who: str, card: str) -> Unread | None:
        """Words nobody understood on a card of the player's that is not in play: how it is used may be among them, so
        that nothing else lets the player use it doesn't say that it can't be."""
        obj = self.scene.objects.get(card)
        if obj is None or obj not in self.scene.unread:
            return None
        owner, controller = (self.facts[obj.base + self.system.properties[name].slot] for name in WHOSE)
        if self.zone(obj) in self.system.zones_in_play or who not in {
            player.id for player in (owner, controller) if isinstance(player, Obj)
        }:
            return None
        return next((Unread(obj, text.says) for text in self.scene.unread[obj]), None)

    def _refused_whose(self, ability: "Ability") -> Reason | None:
        """Whose it is to use; where that is told, what forbids it whoever's it is comes before."""
        reason = self._refused_access()
        if reason is None or self.tracer is None:
            return reason
        try:
            return self._refused_as_such() or self._forbidden_anyhow(ability) or reason
        except (Need, Untold):
            return reason

    def _forbidden_anyhow(self, ability: "Ability") -> Reason | None:
        """What forbids what the use is meant for, whatever is chosen; that there is nothing to choose may hang on whose
        it is."""
        if self._refused_by_rule() or not any(do.meant for do in ability.designations):
            return None
        reason = self._refused_targets(ability)
        return None if reason is None or reason.text == NO_TARGET else reason

    def _refused_access(self) -> Reason | None:
        """Whose the ability is to use at all, as the system says it: asked first, and told only when asked about."""
        assert self.cur is not None
        for when, requirement in self._restricting(self.cur)[0]:
            if when(self, ()) and not requirement.test(self, ()):
                words = {"you": self.cur.you, "this": self.cur.obj}
                return Reason(named(requirement.because, words), requirement.cites, 1)
        return None

    def _refused_trigger(self, candidate: Candidate, gate: Gate | None) -> Reason | None:
        ability = candidate.ability
        hushes = self.system.hushes
        if gate is not None and ability.kind.name in hushes and candidate.trigger in gate.hushed:
            return Reason(Message("what it responds to no longer counts"), self._cite("hushed"), 3)
        if self._has_been_another(candidate) and not (gate is not None and gate.locked):
            gone = Message(
                "{card} is a new object: that happened to it before it left play", card=candidate.obj
            )
            return Reason(gone, self._cite("new-object"), 3)
        if ability.condition is not None and not ability.condition.test(self, ()):
            text = self._first_failing(ability.condition) or self._unmet(ability.condition)
            cites = ability.condition.cites or self._cite_for(ability, "condition")
            return Reason(text, cites, 3, parts_held(self, ability.condition) if self.tracer else 0)
        if gate is not None and self._used(gate, candidate):
            return self._used_up(candidate)
        return None

    def _used_up(self, candidate: Candidate) -> Reason:
        """Why what was used on this occasion is not used on it again: its limit, if that is reached, for else it might
        be used again if it was cancelled."""
        limit = self._refused_limit(candidate.ability, candidate.obj) if self.tracer is not None else None
        if limit is not None:
            return limit._replace(depth=ONCE)
        return Reason(USED_ALREADY, self._cite("once"), ONCE)

    def _first_failing(self, condition: "Requirement") -> str:
        """The reason that a card gives for a condition, or for the first part of it that does not hold."""
        if self.tracer is None or not condition.parts:
            return condition.because
        return next((reason for test, reason in condition.parts if not test(self, ())), condition.because)

    def _has_been_another(self, candidate: Candidate) -> bool:
        """Did what it would answer happen to the card as it was before it left play and came back?"""
        obj, trigger = candidate.obj, candidate.trigger
        if trigger is None or candidate.effect is not None:
            return False
        if self.in_it(trigger).get(obj, self.inc(obj)) == self.inc(obj):
            return False
        return self.left_with(candidate.ability, obj, trigger) is None

    def _used(self, gate: Gate, candidate: Candidate) -> bool:
        used = gate.used
        return (
            bool(used) and candidate.ability.kind.once_per_trigger and self.used_key(gate, candidate) in used
        )

    def used_key(self, gate: Gate, candidate: Candidate) -> tuple[int, int, int, Any]:
        """What an opportunity is spent on: the occurrence, or for `per: group` all that happened with it; by the card
        as the object that it is."""
        ability, obj, trigger = candidate.ability, candidate.obj, candidate.trigger
        inc = 0 if candidate.effect is not None else self._inc_of_user(gate, ability, obj, trigger)
        what: Any = trigger
        if ability.per_group:
            groups = [cell for cell in self.cells.values() if isinstance(cell, Group)]
            what = next((frozenset(group.members) for group in groups if trigger in group.members), trigger)
        return (*self._bearer(candidate), inc, what)

    def _inc_of_user(self, gate: Gate, ability: "Ability", obj: Obj, trigger: Ref | None) -> int:
        """The incarnation of a card as it answers: the one that left, for what left with the occurrence; on a locked
        gate it was fixed when the thing happened, and no other will ever answer."""
        if gate.locked:
            return 0
        snapshot = self.left_with(ability, obj, trigger)
        return self.inc(obj) if snapshot is None else int(snapshot.row[self.scene.inc_slot])

    def spent(self, gate: Gate, entry: Entry) -> bool:
        """Has every ability that can answer this occurrence been used on it, for good?"""
        kind = self.cells[entry.record].kind.name
        if any(effect.ability.point == entry.point and kind in effect.ability.of for effect in self.delayed):
            return False
        if self.scene.gained:  # what a card has not now it may have in a moment
            return False
        if self.scene.returns and not gate.locked:  # a new object has its own opportunity
            return False
        record, waits_for = entry.record, entry.kind
        for obj, ability in self.bearing(self.scene.listeners.get((entry.point, kind), ()), record):
            if ability.kind.name != waits_for or ability.per_group:
                continue
            if not self._plainly_spent(gate, ability, obj, record) and not self._never(ability, obj, record):
                return False
        return True

    def _never(self, ability: "Ability", obj: Obj, record: Ref) -> bool:
        """Does the ability answer what happens to certain cards, and this did not happen to them?"""
        if ability.condition is None or ability.condition.lasting is None:
            return False
        kept, self.cur = self.cur, self._candidate_use(Candidate(ability, obj, obj, record, None, 0))
        try:
            return not ability.condition.lasting(self, ())
        finally:
            self.cur = kept

    def _plainly_spent(self, gate: Gate, ability: "Ability", obj: Obj, record: Ref) -> bool:
        """Was the opportunity of a card's own ability taken, as far as that hangs on this occurrence alone?"""
        if ability.per_group or not ability.kind.once_per_trigger:
            return False
        return (ability.id, obj.index, self._inc_of_user(gate, ability, obj, record), record) in gate.used

    def waiting_names(self, entry: Entry) -> list[str]:
        """What people call the abilities that wait to answer this occurrence."""
        name = self.cells[entry.record].kind.name
        found = [
            Candidate(ability, obj, obj, entry.record, None, 0)
            for obj, ability in self.bearing(self.scene.listeners.get((entry.point, name), ()), entry.record)
            if ability.kind.name == entry.kind and self.has(obj, ability, entry.record)
        ] + self._delayed(entry.record, entry.point, entry.kind)
        return [
            Message("{card}: {ability}", card=candidate.obj, ability=candidate.ability.name)
            if candidate.ability.name
            else candidate.obj.label
            for candidate in found
            if entry.matches is None or self._bearer(candidate) in entry.matches
        ]

    def limit_key(self, ability: "Ability", obj: Obj) -> tuple[Any, ...]:
        """Per card as an object, or per name for what is used from out of play; `player`: for each of those who may use
        it on its own."""
        limit = ability.limit
        assert limit is not None
        by = limit.by or (self.system.limit_by(self, ()) if self.system.limit_by else "object")
        if by == "name":
            return (limit.per, self.name(obj), ability.number, self.cur.you.index if self.cur else -1)
        one = (limit.per, obj.index, ability.id, self.inc(obj))
        return (*one, self.cur.you.index if self.cur else -1) if by == "player" else one

    def count_use(self) -> None:
        """The running use counts against its limit."""
        use = self.cur
        if use is not None and use.ability.limit is not None:
            self.count(self.limit_key(use.ability, use.obj))

    def _refused_limit(self, ability: "Ability", obj: Obj) -> Reason | None:
        limit = ability.limit
        if limit is not None and self.ledger.get(self.limit_key(ability, obj), 0) >= limit.times:
            period = self.system.word(limit.per)
            text = Message("it may be used only once per {period}", period=period)
            if limit.times != 1:
                often = "it may be used only {times} times per {period}"
                text = Message(often, times=limit.times, period=period)
            return Reason(text, self._cite("limit"), 5)
        return None

    def _restricting(self, use: Use) -> tuple["Restrictions", "Restrictions"]:
        """The system's access rules and restrictions, in a narrowed scene those that may stand against this use."""
        specialiser = self.scene.specialiser
        if specialiser is None:
            return self.system.access, self.system.restrictions
        return specialiser.restrictions(use.ability, use.obj)

    def _refused_as_such(self) -> Reason | None:
        """A card says that such a thing cannot be used, or that what its use comes to cannot be."""
        kind, use = self.scene.forbidden_use, self.cur
        if use is None:
            return None
        reason = None
        if kind is not None:
            reason = self.obstacle(kind, self.using(kind, use), absolute=True)
        for when, do in self.scene.forbidden_means if reason is None else ():
            if reason is None and when(self, ()):
                reason = self.obstacle(do.kind, do.bindings(self)[0], absolute=True)
        return reason and reason._replace(depth=5)

    def _refused_as_meant(self) -> Reason | None:
        """What is asked for when a chart does what the use comes to cannot be paid beside the cost of the use."""
        for when, do in self.system.means if self.system.foreseen else ():
            if when(self, ()):
                reason = self.unaffordable(do.kind, do.bindings(self)[0])
                if reason is not None:
                    return reason._replace(depth=7)
        return None

    def _refused_by_rule(self) -> Reason | None:
        """The system's own restrictions on using and playing."""
        assert self.cur is not None
        for when, requirement in self._restricting(self.cur)[1]:
            if not when(self, ()) or requirement.test(self, ()):
                continue
            words = {"you": self.cur.you, "this": self.cur.obj}
            if requirement.untold is None or not requirement.untold(self, ()):
                return Reason(named(requirement.because, words), requirement.cites, 6)
            use = self.cur.you.id, self.cur.obj.id
            self.scene.taken.setdefault(use, {})[named(requirement.taken, words)] = requirement.cites
        return None

    def told_apart(self, options: list[Candidate]) -> list[Candidate]:
        """Options of a decision; where one ability may answer several things, each says which."""
        if len({(option.obj, option.ability.id) for option in options}) == len(options):
            return options
        seen = [(option.obj, option.ability.id) for option in options]
        return [
            option._replace(about=self.describe(self.cells[option.trigger]))
            if option.trigger is not None and seen.count(one) > 1
            else option
            for option, one in zip(options, seen, strict=True)
        ]

    def judged(self, candidate: Candidate, value: "Compiled") -> Any:
        """An expression as the ability of the candidate would read it."""
        kept, self.cur = self.cur, self._candidate_use(candidate)
        try:
            return value(self, ())
        finally:
            self.cur = kept

    def uses_of(
        self, obj: Obj, kinds: Sequence[str], you: Obj, *, free: bool
    ) -> tuple[list[Candidate], Reason | None]:
        """The abilities of a card that an effect may have a player use now, wherever the card is, and why the first
        other one may not be."""
        fine: list[Candidate] = []
        first: Reason | None = None
        kept = self.cur
        for ability in self.abilities_of(obj):
            if ability.of or ability.kind.name not in kinds or ability.of_rules:
                continue
            candidate = Candidate(ability, obj, you, None, None, 0, None, free)
            self.cur = self._candidate_use(candidate)
            try:
                reason = self._refused_trigger(candidate, None) or self._refused_in_use(ability, obj)
            finally:
                self.cur = kept
            if reason is None:
                fine.append(candidate)
            first = first or reason
        return fine, first

    def abilities_of(self, obj: Obj) -> list["Ability"]:
        return [
            ability
            for owner, ability in self.bearing(self.scene.abilities)
            if owner is obj and self.has(obj, ability)
        ]

    def _refused_in_use(self, ability: "Ability", obj: Obj) -> Reason | None:
        """Whatever stands against the use, apart from its place and its occasion."""
        reason = (
            (self._refused_limit(ability, obj) if ability.limit is not None else None)
            or self._refused_as_such()
            or self._refused_by_rule()
        )
        if ability.kind.due_anyway:
            return reason
        unknown: Need | Untold | None = None
        try:
            reason = reason or (self._refused_cost(ability) if ability.cost_checks else None)
        except (
            Need,
            Untold,
        ) as found:  # what it is paid with hangs on that; something else may stand against it
            unknown = found
        reason = reason or self._refused_as_meant() or self._refused_in_effect(ability)
        if reason is None and unknown is not None:
            raise unknown
        return reason

    def _refused_in_effect(self, ability: "Ability") -> Reason | None:
        """What stands against its choices and what it does."""
        return (
            (self._refused_targets(ability) if ability.targets else None)
            or (self._refused_designations(ability) if ability.designations else None)
            or (self._refused_idle(ability) if self.system.idle_cites is not None else None)
        )

    def _refused_idle(self, ability: "Ability") -> Reason | None:
        """It would change nothing: each thing that it does, whatever is chosen for it, cannot be."""
        first = self.idle(ability, frozenset(target.slot for target in ability.targets))
        if first is None:
            return None
        text = Message("it would change nothing: {reason}", reason=first.text)
        return Reason(text, self.system.idle_cites or first.cites, 7)

    def _refused_cost(self, ability: "Ability") -> Reason | None:
        if self.cur is not None and self.cur.free:
            return None
        parts: list[Part] = []
        chosen = {target.slot for target in ability.targets}
        for check in ability.cost_checks:
            mentioned = chosen.intersection(getattr(check, "mentions", ()))
            if self.cur is not None and any(self.cur.env[slot] is None for slot in mentioned):
                continue  # it is paid with what will have been chosen, and looked at with each of that
            if not check.vacuous(self):  # all of none is paid
                parts.append(Part(check, open_=bool(chosen) and not hasattr(check, "mentions")))
        return self._cannot_be_paid(parts)

    def pays(self, counter: str) -> int:
        """How much of a counter the cost of the running use takes from its user, as far as it is known."""
        use = self.cur
        if use is None or use.free:
            return 0
        asked = (check.asks(self, counter) for check in use.ability.cost_checks)
        return sum(amount or 0 for payer, amount in filter(None, asked) if payer is use.you)

    def unaffordable(self, kind: "OccurrenceKind", roles: tuple[Any, ...]) -> Reason | None:
        """What will be asked for when the running use does this, if it cannot be paid beside the cost of the use."""
        use, kept = self.cur, self.reserved
        asking = [
            (point, name)
            for name, reckons in self.system.foreseen.items()
            for point in self.system.ability_kinds[name].answers
            if name in self._listening(point, kind.name) and reckons(self, ())
        ]
        if use is None or not asking:
            return None
        record = Record(kind, roles, PROPOSED, (), self._incs(kind, roles), NOBODY, None)
        ref, self.reserved = self.add_cell(record, "foreseen"), {}
        try:
            for check in () if use.free else use.ability.cost_checks:
                check.reserve(self)
            for point, name in asking:
                for candidate in self._answering(ref, point, name):
                    if (reason := self._unpayable(candidate)) is not None:
                        return reason
            return None
        finally:
            self.cells.pop(ref)
            self.cur, self.reserved = use, kept

    def _unpayable(self, candidate: Candidate) -> Reason | None:
        """Why its player cannot do what an ability asks for; what he can do is reserved."""
        ability, obj = candidate.ability, candidate.obj
        self.cur = self._candidate_use(candidate)
        begins = [part.code[0] for part in ability.parts[:1] if part.code]
        reason = (self._refused_targets(ability) if ability.targets else None) or self._refused_cost(ability)
        for operation in begins if reason is None else ():
            reason = operation.obstacle(self)
        if reason is None:
            for operation in (*ability.cost_checks, *begins):
                operation.reserve(self)
            return None
        said = Message("the {kind} that {card} asks for cannot be paid", kind=ability.kind.title, card=obj)
        if reason.text != NO_TARGET:
            said = Message("{what} ({reason})", what=said, reason=reason.text)
        return Reason(said, ability.cites or ability.kind.cites)

    def _is_spoken_of(self, obj: Obj) -> bool:
        """Does it make a difference here which ability of a card is meant by its name alone, and has it some from
        elsewhere?"""
        if not self.scene.gained or self.watch is not None:
            return False
        named = obj.id in self.scene.watched or any(move.get("use") == obj.id for move in self.scene.did)
        return named or self.tracer is not None

    def _gained(self, obj: Obj) -> tuple["Ability", ...]:
        """The abilities that the card has from elsewhere now, and that somebody may use."""
        return tuple(
            one for one in self.scene.gained.get(obj, ()) if not one.kind.must and self.may_have(obj, one)
        )

    def may_have(self, obj: Obj, ability: "Ability") -> bool:
        """Has the card the ability now, or may it have it, where that hangs on what is not settled?"""
        try:
            return self.has(obj, ability)
        except (Need, Unworkable):
            return True

    def could_use(self, kind: str) -> tuple[Obj, ...]:
        """The players who could use an ability of this kind here and now."""
        options, _ = self.choices((kind,), must=self.system.ability_kinds[kind].must)
        return tuple(dict.fromkeys(option.you for option in options))

    def choices(
        self, kinds: Sequence[str], *, must: bool, unclear: list[Untold] | None = None
    ) -> tuple[list[Candidate], list[tuple[Candidate, Reason]]]:
        """(options, refused) among everybody's abilities of these kinds; the refused, each with its first reason,
        only when the line is traced.

        unclear: where what nobody told, and something here hangs on, is put, instead of raising it.
        """
        options: list[Candidate] = []
        refused: list[tuple[Candidate, Reason]] = []
        if self.scene.kinds_present.isdisjoint(kinds):
            return options, refused
        for candidate in self.candidates(kinds):
            if candidate.ability.kind.must != must:
                continue
            if self.tracer:
                self.tracer.met.add((candidate.obj.id, candidate.ability.id))
            if candidate.ability.of_rules and self._is_spoken_of(candidate.obj):
                candidate = candidate._replace(gained=self._gained(candidate.obj))
            try:
                if self.watch is None:
                    reason = self._judged(candidate)
                else:
                    fine = self.watch.truth(self, Eligibility._allowed, candidate, about=candidate)
                    reason = None if fine else UNTOLD
            except Untold as found:
                if unclear is None:
                    raise
                found.use, found.used, found.user = candidate, candidate.obj, candidate.you
                unclear.append(found)
                continue
            if reason is None:
                options.append(candidate)
            elif self.tracer:
                refused.append((candidate, reason))
                for question in self.tracer.choosy:
                    question.note_refusal(self, candidate, reason)
        return options, refused
