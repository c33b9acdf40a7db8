"""Every worked example gets the answer it expects; so does every twin."""

from collections.abc import Iterator
from typing import Any

import pytest

from config import strict_yaml
from rules.law import system_files
from rules.scenarios import case_files

CASES = list(case_files.cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_engine_answers_as_the_case_expects(case: case_files.Case) -> None:
    assert case_files.run(case).failures == []


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
