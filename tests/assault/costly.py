"""Guests without a login who ask for what costs seconds, from many addresses, as fast as they are answered."""

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.assault.disputes import worst
from tests.assault.people import meanwhile

GUESTS = 24  # each at an address of its own
DECK = "\n".join(f"3x Card That Nobody Printed {number}" for number in range(2_000))


def _requests(number: int) -> list[tuple[str, bytes]]:
    return [
        ("/api/v1/adjudicate", json.dumps({"source": worst(number)}).encode()),
        ("/api/v1/validate", json.dumps({"format": "coc-lcg", "text": DECK}).encode()),
    ]


class Costly:
    """So many guests; `answers` counts what they were told."""

    def __init__(self, port: int, guests: int = GUESTS) -> None:
        self.port, self.guests = port, guests
        self.answers: Counter[str] = Counter()

    @asynccontextmanager
    async def under_way(self) -> AsyncIterator["Costly"]:
        async with meanwhile(self._ask(number) for number in range(self.guests)):
            yield self

    async def _ask(self, number: int) -> None:
        requests = _requests(number)
        for turn in range(number, 1_000_000):
            path, body = requests[turn % len(requests)]
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                self.answers[await self._status(f"127.0.1.{number + 1}", path, body)] += 1
            await asyncio.sleep(0.05)

    async def _status(self, address: str, path: str, body: bytes) -> str:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0))
        try:
            head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            status = (await reader.readuntil(b"\r\n")).split()[1].decode()
            while await reader.read(65_536):
                pass
            return status
        finally:
            writer.close()
