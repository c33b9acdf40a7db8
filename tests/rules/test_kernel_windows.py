"""The kernel's windows, users and groups, on a small invented game: what no shipped system should have to prove."""

from collections.abc import Mapping
from typing import Any

import pytest

from config import strict_yaml
from rules.engine.answers.answer import answer
from rules.engine.base.errors import DataError
from rules.engine.compiler import compile_system
from rules.engine.setup.scenario_scene import ScenarioScene

TOY = """
system: toy
zones: {play: in play, hand: in hand, discard: in the discard pile}
in-play: [play]
replaced-counts: yes
properties:
  type: {type: symbol, values: [thing, place]}
  dumb: {type: yes-no, stat: true}
  near: {type: cards, default: null}
  burns: {type: number}
  chills: {type: number}
  secret: {type: number, told: no}
  score: {type: number, of: player}
nouns: {thing: "type = 'thing' and zone = 'play'"}
silent: {when: dumb}
points: [when, at, after]
later: [at, after]
hushes: [reaction]
kinds:
  move: {use: may}
  trait: {use: must}
  reaction: {use: may}
  echo: {use: must, at: at, of: [burn], zones: [hand, play]}
you: {move: "list(player)"}
access:
  - when: "ability.kind = 'move'"
    if: "this.controller = nothing or this.controller = you"
    because: "{this} is not {you}'s"
vocabulary:
  burn: {roles: {card: card, amount: 1}, edits: [{add: burns, of: card, by: amount}], says: "{card} burns"}
  chill: {roles: {card: card, amount: 1}, edits: [{add: chills, of: card, by: amount}], says: "{card} is chilled"}
  hurt: {roles: {card: card, by: source}, edits: [{add: burns, of: card}]}
  win: {roles: {who: player, amount: 1}, edits: [{add: score, of: who, by: amount}]}
starts: {table: table}
rulebook:
  - {on: "type = 'place'", name: visit, kind: move, do: [{do: win, who: you, amount: 9}]}
charts:
  table: [{window: {of: move, start: active, nest: use, stops: yes}}]
  use: [targets, costs, execute, {if: "trigger.status = 'cancelled'", then: [{hush: "yes"}]}]
  occurrence:
    - gate:
        of: [trait, reaction]
        do:
          - point: when
          - must: {of: trait, order: nothing, start: next(active), nest: use}
          - window: {of: reaction, order: next(active), start: active, closes: each-done, nest: use}
    - commit
    - if: "heard('at')"
      then: [{note: somebody listens}, {gate: {of: echo, do: [{point: at}, {must: {of: echo, one: yes, nest: use}}]}}]
"""

BURN = "{type: thing, of: Ann, abilities: [{kind: move, do: [{do: burn, card: this}]}]}"


def play(
    cards: Mapping[str, str],
    did: list[Any],
    ask: list[Any],
) -> dict[str, Any]:
    """The answer to a canonical scenario of the invented game, Ann to move."""
    canonical = {
        "system": "toy",
        "pinned": {},
        "players": {"Ann": {}, "Bo": {}},
        "active": "Ann",
        "at": "table",
        "game": {},
        "cards": {key: strict_yaml.load(text, name="a card") for key, text in cards.items()},
        "did": did,
        "wants": {},
        "ask": ask,
    }
    system = compile_system(strict_yaml.load(TOY, name="toy"), digest="")
    return answer(ScenarioScene(system, canonical, lambda name: {}), budget=5_000)


def value(cards: Mapping[str, str], did: list[Any], test: str) -> Any:
    return play(cards, did, [{"holds": test}])["questions"][0]["answer"]


def uses(card: str, who: str = "Ann") -> dict[str, Any]:
    return {"who": who, "use": card}


def texts(steps: list[dict[str, Any]]) -> list[str]:
    return [text for step in steps for text in (step["text"], *texts(step["children"]))]


def scores(kind: str, who: str, amount: int) -> str:
    """A card of `who` that counts when something burns."""
    return (
        f"{{type: thing, of: {who}, abilities: [{{kind: {kind}, at: when, of: burn, "
        f"do: [{{do: win, who: {who.lower()}x, amount: {amount}}}]}}]}}"
    ).replace(f"{who.lower()}x", "you")


def test_a_card_of_nobody_may_be_used_by_everybody_and_a_card_of_somebody_by_him_alone() -> None:
    free = "{type: place, abilities: [{kind: move, do: [{do: win, who: you}]}]}"
    cards = {"free": free, "burn": BURN}
    found = play(cards, [{"who": "Ann", "pass": True}], [{"legal": {"who": "Bo", "use": c}} for c in cards])
    assert [question["answer"] for question in found["questions"]] == ["yes", "no"]
    assert found["questions"][1]["why_not"][0]["reason"] == "burn is not Bo's"


def test_a_player_says_which_of_several_is_called_next_and_who_passes_is_done() -> None:
    cards = {"burn": BURN, "a": scores("reaction", "Ann", 1), "b": scores("reaction", "Bo", 1)}
    found = play(cards, [uses("burn")], [{"order": ["a", "b"]}])
    assert found["questions"][0]["depends"][0]["decision"] == "which comes next"
    assert found["questions"][0]["depends"][0]["who"] == "Bo"
    assert found["counts"]["lines"] == 8  # who is called first, and two uses or passes each
    both = play(cards, [uses("burn"), uses("b", "Bo"), uses("a")], [{"order": ["a", "b"]}])
    assert both["questions"][0]["answer"] == "b, then a"
    assert both["counts"]["lines"] == 1


def test_nobody_named_to_order_leaves_each_to_order_his_own_from_the_start_on() -> None:
    cards = {"burn": BURN, "a": scores("trait", "Ann", 1), "b": scores("trait", "Bo", 1)}
    assert play(cards, [uses("burn")], [{"order": ["a", "b"]}])["questions"][0]["answer"] == "b, then a"


def test_no_more_than_one_compulsory_ability_where_the_chart_wants_one() -> None:
    echo = "{type: thing, of: Bo, zone: hand, abilities: [{kind: echo, do: [{do: win, who: you}]}]}"
    assert value({"burn": BURN, "e": echo, "f": echo}, [uses("burn")], "Bo.score = 1") == "yes"


def test_a_kind_says_what_its_abilities_answer_and_whether_anybody_listens() -> None:
    echo = "{type: thing, of: Bo, zone: hand, abilities: [{kind: echo, do: [{do: win, who: you}]}]}"
    assert "somebody listens" in texts(play({"burn": BURN, "e": echo}, [uses("burn")], [])["trace"])
    assert "somebody listens" not in texts(play({"burn": BURN}, [uses("burn")], [])["trace"])


def test_what_was_cancelled_can_be_answered_no_more_and_the_refusal_says_so() -> None:
    stop = (
        "{type: thing, of: Ann, abilities: [{kind: reaction, at: when, of: burn, do: [{cancel: trigger}]}]}"
    )
    cards = {"burn": BURN, "stop": stop, "b": scores("reaction", "Bo", 1)}
    did = [uses("burn"), uses("stop")]
    found = play(cards, did, [{"legal": {"who": "Bo", "use": "b"}}])["questions"][0]
    assert found["answer"] == "no"
    assert found["why_not"][0]["reason"] == "what it responds to no longer counts"


TOGETHER = """
type: thing
of: Ann
abilities:
  - kind: move
    do:
      - together: [{do: burn, card: this}, {do: chill, each: thing, card: it}]
      - then: [{do: win, who: you}]
"""


def test_occurrences_of_several_kinds_happen_as_one_group() -> None:
    found = play(
        {"two": TOGETHER}, [uses("two")], [{"holds": "two.burns = 1 and two.chills = 1 and Ann.score = 1"}]
    )
    assert found["questions"][0]["answer"] == "yes"
    assert "two burns; two is chilled" in texts(found["trace"])


def test_one_thing_may_stand_for_all_that_would_happen() -> None:
    instead = """
type: thing
of: Ann
abilities:
  - kind: trait
    at: when
    of: [burn]
    do: [{replace: trigger, with: [{together: [{do: chill, card: this}, {do: win, who: you, amount: 5}]}]}]
"""
    cards = {"two": TOGETHER, "instead": instead}
    test = "two.burns = 0 and two.chills = 1 and instead.chills = 2 and Ann.score = 6"
    assert value(cards, [uses("two")], test) == "yes"


def test_an_effect_that_silences_cards_may_name_itself_as_the_reason() -> None:
    hush = '{type: thing, of: Bo, always: [{stat: dumb, of: "it != this", to: yes, cite: []}]}'
    found = play(
        {"hush": hush, "a": scores("reaction", "Ann", 1), "burn": BURN}, [], [{"legal": uses("burn")}]
    )
    reason = found["questions"][0]["why_not"][0]["reason"]
    assert reason == "burn's text does not work because of hush"


def test_lists_of_cards_hold_cards_and_what_is_not_worth_telling_is_not_told() -> None:
    move = """
type: thing
of: Ann
near: [there]
abilities: [{kind: move, do: [{for: "card as c where c in this.near", as: c, do: [{add: secret, of: c}]}]}]
"""
    found = play(
        {"m": move, "there": "{type: place}", "far": "{type: place}"},
        [uses("m")],
        [{"holds": "there.secret = 1 and far.secret = 0"}],
    )
    assert found["questions"][0]["answer"] == "yes"
    assert not any("secret" in text for text in texts(found["trace"]))


def test_what_something_comes_from_may_be_gone_when_it_happens() -> None:
    avenge = """
type: thing
of: Ann
abilities:
  - kind: trait
    at: when
    of: hurt
    if: "trigger.card = this"
    do: [{move: trigger.by, to: discard}, {move: this, to: play}]
"""
    hit = """
type: thing
of: Ann
abilities: [{kind: move, choose: {t: "thing where name = 'victim'"}, do: [{do: hurt, card: t, by: this}]}]
"""
    cards = {"hit": hit, "victim": avenge}
    assert value(cards, [uses("hit")], "hit.zone = 'discard' and victim.burns = 1") == "yes"


def test_a_card_s_name_alone_means_its_own_text_and_the_rules_only_where_it_has_none() -> None:
    own = "{type: place, abilities: [{kind: move, do: [{do: win, who: you}]}]}"
    bare = "{type: place}"
    did = [uses("own"), {"who": "Bo", "pass": True}, uses("bare"), {"who": "Bo", "pass": True}]
    did += [{**uses("own"), "ability": "visit"}]
    assert value({"own": own, "bare": bare}, did, "Ann.score = 19") == "yes"
    asked = [{"legal": {**uses("own"), "ability": word}} for word in ("visit", "move")]
    answers = [question["answer"] for question in play({"own": own}, [], asked)["questions"]]
    assert answers == ["yes", "yes"]
    with pytest.raises(DataError, match="unknown ability of own 'reaction'"):
        play({"own": own}, [], [{"legal": {**uses("own"), "ability": "reaction"}}])


def test_the_reason_why_not_is_that_of_the_ability_that_is_meant() -> None:
    own = (
        "{type: place, abilities: [{kind: move, if: 'no', because: it is asleep, do: [{do: win, who: you}]}]}"
    )
    found = play({"own": own}, [], [{"legal": uses("own")}])["questions"][0]
    assert found["answer"] == "no"
    assert found["why_not"][0]["reason"] == "it is asleep"


def test_one_use_within_another_without_end_is_told_and_not_a_fault() -> None:
    """Each use is a decision, so no procedure runs too long by itself: it is the depth that ends it."""
    again = """
type: thing
of: Ann
abilities:
  - {kind: move, do: [{do: burn, card: this}]}
  - {kind: reaction, at: when, of: burn, do: [{do: burn, card: this}]}
"""
    found = play({"again": again}, [{**uses("again"), "ability": "move"}], [{"holds": "again.burns = 1"}])
    assert found["questions"][0]["status"] in ("depends", "loop")
    assert found["counts"]["lines"] is None  # where play nests without end nobody counts them
