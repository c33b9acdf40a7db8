"""What situations of a system usually contain, learned from its test cases and library.

A form that asks for sixty facts is no form. What the cases say of cards of a type comes first, the rest behind a fold.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from config import strict_yaml
from rules.law import system_files

CASES = system_files.FOLDER / "cases"
COMMON = 8  # facts that come first
EFFECTS = 14  # effects that come first
STARTS = 5  # places to begin that come first
_NOT_FACTS = (
    "is",
    "of",
    "name",
    "type",
    "text",
    "zone",
    "controller",
    "abilities",
    "always",
    "cannot",
    "immune",
    "grants",
    "makes",
)


@dataclass(frozen=True, slots=True)
class Habit:
    """owned: do cards of the type usually belong to a player? zone: where they lie when not said (empty: in play)."""

    owned: bool
    zone: str
    facts: tuple[str, ...]  # those that are usually told, commonest first
    seen: int  # cards of the type in the cases


@cache
def habits(key: str) -> Mapping[str, Habit]:
    """Type of card -> how it is usually told, in the system's worked cases."""
    owned: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    zones: dict[str, Counter[str]] = {}
    facts: dict[str, Counter[str]] = {}
    for card in _cards(key):
        type_ = _type(key, card)
        seen[type_] += 1
        owned[type_] += "of" in card
        zones.setdefault(type_, Counter())[str(card.get("zone", ""))] += 1
        facts.setdefault(type_, Counter()).update(word for word in card if word not in _NOT_FACTS)
    return {
        type_: Habit(
            owned=owned[type_] * 2 >= seen[type_],
            zone=_commonest(zones[type_]),
            facts=tuple(word for word, _ in facts[type_].most_common(COMMON)),
            seen=seen[type_],
        )
        for type_ in seen
        if type_
    }


def _commonest(zones: Counter[str]) -> str:
    zone = zones.most_common(1)[0][0]
    return "" if zone == "play" else zone


@cache
def common_effects(key: str) -> tuple[str, ...]:
    """The occurrences that cards most often bring about, commonest first."""
    found: Counter[str] = Counter()
    printed = [
        ability for card in system_files.library(key).values() for ability in card.get("abilities") or ()
    ]
    told = [ability for card in _cards(key) for ability in card.get("abilities") or ()]
    for ability in [*printed, *told]:
        found.update(set(_done(ability)))
    kinds = system_files.system(key).kinds
    return tuple(word for word, _ in found.most_common() if word in kinds)[:EFFECTS]


@cache
def common_starts(key: str) -> tuple[str, ...]:
    """The places to begin that the worked cases use, commonest first; the system's first one leads."""
    starts = system_files.system(key).starts
    used = Counter(at for case in _cases(key) if isinstance(at := case.get("at"), str) and at in starts)
    return tuple(dict.fromkeys([*list(starts)[:1], *(at for at, _ in used.most_common(STARTS))]))


def _done(data: Any) -> Iterator[str]:
    if isinstance(data, Mapping):
        if isinstance(data.get("do"), str):
            yield data["do"]
        for value in data.values():
            yield from _done(value)
    elif isinstance(data, list):
        for one in data:
            yield from _done(one)


def _type(key: str, card: Mapping[str, Any]) -> str:
    if "type" in card or "is" not in card:
        return str(card.get("type", ""))
    found = system_files.cards(key).get(system_files.fold(str(card["is"])))
    return str(found.get("type", "")) if found else ""


@cache
def _cards(key: str) -> tuple[Mapping[str, Any], ...]:
    """Every card of the system's worked cases."""
    found: list[Mapping[str, Any]] = []
    for case in _cases(key):
        cards = case.get("cards") or {}
        found += [{"is": card} if isinstance(card, str) else card for card in cards.values() if card]
    return tuple(found)


@cache
def _cases(key: str) -> tuple[Mapping[str, Any], ...]:
    paths = sorted((CASES / key).glob("*.yaml"))
    return tuple(strict_yaml.load(path.read_bytes(), name=path.name) for path in paths)
