"""The command line of the engine: a file in, an answer out; what if; counts."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from rules.scenarios import case_files
from tests.bench.rules import forced_responses

CASE = str(case_files.FOLDER / "coc-lcg" / "shotgun-and-researcher.yaml")


def run(*arguments: Any) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=out)
    return out.getvalue()


def test_adjudicate_tells_the_answer_its_reasons_and_its_rules() -> None:
    told = run("adjudicate", CASE)
    assert "Bo may use Field Researcher." in told
    assert "Step 6: Responses" in told
    assert "COC-T-31" in told


def test_adjudicate_as_json_is_the_whole_answer() -> None:
    answer = json.loads(run("adjudicate", CASE, "--json"))
    assert answer["questions"][1]["answer"] == "Bo"
    assert answer["system"]["key"] == "coc-lcg"


def test_the_same_under_another_system() -> None:
    answer = json.loads(run("adjudicate", CASE, "--under", "coc-ccg", "--json"))
    assert answer["questions"][1]["depends"][0]["who"] == "Bo"


def test_what_if_shows_where_the_lines_part() -> None:
    told = run("adjudicate", CASE, "--what-if", "cards.researcher.blank=yes")
    assert "The lines diverge in:" in told
    assert "text does not work" in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("no-such-file.yaml",), "can’t be opened"),
        ((CASE, "--what-if", "cards.resercher.blank=yes"), "Did you mean researcher"),
        ((CASE, "--read", "first-respons=active"), "Did you mean first-response"),
        ((CASE, "--under", "coc-lgc"), "Did you mean coc-lcg"),
        ((CASE, "--what-if", "active"), "has no value"),
        ((CASE, "--what-if", "players.Ann.resources=many"), "Expected a whole number"),
        ((CASE, "--under", "codex"), "vocabulary"),
    ],
)
def test_bad_input_is_one_mendable_sentence_and_exit_code_2(arguments: tuple[str, ...], words: str) -> None:
    out = StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command("adjudicate", *arguments, stdout=out, stderr=out)
    assert caught.value.code == 2
    assert words in out.getvalue()


def test_half_a_page_has_the_answer_and_no_line_of_play() -> None:
    told = run("adjudicate", CASE, "--brief")
    assert "Bo may use Field Researcher." in told
    assert "Step by step" not in told


def test_a_what_if_takes_numbers_as_numbers() -> None:
    told = run("adjudicate", CASE, "--what-if", "players.Bo.resources=3")
    assert "The line of play is the same" in told


def test_cases_prints_a_table_and_the_sum(tmp_path: Path) -> None:
    told = run("cases", "coc-ccg/shotgun")
    assert told.strip().endswith("0 failed")


def test_cases_says_when_no_case_has_that_name() -> None:
    with pytest.raises(CommandError, match="No case name contains nonsense"):
        run("cases", "nonsense")


def test_perft_counts_lines_positions_and_ends() -> None:
    assert "3 positions" in run("perft", str(case_files.FOLDER / "coc-ccg" / "shotgun-and-researcher.yaml"))


@pytest.mark.parametrize(
    ("arguments", "megabytes", "said"),
    [(("--seconds", "0.001"), 1_000, "limit of 0.001 seconds"), ((), -1, "limit of -1 MB of memory")],
)
def test_a_long_exploration_keeps_to_its_time_and_memory(
    tmp_path: Path, settings: Any, arguments: tuple[str, ...], megabytes: int, said: str
) -> None:
    settings.ADJUDICATION_MEMORY_MB = megabytes
    file = tmp_path / "large.yaml"
    file.write_text(forced_responses(6, differ=True))
    assert said in run("adjudicate", str(file), "--line", *arguments)


def test_the_shortest_answer_says_what_it_hangs_on() -> None:
    case = case_files.FOLDER / "codex" / "two-batches.yaml"
    said = run("adjudicate", str(case), "--line").splitlines()
    assert len(said) == 2 and said[1].startswith("The documents leave one thing open")


@pytest.mark.parametrize("seconds", ["0", "-1", "inf", "nan", "soon"])
def test_a_time_that_is_none_is_refused(seconds: str) -> None:
    with pytest.raises(CommandError, match="not a number of seconds"):
        run("adjudicate", CASE, "--seconds", seconds)
