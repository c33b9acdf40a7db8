"""Who may do what: everybody asks for every route, by every method (routes.txt)."""

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
    wrong = []
    for row in table.rows():
        got = table.answer(row, session, words)
        if got.status_code != row.statuses[column]:
            said = got.content[:200].decode(errors="replace") if row.address.startswith("/api/") else ""
            wrong.append(f"{row.method} {row.address}: {got.status_code}, not {row.statuses[column]} {said}")
    assert not wrong, f"For {who} the table (tests/access/routes.txt) is wrong:\n" + "\n".join(wrong)


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
