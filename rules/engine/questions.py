"""What can be asked of a scene. Each question says what an end of a line answers, and how the way there adds to it."""

from collections.abc import Callable, Mapping
from typing import Any

from rules.engine.errors import FAULTS, DataError, Untold, Unworkable, unknown
from rules.engine.machine import Machine
from rules.engine.records import Candidate, Decision, Obj, Reason
from rules.engine.scene import Scene
from rules.engine.script import answers
from rules.engine.trace import option_text
from rules.engine.wording import as_it_is, in_words

UNTOLD = "untold"


def untold(found: Untold) -> tuple[str, str, str]:
    """The value of every question on a line that nobody can follow any further: (UNTOLD, fact, its place)."""
    return (UNTOLD, found.fact, found.place)


def is_untold(value: Any) -> bool:
    return isinstance(value, tuple) and value[:1] == (UNTOLD,)


class Question:
    """`text` as a person would ask it. Values are short strings (or `untold`); the same from all lines is an answer."""

    kind = ""

    def __init__(self, scene: Scene, ask: dict[str, Any], place: str) -> None:
        self.scene = scene
        self.ask = ask
        self.place = place

    @property
    def text(self) -> str:
        raise NotImplementedError

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        """The value for a line that is over here; why: stop | done | game | illegal | loop | runaway."""
        return None

    def offered(self, m: Machine, decision: Decision) -> Any:
        """What the open decision says about the question: is what is asked about among the options here?"""
        return None

    def fold(self, value: Any, marks: tuple[str, ...], seen: Any) -> Any:
        """The value of a longer line, from the value of its rest and what happened before."""
        return value

    def sentence(self, answer: str) -> str:
        """The answer as one sentence, for an answer that all lines share."""
        return answer

    def label(self, key: str) -> str:
        obj = self.scene.objects.get(key)
        return obj.label if obj else key


OVER = "the part of the game that was told of is over"


class Next(Question):
    kind = "next"

    @property
    def text(self) -> str:
        return "Who acts next?"

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        if why == "stop" and decision is not None and isinstance(decision.who, Obj):
            return decision.who.label
        return {"game": "nobody: the game is over", "done": f"nobody: {OVER}"}.get(why, why)

    def sentence(self, answer: str) -> str:
        who, _, why = answer.partition(": ")
        return f"Nobody acts next: {why}." if who == "nobody" and why else f"Next to act: {answer}."


class Now(Question):
    """What may and must happen at the first open decision after the scripted moves."""

    kind = "now"

    @property
    def text(self) -> str:
        return "What may happen now?"

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        if decision is not None and decision.untold is not None:
            return untold(decision.untold)
        if decision is None:
            return f"nothing: {'the game is over' if why == 'game' else OVER}"
        return describe_options(decision)

    def offered(self, m: Machine, decision: Decision) -> Any:
        if decision.kind in ("reading", "fact") or decision.untold or m.script < len(self.scene.did):
            return None  # how the rules or the facts are taken is nobody's move
        return describe_options(decision)

    def fold(self, value: Any, marks: tuple[str, ...], seen: Any) -> Any:
        return seen or value  # the earliest decision that the scenario does not make

    def sentence(self, answer: str) -> str:
        what, _, why = answer.partition(": ")
        return f"Nothing is left to decide: {why}." if what == "nothing" else f"{answer}."


def decider(word: str) -> str:
    """Who decides when no player does: chance, the rules, the facts."""
    return word if word == "chance" else f"the {word}"


def describe_options(decision: Decision) -> str:
    who = decision.who.label if isinstance(decision.who, Obj) else decider(decision.who)
    names = [option_text(option) for option in decision.options]
    if decision.kind == "may":
        return f"{who} may {decision.subject}: {', '.join(names)}"
    if decision.options == [None]:
        return f"{who} can only pass"
    verb = {"order": "chooses the order of", "target": "chooses among", "choose": "chooses among"}.get(
        decision.kind
    )
    if verb:
        return f"{who} {verb} {', '.join(names)}"
    return f"{who} may choose: {', '.join(names)}"


class Legal(Question):
    """Is the move offered when everything is done that the scenario says? Its last use is itself such a move."""

    kind = "legal"

    def __init__(self, scene: Scene, ask: dict[str, Any], place: str) -> None:
        super().__init__(scene, ask, place)
        self.who, self.use = ask["legal"]["who"], ask["legal"]["use"]
        self.ability = ask["legal"].get("ability", "")
        self.on: list[str] = list(ask["legal"].get("on", ()))
        self.again = bool(ask["legal"].get("again"))  # once more, whatever was done
        self.choices = [
            (choice.get("for", ""), self._ids(choice)) for choice in ask["legal"].get("choices", ())
        ]
        self.barred: Reason | None = None  # it may be used, but what is asked about may not be chosen for it
        self._check_choices(place)
        self.done = not self.again and self._is_last_use()

    def _is_last_use(self) -> bool:
        """Is what is asked about the very use that the scenario says was made last, as it was made?"""
        did, last = self.scene.did, self.scene.last_use
        if not last or (did[last - 1]["who"], did[last - 1]["use"]) != (self.who, self.use):
            return False
        said = did[last - 1].get("ability", "")
        if said and said != self.ability and (self.ability or self._is_of_rules(said)):
            return False  # what the rules let one do with the card is not its own text
        made = []
        for move in did[last:]:
            if "choose" not in move or move["who"] != self.who:
                break
            made.append((move.get("for", ""), set(self._ids(move))))
        as_made = all(
            any(set(ids) == those and (not name or not other or name == other) for other, those in made)
            for name, ids in self.choices
        )
        return as_made and set(self.on) <= set(did[last - 1].get("on", ()))

    def _is_of_rules(self, ability: str) -> bool:
        """Is it something that the rules let one do with the card, which has a text of its own beside it?"""
        own = [one for card, one in self.scene.abilities if card.id == self.use and not one.of_rules]
        return bool(own) and not any(one.called(ability) for one in own)

    @staticmethod
    def _ids(choice: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(choice["choose"]) if isinstance(choice["choose"], list) else (str(choice["choose"]),)

    def _check_choices(self, place: str) -> None:
        """Does the card choose anything of that name when it is used?"""
        obj = self.scene.objects[self.use]
        names = [
            target.name
            for owner, ability in self.scene.abilities
            if owner is obj and (not self.ability or ability.called(self.ability))
            for target in ability.targets
        ]
        for name, _ in self.choices:
            if not names:
                text = f"{obj.label} chooses nothing when it is used; ask what holds in the end"
                raise DataError("unknown-choice", text, place=f"{place}.legal")
            if name and name not in names:
                raise unknown("choice", name, names, place=f"{place}.legal")

    @property
    def text(self) -> str:
        return f"May {self.who} use {self.what}{' once more' if self._used_before() else ''}?"

    @property
    def what(self) -> str:
        chosen = [self.label(one) for _, ids in self.choices for one in ids]
        on = f" on {' and '.join(chosen)}" if chosen else ""
        answering = f", answering {' '.join(self.label(word) for word in self.on)}" if self.on else ""
        again = " again" if self.again else ""
        return self.label(self.use) + (f" ({self.ability})" if self.ability else "") + on + answering + again

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        return "no" if decision is None or decision.untold is None else untold(decision.untold)

    def offered(self, m: Machine, decision: Decision) -> bool:
        return m.script >= len(self.scene.did) and any(
            isinstance(option, Candidate)
            and option.obj.id == self.use
            and option.you.id == self.who
            and option.meant(self.ability)
            and answers(m, option, self.on)
            and (not self.choices or self._may_choose(m, option))
            for option in decision.options
        )

    def _may_choose(self, m: Machine, option: Candidate) -> bool:
        self.barred = m.choosable(option, self.choices)
        return self.barred is None

    def fold(self, value: Any, marks: tuple[str, ...], seen: Any) -> Any:
        return "yes" if seen or any(self._meant(mark) for mark in marks) else value

    def _meant(self, mark: str) -> bool:
        if self.again or ((self.choices or self.on) and not self.done):
            return False  # what was used, or answered, or chosen then is not what is asked about
        who, use, *words = mark.split(":", 3)
        if self.ability:
            return (who, use.lstrip("-")) == (self.who, self.use) and self.ability in words
        return (who, use) == (self.who, self.use)

    def sentence(self, answer: str) -> str:
        once_more = " once more" if self._used_before() else ""
        if answer == "yes":
            return f"{self.who} may use {self.what}{once_more}" + (
                ": it is what was done." if self.done else "."
            )
        return f"{self.who} may not use {self.what}{once_more}."

    def _used_before(self) -> bool:
        """Was it used among the moves that were told, though what is asked about is not the last of them?"""
        made = ((move["who"], move.get("use")) for move in self.scene.did)
        return not (self.again or self.done) and (self.who, self.use) in made


class Chosen(Question):
    """May these choices be made, without a use that they belong to (who blocks whom)? Found out by making them: by an
    exploration of its own, in which they are the last moves (`making`)."""

    kind = "legal"

    def __init__(self, scene: Scene, ask: dict[str, Any], place: str, *, making: bool = False) -> None:
        super().__init__(scene, ask, place)
        self.who, self.choices, self.making = ask["legal"]["who"], ask["legal"]["choices"], making

    def made(self) -> "Chosen":
        """The question in the scene in which the choices are made. Raises DataError."""
        scene = self.scene.going_on([{"who": self.who, **choice} for choice in self.choices])
        return Chosen(scene, self.ask, self.place, making=True)

    @property
    def text(self) -> str:
        return f"May {self.who} choose {self.what}?"

    @property
    def what(self) -> str:
        found = []
        for choice in self.choices:
            many = choice["choose"] if isinstance(choice["choose"], list) else [choice["choose"]]
            name = f" as “{choice['for']}”" if "for" in choice else ""
            found.append(" and ".join(map(self.label, many)) + name)
        return ", ".join(dict.fromkeys(found))

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        if not self.making:
            return None
        return "no" if why == "illegal" or m.script < len(self.scene.did) else "yes"

    def sentence(self, answer: str) -> str:
        return f"{self.who} may{'' if answer == 'yes' else ' not'} choose {self.what}."


class Order(Question):
    kind = "order"

    def __init__(self, scene: Scene, ask: dict[str, Any], place: str) -> None:
        super().__init__(scene, ask, place)
        self.cards = list(ask["order"])

    @property
    def text(self) -> str:
        return f"In which order do {' and '.join(self.label(card) for card in self.cards)} happen?"

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        return ()

    def fold(self, value: Any, marks: tuple[str, ...], seen: Any) -> Any:
        if is_untold(value):
            return value
        used = [mark.split(":", 2)[1] for mark in marks]
        found = tuple(dict.fromkeys(card for card in used if card in self.cards))
        return found + tuple(card for card in value if card not in found) if found else value

    def sentence(self, answer: str) -> str:
        return f"Order: {answer}."


class Holds(Question):
    kind = "holds"

    def __init__(self, scene: Scene, ask: dict[str, Any], place: str) -> None:
        super().__init__(scene, ask, place)
        self.test = scene.expression(ask["holds"], f"{place}.{self.kind}")
        self.condition = ask["holds"]
        self.words = in_words(scene, self.condition)

    @property
    def text(self) -> str:
        return f"Is it true in the end that {self.words}?"

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        if why in ("loop", "runaway", "illegal"):
            return why
        try:
            return "yes" if self.test(m, ()) else "no"
        except Untold as found:
            return untold(found)
        except FAULTS as fault:
            raise Unworkable(f"“{self.condition}” needs something that has no value") from fault

    def instead(self, m: Machine) -> str:
        """What is so at this end, of the facts that the condition speaks of; empty if it names none."""
        return as_it_is(self.scene, m, self.condition)

    def sentence(self, answer: str) -> str:
        if answer == "illegal":
            return f"The moves cannot be made as told, so it is not settled whether {self.words}."
        return f"In the end it is {'true' if answer == 'yes' else 'not true'} that {self.words}."


class Force(Holds):
    """Can a player make sure of it, whatever the others do? Settled by and/or search over the graph."""

    kind = "force"

    def __init__(self, scene: Scene, ask: dict[str, Any], place: str) -> None:
        super().__init__(scene, {"holds": ask["force"]["holds"]}, place)
        self.ask = ask
        self.who = ask["force"]["who"]

    @property
    def text(self) -> str:
        return f"Can {self.who} make sure that {self.words}?"

    def sentence(self, answer: str) -> str:
        return f"{self.who} {'can' if answer == 'yes' else 'cannot'} make sure that {self.words}."


KINDS: dict[str, Callable[[Scene, dict[str, Any], str], Question]] = {
    cls.kind: cls for cls in (Next, Now, Legal, Order, Holds, Force)
}


def questions_of(scene: Scene) -> list[Question]:
    """The questions of a scene, their expressions compiled. Raises DataError with the place."""
    return [_question(scene, dict(ask), f"ask[{i}]") for i, ask in enumerate(scene.asks)]


def _question(scene: Scene, ask: dict[str, Any], place: str) -> Question:
    if "legal" not in ask or "use" in ask["legal"]:
        return KINDS[next(iter(ask))](scene, ask, place)
    found = Chosen(scene, ask, place)
    found.made()  # its faults are the writer's
    return found
