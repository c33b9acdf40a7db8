"""Events through the API: the main job, who may do what, bad input, and queries that do not grow."""

import json
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from rules.models import Dispute
from tests.access.world import undone
from tests.tournament.factories import (
    ILLEGAL,
    NOW,
    enter,
    make_event,
    make_revision,
    make_staff,
    play,
    player_of,
    report_all,
)
from tournament import services
from tournament.models import Event, Match, MatchDispute, Registration, Report
from tournament.selectors import round_matches

pytestmark = pytest.mark.django_db
API = "/api/v1"
EVENT = {
    "name": "Kingsport Open",
    "slug": "kingsport",
    "starts_on": "2026-11-21",
    "format": "coc-lcg",
    "format_on": "2026-11-21",
    "policy_key": "coc-lcg",
}


@pytest.fixture
def ask() -> Callable[..., Any]:
    """ask(user, "POST", "/events", {...}) -> response; user None is a stranger."""

    def send(user: Any, method: str, path: str, body: Any = None) -> Any:
        client = Client()
        if user is not None:
            client.force_login(user)
        data = "" if body is None else json.dumps(body)
        return client.generic(method, API + path, data, "application/json")

    return send


def test_an_event_from_opening_to_standings(
    ask: Callable[..., Any], organizer: Any, judge: Any, ann: Any, bo: Any
) -> None:
    assert ask(organizer, "POST", "/events", EVENT).status_code == 201
    asked = ask(organizer, "POST", "/events/kingsport/staff", {"username": "judge", "role": "judge"})
    assert asked.status_code == 201
    accepted = ask(judge, "POST", f"/me/invitations/{asked.json()['id']}", {"answer": "accept"})
    assert accepted.status_code == 200
    for player in (ann, bo):
        revision = make_revision(player)
        entered = ask(player, "POST", "/events/kingsport/registrations", {"revision": revision.pk})
        assert entered.status_code == 201
        assert entered.json()["registered_deck"]["verdict"] == "legal"
    guest = ask(organizer, "POST", "/events/kingsport/registrations", {"name": "Old Wilma", "guest": True})
    assert guest.status_code == 201

    paired = ask(organizer, "POST", "/events/kingsport/rounds", {"number": 1})
    assert paired.status_code == 201
    again = ask(organizer, "POST", "/events/kingsport/rounds", {"number": 1})
    assert (again.status_code, again.json()["code"]) == (409, "already-paired")
    matches = ask(None, "GET", "/events/kingsport/rounds/1/matches").json()["results"]
    assert [match["state"] for match in matches] == ["waiting", "bye"]
    match = matches[0]["id"]

    one, two = (player_of_side(match, side) for side in (1, 2))
    if one is not None:
        assert ask(one, "POST", f"/matches/{match}/reports", {"outcome": "win"}).json()["state"] == "reported"
    if two is not None:
        ask(two, "POST", f"/matches/{match}/reports", {"outcome": "win"})
    decided = ask(judge, "POST", f"/matches/{match}/decision", {"outcome": "timed-win", "reason": "seen"})
    assert decided.json()["state"] == "decided"
    assert [seat["outcome"] for seat in decided.json()["seats"]] == ["timed-win", "timed-loss"]

    assert ask(organizer, "POST", "/events/kingsport/rounds/1/finish").status_code == 200
    standings = ask(None, "GET", "/events/kingsport/standings").json()
    assert standings["count"] == 3
    assert sorted(row["points"] for row in standings["results"]) == [1, 4, 5]
    sos = next(value for value in standings["results"][0]["values"] if value["key"] == "sos")
    assert set(sos) == {"key", "text", "exact"}


def player_of_side(match: int, side: int) -> Any:
    return Match.objects.get(pk=match).seats.get(side=side).registration.user


@pytest.fixture
def event(organizer: Any, judge: Any) -> Event:
    event = make_event(organizer)
    make_staff(event=event, user=judge, role="judge", by=organizer, now=NOW)
    enter(event, 5)
    services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    return event


@pytest.fixture
def match(event: Event) -> Match:
    return round_matches(event.rounds.get())[0]


# Who: stranger, visitor, another player, a player of match / entry, judge, organizer.
PEOPLE = ("stranger", "visitor", "other", "player", "judge", "organizer")
PERMISSIONS: list[tuple[str, str, Any, tuple[int, ...]]] = [
    ("GET", "/policies", None, (200, 200, 200, 200, 200, 200)),
    ("POST", "/policies", {"text": "key: x"}, (403, 400, 400, 400, 400, 400)),
    ("GET", "/policies/coc-lcg", None, (200, 200, 200, 200, 200, 200)),
    ("GET", "/events", None, (200, 200, 200, 200, 200, 200)),
    ("POST", "/events", {**EVENT, "slug": "dunwich"}, (403, 201, 201, 201, 201, 201)),
    ("GET", "/events/kingsport", None, (200, 200, 200, 200, 200, 200)),
    ("GET", "/events/kingsport/policy", None, (200, 200, 200, 200, 200, 200)),
    ("GET", "/events/kingsport/staff", None, (200, 200, 200, 200, 200, 200)),
    (
        "POST",
        "/events/kingsport/staff",
        {"username": "visitor", "role": "judge"},
        (403, 403, 403, 403, 403, 201),
    ),
    ("GET", "/events/kingsport/registrations", None, (200, 200, 200, 200, 200, 200)),
    ("POST", "/events/kingsport/registrations", {}, (403, 409, 409, 409, 201, 201)),
    (
        "POST",
        "/events/kingsport/registrations",
        {"guest": True, "name": "Guest"},
        (403, 403, 403, 403, 201, 201),
    ),
    (
        "POST",
        "/events/kingsport/registrations",
        {"username": "visitor", "name": "Visitor"},
        (403, 403, 403, 403, 201, 201),
    ),
    ("GET", "/events/kingsport/registrations/{entry}", None, (403, 403, 403, 200, 200, 200)),
    (
        "PUT",
        "/events/kingsport/registrations/{entry}/deck",
        {"revision": None, "override": "paper list"},
        (403, 403, 403, 403, 403, 200),
    ),
    ("GET", "/events/kingsport/registrations/{entry}/lists", None, (403, 403, 403, 200, 200, 200)),
    ("GET", "/events/kingsport/lists", None, (403, 403, 403, 403, 200, 200)),
    ("GET", "/events/kingsport/lists/usage", None, (403, 403, 403, 403, 200, 200)),
    ("PUT", "/events/kingsport/lists/lock", {"locked": True}, (403, 403, 403, 403, 403, 200)),
    ("GET", "/events/kingsport/lists/arrangement", None, (200, 200, 200, 200, 200, 200)),
    (
        "PUT",
        "/events/kingsport/lists/arrangement",
        {"visibility": "open", "due": None, "changes": {}},
        (403, 403, 403, 403, 403, 200),
    ),
    ("GET", "/events/kingsport/deck-checks", None, (403, 403, 403, 403, 200, 200)),
    ("POST", "/events/kingsport/deck-checks", {}, (403, 403, 403, 403, 409, 409)),
    ("GET", "/events/kingsport/deck-checks/{entry}", None, (404, 404, 404, 404, 404, 404)),
    ("POST", "/events/kingsport/registrations/{entry}/drop", None, (403, 403, 403, 200, 200, 200)),
    ("GET", "/events/kingsport/rounds", None, (200, 200, 200, 200, 200, 200)),
    ("POST", "/events/kingsport/rounds", {}, (403, 403, 403, 403, 403, 409)),
    ("GET", "/events/kingsport/rounds/1", None, (200, 200, 200, 200, 200, 200)),
    ("GET", "/events/kingsport/rounds/1/matches", None, (200, 200, 200, 200, 200, 200)),
    ("POST", "/events/kingsport/rounds/1/finish", None, (403, 403, 403, 403, 403, 409)),
    ("GET", "/events/kingsport/rounds/1/story", None, (200, 200, 200, 200, 200, 200)),
    ("DELETE", "/events/kingsport/rounds/1", None, (403, 403, 403, 403, 403, 409)),
    ("POST", "/events/kingsport/rounds/1/publish", {}, (403, 403, 403, 403, 403, 409)),
    ("POST", "/events/kingsport/rounds/1/unpublish", {"reason": "late"}, (403, 403, 403, 403, 403, 200)),
    ("POST", "/events/kingsport/rounds/1/renew", None, (403, 403, 403, 403, 403, 409)),
    ("POST", "/events/kingsport/rounds/1/redraw", {"reason": "x"}, (403, 403, 403, 403, 403, 409)),
    (
        "POST",
        "/events/kingsport/rounds/1/swap",
        {"reason": "x", "first": 1, "second": 2},
        (403, 403, 403, 403, 403, 409),
    ),
    (
        "POST",
        "/events/kingsport/rounds/1/move",
        {"reason": "x", "table": 1, "to": 2},
        (403, 403, 403, 403, 403, 409),
    ),
    ("GET", "/events/kingsport/rounds/1/why?player={entry}", None, (200, 200, 200, 200, 200, 200)),
    ("POST", "/events/kingsport/rounds/1/nudge", None, (403, 403, 403, 403, 200, 200)),
    ("POST", "/events/kingsport/rounds/1/resolve", None, (403, 403, 403, 403, 403, 409)),
    ("GET", "/events/kingsport/rounds/1/clock", None, (200, 200, 200, 200, 200, 200)),
    ("POST", "/events/kingsport/rounds/1/clock", {"do": "start"}, (403, 403, 403, 403, 403, 200)),
    (
        "POST",
        "/events/kingsport/rounds/1/results",
        {"table": 1, "outcome": "win"},
        (403, 403, 403, 403, 201, 201),
    ),
    (
        "POST",
        "/matches/{match}/extensions",
        {"minutes": 3, "cause": "judge-call"},
        (403, 403, 403, 403, 201, 201),
    ),
    ("POST", "/events/kingsport/registrations/{entry}/return", {}, (403, 403, 403, 409, 409, 409)),
    (
        "POST",
        "/events/kingsport/registrations/{entry}/byes",
        {"number": 2, "reason": "won the qualifier"},
        (403, 403, 403, 403, 403, 201),
    ),
    ("DELETE", "/events/kingsport/registrations/{entry}/byes/2", None, (403, 403, 403, 403, 403, 409)),
    ("PUT", "/events/kingsport/registrations/{entry}/table", {"table": 3}, (403, 403, 403, 403, 200, 200)),
    ("GET", "/events/kingsport/flights", None, (200, 200, 200, 200, 200, 200)),
    ("POST", "/events/kingsport/flights", {}, (403, 403, 403, 403, 403, 409)),
    ("PUT", "/events/kingsport/flights", {"final": None}, (403, 403, 403, 403, 403, 204)),
    ("GET", "/events/kingsport/cut", None, (200, 200, 200, 200, 200, 200)),
    ("GET", "/events/kingsport/places", None, (200, 200, 200, 200, 200, 200)),
    ("POST", "/events/kingsport/close", {"reason": "late"}, (403, 403, 403, 403, 403, 409)),
    ("GET", "/events/kingsport/stages", None, (200, 200, 200, 200, 200, 200)),
    ("POST", "/events/kingsport/stages", {}, (403, 403, 403, 403, 403, 409)),
    ("GET", "/events/kingsport/stages/1", None, (404, 404, 404, 404, 404, 404)),
    ("POST", "/events/kingsport/stages/1/rounds", {}, (403, 404, 404, 404, 404, 404)),
    ("POST", "/events/kingsport/stages/1/withdraw", {"reason": "x"}, (403, 404, 404, 404, 404, 404)),
    ("POST", "/events/kingsport/registrations/{entry}/decline", {}, (403, 403, 403, 200, 200, 200)),
    ("GET", "/events/kingsport/standings", None, (200, 200, 200, 200, 200, 200)),
    ("GET", "/events/kingsport/standings/{entry}", None, (200, 200, 200, 200, 200, 200)),
    ("GET", "/events/kingsport/disputes", None, (403, 403, 403, 403, 200, 200)),
    ("GET", "/matches/{match}", None, (200, 200, 200, 200, 200, 200)),
    ("POST", "/events/kingsport/deck-checks/draw", None, (403, 403, 403, 403, 409, 409)),
    ("POST", "/matches/{match}/deck-check", None, (403, 403, 403, 403, 400, 400)),
    ("GET", "/matches/{match}/calls", None, (403, 403, 403, 200, 200, 200)),
    ("POST", "/matches/{match}/calls", {"subject": "rules"}, (403, 403, 403, 201, 201, 201)),
    ("GET", "/matches/{match}/reports", None, (403, 403, 403, 200, 200, 200)),
    ("POST", "/matches/{match}/reports", {"outcome": "win"}, (403, 403, 403, 201, 403, 403)),
    (
        "POST",
        "/matches/{match}/decision",
        {"outcome": "win", "reason": "slip"},
        (403, 403, 403, 403, 201, 201),
    ),
    ("POST", "/matches/{match}/disputes", {"title": "x", "source": "{"}, (403, 403, 403, 403, 400, 400)),
]


@pytest.mark.parametrize("who", PEOPLE)
def test_who_may_do_what(
    ask: Callable[..., Any],
    event: Event,
    match: Match,
    organizer: Any,
    judge: Any,
    visitor: Any,
    who: str,
) -> None:
    entry = match.seats.get(side=1).registration
    other = round_matches(event.rounds.get())[1].seats.get(side=1).registration
    asker = {
        "stranger": None,
        "visitor": visitor,
        "other": other.user,
        "player": entry.user,
        "judge": judge,
        "organizer": organizer,
    }[who]
    wrong = []
    for method, path, body, statuses in PERMISSIONS:
        with undone():
            answer = ask(asker, method, path.format(entry=entry.pk, match=match.pk), body)
        expected = statuses[PEOPLE.index(who)]
        if who == "stranger" and expected == 403:
            expected = 401  # who did not say who they are is asked to
        told = {"code", "message", "place", "remedy", "details"}
        if answer.status_code != expected or (expected >= 400 and set(answer.json()) != told):
            wrong.append(
                f"{method} {path} {body or ''}: {answer.status_code}, not {expected}: {answer.content!r}"
            )
    assert not wrong, "\n".join(wrong)


def test_deck_lists_are_not_public(ask: Callable[..., Any], organizer: Any, ann: Any, bo: Any) -> None:
    event = make_event(organizer)
    services.player_register(event=event, user=ann, revision=make_revision(ann), by=ann, now=NOW)
    listed = ask(bo, "GET", "/events/kingsport/registrations").json()["results"]
    assert [set(row) for row in listed] == [{"id", "name", "club", "pronouns", "state", "registered_at"}]
    assert "Local Sheriff" not in ask(bo, "GET", "/events/kingsport/registrations").content.decode()
    theirs = ask(bo, "POST", "/events/kingsport/registrations", {"revision": make_revision(ann).pk})
    assert (theirs.status_code, theirs.json()["code"]) == (400, "unknown-list")


def test_who_wrote_a_report_is_told_to_staff_only(
    ask: Callable[..., Any], judge: Any, organizer: Any, match: Match
) -> None:
    services.result_decide(match=match, by=organizer, outcome="win", reason="seen", now=NOW)
    path = f"/matches/{match.pk}/reports"
    [for_player] = ask(player_of(match, 2), "GET", path).json()["results"]
    [for_judge] = ask(judge, "GET", path).json()["results"]
    assert (for_player["by"], for_judge["by"]) == (None, "organizer")


def test_an_illegal_list_tells_its_findings(ask: Callable[..., Any], organizer: Any, ann: Any) -> None:
    make_event(organizer)
    body = {"revision": make_revision(ann, ILLEGAL).pk}
    answer = ask(ann, "POST", "/events/kingsport/registrations", body)
    assert (answer.status_code, answer.json()["code"]) == (400, "illegal-deck")
    assert [finding["code"] for finding in answer.json()["details"]["findings"]] == ["restricted"]
    assert Registration.objects.count() == 0


def test_the_policy_an_event_is_run_by_is_told_in_words(ask: Callable[..., Any], event: Event) -> None:
    policy = ask(None, "GET", "/events/kingsport/policy").json()
    assert policy["status"] == "house-default"
    assert policy["points"]["timed-loss"] == 1
    assert all(row["formula"] for row in policy["tie_breaks"])


HUGE = 10**40


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/events", {}),
        ("POST", "/events", []),
        ("POST", "/events", "text"),
        ("POST", "/events", {**EVENT, "slug": "ok", "name": "\x00"}),
        ("POST", "/events", {**EVENT, "slug": "ok", "planned_rounds": HUGE}),
        ("POST", "/events", {**EVENT, "slug": "ok", "starts_on": "yesterday"}),
        ("POST", "/events", {**EVENT, "slug": "ok", "format": "../../etc/passwd"}),
        ("POST", "/events", {**EVENT, "slug": "ok", "policy_key": "../coc-lcg"}),
        ("POST", "/events", {**EVENT, "slug": "ok", "timezone": "../UTC"}),
        ("POST", "/events/kingsport/staff", {"username": "nobody", "role": "judge"}),
        ("POST", "/events/kingsport/staff", {"username": "visitor", "role": "king"}),
        ("POST", "/events/kingsport/registrations", {"revision": HUGE}),
        ("POST", "/events/kingsport/registrations", {"revision": -1}),
        ("POST", "/events/kingsport/registrations", {"guest": True}),
        ("POST", "/events/kingsport/registrations", {"guest": True, "name": "x" * 81}),
        ("POST", "/events/kingsport/rounds", {"number": HUGE}),
        ("POST", "/events/kingsport/rounds/1/nudge", {"reason": "it is late"}),
        ("POST", "/events/kingsport/rounds/1/nudge", ["it is late"]),
        ("POST", "/matches/{match}/decision", {"outcome": "bye", "reason": "x"}),
        ("POST", "/matches/{match}/decision", {"outcome": "win", "reason": " "}),
        ("POST", "/matches/{match}/decision", {"outcome": "win", "reason": "x", "games": [1, 2]}),
        ("POST", "/matches/{match}/decision", {"outcome": "win", "reason": "x", "games": [0, 2, 0]}),
        ("POST", "/matches/{match}/decision", {"outcome": "win", "reason": "x" * 301}),
        ("GET", f"/matches/{HUGE}", None),
        ("POST", "/events/kingsport/rounds/1/swap", {"reason": "x", "first": HUGE, "second": 1}),
        ("POST", "/events/kingsport/rounds/1/move", {"reason": "x", "table": 1, "to": HUGE}),
        ("POST", "/events/kingsport/rounds/1/publish", {"edition": HUGE}),
        ("POST", "/events/kingsport/rounds/1/clock", {"do": "add", "minutes": HUGE, "reason": "x"}),
        ("POST", "/events/kingsport/rounds/1/clock", {"do": "add", "minutes": 5}),
        ("POST", "/events/kingsport/rounds/1/results", {"table": HUGE, "outcome": "win"}),
        ("POST", "/events/kingsport/rounds/1/results", {"table": 77, "outcome": "win"}),
        ("POST", "/matches/{match}/extensions", {"minutes": 0, "cause": "judge-call"}),
        ("POST", "/matches/{match}/extensions", {"minutes": 3}),
        ("POST", "/matches/{match}/calls", {"subject": "other", "words": " "}),
        ("POST", "/matches/{match}/calls", {"subject": "lunch"}),
        ("POST", "/matches/{match}/calls", {"subject": "rules", "words": "x" * 201}),
        ("POST", "/events/kingsport/calls", {"table": HUGE, "subject": "rules"}),
        ("POST", f"/events/kingsport/calls/{HUGE}/claim", None),
        ("GET", "/events/arkham", None),
        ("GET", f"/events/kingsport/rounds/{HUGE}", None),
        ("GET", f"/events/kingsport/registrations/{HUGE}", None),
        ("DELETE", "/events/kingsport", None),
    ],
)
def test_bad_input_is_the_askers_to_mend(
    ask: Callable[..., Any], organizer: Any, visitor: Any, match: Match, method: str, path: str, body: Any
) -> None:
    before = (Event.objects.count(), Registration.objects.count(), Report.objects.count())
    answer = ask(organizer, method, path.format(match=match.pk), body)
    assert 400 <= answer.status_code < 500, answer.content
    assert answer.json()["message"]
    assert (Event.objects.count(), Registration.objects.count(), Report.objects.count()) == before


@pytest.mark.parametrize("query", ["limit=-1", "limit=abc", f"limit={HUGE}", f"offset={HUGE}", "offset=-3"])
def test_a_page_is_named_by_numbers(ask: Callable[..., Any], event: Event, query: str) -> None:
    for path in ("/events", "/events/kingsport/standings", "/events/kingsport/rounds/1/matches"):
        answer = ask(None, "GET", f"{path}?{query}")
        assert answer.status_code == 400
        assert answer.json()["place"] == query.partition("=")[0]


def test_pages_are_bounded(ask: Callable[..., Any], event: Event) -> None:
    for path in ("/events", "/events/kingsport/standings", "/events/kingsport/rounds/1/matches"):
        answer = ask(None, "GET", f"{path}?limit=1000000&offset=1")
        assert answer.status_code == 200
        assert len(answer.json()["results"]) <= 200


@pytest.mark.parametrize(
    "path",
    [
        "/events",
        "/events/{slug}/registrations",
        "/events/{slug}/staff",
        "/events/{slug}/rounds",
        "/events/{slug}/rounds/2/matches",
        "/events/{slug}/standings",
        "/events/{slug}/disputes",
    ],
)
def test_queries_of_a_list_do_not_grow_with_its_rows(
    ask: Callable[..., Any],
    organizer: Any,
    judge: Any,
    django_assert_max_num_queries: Any,
    path: str,
) -> None:
    counts = []
    for slug, players in (("small", 4), ("large", 24)):
        event = make_event(organizer, slug)
        for number, user in enumerate(player.user for player in enter(event, players, slug)):
            if number % 2 and user:
                make_staff(event=event, user=user, role="judge", by=organizer, now=NOW)
        first = play(event, organizer, 1)[0]
        for match in round_matches(first):
            file_dispute(match, judge)
        report_all(services.round_pair(event=event, by=organizer, seed=3, now=NOW), "draw")
        with django_assert_max_num_queries(40) as captured:
            answer = ask(organizer, "GET", path.format(slug=slug) + "?limit=200")
        assert answer.status_code == 200 and answer.json()["count"] >= 1
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_reading_tables_does_not_read_the_rounds_explanation_with_each(
    organizer: Any, django_assert_num_queries: Any
) -> None:
    """It grows with the round: read with every table, a round of 512 players took twice as long to pair."""
    event = make_event(organizer)
    enter(event, 4)
    round = services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    with django_assert_num_queries(3) as captured:
        assert len(round_matches(round)) == 2
    assert not any("explanation" in query["sql"] for query in captured)


def file_dispute(match: Match, judge: Any) -> None:
    dispute = Dispute.objects.create(
        title="x", filed_by=judge, source="", scenario={}, scenario_hash="0", filed_at=NOW
    )
    MatchDispute.objects.create(match=match, dispute=dispute)


def test_pairing_a_round_asks_as_often_for_many_players_as_for_few(
    organizer: Any, django_assert_max_num_queries: Any
) -> None:
    counts = []
    for slug, players in (("small", 6), ("large", 60)):
        event = make_event(organizer, slug, format_on=date(2013, 10, 1))
        enter(event, players, slug)
        play(event, organizer, 1)
        with django_assert_max_num_queries(60) as captured:
            services.round_pair(event=event, by=organizer, seed=3, now=NOW)
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_every_operation_is_documented_with_its_answers_and_its_refusals() -> None:
    schema = SchemaGenerator().get_schema(public=True)
    validate_schema(schema)
    mine = [
        path
        for path in schema["paths"]
        if path.startswith(("/api/v1/events", "/api/v1/matches", "/api/v1/pol"))
    ]
    from tournament.api.urls import urlpatterns

    assert len(mine) == sum(str(one.pattern).startswith(("events", "matches", "pol")) for one in urlpatterns)
    for path in mine:
        for operation in schema["paths"][path].values():
            assert operation["description"] and operation["operationId"]
            assert "4XX" in operation["responses"] and {"200", "201", "204"} & set(operation["responses"])
