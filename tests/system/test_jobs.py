"""Nothing lost, nothing finished twice: real workers, killed; real brokers, emptied; messages doubled."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import redis
from django.conf import settings

from tests.rules.scenarios import SHOTGUN, different
from tests.system.service import Service, eventually

pytestmark = [pytest.mark.system, pytest.mark.django_db]

COMMON = "--loglevel INFO --without-gossip --without-mingle --without-heartbeat"
WORKER = "python -m celery -A tests.system.slow_celery worker --concurrency 2 " + COMMON
BEAT = "python -m celery -A config.celery beat --loglevel WARNING"


def embedded(service: Service) -> bool:
    return "DATABASE_URL" not in service.environment


def worker(service: Service, name: str, *, slow: float, beat: bool = False) -> Any:
    """A worker as that shape runs it: threads with the schedule inside, or forked processes."""
    pool = "threads" if embedded(service) else "prefork"
    command = f"{WORKER} --pool {pool} --hostname {name}@%h" + (" --beat" if beat else "")
    return service.start(command, SLOW_SECONDS=str(slow))


def file_disputes(service: Service, count: int, *, rings: int = 1) -> None:
    """File `count` different disputes, each somebody else's; the broker is told `rings` times of each."""
    sources = json.dumps([different(SHOTGUN, number) for number in range(count)])
    service.python(
        f"""
from django.contrib.auth import get_user_model
from django.utils import timezone
from config import jobs
from rules import services
for number, source in enumerate({sources}):
    by, _ = get_user_model().objects.get_or_create(username=f"person{{number}}")
    dispute = services.dispute_file(by=by, title=f"Dispute {{number}}", source=source, now=timezone.now())
    for again in range({rings} - 1):
        jobs.verbs.send(services.ADJUDICATION, dispute.adjudications.get().pk)
"""
    )


def tally(service: Service) -> dict[str, int]:
    """Jobs by state, starts (`runs`), and finishes as the audit log has them."""
    states = dict(service.rows("SELECT state, count(*) FROM rules_adjudication GROUP BY state"))
    [[starts]] = service.rows("SELECT coalesce(sum(runs), 0) FROM rules_adjudication")
    [[finishes]] = service.rows("SELECT count(*) FROM tournament_auditrow WHERE verb = 'adjudication_finish'")
    return {**states, "starts": starts, "finishes": finishes}


def all_done(service: Service, count: int) -> bool:
    return eventually(lambda: tally(service).get("done") == count, seconds=90)


def empty_broker(service: Service) -> int:
    """Throw away every message; how many there were."""
    if embedded(service):
        folder = Path(service.environment["HEADJUDGE_VAR"]) / "queue" / "messages"
        count = len(list(folder.iterdir()))
        shutil.rmtree(folder)
        folder.mkdir()
        return count
    client = redis.Redis.from_url(service.environment["CELERY_BROKER_URL"])
    count = sum(client.llen(queue) for queue in ("celery", *settings.LANES))
    client.flushdb()
    return int(count)


def test_a_worker_killed_in_the_middle_loses_nothing(service: Service) -> None:
    jobs = 10
    if not embedded(service):
        service.start(BEAT)
    victim = worker(service, "victim", slow=4, beat=embedded(service))
    file_disputes(service, jobs)
    assert eventually(lambda: tally(service).get("running", 0) == 2), service.logs()
    worker(service, "survivor", slow=0.2)
    service.kill(victim)
    if embedded(service):
        worker(service, "next", slow=0.2, beat=True)  # `up` restarts its one worker, with the schedule
    assert all_done(service, jobs), service.logs()
    told = tally(service)
    assert told["finishes"] == jobs
    assert told["starts"] >= jobs + 2  # the two that were in hand were started again


def test_a_broker_emptied_with_jobs_queued_loses_nothing(service: Service) -> None:
    jobs = 10
    file_disputes(service, jobs)
    assert empty_broker(service) == jobs
    if not embedded(service):
        service.start(BEAT)
    worker(service, "one", slow=0.1, beat=embedded(service))
    assert all_done(service, jobs), service.logs()
    assert tally(service)["finishes"] == jobs


def test_a_broker_emptied_under_a_running_worker_loses_nothing(service: Service) -> None:
    """Embedded, the whole folder goes: messages, and the tables by which they find their queue."""
    jobs = 10
    worker(service, "one", slow=0.1, beat=True)
    file_disputes(service, 1)
    assert all_done(service, 1), service.logs()
    if embedded(service):
        shutil.rmtree(service.folder / "queue")
    else:
        empty_broker(service)
    file_disputes(service, jobs)
    assert all_done(service, jobs + 1), service.logs()
    assert tally(service)["finishes"] == jobs  # one of them was answered before


def test_deliveries_that_race_finish_a_job_once(service: Service) -> None:
    jobs = 10
    file_disputes(service, jobs, rings=3)
    worker(service, "one", slow=0.1)
    worker(service, "two", slow=0.1)
    assert all_done(service, jobs), service.logs()
    told = tally(service)
    assert (told["finishes"], told["starts"]) == (jobs, jobs)


def test_a_worker_asked_to_stop_leaves_nothing_undone(service: Service) -> None:
    """SIGTERM in the middle, then a new start: as a deployment does it."""
    jobs = 5
    first = worker(service, "first", slow=2)
    file_disputes(service, jobs)
    assert eventually(lambda: tally(service).get("running", 0) > 0), service.logs()
    first.terminate()
    first.wait(timeout=30)
    assert tally(service).get("done", 0) < jobs
    worker(service, "second", slow=0.1, beat=True)
    assert all_done(service, jobs), service.logs()
    assert tally(service)["finishes"] == jobs
