"""From the graph of all lines to an answer with its reasons (field names: docs/answers.md).

The answer's status is never a guess: determined, depends, insufficient, not-modelled, loop, undecided.
"""

from collections.abc import Callable
from typing import Any

from rules.engine.answers.assumed import assumptions, cited, taken_for_granted, tell_lapsed
from rules.engine.answers.meant import Walked, as_meant, walked_through, why_illegal
from rules.engine.answers.occasions import stops_at_once
from rules.engine.answers.one_question import (
    BOUNDS,
    Exploring,
    Fault,
    allowed_by_the_rules,
    answer_apart,
    answer_behind,
    answer_made,
    answer_one,
    unanswered,
)
from rules.engine.answers.replay import Replay
from rules.engine.answers.sentences import depends_sentence, loop_sentence, value_in_words
from rules.engine.answers.telling import describe_loop
from rules.engine.base.errors import BudgetExceeded
from rules.engine.base.messages import sentences
from rules.engine.machine.targeting import NO_SUCH_CHOICE
from rules.engine.scene.scene import Scene
from rules.engine.search.graph import Graph
from rules.engine.search.questions.holds import Force
from rules.engine.search.questions.legal import Chosen, Legal, Told
from rules.engine.search.questions.question import Question

Json = dict[str, Any]
MAX_LOOPS = 5
STATUS_ORDER = ("not-modelled", "undecided", "loop", "insufficient", "depends", "determined")


def answer(
    scene: Scene,
    *,
    budget: int,
    progress: Callable[[int], None] | None = None,
    fault: Fault = None,
) -> Json:
    """Explore every legal line and answer the scenario's questions. Pure; deterministic to the byte.

    Where a bound ends the exploration, what was explored answers the questions that the rest cannot change.
    fault: told of what could not be worked out, with its cause: it may be the engine's mistake.
    """
    exploring = Exploring(budget, progress, fault)
    walked = as_meant(scene, exploring)
    scene, questions, explorer, graph, stopped = walked
    scene.breath = explorer.breathe  # the line that is told keeps to the budget, too
    try:
        answers, replay = _answers(walked, exploring)
        illegal, unasked, trace = replay.illegal_sentence(), replay.unasked(), replay.steps
    except BudgetExceeded as bound:
        graph, stopped = None, ("undecided", bound.why or BOUNDS[bound.of])
        answers = [unanswered(question, *stopped) for question in questions]
        illegal, unasked, trace = "", [], []
    finally:
        scene.breath = None
    tell_lapsed(scene, answers)
    taken = taken_for_granted(scene, questions, answers)
    # Whether it is legal may itself be what the facts or a choice leave open: then the answers say so.
    illegal = "" if any(answer["depends"] for answer in answers) else illegal
    positions = graph.positions if graph else explorer.positions if stopped[0] == "undecided" else None
    whole = graph is not None and graph.whole
    circles = [describe_loop(scene, loop) for loop in (graph.loops if graph else [])[:MAX_LOOPS]]
    status = min((a["status"] for a in answers), key=STATUS_ORDER.index, default="determined")
    result = {
        "status": status,
        "sentence": illegal or sentences([*(a["sentence"] for a in answers), *loop_sentence(circles)]),
        "questions": answers,
        "loops": circles,
        "assumptions": assumptions(scene, graph if whole else None, answers) + taken,
        "counts": {
            "lines": graph.lines if graph and graph.counted else None,
            "positions": positions,
            "ends": graph.ends if graph and graph.counted else None,
        },
        "system": {
            "key": scene.system.key,
            "version": scene.system.version,
            "title": scene.system.title,
            "hash": scene.system.hash,
        },
        "unasked": unasked,
        "trace": trace,
    }
    result["rules"] = cited(scene.system, result)
    return result


def _answers(walked: Walked, exploring: Exploring) -> tuple[list[Json], Replay]:
    """Each question's answer, and the line that is told. Raises BudgetExceeded when telling it takes too long."""
    scene, questions, _, graph, _ = walked
    why = why_illegal(scene, Replay(scene, questions, graph), exploring) if walked.unmade else None
    replay = Replay(scene, questions, graph, why)
    return [_answer(i, question, walked, replay, exploring) for i, question in enumerate(questions)], replay


def _answer(i: int, question: Question, walked: Walked, replay: Replay, exploring: Exploring) -> Json:
    """One question's, where that is asked by an exploration of its own, or else by what all of them explored."""
    if isinstance(question, Chosen) and not replay.illegal:
        return answer_made(question.made(), exploring)
    if isinstance(question, Legal) and question.completes and not replay.illegal:
        return answer_made(Told(question), exploring)
    if isinstance(question, Force) and question.alone and walked.graph:
        return answer_apart(question.apart(), replay, exploring)
    found = answer_one(i, question, walked.graph, walked.stopped, replay, exploring.fault)
    if not isinstance(question, Legal) or question.done:
        return found
    if found["answer"] == "no" and (elsewhere := question.where_it_lies()) is not None:
        there = walked_through(elsewhere.scene, exploring)
        return _answer(
            0, there.questions[0], there, Replay(there.scene, there.questions, there.graph), exploring
        )
    allowed = allowed_by_the_rules(question, found, replay, exploring)
    if allowed is not None or found["answer"] != "no":
        return allowed or _by_readings(question, found, exploring)
    return _other_than_no(i, question, found, walked.graph, replay, exploring) or found


def _by_readings(question: Legal, found: Json, exploring: Exploring) -> Json:
    """Of a use that a reading of the rules forbids where it is asked about, and another one doesn't: what is answered
    under each of them alone, since under the first it may be asked for later (`_other_than_no`)."""
    no = value_in_words("no")
    told = found["depends"][0] if len(found["depends"]) == 1 else None
    if told is None or told["decider"] != "rules" or no not in [one["answer"] for one in told["branches"]]:
        return found
    scene = question.scene.asking(question.scene.did, question.ask)
    readings = scene.system.readings.items()
    key, reading = next((key, one) for key, one in readings if one.ask == told["decision"])
    alone: dict[str, Json] = {}
    for option, said in reading.options.items():
        walked = walked_through(scene.under(key, option), exploring)
        alone[said] = _answers(walked, exploring)[0][0]
    values = {said: one["answer"] for said, one in alone.items()}
    if not {"yes", "no"}.issuperset(values[branch["option"]] for branch in told["branches"]):
        return found
    if len(set(values.values())) == 1:
        return alone[reading.options[reading.default]]
    for branch in told["branches"]:
        branch["answer"] = value_in_words(values[branch["option"]])
    found["sentence"] = depends_sentence(question, sorted(set(values.values())), found["depends"])
    return found


def _other_than_no(
    i: int, question: Legal, found: Json, graph: Graph | None, replay: Replay, exploring: Exploring
) -> Json | None:
    """Of a use that is refused where it is asked about: the answer for where it is asked for, if it says more."""
    if replay.comes_later(question):
        if question.at_any_time and graph is not None and not stops_at_once(graph, i):
            question.at_any_time = False  # something else is decided before
        return answer_behind(question, found, exploring)
    if question.barred is None:
        return None
    if (paying := question.paying()) is not None:
        paid = answer_apart(paying, replay, exploring)
        if paid["answer"] != "no":
            return paid
    if question.chooses_on:
        later = answer_made(Told(question), exploring)
        # what stands against it as a target is told, unless the use asks for no target
        untargeted = question.barred.text == NO_SUCH_CHOICE
        return later if untargeted or later["answer"] != "no" else None
    if (answering := question.answering()) is not None:
        other = answer_apart(answering, replay, exploring)
        return other if other["answer"] != "no" else None
    return None
