"""Cycles of play: moves that lead round again, with nothing but numbers changed.

A player who has shown a whole cycle may name how often it is repeated. That is not believed but tried: the shown moves
are taken again, one cycle after another at first and then at the far end of what was named, so that a cycle which
cannot go on (nobody can pay any more) or which ends the game stops the repetition where that happens.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rules.engine.base.facts import Open
from rules.engine.base.messages import Message
from rules.engine.definitions.positions import Position
from rules.engine.definitions.values import Candidate, Decision, Obj, Offer, Reason, Record, Ref
from rules.engine.machine import identity
from rules.engine.machine.interpreter import Machine, Runaway
from rules.engine.machine.trace import Step, Tracer
from rules.engine.scene.scene import Scene

Taken = tuple[Position, Decision, int]  # a position, its open decision, the option taken
Moves = tuple[tuple[Decision, int], ...]

OPPOSED = Message("both players' loops go on forever, so they cancel out and nothing has changed")
EACH = Message("each cycle draws, shuffles or leaves something to chance, so each must be carried out")

SINGLY = 20  # so many repetitions are gone through one by one; of more, only where they begin to differ
FAR = 1_000_000  # what still goes round after so many cycles goes round for ever


@dataclass(frozen=True, slots=True)
class Cycle:
    """Moves that lead from one position to its like.

    begun: where it was first begun; here: where it can be begun again; change: what it adds to the numbers of `here`
    (identity.numbers); kinds: of the occurrences in it.
    """

    scene: Scene
    begun: Position
    here: Position
    moves: Moves
    shape: tuple[Any, ...]
    change: tuple[int, ...]
    kinds: frozenset[str]

    @property
    def endless(self) -> bool:
        """Does it still go round after very many cycles?"""
        return not any(self.change) or self.goes_after(FAR)

    @property
    def each_its_own(self) -> bool:
        """Is something drawn, shuffled or left to chance, so that no cycle tells what the next one brings?"""
        chance = any(decision.who == "chance" for decision, _ in self.moves)
        return chance or not self.kinds.isdisjoint(self.scene.system.loops.each)

    @property
    def opposed(self) -> bool:
        """Do several players go round here, each in a loop that needs nothing of the others?"""
        if not self.scene.system.loops.opposed:
            return False
        users = dict.fromkeys(d.who for d, index in self.moves if d.kind == "use" and d.options[index])
        return len(users) > 1 and all(self._alone(who) for who in users)

    def told(self) -> tuple[tuple[int, int], ...]:
        """(slot of a fact, what a cycle adds to it)"""
        found: dict[int, int] = {}
        slots = identity.number_slots(self.scene, self.here.lasting)
        for slot, amount in zip(slots, self.change, strict=True):
            found[slot] = found.get(slot, 0) + amount
        return tuple((slot, amount) for slot, amount in found.items() if amount)

    def after(self, times: int) -> Position:
        """The position so many cycles on."""
        slots = self.scene.number_slots
        facts, by = self.here.facts.copy(), iter(self.change)
        for slot, amount in zip(slots, by, strict=False):
            facts[slot] = facts[slot] + amount * times if amount else facts[slot]
        lasting = tuple(
            effect._replace(value=effect.value + next(by) * times) if identity.summed(effect) else effect
            for effect in self.here.lasting
        )
        return self.here._replace(facts=facts, lasting=lasting)

    def goes_after(self, times: int) -> bool:
        """Does it go round once more, with the same change, so many cycles on?"""
        probe = Machine(self.scene)
        probe.load(self.after(times))
        before = identity.numbers(probe)
        try:
            round_again = go_round(probe, self.moves) is not None and _shape(probe) == self.shape
        except Runaway:
            return False
        return round_again and _change(before, identity.numbers(probe)) == self.change

    def possible(self, times: int) -> int:
        """How many of `times` more cycles are like the one that was shown.

        What depends on numbers that grow evenly becomes true or false once and for good, but for the first few.
        """
        if not any(self.change):
            return times
        for done in range(min(times, SINGLY)):
            if not self.goes_after(done):
                return done
        good, bad = SINGLY - 1, times
        if times <= SINGLY or self.goes_after(times - 1):
            return times
        while bad - good > 1:
            middle = (good + bad) // 2
            good, bad = (middle, bad) if self.goes_after(middle) else (good, middle)
        return bad

    def _alone(self, who: Obj) -> bool:
        """Does it go round with only this player's moves, everybody else passing?"""
        mine = tuple((decision, index) for decision, index in self.moves if decision.who is who)
        probe = Machine(self.scene)
        probe.load(self.here)
        shapes = []
        try:
            for _ in range(3):  # how often somebody passed in a row is the same from the first time on
                if go_round(probe, mine, passing=who) is None:
                    return False
                shapes.append(_shape(probe))
        except Runaway:
            return False
        return shapes[-1] == shapes[-2]


@dataclass(frozen=True, slots=True)
class Repeated:
    """Where a repetition leads: after so many whole cycles, and then the moves of one that comes out otherwise."""

    cycle: Cycle
    position: Position
    times: int
    rest: Moves = ()
    opposed: bool = False

    @property
    def ending(self) -> str:
        """What becomes of the loop, in words."""
        if self.opposed:
            return OPPOSED
        told = Message("it is repeated {times} times", times=f"{self.times:,}")
        if self.times == 1:
            told = Message("it is repeated once")
        return Message("{told}, and then it turns out differently", told=told) if self.rest else told

    @property
    def cites(self) -> tuple[str, ...]:
        law = self.cycle.scene.system.loops
        return law.opposed_cites if self.opposed else law.cites


def due(m: Machine, decision: Decision) -> bool:
    """Does the scenario say that who decides now repeats the cycle that was just shown?"""
    did = m.scene.did
    if m.script >= m.scene.last_repeat or "repeat" not in did[m.script]:
        return False
    return isinstance(decision.who, Obj) and decision.who.id == did[m.script]["who"]


def go_on(
    m: Machine, found: Repeated, decided: Callable[[Decision, int], None] = lambda decision, index: None
) -> None:
    """Bring the machine where the repetition leads."""
    opened, marks = m.opened, m.marks
    m.load(found.position)
    m.opened, m.marks = opened, marks
    if found.rest:
        go_round(m, found.rest, decided=decided)
    m.made()


def nature(cycle: Cycle) -> tuple[str, tuple[str, ...]]:
    """(what the rules say of such a loop, rules)"""
    law = cycle.scene.system.loops
    if cycle.each_its_own:
        return EACH, law.each_cites
    return (OPPOSED, law.opposed_cites) if cycle.opposed else ("", law.cites)


def repeat(m: Machine, path: Sequence[Taken], times: int | None) -> Repeated | Reason:
    """The cycle that `path` ends with, gone through `times` times more from where `m` stands (at a decision).

    Or why not: no whole cycle was shown, every one must be carried out, no number was named. Loops that
    several players could each go round in alone cancel out: what they changed is as it was.
    """
    law = m.scene.system.loops
    cycle = shown(m, path)
    if cycle is None:
        return Reason(Message("no whole cycle has been shown that could be repeated"), law.cites)
    if cycle.each_its_own:
        return Reason(EACH, law.each_cites)
    if cycle.opposed:
        as_begun = cycle.here._replace(facts=cycle.begun.facts, lasting=cycle.begun.lasting)
        return Repeated(cycle, as_begun, 0, opposed=True)
    if times is None:
        return Reason(Message("the number of times was not given"), law.cites)
    done = cycle.possible(times)
    return Repeated(cycle, cycle.after(done), done, cycle.moves if done < times else ())


def shown(m: Machine, path: Sequence[Taken]) -> Cycle | None:
    """The shortest stretch up to now that led back to where it began but for numbers, and does so again."""
    here = m.save()
    for at in range(len(path) - 1, -1, -1):
        if _alike(m.scene, path[at][0], here) and (cycle := cycle_of(m.scene, path[at:], here)) is not None:
            return cycle
    return None


def may_go_round(begun: Decision | None, now: Decision) -> bool:
    """Can what was begun with that decision be begun again with this one? Asked first, because it costs little."""
    if begun is None or _settled(begun) or (now.kind == "use" and now.who is not begun.who):
        return True
    return _same(now, begun)


def cycle_of(scene: Scene, path: Sequence[Taken], here: Position) -> Cycle | None:
    """The moves of `path` as a cycle from `here`; None when they do not lead round."""
    moves = tuple((decision, index) for _, decision, index in path if not _settled(decision))
    if (
        _gone_round(scene, moves, here, None) is None
    ):  # mostly so, and found at less cost than with an account
        return None
    witness = _Witness()
    found = _gone_round(scene, moves, here, witness)
    if found is None:
        return None
    return Cycle(scene, path[0][0], here, moves, *found, frozenset(witness.kinds))


def _gone_round(
    scene: Scene, moves: Moves, here: Position, tracer: Tracer | None
) -> tuple[tuple[Any, ...], tuple[int, ...]] | None:
    """(shape, change) when the moves lead round from here."""
    probe = Machine(scene, tracer)
    probe.load(here)
    before = identity.numbers(probe)
    probe.run()
    try:
        if go_round(probe, moves) is None:
            return None
    except Runaway:
        return None
    begun = Machine(scene)
    begun.load(here)
    begun.run()
    shape = _shape(begun)  # looked at only now: mostly the moves do not lead round, and shapes are large
    if _shape(probe) != shape:
        return None
    return shape, _change(before, identity.numbers(probe))


def go_round(
    m: Machine,
    moves: Moves,
    passing: Obj | None = None,
    decided: Callable[[Decision, int], None] = lambda decision, index: None,
) -> Decision | None:
    """Take the moves; the decision behind them. None: something else is to be decided, where the machine now stands.

    passing: everybody else passes where he could use something.
    """
    for shown, index in moves:
        decision = _next(m, shown.who, passing)
        if decision is None or not _same(decision, shown):
            return None
        decided(decision, index)
        identity.key(m)  # forgets what is over, as exploring does at each decision
        m.take(decision, index)
    return _next(m, moves[0][0].who if moves else None, passing)


def _next(m: Machine, awaited: Any, passing: Obj | None) -> Decision | None:
    """The next decision that is one: who is not awaited and has nothing but passing passes."""
    decision = m.run()
    while decision is not None and decision.kind == "use" and decision.who is not awaited:
        others = passing is not None and decision.who is not passing and decision.options[-1] is None
        if decision.options[0] is not None and not others:
            return decision
        m.take(decision, len(decision.options) - 1)
        decision = m.run()
    return decision


def _same(decision: Decision, shown: Decision) -> bool:
    """Is it the same decision with the same options?"""
    if (decision.who, decision.kind, decision.subject) != (shown.who, shown.kind, shown.subject):
        return False
    return [_meaning(option) for option in decision.options] == [_meaning(option) for option in shown.options]


def _meaning(option: Any) -> Any:
    """What the option is about, without the cells of this one occasion."""
    if isinstance(option, Candidate):
        return option.ability, option.obj, option.you
    return option[1:] if isinstance(option, Offer) else option


def _settled(decision: Decision) -> bool:
    """Nothing that is decided each time: an open place that is settled once, or what has one option only."""
    return decision.kind in ("reading", "fact") or len(decision.options) == 1


def _alike(scene: Scene, begun: Position, here: Position) -> bool:
    """The same place with the same facts, but for numbers and for what has been settled meanwhile?"""
    if (begun.unit, begun.pc) != (here.unit, here.pc):
        return False
    numbers = set(scene.number_slots)
    return all(
        slot in numbers or old == new or isinstance(old, Open)
        for slot, (old, new) in enumerate(zip(begun.facts, here.facts, strict=True))
    )


def _shape(m: Machine) -> tuple[Any, ...]:
    identity.key(m)
    shape: tuple[Any, ...] = _unnumbered(identity.shape(m))
    return shape


def _unnumbered(value: Any) -> Any:
    """Without the numbers that tell cells about the same thing apart: they need not come round."""
    if value.__class__ is Ref:
        return value[:-1]
    if value.__class__ is tuple:
        return tuple(_unnumbered(one) for one in value)
    if value.__class__ is frozenset:
        return frozenset(Counter(_unnumbered(one) for one in value).items())
    return value


def _change(before: tuple[int, ...], after: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(new - old for old, new in zip(before, after, strict=True))


class _Witness(Tracer):
    """Remembers which kinds of occurrence happened."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: set[str] = set()

    def committed(self, m: Machine, records: list[Record], writes: Any, cites: tuple[str, ...]) -> Step:
        self.kinds.update(record.kind.name for record in records)
        return super().committed(m, records, writes, cites)
