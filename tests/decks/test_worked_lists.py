"""Real lists as people post them, and altered ones (worked/lists.yaml), each against a verdict worked out first."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from config import strict_yaml
from decks.cards import catalog_files
from decks.judging.judgement import judge
from decks.law import format_files
from decks.legality import Severity
from decks.lists import read

_known: Any = strict_yaml.load(
    (Path(__file__).parent / "worked" / "lists.yaml").read_text(), name="lists.yaml"
)
WORKED: list[dict[str, Any]] = _known
BY_NAME = {one["name"]: one for one in WORKED}


def whole(one: dict[str, Any]) -> dict[str, Any]:
    """The entry with its text, format and day, which it may have from another one."""
    if "like" not in one:
        return one
    base = BY_NAME[one["like"]]
    text = base["text"]
    for old, new in one.get("changes", []):
        assert old in text, old
        text = text.replace(old, new)
    return {"format": base["format"], "on": base["on"], **one, "text": text}


@pytest.mark.parametrize("one", WORKED, ids=lambda one: str(one["name"]))
def test_a_real_list_has_the_verdict_that_was_worked_out(one: dict[str, Any]) -> None:
    said = whole(one)
    listed = read(said["text"])
    overrides = {"list": said["list"]} if "list" in said else None
    day = date.fromisoformat(str(said["on"]))
    snapshot = format_files.snapshot(said["format"], day, overrides=overrides, choices=listed.choices)
    report = judge(listed, snapshot, catalog_files.shipped_index(snapshot.game)).report
    codes = sorted({found.code for found in report.findings if found.severity is not Severity.NOTE})
    assert (report.verdict.value, codes) == (said["verdict"], said.get("codes", [])), [
        found.message for found in report.findings
    ]
