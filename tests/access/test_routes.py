"""Who may do what: everybody asks for every route, by every method (routes.txt)."""

import re
from typing import Any

import pytest

from tests.access import table
from tests.access.world import WHO, people, world

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
        "Routes without a line in tests/access/routes.txt. What everybody gets now stands below; make sure that each "
        "status is right, give a change a body that would be carried out (JSON, at the end), and add:\n"
        + "\n".join(lines)
    )


def test_somebody_whose_account_is_closed_is_nobody() -> None:
    """A session that was open when the account was closed gives nothing that nobody gets."""
    person = people()
    words = world(person)
    session = table.session_of(person["owner"])
    type(person["owner"]).objects.filter(pk=person["owner"].pk).update(is_active=False)
    for row in table.rows():
        if row.method == "GET":
            assert table.answer(row, session, words).status_code == row.statuses[0], row
