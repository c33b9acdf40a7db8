"""Costly requests take turns: one at a time for each address without a login, a few for all, the rest later."""

import asyncio
import multiprocessing
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast
from wsgiref.types import StartResponse, WSGIEnvironment

import pytest

from config import costly
from config.clients import PERSON
from config.clients import Asker as Who
from config.edge import Edge
from tests.config.test_edge import Asker, length, run
from tests.loops import run_async


class Slow:
    """Pages of which the costly ones take as long as `released` says."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self.running = self.most = 0
        self.people: dict[str, int] = {}  # who is logged in by which session
        self.lock = threading.Lock()

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] != "/events/":
            with self.lock:
                self.running += 1
                self.most = max(self.most, self.running)
            self.released.wait(10)
            with self.lock:
                self.running -= 1
        session = environ.get("HTTP_COOKIE", "").rpartition("sessionid=")[2]
        if session in self.people:
            environ[PERSON] = self.people[session]
        start("200 OK", [])
        return _Closing([b"done"])


class _Closing(list[bytes]):
    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def own_turns(settings: Any, tmp_path: Path) -> Iterator[None]:
    settings.VAR_DIR, settings.COSTLY_WAIT_SECONDS, settings.WEB_THREADS = tmp_path, 0.3, 8
    yield


def asking(path: str = "/decks/check", address: str = "192.0.2.7", **headers: str) -> Asker:
    asker = Asker([(0, b"x")], path, headers={**length(1), **headers})
    asker.scope["client"] = (address, 1)
    return asker


def answered(edge: Edge, *askers: Asker, after: float = 1.0) -> list[int]:
    """The statuses, the costly pages being held for so many seconds."""
    timer = threading.Timer(after, cast(Slow, edge.pages).released.set)
    timer.start()
    run(edge, *askers)
    timer.cancel()
    return sorted(one.status for one in askers)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/decks/check",
            "/api/v1/adjudicate",
            "/api/v1/play",
            "/api/v1/validate",
            "/api/v1/validate/over-time",
        ),
        *("/events/read", "/api/v1/event-files"),
    ],
)
def test_an_address_has_one_at_a_time(path: str) -> None:
    pages = Slow()
    askers = [asking(path) for _ in range(5)]
    assert answered(Edge(pages), *askers) == [200, 429, 429, 429, 429]
    assert pages.most == 1
    refused = next(one for one in askers if one.status == 429)
    assert dict(refused.told[0]["headers"])[b"retry-after"] == b"5"
    assert b"Wait 5 seconds" in refused.content


def test_who_waits_a_little_gets_a_turn() -> None:
    assert answered(Edge(Slow()), *(asking() for _ in range(5)), after=0) == [200] * 5


def test_all_addresses_together_have_a_few(settings: Any) -> None:
    settings.COSTLY_AT_ONCE = 2
    pages = Slow()
    assert answered(Edge(pages), *(asking(address=f"192.0.2.{n}") for n in range(6))) == [
        200,
        200,
        429,
        429,
        429,
        429,
    ]
    assert pages.most == 2


def test_other_pages_do_not_wait_for_them(settings: Any) -> None:
    pages = Slow()
    other = asking("/events/")
    other.scope["method"] = "GET"
    assert answered(Edge(pages), asking(), asking(), other) == [200, 200, 429]
    assert other.status == 200


def test_people_who_are_logged_in_do_not_share_the_turn_of_their_hall() -> None:
    pages = Slow()
    edge = Edge(pages)
    pages.people = {"ann": 1, "bo": 2}
    looks = [asking("/events/", cookie=f"a=1; sessionid={one}") for one in pages.people]
    run(edge, *looks)
    askers = [asking(cookie=f"sessionid={one}") for one in ("ann", "bo", "bo")]
    assert answered(edge, *askers) == [200, 200, 429]


@pytest.mark.parametrize("shown", ["cookie", "authorization"])
def test_who_makes_a_login_up_has_the_turn_of_their_address(shown: str) -> None:
    pages = Slow()
    askers = [asking(**{shown: f"sessionid={one}"}) for one in range(5)]
    assert answered(Edge(pages), *askers) == [200, 429, 429, 429, 429]
    assert pages.most == 1


def test_what_is_only_looked_at_needs_no_turn() -> None:
    pages = Slow()
    looks = [asking() for _ in range(3)]
    for one in looks:
        one.scope["method"] = "GET"
    assert answered(Edge(pages), *looks) == [200, 200, 200]


def test_the_limit_can_be_switched_off(settings: Any) -> None:
    settings.COSTLY_AT_ONCE = 0
    assert answered(Edge(Slow()), *(asking() for _ in range(5))) == [200] * 5


def _hold(path: Path, holding: Any, let_go: Any) -> None:
    """Another web process with a costly request of the same address in progress."""

    async def main() -> None:
        async with costly.Turns(path).turn(ENVIRON, Who("192.0.2.7", "")):
            holding.set()
            await asyncio.to_thread(let_go.wait, 20)

    asyncio.run(main())


ENVIRON = {"REQUEST_METHOD": "POST", "PATH_INFO": "/decks/check", "REMOTE_ADDR": "192.0.2.7"}


def test_turns_hold_across_processes_and_end_with_them(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("fork")
    holding, let_go = spawn.Event(), spawn.Event()
    other = spawn.Process(target=_hold, args=(tmp_path / "turns", holding, let_go))
    other.start()
    assert holding.wait(20)

    async def ask() -> None:
        async with costly.Turns(tmp_path / "turns").turn(ENVIRON, Who("192.0.2.7", "")):
            pass

    with pytest.raises(costly.Busy):
        run_async(ask())
    other.kill()
    other.join()
    run_async(ask())
