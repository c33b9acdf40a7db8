"""A disk that is full, on real processes: refused in words, nothing stored by half, and it goes on when there is room.

Embedded, everything lies on the small disk: database, broker, logs. On servers PostgreSQL's tables do.
"""

import errno
import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.conftest import absent, new_postgres_database
from tests.rules.scenarios import SHOTGUN, different
from tests.system.crowd import Crowd, Person, gather, web
from tests.system.service import Service, eventually, free_port

pytestmark = pytest.mark.system

PLAYERS = 4


@dataclass
class Installation:
    service: Service
    port: int
    disk: Path

    def fill(self) -> None:
        """To the last byte, whatever the service frees meanwhile aside."""
        with (self.disk / "filler").open("ab", buffering=0) as filler:
            for size in (1 << 16, 1 << 10, 1):
                try:
                    while True:
                        filler.write(b"x" * size)
                except OSError as error:
                    assert error.errno == errno.ENOSPC

    def make_room(self) -> None:
        (self.disk / "filler").unlink()


def small_disk(megabytes: int) -> Iterator[Path]:
    """A file system of its own in memory; absent where none may be mounted."""
    disk = Path(
        tempfile.mkdtemp(prefix="headjudge-small-")
    )  # where PostgreSQL gets, too: not in pytest's folders
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "tmpfs", str(disk)]
    try:
        if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
            absent("disk", "No small disk can be mounted here: that takes root, and leave to mount a tmpfs.")
        try:
            yield disk
        finally:
            subprocess.run(["umount", "--lazy", str(disk)], check=True)
    finally:
        disk.rmdir()


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[Installation]:
    for disk in small_disk(24):
        service, port = Service(tmp_path, HEADJUDGE_VAR=str(disk)), free_port()
        (tmp_path / "headjudge.sqlite3").symlink_to(disk / "headjudge.sqlite3")
        service.start(f"python manage.py up --port {port}")
        yield Installation(service, port, disk)
        service.close()


@pytest.fixture
def servers(tmp_path: Path, redis_url: str) -> Iterator[Installation]:
    for disk in small_disk(48):
        for url in _database_on(disk):
            service, port = Service(tmp_path, DATABASE_URL=url, CELERY_BROKER_URL=redis_url), free_port()
            service.manage("migrate", "--verbosity", "0")
            service.manage("collectstatic", "--no-input", "--verbosity", "0")
            service.start(web(port))
            for command in ("worker --concurrency 1 --without-gossip --without-mingle", "beat --pidfile="):
                service.start(f"python -m celery -A config.celery {command}")
            yield Installation(service, port, disk)
            service.close()


def _database_on(disk: Path) -> Iterator[str]:
    name = f"small_{uuid.uuid4().hex[:8]}"
    for url in new_postgres_database():  # skips where there is no PostgreSQL
        admin = os.environ.get("HEADJUDGE_TEST_POSTGRES_ADMIN") or url.replace(
            urlsplit(url).path, "/postgres"
        )
        try:
            shutil.chown(disk, "postgres")
            connection = psycopg.connect(admin, autocommit=True)
            connection.execute(f"CREATE TABLESPACE {name} LOCATION '{disk}'".encode())
        except (LookupError, PermissionError, psycopg.Error) as error:
            why = str(error).splitlines()[0]
            absent("disk", f"PostgreSQL cannot be given a small disk (HEADJUDGE_TEST_POSTGRES_ADMIN): {why}")
        database, owner = urlsplit(url).path.removeprefix("/"), urlsplit(url).username
        with connection:
            connection.execute(f'ALTER DATABASE "{database}" SET TABLESPACE {name}'.encode())
            yield url
            connection.execute(f'DROP DATABASE "{database}" WITH (FORCE)'.encode())
            connection.execute(f"DROP TABLESPACE {name}".encode())
            connection.execute(
                f'CREATE DATABASE "{database}" OWNER "{owner}"'.encode()
            )  # who made it drops it


@pytest.mark.parametrize(
    "shape",
    ["embedded", pytest.param("servers", marks=[pytest.mark.postgres, pytest.mark.redis])],
)
def test_a_full_disk_refuses_in_words_and_the_service_goes_on_when_there_is_room(
    shape: str, request: pytest.FixtureRequest
) -> None:
    at: Installation = request.getfixturevalue(shape)
    service = at.service
    assert eventually(lambda: _healthy(at.port)), service.logs()
    service.python(
        "from tournament.models import User\nUser.objects.filter(username='organizer').update(username='demo')"
    )
    crowd = gather(service, at.port, players=PLAYERS)
    ask = crowd.organizer.ask
    assert ask("POST", "/api/v1/events/crowd/rounds", {"number": 1})[0] == 201
    assert eventually(lambda: file(crowd, 0)[0] == 201) and eventually(lambda: answered(service) >= 1)

    at.fill()
    taken, refused = [0], list[int]()
    for number in range(1, 400):
        status, told = file(crowd, number)
        (taken if status == 201 else refused).append(number)
        assert status in (201, 503), (status, told, service.logs())
        if status == 503:
            assert told["code"] == "storage-full" and told["remedy"], told
            at.fill()  # what was undone has freed a page
        if len(refused) == 10:
            break
    assert len(refused) == 10, "the disk was never full"
    for path in ("/healthz", "/events/crowd/pairings", "/events/crowd/standings", "/api/v1/events/crowd"):
        status, told = ask("GET", path)
        assert status == 200, f"what is there can be read: {path} {told}"
    assert count(service, "rules_dispute", "title LIKE 'Dispute %'") == len(taken)

    at.make_room()
    assert eventually(lambda: file(crowd, 999)[0] == 201), service.logs()
    for match, first, second in crowd.tables(1):
        for player, outcome in ((first, "win"), (second, "loss")):
            assert (
                crowd.players[player].ask("POST", f"/api/v1/matches/{match}/reports", {"outcome": outcome})[0]
                == 201
            )
    waiting = "SELECT count(*) FROM rules_adjudication WHERE state <> 'done'"
    assert eventually(lambda: service.rows(waiting) == [(0,)], seconds=120), service.logs()
    assert count(service, "rules_dispute", "title LIKE 'Dispute %'") == len(taken) + 1
    assert count(service, "tournament_auditrow", "verb = 'dispute_file'") == count(service, "rules_dispute")
    service.manage("doctor")


def file(crowd: Crowd, number: int) -> tuple[int, Any]:
    body = {"title": f"Dispute {number}", "source": different(SHOTGUN, number)}
    return crowd.organizer.ask("POST", "/api/v1/disputes", body)


def answered(service: Service) -> int:
    return count(service, "rules_adjudication", "state = 'done'")


def count(service: Service, table: str, where: str = "1 = 1") -> int:
    return int(service.rows(f"SELECT count(*) FROM {table} WHERE {where}")[0][0])


def _healthy(port: int) -> bool:
    return Person(port, "").ask("GET", "/healthz")[0] == 200
