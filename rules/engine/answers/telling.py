"""Decisions, their options and cycles of play, as people call them."""

from typing import Any

from rules.engine.base.messages import Message, either
from rules.engine.definitions.values import Candidate, Decision, Obj
from rules.engine.machine.trace import DECIDERS, option_text
from rules.engine.machine.unmet import fact_in_words
from rules.engine.scene.scene import Scene
from rules.engine.search.graph import Loop

Json = dict[str, Any]


def with_article(words: str) -> str:
    return (
        Message("an {kind}", kind=words) if words[:1].lower() in "aeiou" else Message("a {kind}", kind=words)
    )


def describe(scene: Scene, decision: Decision) -> Json:
    """Whose decision it is and what it is about, in words."""
    if isinstance(decision.who, Obj):
        kinds = decision.subject if isinstance(decision.subject, tuple) else ()
        offered = [o.ability.kind.title for o in decision.options if isinstance(o, Candidate)]
        titles = either(dict.fromkeys(offered or [scene.system.ability_kinds[k].title for k in kinds]))
        subject = decision.subject if isinstance(decision.subject, str) else ""
        what = {
            "use": lambda: Message("whether to use {kinds}", kinds=with_article(titles)),
            "order": lambda: (
                Message("which {kinds} comes next", kinds=titles) if titles else Message("which comes next")
            ),
            "target": lambda: Message("the choice of “{choice}”", choice=scene.system.word(subject)),
            "choose": lambda: Message("the choice of “{choice}”", choice=scene.system.word(subject)),
            "may": lambda: Message("whether to {do}", do=decision.subject),
            "one-of": lambda: Message("which option to take"),
        }[decision.kind]()
        return {
            "who": decision.who.label,
            "decider": "player",
            "decision": what,
            "cites": list(decision.cites),
            "unknown": False,
        }
    if decision.who == "rules":
        key = reading_key(scene, decision)
        reading = scene.system.readings[key]
        return {
            "who": DECIDERS["rules"],
            "decider": "rules",
            "decision": reading.ask,
            "cites": list(reading.cites),
            "unknown": False,
        }
    if decision.who == "facts":
        obj, prop = fact(scene, decision.subject)
        unknown = getattr(scene.facts[decision.subject], "why", "") == "unknown"
        return {
            "who": DECIDERS["facts"],
            "decider": "facts",
            "decision": Message("{it}: {property}", it=obj, property=scene.system.word(prop)),
            "cites": [],
            "unknown": unknown,
        }
    return {
        "who": DECIDERS["chance"],
        "decider": "chance",
        "decision": Message("how it turns out") if decision.subject is None else str(decision.subject),
        "cites": list(decision.cites),
        "unknown": False,
    }


def option_words(scene: Scene, decision: Decision, option: Any) -> str:
    """An option as people call it; of a reading, what it says; of a fact, that it is so."""
    if decision.who == "rules":
        return scene.system.readings[reading_key(scene, decision)].options[option]
    if decision.who == "facts":
        obj, name = fact(scene, decision.subject)
        return fact_in_words(scene, obj, scene.system.properties[name], option)
    return option_text(option)


def reading_key(scene: Scene, decision: Decision) -> str:
    """The reading that a decision of the rules is about."""
    return next(key for key, slot in scene.reading_slots.items() if slot == decision.subject)


def fact(scene: Scene, slot: int) -> tuple[Obj, str]:
    """Whose fact stands at a slot, and its name."""
    width = scene.system.width
    obj = next(o for o in scene.objects.values() if o.base <= slot < o.base + width)
    return obj, next(p.name for p in scene.system.properties.values() if p.slot == slot - obj.base)


def describe_loop(scene: Scene, loop: Loop) -> Json:
    """One whole cycle, and its net change."""
    cycle = []
    for node, index in loop.path:
        assert node.decision is not None
        about = describe(scene, node.decision)
        cycle.append(
            {"who": about["who"], "text": option_words(scene, node.decision, node.decision.options[index])}
        )
    seats = [player.id for player in scene.players]
    holders = {step["who"] for step in cycle}
    return {
        "cycle": cycle,
        "change": changes(scene, loop.change),
        "holders": [*(who for who in seats if who in holders), *sorted(holders.difference(seats))],
        "ending": loop.ending,
        "cites": list(loop.cites),
    }


def changes(scene: Scene, change: tuple[tuple[int, int], ...], times: int = 1) -> list[Json]:
    """What so many cycles add to which numbers; that a card left and came back stands in the cycle itself."""
    facts = [(*fact(scene, slot), amount * times) for slot, amount in change if times]
    return [
        {
            "text": Message(
                "{it}: {property} {change}", it=o, property=scene.system.word(name), change=f"{amount:+,}"
            )
        }
        for o, name, amount in facts
        if name != "incarnation"
    ]
