"""Instructions and marks of the language, each in the smallest game that shows it."""

from collections.abc import Mapping
from typing import Any

import pytest

from rules.engine.answers.answer import answer
from rules.engine.base.errors import DataError
from rules.engine.compiler import compile_system
from rules.engine.setup.scenario_scene import ScenarioScene

GAME: dict[str, Any] = {
    "system": "toy",
    "zones": {"play": "in play", "hand": "in hand", "discard": "in the discard pile"},
    "properties": {
        "type": {"type": "symbol", "values": ["unit", "spell"], "stat": True},
        "size": {"type": "number", "stat": True, "floor": 0},
        "wounds": {"type": "number", "shed": True},
        "tags": {"type": "list"},
        "safe": {"type": "yes-no"},
    },
    "nouns": {"unit": "type = 'unit' and zone = 'play'"},
    "points": ["would", "after"],
    "later": ["after"],
    "kinds": {"action": {"use": "may"}, "reaction": {"use": "must"}},
    "vocabulary": {
        "wound": {
            "roles": {"to": "card", "amount": 1},
            "possible": [{"if": "not to.safe", "because": "{to} is safe", "cannot": "yes"}],
            "edits": [{"add": "wounds", "of": "to", "by": "amount"}],
        },
        "destroy": {"roles": {"card": "card"}, "edits": [{"move": "card", "to": "discard"}]},
    },
    "checks": [{"do": "destroy", "each": "unit where wounds > size", "card": "it"}],
    "charts": {
        "turn": [{"window": {"of": "action", "start": "active", "nest": "use", "stops": "yes"}}],
        "use": ["targets", "costs", "execute"],
        "occurrence": [
            {
                "gate": {
                    "of": "reaction",
                    "do": [
                        "commit",
                        {"point": "after"},
                        {"must": {"of": "reaction", "nest": "use"}},
                        "check",
                    ],
                }
            }
        ],
    },
    "starts": {"turn": "turn"},
}


def ask(
    cards: Mapping[str, Any], *did: Any, ask: str, game: Mapping[str, Any] = GAME, at: Any = "turn"
) -> dict[str, Any]:
    """The answer to `holds` after the moves; every card is Ann's unless it says otherwise."""
    scenario = {
        "system": "toy", "pinned": {}, "players": {"Ann": {}, "Bo": {}}, "active": "Ann", "at": at, "game": {},
        "cards": {key: {"of": "Ann", **card} for key, card in cards.items()},
        "did": list(did), "wants": {}, "ask": [{"holds": ask}],
    }  # fmt: skip
    return answer(ScenarioScene(compile_system(game, digest=""), scenario, lambda name: {}), budget=5_000)


def said(cards: Mapping[str, Any], *did: Any, ask_: str, game: Mapping[str, Any] = GAME) -> str:
    found = ask(cards, *did, ask=ask_, game=game)["questions"][0]
    return str(found["answer"])


def use(card: str, **choices: Any) -> list[dict[str, Any]]:
    """Ann uses a card and makes these choices."""
    return [
        {"who": "Ann", "use": card},
        *({"who": "Ann", "choose": v, "for": k} for k, v in choices.items()),
    ]


def spell(**ability: Any) -> dict[str, Any]:
    return {"type": "spell", "abilities": [{"kind": "action", **ability}]}


UNIT = {"type": "unit"}


def test_a_number_is_chosen_from_a_range() -> None:
    cards = {
        "one": UNIT,
        "bolt": spell(choose={"x": "range(1, 4)"}, do=[{"add": "wounds", "of": "the(unit)", "by": "x"}]),
    }
    assert said(cards, *use("bolt", x="3"), ask_="one.wounds = 3") == "yes"
    assert said(cards, *use("bolt"), ask_="one.wounds = 3") == "None"  # it hangs on Ann
    assert said(cards, *use("bolt", x="5"), ask_="one.wounds = 5") == "illegal"


def test_an_option_is_chosen_by_its_label() -> None:
    effect = {"one-of": {"hurt": [{"do": "wound", "to": "the(unit)"}], "spare": []}}
    cards = {"one": {**UNIT, "size": 3}, "bolt": spell(do=[effect])}
    assert said(cards, *use("bolt", option="hurt"), ask_="one.wounds = 1") == "yes"
    assert said(cards, *use("bolt", option="spare"), ask_="one.wounds = 1") == "no"


# --- what cannot be done to a card ------------------------------------------------------------------------

HURT = {"choose": {"target": "unit"}, "do": [{"do": "wound", "to": "target"}]}


def test_who_cannot_be_hurt_cannot_be_chosen_to_be_hurt() -> None:
    cards = {"rock": {**UNIT, "safe": "yes"}, "bolt": spell(**HURT)}
    found = ask(cards, *use("bolt"), ask="rock.wounds = 0")
    assert found["sentence"] == "Ann could not use bolt: rock is safe."
    assert said({**cards, "twig": UNIT}, *use("bolt"), ask_="twig.zone = 'discard'") == "yes"
    assert said({**cards, "twig": UNIT}, *use("bolt", target="rock"), ask_="yes") == "illegal"


def test_a_card_is_named_without_being_chosen() -> None:
    cards = {"rock": {**UNIT, "safe": "yes"}, "bolt": spell(do=[{"do": "wound", "to": "the(unit)"}])}
    assert said(cards, *use("bolt"), ask_="rock.wounds = 0") == "illegal"
    lenient = {**GAME, "designates": "no"}
    assert said(cards, *use("bolt"), ask_="rock.wounds = 0", game=lenient) == "yes"


@pytest.mark.parametrize(
    "effect",
    [
        {"do": "wound", "each": "unit", "to": "it"},  # it speaks of everybody
        {"do": "wound", "to": "the(unit)", "if-able": "yes"},
        {"if": "no", "then": [{"do": "wound", "to": "the(unit)"}]},  # perhaps it is never reached
    ],
)
def test_what_speaks_of_a_protected_card_only_in_passing_may_be_used(effect: dict[str, Any]) -> None:
    cards = {"rock": {**UNIT, "safe": "yes"}, "bolt": spell(do=[effect])}
    assert said(cards, *use("bolt"), ask_="rock.wounds = 0") == "yes"


def test_a_card_may_forbid_several_kinds_whose_roles_differ() -> None:
    guard = {
        **UNIT,
        "size": 9,
        "cannot": [{"kind": ["wound", "destroy"], "if": "yes", "because": "it is guarded"}],
    }
    cards = {"guard": guard, "bolt": spell(do=[{"do": "wound", "each": "unit", "to": "it", "amount": 9}])}
    assert said(cards, *use("bolt"), ask_="guard.wounds = 0") == "yes"


# --- immunity ---------------------------------------------------------------------------------------------

DOG = {**UNIT, "size": 5, "immune": [{"to": "it.tags has 'frost'", "because": "it is immune to frost"}]}


@pytest.mark.parametrize("tags, result", [(["frost"], "no"), (["fire"], "yes")])
def test_effects_of_a_source_leave_the_immune_alone(tags: list[str], result: str) -> None:
    for effect in (
        {"do": "wound", "each": "unit", "to": "it"},
        {"add": "wounds", "of": "the(unit)"},
        {"for": "unit", "as": "x", "do": [{"do": "wound", "to": "x"}]},
    ):
        storm = {**spell(do=[effect]), "tags": tags}
        assert said({"dog": DOG, "storm": storm}, *use("storm"), ask_="dog.wounds = 1") == result


def test_the_immune_cannot_be_chosen_but_by_itself() -> None:
    cards = {"dog": DOG, "bolt": {**spell(**HURT), "tags": ["frost"]}}
    assert (
        ask(cards, *use("bolt"), ask="yes")["sentence"]
        == "Ann could not use bolt: it is immune to frost (dog)."
    )
    frosty = {**DOG, "tags": ["frost"], "abilities": [{"kind": "action", **HURT}]}
    assert said({"dog": frosty}, *use("dog"), ask_="dog.wounds = 1") == "yes"


def test_what_the_rules_do_is_no_effect_of_the_source() -> None:
    """A frost spell may shrink the immune card's wounds away from it, and the rules destroy it all the same."""
    chill = {"lasting": {"of": "list(unit)", "stat": "size", "by": "0 - 1"}}
    cards = {"dog": {**DOG, "size": 1, "wounds": 1}, "storm": {**spell(do=[chill]), "tags": ["frost"]}}
    assert said(cards, *use("storm"), ask_="dog.zone = 'play'") == "yes"
    poke = {"do": "wound", "to": "the(card where safe)"}
    lethal = {"dog": {**DOG, "size": 0, "wounds": 1}, "other": {**UNIT, "size": 9}}
    poke = {"do": "wound", "to": "the(unit where size = 9)"}
    assert (
        said(
            {**lethal, "storm": {**spell(do=[poke]), "tags": ["frost"]}},
            *use("storm"),
            ask_="dog.zone = 'play'",
        )
        == "no"
    )


def test_only_a_batch_is_joined() -> None:
    steps = [{"must": {"of": "reaction", "nest": "use", "joins": "yes"}}]
    game = {**GAME, "charts": {**GAME["charts"], "turn": steps}}
    with pytest.raises(DataError, match="`joins` needs `batches`"):
        compile_system(game, digest="")


@pytest.mark.parametrize("word", ["next", "floor"])
def test_only_what_touches_whatever_fits_ends_with_the_next_or_has_a_minimum(word: str) -> None:
    change = {"of": "list(unit)", "stat": "size", "by": -2, word: {"next": "yes", "floor": 1}[word]}
    with pytest.raises(DataError, match=f"`{word}` goes with for"):
        said({"dog": DOG, "storm": spell(do=[{"lasting": change}])}, ask_="yes")


def test_a_change_of_whatever_fits_may_have_a_minimum() -> None:
    change = {"for": "it.type = 'unit'", "stat": "size", "by": -2, "floor": 1}
    cards = {
        "big": {**UNIT, "size": 9},
        "small": {**UNIT, "size": 2},
        "storm": spell(do=[{"lasting": change}]),
    }
    assert said(cards, *use("storm"), ask_="big.size = 7 and small.size = 1") == "yes"


# --- limits, costs, facts -----------------------------------------------------------------------------------


def test_a_limit_by_name_counts_for_every_copy() -> None:
    trick = {**spell(limit={"times": 1, "per": "turn", "by": "name"}, do=[]), "name": "Trick"}
    found = ask({"one": trick, "two": trick}, *use("one"), *use("two"), ask="yes")
    assert found["sentence"] == "Ann could not use Trick (two): it may be used only once per turn."


def test_doing_something_to_all_of_none_pays_a_cost() -> None:
    cards = {
        "one": UNIT,
        "bolt": spell(cost=[{"do": "destroy", "each": "unit where safe", "card": "it"}], **HURT),
    }
    assert said(cards, *use("bolt"), ask_="one.zone = 'discard'") == "yes"


def test_a_card_says_itself_what_it_can_be_joined_to() -> None:
    game = {**GAME, "properties": {**GAME["properties"], "joins": {"type": "filter"}}}
    join = spell(choose={"target": "this.joins"}, do=[{"do": "wound", "to": "target"}])
    cards = {"big": {**UNIT, "size": 4}, "bolt": {**join, "joins": "unit where size > 3 and owner = you"}}
    assert said(cards, *use("bolt"), ask_="big.wounds = 1", game=game) == "yes"
    assert said({**cards, "big": UNIT}, *use("bolt"), ask_="yes", game=game) == "illegal"
    ask_ = "count(unit as u where u in bolt.joins) = 1"
    assert said(cards, *use("bolt"), ask_=ask_, game=game) == "yes"


def test_what_is_printed_is_not_what_effects_make_of_it() -> None:
    cards = {"one": {**UNIT, "size": 2, "always": [{"stat": "size", "by": 3}]}, "pass": spell(do=[])}
    assert said(cards, *use("pass"), ask_="one.size = 5 and printed(one.size) = 2") == "yes"


# --- abilities used by effects, and copies ------------------------------------------------------------------


def test_an_effect_has_a_player_use_a_card_from_where_it_lies_without_paying() -> None:
    bolt = spell(
        choose={"x": "range(1, if(free, 1, 3))"},
        cost=[{"do": "destroy", "card": "the(unit where safe)"}],
        do=[{"add": "wounds", "of": "the(unit)", "by": "x"}],
    )
    recall = {"use": "the(card where zone = 'discard')", "of": "action", "nest": "use", "free": "yes"}
    cards = {
        "one": UNIT,
        "bolt": {**bolt, "zone": "discard"},
        "sage": {**UNIT, "abilities": [{"kind": "action", "do": [recall]}]},
    }
    assert said(cards, *use("sage"), ask_="one.wounds = 1") == "yes"
    paying = {**cards, "sage": {**UNIT, "abilities": [{"kind": "action", "do": [{**recall, "free": "no"}]}]}}
    assert said(paying, *use("sage"), ask_="one.wounds = 0") == "yes"  # there is nothing to pay with


MIMIC = spell(choose={"model": "unit where not safe"}, do=[{"copy": "model", "onto": "the(unit where safe)"}])
RAGE = {"kind": "reaction", "of": "wound", "if": "trigger.to = this", "do": [{"add": "wounds", "of": "this"}]}
GIANT = {
    **UNIT,
    "name": "Giant",
    "size": 7,
    "always": [{"stat": "size", "of": "it = this", "by": 1}],
    "abilities": [RAGE],
}


def test_a_copy_has_the_printed_facts_and_the_text_of_its_model_until_it_leaves() -> None:
    cards = {"shape": {**UNIT, "safe": "yes", "name": "Shape"}, "giant": GIANT, "mimic": MIMIC}
    asked = "shape.size = 8 and shape.name = 'Giant' and not shape.safe"
    assert said(cards, *use("mimic", model="giant"), ask_=asked) == "yes"
    hit = spell(choose={"t": "unit"}, do=[{"do": "wound", "to": "t"}])
    asked = "shape.wounds = 2 and giant.wounds = 0"  # its own text answers its own wound
    assert said({**cards, "hit": hit}, *use("mimic"), *use("hit", t="shape"), ask_=asked) == "yes"
    kill = spell(choose={"t": "unit"}, do=[{"do": "destroy", "card": "t"}])
    asked = "shape.name = 'Shape' and shape.size = 0"
    assert said({**cards, "kill": kill}, *use("mimic"), *use("kill", t="shape"), ask_=asked) == "yes"


def test_copied_text_alone_leaves_name_and_facts() -> None:
    mimic = spell(
        do=[{"copy": "the(unit where name = 'Giant')", "onto": "the(unit where safe)", "text-only": "yes"}]
    )
    cards = {"shape": {**UNIT, "safe": "yes", "name": "Shape"}, "giant": GIANT, "mimic": mimic}
    assert said(cards, *use("mimic"), ask_="shape.name = 'Shape' and shape.size = 1") == "yes"


def test_a_scenario_may_begin_with_a_copy() -> None:
    cards = {"shape": {**UNIT, "name": "Shape", "face": "giant"}, "giant": GIANT, "wait": spell(do=[])}
    assert said(cards, *use("wait"), ask_="shape.name = 'Giant' and shape.size = 8") == "yes"


# --- where it begins --------------------------------------------------------------------------------------

STORM = {
    **GAME,
    "properties": {**GAME["properties"], "lucky": {"type": "yes-no", "of": "player", "default": "?"}},
    "charts": {
        **GAME["charts"],
        "storm": [{"do": "wound", "each": "unit as to where to.size = from", "to": "it"}],
        "luck": [{"if": "active.lucky", "then": [{"do": "wound", "to": "the(unit)"}]}],
    },
    "starts": {"turn": "turn", "small storm": {"chart": "storm", "with": {"from": 1}}},
}


def test_a_start_tells_its_chart_something_and_the_scenario_may_tell_it_otherwise() -> None:
    cards = {"one": {**UNIT, "size": 1}, "two": {**UNIT, "size": 2}}
    other = {"chart": "small storm", "with": {"from": 2}}
    for at, hit in (("small storm", "one.wounds = 1"), (other, "one.wounds = 0 and two.wounds = 1")):
        assert ask(cards, ask=hit, game=STORM, at=at)["questions"][0]["answer"] == "yes"
    with pytest.raises(DataError, match="unknown argument 'form'"):
        ask(cards, ask="yes", game=STORM, at={"chart": "storm", "with": {"form": 2}})


def test_a_chart_is_told_only_what_it_asks_for() -> None:
    cards = {"one": UNIT, "bolt": spell(do=[{"run": "storm", "with": {"form": 1}}])}
    with pytest.raises(DataError, match="unknown argument of storm 'form'"):
        ask(cards, ask="yes", game=STORM)


def test_what_nobody_knows_unless_it_is_said_stays_open() -> None:
    found = ask({"one": UNIT}, ask="one.zone = 'play'", game=STORM, at="luck")
    assert found["status"] == "insufficient"
    assert ask({"one": UNIT}, ask="yes", game=STORM, at="luck")["status"] == "determined"


def test_a_chart_knows_whether_any_text_here_reads_a_role() -> None:
    game = {
        **GAME,
        "charts": {
            **GAME["charts"],
            "ask": [{"if": "reads('amount')", "then": [{"do": "wound", "to": "the(unit)"}]}],
        },
        "starts": {"ask": "ask"},
    }
    listening = {"kind": "reaction", "of": "wound", "if": "trigger.amount > 3", "do": []}
    cards = {"one": {**UNIT, "size": 3, "abilities": [listening]}}
    assert ask(cards, ask="one.wounds = 1", game=game, at="ask")["questions"][0]["answer"] == "yes"
    assert ask({"one": UNIT}, ask="one.wounds = 0", game=game, at="ask")["questions"][0]["answer"] == "yes"


def test_a_condition_is_told_as_the_system_says_it() -> None:
    properties = {**GAME["properties"], "size": {"type": "number", "says": "{it} has {value|foot|feet}"}}
    game = {**GAME, "properties": properties}
    cards = {"one": {**UNIT, "name": "Giant"}}
    told = {
        "one.size = 1": "Giant has 1 foot",
        "one.size > 2": "Giant has more than 2 feet",
        "one.size != 3": "Giant does not have 3 feet",
        "one.wounds = 0": "Giant's wounds is 0",
    }
    for condition, words in told.items():
        assert words in ask(cards, ask=condition, game=game)["sentence"]


def test_a_move_that_never_comes_up_is_the_answer() -> None:
    cards = {"one": {**UNIT, "size": 3}, "bolt": spell(choose={"t": "unit"}, do=[{"do": "wound", "to": "t"}])}
    game = {**GAME, "charts": {**GAME["charts"], "quiet": []}, "starts": {"quiet": "quiet"}}
    found = ask(cards, *use("bolt"), ask="one.wounds = 0", game=game, at="quiet")
    assert found["sentence"] == "Ann could not use bolt: no window came up in which Ann may use an Action."
    assert found["questions"][0]["answer"] == "illegal"
    harmless = ask(cards, {"who": "Ann", "pass": True}, ask="one.wounds = 0", game=game, at="quiet")
    assert harmless["questions"][0]["answer"] == "yes"
