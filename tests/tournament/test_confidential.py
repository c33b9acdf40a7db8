"""A player never fetches the other's statement, a judge's remark or an unruled answer: by page, API or guessed id.

Every GET route of the service is asked by everybody who might, with every id that exists; what is secret is a word that
stands nowhere else, so that a new page that leaks one fails here by itself.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from rules import tasks
from rules.models import Adjudication
from rules.services import ruling_file
from tests.rules.scenarios import SHOTGUN
from tests.tournament.factories import NOW, enter, make_event, make_staff, player_of
from tournament import services
from tournament.models import AuditRow, Event, Match, User
from tournament.selectors import round_matches

pytestmark = pytest.mark.django_db

MINE, THEIRS, NOTE, ADVICE, ASKED = "plum-mine", "plum-theirs", "plum-note", "plum-advice", "plum-asked"
ANSWER = "Bo may use Field Researcher."
NUMBERS = range(
    1, 4
)  # the ids of every match, call, statement, remark, dispute and run of the small event below
ELSEWHERE = (
    "/decks/",
    "/policies/",
    "/rules/<",
    "/rules/table/",
    "/style",
    "/log",
    "/sign-up",
    "/api/v1/schema",
    "/api/docs",
    "/api/v1/systems",
    "/api/v1/scenario-schema",
    "/api/v1/catalogs",
    "/favicon.ico",
)


@pytest.fixture
def event(organizer: Any, judge: Any) -> Event:
    event = make_event(organizer)
    make_staff(event=event, user=judge, role="judge", by=organizer, now=NOW)
    enter(event, 4)
    services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    return event


@pytest.fixture
def match(event: Event) -> Match:
    return round_matches(event.rounds.get())[0]


@pytest.fixture
def secrets(match: Match, judge: Any) -> Match:
    """A call, both statements, a note, advice with the engine's answer attached, and no ruling."""
    services.call_open(match=match, subject="rules", by=player_of(match, 1), now=NOW)
    services.statement_make(match=match, text=MINE, by=player_of(match, 1), now=NOW)
    services.statement_make(match=match, text=THEIRS, by=player_of(match, 2), now=NOW)
    filed = services.dispute_file(match=match, by=judge, title=ASKED, source=SHOTGUN, now=NOW)
    job = filed.dispute.adjudications.get()
    tasks.adjudicate(job.pk)
    services.remark_make(about=match, kind="note", text=NOTE, by=judge, now=NOW)
    services.remark_make(about=match, kind="consult", text=ADVICE, adjudication=job, by=judge, now=NOW)
    answer: Any = Adjudication.objects.get().answer
    assert answer["sentence"].startswith(ANSWER)
    return match


def everything(user: User | None) -> Iterator[tuple[str, str]]:
    """(address, what stands there) for every GET route with every id."""
    client = Client()
    if user is not None:
        client.force_login(user)
    for pattern in _patterns():
        if pattern.startswith(ELSEWHERE):
            continue
        for number in NUMBERS if "<int:pk>" in pattern else [0]:
            path = pattern.replace("<slug:slug>", "kingsport").replace("<int:pk>", str(number))
            path = (
                path.replace("<int:number>", "1")
                .replace("<slug:key>", "coc-lcg")
                .replace("<str:name>", "event.json")
            )
            if "<" in path:
                continue
            for query in ("", "?kind=note", "?q=plum", "?run=1", "?dispute=1"):
                if query and not any(part in path for part in ("remarks", "precedents", "dispute", "rule")):
                    continue
                answer = client.get(path + query)
                yield path + query, answer.content.decode(errors="replace") if not answer.streaming else ""


def _patterns(resolver: Any = None, before: str = "/") -> Iterator[str]:
    for entry in (resolver or get_resolver()).url_patterns:
        path = before + str(entry.pattern).lstrip("^").rstrip("$")
        if isinstance(entry, URLResolver):
            yield from _patterns(entry, path)
        elif isinstance(entry, URLPattern) and "static" not in path:
            yield path


def seen(user: User | None) -> dict[str, str]:
    """Secret -> the first address at which somebody reads it."""
    found: dict[str, str] = {}
    for path, text in everything(user):
        for secret in (MINE, THEIRS, NOTE, ADVICE, ASKED, ANSWER):
            if secret in text:
                found.setdefault(secret, path)
    return found


def test_a_player_reads_the_own_statement_and_nothing_else(secrets: Match) -> None:
    assert set(seen(player_of(secrets, 1))) == {MINE}
    assert set(seen(player_of(secrets, 2))) == {THEIRS}


def test_neither_does_a_player_who_is_on_the_staff(secrets: Match, event: Event, organizer: Any) -> None:
    make_staff(event=event, user=player_of(secrets, 1), role="head-judge", by=organizer, now=NOW)
    assert set(seen(player_of(secrets, 1))) == {MINE}


def test_nobody_else_reads_anything(secrets: Match, event: Event, make_user: Any, organizer: Any) -> None:
    keeper = make_user("keeper")
    make_staff(event=event, user=keeper, role="scorekeeper", by=organizer, now=NOW)
    other = player_of(round_matches(event.rounds.get())[1], 1)
    for somebody in (None, other, keeper):
        assert seen(somebody) == {}


def test_the_judges_read_all_of_it(secrets: Match, judge: Any) -> None:
    """So that the search above is known to look where it must."""
    assert set(seen(judge)) == {MINE, THEIRS, NOTE, ADVICE, ASKED, ANSWER}


def test_after_the_ruling_the_players_read_the_answer_and_still_no_remark(secrets: Match, judge: Any) -> None:
    dispute = secrets.match_disputes.get().dispute
    ruling_file(dispute=dispute, by=judge, verdict="So be it.", now=NOW)
    assert set(seen(player_of(secrets, 2))) == {THEIRS, ASKED, ANSWER}


def test_nobody_writes_into_the_file_of_a_table_who_may_not_read_it(
    secrets: Match, event: Event, visitor: Any
) -> None:
    other = player_of(round_matches(event.rounds.get())[1], 1)
    client = Client()
    for somebody in (visitor, other, player_of(secrets, 1)):
        client.force_login(somebody)
        for path, body in (
            (f"/api/v1/matches/{secrets.pk}/remarks", {"kind": "consult", "text": "x"}),
            (f"/api/v1/matches/{secrets.pk}/rulings", {"verdict": "I win."}),
        ):
            answer = client.post(path, json.dumps(body), "application/json")
            assert answer.status_code in (403, 404), (somebody, path)
        for path in (f"/matches/{secrets.pk}/file", f"/matches/{secrets.pk}/rule"):
            assert client.post(path, {"do": "consult", "text": "x", "verdict": "x"}).status_code in (403, 404)


def test_the_log_holds_no_word_of_it(secrets: Match) -> None:
    told = " ".join(f"{row.reason} {row.data}" for row in AuditRow.objects.all())
    assert "plum" not in told
