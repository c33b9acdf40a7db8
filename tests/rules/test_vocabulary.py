"""The words of a system, as they are told to whoever writes a scenario."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from rules import scenarios
from rules.law import system_files
from rules.reference.vocabulary import vocabulary
from rules.scenarios.adjudicate import adjudicate


@pytest.mark.parametrize("key", system_files.keys())
def test_the_example_of_every_system_can_be_read_and_answered(key: str) -> None:
    example = vocabulary(key)["example"]
    assert any("abilities" in card for card in example["cards"].values())
    read = scenarios.read(json.dumps(example))
    assert adjudicate(read.canonical, budget=2_000)["status"] in ("determined", "depends")


def test_a_system_without_an_example_of_its_own_gets_one_made_of_its_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(system_files, "example", lambda key: None)
    example = vocabulary("coc-lcg")["example"]
    assert example["cards"]["clerk"]["abilities"]
    assert adjudicate(scenarios.read(json.dumps(example)).canonical, budget=200)["status"] == "determined"


@pytest.mark.parametrize("key", system_files.keys())
def test_every_word_of_the_system_is_told(key: str) -> None:
    told, system = vocabulary(key), system_files.system(key)
    for name, known in (
        ("starts", system.starts), ("zones", system.zones), ("kinds", system.ability_kinds), ("points", system.points),
        ("occurrences", system.kinds), ("readings", system.readings), ("families", system.families),
    ):  # fmt: skip
        assert {entry["word"] for entry in told[name]} == set(known)
    facts = {fact["word"] for of in told["facts"].values() for fact in of}
    assert set(system.properties) - facts == {"incarnation", "seat", "face"}


@pytest.mark.parametrize("key", system_files.keys())
def test_the_command_tells_it_in_words_and_as_json(key: str) -> None:
    out = StringIO()
    call_command("vocabulary", key, stdout=out)
    for heading in ("A whole scenario", "Kinds of ability", "What can happen", "Facts of a card"):
        assert heading in out.getvalue()
    out = StringIO()
    call_command("vocabulary", key, "--json", stdout=out)
    assert json.loads(out.getvalue()) == json.loads(json.dumps(vocabulary(key)))


def test_an_unknown_system_gets_the_nearest_known_one() -> None:
    out = StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command("vocabulary", "coc-lgc", stdout=out, stderr=out)
    assert caught.value.code == 2
    assert "coc-lcg" in out.getvalue()


def test_what_the_rules_ask_a_player_to_choose_is_listed_by_the_word_a_move_uses() -> None:
    asked = {one["word"]: one["in"] for one in vocabulary("magic")["choices"]}
    assert asked["blockers"] == ["blocks"]
    levels = next(one for one in vocabulary("codex")["rules_abilities"] if one["word"] == "level it up")
    assert levels["choices"] == ["n"]
