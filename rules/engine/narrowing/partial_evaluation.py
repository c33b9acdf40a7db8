"""A scene narrowed to what can happen in it, and procedures rewritten for it.

A chart speaks of every kind of ability its game has, the state checks of every way to win; a scenario has few of them.
An exploration that grows runs the same charts thousands of times and tells nobody about them, so they are rewritten
once: facts that nothing here can change are constants, tests whose answer is known become jumps or vanish, and windows
that nobody could use, points at which nothing listens and gates on which nothing can wait disappear. A told line runs
the procedures as they are written, because what did not happen is worth telling. Both take the same decisions
(tests/rules/test_specialise.py).

What can happen is found optimistically (as in sparse conditional constant propagation, Wegman and Zadeck 1991): suppose
that nothing ever changes, follow what would run then, add what that changes, and repeat until nothing is added.
"""

import copy
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from rules.engine.base.facts import Open
from rules.engine.definitions.effects import Footprint
from rules.engine.definitions.model import Ability, OccurrenceKind, Property, Restrictions, Unit
from rules.engine.definitions.values import Obj
from rules.engine.language.folding import UNKNOWN, fold
from rules.engine.language.scopes import Noun

if TYPE_CHECKING:
    from rules.engine.operations import Operation
    from rules.engine.scene.scene import Scene


class Known:
    """What is settled before any position is looked at, for procedures that run for one ability of one card.

    settled: False where any ability of any card may be running; ability and obj None: the rules themselves run.
    """

    def __init__(
        self,
        specialiser: "Specialiser",
        ability: Ability | None = None,
        obj: Obj | None = None,
        *,
        settled: bool = True,
    ) -> None:
        self.specialiser = specialiser
        self.footprint, self.supposed = specialiser.footprint, specialiser.supposed
        self.scene = scene = specialiser.scene
        self.ability, self.obj, self.settled = ability, obj, settled
        self.game, self.cards, self.players = scene.game, scene.cards, scene.players
        self.consulted: set[str] = set()  # readings that the last answers came from

    @property
    def this(self) -> Any:
        return self.obj if self.settled else UNKNOWN

    def fact(self, obj: Obj, prop: Property) -> Any:
        """A fact that nothing in the scene can change."""
        for when, at in prop.fixed:
            if (holds := fold(when, self, (obj,))) is UNKNOWN:
                return UNKNOWN
            if holds:
                return fold(at, self, (obj,))
        footprint = self.footprint
        value = self.scene.facts[obj.base + prop.slot]
        if (
            prop.slot in footprint.written
            or prop.name in footprint.lasting
            or prop.name in self.scene.always
            or value.__class__ is Open
        ):
            return UNKNOWN
        if prop.adds is not None:
            return UNKNOWN
        return value if prop.base is None or value is None else fold(prop.base, self, (obj, value))

    def reading(self, key: str) -> Any:
        value = self.scene.facts[self.scene.reading_slots[key]]
        if value.__class__ is Open:
            return UNKNOWN
        self.consulted.add(key)
        return value

    def everyone(self, noun: Noun) -> Any:
        """The objects among which the noun's are, when they are always the same."""
        return noun.source(self) if noun.fixed else UNKNOWN

    def uses(self, kind: str) -> bool:
        """May an ability of this kind be used here?"""
        return kind in self.footprint.kinds

    def hears(self, point: str) -> bool:
        """May anything listen at this point?"""
        return point in self.footprint.points

    def answers(self, kind: str) -> bool:
        """May anything answer occurrences of this kind, at whatever point?"""
        return any(name == kind for _, name in self.footprint.listened)

    def waits_on(self, kinds: Iterable[str]) -> tuple[str, ...]:
        """Those of the kinds for which something can wait on a gate."""
        footprint = self.footprint
        return tuple(kind for kind in kinds if kind in footprint.kinds or kind in footprint.put)

    def use_cancelled(self) -> Any:
        return UNKNOWN if self.footprint.cancels else False

    def empty(self, unit: Unit, *, for_rules: bool = False) -> bool:
        """Does a procedure run from this one do nothing?"""
        known = Known(self.specialiser) if for_rules else self
        return not self.specialiser.rewritten(unit, known).code


class Specialiser:
    """The rewritten procedures of a scene, made when they are first run.

    supposed: they are looked through to find out what can happen, and not run.
    """

    def __init__(self, scene: "Scene", footprint: Footprint, *, supposed: bool = False) -> None:
        self.scene, self.footprint, self.supposed = scene, footprint, supposed
        self._units: dict[tuple[Unit, Ability | None, Obj | None, bool], Unit] = {}
        self._restrictions: dict[tuple[Ability, Obj], tuple[Restrictions, Restrictions]] = {}
        self._free: dict[tuple[Ability, Obj], bool] = {}
        self._speaking: dict[Obj, bool] = {}

    def unit(self, unit: Unit, ability: Ability | None, obj: Obj | None) -> Unit:
        """The procedure as it is when it runs for this ability of this card (None: for the rules themselves)."""
        found = self._units.get((unit, ability, obj, True))  # the one look-up in the inner loop
        return found if found is not None else self.rewritten(unit, Known(self, ability, obj))

    def rewritten(self, unit: Unit, known: Known) -> Unit:
        key = (unit, known.ability, known.obj, known.settled)
        found = self._units.get(key)
        if found is None:
            self._units[key] = unit  # a procedure that runs itself meets itself as it is written
            code = compact([operation.reduced(known) for operation in unit.code], fresh=unit.is_chart)
            found = self._units[key] = replace(unit, code=tuple(code))
        return found

    def restrictions(self, ability: Ability, obj: Obj) -> tuple[Restrictions, Restrictions]:
        """The system's `access` and `restrictions` that may stand against this ability of this card."""
        found = self._restrictions.get((ability, obj))
        if found is None:
            known, system = Known(self, ability, obj), self.scene.system
            found = (self._open(system.access, known), self._open(system.restrictions, known))
            self._restrictions[ability, obj] = found
        return found

    def free(self, ability: Ability, obj: Obj) -> bool:
        """Is it known that only its place and its occasion can stand against the use of this ability of this card?"""
        found = self._free.get((ability, obj))
        if found is None:
            asks = ability.condition or ability.limit or ability.targets or ability.designations
            found = not (asks or ability.cost_checks or self.scene.forbidden_use is not None)
            found = found and obj not in self.scene.unread and not self._may_be_idle(ability)
            found = found and self.restrictions(ability, obj) == ((), ())
            self._free[ability, obj] = found
        return found

    def _may_be_idle(self, ability: Ability) -> bool:
        """Where no use may change nothing: may there be nothing to choose on the way?"""
        return self.scene.system.idle_cites is not None and any(
            hasattr(operation, "slot") for part in ability.parts for operation in part.code
        )

    @staticmethod
    def _open(entries: Restrictions, known: Known) -> Restrictions:
        """Those not known to be met; one that a reading decides stays, so that the reading counts as consulted."""
        left = []
        for when, requirement in entries:
            known.consulted.clear()
            applies = fold(when, known)
            met = applies is not UNKNOWN and not applies
            if not met:
                holds = fold(requirement.test, known)
                met = holds is not UNKNOWN and bool(holds)
            if not met or known.consulted:
                left.append((when, requirement))
        return tuple(left)

    def speaks(self, obj: Obj) -> bool:
        """Is the card known never to be silent?"""
        found = self._speaking.get(obj)
        if found is None:
            silent = self.scene.system.silent
            found = silent is None or fold(silent, Known(self), (obj,)) is False
            self._speaking[obj] = found
        return found


def compact(code: list["Operation | None"], *, fresh: bool) -> list["Operation"]:
    """The instructions that are left and can be reached, their jumps put right.

    fresh: the procedure starts with variables of its own, `ok` holding.
    """
    live = _reachable(code)
    kept = [i for i, operation in enumerate(code) if operation is not None and i in live]
    while True:
        place = {old: new for new, old in enumerate(kept)}
        ends = {}
        new = len(kept)
        for old in range(len(code), -1, -1):
            new = place.get(old, new)
            ends[old] = new
        idle = {
            old
            for new, old in enumerate(kept)
            if (jump := code[old]) is not None
            and jump.jumps_only
            and all(ends[to] == new + 1 for to in jump.jumps())
        }
        if fresh and not idle and kept and (first := code[kept[0]]) is not None and first.affirms:
            landed = {ends[to] for old in kept if (jump := code[old]) is not None for to in jump.jumps()}
            idle = set() if 0 in landed else {kept[0]}
        if not idle:
            break
        kept = [old for old in kept if old not in idle]
    found = []
    for old in kept:
        operation = code[old]
        assert operation is not None
        if any(ends[to] != to for to in chain(operation.jumps(), *operation.blocks())):
            operation = copy.copy(operation)
            operation.redirect(ends.__getitem__)
        found.append(operation)
    return found


def _reachable(code: list["Operation | None"]) -> set[int]:
    seen: set[int] = set()
    waiting = [0]
    while waiting:
        at = waiting.pop()
        if at in seen or not 0 <= at < len(code):
            continue
        seen.add(at)
        operation = code[at]
        if operation is not None:
            waiting.extend(operation.jumps())
        if operation is None or not operation.always_jumps:
            waiting.append(at + 1)
    return seen


# --- what can happen


def narrow(scene: "Scene") -> "Scene":
    """The same scene, its procedures rewritten and its changing facts those that can change."""
    # what is used hangs on what is listened to, and that on what is used: suppose all there is
    kinds, listened = scene.footprint.kinds, scene.footprint.listened
    supposed = Footprint(kinds=kinds, listened=listened)
    while True:
        found = _follow(scene, Specialiser(scene, supposed, supposed=True))
        again = replace(found, kinds=kinds, listened=listened)
        if again == supposed:
            return scene.narrowed(Specialiser(scene, found), found)
        supposed = again


def _follow(scene: "Scene", specialiser: Specialiser) -> Footprint:
    """What can happen if nothing changes but what the specialiser's footprint says."""
    system = scene.system
    anyone, rules = Known(specialiser, settled=False), Known(specialiser)
    found = Footprint()
    altered = specialiser.footprint.altered
    asked: set[str] = set()
    idle: dict[str, list[tuple[Ability, Obj]]] = {}
    for obj, ability in scene.abilities:
        idle.setdefault(ability.kind.name, []).append((ability, obj))
    seen: set[Any] = set()
    waiting: list[tuple[Any, Known]] = [
        (scene.start, rules)
    ]  # a procedure, an ability, a kind with its roles

    def live(ability: Ability, known: Known) -> None:
        found.use(ability)
        waiting.extend((unit, known) for unit in (*ability.parts, ability.cost) if unit is not None)

    while waiting:
        node, known = waiting.pop()
        if (node, known) in seen:
            continue
        seen.add((node, known))
        if isinstance(node, tuple):
            kind, roles = node
            code: Iterable[Operation] = [edit for edit in kind.edits if not edit.idle_in(anyone, roles)]
            if kind.steps is not None:
                found.steps = True
                waiting.append((kind.steps, anyone))
        elif isinstance(node, Ability):  # left behind by an effect
            live(node, anyone)
            continue
        else:
            code = specialiser.rewritten(node, known).code
        for operation in code:
            operation.mark(found)
            for led in operation.leads_to(system):
                if isinstance(led, OccurrenceKind):
                    told = zip(led.role_names, operation.holders(led, known), strict=True)
                    holders = tuple(UNKNOWN if name in altered else value for name, value in told)
                    waiting.append(((led, holders), anyone))
                elif led is not None:
                    own = isinstance(led, Unit) and led is system.checks
                    waiting.append((led, rules if own else anyone))
            for kind in operation.asks_for:
                if kind not in asked:
                    asked.add(kind)
                    for ability, obj in idle.get(kind, ()):
                        live(ability, Known(specialiser, ability, obj))
    return scene.closed(found)
