"""The wheel in an empty environment: one command, no checkout, no make."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import absent
from tests.system.service import ROOT, free_port

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of programs of a new environment that has the wheel, and nothing of the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    source = folder / "source"
    subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(source)], check=True)
    for name in _changed():
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    built = subprocess.run(
        [*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), str(source)], capture_output=True, text=True
    )
    if built.returncode:
        absent("index", f"The wheel cannot be built here (is there a package index?): {built.stderr[-300:]}")
    [wheel] = folder.glob("headjudge-*.whl")
    subprocess.run([sys.executable, "-m", "venv", str(folder / "env")], check=True)
    programs = folder / "env" / "bin"
    put_in = [str(programs / "python"), *pip[1:], "install", str(wheel)]
    done = subprocess.run(put_in, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    yield programs


def _changed() -> list[str]:
    """Files of the checkout that differ from its last commit, or are new in it."""
    listed = subprocess.run(
        ["git", "ls-files", "--modified", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    return [name for name in listed if (ROOT / name).is_file()]


def environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return kept | {"HOME": str(home)}


def headjudge(installed: Path, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(installed / "headjudge"), *words],
        cwd=home,
        env=environment(home),
        capture_output=True,
        text=True,
    )


def test_without_a_word_it_says_what_there_is(installed: Path, tmp_path: Path) -> None:
    said = headjudge(installed, tmp_path)
    assert said.returncode == 0
    assert "headjudge up" in said.stdout and "check_deck" in said.stdout
    assert str(tmp_path) in said.stdout, "a person's data is in the person's own folder"


def test_a_list_is_checked_and_a_dispute_answered(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "deck.txt").write_text("3 Local Sheriff\n4 Repo Man\n")
    checked = headjudge(installed, tmp_path, "check_deck", "deck.txt", "--format", "coc-lcg", "--json")
    assert checked.returncode == 1, checked.stderr
    assert json.loads(checked.stdout)["verdict"] == "illegal"
    (tmp_path / "dispute.yaml").write_text((ROOT / "tournament" / "demo" / "dispute.yaml").read_text())
    answered = headjudge(installed, tmp_path, "adjudicate", "dispute.yaml", "--under", "coc-ccg", "--json")
    assert answered.returncode == 0, answered.stderr


def test_the_demo_plays_with_a_real_worker(installed: Path, tmp_path: Path) -> None:
    played = headjudge(installed, tmp_path, "demo", "--json")
    assert played.returncode == 0, played.stderr


def works(installed: Path, home: Path, *words: str) -> str:
    ended = headjudge(installed, home, *words)
    assert ended.returncode == 0, (words, ended.stdout, ended.stderr)
    return ended.stdout


def findings(installed: Path, home: Path) -> list[str]:
    """What the doctor finds wrong: of every check, for none was left out."""
    examined = headjudge(installed, home, "doctor", "--json")
    told = json.loads(examined.stdout)
    assert (told["not_made"], examined.returncode) == ([], 0 if told["sound"] else 1), examined.stderr
    return [one["message"] for one in told["findings"] if one["level"] == "error"]


def test_a_backup_mends_a_broken_installation_and_moves_to_an_empty_one(
    installed: Path, tmp_path: Path
) -> None:
    """As the doctor sees it, before and after."""
    here, there, file = tmp_path / "here", tmp_path / "there", tmp_path / "event.hj"
    here.mkdir()
    there.mkdir()
    unprepared = headjudge(installed, here, "doctor")
    assert unprepared.returncode == 1, unprepared.stdout
    works(installed, here, "migrate", "--verbosity", "0")
    played = works(
        installed, here, "simulate", "--players", "6", "--rounds", "2", "--cut", "none", "--keep", "--json"
    )
    event = json.loads(played)["event"]
    assert findings(installed, here) == []
    assert str(file) in works(installed, here, "backup", str(file))
    kept = exported(installed, here, event)

    [database] = here.rglob("headjudge.sqlite3")
    with closing(sqlite3.connect(database)) as broken, broken:
        broken.execute("DELETE FROM tournament_seat WHERE id = (SELECT max(id) FROM tournament_seat)")
    assert findings(installed, here) != []
    for home in (here, there):
        works(installed, home, "restore", "--yes", str(file))
        assert findings(installed, home) == []
        assert exported(installed, home, event) == kept


def exported(installed: Path, home: Path, event: str) -> str:
    works(installed, home, "event_export", event, "event.json")
    return (home / "event.json").read_text()


def test_the_service_starts_serves_its_pages_and_stops(installed: Path, tmp_path: Path) -> None:
    port = free_port()
    service = subprocess.Popen(
        [str(installed / "headjudge"), "up", "--port", str(port)],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        page = _page(port, service)
        assert "Headjudge" in page
        style = page.partition('rel="stylesheet" href="')[2].partition('"')[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{style}", timeout=10) as response:
            assert response.status == 200
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/docs", timeout=30) as response:
            assert response.status == 200
    finally:
        service.send_signal(signal.SIGINT)
        service.wait(30)


def _page(port: int, service: "subprocess.Popen[str]") -> str:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and service.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as response:
                return str(response.read().decode())
        except OSError:
            time.sleep(0.5)
    service.kill()
    raise AssertionError(service.communicate()[0])
