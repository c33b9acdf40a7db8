"""What can be asked of a scene: a class for each kind of question (`KINDS`), each in its own module.

Start reading at `question`: what an end of a line answers, and how the way there adds to it.
"""

from collections.abc import Callable
from typing import Any

from rules.engine.scene.scene import Scene
from rules.engine.search.questions.holds import END, Force, Holds
from rules.engine.search.questions.legal import Chosen, Legal
from rules.engine.search.questions.next_decision import Next, Now
from rules.engine.search.questions.order import Order
from rules.engine.search.questions.question import Question

KINDS: dict[str, Callable[[Scene, dict[str, Any], str], Question]] = {
    cls.kind: cls for cls in (Next, Now, Legal, Order, Holds, Force)
}


def questions_of(scene: Scene) -> list[Question]:
    """The questions of a scene, their expressions compiled. Raises DataError with the place."""
    found = [_question(scene, dict(ask), f"ask[{i}]") for i, ask in enumerate(scene.asks)]
    scene.moments = tuple(one for one in found if isinstance(one, Holds) and one.moment != END)
    scene.remembered |= frozenset().union(*(one.remembers for one in scene.moments))
    return found


def _question(scene: Scene, ask: dict[str, Any], place: str) -> Question:
    if "legal" not in ask or "use" in ask["legal"]:
        return KINDS[next(iter(ask))](scene, ask, place)
    found = Chosen(scene, ask, place)
    found.made()  # its faults are the writer's
    return found
