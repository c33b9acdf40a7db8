"""Half-sent, dripping and unread requests, by the hundred: everybody else is served as if they were not there."""

import asyncio
import shutil
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


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_waits_for_what_one_guest_does_not_send(port: int, kind: str) -> None:
    """Far more of them than there are threads. Whoever has to wait gives up (tests.assault.people.PATIENCE)."""
    waits = run(under_attack(port, [kind], 40))
    assert set(waits.answers) == {"200", "403"}, waits


def test_nor_for_five_hundred_of_all_kinds(port: int) -> None:
    waits = run(under_attack(port, list(KINDS), 500))
    assert set(waits.answers) == {"200", "403"}, waits
