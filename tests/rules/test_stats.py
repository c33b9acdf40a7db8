"""What a number or a mark reads as: printed, computed by the rules, changed by effects, fixed."""

from typing import Any

import pytest

from rules.engine.base.errors import Circular
from rules.engine.compiler import compile_system
from rules.engine.machine.interpreter import Machine
from rules.engine.setup.scenario_scene import ScenarioScene

SYSTEM: dict[str, Any] = {
    "system": "toy",
    "version": "1",
    "zones": {"play": "in play", "hand": "in hand"},
    "properties": {
        "type": {"type": "symbol", "values": ["unit"]},
        "blank": {"type": "yes-no", "stat": True},
        "mad": {"type": "yes-no"},
        "armour": {"type": "number", "stat": True, "floor": 0, "base": "if(blank, 0, printed)"},
        "power": {"type": "number", "stat": True, "floor": 0, "fixed": [{"when": "mad", "at": 0}]},
        "cost": {"type": "number", "default": None, "stat": True, "floor": 0},
        "tags": {"type": "list", "stat": True},
        "cap": {"type": "number", "of": "player", "stat": True, "default": 9},
        "cards": {"type": "number", "of": "player"},
    },
    "derived": {
        "strong": "power > 2",
        "over": {"of": "player", "is": "cards > cap"},
        "army": {"of": "player", "is": "count(card where type = 'unit' and controller = self)"},
    },
    "silent": {"when": "blank"},
    "points": ["after"],
    "kinds": {"action": {"use": "may"}},
    "vocabulary": {"note": {"roles": {"card": "card"}}},
    "charts": {"main": [{"expire": "turn"}], "occurrence": ["commit"], "use": []},
    "starts": {"main": "main"},
}


def machine(cards: dict[str, Any], players: dict[str, Any] | None = None) -> Machine:
    system = compile_system(SYSTEM, digest="")
    scenario = {
        "players": players or {"Ann": {}, "Bo": {}}, "active": "Ann", "cards": cards, "at": "main", "pinned": {},
    }  # fmt: skip
    return Machine(ScenarioScene(system, scenario, lambda name: {}))


def read(m: Machine, text: str) -> Any:
    return m.scene.expression(text, "test")(m, ())


UNIT = {"type": "unit", "of": "Ann", "armour": 2, "power": 1}


def test_the_rules_compute_a_value_from_the_printed_one_before_effects_change_it() -> None:
    helm = {"type": "unit", "of": "Ann", "always": [{"stat": "armour", "of": "it != this", "by": 1}]}
    assert read(machine({"u": UNIT, "helm": helm}), "u.armour") == 3
    assert read(machine({"u": {**UNIT, "blank": True}, "helm": helm}), "u.armour") == 1


def test_a_fixed_value_is_not_changed_by_anything() -> None:
    horn = {"type": "unit", "of": "Ann", "always": [{"stat": "power", "of": "yes", "by": 5}]}
    assert read(machine({"u": UNIT, "horn": horn}), "u.power") == 6
    assert read(machine({"u": {**UNIT, "mad": True}, "horn": horn}), "u.power") == 0


def test_setting_comes_before_adding_whichever_card_stands_first() -> None:
    add = {"type": "unit", "of": "Ann", "always": [{"stat": "power", "of": "yes", "by": 1}]}
    fix = {"type": "unit", "of": "Ann", "always": [{"stat": "power", "of": "yes", "to": 4}]}
    assert read(machine({"u": UNIT, "a": add, "f": fix}), "u.power") == 5
    assert read(machine({"u": UNIT, "f": fix, "a": add}), "u.power") == 5


def test_a_card_that_blanks_all_others_is_not_asked_whether_it_blanks_itself() -> None:
    night = {"type": "unit", "of": "Ann", "always": [{"stat": "blank", "of": "it != this", "to": "yes"}]}
    m = machine({"u": {**UNIT, "always": [{"stat": "power", "of": "it = this", "by": 3}]}, "night": night})
    assert (read(m, "u.blank"), read(m, "u.power"), read(m, "night.blank")) == (True, 1, False)


def test_which_of_two_cards_that_blank_each_other_works_nobody_knows() -> None:
    other = {"type": "unit", "of": "Ann", "always": [{"stat": "blank", "of": "it != this", "to": "yes"}]}
    m = machine({"one": other, "two": other})
    for card in ("one", "two"):
        with pytest.raises(Circular):
            read(m, f"{card}.blank")
    assert (m.judging, m.circular, m.verdicts) == ({}, set(), set())


def test_an_effect_that_asks_for_what_it_changes_is_judged_without_it() -> None:
    mud = {"type": "unit", "of": "Ann", "always": [{"stat": "power", "of": "it.power <= 1", "by": 1}]}
    m = machine({"u": UNIT, "mud": mud, "strong": {**UNIT, "power": 2}})
    assert (read(m, "u.power"), read(m, "strong.power")) == (2, 2)
    own = {"type": "unit", "of": "Ann", "always": [{"stat": "power", "of": "it != this", "by": "it.power"}]}
    assert read(machine({"u": UNIT, "own": own}), "u.power") == 2


def test_each_of_two_such_effects_counts_with_the_other() -> None:
    mud = {"type": "unit", "of": "Ann", "always": [{"stat": "power", "of": "it.power >= 2", "by": 1}]}
    ice = {"type": "unit", "of": "Ann", "always": [{"stat": "power", "of": "yes", "by": 1}]}
    m = machine({"u": UNIT, "mud": mud, "ice": ice})
    assert read(m, "u.power") == 3


@pytest.mark.parametrize(("zone", "cost"), [("hand", 2), ("play", 4)])
def test_an_effect_that_works_in_the_hand_works_only_there(zone: str, cost: int) -> None:
    cheap = {"type": "unit", "of": "Ann", "zone": zone, "cost": 4}
    cheap["always"] = [{"stat": "cost", "of": "it = this", "by": "0 - 2", "zones": ["hand"]}]
    assert read(machine({"cheap": cheap}), "cheap.cost") == cost


def test_effects_change_what_players_have_and_values_of_players_are_derived() -> None:
    book = {"type": "unit", "of": "Bo", "always": [{"stat": "cap", "of": "it != you", "to": 5}]}
    m = machine({"book": book}, {"Ann": {"cards": 6}, "Bo": {"cards": 6}})
    assert (read(m, "Ann.over"), read(m, "Bo.over"), read(m, "Bo.seat")) == (True, False, 2)


def test_what_nobody_knows_can_be_set_and_not_added_to() -> None:
    unknown = {"type": "unit", "of": "Ann"}
    for change, value in (({"to": 5}, 5), ({"by": 5}, None)):
        horn = {"type": "unit", "of": "Ann", "always": [{"stat": "cost", "of": "yes", **change}]}
        assert read(machine({"u": unknown, "horn": horn}), "u.cost") == value


def test_a_word_is_added_to_a_list() -> None:
    badge = {"type": "unit", "of": "Ann", "always": [{"stat": "tags", "of": "it != this", "by": "'Knight'"}]}
    m = machine({"u": {**UNIT, "tags": ["Squire"]}, "badge": badge})
    assert read(m, "u.tags has 'Knight' and u.tags has 'Squire' and not badge.tags has 'Knight'")


def test_what_is_derived_of_an_object_can_count_what_stands_in_some_relation_to_it() -> None:
    m = machine({"one": UNIT, "two": UNIT, "three": {**UNIT, "of": "Bo"}})
    assert (read(m, "Ann.army"), read(m, "Bo.army")) == (2, 1)
