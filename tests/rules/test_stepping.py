"""Stepping through a scenario: only legal moves are offered, refusals say why, and a line is its choices."""

import json

import pytest

from rules import scenarios
from rules.scenarios import case_files
from rules.table import stepping

CASE = (case_files.FOLDER / "coc-lcg" / "shotgun-and-researcher.yaml").read_text()


def session(*choices: int) -> stepping.Session:
    return stepping.Session(scenarios.read(CASE).canonical, choices)


def test_the_first_decision_is_the_active_players() -> None:
    assert session().question() == "Ann: whether to use an Action"
    assert session().options() == ["Shotgun Blast", "pass"]


def test_a_line_is_its_choices() -> None:
    line = session(0, 0)
    again = session(*line.choices)
    assert (again.question(), again.options(), again.tracer.steps()) == (
        line.question(), line.options(), line.tracer.steps(),
    )  # fmt: skip


def test_back_is_the_line_without_its_last_choice() -> None:
    assert session(0, 0).back().options() == session(0).options()


def test_a_choice_that_is_not_there_is_refused() -> None:
    with pytest.raises(IndexError):
        session(7)


def test_the_interactive_mode_goes_forth_and_back() -> None:
    words = iter(["1", "b", "x", "1", "q"])
    said: list[str] = []
    line = stepping.play(scenarios.read(CASE).canonical, lambda prompt: next(words), said.append)
    assert line.choices == (0,)
    assert "No choice has the number 'x'." in said


def test_a_reading_is_offered_in_words() -> None:
    both = scenarios.read(CASE).canonical
    both["cards"]["witness"] = {
        "type": "support",
        "of": "Ann",
        "abilities": [
            {"kind": "response", "at": "after", "of": "destroy", "do": [{"do": "draw", "who": "you"}]}
        ],
    }
    line = stepping.Session(scenarios.read(json.dumps(both)).canonical, (0, 0))
    assert line.question() == "the rules: Who may respond first?"
    assert line.options()[0] == "whoever sits left of the player taking the action"


def test_nobody_there_to_be_asked_ends_it() -> None:
    def nobody(prompt: str) -> str:
        raise EOFError

    assert stepping.play(scenarios.read(CASE).canonical, nobody, lambda text: None).choices == ()
