"""The interpreter: executes the top frame's next operation until somebody must decide.

A position is plain data: facts, a stack of frames, the occurrences and uses still reachable, the open gates, what was
used how often, lasting and delayed effects. `Machine` holds one position in registers; `save` and `load` copy it in
and out, `run` goes on to the next `Decision` or to the end, `take` answers the decision.

The machine knows no game. Everything that differs between systems stands in the compiled system's charts.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rules.engine.base.errors import FAULTS, Lacking, Need
from rules.engine.base.facts import Facts, Open
from rules.engine.base.messages import Message, both
from rules.engine.definitions.model import OWN_CHANCES, TOLD_PASSES
from rules.engine.definitions.positions import Frame, Position
from rules.engine.definitions.values import (
    Candidate,
    Decision,
    Gate,
    Obj,
    Ref,
    Use,
    chosen_ids,
    replaced,
    tells_of,
)
from rules.engine.machine import identity
from rules.engine.machine.eligibility import Eligibility

if TYPE_CHECKING:
    from rules.engine.definitions.model import Ability, Unit

MAX_STEPS = 20_000  # operations between two decisions: after as many, it is looked whether they can end
MAX_STRETCH = 50  # times as many more are followed
TOLD_STRETCH = 2  # the same of a line that is told: nobody reads more
MAX_KEYS = 500  # positions that are compared at a time
MAX_USES = 1_000  # of one card's ability meanwhile: more is one that triggers itself for ever
MAX_FRAMES = 400


class Runaway(Exception):
    """The game goes on for ever without anybody deciding: a loop of obligatory effects.

    sure: False where it is only long: so much has happened that nobody follows it any further.
    """

    def __init__(self, *, sure: bool = True) -> None:
        super().__init__()
        self.sure = sure


class Machine(Eligibility):
    """One position of one scene, and how it goes on."""

    # --- positions

    def save(self) -> Position:
        return Position(
            self.facts.copy(),
            dict(self.cells),
            dict(self.ledger) if self.ledger else {},
            self.lasting,
            self.delayed,
            self.script,
            self.ended,
            self.unit,
            self.pc,
            self.env,
            self.use,
            self.grp,
            self.gates,
            self.stack,
            self.frames,
            self.told,
            self.due,
        )

    def load(self, position: Position) -> None:
        (
            facts,
            cells,
            ledger,
            self.lasting,
            self.delayed,
            self.script,
            self.ended,
            self.unit,
            self.pc,
            self.env,
            self.use,
            self.grp,
            self.gates,
            self.stack,
            self.frames,
            self.told,
            self.due,
        ) = position
        self.facts = Facts(facts)
        self.cells = dict(cells)
        self.ledger = dict(ledger)
        self.code = self.unit.code if self.unit else ()
        self.cur = self.cells[self.use] if self.use is not None else None
        self.marks, self.picks = [], []

    def made(self) -> None:
        """The next of the scripted moves was made."""
        self.due = self.due and "pass" in self.scene.did[self.script]
        self.script += 1
        self.told = self.turn
        gates = self.gates if self.script < len(self.scene.did) else None
        while gates is not None:
            for entry in self.cells[gates.gate].entries:
                self.note_due(entry.point, self.cells[entry.record].kind.name)
            gates = gates.outer

    def enter(self, unit: "Unit", arguments: dict[str, Any] | None = None) -> None:
        """Start at a chart: the first frame of a scene."""
        self.unit = self.as_here(unit)
        self.code, self.pc = self.unit.code, 0
        self.env = self.environment(unit, arguments)

    def as_here(self, unit: "Unit", *, for_rules: bool = False) -> "Unit":
        """The procedure as it is in a narrowed scene, for the running use (or for the rules themselves)."""
        specialiser, use = self.scene.specialiser, self.cur
        if specialiser is None:
            return unit
        if use is None or for_rules:
            return specialiser.unit(unit, None, None)
        return specialiser.unit(unit, use[0], use[1])

    @staticmethod
    def environment(unit: "Unit", arguments: dict[str, Any] | None) -> tuple[Any, ...]:
        """The variables of a chart as it starts: `ok`, its arguments, and nothing in the rest."""
        if not unit.params:
            return (True,) + (None,) * (unit.slots - 1)
        given = arguments or {}
        values = (True, *(given.get(name) for name in unit.params))
        return values + (None,) * (unit.slots - len(values))

    def push(
        self,
        unit: "Unit",
        arguments: dict[str, Any] | None = None,
        use: Ref | None = None,
        grp: Ref | None = None,
        opened: int = 0,
        for_rules: bool = False,
    ) -> None:
        """Run `unit` now; the present frame goes on when it is done. Gates opened inside close with it.

        for_rules: what the rules do by themselves, which is nobody's effect.
        """
        if self.frames >= MAX_FRAMES:
            raise Runaway
        self.stack = Frame(
            self.unit,
            self.pc,
            self.env,
            self.use,
            self.grp,
            self.gates,
            self.opened if self.tracer else 0,
            self.stack,
        )
        self.frames += 1
        if use is not None:
            self.use = use
            self.cur = self.cells[use]
        elif for_rules:
            self.use = self.cur = None
        self.unit = unit = self.as_here(unit)
        self.code, self.pc = unit.code, 0
        self.env = self.environment(unit, arguments) if unit.is_chart else ()
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
        (unit, self.pc, self.env, use, self.grp, self.gates, self.opened, self.stack) = self.stack
        self.frames -= 1
        self.unit = unit
        self.code = unit.code if unit else ()
        if use is not self.use:
            self.use = use
            self.cur = self.cells[use] if use is not None else None
        elif use is None:
            self.cur = None
        return True

    # --- the loop

    def run(self) -> Decision | None:
        """Go on to the next decision. None: the line is over, `ended` says why."""
        decision = self._go_on()
        if decision is not None and self.script < len(self.scene.did):
            self._spend_passes(decision)
        if self.scene.unread and (decision is None or decision.kind not in ("reading", "fact")):
            try:
                self.check_unread()
            except Need as need:
                return self.settling(need.slot)
        return decision

    def _spend_passes(self, decision: Decision) -> None:
        """Passes that were told before this very choice, and that no window has taken, were said on the way to it; what
        is only asked about says nothing of them."""
        did, at = self.scene.did[: self.scene.asked_from], self.script
        while at < len(did) and "pass" in did[at]:
            at += 1
        if at == self.script or at == len(did) or "choose" not in did[at]:
            return
        move, who = did[at], getattr(decision.who, "id", decision.who)
        wanted = move["choose"]
        if move["who"] != who or (decision.declinable and self.scripted_pass(decision.who)):
            return
        if decision.kind == "one-of":
            meant = wanted in decision.options
        elif decision.kind in ("target", "choose") and move.get("for", decision.subject) == decision.subject:
            ids = sorted(wanted if isinstance(wanted, list) else [wanted])
            meant = any(sorted(chosen_ids(option)) == ids for option in decision.options)
        else:
            meant = False
        if meant:
            self.script = at

    def _go_on(self) -> Decision | None:
        if self.ended is not None:
            return None
        self.counted = None
        try:
            for _ in range(MAX_STEPS):
                if self._is_over():
                    return None
                operation = self.code[self.pc]
                self.pc += 1
                decision = operation.run(self)
                if decision is not None:
                    self.pc -= 1
                    return decision
            return self._go_far()
        except Need as need:
            self.pc -= 1
            return self.settling(need.slot)
        except FAULTS as fault:
            raise self.unworkable() from fault

    def _go_far(self) -> Decision | None:
        """Go on for long without a decision, and look whether it can end at all.

        It can't when a position comes back, or when some ability is used again and again: then what is obligatory feeds
        itself. Raises Runaway.
        """
        self.counted = Counter()
        keys: set[tuple[int, ...]] = set()
        for step in range(MAX_STEPS * (TOLD_STRETCH if self.tracer is not None else MAX_STRETCH)):
            if self._is_over():
                return None
            operation = self.code[self.pc]
            if step % MAX_STEPS == 0:
                stretch = step // MAX_STEPS
                if not stretch & (
                    stretch + 1
                ):  # looked at ever more rarely: the keys cost more than the steps
                    mark, keys = operation, set()
                if max(self.counted.values(), default=0) > MAX_USES:
                    raise Runaway
            if operation is mark and len(keys) < MAX_KEYS:
                key = identity.key(self)
                if key in keys:
                    raise Runaway
                keys.add(key)
            self.pc += 1
            decision = operation.run(self)
            if decision is not None:
                self.pc -= 1
                return decision
        raise Runaway(sure=False)

    def _is_over(self) -> bool:
        """Is the line over, or else at its next operation?"""
        while self.ended is None and self.pc >= len(self.code):
            if not self.pop():
                self.ended = self.ended or "done"
        return self.ended is not None

    def take(self, decision: Decision, index: int) -> None:
        """Answer the open decision with its option number `index`."""
        if decision.kind in ("reading", "fact"):
            self.facts[decision.subject] = decision.options[index]
            return
        if decision.stop and self.scene.watched and decision.options[index] is not None:
            self.marks.append("|:")  # an action begins
        operation = self.code[self.pc]
        self.pc += 1
        try:
            operation.take(self, decision, index)
        except FAULTS as fault:
            raise self.unworkable() from fault

    def settling(self, slot: int) -> Decision:
        """The decision that settles an open fact or reading."""
        value: Open = self.facts[slot]
        if not value.options:
            raise self.untold_at(slot)
        rules = slot >= self.scene.readings_base
        return Decision(
            "rules" if rules else "facts",
            "reading" if rules else "fact",
            list(value.options),
            [],
            subject=slot,
        )

    def begin_use(self, candidate: Candidate, nest: "Unit", opened: int = 0) -> None:
        """Initiate an ability: mark its opportunity used, and run `nest` for it."""
        obj, you, trigger, gate = candidate.obj, candidate.you, candidate.trigger, candidate.gate
        if self.counted is not None:
            self.counted[obj.id, candidate.ability.id] += 1
        if you is not None:
            self.scene.used.add((you.id, obj.id))
        use = self._candidate_use(candidate)
        answered = self.in_it(trigger) if trigger is not None else {}
        subjects = {obj: 0, **answered}
        subjects[obj] = self.inc(obj)
        incs = tuple(subjects.items())
        if trigger is not None and obj in answered and (obj, answered[obj]) not in self.known(trigger):
            incs = (*incs, (obj, answered[obj]))  # that moved it, and it may have moved on since
        if (
            candidate.effect is not None
        ):  # who has left since is another card, unless it answers that very leaving
            known = () if trigger is None else self.known(trigger)
            incs += tuple(entry for entry in candidate.effect.incs if entry not in known)
        index = self.add_cell(use._replace(incs=incs, gate=gate), "use", self.frames)
        self.take_opportunity(candidate)
        if candidate.effect is not None and candidate.effect.once:
            self.delayed = tuple(effect for effect in self.delayed if effect is not candidate.effect)
        if obj.id in self.scene.watched:
            meant = "" if candidate.meant() else "-"  # not by the card's name alone
            before = "~" if self.script < self.scene.last_use else ""  # history
            self.marks.append(f"{before}{you.id}:{meant}{obj.id}:{_words(use.ability)}")
        self.push(nest, use=index, opened=opened)
        self.grp = None

    def note_waiting(self, use: Use, *, over: bool) -> None:
        """Mark that a use which a question asks about begins to wait; over: that it takes effect now (`Order`)."""
        if use.obj.id in self.scene.watched:
            self.marks.append(f"{'=' if over else '+'}{use.you.id}:{use.obj.id}:{_words(use.ability)}")

    def take_opportunity(self, candidate: Candidate) -> None:
        """It cannot be used again on the same occasion."""
        if candidate.gate is not None:
            cell: Gate = self.cells[candidate.gate]
            used = cell[2] | {
                self.used_key(cell, candidate)
            }  # by its place: this is no looking at who used what
            self.cells[candidate.gate] = Gate(cell.kinds, cell.entries, used, *cell[3:])

    def scripted_use(self, obj: Obj) -> bool:
        """Does the scenario say that this card is used now?"""
        did = self.scene.did
        return self.script < len(did) and did[self.script].get("use") == obj.id

    def says_every_window(self, passes: int) -> bool:
        """Do the scenario's next moves, so many passes, belong where nobody can do anything but pass? It is asked only
        where there are some."""
        return bool(passes) and self.reading(TOLD_PASSES.key) == TOLD_PASSES.default

    def says_idle_passes(self, passes: int) -> int:
        """How many of them belong to a player who has nothing to use, in a window where somebody else has."""
        return passes if passes and self.reading(TOLD_PASSES.key) != OWN_CHANCES else 0

    def waits_for_a_window(self, move: Mapping[str, Any], kinds: Sequence[str]) -> bool:
        """Is it a use that a window of these kinds doesn't ask for, as a challenge is none of the actions before it?
        Then its player passed here. (What answers something is due at once, so it waits only for that to come up, and
        nothing waits for another turn.)"""
        if self.turn != self.told:
            return False
        word = move.get("ability", "")
        meant = [
            one
            for card, one in self.scene.abilities
            if card.id == move.get("use") and (not word or one.called(word)) and self.may_have(card, one)
        ]
        if meant and not word:
            # its own text, where that works, and not what the rules let one do with the card
            zone = self.facts[self.scene.objects[move["use"]].base + self.scene.zone_slot]
            own = [one for one in meant if not (one.of_rules or one.kind.must) and zone in one.zones]
            meant = own or meant
        if meant and self._waits_for_a_turn(move, meant):
            return True
        if not meant or any(one.kind.name in kinds for one in meant):
            return False
        return not (self.due and any(one.of for one in meant))

    def _waits_for_a_turn(self, move: Mapping[str, Any], meant: Sequence["Ability"]) -> bool:
        """Does nothing stand against the told use but that it is another player's turn?"""
        you, obj, kept = self.scene.objects[move["who"]], self.scene.objects[move["use"]], self.cur
        for ability in meant:
            self.cur = self._candidate_use(Candidate(ability, obj, you, None, None, 0))
            try:
                if not any(
                    rule.of_turn and when(self, ()) and not rule.test(self, ())
                    for when, rule in self._restricting(self.cur)[1]
                ):
                    return False
            finally:
                self.cur = kept
        return True

    def may_name(self, move: Mapping[str, Any], name: str) -> bool:
        """May a choice that is told be the one of this name here? A verb (“wounds Thug”) tells none by which something
        else is done with it."""
        if not self.scene.may_name(move, name):
            return False
        deeds = self.cur.ability.deeds.get(name) if self.cur is not None and "does" in move else None
        return deeds is None or any(tells_of(move["does"], kind) for kind in deeds)

    def scripted_next(self, who: Any, option: Candidate) -> bool:
        """Does the scenario say that this compulsory ability, the only one that is due, comes now? Then it is a
        decision all the same: what was told as done is done, though nobody was asked."""
        if self.script >= len(self.scene.did):
            return False
        move = self.scene.did[self.script]
        if "choose" in move:
            named = self.may_name(move, "next")
            said = named and move["who"] == who.id and move["choose"] == option.obj.id
            return bool(said and ("for" in move or not self._is_chosen_by(option, who)))
        told = (
            move.get("use") == option.obj.id
            and move["who"] in (option.you.id, who.id)
            and option.meant(move.get("ability", ""))
            and not self.chosen_by_another(option)
        )
        if told:
            self._check_which(option)
        return told

    def _is_chosen_by(self, option: Candidate, who: Any) -> bool:
        """Is the next choice that is told more likely what the only thing due asks for than that it comes next? So it
        is, unless another choice of the same player's follows."""
        following = next(iter(self.scene.did[self.script + 1 : self.script + 2]), {})
        another = "choose" in following and following["who"] == who.id
        return bool(self.scene.chooses.get(option.ability.id)) and not another

    def _check_which(self, option: Candidate) -> None:
        """Raises Lacking where a told use may just as well be that of another ability of the card, which its player may
        use: the compulsory one comes anyway, whether it was told or not."""
        move, following = self.scene.did[self.script], self.scene.did[self.script + 1 : self.script + 2]
        others = [one for one in option.obj.definition.abilities if not one.kind.must and not one.of_rules]
        chooses = following and "choose" in following[0] and self.scene.chooses.get(option.ability.id)
        if "ability" in move or chooses or option.you.id != move["who"] or not others:
            return
        words = option.ability.kind.title, both(dict.fromkeys(one.kind.title for one in others))
        text = "whether the use of {card} that is told is its {one} or its {other}"
        told = Message(text, card=option.obj, one=words[0], other=words[1])
        raise Lacking(told, f"did[{self.script}].ability")

    def chosen_by_another(self, option: Candidate) -> bool:
        """Does the scenario's move say what was chosen, where this compulsory ability asks for nothing, and another
        ability of the card, which its player may use, asks for it? Then it is that one which the move speaks of."""
        move, following = self.scene.did[self.script], self.scene.did[self.script + 1 : self.script + 2]
        asks = self.scene.chooses
        if "ability" in move or not option.ability.kind.must or asks.get(option.ability.id):
            return False
        if not following or "choose" not in following[0] or following[0]["who"] != move["who"]:
            return False
        word = following[0].get("for")
        others = (one for one in option.obj.definition.abilities if not one.kind.must and not one.of_rules)
        return any(word in names if word else names for names in (asks.get(one.id, ()) for one in others))

    def lone_pass(self) -> int:
        """The scenario's next move, where it is a pass of the only player's and such passes are taken to be said where
        there is nothing to use: one, or none."""
        rest = self.scene.did[self.script : self.script + 1]
        return int(self.scene.lone_passes and any("pass" in move for move in rest))

    def scripted_pass(self, who: Any) -> int:
        """How many of the scenario's next moves are a pass of `who`: one, or none."""
        move = self.scene.did[self.script] if self.script < len(self.scene.did) else {}
        return int("pass" in move and move["who"] == getattr(who, "id", who))

    def scripted_choice(self, name: str, who: Any, option: Any) -> bool:
        """Does the scenario say that the one option left is chosen here, by `who`? Then it is a decision all the same.

        A choice that it does not name is meant here only if it is this option that it speaks of.
        """
        did = self.scene.did
        if self.is_lapsed(name, who):
            return True
        if self.script >= len(did):
            return False
        move = did[self.script]
        if "choose" not in move or move["who"] != getattr(who, "id", who):
            return False
        if "for" in move or not self.may_name(move, name):
            return self.may_name(move, name)
        wanted = move["choose"]
        return sorted(wanted if isinstance(wanted, list) else [wanted]) == sorted(chosen_ids(option))

    def tells_one_of(self, name: str, who: Any, offers: Sequence[Any]) -> bool:
        """Does the scenario say that one of these is chosen here, whatever else there may be?"""
        move = next(iter(self.scene.did[self.script : self.script + 1]), {})
        if "choose" not in move or move["who"] != getattr(who, "id", who) or not self.may_name(move, name):
            return False
        wanted = move["choose"]
        wanted = sorted(wanted if isinstance(wanted, list) else [wanted])
        return any(wanted == sorted(chosen_ids(offer)) for offer in offers)

    def is_lapsed(self, name: str, who: Any) -> bool:
        """Is it a choice of which the scenario told, taken for one that never came up?"""
        return (getattr(who, "id", who), name) in self.scene.lapsed

    def chosen_behind_a_pass(self, name: str, who: Any, offers: Sequence[Any]) -> bool:
        """Is it told that the same player, behind a pass, chooses one of these? Then that pass did not decline them."""
        told = self.scene.did[: self.scene.asked_from]
        move = next(iter(told[self.script + 1 : self.script + 2]), {})
        if "choose" not in move or move["who"] != getattr(who, "id", who) or not self.may_name(move, name):
            return False
        wanted = move["choose"] if isinstance(move["choose"], list) else [move["choose"]]
        return any(sorted(chosen_ids(offer)) == sorted(wanted) for offer in offers if offer is not None)

    def scripted_among(self, who: Any, labels: list[Any]) -> bool:
        """Does the scenario say, without naming the choice, that one of these cards is chosen now by `who`?"""
        move = self.scene.did[self.script] if self.script < len(self.scene.did) else {}
        if "choose" not in move or "for" in move or move["who"] != getattr(who, "id", who):
            return False
        wanted = self.scene.objects.get(str(move["choose"]))
        return wanted is not None and wanted.label in labels

    # --- variables of the running use

    def set_chart(self, slot: int, value: Any) -> None:
        if self.env[slot] is not value:
            self.env = replaced(self.env, slot, value)

    def set_use(self, slot: int, value: Any) -> None:
        use = self.cur
        assert use is not None
        if use.env[slot] is not value:
            self.update_use(use.with_env(replaced(use.env, slot, value)))

    def update_use(self, use: Use) -> None:
        assert self.use is not None
        self.cells[self.use] = self.cur = use


def _words(ability: "Ability") -> str:
    """What a mark says of the ability that was used: whose it is, its kind, its name."""
    return f"{'rules' if ability.of_rules else 'card'}:{ability.kind.name}:{ability.name}"
