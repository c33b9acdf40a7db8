"""A backup taken while people write, and restored, on SQLite and on PostgreSQL and from one to the other."""

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.system.service import Service, eventually

pytestmark = pytest.mark.system

# The demo event and a simulated one, as an earlier version had them: restoring it is an upgrade of a filled database.
FORMER = Path(__file__).parent / "filled-2026-11-21.hj"
RENAMED = {"tournament.lot": "tournament.roundseed"}  # since that version

# Two accounts in one transaction, again and again: a snapshot has both or neither.
PAIRS = """
import django, itertools, time
django.setup()
from django.db import transaction
from tournament.models import User
for number in itertools.count():
    time.sleep(0.005)
    with transaction.atomic():
        for side in "ab":
            User.objects.create(username=f"pair-{number}-{side}")
"""
RESTORE = """
from django.core.management import call_command
call_command("restore", {one!r}, yes=True)
call_command("backup", {two!r})
"""


def tables(file: Path) -> dict[str, Any]:
    """Model -> rows as plain values: the order of a JSON object's keys is the database's own affair."""
    with zipfile.ZipFile(file) as archive:
        told = json.loads(archive.read("manifest.json"))
        return {
            table["model"]: [
                dict(zip(table["columns"], json.loads(line), strict=True))
                for line in archive.read(f"tables/{table['model']}.jsonl").splitlines()
            ]
            for table in told["tables"]
        }


def pairs(file: Path) -> dict[str, int]:
    names = [row["username"] for row in tables(file)["tournament.user"]]
    return {side: sum(name.startswith("pair-") and name[-1] == side for name in names) for side in "ab"}


def test_there_and_back_while_people_write(service: Service, tmp_path: Path) -> None:
    service.manage(
        "restore", "--yes", str(FORMER)
    )  # made by SQLite: for the servers, from the one to the other
    writer = service.start(["python", "-c", PAIRS])
    written = "SELECT count(*) FROM tournament_user WHERE username LIKE 'pair-%'"
    assert eventually(lambda: service.rows(written) > [(1,)]), service.logs()
    one, two = tmp_path / "one.hj", tmp_path / "two.hj"
    service.manage("backup", str(one))
    assert writer.poll() is None, "people went on writing"
    counted = pairs(one)
    assert counted["a"] == counted["b"] > 0, "a moment between transactions, not within one"
    assert service.rows(written) > [(2 * counted["a"],)]

    # People go on writing while the database changes under them, and then into the restored one.
    service.python(RESTORE.format(one=str(one), two=str(two)))
    assert writer.poll() is None, service.logs()
    service.kill(writer)
    now, then = tables(two), tables(one)
    later = {"tournament.user"}
    assert {name: rows for name, rows in now.items() if name not in later} == {
        name: rows for name, rows in then.items() if name not in later
    }
    assert [row for row in now["tournament.user"] if row in then["tournament.user"]] == then[
        "tournament.user"
    ]
    former = tables(FORMER)
    held = {RENAMED.get(name, name) for name, rows in former.items() if rows}
    assert held <= {name for name, rows in now.items() if rows}
    log = [{word: row[word] for word in row if word != "reason"} for row in former["tournament.auditrow"]]
    assert now["tournament.auditrow"] == log, "the audit log, times and all; its reasons stand apart since"
    assert len(now["tournament.report"]) == len(former["tournament.report"]) > 0


# What the two databases keep in ways of their own: the order of keys, numbers written with an exponent, texts by which
# rows are ordered, half a second, nothing at all.
AWKWARD = """
from datetime import datetime, timedelta, timezone as tz
from django.contrib.sessions.models import Session
from tournament.models import AuditRow, User
told = {"longer": {"z": 1, "a": [1.0, 1e16, -2.5, 2**60, None, True]}, "b": "\\u00e9\\U0001f0a1", "a": {}, "": []}
AuditRow.objects.create(verb="import_ask", target_type="tournament.user", target_id="1", data=told)
for key in ("a" * 32, "B" * 32, "b_" * 16, "-b" * 16):
    Session.objects.create(session_key=key, session_data="x", expire_date=datetime(2026, 11, 23, tzinfo=tz.utc))
User.objects.create(username="Zoe", last_login=datetime(2026, 3, 29, 2, 30, 0, 123456, tz(timedelta(hours=9))))
"""


@pytest.mark.postgres
def test_every_table_holds_the_same_on_either_database(
    postgres_url: str, migrated: Path, tmp_path: Path
) -> None:
    """From SQLite to PostgreSQL and back: not a table differs in what it holds, though the bytes in the files do."""

    def installation(name: str, **environment: str) -> Service:
        (tmp_path / name).mkdir()
        service = Service(tmp_path / name, **environment)
        if environment:
            service.manage("migrate", "--verbosity", "0")
        else:
            shutil.copy(migrated, tmp_path / name)
        return service

    here, there, back = installation("a"), installation("b", DATABASE_URL=postgres_url), installation("c")
    here.manage("restore", "--yes", str(FORMER))
    here.python(AWKWARD)
    one, two, three = (tmp_path / f"{number}.hj" for number in range(3))
    here.manage("backup", str(one))
    there.python(RESTORE.format(one=str(one), two=str(two)))
    back.python(RESTORE.format(one=str(two), two=str(three)))
    assert contents(one) == contents(two) == contents(three)
    assert tables(one) == tables(three)


def contents(file: Path) -> dict[str, tuple[int, str]]:
    with zipfile.ZipFile(file) as archive:
        told = json.loads(archive.read("manifest.json"))
    return {table["model"]: (table["rows"], table["content"]) for table in told["tables"]}
