"""Who has many requests waiting does not stand before others; and passwords leave threads for pages."""

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

import pytest

from config.clients import PERSON
from config.edge import Edge
from tests.config.test_costly import _Closing
from tests.config.test_edge import Asker, length, run


class Pages:
    """Each takes a moment; the order in which they were begun. A session named is that of person 1."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, str]] = []
        self.lock = threading.Lock()
        self.passwords = self.most_passwords = 0

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        checks = environ["PATH_INFO"] == "/login"
        with self.lock:
            self.begun.append((environ["REMOTE_ADDR"], environ.get("HTTP_COOKIE", "")))
            self.passwords += checks
            self.most_passwords = max(self.most_passwords, self.passwords)
        threading.Event().wait(0.02)
        with self.lock:
            self.passwords -= checks
        if environ.get("HTTP_COOKIE") == "sessionid=ann":
            environ[PERSON] = 1
        start("200 OK", [])
        return _Closing([b"done"])


@pytest.fixture(autouse=True)
def one_thread(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR, settings.WEB_THREADS = tmp_path, 1


def asking(address: str = "192.0.2.7", path: str = "/events/", **headers: str) -> Asker:
    asker = Asker([(0, b"x")], path, headers={**length(1), **headers})
    asker.scope["client"] = (address, 1)
    return asker


def test_a_guest_with_fifty_requests_waiting_holds_up_no_other_address() -> None:
    pages = Pages()
    run(Edge(pages), *(asking() for _ in range(50)), asking("198.51.100.1"))
    assert len(pages.begun) == 51
    assert ("198.51.100.1", "") in pages.begun[:3]


def test_nor_who_is_logged_in_at_the_same_address_whatever_logins_it_makes_up() -> None:
    pages = Pages()
    edge = Edge(pages)
    run(edge, asking(cookie="sessionid=ann"))
    run(edge, *(asking(cookie=f"sessionid={n}") for n in range(50)), asking(cookie="sessionid=ann"))
    assert len(pages.begun) == 52
    assert ("192.0.2.7", "sessionid=ann") in pages.begun[1:4]


def test_passwords_leave_half_of_the_threads_to_pages(settings: Any) -> None:
    settings.WEB_THREADS = 4
    pages = Pages()
    askers = [asking(f"192.0.2.{n}", "/login") for n in range(20)]
    run(Edge(pages), *askers, *(asking() for _ in range(4)))
    assert pages.most_passwords == 2
    assert {one.status for one in askers} == {200}
