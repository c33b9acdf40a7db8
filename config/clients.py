"""Which client sent a request, as far as the edge can tell without the database, and fair turns among clients.

What a request shows (a session, a token) counts once our pages have found it to be somebody's: whoever makes such
things up shares the turns of their address.
"""

import asyncio
import hashlib
import re
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from config.limits import address_in

PERSON = "headjudge.person"  # where in a request's environ our pages say whose it is
KNOWN = 20_000  # of what was shown lately

Environ = MutableMapping[str, Any]


@dataclass(frozen=True, slots=True)
class Asker:
    """person: "" where nobody is known to be logged in."""

    address: str
    person: str

    def __str__(self) -> str:
        return self.person or self.address


class Askers:
    """What one process has learned."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, str] = OrderedDict()

    def who(self, environ: Environ) -> Asker:
        return Asker(address_in(environ), self._known.get(_shown(environ), ""))

    def learn(self, environ: Environ) -> None:
        """Remember whose request it was, after it was answered."""
        if (person := environ.get(PERSON)) is None:
            return
        shown = _shown(environ)
        self._known[shown] = f"person {person}"
        self._known.move_to_end(shown)
        if len(self._known) > KNOWN:
            self._known.popitem(last=False)


def _shown(environ: Environ) -> bytes:
    found = re.search(rf"(?:^|;) *{settings.SESSION_COOKIE_NAME}=([^;]*)", environ.get("HTTP_COOKIE", ""))
    shown = (found and found[1], environ.get("HTTP_AUTHORIZATION", ""))
    return hashlib.blake2b(repr(shown).encode(), digest_size=16).digest()


class Fair:
    """So many at once. Of those who wait, each address has its turn, and at an address each person."""

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._waiting: dict[str, dict[str, deque[asyncio.Future[None]]]] = {}

    @asynccontextmanager
    async def turn(self, asker: Asker) -> AsyncIterator[None]:
        if self._free:
            self._free -= 1
        else:
            await self._come_up(asker)
        try:
            yield
        finally:
            self._pass_on()

    async def _come_up(self, asker: Asker) -> None:
        place = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(asker.address, {}).setdefault(asker.person, deque()).append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        while self._waiting:
            address, people = next(iter(self._waiting.items()))
            person, places = next(iter(people.items()))
            del self._waiting[address], people[person]  # they go to the end, where they wait on
            place = places.popleft()
            if places:
                people[person] = places
            if people:
                self._waiting[address] = people
            if not place.done():
                place.set_result(None)
                return
        self._free += 1
