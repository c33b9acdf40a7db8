"""Is something true at a moment, and can a player make sure of it."""

from collections.abc import Iterable
from typing import Any

from rules.engine.account.wording import as_it_is, condition_in_words
from rules.engine.base.errors import FAULTS, Need, Untold, unknown
from rules.engine.base.messages import Message
from rules.engine.definitions.values import Decision, Use
from rules.engine.language.combinators import Compiled
from rules.engine.machine.interpreter import Machine
from rules.engine.scene.scene import Scene
from rules.engine.search.questions.question import NO_VALUE, UNTOLD, Question, untold

END, NOW, EVER = "end", "now", "ever"  # moments; any other is the first occurrence of a kind
NOT_REACHED = Message("not reached")
OPEN = "open"
NOBODY: Any = None  # what answers a moment that is asked about is no card's ability
OPEN_THEN = Message("a fact that is disputed or unknown when it happens")
IN_THE_END = Message("in the end")


class Holds(Question):
    """Is a condition true: where the lines end, right after the moves (`now`), at any time from then on (`ever`), or
    just after the first occurrence of a kind from then on. A moment that a line does not come to is not reached."""

    kind = "holds"

    def __init__(self, scene: Scene, ask: dict[str, Any], place: str) -> None:
        super().__init__(scene, ask, place)
        self.test = scene.expression(ask["holds"], f"{place}.{self.kind}")
        self.condition = ask["holds"]
        self.words = condition_in_words(scene, self.condition)
        self.unknown: list[tuple[str, str, str, str]] = []  # what its marks name by number
        self.moment: str = ask.get("at", END)
        known = (END, NOW, EVER, *scene.system.kinds, *scene.system.families)
        if self.moment not in known:
            found = unknown("moment", self.moment, known, place=f"{place}.at")
            found.remedy = (
                f"{found.remedy} A moment is now, ever or something that happens; to look into a phase, begin there."
            ).strip()
            raise found
        # just after something, what left by it may still have what it loses by leaving
        self.then: Compiled | None = None
        if self.moment not in (END, NOW, EVER) and scene.system.lost_late:
            self.then = scene.expression(ask["holds"], f"{place}.{self.kind}", departing=True)
        self.number = place  # how marks tell it from other questions
        self.reducible, self.settles = self.moment == END, self.moment != END
        self.ends: frozenset[str] = frozenset()  # why the lines are over, once they are known

    @property
    def _when(self) -> str:
        """The moment, as people say it."""
        if self.moment == NOW:
            return Message("right after these moves")
        if self.moment == EVER:
            return Message("at some time from here on")
        if self.moment != END:
            return Message("at the next “{moment}”", moment=self.scene.system.word(self.moment))
        if self.ends == {"stop"}:
            return Message("when the next action is due")
        if self.ends == {
            "done"
        }:  # what comes after the procedure in which the scenario begins is not looked at
            part = self.scene.start.says
            return Message("when “{part}” is over", part=part) if part else Message("when this part is over")
        return Message("when the game is over") if self.ends == {"game"} else IN_THE_END

    @property
    def text(self) -> str:
        when = IN_THE_END if self.moment == END else self._when
        return Message("Is it true {when} that {facts}?", when=when, facts=self.words)

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        if why in ("loop", "runaway", "illegal"):
            return why
        if self.moment not in (END, NOW, EVER):
            return NOT_REACHED
        return self._value(m)

    @property
    def remembers(self) -> frozenset[str]:
        """The kinds of occurrence of which it asks how things were just before."""
        return frozenset(self._family() if self.then is not None else ())

    def _family(self) -> tuple[str, ...]:
        """The kinds of occurrence at which it is asked."""
        return tuple(self.scene.system.families.get(self.moment, (self.moment,)))

    def _holds(self, m: Machine) -> bool:
        """As things are; at such a moment, for what left by it in the group that is running, as they were."""
        if self.then is None or m.grp is None:
            return bool(self.test(m, ()))
        family, kept = self._family(), m.cur
        try:
            for ref in m.cells[m.grp].members:
                if m.cells[ref].kind.name in family and m.cells[ref].before:
                    m.cur = Use(NOBODY, NOBODY, NOBODY, ref, (), (), (), (), None, None)
                    return bool(self.then(m, ()))
            return bool(self.test(m, ()))
        finally:
            m.cur = kept

    def _value(self, m: Machine) -> Any:
        try:
            m.check_unread()  # at a moment at which nobody decides anything, nothing else has asked for that
            return "yes" if self._holds(m) else "no"
        except Untold as found:
            return untold(found)
        except FAULTS:  # the other questions have their answers all the same
            text = "“{condition}” needs something that has no value"
            return (UNTOLD, NO_VALUE, Message(text, condition=str(self.condition)), "")

    def offered(self, m: Machine, decision: Decision) -> Any:
        if self.moment not in (NOW, EVER) or m.script < len(self.scene.did):
            return None
        if decision.untold and self.moment == NOW and not decision.stop:  # is it now, or later?
            return untold(decision.untold)
        if decision.kind in ("reading", "fact") or decision.untold:
            return None
        return self._value(m)

    def happened(self, m: Machine, kinds: Iterable[str], *, over: bool) -> str | None:
        """What is marked when occurrences of these kinds have just happened; over: with what follows from them at once
        (damage, and the life lost by it)."""
        if self.moment == NOW or over == (self.moment == EVER) or m.script < len(self.scene.did):
            return None
        if self.moment != EVER:
            family = self._family()
            if not any(kind in family for kind in kinds):
                return None
        return self._mark(m)

    def passed(self, m: Machine) -> str | None:
        """What is marked where everybody would pass aloud, had they anything to use: `now` comes no later than that."""
        return self._mark(m) if self.moment == NOW and m.script >= len(self.scene.did) else None

    def begun(self, m: Machine) -> str | None:
        """What is marked before anything happens: with no move told, that is `now`. Asks for facts that are not
        settled."""
        return self._marked(self._value(m)) if self.moment == NOW else None

    def _mark(self, m: Machine) -> str:
        try:
            return self._marked(self._value(m))
        except Need:  # nothing on the way has asked for a fact that is not settled
            return self._marked(OPEN)

    def _marked(self, value: Any) -> str:
        if not isinstance(value, str):  # a mark is a string: it tells which of the unknowns it is
            if value not in self.unknown:
                self.unknown.append(value)
            value = f"{OPEN}{self.unknown.index(value)}"
        return f"?{self.number}:{value}"

    def fold(self, value: Any, marks: tuple[str, ...], seen: Any) -> Any:
        if self.moment == END:
            return value
        met = [mark.rpartition(":")[2] for mark in marks if mark.startswith(f"?{self.number}:")]
        if self.moment != EVER:  # the first time is the moment
            del met[1:]
        opened = [value.removeprefix(OPEN) for value in met if value.startswith(OPEN)]
        if opened and not (self.moment == EVER and "yes" in met):
            return (
                self.unknown[int(opened[0])] if opened[0] else (UNTOLD, "fact", OPEN_THEN, "cards or players")
            )
        if self.moment == NOW:
            return seen or (met[0] if met else value)
        if self.moment == EVER:  # once true is enough
            return "yes" if "yes" in (seen, *met) else value
        return met[0] if met else value

    def instead(self, m: Machine) -> str:
        """What is so at this end, of the facts that the condition speaks of; empty if it names none."""
        return as_it_is(self.scene, m, self.condition) if self.moment == END else ""

    def claim(self, answer: str) -> str:
        if answer == "illegal":
            text = "The moves cannot be made as given, so it is undecided whether {facts}"
            return Message(text, facts=self.words)
        if answer == NOT_REACHED:
            return Message(
                "No “{moment}” comes before play stops, so nothing is said of whether then {facts}",
                moment=self.scene.system.word(self.moment),
                facts=self.words,
            )
        if self.moment == EVER and answer == "no":
            return self._never()
        if answer == "yes":
            return Message("{^when}, it is true that {facts}", when=self._when, facts=self.words)
        return Message("{^when}, it is not true that {facts}", when=self._when, facts=self.words)

    def _never(self) -> str:
        """Not at any time as far as the lines were followed, which is said: more may come behind their ends."""
        if self.ends == {"game"}:
            return Message("At no time from here on is it true that {facts}", facts=self.words)
        if self.ends == {"stop"}:
            return Message("At no time up to the next action is it true that {facts}", facts=self.words)
        return Message(
            "At no time up to the end of what is told here is it true that {facts}", facts=self.words
        )


class Force(Holds):
    """Can a player make sure of it, whatever the others do? Settled by and/or search over the graph."""

    kind = "force"

    def __init__(self, scene: Scene, ask: dict[str, Any], place: str) -> None:
        super().__init__(scene, {"holds": ask["force"]["holds"]}, place)
        self.ask = ask
        self.who = ask["force"]["who"]
        # where players choose at the same time, whoever is to make sure of it does so first of all: one at a time
        self.alone = scene.footprint.secret and any(who != self.who for who in scene.makes_sure)

    def apart(self) -> "Force":
        """The question in a scene in which nobody else is to make sure of anything."""
        return Force(self.scene.asked_of(self.who), self.ask, self.place)

    @property
    def text(self) -> str:
        return Message("Can {who} make sure that {facts}?", who=self.who, facts=self.words)

    def claim(self, answer: str) -> str:
        # how far it looks; where lines end in several ways, `in the end` says nothing
        when = self._when if len(self.ends) == 1 and self._when != IN_THE_END else ""
        if answer == "yes":
            sure = Message("{who} can make sure that {facts}", who=self.who, facts=self.words)
        else:
            sure = Message("{who} cannot make sure that {facts}", who=self.who, facts=self.words)
        return Message("{sure} {when}", sure=sure, when=when) if when else sure
