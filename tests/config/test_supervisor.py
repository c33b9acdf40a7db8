"""The supervisor restarts what dies and leaves nothing behind, however it ends itself."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# A supervisor over one child that writes its pid to a file and has a child of its own (as web servers do).
PROGRAM = """
import sys
from pathlib import Path
from config.supervisor import Child, Supervisor
folder = Path(sys.argv[1])
code = '''
import os, subprocess, sys, time
own = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open(sys.argv[1] + "/pids", "a").write(f"{os.getpid()} {own.pid}\\\\n")
time.sleep(60)
'''
child = Child("worker", [sys.executable, "-c", code, str(folder)], folder / "log" / "worker.log")
with Supervisor([child], say=lambda line: print(line, flush=True)) as supervisor:
    print("started", flush=True)
    supervisor.run()
print("stopped", flush=True)
"""


def eventually(condition: Callable[[], bool], seconds: float = 15) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


def alive(pid: int) -> bool:
    """Running, that is: neither gone nor a zombie that its parent has not yet read."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # gone between the two looks, or a system without /proc
        return not Path("/proc/self").exists()


def pids(folder: Path) -> list[tuple[int, int]]:
    """(child, grandchild) of every start so far."""
    file = folder / "pids"
    lines = file.read_text().splitlines() if file.exists() else []
    return [(int(child), int(own)) for child, own in (line.split() for line in lines)]


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "config.settings"}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], stdout=subprocess.PIPE, text=True, env=env
    )
    assert eventually(lambda: len(pids(tmp_path)) == 1)
    yield process
    process.kill()
    process.wait()


def test_a_child_that_dies_is_started_again(supervisor: "subprocess.Popen[str]", tmp_path: Path) -> None:
    (first, orphan) = pids(tmp_path)[0]
    os.kill(first, signal.SIGKILL)
    assert eventually(lambda: len(pids(tmp_path)) == 2)
    assert not alive(orphan)
    supervisor.terminate()
    said, _ = supervisor.communicate(timeout=15)
    assert "The worker was killed by signal 9; restarting it in 1 s." in said


def test_a_child_that_keeps_dying_is_never_left_alone_for_long(
    supervisor: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    for number in range(1, 6):
        os.kill(pids(tmp_path)[-1][0], signal.SIGKILL)
        assert eventually(lambda number=number: len(pids(tmp_path)) == number + 1)  # type: ignore[misc]
    supervisor.terminate()
    said, _ = supervisor.communicate(timeout=15)
    assert re.findall(r"restarting it in (\d+) s", said) == ["1", "2", "3", "3", "3"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_stops_everything_in_order(
    supervisor: "subprocess.Popen[str]", tmp_path: Path, number: int
) -> None:
    supervisor.send_signal(number)
    said, _ = supervisor.communicate(timeout=15)
    assert supervisor.returncode == 0
    assert said.splitlines()[-1] == "stopped"
    assert not any(alive(pid) for pid in pids(tmp_path)[0])


def test_nothing_is_left_when_the_supervisor_is_killed(
    supervisor: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    supervisor.kill()
    supervisor.wait()
    assert eventually(lambda: not any(alive(pid) for pid in pids(tmp_path)[0]))


def test_a_guard_that_is_killed_is_replaced(supervisor: "subprocess.Popen[str]", tmp_path: Path) -> None:
    def guards() -> set[int]:
        listed = Path(f"/proc/{supervisor.pid}/task/{supervisor.pid}/children").read_text().split()
        return {int(pid) for pid in listed if alive(int(pid))} - {child for child, _own in pids(tmp_path)}

    [guard] = guards()
    os.kill(guard, signal.SIGKILL)
    assert eventually(lambda: bool(guards() - {guard}))
    os.kill(pids(tmp_path)[0][0], signal.SIGKILL)
    assert eventually(lambda: len(pids(tmp_path)) == 2), "it goes on starting what dies"
    supervisor.kill()
    supervisor.wait()
    assert eventually(lambda: not any(alive(pid) for pair in pids(tmp_path) for pid in pair))
