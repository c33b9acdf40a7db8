"""The facts of each Codex card that a person wrote, beside its print. The printed cards are not ours to ship: where
they are absent, the tests on them are skipped."""

import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rules.law import system_files

SHARED = Path(os.environ.get("HEADJUDGE_SHARED", Path(__file__).resolve().parents[2].parent / "shared"))
PRINTED = SHARED / "data/cards/codex/rgdelato_json"
NUMBERS = {"cost": "cost", "tech": "tech_level", "atk": "ATK", "health": "HP"}
NUMBERS_OF_HEROES = {"cost": "cost", "atk": "ATK_1", "health": "HP_1", "max-level": "max_level"}

pytestmark = pytest.mark.skipif(
    not PRINTED.is_dir(), reason=f"The printed cards are not in {PRINTED} (set HEADJUDGE_SHARED)."
)


@cache
def printed() -> Mapping[str, Mapping[str, Any]]:
    """Folded name -> the first row of that name; a file of other things has no rows with a name."""
    found: dict[str, Mapping[str, Any]] = {}
    for path in sorted(PRINTED.glob("*.json")):
        for row in json.loads(path.read_text(encoding="utf-8")):
            if isinstance(row, dict) and "name" in row and "type" in row:
                found.setdefault(system_files.fold(str(row["name"])), row)
    return found


@pytest.mark.parametrize("name", sorted(str(card["name"]) for card in system_files.library("codex").values()))
def test_a_card_written_by_hand_has_the_facts_of_its_print(name: str) -> None:
    card, row = system_files.library("codex")[system_files.fold(name)], printed()[system_files.fold(name)]
    columns = NUMBERS_OF_HEROES if row["type"] == "Hero" else NUMBERS
    assert {fact: int(card.get(fact, 0)) for fact in columns} == {
        fact: int(row.get(column) or 0) for fact, column in columns.items()
    }
    assert " ".join(card.get("subtypes", ())) == row.get("subtype", "")
    assert (card.get("color"), card.get("spec")) == (row.get("color"), row.get("spec"))
