"""Parts that renew themselves: 304 while nothing changed, the part alone when something did."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from rules import services as rules_services
from rules.tasks import adjudicate
from tests.rules.scenarios import SHOTGUN, different
from tests.web.conftest import World
from tournament import services

AsUser = Callable[[Any], Client]
POLL = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "live"}


def poll(client: Client, path: str, tag: str = "") -> Any:
    return client.get(path, headers={"HX-Request": "true", "HX-Target": "live", "If-None-Match": tag})


@pytest.mark.parametrize("page", ["", "match", "pairings", "standings", "control"])
def test_a_poll_costs_a_304_until_somebody_does_something(
    world: World, as_user: AsUser, page: str, now: datetime
) -> None:
    client = as_user(world.organizer)
    path = f"/events/kingsport/{page}"
    first = poll(client, path)
    assert first.status_code == 200
    assert b'id="live"' in first.content
    assert b"<html" not in first.content
    again = poll(client, path, first["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    services.result_report(match=world.match, by=world.ann, outcome="win", now=now)
    changed = poll(client, path, first["ETag"])
    assert changed.status_code == 200
    assert changed["ETag"] != first["ETag"]


def test_the_page_brings_the_tag_of_what_it_shows(world: World, as_user: AsUser) -> None:
    client = as_user(world.ann)
    page = client.get("/events/kingsport/match").content.decode()
    tag = poll(client, "/events/kingsport/match")["ETag"]
    assert tag.strip('"') in page


def test_one_persons_part_is_not_taken_for_anothers(world: World, as_user: AsUser) -> None:
    tag = poll(as_user(world.ann), "/events/kingsport/match")["ETag"]
    assert poll(as_user(world.bo), "/events/kingsport/match", tag).status_code == 200


def test_a_304_renders_nothing_and_asks_little(
    world: World, as_user: AsUser, django_assert_max_num_queries: Any
) -> None:
    client = as_user(world.ann)
    tag = poll(client, "/events/kingsport/pairings")["ETag"]
    with django_assert_max_num_queries(5):  # session, user, event, round, version
        assert poll(client, "/events/kingsport/pairings", tag).status_code == 304


def test_a_dispute_is_polled_while_the_engine_works_and_not_afterwards(
    world: World, as_user: AsUser, now: datetime
) -> None:
    client = as_user(world.judge)
    dispute = rules_services.dispute_file(
        by=world.judge, title="Another", source=different(SHOTGUN, 5), now=now
    )
    path = f"/rules/disputes/{dispute.pk}"
    waiting = poll(client, path)
    assert 'hx-trigger="every 2s"' in waiting.content.decode()
    assert poll(client, path, waiting["ETag"]).status_code == 304
    adjudicate(dispute.adjudications.get().pk)
    answered = poll(client, path, waiting["ETag"]).content.decode()
    assert "hx-trigger" not in answered
    assert "Bo may use Field Researcher." in answered
    assert 'id="agrees" hx-swap-oob="true"' in answered
