"""The two shapes of the service: embedded (SQLite, files) and servers (PostgreSQL, Redis)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.service import Service


@pytest.fixture(params=["embedded", pytest.param("servers", marks=[pytest.mark.postgres, pytest.mark.redis])])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    """A migrated installation of each shape, nothing running yet; whatever runs is killed afterwards."""
    environment = {}
    if request.param == "servers":
        environment = {
            "DATABASE_URL": request.getfixturevalue("postgres_url"),
            "CELERY_BROKER_URL": request.getfixturevalue("redis_url"),
        }
    service = Service(tmp_path, **environment)
    service.manage("migrate", "--verbosity", "0")
    yield service
    service.close()
