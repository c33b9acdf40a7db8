"""Every worked case gets the answer it expects; so does every twin."""

import pytest

from rules import case_files

CASES = list(case_files.cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_engine_answers_as_the_case_expects(case: case_files.Case) -> None:
    assert case_files.run(case).failures == []


def test_a_twin_is_answered_otherwise_than_its_original() -> None:
    """A twin whose answer were the same would test nothing."""
    originals = {case.name: case for case in CASES if not case.twin_of}
    for twin in (case for case in CASES if case.twin_of):
        original = originals[twin.twin_of]
        assert twin.data["expect"] != original.data["expect"], twin.name


def test_a_wrong_expectation_fails() -> None:
    case = next(case for case in CASES if case.name == "coc-ccg/shotgun-and-researcher")
    wrong = case_files.Case(case.name, case.title, {**case.data, "expect": [{"next": "Bo"}]})
    assert case_files.run(wrong).failures == ["next: expected Bo, got Ann"]
