"""Using an ability: what it costs, what it counts against, who chooses, what is handed on."""

from copy import deepcopy
from typing import Any

import pytest

from rules.engine.answers.answer import answer
from rules.engine.base.errors import DataError
from rules.engine.compiler import compile_system
from rules.engine.setup.scenario_scene import ScenarioScene

SYSTEM: dict[str, Any] = {
    "system": "toy",
    "version": "1",
    "zones": {"play": "in play", "hand": "in hand", "gone": "gone"},
    "properties": {
        "type": {"type": "symbol", "values": ["unit", "mine"]},
        "tapped": {"type": "yes-no"},
        "score": {"type": "number"},
        "gold": {"type": "number", "of": "player"},
    },
    "nouns": {"unit": "type = 'unit' and zone = 'play'"},
    "families": {"leaves": ["kill", "bounce"]},
    "payments": {
        "gold": {
            "if": "any(card where type = 'mine' and controller = payer and not tapped and score >= amount)",
            "because": "{payer} has no mine for {amount}",
            "chart": "mine",
        }
    },
    "points": ["would", "after"],
    "later": ["after"],
    "kinds": {"action": {"use": "may"}, "forced": {"use": "must"}},
    "vocabulary": {
        "kill": {"roles": {"card": "card"}, "edits": [{"move": "card", "to": "gone"}]},
        "bounce": {"roles": {"card": "card"}, "edits": [{"move": "card", "to": "hand"}]},
        "mark": {"roles": {"card": "card"}, "edits": [{"add": "score", "of": "card", "by": 1}]},
    },
    "charts": {
        "main": [{"window": {"of": "action", "start": "active", "nest": "action", "stops": "yes"}}],
        "action": [
            "targets",
            {"costs": None, "counts": "no"},
            {"if": "not ok", "then": [{"stop": "yes"}]},
            "count",
            {"gate": {"of": "forced", "do": ["execute", {"must": {"of": "forced", "nest": "forced"}}]}},
        ],
        "forced": [
            {
                "gate": {
                    "of": "forced",
                    "do": ["execute", {"if": "waits('forced')", "then": [{"defer": "forced"}]}],
                }
            }
        ],
        "mine": [
            {"choose": {"as": "m", "from": "card where type = 'mine' and not tapped", "by": "payer"}},
            {"set": "tapped", "of": "m", "to": "yes"},
        ],
        "occurrence": [
            {"gate": {"of": "forced", "do": [{"point": "would"}, {"must": {"of": "forced", "nest": "forced"}}]}},
            "commit",
            {"point": "after"},
        ],
    },
    "starts": {"main": "main"},
}  # fmt: skip


def ask(cards: dict[str, Any], did: list[dict[str, Any]], *questions: str, **changes: Any) -> list[str]:
    system = compile_system({**deepcopy(SYSTEM), **changes}, digest="")
    scenario = {
        "players": {"Ann": {}, "Bo": {}}, "active": "Ann", "cards": cards, "at": "main", "pinned": {}, "did": did,
        "ask": [{"holds": question} for question in questions],
    }  # fmt: skip
    found = answer(ScenarioScene(system, scenario, lambda name: {}), budget=2_000)
    return [question["answer"] for question in found["questions"]]


def unit(of: str = "Ann", **data: Any) -> dict[str, Any]:
    return {"type": "unit", "of": of, **data}


def uses(card: str) -> dict[str, Any]:
    return {"who": "Ann", "use": card}


PAYS = unit(
    abilities=[
        {"kind": "action", "cost": [{"pay": "gold", "amount": 3}], "do": [{"do": "mark", "card": "this"}]}
    ]
)


def test_a_payment_runs_the_systems_procedure() -> None:
    cards = {"payer": PAYS, "mine": {"type": "mine", "of": "Ann", "score": 3}}
    assert ask(cards, [uses("payer")], "payer.score = 1 and mine.tapped") == ["yes"]


def test_a_payment_that_the_systems_test_refuses_cannot_be_made() -> None:
    cards = {"payer": PAYS, "mine": {"type": "mine", "of": "Ann", "score": 2}}
    assert ask(cards, [uses("payer")], "payer.score = 1") == ["illegal"]


SAVED = unit(
    abilities=[
        {
            "kind": "forced",
            "at": "would",
            "of": "kill",
            "if": "trigger.card = this",
            "do": [{"cancel": "trigger"}],
        }
    ]
)


def test_a_cost_that_is_not_paid_is_neither_carried_out_nor_counted() -> None:
    altar = unit(
        abilities=[{"kind": "action", "limit": {"times": 1, "per": "turn"},
                    "choose": {"victim": "unit where it != this"},
                    "cost": [{"do": "kill", "card": "victim"}, {"set": "tapped", "of": "this", "to": "yes"}],
                    "do": [{"do": "mark", "card": "this"}]}]
    )  # fmt: skip
    first = [uses("altar"), {"who": "Ann", "choose": "saved", "for": "victim"}]
    cards = {"altar": altar, "saved": SAVED, "prey": unit()}
    assert ask(cards, first, "altar.score = 0 and not altar.tapped and saved.zone = 'play'") == ["yes"]
    again = [
        *first,
        {"who": "Bo", "pass": True},
        uses("altar"),
        {"who": "Ann", "choose": "prey", "for": "victim"},
    ]
    assert ask(cards, again, "altar.score = 1 and prey.zone = 'gone'") == ["yes"]


@pytest.mark.parametrize(("by", "second"), [("'object'", "no"), ("'name'", "illegal")])
def test_the_system_says_whether_a_limit_follows_the_card_or_its_name(by: str, second: str) -> None:
    copy = unit(name="Copy")
    copy["abilities"] = [
        {"kind": "action", "limit": {"times": 1, "per": "turn"}, "do": [{"do": "mark", "card": "this"}]}
    ]
    did = [uses("one"), {"who": "Bo", "pass": True}, uses("two")]
    assert ask({"one": copy, "two": copy}, did, "two.score = 0", **{"limits-by": by}) == [second]


def test_a_family_stands_for_its_kinds_and_an_unknown_word_is_refused() -> None:
    mourner = unit(
        abilities=[{"kind": "forced", "at": "after", "of": "leaves", "do": [{"do": "mark", "card": "this"}]}]
    )
    killer = unit(
        abilities=[{"kind": "action", "do": [{"do": "bounce", "card": "the(unit where name = 'Prey')"}]}]
    )
    cards = {"mourner": mourner, "killer": killer, "prey": unit(name="Prey")}
    assert ask(cards, [uses("killer")], "mourner.score = 1") == ["yes"]
    with pytest.raises(DataError, match="leave"):
        ask({"m": unit(abilities=[{"kind": "forced", "of": "leave", "do": []}])}, [], "yes")


def test_what_is_handed_on_is_answered_at_the_next_gate_out_once() -> None:
    first = unit(abilities=[{"kind": "action", "do": [{"do": "mark", "card": "this"}]}])
    then = unit(abilities=[{"kind": "forced", "at": "after", "of": "mark", "if": "trigger.card.name = 'First'",
                            "do": [{"do": "mark", "card": "this"}]}])  # fmt: skip
    last = unit(abilities=[{"kind": "forced", "at": "after", "of": "mark", "if": "trigger.card.name = 'Then'",
                            "do": [{"do": "mark", "card": "this"}]}])  # fmt: skip
    cards = {"first": {**first, "name": "First"}, "then": {**then, "name": "Then"}, "last": last}
    assert ask(cards, [uses("first")], "then.score = 1 and last.score = 1") == ["yes"]


def test_the_system_says_who_chooses_in_an_effect() -> None:
    picker = unit(
        abilities=[
            {"kind": "action", "do": [{"choose": {"as": "x", "from": "unit"}}, {"do": "kill", "card": "x"}]}
        ]
    )
    did = [uses("picker"), {"who": "Bo", "choose": "other", "for": "x"}]
    cards = {"picker": picker, "other": unit("Bo")}
    assert ask(cards, did, "other.zone = 'gone'", chooser="next(you)") == ["yes"]


def test_up_to_can_have_a_least_number() -> None:
    marks = [{"do": "mark", "each": "card where it in xs", "card": "it"}]
    choice = {"from": "unit where it != this", "count": 2, "up-to": "yes", "at-least": 1}
    cards = {
        "picker": unit(abilities=[{"kind": "action", "choose": {"xs": choice}, "do": marks}]),
        "a": unit(),
        "b": unit(),
    }
    for wanted, answer_ in ((["a", "b"], "yes"), (["b"], "yes"), ([], "illegal")):
        did = [uses("picker"), {"who": "Ann", "choose": wanted, "for": "xs"}]
        assert ask(cards, did, f"a.score + b.score = {len(wanted)}") == [answer_]
