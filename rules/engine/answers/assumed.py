"""What an answer takes for granted, and the law behind it."""

from contextlib import suppress
from typing import Any

from rules.engine.answers.telling import fact, reading_key
from rules.engine.base.errors import Unworkable
from rules.engine.base.messages import Message, clauses, listed, sentences
from rules.engine.definitions.model import TOLD_PASSES, System
from rules.engine.machine.interpreter import Machine
from rules.engine.machine.unmet import fact_in_words
from rules.engine.scene.scene import Scene
from rules.engine.search.graph import Graph, nodes
from rules.engine.search.questions.legal import Legal
from rules.engine.search.questions.question import Question

Json = dict[str, Any]


def assumptions(scene: Scene, graph: Graph | None, answers: list[Json]) -> list[Json]:
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


def tell_lapsed(scene: Scene, answers: list[Json]) -> None:
    """Say in the first answer which choices were told and never came up: nothing that is told is dropped in silence."""
    for (who, _), chosen in scene.lapsed.items() if answers else ():
        cards = listed(scene.objects[one].label for one in ([chosen] if isinstance(chosen, str) else chosen))
        text = "{who} does not get to choose {cards}, because what asks for that is not carried out."
        said = Message(text, who=scene.objects[who], cards=cards)
        answers[0]["sentence"] = sentences([answers[0]["sentence"], said])


def taken_for_granted(scene: Scene, questions: list[Question], answers: list[Json]) -> list[Json]:
    """What uses ask for that nobody spoke of, and what procedures took to be so, as assumptions; each is said in the
    first answer that hangs on it."""
    _look_at_what_is_told(scene)
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
        fresh |= {fact: ("play", cites) for fact, cites in scene.granted.items() if fact not in found}
        if not (answered.get("when") or {}).get("now"):  # else nothing that could be read comes before it
            fresh |= {
                fact: ("play", ())
                for slot in sorted(scene.presumed)
                if (fact := _presumed(scene, slot)) not in found
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


def _look_at_what_is_told(scene: Scene) -> None:
    """Note what the system says of a situation that its rules would not have come to (its chart `as-told`)."""
    chart = scene.system.charts.get("as-told")
    if chart is not None:
        machine = Machine(scene)
        machine.enter(chart)
        with suppress(Unworkable):
            machine.run()


def _presumed(scene: Scene, slot: int) -> str:
    """A fact that was taken to be so, in words."""
    obj, name = fact(scene, slot)
    return fact_in_words(scene, obj, scene.system.properties[name], scene.facts[slot].options[0])


def cited(system: System, data: Any) -> Json:
    """The sentence behind every rule id that the data cites: an answer, the steps of a line, rows of a chart."""
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
    law = system.law
    return {
        key: {"text": law[key].says, "document": law[key].document, "section": law[key].section}
        for key in sorted(ids)
        if key in law
    }
