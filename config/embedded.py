"""The embedded service: web server, worker and scheduler as child processes of `manage.py up`, on one machine with
one folder."""

import errno
import fcntl
import hashlib
import json
import os
import socket
import sys
import time
from collections.abc import Iterable
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from django.conf import settings

from config.checks import links_lead_here, production_shape, weak_key
from config.serving import web_process
from config.supervisor import Child

LEFTOVER_SECONDS = 10.0  # longer than the guard of a killed service takes


class CannotStart(Exception):
    """Why the service cannot start here: one sentence for a person."""


EVERYWHERE = "0.0.0.0"  # noqa: S104  # nosec B104: the host that lets a hall's phones in


def start_words(**options: object) -> str:
    """What people type to start the service: `make run PORT=8001` in a checkout, else `headjudge up --port 8001`."""
    if settings.PROGRAM == "manage.py":
        return " ".join(["make run", *(f"{name.upper()}={value}" for name, value in options.items())])
    return " ".join([f"{settings.PROGRAM} up", *(f"--{name} {value}" for name, value in options.items())])


def children(host: str, port: int, var: Path) -> list[Child]:
    """The web server, one worker, and the clock that makes it sweep.

    The clock is a child of its own: inside the worker (`--beat`) it would be a process that nobody watches.
    """
    threads = (
        sum(settings.JOBS_AT_ONCE.values()) + 1
    )  # one for each job that may be in hand, and one to sweep
    worker = (
        f"-m celery -A config.celery worker --pool threads --concurrency {threads} --hostname embedded@%h"
        " --loglevel INFO --without-gossip --without-mingle --without-heartbeat"
    )
    clock = "-m celery -A config.celery beat --pidfile= --loglevel WARNING"
    return [
        Child("web server", web_process(host, port), var / "log" / "web.log"),
        Child("worker", [sys.executable, *worker.split()], var / "log" / "worker.log"),
        Child("clock", [sys.executable, *clock.split()], var / "log" / "clock.log"),
    ]


def free_address(host: str, port: int) -> str:
    """The numeric address of `host`, nothing listening on its port yet. Raises CannotStart otherwise."""
    if not 1 <= port <= 65535:
        raise CannotStart(
            f"{port} is not a port. Choose one from 1 to 65535, for example: {start_words(port=8000)}"
        )
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # IPv4 first: "localhost" is both, and people type 127.0.0.1.
        family, kind, protocol, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except PermissionError as error:
        raise CannotStart(
            f"This user can’t listen on port {port}. Choose a port above 1023: {start_words(port=8000)}"
        ) from error
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            other = port + 1 if port < 65535 else 8000
            raise CannotStart(
                f"Port {port} of {host} is in use by another program. Stop that program, or choose a different port: "
                f"{start_words(port=other)}"
            ) from error
        raise CannotStart(f"Cannot listen on {host}, port {port}: {error}.") from error
    return str(address[0])


def fit_to_start(host: str) -> None:
    """Raise CannotStart where the settings must not be used as they are."""
    wrong = [*(production_shape(None) if settings.PRODUCTION else []), *links_lead_here(None)]
    if wrong:
        raise CannotStart("\n".join(f"{found.msg} {found.hint}" for found in wrong))
    if settings.SECRET_KEY_GIVEN and weak_key(settings.SECRET_KEY):
        raise CannotStart(
            "The secret key is too short or publicly known. Leave SECRET_KEY out, and one is generated."
        )
    if settings.DEBUG and not ip_address(host).is_loopback:
        raise CannotStart(
            f"DEBUG is on, which shows internal details to everyone who can reach {host}. "
            "Set DEBUG=0, or listen on 127.0.0.1."
        )


def usable(var: Path) -> None:
    """Make the folders that are needed in the service's own. Raises CannotStart where something stands in the way."""
    own = [var / name for name in ("log", "cache", "queue/messages", "queue/control")]
    for folder in (*own, Path(settings.STATIC_ROOT)):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
        except OSError as error:
            raise cannot_use(error) from error


def cannot_use(error: OSError) -> CannotStart:
    """For a file or folder that is not as it must be."""
    what = error.filename or "its folder"
    return CannotStart(
        f"Headjudge cannot use {what} ({error.strerror or error}). "
        "Move it away or make it writable, or set HEADJUDGE_VAR to a different folder."
    )


class FolderLock:
    """One service a folder: held while `up` lives, dropped by the system whatever kills it.

    The guard of a killed `up` (config.supervisor) holds it too, until the processes left behind are gone.
    """

    def __init__(self, var: Path) -> None:
        self.path = var / "up.lock"

    def take(self, address: str) -> None:
        """Raise CannotStart when another `up` runs on the folder."""
        self._file = self.path.open("a+")
        deadline = time.monotonic() + LEFTOVER_SECONDS
        while not self._locked():
            other = self._owner()
            if time.monotonic() > deadline or _lives(other.get("pid")):
                where = f" at {other['address']} (process {other['pid']})" if other else ""
                raise CannotStart(
                    f"Headjudge is already running with the folder {self.path.parent}{where}. "
                    "Stop it first, or set HEADJUDGE_VAR to a different folder."
                )
            time.sleep(0.1)
        self._file.truncate(0)
        self._file.write(json.dumps({"pid": os.getpid(), "address": address}))
        self._file.flush()

    def _locked(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _owner(self) -> dict[str, Any]:
        """Who wrote itself in last: pid and address; empty when nothing readable stands there."""
        try:
            owner = json.loads(self.path.read_text())
        except ValueError:
            return {}
        return owner if isinstance(owner, dict) and {"pid", "address"} <= owner.keys() else {}


def _lives(pid: Any) -> bool:
    if not isinstance(pid, int):
        return True  # just starting: it has not written its number yet
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def fingerprint(files: Iterable[Path]) -> str:
    """Changes when one of the files does (name, size, time of change)."""
    digest = hashlib.sha256()
    for file in sorted(files):
        stat = file.stat()
        digest.update(f"{file}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
