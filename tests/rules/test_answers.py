"""What an answer holds: reasons, rules, whose decision, and the same bytes every time."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from rules import scenarios
from rules.scenarios.adjudicate import adjudicate

BASE = """
system: coc-lcg
players: [Ann, Bo]
cards:
  shotgun: {is: Shotgun Blast, of: Ann, zone: hand}
  researcher: {is: Field Researcher, of: Bo, zone: play%s}
  clerk: {name: Clerk, type: character, of: Bo, zone: play, exhausted: yes}
did: [Ann plays shotgun on researcher]
ask: [%s]
"""


def answer(question: str, state: str = "") -> dict[str, Any]:
    return adjudicate(scenarios.read(BASE % (state, question)).canonical, budget=10_000)


def test_a_refusal_names_the_first_reason_and_its_rule() -> None:
    found = answer("{legal: {Bo: researcher}}", ", blank: yes")
    refusal = found["questions"][0]["why_not"][0]
    assert "text does not work" in refusal["reason"]
    assert refusal["cites"] == ["COC-F-1.12a"]


def test_a_disputed_fact_is_explored_both_ways_and_named() -> None:
    found = answer("{legal: {Bo: researcher}}", ", blank: {disputed: [yes, no]}")
    question = found["questions"][0]
    assert question["status"] == "depends"
    decision = question["depends"][0]
    assert decision["decider"] == "facts"
    assert sorted(branch["answer"] for branch in decision["branches"]) == ["no", "yes"]


def test_a_fact_nobody_told_makes_the_answer_insufficient_and_is_named() -> None:
    found = answer("{legal: {Bo: researcher}}", ", blank: '?'")
    assert found["status"] == "insufficient"
    assert found["questions"][0]["depends"][0]["decision"] == "Field Researcher: blank"


def test_an_open_fact_that_cannot_matter_is_never_asked() -> None:
    found = answer("next", ", insane: no, resourced: {disputed: [yes, no]}, blank: yes")
    assert found["status"] == "determined"


@pytest.mark.parametrize(
    ("who", "what", "can"),
    [
        ("Bo", "not clerk.exhausted", "yes"),
        ("Ann", "not clerk.exhausted", "no"),
        ("Ann", "researcher.zone = 'discard'", "yes"),
    ],
)
def test_who_can_make_sure_of_something(who: str, what: str, can: str) -> None:
    assert answer(f'{{force: {{{who}: "{what}"}}}}')["questions"][0]["answer"] == can


def test_a_move_that_was_not_legal_is_the_answer() -> None:
    source = BASE % ("", "next")
    source = source.replace("did: [Ann plays shotgun on researcher]", "did: [Bo plays shotgun on researcher]")
    found = adjudicate(scenarios.read(source).canonical, budget=10_000)
    assert found["sentence"].startswith("Bo could not use Shotgun Blast")


def test_the_same_scenario_gives_the_same_bytes_whatever_the_hash_seed() -> None:
    program = (
        "import django, json, sys; django.setup();"
        "from rules.scenarios import case_files;"
        "originals = [case for case in case_files.cases() if not case.twin_of];"
        "print(json.dumps([case_files.run(case).answer for case in originals[::5]], sort_keys=True))"
    )

    def run(seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    first, second = run("1"), run("2")
    assert json.loads(first)
    assert first == second


def test_what_nobody_spoke_of_is_an_assumption_said_once_and_none_where_it_is_told() -> None:
    told = """
system: codex
cards:
  bolt: {name: Bolt, type: spell, of: Ann, zone: hand, spec: Fire,
    abilities: [{kind: action, do: [{do: draw, who: you}]}]}
%s
did: [Ann casts bolt]
ask: [{holds: "Ann.drawn = 1"}, next]
"""
    assumed = "Assumed, as the scenario does not say: Ann has a hero in play who can cast Bolt."
    found = adjudicate(scenarios.read(told % "").canonical, budget=1_000)
    assert found["sentence"].count(assumed) == 1
    assert assumed in found["questions"][0]["sentence"]
    taken = [one for one in found["assumptions"] if one["id"].startswith("bolt.taken")]
    assert [one["cites"] for one in taken] == [["CDX-R-12"]]
    assert "CDX-R-12" in found["rules"]
    found = adjudicate(
        scenarios.read(told % "  ann: {type: hero, of: Ann, spec: Fire}").canonical, budget=1_000
    )
    assert "Assumed" not in found["sentence"]
    assert not [one for one in found["assumptions"] if "taken" in one["id"]]
