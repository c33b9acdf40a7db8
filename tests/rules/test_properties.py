"""What holds of every case, whatever it is about."""

import json
import random
import re
from typing import Any

import pytest
import yaml

from rules import case_files, scenario, stepping
from rules.adjudicate import adjudicate

CASES = [case for case in case_files.cases() if not case.twin_of]
LINES = 3
LONGEST = 60


def read(case: case_files.Case) -> scenario.Scenario:
    return scenario.read(yaml.safe_dump(dict(case.data), allow_unicode=True, sort_keys=False))


def steps(trace: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for step in trace for one in (step, *steps(step["children"]))]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_line_resumed_at_any_decision_goes_on_as_if_it_had_not_been_left(case: case_files.Case) -> None:
    canonical = read(case).canonical
    chance = random.Random(case.name)  # which lines are tried: the same ones each time
    for _ in range(LINES):
        line = stepping.Session(canonical)
        while not line.over and len(line.choices) < LONGEST:
            again = stepping.Session(canonical, line.choices)
            assert (again.question(), again.options(), again.refused()) == (
                line.question(), line.options(), line.refused(),
            )  # fmt: skip
            line.choose(chance.randrange(len(line.options())))
        again = stepping.Session(canonical, line.choices)
        assert again.machine.facts == line.machine.facts or again.over == line.over


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_players_by_other_names_get_the_same_answers(case: case_files.Case) -> None:
    original = read(case).canonical
    names = dict(zip(original["players"], ("Zoe", "Quin", "Xan", "Wim"), strict=False))
    word = re.compile(r"\b(" + "|".join(names) + r")\b")

    def renamed(text: str) -> str:
        return word.sub(lambda match: names[match[0]], text)

    before = adjudicate(original, budget=case_files.BUDGET)
    after = adjudicate(json.loads(renamed(json.dumps(original))), budget=case_files.BUDGET)
    for answer in (before, after):
        del answer["scenario_hash"]
    assert json.loads(renamed(json.dumps(before))) == after


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_refusal_has_a_reason_and_every_decision_more_than_one_option(case: case_files.Case) -> None:
    for step in steps(adjudicate(read(case).canonical, budget=case_files.BUDGET)["trace"]):
        assert all(refusal["reason"] for refusal in step["refused"])
        if step["kind"] == "decision" and not step.get("scripted"):
            assert len(step["options"]) > 1
            assert sum(option["chosen"] for option in step["options"]) == 1
