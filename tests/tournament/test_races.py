"""People acting in the same instant, in processes of their own, on SQLite and on PostgreSQL.

Each race is run with rows locked, as the services do, and with the locks taken away: then the constraints
of the database alone must keep the event right, refusing whoever came second.
"""

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import new_postgres_database

ROOT = Path(__file__).resolve().parents[2]
TRIES = 8


class Racers:
    """Two processes that begin at the same time."""

    def __init__(self, database_url: str, folder: Path) -> None:
        environment = {**os.environ, "DATABASE_URL": database_url, "HEADJUDGE_VAR": str(folder)}
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(migrate, cwd=ROOT, env=environment, check=True)
        self.processes = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.tournament.racer"],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        for index in range(2):
            self._tell(index, {"do": "prepare", "slug": f"warm-up-{index}", "players": 2, "paired": True})
            self._hear(index)

    def one(self, do: str, **arguments: Any) -> Any:
        """Let one of them do something, alone."""
        self._tell(0, {"do": do, **arguments})
        return self._hear(0)["done"]

    def race(self, locks: bool, *commands: dict[str, Any]) -> list[dict[str, Any]]:
        """Both act at the same moment; their answers."""
        at = time.time() + 0.02
        for index, command in enumerate(commands):
            self._tell(index, {**command, "at": at, "locks": locks})
        return [self._hear(index) for index in range(len(commands))]

    def stop(self) -> None:
        for process in self.processes:
            process.communicate(timeout=20)

    def _tell(self, index: int, command: dict[str, Any]) -> None:
        pipe = self.processes[index].stdin
        assert pipe is not None
        pipe.write(json.dumps(command) + "\n")
        pipe.flush()

    def _hear(self, index: int) -> dict[str, Any]:
        pipe = self.processes[index].stdout
        assert pipe is not None
        line = pipe.readline()
        assert line, "the racer died; its error stands above"
        answer: dict[str, Any] = json.loads(line)
        return answer


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def racers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Racers]:
    folder = tmp_path_factory.mktemp(request.param)
    with_url = new_postgres_database() if request.param == "postgres" else iter([f"sqlite:///{folder}/db"])
    for url in with_url:
        found = Racers(url, folder)
        yield found
        found.stop()


@pytest.fixture(params=[True, False], ids=["locked", "constraints-alone"])
def locks(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def slugs() -> Iterator[Iterator[str]]:
    yield (f"e{uuid.uuid4().hex[:10]}" for _ in range(TRIES))


def codes(answers: list[dict[str, Any]]) -> list[str]:
    return sorted(answer.get("refused", "done") for answer in answers)


def test_two_organizers_pressing_pair_make_one_round(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        racers.one("prepare", slug=slug, players=9, paired=False)
        answers = racers.race(locks, *[{"do": "pair", "slug": slug}] * 2)
        assert codes(answers) in (["already-paired", "done"], ["done", "results-missing"])
        assert {answer["status"] for answer in answers if "refused" in answer} == {409}
        seen = racers.one("look_at_event", slug=slug)
        assert seen == {"rounds": 1, "matches": 5, "seats": 9, "registrations": 9, "pinned": True}


def test_one_player_posting_twice_never_confirms(racers: Racers, locks: bool, slugs: Iterator[str]) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=2, paired=True)
        post = {"do": "report", "match": ready["match"], "player": ready["players"][0], "outcome": "win"}
        answers = racers.race(locks, post, post)
        assert codes(answers) in (["done", "done"], ["done", "reported-meanwhile"])
        assert racers.one("look_at_match", match=ready["match"]) == {
            "state": "reported",
            "outcome": None,
            "reports": [1],
        }


@pytest.mark.parametrize(("second", "expected"), [("loss", "confirmed"), ("win", "conflict")])
def test_both_players_reporting_at_once_are_both_heard(
    racers: Racers, slugs: Iterator[str], second: str, expected: str
) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=2, paired=True)
        answers = racers.race(
            True,
            {"do": "report", "match": ready["match"], "player": ready["players"][0], "outcome": "win"},
            {"do": "report", "match": ready["match"], "player": ready["players"][1], "outcome": second},
        )
        assert codes(answers) == ["done", "done"]
        seen = racers.one("look_at_match", match=ready["match"])
        assert (seen["state"], seen["reports"]) == (expected, [1, 2])


def test_a_report_never_overtakes_the_staffs_decision(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=2, paired=True)
        match, (one, two) = ready["match"], ready["players"]
        racers.one("report", match=match, player=one, outcome="win")
        answers = racers.race(
            locks,
            {"do": "decide", "match": match, "outcome": "draw"},
            {"do": "report", "match": match, "player": two, "outcome": "loss"},
        )
        decided, reported = answers
        if "refused" in decided:
            assert not locks and decided["refused"] == "reported-meanwhile"
            assert racers.one("look_at_match", match=match)["state"] == "confirmed"
            racers.one("decide", match=match, outcome="draw")
        assert reported.get("refused", "done") in ("done", "decided", "reported-meanwhile")
        seen = racers.one("look_at_match", match=match)
        assert (seen["state"], seen["outcome"]) == ("decided", "draw")
        assert seen["reports"] == list(range(1, len(seen["reports"]) + 1))


def test_a_player_entering_twice_at_once_is_entered_once(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        racers.one("prepare", slug=slug, players=2, paired=False)
        answers = racers.race(locks, *[{"do": "register", "slug": slug, "player": f"{slug}-twin"}] * 2)
        assert codes(answers) == ["done", "registered"]
        assert racers.one("look_at_event", slug=slug)["registrations"] == 3
