"""What holds of every case, whatever it is about."""

import json
import random
import re
from typing import Any

import pytest

from rules import scenarios
from rules.engine.answers.replay import Replay
from rules.engine.search.questions import questions_of
from rules.law import system_files
from rules.scenarios import case_files
from rules.scenarios.adjudicate import adjudicate
from rules.table import stepping
from tests.rules import worked
from tests.rules.worked import ORIGINALS, situation

CASES = worked.sample(ORIGINALS, 30, "properties")  # of what explores or replays each several times
LINES = 2
LONGEST = 60  # decisions
EACH = 12  # of them from the first: at these a line is resumed at every one, later at every fourth or so


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_line_resumed_at_any_decision_goes_on_as_if_it_had_not_been_left(case: case_files.Case) -> None:
    told = situation(case)
    chance = random.Random(case.name)  # which lines are tried: the same ones each time
    for _ in range(LINES):
        line = stepping.Session(told)
        while not line.over and len(line.choices) < LONGEST:
            if len(line.choices) < EACH or chance.random() < 0.25:
                again = stepping.Session(told, line.choices)
                assert (again.question(), again.options(), again.refused()) == (
                    line.question(), line.options(), line.refused(),
                )  # fmt: skip
            line.choose(chance.randrange(len(line.options())))
        again = stepping.Session(told, line.choices)
        assert again.machine.facts == line.machine.facts or again.over == line.over


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_players_by_other_names_get_the_same_answers(case: case_files.Case) -> None:
    original = situation(case)
    names = dict(zip(original["players"], ("Zoe", "Quin", "Xan", "Wim"), strict=False))
    word = re.compile(r"\b(" + "|".join(names) + r")\b")

    def renamed(text: str) -> str:
        return word.sub(lambda match: names[match[0]], text)

    before = adjudicate(original, budget=case_files.BUDGET)
    after = adjudicate(
        json.loads(renamed(json.dumps(original, ensure_ascii=False))), budget=case_files.BUDGET
    )
    for answer in (before, after):
        del answer["scenario_hash"]
    assert json.loads(renamed(json.dumps(before, ensure_ascii=False))) == after


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cards_by_other_ids_in_another_order_get_the_same_answers(case: case_files.Case) -> None:
    """What a writer calls the cards is nobody's business: labels, values and counts stay as they were."""
    original = situation(case)
    ids = {key: f"zz{len(original['cards']) - i}x" for i, key in enumerate(original["cards"])}
    named = {key: {"name": key, **data} for key, data in original["cards"].items()}
    word = re.compile(
        r"(?<![\w-])(" + "|".join(map(re.escape, sorted(ids, key=len, reverse=True))) + r")(?![\w-])"
    )

    def renamed(value: Any) -> Any:
        """Ids where they stand for cards: in facts, moves, questions and expressions, never in what a card says."""
        if isinstance(value, str):
            return word.sub(lambda match: ids[match[0]], value)
        if isinstance(value, list):
            return [renamed(one) for one in value]
        if isinstance(value, dict):
            return {key: one if key == "for" else renamed(one) for key, one in value.items()}
        return value

    texts = {"name", "is", "type", "text", "abilities", "always", "cannot", "immune", "subtypes"}
    told = json.dumps([{k: card[k] for k in texts if k in card} for card in original["cards"].values()])
    if ids.keys() & {*_words_of_language(original), *re.findall(r"[\w-]+", told)}:
        pytest.skip("an id is a word of the language, or of a card's text, too")
    other = {
        **original,
        "cards": {
            ids[key]: {fact: one if fact in texts else renamed(one) for fact, one in data.items()}
            for key, data in named.items()
        },
        **{key: renamed(original[key]) for key in ("did", "wants", "ask", "at", "game", "players")},
    }
    before = adjudicate({**original, "cards": named}, budget=case_files.BUDGET)
    after = adjudicate(other, budget=case_files.BUDGET)

    def told_apart(answer: Any) -> Any:
        """Cards of one name are told apart by their ids."""
        if not isinstance(answer, str):
            return answer
        return re.sub(r"\(([\w-]+)\)", lambda match: f"({ids.get(match[1], match[1])})", answer)

    assert [(q["status"], told_apart(q["answer"])) for q in before["questions"]] == [
        (q["status"], q["answer"]) for q in after["questions"]
    ]
    assert before["counts"] == after["counts"]


def _words_of_language(canonical: dict[str, Any]) -> set[str]:
    """What an id would be mistaken for: names in expressions, and options of a choice."""
    system = system_files.system(canonical["system"])
    words = {
        *system.properties,
        *system.derived,
        *system.nouns,
        *system.kinds,
        *system.zones,
        *system.ability_kinds,
    }
    words |= {symbol for prop in system.properties.values() for symbol in map(str, prop.symbols)}
    return words | {
        "who",
        "use",
        "choose",
        "pass",
        "yes",
        "no",
        "and",
        "or",
        "not",
        "count",
        "any",
        "none",
        "where",
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_mirrored_seats_get_mirrored_answers(case: case_files.Case) -> None:
    """Ann and Bo swap everything, seats and all: what was said of the one is now said of the other."""
    original = situation(case)
    if len(original["seats"]) != 2:
        pytest.skip("not a game of two")
    one, two = original["seats"]
    swap = {one: two, two: one}
    word = re.compile(rf"(?<![\w-])({one}|{two})(?![\w-])")

    def mirrored(value: Any) -> Any:
        return json.loads(word.sub(lambda match: swap[match[0]], json.dumps(value, ensure_ascii=False)))

    other = mirrored(original)
    other["players"] = {name: other["players"][name] for name in other["seats"]}
    before = adjudicate(original, budget=case_files.BUDGET)
    after = adjudicate(other, budget=case_files.BUDGET)
    for answer in (before, after):
        del answer["scenario_hash"]
    assert mirrored(before)["questions"] == after["questions"]
    assert before["counts"] == after["counts"]


@pytest.mark.parametrize("case", ORIGINALS[::3], ids=lambda case: case.name)
def test_every_compulsory_ability_is_used_or_refused(case: case_files.Case) -> None:
    """No line ends with an obligatory ability left over: none could still be used where the line is done."""
    scene = scenarios.build(situation(case))
    replay = Replay(scene, questions_of(scene))
    if replay.machine.ended == "done":
        must = [kind.name for kind in scene.system.ability_kinds.values() if kind.must]
        assert replay.machine.choices(must, must=True)[0] == []
