"""What a phone at a venue loads: bytes on the wire between the real server and a real browser, headers included."""

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.system.service import Service, eventually, free_port

pytestmark = [pytest.mark.system, pytest.mark.browser]

FIRST, AFTERWARDS, POLL = 60_000, 5_000, 1_000  # bytes
MATCH = "/events/demo-open/match"


class Wire:
    """Counts what a page's browser receives, by address."""

    def __init__(self, page: Any) -> None:
        self.got: dict[str, int] = {}
        self.statuses: dict[str, list[int]] = {}
        addresses: dict[str, str] = {}
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")

        def answered(event: Any) -> None:
            addresses[event["requestId"]] = event["response"]["url"].split("/", 3)[3]
            self.statuses.setdefault(addresses[event["requestId"]], []).append(event["response"]["status"])

        def finished(event: Any) -> None:
            address = addresses.get(event["requestId"], "")
            self.got[address] = self.got.get(address, 0) + int(event["encodedDataLength"])

        session.on("Network.responseReceived", answered)
        session.on("Network.loadingFinished", finished)

    def take(self) -> dict[str, int]:
        """What came since the last time."""
        got, self.got, self.statuses = self.got, {}, {}
        return got


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The embedded service with its demo, in which Ann and Bo sit at a table."""
    folder = tmp_path_factory.mktemp("light")
    service, port = Service(folder), free_port()
    try:
        service.start(f"python manage.py up --port {port}")
        log = Path(folder) / "process-0.log"
        assert eventually(lambda: "Headjudge is at" in log.read_text(), seconds=120), service.logs()
        yield f"http://127.0.0.1:{port}"
    finally:
        service.processes[0].terminate()
        service.processes[0].wait()
        service.close()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def page(chromium: Any, address: str) -> Iterator[Any]:
    """A phone that Ann has logged in on, and that has loaded nothing yet."""
    login = chromium.new_context(base_url=address)
    form = login.new_page()
    form.goto("/login")
    form.fill("#id_username", "ann")
    form.fill("#id_password", "headjudge")
    form.click("main form button.primary")
    form.wait_for_url("**/")
    context = chromium.new_context(base_url=address, storage_state=login.storage_state())
    login.close()
    yield context.new_page()
    context.close()


def test_my_match_is_light_the_first_time_and_lighter_afterwards(page: Any) -> None:
    wire = Wire(page)
    page.goto(MATCH, wait_until="networkidle")
    first = wire.take()
    assert page.locator(".table-no .n").inner_text() == "1"
    assert {name.rpartition(".")[2] for name in first} >= {"css", "js"}, first
    assert sum(first.values()) < FIRST, first
    page.goto(MATCH, wait_until="networkidle")
    again = wire.take()
    assert any(name.endswith("match") for name in again), again
    assert sum(again.values()) < AFTERWARDS, again


def test_a_poll_to_which_nothing_happened_is_next_to_nothing(page: Any) -> None:
    wire = Wire(page)
    page.goto(MATCH, wait_until="networkidle")
    wire.take()
    with page.expect_response(lambda answer: answer.status == 304 and answer.url.endswith("match")) as told:
        pass  # the page asks by itself
    with page.expect_response(lambda answer: answer.status == 304 and answer.url.endswith("match")):
        statuses = wire.statuses
    assert set(statuses) == {MATCH.removeprefix("/")}  # nothing else is asked for
    answer = received(told.value.request)
    assert answer.startswith(b"HTTP/1.1 304 ") and answer.endswith(b"\r\n\r\n")
    assert len(answer) < POLL, answer


def received(request: Any) -> bytes:
    """Every byte of the answer when the page's request is sent once more: of a 304 the browser counts none."""
    address = urlsplit(request.url)
    headers = {**request.all_headers(), "connection": "close"}
    lines = [f"GET {address.path} HTTP/1.1", f"host: {address.netloc}"]
    lines += [f"{name}: {value}" for name, value in headers.items() if name != "host"]
    with socket.create_connection((address.hostname, address.port), timeout=30) as wire:
        wire.sendall("\r\n".join([*lines, "", ""]).encode())
        return b"".join(iter(lambda: wire.recv(65536), b""))


def test_files_are_kept_for_good_and_have_the_name_of_what_they_hold(page: Any) -> None:
    """A new edition of a file has another name, so the browser need never ask whether its own is still good."""
    answers: list[Any] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(MATCH, wait_until="networkidle")
    files = [one for one in answers if "/static/" in one.url]
    assert len(files) >= 3
    for one in files:
        assert "immutable" in one.headers["cache-control"], one.url
        assert one.headers.get("content-encoding") in ("gzip", "br") or "svg" in one.url, one.url
