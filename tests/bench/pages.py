"""Pages of an event of 512 in its fifth round, and what a thousand phones cost that ask whether anything happened.

Times are of this process's own (other jobs on the machine do not count), one request after another, on the embedded
database: what the server does for a page, middleware and templates included, without the network.
"""

import io
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from statistics import mean
from typing import Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

import config.wsgi  # noqa: F401 (the web server's collector, too)
from config.row_cache import forget
from tournament import services
from tournament.models import Event, Registration, User
from tournament.simulator import Plan, Simulator

PLAYERS = 512
ROUNDS = 4
TIMES = 20
PHONES = 1000
EVERY = 2.5  # seconds, as _live.html says
PAGES = ["", "match", "mine", "pairings", "pairings?by=table", "standings", "standings/{pk}", "players"]
DESK = [
    "control",
    "tables?as=dense",
    "tables?as=full",
    "calls",
    "decks",
    "log",
    "log?q=player",
    "players",
    "slips",
    "print/pairings",
    "print/slips",
    "print/standings",
]


def measure() -> Iterator[tuple[str, float, str, tuple[str, float] | None]]:
    call_command("migrate", verbosity=0, interactive=False)
    call_command("collectstatic", verbosity=0, interactive=False)
    settings.ALLOWED_HOSTS = ["*"]
    event = _event()
    entry = Registration.objects.filter(event=event, user__isnull=False, state="active").latest("pk")
    assert entry.user is not None
    slowest = 0.0
    for who, pages in ((entry.user, PAGES), (event.created_by, DESK)):
        client = Client()
        client.force_login(who)
        for page in pages:
            path, name = f"/events/{event.slug}/{page.format(pk=entry.pk)}", page.replace("/{pk}", "-one")
            cold, warm = _p95(client, path, forgetting=True), _p95(client, path)
            slowest = max(slowest, cold, warm)
            yield f"page-512-{name or 'event'}-first", cold, "ms", None
            yield f"page-512-{name or 'event'}", warm, "ms", None
    yield "page-512-slowest-p95", slowest, "ms", None
    yield from _polls(event, entry.user)


def _event() -> Event:
    """512 entered, four rounds played, the fifth in progress."""
    simulator = Simulator(Plan(PLAYERS, seed=1), start=datetime(2026, 1, 3, 9, tzinfo=UTC))
    for number, _told in enumerate(simulator.rounds()):
        if number == ROUNDS:
            break
    event = simulator.fresh()
    round = services.round_pair(event=event, by=event.created_by, seed=5, now=timezone.now())
    services.clock_start(round=round, by=event.created_by, now=timezone.now())
    return event


def _p95(client: Client, path: str, *, forgetting: bool = False) -> float:
    """Milliseconds, the 95th of a hundred; forgetting: as after every report, when nothing that was kept counts."""
    taken = []
    for _ in range(TIMES + 1):
        if forgetting:
            forget()
        began = time.process_time()
        answer = client.get(path)
        taken.append((time.process_time() - began) * 1000)
        assert answer.status_code == 200, (path, answer.status_code)
    return sorted(taken[1:])[int(TIMES * 0.95) - 1]  # the first one compiles templates


def _polls(event: Event, user: User) -> Iterator[tuple[str, float, str, tuple[str, float] | None]]:
    """A poll answered from memory, one that is looked up, and both in the proportion of a quiet time."""
    client, path = Client(), f"/events/{event.slug}/match"
    client.force_login(user)
    live = {"HX-Target": "live", "HX-Request": "true"}
    tag = client.get(path, headers=live)["ETag"]
    asked = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": path,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "wsgi.url_scheme": "http",
        "HTTP_HOST": "localhost",
        "HTTP_HX_TARGET": "live",
        "HTTP_IF_NONE_MATCH": tag,
        "HTTP_COOKIE": "; ".join(f"{name}={one.value}" for name, one in client.cookies.items()),
    }
    handler = WSGIHandler()
    _poll(handler, asked)
    cheap = mean(_poll(handler, asked) for _ in range(2000))
    whole = mean(_poll(handler, asked | {"HTTP_ACCEPT_LANGUAGE": f"en-{n}"}) for n in range(200))
    yield "poll-nothing-happened", cheap, "ms", None
    yield "poll-looked-up", whole, "ms", None
    looked_up = PHONES / settings.LIVE_QUIET_SECONDS  # a second
    cost = (PHONES / EVERY - looked_up) * cheap + looked_up * whole
    yield "polls-of-1000-phones", cost / 10, "% of a core", None


def _poll(handler: Any, asked: dict[str, Any]) -> float:
    """Milliseconds of one poll through the whole stack; it must be a 304."""
    statuses: list[str] = []
    began = time.process_time()
    answer = handler(
        {**asked, "wsgi.input": io.BytesIO()}, lambda status, _headers, _error=None: statuses.append(status)
    )
    b"".join(answer)
    answer.close()
    taken = (time.process_time() - began) * 1000
    assert statuses[0].startswith("304"), statuses
    return taken
