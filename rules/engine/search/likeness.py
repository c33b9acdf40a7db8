"""Of opportunities that nobody can tell apart, one is explored (rules.engine.machine.alike)."""

from collections.abc import Sequence
from typing import Any

from rules.engine.base.values import DONE, Candidate, Decision, Gate, Obj, Record
from rules.engine.machine.alike import Alike, Bearer, Twins
from rules.engine.machine.interpreter import Machine
from rules.engine.operations import Must, Window
from rules.engine.scene.scene import Scene


class Likeness:
    """Which options of a decision are alike, for one exploration. apart: abilities that turned out not to be."""

    def __init__(self, scene: Scene, questions: Sequence[Any], apart: set[Bearer]) -> None:
        self.scene, self.questions, self.apart = scene, questions, apart
        self.fine = all(question.reducible for question in questions) and not scene.last_repeat
        self.alike = Alike()

    def kept(self, m: Machine, decision: Decision, options: list[int]) -> tuple[list[int], dict[int, int]]:
        """The options to follow, and how many each of them stands for, where that is more than itself."""
        if len(options) < 2 or decision.kind not in ("use", "order") or not self._may(m, decision):
            return options, {}
        bearers = [(one.ability, one.obj) for one in decision.options if isinstance(one, Candidate)]
        if len(set(bearers)) == len(bearers):  # each is another card's, or another ability, as mostly
            return options, {}
        found: dict[Any, list[int]] = {}
        for index in options:
            found.setdefault(self._what(m, decision.options[index]) or index, []).append(index)
        times = {indices[0]: len(indices) for indices in found.values() if len(indices) > 1}
        for first in times:
            one: Candidate = decision.options[first]
            same = next(indices for indices in found.values() if indices[0] == first)
            records = frozenset(decision.options[index].trigger for index in same)
            subjects = {role for record in records for role in m.cells[record].roles if isinstance(role, Obj)}
            known = tuple((obj, m.inc(obj)) for obj in subjects)
            self.alike.rely_on(Twins(one.ability, one.obj, records, known))
        return [indices[0] for indices in found.values()], times

    def _may(self, m: Machine, decision: Decision) -> bool:
        operation = m.code[m.pc] if m.pc < len(m.code) else None
        return (
            self.fine
            and m.script >= len(self.scene.did)
            and (operation.__class__ is Window or (operation.__class__ is Must and not operation.by_trigger))
            and not any(question.hangs_on_offers(decision) for question in self.questions)
        )

    def _what(self, m: Machine, option: Any) -> tuple[Any, ...] | None:
        """Equal for options that nobody can tell apart; None: it is like no other."""
        if (
            not isinstance(option, Candidate)
            or option.trigger is None
            or option.gate is None
            or option.effect
        ):
            return None
        ability, obj = option.ability, option.obj
        if ability.heeds or ability.per_group or ability.gained or (ability.id, obj.index) in self.apart:
            return None
        gate: Gate = m.cells[option.gate]
        record: Record = m.cells[option.trigger]
        if record.status != DONE:
            return None
        where = tuple((e.point, e.batch, e.kind) for e in gate.entries if e.record == option.trigger)
        told = tuple(m.record_field(option.trigger, role) for role in m.system.heeded)
        before = dict(record.before).get(obj.index)
        return (
            ability.id,
            obj.index,
            option.you,
            option.gate,
            option.batch,
            option.free,
            record.kind.name,
            where,
            told,
            before,
        )
