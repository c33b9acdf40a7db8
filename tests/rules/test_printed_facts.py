"""The facts of the hand-written Arkham cards, held against their print; skipped where no print is at hand."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rules.law import system_files

SHARED = Path(os.environ.get("HEADJUDGE_SHARED", Path(__file__).resolve().parents[2].parent / "shared"))
PRINTS = SHARED / "data" / "cards" / "arkham_lcg" / "arkhamdb" / "pack"

# The collected prints have the players' cards only: the encounter cards were compared by hand.
ENCOUNTER = {
    "Ancient Evils",
    "Dreams of R'lyeh",
    "Frozen in Fear",
    "Ghoul Minion",
    "Ghoul Priest",
    "Goat Spawn",
    "Grasping Hands",
    "Locked Door",
    "Miskatonic Quad",
    "Obscuring Fog",
    "Orne Library",
    "Ravenous Ghoul",
    "Rotting Remains",
    "Swarm of Rats",
    "Young Deep One",
}
NUMBERS = {
    "cost": "cost",
    "health": "health",
    "sanity": "sanity",
    "skill_willpower": "willpower",
    "skill_intellect": "intellect",
    "skill_combat": "combat",
    "skill_agility": "agility",
    "skill_wild": "wild",
    "enemy_fight": "fight",
    "enemy_evade": "evade",
    "enemy_horror": "attack-horror",
    "shroud": "shroud",
    "victory": "victory",
}
SLOTS = {"Hand": "hands", "Arcane": "arcane", "Ally": "ally", "Accessory": "accessory", "Body": "body"}
KEYWORDS = ("fast", "hunter", "retaliate", "alert", "aloof", "massive", "elusive", "surge", "peril")
CARDS = {str(card["name"]): card for card in system_files.library("arkham").values()}
COMPARED = sorted(set(CARDS) - ENCOUNTER)


def first_print(name: str) -> Mapping[str, Any]:
    """The card of that name without experience, as it was first printed; a parallel investigator is another card."""
    prints = [
        card
        for file in PRINTS.glob("*/*.json")
        for card in json.loads(file.read_text(encoding="utf-8"))
        if card.get("name") == name and not card.get("xp") and "alternate_of" not in card
    ]
    return min(prints, key=lambda card: str(card["code"]))


def facts_of(card: Mapping[str, Any]) -> dict[str, Any]:
    """What a print says, in the words of the system; what it doesn't have is left out."""
    facts: dict[str, Any] = {ours: card[theirs] for theirs, ours in NUMBERS.items() if card.get(theirs)}
    facts["type"] = card["type_code"]
    facts["traits"] = [one for one in re.split(r"\.\s*", card.get("traits", "")) if one]
    if "enemy_damage" in card:
        facts["attack-damage"] = card["enemy_damage"]
    for word, amount in re.findall(r"(Hand|Arcane|Ally|Accessory|Body)(?: x(\d))?", card.get("slot", "")):
        facts[SLOTS[word]] = int(amount or 1)
    text = card.get("text", "")
    if uses := re.search(r"Uses \((\d+)", text):
        facts["uses"] = int(uses[1])
    if limit := re.search(r"Max (\d+) committed", text):
        facts["max-committed"] = int(limit[1])
    facts |= {word: True for word in KEYWORDS if re.search(rf"(^|[.\n] ?){word.capitalize()}\.", text)}
    marks = {
        "unique": card.get("is_unique"),
        "elite": "Elite" in facts["traits"],
        "weakness": card.get("subtype_code"),
        "per-investigator": card.get("health_per_investigator"),
        "prey-only": "Prey</b> - Bearer only" in text,
    }
    return facts | {name: True for name, marked in marks.items() if marked}


def told(name: str) -> dict[str, Any]:
    """What the library tells of the card, without its prey, which is a sentence and no fact."""
    properties = system_files.system("arkham").properties
    facts = {
        key: True if value == "yes" else value
        for key, value in CARDS[name].items()
        if key in properties and key not in ("name", "prey") and value
    }
    if facts["type"] == "enemy":
        facts.setdefault("attack-damage", 1)
    return facts


def test_what_is_not_compared_is_in_the_library() -> None:
    assert set(CARDS) >= ENCOUNTER
    assert len(COMPARED) == 23


@pytest.mark.parametrize("name", COMPARED)
def test_a_card_has_its_printed_facts(name: str) -> None:
    if not PRINTS.is_dir():
        pytest.skip("no printed cards at hand (../shared or HEADJUDGE_SHARED)")
    assert told(name) == facts_of(first_print(name))


@pytest.mark.parametrize("name", sorted(CARDS))
def test_every_card_has_its_traits(name: str) -> None:
    assert CARDS[name]["traits"]
