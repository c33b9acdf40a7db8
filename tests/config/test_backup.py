"""What `restore` refuses, and that it then changes nothing. Round trips: tests/system/test_backup.py."""

import hashlib
import json
import resource
import time
import warnings
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
    assert refused.value.code == code and refused.value.remedy
    assert refused.value.place or str(file) in refused.value.message
    with pytest.raises(CommandError):
        call_command("restore", str(file), yes=True, verbosity=0)
    assert User.objects.get().username == "ann"


def retold(file: Path, table: str, change: Callable[[bytes], bytes], **told: Any) -> None:
    """A backup in order in itself, of which one table holds something else: what somebody made who knows ours."""
    rewritten(file, f"tables/{table}.jsonl", change)
    with zipfile.ZipFile(file) as archive:
        rows = archive.read(f"tables/{table}.jsonl")
        tables = json.loads(archive.read(MANIFEST))["tables"]
    [one] = [one for one in tables if one["model"] == table]
    one |= {"rows": rows.count(b"\n"), "sha256": hashlib.sha256(rows).hexdigest()} | told
    manifest(file, tables=tables)


def row(file: Path, **changes: Any) -> None:
    """One user, with other values."""
    with zipfile.ZipFile(file) as archive:
        tables = json.loads(archive.read(MANIFEST))["tables"]
    [columns] = [one["columns"] for one in tables if one["model"] == "tournament.user"]

    def change(rows: bytes) -> bytes:
        told = dict(zip(columns, json.loads(rows.splitlines()[0]), strict=True)) | changes
        return json.dumps(list(told.values())).encode() + b"\n"

    retold(file, "tournament.user", change)


def told(file: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    rewritten(file, MANIFEST, lambda old: json.dumps(changed(json.loads(old), change)).encode())


def changed(document: Any, change: Callable[[Any], Any]) -> Any:
    change(document)
    return document


def grown(file: Path, member: str, piece: bytes, times: int, way: int = zipfile.ZIP_DEFLATED) -> None:
    """A member that unpacks to very much."""
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if name != member}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        info = zipfile.ZipInfo(member)
        info.compress_type = way
        with archive.open(info, "w", force_zip64=True) as large:
            for _time in range(times):
                large.write(piece)


def again(file: Path, member: str, content: bytes) -> None:
    with warnings.catch_warnings(), zipfile.ZipFile(file, "a") as archive:
        warnings.simplefilter("ignore")  # a name twice
        archive.writestr(member, content)


def _users(manifest: dict[str, Any]) -> dict[str, Any]:
    [one] = [one for one in manifest["tables"] if one["model"] == "tournament.user"]
    return dict(one)


# What somebody made who wants to do harm -> the code of the refusal, or "" for any.
HOSTILE: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a table that explodes": (lambda file: grown(file, USERS, b"[]\n" * 300_000, 100), "too-large"),
    "a line that explodes": (lambda file: grown(file, USERS, b"0" * 1_000_000, 100), "too-large"),
    "a manifest that explodes": (lambda file: grown(file, MANIFEST, b" " * 1_000_000, 100), "too-large"),
    "a long manifest": (lambda file: grown(file, MANIFEST, b" " * 1_000_000, 20), "no-backup"),
    "packed otherwise": (lambda file: grown(file, USERS, b"0" * 1_000_000, 10, zipfile.ZIP_BZIP2), "no-backup"),
    "a nested manifest": (lambda file: rewritten(file, MANIFEST, lambda old: b"[" * 100_000), "no-backup"),
    "a manifest of another shape": (lambda file: rewritten(file, MANIFEST, lambda old: b"[1]"), "no-backup"),
    "a format that is no number": (lambda file: manifest(file, format="x"), "no-backup"),
    "a format before the first": (lambda file: manifest(file, format=0), "no-backup"),
    "no migrations": (lambda file: told(file, lambda one: one.pop("migrations")), "no-backup"),
    "migrations of another shape": (lambda file: manifest(file, migrations=[1]), "no-backup"),
    "no tables": (lambda file: told(file, lambda one: one.pop("tables")), "no-backup"),
    "tables of another shape": (lambda file: manifest(file, tables="x"), "no-backup"),
    "no date": (lambda file: told(file, lambda one: one.pop("made_at")), "no-backup"),
    "no migration at all": (lambda file: manifest(file, migrations=[]), "damaged"),
    "half of the migrations": (
        lambda file: told(file, lambda one: one.update(migrations=[m for m in one["migrations"] if m[0] == "rules"])),
        "damaged",
    ),
    "a member twice": (lambda file: again(file, USERS, b""), "no-backup"),
    "a member more": (lambda file: again(file, "../../outside", b"x"), "damaged"),
    "a table that is not told of": (
        lambda file: told(file, lambda one: one["tables"].remove(_users(one))), "damaged"
    ),
    "a table told of twice": (lambda file: told(file, lambda one: one["tables"].append(_users(one))), "damaged"),
    "a column less": (lambda file: retold(file, "tournament.user", lambda rows: b"", columns=["id"]), "damaged"),
    "rows that are no lists": (lambda file: retold(file, "tournament.user", lambda rows: b"5\n"), "does-not-fit"),
    "short rows": (lambda file: retold(file, "tournament.user", lambda rows: b"[1]\n"), "does-not-fit"),
    "nested rows": (lambda file: retold(file, "tournament.user", lambda rows: b"[" * 100_000 + b"\n"), "damaged"),
    "a row twice": (lambda file: retold(file, "tournament.user", lambda rows: rows * 2), "does-not-fit"),
    "a time that is none": (lambda file: row(file, date_joined="yesterday"), "does-not-fit"),
    "a number too large": (lambda file: row(file, id=2**70), "does-not-fit"),
    "half a letter": (lambda file: row(file, username="\ud800"), "does-not-fit"),
    "a list for a name": (lambda file: row(file, username=["a"]), ""),
    "no name": (lambda file: row(file, username=None), "does-not-fit"),
}  # fmt: skip


@pytest.mark.parametrize("how", HOSTILE)
def test_a_hostile_file_changes_nothing_and_takes_little(file: Path, how: str) -> None:
    change, code = HOSTILE[how]
    change(file)
    began, memory = time.process_time(), _most_memory()
    with pytest.raises(UserError) as refused:
        restoring.restore(file, check=lambda: None)
    assert code in ("", refused.value.code) and refused.value.remedy
    assert time.process_time() - began < 60
    assert _most_memory() - memory < 300  # MB
    assert User.objects.get().username == "ann"
    assert not list(Path(connection.settings_dict["NAME"]).parent.glob("*.restoring*"))


def _most_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


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
