"""The live example on the home page: a worked example with one decision and one open reading, each answered both
ways in advance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rules.law.system_files import system
from rules.reference import citations, examples
from rules.scenarios.case_files import Case

SYSTEM, NAME = "coc-ccg", "shotgun-and-researcher"
READING = "clock-moves"
DECISIONS = ("Bo uses researcher", "Bo passes")


@dataclass(frozen=True, slots=True)
class Variant:
    """One answer: which decision and which option of the reading it belongs to (from 0)."""

    did: int
    read: int
    scenario: Mapping[str, Any]
    answer: Mapping[str, Any]


def readings() -> tuple[str, list[str]]:
    """What the open reading asks, and what its options say, as the law has them."""
    found = system(SYSTEM).readings[READING]
    return found.ask, list(found.options.values())


def variants() -> list[Variant]:
    """The answer to every choice; the engine is asked once for each version of law and engine (examples.answer_of)."""
    case = next(one for one in citations.worked(SYSTEM) if citations.short(one) == NAME)
    found = []
    for did, move in enumerate(DECISIONS):
        for read, option in enumerate(system(SYSTEM).readings[READING].options):
            played = [case.data["did"][0], move]
            asked = {**case.data, "did": played, "pinned": {READING: option}, "ask": ["next"]}
            for word in ("expect", "cites"):
                asked.pop(word, None)
            variant = Case(case.name, case.title, asked)
            found.append(
                Variant(did, read, examples.situation(variant).canonical, examples.answer_of(variant))
            )
    return found
