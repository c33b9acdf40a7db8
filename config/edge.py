"""The edge: a request body arrives whole, within limits of time and size, before a worker thread starts on it.

Pages and the API are ordinary WSGI, run by a few threads. A thread that reads a body itself waits as long as the sender
likes, so four phones that stop in the middle of an upload would stop everybody. Here any number of bodies arrive side
by side on the event loop, larger ones in files without a name. A thread is taken when everything is there, and is free
again when the response is made, however slowly it is read. Half-sent heads are the web server's (config.serving).

Whoever has many requests waiting does not stand before others: addresses take turns, and the people at each of them
(config.clients).
Checking a password takes a thread for a good part of a second, so only half of the threads do that.

The limits, all in settings: a body gets BODY_SECONDS, and another second for each BODY_BYTES_A_SECOND received. All
bodies of a process together get BODIES_MAX_BYTES; beyond that the slowest one is given up. How large one body may be
is said, and its refusal worded, in config.middleware; who sends a larger one takes no thread.
"""

import asyncio
import json
import logging
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, cast
from urllib.parse import unquote_to_bytes
from wsgiref.types import WSGIApplication

from asgiref.wsgi import WsgiToAsgiInstance
from django.conf import settings
from django.core.handlers.wsgi import get_path_info
from django.utils import translation
from django.utils.translation import gettext as _

from config.clients import Askers, Fair
from config.costly import Busy, Turns, checks_password
from config.database_errors import mishap
from config.errors import UserError, retry_after
from config.languages import accepted_language
from config.middleware import body_limit, too_large
from config.static_files import StaticFiles
from config.text import whole_number

log = logging.getLogger(__name__)

IN_MEMORY = 32_000  # bytes of one body; a larger one goes to a file
AT_ONCE = 64_000  # bytes of a response that are handed to the server in one go

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class HungUp(Exception):
    """The sender closed the connection, or sent what HTTP doesn't know."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole response; header names are in lower case."""

    status: int
    headers: list[tuple[bytes, bytes]]
    content: bytes


class Edge:
    """An ASGI application that gives each whole request to a WSGI one, in one of WEB_THREADS threads."""

    def __init__(self, pages: WSGIApplication) -> None:
        self.pages = pages
        self.bodies = Bodies()
        self.turns = Turns(settings.VAR_DIR / "turns")
        self.threads = ThreadPoolExecutor(settings.WEB_THREADS, "web")
        self.askers = Askers()
        self.places = Fair(settings.WEB_THREADS)  # at the threads
        self.passwords = Fair(max(1, settings.WEB_THREADS // 2))
        self.files = StaticFiles()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        with Body(self.bodies) as body:
            environ = self._environ(scope, body)
            answer = self._file(environ) or await self._page(environ, body, receive)
        await _send(answer, send)

    def _file(self, environ: dict[str, Any]) -> Answer | None:
        if (found := self.files.answer(environ)) is None:
            return None
        status, headers, content = found
        return Answer(status, _encoded(headers), content)

    async def _page(self, environ: dict[str, Any], body: "Body", receive: Receive) -> Answer:
        try:
            fits = await _take(environ, body, receive)
        except HungUp:
            return _refusal(environ, _cut_short)  # who is still there sent chunks that are none
        except TimeoutError:
            return _refusal(environ, _too_slow)
        except OSError as error:
            return _refusal(environ, partial(_not_kept, error))
        return await self._in_turn(environ) if fits else _refusal(environ, partial(_too_large, environ))

    def _environ(self, scope: Message, body: "Body") -> dict[str, Any]:
        # X_Forwarded_For would pass for what a proxy said in X-Forwarded-For.
        scope["headers"] = [(name, value) for name, value in scope["headers"] if b"_" not in name]
        instance = WsgiToAsgiInstance(self.pages, duplicate_header_limit=None)
        instance.scope = scope
        environ: dict[str, Any] = instance.build_environ(scope, body.file)
        if raw := scope.get("raw_path"):  # the path itself has lost bytes that are not UTF-8
            environ["PATH_INFO"] = unquote_to_bytes(raw.partition(b"?")[0]).decode("latin-1")
        return environ

    async def _in_turn(self, environ: dict[str, Any]) -> Answer:
        asker = self.askers.who(environ)
        passwords = self.passwords.turn(asker) if checks_password(environ) else nullcontext()
        try:
            async with self.turns.turn(environ, asker), passwords, self.places.turn(asker):
                running = asyncio.get_running_loop().run_in_executor(self.threads, self._answer, environ)
                return await running
        except Busy:
            return _refusal(environ, Busy)

    def _answer(self, environ: dict[str, Any]) -> Answer:
        status, headers = 500, list[tuple[bytes, bytes]]()

        def start_response(line: str, told: list[tuple[str, str]], exc_info: Any = None) -> Any:
            nonlocal status, headers
            status = int(line.partition(" ")[0])
            headers = _encoded(told)

        with closing(cast(Any, self.pages(environ, start_response))) as parts:
            answer = Answer(content=b"".join(parts), status=status, headers=headers)
        self.askers.learn(environ)
        return answer


class Body:
    """One body as it arrives; `file` holds it. A context: at its end everything is given back."""

    def __init__(self, bodies: "Bodies") -> None:
        self.bodies = bodies
        self.size = 0  # bytes so far
        self.since = time.monotonic()
        self._timeout: asyncio.Timeout | None = None  # while it arrives
        spooled = tempfile.SpooledTemporaryFile(IN_MEMORY, dir=str(settings.VAR_DIR))  # noqa: SIM115 (closed at the end)
        self.file = cast(BinaryIO, spooled)

    async def arrive(self, receive: Receive, most: int) -> None:
        """Read to the end, or until it is larger than `most` bytes. Raises HungUp, TimeoutError, OSError."""
        begun = asyncio.get_running_loop().time()
        async with asyncio.timeout_at(begun + settings.BODY_SECONDS) as self._timeout:
            more = True
            while more and self.size <= most:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise HungUp
                more = bool(message.get("more_body"))
                chunk = message.get("body", b"")
                self.file.write(chunk)
                self.bodies.grow(self, len(chunk))
                if self.arriving:
                    more_time = settings.BODY_SECONDS + self.size / settings.BODY_BYTES_A_SECOND
                    self._timeout.reschedule(begun + more_time)
        self._timeout = None
        self.file.seek(0)

    @property
    def arriving(self) -> bool:
        return self._timeout is not None

    def speed(self) -> float:
        """Bytes a second."""
        return self.size / (time.monotonic() - self.since + 1)

    def give_up(self) -> None:
        """Have `arrive` raise TimeoutError. What the body held no longer counts."""
        if self._timeout is not None and not self._timeout.expired():
            self._timeout.reschedule(0)
        self._timeout = None
        self.forget()

    def forget(self) -> None:
        self.bodies.size -= self.size
        self.size = 0

    def __enter__(self) -> "Body":
        self.bodies.held.add(self)
        return self

    def __exit__(self, *exc: object) -> None:
        self.bodies.held.discard(self)
        self.forget()
        self.file.close()


class Bodies:
    """All bodies that a process holds."""

    def __init__(self) -> None:
        self.held: set[Body] = set()
        self.size = 0  # bytes

    def grow(self, body: Body, size: int) -> None:
        """Count what arrived; when it is too much for all, the slowest of those still arriving are given up."""
        body.size += size
        self.size += size
        if self.size <= settings.BODIES_MAX_BYTES:
            return
        for one in sorted((one for one in self.held if one.arriving and one.size), key=Body.speed):
            one.give_up()
            if self.size <= settings.BODIES_MAX_BYTES:
                return


async def _take(environ: dict[str, Any], body: Body, receive: Receive) -> bool:
    """Have the body arrive. False for one that is too large; when it says so itself, nothing is read of it."""
    most = body_limit(get_path_info(environ))
    length = environ.get("CONTENT_LENGTH", "")
    if "HTTP_TRANSFER_ENCODING" in environ:  # in chunks, of which nobody knows how many
        await body.arrive(receive, most)
        environ["CONTENT_LENGTH"] = str(body.size)
        return body.size <= most
    size = whole_number(length) or 0
    if 0 < size <= most:
        await body.arrive(receive, most)
    return size <= most


def _too_large(environ: dict[str, Any]) -> UserError:
    return too_large(get_path_info(environ))


def _too_slow() -> UserError:
    return UserError(
        "too-slow",
        _("Your request took too long to arrive."),
        remedy=_("Nothing was changed. Check your connection, then try again."),
        status=408,
    )


def _cut_short() -> UserError:
    return UserError(
        "cut-short", _("Your request didn’t arrive whole."), remedy=_("Nothing was changed. Try again.")
    )


def _not_kept(error: OSError) -> UserError:
    log.error("could not store a request body on disk: %s", error)
    return mishap(error) or UserError(
        "body-not-kept",
        _("The service couldn’t take in what you sent."),
        remedy=_("Nothing was changed. Try again."),
        status=503,
    )


def _refusal(environ: dict[str, Any], problem_of: Callable[[], UserError]) -> Answer:
    """In a few words: whoever stalls a thousand requests is worth no thread and no page."""
    asked = environ.get("HTTP_ACCEPT_LANGUAGE", "")
    program = environ["PATH_INFO"].startswith("/api/")
    with translation.override(settings.LANGUAGE_CODE if program else accepted_language(asked)):
        problem = problem_of()
    if program:
        kind, content = "application/json", json.dumps(problem.as_json()).encode()
    else:
        kind, content = "text/plain; charset=utf-8", f"{problem.message} {problem.remedy}\n".encode()
    headers = {"content-type": kind, "content-length": str(len(content)), **retry_after(problem)}
    if problem.status in (408, 413):
        headers["connection"] = "close"  # the rest of the body may still come
    return Answer(problem.status, _encoded(headers.items()), content)


def _encoded(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]


async def _send(answer: Answer, send: Send) -> None:
    """Hand a long response over in parts; when nobody reads the next one within RESPONSE_SECONDS, close."""
    await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
    rest = memoryview(answer.content)
    try:
        while len(rest) > AT_ONCE:
            async with asyncio.timeout(settings.RESPONSE_SECONDS):
                await send({"type": "http.response.body", "body": bytes(rest[:AT_ONCE]), "more_body": True})
            rest = rest[AT_ONCE:]
    except TimeoutError:
        return  # shorter than its length says: the server cuts the connection
    await send({"type": "http.response.body", "body": bytes(rest)})
