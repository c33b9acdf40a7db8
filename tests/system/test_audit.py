"""The trail: rows are written once; neither the models nor the database change or delete one."""

import sqlite3
from contextlib import closing
from typing import Any

import psycopg
import pytest
from django.apps import apps

from config.audit import audit
from tests.system.service import Service
from tests.tournament.factories import make_event
from tournament.models import AuditRow

ROW = "INSERT INTO tournament_auditrow (verb, target_type, target_id, reason, data, request_id, at) VALUES "
VALUES = "('x', 'x', '1', '', '{}', '', '2026-11-21')"


@pytest.mark.django_db
def test_the_models_refuse(organizer: Any) -> None:
    make_event(organizer)
    row = AuditRow.objects.all()[0]
    for attempt in (
        row.save,
        row.delete,
        AuditRow.objects.all().delete,
        lambda: AuditRow.objects.update(reason="never"),
    ):
        with pytest.raises(RuntimeError):
            attempt()


def test_there_is_no_admin_to_do_it_with() -> None:
    assert not apps.is_installed("django.contrib.admin")


@pytest.mark.django_db
def test_a_row_is_part_of_the_change_it_records(organizer: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("config.audit.transaction.get_connection", lambda: _Outside())
    with pytest.raises(RuntimeError, match="outside the transaction"):
        audit("x", actor=organizer, target=organizer)


class _Outside:
    in_atomic_block = False


@pytest.mark.system
def test_the_database_refuses(service: Service) -> None:
    """Whatever program asks it: here its own client, without our code. After every migration there is."""
    if url := service.environment.get("DATABASE_URL"):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute((ROW + VALUES).encode())
            for change in ("UPDATE tournament_auditrow SET reason = 'x'", "DELETE FROM tournament_auditrow"):
                with pytest.raises(psycopg.errors.RaiseException, match="written once"):
                    connection.execute(change.encode())
        return
    with closing(sqlite3.connect(service.folder / "headjudge.sqlite3")) as database:
        database.execute(ROW + VALUES)
        for change in ("UPDATE tournament_auditrow SET reason = 'x'", "DELETE FROM tournament_auditrow"):
            with pytest.raises(sqlite3.IntegrityError, match="written once"):
                database.execute(change)
