"""The audit log: rows are written once; neither the models nor the database change or delete one."""

import sqlite3
from contextlib import closing
from typing import Any

import psycopg
import pytest
from django.apps import apps

from config.append_only import AppendOnly
from config.audit import audit
from tests.system.service import Service
from tests.tournament.factories import make_event
from tournament.models import AuditRow

ROW = "INSERT INTO tournament_auditrow (id, verb, target_type, target_id, data, request_id, at) VALUES "
VALUES = "(1, 'x', 'x', '1', '{}', '', '2026-11-21')"
REASON = "INSERT INTO tournament_auditreason (row_id, text) VALUES (1, 'because')"
CHANGES = (
    "UPDATE tournament_auditrow SET data = '{}'",
    "DELETE FROM tournament_auditrow",
    "UPDATE tournament_auditreason SET text = 'x'",
    "DELETE FROM tournament_auditreason",
)


@pytest.mark.django_db
def test_the_models_refuse(organizer: Any) -> None:
    make_event(organizer)
    row = AuditRow.objects.all()[0]
    for attempt in (
        row.save,
        row.delete,
        AuditRow.objects.all().delete,
        lambda: AuditRow.objects.update(verb="never"),
    ):
        with pytest.raises(RuntimeError):
            attempt()


ONCE = [model for model in apps.get_models() if issubclass(model, AppendOnly)]


@pytest.mark.parametrize("model", ONCE, ids=lambda model: model.__name__)
def test_so_they_do_for_every_row_that_is_written_once(model: Any) -> None:
    assert {"AuditRow", "Report", "Ruling", "Penalty", "Statement"} <= {one.__name__ for one in ONCE}
    row = model(pk=1)
    for attempt in (row.save, row.delete, model.objects.all().delete, lambda: model.objects.update(pk=2)):
        with pytest.raises(RuntimeError, match=r"written once|never deleted"):
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
            connection.execute(REASON)
            for change in CHANGES:
                with pytest.raises(psycopg.errors.RaiseException, match="written once"):
                    connection.execute(change.encode())
        return
    with closing(sqlite3.connect(service.folder / "headjudge.sqlite3")) as database:
        database.execute(ROW + VALUES)
        database.execute(REASON)
        for change in CHANGES:
            with pytest.raises(sqlite3.IntegrityError, match="written once"):
                database.execute(change)


ERASE = """
from datetime import date
from django.db import DatabaseError, models, transaction
from django.utils import timezone
from tournament import services
from tournament.models import AuditRow, Erasure, User
now = timezone.now()
owner, zoe = (User.objects.create_user(name, display_name=name) for name in ("owner", "Zo\u00eb Zweigova"))
event = services.event_create(name="Open", slug="open", starts_on=date(2026, 11, 21), format="coc-lcg",
    format_on=date(2026, 11, 21), policy_key="coc-lcg", by=owner, now=now)
entry = services.player_register(event=event, user=zoe, by=zoe, now=now)
services.player_change(registration=entry, name="Zoe Zweig", by=owner, now=now)
services.event_ban(event=event, user=zoe, reason="Zo\u00eb Zweigova stole", by=owner, now=now)
bella = User.objects.create_user("bella")
services.event_ban(event=event, user=bella, reason="the one they call Rat", by=owner, now=now)
left = [AuditRow.objects.count()]
services.account_erase(person=zoe, by=None, now=now)
rows = models.QuerySet(AuditRow).order_by("pk")
ban, other = rows.filter(verb="event_ban")
services.reason_erase(row=other, by=None, now=now)
def refused(**change):
    try:
        with transaction.atomic():
            Erasure.objects.create(person=owner)
            rows.filter(pk=ban.pk).update(**change)
            transaction.set_rollback(True)
    except DatabaseError as error:
        return "written once" in str(error)
    return False
tell({
    "rows": AuditRow.objects.count() - left[0], "open": Erasure.objects.count(),
    "named": [row.verb for row in rows if "weig" in f"{row.reason} {row.data}"],
    "ban": AuditRow.objects.get(pk=ban.pk).reason.startswith("Player "),
    "other": AuditRow.objects.get(pk=other.pk).reason,
    "refused": [refused(verb="x"), refused(at=now), refused(actor=None), refused(data={})],
})
"""


@pytest.mark.system
def test_erasing_a_person_reaches_its_words_and_nothing_else(service: Service) -> None:
    told = service.python(ERASE)
    assert told == {
        "rows": 3,
        "open": 0,
        "named": [],
        "ban": True,
        "other": "",
        "refused": [True, True, True, False],  # its words alone are open then
    }
