"""What the operator sees: queues, processes, faults, as a page and for programs; and what logs say."""

import io
import json
import logging
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from config import jobs
from config.logs import Ids, JSONLines, job_id
from config.operations import note_fault
from decks.models import Catalog
from rules import services, tasks
from rules.scenarios import adjudicate as engine
from tests.rules.scenarios import SHOTGUN
from tournament.models import AuditRow, Fault, Process
from tournament.selectors import operations

pytestmark = pytest.mark.django_db


def measured(client: Client, **headers: str) -> dict[str, float]:
    """Every number by its name and labels; each family told once, before its numbers."""
    text = client.get("/metrics", headers=headers).content.decode()
    lines = text.splitlines()
    families = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(families) == len(set(families))
    numbers = [
        re.fullmatch(r'(headjudge_\w+(?:\{[^{}"]+="[^"]*"\})?) (\S+)', line)
        for line in lines
        if line[0] != "#"
    ]
    return {found[1]: float(found[2]) for found in numbers if found is not None}


def test_metrics_tell_the_queue_the_answers_and_the_faults(client: Client, ann: Any) -> None:
    now = timezone.now()
    waiting = services.dispute_file(by=ann, title="One", source=SHOTGUN, now=now - timedelta(seconds=40))
    told = measured(client)
    assert told['headjudge_queue_waiting{queue="adjudications"}'] == 1
    assert 40 <= told['headjudge_queue_oldest_seconds{queue="adjudications"}'] < 60
    tasks.adjudicate(waiting.adjudications.get().pk)
    note_fault("GET /", ValueError("a secret"))
    Process.objects.create(name="worker a 1", kind="worker", started_at=now, seen_at=now)
    Process.objects.create(name="worker b 1", kind="worker", started_at=now, seen_at=now - timedelta(hours=1))
    told = measured(client)
    assert told['headjudge_queue_waiting{queue="adjudications"}'] == 0
    assert told['headjudge_adjudications_total{state="done"}'] == 1
    assert told['headjudge_adjudication_seconds_bucket{le="10"}'] == 0
    assert (
        told['headjudge_adjudication_seconds_bucket{le="60"}']
        == told["headjudge_adjudication_seconds_count"]
        == 1
    )
    assert 40 <= told["headjudge_adjudication_seconds_sum"] < 60
    assert told["headjudge_faults_total"] == Fault.objects.get().pk
    assert told['headjudge_processes{kind="worker"}'] == 1


def test_a_job_whose_worker_is_gone_waits(ann: Any, now: datetime) -> None:
    job = services.dispute_file(by=ann, title="One", source=SHOTGUN, now=now).adjudications.get()
    jobs.claim(services.ADJUDICATION, job.pk, now)
    queue = operations.queues(now)[0]
    assert (queue.waiting, queue.running) == (0, 1)
    queue = operations.queues(now + timedelta(minutes=1))[0]
    assert (queue.waiting, queue.running, queue.oldest_seconds) == (1, 0, 60)


def test_a_process_last_seen_by_a_clock_since_set_back_is_not_taken_for_alive(
    db: None, now: datetime
) -> None:
    at = {"seconds": now, "tomorrow": now + timedelta(days=1), "yesterday": now - timedelta(days=1)}
    for name, seen in at.items():
        Process.objects.create(name=name, kind="worker", started_at=seen, seen_at=seen)
    assert [one.name for one in operations.processes(now)] == ["seconds"]


@pytest.mark.parametrize(
    ("token", "headers", "status"),
    [
        ("", {}, 200),  # this machine
        ("", {"X-Forwarded-For": "203.0.113.7"}, 404),  # somebody through the proxy
        ("", {"X-Forwarded-Proto": "https"}, 404),
        ("secret", {}, 404),
        ("secret", {"Authorization": "Bearer wrong"}, 404),
        ("secret", {"Authorization": "Bearer secret", "X-Forwarded-Proto": "https"}, 200),
    ],
)
def test_metrics_are_for_who_may_read_them(
    client: Client, settings: Any, token: str, headers: dict[str, str], status: int
) -> None:
    settings.METRICS_TOKEN = token
    assert client.get("/metrics", headers=headers).status_code == status
    if not token:
        assert client.get("/metrics", REMOTE_ADDR="203.0.113.7").status_code == 404


def test_the_page_is_the_operators_alone(
    client: Client, organizer: Any, make_user: Callable[..., Any]
) -> None:
    client.force_login(organizer)
    assert client.get("/operations").status_code == 404
    client.force_login(make_user("root", is_superuser=True))
    note_fault("POST /events/new", ZeroDivisionError("a secret"))
    page = client.get("/operations").content.decode()
    assert "ZeroDivisionError" in page and "POST /events/new" in page and "a secret" not in page
    assert "No worker has been seen recently." in page


def test_the_age_of_the_card_data_is_on_the_page(client: Client, ann: Any, now: datetime) -> None:
    """The column was empty."""
    ann.is_superuser = True
    ann.save()
    client.force_login(ann)
    day = timezone.now().date() - timedelta(days=400)
    Catalog.objects.create(
        game="codex", name="Codex", partial=False, version="1", imported_at=timezone.now(), as_of=day
    )
    page = client.get("/operations").content.decode()
    found = re.search(r"Codex</th>.*?data-label=\"Age:\">\s*([^<]*?)\s*</td>", page, re.DOTALL)
    assert found is not None
    assert found[1].replace("\xa0", " ").startswith("1 year, 1 month")


def test_a_fault_is_kept_under_the_id_that_the_person_is_told(
    ann: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournament.views.home.agenda", lambda user: 1 / 0)
    client = Client(raise_request_exception=False)
    client.force_login(ann)
    response = client.get("/")
    fault = Fault.objects.get()
    assert response.status_code == 500 and fault.request_id == response["X-Request-Id"] != ""
    assert fault.request_id in response.content.decode()
    assert (fault.where, fault.message) == ("GET /", "ZeroDivisionError")


def test_a_job_that_fails_is_a_fault_and_its_rows_bear_its_name(
    ann: Any, now: datetime, monkeypatch: Any
) -> None:
    monkeypatch.setattr(engine, "adjudicate", lambda *args, **how: 1 / 0)
    job = services.dispute_file(by=ann, title="One", source=SHOTGUN, now=now).adjudications.get()
    tasks.adjudicate(job.pk)
    assert Fault.objects.get().where == f"adjudication-{job.pk}"
    assert AuditRow.objects.get(verb="adjudication_fail").request_id == f"adjudication-{job.pk}"


def test_old_faults_are_let_go_and_still_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.operations.FAULTS_KEPT", 10)
    for _ in range(201):
        note_fault("GET /", ValueError())
    assert Fault.objects.count() < 120
    assert operations.faults_counted() == Fault.objects.all()[0].pk >= 201


def test_a_log_line_as_json_names_its_job_and_its_error() -> None:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(JSONLines())
    handler.addFilter(Ids())
    log = logging.Logger("rules.tasks")
    log.addHandler(handler)
    with job_id("adjudication-7"):
        try:
            raise ValueError("no\nchart")
        except ValueError:
            log.exception("adjudication %s failed", 7)
    [line] = out.getvalue().splitlines()
    told = json.loads(line)
    assert (told["id"], told["level"], told["message"]) == (
        "adjudication-7",
        "ERROR",
        "adjudication 7 failed",
    )
    assert "ValueError" in told["error"]


def test_slow_queries_are_logged_without_their_values(
    client: Client, settings: Any, caplog: Any, ann: Any
) -> None:
    settings.SLOW_QUERY_MS = 0.000_001
    client.post("/login", {"username": "ann", "password": "a secret"})
    slow = [record.getMessage() for record in caplog.records if record.name == "headjudge.slow"]
    assert any("tournament_user" in line for line in slow)
    assert not any("ann" in line.split("WHERE")[-1] for line in slow)
