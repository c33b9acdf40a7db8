"""The embedded service as a person meets it: how soon it is up, how soon a dispute is answered."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.rules.scenarios import SHOTGUN, different
from tests.system.service import Service, eventually, free_port

JOBS = 30


def measure() -> Iterator[tuple[str, float, str, tuple[str, float] | None]]:
    with tempfile.TemporaryDirectory() as folder:
        service = Service(Path(folder))
        yield "up-first-start", _start(service), "s", None
        yield "up-stop", _seconds(lambda: _stop(service)), "s", None
        yield "up-second-start", _start(service), "s", None
        waits = _answers(service)
        _stop(service)
    yield "dispute-filed-to-answered-median", statistics.median(waits), "ms", None
    yield "dispute-filed-to-answered-p95", sorted(waits)[int(len(waits) * 0.95)], "ms", None


def _start(service: Service) -> float:
    """Seconds until `up` greets."""
    log = service.folder / f"process-{len(service.processes)}.log"
    return _seconds(
        lambda: (
            service.start(f"python manage.py up --port {free_port()}"),
            eventually(lambda: "Headjudge is at" in log.read_text(), pause=0.02),
        )
    )


def _stop(service: Service) -> None:
    service.processes[-1].terminate()
    service.processes[-1].wait()


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _answers(service: Service) -> list[float]:
    """Milliseconds from filing to the stored answer, one dispute after another, the worker being up."""
    told: list[float] = service.python(
        f"""
import time
from django.contrib.auth import get_user_model
from django.utils import timezone
from rules import services
by = get_user_model().objects.get(username="judge")
waits = []
for source in {[different(SHOTGUN, number) for number in range(JOBS)]!r}:
    started = time.perf_counter()
    job = services.dispute_file(by=by, title="Bench", source=source, now=timezone.now()).adjudications.get()
    while job.state != "done":
        time.sleep(0.005)
        job.refresh_from_db()
    waits.append((time.perf_counter() - started) * 1000)
tell(waits[5:])
"""
    )
    return told
