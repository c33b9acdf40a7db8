"""routes.txt: for every route of site and API, and every method of it, what everybody gets.

A line is: method, address, a status for each of `world.WHO` in that order, and for a change what is sent (JSON).
The test that misses a line prints the line to add.
"""

import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, resolve
from rest_framework.views import APIView

from tests.access.world import WHO, undone
from tournament.models import User

FILE = Path(__file__).with_name("routes.txt")
ALWAYS_OTHERWISE = {"readyz"}  # answers by how long jobs have waited, the same to everybody


@dataclass(frozen=True, slots=True)
class Row:
    method: str
    address: str
    statuses: tuple[int, ...]
    body: dict[str, Any]

    def __str__(self) -> str:
        words = " ".join(map(str, self.statuses))
        sent = f"  {json.dumps(self.body)}" if self.body else ""
        return f"{self.method:6} {self.address:62} {words}{sent}"


def rows() -> list[Row]:
    lines = FILE.read_text().splitlines()
    return [_row(line) for line in lines if line and not line.startswith("#")]


def _row(line: str) -> Row:
    head, brace, body = line.partition("  {")
    method, address, *statuses = head.split()
    assert len(statuses) == len(WHO), f"One status for each of {', '.join(WHO)}: {line}"
    return Row(method, address, tuple(map(int, statuses)), json.loads(brace + body) if brace else {})


FILES = re.compile(
    r"[.](?:yaml|csv|json|js)|^/policies/[^/]+/file$|/export/|/files/|^/metrics$|^/healthz$|^/account/data$"
)


def pages(who: str = "") -> list[Row]:
    """What people look at, as `who` may: the rows that are read, outside the API, and no files."""
    read = [row for row in rows() if row.method == "GET" and not row.address.startswith("/api/")]
    return [
        row
        for row in read
        if not FILES.search(row.address.partition("?")[0])
        and (not who or row.statuses[WHO.index(who)] == 200)
    ]


def session_of(user: User | None) -> str:
    """The key of a session in which the user is logged in."""
    if user is None:
        return ""
    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.save()
    return str(store.session_key)


def sent(method: str, row: Row, session: str, words: dict[str, Any]) -> Any:
    """The response to another method at the row's address, without a body; what it did stays."""
    return _client(session).generic(method, row.address.format(**words), "", "application/json")


def _client(session: str, language: str = "en") -> Client:
    client = Client(raise_request_exception=False, headers={"accept-language": language})
    if session:
        client.cookies[settings.SESSION_COOKIE_NAME] = session
    return client


def answer(row: Row, session: str, words: dict[str, Any], *, language: str = "en") -> Any:
    """The response to the row's request; what it did is undone."""
    client = _client(session, language)
    address = row.address.format(**words)
    sent = {
        key: value.format(**words) if isinstance(value, str) else value for key, value in row.body.items()
    }
    with undone():
        if address.startswith("/api/"):
            data = "" if row.method == "GET" else json.dumps(sent)
            return client.generic(row.method, address, data, "application/json")
        return client.get(address) if row.method == "GET" else client.post(address, sent)


# --- every route there is -------------------------------------------------------------------------------


def named(row: Row, words: dict[str, Any]) -> tuple[str, str]:
    """(method, route) of a row."""
    return row.method, resolve(row.address.format(**words).partition("?")[0]).route


def all_routes() -> set[tuple[str, str]]:
    return {
        (method, route)
        for route, view in _routes(get_resolver(), "")
        if route not in ALWAYS_OTHERWISE
        for method in _methods(view)
    }


def _routes(resolver: URLResolver, before: str) -> Iterator[tuple[str, Any]]:
    for entry in resolver.url_patterns:
        route = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _routes(entry, route)
        elif isinstance(entry, URLPattern):
            yield route, entry.callback


def _methods(view: Any) -> list[str]:
    """What a view does: the methods its class has, or for a function reading, and POST where it looks for one."""
    found = getattr(view, "cls", None) or getattr(view, "view_class", None)
    if found is not None:
        wanted = ("get", "post", "put", "patch", "delete") if issubclass(found, APIView) else ("get", "post")
        return [name.upper() for name in wanted if hasattr(found, name) and name in found.http_method_names]
    source = inspect.getsource(inspect.unwrap(view))
    only_post = "require_POST" in source
    return [*([] if only_post else ["GET"]), *(["POST"] if "POST" in source else [])]


# What stands in for the parts of a route, the first that fits.
_PARTS = [
    ("<slug:slug>", "kingsport"),
    ("events/kingsport/decks/<int:pk>", "events/kingsport/decks/{entry}"),
    *[
        (f"{noun}/<int:pk>", f"{noun}/{{{word}}}")
        for noun, word in {
            "adjudications": "run", "bans": "ban", "calls": "call", "check-in": "entry",
            "deck-checks": "check", "decks": "deck", "deliveries": "delivery", "disputes": "dispute",
            "invites": "invite", "matches": "match", "penalties": "penalty", "players": "entry",
            "rechecks": "recheck", "registrations": "entry", "staff": "staff", "standings": "entry",
            "table": "table", "tokens": "token", "webhooks": "webhook", "why": "entry",
        }.items()
    ],
    ("byes/<int:number>", "byes/2"),
    ("<int:number>", "1"),
    ("<int:pk>", "1"),
    ("findings/<slug:code>", "findings/restricted"),
    ("cases/<slug:name>", "cases/shotgun-and-researcher"),
    ("cards/<str:key>", "cards/shotgun"),
    ("<slug:key>", "coc-lcg"),
    ("<slug:kind>", "o8d"),
    ("files/<str:name>", "files/players.csv"),
    ("join/<str:secret>", "join/{secret}"),
    ("claim/<str:code>", "claim/{claim}"),
    ("check-in/{entry}/<str:code>", "check-in/{entry}/{presence}"),
    ("<str:rule>", "COC-T-31"),
]  # fmt: skip


def proposed(method: str, route: str, sessions: dict[str, str], words: dict[str, Any], **body: Any) -> Row:
    """A row for a route that has none, with what everybody gets now: to be looked at before it is believed."""
    address = "/" + route
    for part, instead in _PARTS:
        address = address.replace(part, instead)
    row = Row(method, address, (), body)
    return Row(method, address, tuple(answer(row, sessions[who], words).status_code for who in WHO), body)
