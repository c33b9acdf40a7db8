"""When two positions are the same."""

from typing import TYPE_CHECKING, Any

from rules.engine.records import Gate, Group, Record, Ref

if TYPE_CHECKING:
    from rules.engine.machine import Machine


def key(m: "Machine") -> tuple[Any, ...]:
    """Equal for positions with the same future: what no frame, gate or use can reach any more is left out,
    and what is left is numbered in the order in which it is reached."""
    numbers: dict[int, int] = {}
    contents: list[Any] = []
    cells = m.cells

    def value(v: Any) -> Any:
        if v.__class__ is Ref:
            return ref(v)
        if v.__class__ is tuple:
            return tuple(value(one) for one in v)
        return v

    def ref(index: int) -> Any:
        if index < 0:
            return -1
        number = numbers.get(index)
        if number is None:
            number = numbers[index] = len(contents)
            contents.append(None)
            contents[number] = content(cells[index])
        return ("#", number)

    def content(cell: Any) -> Any:
        if cell.__class__ is Record:
            before = cell.before
            kept = (
                tuple((i, s.row, tuple(s.stats.items()), s.works) for i, s in before.items())
                if before
                else None
            )
            return (
                cell.kind.name,
                cell.roles,
                cell.status,
                cell.changes,
                cell.incs,
                kept,
                ref(cell.resolved_as),
            )
        if cell.__class__ is Group:
            return ("g", cell.planned, cell.empty_ok, tuple(ref(i) for i in cell.members))
        if cell.__class__ is Gate:
            entries = tuple((ref(i), point) for i, point in cell.entries)
            return ("w", cell.kinds, entries, tuple(sorted((a, o, ref(r)) for a, o, r in cell.used)))
        return (
            cell.ability.id, cell.obj, cell.you, ref(cell.trigger), value(cell.env), cell.incs, cell.illegal,
            tuple((n, ref(g)) for n, g in cell.plan), ref(cell.record), ref(cell.gate),
        )  # fmt: skip

    def chain(gates: Any) -> tuple[Any, ...]:
        found = []
        while gates is not None:
            found.append(ref(gates[0]))
            gates = gates[1]
        return tuple(found)

    frames = [(id(m.code), m.pc, value(m.env), ref(m.use), ref(m.grp), chain(m.gates))]
    stack = m.stack
    while stack is not None:
        code, pc, env, use, grp, gates, _, stack = stack
        frames.append((id(code), pc, value(env), ref(use), ref(grp), chain(gates)))
    return (
        tuple(m.facts),
        tuple(frames),
        tuple(contents),
        tuple(sorted(m.ledger.items(), key=repr)) if m.ledger else (),
        m.lasting,
        tuple((d.ability.id, d.obj, d.you, value(d.env), d.once, d.until) for d in m.delayed),
        m.script,
        m.ended,
    )
