"""Every route about people, files and paper, asked by everybody an event knows: one table of who may.

Each request is undone before the next, so that all of them meet the same event.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.utils import timezone

from tests.tournament.factories import NOW, make_event, make_revision, make_staff
from tournament import services
from tournament.models import Event, Registration, Staff, User
from tournament.selectors.codes import claim_code, presence_code

pytestmark = pytest.mark.django_db

# nobody: no login. visitor: an account without a part. player: whose entry it is. other: another player.
WHO = ("nobody", "visitor", "player", "other", "scorekeeper", "judge", "head_judge", "organizer", "owner")
ALL = set(WHO)
ACCOUNTS = ALL - {"nobody"}
OWNERS = {"owner"}
ORGANIZERS = OWNERS | {"organizer"}
HEAD_JUDGES = ORGANIZERS | {"head_judge"}
JUDGES = HEAD_JUDGES | {"judge"}
STAFF = JUDGES | {"scorekeeper"}
PLAYER = {"player"}

E = "/events/kingsport"
API = "/api/v1/events/kingsport"
Route = tuple[str, str, Any, set[str]]

ROUTES: list[Route] = [
    # pages (method, path, form, who is let in)
    ("GET", f"{E}/settings", None, ORGANIZERS),
    ("POST", f"{E}/settings", {"name": "Kingsport Open", "starts_on": "2026-11-21", "timezone": "UTC",
                               "format": "coc-lcg", "format_on": "2026-11-21", "policy_key": "coc-lcg",
                               "list_visibility": "staff", "venue": "Town Hall"}, ORGANIZERS),
    ("GET", f"{E}/staff", None, STAFF),
    ("POST", f"{E}/staff", {"do": "add", "who": "visitor", "role": "judge"}, ORGANIZERS),
    ("POST", f"{E}/staff", {"do": "invite", "role": "judge", "uses": "1", "days": "1"}, ORGANIZERS),
    ("POST", f"{E}/staff", {"do": "remove", "pk": "{scorekeeper_row}"}, ORGANIZERS | {"scorekeeper"}),
    ("POST", f"{E}/staff", {"do": "revoke", "pk": "{invite}"}, ORGANIZERS),
    ("POST", f"{E}/staff", {"do": "withdraw", "pk": "{asked}"}, ORGANIZERS),
    ("POST", f"{E}/watch", {"do": "follow"}, ACCOUNTS),
    ("GET", f"{E}/check-in", None, STAFF | {"player", "other"}),
    ("POST", f"{E}/check-in", {"do": "in", "pk": "{player_entry}"}, STAFF),
    ("POST", f"{E}/check-in", {"do": "out", "pk": "{player_entry}"}, STAFF),
    ("POST", f"{E}/check-in", {"do": "close"}, ORGANIZERS),
    ("GET", f"{E}/check-in/{{player_entry}}/{{presence}}", None, STAFF),
    ("POST", f"{E}/check-in/{{player_entry}}/{{presence}}", {}, STAFF),
    ("GET", f"{E}/claim", None, ALL),
    ("GET", f"{E}/players/{{player_entry}}/edit", None, STAFF),
    ("POST", f"{E}/players/{{player_entry}}/edit", {"do": "change", "name": "New"}, STAFF),
    ("POST", f"{E}/players/{{player_entry}}/edit", {"do": "renew"}, STAFF),
    ("POST", f"{E}/players/{{waiting_entry}}/edit", {"do": "admit", "reason": "room"}, ORGANIZERS),
    ("POST", f"{E}/players/{{player_entry}}/edit", {"do": "unclaim", "reason": "wrong"}, ORGANIZERS),
    ("GET", f"{E}/penalties", None, STAFF),
    ("GET", f"{E}/players/{{player_entry}}/penalties", None, STAFF | PLAYER),
    ("POST", f"{E}/players/{{player_entry}}/penalties", {"infraction": "slow-play"}, JUDGES),
    ("GET", f"{E}/penalties/{{penalty}}", None, STAFF | PLAYER),
    ("POST", f"{E}/penalties/{{penalty}}", {"do": "revoke", "reason": "a mistake"}, {"judge", "head_judge"}),
    ("GET", f"{E}/deck-checks", None, STAFF),
    ("GET", f"{E}/calls", None, STAFF),
    ("POST", f"{E}/calls", {"do": "call", "table": "9", "subject": "rules"}, STAFF),
    ("POST", f"{E}/calls", {"do": "claim", "call": "{call}"}, JUDGES),
    ("GET", f"{E}/calls/{{call}}", None, STAFF),
    ("POST", f"{E}/calls/{{call}}", {"do": "close", "outcome": "Explained."}, JUDGES),
    ("POST", f"{E}/calls/{{taken}}", {"do": "release"}, HEAD_JUDGES | {"judge"}),
    ("POST", f"{E}/calls/{{call}}", {"do": "withdraw"}, {"scorekeeper"}),
    *[("GET", f"{E}/print{page}", None, STAFF) for page in ("", "/standings", "/seats", "/sheets", "/poster")],
    ("GET", f"{E}/screen", None, ALL),
    ("GET", f"{E}/files", None, ORGANIZERS),
    *[
        ("GET", f"{E}/files/{name}", None, ORGANIZERS)
        for name in ("event.json", "players.csv", "standings.csv", "results.csv", "nrtm.json", "event.trf")
    ],
    ("GET", f"{E}/players/read", None, STAFF),
    ("POST", f"{E}/players/read", {"pasted": "Dana", "do": "enter"}, STAFF),
    ("GET", "/operations", None, set()),  # a superuser's
    ("GET", "/operations/accounts", None, set()),
    ("POST", "/operations/accounts", {"who": "ann", "reason": "x", "do": "close"}, set()),
    # the API (method, path, JSON, who is let in)
    ("PATCH", f"{API}/settings", {"venue": "Town Hall"}, ORGANIZERS),
    ("PUT", f"{API}/cut", {"cut": {"places": 2, "ties": False}, "bracket_kind": ""}, ORGANIZERS),
    ("POST", f"{API}/staff", {"username": "visitor", "role": "judge"}, ORGANIZERS),
    ("POST", f"{API}/staff", {"username": "visitor", "role": "organizer"}, OWNERS),
    ("GET", f"{API}/invitations", None, ORGANIZERS),
    ("DELETE", f"{API}/invitations/{{asked}}", None, ORGANIZERS),
    ("DELETE", f"{API}/staff/{{scorekeeper_row}}", None, ORGANIZERS | {"scorekeeper"}),
    ("DELETE", f"{API}/staff/{{organizer_row}}", None, ORGANIZERS),
    ("GET", f"{API}/invites", None, ORGANIZERS),
    ("POST", f"{API}/invites", {"role": "judge"}, ORGANIZERS),
    ("POST", f"{API}/invites", {"role": "owner"}, OWNERS),
    ("DELETE", f"{API}/invites/{{invite}}", None, ORGANIZERS),
    ("POST", "/api/v1/join", {"secret": "{secret}"}, ACCOUNTS),
    ("GET", "/api/v1/me", None, ACCOUNTS),
    ("PUT", "/api/v1/me", {"display_name": "Somebody"}, ACCOUNTS),
    ("POST", f"{API}/watch", {"watching": True}, ACCOUNTS),
    ("GET", f"{API}/check-in", None, STAFF),
    ("POST", f"{API}/check-in/close", {"withdraw": []}, ORGANIZERS),
    ("POST", f"{API}/registrations/{{player_entry}}/check-in", {"code": ""}, STAFF),
    ("POST", f"{API}/registrations/{{player_entry}}/check-in", {"code": "{hall}"}, PLAYER),
    ("DELETE", f"{API}/registrations/{{player_entry}}/check-in", None, STAFF),
    ("GET", f"{API}/registrations/{{player_entry}}/entry", None, STAFF),
    ("PUT", f"{API}/registrations/{{player_entry}}/entry", {"name": "New"}, STAFF),
    ("PUT", f"{API}/registrations/{{player_entry}}/entry", {"name": "Player"}, STAFF | PLAYER),
    ("POST", f"{API}/registrations/{{player_entry}}/codes", None, STAFF),
    ("POST", f"{API}/registrations/{{waiting_entry}}/admit", {"reason": "room"}, ORGANIZERS),
    ("POST", f"{API}/registrations/{{player_entry}}/unclaim", {"reason": "wrong"}, ORGANIZERS),
    ("GET", f"{API}/penalties", None, STAFF),
    ("GET", f"{API}/registrations/{{player_entry}}/penalties", None, STAFF | PLAYER),
    ("POST", f"{API}/registrations/{{player_entry}}/penalties", {"infraction": "slow-play"}, JUDGES),
    ("POST", f"{API}/registrations/{{player_entry}}/penalties",
     {"infraction": "slow-play", "level": "match-loss", "reason": "repeated"}, {"head_judge"}),
    ("GET", f"{API}/registrations/{{player_entry}}/suggestions", None, JUDGES),
    ("POST", f"{API}/penalties/{{penalty}}/revoke", {"reason": "a mistake"}, {"judge", "head_judge"}),
    ("GET", f"{API}/deck-checks/coverage", None, STAFF),
    ("GET", f"{API}/calls", None, STAFF),
    ("POST", f"{API}/calls", {"table": 9, "subject": "rules"}, STAFF),
    ("POST", f"{API}/calls/{{call}}/claim", None, JUDGES),
    ("POST", f"{API}/calls/{{taken}}/release", None, JUDGES),
    ("POST", f"{API}/calls/{{taken}}/close", {"outcome": "Explained."}, JUDGES),
    ("POST", f"{API}/calls/{{call}}/withdraw", None, {"scorekeeper"}),
    ("GET", f"{API}/files/event.json", None, ORGANIZERS),
    ("GET", f"{API}/files/players.csv", None, ORGANIZERS),
    ("POST", f"{API}/names", {"text": "Dana", "enter": True}, STAFF),
    ("POST", f"{API}/names", {"text": "Dana"}, STAFF),
    ("GET", "/api/v1/event-files/schema", None, ALL),
    ("POST", f"{API}/claim", {"code": "{claim}"}, ACCOUNTS - {"player", "other"}),
]  # fmt: skip


@pytest.fixture
def people(make_user: Callable[..., Any]) -> dict[str, Any]:
    return {"nobody": None} | {who: make_user(who) for who in WHO if who != "nobody"}


@pytest.fixture
def event(people: dict[str, Any]) -> Event:
    """Check-in is open; one guest has an entry; the waiting list has one."""
    owner = people["owner"]
    event = make_event(owner)
    for who in ("organizer", "head_judge", "judge", "scorekeeper"):
        role = who.replace("_", "-")
        make_staff(event=event, user=people[who], role=role, by=owner, now=NOW)
    for who in ("player", "other"):
        revision = make_revision(people[who])
        services.player_register(event=event, user=people[who], revision=revision, by=people[who], now=NOW)
    services.player_register(event=event, user=None, name="Guest", by=owner, now=NOW)
    services.event_change(event=event, capacity=3, by=owner, now=NOW)
    services.player_register(event=event, user=None, name="Waiting", by=owner, now=NOW)
    return services.checkin_open(event=event, by=owner, now=NOW)


@pytest.fixture
def words(event: Event, make_user: Callable[..., Any], people: dict[str, Any]) -> dict[str, Any]:
    """What the routes' addresses and bodies name."""
    entries = {entry.name: entry for entry in Registration.objects.filter(event=event)}
    invite, secret = services.invite_make(event=event, role="judge", by=people["owner"], now=timezone.now())
    asked = services.staff_invite(
        event=event, user=make_user("asked"), role="judge", by=people["owner"], now=NOW
    )
    penalty = services.penalty_issue(
        registration=entries["Player"], infraction="tardiness", by=people["judge"], now=NOW
    )
    call, taken = (
        services.table_call_open(event=event, table=table, subject="rules", by=people["scorekeeper"], now=NOW)
        for table in (1, 2)
    )
    services.call_claim(call=taken, by=people["judge"], now=NOW)
    return {
        "asked": asked.pk,
        "call": call.pk,
        "taken": taken.pk,
        "penalty": penalty.pk,
        "player_entry": entries["Player"].pk,
        "waiting_entry": entries["Waiting"].pk,
        "presence": presence_code(entries["Player"]),
        "claim": claim_code(entries["Guest"]),
        "hall": event.checkin_code,
        "scorekeeper_row": Staff.objects.get(event=event, role="scorekeeper").pk,
        "organizer_row": Staff.objects.get(event=event, role="organizer").pk,
        "invite": invite.pk,
        "secret": secret,
    }


def test_everybody_is_let_in_or_refused(people: dict[str, User | None], words: dict[str, Any]) -> None:
    wrong = []
    for method, path, body, allowed in ROUTES:
        got = {who for who in WHO if _let_in(people[who], method, path, body, words)}
        if got != allowed:
            wrong.append(f"{method} {path} {body}: {sorted(got)}, not {sorted(allowed)}")
    assert not wrong, "\n".join(wrong)


def _let_in(user: User | None, method: str, path: str, body: Any, words: dict[str, Any]) -> bool:
    client = Client()
    if user is not None:
        client.force_login(user)
    path = path.format(**words)
    filled = {
        key: value.format(**words) if isinstance(value, str) else value for key, value in (body or {}).items()
    }
    cache.clear()
    with _undone():
        if path.startswith("/api/"):
            answer = client.generic(method, path, json.dumps(filled), "application/json")
        else:
            answer = client.generic("GET", path) if method == "GET" else client.post(path, filled)
    refused = answer.status_code in (401, 403) or _to_login(answer) or _to_own_page(answer, path)
    assert refused or answer.status_code < 400 or _by_code(answer), (answer.status_code, answer.content[:400])
    return not refused and answer.status_code < 400


def _to_login(answer: Any) -> bool:
    return answer.status_code == 302 and answer["Location"].startswith("/login")


def _to_own_page(answer: Any, path: str) -> bool:
    """A player who follows the code meant for staff is led to a page of the player's own."""
    return "/check-in/" in path and answer.status_code == 302 and answer.request["REQUEST_METHOD"] == "GET"


def _by_code(answer: Any) -> bool:
    """Refused not for who asks but for what the code is: staff has no use for the hall's, players need it."""
    return answer.status_code in (400, 404, 409)


@contextmanager
def _undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
