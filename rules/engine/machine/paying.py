"""Whether the parts of a cost can be paid together: each is asked as if those before it were paid."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rules.engine.base.facts import Facts
from rules.engine.base.messages import Message
from rules.engine.definitions.instructions import Operation
from rules.engine.definitions.values import NOTHING, Reason

if TYPE_CHECKING:
    from rules.engine.machine.occurrences import Occurrences


class AsIfPaid:
    """What is asked meanwhile is asked as if some parts of a cost were paid: what one part takes, spends or uses up is
    not there for the next."""

    def __init__(self, m: "Occurrences") -> None:
        self.m = m
        self.kept = m.facts, m.lasting, m.watch, m.look, m.reserved
        self.checks = m.cur.ability.cost_checks if m.cur is not None else ()

    def __enter__(self) -> "AsIfPaid":
        self.m.reserved = dict(self.m.reserved)
        return self

    def __exit__(self, *_: object) -> None:
        m = self.m
        m.facts, m.lasting, m.watch, m.look, m.reserved = self.kept

    def pay(self, check: Operation) -> None:
        m = self.m
        check.reserve(m)
        if check not in self.checks[-1:]:
            self._change(check.changes(m))

    def _change(self, writes: Sequence[Any]) -> None:
        m = self.m
        if writes and m.facts is self.kept[0]:  # whoever watches is told that everything was read
            m.facts, m.watch, m.look = Facts(m.facts), None, None
        for write in writes:
            if write.obj is not None:
                write.perform(m)

    def obstacle(self, check: Operation) -> Reason | None:
        """Why this part cannot be paid now."""
        m = self.m
        before = m.facts, m.lasting, m.watch, m.look
        if check.pools(m):  # it is paid before the rest; what the rest taps or bows still cannot pay for it
            used = [write for one in self._settled(check) for write in one.changes(m) if write.what == "set"]
            m.facts = self.kept[0]
            self._change(used)
        try:
            reason = check.obstacle(m) or self._gone(check)
            if reason is None or reason is NOTHING or m.facts is self.kept[0]:
                return reason
            m.facts = self.kept[0]
            anyway = check.obstacle(m)
        finally:
            m.facts, m.lasting, m.watch, m.look = before
        if anyway is not None:
            return anyway
        text = Message("once another part of the cost is paid, {reason}", reason=reason.text)
        return Reason(text, reason.cites, reason.depth)

    def _gone(self, check: Operation) -> Reason | None:
        """Of a card that nobody named: there are no more of them once the rest is paid."""
        m = self.m
        for write in check.changes(m) if m.scene.strangers and m.facts is not self.kept[0] else ():
            if write.what == "move" and write.obj.stranger:
                owner = m.fact(write.obj, m.system.properties["owner"])
                if m.unnamed(m.system.piles[m.zone(write.obj)], owner) == 0:
                    return Reason(Message("{card} is no longer there", card=write.obj), ())
        return None

    def _settled(self, check: Operation) -> Iterator[Operation]:
        """The other parts of the cost that speak of no choice still to be made."""
        use = self.m.cur
        assert use is not None
        to_come = {target.slot for target in use.ability.targets if use.env[target.slot] is None}
        for one in self.checks:
            if one is not check and not to_come.intersection(getattr(one, "mentions", ())):
                yield one
