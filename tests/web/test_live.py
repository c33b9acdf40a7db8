"""Parts that renew themselves: 304 while nothing changed, the part alone when something did."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from rules import services as rules_services
from rules.tasks import adjudicate
from tests.rules.scenarios import SHOTGUN, different
from tests.tournament import factories
from tests.web.conftest import World
from tournament import services
from tournament.selectors import current_match, current_round, round_matches

AsUser = Callable[[Any], Client]
POLL = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "live"}


def poll(client: Client, path: str, tag: str = "") -> Any:
    return client.get(path, headers={"HX-Request": "true", "HX-Target": "live", "If-None-Match": tag})


@pytest.mark.parametrize("page", ["", "match", "pairings", "standings", "control"])
def test_a_poll_costs_a_304_until_somebody_does_something(
    world: World, as_user: AsUser, page: str, now: datetime
) -> None:
    client = as_user(world.ann if page == "match" else world.organizer)
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
    with django_assert_max_num_queries(6):  # session, user, event, round, version, clock
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


def test_a_poll_to_which_nothing_happened_asks_for_nobody(
    world: World, as_user: AsUser, django_assert_max_num_queries: Any, now: datetime
) -> None:
    """Neither session nor person nor event: only whether anything was written since."""
    client = as_user(world.ann)
    client.get("/events/kingsport/match")  # which brings the cookies that the polls then have
    tag = poll(client, "/events/kingsport/match")["ETag"]
    with django_assert_max_num_queries(2):
        again = poll(client, "/events/kingsport/match", tag)
    assert (again.status_code, again["ETag"], again["Cache-Control"]) == (304, tag, "private, no-cache")
    services.result_report(match=world.match, by=world.bo, outcome="win", now=now)
    assert poll(client, "/events/kingsport/match", tag).status_code == 200


def test_what_one_asker_knows_answers_nobody_else(world: World, as_user: AsUser) -> None:
    tag = poll(as_user(world.organizer), "/events/kingsport/control")["ETag"]
    assert poll(as_user(world.ann), "/events/kingsport/control", tag).status_code == 403
    assert poll(as_user(None), "/events/kingsport/control", tag).status_code == 302


def test_what_happens_at_another_table_does_not_wake_mine(
    world: World, as_user: AsUser, now: datetime
) -> None:
    names = [
        services.player_register(event=world.event, user=None, name=name, by=world.organizer, now=now)
        for name in ("Cleo", "Dov")
    ]
    assert len(names) == 2
    services.call_withdraw(call=world.call, by=world.ann, now=now)
    services.result_decide(match=world.match, by=world.organizer, outcome="win", reason="slip", now=now)
    services.round_pair(event=world.event, by=world.organizer, seed=2, now=now)
    client = as_user(world.ann)
    mine, round = current_match(world.ann, world.event), current_round(world.event)
    assert mine is not None and round is not None
    other = next(m for m in round_matches(round) if m.pk != mine.pk and m.table is not None)
    tag = poll(client, "/events/kingsport/match")["ETag"]
    services.result_decide(match=other, by=world.organizer, outcome="win", reason="slip", now=now)
    assert poll(client, "/events/kingsport/match", tag).status_code == 304
    services.time_extend(match=mine, minutes=3, cause="judge-call", by=world.judge, now=now)
    assert poll(client, "/events/kingsport/match", tag).status_code == 200


def test_a_phone_is_not_looked_up_for_what_happens_elsewhere(
    world: World, as_user: AsUser, django_assert_max_num_queries: Any, now: datetime
) -> None:
    """Reports come in all the time while a round is played: a phone at another table is answered from memory."""
    for name in ("Cleo", "Dov"):
        services.player_register(event=world.event, user=None, name=name, by=world.organizer, now=now)
    services.call_withdraw(call=world.call, by=world.ann, now=now)
    services.result_decide(match=world.match, by=world.organizer, outcome="win", reason="slip", now=now)
    services.round_pair(event=world.event, by=world.organizer, seed=2, now=now)
    mine, round = current_match(world.ann, world.event), current_round(world.event)
    assert mine is not None
    assert round is not None
    other = next(one for one in round_matches(round) if one.pk != mine.pk and one.table is not None)
    client, path = as_user(world.ann), "/events/kingsport/match"
    client.get(path)
    tag = poll(client, path)["ETag"]
    for outcome in ("win", "draw"):
        services.result_decide(match=other, by=world.organizer, outcome=outcome, reason="slip", now=now)
        with django_assert_max_num_queries(3):  # what was written, and nobody's session
            assert poll(client, path, tag).status_code == 304
    services.result_decide(match=mine, by=world.organizer, outcome="win", reason="slip", now=now)
    assert poll(client, path, tag).status_code == 200


@pytest.mark.parametrize("page", ["match", "pairings", "standings"])
def test_what_concerns_a_page_is_seen_whatever_was_written_before(
    world: World, as_user: AsUser, page: str, now: datetime
) -> None:
    client, path = as_user(world.ann), f"/events/kingsport/{page}"
    client.get(path)
    tag = poll(client, path)["ETag"]
    elsewhere = factories.make_event(world.visitor, slug="dunwich")
    services.player_register(event=elsewhere, user=world.bo, by=world.bo, now=now)
    assert poll(client, path, tag).status_code == 304
    services.result_report(match=world.match, by=world.bo, outcome="win", now=now)
    assert poll(client, path, tag).status_code == 200
