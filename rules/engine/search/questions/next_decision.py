"""Who acts next, and which decision is open right after the moves."""

from itertools import combinations
from typing import Any

from rules.engine.base.messages import Message, both, clauses, listed
from rules.engine.definitions.values import Decision, Obj
from rules.engine.machine.interpreter import Machine
from rules.engine.machine.trace import DECIDERS, option_text
from rules.engine.search.questions.question import Question, untold

OVER = Message("the part of the game described is over")
GAME_OVER = Message("the game is over")
_WHY_OVER = {"game": GAME_OVER, "done": OVER}
_NOBODY = {Message("nobody: {why}", why=why): why for why in (GAME_OVER, OVER)}
_NOTHING = {Message("nothing: {why}", why=why): why for why in (GAME_OVER, OVER)}


class Next(Question):
    kind = "next"
    reducible = True

    @property
    def text(self) -> str:
        return Message("Who acts next?")

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        if why == "stop" and decision is not None and isinstance(decision.who, Obj):
            return decision.who.label
        return next((said for said, over in _NOBODY.items() if over == _WHY_OVER.get(why)), why)

    def claim(self, answer: str) -> str:
        if answer in _NOBODY:
            return Message("Nobody acts next: {why}", why=_NOBODY[answer])  # type: ignore[index]
        return Message("Next to act: {who}", who=answer)


class Now(Question):
    """What may and must happen at the first open decision after the scripted moves."""

    kind = "now"
    reducible = True
    settles = True

    @property
    def text(self) -> str:
        return Message("What may happen now?")

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        if decision is not None and decision.untold is not None:
            return untold(decision.untold)
        if decision is None:
            over = GAME_OVER if why == "game" else OVER
            return next(said for said, why in _NOTHING.items() if why == over)
        return describe_options(decision)

    def offered(self, m: Machine, decision: Decision) -> Any:
        if decision.kind in ("reading", "fact") or m.script < len(self.scene.did):
            return None  # how the rules or the facts are taken is nobody's move
        if decision.untold:
            return None if decision.stop else untold(decision.untold)
        return describe_options(decision)

    def fold(self, value: Any, marks: tuple[str, ...], seen: Any) -> Any:
        return seen or value  # the earliest decision that the scenario does not make

    def claim(self, answer: str) -> str:
        if answer in _NOTHING:
            return Message("Nothing is left to decide: {why}", why=_NOTHING[answer])  # type: ignore[index]
        no_player = answer.startswith(("chance ", "the rules ", "the facts "))
        return Message("{^said}", said=answer) if no_player else answer


_OFFERED = {
    "may": "{who} may {do}: {options}",
    "order": "{who} chooses the order of {options}",
    "target": "{who} chooses among {options}",
    "choose": "{who} chooses among {options}",
}
_OF_NO_PLAYER = {
    "order": "{decider} chooses the order of {options}",
    "choose": "{decider} chooses among {options}",
}
_SETS = "{who} chooses {number} of {options}"
OFFERS = (_SETS, *_OFFERED.values(), *_OF_NO_PLAYER.values())  # templates, for the catalog


def describe_options(decision: Decision) -> str:
    options = listed(option_text(option) for option in decision.options)
    sets = [option for option in decision.options if option.__class__ is tuple and len(option) > 1]
    if sets and isinstance(decision.who, Obj):
        members = list(dict.fromkeys(member for one in sets for member in one))
        if decision.options == list(combinations(members, len(sets[0]))):
            of = listed(option_text(member) for member in members)
            return Message(_SETS, who=decision.who, number=len(sets[0]), options=of)
        options = clauses(
            both(map(option_text, option)) if option in sets else option_text(option)
            for option in decision.options
        )
    if not isinstance(decision.who, Obj):
        template = _OF_NO_PLAYER.get(decision.kind, "{decider} may choose: {options}")
        return Message(template, decider=DECIDERS.get(decision.who, decision.who), options=options)
    if decision.options == [None]:
        return Message("{who} can only pass", who=decision.who)
    template = _OFFERED.get(decision.kind, "{who} may choose: {options}")
    return Message(template, who=decision.who, do=decision.subject, options=options)
