"""Connections that hold a server up without asking for anything costly: half-sent, dripping, never read.

Only this machine is ever attacked, and only the port that the caller gives.
"""

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from tests.assault.people import meanwhile

PAUSE = 2.0  # seconds between the drops of what drips
# The cookie makes the service look for the token in the body: it reads it.
HEAD = (
    "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    f"Cookie: csrftoken={'x' * 32}\r\n"
)

Writer = asyncio.StreamWriter


async def _silent(writer: Writer, path: str) -> None:
    """Connected, and not a byte."""


async def _half_a_head(writer: Writer, path: str) -> None:
    writer.write(HEAD.format(path=path).encode())


async def _dripping_head(writer: Writer, path: str) -> None:
    writer.write(HEAD.format(path=path).encode())
    for number in range(1000):
        await asyncio.sleep(PAUSE)
        writer.write(f"X-{number}: a\r\n".encode())


async def _one_byte(writer: Writer, path: str) -> None:
    writer.write((HEAD.format(path=path) + "Content-Length: 1000\r\n\r\n{").encode())


async def _dripping_body(writer: Writer, path: str) -> None:
    writer.write((HEAD.format(path=path) + "Content-Length: 100000\r\n\r\n").encode())
    for _ in range(1000):
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(PAUSE)


async def _dripping_chunks(writer: Writer, path: str) -> None:
    writer.write((HEAD.format(path=path) + "Transfer-Encoding: chunked\r\n\r\n").encode())
    for _ in range(1000):
        writer.write(b"1\r\nx\r\n")
        await writer.drain()
        await asyncio.sleep(PAUSE)


async def _huge(writer: Writer, path: str) -> None:
    writer.write((HEAD.format(path=path) + "Content-Length: 999999999999\r\n\r\nx").encode())


async def _expecting(writer: Writer, path: str) -> None:
    """Asks whether it may send, and does not."""
    writer.write((HEAD.format(path=path) + "Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n").encode())


async def _slow_upload(writer: Writer, path: str) -> None:
    """The largest file that is allowed, at 100 kB a second."""
    writer.write((HEAD.format(path="/events/read") + "Content-Length: 24900000\r\n\r\n").encode())
    for _ in range(2490):
        writer.write(b"x" * 10_000)
        await writer.drain()
        await asyncio.sleep(0.1)


async def _never_reads(writer: Writer, path: str) -> None:
    """Asks for page after page in one go, and takes none of them."""
    writer.write(b"GET /static/app.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 50)


KINDS: dict[str, Callable[[Writer, str], Awaitable[None]]] = {
    "silent": _silent,
    "half a head": _half_a_head,
    "dripping head": _dripping_head,
    "one byte": _one_byte,
    "dripping body": _dripping_body,
    "dripping chunks": _dripping_chunks,
    "huge": _huge,
    "expecting": _expecting,
    "slow upload": _slow_upload,
    "never reads": _never_reads,
}


class Attack:
    """So many connections of the given kinds, each opened again when the server closes it."""

    def __init__(
        self, port: int, connections: int, kinds: list[str] | None = None, path: str = "/login"
    ) -> None:
        self.port, self.path = port, path
        self.kinds = kinds or list(KINDS)
        self.connections = connections
        self.opened: Counter[str] = Counter()
        self.closed: Counter[str] = Counter()
        self.refused = 0

    @asynccontextmanager
    async def under_way(self) -> AsyncIterator["Attack"]:
        kinds = (self.kinds[number % len(self.kinds)] for number in range(self.connections))
        async with meanwhile(self._hold(kind) for kind in kinds):
            yield self

    async def _hold(self, kind: str) -> None:
        await asyncio.sleep(random.random())
        while True:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1024)
            except OSError:
                self.refused += 1
                await asyncio.sleep(1)
                continue
            self.opened[kind] += 1
            reading = kind != "never reads"
            send = asyncio.ensure_future(KINDS[kind](writer, self.path))
            try:
                if reading:
                    while await reader.read(1000):
                        pass
                else:
                    await asyncio.sleep(3600)
            except OSError:
                pass
            finally:
                self.closed[kind] += 1
                send.cancel()
                with contextlib.suppress(OSError, asyncio.CancelledError):
                    await send
                writer.transport.abort()
            await asyncio.sleep(0.5 + random.random())
