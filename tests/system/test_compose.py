"""The processes of docker-compose.yml, started with its very commands and settings on real servers.

No Docker engine is needed: what compose would run in containers runs here as processes.
"""

import json
import re
import secrets
import shlex
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.rules.scenarios import SHOTGUN
from tests.system.service import ROOT, Service, eventually, free_port

pytestmark = [pytest.mark.system, pytest.mark.postgres, pytest.mark.redis]

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]
GIVEN = {
    "SECRET_KEY": secrets.token_urlsafe(50),
    "ALLOWED_HOSTS": "judge.example.org",
    "POSTGRES_PASSWORD": "secret",
}


def filled(text: str) -> str:
    """Compose's own substitution: ${NAME}, ${NAME:-default}, ${NAME:?message}, $$."""

    def value(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        if found["name"] in GIVEN:
            return GIVEN[found["name"]]
        if found["kind"] == "-":
            return str(found["rest"])
        raise AssertionError(f"{found['name']} is not in .env.example's sense given")

    return re.sub(r"\$\$|\$\{(?P<name>\w+)(?::(?P<kind>[-?])(?P<rest>[^}]*))?\}", value, text)


def environment(name: str) -> dict[str, str]:
    return {key: filled(str(value)) for key, value in SERVICES[name]["environment"].items()}


class Installation(Service):
    """A service whose processes are those of the compose file."""

    def run(self, name: str, **replaced: str) -> Any:
        command = [replaced.get(word, word) for word in SERVICES[name]["command"]]
        if command[0] == "headjudge":  # as the image has it; here the checkout is run
            command = ["python", "manage.py", *command[1:]]
        return self.start([filled(word) for word in command])

    def healthy(self, name: str, **replaced: str) -> bool:
        """What compose would find out with the service's health check."""
        kind, *test = SERVICES[name]["healthcheck"]["test"]
        if kind == "CMD-SHELL":
            test = shlex.split(filled(test[0]).replace('"$HOSTNAME"', socket.gethostname()))
        for word, other in replaced.items():
            test = [part.replace(word, other) for part in test]
        return bool(self.start(test).wait(timeout=60) == 0)


@pytest.fixture
def installation(tmp_path: Path, postgres_url: str, redis_url: str) -> Iterator[Installation]:
    for name in ("web", "worker", "beat", "migrate"):
        assert environment(name) == environment("web"), "all processes have the same settings"
    servers = {
        "DATABASE_URL": postgres_url,
        "CELERY_BROKER_URL": redis_url,
        "CACHE_URL": redis_url,
        "STATIC_ROOT": str(tmp_path / "static"),
    }
    installation = Installation(tmp_path, **{**environment("web"), **servers})
    yield installation
    installation.close()


class Browser:
    """A person behind the TLS proxy, logged in by a session."""

    def __init__(self, port: int, session: str) -> None:
        self.port, self.session = port, session

    def ask(self, path: str, body: Any = None) -> tuple[int, Any]:
        token = "x" * 32
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Host": "judge.example.org",
                "X-Forwarded-Proto": "https",
                "Referer": "https://judge.example.org/",
                "Content-Type": "application/json",
                "Cookie": f"sessionid={self.session}; csrftoken={token}",
                "X-CSRFToken": token,
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return response.status, json.loads(response.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null")


def log_in(installation: Installation) -> str:
    """A session of a new person, as the login page would make it."""
    told: str = installation.python(
        """
from django.contrib.auth import get_user_model
from django.contrib.auth import SESSION_KEY, BACKEND_SESSION_KEY, HASH_SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
judge = get_user_model().objects.create_user("judge")
session = SessionStore()
session[SESSION_KEY] = str(judge.pk)
session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
session[HASH_SESSION_KEY] = judge.get_session_auth_hash()
session.create()
tell(session.session_key)
"""
    )
    return told


def test_a_dispute_filed_over_http_is_answered_by_the_workers(installation: Installation) -> None:
    port = free_port()
    prepared = installation.run("migrate")
    assert prepared.wait(timeout=120) == 0, installation.logs()
    installation.manage("collectstatic", "--noinput", "--verbosity", "0")  # the image's build does this
    installation.run("web", **{"8000": str(port), "0.0.0.0": "127.0.0.1"})
    for number in range(2):
        installation.start([*SERVICES["worker"]["command"], "--hostname", f"worker{number}@%h"])
    installation.run("beat")
    assert eventually(lambda: installation.healthy("web", **{"8000": str(port)})), installation.logs()

    judge = Browser(port, log_in(installation))
    status, dispute = judge.ask("/api/v1/disputes", {"title": "Shotgun Blast", "source": SHOTGUN})
    assert status == 201, dispute
    job = dispute["adjudications"][0]["id"]
    assert eventually(lambda: judge.ask(f"/api/v1/adjudications/{job}")[1]["state"] == "done"), (
        installation.logs()
    )
    answer = judge.ask(f"/api/v1/adjudications/{job}")[1]["answer"]
    assert answer["questions"][0]["sentence"].startswith("Bo may use Field Researcher.")

    # Without the proxy's header a page is sent to HTTPS; the machines' pages are not.
    plain = urllib.request.Request(f"http://127.0.0.1:{port}/healthz", headers={"Host": "localhost"})
    assert urllib.request.urlopen(plain, timeout=5).status == 200


def test_a_worker_tells_that_it_lives(installation: Installation) -> None:
    installation.run("worker")
    assert eventually(lambda: installation.healthy("worker"), pause=1), installation.logs()


def test_the_shape_of_the_installation() -> None:
    assert SERVICES["beat"]["deploy"]["replicas"] == 1
    assert "--beat" not in SERVICES["worker"]["command"] and "-B" not in SERVICES["worker"]["command"]
    assert SERVICES["redis"]["command"][-2:] == ["--maxmemory-policy", "noeviction"]
    for name in ("web", "worker", "beat"):
        assert SERVICES[name]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"
    for name in ("web", "worker", "beat", "migrate"):
        assert SERVICES[name]["env_file"] == [".env"], (
            "whatever setting the operator gives reaches every process"
        )
    named = set(re.findall(r"\$\{(\w+)", (ROOT / "docker-compose.yml").read_text()))
    offered = set(re.findall(r"^(\w+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert named == offered


def test_a_configuration_unfit_for_production_does_not_start(tmp_path: Path) -> None:
    settings = {**environment("web"), "CELERY_BROKER_URL": "filesystem://localhost"}
    installation = Installation(tmp_path, **settings)
    prepared = installation.run("migrate")
    assert prepared.wait(timeout=60) != 0
    assert "CommandError: The broker is the embedded one," in installation.logs()
    assert "Traceback" not in installation.logs()


def test_the_image_installs_what_runs_and_nothing_of_the_tests() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert "USER headjudge" in dockerfile
    runtime, _, tests = (ROOT / "requirements.txt").read_text().partition("# Tests and checks")
    assert "Django==" in runtime and "pytest==" in tests
    assert "/^# Tests and checks/,$d" in dockerfile
