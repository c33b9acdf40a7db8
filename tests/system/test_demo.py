"""`manage.py demo` plays the main job to its end and leaves the person's own data alone."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.system.service import ROOT, Service

pytestmark = pytest.mark.system


def test_the_story_is_played_to_its_end(tmp_path: Path) -> None:
    service = Service(tmp_path)
    done = subprocess.run(
        service.command("python manage.py demo --json"),
        cwd=ROOT,
        env=service.environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    played = json.loads(done.stdout)
    chapters: dict[str, Any] = {chapter["title"]: chapter for chapter in played["chapters"]}
    found = {finding["code"]: finding for finding in chapters["An illegal list"]["findings"]}
    assert set(found) == {"banned", "restricted", "too-few-cards", "too-many-copies"}
    assert found["restricted"]["rule"] == "COC-D-03"
    assert chapters["An event"]["refused"]["code"] == "illegal-deck"
    assert chapters["Both report the same"]["states"] == ["reported", "confirmed"]
    assert chapters["A disagreement"]["states"] == ["conflict", "decided"]
    assert chapters["A dispute"]["next"] == "Bo"
    assert chapters["The same under other rules"]["next"] == "Ann"
    assert chapters["The ruling"]["citations"][0]["sentence_hash"]
    assert not (tmp_path / "headjudge.sqlite3").exists()
