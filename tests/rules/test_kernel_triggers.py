"""The kernel's triggers, points and windows, on a small invented game: what no shipped system should have to prove."""

from collections.abc import Mapping
from typing import Any

import pytest

from config import strict_yaml
from rules.engine.answers.answer import answer
from rules.engine.base.errors import DataError
from rules.engine.compiler import compile_system
from rules.engine.compiler.cards import CardCompiler
from rules.engine.setup.scenario_scene import ScenarioScene
from rules.law import system_files

TOY = """
system: toy
zones: {play: in play, hand: in hand, discard: in the discard pile}
in-play: [play]
properties:
  type: {type: symbol, values: [thing, tool]}
  size: {type: number, stat: true}
  marked: {type: yes-no, stat: true}
  blank: {type: yes-no}
  seen: {type: number, of: player}
  score: {type: number, of: player}
  coins: {type: number, of: player}
  short: {type: yes-no, of: player}
nouns: {thing: "type = 'thing' and zone = 'play'", tool: "type = 'tool' and zone = 'play'"}
silent: {when: blank}
points: [before, when, after]
later: [after]
kinds:
  move: {use: may}
  trait: {use: must}
  reaction: {use: may}
flags: [quick]
floor-each-change: "reading('floor') = 'each'"
vocabulary:
  aim: {roles: {card: card, by: player}}
  poke: {roles: {card: card}, says: "{card} is poked"}
  lose: {roles: {card: card}, edits: [{move: card, to: discard}], possible: [{if: "card.zone = 'play'"}]}
  win: {roles: {who: player, amount: 1}, edits: [{add: score, of: who, by: amount}]}
  grow: {roles: {card: card}, steps: [{lasting: {of: card, stat: size, by: 1, until: turn}}]}
starts: {table: table, theirs: theirs}
payments: {coins: {chart: collect, paid: not payer.short}}
continuous: {cite: [T-1]}
law: {T-1: {in: one, says: it holds as long as it holds}}
targeting: aim
charts:
  table: [{window: {of: move, start: active, nest: use, stops: yes}}]
  use: [{targets: aim}, costs, execute]
  theirs: [{window: {of: move, only: next(active), nest: use, stops: yes}}]
  collect:
    - {do: poke, card: the(thing)}
    - if: "any(tool where marked)"
      then: [{set: short, of: payer, to: yes}]
  occurrence:
    - gate:
        of: [trait, reaction]
        do:
          - point: before
          - must: {of: trait, nest: use}
          - if: "reading('rounds') = 'one'"
            then: [{window: {of: reaction, nest: reaction, quiet: yes}}]
            else: [{window: {of: reaction, nest: reaction, closes: each-done, moves: seat, quiet: yes}}]
    - commit
    - gate: {of: [trait], do: [{point: when, of: "member where status = 'done'"}, {must: {of: trait, nest: use}}]}
    - gate: {of: [trait], do: [{point: after}, {must: {of: trait, nest: use}}]}
  reaction: [targets, {execute: }, {if: "this.marked", then: [again]}]
rulebook:
  - {on: "type = 'thing'", kind: trait, at: after, of: lose, if: "trigger.card = this", do: [{do: win, who: you}]}
restrictions:
  - {when: "trigger != nothing", if: possible(trigger), because: it will not happen any more}
  - {when: "ability.kind = 'move'", if: "ability.quick or you = active", because: only the active player moves}
readings:
  floor: {ask: when, options: {end: end, each: each}, default: end, status: inferred}
  rounds: {ask: how, options: {one: one, many: many}, default: one, status: inferred}
"""


def play(
    cards: Mapping[str, Any],
    did: list[Any],
    ask: list[Any],
    pinned: Mapping[str, str] | None = None,
    at: str = "table",
) -> dict[str, Any]:
    """The answer to a canonical scenario of the invented game, Ann to move."""
    canonical = {
        "system": "toy",
        "pinned": dict(pinned or {}),
        "players": {"Ann": {}, "Bo": {}},
        "active": "Ann",
        "at": at,
        "game": {},
        "cards": {key: strict_yaml.load(text, name="a card") for key, text in cards.items()},
        "did": did,
        "wants": {},
        "ask": ask,
    }
    system = compile_system(strict_yaml.load(TOY, name="toy"), digest="")
    return answer(ScenarioScene(system, canonical, lambda name: {}), budget=5_000)


def holds(cards: Mapping[str, Any], did: list[Any], test: str, **options: Any) -> Any:
    return play(cards, did, [{"holds": test}], **options)["questions"][0]["answer"]


def uses(card: str, who: str = "Ann") -> dict[str, Any]:
    return {"who": who, "use": card}


POKE = "{type: tool, of: Ann, abilities: [{kind: move, do: [{do: poke, card: this}]}]}"
LATER = """
type: tool
of: Ann
abilities:
  - kind: move
    choose: {t: thing}
    do: [{delayed: {once: yes, kind: trait, at: after, of: poke, keep: [t], do: [{do: lose, card: t}]}}]
"""
THING = "{type: thing, of: Bo, size: 2}"


def test_two_delayed_effects_of_one_card_keep_each_its_own_choice() -> None:
    cards = {"later": LATER, "poke": POKE, "one": THING, "two": THING}
    did = [uses("later"), {"who": "Ann", "choose": "one", "for": "t"}, {"who": "Bo", "pass": True}]
    did += [uses("later"), {"who": "Ann", "choose": "two", "for": "t"}, {"who": "Bo", "pass": True}]
    assert holds(cards, [*did, uses("poke")], "one.zone = 'discard' and two.zone = 'discard'") == "yes"


def test_what_only_a_delayed_effect_changes_keeps_positions_apart() -> None:
    """The score is written by nothing but the delayed effect; lines that differ in it must not be merged."""
    late = (
        "{type: tool, of: Ann, abilities: [{kind: move, do: [{delayed: {once: yes, kind: trait, at: after, of: poke,"
        " do: [{may: [{add: seen, of: you, by: 1}]}]}}]}]}"
    )
    found = play(
        {"late": late, "poke": POKE},
        [uses("late"), {"who": "Bo", "pass": True}, uses("poke")],
        [{"holds": "Ann.seen = 1"}],
    )
    assert found["questions"][0]["status"] == "depends"
    assert found["counts"]["ends"] == 2


def test_a_delayed_effect_reads_what_left_as_it_was() -> None:
    late = (
        "{type: tool, of: Ann, abilities: [{kind: move, do: [{delayed: {once: yes, kind: trait, at: after, of: lose,"
        ' if: "trigger.card.marked", do: [{do: win, who: you, amount: 5}]}}]}]}'
    )
    axe = "{type: tool, of: Ann, abilities: [{kind: move, choose: {t: thing}, do: [{do: lose, card: t}]}]}"
    aura = "{type: tool, of: Ann, always: [{stat: marked, of: \"it.zone = 'play'\", to: yes}]}"
    did = [uses("late"), {"who": "Bo", "pass": True}, uses("axe")]
    assert holds({"late": late, "axe": axe, "one": THING, "aura": aura}, did, "Ann.score = 5") == "yes"
    assert holds({"late": late, "axe": axe, "one": THING}, did, "Ann.score = 5") == "no"


def test_the_host_of_what_left_is_read_as_it_was_just_before() -> None:
    """The tool itself marks its bearer, so after it is lost only the look back finds the mark."""
    tool = (
        "{type: tool, of: Ann, host: one, always: [{stat: marked, of: it = this.host, to: yes}], abilities:"
        ' [{kind: trait, at: after, of: lose, if: "trigger.card = this and trigger.card.host.marked",'
        " do: [{do: win, who: you}]}, {kind: move, do: [{do: lose, card: this}]}]}"
    )
    assert holds({"tool": tool, "one": THING}, [uses("tool")], "Ann.score = 1 and not one.marked") == "yes"


def test_an_ability_of_the_rules_works_though_the_text_is_blank() -> None:
    axe = "{type: tool, of: Ann, abilities: [{kind: move, choose: {t: thing}, do: [{do: lose, card: t}]}]}"
    blank = "{type: thing, of: Bo, blank: yes}"
    assert holds({"axe": axe, "one": blank}, [uses("axe")], "Bo.score = 1") == "yes"


def test_an_occurrence_may_change_a_stat_for_a_while() -> None:
    grow = "{type: tool, of: Ann, abilities: [{kind: move, choose: {t: thing}, do: [{do: grow, card: t}]}]}"
    assert holds({"grow": grow, "one": THING}, [uses("grow")], "one.size = 3") == "yes"


def test_a_point_may_be_opened_for_chosen_members_whatever_became_of_them() -> None:
    when = "{type: tool, of: Ann, abilities: [{kind: trait, at: when, of: poke, do: [{do: win, who: you}]}]}"
    assert holds({"poke": POKE, "when": when}, [uses("poke")], "Ann.score = 1") == "yes"


def test_a_rule_may_speak_of_the_kind_of_ability() -> None:
    quick = "{type: tool, of: Bo, abilities: [{kind: move, flags: quick, do: []}]}"
    slow = "{type: tool, of: Bo, abilities: [{kind: move, do: []}]}"
    asks = [{"legal": uses("quick", "Bo")}, {"legal": uses("slow", "Bo")}]
    found = play({"quick": quick, "slow": slow, "poke": POKE}, [uses("poke")], asks)
    assert [question["answer"] for question in found["questions"]] == ["yes", "no"]
    assert found["questions"][1]["why_not"][0]["reason"] == "only the active player moves"


def test_changes_are_summed_before_zero_holds_unless_the_system_holds_each() -> None:
    more = "{type: tool, of: Ann, abilities: [{kind: trait, at: before, of: win, do: [{alter: trigger, by: 1}]}]}"
    less = "{type: tool, of: Ann, abilities: [{kind: trait, at: before, of: win, do: [{alter: trigger, by: 0 - 2}]}]}"
    win = "{type: tool, of: Ann, abilities: [{kind: move, do: [{do: win, who: you}]}]}"
    cards = {"more": more, "less": less, "win": win}
    assert holds(cards, [uses("win")], "Ann.score = 0") == "yes"
    assert holds(cards, [uses("win")], "Ann.score = 0", pinned={"floor": "each"}) is None  # the order matters


def test_changing_a_number_that_is_not_there_changes_nothing() -> None:
    less = "{type: tool, of: Ann, abilities: [{kind: trait, at: before, of: poke, do: [{alter: trigger, by: 1}]}]}"
    assert holds({"less": less, "poke": POKE}, [uses("poke")], "Ann.score = 0") == "yes"


REACT = (
    "{type: tool, of: %s, blank: %s, abilities: [{kind: reaction, at: before, of: poke, "
    "do: [{do: win, who: you}]}]}"
)


def test_who_passed_stays_out_when_the_window_goes_round_the_seats_once() -> None:
    """Ann passes, Bo reacts: may Ann still? Only where passes must follow one another."""
    cards = {"poke": POKE, "hers": REACT % ("Ann", "no"), "his": REACT % ("Bo", "no")}
    did = [uses("poke"), {"who": "Ann", "pass": True}, uses("his", "Bo"), uses("hers")]
    assert holds(cards, did, "Ann.score = 1") == "yes"
    found = play(cards, did, [{"holds": "Ann.score = 1"}], pinned={"rounds": "many"})
    assert found["questions"][0]["answer"] == "illegal"


def test_an_opportunity_may_be_given_back() -> None:
    """`again` in the chart of a use: here for marked cards."""
    unmarked = (REACT % ("Ann", "no")).replace("do: [", "do: [{may: []}, ")
    marked = unmarked.replace("blank: no", "marked: yes")
    twice = [uses("poke"), *2 * [uses("hers"), {"who": "Ann", "choose": "yes"}]]
    did = [*twice, {"who": "Ann", "pass": True}]
    assert holds({"poke": POKE, "hers": marked}, did, "Ann.score = 2") == "yes"
    once = play({"poke": POKE, "hers": unmarked}, twice, [{"holds": "Ann.score = 2"}])
    assert once["sentence"].startswith("Ann could not use")


AXE = "{type: tool, of: Ann, abilities: [{kind: move, choose: {t: thing}, do: [{do: lose, card: t}]}]}"


def test_a_choice_that_is_announced_can_be_changed_before_it_takes_hold() -> None:
    decoy = (
        "{type: thing, of: Bo, abilities: [{kind: trait, at: before, of: aim,"
        " do: [{alter: trigger, set: {card: this}}]}]}"
    )
    did = [uses("axe"), {"who": "Ann", "choose": "one", "for": "t"}]
    cards = {"axe": AXE, "one": THING, "decoy": decoy}
    assert holds(cards, did, "one.zone = 'play' and decoy.zone = 'discard'") == "yes"


def test_a_choice_that_is_prevented_leaves_nothing_chosen() -> None:
    ward = "{type: tool, of: Bo, abilities: [{kind: trait, at: before, of: aim, do: [{cancel: trigger}]}]}"
    assert holds({"axe": AXE, "one": THING, "ward": ward}, [uses("axe")], "one.zone = 'play'") == "yes"
    assert holds({"axe": AXE, "one": THING}, [uses("axe")], "one.zone = 'play'") == "no"


def test_a_window_may_be_open_to_one_player_only() -> None:
    found = play({"poke": POKE}, [], [{"next": True}], at="theirs")
    assert found["questions"][0]["answer"] == "Bo"
    found = play({"poke": POKE}, [{"who": "Bo", "pass": True}], [{"next": True}], at="theirs")
    assert found["questions"][0]["answer"] == "nobody: the part of the game described is over"


def test_a_payment_with_a_procedure_may_turn_out_unpaid() -> None:
    pay = (
        "{type: tool, of: Ann, abilities: [{kind: move, cost: [{pay: coins}, {do: win, who: you}], do: []}]}"
    )
    taxman = "{type: tool, of: Bo, marked: yes}"
    assert holds({"pay": pay, "one": THING}, [uses("pay")], "Ann.score = 1") == "yes"
    assert holds({"pay": pay, "one": THING, "taxman": taxman}, [uses("pay")], "Ann.score = 0") == "yes"


def test_the_account_says_what_continuous_effects_did_with_what_happened() -> None:
    aura = "{type: thing, of: Ann, always: [{stat: size, of: it != this, by: 3}]}"
    found = play(
        {"axe": AXE, "aura": aura, "one": THING},
        [uses("axe"), {"who": "Ann", "choose": "aura"}],
        [{"next": True}],
    )
    step = next(
        step for step in every(found["trace"]) if {"text": "one's size is 2, 5 before"} in step["changes"]
    )
    assert (step["kind"], step["cites"]) == ("occurrence", ["T-1"])


def test_what_cannot_happen_any_more_is_not_answered() -> None:
    lost = "[{kind: trait, at: before, of: poke, do: [{do: lose, card: trigger.card}]}]"
    thief = f"{{type: tool, of: Bo, abilities: {lost}}}"
    asks = [{"legal": uses("hers")}]
    cards = {"poke": POKE, "hers": REACT % ("Ann", "no")}
    assert play(cards, [uses("poke")], asks)["questions"][0]["answer"] == "yes"
    found = play({**cards, "thief": thief}, [uses("poke")], asks)
    assert found["questions"][0]["why_not"][0]["reason"] == "it will not happen any more"


def test_the_next_decision_is_the_first_that_the_scenario_does_not_make() -> None:
    found = play({"axe": AXE, "one": THING, "two": THING}, [uses("axe")], [{"now": True}])
    assert found["questions"][0]["answer"] == "Ann chooses among one, two"


def every(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for step in steps for one in (step, *every(step["children"]))]


def test_a_trigger_is_of_the_kind_that_what_it_answers_makes_it() -> None:
    codex = system_files.system("codex")
    both = {"kind": "trigger", "of": ["arrive", "attacks"], "do": []}
    abilities = CardCompiler(codex).compile("Duck", {"abilities": [both]}).abilities
    assert [(one.kind.name, one.of) for one in abilities] == [
        ("queued", ("arrive",)),
        ("immediate", ("attacks",)),
    ]
    with pytest.raises(DataError, match="say what it responds to"):
        CardCompiler(codex).compile("Mute", {"abilities": [{"kind": "trigger", "do": []}]})
