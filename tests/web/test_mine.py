"""What the new pages tell: a player's own event, the floor in three densities, the log that finds things."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from tests.web.conftest import World
from tournament import services

AsUser = Callable[[Any], Client]


def text(response: Any) -> str:
    return str(response.content.decode())


def test_a_player_is_told_what_others_did(world: World, as_user: AsUser, now: datetime) -> None:
    services.result_decide(match=world.match, by=world.organizer, outcome="win", reason="slip", now=now)
    services.time_extend(
        match=world.match, minutes=3, cause="other", reason="a spill", by=world.judge, now=now
    )
    page = text(as_user(world.ann).get("/events/kingsport/mine"))
    for told in (
        "the staff decided the result",
        "slip",
        "3 more minutes",
        "a spill",
        "Slow play",
        "Rank 1 of 2",
    ):
        assert told in page, told
    assert "the staff decided the result" in text(as_user(world.ann).get("/"))


def test_nobody_is_told_of_anothers_penalty(world: World, as_user: AsUser) -> None:
    assert "Slow play" not in text(as_user(world.bo).get("/events/kingsport/mine"))
    assert "Slow play" not in text(as_user(world.bo).get("/"))


def test_what_a_player_does_alone_is_no_news(world: World, as_user: AsUser, now: datetime) -> None:
    services.result_report(match=world.match, by=world.bo, outcome="loss", now=now)
    assert "is told here" in text(as_user(world.bo).get("/events/kingsport/mine"))


@pytest.mark.parametrize("density", ["dense", "names", "full"])
def test_the_floor_shows_a_table_and_that_it_wants_a_judge(
    world: World, as_user: AsUser, density: str
) -> None:
    page = text(as_user(world.judge).get(f"/events/kingsport/tables?as={density}"))
    assert 'class="is-call is-waiting"' in page
    assert ("Ann" in page) == (density != "dense")


def test_the_floor_is_narrowed(world: World, as_user: AsUser, now: datetime) -> None:
    judge = as_user(world.judge)
    assert "No table is like that now." in text(judge.get("/events/kingsport/tables?show=reported"))
    services.result_report(match=world.match, by=world.ann, outcome="win", now=now)
    assert "is-reported" in text(judge.get("/events/kingsport/tables?show=reported"))
    assert "is-reported" in text(judge.get("/events/kingsport/tables?show=look"))  # the call is still open
    assert "is-reported" in text(judge.get("/events/kingsport/tables?as=nonsense&show=nonsense"))


@pytest.mark.parametrize(
    ("query", "found", "missing"),
    [
        ("paired", "paired and published", "gave a penalty"),  # a verb, in the asker's words
        ("Bo", "registered a player: Bo", "gave a penalty"),  # whom it is about
        ("slow-play", "gave a penalty: Ann", "paired and published"),  # what was written down
        ("judge", "gave a penalty: Ann", "registered a player"),  # who did it
        ("no such thing", "Nothing found", "registered a player"),
    ],
)
def test_the_log_finds(world: World, as_user: AsUser, query: str, found: str, missing: str) -> None:
    page = text(as_user(world.organizer).get("/events/kingsport/log", {"q": query}))
    said = " ".join(page.replace("<b>", "").replace("</b>", "").split())
    assert found in said
    assert missing not in said


def test_the_log_goes_on_where_it_ended(world: World, as_user: AsUser, now: datetime) -> None:
    for number in range(30):
        services.player_register(
            event=world.event, user=None, name=f"Guest {number}", by=world.organizer, now=now
        )
    first = text(as_user(world.organizer).get("/events/kingsport/log?q=guest"))
    assert first.count("<time ") == 50
    older = first.partition("before=")[2].partition('"')[0]
    second = text(as_user(world.organizer).get(f"/events/kingsport/log?q=guest&before={older}"))
    assert 0 < second.count("<time ") < 50
    assert ">Older<" not in second


def test_the_log_asks_little(world: World, as_user: AsUser, django_assert_max_num_queries: Any) -> None:
    organizer = as_user(world.organizer)
    with django_assert_max_num_queries(18):
        organizer.get("/events/kingsport/log?q=ann")


def test_staff_is_told_where_each_event_stands(world: World, as_user: AsUser, now: datetime) -> None:
    assert "0 of 1 tables are settled" in text(as_user(world.organizer).get("/"))
    judges = text(as_user(world.judge).get("/"))
    assert "1 judge call waits" in judges
    assert f'href="/rules/disputes/{world.dispute.pk}">1 dispute waits for a ruling' in judges
    assert "waits for a ruling" not in text(as_user(world.ann).get("/"))
    services.ruling_give(
        match=world.match, verdict="It stands.", dispute=world.dispute, by=world.judge, now=now
    )
    assert "waits for a ruling" not in text(as_user(world.judge).get("/"))
    services.result_decide(match=world.match, by=world.organizer, outcome="win", reason="slip", now=now)
    assert "every table has its result" in text(as_user(world.organizer).get("/"))
