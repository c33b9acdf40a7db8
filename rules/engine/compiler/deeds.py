"""What an ability does with what is chosen for it: by that a verb (“sacrifices Maid”) tells which choice it answers."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

_WORD = re.compile(r"[\w-]+")
# what these do with a card is no occurrence, so no verb tells of it
_NO_DEED = frozenset({"lasting", "grant", "forbid", "look", "note", "lacking", "assumed", "pay"})
_BLOCKS = ("then", "else", "do", "may", "with")  # lists of instructions within one


class _Unclear(Exception):
    """Something is done with it that may be anything."""


def deeds_of(
    data: Mapping[str, Any], chosen: Iterable[str], vocabulary: Mapping[str, Any]
) -> dict[str, frozenset[str]]:
    """The kinds of occurrence that befall what is chosen, by the name of the choice; without those of which it can't be
    told from the ability's words. vocabulary: the system's, as its file has it."""
    found = {}
    for name in chosen:
        try:
            blocks = [data.get("cost"), data.get("do"), *data.get("parts", ())]
            kinds = [kind for block in blocks for kind in _deeds(block, frozenset({name}), vocabulary)]
        except _Unclear:
            continue
        found[name] = frozenset(kinds)
    return found


def _deeds(block: Any, names: frozenset[str], vocabulary: Mapping[str, Any]) -> list[str]:
    found: list[str] = []
    for step in block if isinstance(block, list) else [block] if isinstance(block, Mapping) else ():
        if not isinstance(step, Mapping):
            continue
        if "do" in step and isinstance(step["do"], str):
            said = {key: value for key, value in step.items() if key not in ("do", *_BLOCKS)}
            if _speaks(said, names):
                found += [step["do"], *_brings(step["do"], vocabulary)]
            found += _deeds(step.get("then"), names, vocabulary)
            continue
        head = next(iter(step), "")
        if head == "delayed":
            found += _deeds(step["delayed"].get("do"), names, vocabulary)
        elif head in ("one-of", "together"):
            inner = step[head].values() if head == "one-of" else [step[head]]
            found += [kind for one in inner for kind in _deeds(one, names, vocabulary)]
        elif head == "for" or head == "let":  # what is named after it may be it
            said, alias = (step["for"], [step["as"]]) if head == "for" else (step["let"], [*step["let"]])
            names = names.union(alias) if _speaks(said, names) else names
            found += _deeds(step.get("do"), names, vocabulary)
        else:
            inner = [step[key] for key in _BLOCKS if isinstance(step.get(key), list)]
            rest = {key: value for key, value in step.items() if not isinstance(value, list)}
            if head not in (*_NO_DEED, "if", "while", "may", "choose", "then") and _speaks(rest, names):
                raise _Unclear
            found += [kind for one in inner for kind in _deeds(one, names, vocabulary)]
    return found


def _brings(kind: str, vocabulary: Mapping[str, Any], seen: frozenset[str] = frozenset()) -> list[str]:
    """What follows from such an occurrence by the rules. Raises _Unclear."""
    if kind in seen:
        return []
    steps = (vocabulary.get(kind) or {}).get("steps")
    if steps is None:
        return []
    text = str(steps)
    if "'run':" in text:
        raise _Unclear
    further = re.findall(r"'do': '([\w-]+)'", text)
    return [one for do in further for one in (do, *_brings(do, vocabulary, seen | {kind}))]


def _speaks(said: Any, names: frozenset[str]) -> bool:
    return not names.isdisjoint(_WORD.findall(str(said)))
