"""Whether a cost can be paid: its parts are one list, in which each is asked as if those before it were paid."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rules.engine.base.facts import Facts
from rules.engine.base.messages import Message
from rules.engine.definitions.instructions import Operation
from rules.engine.definitions.values import NOTHING, Reason

if TYPE_CHECKING:
    from rules.engine.machine.interpreter import Machine
    from rules.engine.machine.occurrences import Occurrences


class Part(NamedTuple):
    """A part of a cost, as it is judged."""

    check: Operation
    asked: bool = True  # else it is only paid, so that it can be seen what is left for the others
    settled: bool = True  # it speaks of no choice still to be made, so that it can be paid
    open_: bool = False  # that it is about nothing says nothing yet


class AsIfPaid:
    """What is asked meanwhile is asked as if some parts of a cost were paid: what one part takes, spends or uses up is
    not there for the next."""

    def __init__(self, m: "Occurrences") -> None:
        self.m = m
        self.facts = m.facts
        self.kept = self._state()

    def __enter__(self) -> "AsIfPaid":
        return self

    def __exit__(self, *_: object) -> None:
        self._back_to(self.kept)

    def _state(self) -> tuple[Any, ...]:
        m = self.m
        return m.facts, m.lasting, m.watch, m.look, m.reserved

    def _back_to(self, state: tuple[Any, ...]) -> None:
        m = self.m
        m.facts, m.lasting, m.watch, m.look, m.reserved = state

    def obstacle(self, parts: Sequence[Part]) -> Reason | None:
        """Why these cannot be paid one after another, in whichever way each of them is paid; of several ways the
        first reason."""
        if not parts:
            return None
        (check, asked, settled, open_), rest = parts[0], parts[1:]
        reason = self._obstacle(check) if asked else None
        if reason is not None and not (reason is NOTHING and open_):
            return reason
        if not (settled and rest):
            return self.obstacle(rest)
        first: Reason | None = None
        for way in check.ways(self.m):
            before = self._state()
            self.m.reserved = dict(self.m.reserved)
            check.reserve(self.m)
            self.change(way)
            reason = self.obstacle(rest)
            self._back_to(before)
            if reason is None:
                return None
            first = first or reason
        return first

    def change(self, writes: Sequence[Any]) -> None:
        """As if these changes were made; whoever watches is told that everything was read."""
        m = self.m
        if writes:
            m.facts, m.watch, m.look = Facts(m.facts), None, None
        for write in writes:
            if write.obj is not None:
                write.perform(m)

    def _obstacle(self, check: Operation) -> Reason | None:
        """Why this part cannot be paid now."""
        m = self.m
        reason = check.obstacle(m) or self._gone(check)
        if reason is None or reason is NOTHING or m.facts is self.facts:
            return reason
        before, m.facts = m.facts, self.facts
        try:
            anyway = check.obstacle(m)
        finally:
            m.facts = before
        if anyway is not None:
            return anyway
        text = Message("once another part of the cost is paid, {reason}", reason=reason.text)
        return Reason(text, reason.cites, reason.depth)

    def _gone(self, check: Operation) -> Reason | None:
        """Of a card that nobody named: there are no more of them once the rest is paid."""
        m = self.m
        for write in check.changes(m) if m.scene.strangers and m.facts is not self.facts else ():
            if write.what == "move" and write.obj.stranger:
                owner = m.fact(write.obj, m.system.properties["owner"])
                if m.unnamed(m.system.piles[m.zone(write.obj)], owner) == 0:
                    return Reason(Message("{card} is no longer there", card=write.obj), ())
        return None


def leaves_the_rest(m: "Machine", writes: Sequence[Any]) -> bool:
    """Can the parts of a cost behind the one whose chart runs be paid, once that is paid with these changes?"""
    frame = m.stack
    code = frame.unit.code[frame.pc :] if frame is not None and frame.unit is not None else ()
    rest = [Part(one) for one in code if one.paying and not one.vacuous(m)]
    with AsIfPaid(m) as cost:
        cost.change(writes if rest else ())
        return cost.obstacle(rest) is None
