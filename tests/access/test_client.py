"""The client of docs/client against a real server."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from config import jobs
from tests.rules.scenarios import SHOTGUN
from tests.tournament.factories import LEGAL, NOW, enter, make_event, player_of
from tournament import services
from tournament.models import Match
from tournament.services.outside import webhooks

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "client"


def loaded(name: str) -> Any:
    """A file of docs/client, as somebody imports it who has put it beside their own."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


client = loaded("headjudge")
whole_event = loaded("whole_event")


@pytest.fixture
def match(live_server: Any, organizer: Any) -> Match:
    event = make_event(organizer)
    enter(event, 2)
    services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    return Match.objects.get(round__event=event)


def test_reading_reporting_and_being_refused(live_server: Any, match: Match) -> None:
    player = player_of(match, 1)
    _token, secret = services.token_make(person=player, name="x", scopes=["play"], now=timezone.now())
    site = client.Headjudge(live_server.url, token=secret)
    assert [one["name"] for one in site.pages("/events", state="running")] == ["Kingsport Open"]
    assert site.event("kingsport") == site.event("kingsport")  # the second is a 304
    assert [one["id"] for one in site.matches("kingsport", 1)] == [match.pk]
    assert site.report(match.pk, "win")["state"] == "reported"
    with pytest.raises(client.Problem) as refused:
        site.change("POST", "/events/kingsport/rounds", {})
    assert (refused.value.status, refused.value.code) == (403, "token-scope")
    assert len(site.standings("kingsport")) == 2


def test_without_a_token_lists_and_scenarios_are_answered(live_server: Any) -> None:
    site = client.Headjudge(live_server.url)
    assert site.validate(LEGAL, "coc-lcg")["report"]["verdict"] == "legal"
    assert site.adjudicate(SHOTGUN)["status"] == "determined"


def test_the_example_plays_a_whole_event(
    live_server: Any, organizer: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Made, entered, paired, reported, asked about, taken away as files and read in again."""
    monkeypatch.setattr("config.jobs.verbs.send", jobs.work_off)  # the worker's part, done at once
    scopes = ["staff", "play", "decks"]
    _token, secret = services.token_make(person=organizer, name="x", scopes=scopes, now=timezone.now())
    whole_event.main(client.Headjudge(live_server.url, token=secret))
    said = capsys.readouterr().out
    assert "answered: Next to act: Bo." in said
    assert "012 Arkham Open" in said
    assert "read in again: arkham-open-again" in said


def test_a_webhooks_message_is_proved(organizer: Any, db: None, settings: Any) -> None:
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]
    event = make_event(organizer)
    webhook, secret = services.webhook_add(
        event=event, address="https://hooks.example.org/", kinds=["ruling.filed"], by=organizer, now=NOW
    )
    now = timezone.now()
    signature, body = webhooks.signed(webhook, b"{}", now), b"{}"
    assert client.is_genuine(secret, signature, body)
    assert not client.is_genuine(secret, signature, b"{ }")
    assert not client.is_genuine("whsec_other", signature, body)
    assert not client.is_genuine(secret, signature, body, now=now.timestamp() + 301)
    assert not client.is_genuine(secret, "nonsense", body)
