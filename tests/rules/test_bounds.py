"""An exploration that piles up without end stops at its bounds, and says what was going on."""

import pytest

from rules import scenarios
from rules.engine.search import explore
from rules.scenarios.adjudicate import adjudicate

FEEDING = """
system: coc-lcg
cards:
  lamp: {name: Lamp, type: character, of: Ann, abilities:
    [{kind: response, at: after, of: exhaust, cost: [{do: ready, card: this}], do: [{do: exhaust, card: this}]}]}
  wick: {name: Wick, type: character, of: Ann, abilities:
    [{kind: response, at: after, of: ready, cost: [{do: exhaust, card: this}], do: [{do: ready, card: this}]}]}
  spark: {type: event, of: Ann, zone: hand, abilities: [{kind: action, do: [{do: exhaust, card: lamp}]}]}
did: [Ann plays spark]
ask: [{force: {who: Ann, holds: lamp.exhausted}}]
"""


def test_what_piles_up_ends_at_the_bound_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore, "MOST_OPEN", 4_000)
    found = adjudicate(scenarios.read(FEEDING).canonical, budget=100_000)
    assert found["status"] == "undecided"
    assert "memory limit" in found["sentence"]
    assert 10 < found["counts"]["positions"] < 1_000


def test_what_takes_too_long_ends_at_the_bound_of_time() -> None:
    found = adjudicate(scenarios.read(FEEDING).canonical, budget=100_000, seconds=0.0)
    assert found["status"] == "undecided"
    assert "time" in found["sentence"]


def test_what_goes_on_is_told() -> None:
    found = adjudicate(scenarios.read(FEEDING).canonical, budget=60)
    assert found["status"] == "undecided"
    assert "Ann uses Lamp 30 times" in found["sentence"], found["sentence"]
