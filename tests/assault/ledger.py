"""Clients that write down every answer that took something on, and what the database must hold because of them.

Each asks with a key of its own for each change, and asks again with it until it is answered, as docs/api.md advises.
Nothing of the service's code is used: only its API, and its tables to count in.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.rules.scenarios import SHOTGUN, different
from tests.system.crowd import Crowd, Person
from tests.system.service import Service

PATIENCE = 120.0  # seconds, after which somebody was never answered
INVITED = 3  # how often an invitation works; more people than that follow it at once
FOLLOWERS = 6


@dataclass
class Ledger:
    """What was acknowledged: (kind, name) for every 2xx; and what was answered otherwise than it should."""

    taken: set[tuple[str, str]] = field(default_factory=set)
    asked: Counter[str] = field(default_factory=Counter)
    again: int = 0  # requests that were sent again, as no answer came
    wrong: list[Any] = field(default_factory=list)
    given_up: list[tuple[str, str]] = field(
        default_factory=list
    )  # whose worker was killed as often as one may be
    names: dict[int, list[str]] = field(default_factory=dict)  # account -> what it is called, or may be
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, kind: str, name: str) -> None:
        with self._lock:
            if (kind, name) in self.taken:
                self.wrong.append((kind, name, "acknowledged as two"))
            self.taken.add((kind, name))

    def of(self, kind: str) -> set[str]:
        return {name for its, name in self.taken if its == kind}

    def lost_and_twice(self, service: Service) -> tuple[list[Any], list[Any]]:
        """What was acknowledged and is not there, and what is there more than once."""
        lost: list[Any] = []
        twice: list[Any] = []
        self.given_up = [(kind, name) for kind, name in service.rows(_GIVEN_UP)]
        for kind, query in _HELD.items():
            held = Counter({str(name): count for name, count in service.rows(query)})
            lost += [
                (kind, name) for name in self.of(kind) - held.keys() if (kind, name) not in self.given_up
            ]
            twice += [(kind, name, count) for name, count in held.items() if count > 1]
        called = dict(service.rows("SELECT id, display_name FROM tournament_user"))
        lost += [("name", pk, called[pk], may) for pk, may in self.names.items() if called[pk] not in may]
        return lost, twice


# kind -> what stands in the database: (name, how often)
_HELD = {
    "deck": "SELECT name, count(*) FROM decks_deck WHERE name LIKE 'assault-%' GROUP BY name",
    "dispute": "SELECT title, count(*) FROM rules_dispute WHERE title LIKE 'assault-%' GROUP BY title",
    "answer": "SELECT d.title, count(*) FROM rules_dispute d JOIN rules_adjudication a ON a.dispute_id = d.id"
    " JOIN tournament_auditrow t ON t.target_type = 'rules.adjudication' AND t.target_id = CAST(a.id AS text)"
    " WHERE t.verb = 'adjudication_finish' GROUP BY d.title",
    "event": "SELECT e.slug, count(*) FROM tournament_event e JOIN tournament_auditrow t ON t.event_id = e.id"
    " WHERE t.verb = 'event_create' AND e.slug LIKE 'assault-%' GROUP BY e.slug",
    "copy": "SELECT e.slug, count(*) FROM tournament_event e JOIN tournament_auditrow t ON t.event_id = e.id"
    " WHERE t.verb = 'event_import' GROUP BY e.slug",
    "call": "SELECT words, count(*) FROM tournament_judgecall WHERE words LIKE 'assault-%' GROUP BY words",
    "report": "SELECT CAST(p.match_id AS text) || ' ' || CAST(p.by_id AS text), count(*) FROM tournament_report p"
    " JOIN tournament_match m ON m.id = p.match_id JOIN tournament_round r ON r.id = m.round_id"
    " JOIN tournament_event e ON e.id = r.event_id WHERE e.slug = 'crowd'"
    " GROUP BY 1",
}  # fmt: skip

_GIVEN_UP = (
    "SELECT 'answer', d.title FROM rules_dispute d JOIN rules_adjudication a ON a.dispute_id = d.id"
    " WHERE a.state = 'failed' AND a.runs >= 3 AND a.failure LIKE 'The worker stopped %'"
    " UNION ALL SELECT 'copy', i.slug FROM tournament_fileimport i"
    " WHERE i.state = 'failed' AND i.runs >= 3 AND CAST(i.failure AS text) LIKE '%worker-stopped%'"
)
"""Ended with a message: a job that kills its workers must not do so for ever, and nobody can tell it from one that is
killed so often by chance."""


class Clients:
    """People at work until they are told to stop; whoever is in the middle of something ends it first."""

    def __init__(self, crowd: Crowd, port: int, ledger: Ledger, seed: int) -> None:
        self.crowd, self.port, self.ledger = crowd, port, ledger
        self.stopping = threading.Event()
        players = list(crowd.players.items())
        called = dict(crowd.service.rows("SELECT id, display_name FROM tournament_user"))
        ledger.names = {pk: [called[pk]] for pk, _ in players}
        works: list[Callable[[], None]] = [
            *(self._player(number, pk, one, random.Random(seed + number)) for number, (pk, one) in
              enumerate(players[FOLLOWERS:])),
            self._organizer,
            lambda: self._inviter(dict(players[:FOLLOWERS])),
        ]  # fmt: skip
        self.threads = [threading.Thread(target=self._safely, args=(work,), daemon=True) for work in works]

    def __enter__(self) -> "Clients":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join(PATIENCE + 30)
        self.ledger.wrong += ["somebody was never answered" for one in self.threads if one.is_alive()]

    def _safely(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # as nobody else would be told
            self.ledger.wrong.append(repr(error))

    def ask(self, person: Person, path: str, body: Any, key: str, method: str = "POST") -> tuple[int, Any]:
        """Ask until it is answered; (0, None) when it never was."""
        self.ledger.asked[path.partition("?")[0].rpartition("/")[2]] += 1
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            status, told = person.ask(method, f"/api/v1/{path}", body, **{"Idempotency-Key": key})
            busy = status == 409 and isinstance(told, dict) and told.get("code") in _AGAIN
            if status not in (0, 429, 502, 503) and not busy:
                return status, told
            self.ledger.again += status == 0
            time.sleep(0.2)
        self.ledger.wrong.append((path, key, "never answered"))
        return 0, None

    def take(self, kind: str, name: str, person: Person, path: str, body: Any, method: str = "POST") -> Any:
        status, told = self.ask(person, path, body, f"{kind}-{name}", method)
        if 200 <= status < 300:
            self.ledger.note(kind, name)
            return told
        self.ledger.wrong.append((kind, name, status, told))
        return None

    def _player(self, number: int, pk: int, person: Person, chance: random.Random) -> Callable[[], None]:
        match = self._match_of(pk)

        def play() -> None:
            if match is not None:
                outcome = {"outcome": "win" if match[1] else "loss"}
                self.take("report", f"{match[0]} {pk}", person, f"matches/{match[0]}/reports", outcome)
            turn = 0
            while not self.stopping.is_set():
                turn += 1
                name = f"assault-{number}-{turn}"
                match chance.choice(("deck", "dispute", "event", "name", "call")):
                    case "deck":
                        body = {"name": name, "format": "coc-lcg", "text": f"{1 + turn % 3}x Shotgun Blast"}
                        self.take("deck", name, person, "decks", body)
                    case "dispute":
                        source = different(SHOTGUN, 10_000 * number + turn)
                        told = self.take(
                            "dispute", name, person, "disputes", {"title": name, "source": source}
                        )
                        if told:
                            self.ledger.note("answer", name)  # it will be, once
                    case "event":
                        self.take("event", name, person, "events", {"slug": name, **_EVENT})
                    case "name":
                        self.ledger.names[pk].append(name)
                        body = {"display_name": name, "pronouns": "", "language": ""}
                        status, _told = self.ask(person, "me", body, f"name-{name}", "PUT")
                        if status == 200:
                            self.ledger.names[pk] = [name]
                    case "call" if match is not None and turn % 5 == 0:
                        self._call(name, person, match[0])
                time.sleep(chance.random() / 3)

        return play

    def _match_of(self, pk: int) -> tuple[int, bool] | None:
        for match, first, second in self.crowd.tables(1):
            if pk in (first, second):
                return match, pk == first
        return None

    def _call(self, name: str, person: Person, match: int) -> None:
        """A match has one open call: that there is one already is no fault."""
        body = {"subject": "rules", "words": name}
        status, told = self.ask(person, f"matches/{match}/calls", body, f"call-{name}")
        if 200 <= status < 300:
            self.ledger.note("call", name)
        elif status != 409:
            self.ledger.wrong.append(("call", name, status, told))

    def _organizer(self) -> None:
        """Reads the whole event again as another one, now and then."""
        person, number = Person(self.port, self.crowd.organizer.session), 0
        while not self.stopping.is_set():
            number += 1
            status, told = person.ask("GET", "/api/v1/events/crowd/files/event.json")
            if status == 200:
                name = f"copy-{number}"
                self.take("copy", name, person, f"event-files?slug={name}", told)
            self.stopping.wait(4)

    def _inviter(self, people: dict[int, Person]) -> None:
        """An invitation that works so often, and more people than that who follow it at once."""
        person, number = Person(self.port, self.crowd.organizer.session), 0
        while not self.stopping.is_set():
            number += 1
            slug = f"assault-join-{number}"
            if self.take("event", slug, person, "events", {"slug": slug, **_EVENT}) is None:
                continue
            status, told = self.ask(
                person, f"events/{slug}/invites", {"role": "judge", "uses": INVITED}, f"invite-{number}"
            )
            if status != 201:  # a secret is told once: where the answer was lost, the next invitation
                continue
            taken = self._follow(people, told["secret"], number)
            if taken != INVITED:
                self.ledger.wrong.append(("invite", slug, taken))
            self.stopping.wait(1)

    def _follow(self, people: dict[int, Person], secret: str, number: int) -> int:
        together, got = threading.Barrier(len(people)), []

        def one(person: Person) -> None:
            together.wait()
            got.append(self.ask(person, "join", {"secret": secret}, f"join-{number}")[0])

        threads = [threading.Thread(target=one, args=(person,)) for person in people.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.ledger.wrong += [("join", number, status) for status in got if status not in (201, 404, 409)]
        return got.count(201)


_AGAIN = ("still-running", "changed-meanwhile", "twice")
_EVENT = {
    "name": "Assault", "starts_on": "2026-11-21", "format": "coc-lcg", "format_on": "2013-10-01",
    "policy_key": "coc-lcg",
}  # fmt: skip
