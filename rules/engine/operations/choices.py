"""Decisions in mid-effect."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rules.engine.combinators import Compiled
from rules.engine.operations.base import OK, Operation, combos
from rules.engine.operations.facts import Pay
from rules.engine.operations.occurrences import Do
from rules.engine.records import Decision, bare

if TYPE_CHECKING:
    from rules.engine.machine import Machine


@dataclass(slots=True, eq=False)
class Choose(Operation):
    """A choice in mid-effect. None available, or fewer than the exact number: nothing is chosen, not ok."""

    slot: int
    members: Compiled
    by: Compiled
    count: Compiled
    up_to: bool
    name: str
    at_random: bool = False
    including: Compiled | None = None  # those that have to be among them

    def run(self, m: "Machine") -> Decision | None:
        members, count = self.members(m, ()), self.count(m, ())
        if m.cur is not None and not self.chart:
            members = m.legal(members, self.slot, count, target=False)[0]
        options = self._options(m, members, count)
        if not options:
            self._bind(m, None, False)
            if m.tracer:
                m.tracer.note(f"nothing can be chosen for “{self.name}”", cites=self.cites)
            return None
        who = "chance" if self.at_random else self.by(m, ())
        if len(options) == 1 and not m.scripted_choice(self.name, who, m.offer(options[0])):
            self._bind(m, options[0], True)
            if m.tracer:
                m.tracer.only_choice(who, self.name, m.offer(options[0]), self.cites)
            return None
        offers = [m.offer(option) for option in options]
        return Decision(who, "choose", offers, [], subject=self.name, cites=self.cites)

    def _options(self, m: "Machine", members: list[Any], count: int) -> list[Any]:
        own = self.including(m, ()) if self.including else ()
        if not own:
            return combos(members, count, self.up_to)
        rest = [member for member in members if member not in own]
        found = combos(rest, max(0, count - len(own)), self.up_to)
        found = [one if one.__class__ is tuple else () if one is None else (one,) for one in found]
        return list(own) if count == 1 else [(*own, *others) for others in found]

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        self._bind(m, bare(decision.options[index]), True)

    def _bind(self, m: "Machine", value: Any, ok: bool) -> None:
        self.set(m, self.slot, value)
        self.set(m, OK, ok)


@dataclass(slots=True, eq=False)
class May(Operation):
    """Yes or no; no is “not done”. Who cannot pay what it begins with is not asked."""

    by: Compiled
    what: str
    to: int = -1
    payment: Pay | None = None

    def run(self, m: "Machine") -> Decision | None:
        reason = None if self.payment is None else self.payment.obstacle(m)
        if reason is not None:
            self.set(m, OK, False)
            m.pc = self.to
            if m.tracer:
                m.tracer.note(f"{self.what}: not possible, {reason.text}", cites=reason.cites or self.cites)
            return None
        return Decision(self.by(m, ()), "may", [True, False], [], subject=self.what, cites=self.cites)

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        yes = decision.options[index]
        self.set(m, OK, yes)
        if not yes:
            m.pc = self.to


@dataclass(slots=True, eq=False)
class OneOf(Operation):
    """One of several labelled blocks; impossible ones are refused unless all are."""

    labels: list[str]
    checks: list[Operation | None]
    by: Compiled
    targets: list[int] = field(default_factory=list)

    def run(self, m: "Machine") -> Decision | None:
        options, refused = [], []
        for label, check in zip(self.labels, self.checks, strict=True):
            reason = check.obstacle(m) if isinstance(check, Do | Pay) else None
            if reason is None:
                options.append(label)
            else:
                refused.append((label, reason))
        if not options:
            options, refused = list(self.labels), []
        who = self.by(m, ())
        if len(options) == 1 and not m.scripted_choice("option", who, options[0]):
            m.pc = self.targets[self.labels.index(options[0])]
            return None
        return Decision(who, "one-of", options, refused, cites=self.cites)

    def jumps(self) -> Sequence[int]:
        return self.targets

    def redirect(self, moved: Callable[[int], int]) -> None:
        self.targets = [moved(to) for to in self.targets]

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        m.pc = self.targets[self.labels.index(decision.options[index])]
