"""Requests that compute for seconds, those that anybody may send and large files: one at a time from each address or
person who is logged in, a few in all.

They wait for their turn on the event loop, where waiting costs nothing, and are told when to come back if it takes too
long. Turns are locks on single bytes of one file, so they hold across all web processes of a machine, and the system
gives them back when a process dies.
"""

import asyncio
import fcntl
import hashlib
import os
import re
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from config.clients import Asker
from config.errors import UserError

PAUSE = 0.05  # seconds between two looks for a turn
COME_BACK = 5  # seconds, for who is sent away
_FIRST_KEY = 1_000  # bytes before it are the turns for all


class Busy(UserError):
    """`busy` (429): no turn came up in time."""

    status = 429

    def __init__(self) -> None:
        super().__init__(
            "busy",
            _("The service is busy with other requests of this kind."),
            remedy=_("Wait %(seconds)s seconds, then try again.") % {"seconds": COME_BACK},
            details={"wait": COME_BACK},
        )


class Turns:
    """The turns of one process; give every process of a machine the same file."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._mine: set[int] = set()  # a lock on a file keeps out other processes only

    @asynccontextmanager
    async def turn(self, environ: dict[str, Any], asker: Asker) -> AsyncIterator[None]:
        """Hold a turn while inside, when the request needs one. Raises Busy."""
        if not settings.COSTLY_AT_ONCE or not is_costly(environ):
            yield
            return
        until = time.monotonic() + settings.COSTLY_WAIT_SECONDS
        mine, everybodys = [_byte_of(str(asker))], range(settings.COSTLY_AT_ONCE)
        async with self._one_of(mine, until), self._one_of(everybodys, until):
            yield

    @asynccontextmanager
    async def _one_of(self, places: Iterable[int], until: float) -> AsyncIterator[None]:
        while (taken := next(filter(self._take, places), None)) is None:
            if time.monotonic() > until:
                raise Busy
            await asyncio.sleep(PAUSE)
        try:
            yield
        finally:
            self._mine.discard(taken)
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, taken)

    def _take(self, place: int) -> bool:
        if place in self._mine:
            return False
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except OSError:
            return False
        self._mine.add(place)
        return True


def is_costly(environ: dict[str, Any]) -> bool:
    path = environ["PATH_INFO"]
    costly = path in settings.REQUEST_MAX_BYTES_AT or re.fullmatch(settings.COSTLY, path) is not None
    return costly and environ["REQUEST_METHOD"] == "POST"


def checks_password(environ: dict[str, Any]) -> bool:
    return (
        environ["REQUEST_METHOD"] == "POST"
        and re.fullmatch(settings.PASSWORDS, environ["PATH_INFO"]) is not None
    )


def _byte_of(who: str) -> int:
    return _FIRST_KEY + int.from_bytes(hashlib.blake2b(who.encode(), digest_size=5).digest())
