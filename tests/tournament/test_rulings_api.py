"""Rulings by the API, from the statement to the precedent, as a program does it."""

import json
from typing import Any

import pytest
from django.test import Client

from rules import tasks
from tests.rules.scenarios import SHOTGUN
from tests.tournament.factories import NOW, judged_match, player_of
from tournament import services
from tournament.models import Match, User
from tournament.selectors import extension_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(organizer: Any, judge: Any) -> Match:
    return judged_match(organizer, judge)


def call(user: User | None, method: str, path: str, body: Any = None, status: int = 200) -> Any:
    client = Client()
    if user is not None:
        client.force_login(user)
    answer = client.generic(method, f"/api/v1/{path}", json.dumps(body or {}), "application/json")
    assert answer.status_code == status, (path, answer.content[:600])
    return answer.json()


def test_from_the_statement_to_the_precedent(match: Match, judge: Any, organizer: Any) -> None:
    one, two = player_of(match, 1), player_of(match, 2)
    at = f"matches/{match.pk}"
    assert call(one, "POST", f"{at}/appeal", status=409)["code"] == "no-ruling-yet"
    call(one, "POST", f"{at}/statements", {"text": "I did."}, 201)
    assert call(two, "GET", f"{at}/statements")["count"] == 0
    assert call(judge, "GET", f"{at}/statements")["results"][0]["text"] == "I did."
    filed = services.dispute_file(match=match, by=judge, title="May one?", source=SHOTGUN, now=NOW)
    job = filed.dispute.adjudications.get()
    tasks.adjudicate(job.pk)
    call(judge, "POST", f"{at}/remarks", {"kind": "consult", "adjudication": job.pk}, 201)
    assert call(organizer, "GET", f"{at}/remarks")["results"][0]["adjudication"] == job.pk
    call(two, "GET", f"{at}/remarks", status=403)
    entry = match.seats.get(side=1).registration_id
    given = call(
        judge,
        "POST",
        f"{at}/rulings",
        {
            "dispute": filed.dispute_id,
            "adjudication": job.pk,
            "agrees": False,
            "verdict": "The other player may not.",
            "explanation": "The text was blank.",
            "citations": ["COC-T-31"],
            "facts": [{"text": "It was blank.", "status": "agreed"}],
            "remedy": "Play on.",
            "penalty": {"registration": entry, "infraction": "slow-play"},
            "minutes": 4,
        },
        201,
    )
    pk = given["ruling"]["id"]
    assert (given["ruling"]["event_side"], given["ruling"]["precedent_status"]) == ("floor", "unverified")
    assert (given["minutes"], extension_of(match)) == (4, 4)
    assert call(two, "GET", f"rulings/{pk}")["penalty"] is None, "the opponent's penalty"
    assert "A judge disagreed" in call(judge, "GET", f"precedents/{pk}/case")["case"]
    assert call(two, "POST", f"rulings/{pk}/appeal")["ruling"]["event_side"] == "appealed"
    call(judge, "POST", f"rulings/{pk}/decision", {"upheld": True, "explanation": "x"}, 403)
    final = call(
        organizer, "POST", f"rulings/{pk}/decision", {"upheld": True, "explanation": "It was blank."}, 201
    )["ruling"]
    assert (final["event_side"], final["change"], final["supersedes"]) == ("final", "upheld", pk)
    names = {"explanation": f"{match.seats.get(side=1).registration.name} was wrong."}
    assert call(organizer, "POST", f"rulings/{final['id']}/precedent", names, 400)["code"] == "names-somebody"
    call(organizer, "POST", f"rulings/{final['id']}/precedent", {"question": "May one?"}, 201)
    [hit] = call(None, "GET", "precedents?card=Field+Researcher&card=Shotgun+Blast")["results"]
    assert (hit["verdict"], hit["scope"], hit["address"]) == (
        "The other player may not.", "global", f"/rules/precedents/{final['id']}"
    )  # fmt: skip
    righted = {"side": "reversed", "reason": "FAQ 4", "verdict": "The other player may."}
    told = call(organizer, "POST", f"rulings/{final['id']}/law", righted)["ruling"]
    assert (told["precedent_status"], told["event_side"]) == ("reversed", "final")
    assert [hit["precedent_status"] for hit in call(judge, "GET", "precedents")["results"]] == [
        "unverified",
        "reversed",
    ]


def test_who_reviews_and_groups_cards(
    match: Match, judge: Any, organizer: Any, visitor: Any, settings: Any
) -> None:
    """People whom the operator named; leading an event, which anybody can create, gives nothing outside it."""
    settings.RULES_REVIEWERS = ["visitor"]
    for path in ("rulings/review", "law-runs"):
        assert call(visitor, "GET", path)["results"] == []
        for somebody in (organizer, judge):
            call(somebody, "GET", path, status=403)
    group = {"name": "Shots", "cards": ["Shotgun", "Shotgun Blast"]}
    call(organizer, "POST", "card-groups", group, 403)
    made = call(visitor, "POST", "card-groups", group, 201)
    call(organizer, "PUT", f"card-groups/{made['id']}", group, 403)
    assert call(visitor, "PUT", f"card-groups/{made['id']}", {**group, "name": "Guns"})["name"] == "Guns"
    call(organizer, "POST", "law-runs", {"system": "coc-lcg"}, 403)
    assert call(visitor, "POST", "law-runs", {"system": "coc-lcg"}, 409)["code"] == "nothing-recorded"


def test_how_an_event_reads_the_law_is_public(match: Match, judge: Any, organizer: Any) -> None:
    pin = {"system": "coc-lcg", "reading": "first-response", "option": "active"}
    call(judge, "POST", "events/kingsport/readings", pin, 403)
    call(organizer, "POST", "events/kingsport/readings", pin, 201)
    assert call(None, "GET", "events/kingsport/readings")["results"][0]["option"] == "active"
