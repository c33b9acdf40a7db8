"""Values, and what an answer depends on, as sentences."""

from typing import Any

from rules.engine.base.messages import Message, both, clauses, listed, sentences
from rules.engine.machine.trace import DECIDERS, NO, NONE, YES
from rules.engine.search.graph import LOOP
from rules.engine.search.questions.legal import NOT_AS_CHOSEN
from rules.engine.search.questions.order import Order
from rules.engine.search.questions.question import Question

Json = dict[str, Any]
MAX_FURTHER = 3  # decisions told in the sentence after the first one
ENDLESS = (LOOP, "runaway")
ODD = (*ENDLESS, "illegal")  # what is no answer of a question's own


def say(question: Question, value: Any) -> str:
    if value == NOT_AS_CHOSEN:
        return "no"
    return question.said(value) if isinstance(question, Order) and isinstance(value, tuple) else str(value)


def either_of(question: Question, values: list[str]) -> str:
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


def value_in_words(value: str) -> str:
    if value in ENDLESS:
        return Message("play loops forever")
    return Message("one of the moves given is not legal") if value == "illegal" else _WORDS.get(value, value)


_WORDS = {"yes": YES, "no": NO}


def because(question: Question, reason: str) -> str:
    return Message("{claim}: {reason}.", claim=question.claim("no"), reason=reason)


def because_of_each(question: Question, decision: Json, reasons: list[tuple[str, str]]) -> str:
    """(option, reason): why not, where that hangs on a decision."""
    branches = [{"option": option, "answer": reason} for option, reason in reasons]
    no = Message("{claim}.", claim=question.claim("no"))
    return sentences([no, _choice({**decision, "branches": branches}, opens=True)])


def missing_fact(fact: str) -> Json:
    """A number that nobody told, as what the answer hangs on; what follows from each value cannot be listed."""
    return {
        "who": DECIDERS["facts"],
        "decider": "facts",
        "decision": fact,
        "cites": [],
        "unknown": True,
        "branches": [],
    }


def status_of(decisions: list[Json]) -> str:
    return "insufficient" if any(d["decider"] == "facts" and d["unknown"] for d in decisions) else "depends"


def depends_sentence(question: Question, values: list[str], decisions: list[Json]) -> str:
    options = either_of(question, [value_in_words(value) for value in values])
    if not decisions:
        text = "{question} {options}, depending on the line of play."
        return Message(text, question=question.text, options=options)
    first = decisions[0]
    if first["decider"] == "facts":
        cases = clauses(
            Message("{answer} if {option}", answer=value_in_words(b["answer"]), option=b["option"])
            for b in first["branches"]
        )
        depends = Message("It depends on a disputed or unknown fact: {cases}.", cases=cases)
        return sentences([question.text, depends])
    told = [value for value in values if value != "illegal"]
    if len(told) == 1 and len(values) == 2 and first["decider"] == "player":
        sure = Message("{^answer}, if the moves can be made as given.", answer=value_in_words(told[0]))
        return sentences([question.text, sure, _choice(first, opens=True)])
    return sentences([question.text, _choice(first, opens=True)])


def _choice(decision: Json, *, opens: bool = False) -> str:
    """Who decides what, and what follows from each option; opens: at the beginning of a sentence."""
    branches = clauses(
        Message("{option}: {answer}", option=b["option"], answer=value_in_words(b["answer"]))
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


def after_that(decisions: list[Json]) -> list[str]:
    """Who decides what next, after which options."""
    found: list[str] = []
    for decision in decisions:
        last = decision["after"][-1]
        text = "If {option}, {choice}." if last["who"] == DECIDERS["facts"] else "After “{option}”, {choice}."
        found.append(Message(text, option=last["option"], choice=_choice(decision)))
    return found[:MAX_FURTHER]


def loop_sentence(circles: list[Json]) -> list[str]:
    if not circles:
        return []
    first = circles[0]
    change = clauses(step["text"] for step in first["change"]) or Message("nothing changes")
    text = "There is a loop ({holders}; each cycle: {change})."
    if first["ending"]:
        text = "There is a loop ({holders}; each cycle: {change}): {ending}."
    return [Message(text, holders=both(first["holders"]), change=change, ending=first["ending"])]
