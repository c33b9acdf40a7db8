"""Finds what a system file or library may say but probably doesn't mean."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rules.engine import operations as ops
from rules.engine.definitions.model import System
from rules.law import system_files

_CUT = re.compile(
    r"[\w-]+\([^()]*$"
)  # an expression that opens a bracket and does not close it: a comma cut it off


def findings(key: str) -> list[str]:
    """Each with its place. Raises DataError where the system or a card of its library cannot be read at all."""
    system, cards = system_files.system(key), system_files.library(key)
    return [
        *_kinds(system),
        *_zones(system, cards),
        *_lasting(system),
        *_cut_off(system.source, ""),
        *(
            found
            for name, card in cards.items()
            for found in _cut_off(card, f"library.{card['name'] or name}")
        ),
        *_unchosen(system, cards),
    ]


def _kinds(system: System) -> Iterator[str]:
    for name, kind in system.ability_kinds.items():
        if name not in system.asked_for and not kind.becomes:
            yield f"kinds.{name}: no chart asks for it"
    for name in system.kinds:
        if not system.raised.get(name):
            yield f"vocabulary.{name}: no chart raises a point of it, so nothing can respond to it"


def _zones(system: System, cards: Mapping[str, Any]) -> Iterator[str]:
    """A number that counts something on a card in play, kept though the card leaves play."""
    printed = {word for card in cards.values() for word in card}
    printed |= {pile.place.name for pile in system.piles.values() if pile.ordered}
    for prop in system.properties.values():
        counts = prop.of == "card" and prop.type == "number" and prop.default == 0 and not prop.stat
        changes = prop.slot in system.footprint.written and prop.name not in ("incarnation", *printed)
        if counts and changes and not prop.shed:
            yield f"properties.{prop.name}: a card that leaves play keeps its changes; to prevent that, write shed: yes"


def _lasting(system: System) -> Iterator[str]:
    """Periods that end without the rules being looked at again: what a bonus kept alive stays alive."""
    if system.checks is None:
        return
    for name, chart in system.charts.items():
        code = chart.code
        for i, operation in enumerate(code):
            if not isinstance(operation, ops.Expire):
                continue
            after = code[i + 1 :]
            if not any(isinstance(one, ops.Call | ops.Do) for one in after):
                yield f"charts.{name}: a period ends ({operation.period}) and no check follows in this chart"


def _cut_off(data: Any, place: str) -> Iterator[str]:
    """Expressions that a comma of YAML has cut in two."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            where = f"{place}.{key}" if place else str(key)
            if key not in ("law", "documents", "text", "says", "note", "because", "title", "example"):
                yield from _cut_off(value, where)
    elif isinstance(data, list):
        for i, value in enumerate(data):
            yield from _cut_off(value, f"{place}[{i}]")
    elif isinstance(data, str) and _CUT.search(data) and data.count("(") > data.count(")"):
        yield f"{place}: “{data}” has a bracket that isn’t closed; put it in quotes"


def _unchosen(system: System, cards: Mapping[str, Any]) -> Iterator[str]:
    """Choices of a card's text that nothing in it speaks of, nor any chart (`use.x`)."""
    charts = str(system.source.get("charts"))
    for card in cards.values():
        for i, ability in enumerate(card.get("abilities") or ()):
            rest = {key: value for key, value in ability.items() if key not in ("text", "because", "cite")}
            for name in ability.get("choose") or ():
                words = re.findall(r"[\w-]+", str(rest))
                if words.count(name) < 2 and f"use.{name}" not in charts:
                    yield f"library.{card['name']}.abilities[{i}].choose.{name}: nothing uses this choice"
