"""From the graph of all lines to an answer with its reasons (field names: docs/answers.md).

The answer's status is never a guess: determined, depends, insufficient, not-modelled, loop, undecided.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rules.engine.answers.deciding import TooLarge, Trees, agrees
from rules.engine.answers.obstacles import NO_WINDOW, NO_WINDOW_YET, NOTHING_HAPPENED
from rules.engine.answers.occasions import at_once, in_words, occasions, stops_at_once
from rules.engine.answers.replay import Replay
from rules.engine.answers.telling import describe, describe_loop, option_words, reading_key
from rules.engine.base.errors import BudgetExceeded, DataError, Unworkable, said_by
from rules.engine.base.messages import Message, both, clauses, listed, sentences
from rules.engine.definitions.model import TOLD_PASSES
from rules.engine.definitions.values import Obj
from rules.engine.machine.targeting import NO_SUCH_CHOICE
from rules.engine.machine.trace import DECIDERS, NO, NONE, YES
from rules.engine.scene.scene import Scene
from rules.engine.search.explore import Explorer
from rules.engine.search.graph import LOOP, UNEXPLORED, Graph, Node, ends_of, nodes, often_used
from rules.engine.search.questions import questions_of
from rules.engine.search.questions.holds import Force, Holds
from rules.engine.search.questions.legal import Behind, Chosen, Legal, Told
from rules.engine.search.questions.order import Order
from rules.engine.search.questions.question import NOT_LEGAL, Question, is_untold

Json = dict[str, Any]
Fault = Callable[[Unworkable], None] | None
MAX_LOOPS = 5
MAX_WORLDS = 256  # ways in which open facts and readings can be, each looked at by itself
NOBODYS = ("facts", "rules")  # what is so or not, and no move of anybody's
MOST_ORDERS = 8  # in which told moves are tried that cannot be made as they are told
MAX_FURTHER = 3  # decisions told in the sentence after the first one
ENDLESS = (LOOP, "runaway")
_ODD = (*ENDLESS, "illegal")  # what is no answer of a question's own

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

    def walk(scene: Scene, fault: Fault) -> _Walked:
        questions = questions_of(scene)
        explorer = Explorer(scene, questions, budget=budget, progress=progress, ends_early=True)
        return _Walked(scene, questions, explorer, *_explored(explorer, fault))

    walked = walk(scene, fault)
    if walked.graph is not None and (paying := scene.paying_first()) is not None:
        walked = _paid_with(walked, walk(paying, None))
    if walked.graph is not None and not walked.made:
        meant = itertools.chain(walked.scene.by_the_rules(), walked.scene.answering_those())
        others = (walk(other, None) for other in itertools.islice(meant, MOST_ORDERS))
        walked = next((one for one in others if one.made), walked)
    if walked.graph is not None and walked.graph.root.end == "illegal":
        orders = map(
            walk, itertools.islice(walked.scene.choosing_later(), MOST_ORDERS), itertools.repeat(None)
        )
        walked = next((one for one in orders if one.came and not one.explorer.came_up), walked)
    if walked.graph is not None and not walked.made and (alone := walked.scene.passing_alone()) is not None:
        other = walk(alone, None)
        walked = other if other.made else walked
    scene, questions, explorer, graph, stopped = walked
    scene.breath = explorer.breathe  # the line that is told keeps to the budget, too
    try:
        why = _why_illegal(scene, Replay(scene, questions, graph), walk) if walked.unmade else None
        answers, replay = _answers(scene, questions, graph, stopped, budget, progress, fault, why)
        illegal, unasked, trace = replay.illegal_sentence(), replay.unasked(), replay.steps
    except BudgetExceeded as bound:
        graph, stopped = None, ("undecided", bound.why or BOUNDS[bound.of])
        answers = [_unanswered(question, *stopped) for question in questions]
        illegal, unasked, trace = "", [], []
    finally:
        scene.breath = None
    _tell_lapsed(scene, answers)
    taken = _taken(scene, questions, answers)
    # Whether it is legal may itself be what the facts or a choice leave open: then the answers say so.
    illegal = "" if any(answer["depends"] for answer in answers) else illegal
    positions = graph.positions if graph else explorer.positions if stopped[0] == "undecided" else None
    whole = graph is not None and graph.whole
    circles = [describe_loop(scene, loop) for loop in (graph.loops if graph else [])[:MAX_LOOPS]]
    status = min((a["status"] for a in answers), key=STATUS_ORDER.index, default="determined")
    result = {
        "status": status,
        "sentence": illegal or sentences([*(a["sentence"] for a in answers), *_loop_sentence(circles)]),
        "questions": answers,
        "loops": circles,
        "assumptions": _assumptions(scene, graph if whole else None, answers) + taken,
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
    result["rules"] = _cited(scene, result)
    return result


class _Walked(NamedTuple):
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


Walk = Callable[[Scene, Fault], _Walked]


def _why_illegal(scene: Scene, told: Replay, walk: Walk) -> Json | None:
    """{move, reason, cites}: why the first move that can't be made can't be, as one is told who asks about that use
    before it. A choice that can't be made may stand for its use. None: that says no more."""
    move = told.illegal["move"] if told.illegal is not None else {}
    at = next((i for i, one in enumerate(scene.did) if one is move), -1)
    before = [i for i in range(at + 1) if "choose" not in scene.did[i]]
    use = scene.did[before[-1]] if before else {}
    if "use" not in use or use["who"] != move["who"]:
        return None
    asked = {key: use[key] for key in ("who", "use", "ability", "on") if key in use} | {"again": True}
    following = list(itertools.takewhile(lambda one: "choose" in one, scene.did[at + 1 :]))
    chosen = [one for one in following if one["who"] == use["who"]] if use is move else []
    for choices in (chosen, []) if chosen else ([],):  # they may answer something else
        why = _refused(scene, scene.did[: before[-1]], {**asked, "choices": choices}, walk)
        if why is not None and why["reason"] != NO_SUCH_CHOICE:
            return {"move": use} | {key: why[key] for key in ("reason", "cites")}
    return None


def _refused(scene: Scene, did: Sequence[Mapping[str, Any]], asked: Json, walk: Walk) -> Json | None:
    """Why a use is refused after these moves, if it is and more than the time stands against it."""
    try:
        walked = walk(scene.asking(did, {"legal": asked}), None)
    except DataError:  # the choices are not all the use's
        return None
    if walked.graph is None or not walked.graph.whole or walked.unmade:
        return None
    [question], replay = walked.questions, Replay(walked.scene, walked.questions, walked.graph)
    assert isinstance(question, Legal)
    found = _answer(0, question, walked.graph, walked.stopped, replay, None)
    why = found["why_not"][0] if found["answer"] == "no" and found["why_not"] else None
    if found["status"] == "depends" and not replay.went_for(question):
        why = replay.why_not(question)  # it depends on others, who on this line do nothing
    return None if why is None or getattr(why["reason"], "template", "") in _OF_TIME else why


def _paid_with(aimed: _Walked, paid: _Walked) -> _Walked:
    """Of several cards told with a use without a name: was the first what it affects, or what pays? Nobody knows where
    both can be and it makes a difference."""
    if not paid.made:
        return aimed
    if not aimed.made:
        return paid
    if (
        aimed.graph is not None
        and paid.graph is not None
        and aimed.graph.root.outcomes != paid.graph.root.outcomes
    ):
        return aimed._replace(graph=None, stopped=("insufficient", WHICH_PAYS))
    return aimed


WHICH_PAYS = Message(
    "Not answered, because it is not told which of the cards chosen pays the cost: name each choice, as “paid: ...”."
)


def _answers(
    scene: Scene,
    questions: list[Question],
    graph: Graph | None,
    stopped: tuple[str, str],
    budget: int,
    progress: Callable[[int], None] | None,
    fault: Fault,
    why_illegal: Json | None = None,
) -> tuple[list[Json], Replay]:
    """Each question's answer, and the line that is told. Raises BudgetExceeded when telling it takes too long."""
    replay = Replay(scene, questions, graph, why_illegal)
    answers = []
    for i, question in enumerate(questions):
        if isinstance(question, Chosen) and not replay.illegal:
            made = question.made()
            explorer = Explorer(made.scene, [made], budget=budget, progress=progress)
            answers.append(_answer_made(made, *_explored(explorer, fault)))
        elif isinstance(question, Force) and question.alone and graph:
            answers.append(_answer_apart(question.apart(), replay, fault, budget, progress))
        else:
            found = _answer(i, question, graph, stopped, replay, fault)
            if (
                allowed := _allowed_by_the_rules(question, found, replay, fault, budget, progress)
            ) is not None:
                found = allowed
            elif isinstance(question, Legal) and found["answer"] == "no" and not question.done:
                if replay.comes_later(question):
                    if question.at_any_time and graph is not None and not stops_at_once(graph, i):
                        question.at_any_time = False  # something else is decided before
                    found = _answer_behind(question, found, fault, budget, progress)
                elif question.barred is not None and question.chooses_on:
                    explorer = Explorer(
                        (told := Told(question)).scene, [told], budget=budget, progress=progress
                    )
                    later = _answer_made(told, *_explored(explorer, fault))
                    # what stands against it as a target is told, unless the use asks for no target
                    untargeted = question.barred.text == NO_SUCH_CHOICE
                    found = later if untargeted or later["answer"] != "no" else found
                elif question.barred is not None and (answering := question.answering()) is not None:
                    other = _answer_apart(answering, replay, fault, budget, progress)
                    found = other if other["answer"] != "no" else found
            answers.append(found)
    return answers, replay


def _explored(explorer: Explorer, fault: Fault) -> tuple[Graph | None, tuple[str, str]]:
    """The graph, or as much of it as there is; and, if that is not all, the status of what it does not answer, and
    why."""
    try:
        graph = explorer.explore()
        return graph, ("", "") if graph.whole else ("undecided", BOUNDS["positions"])
    except BudgetExceeded as bound:
        why = sentences([bound.why or BOUNDS[bound.of], _going_on(explorer)])
        return explorer.so_far(), ("undecided", why)
    except Unworkable as found:
        if fault is not None:
            fault(found)
        why = Message("Not answered, because {reason}.", reason=said_by(found))
        return None, ("not-modelled", why)


BOUNDS = {
    "positions": Message("Not decided within the budget of positions."),
    "time": Message("Not decided within the time limit for one answer."),
    "memory": Message("Not decided: play grows beyond the memory limit for one answer."),
}


def _going_on(explorer: Explorer) -> str:
    """What was used again and again on the line that was being looked at."""
    told = [
        Message("{who} uses {card} {times} times", who=use.you, card=use.obj, times=times)
        for use, times in often_used(explorer.taken)
    ]
    return Message("On the last line explored, {uses}.", uses=listed(told)) if told else ""


# --- one question -------------------------------------------------------------------------------------


def _unanswered(question: Question, status: str, why: str) -> Json:
    return {
        "kind": question.kind,
        "text": question.text,
        "status": status,
        "answer": None,
        "sentence": sentences([question.text, why]),
        "depends": [],
        "why_not": [],
    }


def _answer(
    i: int, question: Question, graph: Graph | None, stopped: tuple[str, str], replay: Replay, fault: Fault
) -> Json:
    """The answer, where what was explored gives one; else why there is none, and what is known all the same."""
    if graph is None:
        return _unanswered(question, *stopped)
    if graph.whole:
        return _answer_question(i, question, graph, replay, fault)
    if isinstance(question, Force) and not any(is_untold(outcome[i]) for outcome in graph.outcomes):
        sure = _forced_anyhow(i, question, graph)
        return _unanswered(question, *stopped) if sure is None else sure
    if not graph.knows(i):
        return _unanswered(question, stopped[0], sentences([stopped[1], *_known(i, question, graph)]))
    if isinstance(question, Legal):
        question.orderers.clear()  # there may be more
    return _answer_question(i, question, graph, replay, fault)


def _known(i: int, question: Question, graph: Graph) -> list[str]:
    """What is known of a question that has no answer yet: each sentence is true whatever the rest would show."""
    told: list[str] = []
    if isinstance(question, Legal) and not (question.done or question.compulsory) and not at_once(graph, i):
        text = "{who} may not use {what} at once after these moves."
        told.append(Message(text, who=question.who, what=question.what))
    values = {outcome[i] for outcome in graph.outcomes}
    values = {value for value in values if not is_untold(value) and value not in (*_ODD, UNEXPLORED)}
    said = sorted({say(question, value) for value in values}, key=lambda value: (value != "yes", value))
    if len(said) > 1:
        told.append(
            Message(
                "It depends on the line of play ({answers}).",
                answers=_either(question, [_in_words(v) for v in said]),
            )
        )
    elif said:
        told.append(Message("On some lines of play: {answer}.", answer=_in_words(said[0])))
    return told


def _forced_anyhow(i: int, question: Force, graph: Graph) -> Json | None:
    """The answer that is the same whether the lines not explored turn out well or badly; None: there is none."""
    found = _answer_force(i, question, graph, well=False)
    if found["answer"] != "yes":
        found = _answer_force(i, question, graph, well=True)
        if found["answer"] != "no":
            return None
    rest = {
        "kind": question.kind,
        "text": question.text,
        "status": "determined",
        "depends": [],
        "why_not": [],
    }
    return rest | found


def _answer_question(i: int, question: Question, graph: Graph, replay: "Replay", fault: Fault = None) -> Json:
    found: Json = {
        "kind": question.kind,
        "text": question.text,
        "status": "determined",
        "depends": [],
        "why_not": [],
    }
    missing = sorted({outcome[i] for outcome in graph.outcomes if is_untold(outcome[i])})
    if missing:
        found |= {"status": "insufficient", "answer": None}
        found["depends"] = [_missing(fact) for _, _, fact, _ in missing]
        facts = clauses(
            Message("{fact}; state it at {place}", fact=fact, place=place)
            for _, what, fact, place in missing
            if what == "fact"
        )
        texts = clauses(fact for _, what, fact, _ in missing if what == "text")
        given = Message("It depends on facts that were not given ({facts}).", facts=facts) if facts else ""
        read = Message("It may hang on text that is not understood ({texts}).", texts=texts) if texts else ""
        orders = clauses(fact for _, what, fact, _ in missing if what == "order")
        text = "Whether one text works hangs on another, and which of them came first is not told ({facts})."
        order = Message(text, facts=orders) if orders else ""
        found["sentence"] = sentences([question.text, given, read, order])
        return found
    if isinstance(question, Holds):
        question.ends = ends_of(graph.root)
    if isinstance(question, Force) and any(outcome[i] != "illegal" for outcome in graph.outcomes):
        return found | _answer_force(i, question, graph)
    values = sorted({say(question, outcome[i]) for outcome in graph.outcomes})
    values = [value for value in values if value not in ENDLESS]
    if not values:
        found |= {"status": "loop", "answer": None}
        found["sentence"] = sentences([question.text, Message("Play loops forever.")])
        return found
    if len(values) == 1:
        found |= {"answer": values[0], "sentence": question.sentence(values[0])}
        if values[0] == "illegal":
            found["sentence"] = Message("{claim}.", claim=Message(NOT_LEGAL, question=question.text))
    else:
        found["answer"] = None
        found["depends"] = _decisions(i, question, graph, fault)
        found["status"] = _status_of(found["depends"])
        first = _depends_sentence(question, values, found["depends"])
        found["sentence"] = sentences([first, *_after_that(found["depends"][1:])])
    if isinstance(question, Legal) and "yes" in values and not (question.done or question.compulsory):
        found["when"] = occasions(question.scene, graph, i)
        why = replay.refused_first.get((question.who, question.use), "")
        if why and not found["when"]["first"]:
            found["when"] |= {"now": False, "first": why}
        if "illegal" not in values:
            said = any(decision["decision"] in found["when"]["first"] for decision in found["depends"][:1])
            when = in_words(question.who, found["when"] | ({"first": ""} if said else {}))
            found["sentence"] = sentences([found["sentence"], when])
    if isinstance(question, Holds) and values == ["no"] and (instead := question.instead(replay.machine)):
        text = "{claim}: {why}." if graph.ends == 1 else "{claim} (in the line of play given, {why})."
        found["sentence"] = Message(text, claim=question.claim("no"), why=instead)
    told_legal = "yes" in values and isinstance(question, Legal) and question.done  # in the line that is told
    if isinstance(question, Legal) and (question.who, question.use) in replay.since and values != ["no"]:
        told_legal = True  # nothing stands against it there
    if isinstance(question, Legal) and values != ["yes"] and not told_legal:
        line = replay
        if replay.went_for_another(
            question
        ):  # what others did for their own questions is no reason against this one
            line = Replay(question.scene, [question], graph)
        reason = line.why_not(question)
        found["why_not"] = [reason] if values == ["no"] or not line.went_for(question) else []
        if values == ["no"]:
            found["sentence"] = _because(question, reason["reason"])
    return found


def _answer_made(question: Chosen | Told, graph: Graph | None, stopped: tuple[str, str]) -> Json:
    """Of choices that were made to see whether they can be: as the line went, or why it went no further."""
    if graph is None or not graph.knows(0):
        return _unanswered(question, *stopped)
    replay = Replay(question.scene, [question], graph)
    found = _answer_question(0, question, graph, replay)
    if found["answer"] == "no" and replay.illegal is not None:
        why = {key: replay.illegal[key] for key in ("reason", "cites")}
        found["why_not"] = [{"move": question.what, **why}]
        found["sentence"] = _because(question, why["reason"])
    return found


_OF_TIME = (NO_WINDOW, NO_WINDOW_YET, NOTHING_HAPPENED)  # reasons that say only when, not why
_OPEN_LATER = ("undecided", "not-modelled", "loop")  # up to the next action, it is known


def _answer_behind(
    question: Legal, found: Json, fault: Fault, budget: int, progress: Callable[[int], None] | None
) -> Json:
    """Of a use that the next action's window does not ask for (a challenge, in the action window before it): as if it
    were told as the next move, by an exploration of its own. Where it cannot be made so either, what was found stands,
    with the reason for which it is refused there.
    """
    told = Behind(question)
    graph, stopped = _explored(Explorer(told.scene, [told], budget=budget, progress=progress), fault)
    replay = Replay(told.scene, [told], graph)
    later = _answer(0, told, graph, stopped, replay, fault)
    if later["answer"] == "no" or later["status"] in _OPEN_LATER:
        why = replay.illegal if replay.refused else None
        if told.barred is not None:
            why = {"reason": told.barred.text, "cites": list(told.barred.cites)}
        now = found["why_not"][0] if found["why_not"] else {"reason": ""}
        timing = getattr(now["reason"], "template", "") in _OF_TIME
        same_turn = replay.machine.turn == question.behind
        if later["answer"] == "no" and why is not None and timing and same_turn:
            found["why_not"] = [now | {key: why[key] for key in ("reason", "cites")}]
            found["sentence"] = _because(question, why["reason"])
        return found
    if later["status"] == "insufficient" and replay.answers_something(question):
        return found  # whether that will come up at all is not what was asked
    if later["answer"] == "yes":
        first = "" if question.at_any_time else Message("the players pass first")
        later["when"] = {"now": not first, "first": first, "again": "unknown"}
        later["sentence"] = sentences([later["sentence"], in_words(question.who, later["when"])])
    return later


def _answer_apart(
    question: Force | Legal,
    replay: "Replay",
    fault: Fault,
    budget: int,
    progress: Callable[[int], None] | None,
) -> Json:
    """By an exploration of its own: what one player can make sure of where all choose at the same time, or a use that
    may answer what it is told on."""
    graph, stopped = _explored(Explorer(question.scene, [question], budget=budget, progress=progress), fault)
    return _answer(0, question, graph, stopped, replay, fault)


def _allowed_by_the_rules(
    question: Question,
    found: Json,
    replay: "Replay",
    fault: Fault,
    budget: int,
    progress: Callable[[int], None] | None,
) -> Json | None:
    """The answer for what the rules let a player do with the card, where its own text is of no use to that player."""
    if not isinstance(question, Legal) or question.done:
        return None
    if found["answer"] == "no" or (question.compulsory and found["answer"] == "yes"):
        for other in question.by_the_rules():
            allowed = _answer_apart(other, replay, fault, budget, progress)
            if allowed["answer"] == "yes":
                return allowed
    return None


def _because(question: Question, reason: str) -> str:
    return Message("{claim}: {reason}.", claim=question.claim("no"), reason=reason)


def _missing(fact: str) -> Json:
    """A number that nobody told, as what the answer hangs on; what follows from each value cannot be listed."""
    return {
        "who": DECIDERS["facts"],
        "decider": "facts",
        "decision": fact,
        "cites": [],
        "unknown": True,
        "branches": [],
    }


def say(question: Question, value: Any) -> str:
    return question.said(value) if isinstance(question, Order) and isinstance(value, tuple) else str(value)


def _either(question: Question, values: list[str]) -> str:
    """Several values as the alternatives of one sentence."""
    if len(values) < 2:
        return values[0] if values else ""
    if isinstance(question, Order):
        none = question.said(())
        told = [Message("{what} alone", what=v) if v in question.words else _run_on(v) for v in values]
        values = [v for v in told if v != none] + [NONE for v in values if v == none]
    else:
        values = sorted(values, key=lambda value: value != "yes")
    return listed(values, last="{some}, or {last}" if len(values) > 2 else "{some} or {last}")


def _run_on(order: str) -> str:
    """“a, then b” as one of several: “a then b”."""
    if not isinstance(order, Message):
        return order
    said = {name: _run_on(value) if isinstance(value, str) else value for name, value in order.arguments}
    template = "{some} then {last}" if order.template == "{some}, then {last}" else order.template
    return Message.made(template, order.context, said)


def _status_of(decisions: list[Json]) -> str:
    return "insufficient" if any(d["decider"] == "facts" and d["unknown"] for d in decisions) else "depends"


def _in_words(value: str) -> str:
    if value in ENDLESS:
        return Message("play loops forever")
    return Message("one of the moves given is not legal") if value == "illegal" else _WORDS.get(value, value)


_WORDS = {"yes": YES, "no": NO}


def _depends_sentence(question: Question, values: list[str], decisions: list[Json]) -> str:
    options = _either(question, [_in_words(value) for value in values])
    if not decisions:
        text = "{question} {options}, depending on the line of play."
        return Message(text, question=question.text, options=options)
    first = decisions[0]
    if first["decider"] == "facts":
        cases = clauses(
            Message("{answer} if {option}", answer=_in_words(b["answer"]), option=b["option"])
            for b in first["branches"]
        )
        depends = Message("It depends on a disputed or unknown fact: {cases}.", cases=cases)
        return sentences([question.text, depends])
    told = [value for value in values if value != "illegal"]
    if len(told) == 1 and len(values) == 2 and first["decider"] == "player":
        sure = Message("{^answer}, if the moves can be made as given.", answer=_in_words(told[0]))
        return sentences([question.text, sure, _choice(first, opens=True)])
    return sentences([question.text, _choice(first, opens=True)])


def _choice(decision: Json, *, opens: bool = False) -> str:
    """Who decides what, and what follows from each option; opens: at the beginning of a sentence."""
    branches = clauses(
        Message("{option}: {answer}", option=b["option"], answer=_in_words(b["answer"]))
        for b in decision["branches"]
    )
    who, what = decision["who"], decision["decision"]
    if decision["decider"] == "player":
        text = (
            "{who} makes {what}: {branches}"
            if what.startswith("the ")
            else "{who} decides {what}: {branches}"
        )
    else:
        text = _DECIDES[decision["decider"]]
    said = Message(text, who=who, what=what, branches=branches)
    if not opens:
        return said
    # a player's name stays as it is written
    return Message("{said}." if decision["decider"] == "player" else "{^said}.", said=said)


_DECIDES = {
    "chance": "chance decides ({what}): {branches}",
    "rules": "it depends on how the rules are interpreted ({what}): {branches}",
    "facts": "it depends on a disputed or unknown fact ({what}): {branches}",
}


def _after_that(decisions: list[Json]) -> list[str]:
    """Who decides what next, after which options."""
    found: list[str] = []
    for decision in decisions:
        last = decision["after"][-1]
        text = "If {option}, {choice}." if last["who"] == DECIDERS["facts"] else "After “{option}”, {choice}."
        found.append(Message(text, option=last["option"], choice=_choice(decision)))
    return found[:MAX_FURTHER]


def _decisions(i: int, question: Question, graph: Graph, fault: Fault) -> list[Json]:
    """The decisions that matter, the first one first, with what each option leads to; none where there are too many,
    or where playing them again says otherwise."""

    def either(values: list[Any]) -> str:
        said = sorted({say(question, value) for value in values}, key=lambda value: (value in _ODD, value))
        return _either(question, [_in_words(value) for value in said])

    trees = Trees(question.scene, question, i)
    try:
        tree = trees.of(graph)
    except TooLarge:
        return []
    if not agrees(question.scene, graph, trees, tree, lambda: question):
        if fault is not None:
            fault(
                Unworkable(
                    Message(
                        "a line of play turns out differently when it is played again ({question})",
                        question=question.text,
                    )
                )
            )
        return []
    return trees.told(tree, either)


def _loop_sentence(circles: list[Json]) -> list[str]:
    if not circles:
        return []
    first = circles[0]
    change = clauses(step["text"] for step in first["change"]) or Message("nothing changes")
    text = "There is a loop ({holders}; each cycle: {change})."
    if first["ending"]:
        text = "There is a loop ({holders}; each cycle: {change}): {ending}."
    return [Message(text, holders=both(first["holders"]), change=change, ending=first["ending"])]


def _answer_force(i: int, question: Force, graph: Graph, *, well: bool = False) -> Json:
    """A fact is what it is, and a rule is read one way, however they play: each value of what is disputed or unknown,
    and each reading that is open, is looked at by itself. well: is a line that was not explored taken to end well?"""
    facts: dict[int, Node] = {}  # by slot, a node at which it matters
    values: dict[int, dict[Any, None]] = {}
    for node in nodes(graph.root):
        if node.decision is not None and node.decision.who in NOBODYS:
            slot = node.decision.subject
            facts.setdefault(slot, node)
            values.setdefault(slot, {}).update(
                (node.decision.options[index], None) for index, _, _ in node.edges
            )
    if math.prod(map(len, values.values())) > MAX_WORLDS:
        text = Message("It depends on too many open facts and readings to look at them together.")
        return {
            "status": "undecided",
            "answer": None,
            "sentence": sentences([question.text, text]),
        }
    worlds = [dict(zip(values, world, strict=True)) for world in itertools.product(*values.values())]
    answers = ["yes" if forced(graph.root, i, question.who, world, well=well) else "no" for world in worlds]
    if len(set(answers)) == 1:
        return {"answer": answers[0], "sentence": question.sentence(answers[0])}
    depends = []
    for slot, node in facts.items():
        if not _matters(slot, worlds, answers):
            continue
        assert node.decision is not None
        branches = []
        for value in values[slot]:
            own = sorted({said for world, said in zip(worlds, answers, strict=True) if world[slot] == value})
            branches.append(
                {
                    "option": option_words(question.scene, node.decision, value),
                    "answer": _either(question, [_in_words(one) for one in own]),
                    "open": len(own) > 1,
                }
            )
        depends.append(describe(question.scene, node.decision) | {"after": [], "branches": branches})
    return {
        "status": _status_of(depends),
        "answer": None,
        "depends": depends,
        "sentence": _depends_sentence(question, ["no", "yes"], depends),
    }


def _matters(slot: int, worlds: list[dict[int, Any]], answers: list[str]) -> bool:
    """Do two worlds that differ in this fact alone have different answers?"""
    found: dict[tuple[Any, ...], set[str]] = {}
    for world, said in zip(worlds, answers, strict=True):
        found.setdefault(tuple(value for key, value in world.items() if key != slot), set()).add(said)
    return any(len(own) > 1 for own in found.values())


def forced(root: Node, i: int, who: str, world: Mapping[int, Any], *, well: bool = False) -> bool:
    """Can `who` make sure that question `i` ends with yes, whatever everybody else decides, where the facts are so?

    An and/or search: the asker's decisions need one good option, everybody else's (opponents, chance) must all be
    good. A line that goes round for ever is not a yes. world: the value of each fact and reading left open, by slot.
    well: is a line that was not explored a yes?
    """
    found = list(nodes(root))
    won: set[int] = set()
    if root.end:
        return all(outcome[i] == "yes" for outcome in root.outcomes)

    def good(child: Node) -> bool:
        target = child.back or child
        if target.end == UNEXPLORED:
            return well
        if target.end:
            return all(outcome[i] == "yes" for outcome in target.outcomes)
        return id(target) in won

    changed = True
    while changed:  # from the ends upwards: what is never reached so, because play goes round, is not won
        changed = False
        for node in reversed(found):
            if id(node) in won or node.decision is None:
                continue
            decision = node.decision
            below = [
                good(child)
                for index, child, _ in node.edges
                if decision.who not in NOBODYS or decision.options[index] == world[decision.subject]
            ]
            if not below:  # it cannot be so here
                below = [good(child) for _, child, _ in node.edges]
            mine = isinstance(decision.who, Obj) and decision.who.id == who
            if any(below) if mine else all(below):
                won.add(id(node))
                changed = True
    return id(root) in won


# --- assumptions and citations ------------------------------------------------------------------------


def _assumptions(scene: Scene, graph: Graph | None, answers: list[Json]) -> list[Json]:
    """Readings that some line consulted, then facts that nobody stated."""
    asked: dict[str, bool] = {}
    decided = {told["decision"] for one in answers for told in one["depends"] if told["decider"] == "rules"}
    if graph is not None:
        for node in nodes(graph.root):
            if node.decision is not None and node.decision.who == "rules" and len(node.edges) > 1:
                key = reading_key(scene, node.decision)
                below = {frozenset(child.outcomes) for _, child, _ in node.edges}
                asked[key] = (
                    asked.get(key, False) or len(below) > 1 or scene.system.readings[key].ask in decided
                )
    found = []
    pinned = scene.scenario.get("pinned", {})
    for key, reading in scene.system.readings.items():
        if key not in scene.touched and key not in pinned:
            continue
        if key == TOLD_PASSES.key and key not in {*asked, *pinned}:  # the moves themselves leave one
            continue
        value = pinned.get(key, reading.default)
        found.append(
            {
                "id": key,
                "kind": "reading",
                "text": reading.ask,
                "value": value,
                "explored": key in asked,
                "options": [{"id": k, "text": v} for k, v in reading.options.items()],
                "status": "pinned" if key in pinned else reading.status,
                "cites": list(reading.cites),
                "note": reading.note,
                "material": asked.get(key),
            }
        )
    for card in scene.cards:
        if "zone" not in scene.scenario["cards"][card.id]:
            found.append(
                {
                    "id": f"{card.id}.zone",
                    "kind": "default",
                    "text": Message("Where is {card}?", card=card),
                    "value": "play",
                    "explored": False,
                    "options": [{"id": zone, "text": scene.system.word(zone)} for zone in scene.system.zones],
                    "status": "default",
                    "cites": [],
                    "note": Message("The scenario does not say."),
                    "material": None,
                }
            )
    return found


def _tell_lapsed(scene: Scene, answers: list[Json]) -> None:
    """Say in the first answer which choices were told and never came up: nothing that is told is dropped in silence."""
    for (who, _), chosen in scene.lapsed.items() if answers else ():
        cards = listed(scene.objects[one].label for one in ([chosen] if isinstance(chosen, str) else chosen))
        text = "{who} does not get to choose {cards}, because what asks for that is not carried out."
        said = Message(text, who=scene.objects[who], cards=cards)
        answers[0]["sentence"] = sentences([answers[0]["sentence"], said])


def _taken(scene: Scene, questions: list[Question], answers: list[Json]) -> list[Json]:
    """What uses ask for that nobody spoke of, as assumptions; each is said in the first answer that hangs on it."""
    found: dict[str, tuple[str, tuple[str, ...]]] = {}  # what it is -> the card, and the rules
    for question, answered in zip(questions, answers, strict=True):
        uses = set(scene.used)
        if isinstance(question, Legal) and answered["answer"] != "no":
            uses.add((question.who, question.use))
        fresh = {
            fact: (card, cites)
            for (who, card), facts in scene.taken.items()
            if (who, card) in uses
            for fact, cites in facts.items()
            if fact not in found
        }
        found |= fresh
        if fresh:
            said = Message("Assumed, as the scenario does not say: {facts}.", facts=clauses(fresh))
            answered["sentence"] = sentences([answered["sentence"], said])
    return [
        {
            "id": f"{card}.taken.{number}",
            "kind": "default",
            "text": Message("{^fact}:", fact=fact),
            "value": "yes",
            "explored": False,
            "options": [{"id": "yes", "text": Message("assumed")}],
            "status": "default",
            "cites": list(cites),
            "note": Message("The scenario does not say."),
            "material": True,
        }
        for number, (fact, (card, cites)) in enumerate(found.items(), 1)
    ]


def _cited(scene: Scene, data: Any) -> Json:
    """The sentence behind every rule id in the answer."""
    ids: set[str] = set()

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            ids.update(value.get("cites", ()))
            for inner in value.values():
                collect(inner)
        elif isinstance(value, list):
            for inner in value:
                collect(inner)

    collect(data)
    law = scene.system.law
    return {
        key: {"text": law[key].says, "document": law[key].document, "section": law[key].section}
        for key in sorted(ids)
        if key in law
    }
