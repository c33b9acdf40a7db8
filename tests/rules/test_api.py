"""Disputes, adjudications and rulings through the API: shapes, statuses, and who may do what."""

from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from rules import services
from rules.models import Adjudication, Dispute
from tests.bench.rules import forced_responses
from tests.rules.scenarios import SHOTGUN
from tests.tournament.factories import enter, make_event, make_staff
from tournament.models import Match, MatchDispute
from tournament.services import round_pair

pytestmark = pytest.mark.django_db


def api(user: Any = None) -> Client:
    client = Client(raise_request_exception=False)
    if user is not None:
        client.force_login(user)
    return client


def post(client: Client, path: str, body: Any) -> Any:
    return client.post(f"/api/v1/{path}", body, content_type="application/json")


def get(client: Client, path: str) -> Any:
    return client.get(f"/api/v1/{path}")


# --- the stateless answer -----------------------------------------------------------------------------


def test_a_scenario_is_answered_at_once_and_nothing_is_stored(ann: Any) -> None:
    response = post(api(ann), "adjudicate", {"source": SHOTGUN})
    assert response.status_code == 200, response.json()
    answer = response.json()
    assert answer["questions"][0]["sentence"].startswith("Bo may use Field Researcher.")
    assert answer["system"]["key"] == "coc-lcg"
    assert not Dispute.objects.exists()


def test_a_scenario_is_played_by_hand_one_choice_after_another(ann: Any) -> None:
    source = SHOTGUN.replace("cards:", "cards:\n  thug: {type: character, of: Bo}")
    first = post(api(ann), "play", {"source": source}).json()
    assert (first["who"], first["decider"], first["over"]) == ("Ann", "player", False)
    assert first["options"][0] == {"number": 0, "text": "Shotgun Blast"}
    after = post(api(ann), "play", {"source": source, "choices": [0, 1]}).json()
    assert after["did"] == [
        {"who": "Ann", "use": "shotgun"},
        {"who": "Ann", "choose": "researcher", "for": "target"},
    ]
    assert after["exact"] is True
    assert any("zone" in change for change in after["changes"])
    assert after["trace"][0]["text"] == "Operations phase, action window"


def test_a_choice_that_is_not_there_is_told_with_what_there_is(ann: Any) -> None:
    response = post(api(ann), "play", {"source": SHOTGUN, "choices": [9]})
    assert response.status_code == 400
    problem = response.json()
    assert (problem["code"], problem["place"]) == ("not-offered", "choices[0]")
    assert "Shotgun Blast" in problem["remedy"]


def test_what_is_large_is_undecided_or_sent_to_a_worker(ann: Any, settings: Any) -> None:
    large = {"source": forced_responses(8, differ=True)}
    settings.ADJUDICATION_INLINE_BUDGET, settings.ADJUDICATION_INLINE_SECONDS = 600, 60.0
    response = post(api(ann), "adjudicate", large)
    assert (response.status_code, response.json()["status"]) == (200, "undecided")
    settings.ADJUDICATION_INLINE_SECONDS = 0.0
    response = post(api(ann), "adjudicate", large)
    assert (response.status_code, response.json()["code"]) == (422, "too-long")
    assert "dispute" in response.json()["remedy"]


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("", 400),
        ("system: coc-lcg\nplayers: [Ann, Bo", 400),
        ("- just\n- a list", 400),
        ("system: coc-lgc\nplayers: [Ann, Bo]", 400),
        ("&a [*a]", 400),
        ("[" * 5_000, 400),
        ("x: " + "y" * 500_000, 413),
        ("\x00", 400),
        ("system: coc-lcg\ncards: {a: {is: Shotgun Blast, of: Nobody}}", 400),
    ],
)
def test_a_scenario_that_cannot_be_read_is_a_clear_error(ann: Any, source: str, status: int) -> None:
    response = post(api(ann), "adjudicate", {"source": source})
    assert response.status_code == status, response.content
    assert set(response.json()) == {"code", "message", "place", "remedy", "details"}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b"\xff\xfe", 400),
        (b'{"source": NaN}', 400),
        (b'{"source": "\\ud800"}', 400),
        (b"[" * 100_000, 400),
        (b'{"source": "' + b"x" * 1_600_000 + b'"}', 413),
    ],
)
def test_a_body_that_is_no_json_is_a_clear_error(ann: Any, body: bytes, status: int) -> None:
    response = post(api(ann), "adjudicate", body)
    assert response.status_code == status, response.content
    assert set(response.json()) == {"code", "message", "place", "remedy", "details"}


def test_who_asks_too_often_is_told_when_to_come_back(ann: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.limits.time.time", lambda: 1_000_000.0)
    client = api(ann)
    responses = [post(client, "adjudicate", {"source": ""}) for _ in range(61)]
    assert responses[0].status_code == 400
    assert responses[-1].status_code == 429
    assert int(responses[-1]["Retry-After"]) > 0


# --- a dispute from filing to ruling ------------------------------------------------------------------


def test_the_whole_way_of_a_dispute(judge: Any, answered: Adjudication) -> None:
    client = api(judge)
    filed = post(client, "disputes", {"title": "Shotgun Blast", "source": SHOTGUN})
    assert filed.status_code == 201, filed.json()
    dispute = filed.json()
    first = dispute["adjudications"][0]
    assert first["state"] == "done"  # the same question was answered before

    answer = get(client, f"adjudications/{first['id']}").json()
    assert answered.answer is not None
    stored = {key: value for key, value in answered.answer.items() if key != "messages"}
    assert answer["answer"] == stored

    other = post(client, f"disputes/{dispute['id']}/adjudications", {"system": "coc-ccg"})
    assert (other.status_code, other.json()["state"]) == (201, "queued")
    cancelled = post(client, f"adjudications/{other.json()['id']}/cancel", None)
    assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
    assert post(client, f"adjudications/{other.json()['id']}/cancel", None).status_code == 409

    ruling = post(
        client,
        f"disputes/{dispute['id']}/rulings",
        {"verdict": "Bo may.", "adjudication": first["id"], "agrees": True, "citations": ["COC-T-31"]},
    )
    assert ruling.status_code == 201, ruling.json()
    assert ruling.json()["citations"][0]["rule"] == "COC-T-31"
    assert get(client, f"disputes/{dispute['id']}").json()["rulings"] == [ruling.json()]
    assert get(client, "disputes").json()["results"][0]["id"] == dispute["id"]


@pytest.mark.parametrize("body", [{}, {"source": SHOTGUN, "system": "coc-ccg"}, {"system": "coc-xyz"}])
def test_asking_again_needs_a_scenario_or_a_system(judge: Any, dispute: Dispute, body: Any) -> None:
    assert post(api(judge), f"disputes/{dispute.pk}/adjudications", body).status_code == 400


# --- who may do what ----------------------------------------------------------------------------------

# (method, path, body) -> status for: nobody, a stranger, a player of the match before and after the ruling,
# a judge of the event, the filer of a dispute without a match.
TABLE = [
    ("get", "systems", None, (200, 200, 200, 200, 200)),
    ("post", "adjudicate", {"source": SHOTGUN}, (200, 200, 200, 200, 200)),
    ("get", "disputes", None, (401, 200, 200, 200, 200)),
    ("post", "disputes", {"title": "T", "source": SHOTGUN}, (401, 201, 201, 201, 201)),
    ("get", "disputes/{dispute}", None, (401, 404, 404, 200, 200)),
    ("post", "disputes/{dispute}/adjudications", {"system": "coc-ccg"}, (401, 404, 404, 403, 201)),
    ("get", "adjudications/{job}", None, (401, 404, 404, 200, 200)),
    ("post", "adjudications/{job}/cancel", None, (401, 404, 404, 403, 409)),
    ("post", "disputes/{dispute}/rulings", {"verdict": "Yes."}, (401, 404, 404, 403, 201)),
]


@pytest.fixture
def at_a_match(organizer: Any, judge: Any, answered: Adjudication, now: datetime) -> dict[str, Any]:
    """The dispute belongs to a match of an event: who stands how to it."""
    event = make_event(organizer)
    enter(event, 2)
    make_staff(event=event, user=judge, role="judge", by=organizer, now=now)
    round_pair(event=event, by=organizer, seed=1, now=now)
    match = Match.objects.get(round__event=event)
    MatchDispute.objects.create(match=match, dispute=answered.dispute)
    return {"player": match.seats.first().registration.user, "judge": judge}  # type: ignore[union-attr]


@pytest.mark.parametrize(("method", "path", "body", "statuses"), TABLE, ids=[row[1] for row in TABLE])
def test_who_may_do_what_at_a_match(
    answered: Adjudication,
    at_a_match: dict[str, Any],
    visitor: Any,
    now: datetime,
    method: str,
    path: str,
    body: Any,
    statuses: tuple[int, ...],
) -> None:
    dispute = answered.dispute
    path = path.format(dispute=dispute.pk, job=answered.pk)

    def status(user: Any) -> int:
        client = api(user)
        return int((post(client, path, body) if method == "post" else get(client, path)).status_code)

    nobody, stranger, player_before, player_after, judging = statuses
    assert status(None) == nobody
    assert status(visitor) == stranger
    assert status(at_a_match["player"]) == player_before
    services.ruling_file(dispute=dispute, by=at_a_match["judge"], verdict="So be it.", now=now)
    assert status(at_a_match["player"]) == player_after
    assert status(at_a_match["judge"]) == judging


def test_a_dispute_without_a_match_is_its_filers_and_the_sites(
    answered: Adjudication, judge: Any, visitor: Any, make_user: Any
) -> None:
    path = f"disputes/{answered.dispute.pk}"
    assert get(api(judge), path).status_code == 200
    assert get(api(visitor), path).status_code == 404
    assert get(api(make_user("root", is_staff=True)), path).status_code == 200


def test_the_list_asks_the_database_the_same_number_of_times_however_long(
    judge: Any, now: datetime, django_assert_max_num_queries: Any
) -> None:
    def queries() -> int:
        with django_assert_max_num_queries(20) as asked:
            assert get(client, "disputes").status_code == 200
        return len(asked.captured_queries)

    client = api(judge)
    counts = []
    for number in range(6):
        services.dispute_file(by=judge, title=str(number), source=SHOTGUN, now=now)
        services.ruling_file(dispute=Dispute.objects.all()[0], by=judge, verdict="Yes.", now=now)
        counts.append(queries())
    assert counts[1] == counts[5]


def test_a_printed_text_is_read_passage_by_passage(ann: Any) -> None:
    text = "Action: Exhaust Maid to draw a card. Response: After Maid is wounded, zonk."
    found = post(
        api(ann), "card-text", {"system": "coc-lcg", "text": text, "name": "Maid", "type": "character"}
    ).json()
    first, second = found["passages"]
    assert (found["whole"], first["taken"], second["taken"]) == (False, 1, 0)
    assert [line["text"] for line in first["readings"][0]["meaning"]][:3] == [
        "Action",
        "Cost:",
        "this card exhausts",
    ]
    assert text[second["trouble"]["start"] : second["trouble"]["end"]] == "zonk"
    assert found["card"]["unread"] == [
        {"says": "zonk", "kind": "response", "at": "after", "of": "wound", "if": "trigger.to = this"}
    ]


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ({"system": "magic", "text": "Draw a card."}, "system"),
        ({"system": "coc-lgc", "text": "Draw a card."}, "system"),
        ({"system": "coc-lcg", "text": "Draw a card.", "type": "dragon"}, "type"),
        ({"system": "coc-lcg", "text": 'It gains "Draw'}, "text"),
        ({"system": "coc-lcg", "text": "Fast.", "readings": [1]}, "reading"),
    ],
)
def test_a_text_that_cannot_be_read_is_told_with_its_place(ann: Any, asked: Any, place: str) -> None:
    response = post(api(ann), "card-text", asked)
    assert (response.status_code, response.json()["place"]) == (400, place)
