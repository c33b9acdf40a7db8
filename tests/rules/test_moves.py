"""What a scenario's moves and questions mean: which trigger is answered, which choice is made, once or once more."""

from typing import Any

import pytest

from config.errors import UserError
from rules import scenarios
from rules.scenarios.adjudicate import adjudicate
from rules.table import stepping

STORM = """
system: coc-lcg
cards:
  storm: {{type: event, of: Ann, zone: hand, abilities: [{{kind: action,
    do: [{{do: wound, each: "character where controller != you", to: it}}]}}]}}
  medic: {{type: character, of: Bo, toughness: 3, abilities: [{{kind: response, at: after, of: wound,
    limit: {{times: {times}, per: turn}}, do: [{{add: wounds, of: trigger.to, by: -1}}]}}]}}
  thug: {{type: character, of: Bo, toughness: 5}}
did: [Ann uses storm, {move}]
ask: [{ask}]
"""


def answer(text: str) -> dict[str, Any]:
    return adjudicate(scenarios.read(text).canonical, budget=10_000)


def healed(move: str, times: int = 1) -> Any:
    return answer(STORM.format(move=move, times=times, ask='{holds: "thug.wounds = 0"}'))["questions"][0]


@pytest.mark.parametrize(
    ("move", "value"),
    [
        ("Bo uses medic answering thug", "yes"),
        ("'Bo uses medic, in response to wound thug'", "yes"),
        ("{Bo: medic, on: thug}", "yes"),
        ("{who: Bo, use: medic, on: [wound, thug]}", "yes"),
        ("{Bo: medic, on: medic}", "no"),
    ],
)
def test_a_move_says_which_trigger_it_answers(move: str, value: str) -> None:
    found = healed(move)
    assert (found["status"], found["answer"]) == ("determined", value)


def test_a_move_that_leaves_the_trigger_open_is_explored_for_each() -> None:
    found = healed("Bo uses medic")
    assert found["status"] == "depends"
    assert [branch["answer"] for branch in found["depends"][0]["branches"]] == ["no", "yes"]


def test_a_trigger_that_is_not_there_is_answered_with_those_that_are() -> None:
    sentence = answer(STORM.format(move="{Bo: medic, on: destroy}", times=1, ask="next"))["sentence"]
    assert "it could respond to: medic takes 1 wound; thug takes 1 wound" in sentence


def test_an_unknown_trigger_is_refused_with_its_place_and_the_nearest_words() -> None:
    with pytest.raises(UserError) as caught:
        scenarios.read(STORM.format(move="{Bo: medic, on: wond}", times=1, ask="next"))
    assert (caught.value.code, caught.value.place) == ("unknown-trigger", "did[1].on")
    assert "wound" in caught.value.remedy


def test_a_line_played_by_hand_is_written_with_the_trigger_it_answered() -> None:
    canonical = scenarios.read(STORM.format(move="Bo passes", times=1, ask="next")).canonical
    line = stepping.Session(canonical)
    for wanted in ("storm", "medic (on: thug takes 1 wound)"):
        line.choose(line.options().index(wanted))
    moves, exact = stepping.moves(line.canonical, line.taken)
    assert exact
    assert moves[-1] == {"who": "Bo", "use": "medic", "on": ["thug"]}


def legal(ask: str, times: int = 1, move: str = "Bo uses medic answering thug") -> tuple[Any, str]:
    found = answer(STORM.format(move=move, times=times, ask=ask))["questions"][0]
    return found["answer"], found["sentence"]


def test_the_last_use_told_is_asked_about_as_it_was_made() -> None:
    assert legal("may Bo use medic?") == ("yes", "Bo's use of medic was legal.")
    assert legal("may Bo use medic answering thug?")[0] == "yes"
    assert legal("may Bo use medic answering medic?")[0] == "no"


def test_once_more_counts_what_was_used_before() -> None:
    value, sentence = legal("may Bo use medic again?")
    assert value == "no"
    assert "only once per turn" in sentence
    assert legal("may Bo use medic again?", times=2)[0] == "yes"
    assert legal("{legal: {Bo: medic, on: thug, again: yes}}", times=2)[0] == "no"


BURN = """
system: coc-lcg
cards:
  burn:
    type: event
    of: Ann
    zone: hand
    abilities: [{kind: action, choose: {fuel: "character where controller = you", t: character},
      cost: [{do: sacrifice, card: fuel}], do: [{do: wound, to: t}]}]
  clerk: {type: character, of: Ann}
  thug: {type: character, of: Bo}
did: [Ann plays burn on %s]
ask: [{holds: "%s.zone = 'discard'"}]
"""


def test_a_choice_that_leaves_nothing_to_choose_takes_no_move_that_means_another() -> None:
    assert answer(BURN % ("thug", "thug"))["questions"][0]["answer"] == "yes"


def test_an_unnamed_choice_that_may_not_be_made_is_told_with_its_reason() -> None:
    steel = BURN.replace("  thug: {type: character, of: Bo}", "  thug: {type: story}")
    assert "could not choose thug" in answer(steel % ("thug", "thug"))["sentence"]


POOR = """
system: coc-lcg
players: {Ann: %s, Bo: {}}
cards:
  gift: {type: event, of: Ann, zone: hand, abilities: [{kind: action, %s, do: [{do: wound, to: thug}]}]}
  thug: {type: character, of: Bo, cost: %s}
ask: [may Ann use gift?, next]
"""


def poor(condition: str, resources: str = "{}", cost: str = "null") -> dict[str, Any]:
    text = POOR.replace("{do: wound, to: thug}", "{do: wound, each: character, to: it}")
    return answer(text % (resources, f'if: "{condition}", because: too rich', cost))


@pytest.mark.parametrize(
    "condition", ["you.resources = 3", "you.resources < 3", "you.resources + 1 = 3", "3 = you.resources"]
)
def test_a_number_that_nobody_told_is_asked_for_by_name(condition: str) -> None:
    found = poor(condition)
    assert found["status"] == "insufficient"
    assert "players.Ann.resources" in found["questions"][0]["sentence"]
    assert found["questions"][0]["depends"][0]["decision"] == "Ann: resources"
    assert poor(condition, resources="{resources: 2}")["status"] == "determined"


def test_a_cost_that_nobody_told_is_asked_for_where_something_counts_with_it() -> None:
    found = poor("any(character where cost <= 2)")
    assert "cards.thug.cost" in found["questions"][0]["sentence"]
    assert poor("any(character where cost <= 2)", cost="2")["questions"][0]["answer"] == "yes"


def test_a_number_that_cannot_matter_is_not_asked_for() -> None:
    assert poor("you.resources = 3 or active = you")["questions"][0]["answer"] == "yes"
    assert poor("you.resources = nothing")["questions"][0]["answer"] == "yes"


def test_a_described_card_may_name_the_other_cards_and_the_players() -> None:
    found = answer("""
system: coc-lcg
cards:
  shot: {type: event, of: Ann, zone: hand,
    abilities: [{kind: action, if: "thug.controller = Bo", do: [{do: wound, to: thug}]}]}
  thug: {type: character, of: Bo}
did: [Ann plays shot]
ask: [{holds: "thug.zone = 'discard'"}]
""")
    assert found["questions"][0]["answer"] == "yes"


def test_a_sentence_of_the_game_means_the_choice_whatever_the_card_calls_it() -> None:
    text = """
system: codex
cards:
  bolt: {type: spell, of: Ann, zone: hand, abilities: [{kind: action, choose: {%s: unit},
    do: [{do: damage, to: %s, amount: 3}]}]}
  rat: {type: unit, of: Bo, health: 1}
  hog: {type: unit, of: Bo, health: 9}
did: [Ann casts bolt on rat]
ask: [{holds: "rat.zone = 'discard'"}, "may Ann cast bolt on rat?"]
"""
    for name in ("target", "prey"):
        assert [one["answer"] for one in answer(text % (name, name))["questions"]] == ["yes", "yes"]


def test_a_kind_of_occurrence_as_an_instruction_is_told_how_to_write_it() -> None:
    text = """
system: coc-lcg
cards: {shot: {type: event, of: Ann, zone: hand, abilities: [{kind: action, do: [{destroy: {card: this}}]}]}}
"""
    with pytest.raises(UserError) as caught:
        scenarios.read(text)
    assert caught.value.code == "unknown-instruction"
    assert "{do: destroy, card: ...}" in caught.value.remedy


COUNTERS = """
system: magic
cards:
  finks: {name: Finks, type: creature, of: Ann, power: 3, toughness: 2, minus: 1}
ask: [{holds: "finks.minus = 1"}]
"""
PLACE = """
system: arkham
cards:
  hall: {name: Hall, type: location}
  roland: {is: Roland Banks, of: Ann, location: hall}
  rat: {name: Rat, type: enemy, engaged: roland}
ask: [{holds: "rat.place = hall"}]
"""


@pytest.mark.parametrize(
    ("scene", "said"), [(COUNTERS, "Finks has 1 -1/-1 counter."), (PLACE, "Rat is at Hall.")]
)
def test_a_fact_is_said_in_words_and_not_by_its_name(scene: str, said: str) -> None:
    assert answer(scene)["sentence"].endswith(said)
