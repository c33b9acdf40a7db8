"""What the API does not know is refused, in an address and in a body: a slip is told, never passed over."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import resolve
from rest_framework.serializers import BooleanField, ChoiceField, DateField, IntegerField, ListField

from tests.access import table
from tests.access.world import WHO, people, world
from tests.tournament.factories import judged_match, make_event
from tournament.models import Event, Match

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(organizer: Any, judge: Any) -> Match:
    return judged_match(organizer, judge)


def ask(user: Any, method: str, path: str, body: Any = None, **headers: str) -> Any:
    client = Client(headers={name.replace("_", "-"): value for name, value in headers.items()})
    if user is not None:
        client.force_login(user)
    return client.generic(method, f"/api/v1{path}", json.dumps(body), "application/json")


def fault(answer: Any) -> tuple[int, str, str]:
    told = answer.json()
    return answer.status_code, told["place"], told["message"]


@pytest.mark.parametrize(
    ("asked", "place", "message"),
    [
        ("stat=running", "stat", "That field doesn’t exist here. Did you mean state?"),
        ("state=on", "state", '"on" is not a valid choice.'),
        ("state=", "state", "This is empty. Leave it out or fill it in."),
        ("state=running&state=finished", "state", "This is given more than once."),
        ("mine=1", "mine", "This must be true or false."),
        ("since=21.11.2026", "since", "Date has wrong format"),
        ("limit=10&ofset=10", "ofset", "That field doesn’t exist here. Did you mean offset?"),
        ("offset=ten", "offset", "Enter a whole number of at least 0."),
    ],
)
def test_a_slip_in_an_address_is_told(asked: str, place: str, message: str) -> None:
    status, where, what = fault(ask(None, "GET", f"/events?{asked}"))
    assert (status, where) == (400, place)
    assert what.startswith(message)


def test_what_an_address_may_ask_for_is_what_is_shown(organizer: Any) -> None:
    make_event(organizer, "kingsport")
    make_event(organizer, "dunwich", format="codex")
    found = {
        asked: [one["slug"] for one in ask(None, "GET", f"/events?{asked}").json()["results"]]
        for asked in ("format=codex", "q=", "mine=false", "format=l5r")
    }
    assert found["format=codex"] == ["dunwich"]
    assert sorted(found["q="]) == sorted(found["mine=false"]) == ["dunwich", "kingsport"]
    assert found["format=l5r"] == []


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/me?x=1"),
        ("GET", "/events/kingsport?state=running"),
        ("POST", "/events/kingsport/watch?state=running"),
    ],
)
def test_where_nothing_may_be_asked_for_nothing_is(ann: Any, method: str, path: str) -> None:
    make_event(ann)
    status, place, message = fault(ask(ann, method, path, {"watching": True}))
    assert (status, place) == (400, path.partition("?")[2].partition("=")[0])
    assert message == "That field doesn’t exist here."


def test_a_method_that_is_not_there_is_told_first(ann: Any) -> None:
    assert ask(ann, "PUT", "/events?limit=1", {}).status_code == 405


def test_a_slip_in_a_body_stores_nothing(ann: Any) -> None:
    event = {"name": "Kingsport Open", "slug": "kingsport", "starts_on": "2026-11-21", "format": "coc-lcg"}
    answer = ask(ann, "POST", "/events", {**event, "format_no": "2026-11-21"})
    status, place, message = fault(answer)
    assert (status, place) == (400, "format_no")
    assert message.startswith("That field doesn’t exist here. Did you mean format_on?")
    assert not Event.objects.exists()


def test_a_slip_inside_a_body_is_told_with_its_place(judge: Any, match: Match) -> None:
    facts = [{"text": "Ann is to move."}, {"text": "Bo has two cards.", "statuss": "agreed"}]
    given = {"verdict": "It stands.", "facts": facts}
    status, place, message = fault(ask(judge, "POST", f"/matches/{match.pk}/rulings", given))
    assert (status, place) == (400, "facts.1.statuss")
    assert message.startswith("That field doesn’t exist here.")
    form = Client().post("/api/v1/validate", {"text": "", "format": "coc-lcg", "no": "1"})
    assert fault(form)[:2] == (400, "no")


def test_a_tag_is_compared_where_reading_may_ask_for_something(judge: Any, match: Match) -> None:
    """The read that a change is compared with asks for nothing of its own."""
    path = f"/matches/{match.pk}/remarks"
    tag = ask(judge, "GET", path)["ETag"]
    said = {"kind": "consult", "text": "Two cards were drawn."}
    assert ask(judge, "POST", path, said, If_Match='"other"').status_code == 412
    assert ask(judge, "POST", path, said, If_Match=tag).status_code == 201
    assert ask(judge, "POST", path, said, If_Match=tag).status_code == 412


def test_every_filter_of_every_address_is_taken_whatever_it_is_given(settings: Any) -> None:
    """What the document allows, one by one and all together: what only one of them reaches is met here."""
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]
    person = people()
    words, session = world(person), table.session_of(person["owner"])
    asked, faults = 0, []
    for row in table.rows():
        path = row.address.format(**words).partition("?")[0]
        if row.method != "GET" or row.statuses[WHO.index("owner")] != 200 or not path.startswith("/api/"):
            continue
        asks = getattr(getattr(resolve(path).func, "cls", None), "asks", {}).get("GET")
        samples = {name: _samples(field) for name, field in asks().fields.items()} if asks else {}
        needed = (
            {name: words["entry"] for name, field in asks().fields.items() if field.required} if asks else {}
        )
        alone = [{**needed, name: value} for name, values in samples.items() for value in values]
        for query in (
            [*alone, {name: values[0] for name, values in samples.items()} | needed] if samples else []
        ):
            address = f"{path}?{urlencode(query, doseq=True)}"
            answer = table.answer(table.Row("GET", address, (), {}), session, {})
            asked += 1
            if answer.status_code >= 500 or (
                answer.status_code == 400 and answer.json()["code"] == "invalid"
            ):
                faults.append((address, answer.content[:300]))
    assert not faults
    assert asked > 50


def _samples(field: Any) -> list[Any]:
    match field:
        case ChoiceField():
            return list(field.choices)
        case BooleanField():
            return ["true", "false"]
        case DateField():
            return ["2026-11-21", "1999-12-31"]
        case IntegerField():
            return [field.min_value, field.max_value]
        case ListField():
            return [["Shotgun"], ["Shotgun", "%"]]
    return ["a", "%_\\", "ß" * (field.max_length or 80)]
