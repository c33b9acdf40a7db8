"""Stepping through a scenario by hand: at each decision the legal choices, and why the others are not."""

from collections.abc import Callable
from typing import Any

from rules import scenario
from rules.engine.answer import describe, option_words
from rules.engine.errors import Unworkable
from rules.engine.machine import Machine, Runaway
from rules.engine.records import Decision
from rules.engine.trace import Tracer


class Session:
    """One line of play, chosen step by step. It is its choices: give the same ones again and it is the same."""

    def __init__(self, canonical: dict[str, Any], choices: tuple[int, ...] = ()) -> None:
        """Raises DataError (the scenario), IndexError (a choice that is not there)."""
        self.canonical = canonical
        self.scene = scenario.build({**canonical, "did": []})
        self.choices: tuple[int, ...] = ()
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
            self.machine.ended = f"not modelled: {fault}"
            return None

    @property
    def over(self) -> bool:
        return self.decision is None

    def question(self) -> str:
        """Who decides what, in words."""
        if self.decision is None:
            return f"The line is over ({self.machine.ended})."
        about = describe(self.scene, self.decision)
        return f"{about['who']}: {about['decision']}"

    def options(self) -> list[str]:
        if self.decision is None:
            return []
        return [option_words(self.scene, self.decision, option) for option in self.decision.options]

    def refused(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """(move, reason, rules) for what may not be chosen now."""
        found = [] if self.decision is None else self.decision.refused
        return [
            (candidate.obj.label if hasattr(candidate, "obj") else str(candidate), reason.text, reason.cites)
            for candidate, reason in found
        ]

    def choose(self, number: int) -> None:
        """Take option `number` (from 0). Raises IndexError when there is none such."""
        if self.decision is None or not 0 <= number < len(self.decision.options):
            raise IndexError(number)
        self.tracer.decided(self.decision, number, scripted=False)
        self.machine.take(self.decision, number)
        self.choices = (*self.choices, number)
        self.decision = self._run()

    def back(self) -> "Session":
        """The same line without its last choice."""
        return Session(self.canonical, self.choices[:-1])


def play(canonical: dict[str, Any], ask: Callable[[str], str], say: Callable[[str], None]) -> Session:
    """The interactive mode of the command line: a number chooses, b goes back, q ends."""
    session = Session(canonical)
    while not session.over:
        say(f"\n{session.question()}")
        for number, option in enumerate(session.options(), start=1):
            say(f"  {number}  {option}")
        for move, reason, cites in session.refused():
            cited = f" [{', '.join(cites)}]" if cites else ""
            say(f"     not {move}: {reason}{cited}")
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
            say(f"There is no choice {word!r}.")
    say(session.question())
    return session
