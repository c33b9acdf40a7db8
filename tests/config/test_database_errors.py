"""Two at once, a cut connection, a full disk: refused in words, rolled back, never a 500."""

import errno
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import psycopg.errors
import pytest
from django.db import DatabaseError, DataError, InterfaceError, OperationalError, connection
from django.test import Client

from config.database_errors import mishap
from rules.models import Dispute
from tests.rules.scenarios import SHOTGUN, different
from tests.tournament.factories import make_event
from tournament.models import AuditRow, Event, User

EVENT = {
    "name": "Arkham Open",
    "slug": "arkham",
    "starts_on": "2026-11-21",
    "format": "coc-lcg",
    "format_on": "2026-11-21",
    "policy_key": "coc-lcg",
}


def raised(error: type[Exception], cause: Exception) -> Exception:
    """As Django raises it: its own kind, the driver's as the cause."""
    try:
        raise error("x") from cause
    except error as found:
        return found


def lite(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("x")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("error", "code", "status"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "storage-full", 503),
        (raised(OperationalError, psycopg.errors.DeadlockDetected()), "changed-meanwhile", 409),
        (raised(OperationalError, psycopg.errors.SerializationFailure()), "changed-meanwhile", 409),
        (raised(OperationalError, psycopg.errors.LockNotAvailable()), "changed-meanwhile", 409),
        (raised(DataError, psycopg.errors.NumericValueOutOfRange()), "too-large-number", 400),
        (OverflowError("Python int too large to convert to SQLite INTEGER"), "too-large-number", 400),
        (raised(OperationalError, lite(5)), "changed-meanwhile", 409),
        (raised(OperationalError, lite(517)), "changed-meanwhile", 409),  # a snapshot too old to write from
        (raised(OperationalError, lite(6)), "changed-meanwhile", 409),
        (raised(OperationalError, lite(13)), "storage-full", 503),
        (raised(OperationalError, lite(778)), "storage-full", 503),  # a write that failed
        (raised(OperationalError, psycopg.errors.DiskFull()), "storage-full", 503),
        (raised(OperationalError, psycopg.errors.AdminShutdown()), "database-away", 503),
        (raised(OperationalError, psycopg.OperationalError("refused")), "database-away", 503),
        (raised(InterfaceError, psycopg.InterfaceError("closed")), "database-away", 503),
    ],
)
def test_what_passes_by_itself_is_told_so(error: Exception, code: str, status: int) -> None:
    found = mishap(error)
    assert found is not None and (found.code, found.status) == (code, status)
    assert found.remedy


@pytest.mark.parametrize(
    "error",
    [
        raised(OperationalError, lite(1)),  # no such table
        raised(OperationalError, psycopg.errors.UndefinedTable()),
        raised(DatabaseError, psycopg.errors.UniqueViolation()),
        ValueError("x"),
    ],
)
def test_a_bug_stays_a_bug(error: Exception) -> None:
    assert mishap(error) is None


@pytest.fixture
def locked(transactional_db: None) -> Callable[[], Any]:
    """Somebody else holds the database, and we wait a moment only."""
    if connection.vendor != "sqlite":
        pytest.skip("SQLite's lock")

    def lock() -> Any:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 20")
        other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        return closing(other)

    return lock


def test_a_held_database_is_a_conflict_on_page_and_api(locked: Callable[[], Any]) -> None:
    organizer = User.objects.create_user("organizer", password="x")
    event = make_event(organizer)
    client = Client(raise_request_exception=False)
    client.force_login(organizer)
    before = AuditRow.objects.count()
    with locked():
        page = client.post(f"/events/{event.slug}/watch")
        api = client.post("/api/v1/events", json.dumps(EVENT), "application/json")
    assert (page.status_code, api.status_code) == (409, 409)
    assert "Someone else just changed this." in page.content.decode()
    assert api.json()["code"] == "changed-meanwhile" and "Traceback" not in page.content.decode()
    assert (Event.objects.count(), AuditRow.objects.count()) == (1, before)


def test_a_session_that_cannot_be_saved_is_no_fault_of_ours(locked: Callable[[], Any]) -> None:
    """It is saved after the view: outside of what views' errors pass through."""
    User.objects.create_user("ann", password="ann")
    client = Client(raise_request_exception=False)
    with locked():
        response = client.post("/login", {"username": "ann", "password": "ann"})
    assert response.status_code == 409


@pytest.mark.django_db
def test_a_full_database_refuses_in_words_and_goes_on_when_there_is_room() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("SQLite's limit")
    organizer = User.objects.create_user("organizer", password="x")
    client = Client(raise_request_exception=False)
    client.force_login(organizer)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA page_count")
        cursor.execute(f"PRAGMA max_page_count = {cursor.fetchone()[0]}")
        try:
            answers = [file_dispute(client, number) for number in range(40)]
        finally:
            cursor.execute("PRAGMA max_page_count = 1073741823")
    refused = [answer for answer in answers if answer.status_code != 201]
    assert refused and {answer.status_code for answer in refused} == {503}
    assert refused[0].json()["code"] == "storage-full" and refused[0]["Retry-After"]
    assert Dispute.objects.count() == len(answers) - len(refused)
    assert file_dispute(client, 99).status_code == 201


def file_dispute(client: Client, number: int) -> Any:
    body = {"title": f"Dispute {number}", "source": different(SHOTGUN, number)}
    return client.post("/api/v1/disputes", json.dumps(body), "application/json")
