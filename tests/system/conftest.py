"""The two shapes of the service: embedded (SQLite, files) and servers (PostgreSQL, Redis)."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import new_postgres_database
from tests.system.service import Service


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty embedded database, migrated once."""
    folder = tmp_path_factory.mktemp("migrated")
    Service(folder).manage("migrate", "--verbosity", "0")
    return folder / "headjudge.sqlite3"


@pytest.fixture(scope="session")
def migrated_postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an empty PostgreSQL database, migrated once, to be copied."""
    for url in new_postgres_database():
        Service(tmp_path_factory.mktemp("migrated"), DATABASE_URL=url).manage("migrate", "--verbosity", "0")
        yield url


@pytest.fixture
def postgres_copy(migrated_postgres: str) -> Iterator[str]:
    """The address of a migrated, empty PostgreSQL database, dropped after the test."""
    yield from new_postgres_database(copy_of=migrated_postgres)


@pytest.fixture(params=["embedded", pytest.param("servers", marks=[pytest.mark.postgres, pytest.mark.redis])])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    """A migrated installation of each shape, nothing running yet; whatever runs is killed afterwards."""
    if request.param == "servers":
        service = Service(
            tmp_path,
            DATABASE_URL=request.getfixturevalue("postgres_copy"),
            CELERY_BROKER_URL=request.getfixturevalue("redis_url"),
        )
    else:
        service = Service(tmp_path)
        shutil.copy(request.getfixturevalue("migrated"), tmp_path)
    yield service
    service.close()
