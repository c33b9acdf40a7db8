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

from config import jobs
from config.invariants import checks
from decks import services as deck_services
from decks.models import Catalog, FormatVersion, LegalityReport, Recheck, RecheckChunk, Revision
from rules import services as rules_services
from rules.law import system_files
from rules.models import Adjudication, Dispute, Ruling
from tests.rules.scenarios import SHOTGUN
from tests.system.service import free_port
from tests.tournament.factories import NOW, enter, make_event, make_revision, report_all
from tournament import services
from tournament.models import (
    AuditRow,
    ClockEntry,
    Event,
    JudgeCall,
    Match,
    Registration,
    Report,
    Round,
    Seat,
    Staff,
)
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
def installation(request: pytest.FixtureRequest, organizer: Any, ann: Any) -> Any:
    """A bit of everything: an event in its second round, a clock, a call with a dispute, a list, a re-check.

    The cards of every game take longer than all the rest: they are there unless one other check is looked at.
    """
    now = timezone.now() - timedelta(seconds=1)
    call = getattr(request.node, "callspec", None)
    if call is None or call.params.get("check") in (None, "catalogs"):
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
    job = jobs.claim(rules_services.ADJUDICATION, dispute.dispute.adjudications.get().pk, now)
    assert job is not None
    answer = {"counts": {"positions": 1}, "scenario_hash": job.scenario_hash}
    jobs.finish(rules_services.ADJUDICATION, job, now, answer=answer)
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


def test_who_came_after_the_round_need_not_sit_though_the_clock_was_set_back_meanwhile(
    installation: Event, make_user: Any, organizer: Any
) -> None:
    ahead = timezone.now() + timedelta(days=1)
    raw(Round, number=2).update(published_at=ahead)
    raw(AuditRow, verb__in=["round_pair", "round_publish"]).update(at=ahead)
    event, late = Event.objects.get(), make_user("late")
    services.player_register(event=event, user=late, name="Late", by=organizer, now=timezone.now())
    raw(Seat, registration__name="Late").delete()  # as where what was missed counts for nothing
    assert "everybody-plays" not in found()


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


def _run(**fields: Any) -> None:
    Adjudication.objects.update(**fields)


def _under_way(**fields: Any) -> None:
    _run(answer=None, finished_at=None, **fields)


def _finished_again() -> None:
    job = str(Adjudication.objects.get().pk)
    AuditRow.objects.create(verb="adjudication_finish", target_type="rules.adjudication", target_id=job)


def _report_not_in_the_audit_log() -> None:
    raw(AuditRow, pk=AuditRow.objects.filter(verb="result_report")[0].pk).delete()


def _ruling_on_another() -> None:
    job = Adjudication.objects.get()
    other = Dispute.objects.create(
        title="Another",
        filed_by=job.dispute.filed_by,
        source="x",
        scenario={},
        scenario_hash="x",
        filed_at=NOW,
    )
    Ruling.objects.create(
        dispute=other,
        adjudication=job,
        judge=job.dispute.filed_by,
        verdict="Undo my drop",
        agrees=True,
        issued_at=NOW,
    )


def _table_of_round_2(**which: Any) -> Match:
    return Match.objects.filter(round__number=2, table__isnull=False, **which)[0]


def _nobody_at_a_table() -> None:
    raw(Seat, match=_table_of_round_2()).delete()


def _guest_of_another_event() -> None:
    owner = Staff.objects.filter(role="owner")[0].user
    there = make_event(owner, "dunwich")
    guest = services.player_register(event=there, user=None, name="Zed", by=owner, now=NOW)
    raw(Seat, pk=Seat.objects.filter(round__number=2)[0].pk).update(registration=guest)


def _report_of_another_seat() -> None:
    report = Report.objects.filter(seat__isnull=False)[0]
    raw(Report, pk=report.pk).update(seat=Seat.objects.exclude(match=report.match)[0].pk)


def _report_in_a_draft() -> None:
    raw(Round, number=1).update(published_at=None, finished_at=None)


SOON, LONG_AGO = timezone.now() + timedelta(days=1), timezone.now() - timedelta(days=1)
# (check, what it says, what was done)
DAMAGE: list[tuple[str, str, Callable[[], Any]]] = [
    ("constraints", "is missing", lambda: _gone("one_open_call_per_match")),
    ("disk", "never completed", _part),
    ("clock", "clock was ahead", lambda: raw(AuditRow).update(at=timezone.now() + timedelta(hours=2))),
    ("jobs", "contradicts its worker’s claim", lambda: _run(token="left")),
    ("jobs", "has waited", lambda: _under_way(state="queued", queued_at=LONG_AGO)),
    ("jobs", "longer than leases do", lambda: _under_way(state="running", token="x", lease_until=SOON)),
    ("jobs", "more often than the limit", lambda: _run(runs=99)),
    ("finished-once", "has 2 endings", _finished_again),
    ("finished-once", "has 0 endings", lambda: raw(AuditRow, verb="adjudication_finish").delete()),
    ("answers", "doesn’t match its hash", lambda: Dispute.objects.update(scenario_hash="0" * 64)),
    ("answers", "doesn’t match its hash", lambda: _run(scenario_hash="0" * 64)),
    ("answers", "a different situation", lambda: _run(answer={"scenario_hash": "0" * 64})),
    ("disputes", "never asked", lambda: Adjudication.objects.all().delete()),
    ("disputes", "answer to a different dispute", _ruling_on_another),
    ("catalogs", "not the imported ones", lambda: Catalog.objects.update(version="0" * 64)),
    ("formats", "", lambda: FormatVersion(key="coc-lcg", number=1, title="x", text="game: [", made_at=NOW).save()),
    ("lists", "not what it says", lambda: raw(Revision).update(card_count=1)),
    ("lists", "has no report", lambda: raw(LegalityReport).delete()),
    ("lists", "has no revision", lambda: raw(Revision).delete()),
    ("rechecks", "with open parts", lambda: Recheck.objects.update(finished_at=timezone.now())),
    ("rechecks", "has not ended", lambda: RecheckChunk.objects.update(state="done", finished_at=NOW)),
    ("rechecks", "contradicts its worker’s claim", lambda: RecheckChunk.objects.update(token="left")),
    ("rechecks", "waited for minutes", lambda: Recheck.objects.update(asked_at=LONG_AGO)),
    ("rechecks", "are missing", lambda: Recheck.objects.update(total=99)),
    ("events", "has no owner", lambda: Staff.objects.filter(role="owner").delete()),
    ("events", "is not pinned", lambda: Event.objects.update(standings_seed=None)),
    ("events", "can’t be read", lambda: Event.objects.update(policy={"key": "x"})),
    ("rounds", "not numbered 1, 2, 3", lambda: Round.objects.filter(number=2).update(number=3)),
    ("rounds", "are open at once", lambda: Round.objects.update(finished_at=None)),
    ("rounds", "has no result", lambda: Round.objects.update(finished_at=NOW)),
    ("seats", "has no seat", _unseat),
    ("seats", "0 players sit at one table", _nobody_at_a_table),
    ("seats", "without a table, or a bye at one", lambda: raw(Match, pk=_table_of_round_2().pk).update(table=None)),
    ("seats", "a different round", _guest_of_another_event),
    ("everybody-plays", "no table and no bye", lambda: (
        Registration.objects.filter(name="Ann").update(state="active"),
        raw(AuditRow, target_type="tournament.registration").delete(),
    )),
    ("second-days", "a second day that is not settled", lambda: (
        Registration.objects.filter(name="Ann").update(second_day=True)
    )),
    ("second-days", "without having made its cut", lambda: Event.objects.update(second_day_at=timezone.now())),
    ("reports", "Reports of this match are missing", lambda: raw(Report, number=1).delete()),
    ("reports", "seat of a different match", _report_of_another_seat),
    ("reports", "in a draft", _report_in_a_draft),
    ("audit_log", "of the audit log don’t exist", lambda: raw(Report, number=2).delete()),
    ("audit_log", "missing from the audit log", _report_not_in_the_audit_log),
    ("clocks", "are missing", lambda: raw(ClockEntry, number=1).delete()),
    ("calls", "of a different match", _other_match),
]  # fmt: skip


@pytest.mark.parametrize(("check", "said", "damage"), DAMAGE, ids=[f"{one[0]}-{one[1]}" for one in DAMAGE])
def test_what_is_broken_is_found(installation: Any, check: str, said: str, damage: Callable[[], Any]) -> None:
    damage()
    [made] = [one for one in checks() if one.key == check]
    told = [one for one in made.findings() if said in one.message]
    assert told and all(one.place and one.remedy for one in told), made.findings()
    assert not any("could not be checked" in one.message for one in told)


def test_a_reference_that_leads_nowhere_is_told(installation: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE tournament_staff SET user_id = 999999")
    try:
        assert "999999" in str(next(one for one in checks() if one.key == "database").findings())
    finally:
        Staff.objects.all().delete()


def test_a_broker_that_is_gone_is_told(settings: Any) -> None:
    settings.EMBEDDED_BROKER, settings.CELERY_BROKER_URL = False, f"redis://127.0.0.1:{free_port()}/0"
    [told] = next(one for one in checks() if one.key == "broker").findings()
    assert told.level == "warning" and "doesn’t answer" in told.message


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


def test_of_an_empty_database_little_is_said(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations")
        cursor.execute("DROP TABLE tournament_auditrow")
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("doctor", stdout=out)
    told = out.getvalue()
    assert "The database is empty" in told and "1 errors, 0 warnings" in told
    assert "could not be checked" not in told and len(told.splitlines()) < 15


def test_settings_that_do_not_fit_are_told(db: None, settings: Any) -> None:
    settings.JOB_LEASE_SECONDS = 1.0
    assert found() == {"settings": ["JOB_LEASE_SECONDS"]}


def test_a_rules_file_that_cannot_be_read_is_told(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(key: str) -> Any:
        raise ValueError(f"{key} is no chart")

    monkeypatch.setattr(system_files, "library", broken)
    assert "rules/systems/coc-lcg.yaml" in found()["systems"]


def test_every_check_is_broken_once_here() -> None:
    elsewhere = {"database", "migrations", "settings", "broker", "systems"}
    assert {check.key for check in checks()} == {*(check for check, _said, _damage in DAMAGE), *elsewhere}


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
    with pytest.raises(CommandError, match=r"There is no check “nothing”\. The checks are: database"):
        call_command("doctor", only=["nothing"])
