"""The answer of one question: from the graph of all lines, or from an exploration of its own."""

from collections.abc import Callable
from typing import Any, NamedTuple

from rules.engine.answers.deciding import TooLarge, Trees, agrees
from rules.engine.answers.force import answer_force, forced_anyhow
from rules.engine.answers.obstacles import BEGINS_ELSEWHERE, NO_WINDOW, NO_WINDOW_YET, NOTHING_HAPPENED
from rules.engine.answers.occasions import at_once, in_words, occasions
from rules.engine.answers.replay import Replay
from rules.engine.answers.sentences import (
    ENDLESS,
    ODD,
    after_that,
    because,
    because_of_each,
    depends_sentence,
    either_of,
    missing_fact,
    say,
    status_of,
    value_in_words,
)
from rules.engine.answers.telling import describe, option_words
from rules.engine.base.errors import BudgetExceeded, Unworkable, said_by
from rules.engine.base.messages import Message, clauses, listed, sentences
from rules.engine.scene.scene import Scene
from rules.engine.search.explore import Explorer
from rules.engine.search.graph import UNEXPLORED, Graph, ends_of, often_used
from rules.engine.search.questions.holds import Force, Holds
from rules.engine.search.questions.legal import Behind, Chosen, Legal, Told
from rules.engine.search.questions.question import NO_VALUE, NOT_LEGAL, Question, is_untold

Json = dict[str, Any]
Fault = Callable[[Unworkable], None] | None
BOUNDS = {
    "positions": Message("Not decided within the budget of positions."),
    "time": Message("Not decided within the time limit for one answer."),
    "memory": Message("Not decided: play grows beyond the memory limit for one answer."),
}
# reasons that say only when, not why
OF_TIME = (NO_WINDOW, NO_WINDOW_YET, BEGINS_ELSEWHERE, NOTHING_HAPPENED)
MOST_REASONS = 6  # options of a choice, each with its own
_OPEN_LATER = ("undecided", "not-modelled", "loop")  # up to the next action, it is known


class Explored(NamedTuple):
    """What an exploration found: the graph, or as much of it as there is; and, if that is not all, the status of what
    it does not answer, and why."""

    explorer: Explorer
    graph: Graph | None
    stopped: tuple[str, str]


class Exploring(NamedTuple):
    """How the lines of an answer are explored: the budget of each exploration, in positions; who is told how far it
    came; and who is told of what could not be worked out."""

    budget: int
    progress: Callable[[int], None] | None = None
    fault: Fault = None

    def of(self, scene: Scene, questions: list[Question], *, ends_early: bool = False) -> Explored:
        explorer = Explorer(
            scene, questions, budget=self.budget, progress=self.progress, ends_early=ends_early
        )
        try:
            graph = explorer.explore()
            return Explored(explorer, graph, ("", "") if graph.whole else ("undecided", BOUNDS["positions"]))
        except BudgetExceeded as bound:
            why = sentences([bound.why or BOUNDS[bound.of], _going_on(explorer)])
            return Explored(explorer, explorer.so_far(), ("undecided", why))
        except Unworkable as found:
            if self.fault is not None:
                self.fault(found)
            why = Message("Not answered, because {reason}.", reason=said_by(found))
            return Explored(explorer, None, ("not-modelled", why))


def _going_on(explorer: Explorer) -> str:
    """What was used again and again on the line that was being looked at."""
    told = [
        Message("{who} uses {card} {times} times", who=use.you, card=use.obj, times=times)
        for use, times in often_used(explorer.taken)
    ]
    return Message("On the last line explored, {uses}.", uses=listed(told)) if told else ""


def unanswered(question: Question, status: str, why: str) -> Json:
    return {
        "kind": question.kind,
        "text": question.text,
        "status": status,
        "answer": None,
        "sentence": sentences([question.text, why]),
        "depends": [],
        "why_not": [],
    }


def answer_one(
    i: int, question: Question, graph: Graph | None, stopped: tuple[str, str], replay: Replay, fault: Fault
) -> Json:
    """The answer, where what was explored gives one; else why there is none, and what is known all the same."""
    if graph is None:
        return unanswered(question, *stopped)
    if graph.whole:
        return _answer_question(i, question, graph, replay, fault)
    if isinstance(question, Force):
        sure = forced_anyhow(i, question, graph)
        return unanswered(question, *stopped) if sure is None else sure
    if not graph.knows(i):
        return unanswered(question, stopped[0], sentences([stopped[1], *_known(i, question, graph)]))
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
    values = {value for value in values if not is_untold(value) and value not in (*ODD, UNEXPLORED)}
    said = sorted({say(question, value) for value in values}, key=lambda value: (value != "yes", value))
    if len(said) > 1:
        told.append(
            Message(
                "It depends on the line of play ({answers}).",
                answers=either_of(question, [value_in_words(v) for v in said]),
            )
        )
    elif said:
        told.append(Message("On some lines of play: {answer}.", answer=value_in_words(said[0])))
    return told


def _answer_question(i: int, question: Question, graph: Graph, replay: "Replay", fault: Fault = None) -> Json:
    found: Json = {
        "kind": question.kind,
        "text": question.text,
        "status": "determined",
        "depends": [],
        "why_not": [],
    }
    missing = sorted({outcome[i] for outcome in graph.outcomes if is_untold(outcome[i])})
    for _, what, why, _ in missing:
        if what == NO_VALUE:
            if fault is not None:
                fault(Unworkable(why))
            return unanswered(
                question, "not-modelled", Message("Not answered, because {reason}.", reason=why)
            )
    if missing and isinstance(question, Force) and (sure := forced_anyhow(i, question, graph)) is not None:
        return sure
    if missing:
        found |= {"status": "insufficient", "answer": None}
        found["depends"] = [missing_fact(fact) for _, _, fact, _ in missing]
        facts = clauses(
            Message("{fact}; state it at {place}", fact=fact, place=place)
            for _, what, fact, place in missing
            if what == "fact"
        )
        texts = clauses(fact for _, what, fact, _ in missing if what == "text")
        given = Message("It depends on facts that were not given ({facts}).", facts=facts) if facts else ""
        read = Message("It may hang on text that is not understood ({texts}).", texts=texts) if texts else ""
        orders = clauses(fact for _, what, fact, _ in missing if what == "order")
        text = "It hangs on several texts, and which of them came first is not told ({facts})."
        order = Message(text, facts=orders) if orders else ""
        found["sentence"] = sentences([question.text, given, read, order])
        return found
    if isinstance(question, Holds):
        question.ends = ends_of(graph.root)
    if isinstance(question, Force) and any(outcome[i] != "illegal" for outcome in graph.outcomes):
        return found | answer_force(i, question, graph)
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
        found["status"] = status_of(found["depends"])
        first = depends_sentence(question, values, found["depends"])
        found["sentence"] = sentences([first, *after_that(found["depends"][1:])])
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
            found["sentence"] = because(question, reason["reason"])
            if graph.whole and graph.ends > 1 and type(question) is Legal and not line.illegal:
                found |= _why_on_each(question, line, graph)
    return found


def _why_on_each(question: Legal, line: Replay, graph: Graph) -> Json:
    """Why not, after each option of the first choice that nobody told, where that isn't the same after all of them."""
    if line.fork is None or len(line.fork[1].options) > MOST_REASONS:
        return {}
    (key, decision), whys = line.fork, [line.why_not(question)]
    for index in range(1, len(decision.options)):
        asked = Legal(question.scene, question.ask, question.place)
        other = Replay(question.scene, [asked], graph, turned=(key, index))
        if other.illegal or other.went_for(asked):
            return {}
        whys.append(other.why_not(asked))
    different = list({why["reason"]: why for why in whys}.values())
    if len(different) == 1:
        return {}
    options = [option_words(question.scene, decision, option) for option in decision.options]
    each = list(zip(options, (why["reason"] for why in whys), strict=True))
    sentence = because_of_each(question, describe(question.scene, decision), each)
    return {"why_not": different, "sentence": sentence}


def _decisions(i: int, question: Question, graph: Graph, fault: Fault) -> list[Json]:
    """The decisions that matter, the first one first, with what each option leads to; none where there are too many,
    or where playing them again says otherwise."""

    def either(values: list[Any]) -> str:
        said = sorted({say(question, value) for value in values}, key=lambda value: (value in ODD, value))
        return either_of(question, [value_in_words(value) for value in said])

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


def answer_made(question: Chosen | Told, exploring: Exploring) -> Json:
    """Of choices that were made to see whether they can be: as the line went, or why it went no further."""
    _, graph, stopped = exploring.of(question.scene, [question])
    if graph is None or not graph.knows(0):
        return unanswered(question, *stopped)
    replay = Replay(question.scene, [question], graph)
    found = _answer_question(0, question, graph, replay)
    if found["answer"] == "no" and replay.illegal is not None:
        why = {key: replay.illegal[key] for key in ("reason", "cites")}
        found["why_not"] = [{"move": question.what, **why}]
        found["sentence"] = because(question, why["reason"])
    return found


def answer_behind(question: Legal, found: Json, exploring: Exploring) -> Json:
    """Of a use that the next action's window does not ask for (a challenge, in the action window before it): as if it
    were told as the next move, by an exploration of its own. Where it cannot be made so either, what was found stands,
    with the reason for which it is refused there.
    """
    told = Behind(question)
    _, graph, stopped = exploring.of(told.scene, [told])
    replay = Replay(told.scene, [told], graph)
    later = answer_one(0, told, graph, stopped, replay, exploring.fault)
    if later["answer"] == "no" or later["status"] in _OPEN_LATER:
        why = replay.illegal if replay.refused else None
        if told.barred is not None:
            why = {"reason": told.barred.text, "cites": list(told.barred.cites)}
        now = found["why_not"][0] if found["why_not"] else {"reason": ""}
        timing = getattr(now["reason"], "template", "") in OF_TIME
        same_turn = replay.machine.turn == question.behind
        if later["answer"] == "no" and why is not None and timing and same_turn:
            found["why_not"] = [now | {key: why[key] for key in ("reason", "cites")}]
            found["sentence"] = because(question, why["reason"])
        return found
    if later["status"] == "insufficient" and replay.answers_something(question):
        return found  # whether that will come up at all is not what was asked
    if later["answer"] == "yes":
        first = "" if question.at_any_time else Message("the players pass first")
        later["when"] = {"now": not first, "first": first, "again": "unknown"}
        later["sentence"] = sentences([later["sentence"], in_words(question.who, later["when"])])
    return later


def answer_apart(
    question: Force | Legal,
    replay: "Replay",
    exploring: Exploring,
) -> Json:
    """By an exploration of its own: what one player can make sure of where all choose at the same time, or a use that
    may answer what it is told on."""
    _, graph, stopped = exploring.of(question.scene, [question])
    return answer_one(0, question, graph, stopped, replay, exploring.fault)


def allowed_by_the_rules(
    question: Question,
    found: Json,
    replay: "Replay",
    exploring: Exploring,
) -> Json | None:
    """The answer for what the rules let a player do with the card, where its own text is of no use to that player."""
    if not isinstance(question, Legal) or question.done:
        return None
    if found["answer"] == "no" or (question.compulsory and found["answer"] == "yes"):
        for other in question.by_the_rules():
            allowed = answer_apart(other, replay, exploring)
            if allowed["answer"] == "yes":
                return allowed
    return None
