"""Whatever is done to a scenario file: an error with its place, or an honest status, never a traceback."""

import copy
import random
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config import strict_yaml
from config.errors import UserError
from rules import scenarios
from rules.engine.answers.answer import STATUS_ORDER
from rules.scenarios.adjudicate import adjudicate
from rules.scenarios.schema import schema
from tests.rules import worked

CASES = [dict(case.data) for case in worked.CASES]
SCHEMA = jsonschema.Draft202012Validator(schema())
NEVER = {"bad-yaml", "too-large", "too-deep"}  # faults of the whole file have a line, or no place at all

JUNK: list[Any] = [
    None, 0, -1, 10**30, 1.5, float("nan"), float("inf"), True, False, "", " ", "x", "x y", "?", "((", "'", "a.b.c",
    "not", "1 +", "yes", "pass", "choose", "chance", "#game", "name", "it", [], [[]], {}, {"a": 1}, {"disputed": []},
    {"disputed": 3}, {"disputed": ["yes", "no"]}, {"disputed": "?"}, [None], [1, "x"], "x" * 3000, {"": {}}, {1: 2},
    ["Ann", "Bo"], "9" * 5000, "(" * 500, "not " * 500, ["a"] * 500, {f"c{i}": {} for i in range(500)},
]  # fmt: skip


def places(node: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in the data, as the keys that lead there."""
    children: list[Any] = []
    if isinstance(node, dict):
        children = list(node)
    elif isinstance(node, list):
        children = list(range(len(node)))
    return [at] * bool(at) + [inner for key in children for inner in places(node[key], (*at, key))]


def mutated(data: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """The scenario with one to three things changed that somebody, or something, may get wrong."""
    data = copy.deepcopy(data)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        found = places(data)
        if not found:
            break
        *outer, key = chance.choice(found)
        parent: Any = data
        for step in outer:
            parent = parent[step]
        value = parent[key]
        match chance.randrange(7):
            case 0 | 1 | 2:
                parent[key] = copy.deepcopy(chance.choice(JUNK))
            case 3:
                del parent[key]
            case 4 if isinstance(parent, dict):
                names = [f"{key}x", str(key)[:-1], str(key).upper(), "is", "of", "zone", "abilities", "who"]
                parent[chance.choice(names)] = parent.pop(key)
            case 5:
                parent[key] = chance.choice([[value], {"a": value}, [value, value]])
            case _ if isinstance(value, str) and value:
                cut = chance.randrange(len(value))
                between = chance.choice(["", "(", ")", "'", ".", " ", "=", "x", ","])
                parent[key] = value[:cut] + between + value[cut + 1 :]
    return data


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(case=st.sampled_from(CASES), seed=st.integers(0, 2**32))
def test_a_spoiled_scenario_gets_an_error_with_its_place_or_an_honest_status(
    case: dict[str, Any], seed: int
) -> None:
    text = yaml.safe_dump(mutated(case, random.Random(seed)), allow_unicode=True, sort_keys=False)
    try:
        read = scenarios.read(text)
    except UserError as error:
        assert error.message.endswith((".", "?")), error.message
        assert len(error.message) < 400
        assert error.place or error.code in NEVER or "''" in error.message, (error.code, error.message)
        return
    told = strict_yaml.load(text, name="The scenario")
    assert not list(SCHEMA.iter_errors(told)), "the reader takes it and the schema does not"
    assert adjudicate(read.canonical, budget=40)["status"] in STATUS_ORDER


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(case=st.sampled_from(CASES), seed=st.integers(0, 2**32))
def test_what_can_be_read_reads_the_same_from_its_canonical_form(case: dict[str, Any], seed: int) -> None:
    data = case if seed % 4 == 0 else mutated(case, random.Random(seed))
    try:
        first = scenarios.read(yaml.safe_dump(data, allow_unicode=True, sort_keys=False))
    except UserError:
        return
    reordered = scenarios.in_order(
        first.canonical
    )  # its keys in another order, but where the order says something
    again = scenarios.read(yaml.safe_dump(reordered, allow_unicode=True, sort_keys=False))
    assert (again.canonical, again.hash) == (first.canonical, first.hash)


def test_a_long_value_in_the_wrong_place_is_told_in_short() -> None:
    card = {"type": "event", "of": "Ann", "abilities": [{"kind": "action", "do": [["a"] * 200, "x" * 500]}]}
    with pytest.raises(UserError, match="not a list") as told:
        scenarios.read(yaml.safe_dump({"system": "coc-lcg", "cards": {"bomb": card}}))
    assert told.value.place == "cards.bomb.abilities[0].do[0]"


@pytest.mark.parametrize("told", [{"a": "b"}, ["character"], None])
def test_the_type_of_a_card_with_a_text_is_a_word(told: object) -> None:
    card = {"name": "A", "of": "Ann", "type": told, "text": "Action: draw a card."}
    with pytest.raises(UserError, match="Expected a word") as error:
        scenarios.read(yaml.safe_dump({"system": "coc-lcg", "cards": {"a": card}}))
    assert error.value.place == "cards.a.type"
