"""From the graph of all lines to an answer with its reasons (field names: docs/answers.md).

The answer's status is never a guess: determined, depends, insufficient, not-modelled, loop, undecided.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rules.engine.errors import BudgetExceeded, Unworkable
from rules.engine.explore import LOOP, Explorer, Graph, Node
from rules.engine.questions import Chosen, Force, Holds, Legal, Order, Question, is_untold, questions_of
from rules.engine.records import Obj
from rules.engine.replay import Replay
from rules.engine.scene import Scene
from rules.engine.splitting import Merger, Partial
from rules.engine.telling import describe, describe_loop, option_words, reading_key

Json = dict[str, Any]
MAX_MATERIAL = 6
MAX_LOOPS = 5
ENDLESS = (LOOP, "runaway")
_ODD = (*ENDLESS, "illegal")  # what is no answer of a question's own

STATUS_ORDER = ("not-modelled", "undecided", "loop", "insufficient", "depends", "determined")


def answer(
    scene: Scene,
    *,
    budget: int,
    progress: Callable[[int], None] | None = None,
    fault: Callable[[Unworkable], None] | None = None,
    partials: Iterable[Partial] = (),
) -> Json:
    """Explore every legal line and answer the scenario's questions. Pure; deterministic to the byte.

    partials: what was found out about parts of it elsewhere (`splitting.explore_part`).
    fault: told of what could not be worked out, with its cause: it may be the engine's mistake.
    """
    questions = questions_of(scene)
    known = list(partials)
    explorer = (
        Merger(scene, questions, known, budget=budget, progress=progress)
        if known
        else Explorer(scene, questions, budget=budget, progress=progress)
    )
    graph, stopped = _explored(explorer, fault)
    positions = graph.positions if graph else budget if stopped[0] == "undecided" else None
    replay = Replay(scene, questions, unfit=graph is not None and graph.root.end == "illegal")
    answers = []
    for i, question in enumerate(questions):
        if isinstance(question, Chosen) and not replay.illegal:
            made = question.made()
            explorer = Explorer(made.scene, [made], budget=budget, progress=progress)
            answers.append(_answer_made(made, *_explored(explorer, fault)))
        else:
            answers.append(
                _answer_question(i, question, graph, replay) if graph else _unanswered(question, *stopped)
            )
    # Whether it is legal may itself be what the facts or a choice leave open: then the answers say so.
    illegal = "" if any(answer["depends"] for answer in answers) else replay.illegal_sentence()
    circles = [describe_loop(scene, loop) for loop in (graph.loops if graph else [])[:MAX_LOOPS]]
    status = min((a["status"] for a in answers), key=STATUS_ORDER.index, default="determined")
    result = {
        "status": status,
        "sentence": illegal or " ".join([*(a["sentence"] for a in answers), *_loop_sentence(circles)]),
        "questions": answers,
        "loops": circles,
        "assumptions": _assumptions(scene, graph, questions),
        "counts": {
            "lines": graph.lines if graph else None,
            "positions": positions,
            "ends": graph.ends if graph else None,
        },
        "system": {
            "key": scene.system.key,
            "version": scene.system.version,
            "title": scene.system.title,
            "hash": scene.system.hash,
        },
        "trace": replay.steps,
    }
    result["rules"] = _cited(scene, result)
    return result


def _explored(
    explorer: Explorer, fault: Callable[[Unworkable], None] | None
) -> tuple[Graph | None, tuple[str, str]]:
    """The graph; or the status without one, and why."""
    try:
        return explorer.explore(), ("", "")
    except BudgetExceeded:
        return None, ("undecided", "Not decided within the budget of positions.")
    except Unworkable as found:
        if fault is not None:
            fault(found)
        return None, ("not-modelled", f"Not answered, because {found}.")


# --- one question -------------------------------------------------------------------------------------


def _unanswered(question: Question, status: str, why: str) -> Json:
    return {
        "kind": question.kind,
        "text": question.text,
        "status": status,
        "answer": None,
        "sentence": f"{question.text} {why}",
        "depends": [],
        "why_not": [],
    }


def _answer_question(i: int, question: Question, graph: Graph, replay: "Replay") -> Json:
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
        found["depends"] = [_missing(fact) for _, fact, _ in missing]
        facts = "; ".join(f"{fact}, say it at {place}" for _, fact, place in missing)
        found["sentence"] = f"{question.text} It hangs on what nobody told ({facts})."
        return found
    if isinstance(question, Force):
        value = "yes" if forced(graph.root, i, question.who) else "no"
        found |= {"answer": value, "sentence": question.sentence(value)}
        return found
    values = sorted({say(question, outcome[i]) for outcome in graph.outcomes})
    values = [value for value in values if value not in ENDLESS]
    if not values:
        found |= {"status": "loop", "answer": None}
        found["sentence"] = f"{question.text} The line of play goes round for ever."
        return found
    if len(values) == 1:
        found |= {"answer": values[0], "sentence": question.sentence(values[0])}
        if values[0] == "illegal":
            found["sentence"] = f"{question.text} Not answered: a move that was told is not legal."
    else:
        found["answer"] = None
        found["depends"] = material(i, question, graph.root)
        found["status"] = _status_of(found["depends"])
        found["sentence"] = _depends_sentence(question, values, found["depends"]) + _after_that(
            i, question, graph.root
        )
    if isinstance(question, Holds) and values == ["no"] and (instead := question.instead(replay.machine)):
        told = f": {instead}" if graph.ends == 1 else f" (in the line that is told, {instead})"
        found["sentence"] = f"{found['sentence'][:-1]}{told}."
    told_legal = "yes" in values and isinstance(question, Legal) and question.done  # in the line that is told
    if isinstance(question, Legal) and values != ["yes"] and not told_legal:
        reason = replay.why_not(question)
        found["why_not"] = [reason]
        if values == ["no"]:
            found["sentence"] = f"{question.sentence('no')[:-1]}: {reason['reason']}."
    return found


def _answer_made(question: Chosen, graph: Graph | None, stopped: tuple[str, str]) -> Json:
    """Of choices that were made to see whether they can be: as the line went, or why it went no further."""
    if graph is None:
        return _unanswered(question, *stopped)
    replay = Replay(question.scene, [question], unfit=graph.root.end == "illegal")
    found = _answer_question(0, question, graph, replay)
    if found["answer"] == "no" and replay.illegal is not None:
        why = {key: replay.illegal[key] for key in ("reason", "cites")}
        found["why_not"] = [{"move": question.what, **why}]
        found["sentence"] = f"{question.sentence('no')[:-1]}: {why['reason']}."
    return found


def _missing(fact: str) -> Json:
    """A number that nobody told, as what the answer hangs on; what follows from each value cannot be listed."""
    return {
        "who": "the facts",
        "decider": "facts",
        "decision": fact,
        "cites": [],
        "unknown": True,
        "branches": [],
    }


def say(question: Question, value: Any) -> str:
    if isinstance(question, Order):
        return ", then ".join(question.label(card) for card in value) or "none of them is used"
    return str(value)


def _either(question: Question, values: list[str]) -> str:
    """Several values as the alternatives of one sentence."""
    if not isinstance(question, Order) or len(values) < 2:
        return " or ".join(values)
    alone = {question.label(card) for card in question.cards}
    told = [f"only {value}" if value in alone else value.replace(", then ", " then ") for value in values]
    return ", or ".join(told)


def _status_of(decisions: list[Json]) -> str:
    return "insufficient" if any(d["decider"] == "facts" and d["unknown"] for d in decisions) else "depends"


def _in_words(value: str) -> str:
    if value in ENDLESS:
        return "play goes round for ever"
    return "a move that was told is not legal" if value == "illegal" else value


def _depends_sentence(question: Question, values: list[str], decisions: list[Json]) -> str:
    options = _either(question, [_in_words(value) for value in values])
    if not decisions:
        return f"{question.text} {options}, depending on the line of play."
    first = decisions[0]
    if first["decider"] == "facts":
        cases = "; ".join(f"{_in_words(b['answer'])} if {b['option']}" for b in first["branches"])
        return f"{question.text} It depends on a fact that is not settled: {cases}."
    told = [value for value in values if value != "illegal"]
    if len(told) == 1 and len(values) == 2 and first["decider"] == "player":
        sure = f"{told[0][:1].upper()}{told[0][1:]}, if the moves could be made as told; that"
        return f"{question.text} {sure} depends on {_choice(first)}."
    return f"{question.text} It depends on {_choice(first)}."


def _choice(decision: Json) -> str:
    """Whose choice it is, and what follows from each option; a fact, as one that is not settled."""
    branches = "; ".join(f"{b['option']}: {_in_words(b['answer'])}" for b in decision["branches"])
    whose = {
        "player": f"{decision['who']}'s choice",
        "chance": "chance",
        "rules": "how the rules are read",
        "facts": "a fact that is not settled",
    }[decision["decider"]]
    return f"{whose} ({decision['decision']}): {branches}"


def _after_that(i: int, question: Question, root: Node) -> str:
    """What it hangs on next, after the first option of the first decision that leaves it open."""
    for node in nodes(root):
        below = [
            (index, child, _below(i, question, node, child, marks)) for index, child, marks in node.edges
        ]
        if node.decision is None or len({tuple(values) for _, _, values in below}) < 2:
            continue
        for index, child, values in below:
            further = material(i, question, child)[:1] if len(values) > 1 else []
            if further:
                option = option_words(question.scene, node.decision, node.decision.options[index])
                then = f"If {option}, it" if node.decision.who == "facts" else f"After “{option}” it"
                return f" {then} depends on {_choice(further[0])}."
        return ""
    return ""


def _below(i: int, question: Question, node: Node, child: Node, marks: tuple[str, ...]) -> list[str]:
    return sorted({say(question, question.fold(o[i], marks, node.seen[i])) for o in child.outcomes})


def nodes(root: Node) -> Iterator[Node]:
    """Every node with a decision below `root`, each once, nearest first."""
    seen = {id(root)}
    queue = [root]
    while queue:
        node = queue.pop(0)
        if node.decision is not None and not node.end:
            yield node
        for _, child, _ in node.edges:
            if id(child) not in seen:
                seen.add(id(child))
                queue.append(child)


def marks_before(root: Node) -> dict[int, tuple[str, ...]]:
    """What was used on the shortest way to each node."""
    found: dict[int, tuple[str, ...]] = {id(root): ()}
    for node in nodes(root):
        for _, child, marks in node.edges:
            found.setdefault(id(child), (*found[id(node)], *marks))
    return found


def material(i: int, question: Question, root: Node) -> list[Json]:
    """The decisions that matter: those below whose options the answers differ."""
    found: list[Json] = []
    described = set()
    earlier = marks_before(root) if isinstance(question, Order) else {}
    for node in nodes(root):
        if len(node.edges) < 2 or node.decision is None:
            continue
        branches = []
        for index, child, marks in node.edges:
            told = (*earlier.get(id(node), ()), *marks)
            below = sorted({say(question, question.fold(o[i], told, node.seen[i])) for o in child.outcomes})
            branches.append((node.decision.options[index], below))
        if len({tuple(below) for _, below in branches}) < 2:
            continue
        decision = describe(question.scene, node.decision)
        key = (decision["who"], decision["decision"])
        if key in described:
            continue
        described.add(key)
        decision["branches"] = [
            {
                "option": option_words(question.scene, node.decision, option),
                "answer": _either(question, [_in_words(v) for v in sorted(below, key=_ODD.__contains__)]),
            }
            for option, below in branches
        ]
        found.append(decision)
        if len(found) >= MAX_MATERIAL:
            break
    return found


def _loop_sentence(circles: list[Json]) -> list[str]:
    if not circles:
        return []
    first = circles[0]
    change = "; ".join(step["text"] for step in first["change"]) or "nothing changes"
    ending = f": {first['ending']}" if first["ending"] else ""
    return [f"There is a loop ({' and '.join(first['holders'])}; each cycle: {change}){ending}."]


def forced(root: Node, i: int, who: str) -> bool:
    """Can `who` make sure that question `i` ends with yes, whatever everybody else decides?

    An and/or search: the asker's decisions need one good option, everybody else's (opponents, chance, open
    readings and facts) must all be good. A line that goes round for ever is not a yes.
    """
    found = list(nodes(root))
    won: set[int] = set()
    if root.end:
        return all(outcome[i] == "yes" for outcome in root.outcomes)

    def good(child: Node) -> bool:
        target = child.back or child
        if target.end:
            return all(outcome[i] == "yes" for outcome in target.outcomes)
        return id(target) in won

    changed = True
    while changed:  # from the ends upwards: what is never reached so, because play goes round, is not won
        changed = False
        for node in reversed(found):
            if id(node) in won or node.decision is None:
                continue
            below = [good(child) for _, child, _ in node.edges]
            mine = isinstance(node.decision.who, Obj) and node.decision.who.id == who
            if any(below) if mine else all(below):
                won.add(id(node))
                changed = True
    return id(root) in won


# --- assumptions and citations ------------------------------------------------------------------------


def _assumptions(scene: Scene, graph: Graph | None, questions: list[Question]) -> list[Json]:
    """Readings that some line consulted, then facts that nobody stated."""
    asked: dict[str, bool] = {}
    if graph is not None:
        for node in nodes(graph.root):
            if node.decision is not None and node.decision.who == "rules" and len(node.edges) > 1:
                key = reading_key(scene, node.decision)
                below = {frozenset(child.outcomes) for _, child, _ in node.edges}
                asked[key] = asked.get(key, False) or len(below) > 1
    found = []
    pinned = scene.scenario.get("pinned", {})
    for key, reading in scene.system.readings.items():
        if key not in scene.touched and key not in pinned:
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
                "material": asked.get(key, False),
            }
        )
    for card in scene.cards:
        if "zone" not in scene.scenario["cards"][card.id]:
            found.append(
                {
                    "id": f"{card.id}.zone",
                    "kind": "default",
                    "text": f"Where is {card.label}?",
                    "value": "play",
                    "explored": False,
                    "options": [{"id": zone, "text": zone} for zone in scene.system.zones],
                    "status": "default",
                    "cites": [],
                    "note": "The scenario does not say.",
                    "material": False,
                }
            )
    return found


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
