"""Opportunities that nobody can tell apart: one ability, which may answer several things, and says nothing of which.

A card that gains honor whenever somebody bows may answer each of nineteen bowings. Whichever it answers, what follows
is the same but for the name of what it answered, so one of them is explored and counted nineteen times
(rules.engine.search.likeness). Whether they stay alike is looked at again wherever somebody asks what may be used:
of those that were used already, too. If they come apart after all, the exploration begins again with that ability
explored in full.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

from rules.engine.base.values import Gate, Obj, Ref, Use

MOST = 12  # groups of one ability

if TYPE_CHECKING:
    from rules.engine.machine.state import State

Bearer = tuple[int, int]  # ability, object: by number


class Differ(Exception):
    """Opportunities that were taken to be alike are not."""

    def __init__(self, bearer: Bearer) -> None:
        super().__init__(bearer)
        self.bearer = bearer


class Twins(NamedTuple):
    """What one ability of one card may answer all the same. known: whom that happened to, as they were then."""

    ability: Any
    obj: Obj
    records: frozenset[Ref]
    known: tuple[tuple[Obj, int], ...]


class Alike:
    """The groups that an exploration has relied on."""

    def __init__(self) -> None:
        self.groups: dict[Bearer, list[Twins]] = {}
        self.records: dict[Ref | None, list[Twins]] = {}

    def rely_on(self, group: Twins) -> None:
        """From now on the group is taken to be alike, and looked at again. Raises Differ where an ability goes on
        bringing about what it answers: what was answered is kept as long as it is compared, so that play would never
        come round to where it was."""
        known = self.groups.setdefault((group.ability.id, group.obj.index), [])
        if not any(group.records <= other.records for other in known):
            if len(known) >= MOST:
                raise Differ((group.ability.id, group.obj.index))
            known.append(group)
            for record in group.records:
                self.records.setdefault(record, []).append(group)

    def compares(self, record: Ref, gate: Gate) -> bool:
        """Is there anything left on the gate that this, which was answered, was taken to be like?"""
        waiting = {entry.record for entry in gate.entries}
        return any(
            (group.ability.id, group.obj.index, other) not in gate.used
            for group in self.records.get(record, ())
            for other in group.records & waiting
        )

    def open(self, m: "State") -> frozenset[Any]:
        """What is taken to be alike of what waits on the open gates, and of what running uses answer: by that,
        positions are told from those that were met before it was relied on."""
        if not self.records:
            return frozenset()
        there: set[Ref | None] = {cell.trigger for cell in m.cells.values() if cell.__class__ is Use}
        gates = m.gates
        while gates is not None:
            there.update(entry.record for entry in m.cells[gates.gate].entries)
            gates = gates.outer
        groups = {id(group): group for record in there for group in self.records.get(record, ())}
        return frozenset(
            (group.ability.id, group.obj.index, left)
            for group in groups.values()
            if len(left := group.records & there) > 1
        )
