"""People at a running service: a filled event, a session for each, and requests as their phones send them."""

import http.client
import json
from dataclasses import dataclass, field
from typing import Any

from config.serving import web_process
from tests.system.service import Service

# An event of so many players, everybody logged in; lists, an event to read again. Kept short of what takes long.
FILL = """
from datetime import date
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.utils import timezone
from decks.services import catalog_load_shipped, deck_submit
from tournament import services
from tournament.models import Event, Registration, User
now = timezone.now()
catalog_load_shipped(now=now)
players = User.objects.bulk_create(
    User(username=f"player{{n}}", display_name=f"Player {{n:04}}", password="!") for n in range(1, {players} + 1))
organizer = User.objects.create(username="organizer", password="!", is_staff=True, is_superuser=True)
event = services.event_create(by=organizer, name="Crowd", slug="crowd", starts_on=now.date(), format="coc-lcg",
    format_on=date(2013, 10, 1), policy_key={policy!r}, planned_rounds=9, now=now)
Registration.objects.bulk_create(
    Registration(event=event, user=user, name=user.display_name, number=n, registered_at=now)
    for n, user in enumerate(players, start=1))
for n in range({lists}):
    deck_submit(owner=players[n], name="Deck", format="coc-lcg", source="3x Shotgun Blast",
        on=date(2013, 10, 1), now=now)

def session(user):
    store = SessionStore()
    store[SESSION_KEY], store[BACKEND_SESSION_KEY] = str(user.pk), "django.contrib.auth.backends.ModelBackend"
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    return Session(session_key=store._get_new_session_key(), session_data=store.encode(store._session),
                   expire_date=store.get_expiry_date())

sessions = {{user.pk: session(user) for user in [organizer, *players]}}
Session.objects.bulk_create(sessions.values())
tell({{"organizer": sessions[organizer.pk].session_key,
      "players": {{user.pk: sessions[user.pk].session_key for user in players}}}})
"""
TOKEN = "x" * 32


@dataclass
class Person:
    """Somebody with a phone: one connection, kept open, opened again when it breaks."""

    port: int
    session: str
    tags: dict[str, str] = field(default_factory=dict)
    _connection: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """(status, JSON or text); status 0 when the service could not be reached or broke off."""
        sent = {
            "Cookie": f"sessionid={self.session}; csrftoken={TOKEN}",
            "X-CSRFToken": TOKEN,
            "Content-Type": "application/json",
            **headers,
        }
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            self._connection.request(method, path, None if body is None else json.dumps(body), sent)
            response = self._connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException):
            self.hang_up()
            return 0, None
        if tag := response.headers.get("ETag"):
            self.tags[path] = tag
        told = response.headers.get("Content-Type", "").startswith("application/json")
        return response.status, json.loads(content) if told and content else content

    def poll(self, path: str) -> int:
        """As a page renews its live part."""
        known = {"If-None-Match": self.tags[path]} if path in self.tags else {}
        return self.ask("GET", path, **{"HX-Request": "true", "HX-Target": "live", **known})[0]

    def hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


@dataclass
class Crowd:
    """Everybody at the event “crowd”; players by their number in the database."""

    service: Service
    organizer: Person
    players: dict[int, Person]

    def tables(self, number: int) -> list[tuple[int, int, int]]:
        """(match, its first player, its second) of a round; byes are left out."""
        return [
            (match, first, second)
            for match, first, second in self.service.rows(
                "SELECT m.id, a.user_id, b.user_id FROM tournament_match m"
                " JOIN tournament_round r ON r.id = m.round_id"
                " JOIN tournament_seat s ON s.match_id = m.id AND s.side = 1"
                " JOIN tournament_seat t ON t.match_id = m.id AND t.side = 2"
                " JOIN tournament_registration a ON a.id = s.registration_id"
                " JOIN tournament_registration b ON b.id = t.registration_id"
                f" WHERE r.number = {number} AND r.published_at IS NOT NULL"
                " AND r.event_id = (SELECT id FROM tournament_event WHERE slug = 'crowd')"
            )
        ]


def gather(service: Service, port: int, *, players: int, lists: int = 0, policy: str = "coc-lcg") -> Crowd:
    told = service.python(FILL.format(players=players, lists=lists, policy=policy))
    people = {int(pk): Person(port, session) for pk, session in told["players"].items()}
    return Crowd(service, Person(port, told["organizer"]), people)


def web(port: int, *, workers: int = 1) -> list[str]:
    """The command of a web server, as `manage.py up` (one process) and docker-compose run it."""
    if workers == 1:
        return web_process("127.0.0.1", port)
    return ["python", "manage.py", "serve", "--port", str(port), "--workers", str(workers)]
