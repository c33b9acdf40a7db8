"""What told moves mean: as they are told, or in one of the other ways in which people tell them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, takewhile
from typing import Any, NamedTuple

from rules.engine.answers.one_question import OF_TIME, Exploring, answer_one
from rules.engine.answers.replay import Replay
from rules.engine.base.errors import DataError
from rules.engine.base.messages import Message
from rules.engine.machine.targeting import NO_SUCH_CHOICE
from rules.engine.scene.scene import Scene
from rules.engine.search.explore import Explorer
from rules.engine.search.graph import Graph
from rules.engine.search.questions import questions_of
from rules.engine.search.questions.legal import Legal
from rules.engine.search.questions.question import Question

Json = dict[str, Any]
MOST_ORDERS = 8  # in which told moves are tried that cannot be made as they are told
WHICH_PAYS = Message(
    "Not answered, because it is not told which of the cards chosen pays the cost: name each choice, as “paid: ...”."
)


class Walked(NamedTuple):
    """A scene, as its moves may be meant, and what was found out about it."""

    scene: Scene
    questions: list[Question]
    explorer: Explorer
    graph: Graph | None
    stopped: tuple[str, str]

    @property
    def came(self) -> bool:
        """Did every move that was told come up on some line?"""
        return self.graph is not None and self.graph.root.end != "illegal"

    @property
    def unmade(self) -> bool:
        """Is it known that the moves can't be made?"""
        return self.graph is not None and not self.made

    @property
    def made(self) -> bool:
        """And could it be made?"""
        return self.came and self.graph is not None and self.graph.root.fits

    @property
    def unknown(self) -> bool:
        """Was the bound reached before it was known whether the moves can be made?"""
        return self.stopped[0] == "undecided" and not self.made

    def left_open_by(self, other: "Walked") -> "Walked":
        """The same, of which it is not known whether its moves may be meant as in the other."""
        return self._replace(graph=None, stopped=other.stopped)


def as_meant(scene: Scene, exploring: Exploring) -> Walked:
    """The scene as it is told; where its moves can't be made so, as the first other way in which people may mean them
    and in which they can."""
    further = exploring._replace(fault=None)

    def others(scenes: Iterator[Scene]) -> Iterator[Walked]:
        return (walked_through(other, further) for other in islice(scenes, MOST_ORDERS))

    def as_made(walked: Walked, scenes: Iterator[Scene]) -> Walked:
        for other in others(scenes):
            if other.made or other.unknown:
                return other if other.made else walked.left_open_by(other)
        return walked

    walked = walked_through(scene, exploring)
    if walked.graph is not None and (paying := scene.paying_first()) is not None:
        walked = _paid_with(walked, walked_through(paying, further))
    if walked.unmade:
        meant = chain(
            walked.scene.chosen_otherwise(),
            walked.scene.paying_alone(),
            walked.scene.by_the_rules(),
            walked.scene.answering_those(),
        )
        walked = as_made(walked, meant)
    if walked.unmade and not walked.came:
        later = others(walked.scene.choosing_later())
        walked = next((one for one in later if one.came and not one.explorer.came_up), walked)
    if walked.unmade and (alone := walked.scene.passing_alone()) is not None:
        walked = as_made(walked, iter([alone]))
    return walked


def walked_through(scene: Scene, exploring: Exploring) -> Walked:
    questions = questions_of(scene)
    return Walked(scene, questions, *exploring.of(scene, questions, ends_early=True))


def _paid_with(aimed: Walked, paid: Walked) -> Walked:
    """Of several cards told with a use without a name: was the first what it affects, or what pays? Nobody knows where
    both can be and it makes a difference."""
    if not paid.made:
        return aimed.left_open_by(paid) if paid.unknown and not aimed.made else aimed
    if not aimed.made:
        return paid
    if (
        aimed.graph is not None
        and paid.graph is not None
        and aimed.graph.root.outcomes != paid.graph.root.outcomes
    ):
        return aimed._replace(graph=None, stopped=("insufficient", WHICH_PAYS))
    return aimed


def why_illegal(scene: Scene, told: Replay, exploring: Exploring) -> Json | None:
    """{move, reason, cites}: why the first move that can't be made can't be, as one is told who asks about that use
    before it. A choice that can't be made may stand for its use. None: that says no more."""
    move = told.illegal["move"] if told.illegal is not None else {}
    at = next((i for i, one in enumerate(scene.did) if one is move), -1)
    before = [i for i in range(at + 1) if "choose" not in scene.did[i]]
    use = scene.did[before[-1]] if before else {}
    if "use" not in use or use["who"] != move["who"]:
        return None
    asked = {key: use[key] for key in ("who", "use", "ability", "on") if key in use} | {"again": True}
    following = list(takewhile(lambda one: "choose" in one, scene.did[at + 1 :]))
    chosen = [one for one in following if one["who"] == use["who"]] if use is move else []
    for choices in (chosen, []) if chosen else ([],):  # they may answer something else
        why = _refused(scene, scene.did[: before[-1]], {**asked, "choices": choices}, exploring)
        if why is not None and why["reason"] != NO_SUCH_CHOICE:
            return {"move": use} | {key: why[key] for key in ("reason", "cites")}
    return None


def _refused(
    scene: Scene, did: Sequence[Mapping[str, Any]], asked: Json, exploring: Exploring
) -> Json | None:
    """Why a use is refused after these moves, if it is and more than the time stands against it."""
    try:
        walked = walked_through(scene.asking(did, {"legal": asked}), exploring._replace(fault=None))
    except DataError:  # the choices are not all the use's
        return None
    if walked.graph is None or not walked.graph.whole or walked.unmade:
        return None
    [question], replay = walked.questions, Replay(walked.scene, walked.questions, walked.graph)
    assert isinstance(question, Legal)
    found = answer_one(0, question, walked.graph, walked.stopped, replay, None)
    why = found["why_not"][0] if found["answer"] == "no" and found["why_not"] else None
    if found["status"] == "depends" and not replay.went_for(question):
        why = replay.why_not(question)  # it depends on others, who on this line do nothing
    return None if why is None or getattr(why["reason"], "template", "") in OF_TIME else why
