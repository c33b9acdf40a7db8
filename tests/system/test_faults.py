"""Everything is killed in the middle of everything, and nothing is lost or done twice: `manage.py doctor` is clean.

On real processes: embedded, and PostgreSQL with a Redis of the test's own, which dies as well.
"""

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

import psycopg
import pytest

from tests.system.crowd import gather
from tests.system.service import Service, eventually, free_port
from tests.system.venue import PLAYERS, SOON, Installation, People, settled, whole

pytestmark = pytest.mark.system


class Redis:
    """A broker of one's own, which may be killed."""

    def __init__(self, folder: Path) -> None:
        self.port, self.folder = free_port(), folder
        self.start()

    def start(self) -> None:
        save = ["--save", "", "--appendonly", "no", "--bind", "127.0.0.1"]
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), *save], cwd=self.folder, stdout=subprocess.DEVNULL
        )

    def again(self) -> None:
        """What was in it is gone."""
        self.process.kill()
        self.process.wait()
        time.sleep(0.3)  # people notice
        self.start()


@pytest.fixture(params=["embedded", pytest.param("servers", marks=[pytest.mark.postgres, pytest.mark.redis])])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    if request.param == "embedded":
        service = Service(tmp_path, **SOON)
        shutil.copy(request.getfixturevalue("migrated"), tmp_path)
        yield service
        service.close()
        return
    if shutil.which("redis-server") is None:
        pytest.skip("There is no redis-server to start and stop.")
    redis = Redis(tmp_path)
    address = f"redis://127.0.0.1:{redis.port}"
    service = Service(
        tmp_path,
        DATABASE_URL=request.getfixturevalue("postgres_copy"),
        CELERY_BROKER_URL=f"{address}/0",
        **SOON,
    )
    service.redis = redis  # type: ignore[attr-defined]
    try:
        yield service
    finally:
        service.close()
        redis.process.kill()
        redis.process.wait()


def cut_connections(service: Service) -> None:
    with psycopg.connect(service.environment["DATABASE_URL"], autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_everything_dies_in_the_middle_of_everything(service: Service) -> None:
    port = free_port()
    crowd = gather(service, port, players=PLAYERS, lists=4)
    installation = Installation(service, port)
    assert eventually(lambda: crowd.organizer.ask("GET", "/healthz")[0] == 200), service.logs()
    people = People(crowd, port)
    faults: list[Callable[[], None]] = [
        lambda: installation.again("worker"),
        lambda: installation.again("web"),
        lambda: installation.again("worker two"),
        lambda: installation.again("beat"),
    ]
    if "DATABASE_URL" in service.environment:
        faults += [lambda: cut_connections(service), service.redis.again]  # type: ignore[attr-defined]
    for number, fault in enumerate(cycle(faults)):
        time.sleep(0.5)  # in the middle of whatever it is
        if number >= len(faults) and not people.busy():
            break
        if number < 2 * len(faults):
            fault()
    people.finish()
    assert eventually(lambda: settled(service), seconds=90), service.logs()
    whole(service, people)
