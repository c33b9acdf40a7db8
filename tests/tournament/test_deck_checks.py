"""Tables drawn for deck checks, and how many decks were checked."""

from datetime import timedelta
from typing import Any

import pytest

from config.errors import Conflict, Forbidden, UserError
from tests.markup import tight
from tests.tournament.factories import NOW, enter, make_event, make_revision, make_staff, report_all, user_of
from tournament import services
from tournament.models import DeckCheck, Event, Match
from tournament.selectors import round_matches
from tournament.selectors.clock import extension_of
from tournament.selectors.coverage import checkable_tables, coverage

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(organizer: Any, judge: Any) -> Event:
    """Eight players with lists at four tables."""
    event = make_event(organizer)
    make_staff(event=event, user=judge, role="judge", by=organizer, now=NOW)
    for entry in enter(event, 8):
        revision = make_revision(user_of(entry))
        services.deck_register(registration=entry, revision=revision, by=user_of(entry), now=NOW)
    services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    return event


def check(match: Match, judge: Any, minutes: int = 5) -> list[DeckCheck]:
    checks = services.table_check_start(match=match, by=judge, now=NOW)
    for one in checks:
        services.deck_check_finish(check=one, matches=True, by=judge, now=NOW + timedelta(minutes=minutes))
    return checks


def test_no_table_is_drawn_twice_before_all_others_were(event: Event, judge: Any) -> None:
    drawn = set()
    for seed in range(4):
        match = services.table_check_draw(event=event, by=judge, seed=seed)
        drawn.add(match.table)
        check(match, judge)
    assert drawn == {1, 2, 3, 4}
    services.table_check_draw(event=event, by=judge)


def test_in_the_next_round_those_checked_least_come_first(event: Event, judge: Any, organizer: Any) -> None:
    for match in round_matches(event.rounds.get())[:3]:
        check(match, judge)
    fresh = {seat.registration_id for seat in round_matches(event.rounds.get())[3].seats.all()}
    report_all(event.rounds.get())
    services.round_pair(event=event, by=organizer, seed=2, now=NOW)
    for seed in range(6):
        match = services.table_check_draw(event=event, by=judge, seed=seed)
        assert {seat.registration_id for seat in match.seats.all()} & fresh


def test_a_table_under_check_or_done_or_without_a_list_is_not_drawn(
    event: Event, judge: Any, organizer: Any
) -> None:
    one, two, three, _four = round_matches(event.rounds.get())
    services.table_check_start(match=one, by=judge, now=NOW)
    services.result_decide(match=two, outcome="win", reason="slip", by=organizer, now=NOW)
    late = three.seats.all()[0].registration
    services.deck_register(registration=late, revision=None, override="paper", by=organizer, now=NOW)
    assert [match.table for match, _score in checkable_tables(event)] == [4]
    with pytest.raises(UserError) as refused:
        services.table_check_start(match=three, by=judge, now=NOW)
    assert refused.value.code == "no-deck"
    with pytest.raises(Conflict) as busy:
        services.table_check_start(match=one, by=judge, now=NOW)
    assert busy.value.code == "checking"
    assert DeckCheck.objects.count() == 2, "a table is begun whole or not at all"


def test_the_table_gets_the_time_back_that_the_longer_check_took(event: Event, judge: Any) -> None:
    [match, *_rest] = round_matches(event.rounds.get())
    one, two = services.table_check_start(match=match, by=judge, now=NOW)
    services.deck_check_finish(check=one, matches=True, by=judge, now=NOW + timedelta(minutes=5))
    assert extension_of(match) == 5 + 3, "what it took, and the policy's three more"
    services.deck_check_finish(check=two, matches=True, by=judge, now=NOW + timedelta(minutes=9))
    assert extension_of(match) == 9 + 3, "both ran at once"


def test_a_settled_table_and_a_check_before_the_round_give_no_time(
    event: Event, judge: Any, organizer: Any
) -> None:
    [match, other, *_rest] = round_matches(event.rounds.get())
    checks = services.table_check_start(match=match, by=judge, now=NOW)
    services.result_decide(match=match, outcome="win", reason="conceded", by=organizer, now=NOW)
    services.deck_check_finish(check=checks[0], matches=True, by=judge, now=NOW + timedelta(minutes=5))
    assert extension_of(match) == 0
    [early, _] = services.table_check_start(match=other, by=judge, now=NOW)
    DeckCheck.objects.filter(pk=early.pk).update(round=None)
    early.refresh_from_db()
    services.deck_check_finish(check=early, matches=True, by=judge, now=NOW + timedelta(minutes=5))
    assert extension_of(other) == 0


def test_coverage_counts_decks_checked_to_the_end(event: Event, judge: Any) -> None:
    assert (coverage(event).players, coverage(event).checked, coverage(event).wanted) == (8, 0, 1)
    [match, *_rest] = round_matches(event.rounds.get())
    services.table_check_start(match=match, by=judge, now=NOW)
    assert coverage(event).missing == 1, "begun is not done"
    for one in DeckCheck.objects.all():
        services.deck_check_finish(check=one, matches=True, by=judge, now=NOW)
    assert (coverage(event).checked, coverage(event).missing) == (2, 0)


def test_without_a_round_under_way_there_is_no_table(event: Event, judge: Any, organizer: Any) -> None:
    round = event.rounds.get()
    report_all(round)
    services.round_finish(round=round, by=organizer, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.table_check_draw(event=event, by=judge)
    assert refused.value.code == "nobody"
    with pytest.raises(Forbidden):
        services.table_check_draw(event=event, by=user_of(event.registrations.all()[0]))


def test_the_page_draws_a_table_and_begins_its_check(event: Event, judge: Any, client: Any) -> None:
    client.force_login(judge)
    where = "/events/kingsport/deck-checks"
    assert "0 of 8 decks have been checked. 1 to go." in tight(client.get(where).content.decode())
    page = client.post(where, {"do": "draw"})
    match = page.context["drawn"]
    assert f"Table {match.table}" in page.content.decode()
    assert client.post(where, {"do": "start", "match": str(match.pk)}).status_code == 302
    assert "Running" in client.get(where).content.decode()
    assert client.post(where, {"do": "start", "match": "x"}).status_code == 404
    assert client.post(where, {"do": "start", "match": str(match.pk)}).status_code == 409


def test_drawing_costs_the_same_however_many_tables(
    event: Event, judge: Any, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(8):
        services.table_check_draw(event=event, by=judge)
