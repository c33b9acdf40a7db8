"""A backup taken while people write, and restored, on SQLite and on PostgreSQL and from one to the other."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.system.service import Service, eventually

pytestmark = pytest.mark.system

# The demo event and a simulated one, as an earlier version had them: restoring it is an upgrade of a filled database.
FORMER = Path(__file__).parent / "filled-2026-11-21.hj"

# Two accounts in one transaction, again and again: a snapshot has both or neither.
PAIRS = """
import django, itertools
django.setup()
from django.db import transaction
from tournament.models import User
for number in itertools.count():
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
    assert {name for name, rows in former.items() if rows} <= {name for name, rows in now.items() if rows}
    assert now["tournament.auditrow"] == former["tournament.auditrow"], "the trail, times and all"
    assert len(now["tournament.report"]) == len(former["tournament.report"]) > 0
