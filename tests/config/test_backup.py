"""What `restore` refuses, and that it then changes nothing. Round trips: tests/system/test_backup.py."""

import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from config import backup as restoring
from config.backup import MANIFEST, Content, backup, opened
from config.errors import UserError
from tests.conftest import release_audit_rows
from tests.tournament.factories import make_event
from tournament.models import Event, Staff, User

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def emptied_again(transactional_db: None) -> Iterator[None]:
    """A restored database has the audit log's triggers; the tests' own is emptied after each test."""
    yield
    release_audit_rows()


@pytest.fixture
def file(make_user: Callable[..., Any], tmp_path: Path) -> Path:
    make_user("ann")
    backup(tmp_path / "event.hj")
    return tmp_path / "event.hj"


def rewritten(file: Path, member: str, change: Callable[[bytes], bytes | None]) -> None:
    """The same archive, in order in itself, with one member changed or (None) gone."""
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    changed = change(members.pop(member))
    if changed is not None:
        members[member] = changed
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def manifest(file: Path, **changes: Any) -> None:
    rewritten(file, MANIFEST, lambda old: json.dumps({**json.loads(old), **changes}).encode())


USERS = "tables/tournament.user.jsonl"
DAMAGE: dict[str, tuple[Callable[[Path], Any], str]] = {
    "only its beginning": (lambda file: file.write_bytes(file.read_bytes()[:5000]), "no-backup"),
    "a text": (lambda file: file.write_text("Dear organizer"), "no-backup"),
    "empty": (lambda file: file.write_bytes(b""), "no-backup"),
    "another zip": (lambda file: rewritten(file, MANIFEST, lambda old: None), "no-backup"),
    "another program’s": (lambda file: manifest(file, kind="photos"), "no-backup"),
    "a later format": (lambda file: manifest(file, format=2), "newer"),
    "a later version’s": (lambda file: manifest(file, migrations=[["rules", "9999_new"]]), "newer"),
    "a table gone": (lambda file: rewritten(file, USERS, lambda old: None), "damaged"),
    "a row gone": (lambda file: rewritten(file, USERS, lambda old: b""), "damaged"),
    "a letter changed": (
        lambda file: rewritten(file, USERS, lambda old: old.replace(b"ann", b"bob")),
        "damaged",
    ),
    "not there": (lambda file: file.unlink(), "no-file"),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_what_is_no_whole_backup_of_ours_is_refused(file: Path, how: str) -> None:
    damage, code = DAMAGE[how]
    damage(file)
    with pytest.raises(UserError) as refused, opened(file):
        pass
    assert refused.value.code == code and refused.value.place and refused.value.remedy
    with pytest.raises(CommandError):
        call_command("restore", str(file), yes=True, verbosity=0)
    assert User.objects.get().username == "ann"


def test_bytes_changed_on_the_way_are_noticed(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[content.index(USERS.encode()) + len(USERS) + 60] ^= 0xFF  # in the middle of what is packed there
    file.write_bytes(bytes(content))
    with pytest.raises(UserError) as refused, opened(file):
        pass
    assert refused.value.code == "damaged"


def test_a_backup_is_private_and_replaces_a_former_one_whole(file: Path, tmp_path: Path) -> None:
    assert file.stat().st_mode & 0o777 == 0o600
    before = file.read_bytes()
    with pytest.raises(UserError) as refused:
        backup(tmp_path / "no-folder" / "event.hj")
    assert refused.value.code == "cannot-write"
    backup(file)
    assert zipfile.ZipFile(file).testzip() is None and before
    assert [one.name for one in tmp_path.iterdir()] == ["event.hj"]


def test_the_command_says_how_large_the_file_is(db: None, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "event.hj"
    call_command("backup", file)
    assert f", {file.stat().st_size / 1000:.0f} kB, of 20" in capsys.readouterr().out


def test_an_unsound_backup_changes_nothing(file: Path, tmp_path: Path, organizer: Any) -> None:
    make_event(organizer)
    Staff.objects.all().delete()
    backup(file)
    Event.objects.update(name="Present")
    with pytest.raises(CommandError, match=r"has errors\. Nothing was changed\.\n  The event has no owner\."):
        call_command("restore", str(file), yes=True, verbosity=0)
    assert Event.objects.get().name == "Present"
    assert not list(Path(connection.settings_dict["NAME"]).parent.glob("*.restoring*"))
    call_command("restore", str(file), yes=True, anyway=True, verbosity=0)
    assert Event.objects.get().name == "Kingsport Open"


def test_what_is_read_back_otherwise_than_it_was_written_is_not_put_in_place(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill = restoring._fill

    def careless(model: Any, columns: list[str], rows: Any) -> None:
        fill(model, columns, ([f"{one}x" if one == "ann" else one for one in row] for row in rows))

    monkeypatch.setattr(restoring, "_fill", careless)
    with pytest.raises(CommandError, match="not those of the backup"):
        call_command("restore", str(file), yes=True, verbosity=0)
    assert User.objects.get().username == "ann"


def test_the_order_of_keys_and_of_rows_is_no_content() -> None:
    def content(*rows: Any) -> str:
        told = Content()
        for row in rows:
            told.add(row)
        return str(told)

    one, two = (1, {"b": 1e16, "a": {"d": 1.0, "c": []}}), (2, "é")
    same = (1, {"a": {"c": [], "d": 1}, "b": 10**16})
    assert content(one, two) == content(two, same)
    others = [
        (one,),
        (one, two, two),
        (one, (2, "e")),
        (one, (2, None)),
        ((1, {"b": 1e16, "a": {"c": []}}), two),
    ]
    assert len({content(one, two), *(content(*rows) for rows in others)}) == 6
