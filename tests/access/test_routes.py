"""Who may do what: everybody asks for every route, by every method (routes.txt)."""

import re
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.access import table
from tests.access.world import WHO, people, undone, world
from tournament.models import AuditRow

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def hooks_allowed(settings: Any) -> None:
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]


def _sessions(person: dict[str, Any]) -> dict[str, str]:
    return {who: table.session_of(person.get(who)) for who in WHO}


@pytest.mark.parametrize("who", WHO)
def test_everybody_gets_what_the_table_says(who: str) -> None:
    person = people()
    words = world(person)
    session, column = table.session_of(person.get(who)), WHO.index(who)
    wrong, looked_at = [], {row.address for row in table.pages()}
    for row in table.rows():
        got = table.answer(row, session, words)
        if row.method == "GET" and got.status_code == 200 and not row.address.startswith("/api/"):
            is_page = got["Content-Type"].startswith("text/html")
            if is_page != (row.address in looked_at):
                wrong.append(f"{row.address} is {got['Content-Type']}: table.FILES says otherwise")
            wrong += _against_the_policy(row.address, got) if is_page else []
        if got.status_code != row.statuses[column]:
            said = got.content[:200].decode(errors="replace") if row.address.startswith("/api/") else ""
            wrong.append(f"{row.method} {row.address}: {got.status_code}, not {row.statuses[column]} {said}")
    assert not wrong, f"For {who} the table (tests/access/routes.txt) is wrong:\n" + "\n".join(wrong)


UNSAFE = re.compile(r" style=| onclick=|<style|<script>|://\w")


def _against_the_policy(address: str, page: Any) -> list[str]:
    """What the page sends or holds that the content policy is there to forbid."""
    text = page.content.decode()
    for ours in ("http://www.w3.org/2000/svg", 'value="http://testserver/', "https://hooks.example.org"):
        text = text.replace(ours, "")
    found = [f"{address} holds {one!r}" for one in set(UNSAFE.findall(text))]
    if "default-src 'self'" not in page["Content-Security-Policy"]:
        found.append(f"{address} has no content policy")
    if "camera=()" not in page["Permissions-Policy"]:
        found.append(f"{address} has no permissions policy")
    return found


def test_no_route_is_missing_from_the_table() -> None:
    person = people()
    words = world(person)
    there = table.all_routes()
    missing = sorted(there - {table.named(row, words) for row in table.rows()}, key=lambda one: one[::-1])
    lines = [str(table.proposed(method, route, _sessions(person), words)) for method, route in missing]
    assert not missing, (
        "Routes without a line in tests/access/routes.txt. What everybody gets now stands below; guarantee that each "
        "status is right, give a change a body that would be carried out (JSON, at the end), and add:\n"
        + "\n".join(lines)
    )


OTHERS = ("PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "POST")


@pytest.mark.parametrize("who", ["nobody", "owner"])
def test_a_method_that_a_route_has_not_does_nothing(who: str) -> None:
    """Refused, or for a form sent to a page that only shows: shown. And HEAD is GET without its words."""
    person = people()
    words = world(person)
    session, there = table.session_of(person.get(who)), table.all_routes()
    before, asked = AuditRow.objects.count(), set()
    for row in table.rows():
        method, route = table.named(row, words)
        if method == "GET" and row.statuses[WHO.index(who)] == 200:
            head = table.sent("HEAD", row, session, words)
            assert (head.status_code, head.content) == (200, b""), row
        for other in OTHERS if route not in asked else ():
            if (other, route) not in there:
                with undone():
                    got = table.sent(other, row, session, words)
                    assert got.status_code < 500 and AuditRow.objects.count() == before, (other, row)
                page = other == "POST" and not row.address.startswith("/api/")
                hidden = got.status_code == row.statuses[WHO.index(who)] == 404
                assert page or hidden or got.status_code in (401, 405), (other, row, got.status_code)
        asked.add(route)


@pytest.mark.parametrize("who", ["visitor", "foreign", "other"])
def test_what_is_not_for_one_is_told_like_what_is_not_there(who: str) -> None:
    """In the same words, after as many looks into the database: neither tells that there is something."""
    person = people()
    words = world(person)
    nothing = {name: 999_999_999 if isinstance(one, int) else "x" * len(one) for name, one in words.items()}
    session, compared = table.session_of(person[who]), 0
    for row in table.rows():
        hides = "{" in row.address and set(row.statuses[1:]) != {404}  # what nobody gets is not there
        if hides and row.statuses[WHO.index(who)] == 404:
            with CaptureQueriesContext(connection) as looked:
                hidden = table.answer(row, session, words)
            with CaptureQueriesContext(connection) as looked_for_nothing:
                absent = table.answer(row, session, nothing)
            assert (hidden.status_code, _said(hidden)) == (absent.status_code, _said(absent)), row
            assert len(looked) == len(looked_for_nothing), row
            compared += 1
    assert compared > 50


def _said(answer: Any) -> str:
    """Without what differs from one request to the next: numbers of the address, ids and tokens."""
    return re.sub(r"[\w-]*\d[\w-]*|value=\"\w{64}\"", "#", answer.content.decode())


def test_somebody_whose_account_is_closed_is_nobody() -> None:
    """A session that was open when the account was closed gives nothing that nobody gets."""
    person = people()
    words = world(person)
    session = table.session_of(person["owner"])
    type(person["owner"]).objects.filter(pk=person["owner"].pk).update(is_active=False)
    for row in table.rows():
        if row.method == "GET":
            assert table.answer(row, session, words).status_code == row.statuses[0], row


def test_no_address_is_too_large() -> None:
    """A number that no row can have, or a name that no file can have, is not there."""
    person = people()
    words = world(person)
    large = {name: 10**19 if isinstance(one, int) else "x" * 300 for name, one in words.items()}
    session = table.session_of(person["owner"])
    for row in table.rows():
        if "{" in row.address:
            got = table.answer(row, session, large)
            assert got.status_code < 500, row
    for page in (
        "/decks/formats/{}/",
        "/api/v1/formats/{}",
        "/api/v1/policies/{}",
        "/rules/{}/",
        "/events/{}/",
    ):
        got = Client().get(page.format("x" * 300))
        assert 400 <= got.status_code < 500, page
    dispute = {"dispute": 10**19, "verdict": "It stands."}
    got = Client(headers={"content-type": "application/json"})
    got.force_login(person["judge"])
    answer = got.post(f"/api/v1/matches/{words['match']}/rulings", dispute, "application/json")
    assert 400 <= answer.status_code < 500, answer.content


@pytest.mark.parametrize("who", ["owner", "judge"])
def test_a_number_of_thousands_of_digits_is_one_that_is_not_there(who: str) -> None:
    """Python refuses to read it, which is no fault of ours; asked for in an address, or sent to a page."""
    person = people()
    words, session, long = world(person), table.session_of(person[who]), "9" * 5_000
    asked = "&".join(
        f"{name}={long}" for name in ("table", "dispute", "page", "undo", "before", "with", "at")
    )
    for row in table.rows():
        if row.address.startswith("/api/"):
            continue
        if row.method == "GET":
            mark = "&" if "?" in row.address else "?"
            got = table.answer(replace(row, address=f"{row.address}{mark}{asked}"), session, words)
        else:
            sent = dict.fromkeys(("seen", "run", "all", "missing", "table", "registration"), long)
            agreed = {"agrees": "yes"} if "agrees" in row.body else {}
            got = table.answer(replace(row, body=row.body | sent | agreed), session, words)
        assert got.status_code < 500, row


@pytest.mark.parametrize("who", ["player", "judge", "owner"])
def test_a_button_that_no_page_has_is_not_taken_for_one(who: str) -> None:
    """It is refused, or the page is shown once more; nobody is sent on as if something had been done."""
    person = people()
    words = world(person)
    session, wrong = table.session_of(person.get(who)), []
    for row in table.rows():
        if row.method == "POST" and "do" in row.body and not row.address.startswith("/api/"):
            got = table.answer(replace(row, body=row.body | {"do": "nothing-of-the-kind"}), session, words)
            if got.status_code >= 500 or got.status_code in (301, 302, 303):
                wrong.append(f"{row.address} {row.body}: {got.status_code}")
    assert not wrong, "\n".join(wrong)
