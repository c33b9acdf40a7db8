"""Everybody sends everything everywhere: nothing sent opens what the table of routes keeps shut; none is a 500."""

import os
import random
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.access import table
from tests.access.world import WHO, people, world

pytestmark = pytest.mark.django_db

REQUESTS = int(os.environ.get("ASSAULT_REQUESTS", "40"))  # of each role; other ones by ASSAULT_SEED
SHUT = {401, 403, 404}
COME_AND_GO = {"/login", "/logout"}  # all that leads anybody elsewhere than to the login
# What is no answer to any question.
VALUES: list[Any] = [
    "", " ", "0", "-1", "1e999", "99999999999999999999", "x" * 6000, "9" * 5000, "null", "\0",
    "\u202e", "\ufffe", "{{7*7}}",
    "<script>alert(1)</script>", "' OR 1=1 --", "../../etc/passwd", "2026-02-30", "owner", "true", "[]",
    None, True, -1, 2**63, 1.5, [], {}, [[]], {"a": {"b": [1]}}, ["x"] * 500, "\ud800",
]  # fmt: skip


@pytest.fixture(autouse=True)
def hooks_allowed(settings: Any) -> None:
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]
    settings.LIMITS = dict.fromkeys(settings.LIMITS, (1000000, 60))


@pytest.mark.parametrize("who", WHO)
def test_no_body_opens_a_door(who: str) -> None:
    seed = int(os.environ.get("ASSAULT_SEED", "1928"))
    chance = random.Random(seed)
    person = people()
    words = world(person)
    session, column = table.session_of(person.get(who)), WHO.index(who)
    changes = [row for row in table.rows() if row.method != "GET"]
    shown = {
        _page(row.address) for row in table.rows() if row.method == "GET" and row.statuses[column] == 200
    }
    wrong = []
    for _request in range(REQUESTS):
        row = chance.choice(changes)
        sent = replace(row, body=_garbled(row.body, row.address.startswith("/api/"), chance))
        got = table.answer(sent, session, words)
        usual = row.statuses[column]
        only_shown = got.status_code == 200 and _page(row.address) in shown
        opened = usual in SHUT and got.status_code < 400 and not only_shown
        asked_to_log_in = usual == 302 and who == "nobody" and row.address not in COME_AND_GO
        logged_in = asked_to_log_in and "/login" not in got.get("Location", "/login")
        if got.status_code >= 500 or opened or logged_in:
            wrong.append((row.method, row.address, sent.body, got.status_code))
    assert not wrong, (seed, wrong[:5])


def _page(address: str) -> str:
    """Equal for addresses of one kind, whichever row they name."""
    return re.sub(r"\{\w+\}", "{}", address)


def _garbled(body: dict[str, Any], json: bool, chance: random.Random) -> dict[str, Any]:
    """Some of it, some of it otherwise, some that nobody asked for; a page is sent texts."""
    values = VALUES if json else [one for one in VALUES if isinstance(one, str) and one.isascii()]
    told = {name: chance.choice(values) if chance.random() < 0.5 else value for name, value in body.items()}
    if told and chance.random() < 0.3:
        del told[chance.choice(list(told))]
    for name in ("do", "pk", "user", "role", "is_superuser", "slug", "number"):
        if chance.random() < 0.15:
            told[name] = chance.choice(values)
    return told
