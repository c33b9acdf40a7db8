"""Procedures as they are in one scene: what can do nothing there is left out.

A chart speaks of every kind of ability its game has; a scenario has few of them. For exploring, which runs the same
charts thousands of times and tells nobody about them, each procedure is rewritten once for the ability and the card it
is run for: tests whose answer is known become jumps or vanish, windows that nobody could use, points at which nothing
listens and gates on which nothing can wait disappear. A traced line runs the procedures as they are written, because
what did not happen is worth telling; both take the same decisions (tests/rules/test_specialise.py).
"""

import copy
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rules.engine.expressions import Noun, Open
from rules.engine.folding import UNKNOWN, fold
from rules.engine.model import Ability, OccurrenceKind, Property, System, Unit
from rules.engine.records import Obj

if TYPE_CHECKING:
    from rules.engine.operations import Operation
    from rules.engine.scene import Scene


class Known:
    """What is settled before any position is looked at, for the procedures that run for one ability of one card."""

    def __init__(self, specialiser: "Specialiser", ability: Ability | None, obj: Obj | None) -> None:
        self.specialiser = specialiser
        self.scene = scene = specialiser.scene
        self.ability, self.obj = ability, obj
        self.game, self.cards, self.players = scene.game, scene.cards, scene.players
        self.consulted: set[str] = set()  # readings that the last answers came from

    def fact(self, obj: Obj, prop: Property) -> Any:
        """A fact that nothing in the scene can change."""
        scene = self.scene
        for when, at in prop.fixed:
            if (holds := fold(when, self, (obj,))) is UNKNOWN:
                return UNKNOWN
            if holds:
                return fold(at, self, (obj,))
        value = scene.facts[obj.base + prop.slot]
        if prop.slot in scene.written or prop.name in scene.modified or value.__class__ is Open:
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
        """Is there any ability of this kind?"""
        return kind in self.scene.kinds_present

    def hears(self, point: str) -> bool:
        """May anything listen at this point?"""
        return point in self.scene.points_heard

    def use_cancelled(self) -> Any:
        return UNKNOWN if self.scene.cancels else False

    def waits_on(self, kinds: Iterable[str]) -> tuple[str, ...]:
        """Those of the kinds for which something can wait on a gate."""
        scene = self.scene
        return tuple(kind for kind in kinds if kind in scene.kinds_present or kind in scene.kinds_put)

    def unit(self, unit: Unit, *, for_rules: bool = False) -> Unit:
        """A procedure run from this one."""
        if for_rules:
            return self.specialiser.unit(unit, None, None)
        return self.specialiser.unit(unit, self.ability, self.obj)


class Specialiser:
    """The rewritten procedures of a scene, made when they are first run."""

    def __init__(self, scene: "Scene") -> None:
        self.scene = scene
        self.units: dict[tuple[Unit, Ability | None, Obj | None], Unit] = {}

    def unit(self, unit: Unit, ability: Ability | None, obj: Obj | None) -> Unit:
        """The procedure as it is when it runs for this ability of this card (None: for the rules themselves)."""
        key = (unit, ability, obj)
        found = self.units.get(key)
        if found is None:
            self.units[key] = unit  # a procedure that runs itself meets itself as it is written
            found = self.units[key] = self._rewritten(unit, Known(self, ability, obj))
        return found

    def _rewritten(self, unit: Unit, known: Known) -> Unit:
        code = [operation.reduced(known) for operation in unit.code]
        code = compact(code)
        return unit if code == list(unit.code) else replace(unit, code=tuple(code))


def compact(code: list["Operation | None"]) -> list["Operation"]:
    """The instructions that are left and can be reached, their jumps put right."""
    live = _reachable(code)
    while True:
        kept = [i for i, operation in enumerate(code) if operation is not None and i in live]
        place = {old: new for new, old in enumerate(kept)}

        def moved(to: int, kept: list[int] = kept, place: dict[int, int] = place) -> int:
            """Where a jump to an old place leads: the first instruction from there on that is left."""
            if to in place:
                return place[to]
            return next((new for new, old in enumerate(kept) if old >= to), len(kept))

        idle = [
            old
            for new, old in enumerate(kept)
            if (operation := code[old]) is not None
            and operation.jumps_only
            and all(moved(to) == new + 1 for to in operation.jumps())
        ]
        if not idle:
            break
        for old in idle:
            code[old] = None
    found = []
    for old in kept:
        operation = code[old]
        assert operation is not None
        if any(moved(to) != to for to in operation.jumps()):
            operation = copy.copy(operation)
            operation.redirect(moved)
        found.append(operation)
    return found


def _reachable(code: list["Operation | None"]) -> set[int]:
    seen: set[int] = set()
    waiting = [0]
    while waiting:
        at = waiting.pop()
        if at in seen or at >= len(code) or at < 0:
            continue
        seen.add(at)
        operation = code[at]
        if operation is not None:
            waiting.extend(operation.jumps())
        if operation is None or not operation.always_jumps:
            waiting.append(at + 1)
    return seen


# --- what can happen at all


def operations_from(
    system: System, start: Unit, abilities: Iterable[Ability]
) -> tuple[list["Operation"], frozenset[str]]:
    """Every instruction that may run when play starts with a procedure, and the kinds of ability that are used then.

    abilities: those of the scene; only of kinds for which some instruction asks do they matter.
    """
    found: list[Operation] = []
    asked: set[str] = set()
    seen: set[Any] = set()
    waiting: list[Any] = [start]
    idle: dict[str, list[Ability]] = {}
    for ability in abilities:
        idle.setdefault(ability.kind.name, []).append(ability)
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        operations, leads, kinds = system.leads.get(node) or _leads(system, node)
        found += operations
        waiting += leads
        for kind in kinds:
            if kind not in asked:
                asked.add(kind)
                waiting += idle.pop(kind, ())
    return found, frozenset(asked)


def _leads(system: System, node: Any) -> tuple[list["Operation"], list[Any], frozenset[str]]:
    """The instructions of a procedure, an occurrence or an ability, what they may start, and the kinds of ability for
    which they ask."""
    if isinstance(node, Ability):
        return [], [*node.parts, node.cost], frozenset()
    own: list[Operation] = list(node.edits if isinstance(node, OccurrenceKind) else node.code)
    leads: list[Any] = [node.steps] if isinstance(node, OccurrenceKind) else []
    asks: set[str] = set()
    for operation in own:
        leads += operation.leads_to(system)
        asks.update(operation.asks_for)
    found = own, leads, frozenset(asks)
    if isinstance(node, OccurrenceKind) or node.is_chart:  # a card's own belong to the scene
        system.leads[node] = found
    return found
