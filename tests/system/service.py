"""The real processes, on a folder and servers of their own, for tests that start, feed and kill them."""

import json
import os
import shlex
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psycopg

ROOT = Path(__file__).resolve().parents[2]


def eventually(condition: Callable[[], bool], seconds: float = 60, pause: float = 0.1) -> bool:
    """Whether the condition comes true within the time, which is only a bound: nothing is measured."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(pause)
    return condition()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Service:
    """One installation: a var folder, a database, a broker, and the processes started on it."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self.environment = {
            **{key: value for key, value in os.environ.items() if key not in _OURS},
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "HEADJUDGE_VAR": str(folder),
            "PYTHONPATH": str(ROOT),
            # What happens after these is what the tests look at; they need not wait long for it.
            "JOB_LEASE_SECONDS": "3",
            "JOB_RESEND_SECONDS": "1",
            **environment,
        }
        self.processes: list[subprocess.Popen[bytes]] = []

    def command(self, command: Sequence[str] | str) -> list[str]:
        """The command's words; `python` is this interpreter."""
        words = shlex.split(command) if isinstance(command, str) else list(command)
        return [sys.executable, *words[1:]] if words[0] == "python" else words

    def start(self, command: Sequence[str] | str, **environment: str) -> "subprocess.Popen[bytes]":
        """Start a command as the leader of its own group."""
        number = len(self.processes)
        with (self.folder / f"process-{number}.log").open("wb") as log:
            process = subprocess.Popen(
                self.command(command),
                cwd=ROOT,
                env={**self.environment, **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What the database says, asked directly: starting Django for it would cost seconds."""
        if url := self.environment.get("DATABASE_URL"):
            with psycopg.connect(url) as connection:
                return connection.execute(query.encode()).fetchall()
        with closing(sqlite3.connect(self.folder / "headjudge.sqlite3", timeout=20)) as database:
            return database.execute(query).fetchall()

    def python(self, code: str, seconds: float = 300) -> Any:
        """Run code inside the service (Django set up); what it hands to `tell(...)`."""
        prelude = (
            "import django, json, sys\ndjango.setup()\ndef tell(value): print('\\x00' + json.dumps(value))\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", prelude + code],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
        assert done.returncode == 0, done.stderr
        _, _, told = done.stdout.partition("\x00")
        return json.loads(told) if told else None

    def manage(self, *arguments: str) -> None:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def logs(self) -> str:
        """The end of every process's output, for a failed test's message."""
        return "\n".join(
            f"--- {file.name}\n{file.read_text()[-1500:]}" for file in sorted(self.folder.glob("*.log"))
        )

    def kill(self, process: "subprocess.Popen[bytes]") -> None:
        """As a power cut would: the process and its children, without a word."""
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        for process in self.processes:
            self.kill(process)


# A person's own settings must not reach the processes under test.
_OURS = {
    "DATABASE_URL",
    "CELERY_BROKER_URL",
    "CACHE_URL",
    "SECRET_KEY",
    "PRODUCTION",
    "ALLOWED_HOSTS",
    "ADJUDICATION_BUDGET",
    "HEADJUDGE_VAR",
    "LOG_LEVEL",
    "DJANGO_ALLOW_ASYNC_UNSAFE",
}
