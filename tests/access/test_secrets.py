"""What is secret never reaches a log, whatever happens to the request that carries it."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from config import outbound
from tests.access.world import people, world
from tournament import services
from tournament.models import User
from tournament.services.outside import webhooks

PASSWORD = "Uncommon-horse-77"
STATEMENT = "Bo looked at my hand while I was away"


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """Everything that is logged, at the loudest, as a file would have it: messages, arguments and traces."""
    caplog.set_level(logging.DEBUG)
    for name in ("django", "django.request", "django.db.backends", "celery", "config", "tournament", "rules"):
        monkeypatch.setattr(logging.getLogger(name), "propagate", True)
        caplog.set_level(logging.DEBUG, logger=name)
    formatter = logging.Formatter("%(name)s %(levelname)s %(message)s")
    return lambda: "\n".join(
        formatter.format(record)
        for record in caplog.records
        if not record.name.startswith("django.db.backends")
    )


@pytest.mark.django_db
def test_no_secret_is_logged(
    logged: Callable[[], str], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]
    settings.SLOW_QUERY_MS = 0.000001  # every query is slow
    person = people()
    words = world(person)
    player: User = person["player"]
    player.set_password(PASSWORD)
    player.save()
    client = Client(raise_request_exception=False)
    assert client.post("/login", {"username": "player", "password": PASSWORD}).status_code == 302
    client.post("/login", {"username": "player", "password": f"{PASSWORD}-wrong"})
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    _token, bearer = services.token_make(person=player, name="Bot", scopes=["play"], now=timezone.now())
    webhook, signing = services.webhook_add(
        event=_event(person),
        address="https://hooks.example.org/?key=in-the-address",
        kinds=["ruling.filed"],
        by=person["owner"],
        now=timezone.now(),
    )
    headers = {"Authorization": f"Bearer {bearer}"}
    address = f"/api/v1/matches/{words['match']}/statements"
    said = {"text": STATEMENT}
    assert client.post(address, said, "application/json", headers=headers).status_code == 201
    client.post(address, "{broken" + STATEMENT, "application/json", headers=headers)
    client.get("/api/v1/me", headers={"Authorization": f"Bearer {bearer}x"})
    client.get("/api/v1/no-such-page", headers=headers)

    def broken(*_given: Any, **_more: Any) -> None:
        raise RuntimeError("the disk spoke")

    monkeypatch.setattr(services, "statement_make", broken)
    assert client.post(address, said, "application/json", headers=headers).status_code == 500
    monkeypatch.setattr(outbound, "post", broken)
    webhooks.tell(event=_event(person), kind="ruling.filed", data={"text": STATEMENT}, now=timezone.now())

    text = logged()
    assert "the disk spoke" in text, "nothing was logged at all"
    for secret in (PASSWORD, session, bearer, bearer[3:], signing, STATEMENT, player.password):
        assert secret not in text, secret[:4]
    assert words["secret"] not in text
    assert webhook.pk


def _event(person: dict[str, User]) -> Any:
    from tournament.models import Event

    return Event.objects.get(slug="kingsport")
