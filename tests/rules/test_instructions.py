"""Instructions and marks of the language, each in the smallest game that shows it."""

from collections.abc import Mapping
from typing import Any

from rules.engine.answer import answer
from rules.engine.compiler import compile_system
from rules.engine.scene import Scene

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


def ask(cards: Mapping[str, Any], *did: Any, ask: str, game: Mapping[str, Any] = GAME) -> dict[str, Any]:
    """The answer to `holds` after the moves; every card is Ann's unless it says otherwise."""
    scenario = {
        "system": "toy", "pinned": {}, "players": {"Ann": {}, "Bo": {}}, "active": "Ann", "at": "turn", "game": {},
        "cards": {key: {"of": "Ann", **card} for key, card in cards.items()},
        "did": list(did), "wants": {}, "ask": [{"holds": ask}],
    }  # fmt: skip
    return answer(Scene(compile_system(game, digest=""), scenario, lambda name: None), budget=5_000)


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
