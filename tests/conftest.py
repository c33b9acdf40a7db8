"""What every test may ask for: people, a time, and the servers this machine happens to have.

A test that needs PostgreSQL ("postgres"), Redis ("redis"), Chromium ("browser"), a clock that can be moved ("clock"),
a disk that can be filled ("disk") or a package index ("index") asks for it. When the thing is not there, the test is
skipped and says so; when HEADJUDGE_TEST_REQUIRE names it (CI does, see .ci/run), it fails.

| variable | default |
|---|---|
| HEADJUDGE_TEST_POSTGRES | postgres://postgres@127.0.0.1:5432/postgres (a role that may create databases) |
| HEADJUDGE_TEST_POSTGRES_ADMIN | the same (a role that may create tablespaces, of a server on this machine) |
| HEADJUDGE_TEST_REDIS | redis://127.0.0.1:6379 (an empty database number of it is used and flushed) |
| HEADJUDGE_TEST_CHROMIUM | chromium, chromium-browser or google-chrome on PATH |
"""

import fcntl
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit, urlunsplit

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says something about the machine, not about the code.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

# The processes that tests start, some hundreds, would each compile all of our modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """`-n auto` starts three workers on two cores: the tests of real processes wait a third of their time."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + cores // 2


REQUIRED = {word.strip() for word in os.environ.get("HEADJUDGE_TEST_REQUIRE", "").split(",") if word.strip()}


def absent(what: str, why: str) -> NoReturn:
    """Skip the test for want of `what`, or fail where that must not be."""
    if what in REQUIRED:
        pytest.fail(f"{why} (HEADJUDGE_TEST_REQUIRE names {what})", pytrace=False)
    pytest.skip(why)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that drives a browser gets a second chance, and the summary says when it took it (-rR).

    Starting Chromium and drawing a page are at the mercy of the machine; one slow start should not lose a whole run.
    No other test is run again: there, a failure is the code's or the test's own.

    A test that needs no database, server, browser or process of its own is `pure`: `make pure` runs these alone.
    """
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))
        if not (
            NEEDS & {one.name for one in item.iter_markers()}
            or NEEDS & set(getattr(item, "fixturenames", ()))
        ):
            item.add_marker(pytest.mark.pure)


NEEDS = {
    "django_db",
    "db",
    "transactional_db",
    "postgres",
    "redis",
    "browser",
    "system",
    "clock",
    "disk",
    "index",
}


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    """What one test used up (a limit on requests) is not missing in the next, nor is its table of standings there."""
    from django.core.cache import cache

    from config import live, row_cache

    cache.clear()
    row_cache.forget()
    live.forget()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """Between tests SQLite's tables are emptied row by row, the audit log's too, which its triggers would refuse.

    tests/system/test_audit.py looks at a database that has them.
    """
    with django_db_blocker.unblock():
        release_audit_rows()


def release_audit_rows() -> None:
    """Take the audit log's triggers from the tests' database; a test that restores a backup brings them back."""
    from django.db import connection

    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            for what in ("rows", "reasons"):
                for verb in ("change", "delete"):
                    cursor.execute(f"DROP TRIGGER IF EXISTS audit_{what}_are_not_{verb}d")


# --- people and time ----------------------------------------------------------------------------------


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture
def make_user(db: None) -> Callable[..., Any]:
    """make_user("dana", display_name="Dana") -> User; the password is the name."""
    from django.contrib.auth import get_user_model

    def make(username: str, **fields: Any) -> Any:
        fields.setdefault("display_name", username.capitalize())
        return get_user_model()._default_manager.create_user(username, password=username, **fields)

    return make


@pytest.fixture
def ann(make_user: Callable[..., Any]) -> Any:
    """A player."""
    return make_user("ann")


@pytest.fixture
def bo(make_user: Callable[..., Any]) -> Any:
    """Ann's opponent."""
    return make_user("bo")


@pytest.fixture
def judge(make_user: Callable[..., Any]) -> Any:
    return make_user("judge")


@pytest.fixture
def organizer(make_user: Callable[..., Any]) -> Any:
    return make_user("organizer")


@pytest.fixture
def visitor(make_user: Callable[..., Any]) -> Any:
    """Somebody with an account and no part in anything."""
    return make_user("visitor")


@pytest.fixture
def as_user() -> Callable[[Any], Any]:
    """as_user(ann) -> a client logged in as her; as_user(None) -> nobody's."""

    from django.test import Client

    def logged_in(user: Any) -> Client:
        client = Client()
        if user is not None:
            client.force_login(user)
        return client

    return logged_in


# --- servers ------------------------------------------------------------------------------------------


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """The address of a new, empty PostgreSQL database, dropped after the test."""
    yield from new_postgres_database()


def new_postgres_database(copy_of: str = "") -> Iterator[str]:
    """The same for fixtures of a wider scope. copy_of: the address of one that nobody is connected to."""
    import psycopg

    server = os.environ.get("HEADJUDGE_TEST_POSTGRES", "postgres://postgres@127.0.0.1:5432/postgres")
    try:
        connection = psycopg.connect(server, autocommit=True, connect_timeout=3)
    except psycopg.OperationalError as error:
        absent("postgres", f"PostgreSQL does not answer at {server}: {str(error).splitlines()[0]}")
    name = f"headjudge_test_{uuid.uuid4().hex[:12]}"
    with connection:
        template = f' TEMPLATE "{urlsplit(copy_of).path[1:]}"' if copy_of else ""
        connection.execute(f'CREATE DATABASE "{name}"{template}')
        try:
            yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def redis_url() -> Iterator[str]:
    """The address of an empty Redis database (the highest free number), flushed after the test."""
    import redis

    server = os.environ.get("HEADJUDGE_TEST_REDIS", "redis://127.0.0.1:6379").rstrip("/")
    try:
        redis.Redis.from_url(server).ping()
    except redis.RedisError as error:
        absent("redis", f"Redis does not answer at {server}: {error}")
    for number in range(15, 0, -1):
        with (Path(tempfile.gettempdir()) / f"headjudge-test-redis-{number}.lock").open("a") as lock:
            try:
                # Held while the test runs: several runs on one machine do not flush each other's queue.
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            client = redis.Redis.from_url(f"{server}/{number}")
            if client.dbsize():
                continue
            yield f"{server}/{number}"
            client.flushdb()
            return
    absent("redis", f"No database number of {server} is free and empty.")


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The browser's program."""
    names = [os.environ.get("HEADJUDGE_TEST_CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"]
    for name in filter(None, names):
        if path := shutil.which(name):
            return path
    absent("browser", "No Chromium on PATH; set HEADJUDGE_TEST_CHROMIUM to its program.")


@pytest.fixture(scope="session")
def chromium(chromium_path: str) -> Iterator[Any]:
    """A running browser (playwright.sync_api.Browser); open a page with `chromium.new_page()`."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=20_000)  # a bound, for a machine with much to do: nothing waits for it to pass
    with sync_playwright() as playwright:
        # A container's root has no user namespaces, hence no sandbox; the tests open only our own pages.
        browser = playwright.chromium.launch(executable_path=chromium_path, args=["--no-sandbox"])
        yield browser
        browser.close()
