"""What a system can ask of anybody: at which points each kind of occurrence is raised, and for which kinds of ability a
window, or what is compulsory, ever looks.

An ability that listens where nothing is raised, or whose kind nobody asks for, would be silent for ever; it is refused
where it is written (`rules.engine.compiler.cards`).
"""

from collections.abc import Iterable, Iterator, Mapping

from rules.engine import operations as ops
from rules.engine.definitions.model import System, Unit

USE = "use"  # “this ability is used”: foreseen with what the ability does, and over with it


def raised(system: System) -> Mapping[str, frozenset[str]]:
    """Kind of occurrence -> the points at which it is raised, once the charts are compiled.

    What is proposed goes through its `via` chart; what a use is about to do may be foreseen before (`plan`), and is
    then raised by the chart that foresees it. A use itself is foreseen and nothing more, unless that chart commits it.
    """
    foreseeing = [unit for unit in system.charts.values() if _has(unit, ops.Plan)]
    early = _points(foreseeing) - system.later
    proposed = {one.kind.name for unit in _units(system) for one in unit.code if isinstance(one, ops.Do)}
    found = {}
    for name, kind in system.kinds.items():
        own = [unit for unit in (system.charts.get(kind.via), kind.steps) if unit is not None]
        found[name] = early | (_points(own) if name != USE or name in proposed else frozenset())
        if name == USE and any(_has(unit, ops.Commit) for unit in _within(foreseeing)):
            found[name] |= _points(foreseeing)
    return found


def asked_for(system: System) -> frozenset[str]:
    """The kinds of ability that some procedure of the system's file looks for."""
    return frozenset(kind for unit in _units(system) for one in unit.code for kind in _looked_for(one))


def _looked_for(operation: ops.Operation) -> Iterable[str]:
    yield from operation.asks_for
    if isinstance(operation, ops.Put | ops.TakeWaiting):
        yield operation.kind


def _units(system: System) -> list[Unit]:
    """Every procedure of the system's file."""
    units = [*system.charts.values(), *(kind.steps for kind in system.kinds.values()), system.checks]
    units += [unit for _, ability in system.rulebook for unit in (*ability.parts, ability.cost)]
    return [unit for unit in units if unit is not None]


def _has(unit: Unit, kind: type[ops.Operation]) -> bool:
    return any(isinstance(operation, kind) for operation in unit.code)


def _within(units: Iterable[Unit]) -> Iterator[Unit]:
    """The procedures and those that they run as their own, not what is used meanwhile."""
    waiting, met = list(units), set()
    while waiting:
        unit = waiting.pop()
        if unit.id in met:
            continue
        met.add(unit.id)
        yield unit
        waiting += [
            operation.unit
            for operation in unit.code
            if isinstance(operation, ops.Call) and operation.unit is not None
        ]


def _points(units: Iterable[Unit]) -> frozenset[str]:
    return frozenset(
        operation.name
        for unit in _within(units)
        for operation in unit.code
        if isinstance(operation, ops.Point)
    )
