"""`manage.py up` as a person meets it: it starts, serves, mends itself, stops, and says why when it cannot."""

import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.system.service import ROOT, Service, eventually, free_port

pytestmark = pytest.mark.system


def get(port: int, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError:
        return 0, ""


def descendants(pid: int) -> set[int]:
    """Every process below `pid`, itself left out."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
    found: set[int] = set()
    fresh = {pid}
    while fresh:
        fresh = {child for child, parent in parents.items() if parent in fresh} - found
        found |= fresh
    return found


def commands(pids: set[int]) -> dict[int, str]:
    """The command lines of those that still run."""
    told = {}
    for pid in pids:
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if line:  # a zombie has none
            told[pid] = line
    return told


def plain(line: str) -> str:
    """`python -m celery -A config.celery worker` as `python -m celery worker`."""
    return line.replace("-A config.celery ", "")


class Up:
    def __init__(self, folder: Path) -> None:
        self.service = Service(folder, JOB_RESEND_SECONDS="5", JOB_LEASE_SECONDS="15")
        self.port = free_port()
        self.start()

    def start(self) -> None:
        self.process = self.service.start(f"python manage.py up --port {self.port}")
        self.log = self.service.folder / f"process-{len(self.service.processes) - 1}.log"

    def said(self) -> str:
        return self.log.read_text()

    def restarted(self, name: str) -> bool:
        return re.search(rf"The {name} .* restarting it in 1 s", self.said()) is not None

    def ready(self) -> bool:
        return eventually(lambda: f"Headjudge is at http://127.0.0.1:{self.port}" in self.said(), 180)


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    up = Up(tmp_path)
    assert up.ready(), up.said()
    yield up
    up.service.close()


def test_it_starts_mends_itself_and_stops_without_a_trace(up: Up) -> None:
    """One long test: each start costs seconds."""
    # It says where it is, who one can be, and serves.
    assert re.search(r"password is \w+", up.said())
    assert get(up.port, "/healthz") == (200, "ok\n")
    assert eventually(lambda: json.loads(get(up.port, "/readyz")[1])["ready"])
    answered = "SELECT count(*) FROM rules_adjudication WHERE state = 'done'"
    assert eventually(lambda: up.service.rows(answered) == [(1,)]), "the demo's dispute is answered"

    # Its processes are killed; all come back.
    words = {"granian": "web server", "celery worker": "worker", "celery beat": "clock"}
    for word, name in words.items():
        victim = next(
            pid for pid, line in commands(descendants(up.process.pid)).items() if word in plain(line)
        )
        os.kill(victim, signal.SIGKILL)
        assert eventually(partial(up.restarted, name)), up.said()
    assert eventually(lambda: get(up.port, "/healthz")[0] == 200)
    assert eventually(
        lambda: all(word in plain(str(commands(descendants(up.process.pid)))) for word in words)
    )

    # A second one on the same folder says who is first.
    second = subprocess.run(
        up.service.command(f"python manage.py up --port {free_port()}"),
        cwd=ROOT,
        env=up.service.environment,
        capture_output=True,
        text=True,
    )
    assert second.returncode != 0
    assert (
        f"already running with the folder {up.service.folder} at http://127.0.0.1:{up.port}" in second.stderr
    )
    assert "Traceback" not in second.stderr

    # Ctrl-C ends everything.
    family = descendants(up.process.pid)
    up.process.send_signal(signal.SIGINT)
    assert up.process.wait(timeout=20) == 0
    assert up.said().rstrip().endswith("Stopped.")
    assert eventually(lambda: not commands(family)), commands(family)
    assert "Traceback" not in up.said()

    # The next start prepares nothing anew; killed without a word, it leaves nothing either.
    up.start()
    assert up.ready(), up.said()
    assert "Preparing" not in up.said() and "Loading" not in up.said()
    family = descendants(up.process.pid)
    os.kill(up.process.pid, signal.SIGKILL)
    up.process.wait()

    # Started again at once, it waits for the rest of its predecessor to be gone.
    up.start()
    assert up.ready(), up.said()
    assert not commands(family), commands(family)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--port {taken}", "Port {taken} of 127.0.0.1 is in use by another program."),
        ("--port 70000", "70000 is not a port. Choose one from 1 to 65535"),
        ("--host no-such-host.invalid --port {free}", "Cannot listen on no-such-host.invalid, port {free}"),
    ],
)
def test_what_cannot_start_says_why_in_one_sentence(tmp_path: Path, arguments: str, told: str) -> None:
    service = Service(tmp_path)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        ports = {"taken": other.getsockname()[1], "free": free_port()}
        started = time.monotonic()
        done = subprocess.run(
            service.command("python manage.py up " + arguments.format(**ports)),
            cwd=ROOT,
            env=service.environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert time.monotonic() - started < 60
    assert done.returncode != 0
    assert done.stderr.startswith("CommandError: " + told.format(**ports)), done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
