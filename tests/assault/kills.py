"""Processes are killed at random moments while clients write down what they were told (ledger.py).

`assault(service, seconds=...)` does it to either shape: embedded, `manage.py up` mends itself; on servers, whoever runs
them does, and connections to PostgreSQL are cut besides.
"""

import os
import random
import signal
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass

import psycopg

from tests.assault.ledger import FOLLOWERS, Clients, Ledger
from tests.assault.receivers import Receiver, receivers
from tests.system.crowd import Crowd, gather
from tests.system.service import Service, eventually, free_port
from tests.system.test_up import commands, descendants, get
from tests.system.venue import SOON, Installation, settled

PLAYERS = FOLLOWERS + 8
AFTER_ALL_IS_UP = (
    0.25  # of the kills: else a slow machine is never up, and nothing is taken on that could be lost
)


@dataclass
class Outcome:
    ledger: Ledger
    kills: Counter[str]
    lost: list[object]
    twice: list[object]
    told: int  # messages to the receiver that answers
    untold: int

    @property
    def sound(self) -> bool:
        return not (self.lost or self.twice or self.untold or self.ledger.wrong)

    def __str__(self) -> str:
        return (
            f"{sum(self.kills.values())} kills {dict(self.kills)}, {sum(self.ledger.asked.values())} changes,"
            f" {self.ledger.again} sent again, {len(self.ledger.taken)} acknowledged,"
            f" given up after three kills {self.ledger.given_up}; lost {self.lost},"
            f" twice {self.twice}, wrong {self.ledger.wrong}; {self.told} messages told, {self.untold} not"
        )


def assault(service: Service, *, seconds: float, seed: int) -> Outcome:
    """Kill for so many seconds, let everything end, and count. Raises AssertionError where it never ends."""
    with receivers() as listening:
        hosts = ",".join(f"127.0.0.1:{one.port}" for one in listening.values())
        service.environment |= SOON | {"WEBHOOK_HOSTS": hosts, "WEBHOOK_NETWORKS": "127.0.0.0/8"}
        port = free_port()
        crowd = gather(service, port, players=PLAYERS)
        killer = Killer(service, port, random.Random(seed))
        ask = crowd.organizer.ask
        assert eventually(lambda: ask("GET", "/healthz")[0] == 200), service.logs()
        _prepare(crowd, listening)
        ledger = Ledger()
        with Clients(crowd, port, ledger, seed):
            killer.kill_for(seconds)
        assert eventually(lambda: settled(service), 120), service.logs()
        webhook = _webhook(service, listening["good"])
        waiting = f"SELECT count(*) FROM tournament_delivery WHERE webhook_id = {webhook} AND state <> 'done'"
        eventually(lambda: service.rows(waiting) == [(0,)], 60)
        service.manage("doctor")
        lost, twice = ledger.lost_and_twice(service)
        sent = {str(row[0]) for row in service.rows(
            f"SELECT message FROM tournament_delivery WHERE webhook_id = {webhook}"
        )}  # fmt: skip
        heard = {one.replace("-", "") for one in listening["good"].heard}
        untold = {one.replace("-", "") for one in sent} - heard
        return Outcome(ledger, killer.kills, lost, twice, len(sent), len(untold))


def _prepare(crowd: Crowd, listening: dict[str, Receiver]) -> None:
    """Round 1 is played, and everybody who listens is told its results; those who never answer first."""
    ask = crowd.organizer.ask
    for kind in ("silent", "dripping", "full", "good"):
        wanted = {"address": f"http://127.0.0.1:{listening[kind].port}/", "kinds": ["result.settled"]}
        status, told = ask("POST", "/api/v1/events/crowd/webhooks", wanted)
        assert status == 201, told
    status, told = ask("POST", "/api/v1/events/crowd/rounds", {"number": 1})
    assert status == 201, told
    crowd.organizer.hang_up()


def _webhook(service: Service, receiver: Receiver) -> int:
    [[pk]] = service.rows(f"SELECT id FROM tournament_webhook WHERE address LIKE '%:{receiver.port}/'")
    return int(pk)


class Killer:
    """Who kills, and where nothing else does, starts again."""

    def __init__(self, service: Service, port: int, chance: random.Random) -> None:
        self.service, self.port, self.chance, self.kills = service, port, chance, Counter[str]()
        self.embedded = "DATABASE_URL" not in service.environment
        if self.embedded:
            self.up = service.start(f"python manage.py up --host 127.0.0.1 --port {port}")
        else:
            service.manage("collectstatic", "--noinput", "--verbosity", "0")
            self.installation = Installation(service, port)

    def kill_for(self, seconds: float) -> None:
        until = threading.Event()
        threading.Timer(seconds, until.set).start()
        while not until.wait(0.2 + 1.8 * self.chance.random()):
            if self.chance.random() < AFTER_ALL_IS_UP:
                eventually(lambda: get(self.port, "/healthz")[0] == 200, 20)
            if self.embedded:
                self._one_of_up()
            elif self.chance.random() < 0.25:
                self._connections()
            else:
                name = self.chance.choice(list(self.installation.commands))
                self.installation.again(name)
                self.kills[name] += 1

    def _one_of_up(self) -> None:
        """A process of the web server, the worker or the clock, as the machine would when it runs out of memory."""
        running = commands(descendants(self.up.pid))
        if running:
            pid = self.chance.choice(sorted(running))
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            self.kills[_role(running[pid])] += 1

    def _connections(self) -> None:
        with psycopg.connect(self.service.environment["DATABASE_URL"], autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        self.kills["connections"] += 1


def _role(command: str) -> str:
    return next((name for name in ("granian", "worker", "beat") if name in command), "other")
