"""When a permission holds: now or only later, and whether passing gives it away."""

from typing import Any

from rules.engine.answers.telling import describe
from rules.engine.base.messages import Message, sentences
from rules.engine.scene.scene import Scene
from rules.engine.search.graph import UNEXPLORED, Graph, Node

Json = dict[str, Any]
YES = "yes"


def occasions(scene: Scene, graph: Graph, number: int) -> Json:
    """When the move that question `number` asks about may be made, on the lines on which it may.

    now: at the first thing decided after the moves, on every line. first: else what is decided before, in words.
    again: if it is not made at its first opportunity, does another come before play stops: never, sometimes, always?
    unknown: that was not explored.
    """
    opened = _first(graph.root, number)
    offering = [node for node in opened if _offered(node, number)]
    others = [node for node in opened if node.decision and not _offered(node, number)]
    before = next((node for node in others if _next_offering([node], number)), None)
    opportunities = offering or _next_offering(opened, number)
    again = _again([after for node in opportunities for after in _after_passing(node, number)])
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


def at_once(graph: Graph, number: int) -> bool:
    """May the move be one that is made at the first thing decided after the moves, on some line?"""
    opened = _first(graph.root, number)
    return any(node.end == UNEXPLORED or _offered(node, number) for node in opened)


def stops_at_once(graph: Graph, number: int) -> bool:
    """Is nothing else to be decided after the moves than what the next player does?"""
    return all(node.end for node in _first(graph.root, number))


def _again(passing: list[Any]) -> str:
    """passing: what question `number` answers on each line on which the move was let go by."""
    known = {value == YES for value in passing if value != UNEXPLORED}
    if len(known) > 1:
        return "sometimes"
    if UNEXPLORED in passing:
        return "unknown"
    return "always" if all(known) else "never"


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
    return bool(node.seen) and node.seen[number] is True


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


def _after_passing(node: Node, number: int) -> list[Any]:
    """What the question answers where this opportunity is let go by passing. Of every line; empty: nobody passes."""
    for index, child, _ in node.edges:
        if node.decision is not None and node.decision.options[index] is None:
            return [outcome[number] for outcome in (child.back or child).outcomes]
    return []
