"""`make assault`: an hour of what a bad day and a bad guest can do, half of it in each shape.

Innocent people beside stalled connections (sockets.py), and beside guests who ask for costly answers (costly.py):
prints how long people waited, calm and under attack, and what the web server's memory was. Fails when somebody was not
answered or waited a second, or when stalled connections more than doubled the 95th part of the waits over all rounds.
Simple disputes beside fifty of one account's worst (disputes.py): fails when one in twenty waited longer than
DISPUTE_SECONDS. Then kills at random moments (kills.py): fails when anything that was acknowledged is lost or there
twice. At last every role sends everything everywhere (test_guests.py). Figures go to docs/benchmarks.md.

`make assault ARGS="--what waits"` measures only how long people wait.

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

from tests.assault import disputes, hall
from tests.assault.costly import Costly
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
DISPUTE_SECONDS = {"embedded": 2.0, "servers": 1.0}  # 95 of 100 simple ones are answered in less
LEAST = 5  # minutes
REQUESTS_A_MINUTE = 20  # of each role


def main() -> int:
    asked = argparse.ArgumentParser(prog="make assault", description=__doc__)
    asked.add_argument("--minutes", type=float, default=60)
    asked.add_argument("--shape", choices=["embedded", "servers"], action="append")
    asked.add_argument("--look", action="store_true", help="keep no figures")
    asked.add_argument("--what", choices=["all", "waits", "hall"], default="all")
    asked.add_argument("--phones", type=int, default=200)
    asked.add_argument("--rounds", type=int, default=5)
    asked.add_argument("--longest", type=float, default=180, help="seconds of a cut, at most")
    asked.add_argument("--seed", type=int, default=1)
    options = asked.parse_args()
    if options.minutes < LEAST:
        asked.error(f"--minutes must be at least {LEAST}: in less there is no time for every kind of page")
    shapes = options.shape or ["embedded", "servers"]
    if options.what == "hall":
        for shape in shapes:
            _hall(shape, options)
        return 0
    keep = (lambda *figure: None) if options.look else partial(figures.keep, figures.run())
    seconds = options.minutes * 60 / len(shapes)
    if options.what == "waits":
        return int(sum(_waits(shape, seconds, keep) for shape in shapes) > 0)
    faults = sum(_waits(shape, seconds / 2, keep) + _killed(shape, seconds / 2, keep) for shape in shapes)
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
    seed = str(random.SystemRandom().getrandbits(32))
    sent = {"ASSAULT_REQUESTS": str(requests), "ASSAULT_SEED": seed}
    return subprocess.run(command, env={**os.environ, **sent}, check=False).returncode


def _waits(shape: str, seconds: float, keep: Keep) -> int:
    """How many attacks made innocent people wait."""
    each = max(30.0, seconds / 20)  # calm, and beside the worst
    return _pages(shape, seconds - 2 * each, keep) + _disputes(shape, each, keep)


def _disputes(shape: str, seconds: float, keep: Keep) -> int:
    broker = {"CELERY_BROKER_URL": "redis://127.0.0.1:6379/13"} if shape == "servers" else {}
    with _installation(shape, JOB_LEASE_SECONDS="15", JOB_RESEND_SECONDS="5", **broker) as service:
        calm, under = disputes.beside_the_worst(service, shape, seconds)
    keep(f"assault-{shape}-disputes-p95", under.part(0.95) * 1000, "ms", ("calm", calm.part(0.95) * 1000))
    return int(set(under.answers) != {"done"} or under.part(0.95) >= DISPUTE_SECONDS[shape])


def _pages(shape: str, seconds: float, keep: Keep) -> int:
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
    """How many of the two attacks made innocent people wait."""
    attacks = {
        "stalled": lambda: Attack(port, CONNECTIONS).under_way(),
        "costly": lambda: Costly(port).under_way(),
    }
    calm = Waits()
    under = {what: Waits() for what in attacks}
    until = time.monotonic() + seconds
    await visit(port, 3)
    while time.monotonic() < until:
        calm.add(await visit(port, CALM))
        for what, attack in attacks.items():
            async with attack():
                await asyncio.sleep(2)
                under[what].add(await visit(port, UNDER))
            print(f"{shape}: {what}: {under[what]}", flush=True)
        print(f"{shape}: calm: {calm}\n{shape}: memory {_memory(pid)} MB", flush=True)
    keep(f"assault-{shape}-memory", float(_memory(pid)), "MB", None)
    return sum(_waited(shape, what, calm, waits, keep) for what, waits in under.items())


def _waited(shape: str, what: str, calm: Waits, under: Waits, keep: Keep) -> bool:
    ratio = under.part(0.95) / calm.part(0.95)
    unanswered = {name for name in under.answers if name not in ("200", "403")}
    print(
        f"{shape}: {what}: the 95th part is {ratio:.2f} times the calm one;"
        f" not answered: {sorted(unanswered) or 'nobody'}"
    )
    keep(f"assault-{shape}-{what}-p95", under.part(0.95) * 1000, "ms", ("calm", calm.part(0.95) * 1000))
    keep(f"assault-{shape}-{what}-worst", max(under.seconds) * 1000, "ms", None)
    slower = ratio >= 2 and what == "stalled"  # costly answers take their share of the processor
    return slower or bool(unanswered) or max(under.seconds) >= 1


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
