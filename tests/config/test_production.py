"""`check --deploy` refuses what must not serve a real event; the embedded service checks clean otherwise."""

import os
import re
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from config import settings as settings_file
from config.checks import production_shape
from tests.system.service import free_port

ROOT = Path(__file__).resolve().parents[2]
FIT = {
    "PRODUCTION": "1",
    "SECRET_KEY": secrets.token_urlsafe(50),
    "DATABASE_URL": "postgres://headjudge@127.0.0.1:1/headjudge",
    "CELERY_BROKER_URL": "redis://127.0.0.1:1/0",
    "CACHE_URL": "redis://127.0.0.1:1/1",
    "ALLOWED_HOSTS": "judge.example.org",
}


def check(tmp_path: Path, environment: dict[str, str]) -> tuple[int, set[str], str]:
    """Exit code, our error ids, and everything said."""
    clean = {
        key: value for key, value in os.environ.items() if key not in {*FIT, "DJANGO_ALLOW_ASYNC_UNSAFE"}
    }
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "ERROR"],
        cwd=ROOT,
        env={
            **clean,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "HEADJUDGE_VAR": str(tmp_path / "var"),
            **environment,
        },
        capture_output=True,
        text=True,
    )
    said = done.stdout + done.stderr
    return done.returncode, set(re.findall(r"headjudge\.E\d+", said)), said


def test_a_whole_configuration_passes_without_a_warning(tmp_path: Path) -> None:
    code, errors, said = check(tmp_path, FIT)
    assert (code, errors) == (0, set()), said
    assert "no issues" in said


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"PRODUCTION": False}, "headjudge.E000"),
        ({"SECRET_KEY_GIVEN": False}, "headjudge.E001"),
        ({"SECRET_KEY": ""}, "headjudge.E001"),
        ({"EMBEDDED_BROKER": True}, "headjudge.E002"),
        ({"EMBEDDED_DATABASE": True}, "headjudge.E003"),
        ({"ALLOWED_HOSTS": []}, "headjudge.E004"),
        ({"ALLOWED_HOSTS": ["*"]}, "headjudge.E004"),
        ({"DEBUG": True}, "headjudge.E005"),
        ({"SECRET_KEY": secrets.token_urlsafe(20)}, "headjudge.E006"),
        ({"SECRET_KEY": "abcabcab" * 10}, "headjudge.E006"),
        ({"SECRET_KEY": "django-insecure-" + secrets.token_urlsafe(50)}, "headjudge.E006"),
        ({"SECRET_KEY": "change-me-" + "0123456789" * 6}, "headjudge.E006"),
        ({"TRUSTED_PROXIES": 0}, "headjudge.E007"),
    ],
)
def test_each_fault_is_named(settings: Any, wrong: dict[str, Any], error: str) -> None:
    fit = {
        "PRODUCTION": True,
        "SECRET_KEY": FIT["SECRET_KEY"],
        "SECRET_KEY_GIVEN": True,
        "EMBEDDED_BROKER": False,
        "EMBEDDED_DATABASE": False,
        "ALLOWED_HOSTS": ["judge.example.org"],
        "DEBUG": False,
        "TRUSTED_PROXIES": 1,
    }
    for key, value in fit.items():
        setattr(settings, key, value)
    assert production_shape(None) == []
    for key, value in wrong.items():
        setattr(settings, key, value)
    assert [found.id for found in production_shape(None)] == [error]


def test_links_in_mail_lead_to_names_that_the_deployer_gave(tmp_path: Path) -> None:
    """A link that logs in has the host under which somebody asked for it, whoever that was."""
    mail = {"EMAIL_URL": "smtp://127.0.0.1:1"}
    assert "headjudge.E010" in check(tmp_path, mail)[1]
    assert "headjudge.E010" not in check(tmp_path, mail | {"ALLOWED_HOSTS": "hall.example.org"})[1]


def test_a_missing_key_is_said_without_a_stack_trace(tmp_path: Path) -> None:
    code, errors, said = check(tmp_path, {key: value for key, value in FIT.items() if key != "SECRET_KEY"})
    assert code != 0
    assert errors == {"headjudge.E001"}, said
    assert "Traceback" not in said


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("a file where the folder should be")
    code, _, said = check(tmp_path, {})
    assert code != 0
    assert said.startswith(f"Headjudge can’t write to its folder {tmp_path / 'var'}")
    assert len(said.splitlines()) == 1


def test_the_embedded_defaults_are_refused_all_at_once(tmp_path: Path) -> None:
    code, errors, _ = check(tmp_path, {})
    assert code != 0
    assert errors == {f"headjudge.E00{number}" for number in (0, 1, 2, 3, 4, 7)}
    # and the key that was made for the embedded service is its owner's alone
    assert (tmp_path / "var" / "secret_key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("path", ["/", "/events", "/api/v1/events", "/healthz"])
@pytest.mark.parametrize("host", ["evil.example.com", "two words", "a/b"])
def test_another_hosts_name_is_refused_in_one_line(
    settings: Any, client: Client, caplog: pytest.LogCaptureFixture, path: str, host: str
) -> None:
    settings.ALLOWED_HOSTS = ["judge.example.org"]
    assert client.get(path, headers={"Host": host}).status_code == 400
    [told] = [one for one in caplog.records if host in one.getMessage()]
    assert told.levelname == "WARNING" and not any(one.exc_info for one in caplog.records)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"DEBUG": "1"}, "DEBUG is on"),
        ({"SECRET_KEY": "short"}, "The secret key is too short or publicly known."),
        ({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS allows every host name, or none."),
        ({"TRUSTED_PROXIES": "0"}, "No proxy’s headers are trusted"),
    ],
)
@pytest.mark.parametrize("verb", ["prepare", "up"])
def test_production_that_is_none_does_not_start(
    tmp_path: Path, verb: str, wrong: dict[str, str], said: str
) -> None:
    assert refusal(tmp_path, verb, {**FIT, **wrong}).startswith(f"CommandError: {said}")


@pytest.mark.parametrize(
    ("arguments", "wrong", "said"),
    [
        ("--host 0.0.0.0", {"DEBUG": "1"}, "DEBUG is on"),
        ("", {"SECRET_KEY": "short"}, "The secret key is too short"),
        ("", {"PRODUCTION": "1", "SECRET_KEY": secrets.token_urlsafe(50)}, "The broker is the embedded one,"),
        (
            "",
            {"EMAIL_URL": "smtp://127.0.0.1:1"},
            "EMAIL_URL is set, but ALLOWED_HOSTS allows every host name",
        ),
    ],
)
def test_the_embedded_service_does_not_start_on_it_either(
    tmp_path: Path, arguments: str, wrong: dict[str, str], said: str
) -> None:
    told = refusal(tmp_path, f"up --port {free_port()} {arguments}", wrong)
    assert told.startswith(f"CommandError: {said}")


@pytest.mark.parametrize("name", ["log", "queue/messages", "static"])
def test_a_file_where_a_folder_must_be_is_said_in_one_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "var" / name).parent.mkdir(parents=True)
    (tmp_path / "var" / name).write_text("")
    told = refusal(tmp_path, f"up --port {free_port()}", {})
    assert told.startswith(f"CommandError: Headjudge cannot use {tmp_path / 'var' / name}"), told


@pytest.mark.parametrize("name", ["headjudge.sqlite3", "secret_key"])
def test_a_folder_where_a_file_must_be_is_said_in_one_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "var" / name).mkdir(parents=True)
    assert str(tmp_path / "var" / name) in refusal(tmp_path, f"up --port {free_port()}", {})


def refusal(tmp_path: Path, command: str, environment: dict[str, str]) -> str:
    """What a command that must not start says: a sentence for each thing that is wrong, no traceback."""
    clean = {
        key: value
        for key, value in os.environ.items()
        if key not in {*FIT, "DEBUG", "TRUSTED_PROXIES", "DJANGO_ALLOW_ASYNC_UNSAFE"}
    }
    done = subprocess.run(
        [sys.executable, "manage.py", *command.split()],
        cwd=ROOT,
        env={
            **clean,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "HEADJUDGE_VAR": str(tmp_path / "var"),
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) <= 6, done.stderr
    return done.stderr


def test_of_processes_that_start_at_once_each_has_the_whole_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One is held up just before it has written its key; the other one starts meanwhile."""
    path = tmp_path / "secret_key"
    told = []

    def held_up(size: int) -> str:
        monkeypatch.undo()
        settings_file._make_key(path)
        told.append(path.read_text())
        return "the key of who was held up"

    monkeypatch.setattr(settings_file.secrets, "token_urlsafe", held_up)
    settings_file._make_key(path)
    assert told == [path.read_text()] and len(told[0]) > 50
    assert [one.name for one in tmp_path.iterdir()] == ["secret_key"]


def test_an_empty_key_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "secret_key").write_text("")
    assert "secret_key is empty" in refusal(tmp_path, "check", {})
