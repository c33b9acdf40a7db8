"""Files and folders that a person names: none of them hangs a command, fills the memory, or leads elsewhere."""

import os
import socket
from pathlib import Path

import pytest

from config import given_files
from config.errors import UserError


def faults(folder: Path, most: int = 100) -> dict[str, str]:
    """Name -> why it is not read; "" if it is."""
    found = given_files.files_in(folder, most)
    return {str(path.relative_to(folder)): fault.message if fault else "" for path, fault in found}


def refused(name: str | Path, most: int = 100) -> UserError:
    with pytest.raises(UserError) as error:
        given_files.content(name, most)
    return error.value


def test_files_of_folders_are_found_and_hidden_ones_left_out(tmp_path: Path) -> None:
    (tmp_path / "more" / ".git").mkdir(parents=True)
    for name in ("a.txt", ".b.txt", "more/c.txt", "more/.git/d.txt"):
        (tmp_path / name).touch()
    assert faults(tmp_path) == {"a.txt": "", "more/c.txt": ""}


def test_a_link_is_followed_inside_the_folder_alone(tmp_path: Path) -> None:
    folder = tmp_path / "decks"
    (folder / "more").mkdir(parents=True)
    (tmp_path / "secret.txt").touch()
    (folder / "a.txt").touch()
    for link, target in (
        ("again.txt", "a.txt"), ("out.txt", "../secret.txt"), ("zero.txt", "/dev/zero"), ("gone.txt", "nowhere"),
        ("round", "round"), ("up", ".."), ("same", "more"), ("more/back", "../more"),
    ):  # fmt: skip
        (folder / link).symlink_to(target)
    found = faults(folder)
    assert {name for name, why in found.items() if not why} == {"a.txt", "again.txt"}
    assert {name: why.partition(": ")[2] for name, why in found.items() if why} == {
        "out.txt": "it is a link out of the folder.",
        "zero.txt": "it is a link out of the folder.",
        "up": "it is a link out of the folder.",
        "gone.txt": "it is a link that leads nowhere.",
        "round": "it is a link that leads nowhere.",
    }


def test_what_is_no_file_is_named_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(tmp_path / "s"))
        assert {name: why.partition(": ")[2] for name, why in faults(tmp_path).items()} == {
            "pipe.txt": "it is a pipe, not a file.",
            "s": "it is a socket, not a file.",
        }
    for name, why in ((tmp_path / "pipe.txt", "a pipe"), ("/dev/zero", "a device"), (tmp_path, "a folder")):
        assert refused(name).message.endswith(f"it is {why}, not a file.")
    assert refused("nul\0").message.endswith("no such file.")


def test_no_file_is_read_beyond_its_bound(tmp_path: Path) -> None:
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(4_000_000_000)
    assert refused(large).code == "too-large"
    assert refused("/proc/self/status", 5).code == "too-large"  # it says that it has no bytes
    assert given_files.content("/proc/self/comm", 100)


def test_a_folder_without_an_end_is_left_early(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f".{number}").touch()
    assert faults(tmp_path, 5) == {}
    with pytest.raises(UserError, match="more than 4 files and folders"):
        faults(tmp_path, 4)


def test_a_folder_too_deep_for_any_name_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(25):
        Path("d" * 200).mkdir()
        os.chdir("d" * 200)
    os.chdir(tmp_path)
    assert [why.partition(": ")[2] for why in faults(tmp_path).values()] == ["File name too long."]


def test_what_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "locked").mkdir()
    (tmp_path / "a.txt").touch()
    scan = os.scandir

    def locked(path: Path) -> object:
        if path.name == "locked":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", locked)
    found = faults(tmp_path)
    assert found["a.txt"] == "" and "Permission denied" in found["locked"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Deck Nr. 1 – Zoë 덱.txt", "Deck Nr. 1 – Zoë 덱.txt"),
        ("a\nLEGAL  50  b.txt", "a\\nLEGAL  50  b.txt"),
        ("a\x1b[31m\u202e", "a\\x1b[31m\\u202e"),
        (os.fsdecode(b"d\xff.txt"), "d\\xff.txt"),
        ("a" * 150 + "b" * 150, "a" * 100 + "…" + "b" * 100),
    ],
)
def test_a_name_is_shown_in_one_line_that_can_be_printed(name: str, shown: str) -> None:
    assert given_files.shown(name) == shown
