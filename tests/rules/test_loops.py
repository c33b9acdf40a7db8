"""Loops that are shown and repeated by naming a number: what the worked examples do not reach."""

import json
from typing import Any

import pytest

from config.errors import UserError
from rules import scenarios
from rules.engine.machine import interpreter
from rules.scenarios.adjudicate import adjudicate

GROW = {"lasting": {"of": "this", "stat": "skill", "by": 1, "until": "phase"}}
TURN: dict[str, Any] = {
    "cost": [{"do": "exhaust", "card": "this"}],
    "do": [{"do": "ready", "card": "this"}, GROW],
}


def play(did: list[Any], ask: str, ability: dict[str, Any], system: str = "coc-lcg") -> dict[str, Any]:
    """The answer when Ann's Lamp has this Action; two characters lie on the table."""
    lamp = {"name": "Lamp", "type": "support", "of": "Ann", "abilities": [{"kind": "action", **ability}]}
    one, two = ({"name": name, "type": "character", "of": "Ann"} for name in ("One", "Two"))
    told = {"system": system, "cards": {"lamp": lamp, "one": one, "two": two}, "did": did}
    read = scenarios.read(json.dumps({**told, "ask": [{"holds": ask}]}))
    return dict(adjudicate(read.canonical, budget=2_000))


def holds(found: dict[str, Any]) -> Any:
    return found["questions"][0]["answer"]


def test_a_condition_that_comes_true_far_on_ends_the_repetition_there() -> None:
    """Found between its ends, not by playing half a million cycles."""
    ability = {"if": "sum(support : skill) < 500000", **TURN}
    found = play(["Ann uses lamp", "Ann repeats it 1,000,000 times"], "lamp.skill = 500000", ability)
    assert holds(found) == "yes"


def test_an_exact_number_near_the_start_is_not_leapt_over() -> None:
    ability = {"if": "sum(support : skill) != 7", **TURN}
    found = play(["Ann uses lamp", "Ann repeats it 1,000,000 times"], "lamp.skill = 7", ability)
    assert holds(found) == "yes"


def test_what_is_limited_is_no_loop() -> None:
    ability = {"limit": {"times": 5, "per": "turn"}, **TURN}
    found = play(["Ann uses lamp", "Ann uses lamp", "Ann repeats it 3 times"], "lamp.skill = 5", ability)
    assert holds(found) == "illegal"


def test_a_cycle_that_waits_for_chance_is_carried_out_each_time() -> None:
    drawn = {"choose": {"as": "drawn", "from": "character", "at-random": "yes"}}
    ability = {**TURN, "do": [drawn, {"do": "ready", "card": "this"}, GROW]}
    cycle = ["Ann uses lamp", {"chance": "choose", "drawn": "one"}]
    found = play([*cycle, *cycle, "Ann repeats it 3 times"], "lamp.skill = 5", ability)
    assert holds(found) == "illegal"
    assert "chance" in found["sentence"]


def test_what_was_chosen_in_the_cycle_is_chosen_each_time() -> None:
    ability = {"choose": {"to": "character"}, "do": [{"lasting": {**GROW["lasting"], "of": "to"}}]}
    did = ["Ann uses lamp on one", "Ann uses lamp on two", "Ann repeats it 10 times"]
    assert holds(play(did, "one.skill = 1 and two.skill = 11", ability)) == "yes"


def test_the_changes_of_a_repetition_stand_in_the_account() -> None:
    found = play(["Ann uses lamp", "Ann repeats it 12000 times"], "lamp.skill = 12001", TURN)
    assert holds(found) == "yes"
    assert found["loops"][0]["change"] == [{"text": "Lamp: skill +1"}]
    assert "12,000 times" in found["loops"][0]["ending"]
    assert "Lamp: skill +12,000" in str(found["trace"])


def test_play_goes_on_after_a_repetition_and_may_repeat_again() -> None:
    did = [
        "Ann uses lamp",
        "Ann repeats it 10 times",
        "Ann uses lamp",
        "Ann repeats it 20 times",
        "Ann uses lamp",
    ]
    assert holds(play(did, "lamp.skill = 33", TURN)) == "yes"


@pytest.mark.parametrize(
    "move",
    [
        "Ann repeats it 0 times",
        {"Ann": "repeat", "times": "many"},
        {"Ann": "repeat", "times": -1},
        {"Ann": "repeat", "times": 9_999_999_999_999},
        {"Ann": "repeat", "times": True},
    ],
)
def test_a_number_that_is_none_is_refused_with_its_place(move: Any) -> None:
    with pytest.raises(UserError) as error:
        play([move], "lamp.skill = 0", TURN)
    assert error.value.place == "did[0]"
    assert error.value.remedy


def test_a_game_whose_rules_do_not_speak_of_loops_refuses_it() -> None:
    with pytest.raises(UserError) as error:
        scenarios.read(json.dumps({"system": "codex", "did": ["Ann repeats it 3 times"]}))
    assert (error.value.code, error.value.place) == ("no-repeating", "did[0]")


def nested(deep: int) -> list[Any]:
    """What for each of the two characters, for each of them, ... readies one that is ready: long, but it ends."""
    inside: list[Any] = [{"if": "at0.exhausted", "then": [{"do": "ready", "card": "at0"}]}]
    for depth in range(deep):
        inside = [{"for": "character", "as": f"at{depth}", "do": inside}]
    return inside


def test_an_effect_that_is_only_long_ends_and_is_no_loop() -> None:
    found = play(["Ann uses lamp"], "lamp.exhausted", {**TURN, "do": nested(14)})
    assert (found["status"], holds(found)) == ("determined", "yes")


def test_an_effect_that_is_too_long_to_follow_is_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "MAX_STRETCH", 2)
    found = play(["Ann uses lamp"], "lamp.exhausted", {**TURN, "do": nested(14)})
    assert (found["status"], holds(found)) == ("undecided", None)
    assert "does more than is followed" in found["sentence"]


def test_where_a_position_comes_back_the_line_ends() -> None:
    """By this reading a window in which nobody can act opens again whenever it closes; the question is answered."""
    told = {
        "system": "coc-ccg",
        "players": {"Ann": {}, "Bo": {"resources": 1}},
        "seats": ["Ann", "Bo"],
        "at": "story resolution",
        "cards": {
            "tower": {"name": "Tower", "type": "story"},
            "knight": {
                "name": "Knight",
                "type": "character",
                "of": "Ann",
                "skill": 2,
                "combat": 1,
                "story": "tower",
                "exhausted": "yes",
            },
            "sister": {"is": "Forest Sister", "of": "Bo", "story": "tower", "exhausted": "yes"},
            "drain": {"is": "Power Drain", "of": "Ann", "zone": "hand"},
        },
        "did": ["Bo uses sister"],
        "ask": ["may Ann play drain?"],
        "pinned": {"block-closes": "rules-chart"},
    }
    found = adjudicate(scenarios.read(json.dumps(told)).canonical, budget=2_000)
    assert (found["status"], found["questions"][0]["answer"]) == ("determined", "no")


def test_forced_responses_that_feed_each_other_are_a_loop() -> None:
    again = {"kind": "forced-response", "at": "after", "of": "ready", "if": "trigger.card = one"}
    lamp = {**TURN, "do": [{"do": "exhaust", "card": "one"}, {"do": "ready", "card": "one"}]}
    told = {
        "system": "coc-lcg",
        "cards": {
            "one": {"name": "One", "type": "character", "of": "Ann"},
            "lamp": {
                "name": "Lamp",
                "type": "support",
                "of": "Ann",
                "abilities": [{"kind": "action", **lamp}],
            },
            "bell": {
                "name": "Bell",
                "type": "support",
                "of": "Bo",
                "abilities": [{**again, "do": lamp["do"]}],
            },
        },
        "did": ["Ann uses lamp"],
        "ask": [{"holds": "one.exhausted"}],
    }
    found = adjudicate(scenarios.read(json.dumps(told)).canonical, budget=2_000)
    assert (found["status"], holds(dict(found))) == ("loop", None)
