"""`make soak`: a round played by everybody at once, over HTTP on loopback. Takes minutes; not part of `make bench`.

Phones poll their match page every few seconds (conditional, as the page does); within a minute both players of every
table report, so that half as many results are settled. Workers and clock run beside it, as in real life. Told are the
times of answers as the phones see them, errors, and the memory of the web processes meanwhile. And SQLite under six
writers. The phones are threads of one process on the same machine: they take their part of its cores.

HEADJUDGE_SOAK_SECONDS: how long the round is played (60).
"""

import os
import random
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

from tests.bench.disputes import BEAT, WORKER
from tests.bench.shapes import machine, servers
from tests.system.crowd import Crowd, Person, gather, web
from tests.system.service import Service, eventually, free_port

PAUSE = 4.0  # seconds between two polls of a phone
MINUTE = float(os.environ.get("HEADJUDGE_SOAK_SECONDS", "60"))
Measurement = tuple[str, float, str, tuple[str, float] | None]


def measure() -> Iterator[Measurement]:
    yield from machine()
    yield from _writers()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        service = Service(Path(folder))
        stack.callback(service.close)
        service.manage("migrate", "--verbosity", "0")
        service.start(f"{WORKER} --pool threads --concurrency 2 --beat --schedule {folder}/beat")
        yield from _round("embedded-128", service, players=128, workers=1)
    with servers() as other:
        if other is not None:
            other.start(f"{WORKER} --pool prefork --concurrency 2")
            other.start(BEAT)
            yield from _round("servers-1000", other, players=1000, workers=2)


def _round(name: str, service: Service, *, players: int, workers: int) -> Iterator[Measurement]:
    port = free_port()
    service.manage("collectstatic", "--noinput", "--verbosity", "0")
    crowd = gather(service, port, players=players)
    server = service.start(web(port, workers=workers))
    assert eventually(lambda: crowd.organizer.ask("GET", "/healthz")[0] == 200), service.logs()
    started = time.perf_counter()
    status, told = crowd.organizer.ask("POST", "/api/v1/events/crowd/rounds", {"number": 1})
    assert status == 201, told
    yield f"{name}-publish-round", time.perf_counter() - started, "s", None
    play = _Play(crowd, server.pid)
    yield from play.measured(name)
    [[reports]] = service.rows("SELECT count(*) FROM tournament_report")
    yield f"{name}-reports-stored", reports, f"of {players}", None
    [[settled]] = service.rows(
        "SELECT count(*) FROM (SELECT 1 FROM tournament_report GROUP BY match_id HAVING count(*) = 2) AS both_said"
    )
    yield f"{name}-results-settled", settled, f"of {players // 2}", None
    for when, held in (("before", play.held[0]), ("most", max(play.held)), ("after", play.held[-1])):
        yield f"{name}-memory-{when}", held, "MB", None


class _Play:
    """So many phones, worked by a few dozen threads: each request at its own time, late ones told as waiting."""

    def __init__(self, crowd: Crowd, server: int) -> None:
        lot = random.Random(1)
        self.server = server
        self.held: list[float] = []
        self.times: dict[str, list[float]] = {"poll": [], "report": []}
        self.status: Counter[int] = Counter()
        self.late: list[float] = []
        matches = {}
        for match, first, second in crowd.tables(1):
            matches[first], matches[second] = (match, "win"), (match, "loss")
        self.queue: list[tuple[float, Person, int | None, str]] = []
        for pk, person in crowd.players.items():
            at = lot.uniform(0, PAUSE)
            while at < MINUTE:
                self.queue.append((at, person, None, ""))
                at += PAUSE
            if pk in matches:
                self.queue.append((lot.uniform(MINUTE * 0.05, MINUTE * 0.95), person, *matches[pk]))
        self.queue.sort(key=lambda one: one[0])
        self.lock = threading.Lock()
        self.next = 0

    def measured(self, name: str) -> Iterator[Measurement]:
        self.began = time.perf_counter()
        threads = [threading.Thread(target=self._work) for _ in range(32)]
        self.held.append(_memory(self.server))
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(5)
                self.held.append(_memory(self.server))
        took = time.perf_counter() - self.began
        for kind, times in self.times.items():
            times.sort()
            for share in (50, 95, 99):
                yield f"{name}-{kind}-p{share}", times[int(len(times) * share / 100)] * 1000, "ms", None
        yield f"{name}-requests", len(self.queue) / took, "a second", None
        wrong = sum(count for status, count in self.status.items() if status not in (200, 201, 304))
        yield f"{name}-errors", wrong, f"of {len(self.queue)} ({dict(self.status)})", None
        yield f"{name}-started-late-p95", sorted(self.late)[int(len(self.late) * 0.95)] * 1000, "ms", None

    def _work(self) -> None:
        while True:
            with self.lock:
                if self.next == len(self.queue):
                    return
                at, person, match, outcome = self.queue[self.next]
                self.next += 1
            wait = self.began + at - time.perf_counter()
            if wait > 0:
                time.sleep(wait)
            self.late.append(max(-wait, 0.0))
            own = Person(person.port, person.session, person.tags)  # a phone keeps no line open for seconds
            started = time.perf_counter()
            if match is None:
                status = own.poll("/events/crowd/match")
            else:
                status, _ = own.ask("POST", f"/api/v1/matches/{match}/reports", {"outcome": outcome})
            self.times["poll" if match is None else "report"].append(time.perf_counter() - started)
            own.hang_up()
            with self.lock:
                self.status[status] += 1


def _memory(pid: int) -> float:
    """Megabytes held by a process and its children."""
    pids = [
        str(pid),
        *subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split(),
    ]
    held = 0
    for one in pids:
        with suppress(OSError):  # a process that has just ended
            for line in Path(f"/proc/{one}/status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    held += int(line.split()[1])
    return held / 1024


WRITER = """
import django, time
django.setup()
from django.db import connection, transaction
from django.utils import timezone
from tournament.models import User
times, locked = [], 0
for number in range(150):
    started = time.perf_counter()
    try:
        with transaction.atomic():
            user = User.objects.get(username="counter")
            user.display_name = str(int(user.display_name) + 1)
            user.save(update_fields=["display_name"])
    except Exception as error:
        locked += 1
    times.append(time.perf_counter() - started)
print(locked, sorted(times)[int(len(times) * .99)])
"""


def _writers() -> Iterator[Measurement]:
    """Six processes that read and then write the same row, 150 times each."""
    with tempfile.TemporaryDirectory() as folder:
        service = Service(Path(folder))
        service.manage("migrate", "--verbosity", "0")
        service.python(
            "from tournament.models import User; User.objects.create(username='counter', display_name='0')"
        )
        started = [service.start(["python", "-c", WRITER]) for _ in range(6)]
        for process in started:
            process.wait()
        told = [file.read_text().split() for file in sorted(service.folder.glob("process-*.log"))]
        [[counted]] = service.rows("SELECT display_name FROM tournament_user WHERE username = 'counter'")
        service.close()
    yield "sqlite-six-writers-locked", sum(int(one[0]) for one in told), "of 900", None
    yield "sqlite-six-writers-counted", int(counted), "of 900", None
    yield "sqlite-six-writers-p99", max(float(one[1]) for one in told) * 1000, "ms", None
