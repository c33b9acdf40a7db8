"""Every worked example gets the answer it expects; so does every twin; and what holds of every answer holds of these.

Each case is adjudicated once for all the tests of its answer, which is what most of the time goes to.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from django.utils.translation import override

from config import strict_yaml
from rules.engine.base.messages import packed, unpacked
from rules.law import system_files
from rules.scenarios import case_files
from rules.spoken import Spoken, answer_spoken
from tests.rules.korean import GLUED, not_korean
from tests.rules.worked import CASES, NAMED, ORIGINALS

FAMILIES: dict[str, list[case_files.Case]] = {}
for one in CASES:
    FAMILIES.setdefault(one.twin_of or one.name, []).append(one)


@dataclass(frozen=True, slots=True)
class Answered:
    name: str
    failures: list[str]
    answer: dict[str, Any]
    asked: Mapping[str, Any]


def answered_by_the_engine(case: case_files.Case) -> Answered:
    found = case_files.run(case)
    assert found.answer is not None and found.asked is not None, (case.name, found.failures)
    return Answered(case.name, found.failures, dict(found.answer), found.asked)


@pytest.fixture(scope="module", params=ORIGINALS, ids=lambda case: case.name)
def family(request: pytest.FixtureRequest) -> list[Answered]:
    """A worked case and its twins, with their answers."""
    return [answered_by_the_engine(case) for case in FAMILIES[request.param.name]]


def steps(trace: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for step in trace:
        yield step
        yield from steps(step["children"])


def test_the_engine_answers_as_the_case_and_its_twins_expect(family: list[Answered]) -> None:
    assert {one.name: one.failures for one in family if one.failures} == {}


def test_every_rule_a_step_cites_is_in_the_answer_with_its_sentence(family: list[Answered]) -> None:
    for one in family:
        law = system_files.system(one.asked["system"]).law
        for step in steps(one.answer["trace"]):
            for rule in step["cites"]:
                assert one.answer["rules"][rule]["text"], one.name
            cited = {*step["cites"], *(rule for refusal in step["refused"] for rule in refusal["cites"])}
            assert cited <= law.keys(), (one.name, step["text"])


def test_every_refusal_has_a_reason_and_every_decision_more_than_one_option(family: list[Answered]) -> None:
    for one in family:
        for step in steps(one.answer["trace"]):
            assert all(refusal["reason"] for refusal in step["refused"]), one.name
            if step["kind"] == "decision" and not step.get("scripted"):
                told_by_the_scenario = [option["text"] for option in step["options"]] == ["pass"]
                assert len(step["options"]) > 1 or told_by_the_scenario or "~" in one.name, one.name
                assert sum(option["chosen"] for option in step["options"]) == 1, one.name


def test_every_answer_is_korean(family: list[Answered]) -> None:
    with override("ko"):
        for one in family:
            stored = json.loads(json.dumps(packed(one.answer)))
            again = unpacked(stored)
            assert again == one.answer, "a stored answer reads as it was given"
            english, glued = not_korean(again, one.asked)
            assert english == set(), one.name
            assert glued <= GLUED.get(one.asked["system"], {}).keys(), (one.name, "said without a message")
            shown = answer_spoken(stored)
            assert shown is not None
            assert "messages" not in shown
            assert isinstance(shown["sentence"], Spoken), shown["sentence"]


@pytest.mark.parametrize("system", GLUED)
def test_words_that_are_no_messages_are_still_said(system: str) -> None:
    """Else the list above has one too many."""
    for word, name in GLUED[system].items():
        found = answered_by_the_engine(NAMED[name])
        assert word in not_korean(unpacked(json.loads(json.dumps(packed(found.answer)))), found.asked)[1], (
            word
        )


def test_a_twin_is_answered_otherwise_than_its_original() -> None:
    """A twin whose answer were the same would test nothing, unless it tells passes that must change nothing."""
    originals = {case.name: case for case in CASES if not case.twin_of}
    for twin in (case for case in CASES if case.twin_of):
        original = originals[twin.twin_of]
        moves = [one.data.get("did") for one in (original, twin)]
        if moves[0] != moves[1] and "pass" in str(moves):
            continue
        assert twin.data["expect"] != original.data["expect"], twin.name


def test_a_wrong_expectation_fails() -> None:
    case = next(case for case in CASES if case.name == "coc-ccg/shotgun-and-researcher")
    wrong = case_files.Case(case.name, case.title, {**case.data, "expect": [{"next": "Bo"}]})
    assert case_files.run(wrong).failures == ["next: expected Bo, got Ann"]


@pytest.mark.parametrize("key", system_files.keys())
def test_what_a_card_cites_is_law_in_a_system_that_plays_with_it(key: str) -> None:
    folders = system_files.system(key).source.get("library", ())
    for folder in [folders] if isinstance(folders, str) else folders:
        playing = [s for s in system_files.systems() if folder in s.source.get("library", ())]
        law = {rule for system in playing for rule in system.law}
        for path in sorted((system_files.FOLDER / "library" / folder).glob("*.yaml")):
            for name, card in (
                strict_yaml.load(path.read_bytes(), name=path.name, shipped=True) or {}
            ).items():
                assert set(_cited(card)) <= law, name


def _cited(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        cited = data.get("cite", ())
        yield from [cited] if isinstance(cited, str) else cited
        data = list(data.values())
    if isinstance(data, list):
        for part in data:
            yield from _cited(part)
