"""Steps through a scenario by hand: at each decision, the legal choices, and why the others aren't legal."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rules import scenarios
from rules.engine.answers.telling import describe, option_words
from rules.engine.base.errors import Unworkable, said_by
from rules.engine.base.facts import Open
from rules.engine.base.messages import Message, sentences
from rules.engine.definitions.model import OWN_CHANCES, TOLD_PASSES
from rules.engine.definitions.values import Candidate, Decision, Obj, chosen_ids
from rules.engine.machine.interpreter import Machine, Runaway
from rules.engine.machine.trace import Tracer, option_text
from rules.engine.search.script import scripted, telling_apart
from rules.scenarios import limits
from rules.spoken import spoken

Move = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Taken:
    """A decision as it was taken: who, what in words, and as a move of a scenario.

    decider: player, chance, rules or facts. move: None where no move says it (a reading, a fact): then `key` names
    the reading or the fact and `value` what was chosen.
    """

    who: str
    decider: str
    text: str
    move: Move | None
    key: str = ""
    value: Any = None


class Session:
    """One line of play, chosen step by step. It is its choices: give the same ones again and it is the same."""

    def __init__(self, canonical: dict[str, Any], choices: tuple[int, ...] = ()) -> None:
        """Raises DataError (the scenario), IndexError (a choice that is not there)."""
        self.canonical = canonical
        self.scene = scenarios.build({**canonical, "did": []})
        self.choices: tuple[int, ...] = ()
        self.taken: list[Taken] = []
        self.tracer = Tracer()
        self.machine = Machine(self.scene, self.tracer)
        unit = self.scene.start
        self.machine.opened = self.tracer.enter("step", None, unit.says or unit.name, unit.cites)
        self.machine.enter(unit, self.scene.arguments)
        self.decision = self._run()
        for choice in choices:
            self.choose(choice)

    def _run(self) -> Decision | None:
        try:
            return self.machine.run()
        except Runaway:
            self.machine.ended = "runaway"
            return None
        except Unworkable as fault:
            self.machine.ended = Message("not modelled: {reason}", reason=said_by(fault))
            return None

    @property
    def kind(self) -> str:
        """What sort of decision is open (rules.engine.definitions.values.Decision); empty when the line is over."""
        return "" if self.decision is None else self.decision.kind

    @property
    def over(self) -> bool:
        return self.decision is None

    def question(self) -> str:
        """Who decides what, in words."""
        if self.decision is None:
            return Message("This line of play has ended ({why}).", why=self.machine.ended)
        about = describe(self.scene, self.decision)
        text = "{who}: {what}" if about["decider"] == "player" else "{decider}: {what}"
        return Message(text, who=about["who"], decider=about["who"], what=about["decision"])

    def about(self) -> dict[str, Any]:
        """Whose decision it is and what about: {who, decider, decision, cites, unknown}; {} when the line is over."""
        return {} if self.decision is None else describe(self.scene, self.decision)

    def options(self) -> list[str]:
        if self.decision is None:
            return []
        return [option_words(self.scene, self.decision, option) for option in self.decision.options]

    def refused(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """(move, reason, rules) for what may not be chosen now."""
        found = [] if self.decision is None else self.decision.refused
        return [(_label(candidate), reason.text, reason.cites) for candidate, reason in found]

    def choose(self, number: int) -> None:
        """Take option `number` (from 0). Raises IndexError when there is none such."""
        if self.decision is None or not 0 <= number < len(self.decision.options):
            raise IndexError(number)
        self.tracer.decided(_in_words(self.scene, self.decision), number, scripted=False)
        self.taken.append(taken(self.machine, self.decision, number))
        try:
            self.machine.take(self.decision, number)
        except Runaway:
            self.machine.ended = "runaway"
        except Unworkable as fault:
            self.machine.ended = Message("not modelled: {reason}", reason=said_by(fault))
        self.choices = (*self.choices, number)
        self.decision = self._run() if self.machine.ended is None else None

    def told(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """Those of `refused` that say more than that a card lies elsewhere, each once."""
        found = [] if self.decision is None else self.tracer.telling(self.decision.refused)
        words = [
            (option_text(one._replace(about="")) if isinstance(one, Candidate) else str(one), reason)
            for one, reason in found
        ]
        return list(dict.fromkeys((text, reason.text, reason.cites) for text, reason in words))

    def changes(self) -> list[tuple[Obj, str, Any, Any]]:
        """(whose, which fact, before, now) for every fact that the line has changed so far; zones in words."""
        now, system = self.machine.facts, self.scene.system
        found = []
        for obj in self.scene.objects.values():
            for prop in system.properties.values():
                slot = obj.base + prop.slot
                old, new = self.scene.facts[slot], now[slot]
                if prop.of != obj.kind or not prop.told or isinstance(old, Open) or old == new:
                    continue
                if prop.name == "zone":
                    old, new = system.zone_names[old], system.zone_names[new]
                found.append((obj, prop.name, old, new))
        return [one for one in found if one[1] not in _KEPT]

    def back(self) -> "Session":
        """The same line without its last choice."""
        return Session(self.canonical, self.choices[:-1])


_KEPT = ("incarnation", "face", "seat")  # the engine's own books


def taken(machine: Machine, decision: Decision, number: int) -> Taken:
    """The machine's open decision with option `number` taken."""
    scene = machine.scene
    about, option = describe(scene, decision), decision.options[number]
    words = option_words(scene, decision, option)
    if decision.kind in ("reading", "fact"):
        key = _open_key(scene, decision)
        value = option.id if isinstance(option, Obj) else option
        return Taken(about["who"], about["decider"], words, None, key, value)
    return Taken(about["who"], about["decider"], words, _move(machine, decision, option))


def _open_key(scene: Any, decision: Decision) -> str:
    """The reading, or the fact as a path into the scenario: cards.clerk.exhausted."""
    if decision.kind == "reading":
        return str(next(key for key, slot in scene.reading_slots.items() if slot == decision.subject))
    width = scene.system.width
    obj = next(o for o in scene.objects.values() if o.base <= decision.subject < o.base + width)
    fact = next(p.name for p in scene.system.properties.values() if p.slot == decision.subject - obj.base)
    return f"game.{fact}" if obj.kind == "game" else f"{obj.kind}s.{obj.id}.{fact}"


def _move(machine: Machine, decision: Decision, option: Any) -> Move:
    """The option as a move of a scenario (docs/scenarios.md), in its canonical form."""
    who = str(decision.who.id if isinstance(decision.who, Obj) else decision.who)
    if decision.kind == "use" and option is None:
        return {"who": who, "pass": True}
    if isinstance(option, Candidate):
        words = telling_apart(machine, decision, option)
        on = {"on": words} if words else {}
        if decision.kind == "order":
            return {"who": who, "choose": option.obj.id, "for": "next", **on}
        return {"who": option.you.id, "use": option.obj.id, **_ability(decision, option), **on}
    if decision.kind == "may":
        return {"who": who, "choose": "yes" if option else "no"}
    if decision.kind == "one-of":
        return {"who": who, "choose": str(option), "for": "option"}
    ids = chosen_ids(option)
    named = {"for": decision.subject} if isinstance(decision.subject, str) else {}
    return {"who": who, "choose": ids[0] if len(ids) == 1 else ids, **named}


def _ability(decision: Decision, option: Candidate) -> dict[str, str]:
    """The word for the ability where the card alone does not say which is meant."""
    same = [
        o for o in decision.options if isinstance(o, Candidate) and (o.obj, o.you) == (option.obj, option.you)
    ]
    if option.meant() and all(o.ability is option.ability or not o.meant() for o in same):
        return {}
    return {"ability": option.ability.name or option.ability.kind.name}


MAX_REPAIRS = 24


def as_played(canonical: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario with the passes of a line taken as it has them: of a player who had something to use."""
    return {**canonical, "pinned": {TOLD_PASSES.key: OWN_CHANCES, **canonical["pinned"]}}


def moves(canonical: Mapping[str, Any], line: list[Taken]) -> tuple[list[Move], bool]:
    """The line as a scenario's moves, and whether these moves make exactly the line's decisions again.

    Where a move that is written leads the machine to ask more than it asked at the table (a choice with one option
    left, a pass that was passed over), that is written too.
    """
    canonical = as_played(canonical)
    every = [one.move for one in line if one.move is not None]
    last = max((i for i, move in enumerate(every) if "pass" not in move), default=-1)
    for did in (every, [move for i, move in enumerate(every) if i > last or "pass" not in move]):
        for _ in range(MAX_REPAIRS):
            parting = _parting({**canonical, "did": did}, line)
            if parting is None:
                return did, True
            at, missing = parting
            if missing is None or did[at : at + 2] == [missing, missing]:
                break
            did = [*did[:at], missing, *did[at:]]
    return every, False


def _parting(canonical: Mapping[str, Any], line: list[Taken]) -> tuple[int, Move | None] | None:
    """Where the scenario's moves leave the line: (place in `did`, the move that is missing there); None: nowhere."""
    scene = scenarios.build(canonical)
    machine = Machine(scene)
    machine.enter(scene.start, scene.arguments)
    rest = list(line)
    try:
        while rest:
            expected = rest[0]
            decision = machine.run()
            if decision is None:
                return machine.script, None
            same = [i for i in range(len(decision.options)) if taken(machine, decision, i) == expected]
            said = scripted(machine, decision)
            index, is_move, legal = said.first, said.move, said.legal
            if expected.move is None and same:  # a reading or a fact: no move says it
                index, legal = same[0], True
            if not legal or index not in same:
                if len(decision.options) == 1 and not same and legal and index is None:
                    machine.take(decision, 0)  # nothing to decide: asked only because a move was waiting
                    continue
                if len(decision.options) == 1 and not same:
                    return machine.script, _move(machine, decision, decision.options[0])
                passed = bool(same) and expected.move is not None and "pass" in expected.move
                return machine.script, expected.move if passed else None
            machine.script += is_move
            machine.take(decision, index)
            rest.pop(0)
    except (Runaway, Unworkable):
        return machine.script, None
    return None


def steps_of_moves(canonical: Mapping[str, Any]) -> list[tuple[int, str]]:
    """The scenario's moves as (number, words) of the options taken, as far as they can be made by hand one after the
    other; what the moves leave open on the way (a reading, a fact) is taken as it is first listed."""
    scene = scenarios.build(canonical)
    machine = Machine(scene)
    machine.enter(scene.start, scene.arguments)
    session = Session({**canonical, "did": []})
    steps: list[tuple[int, str]] = []
    try:
        while machine.script < len(scene.did) and len(steps) < limits.MAX_MOVES:
            decision = machine.run()
            if decision is None:
                break
            said = scripted(machine, decision)
            index, is_move, legal = said.first, said.move, said.legal
            if not legal:
                break
            index = 0 if index is None else index
            words = option_words(scene, decision, decision.options[index])
            machine.script += is_move
            machine.take(decision, index)
            options = session.options()
            if words in options and len(options) >= len(decision.options):
                number = index if options[index] == words else options.index(words)
                steps.append((number, words))
                session.choose(number)
    except (Runaway, Unworkable):
        return steps
    return steps


def _in_words(scene: Any, decision: Decision) -> Decision:
    """Readings and facts with their options in words, for the account."""
    if decision.kind not in ("reading", "fact"):
        return decision
    about = describe(scene, decision)
    words = [option_words(scene, decision, one) for one in decision.options]
    options: list[str] = [
        Message("{option}: {answer}", option=about["decision"], answer=one) for one in words
    ]
    if decision.kind == "reading":
        options = [sentences([about["decision"], one]) for one in words]
    return Decision(about["who"], decision.kind, options, [], cites=tuple(about["cites"]))


def _label(refused: Any) -> str:
    return refused.obj.label if isinstance(refused, Candidate) else str(refused)


def play(canonical: dict[str, Any], ask: Callable[[str], str], say: Callable[[str], None]) -> Session:
    """The interactive mode of the command line: a number chooses, b goes back, q ends."""
    session = Session(canonical)
    while not session.over:
        say(f"\n{spoken(session.question())}")
        for number, option in enumerate(session.options(), start=1):
            say(f"  {number}  {spoken(option)}")
        for move, reason, cites in session.refused():
            cited = f" [{', '.join(cites)}]" if cites else ""
            say(f"     not {spoken(move)}: {spoken(reason)}{cited}")
        try:
            word = ask("choose (number, b back, q quit): ").strip().lower()
        except EOFError:  # nobody is there to be asked
            return session
        if word == "q":
            return session
        if word == "b" and session.choices:
            session = session.back()
            continue
        try:
            session.choose(int(word) - 1)
        except (ValueError, IndexError):
            say(f"No choice has the number {word!r}.")
    say(spoken(session.question()))
    return session
