"""The service's edge: bodies are whole before a worker thread starts, and their limits hold."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

import pytest

from config.edge import Edge
from tests.loops import run_async

Part = tuple[float, bytes]  # so many seconds later, these bytes


class Pages:
    """A WSGI application that says what it was given."""

    def __init__(self) -> None:
        self.asked: list[WSGIEnvironment] = []
        self.bodies: list[bytes] = []

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        self.asked.append(environ)
        self.bodies.append(environ["wsgi.input"].read())
        start("200 OK", [("Content-Type", "text/plain"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")])
        return _Closing([b"x" * environ.get("answer", 3)])


class _Closing(list[bytes]):
    def close(self) -> None:
        pass


class Asker:
    """One request: what it sends, and what it was told."""

    def __init__(
        self,
        parts: Iterable[Part],
        path: str = "/login",
        *,
        method: str = "POST",
        end: bool = True,
        headers: dict[str, str],
    ) -> None:
        self.parts, self.end = list(parts), end
        self.scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "http_version": "1.1",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("192.0.2.7", 1234),
            "server": ("127.0.0.1", 8000),
        }
        self.told: list[Any] = []

    async def receive(self) -> dict[str, Any]:
        if not self.parts:
            if not self.end:
                await asyncio.sleep(3600)
            return {"type": "http.disconnect"}
        later, chunk = self.parts.pop(0)
        await asyncio.sleep(later)
        return {"type": "http.request", "body": chunk, "more_body": bool(self.parts) or not self.end}

    async def send(self, message: Any) -> None:
        self.told.append(message)

    async def ask(self, edge: Edge) -> "Asker":
        await edge(self.scope, self.receive, self.send)
        return self

    @property
    def status(self) -> int:
        return int(self.told[0]["status"])

    @property
    def content(self) -> bytes:
        return b"".join(part["body"] for part in self.told[1:])


def length(size: int) -> dict[str, str]:
    return {"content-length": str(size)}


def run(edge: Edge, *askers: Asker) -> None:
    async def all_at_once() -> None:
        await asyncio.gather(*(asker.ask(edge) for asker in askers))

    run_async(asyncio.wait_for(all_at_once(), 30))


def test_a_body_in_parts_is_whole_for_the_page() -> None:
    pages = Pages()
    asker = Asker([(0, b"one "), (0.01, b"two "), (0.01, b"three")], headers=length(13))
    run(Edge(pages), asker)
    assert (asker.status, pages.bodies) == (200, [b"one two three"])
    assert [value for name, value in asker.told[0]["headers"] if name == b"set-cookie"] == [b"a=1", b"b=2"]


def test_a_body_in_chunks_gets_its_length(settings: Any) -> None:
    pages = Pages()
    run(Edge(pages), Asker([(0, b"x" * 50_000), (0, b"y")], headers={"transfer-encoding": "chunked"}))
    assert pages.asked[0]["CONTENT_LENGTH"] == "50001"
    assert pages.bodies[0][-2:] == b"xy"


def test_bodies_that_stall_hold_no_thread(settings: Any) -> None:
    """As many as there are threads, ten times over; the request after them is answered before any of them ends."""
    settings.WEB_THREADS, settings.BODY_SECONDS = 1, 1.0
    pages = Pages()
    stalled = [Asker([(0, b"x")], end=False, headers=length(1000)) for _ in range(10)]
    prompt = Asker([(0.1, b"hello")], headers=length(5))
    run(Edge(pages), *stalled, prompt)
    assert prompt.status == 200
    assert pages.bodies == [b"hello"]
    assert {one.status for one in stalled} == {408}


def test_a_body_of_which_nothing_comes_ends(settings: Any) -> None:
    settings.BODY_SECONDS = 0.1
    asker = Asker([], end=False, headers=length(1000))
    run(Edge(Pages()), asker)
    assert asker.status == 408


def test_a_body_that_drips_ends_though_each_drop_is_in_time(settings: Any) -> None:
    settings.BODY_SECONDS = 0.3
    asker = Asker([(0.1, b"x")] * 100, headers=length(1000))
    run(Edge(Pages()), asker)
    assert asker.status == 408
    assert asker.parts, "the rest was not waited for"


def test_a_large_body_gets_the_time_it_needs(settings: Any) -> None:
    settings.BODY_SECONDS, settings.BODY_BYTES_A_SECOND = 0.3, 100_000
    asker = Asker([(0.1, b"x" * 50_000)] * 10, headers=length(500_000))
    run(Edge(Pages()), asker)
    assert asker.status == 200


def test_the_slowest_gives_way_when_all_bodies_are_too_much(settings: Any) -> None:
    settings.BODIES_MAX_BYTES = 500_000
    pages = Pages()
    edge = Edge(pages)
    slow = [Asker([(0, b"x" * 100_000)], end=False, headers=length(1_000_000)) for _ in range(5)]
    prompt = Asker([(0.5, b"y" * 200_000), (0, b"y" * 150_000)], headers=length(350_000))

    async def main() -> None:
        waiting = [asyncio.create_task(asker.ask(edge)) for asker in slow]
        await prompt.ask(edge)
        assert edge.bodies.size <= settings.BODIES_MAX_BYTES
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    run_async(asyncio.wait_for(main(), 30))
    assert prompt.status == 200
    assert sum(bool(one.told) and one.status == 408 for one in slow) >= 3
    assert edge.bodies.size == 0 and not edge.bodies.held


def test_a_body_that_says_it_is_too_large_is_not_read() -> None:
    pages = Pages()
    asker = Asker([(0, b"x")], end=False, headers=length(10**12))
    run(Edge(pages), asker)
    assert asker.status == 413 and b"larger than" in asker.content
    assert not pages.asked, "it takes no thread"
    assert asker.parts


def test_chunks_without_end_are_read_to_the_limit(settings: Any) -> None:
    settings.REQUEST_MAX_BYTES = 100_000
    pages = Pages()
    asker = Asker([(0, b"x" * 60_000)] * 50, headers={"transfer-encoding": "chunked"})
    run(Edge(pages), asker)
    assert asker.status == 413 and not pages.asked
    assert len(asker.parts) == 48


def test_who_breaks_off_changes_nothing_and_who_sends_broken_chunks_is_told() -> None:
    """The web server tells the two apart no more than we do; it is no fault of ours."""
    pages = Pages()
    asker = Asker([], headers=length(10))
    run(Edge(pages), asker)
    assert not pages.asked
    assert asker.status == 400 and b"arrive whole" in asker.content


@pytest.mark.parametrize(("path", "kind"), [("/api/v1/events", "application/json"), ("/login", "text/plain")])
def test_a_refusal_says_what_to_do(path: str, kind: str, settings: Any) -> None:
    settings.BODY_SECONDS = 0.05
    asker = Asker([(0, b"x")], path, end=False, headers=length(10))
    run(Edge(Pages()), asker)
    headers = dict(asker.told[0]["headers"])
    assert headers[b"content-type"].decode().startswith(kind)
    assert headers[b"connection"] == b"close"
    assert b"took too long" in asker.content
    if kind == "application/json":
        assert json.loads(asker.content)["code"] == "too-slow"


def test_a_refusal_speaks_the_language_that_was_asked_for(settings: Any) -> None:
    settings.BODY_SECONDS = 0.05
    asked = {**length(10), "accept-language": "ko-KR, en;q=0.8"}
    asker = Asker([(0, b"x")], end=False, headers=asked)
    run(Edge(Pages()), asker)
    assert "다시" in asker.content.decode()


def test_a_full_disk_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**options: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    asker = Asker([(0, b"x" * 100_000)], "/api/v1/events", headers=length(100_000))
    run(Edge(Pages()), asker)
    assert (asker.status, json.loads(asker.content)["code"]) == (503, "storage-full")


def test_a_static_file_takes_no_thread(settings: Any, tmp_path: Path) -> None:
    """Somebody asks for hundreds of them, reads none, and all threads are taken besides."""
    (tmp_path / "a.css").write_bytes(b"p {}" * 50_000)
    settings.STATIC_ROOT, settings.WEB_THREADS = str(tmp_path), 1
    going_on = threading.Event()

    class Slow(Pages):
        def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
            assert going_on.wait(30)
            return super().__call__(environ, start)

    edge, pages = Edge(Slow()), [Asker([], method="GET", headers={}) for _ in range(3)]
    files = [Asker([], "/static/a.css", method="GET", headers={}) for _ in range(300)]
    unread = Asker([], "/static/a.css", method="GET", headers={})

    async def read_none(message: Any) -> None:
        await asyncio.sleep(3600)

    unread.send = read_none  # type: ignore[method-assign]

    async def main() -> None:
        waiting = [asyncio.create_task(one.ask(edge)) for one in (*pages, unread)]
        await asyncio.gather(*(one.ask(edge) for one in files))
        assert not any(one.told for one in pages)
        going_on.set()
        await asyncio.gather(*waiting[:3])
        waiting[3].cancel()

    run_async(asyncio.wait_for(main(), 30))
    assert {(one.status, len(one.content)) for one in files} == {(200, 200_000)}
    headers = dict(files[0].told[0]["headers"])
    assert (
        headers[b"content-type"].startswith(b"text/css") and headers[b"x-content-type-options"] == b"nosniff"
    )
    assert b"default-src 'self'" in headers[b"content-security-policy"]
    tag = headers[b"etag"].decode()
    known, head, changed, missing = (
        Asker([], "/static/a.css", method="GET", headers={"if-none-match": tag}),
        Asker([], "/static/a.css", method="HEAD", headers={}),
        Asker([], "/static/a.css", headers={}),
        Asker([], "/static/../edge.py", method="GET", headers={}),
    )
    run(edge, known, head, changed, missing)
    assert [(one.status, one.content) for one in (known, head)] == [(304, b""), (200, b"")]
    assert (changed.content, missing.content) == (b"xxx", b"xxx"), "the pages answer"
    (tmp_path / "a.css").unlink()
    gone = Asker([], "/static/a.css", method="GET", headers={})
    run(edge, gone)
    assert gone.content == b"xxx"


def test_a_header_cannot_pass_for_another() -> None:
    """“X_Forwarded_For” is not what a proxy set, though WSGI would spell both alike."""
    pages = Pages()
    run(Edge(pages), Asker([], headers={"x_forwarded_for": "198.51.100.1", "x-forwarded-for": "203.0.113.9"}))
    assert pages.asked[0]["HTTP_X_FORWARDED_FOR"] == "203.0.113.9"


def test_a_long_response_that_nobody_reads_is_given_up(settings: Any) -> None:
    settings.RESPONSE_SECONDS = 0.1
    threads = threading.active_count()
    asker = Asker([], headers={})

    class Long(Pages):
        def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
            return super().__call__({**environ, "answer": 1_000_000}, start)

    taken: list[int] = []
    send: Callable[[Any], Awaitable[None]] = asker.send

    async def reads_a_little(message: Any) -> None:
        if taken and sum(taken) > 100_000:
            await asyncio.sleep(3600)
        taken.append(len(message.get("body", b"")))
        await send(message)

    asker.send = reads_a_little  # type: ignore[method-assign]
    run(Edge(Long()), asker)
    assert 100_000 < len(asker.content) < 1_000_000
    assert asker.told[-1]["more_body"], "it was not ended as if it were whole"
    assert threading.active_count() <= threads + 1
