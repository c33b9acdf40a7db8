"""A position as plain data: what a machine's registers are saved to and loaded from."""

from typing import Any, NamedTuple, Optional

from rules.engine.definitions.model import Unit
from rules.engine.definitions.values import Delayed, Lasting, Ref


class GateLink(NamedTuple):
    """An open gate, and the one around it."""

    gate: Ref
    outer: Optional["GateLink"]
    depth: int
    kinds: tuple[str, ...]


class Frame(NamedTuple):
    """A procedure that waits until the one above it is done, and the one below it."""

    unit: Unit | None
    pc: int
    env: tuple[Any, ...]
    use: Ref | None
    grp: Ref | None
    gates: GateLink | None
    opened: int
    below: Optional["Frame"]


class Position(NamedTuple):
    """Everything that the future hangs on. See `machine.state.State` for what each is."""

    facts: list[Any]
    cells: dict[Ref, Any]
    ledger: dict[tuple[Any, ...], int]
    lasting: tuple[Lasting, ...]
    delayed: tuple[Delayed, ...]
    script: int
    ended: str | None
    unit: Unit | None
    pc: int
    env: tuple[Any, ...]
    use: Ref | None
    grp: Ref | None
    gates: GateLink | None
    stack: Frame | None
    frames: int
    told: int
    due: bool
