"""Everything is killed in the middle of everything, and nothing is lost or done twice: `manage.py doctor` is clean.

On real processes: embedded, and PostgreSQL with a Redis of the test's own, which dies as well.
"""

import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.bench.rules import forced_responses
from tests.rules.scenarios import SHOTGUN, different
from tests.system.crowd import Crowd, Person, gather, web
from tests.system.service import Service, eventually, free_port

pytestmark = pytest.mark.system

WORKER = (
    "python -m celery -A tests.system.slow_celery worker --concurrency 2 --loglevel INFO"
    " --without-gossip --without-mingle"
)
BEAT = "python -m celery -A tests.system.slow_celery beat --pidfile= --loglevel WARNING --schedule {file}"
DISPUTES, COPIES, CHECKS, ROUNDS, PLAYERS = 8, 2, 3, 2, 8
SOON = {  # what a dead worker held is taken up again; small explorations are split
    "ADJUDICATION_SPLIT_AFTER": "1",
    "IMPORT_LEASE_SECONDS": "6",
    "RECHECK_LEASE_SECONDS": "6",
    "RECHECK_RESEND_SECONDS": "2",
}
LARGE = forced_responses(6, differ=True).replace("toughness: 99", "toughness: %d", 1)
UNDER_WAY = "('queued', 'running', 'split')"


class Installation:
    """Processes by name, each of which can be killed and started again."""

    def __init__(self, service: Service, port: int) -> None:
        self.service = service
        pool = "prefork" if "DATABASE_URL" in service.environment else "threads"
        beats = [BEAT.format(file=service.folder / f"beat-{number}") for number in (1, 2)]  # two: only waste
        self.commands = {
            "web": web(port),
            "worker": f"{WORKER} --pool {pool} --hostname one@%h",
            "worker two": f"{WORKER} --pool {pool} --hostname two@%h",
            "beat": beats[0],
            "beat two": beats[1],
        }
        self.processes: dict[str, Any] = {}
        for name in self.commands:
            self.begin(name)

    def begin(self, name: str) -> None:
        self.processes[name] = self.service.start(self.commands[name], SLOW_SECONDS="0.3")

    def again(self, name: str) -> None:
        """As a power cut, and the supervisor afterwards."""
        self.service.kill(self.processes[name])
        self.begin(name)


class Redis:
    """A broker of one's own, which may be killed."""

    def __init__(self, folder: Path) -> None:
        self.port, self.folder = free_port(), folder
        self.start()

    def start(self) -> None:
        save = ["--save", "", "--appendonly", "no", "--bind", "127.0.0.1"]
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), *save], cwd=self.folder, stdout=subprocess.DEVNULL
        )

    def again(self) -> None:
        """What was in it is gone."""
        self.process.kill()
        self.process.wait()
        time.sleep(0.3)  # people notice
        self.start()


@pytest.fixture(params=["embedded", pytest.param("servers", marks=[pytest.mark.postgres, pytest.mark.redis])])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    if request.param == "embedded":
        service = Service(tmp_path, **SOON)
        shutil.copy(request.getfixturevalue("migrated"), tmp_path)
        yield service
        service.close()
        return
    if shutil.which("redis-server") is None:
        pytest.skip("There is no redis-server to start and stop.")
    redis = Redis(tmp_path)
    address = f"redis://127.0.0.1:{redis.port}"
    service = Service(
        tmp_path,
        DATABASE_URL=request.getfixturevalue("postgres_url"),
        CELERY_BROKER_URL=f"{address}/0",
        **SOON,
    )
    service.redis = redis  # type: ignore[attr-defined]
    try:
        service.manage("migrate", "--verbosity", "0")
        yield service
    finally:
        service.close()
        redis.process.kill()
        redis.process.wait()


class People:
    """What everybody does meanwhile, each until it is done: who gets no answer asks again, as people do."""

    def __init__(self, crowd: Crowd, port: int) -> None:
        self.crowd, self.port = crowd, port
        self.disputes: list[int] = []
        self.refused: list[tuple[str, int, Any]] = []
        works: list[Callable[[], None]] = [self.play, self.judge, self.read_files, self.check_lists]
        self.threads = [threading.Thread(target=work, daemon=True) for work in works]
        for thread in self.threads:
            thread.start()

    def busy(self) -> bool:
        return any(thread.is_alive() for thread in self.threads)

    def insist(self, person: Person, path: str, body: Any, done: tuple[str, ...] = ()) -> Any:
        """Ask until it is answered; an error whose code is in `done` says that it was done the time before."""
        for _ in range(200):
            status, told = person.ask("POST", f"/api/v1/{path}", body)
            if status in (200, 201, 202) or (status == 409 and told["code"] in done):
                return told
            if status not in (0, 409, 503):
                self.refused.append((path, status, told))
                return None
            time.sleep(0.1)
        self.refused.append((path, 0, "never answered"))
        return None

    def somebody(self) -> Person:
        return Person(self.port, self.crowd.organizer.session)

    def play(self) -> None:
        organizer = self.somebody()
        for number in range(1, ROUNDS + 1):
            self.insist(organizer, "events/crowd/rounds", {"number": number}, ("already-paired",))
            for match, first, second in self.crowd.tables(number):
                for player, outcome in ((first, "win"), (second, "loss")):
                    self.insist(self.crowd.players[player], f"matches/{match}/reports", {"outcome": outcome})

    def judge(self) -> None:
        organizer = self.somebody()
        for number in range(DISPUTES):
            large = number % 4 == 1  # explored in parts
            source = LARGE % (99 + number) if large else different(SHOTGUN, number)
            told = self.insist(organizer, "disputes", {"title": f"Dispute {number}", "source": source})
            self.disputes.append(told["id"])

    def read_files(self) -> None:
        organizer = self.somebody()
        status, told = 0, None
        while status != 200:
            status, told = organizer.ask("GET", "/api/v1/events/crowd/files/event.json")
            time.sleep(0.1)
        for number in range(COPIES):
            self.insist(organizer, f"event-files?slug=copy-{number}", told, ("slug-taken",))

    def check_lists(self) -> None:
        organizer = self.somebody()
        text = (Path(__file__).parents[2] / "decks" / "formats" / "coc-lcg.yaml").read_text()
        for _ in range(CHECKS):
            self.insist(organizer, "formats/what-if", {"text": text})
            time.sleep(1)


def cut_connections(service: Service) -> None:
    with psycopg.connect(service.environment["DATABASE_URL"], autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_everything_dies_in_the_middle_of_everything(service: Service) -> None:
    port = free_port()
    crowd = gather(service, port, players=PLAYERS, lists=4)
    installation = Installation(service, port)
    assert eventually(lambda: crowd.organizer.ask("GET", "/healthz")[0] == 200), service.logs()
    people = People(crowd, port)
    faults: list[Callable[[], None]] = [
        lambda: installation.again("worker"),
        lambda: installation.again("web"),
        lambda: installation.again("worker two"),
        lambda: installation.again("beat"),
    ]
    if "DATABASE_URL" in service.environment:
        faults += [lambda: cut_connections(service), service.redis.again]  # type: ignore[attr-defined]
    for number, fault in enumerate(cycle(faults)):
        time.sleep(0.5)  # in the middle of whatever it is
        if number >= len(faults) and not people.busy():
            break
        if number < 2 * len(faults):
            fault()
    for thread in people.threads:
        thread.join(timeout=60)
    assert not people.busy() and not people.refused, (people.refused, service.logs())

    def settled() -> bool:
        open_jobs = service.rows(f"SELECT count(*) FROM rules_adjudication WHERE state IN {UNDER_WAY}")
        open_checks = service.rows("SELECT count(*) FROM decks_recheck WHERE finished_at IS NULL")
        open_files = service.rows("SELECT count(*) FROM tournament_fileimport WHERE finished_at IS NULL")
        return [*open_jobs, *open_checks, *open_files] == [(0,)] * 3

    assert eventually(settled, seconds=90), service.logs()
    service.manage("doctor")
    assert len(set(people.disputes)) == DISPUTES
    answered = dict(service.rows("SELECT dispute_id, state FROM rules_adjudication"))
    [[parts]] = service.rows("SELECT count(*) FROM tournament_auditrow WHERE verb = 'adjudication_split'")
    assert parts >= 2, "the large ones were explored in parts"
    assert {answered[pk] for pk in people.disputes} == {"done"}, "every dispute that was taken is answered"
    matches, reports = PLAYERS // 2 * ROUNDS, PLAYERS * ROUNDS
    crowded = "(SELECT id FROM tournament_event WHERE slug = 'crowd')"
    assert service.rows(
        "SELECT count(DISTINCT m.id), count(p.id) FROM tournament_match m"
        " JOIN tournament_round r ON r.id = m.round_id JOIN tournament_report p ON p.match_id = m.id"
        f" WHERE r.event_id = {crowded}"
    ) == [(matches, reports)]
    copies = service.rows(
        "SELECT e.slug, count(g.id) FROM tournament_event e JOIN tournament_registration g ON g.event_id = e.id"
        " WHERE e.slug LIKE 'copy-%' GROUP BY e.slug ORDER BY e.slug"
    )
    assert copies == [(f"copy-{number}", PLAYERS) for number in range(COPIES)], "whole, and once"
