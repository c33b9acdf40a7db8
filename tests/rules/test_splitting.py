"""An exploration in parts, each resumed from the options that lead to it, has the answer of one worker to the byte."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from rules import case_files, scenario
from rules.adjudicate import Large, adjudicate, explore_part, parts_of
from rules.engine import identity
from rules.engine.explore import Explorer, Node
from rules.engine.fingerprint import Fingerprints
from rules.engine.machine import Machine
from tests.bench.rules import forced_responses

ROOT = Path(__file__).parents[2]
BUDGET = case_files.BUDGET


def canonical_of(case: case_files.Case) -> dict[str, Any]:
    return scenario.read(yaml.safe_dump(dict(case.data), allow_unicode=True, sort_keys=False)).canonical


READ = [(case.name, canonical_of(case)) for case in case_files.cases()]
SPLIT = [(name, canonical, parts) for name, canonical in READ if (parts := parts_of(canonical, parts=3))]


def found_out(canonical: Mapping[str, Any], parts: list[list[int]]) -> list[Any]:
    return [json.loads(json.dumps(explore_part(canonical, part, budget=BUDGET))) for part in parts]


def told(answer: Any) -> str:
    return json.dumps(answer)


@pytest.mark.parametrize(("name", "canonical", "parts"), SPLIT, ids=[name for name, _, _ in SPLIT])
def test_the_parts_of_a_case_together_have_its_answer(
    name: str, canonical: dict[str, Any], parts: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where some parts were lost."""
    monkeypatch.setattr(
        "rules.engine.explore.NARROW_AFTER", 0
    )  # else nothing would be looked up in small ones
    monkeypatch.setattr("rules.engine.splitting.NARROW_AFTER", 0)
    alone = told(adjudicate(canonical, budget=BUDGET))
    partials = found_out(canonical, parts)
    assert told(adjudicate(canonical, budget=BUDGET, partials=partials)) == alone
    assert told(adjudicate(canonical, budget=BUDGET, partials=partials[::2])) == alone


@pytest.mark.parametrize("differ", [False, True], ids=["orders that commute", "orders that all differ"])
def test_a_large_exploration_is_looked_up_and_not_explored_again(
    differ: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    canonical = scenario.read(forced_responses(6, differ)).canonical
    with pytest.raises(Large):
        adjudicate(canonical, budget=BUDGET, alone=100 if differ else 0)
    alone = adjudicate(canonical, budget=BUDGET)
    partials = found_out(canonical, parts_of(canonical))
    followed = 0
    follow = Explorer._follow

    def counted(explorer: Explorer, machine: Machine, node: Node, index: int) -> Any:
        nonlocal followed
        followed += 1
        return follow(explorer, machine, node, index)

    monkeypatch.setattr(Explorer, "_follow", counted)
    assert told(adjudicate(canonical, budget=BUDGET, partials=partials)) == told(alone)
    looked_up = followed
    adjudicate(canonical, budget=BUDGET)
    assert not differ or looked_up < (followed - looked_up) / 2


def test_an_exploration_over_its_budget_is_undecided_in_parts_as_well() -> None:
    canonical = scenario.read(forced_responses(6, True)).canonical
    partials = [explore_part(canonical, part, budget=60) for part in parts_of(canonical)]
    assert told(adjudicate(canonical, budget=60, partials=partials)) == told(adjudicate(canonical, budget=60))


def test_a_part_whose_numbers_grow_for_ever_is_left_to_the_whole() -> None:
    canonical = dict(READ)["coc-lcg/reading-response-reuse~3"]
    partials = found_out(canonical, parts_of(canonical, parts=2))
    assert [partial["state"] for partial in partials] == ["unfit", "unfit"]
    assert told(adjudicate(canonical, budget=BUDGET, partials=partials)) == told(
        adjudicate(canonical, budget=BUDGET)
    )


OTHER = """
import json, sys
sys.path.insert(0, {root!r})
import django; django.setup()
from rules.adjudicate import explore_part
for line in sys.stdin:
    canonical, part = json.loads(line)
    print(json.dumps(explore_part(canonical, part, budget={budget})))
"""


def test_a_part_resumes_in_another_process_with_another_hash_seed() -> None:
    """Positions and what is known of them have the same names there; other systems were loaded before."""
    sample = SPLIT[:: max(1, len(SPLIT) // 8)]
    asked = [(canonical, part) for _, canonical, parts in reversed(sample) for part in parts]
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "DJANGO_SETTINGS_MODULE": "config.settings"}
    there = subprocess.run(
        [sys.executable, "-c", OTHER.format(root=str(ROOT), budget=BUDGET)],
        input="\n".join(json.dumps(one) for one in asked),
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    ).stdout.splitlines()
    here = [told(explore_part(canonical, part, budget=BUDGET)) for canonical, part in asked]
    assert there == here


def test_a_fingerprint_tells_positions_apart_that_differ_in_one_fact() -> None:
    scene = scenario.build(scenario.read(forced_responses(3, True)).canonical)
    machine = Machine(scene)
    machine.enter(scene.start, scene.arguments)
    machine.run()
    fingerprints = Fingerprints(scene)
    before = fingerprints.of(identity.key(machine))
    assert fingerprints.of(identity.key(machine)) == before
    machine.facts[scene.dynamic_slots[0]] = 17
    assert fingerprints.of(identity.key(machine)) != before
