"""When a permission holds: now or only later, and whether passing gives it away."""

from typing import Any

from rules.engine.answers.telling import describe
from rules.engine.base.messages import Message, sentences
from rules.engine.scene.scene import Scene
from rules.engine.search.graph import Graph, Node

Json = dict[str, Any]
YES = "yes"


def occasions(scene: Scene, graph: Graph, number: int) -> Json:
    """When the move that question `number` asks about may be made, on the lines on which it may.

    now: at the first thing decided after the moves, on every line. first: else what is decided before, in words.
    again: if it is not made at its first opportunity, does another come before play stops: never, sometimes, always?
    """
    opened = _first(graph.root, number)
    offering = [node for node in opened if _offered(node, number)]
    before = next((node for node in opened if not _offered(node, number) and node.decision), None)
    opportunities = offering or _next_offering(opened, number)
    passing = [after for node in opportunities for after in _after_passing(node, number)]
    again = "always" if all(passing) else "sometimes" if any(passing) else "never"
    first = ""
    if before is not None and before.decision is not None:
        decision = describe(scene, before.decision)
        text = (
            "{decider} decides first ({what})"
            if decision["decider"] != "player"
            else "{who} decides first ({what})"
        )
        first = Message(text, who=decision["who"], decider=decision["who"], what=decision["decision"])
    return {"now": before is None and bool(offering), "first": first, "again": again}


def in_words(who: str, when: Json) -> str:
    """What a person has to know beside that it may be done; empty when it is plain."""
    later = Message("Not at once: {first}.", first=when["first"]) if when["first"] else ""
    gone = Message("The chance is gone once {who} passes.", who=who) if when["again"] == "never" else ""
    return sentences([later, gone])


def _first(root: Node, number: int) -> list[Node]:
    """The nodes of the first decisions after the moves, and ends that come before any."""
    found: list[Node] = []
    waiting, met = [root], {id(root)}
    while waiting:
        node = waiting.pop(0)
        if node.end or (node.seen and node.seen[number] is not None):
            found.append(node)
            continue
        for _, child, _ in node.edges:
            if id(child) not in met and child.back is None:
                met.add(id(child))
                waiting.append(child)
    return found


def _offered(node: Node, number: int) -> bool:
    if node.end:
        return any(outcome[number] == YES for outcome in node.outcomes)
    return bool(node.seen and node.seen[number])


def _next_offering(opened: list[Node], number: int) -> list[Node]:
    """The first nodes on the way at which it is offered."""
    found: list[Node] = []
    waiting, met = list(opened), {id(node) for node in opened}
    while waiting:
        node = waiting.pop(0)
        if _offered(node, number):
            found.append(node)
            continue
        for _, child, _ in node.edges:
            if id(child) not in met and child.back is None:
                met.add(id(child))
                waiting.append(child)
    return found


def _after_passing(node: Node, number: int) -> list[bool]:
    """Is it offered once more where this opportunity is let go by passing? Of every line; empty: nobody passes here."""
    for index, child, _ in node.edges:
        if node.decision is not None and node.decision.options[index] is None:
            return [outcome[number] == YES for outcome in (child.back or child).outcomes]
    return []
