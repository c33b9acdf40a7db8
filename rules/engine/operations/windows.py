"""Gates, compulsory triggers and windows."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rules.engine.expressions import Compiled
from rules.engine.operations.base import Operation
from rules.engine.records import Candidate, Decision, Gate, Ref

if TYPE_CHECKING:
    from rules.engine.machine import Machine
    from rules.engine.model import Property, Unit


@dataclass(slots=True, eq=False)
class OpenGate(Operation):
    kinds: tuple[str, ...]

    def run(self, m: "Machine") -> None:
        depth = 0 if m.gates is None else m.gates[2] + 1
        m.gates = (m.add_cell(Gate(self.kinds, (), frozenset()), "gate", depth), m.gates, depth)


@dataclass(slots=True, eq=False)
class CloseGate(Operation):
    def run(self, m: "Machine") -> None:
        m.gates = m.gates[1]


@dataclass(slots=True, eq=False)
class Must(Operation):
    """Compulsory abilities, one at a time, looked for again after each; several at once are put in order."""

    kinds: tuple[str, ...]
    order: Compiled
    nest_name: str
    state: int  # hidden: was the trace's node opened?
    nest: "Unit | None" = None

    def run(self, m: "Machine") -> Decision | None:
        options, refused = m.choices(self.kinds, must=True)
        if m.tracer and (options or refused) and self.get(m, self.state) is None:
            m.tracer.enter("window", None, self.says or f"{' and '.join(self.kinds)}, compulsory", self.cites)
            self.set(m, self.state, True)
        if not options:
            if m.tracer and self.get(m, self.state):
                m.tracer.refused(m, refused)
                m.tracer.exit(1)
            self.set(m, self.state, None)
            return None
        if len(options) > 1:
            who = self.order(m, ())
            return Decision(who, "order", options, refused, subject=self.kinds, cites=self.cites)
        self._start(m, options[0])
        return None

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        self._start(m, decision.options[index])

    def _start(self, m: "Machine", option: tuple[Candidate, Ref | None]) -> None:
        m.pc -= 1
        assert self.nest is not None
        opened = m.tracer.enter_use(m, option[0], self.nest.cites) if m.tracer else 0
        m.start_use(option[0], option[1], self.nest, opened)


@dataclass(slots=True, eq=False)
class Window(Operation):
    """Optional abilities: whose turn, how turns and passes move, what closes it, what a use runs."""

    kinds: tuple[str, ...]
    start: Compiled
    clock: "Property | None"  # game variable moved on by each use and each pass; else a pointer of its own
    closes: str  # all-pass | first-use | each-done
    stays: bool  # a user keeps the turn
    nest_name: str
    state: int  # hidden: (turn, passes in a row, seats done)
    used: int  # variable `used`: the last use, or nothing
    stops: bool
    nest: "Unit | None" = None

    def run(self, m: "Machine") -> Decision | None:
        options, refused = m.choices(self.kinds, must=False)
        state = self.get(m, self.state)
        if state is None:
            if not options and not self.stops:
                # every clock goes all the way round: nothing changes, and who would begin need not be asked
                if m.tracer:
                    m.tracer.nobody_at_all(self.title, refused, self.cites)
                return None
            state = (self.start(m, ()), 0, ())
            if m.tracer:
                m.tracer.enter("window", None, self.title, self.cites)
        turn, passes, done = state
        seats = len(m.players)
        while passes < seats and len(done) < seats:
            player = m.fact(m.game, self.clock) if self.clock else turn
            if player in done:
                turn = m.next_player(player)
                continue
            mine: list[Any] = [option for option in options if option[0].you is player]
            why = [refusal for refusal in refused if refusal[0].you is player]
            if mine or self.stops:
                self.set(m, self.state, (turn, passes, done))
                mine.append(None)  # pass
                return Decision(
                    player, "use", mine, why, subject=self.kinds, stop=self.stops, cites=self.cites
                )
            if m.tracer:
                m.tracer.nobody(player, why)
            turn, passes, done = self._passed(m, player, turn, passes, done)
        if m.tracer:
            m.tracer.exit(1)
        self.set(m, self.state, None)
        return None

    @property
    def title(self) -> str:
        return self.says or f"{' and '.join(self.kinds)} window"

    def _passed(self, m: "Machine", player: Any, turn: Any, passes: int, done: Any) -> tuple[Any, int, Any]:
        if self.clock:
            m.facts[m.game.base + self.clock.slot] = m.next_player(player)
        if self.closes == "each-done":
            return m.next_player(player), passes, (*done, player)
        return m.next_player(player), passes + 1, done

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        turn, passes, done = self.get(m, self.state)
        option, player = decision.options[index], decision.who
        if option is None:
            self.set(m, self.state, self._passed(m, player, turn, passes, done))
            m.pc -= 1
            return
        if self.clock:
            m.facts[m.game.base + self.clock.slot] = m.next_player(player)
        self.set(m, self.used, player)
        after = player if self.stays or self.closes == "each-done" else m.next_player(player)
        if self.closes == "first-use":
            self.set(m, self.state, None)
        else:
            self.set(m, self.state, (after, 0, done))
            m.pc -= 1
        assert self.nest is not None
        opened = m.tracer.enter_use(m, option[0], self.nest.cites) if m.tracer else 0
        if m.tracer and self.closes == "first-use":
            opened += 1  # the window's own node ends with the use
        m.start_use(option[0], option[1], self.nest, opened)
