"""An installation at work, and people who give it much to do at once: for tests that break something meanwhile."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bench.rules import forced_responses
from tests.rules.scenarios import SHOTGUN, different
from tests.system.crowd import Crowd, Person, web
from tests.system.service import Service

WORKER = (
    "python -m celery -A tests.system.slow_celery worker --concurrency 2 --loglevel INFO"
    " --without-gossip --without-mingle"
)
BEAT = "python -m celery -A tests.system.slow_celery beat --pidfile= --loglevel WARNING"
DISPUTES, COPIES, CHECKS, ROUNDS, PLAYERS = 8, 2, 3, 2, 10
SOON = {  # what a dead worker held is taken up again
    "IMPORT_LEASE_SECONDS": "6",
    "RECHECK_LEASE_SECONDS": "6",
    "RECHECK_RESEND_SECONDS": "2",
    "WEBHOOK_LEASE_SECONDS": "15",
    "WEBHOOK_WAITS": "3,3,3,3,3,3",
}
LARGE = forced_responses(6, differ=True).replace("toughness: 99", "toughness: %d", 1)


class Installation:
    """Processes by name, each of which can be killed and started again."""

    def __init__(self, service: Service, port: int) -> None:
        self.service = service
        pool = "prefork" if "DATABASE_URL" in service.environment else "threads"
        self.commands = {
            "web": web(port),
            "worker": f"{WORKER} --pool {pool} --hostname one@%h",
            "worker two": f"{WORKER} --pool {pool} --hostname two@%h",
            "beat": BEAT,
            "beat two": BEAT,  # only waste
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


class People:
    """What everybody does meanwhile, each until it is done: who gets no answer asks again, as people do.

    before: how often they did all this already; the next rounds are played, other questions asked.
    """

    def __init__(self, crowd: Crowd, port: int, before: int = 0) -> None:
        self.crowd, self.port, self.before = crowd, port, before
        self.disputes: list[int] = []
        self.refused: list[tuple[str, int, Any]] = []
        works: list[Callable[[], None]] = [self.play, self.judge, self.read_files, self.check_lists]
        self.threads = [threading.Thread(target=work, daemon=True) for work in works]
        for thread in self.threads:
            thread.start()

    def busy(self) -> bool:
        return any(thread.is_alive() for thread in self.threads)

    def finish(self) -> None:
        """Wait for them; everybody was heard in the end."""
        for thread in self.threads:
            thread.join(timeout=60)
        assert not self.busy() and not self.refused, (self.refused, self.crowd.service.logs())

    def numbers(self, many: int) -> range:
        """The next so many of something."""
        return range(self.before * many, (self.before + 1) * many)

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
        for number in (number + 1 for number in self.numbers(ROUNDS)):
            paired = {"number": number, "start_clock": True}
            self.insist(organizer, "events/crowd/rounds", paired, ("already-paired",))
            for match, first, second in self.crowd.tables(number):
                for player, outcome in ((first, "win"), (second, "loss")):
                    self.insist(self.crowd.players[player], f"matches/{match}/reports", {"outcome": outcome})

    def judge(self) -> None:
        organizer = self.somebody()
        for number in self.numbers(DISPUTES):
            large = number % 4 == 1
            source = LARGE % (99 + number) if large else different(SHOTGUN, number)
            told = self.insist(organizer, "disputes", {"title": f"Dispute {number}", "source": source})
            self.disputes.append(told["id"])

    def read_files(self) -> None:
        organizer = self.somebody()
        status, told = 0, None
        while status != 200:
            status, told = organizer.ask("GET", "/api/v1/events/crowd/files/event.json")
            time.sleep(0.1)
        for number in self.numbers(COPIES):
            self.insist(organizer, f"event-files?slug=copy-{number}", told, ("slug-taken",))

    def check_lists(self) -> None:
        organizer = self.somebody()
        text = (Path(__file__).parents[2] / "decks" / "formats" / "coc-lcg.yaml").read_text()
        for _ in range(CHECKS):
            self.insist(organizer, "formats/what-if", {"text": text})
            time.sleep(1)


def settled(service: Service) -> bool:
    """Whether no job is open."""
    under_way = "('queued', 'running')"
    open_jobs = service.rows(f"SELECT count(*) FROM rules_adjudication WHERE state IN {under_way}")
    open_checks = service.rows("SELECT count(*) FROM decks_recheck WHERE finished_at IS NULL")
    open_files = service.rows("SELECT count(*) FROM tournament_fileimport WHERE finished_at IS NULL")
    return [*open_jobs, *open_checks, *open_files] == [(0,)] * 3


def whole(service: Service, *people: People) -> None:
    """Everything that was taken is done, once, and the doctor finds nothing."""
    times = len(people)
    service.manage("doctor")
    disputes = {pk for some in people for pk in some.disputes}
    assert len(disputes) == DISPUTES * times
    answered = dict(service.rows("SELECT dispute_id, state FROM rules_adjudication"))
    assert {answered[pk] for pk in disputes} == {"done"}, "every dispute that was taken is answered"
    finished = service.rows("SELECT count(*) FROM tournament_auditrow WHERE verb = 'adjudication_finish'")
    assert finished == [(len(answered),)], "once"
    matches, reports = PLAYERS // 2 * ROUNDS * times, PLAYERS * ROUNDS * times
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
    assert copies == [(f"copy-{number}", PLAYERS) for number in range(COPIES * times)], "whole, and once"
