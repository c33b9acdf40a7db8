"""What measurements on servers share: a database and a Redis of their own, and what machine it was."""

import os
import platform
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import redis

from tests.conftest import new_postgres_database
from tests.system.service import Service


def machine() -> Iterator[tuple[str, float, str, None]]:
    """How many cores there are, and how busy others keep them: without this no figure says anything."""
    yield (
        "machine-cores",
        os.cpu_count() or 0,
        f"cores ({platform.machine()}, Python {platform.python_version()})",
        None,
    )
    yield "machine-load-before", os.getloadavg()[0], "runnable processes", None


@contextmanager
def servers(**environment: str) -> Iterator[Service | None]:
    """A migrated service on PostgreSQL and Redis, nothing running yet; None where they do not answer."""
    import pytest

    with ExitStack() as stack:
        try:
            database = stack.enter_context(contextmanager(new_postgres_database)())
            address = os.environ.get("HEADJUDGE_TEST_REDIS", "redis://127.0.0.1:6379").rstrip("/")
            client = redis.Redis.from_url(f"{address}/15")
            if client.dbsize():
                raise redis.RedisError("its last database is not empty")
        except (pytest.skip.Exception, redis.RedisError) as missing:
            print(f"bench: not measured on servers: {missing}", flush=True)
            yield None
            return
        stack.callback(client.flushdb)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        service = Service(
            folder,
            DATABASE_URL=database,
            CELERY_BROKER_URL=f"{address}/15",
            CACHE_URL=f"{address}/15",
            JOB_LEASE_SECONDS="15",
            JOB_RESEND_SECONDS="5",
            **environment,
        )
        stack.callback(service.close)
        service.manage("migrate", "--verbosity", "0")
        yield service
