"""check_deck and import_cards, as a person at a terminal meets them."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.decks.conftest import PROJECT

DEMO = PROJECT / "tournament" / "demo"


def check_deck(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as stopped:
        call_command("check_deck", *arguments, stdout=out, stderr=err)
    return int(str(stopped.value.code)), out.getvalue(), err.getvalue()


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(content: str | bytes, name: str = "deck.txt") -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write


@pytest.mark.django_db
def test_a_legal_deck_exits_0(written: Any) -> None:
    code, out, _ = check_deck(str(DEMO / "ann.txt"))
    assert (code, out.split()[0]) == (0, "LEGAL")


@pytest.mark.django_db
def test_an_illegal_deck_exits_1_and_every_finding_is_told_with_its_rule() -> None:
    code, out, _ = check_deck(str(DEMO / "illegal.txt"))
    assert code == 1
    for word in ("too-few-cards", "too-many-copies", "banned", "restricted", "COC-D-03", "Take out 1 copy"):
        assert word in out


@pytest.mark.django_db
def test_an_unverified_deck_exits_3() -> None:
    code, out, _ = check_deck(str(DEMO / "ann.txt"), "--on", "2014-06-01")
    assert (code, "outside-known-timeline" in out) == (3, True)


@pytest.mark.django_db
def test_json_is_for_programs(written: Any) -> None:
    code, out, _ = check_deck(written("1x Magah Bird"), "--json", "--list", "3.0", "--on", "2020-01-01")
    answer = json.loads(out)
    assert (code, answer["verdict"], answer["count"]) == (1, "illegal", 1)
    assert "banned" in [finding["code"] for finding in answer["findings"]]


@pytest.mark.django_db
@pytest.mark.parametrize("content", ["", "-1x Rats", b"\x00\x01", "<deck>", "1x a\n" * 10_000])
def test_what_cannot_be_read_exits_2_in_words(written: Any, content: str | bytes) -> None:
    code, out, err = check_deck(written(content))
    assert (code, out) == (2, "")
    assert err.strip()
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "arguments", [("nowhere.txt",), ("x", "--on", "soon"), ("x", "--format", "y"), ("x", "--list", "9")]
)
def test_wrong_arguments_exit_2_in_words(arguments: tuple[str, ...]) -> None:
    code, _, err = check_deck(*arguments)
    assert code == 2
    assert err.strip()


def test_no_database_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    from django.db import OperationalError

    from decks import selectors

    def no_server(*args: object, **kwargs: object) -> None:
        raise OperationalError("no such table")

    monkeypatch.setattr(selectors, "catalog", no_server)
    monkeypatch.setattr(selectors, "snapshot", no_server)
    assert check_deck(str(DEMO / "bo.txt"))[0] == 0


def process(*arguments: str, cwd: Path, **env: str) -> "subprocess.CompletedProcess[str]":
    """check_deck as its own process; no database answers at this address."""
    nowhere = {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none", "HEADJUDGE_VAR": str(cwd)}
    return subprocess.run(
        [sys.executable, str(PROJECT / "manage.py"), "check_deck", *arguments],
        capture_output=True, text=True, check=False, cwd=cwd, env={**os.environ, **nowhere, **env},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("content", "code", "first"),
    [
        ((DEMO / "ann.txt").read_text(), 0, "LEGAL"),
        ("3x Museum Curator\n1x Itinerant Scholar", 1, "ILLEGAL"),
        ("\1", 2, ""),
    ],
)
def test_without_any_database_the_exit_code_is_the_verdict(
    tmp_path: Path, content: str, code: int, first: str
) -> None:
    (tmp_path / "deck.txt").write_text(content)
    done = process("deck.txt", "--format", "coc-lcg", cwd=tmp_path)
    assert (done.returncode, done.stdout.partition(" ")[0]) == (code, first), done.stderr
    assert "Traceback" not in done.stderr
    told = process("deck.txt", "--format", "coc-lcg", "--json", cwd=tmp_path)
    assert told.returncode == code
    answer = json.loads(told.stdout)
    assert answer.get("verdict", "").upper() == first
    assert code != 2 or answer["code"] == "binary-file"


@pytest.mark.django_db
def test_ones_own_cards_are_used_in_place_of_the_stored_ones(written: Any) -> None:
    cards = written("title,type\nRats,character\n", "cards.csv")
    deck = written("3x Rats\n1x Dogs")
    codes = {}
    for more in ((), ("--complete",)):
        answer = json.loads(check_deck(deck, "--cards", cards, "--json", *more)[1])
        codes[more] = {f["code"]: f["severity"] for f in answer["findings"]}["unknown-card"]
    assert codes == {(): "unverified", ("--complete",): "illegal"}
    assert check_deck(deck, "--cards", "nowhere.csv")[0] == 2


@pytest.mark.django_db
def test_the_version_before_says_what_an_upgrade_cost(written: Any) -> None:
    cards = written(
        "title,type,level,experience,levelled,called\nRats,asset,0,0,yes,Rats\nRats (2),asset,2,2,yes,Rats\n",
        "c.csv",
    )
    old, new = written("2x Rats", "old.txt"), written("2x Rats (2)", "new.txt")
    said = ("--format", "arkham", "--cards", cards, "--previous", old, "--json")
    answer = json.loads(check_deck(new, *said, "--earned", "3")[1])
    assert answer["upgrade"]["cost"] == 4
    assert "upgrade-too-dear" in [f["code"] for f in answer["findings"] if f["severity"] == "illegal"]
    assert "upgrade-cost" in [f["code"] for f in json.loads(check_deck(new, *said)[1])["findings"]]
    code, _, err = check_deck(new, "--previous", old)
    assert (code, "don’t grow" in err) == (2, True)


@pytest.mark.django_db
def test_importing_prints_what_was_new_changed_and_unchanged(written: Any) -> None:
    path = written("title,type\nRats,character\nDogs,character\n", "cards.csv")
    out = io.StringIO()
    call_command("import_cards", "toy", path, stdout=out)
    call_command("import_cards", "toy", path, stdout=out)
    first, second = out.getvalue().splitlines()
    assert "2 new, 0 changed, 0 unchanged" in first
    assert "0 new, 0 changed, 2 unchanged" in second


@pytest.mark.django_db
@pytest.mark.parametrize("content", ["", "no,columns\n", b"\xff", b"title\na\x00"])
def test_a_bad_card_file_is_refused_in_words(written: Any, content: str | bytes) -> None:
    with pytest.raises(CommandError):
        call_command("import_cards", "toy", written(content, "cards.csv"))


@pytest.mark.django_db
def test_the_house_format_of_the_documentation_judges_as_a_file(written: Any) -> None:
    text = (PROJECT / "docs" / "formats.md").read_text()
    house = written(text.split("```yaml\n")[1].split("```")[0], "house.yaml")
    cards = ("2x Khopesh of the Abyss", "2x Twilight Gate", "1x Across Dimensions", "3x Shotgun Blast")
    deck = written("\n".join((*cards, "2x A Sight for Sore Eyes")))
    code, out, _ = check_deck(deck, "--format", house, "--json")
    assert code == 1
    assert {finding["code"] for finding in json.loads(out)["findings"]} == {
        "too-few-cards",
        "too-many-copies",
        "not-in-pool",
        "too-many-factions",
        "too-many-points",
    }
    assert json.loads(out)["snapshot"].startswith("kingsport-league/2026-03-01/")
    wrong = check_deck(written("1x Shotgun"), "--format", written("key: x\n", "bad.yaml"))
    assert wrong[0] == 2 and "bad.yaml" in wrong[2]


# --- many lists, and what goes wrong before any is judged ----------------------------------------------


@pytest.mark.django_db
def test_a_folder_is_one_line_a_deck_and_the_worst_is_the_exit_code(tmp_path: Path) -> None:
    (tmp_path / "ann.txt").write_bytes((DEMO / "ann.txt").read_bytes())
    assert check_deck(str(tmp_path))[0] == 0
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "illegal.txt").write_bytes((DEMO / "illegal.txt").read_bytes())
    (tmp_path / ".hidden").write_text("not a deck")
    code, out, _ = check_deck(str(tmp_path))
    assert (code, [line.split()[0] for line in out.splitlines()]) == (1, ["LEGAL", "ILLEGAL", "2"])
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\r\n")
    code, out, _ = check_deck(str(tmp_path))
    assert code == 2  # one strange file is named; the others are judged
    assert [line.split()[0] for line in out.splitlines()] == ["LEGAL", "ILLEGAL", "UNREAD", "3"]
    assert "photo.png  This is a picture" in out
    assert out.splitlines()[-1] == "3 decks: 1 illegal, 1 legal, 1 unread."


@pytest.mark.django_db
def test_many_lists_as_json_are_one_answer_each(written: Any) -> None:
    good, bad = written("1x Magah Bird", "one.txt"), written("", "two.txt")
    code, out, _ = check_deck(good, bad, "--json")
    answers = json.loads(out)
    assert code == 2
    assert [(Path(one["file"]).name, one.get("verdict"), one.get("code")) for one in answers] == [
        ("one.txt", "illegal", None),
        ("two.txt", None, "empty-list"),
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("3x Museum Curator", "“3x Museum Curator” can’t be opened"),
        ("3x Museum\nCurator", "“3x Museum\\nCurator” can’t be opened"),
        ("nul\0character", "no such file"),
        ("a" * 400, "File name too long. Give the name of a file"),
    ],
)
def test_what_is_no_files_name_is_told_in_a_line(name: str, said: str) -> None:
    code, _, err = check_deck(name)
    assert (code, said in err, err.count("\n")) == (2, True, 1)


@pytest.mark.django_db
def test_what_is_no_deck_of_a_folder_is_named_and_nothing_outside_of_it_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "decks"
    folder.mkdir()
    ann = (DEMO / "ann.txt").read_bytes()
    (tmp_path / "secret.txt").write_text("1x My Own Password")
    (folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "up").symlink_to("..")
    os.mkfifo(folder / "pipe.txt")
    with (folder / "large.txt").open("wb") as file:
        file.truncate(4_000_000_000)
    for name in (b"d\xff.txt", b"x\nLEGAL 50 forged.txt"):
        Path(os.fsdecode(bytes(folder) + b"/" + name)).write_bytes(ann)
    code, out, _ = check_deck(str(folder))
    told = {line.split(str(folder))[1][1:].split("  ")[0]: line for line in out.splitlines()[:-1]}
    assert code == 2
    assert {name: line.split()[0] for name, line in told.items()} == {
        "d\\xff.txt": "LEGAL",
        "x\\nLEGAL 50 forged.txt": "LEGAL",
        "large.txt": "UNREAD",
        "out.txt": "UNREAD",
        "pipe.txt": "UNREAD",
        "up": "UNREAD",
    }
    assert "Password" not in out and "link out of the folder" in told["out.txt"]
    answers = json.loads(check_deck(str(folder), "--json")[1])
    assert [one["code"] for one in answers if "verdict" not in one] == ["too-large", *["no-file"] * 3]


@pytest.mark.django_db
def test_a_pipe_and_an_endless_input_hold_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    os.mkfifo(tmp_path / "house.yaml")
    ann = str(DEMO / "ann.txt")
    for arguments in (
        (str(tmp_path / "pipe.txt"),),
        (ann, "--previous", str(tmp_path / "pipe.txt")),
        (ann, "--format", str(tmp_path / "house.yaml")),
        (ann, "--cards", str(tmp_path / "pipe.txt")),
    ):
        code, _, err = check_deck(*arguments)
        assert (code, "it is a pipe, not a file" in err) == (2, True), arguments
    with Path("/dev/zero").open() as endless:
        monkeypatch.setattr(sys, "stdin", endless)
        code, _, err = check_deck("-")
    assert (code, "Standard input is larger than 1,000,000 bytes" in err) == (2, True)


@pytest.mark.parametrize("name", ["b.json", "b.csv", "more"])
def test_card_data_is_read_whole_or_not_at_all(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.csv").write_text("title,type\nRats,character\n")
    (tmp_path / name).symlink_to("/dev" if name == "more" else "/dev/zero")
    (tmp_path / "readme.txt").symlink_to("/dev/zero")  # no kind of card data
    for command, key in (("import_cards", "toy"), ("catalog_update", "toy")):
        with pytest.raises(CommandError, match=f"{name}.*link out of the folder"):
            call_command(command, key, str(tmp_path))


@pytest.mark.django_db
def test_too_many_files_are_refused_with_both_numbers(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("decks.management.commands.check_deck.MOST_FILES", 2)
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("1x Magah Bird")
    code, _, err = check_deck(str(tmp_path))
    assert (code, "has more than 2 files and folders" in err) == (2, True)


HOUSE = """extends: coc-lcg
key: ours
title: Ours
default-on: 2026-03-01
law:
  O-1: {{text: Ours., document: House rules}}
lists:
  spring: {{title: spring, document: House rules, banned: {{rule: O-1, titles: [{title}]}}}}
timeline:
  - {{from: 2026-01-01, list: spring, basis: voted}}
"""
CARDS = "title,type,set\nRepo Man,character,Core\nBasilisk,character,Core\n"


@pytest.mark.django_db
def test_a_title_that_no_card_has_is_an_error_of_the_format_where_we_hold_every_card(written: Any) -> None:
    deck, cards = written("50x Basilisk"), written(CARDS, "cards.csv")
    wrong = written(HOUSE.format(title="Basilsk"), "ours.yaml")
    code, _, err = check_deck(deck, "--format", wrong, "--cards", cards, "--complete")
    assert (code, err.strip()) == (2, "line 8: No card is named “Basilsk”. Did you mean Basilisk?")
    code, out, _ = check_deck(deck, "--format", wrong, "--cards", cards)
    assert "unknown-title" in out  # perhaps a card that we do not hold: never surely legal
    right = written(HOUSE.format(title="Basilisk"), "right.yaml")
    code, out, _ = check_deck(deck, "--format", right, "--cards", cards, "--complete")
    assert (code, "banned" in out, "unknown-title" in out) == (1, True, False)


@pytest.mark.parametrize(
    ("production", "what"),
    [("0", "Start the service with “up”: it prepares"), ("1", "Run “prepare”: it prepares")],
)
@pytest.mark.parametrize("words", [("person_export", "ann"), ("doctor", "--only", "migrations")])
def test_a_database_that_was_never_prepared_is_told_with_what_to_do(
    words: tuple[str, ...], production: str, what: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=PROJECT,
        env=os.environ
        | {
            "HEADJUDGE_VAR": str(tmp_path),
            "DATABASE_URL": f"sqlite:///{tmp_path}/none.sqlite3",
            "PRODUCTION": production,
            "SECRET_KEY": "for-this-test",
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert f"{what} the database." in done.stdout + done.stderr
