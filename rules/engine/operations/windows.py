"""Gates, compulsory triggers and windows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from rules.engine.base.errors import Unnamed, Unread, Untold
from rules.engine.base.messages import Message, both, listed
from rules.engine.definitions.instructions import Operation
from rules.engine.definitions.positions import GateLink
from rules.engine.definitions.values import ONCE, Candidate, Decision, Gate, Obj, Reason, Ref
from rules.engine.language.combinators import Compiled
from rules.engine.operations.uses import Recheck

if TYPE_CHECKING:
    from rules.engine.definitions.effects import Footprint
    from rules.engine.definitions.instructions import Known
    from rules.engine.definitions.model import Property, System, Unit
    from rules.engine.machine.interpreter import Machine


@dataclass(slots=True, eq=False)
class OpenGate(Operation):
    """From here on, what happens waits here for abilities of these kinds."""

    kinds: tuple[str, ...]
    locked: bool = False

    def run(self, m: "Machine") -> None:
        depth = 0 if m.gates is None else m.gates.depth + 1
        gate = m.add_cell(Gate(self.kinds, locked=self.locked), "gate", depth)
        m.gates = GateLink(gate, m.gates, depth, self.kinds)

    def reduced(self, known: "Known") -> Operation | None:
        kinds = known.waits_on(self.kinds)
        return self if kinds == self.kinds else OpenGate(kinds, self.locked) if kinds else None


@dataclass(slots=True, eq=False)
class CloseGate(Operation):
    opening: OpenGate

    def run(self, m: "Machine") -> None:
        assert m.gates is not None
        gate, m.gates = m.gates.gate, m.gates.outer
        m.cells.pop(gate, None)  # its name is free again: names must not tell how often one was opened before

    def reduced(self, known: "Known") -> Operation | None:
        return self if known.waits_on(self.opening.kinds) else None


@dataclass(slots=True, eq=False)
class Batch(Operation):
    """What was raised so far is one batch; what follows comes behind it (or, last in first out, before it)."""

    kind: str

    def run(self, m: "Machine") -> None:
        ref = m.gate_for(self.kind)
        if ref is None:
            return
        gate: Gate = m.cells[ref]
        raised = [entry for entry in gate.entries if entry.batch == gate.batch and entry.kind == self.kind]
        if not raised:
            return
        m.cells[ref] = gate._replace(batch=gate.batch + 1)
        if m.tracer:
            names = [name for entry in raised for name in m.waiting_names(entry)]
            if names:
                said = self.says or Message("waits")
                m.tracer.note(Message("{said}: {what}", said=said, what=listed(names)), cites=self.cites)

    def reduced(self, known: "Known") -> Operation | None:
        return self if known.waits_on((self.kind,)) else None


@dataclass(slots=True, eq=False)
class Hush(Operation):
    """Members of the group for which the test holds stop being occurrences for the system's hushed kinds.

    In a chart that runs for a use and not for a group: the occurrence which that use answers.
    """

    test: Compiled

    def run(self, m: "Machine") -> None:
        answered = m.cur.trigger if m.cur is not None else None
        for ref in m.cells[m.grp].members if m.grp is not None else (answered,):
            if ref is None or not self.test(m, (ref,)):
                continue
            gates = m.gates
            while gates is not None:
                gate: Gate = m.cells[gates.gate]
                if any(entry.record == ref for entry in gate.entries):
                    m.cells[gates.gate] = gate._replace(hushed=gate.hushed | {ref})
                gates = gates.outer
            if m.tracer:
                text = Message("no longer counts as: {what}", what=m.describe(m.cells[ref]))
                m.tracer.note(text, cites=self.cites)


@dataclass(slots=True, eq=False)
class Again(Operation):
    """The opportunity that the running use took is open again, as if it had not been used."""

    def mark(self, footprint: "Footprint") -> None:
        footprint.gives_back = True

    def run(self, m: "Machine") -> None:
        use = m.cur
        if use is None or use.gate is None or use.gate not in m.cells:
            return
        gate: Gate = m.cells[use.gate]
        mine = (use.ability.id, use.obj.index)
        spent = {key for key in gate.used if key[:2] == mine and self._answers(key[3], use.trigger)}
        m.cells[use.gate] = gate._replace(used=gate.used - spent)
        if m.tracer:
            text = Message("{card} may be used again on the same occasion", card=use.obj)
            m.tracer.note(text, cites=self.cites)

    @staticmethod
    def _answers(what: Any, trigger: Ref | None) -> bool:
        return what == trigger or (what.__class__ is frozenset and trigger in what)


@dataclass(slots=True, eq=False)
class Defer(Operation):
    """What waits on the innermost gate for a kind is handed on to the next gate out that accepts it."""

    kind: str

    def run(self, m: "Machine") -> None:
        inner = outer = None
        gates = m.gates
        while gates is not None and outer is None:
            if self.kind in gates.kinds:
                inner, outer = (gates.gate, None) if inner is None else (inner, gates.gate)
            gates = gates.outer
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

    def reduced(self, known: "Known") -> Operation | None:
        return self if known.waits_on((self.kind,)) else None


@dataclass(slots=True, eq=False)
class Lapse(Operation):
    """What waits on the innermost gate for a kind has had its time."""

    kind: str

    def reduced(self, known: "Known") -> Operation | None:
        return self if known.waits_on((self.kind,)) else None

    def run(self, m: "Machine") -> None:
        ref = m.gate_for(self.kind)
        if ref is not None:
            gate: Gate = m.cells[ref]
            m.cells[ref] = gate._replace(
                entries=tuple(entry for entry in gate.entries if entry.kind != self.kind)
            )


@dataclass(slots=True, eq=False)
class Put(Operation):
    """The running use waits on the innermost gate of a kind and is carried out when it is taken from there."""

    kind: str

    def mark(self, footprint: "Footprint") -> None:
        footprint.put.add(self.kind)

    def leads_to(self, system: "System") -> Sequence[Any]:
        return (system.kinds.get("use"),)

    def run(self, m: "Machine") -> None:
        ref, use, kind = m.gate_for(self.kind), m.cur, m.system.kinds.get("use")
        if ref is None or m.use is None or use is None:
            return
        if kind is not None and use.record is None:  # while it waits it is something that others can speak of
            record = m.add_record(m.propose(kind, m.using(kind, use))[0])
            m.update_use(use._replace(record=record))
        gate: Gate = m.cells[ref]
        m.cells[ref] = gate._replace(waiting=(*gate.waiting, m.use))
        m.note_waiting(use, over=False)
        if m.tracer and m.cur:
            where = self.says or m.system.word(self.kind)
            m.tracer.note(Message("{card} waits ({where})", card=m.cur.obj, where=where), cites=self.cites)


@dataclass(slots=True, eq=False)
class TakeWaiting(Operation):
    """Carry out what waits: the last put comes first, or the first put; only that one, or all one after another."""

    kind: str
    nest: "Unit"
    first: bool = False
    all: bool = False

    def run(self, m: "Machine") -> None:
        ref = m.gate_for(self.kind)
        if ref is None or not m.cells[ref].waiting:
            return
        gate: Gate = m.cells[ref]
        use = gate.waiting[0 if self.first else -1]
        m.cells[ref] = gate._replace(waiting=gate.waiting[1:] if self.first else gate.waiting[:-1])
        opened = 0
        if self.all:
            m.pc -= 1
        if not any(isinstance(one, Recheck) for one in self.nest.code):  # that says whether it takes effect
            m.note_waiting(m.cells[use], over=True)
        if m.tracer:
            found = m.cells[use]
            text = Message("{card} is next to be carried out", card=found.obj)
            if self.says:
                text = Message("{card} {verb}", card=found.obj, verb=self.says)
            opened = m.tracer.enter("step", found.you, text, self.cites)
        m.push(self.nest, use=use, opened=opened)
        m.grp = None

    def leads_to(self, system: "System") -> Sequence[Any]:
        return (self.nest,)


@dataclass(slots=True, eq=False)
class Must(Operation):
    """Compulsory abilities, one at a time, looked for again after each; several at once are put in order.

    order: who orders them; None, or an expression that names nobody: each player orders their own, the active
    player's (or `start`'s) first, then round the seats.
    by_trigger: `order` speaks of what each of them answers; who is named for several orders those, in the same turn.
    batches: "" (all together), "fifo" or "lifo" (only the first, or the last, batch that has any).
    joins: what is raised meanwhile belongs to the same batch, not to one of its own; only where there are `batches`.
    """

    kinds: tuple[str, ...]
    order: Compiled | None
    nest_name: str
    state: int  # hidden: was the trace's node opened?
    batches: str = ""
    joins: bool = False
    one: bool = False  # no more than one of them now
    start: Compiled | None = None
    nest: "Unit | None" = None
    by_trigger: bool = False

    def run(self, m: "Machine") -> Decision | None:
        options, refused = m.choices(self.kinds, must=True)
        refused = [one for one in refused if one[1].depth != ONCE]  # what was carried out just now
        if m.tracer and self.get(m, self.state) is None and (m.tracer.telling(refused) or options):
            kinds = both(m.system.word(kind) for kind in self.kinds)
            said = self.says or Message("{kinds}, mandatory", kinds=kinds)
            m.tracer.enter("window", None, said, self.cites)
            self.set(m, self.state, True)
        if not options:
            m.picks.append((self, m.frames, None))
            if m.tracer and self.get(m, self.state):
                m.tracer.refused(m, refused)
                m.tracer.exit(1)
                self.set(m, self.state, None)
            return None
        if self.batches:
            pick = min if self.batches == "fifo" else max
            batch = pick(option.batch for option in options)
            options = [option for option in options if option.batch == batch]
            if self.joins:  # before one is taken, so that it makes no difference which is the first
                self._join(m, options)
        who: Any = None
        if len(options) > 1:
            who, options = self._whose(m, options)
        if len(options) > 1:
            offers = m.told_apart(options)
            return Decision(who, "order", offers, refused, subject=self.kinds, cites=self.cites)
        if m.scene.did and m.scripted_next(who or self._whose(m, options)[0], options[0]):
            who = who or self._whose(m, options)[0]
            return Decision(who, "order", options, refused, subject=self.kinds, cites=self.cites)
        self._start(m, options[0])
        return None

    def leads_to(self, system: "System") -> Sequence[Any]:
        return (self.nest,)

    @property
    def asks_for(self) -> Sequence[str]:
        return self.kinds

    def reduced(self, known: "Known") -> Operation | None:
        return self if any(known.uses(kind) for kind in self.kinds) else None

    def _whose(self, m: "Machine", options: list[Candidate]) -> tuple[Any, list[Candidate]]:
        orders = {}
        if self.order is not None and self.by_trigger:
            orders = {option: m.judged(option, self.order) or option.you for option in options}
        elif self.order is not None and (who := self.order(m, ())) is not None:
            return who, options
        player: Obj = self.start(m, ()) if self.start else m.fact(m.game, m.system.game["active"])
        for _ in m.players:
            mine = [option for option in options if orders.get(option, option.you) is player]
            if mine:
                return player, mine
            player = m.next_player(player) or player
        return options[0].you, options

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        self._start(m, decision.options[index])

    @property
    def own_variables(self) -> tuple[int, ...]:
        return (self.state,)

    def waiting(self, m: "Machine", decision: Decision) -> Sequence[Any] | None:
        return None if self.one else [one.subject for one in decision.options]

    @staticmethod
    def _join(m: "Machine", options: list[Candidate]) -> None:
        """From here on, what is raised belongs to the batch of these."""
        for ref, batch in {(option.gate, option.batch) for option in options}:
            if ref is not None and m.cells[ref].batch != batch:
                m.cells[ref] = m.cells[ref]._replace(batch=batch)

    def _start(self, m: "Machine", option: Candidate) -> None:
        assert self.nest is not None
        m.picks.append((self, m.frames, option.subject))
        opened = m.tracer.enter_use(m, option, self.nest.cites) if m.tracer else 0
        if self.one:
            opened += 1 if self.get(m, self.state) else 0  # the node of all of them ends with this one
            self.set(m, self.state, None)
        else:
            m.pc -= 1
        m.begin_use(option, self.nest, opened)


@dataclass(slots=True, eq=False)
class Window(Operation):
    """Optional abilities: whose turn, how turns and passes move, what closes it, what a use runs.

    order: who picks which of several players that have something to use is next, each time anew; each is done when
    he passes. An expression that names nobody leaves it to the seats, from `start` on.
    """

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
    order: Compiled | None = None
    nest: "Unit | None" = None
    spoken: Compiled | None = None  # when passing is said aloud, so that told rounds of it are this window's
    anytime: tuple[str, ...] = ()  # what a player may use here whoever is asked first

    def mark(self, footprint: "Footprint") -> None:
        if self.clock is not None:
            footprint.written.add(self.clock.slot)

    def run(self, m: "Machine") -> Decision | None:
        found: list[Untold] = []
        options, refused = m.choices(self.kinds, must=False, unclear=found)
        unclear = [one for one in found if not self._passed_over(m, one)]
        supposed: dict[Candidate, Untold] = {}
        if unclear and self._supposed(m, unclear):
            supposed = {one.use: one for one in unclear}
            options += supposed
        elif unclear and not self._goes_on(m, options, unclear):
            if m.script < len(m.scene.did) or self.order is not None:
                raise unclear[0]
            open_ = self._unclear(m, unclear[0], options)
            if self.stops:
                return open_
            unclear[0].decision = open_
            raise unclear[0]
        if m.tracer:
            m.tracer.aside(refused, options)  # of all players, though only one is asked
            m.tracer.waiting(options)
        state = self.get(m, self.state)
        if options and not self.stops:
            m.script += self._idle_told(m, options)
        elif state is not None and not self.stops and not any(state[1:]):
            passed = self._passes_here(m)  # after the last use that was possible, all are asked once more
            if not passed and (self._acted(m) or self._answers_what_happened(m)):
                m.note_now()
            m.script += passed
        if state is None:
            self.set(m, self.used, None)
            spoken = self.spoken is not None and self.spoken(m, ())
            passed = self._round_of_passes(m) if spoken else 0
            if passed and options:
                if m.tracer:
                    m.tracer.note(Message("{window}: all pass", window=self._title(m)), cites=self.cites)
                m.script += passed
                return None
            if not options and not self.stops:
                # every clock goes all the way round: nothing changes, and who would begin need not be asked
                passed = passed if self.spoken else self._passes_here(m)
                if m.tracer and (m.tracer.telling(refused) or not self.quiet):
                    m.tracer.nobody_at_all(self._title(m), refused, self.cites)
                if not passed and (spoken or self._acted(m)):
                    m.note_now()
                if spoken and not passed and m.tracer:
                    m.tracer.aloud = True
                m.script += passed
                return None
            state = (self._first(m, options), 0, ())
            if m.tracer:
                m.tracer.enter("window", None, self._title(m), self.cites)
            self.set(m, self.state, state)
        turn, passes, done = state
        if self.order is not None:
            return self._ordered(m, turn, done, options, refused)
        seats = 1 if self.alone else len(m.players)
        while passes < seats and len(done) < seats:
            player = m.fact(m.game, self.clock) if self.clock else turn
            if player in done:
                turn = m.next_player(player)
                continue
            mine: list[Any] = m.told_apart([option for option in options if option.you is player])
            why = [refusal for refusal in refused if refusal[0].you is player]
            if mine or (self.stops and self._awaited(m, player)):
                self.set(m, self.state, (turn, passes, done))
                doubt = next((supposed[one] for one in mine if one in supposed), None)
                mine.append(None)  # pass
                return Decision(
                    player,
                    "use",
                    mine,
                    why,
                    subject=self.kinds,
                    stop=self.stops,
                    cites=self.cites,
                    untold=doubt,
                )
            if options:  # else nobody is asked again, and one pass alone is no round
                told = m.scripted_pass(player)
                skipped = (
                    told and m.script in m.scene.idle_passes
                )  # somebody else goes on: it holds nobody up
                m.script += told if skipped else m.says_idle_passes(told)
            if m.tracer:
                m.tracer.nobody(player, why)
            turn, passes, done = self._passed(m, player, turn, passes, done)
            self.set(m, self.state, (turn, passes, done))  # from here on, should a reading have to be settled
        if m.tracer:
            m.tracer.exit(1)
        self.set(m, self.state, None)
        return None

    def is_still_to_ask(self, m: "Machine", who: str, kinds: Iterable[str]) -> bool:
        """Are such uses asked of the player here as soon as whoever is asked now is done?"""
        state = self.get(m, self.state)
        if self.closes != "each-done" or self.alone or state is None or not set(kinds) & set(self.kinds):
            return False
        return who not in [player.id for player in state[2]]

    def _passed_over(self, m: "Machine", found: Untold) -> bool:
        """Was what hangs on a text that nobody understood not used here? So it is where the scenario goes on with the
        use of something else, or, where players act of their own accord, with the pass of whoever could use it. Where
        they answer something, passes alone may be said of another window."""
        if not isinstance(found, Unread):
            return False
        passing = list(takewhile(lambda move: "pass" in move, m.scene.did[m.script :]))
        used = next((move["use"] for move in m.scene.did[m.script :] if "use" in move), None)
        if used is not None:
            return bool(used != found.used.id)
        user = getattr(found.user, "id", None)
        return self._acted(m) and any(move["who"] == user for move in passing)

    @staticmethod
    def _round_of_passes(m: "Machine") -> int:
        """How many of the scenario's next moves are the passes of everybody, whoever is told first; else none."""
        moves = m.scene.did[m.script : m.script + len(m.players)]
        passing = {move["who"] for move in moves if "pass" in move}
        return len(moves) if len(passing) == len(m.players) else 0

    def _idle_told(self, m: "Machine", options: list[Candidate]) -> int:
        """How many of the scenario's next moves are passes of players with nothing to use here, before what somebody
        else can use here: whoever begins, these passes hold nobody up."""
        did, able, at = m.scene.did, {one.you.id for one in options}, m.script
        while (who := m.scene.idle_passes.get(at)) and who not in able:
            at += 1
        if at == m.script or at >= len(did) or "use" not in did[at]:
            return 0
        used = (did[at]["who"], did[at]["use"])
        return at - m.script if any((one.you.id, one.obj.id) == used for one in options) else 0

    @staticmethod
    def _idle_among(m: "Machine", options: list[Candidate], done: tuple[Any, ...]) -> int:
        """How many of the scenario's next moves are passes, one each, of players who are not called here, because they
        have nothing to use where somebody else has."""
        idle = (
            {player.id for player in m.players} - {one.id for one in done} - {one.you.id for one in options}
        )
        found = 0
        while options and m.script + found < len(m.scene.did):
            move = m.scene.did[m.script + found]
            if "pass" not in move or move["who"] not in idle:
                break
            idle.discard(move["who"])
            found += 1
        return found

    def _acted(self, m: "Machine") -> bool:
        """Do the players act here by turns, of their own accord, so that all would have to pass?"""
        return not (self.alone or m.system.acted.isdisjoint(self.kinds))

    def _answers_what_happened(self, m: "Machine") -> bool:
        """Is it for what answers something that has happened, so that nothing of it is still to come?"""
        points = {point for kind in self.kinds for point in m.system.ability_kinds[kind].answers}
        return bool(points) and points <= set(m.system.later)

    def _passes_here(self, m: "Machine") -> int:
        """How many of the scenario's next moves are the passes of everybody who is asked here, one each, and belong
        here; else none. Where nobody has anything to use it makes no difference who is first. One pass alone is no
        round, and where players can only answer something, nobody is asked unless something does, or did. Of a
        window that is for one player, that player's pass is all."""
        state = self.get(m, self.state)
        if self.alone:
            passes = m.scripted_pass(self.start(m, ()) if state is None else state[0])
        elif self._acted(m) or state is not None:
            passes = self._round_of_passes(m) if len(m.players) > 1 else 0
        else:
            return m.lone_pass()
        return passes if m.says_every_window(passes) else m.lone_pass()

    def _supposed(self, m: "Machine", unclear: list[Untold]) -> bool:
        """Is it explored, too, that all of these may be used? So it is where an exploration only asks which cards they
        are that nobody named."""
        asked = not self.stops and self.order is None and m.script >= len(m.scene.did)
        return m.supposes and asked and all(isinstance(one, Unnamed) for one in unclear)

    @staticmethod
    def _goes_on(m: "Machine", options: list[Candidate], unclear: list[Untold]) -> bool:
        """Does the scenario go on with something that may be used, whatever else may be? What the rules let one do with
        a card is not surely meant where its own text may be."""
        move = m.scene.did[m.script] if m.script < len(m.scene.did) else {}
        told, word = (move.get("who"), move.get("use")), move.get("ability", "")
        doubtful = not word and any(one.used is not None and one.used.id == told[1] for one in unclear)
        return any(
            (one.you.id, one.obj.id) == told and one.meant(word) and not (doubtful and one.ability.of_rules)
            for one in options
        )

    def _unclear(self, m: "Machine", found: Untold, options: list[Candidate]) -> Decision:
        """Whose turn it is, and what may be used in any case, where what else may be is not known."""
        turn, _, done = self.get(m, self.state) or (self.start(m, ()), 0, ())
        player = m.fact(m.game, self.clock) if self.clock else turn
        while player in done:
            player = m.next_player(player)
        sure = m.told_apart([option for option in options if option.you is player])
        return Decision(
            player,
            "use",
            [*sure, None],
            [],
            subject=self.kinds,
            stop=self.stops,
            cites=self.cites,
            untold=found,
        )

    def _first(self, m: "Machine", options: list[Candidate]) -> Any:
        """Whose turn is first. Where one player alone has something to use, all others pass whoever begins, and the
        rules for that need not be asked."""
        if self.order is not None:
            return None
        able = {option.you for option in options}
        told = m.scene.did[m.script] if m.script < len(m.scene.did) else {}
        said = "pass" in told and told["who"] not in {one.id for one in able}  # so he had his turn
        if len(able) == 1 and not (self.stops or self.alone or self.clock or said):
            return able.pop()
        return self.start(m, ())

    def leads_to(self, system: "System") -> Sequence[Any]:
        return (self.nest,)

    @property
    def asks_for(self) -> Sequence[str]:
        return self.kinds

    def reduced(self, known: "Known") -> Operation | None:
        return (
            self
            if self.stops
            or self.spoken is not None
            or any("pass" in move for move in known.scene.did)  # it takes told passes, though nobody can act
            or any(known.uses(kind) for kind in self.kinds)
            else None
        )

    def _ordered(
        self,
        m: "Machine",
        turn: Any,
        done: tuple[Any, ...],
        options: list[Candidate],
        refused: list[tuple[Candidate, Reason]],
    ) -> Decision | None:
        """The window of players who are called one by one."""
        assert self.order is not None
        if turn is None:
            able = self._able(m, done, options)
            who = self.order(m, ()) if len(able) > 1 else None
            m.script += m.says_idle_passes(self._idle_among(m, options, done))
            if who is not None:
                self.set(m, self.state, (None, 0, done))
                return Decision(who, "order", able, [], subject="next", cites=self.cites)
            turn = able[0] if able else None
        if turn is None:
            if m.tracer:
                for player in m.players:
                    why = [refusal for refusal in refused if refusal[0].you is player]
                    if player not in done and why:
                        m.tracer.nobody(player, why)
                m.tracer.exit(1)
            self.set(m, self.state, None)
            return None
        self.set(m, self.state, (turn, 0, done))
        mine = [*m.told_apart([option for option in options if option.you is turn]), None]
        why = [refusal for refusal in refused if refusal[0].you is turn]
        return Decision(turn, "use", mine, why, subject=self.kinds, stop=self.stops, cites=self.cites)

    def _able(self, m: "Machine", done: tuple[Any, ...], options: list[Candidate]) -> list[Any]:
        """The players who have something to use and are not done, in seat order from `start`."""
        able = {option.you for option in options} - set(done)
        if len(able) < 2:
            return list(able)
        first = m.players.index(self.start(m, ()))
        return [player for player in (*m.players[first:], *m.players[:first]) if player in able]

    def _awaited(self, m: "Machine", player: Any) -> bool:
        """Is a player asked though there is nothing but passing? Not when the scenario goes on with somebody else, or
        with what only a later window asks for; never who is out of the game, nor, where one player acts and others may
        use something at any time, one of the others."""
        if m.system.out is not None and m.fact(player, m.system.out):
            return False
        did = m.scene.did
        if m.script >= len(did):
            return not self.anytime or player is self.start(m, ())
        return did[m.script]["who"] == player.id and not m.waits_for_a_window(did[m.script], self.kinds)

    def _title(self, m: "Machine") -> str:
        kinds = both(m.system.word(kind) for kind in self.kinds)
        return self.says or Message("{kinds} window", kinds=kinds)

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
        if decision.kind == "order":
            self.set(m, self.state, (option, 0, done))
            m.pc -= 1
            return
        if option is None:
            passed = (None, 0, (*done, player))
            if self.order is None:
                passed = self._passed(m, player, turn, passes, done)
            self.set(m, self.state, passed)
            m.pc -= 1
            return
        if m.supposes and m.scene.strangers:
            m.in_doubt = m.uncertain(option)
        if self.clock:
            m.facts[m.game.base + self.clock.slot] = m.next_player(player)
        self.set(m, self.used, player)
        after = None if self.order else player if self.stays else self._following(m, player)
        if self.closes == "first-use":
            self.set(m, self.state, None)
        else:
            self.set(m, self.state, (after, 0, done))
            m.pc -= 1
        assert self.nest is not None
        opened = m.tracer.enter_use(m, option, self.nest.cites) if m.tracer else 0
        if m.tracer and self.closes == "first-use":
            opened += 1  # the window's own node ends with the use
        m.begin_use(option, self.nest, opened)
