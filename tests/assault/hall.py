"""A hall that goes dark: phones that report as outbox.js does, while their network or the server is cut.

Each phone renews My match, reports once a round at a moment of its own, keeps what it wrote until it is answered, and
sends it again with the same key. In each round the network, or the server, goes away at a random moment.
"""

import http.client
import json
import random
import re
import socket
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlencode

from tests.system.crowd import TOKEN, Crowd, gather, web
from tests.system.service import Service, eventually, free_port

PAGE = "/events/crowd/match"
THINKS = 4  # looks until the last player taps
TABLE = re.compile(r'<span class="n">(\d+)</span>')
NAMED = re.compile(r'<input type="hidden" name="(match|known|by)" value="(\d+)">')


class Network:
    """The hall's network: what goes to `port` reaches the server, until it is cut; then every connection breaks."""

    def __init__(self, server: int) -> None:
        self.server, self.dark = server, threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = int(self.listener.getsockname()[1])
        self.lines: set[socket.socket] = set()
        self.lock = threading.Lock()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                phone, _address = self.listener.accept()
            except OSError:
                return
            try:
                if self.dark.is_set():
                    raise OSError
                server = socket.create_connection(("127.0.0.1", self.server), timeout=5)
                server.settimeout(None)
            except OSError:
                phone.close()
                continue
            with self.lock:
                self.lines |= {phone, server}
            for one, other in ((phone, server), (server, phone)):
                threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        with self.lock:
            self.lines -= {one, other}

    def cut(self) -> None:
        self.dark.set()
        with self.lock:
            for line in list(self.lines):
                with suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)

    def back(self) -> None:
        self.dark.clear()

    def close(self) -> None:
        self.cut()
        self.listener.close()


@dataclass
class Phone:
    """One player's: what it shows, and what waits on it. `heard`: the keys of reports that the server answered."""

    number: int  # the player's, in the database
    session: str
    port: int
    chance: random.Random
    outcome: Callable[[str], str]  # match -> what to report
    table: str = ""
    tag: str = ""  # of the part that it shows
    fields: dict[str, str] = field(default_factory=dict)
    waiting: list[dict[str, str]] = field(default_factory=list)
    heard: list[dict[str, str]] = field(default_factory=list)
    refused: list[Any] = field(default_factory=list)
    reported: set[str] = field(default_factory=set)
    later: dict[str, float] = field(default_factory=dict)  # match -> when its player taps

    def live(self, pause: float, thinks: float, over: threading.Event) -> None:
        """Until the event is over: renew the page, tap once for each match, send what waits."""
        while not over.is_set():
            self.look()
            match = self.fields.get("match", "")
            if match and match not in self.reported:
                at = self.later.setdefault(match, time.monotonic() + self.chance.uniform(0, thinks))
                if time.monotonic() >= at:
                    self.reported.add(match)
                    self.waiting.append(
                        {**self.fields, "outcome": self.outcome(match), "key": uuid.uuid4().hex}
                    )
            self.send()
            over.wait(self.chance.uniform(0.5, 1.5) * pause)

    def look(self) -> None:
        """As the page renews its live part, every two and a half seconds."""
        known = {"If-None-Match": self.tag} if self.tag else {}
        status, text = self.ask("GET", **{"HX-Request": "true", "HX-Target": "live", **known})
        if status == 200:
            found = TABLE.search(text)
            self.table = found[1] if found else ""
            self.fields = dict(NAMED.findall(text)) if found else {}

    def send(self) -> None:
        for one in list(self.waiting):
            key, fields = one["key"], {name: value for name, value in one.items() if name != "key"}
            headers = {"Idempotency-Key": key, "Content-Type": "application/x-www-form-urlencoded"}
            status, text = self.ask("POST", urlencode(fields), **headers)
            told = json.loads(text) if status and text.startswith("{") else {}
            if status == 200 and "known" in told:
                self.heard.append(one)
            elif status not in (0, 429) and status < 500 and told.get("code") != "still-running":
                self.refused.append((status, told or text[:200]))
            else:
                return
            self.waiting.remove(one)

    def ask(self, method: str, body: str = "", **more: str) -> tuple[int, str]:
        """(status, text); status 0 where nothing answered."""
        headers = {"Cookie": f"sessionid={self.session}; csrftoken={TOKEN}", "X-CSRFToken": TOKEN, **more}
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            line.request(method, PAGE, body or None, headers)
            answer = line.getresponse()
            text = answer.read().decode()
            self.tag = answer.headers.get("ETag", self.tag)
            return answer.status, text
        except (OSError, http.client.HTTPException):
            return 0, ""
        finally:
            line.close()


@dataclass
class Told:
    """What came of it; `back`: the most seconds until every phone showed its table, after the cut or publication."""

    reports: int = 0
    back: float = 0.0


def play(
    service: Service,
    *,
    phones: int,
    rounds: int,
    dark: tuple[float, float],
    pause: float,
    seed: int,
    bound: float,
) -> Told:
    """Play the rounds; raises AssertionError when a report is lost or stands twice, or a table is not seen in time.

    dark: the shortest and the longest cut in seconds; pause: between two looks of a phone; bound: seconds after the
    return within which everybody sees the right table.
    """
    chance, port = random.Random(seed), free_port()
    crowd = gather(service, port, players=phones)
    commands = web(port, workers=2 if "DATABASE_URL" in service.environment else 1)
    told = Told()
    with _hall(service, commands, port, crowd, chance, pause, dark) as (people, darken):
        for number in range(1, rounds + 1):
            darken(number)
            _insist(crowd, "events/crowd/rounds", {"number": number})
            published, tables = time.monotonic(), _tables(service, number)

            def seen(tables: dict[int, str] = tables) -> bool:
                return all(one.table == tables.get(one.number, "") for one in people)

            darken.wait()
            began = max(published, darken.ended)
            assert eventually(seen, seconds=bound), (
                f"round {number}: {sum(one.table != tables.get(one.number, '') for one in people)} do not see"
                f" their table {bound} s after the return\n{service.logs()}"
            )
            told.back = max(told.back, time.monotonic() - began)
            told.reports += len(tables)
            assert eventually(partial(_all_heard, people, told.reports), seconds=120), (
                [one.refused for one in people if one.refused],
                service.logs(),
            )
            assert not any(one.refused for one in people), [one.refused for one in people if one.refused]
            _whole(service, number, people)
            _insist(crowd, f"events/crowd/rounds/{number}/finish", None)
    service.manage("doctor")
    return told


def _all_heard(people: list[Phone], reports: int) -> bool:
    return sum(len(one.heard) for one in people) == reports


class Darkness:
    """Goes away once a round, at a random moment, for a random while: the network, or the server, in turns."""

    def __init__(
        self, network: Network, server: Any, chance: random.Random, dark: tuple[float, float], within: float
    ) -> None:
        self.network, self.server, self.chance, self.dark = network, server, chance, dark
        self.within = within  # seconds from before the round's publication to the latest beginning
        self.ended = 0.0
        self.thread: threading.Thread | None = None

    def __call__(self, number: int) -> None:
        before, seconds = self.chance.uniform(0, self.within), self.chance.uniform(*self.dark)
        work = self._network if number % 2 else self._server
        self.thread = threading.Thread(target=work, args=(before, seconds), daemon=True)
        self.thread.start()

    def wait(self) -> None:
        assert self.thread is not None
        self.thread.join()

    def _network(self, before: float, seconds: float) -> None:
        time.sleep(before)
        self.network.cut()
        time.sleep(seconds)
        self.network.back()
        self.ended = time.monotonic()

    def _server(self, before: float, seconds: float) -> None:
        time.sleep(before)
        self.server.kill()
        time.sleep(seconds)
        self.server.begin()
        self.ended = time.monotonic()


class _Server:
    def __init__(self, service: Service, command: list[str], port: int) -> None:
        self.service, self.command, self.port = service, command, port
        self.begin()

    def begin(self) -> None:
        self.process = self.service.start(self.command)
        assert eventually(lambda: _answers(self.port), seconds=60), self.service.logs()

    def kill(self) -> None:
        self.service.kill(self.process)


@contextmanager
def _hall(
    service: Service,
    command: list[str],
    port: int,
    crowd: Crowd,
    chance: random.Random,
    pause: float,
    dark: tuple[float, float],
) -> Iterator[tuple[list[Phone], Darkness]]:
    server, network, over = _Server(service, command, port), Network(port), threading.Event()
    sides: dict[str, int] = {}  # match -> the player who won it, whoever looks first

    def outcome(number: int) -> Callable[[str], str]:
        return lambda match: "win" if sides.setdefault(match, number) == number else "loss"

    phones = [
        Phone(number, person.session, network.port, random.Random(chance.random()), outcome(number))
        for number, person in crowd.players.items()
    ]
    threads = [
        threading.Thread(target=one.live, args=(pause, THINKS * pause, over), daemon=True) for one in phones
    ]
    for thread in threads:
        thread.start()
    try:
        yield phones, Darkness(network, server, chance, dark, within=THINKS * pause)
    finally:
        over.set()
        for thread in threads:
            thread.join(timeout=40)
        network.close()


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def _insist(crowd: Crowd, path: str, body: Any) -> None:
    """As an organizer who presses again; what was done the time before is done."""
    key = uuid.uuid4().hex
    for _ in range(2000):
        status, told = crowd.organizer.ask("POST", f"/api/v1/{path}", body, **{"Idempotency-Key": key})
        if status in (200, 201, 202):
            return
        assert status in (0, 503) or (isinstance(told, dict) and told["code"] == "still-running"), (
            path,
            status,
            told,
        )
        time.sleep(0.1)
    raise AssertionError(f"{path} was never answered")


_ROUND = (
    " JOIN tournament_round r ON r.id = m.round_id"
    " WHERE r.event_id = (SELECT id FROM tournament_event WHERE slug = 'crowd') AND r.number = {}"
)


def _tables(service: Service, number: int) -> dict[int, str]:
    """Player -> the table that they must see; who has a bye sees none."""
    rows = service.rows(
        'SELECT g.user_id, m."table" FROM tournament_seat s JOIN tournament_registration g ON g.id = s.registration_id'
        " JOIN tournament_match m ON m.id = s.match_id" + _ROUND.format(number)
    )
    return {user: str(table) for user, table in rows if table is not None}


def _whole(service: Service, number: int, people: list[Phone]) -> None:
    """The round's reports are those that phones heard were taken: each there once, as its player tapped it."""
    rows = service.rows(
        "SELECT p.match_id, p.by_id, s.side, p.outcome FROM tournament_report p"
        " JOIN tournament_seat s ON s.id = p.seat_id JOIN tournament_match m ON m.id = p.match_id"
        + _ROUND.format(number)
    )
    turned = {"win": "loss", "loss": "win"}  # a report is kept as side 1 sees it
    stand = Counter(
        (match, by, outcome if side == 1 else turned[outcome]) for match, by, side, outcome in rows
    )
    played = {match for match, *_ in rows}
    heard = {(int(one["match"]), int(one["by"]), one["outcome"]) for phone in people for one in phone.heard}
    assert stand == Counter(one for one in heard if one[0] in played), (stand, heard)
