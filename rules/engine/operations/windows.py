"""Gates, compulsory triggers and windows."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rules.engine.expressions import Compiled
from rules.engine.operations.base import Operation
from rules.engine.records import Candidate, Decision, Gate, Obj

if TYPE_CHECKING:
    from rules.engine.machine import Machine
    from rules.engine.model import Property, Unit


@dataclass(slots=True, eq=False)
class OpenGate(Operation):
    """From here on, what happens waits here for abilities of these kinds."""

    kinds: tuple[str, ...]
    locked: bool = False

    def run(self, m: "Machine") -> None:
        depth = 0 if m.gates is None else m.gates[2] + 1
        m.gates = (m.add_cell(Gate(self.kinds, locked=self.locked), "gate", depth), m.gates, depth)


@dataclass(slots=True, eq=False)
class CloseGate(Operation):
    def run(self, m: "Machine") -> None:
        m.gates = m.gates[1]


@dataclass(slots=True, eq=False)
class Batch(Operation):
    """What was raised so far is one batch; what follows comes behind it (or, last in first out, before it)."""

    kind: str

    def run(self, m: "Machine") -> None:
        ref = m.gate_for(self.kind)
        if ref is not None:
            gate: Gate = m.cells[ref]
            m.cells[ref] = gate._replace(batch=gate.batch + 1)


@dataclass(slots=True, eq=False)
class Hush(Operation):
    """Members of the group for which the test holds stop being occurrences for the system's hushed kinds (L5R-27)."""

    test: Compiled

    def run(self, m: "Machine") -> None:
        assert m.grp is not None
        for ref in m.cells[m.grp].members:
            if not self.test(m, (ref,)):
                continue
            gates = m.gates
            while gates is not None:
                gate: Gate = m.cells[gates[0]]
                if any(entry.record == ref for entry in gate.entries):
                    m.cells[gates[0]] = gate._replace(hushed=gate.hushed | {ref})
                gates = gates[1]
            if m.tracer:
                m.tracer.note(f"no longer counts as: {m.describe(m.cells[ref])}", cites=self.cites)


@dataclass(slots=True, eq=False)
class Again(Operation):
    """The opportunity that the running use took is open again, as if it had not been used."""

    def run(self, m: "Machine") -> None:
        use = m.cur
        if use is None or use.gate is None or use.gate not in m.cells:
            return
        gate: Gate = m.cells[use.gate]
        spent = m.used_key(Candidate(use.ability, use.obj, use.you, use.trigger, use.gate, 0))
        m.cells[use.gate] = gate._replace(used=gate.used - {spent})
        if m.tracer:
            m.tracer.note(f"{use.obj.label} may be used again on the same occasion", cites=self.cites)


@dataclass(slots=True, eq=False)
class Defer(Operation):
    """What waits on the innermost gate for a kind is handed on to the next gate out that accepts it."""

    kind: str

    def run(self, m: "Machine") -> None:
        inner = outer = None
        gates = m.gates
        while gates is not None and outer is None:
            if self.kind in m.cells[gates[0]].kinds:
                inner, outer = (gates[0], None) if inner is None else (inner, gates[0])
            gates = gates[1]
        if inner is None or outer is None:
            return
        here: Gate = m.cells[inner]
        there: Gate = m.cells[outer]
        handed = tuple(entry for entry in here.entries if entry.kind == self.kind)
        rest = tuple(entry for entry in here.entries if entry.kind != self.kind)
        m.cells[inner] = here._replace(entries=rest)
        m.cells[outer] = there._replace(
            entries=tuple(dict.fromkeys((*there.entries, *handed))), used=there.used | here.used
        )


@dataclass(slots=True, eq=False)
class Put(Operation):
    """The running use waits on the innermost gate of a kind and is carried out when it is taken from there."""

    kind: str

    def run(self, m: "Machine") -> None:
        ref = m.gate_for(self.kind)
        if ref is None or m.use is None:
            return
        gate: Gate = m.cells[ref]
        m.cells[ref] = gate._replace(waiting=(*gate.waiting, m.use))
        if m.tracer and m.cur:
            m.tracer.note(f"{m.cur.obj.label} waits ({self.says or self.kind})", cites=self.cites)


@dataclass(slots=True, eq=False)
class TakeWaiting(Operation):
    """Carry out what waits: the last put comes first."""

    kind: str
    nest: "Unit"

    def run(self, m: "Machine") -> None:
        ref = m.gate_for(self.kind)
        if ref is None or not m.cells[ref].waiting:
            return
        gate: Gate = m.cells[ref]
        use = gate.waiting[-1]
        m.cells[ref] = gate._replace(waiting=gate.waiting[:-1])
        opened = 0
        if m.tracer:
            found = m.cells[use]
            opened = m.tracer.enter(
                "step", found.you, f"{found.obj.label} is next to be carried out", self.cites
            )
        m.push(self.nest, use=use, opened=opened)
        m.grp = None


@dataclass(slots=True, eq=False)
class Must(Operation):
    """Compulsory abilities, one at a time, looked for again after each; several at once are put in order.

    order: who orders them; None: each player orders their own, the active player's first, then round the seats.
    batches: "" (all together), "fifo" or "lifo" (only the first, or the last, batch that has any).
    """

    kinds: tuple[str, ...]
    order: Compiled | None
    nest_name: str
    state: int  # hidden: was the trace's node opened?
    batches: str = ""
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
        if self.batches:
            pick = min if self.batches == "fifo" else max
            batch = pick(option.batch for option in options)
            options = [option for option in options if option.batch == batch]
        who, options = self._whose(m, options)
        if len(options) > 1:
            return Decision(who, "order", list(options), refused, subject=self.kinds, cites=self.cites)
        self._start(m, options[0])
        return None

    def _whose(self, m: "Machine", options: list[Candidate]) -> tuple[Any, list[Candidate]]:
        if self.order is not None:
            return self.order(m, ()), options
        player: Obj = m.fact(m.game, m.system.game["active"])
        for _ in m.players:
            mine = [option for option in options if option.you is player]
            if mine:
                return player, mine
            player = m.next_player(player) or player
        return options[0].you, options

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        self._start(m, decision.options[index])

    def _start(self, m: "Machine", option: Candidate) -> None:
        m.pc -= 1
        assert self.nest is not None
        opened = m.tracer.enter_use(m, option, self.nest.cites) if m.tracer else 0
        m.start_use(option, self.nest, opened)


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
    used: int  # variable `used`: who used something last, or nothing
    stops: bool
    quiet: bool  # no word in the account when nobody has anything that listens here
    alone: bool  # it is open to the player who starts it, and to nobody else
    nest: "Unit | None" = None

    def run(self, m: "Machine") -> Decision | None:
        options, refused = m.choices(self.kinds, must=False)
        state = self.get(m, self.state)
        if state is None:
            self.set(m, self.used, None)
            if not options and not self.stops:
                # every clock goes all the way round: nothing changes, and who would begin need not be asked
                if m.tracer and (refused or not self.quiet):
                    m.tracer.nobody_at_all(self.title, refused, self.cites)
                return None
            state = (self.start(m, ()), 0, ())
            if m.tracer:
                m.tracer.enter("window", None, self.title, self.cites)
        turn, passes, done = state
        seats = 1 if self.alone else len(m.players)
        while passes < seats and len(done) < seats:
            player = m.fact(m.game, self.clock) if self.clock else turn
            if player in done:
                turn = m.next_player(player)
                continue
            mine: list[Any] = [option for option in options if option.you is player]
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
            return self._following(m, player), passes, (*done, player)
        return self._following(m, player), passes + 1, done

    def _following(self, m: "Machine", player: Obj) -> Obj:
        return player if self.alone else m.next_player(player) or player

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
        after = player if self.stays else self._following(m, player)
        if self.closes == "first-use":
            self.set(m, self.state, None)
        else:
            self.set(m, self.state, (after, 0, done))
            m.pc -= 1
        assert self.nest is not None
        opened = m.tracer.enter_use(m, option, self.nest.cites) if m.tracer else 0
        if m.tracer and self.closes == "first-use":
            opened += 1  # the window's own node ends with the use
        m.start_use(option, self.nest, opened)
