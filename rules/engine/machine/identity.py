"""When two positions are the same: when they have the same future."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rules.engine.definitions.values import Gate, Group, Lasting, Record, Ref, Use

if TYPE_CHECKING:
    from rules.engine.machine.interpreter import Machine
    from rules.engine.scene.scene import Scene


def key(m: "Machine") -> tuple[int, ...]:
    """Equal for positions with the same future: numbers for the facts, then `control`."""
    found = control(m)
    facts = m.facts
    return (*m.scene.changing(facts if m.watch is None else facts.copy()), found)


def control(m: "Machine") -> int:
    """One number for all of a position but its facts. Cells that nothing can reach any more are forgotten."""
    _forget_spent(m)
    same, ordered = m.scene.same, True
    registers, found = same.registers((m.unit, m.pc, m.env, m.use, m.grp, m.gates, m.stack), roots)
    cells = m.cells = reachable(m, found)
    contents: list[Any] = []
    for cell in cells.values():
        if cell.__class__ is not Gate:
            contents.append(same(cell))
        elif len(cell.entries) < 2:
            contents.append(cell)
        else:  # in whatever order they came
            ordered = False
            contents.append((frozenset(cell.entries), *cell[2:]))
    return same.number(
        (
            registers,
            # found in an order that hangs on the rest of the position, unless a gate holds several occurrences
            tuple(contents) if ordered else frozenset(zip(cells, contents, strict=True)),
            frozenset(m.ledger.items()) if m.ledger else None,
            m.lasting,
            m.delayed,
            m.script,
            m.told,
            m.due,
            m.ended,
        )
    )


def _forget_spent(m: "Machine") -> None:
    """Opportunities that everybody who could take them has taken leave their gate: they have no future."""
    gates = m.gates
    while gates is not None:
        gate: Gate = m.cells[gates.gate]
        if gate.used:
            spent = {entry for entry in gate.entries if m.spent(gate, entry)}
            if spent and m.scene.gives_back:
                held = _held(m)
                spent = {entry for entry in spent if entry.record not in held}
            if spent:
                gone = {entry.record for entry in spent} - {e.record for e in gate.entries if e not in spent}
                m.cells[gates.gate] = gate._replace(
                    entries=tuple(entry for entry in gate.entries if entry not in spent),
                    used=frozenset(key for key in gate.used if key[3] not in gone),
                )
        gates = gates.outer


def _held(m: "Machine") -> set[Ref | None]:
    """What the running uses answer: they may still be given their opportunity back."""
    uses = {m.use}
    stack = m.stack
    while stack is not None:
        uses.add(stack.use)
        stack = stack.below
    return {m.cells[use].trigger for use in uses if use is not None}


def shape(m: "Machine") -> tuple[Any, ...]:
    """The position but for its numbers (call it after `key`, which forgets dead cells)."""
    facts = list(m.facts)
    for slot in m.scene.number_slots:
        if facts[slot].__class__ is int:
            facts[slot] = 0
    lasting = tuple(effect._replace(value=None) if summed(effect) else effect for effect in m.lasting)
    return (
        tuple(facts),
        m.unit,
        m.pc,
        m.env,
        m.use,
        m.grp,
        m.gates,
        m.stack,
        frozenset(m.cells),
        frozenset(m.ledger.items()),
        lasting,
        m.delayed,
        m.script,
        m.told,
        m.due,
    )


def numbers(m: "Machine") -> tuple[int, ...]:
    """What `shape` leaves out: the numbers among the facts, then the amounts of lasting changes."""
    known = (m.facts[slot] for slot in m.scene.number_slots)
    return (
        *(value if value.__class__ is int else 0 for value in known),
        *(effect.value for effect in m.lasting if summed(effect)),
    )


def number_slots(scene: "Scene", lasting: tuple[Lasting, ...]) -> tuple[int, ...]:
    """The fact that each of `numbers` belongs to."""
    changed = (e.obj.base + e.property.slot for e in lasting if summed(e) and e.property is not None)
    return (*scene.number_slots, *changed)


def summed(effect: Lasting) -> bool:
    """Does it add an amount, so that two of the same are one of their sum?"""
    return effect.op == "add" and isinstance(effect.value, int)


def roots(registers: tuple[Any, ...]) -> tuple[Ref, ...]:
    """The cells that the running frame, those under it and the open gates speak of."""
    _, _, env, use, grp, gates, stack = registers
    found = [*_spoken_of(env, use, grp)]
    while stack is not None:
        found += _spoken_of(stack.env, stack.use, stack.grp)
        stack = stack.below
    while gates is not None:
        found.append(gates.gate)
        gates = gates.outer
    return tuple(found)


def _spoken_of(env: tuple[Any, ...], *others: Ref | None) -> list[Ref]:
    found = []
    for value in env:
        if value.__class__ is Ref:
            found.append(value)
        elif value.__class__ is tuple:
            found += [one for one in value if one.__class__ is Ref]
    return found + [other for other in others if other is not None]


def reachable(m: "Machine", roots: Iterable[Ref]) -> dict[Ref, Any]:
    """The cells that can still be spoken of, by what is in the `roots` and in the delayed effects."""
    found: dict[Ref, Any] = {}
    waiting, cells = list(roots), m.cells
    for effect in m.delayed:
        waiting += _spoken_of(effect.env)
    while waiting:
        ref = waiting.pop()
        if ref in found:
            continue
        cell = found[ref] = cells[ref]
        kind = cell.__class__
        if kind is Group:
            waiting += cell.members
        elif kind is Gate:
            waiting += [entry.record for entry in cell.entries]
            waiting += cell.waiting
        elif kind is Use:
            waiting += _spoken_of(cell.env, cell.trigger, cell.record)
            waiting += [group for _, group in cell.plan]
        elif kind is Record:
            if cell.resolved_as is not None:
                waiting.append(cell.resolved_as)
            if cell.kind.links:
                waiting += [cell.roles[i] for i in cell.kind.links if cell.roles[i] is not None]
    return found
