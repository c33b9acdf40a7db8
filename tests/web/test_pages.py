"""What goes wrong is told calmly, and a page is light. Who gets which page: tests/access/routes.txt."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.web.conftest import World


@pytest.mark.parametrize(
    "path",
    ["/events/nowhere/", "/events/kingsport/pairings/9", "/matches/999", "/matches/99999999999999999999999",
     "/decks/999/", "/rules/chess/", "/rules/disputes/999", "/events/kingsport/standings/999",
     "/events/kingsport/players/999"],
)  # fmt: skip
def test_what_is_not_there_is_a_calm_404(world: World, as_user: Callable[[Any], Client], path: str) -> None:
    response = as_user(world.organizer).get(path)
    assert response.status_code == 404
    assert "doesn’t exist." in response.content.decode()


def test_a_form_without_its_token_is_a_calm_403(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.ann)
    response = client.post("/events/kingsport/match", {"outcome": "win"})
    assert response.status_code == 403
    assert "Nothing was changed." in response.content.decode()
    assert not world.match.reports.exists()


def test_a_form_that_was_open_too_long_is_one_tap_away(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.ann)
    path, link = "/events/kingsport/match", '<a class="button primary" href="{}">'.format
    for page, offered in ((f"http://testserver{path}", True), ("https://elsewhere.example/", False)):
        response = client.post(path, {"do": "report"}, headers={"referer": page})
        assert response.status_code == 403
        assert (link(page) in response.content.decode()) == offered


def test_a_fault_of_ours_is_a_page_without_a_stack_trace(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("tournament.views.play.standing_lines", broken)
    client = Client(raise_request_exception=False)
    response = client.get("/events/kingsport/standings")
    page = response.content.decode()
    assert response.status_code == 500
    assert "Something went wrong on our side, not yours." in page
    assert response["X-Request-Id"] in page
    assert "secret detail" not in page


def test_a_rule_is_found_by_its_number_or_its_words(client: Client) -> None:
    def found(**query: str) -> set[str]:
        page = client.get("/rules/coc-lcg/", query, headers={"HX-Target": "found"}).content.decode()
        assert "<html" not in page
        return set(re.findall(r'<li id="(COC-[^"]+)"', page))

    everything = found()
    assert len(everything) > 200
    assert "COC-T-31" in found(q="coc-t-31")
    assert found(q="clockwise respond") < everything
    assert found(q="no such words at all") == set()
    assert (
        "No rule has these words."
        in client.get("/rules/coc-lcg/", {"q": "no such words at all"}).content.decode()
    )


def test_an_event_is_listed_with_its_format(world: World, client: Client) -> None:
    assert "Call of Cthulhu LCG" in client.get("/events/").content.decode()


def test_an_event_is_found_by_its_name_and_format(world: World, client: Client) -> None:
    def found(query: str) -> str:
        answer = client.get("/events/", {"q": query}, headers={"HX-Target": "found"})
        return str(answer.content.decode())

    assert 'href="/events/kingsport/"' in found("kings coc-lcg")
    assert "No events match." in found("kings magic")
    assert "No events match." in client.get("/events/", {"q": "dunwich"}).content.decode()


def test_my_match_is_light(world: World, as_user: Callable[[Any], Client]) -> None:
    """The page with everything it loads, as it goes over the wire the first time."""
    import gzip

    from django.contrib.staticfiles.finders import find

    page = as_user(world.ann).get("/events/kingsport/match").content
    files = re.findall(r'(?:src|href)="/static/([^"]+)"', page.decode())
    assert len(files) >= 3
    sizes = [len(gzip.compress(page))]
    for name in files:
        path = find(name)
        assert isinstance(path, str)
        sizes.append(len(gzip.compress(Path(path).read_bytes())))
    assert sum(sizes) < 60_000
