"""Going through a procedure: jumps, variables, charts that call charts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from rules.engine.base.errors import Lacking
from rules.engine.base.messages import Message, named
from rules.engine.definitions.instructions import OK, Operation
from rules.engine.definitions.values import Decision, Obj, Ref
from rules.engine.language.combinators import Compiled
from rules.engine.language.folding import UNKNOWN, fold, reduced
from rules.engine.language.scopes import Scope
from rules.engine.machine.afterwards import leaves_alone
from rules.engine.operations.choices import paid_apart

if TYPE_CHECKING:
    from rules.engine.definitions.instructions import Known
    from rules.engine.definitions.model import Requirement, System, Unit
    from rules.engine.machine.interpreter import Machine


@dataclass(slots=True, eq=False)
class Jump(Operation):
    to: int = -1
    jumps_only: ClassVar[bool] = True
    neutral: ClassVar[bool] = True
    always_jumps: ClassVar[bool] = True

    def run(self, m: "Machine") -> None:
        m.pc = self.to

    def passes_over(self, m: Any) -> int | None:
        return self.to


@dataclass(slots=True, eq=False)
class JumpUnless(Operation):
    """Go on when the condition holds, else jump."""

    test: Compiled
    to: int = -1
    mentions: tuple[int, ...] = ()  # variables that the condition speaks of
    said: "Requirement | None" = None  # the same in a card's text
    neutral: ClassVar[bool] = True

    @property
    def failing(self) -> "Requirement | None":
        return self.said

    def holds(self, m: Any, settled: frozenset[int] | None, *, whatever: bool) -> bool | None:
        if self.said is None or m.cur is None or not (self.mentions or whatever):
            return None
        if self.mentions and (settled is None or not settled.issuperset(self.mentions)):
            return None
        found = bool(self.test(m, ()))
        if not (self.mentions or found):
            return False
        words = [text for text, _ in self.said.said]
        return found if words and leaves_alone(m, m.cur.ability.cost_checks, words) else None

    def passes_over(self, m: Any) -> int | None:
        return None if self.test(m, ()) else self.to

    def run(self, m: "Machine") -> None:
        if not self.test(m, ()):
            m.pc = self.to

    def reduced(self, known: "Known") -> Operation | None:
        known.consulted.clear()
        found = fold(self.test, known)
        if found is UNKNOWN:
            return self if known.consulted else replace(self, test=reduced(self.test, known))
        if known.consulted:
            return Touch(tuple(known.consulted), -1 if found else self.to)
        return None if found else Jump(self.to)


@dataclass(slots=True, eq=False)
class Touch(Operation):
    """A test that these readings decide: which way is known, that they were consulted is worth keeping."""

    readings: tuple[str, ...]
    to: int = -1
    neutral: ClassVar[bool] = True

    def run(self, m: "Machine") -> None:
        m.scene.touched.update(self.readings)
        if self.to >= 0:
            m.pc = self.to

    @property
    def always_jumps(self) -> bool:  # type: ignore[override]
        return self.to >= 0

    def passes_over(self, m: Any) -> int | None:
        return self.to if self.to >= 0 else None


@dataclass(slots=True, eq=False)
class JumpUnlessOk(Operation):
    """`then`: only when the instruction before, or the named group, was done in full."""

    group: int | None
    to: int = -1
    quiet: bool = False
    neutral: ClassVar[bool] = True

    @property
    def needs_success(self) -> bool:  # type: ignore[override]
        return self.group is None

    def run(self, m: "Machine") -> None:
        fine = self.get(m, OK) if self.group is None else m.fully(self.get(m, self.group))
        if not fine:
            m.pc = self.to
            if m.tracer and not self.quiet:
                text = Message("the part after “then” is not reached")
                m.tracer.note(text, cites=m.behind("then", self.cites))


@dataclass(slots=True, eq=False)
class Let(Operation):
    slot: int
    value: Compiled

    def run(self, m: "Machine") -> None:
        self.set(m, self.slot, self.value(m, ()))


@dataclass(slots=True, eq=False)
class Call(Operation):
    """`run: chart`: a chart of the system, with arguments; the caller's use and group stay visible."""

    unit_name: str
    arguments: dict[str, Compiled]
    unit: "Unit | None" = None

    def run(self, m: "Machine") -> None:
        unit = self.unit
        assert unit is not None
        checks = unit is m.system.checks
        arguments = {name: value(m, ()) for name, value in self.arguments.items()}
        opened = 0
        if m.tracer and (self.says or unit.says):
            words = {name: m.system.said(argument) for name, argument in arguments.items()}
            text = named(self.says or unit.says, words)
            opened = m.tracer.enter("step", None, text, self.cites or unit.cites)
        m.push(unit, arguments=arguments, opened=opened, for_rules=checks)

    def leads_to(self, system: "System") -> Sequence[Any]:
        return (self.unit,)

    def reduced(self, known: "Known") -> Operation | None:
        assert self.unit is not None
        for_rules = self.unit is known.scene.system.checks
        if not self.arguments and known.empty(self.unit, for_rules=for_rules):
            return None
        return self


@dataclass(slots=True, eq=False)
class Affirm(Operation):
    """What in this scene can only have been done in full: no more than `ok`."""

    affirms: ClassVar[bool] = True
    neutral: ClassVar[bool] = True

    def run(self, m: "Machine") -> None:
        self.set(m, OK, True)


@dataclass(slots=True, eq=False)
class Note(Operation):
    """A remark for the account, where it helps to say why nothing happens; it may name `{you}`, `{this}` and the
    procedure's own variables."""

    text: str
    variables: dict[str, int]
    neutral: ClassVar[bool] = True

    def run(self, m: "Machine") -> None:
        if m.tracer:
            words: dict[str, Any] = {"you": m.cur.you, "this": m.cur.obj} if m.cur else {}
            words |= {name: m.system.said(self.get(m, slot)) for name, slot in self.variables.items()}
            m.tracer.note(named(self.text, words), cites=self.cites)

    def reduced(self, known: "Known") -> Operation | None:
        return None


@dataclass(slots=True, eq=False)
class Lack(Operation):
    """Go no further: what the scenario tells is not enough, in words like those of a `Note`."""

    text: str
    place: str
    variables: dict[str, int]

    def run(self, m: "Machine") -> None:
        words = {name: self.get(m, slot) for name, slot in self.variables.items()}
        raise Lacking(named(self.text, words), self.place)


@dataclass(slots=True, eq=False)
class Assume(Operation):
    """Go on with what nobody told, in words like those of a `Note`: the answer says that this is assumed."""

    text: str
    variables: dict[str, int]
    neutral: ClassVar[bool] = True

    def run(self, m: "Machine") -> None:
        words = {name: self.get(m, slot) for name, slot in self.variables.items()}
        m.scene.granted.setdefault(named(self.text, words), self.cites)


@dataclass(slots=True, eq=False)
class Stop(Operation):
    """Leave this chart, or end the game, when the condition holds."""

    test: Compiled | None
    game: Compiled | None

    def run(self, m: "Machine") -> None:
        if self.test is not None and not self.test(m, ()):
            return
        if self.game is not None:
            winner = self.game(m, ())
            m.ended = "game"
            m.over_with_the_game()
            m.marks.append(f"game:{winner.id if winner else '-'}")
            if m.tracer:
                text = Message("The game ends")
                if winner:
                    text = Message("The game ends: {who} wins", who=winner)
                m.tracer.note(text, cites=self.cites, kind="end")
            return
        m.pc = len(m.code)


@dataclass(slots=True, eq=False)
class ForNext(Operation):
    """One member after another; the list is fixed at the start; with `order` a player picks the next each time.

    first: of players, from this one clockwise.
    """

    members: Compiled
    left: int  # hidden variable: who is left
    slot: int
    order: Compiled | None
    first: Compiled | None = None
    to: int = -1
    said: tuple[str, Scope] | None = None  # its members as they are written
    speaks_of: tuple[int, ...] = ()  # variables that these mention

    def passes_over(self, m: Any) -> int | None:
        return None if self.members(m, ()) else self.to

    def each_of(self, m: Any, chosen: frozenset[int]) -> tuple[int, Sequence[Any], int] | None:
        if self.chart or m.cur is None or chosen.intersection(self.speaks_of):
            return None
        if not paid_apart(m, m.cur, self.said) or m.among(self.members)[1]:
            return None
        return self.slot, self.members(m, ()), self.to

    def run(self, m: "Machine") -> Decision | None:
        left = self.get(m, self.left)
        if left is None:
            left = tuple(self.members(m, ()))
            if self.first is not None:
                left = tuple(player for player in m.seats(self.first(m, ())) if player in left)
        if not left:
            self.set(m, self.left, None)
            if self.order is not None:
                self.set(m, self.slot, None)  # which was the last makes no difference any more
                m.picks.append((self, m.frames, None))
            m.pc = self.to
            return None
        if self.order is not None:
            who, options = self.order(m, ()), self._options(m, left)
            if len(options) > 1 or m.scripted_choice("next", who, options[0]):
                self.set(m, self.left, left)
                self.set(m, self.slot, None)
                return Decision(who, "order", options, [], subject="next", cites=self.cites)
        self._next(m, left, 0)
        return None

    def reduced(self, known: "Known") -> Operation | None:
        known.consulted.clear()
        if known.consulted or (members := fold(self.members, known)) is UNKNOWN:
            return self if known.consulted else replace(self, members=reduced(self.members, known))
        return Jump(self.to) if members == [] and not known.consulted else self

    def _options(self, m: "Machine", left: tuple[Any, ...]) -> list[Any]:
        """Occurrences are told apart by what they happen to, when each happens to another one; else in words."""
        if not all(one.__class__ is Ref for one in left):
            return list(dict.fromkeys(left))
        records = [m.cells[one] for one in left]
        subjects = [next((r for r in record.roles if isinstance(r, Obj)), None) for record in records]
        if None not in subjects and len(set(subjects)) == len(subjects):
            return subjects
        return [m.describe(record) for record in records]

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        left: tuple[Any, ...] = self.get(m, self.left)
        option = decision.options[index]
        self._next(m, left, left.index(option) if option in left else index)

    def _next(self, m: "Machine", left: tuple[Any, ...], index: int) -> None:
        self.set(m, self.left, left[:index] + left[index + 1 :])
        self.set(m, self.slot, left[index])
        if self.order is not None:
            m.picks.append((self, m.frames, left[index]))

    @property
    def own_variables(self) -> tuple[int, ...]:
        return (self.left, self.slot)

    def waiting(self, m: "Machine", decision: Decision) -> Sequence[Any] | None:
        left: Sequence[Any] = self.get(m, self.left)
        return left
