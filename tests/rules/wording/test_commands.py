"""The two commands: a text read, and how much of a game's texts is understood."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command


def run(*arguments: Any) -> tuple[str, int]:
    out = StringIO()
    try:
        call_command(*arguments, stdout=out, stderr=out)
    except SystemExit as error:
        return out.getvalue(), int(str(error.code))
    return out.getvalue(), 0


def test_a_text_is_told_as_library_data() -> None:
    told, code = run(
        "card_text", "Action: Exhaust Old Clerk to draw a card.", "--system", "coc-lcg", "--name", "Old Clerk"
    )
    assert code == 0
    assert "do: exhaust, card: this" in told


def test_what_is_not_understood_is_told_with_its_place_and_the_nearest_words() -> None:
    told, code = run("card_text", "Action: Wound a charecter.", "--system", "coc-lcg")
    assert code == 1
    assert "[charecter]" in told
    assert "character" in told


def test_a_system_without_words_is_refused() -> None:
    told, code = run("card_text", "Draw a card.", "--system", "magic")
    assert code == 2
    assert "coc-lcg" in told


def test_the_report_counts_abilities_and_cards_and_what_stopped_the_rest(tmp_path: Path) -> None:
    cards = [
        {"name": "Old Clerk", "type": "character", "text": "Action: Draw a card.\nOld Clerk blorps."},
        {"name": "Lamp", "type": "support", "text": "Attach to a character."},
    ]
    (tmp_path / "cards.json").write_text(json.dumps(cards), "utf-8")
    told, code = run("wording_report", "coc-lcg", "--texts", str(tmp_path))
    assert code == 0
    assert "checks failed: 0" in told
    assert [line.split() for line in told.splitlines() if line.startswith("whole cards")] == [
        ["whole", "cards", "1", "0", "1", "50.0", "%"]
    ]
    assert "blorps" in told


@pytest.mark.parametrize("texts", ["no-such-folder", "."])
def test_a_folder_without_cards_is_refused(texts: str, tmp_path: Path) -> None:
    told, code = run("wording_report", "coc-lcg", "--texts", str(tmp_path / texts))
    assert code == 2
    assert "cards" in told or "No such file" in told


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("b.json", b'[{"name": "Ann"', "b.json” can’t be read"),
        ("b.json", b"[" * 100_000, "b.json” can’t be read"),
        ("b.csv", b"name,text\n\xff,x\n", "b.csv” can’t be read"),
        ("b.json", None, "link out of the folder"),
        ("more", None, "link out of the folder"),
    ],
)
def test_a_file_of_cards_that_cannot_be_read_is_named(
    tmp_path: Path, name: str, content: bytes | None, said: str
) -> None:
    (tmp_path / "a.json").write_text(json.dumps([{"name": "Ann", "type": "character", "text": "Fast."}]))
    if content is None:
        (tmp_path / name).symlink_to("/dev")
    else:
        (tmp_path / name).write_bytes(content)
    for command, more in (("wording_report", ()), ("cards_understand", ("--to", "-"))):
        told, code = run(command, "coc-lcg", "--texts", str(tmp_path), *more)
        assert (code, said in told) == (2, True), told
