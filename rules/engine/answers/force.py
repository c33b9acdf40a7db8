"""What one player can make sure of, whatever everybody else decides."""

import itertools
import math
from collections.abc import Mapping
from typing import Any

from rules.engine.answers.sentences import depends_sentence, either_of, status_of, value_in_words
from rules.engine.answers.telling import describe, option_words
from rules.engine.base.messages import Message, sentences
from rules.engine.definitions.values import Obj
from rules.engine.search.graph import UNEXPLORED, Graph, Node, nodes
from rules.engine.search.questions.holds import Force
from rules.engine.search.questions.question import is_untold

Json = dict[str, Any]
MAX_WORLDS = 256  # ways in which open facts and readings can be, each looked at by itself
NOBODYS = ("facts", "rules")  # what is so or not, and no move of anybody's


def answer_force(i: int, question: Force, graph: Graph, *, well: bool = False) -> Json:
    """A fact is what it is, and a rule is read one way, however they play: each value of what is disputed or unknown,
    and each reading that is open, is looked at by itself. well: is a line taken to end well that was not explored, or
    ends where something is not told?"""
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
                    "answer": either_of(question, [value_in_words(one) for one in own]),
                    "open": len(own) > 1,
                }
            )
        depends.append(describe(question.scene, node.decision) | {"after": [], "branches": branches})
    return {
        "status": status_of(depends),
        "answer": None,
        "depends": depends,
        "sentence": depends_sentence(question, ["no", "yes"], depends),
    }


def forced_anyhow(i: int, question: Force, graph: Graph) -> Json | None:
    """The answer that is the same whether lines whose end is not known turn out well or badly; None: there is none."""
    found = answer_force(i, question, graph, well=False)
    if found["answer"] != "yes":
        found = answer_force(i, question, graph, well=True)
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
    well: is a line whose end is not known a yes?
    """
    found = list(nodes(root))
    won: set[int] = set()

    def ends_well(node: Node) -> bool:
        return all(outcome[i] == "yes" or (well and is_untold(outcome[i])) for outcome in node.outcomes)

    if root.end:
        return ends_well(root)

    def good(child: Node) -> bool:
        target = child.back or child
        if target.end == UNEXPLORED:
            return well
        if target.end:
            return ends_well(target)
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
