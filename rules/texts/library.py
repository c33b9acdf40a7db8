"""Printed cards as cards of the library: which are understood whole and pass every check, and why the others do not."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import yaml

from rules.engine.base.errors import DataError
from rules.law import system_files
from rules.texts import lexicons
from rules.texts.printed import PrintedText
from rules.texts.understanding import understood
from rules.wording.gates import failures
from rules.wording.reading import read


@dataclass(frozen=True, slots=True)
class Judged:
    """A printed card: its data, or why it is none of the library's (`details`: of what)."""

    name: str
    printing: str = ""
    card: dict[str, Any] = field(default_factory=dict)
    why: str = ""
    details: str = ""


@cache
def _beside(name: str) -> dict[str, dict[str, Any]]:
    """What a person wrote beside the understood cards, by system and card."""
    path = system_files.FOLDER / "library" / "understood" / f"{name}.yaml"
    return dict(yaml.safe_load(path.read_text("utf-8")))


def misprints(key: str) -> dict[str, dict[str, str]]:
    """Typing errors in the files of printed cards that a person put right: card -> wrong: right."""
    return _beside("misprints").get(key, {})


def held(key: str) -> dict[str, str]:
    """Cards whose reading a person held back, having read it beside the print: card -> why."""
    return _beside("held").get(key, {})


def judged(key: str, cards: Sequence[PrintedText]) -> list[Judged]:
    """Every printed card. One whose name two different cards bear is none of the library's: its name is no key."""
    texts: dict[str, set[str]] = {}
    for card in cards:
        texts.setdefault(system_files.fold(card.name), set()).add(f"{card.type} {card.text} {card.facts}")
    seen: Counter[str] = Counter()
    found = []
    for card in cards:
        folded = system_files.fold(card.name)
        seen[folded] += 1
        if seen[folded] == 1 or len(texts[folded]) > 1:
            found.append(_judged(key, card, alone=len(texts[folded]) == 1))
    return found


def _judged(key: str, card: PrintedText, *, alone: bool) -> Judged:
    def left_out(why: str, details: str = "") -> Judged:
        return Judged(card.name, card.printing, {}, why, details)

    if not alone:
        return left_out("two cards bear the name")
    if system_files.fold(card.name) in system_files.library(key):
        return left_out("written by hand")
    if (reason := held(key).get(card.name)) is not None:
        return left_out("held back by a person", reason)
    if card.type is None:
        return left_out("the type of card is not known")
    try:
        text = understood(key, card.text, name=card.name, type_=card.type, xs=card.xs)
    except DataError as error:
        return left_out("not understood", error.message)
    if not text.whole:
        first = next(one for one in text.passages if not one.taken)
        return left_out(
            "several readings" if first.readings else "not understood",
            first.trouble.word if first.trouble else "",
        )
    bare = card.type in lexicons.lexicon_of(key).data.get("no-standing", ())
    attached = set(text.data) == {
        "attaches-to"
    }  # an attachment that does nothing: half of its text is missing
    if attached or (bare and "abilities" not in text.data):
        return left_out("nothing that it does is told")
    if card.untold or card.xs:
        return left_out("a printed fact is not told", ", ".join(card.untold) or "X")
    clash = sorted(set(card.facts) & set(text.data))
    data = {"type": card.type, **card.facts, **text.data}
    for fact in clash:  # a subtype may stand in the text too
        if not (isinstance(card.facts[fact], list) and isinstance(text.data[fact], list)):
            return left_out("a printed fact is told twice", fact)
        data[fact] = list(dict.fromkeys([*card.facts[fact], *text.data[fact]]))
    fault = lexicons.compiles(key, card.name, data)
    if fault is not None:
        return left_out("check: plays", str(fault))
    lexicon = lexicons.lexicon_of(key)
    reading = read(lexicon, card.text, name=card.name, type_=card.type, xs=card.xs)
    for ability in reading.abilities:
        for gate, what in failures(lexicon, ability, reading.card):
            return left_out(f"check: {gate}", what)
    return Judged(card.name, card.printing, data)
