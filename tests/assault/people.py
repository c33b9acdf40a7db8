"""People who mean no harm, and how long each of them waits."""

import asyncio
import random
import statistics
import time
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Waits:
    """What happened to the requests of innocent people; `seconds` of every one, late and failed ones too."""

    seconds: list[float] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Waits") -> None:
        self.seconds += other.seconds
        self.answers += other.answers

    def part(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("inf")

    def __str__(self) -> str:
        if not self.seconds:
            return "nobody was answered"
        return (
            f"{len(self.seconds)} requests, p50 {statistics.median(self.seconds) * 1000:.1f} ms,"
            f" p95 {self.part(0.95) * 1000:.1f} ms, p99 {self.part(0.99) * 1000:.1f} ms,"
            f" worst {max(self.seconds) * 1000:.0f} ms, {dict(self.answers)}"
        )


@asynccontextmanager
async def meanwhile(doings: Iterable[Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
    """All of them are done side by side while inside, and stopped at the end."""
    tasks = [asyncio.create_task(one) for one in doings]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


PAGES = ["/events/", "/static/app.css", "/healthz", "/login", "POST /login"]
PATIENCE = 10.0  # seconds, after which somebody gives up


async def visit(port: int, seconds: float, *, people: int = 10, pages: list[str] | None = None) -> Waits:
    """`people` look at pages for so many seconds, with 50 to 150 ms between; half of them keep their connection."""
    waits = Waits()
    until = time.monotonic() + seconds
    await asyncio.gather(*(_person(port, n, until, pages or PAGES, waits) for n in range(people)))
    return waits


async def _person(port: int, number: int, until: float, pages: list[str], waits: Waits) -> None:
    chance = random.Random(number)
    kept: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    turn = number
    while time.monotonic() < until:
        await asyncio.sleep(0.05 + chance.random() / 10)
        started = time.perf_counter()
        try:
            async with asyncio.timeout(PATIENCE):
                reader, writer = kept or await asyncio.open_connection("127.0.0.1", port)
                kept = None
                status = await _ask(reader, writer, pages[turn % len(pages)])
            waits.answers[str(status)] += 1
            if number % 2:
                kept = reader, writer
            else:
                writer.close()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, ValueError) as error:
            waits.answers[type(error).__name__] += 1
        waits.seconds.append(time.perf_counter() - started)
        turn += 1


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, page: str) -> int:
    method, _, path = page.rpartition(" ")
    body = b'{"deck": "3x Museum Curator", "format": "coc-lcg"}' if method else b""
    head = f"{method or 'GET'} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n"
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    writer.write(head.encode() + b"\r\n" + body)
    status = int((await reader.readuntil(b"\r\n")).split()[1])
    length, chunked = 0, False
    while (line := await reader.readuntil(b"\r\n")) != b"\r\n":
        name, _, value = line.decode().partition(":")
        if name.lower() == "content-length":
            length = int(value)
        chunked = chunked or (name.lower() == "transfer-encoding" and "chunked" in value)
    if chunked:
        while size := int(await reader.readuntil(b"\r\n"), 16):
            await reader.readexactly(size + 2)
        await reader.readexactly(2)
    else:
        await reader.readexactly(length)
    return status
