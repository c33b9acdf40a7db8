"""Facts and conditions as a person would say them."""

import re
from typing import Any

from rules.engine.base.errors import FAULTS, Need, Untold
from rules.engine.base.messages import Message, both, denied, listed, named
from rules.engine.base.names import LETTERS_AND_DIGITS, NAME
from rules.engine.definitions.model import Property
from rules.engine.definitions.phrases import fact_is
from rules.engine.machine.interpreter import Machine
from rules.engine.machine.unmet import fact_in_words
from rules.engine.scene.scene import Scene

MAX_FACTS = 4


def _property(scene: Scene, name: str) -> Property | None:
    """A property by its name, or by that of the derived value that a question means by it."""
    asked = next((prop for prop, derived in scene.system.asked.items() if derived == name), name)
    return scene.system.properties.get(asked)


_FACT = re.compile(rf"(?<![\w.'-])({NAME})\.({NAME})(?![\w.'(-])")


def as_it_is(scene: Scene, m: Machine, condition: str) -> str:
    """The facts of cards and players that a condition speaks of, as they are in this position; empty if there are none,
    or more than one could take in."""
    named_there = list(dict.fromkeys(_FACT.findall(str(condition))))
    if not 1 <= len(named_there) <= MAX_FACTS:
        return ""
    said = []
    for who, name in named_there:
        obj, prop = scene.objects.get(who), _property(scene, name)
        if obj is None or prop is None:
            return ""
        if prop.type == "yes-no" and len(named_there) == 1:
            return ""  # that it is not so says it all
        try:
            value = scene.expression(f"{who}.{name}", "ask")(m, ())
        except (Need, Untold, *FAULTS):
            return ""
        said.append(fact_in_words(scene, obj, prop, value))
    return listed(said)


_SAID = re.compile(
    rf"(?<![+*-] )\b({NAME})\.({NAME}) (!=|<=|>=|=|<|>) ([{LETTERS_AND_DIGITS}-]+)(?![\w.'(-]| [+*-] )"
)
_THAN = {"=": "", "!=": "", "<=": "at most ", ">=": "at least ", "<": "less than ", ">": "more than "}


_YES_NO = re.compile(rf"(?<!not )\b({NAME})\.({NAME}) *(!=|=) *(yes|no)\b(?![\w.'(-])")


def _without_yes_no(scene: Scene, expression: str) -> str:
    """`gun.exhausted = no` as `not gun.exhausted`."""

    def said(match: re.Match[str]) -> str:
        prop = _property(scene, match[2])
        if match[1] not in scene.objects or prop is None or prop.type != "yes-no":
            return match[0]
        so = (match[3] == "=") == (match[4] == "yes")
        return f"{'' if so else 'not '}{match[1]}.{match[2]}"

    return _YES_NO.sub(said, str(expression))


def in_words(scene: Scene, expression: str) -> str:
    """An expression as a person would say it: `researcher.zone = 'discard'` -> Field Researcher's zone is discard;
    where the system says how to speak of a property: `ghoul.engaged = ann` -> Ghoul is engaged with Ann."""

    def said(match: re.Match[str]) -> str:
        obj, prop = scene.objects.get(match[1]), _property(scene, match[2])
        if obj is None or prop is None or not prop.says:
            return match[0]
        other = scene.objects.get(match[4])
        value = _THAN[match[3]] + (other.label if other else match[4])
        template = denied(prop.says) if match[3] == "!=" else prop.says
        return named(template, {"it": obj, "value": int(value) if value.isdigit() else value})

    def owner(match: re.Match[str]) -> str:
        obj = scene.objects.get(match[2])
        prop, negated = _property(scene, match[3]), match[1] or ""
        says = scene.system.derived_says.get(match[3], "") if prop is None else prop.says
        yes_no = (
            prop.type == "yes-no"
            if prop is not None
            else scene.system.derived.get(match[3], ("", ""))[1] == "yes-no"
        )
        if obj and yes_no and says:
            return named(denied(says) if negated else says, {"it": obj})
        if obj and yes_no:
            return f"{obj.label} is {negated}{match[3]}"
        return f"{negated}{obj.label if obj else match[2]}'s {match[3]}"

    text = _SAID.sub(said, _without_yes_no(scene, expression))
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


_AND = re.compile(r" and ")
_ONE_FACT = re.compile(
    rf"(?P<no>not )?(?P<who>{NAME})\.(?P<what>{NAME})"
    rf"(?: *(?P<than>!=|<=|>=|=|<|>) *(?P<quote>'?)(?P<value>[{LETTERS_AND_DIGITS}-]+)(?P=quote))?"
)
_COMPARED = {
    "=": "{it}'s {property} is {value}",
    "!=": "{it}'s {property} is not {value}",
    "<=": "{it}'s {property} is at most {value}",
    ">=": "{it}'s {property} is at least {value}",
    "<": "{it}'s {property} is less than {value}",
    ">": "{it}'s {property} is more than {value}",
}
_SAID_OF = {
    "<=": "at most {value}",
    ">=": "at least {value}",
    "<": "less than {value}",
    ">": "more than {value}",
}


def condition_in_words(scene: Scene, condition: str) -> str:
    """As `in_words`, by facts each of which is a message of its own, where the condition says no more than those."""
    plain = in_words(scene, condition)
    parts = [_one_fact(scene, part) for part in _AND.split(_without_yes_no(scene, condition))]
    if any(part is None for part in parts):
        return plain
    said = both(part for part in parts if part is not None)
    return said if said == plain else plain


def _one_fact(scene: Scene, text: str) -> str | None:
    match = _ONE_FACT.fullmatch(text.strip())
    obj, prop = (scene.objects.get(match["who"]), _property(scene, match["what"])) if match else (None, None)
    if match is None or obj is None or prop is None:
        return None
    than, denies = match["than"], match["no"]
    if not than:
        if prop.type != "yes-no":
            return None
        return fact_in_words(scene, obj, prop, not denies)
    if denies:
        return None
    if prop.name == "zone" and than in ("=", "!="):
        zone = scene.system.zone_names.get(match["value"], match["value"])
        return fact_is(obj, zone, so=than == "=")
    other = scene.objects.get(match["value"])
    value: Any = other.label if other else match["value"]
    value = int(value) if value.isdigit() else value
    if isinstance(value, str) and not other:
        value = scene.system.word(value)
    if not prop.says:
        return Message(_COMPARED[than], it=obj, property=scene.system.word(prop.name), value=value)
    template = denied(prop.says) if than == "!=" else prop.says
    if than in _SAID_OF:
        value = Message(_SAID_OF[than], value=value)
    return named(template, {"it": obj, "value": value})
