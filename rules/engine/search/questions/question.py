"""What a question is: what an end of a line answers, and how the way there adds to it."""

from typing import Any

from rules.engine.base.errors import Untold
from rules.engine.base.messages import Message
from rules.engine.definitions.values import Decision
from rules.engine.machine.interpreter import Machine
from rules.engine.scene.scene import Scene

UNTOLD = "untold"
NO_VALUE = "value"  # the condition of this question cannot be worked out there


def untold(found: Untold) -> tuple[str, str, str, str]:
    """The value of every question on a line that ends in the unknown: (UNTOLD, fact | text | order, which, place); or,
    of one that can't be worked out: (UNTOLD, NO_VALUE, why, nowhere)."""
    return (UNTOLD, found.what, found.fact, found.place)


def is_untold(value: Any) -> bool:
    return isinstance(value, tuple) and value[:1] == (UNTOLD,)


class Question:
    """`text` as a person would ask it. Values are short strings (or `untold`); the same from all lines is an answer."""

    kind = ""
    # May lines that differ only in an order which nobody can tell be explored as one (search.reduction)? Only where the
    # answer hangs on the end, on what was used, and on what the first open decision offers.
    reducible = False
    # Does the answer say nothing but its value and who decides it? Then no more is explored than that needs.
    settles = False

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

    def hangs_on_offers(self, decision: Decision) -> bool:
        """May what is offered here be told apart by more than whether it is offered?"""
        return False

    def fold(self, value: Any, marks: tuple[str, ...], seen: Any) -> Any:
        """The value of a longer line, from the value of its rest and what happened before."""
        return value

    def claim(self, answer: str) -> str:
        """The answer as one sentence without its full stop, for an answer that all lines share."""
        return answer

    def sentence(self, answer: str) -> str:
        return Message("{claim}.", claim=self.claim(answer))

    def label(self, key: str) -> str:
        obj = self.scene.objects.get(key)
        return obj.label if obj else key


NOT_LEGAL = "{question} Not answered: one of the moves given is not legal"
