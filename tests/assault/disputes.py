"""One account files the worst disputes it can write; everybody else asks simple ones and looks at pages.

`make assault ARGS="--what waits"` measures it: how long simple disputes wait for answers, and people for pages, calm
and meanwhile.
"""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import yaml

from tests.assault.people import Waits, visit
from tests.bench.rules import forced_responses
from tests.rules.scenarios import SHOTGUN, different
from tests.system.crowd import Crowd, Person, gather
from tests.system.service import ROOT, Service, eventually, free_port

WORST = 50
LANES = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
PATIENCE = 60.0  # seconds, after which somebody asks a person instead


def worst(number: int) -> str:
    """Responses that may come in any order and differ in every one; more of them than any budget holds."""
    source = forced_responses(8 + number % 5, differ=True)
    return source.replace("toughness: 99", f"toughness: {99 + number}", 1)


def shape(service: Service, port: int, workers: int = 2) -> None:
    """The processes of a shape: the embedded one as `manage.py up` starts it, servers as compose does, with so many
    workers for disputes."""
    if "DATABASE_URL" not in service.environment:
        service.start(f"python manage.py up --host 127.0.0.1 --port {port}")
        return
    service.manage("collectstatic", "--noinput", "--verbosity", "0")
    service.start(f"python manage.py serve --port {port} --workers 2")
    service.start(LANES["beat"]["command"])
    for name, lane in LANES.items():
        if "--queues" in lane.get("command", []):
            command = list(lane["command"])
            if name == "worker":
                command[command.index("--concurrency") + 1] = str(workers)
            service.start([*command, "--hostname", f"{name}@%h"])


class Innocents:
    """People who each file a simple dispute now and then, never two at once."""

    def __init__(self, crowd: Crowd, port: int, people: int, first: int = 0) -> None:
        self.crowd, self.port, self.first = crowd, port, first
        self.players = list(crowd.players.values())[1 : 1 + people]  # the first one is not innocent
        self.waits = Waits()

    def ask_for(self, seconds: float) -> Waits:
        until = time.monotonic() + seconds
        threads = [
            threading.Thread(target=self._ask, args=(n, one.session, until))
            for n, one in enumerate(self.players)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self.waits

    def _ask(self, number: int, session: str, until: float) -> None:
        person, asked = Person(self.port, session), 0
        while time.monotonic() < until:
            source = different(SHOTGUN, self.first + 1_000 * number + asked)
            asked += 1
            started = time.perf_counter()
            status, told = person.ask("POST", "/api/v1/disputes", {"title": "Simple", "source": source})
            state = self._answered(person, told["id"], started) if status == 201 else str(status)
            self.waits.seconds.append(time.perf_counter() - started)
            self.waits.answers[state] += 1
            time.sleep(1.0)

    def _answered(self, person: Person, dispute: int, started: float) -> str:
        state = "queued"
        while state in ("queued", "running") and time.perf_counter() - started < PATIENCE:
            time.sleep(0.05)
            status, told = person.ask("GET", f"/api/v1/disputes/{dispute}")
            state = told["adjudications"][0]["state"] if status == 200 else str(status)
        return state


def file_the_worst(crowd: Crowd, port: int, count: int = WORST) -> list[int]:
    """By one account, as fast as it can; their keys."""
    guest = Person(port, next(iter(crowd.players.values())).session)
    filed = []
    for number in range(count):
        status, told = guest.ask("POST", "/api/v1/disputes", {"title": "Worst", "source": worst(number)})
        assert status == 201, told
        filed.append(told["id"])
    return filed


def ready(crowd: Crowd) -> tuple[int, dict[str, object]]:
    crowd.organizer.hang_up()  # the server did, in between
    status, told = crowd.organizer.ask("GET", "/readyz")
    return status, told


@contextmanager
def installation(service: Service, players: int = 8) -> Iterator[tuple[Crowd, int]]:
    port = free_port()
    crowd = gather(service, port, players=players, lists=1)
    shape(service, port)
    assert eventually(lambda: crowd.organizer.ask("GET", "/healthz")[0] == 200, seconds=60), service.logs()
    yield crowd, port


async def _both(port: int, innocents: Innocents, seconds: float) -> tuple[Waits, Waits]:
    pages = visit(port, seconds, people=3)
    asked = asyncio.to_thread(innocents.ask_for, seconds)
    seen, answered = await asyncio.gather(pages, asked)
    return answered, seen


def beside_the_worst(service: Service, name: str, seconds: float) -> tuple[Waits, Waits]:
    """How long simple disputes waited, calm and beside the worst; prints both, and what people waited for pages."""
    waits = []
    with installation(service) as (crowd, port):
        for first, when in ((0, "calm"), (500_000, f"beside {WORST} of the worst")):
            if first:
                file_the_worst(crowd, port)
            answered, seen = asyncio.run(_both(port, Innocents(crowd, port, 4, first), seconds))
            print(f"{name}, {when}: simple disputes {answered}\n{name}, {when}: pages {seen}", flush=True)
            waits.append(answered)
        print(f"{name}: /readyz {ready(crowd)}", flush=True)
    return waits[0], waits[1]
