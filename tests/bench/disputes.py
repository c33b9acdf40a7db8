"""A hundred disputes filed at once, and one after another: real processes, embedded and PostgreSQL with Redis.

Times are read from the rows: from the moment a dispute was filed to the moment its answer was stored. All must be
answered, none twice. `disputes-one-by-one` is what a judge at a table waits; `disputes-100-at-once` is the last one's
wait in a queue of a hundred.
"""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from tests.bench.shapes import machine, servers
from tests.rules.scenarios import SHOTGUN, different
from tests.system.service import Service, eventually, free_port

AT_ONCE, ONE_BY_ONE = 100, 40
WORKER = "python -m celery -A config.celery worker --loglevel WARNING --without-gossip --without-mingle"
BEAT = "python -m celery -A config.celery beat --pidfile= --loglevel WARNING"
Measurement = tuple[str, float, str, tuple[str, float] | None]


def measure() -> Iterator[Measurement]:
    yield from machine()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        service = Service(Path(folder))
        stack.callback(service.close)
        log = service.folder / "process-0.log"
        service.start(f"python manage.py up --port {free_port()}")
        assert eventually(lambda: "Headjudge is at" in log.read_text(), 300), log.read_text()
        yield from _measured("embedded", service)
    with servers() as other:
        if other is None:
            return
        for number in (1, 2):
            other.start(f"{WORKER} --pool prefork --concurrency 2 --hostname w{number}@%h")
        other.start(BEAT)
        yield from _measured("two-workers", other)


def _measured(shape: str, service: Service) -> Iterator[Measurement]:
    _file(service, 0, 2, wait=True)  # the workers have read the rules
    _file(service, 100, ONE_BY_ONE, wait=True)
    taken = _waits(service, "one by one")
    yield f"disputes-one-by-one-p50-{shape}", _percentile(taken, 0.5), "s", None
    yield f"disputes-one-by-one-p95-{shape}", _percentile(taken, 0.95), "s", None
    _file(service, 1_000, AT_ONCE, wait=False)
    assert eventually(lambda: len(_waits(service, "at once")) == AT_ONCE, 300), service.logs()
    taken = _waits(service, "at once")
    yield f"disputes-100-at-once-p50-{shape}", _percentile(taken, 0.5), "s", None
    yield f"disputes-100-at-once-p95-{shape}", _percentile(taken, 0.95), "s", None
    [[twice]] = service.rows(
        "SELECT count(*) FROM (SELECT target_id FROM tournament_auditrow WHERE verb = 'adjudication_finish'"
        " GROUP BY target_id HAVING count(*) > 1) AS t"
    )
    yield f"disputes-answered-twice-{shape}", twice, "disputes", None


def _percentile(taken: list[float], share: float) -> float:
    return sorted(taken)[min(int(len(taken) * share), len(taken) - 1)]


def _file(service: Service, first: int, count: int, *, wait: bool) -> None:
    sources = [different(SHOTGUN, first + number) for number in range(count)]
    title = "one by one" if wait and count > 2 else "warm" if wait else "at once"
    service.python(
        f"""
import time
from django.contrib.auth import get_user_model
from django.utils import timezone
from rules import services
by, _ = get_user_model().objects.get_or_create(username="judge")
for source in {sources!r}:
    dispute = services.dispute_file(by=by, title={title!r}, source=source, now=timezone.now())
    while {wait!r} and not dispute.adjudications.filter(state="done").exists():
        time.sleep(0.02)
"""
    )


def _waits(service: Service, title: str) -> list[float]:
    """Seconds from filing to the stored answer, of those that have it."""
    took = "extract(epoch FROM (a.finished_at - a.queued_at))"
    if "DATABASE_URL" not in service.environment:
        took = "(julianday(a.finished_at) - julianday(a.queued_at)) * 86400.0"
    return [
        float(seconds)
        for (seconds,) in service.rows(
            f"SELECT {took} FROM rules_adjudication a JOIN rules_dispute d ON d.id = a.dispute_id"
            f" WHERE a.state = 'done' AND d.title = '{title}'"
        )
    ]
