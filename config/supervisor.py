"""Keeps a few processes alive and leaves none behind. It doesn't know what they do.

Each child leads a process group of its own, so that Ctrl-C reaches only the supervisor and a child's own
children go with it. A guard process holds the other end of a pipe: when the supervisor dies without a word
(SIGKILL), the pipe closes and the guard ends the groups. A guard that dies itself is replaced.
"""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

STOP_SECONDS = 6.0  # between asking a child to stop and stopping it
FIRST_PAUSE = 1.0  # before a restart; doubles while a child keeps dying
LONGEST_PAUSE = 3.0  # people wait: longer would spare the machine a start, and cost them the service
SETTLED_SECONDS = 60.0  # a child that lived so long starts again at once
LOG_BYTES = 5_000_000  # a log larger than this is put aside at the next start

Say = Callable[[str], None]


@dataclass(slots=True)
class Child:
    """A command to keep running; its output goes to `log`, or where the supervisor's own goes."""

    name: str
    command: Sequence[str]
    log: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    process: "subprocess.Popen[bytes] | None" = None
    started: float = 0.0
    restart_at: float | None = None
    pause: float = FIRST_PAUSE
    deaths: int = 0


class Supervisor:
    """Start with `start()`, then `run()` until SIGTERM or SIGINT; both in the main thread."""

    def __init__(self, children: Sequence[Child], say: Say) -> None:
        self.children = children
        self.say = say
        self._stopping = False
        self._guard, self._guard_pipe = 0, -1  # its process, and where it is told

    def __enter__(self) -> "Supervisor":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._stop)
        self._guard, self._guard_pipe = _start_guard()
        for child in self.children:
            self._start(child)
        return self

    def run(self, while_true: Callable[[], bool] = lambda: True) -> None:
        """Watch the children, restarting whichever dies, while the condition holds and no signal has come."""
        while not self._stopping and while_true():
            self._watch_guard()
            for child in self.children:
                self._watch(child)
            time.sleep(0.1)

    def __exit__(self, *exc: object) -> None:
        """Ask all children to stop; after STOP_SECONDS stop them. No process is left."""
        for child in self.children:
            _signal_group(child, signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        for child in self.children:
            if child.process is not None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.process.wait(max(deadline - time.monotonic(), 0))
        for child in self.children:
            _signal_group(child, signal.SIGKILL)
            if child.process is not None:
                child.process.wait()
                self._tell_guard("-", child)
        os.close(self._guard_pipe)

    @property
    def stopping(self) -> bool:
        return self._stopping

    def _stop(self, number: int, frame: object) -> None:
        self._stopping = True

    def _start(self, child: Child) -> None:
        with _opened(child.log) as log:
            child.process = subprocess.Popen(  # noqa: S603 (our own commands)
                list(child.command),
                env={**os.environ, **child.env},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=None if log is None else subprocess.STDOUT,
                start_new_session=True,
            )
        self._tell_guard("+", child)
        child.started = time.monotonic()
        child.restart_at = None

    def _tell_guard(self, sign: str, child: Child) -> None:
        """A guard that is gone is told by `_watch_guard`, all at once."""
        assert child.process is not None
        with contextlib.suppress(BrokenPipeError):
            os.write(self._guard_pipe, f"{sign}{child.process.pid}\n".encode())

    def _watch_guard(self) -> None:
        with contextlib.suppress(ChildProcessError):
            if os.waitpid(self._guard, os.WNOHANG) == (0, 0):
                return
        os.close(self._guard_pipe)
        self._guard, self._guard_pipe = _start_guard()
        for child in self.children:
            if child.process is not None and child.restart_at is None:
                self._tell_guard("+", child)

    def _watch(self, child: Child) -> None:
        assert child.process is not None
        now = time.monotonic()
        if child.restart_at is not None:
            if now >= child.restart_at:
                self._start(child)
            return
        code = child.process.poll()
        if code is None:
            return
        child.deaths += 1
        _signal_group(child, signal.SIGKILL)  # what a killed parent left of its group
        self._tell_guard("-", child)
        child.pause = FIRST_PAUSE if now - child.started > SETTLED_SECONDS else child.pause
        how = f"was killed by signal {-code}" if code < 0 else f"stopped with code {code}"
        where = f" Its log: {child.log}" if child.log else ""
        self.say(f"The {child.name} {how}; restarting it in {child.pause:g} s.{where}")
        child.restart_at = now + child.pause
        child.pause = min(child.pause * 2, LONGEST_PAUSE)


@contextlib.contextmanager
def _opened(log: Path | None) -> Iterator[BinaryIO | None]:
    """The log to write on, a large one having been put aside; None when there is none."""
    if log is None:
        yield None
        return
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > LOG_BYTES:
        log.replace(log.with_suffix(".old.log"))
    with log.open("ab") as file:
        yield file


def _signal_group(child: Child, number: int) -> None:
    if child.process is not None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.process.pid, number)


def _start_guard() -> tuple[int, int]:
    """Fork the guard: its process, and the pipe's end that takes the children's process groups ("+12", "-12")."""
    reading, writing = os.pipe()
    if guard := os.fork():
        os.close(reading)
        return guard, writing
    try:
        os.close(writing)
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        _guard(reading)
    finally:
        os._exit(0)


def _guard(reading: int) -> None:
    """Wait until the supervisor is gone; end the groups it left (none, after an orderly stop)."""
    groups: set[int] = set()
    with os.fdopen(reading) as pipe:
        for line in pipe:
            (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    for number in (signal.SIGTERM, signal.SIGKILL):
        left = False
        for group in groups:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)
                left = True
        if left and number == signal.SIGTERM:
            _wait_for(groups, STOP_SECONDS)


def _wait_for(groups: Iterable[int], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        alive = False
        for group in groups:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, 0)
                alive = True
        if not alive:
            return
        time.sleep(0.1)
