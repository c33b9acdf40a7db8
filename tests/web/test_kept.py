"""Rows that are kept by the event's version: everybody sees what is so now, and nobody what is not for them."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from threading import Barrier
from typing import Any

import pytest
from django.test import Client

from config.row_cache import MOST, kept
from tests.markup import tight
from tests.tournament import factories
from tests.tournament.factories import NOW
from tests.web.conftest import World
from tournament import services
from tournament.views.rows import PAGE

AsUser = Callable[[Any], Client]
PAIRINGS, STANDINGS = "/events/kingsport/pairings", "/events/kingsport/standings"


def body(client: Client, path: str) -> str:
    return client.get(path).content.decode()


def test_a_result_shows_at_once_to_who_looked_before(world: World, as_user: AsUser, now: datetime) -> None:
    looker = as_user(world.visitor)
    assert "1–0–0" not in body(looker, STANDINGS)
    assert "won<" not in tight(body(looker, PAIRINGS))
    services.result_decide(match=world.match, by=world.judge, outcome="win", reason="slip", now=now)
    assert "1–0–0" in body(looker, STANDINGS)
    assert "won<" in body(looker, PAIRINGS)
    services.result_decide(match=world.match, by=world.judge, outcome="draw", reason="misread", now=now)
    assert "0–1–0" in body(looker, STANDINGS)
    assert "draw<" in body(looker, PAIRINGS)


@pytest.mark.parametrize("first", ["organizer", "ann"])
@pytest.mark.parametrize("page", [PAIRINGS, f"{PAIRINGS}?by=table"])
def test_what_is_kept_for_the_desk_is_not_shown_to_players(
    world: World, as_user: AsUser, page: str, first: str
) -> None:
    """Whoever looks first: the way to a match is the organizers' alone."""
    link = f"/matches/{world.match.pk}"
    seen = {}
    for who in [first, "organizer", "ann", "visitor"]:
        seen[who] = link in body(as_user(getattr(world, who)), page)
    seen["nobody"] = link in body(as_user(None), page)
    assert seen == {"organizer": True, "ann": False, "visitor": False, "nobody": False}


def test_the_players_of_an_event_see_no_more_than_before_when_staff_looked(
    world: World, as_user: AsUser
) -> None:
    page = "/events/kingsport/players"
    staff = body(as_user(world.organizer), page)
    assert staff.count("/players/") >= 3
    mine = body(as_user(world.ann), page)
    assert f"/players/{world.entry(world.ann).pk}" in mine
    assert f"/players/{world.entry(world.bo).pk}" not in mine


@pytest.mark.parametrize("page", [PAIRINGS, STANDINGS])
def test_only_the_own_row_is_marked(world: World, as_user: AsUser, page: str) -> None:
    for user in (world.ann, world.bo):
        rows = body(as_user(user), page).split('<tr role="row"')
        marked = [row for row in rows if row.startswith(' class="me"')]
        assert len(marked) == 1
        assert (
            f'class="lead-cell">{user.display_name}<' in marked[0] or f">{user.display_name}</a>" in marked[0]
        )
    assert 'class="me"' not in body(as_user(world.visitor), page)


def test_each_reads_it_in_their_language(world: World, as_user: AsUser) -> None:
    english = body(as_user(None), PAIRINGS)
    korean = as_user(None).get(PAIRINGS, headers={"Accept-Language": "ko"}).content.decode()
    assert "why?" in english
    assert "why?" not in korean
    assert "why?" in body(as_user(None), PAIRINGS)


def test_what_many_ask_for_at_once_is_made_once() -> None:
    made, together = [], Barrier(4)

    def ask(_number: int) -> object:
        together.wait()
        return kept(("asked",), lambda: made.append(1) or len(made))  # type: ignore[func-returns-value]

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(ask, range(4))) == {1}
    assert made == [1]


def test_what_fails_is_not_kept_and_the_oldest_goes_first() -> None:
    with pytest.raises(ZeroDivisionError):
        kept(("broken",), lambda: 1 // 0)
    assert kept(("broken",), lambda: 7) == 7
    for number in range(MOST):
        kept(("more", number), lambda: 0)
    assert kept(("broken",), lambda: 8) == 8


def test_a_long_round_is_paged_and_leads_with_the_own_row(organizer: Any, ann: Any, as_user: AsUser) -> None:
    event = factories.make_event(organizer)
    for number in range(PAGE):
        services.player_register(event=event, user=None, name=f"Guest {number:03}", by=organizer, now=NOW)
    services.player_register(event=event, user=ann, revision=factories.make_revision(ann), by=ann, now=NOW)
    event.registrations.filter(user=None).update(deck_override="Seen.")
    event.registrations.filter(user=ann).update(name="Zoe")
    services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    first, second = (body(as_user(ann), f"{PAIRINGS}?page={page}") for page in (1, 2))
    assert first.index('class="me"') < first.index("Guest 000")
    assert first.count('<tr role="row"') == PAGE + 2  # the heading's, and her own
    assert second.count('<tr role="row"') == 2
    assert 'class="me"' not in body(as_user(None), PAIRINGS)
