"""`manage.py serve`: several web processes on one port, none of which needs another."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.system.service import ROOT, Service, eventually, free_port
from tests.system.test_up import commands, descendants, get

pytestmark = pytest.mark.system


@pytest.fixture
def service(tmp_path: Path, migrated: Path) -> Service:
    (tmp_path / "headjudge.sqlite3").write_bytes(migrated.read_bytes())
    return Service(tmp_path)


def web_processes(pid: int) -> list[int]:
    """Those that listen: each granian starts one that works."""
    return sorted(one for one, line in commands(descendants(pid)).items() if "granian" in line)


def test_one_dead_web_process_does_not_end_the_others(service: Service) -> None:
    port = free_port()
    server = service.start(f"python manage.py serve --port {port} --workers 2")
    try:
        assert eventually(lambda: get(port, "/healthz")[0] == 200), service.logs()
        assert eventually(lambda: len(web_processes(server.pid)) == 4)
        first = min(web_processes(server.pid))
        untouched = {first, *descendants(first)}
        assert len(untouched) == 2
        for _ in range(3):  # again and again, sooner than it takes to start
            if others := set(web_processes(server.pid)) - untouched:
                os.kill(max(others), signal.SIGKILL)
            assert eventually(lambda: get(port, "/healthz")[0] == 200), service.logs()
        assert eventually(lambda: len(web_processes(server.pid)) == 4), service.logs()
        assert untouched < set(web_processes(server.pid))

        family = descendants(server.pid)
        server.terminate()
        assert server.wait(timeout=20) == 0
        assert not commands(family)
    finally:
        service.close()


def test_a_port_that_is_taken_is_said_in_one_sentence(service: Service) -> None:
    port = free_port()
    server = service.start(f"python manage.py serve --port {port} --workers 1")
    try:
        assert eventually(lambda: get(port, "/healthz")[0] == 200), service.logs()
        second = subprocess.run(
            service.command(f"python manage.py serve --port {port}"),
            cwd=ROOT,
            env=service.environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert second.returncode != 0
        assert second.stderr.startswith(f"CommandError: Port {port} of 127.0.0.1 is in use"), second.stderr
        assert server.poll() is None
    finally:
        service.close()
