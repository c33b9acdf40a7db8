"""The clock is moved while everybody is at work: nothing is lost or done twice, and nothing waits the jump out.

On real processes, whose clock is moved_clock.c: what they measure durations with goes on evenly, as on a machine.
"""

import http.server
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import absent
from tests.system.crowd import Person, gather
from tests.system.service import Service, eventually, free_port
from tests.system.venue import PLAYERS, SOON, Installation, People, settled, whole

pytestmark = pytest.mark.system

MINUTES, DAY = 300, 86_400
JUMPS = (MINUTES, DAY, DAY - MINUTES, 0)  # seconds off the true time: minutes and a day, on and back
SECONDS = 45  # after a jump, until all that waits is done; far less than any jump


class Clock:
    """The clock of an installation's processes, which can be moved while they run."""

    def __init__(self, folder: Path) -> None:
        library, self.file = folder / "moved_clock.so", folder / "clock"
        if shutil.which("cc") is None:
            absent("clock", "There is no C compiler (cc) to build a clock with that can be moved.")
        source = Path(__file__).with_name("moved_clock.c")
        built = ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", str(library), str(source), "-ldl"]
        subprocess.run(built, check=True)
        self.file.write_bytes(bytes(8))
        self.environment = {"LD_PRELOAD": str(library), "MOVED_CLOCK": str(self.file)}

    def move(self, seconds: int) -> None:
        """So far from the true time, from now on, in all of them at once."""
        with self.file.open("r+b") as file:
            file.write(seconds.to_bytes(8, sys.byteorder, signed=True))


class Listener(http.server.BaseHTTPRequestHandler):
    """A program that hears of everything, each time only when it is told again."""

    tried: set[str]
    heard: set[str]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        message = self.headers["Headjudge-Message"]
        self.send_response(204 if message in self.tried else 503)
        self.end_headers()
        (self.heard if message in self.tried else self.tried).add(message)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    return Clock(tmp_path)


@pytest.fixture
def listener() -> Iterator[int]:
    Listener.tried, Listener.heard = set(), set()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def test_a_clock_that_jumps_loses_nothing_and_holds_nothing_up(
    service: Service, clock: Clock, listener: int
) -> None:
    service.environment |= clock.environment | SOON
    service.environment |= {"WEBHOOK_HOSTS": f"127.0.0.1:{listener}", "WEBHOOK_NETWORKS": "127.0.0.0/8"}
    port = free_port()
    crowd = gather(service, port, players=PLAYERS, lists=4)
    ask = crowd.organizer.ask
    installation = Installation(service, port)
    assert eventually(lambda: ask("GET", "/healthz")[0] == 200), service.logs()
    wanted = {"address": f"http://127.0.0.1:{listener}/", "kinds": ["round.published", "result.settled"]}
    status, told = ask("POST", "/api/v1/events/crowd/webhooks", wanted)
    assert status == 201, told

    people = []
    for number, jump in enumerate(JUMPS):
        people.append(People(crowd, port, number))
        assert eventually(lambda: not settled(service))
        time.sleep(1)  # in the middle of it
        clock.move(jump)
        installation.again("worker")  # and what it held is left behind, by the clock of before
        people[-1].finish()
        assert eventually(lambda: settled(service), SECONDS), (jump, service.logs())
        assert eventually(lambda: _tells_the_time(crowd.organizer)), (jump, service.logs())
    assert eventually(lambda: not unheard(service), SECONDS), (unheard(service), service.logs())
    whole(service, *people)
    sent = service.rows("SELECT message, state FROM tournament_delivery")
    assert {state for _, state in sent} == {"done"}
    assert len(sent) == len(Listener.heard) > len(people) * PLAYERS


def _tells_the_time(organizer: Person) -> bool:
    organizer.hang_up()  # the server did, in between
    status, shown = organizer.ask("GET", "/api/v1/events/crowd/rounds/1/clock")
    return status == 200 and shown["seconds_left"] <= 60 * shown["minutes"]


def unheard(service: Service) -> list[Any]:
    """The messages that wait, as their rows have them."""
    return service.rows(
        "SELECT state, runs, made_at, sent_at, due_at, started_at, lease_until, failure FROM tournament_delivery"
        " WHERE state <> 'done'"
    )
