"""`manage.py doctor`: a healthy installation is clean; whatever is broken is found, with its place."""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection, models
from django.utils import timezone

from config.soundness import checks
from decks import services as deck_services
from decks.models import Catalog, Recheck, Revision
from rules import services as rules_services
from rules import system_files
from rules.models import Adjudication, Dispute
from tests.rules.scenarios import SHOTGUN
from tests.tournament.factories import NOW, enter, make_event, make_revision, report_all
from tournament import services
from tournament.models import AuditRow, ClockEntry, JudgeCall, Match, Registration, Report, Round, Seat, Staff
from tournament.selectors import round_matches

pytestmark = pytest.mark.django_db


def raw(model: type[models.Model], **which: Any) -> "models.QuerySet[Any]":
    """Rows as somebody with a database tool reaches them: past what the models refuse."""
    return models.QuerySet(model).filter(**which)


@pytest.fixture(autouse=True)
def tidy() -> Iterator[None]:
    yield
    shutil.rmtree(Path(settings.VAR_DIR) / "queue", ignore_errors=True)


@pytest.fixture
def installation(organizer: Any, ann: Any) -> Any:
    """A bit of everything: an event in its second round, a clock, a call with a dispute, a list, a re-check."""
    now = timezone.now() - timedelta(seconds=1)
    deck_services.catalog_load_shipped(now=now)
    event = make_event(organizer)
    enter(event, 5)
    services.player_drop(
        registration=services.player_register(event=event, user=ann, by=ann, now=NOW), by=ann, now=now
    )
    first = services.round_pair(event=event, by=organizer, seed=1, now=now)
    services.clock_start(round=first, by=organizer, now=now)
    services.clock_pause(round=first, by=organizer, now=now)
    report_all(first)
    second = services.round_pair(event=event, by=organizer, seed=2, now=timezone.now())
    match = next(one for one in round_matches(second) if one.table)
    services.call_open(match=match, words="Who is next?", by=organizer, now=now)
    dispute = services.dispute_file(match=match, by=organizer, title="Shotgun", source=SHOTGUN, now=now)
    job = rules_services.adjudication_claim(pk=dispute.dispute.adjudications.get().pk, now=now)
    assert job is not None
    answer = {"counts": {"positions": 1}, "scenario_hash": job.scenario_hash}
    rules_services.adjudication_finish(pk=job.pk, token=job.token, answer=answer, now=now)
    JudgeCall.objects.update(dispute=dispute)
    make_revision(ann)
    deck_services.recheck_start(format="coc-lcg", what_if=True, by=ann, now=now)
    return event


def found() -> dict[str, list[str]]:
    """Check -> where it found something."""
    return {check.key: [one.place for one in told] for check in checks() if (told := check.findings())}


def test_a_healthy_installation_is_clean(installation: Any) -> None:
    assert found() == {}


def test_so_is_an_empty_one(db: None) -> None:
    assert found() == {}


def _gone(check: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX {check}")


def _unseat() -> None:
    seat = Seat.objects.filter(round__number=2, match__table__isnull=False).first()
    assert seat is not None
    raw(Seat, pk=seat.pk).delete()


def _part() -> None:
    file = Path(settings.VAR_DIR) / "queue" / "messages" / ".half.part"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{")
    os.utime(file, (time.time() - 7200,) * 2)


def _other_match() -> None:
    other = Match.objects.filter(round__number=1, table__isnull=False).first()
    JudgeCall.objects.update(match=other)


def _audit(verb: str, model: str, pk: int) -> None:
    AuditRow.objects.create(verb=verb, target_type=model, target_id=str(pk))


DAMAGE: dict[str, Callable[[], Any]] = {
    "constraints": lambda: _gone("one_open_call_per_match"),
    "disk": _part,
    "clock": lambda: raw(AuditRow).update(at=timezone.now() + timedelta(hours=2)),
    "jobs": lambda: Adjudication.objects.update(token="left"),
    "finished-once": lambda: _audit(
        "adjudication_finish", "rules.adjudication", Adjudication.objects.get().pk
    ),
    "answers": lambda: Dispute.objects.update(scenario_hash="0" * 64),
    "disputes": lambda: Adjudication.objects.all().delete(),
    "catalogs": lambda: Catalog.objects.update(version="0" * 64),
    "lists": lambda: raw(Revision).update(card_count=1),
    "rechecks": lambda: Recheck.objects.update(finished_at=timezone.now()),
    "events": lambda: Staff.objects.filter(role="owner").delete(),
    "rounds": lambda: Round.objects.filter(number=2).update(number=3),
    "seats": _unseat,
    "everybody-plays": lambda: (
        Registration.objects.filter(name="Ann").update(state="active"),
        raw(AuditRow, target_type="tournament.registration").delete(),
    ),
    "reports": lambda: raw(Report, number=1).delete(),
    "trail": lambda: raw(AuditRow, pk=AuditRow.objects.filter(verb="result_report")[0].pk).delete(),
    "clocks": lambda: raw(ClockEntry, number=1).delete(),
    "calls": _other_match,
}


@pytest.mark.parametrize("check", DAMAGE)
def test_what_is_broken_is_found(installation: Any, check: str) -> None:
    DAMAGE[check]()
    places = found()
    assert check in places and places[check][0]


@pytest.mark.parametrize(
    ("check", "sql"),
    [
        ("migrations", "DELETE FROM django_migrations WHERE app = 'sessions'"),
        ("migrations", "DELETE FROM django_migrations"),
        (
            "migrations",
            "INSERT INTO django_migrations (app, name, applied) VALUES ('rules', '9999_new', '2030-01-01')",
        ),
    ],
)
def test_an_older_and_a_newer_database_are_told(db: None, check: str, sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)
    assert check in found()


def test_settings_that_do_not_fit_are_told(db: None, settings: Any) -> None:
    settings.JOB_LEASE_SECONDS = 1.0
    assert found() == {"settings": ["JOB_LEASE_SECONDS"]}


def test_a_rules_file_that_cannot_be_read_is_told(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(key: str) -> Any:
        raise ValueError(f"{key} is no chart")

    monkeypatch.setattr(system_files, "library", broken)
    assert "rules/systems/coc-lcg.yaml" in found()["systems"]


def test_every_check_is_broken_once_here() -> None:
    elsewhere = {"database", "migrations", "settings", "broker", "systems", "formats"}
    assert {check.key for check in checks()} == {*DAMAGE, *elsewhere}


def test_the_command_tells_it_to_people_and_programs(installation: Any) -> None:
    out = StringIO()
    call_command("doctor", stdout=out)
    assert "All is well" in out.getvalue()
    Staff.objects.filter(role="owner").delete()
    out = StringIO()
    with pytest.raises(SystemExit) as stopped:
        call_command("doctor", json=True, stdout=out)
    told = json.loads(out.getvalue())
    assert (stopped.value.code, told["sound"]) == (1, False)
    [finding] = told["findings"]
    assert (finding["check"], finding["place"]) == ("events", "event kingsport") and finding["remedy"]
    with pytest.raises(CommandError, match="There is no check “nothing”; there are: database"):
        call_command("doctor", only=["nothing"])
