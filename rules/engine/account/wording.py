"""Facts and conditions as a person would say them."""

import re
from typing import Any

from rules.engine.base.errors import FAULTS, Need, Untold
from rules.engine.base.names import LETTERS_AND_DIGITS, NAME
from rules.engine.base.values import Obj, label, named
from rules.engine.definitions.model import Property
from rules.engine.machine.interpreter import Machine
from rules.engine.scene.scene import Scene

MAX_FACTS = 4


def fact_in_words(scene: Scene, obj: Obj, prop: Property, value: Any) -> str:
    """Samurai is bowed; Ann has 2 resources; Ghoul is in the encounter discard pile."""
    if prop.name == "zone":
        return f"{obj.label} is {scene.system.zone_names.get(value, value)}"
    if prop.type == "yes-no":
        template = prop.says or f"{{it}} is {prop.name}"
        return named(template if value else denied(template), {"it": obj})
    if value is None and prop.type in ("card", "player"):
        return f"{obj.label} has no {prop.name}"
    if prop.says:
        return named(prop.says, {"it": obj, "value": value})
    return f"{obj.label}'s {prop.name} is {label(value)}"


def denied(template: str) -> str:
    """“{it} is bowed” -> “{it} is not bowed”, “{it} has the Imperial Favor” -> “{it} has not the Imperial Favor”."""
    return template.replace(" is ", " is not ", 1).replace(" has ", " has not ", 1)


_FACT = re.compile(rf"(?<![\w.'-])({NAME})\.({NAME})(?![\w.'(-])")


def as_it_is(scene: Scene, m: Machine, condition: str) -> str:
    """The facts of cards and players that a condition speaks of, as they are in this position; empty if there are none,
    or more than one could take in."""
    named_there = list(dict.fromkeys(_FACT.findall(str(condition))))
    if not 1 <= len(named_there) <= MAX_FACTS:
        return ""
    said = []
    for who, name in named_there:
        obj, prop = scene.objects.get(who), scene.system.properties.get(name)
        if obj is None or prop is None:
            return ""
        if prop.type == "yes-no" and len(named_there) == 1:
            return ""  # that it is not so says it all
        try:
            value = scene.expression(f"{who}.{name}", "ask")(m, ())
        except (Need, Untold, *FAULTS):
            return ""
        said.append(fact_in_words(scene, obj, prop, value))
    return ", ".join(said)


_SAID = re.compile(
    rf"(?<![+*-] )\b({NAME})\.({NAME}) (!=|<=|>=|=|<|>) ([{LETTERS_AND_DIGITS}-]+)(?![\w.'(-]| [+*-] )"
)
_THAN = {"=": "", "!=": "", "<=": "at most ", ">=": "at least ", "<": "less than ", ">": "more than "}


def in_words(scene: Scene, expression: str) -> str:
    """An expression as a person would say it: `researcher.zone = 'discard'` -> Field Researcher's zone is discard;
    where the system says how to speak of a property: `ghoul.engaged = ann` -> Ghoul is engaged with Ann."""

    def said(match: re.Match[str]) -> str:
        obj, prop = scene.objects.get(match[1]), scene.system.properties.get(match[2])
        if obj is None or prop is None or not prop.says:
            return match[0]
        other = scene.objects.get(match[4])
        value = _THAN[match[3]] + (other.label if other else match[4])
        template = prop.says
        if match[3] == "!=":
            template = template.replace(" is ", " is not ", 1).replace(" has ", " does not have ", 1)
        return named(template, {"it": obj, "value": int(value) if value.isdigit() else value})

    def owner(match: re.Match[str]) -> str:
        obj = scene.objects.get(match[2])
        prop, negated = scene.system.properties.get(match[3]), match[1] or ""
        if obj and prop is not None and prop.type == "yes-no" and prop.says:
            return named(denied(prop.says) if negated else prop.says, {"it": obj})
        if obj and prop is not None and prop.type == "yes-no":
            return f"{obj.label} is {negated}{match[3]}"
        return f"{negated}{obj.label if obj else match[2]}'s {match[3]}"

    text = _SAID.sub(said, str(expression))
    text = re.sub(rf"\b(not )?({NAME})\.({NAME})", owner, text)
    zones = scene.system.zone_names
    text = re.sub(r"'s zone *= *'([\w-]+)'", lambda match: f" is {zones.get(match[1], match[1])}", text)
    text = re.sub(r"'s zone *!= *'([\w-]+)'", lambda match: f" is not {zones.get(match[1], match[1])}", text)
    comparisons = {"=": "is", "!=": "is not", "<=": "is at most", ">=": "is at least"}
    comparisons |= {"<": "is less than", ">": "is more than"}

    def compared(match: re.Match[str]) -> str:
        obj = scene.objects.get(match[2])
        return f" {comparisons[match[1]]} {obj.label if obj else match[2]}"

    text = re.sub(rf" *(!=|<=|>=|=|<|>) *([{LETTERS_AND_DIGITS}-]*)", compared, text)
    return re.sub(r"(?<= )'([\w -]+)'", r"\1", text)
