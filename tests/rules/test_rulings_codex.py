"""The designer's rulings on Codex: each as a situation, with the answer that the ruling gives."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from config import strict_yaml
from rules.scenarios import reading
from rules.scenarios.adjudicate import adjudicate

RULINGS: list[dict[str, Any]] = strict_yaml.load(
    Path(__file__).with_name("rulings_codex.yaml").read_bytes(), name="rulings_codex.yaml"
)
BUDGET = 5_000


@pytest.mark.parametrize("ruling", RULINGS, ids=lambda ruling: ruling["ruling"])
def test_a_ruling_is_followed(ruling: dict[str, Any]) -> None:
    scenario = {key: value for key, value in ruling.items() if key not in ("ruling", "answers")}
    text = yaml.safe_dump({"system": "codex", **scenario}, allow_unicode=True, sort_keys=False)
    found = adjudicate(reading.read(text).canonical, budget=BUDGET)
    assert [question["answer"] for question in found["questions"]] == ruling["answers"]
    assert found["status"] == "determined"
