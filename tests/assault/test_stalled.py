"""Half-sent, dripping and unread requests, by the hundred: everybody else is served as if they were not there."""

import asyncio
import shutil
import socket
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.assault.people import Waits, visit
from tests.assault.sockets import KINDS, Attack
from tests.system.crowd import web
from tests.system.service import Service, eventually, free_port
from tests.system.test_up import get

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The web server of `manage.py up`, with four threads."""
    folder = tmp_path_factory.mktemp("assault")
    service = Service(folder)
    service.manage("migrate", "--verbosity", "0")
    service.manage("collectstatic", "--noinput", "--verbosity", "0")
    port = free_port()
    service.start(web(port))
    assert eventually(lambda: get(port, "/healthz")[0] == 200), service.logs()
    yield port
    service.close()
    shutil.rmtree(folder, ignore_errors=True)


def run(attack: Coroutine[Any, Any, Waits]) -> Waits:
    """In a thread of its own: a browser's test may have left an event loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, attack).result()


async def under_attack(port: int, kinds: list[str], connections: int) -> Waits:
    async with Attack(port, connections, kinds).under_way() as attack:
        while sum(attack.opened.values()) < connections:
            await asyncio.sleep(0.1)
        await asyncio.sleep(0.5)
        waits = await visit(port, 1, people=5)
        assert not attack.refused
    return waits


def test_nobody_waits_for_what_guests_do_not_send(port: int) -> None:
    """Five hundred, and so fifty of each kind: far more of any one than there are threads. Whoever has to wait gives up
    (tests.assault.people.PATIENCE)."""
    waits = run(under_attack(port, list(KINDS), 500))
    assert set(waits.answers) == {"200", "403"}, waits


@pytest.mark.parametrize(
    "line",
    [
        b'Cookie: a="' + b"\\1" * 150_000 + b'"',
        b"Content-Type: a/b;" + b"a=b;" * 75_000,
        b"Range: bytes=" + b"0-1," * 75_000,
        b"".join(b"X-%d: a\r\n" % number for number in range(20_000)).rstrip(),
    ],
    ids=["cookie", "content-type", "range", "many"],
)
def test_nor_for_a_head_that_takes_long_to_read(port: int, line: bytes) -> None:
    """What reads some of these takes time by the square of their length, so they are not read at all."""
    begun = time.monotonic()
    assert _asked(port, line).startswith(b"HTTP/1.1 431 ")
    assert time.monotonic() - begun < 2
    assert _asked(port, b"X-Long: " + b"a" * 12_000).startswith(b"HTTP/1.1 200 ")


def _asked(port: int, line: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), 20) as asker:
        asker.sendall(
            b"GET /sign-up HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" + line + b"\r\n\r\n"
        )
        return asker.recv(100)


def test_chunks_that_are_none_are_the_senders_fault(port: int) -> None:
    head = b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n"
    with socket.create_connection(("127.0.0.1", port), 20) as asker:
        asker.sendall(head)
        assert asker.recv(100).startswith(b"HTTP/1.1 400 ")
