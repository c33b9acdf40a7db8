"""`make assault`: an hour of what a bad day and a bad guest can do, half of it in each shape.

Stalled connections beside innocent people: prints how long people waited, calm and under attack, and what the web
server's memory was. Fails when somebody was not answered, waited a second, or when the attack more than doubled the
95th part of the waits over all rounds. Then kills at random moments (kills.py): fails when anything that was
acknowledged is lost or there twice. At last every role sends everything everywhere (test_guests.py). Figures go to
docs/benchmarks.md.

`make assault ARGS="--what hall"`: 200 phones play five rounds, in each of which the network or the server goes away for
20 seconds to 3 minutes (hall.py). Fails when a report that was answered is lost or stands twice, or when somebody does
not see their table within 30 seconds of the return.
"""

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.assault import hall
from tests.assault.kills import assault
from tests.assault.people import Waits, visit
from tests.assault.sockets import Attack
from tests.bench import figures
from tests.conftest import new_postgres_database
from tests.system.service import Service, eventually, free_port
from tests.system.test_up import descendants, get

Keep = Callable[[str, float, str, tuple[str, float] | None], None]
CONNECTIONS = 500
CALM = UNDER = 20.0  # seconds of each round
KILLING = 120.0  # seconds in one installation
REQUESTS_A_MINUTE = 20  # of each role


def main() -> int:
    asked = argparse.ArgumentParser(prog="make assault", description=__doc__)
    asked.add_argument("--minutes", type=float, default=60)
    asked.add_argument("--shape", choices=["embedded", "servers"], action="append")
    asked.add_argument("--look", action="store_true", help="keep no figures")
    asked.add_argument("--what", choices=["all", "hall"], default="all")
    asked.add_argument("--phones", type=int, default=200)
    asked.add_argument("--rounds", type=int, default=5)
    asked.add_argument("--longest", type=float, default=180, help="seconds of a cut, at most")
    asked.add_argument("--seed", type=int, default=1)
    options = asked.parse_args()
    shapes = options.shape or ["embedded", "servers"]
    if options.what == "hall":
        for shape in shapes:
            _hall(shape, options)
        return 0
    keep = (lambda *figure: None) if options.look else partial(figures.keep, figures.run())
    seconds = options.minutes * 60 / len(shapes) / 2
    faults = sum(_stalled(shape, seconds, keep) + _killed(shape, seconds, keep) for shape in shapes)
    faults += _guests(int(options.minutes * REQUESTS_A_MINUTE))
    keep("assault-minutes", options.minutes, "minutes", None)
    return int(faults > 0)


@contextmanager
def _installation(shape: str, **environment: str) -> Iterator[Service]:
    database = new_postgres_database() if shape == "servers" else None
    with tempfile.TemporaryDirectory(prefix="headjudge-assault-", ignore_cleanup_errors=True) as folder:
        if database:
            environment |= {"DATABASE_URL": next(database)}
        service = Service(Path(folder), **environment)
        try:
            service.manage("migrate", "--verbosity", "0")
            yield service
        finally:
            service.close()
            if database:
                database.close()  # type: ignore[attr-defined]


def _killed(shape: str, seconds: float, keep: Keep) -> int:
    """Whether anything was lost, or done twice."""
    broker = {"CELERY_BROKER_URL": "redis://127.0.0.1:6379/13"} if shape == "servers" else {}
    kills = changes = wrong = 0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        seed = random.SystemRandom().getrandbits(32)
        with _installation(shape, **broker) as service:
            found = assault(service, seconds=min(KILLING, max(10, until - time.monotonic())), seed=seed)
        print(f"{shape}: seed {seed}: {found}", flush=True)
        kills, changes = kills + sum(found.kills.values()), changes + len(found.ledger.taken)
        wrong += not found.sound
    keep(f"assault-{shape}-kills", float(kills), "kills", None)
    keep(f"assault-{shape}-acknowledged", float(changes), "changes", None)
    keep(f"assault-{shape}-runs-with-something-lost-or-twice", float(wrong), "runs", None)
    return wrong


def _guests(requests: int) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "tests/assault/test_guests.py"]
    return subprocess.run(
        command, env={**os.environ, "ASSAULT_REQUESTS": str(requests)}, check=False
    ).returncode


def _stalled(shape: str, seconds: float, keep: Keep) -> int:
    with _installation(shape) as service:
        port = free_port()
        service.manage("collectstatic", "--noinput", "--verbosity", "0")
        server = service.start(
            f"python manage.py serve --port {port} --workers {1 if shape == 'embedded' else 2}"
        )
        if not eventually(lambda: get(port, "/healthz")[0] == 200):
            print(service.logs())
            return 1
        return asyncio.run(_rounds(shape, port, server.pid, seconds, keep))


def _hall(shape: str, options: argparse.Namespace) -> None:
    with _installation(shape) as service:
        service.manage("collectstatic", "--noinput", "--verbosity", "0")
        told = hall.play(
            service,
            phones=options.phones,
            rounds=options.rounds,
            dark=(min(20.0, options.longest), options.longest),
            pause=2.5,
            seed=options.seed,
            bound=30,
        )
        print(
            f"{shape}: {options.phones} phones, {options.rounds} rounds: {told.reports} reports, each once;"
            f" everybody saw their table {told.back:.1f} s after the return at the latest",
            flush=True,
        )


async def _rounds(shape: str, port: int, pid: int, seconds: float, keep: Keep) -> int:
    calm, under = Waits(), Waits()
    until = time.monotonic() + seconds
    await visit(port, 3)
    while time.monotonic() < until:
        calm.add(await visit(port, CALM))
        async with Attack(port, CONNECTIONS).under_way():
            await asyncio.sleep(2)
            under.add(await visit(port, UNDER))
        print(
            f"{shape}: calm {calm}\n{shape}: under attack {under}\n{shape}: memory {_memory(pid)} MB",
            flush=True,
        )
    ratio = under.part(0.95) / calm.part(0.95)
    unanswered = {name for name in under.answers if name not in ("200", "403")}
    print(
        f"{shape}: the 95th part is {ratio:.2f} times the calm one; not answered: {sorted(unanswered) or 'nobody'}"
    )
    keep(f"assault-{shape}-stalled-p95", under.part(0.95) * 1000, "ms", ("calm", calm.part(0.95) * 1000))
    keep(f"assault-{shape}-stalled-worst", max(under.seconds) * 1000, "ms", None)
    keep(f"assault-{shape}-stalled-memory", float(_memory(pid)), "MB", None)
    return int(ratio >= 2 or bool(unanswered) or max(under.seconds) >= 1)


def _memory(pid: int) -> int:
    """Of all processes of the server, in MB."""
    pages = 0
    for one in descendants(pid):
        try:
            pages += int(Path(f"/proc/{one}/statm").read_text().split()[1])
        except OSError:
            continue
    return pages * 4096 // 1_000_000


if __name__ == "__main__":
    sys.exit(main())
