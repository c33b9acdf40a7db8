"""What the new pages tell: a player's own event, the floor in three densities, the log that finds things."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from tests.markup import tight
from tests.tournament.factories import make_staff
from tests.web.conftest import World
from tournament import services
from tournament.selectors.audit_log import KINDS
from tournament.templatetags.ui import VERBS

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
        "event staff decided the result",
        "slip",
        "3-minute time extension",
        "a spill",
        "Slow play",
        "Rank 1 of 2",
    ):
        assert told in page, told
    assert "event staff decided the result" in text(as_user(world.ann).get("/"))


def test_nobody_is_told_of_anothers_penalty(world: World, as_user: AsUser) -> None:
    assert "Slow play" not in text(as_user(world.bo).get("/events/kingsport/mine"))
    assert "Slow play" not in text(as_user(world.bo).get("/"))


def test_what_a_player_does_alone_is_no_news(world: World, as_user: AsUser, now: datetime) -> None:
    services.result_report(match=world.match, by=world.bo, outcome="loss", now=now)
    assert "will appear here" in text(as_user(world.bo).get("/events/kingsport/mine"))


@pytest.mark.parametrize("density", ["dense", "names", "full"])
def test_the_floor_shows_a_table_and_that_it_wants_a_judge(
    world: World, as_user: AsUser, density: str
) -> None:
    page = text(as_user(world.judge).get(f"/events/kingsport/tables?as={density}"))
    assert 'class="is-call is-waiting"' in page
    assert ("Ann" in page) == (density != "dense")


def test_the_floor_is_narrowed(world: World, as_user: AsUser, now: datetime) -> None:
    judge = as_user(world.judge)
    assert "No tables match." in text(judge.get("/events/kingsport/tables?show=reported"))
    services.result_report(match=world.match, by=world.ann, outcome="win", now=now)
    assert "is-reported" in text(judge.get("/events/kingsport/tables?show=reported"))
    assert "is-reported" in text(judge.get("/events/kingsport/tables?show=look"))  # the call is still open
    assert "is-reported" in text(judge.get("/events/kingsport/tables?as=nonsense&show=nonsense"))


@pytest.mark.parametrize(
    ("query", "found", "missing"),
    [
        ("paired", "paired and published", "gave a penalty"),  # a verb, in the asker's words
        ("Bo", "Bo entered", "gave a penalty"),  # whom it is about
        ("slow-play", "gave a penalty: Ann", "paired and published"),  # what was written down
        ("judge", "gave a penalty: Ann", "entered"),  # who did it
        ("no such thing", "Nothing found", "entered"),
    ],
)
def test_the_log_finds(world: World, as_user: AsUser, query: str, found: str, missing: str) -> None:
    page = text(as_user(world.organizer).get("/events/kingsport/log", {"q": query}))
    said = " ".join(re.sub(r"</?(a|b)\b[^>]*>", "", page).split())
    assert found in said
    assert missing not in said


def test_a_line_of_the_log_says_who_did_what_to_whom_and_where(
    world: World, as_user: AsUser, now: datetime
) -> None:
    event, by = world.event, world.organizer
    services.result_decide(match=world.match, outcome="win", reason="Slip", by=by, now=now)
    services.time_extend(match=world.match, minutes=4, cause="judge-call", by=world.judge, now=now)
    services.event_change(event=event, capacity=40, venue="Town hall", by=by, now=now)
    staff = event.staff.get(user=world.judge)
    services.staff_remove(staff=staff, by=by, now=now)
    services.deck_register(
        registration=world.entry(world.bo), revision=None, override="Left at home", by=by, now=now
    )
    match, table = f"/matches/{world.match.pk}", f"Round 1 · table {world.match.table}"
    names = " – ".join(seat.registration.name for seat in world.match.seats.order_by("side"))
    winner = world.match.seats.get(side=1).registration.name
    bo = f"/events/kingsport/players/{world.entry(world.bo).pk}"
    lines = _lines(as_user(by).get("/events/kingsport/log"))
    assert lines[:6] == [
        f"Organizer submitted a decklist: <a href={bo}>Bo</a> (No deck)",
        "Organizer removed a role: Judge (Judge)",
        "Organizer changed the settings (Player cap: – → 40; Venue: – → Town hall)",
        f"Judge gave a time extension: <a href={match}>{names} · {table}</a> (+4 min)",
        f"Organizer decided a result: <a href={match}>{names} · {table}</a> ({winner} won)",
        f"Ann called a judge: <a href=/events/kingsport/calls/{world.call.pk}>table {world.match.table}</a>",
    ]
    assert "Ann entered" in lines  # by herself: nobody registered her
    assert _lines(as_user(by).get("/events/kingsport/control")) == lines[:8]  # and lately, beside the round


@pytest.mark.django_db
def test_every_line_of_the_log_can_be_told(everything: Any, as_user: AsUser) -> None:
    person, _words = everything
    lines = _lines(as_user(person["owner"]).get("/events/kingsport/log"))
    told = [line for line in lines if ":" in line or "(" in line or line.endswith(" entered")]
    assert [line for line in lines if line not in told] == ["Owner announced the event"]


def test_the_desk_is_not_told_what_judges_write_about_a_table(
    world: World, as_user: AsUser, now: datetime
) -> None:
    services.statement_make(match=world.match, text="He passed.", by=world.ann, now=now)
    make_staff(event=world.event, user=world.bo, role="scorekeeper", by=world.organizer, now=now)
    assert "made a statement" in text(as_user(world.organizer).get("/events/kingsport/log"))
    assert "made a statement" not in text(as_user(world.bo).get("/events/kingsport/control"))


def _lines(answer: Any) -> list[str]:
    """The lines of a log on a page, with their links and without other markup."""
    log = text(answer).partition('<ul class="log">')[2].partition("</ul>")[0]
    said = [line.partition("<time")[0] for line in log.split("<li>")[1:]]
    return [" ".join(re.sub(r"</?(b|span|q)[^>]*>", "", line).replace('"', "").split()) for line in said]


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
    assert ">Older<" not in tight(second)


@pytest.mark.parametrize(
    ("kind", "found", "missing"),
    [
        ("judging", "gave a penalty", "paired and published"),
        ("rounds", "paired and published", "gave a penalty"),
        ("players", "Ann</b> entered", "paired and published"),
        ("nonsense", "paired and published", "Nothing found"),
        ("results", "No entries of this kind yet.", "paired and published"),
    ],
)
def test_the_log_is_narrowed_to_a_kind(
    world: World, as_user: AsUser, kind: str, found: str, missing: str
) -> None:
    page = text(as_user(world.organizer).get("/events/kingsport/log", {"kind": kind}))
    assert found in page
    assert missing not in page


def test_a_kind_of_the_log_is_searched_and_goes_on(world: World, as_user: AsUser, now: datetime) -> None:
    for number in range(60):
        services.player_register(
            event=world.event, user=None, name=f"Guest {number}", by=world.organizer, now=now
        )
    first = text(as_user(world.organizer).get("/events/kingsport/log?kind=players&q=guest"))
    assert '<input type="hidden" name="kind" value="players">' in first
    assert "?q=guest&amp;kind=players&amp;before=" in first
    assert "?q=guest&amp;kind=judging" in first


def test_every_verb_of_an_event_is_of_one_kind() -> None:
    of_accounts = {
        "account_close", "account_reopen", "email_tell", "email_confirm", "email_forget", "link_use", "password_choose",
    }  # fmt: skip
    kinds = [verb for verbs in KINDS.values() for verb in verbs]
    assert sorted(kinds) == sorted(set(VERBS) - of_accounts)


def test_the_log_asks_little(world: World, as_user: AsUser, django_assert_max_num_queries: Any) -> None:
    organizer = as_user(world.organizer)
    with django_assert_max_num_queries(18):
        organizer.get("/events/kingsport/log?q=ann")


def test_staff_is_told_where_each_event_stands(world: World, as_user: AsUser, now: datetime) -> None:
    assert "0\u00a0of\u00a01 tables have a result" in text(as_user(world.organizer).get("/"))
    judges = text(as_user(world.judge).get("/"))
    assert "1 judge call waiting" in judges
    assert f'href="/rules/disputes/{world.dispute.pk}"' in judges
    assert "1 dispute needs a ruling" in judges
    assert "waits for a ruling" not in text(as_user(world.ann).get("/"))
    services.ruling_give(
        match=world.match, verdict="It stands.", dispute=world.dispute, by=world.judge, now=now
    )
    assert "waits for a ruling" not in text(as_user(world.judge).get("/"))
    services.result_decide(match=world.match, by=world.organizer, outcome="win", reason="slip", now=now)
    assert "every table has a result" in text(as_user(world.organizer).get("/"))
