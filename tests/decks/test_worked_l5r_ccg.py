"""Decks of the L5R CCG as people posted them (worked/l5r-ccg.yaml), each against a verdict worked out first."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from config import strict_yaml
from decks.cards import sources
from decks.cards.catalog_files import CatalogData
from decks.cards.index import CatalogIndex
from decks.judging.judgement import judge
from decks.law import format_files
from decks.legality import Severity
from decks.lists import read

KNOWN: Any = strict_yaml.load(
    (Path(__file__).parent / "worked" / "l5r-ccg.yaml").read_text(), name="l5r-ccg.yaml"
)
BY_NAME = {one["name"]: one for one in KNOWN["decks"]}
ARCS = ("A Brother's Destiny (Ivory Edition)", "Modern")


def rows() -> list[dict[str, Any]]:
    """The cards in the shape of the source that an installation imports."""
    found = []
    for group in KNOWN["cards"]:
        for title in group["titles"]:
            name, _, version = title.partition(" - exp")
            keywords = [f"Experienced {version}".strip()] if name != title else []
            found.append({
                "title": name,
                "types": [group["type"]],
                "decks": [group["deck"]],
                "clans": group.get("clans", [group["clan"]] if "clan" in group else []),
                "keywords": [*keywords, *(["Loyal"] if group.get("loyal") else [])],
                "is_unique": bool(group.get("unique")),
                "legality": list(ARCS if "legal" not in group else ["Modern"]),
            })  # fmt: skip
    return found


@pytest.fixture(scope="module")
def index() -> CatalogIndex:
    files = {"sets/all.yaml": yaml.safe_dump({"set": "All", "cards": rows()}, sort_keys=False).encode()}
    return CatalogData("l5r-ccg", "L5R", partial=False, cards=sources.read(files).cards).index()


@pytest.mark.parametrize("name", BY_NAME)
def test_a_real_deck_has_the_verdict_that_was_worked_out(name: str, index: CatalogIndex) -> None:
    said = BY_NAME[name]
    text = BY_NAME[said.get("like", name)]["text"]
    for old, new in said.get("changes", []):
        assert old in text, old
        text = text.replace(old, new)
    snapshot = format_files.snapshot("l5r-ccg", overrides={"list": said["arc"], **said.get("numbers", {})})
    report = judge(read(text), snapshot, index).report
    codes = sorted({found.code for found in report.findings if found.severity is not Severity.NOTE})
    assert (report.verdict.value, codes) == (said["verdict"], said.get("codes", [])), [
        found.message for found in report.findings
    ]
