"""Who may know and do what: not allowed to know looks like not there, known but not allowed is refused."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser

from config.errors import Forbidden, NotFound
from rules.models import Dispute, Ruling
from tests.tournament.factories import NOW, enter, make_event, make_staff, player_of
from tournament import services
from tournament.models import Event, Match, MatchDispute
from tournament.selectors import (
    JUDGES,
    ORGANIZERS,
    PLAYER,
    STAFF,
    access_event,
    access_match,
    access_registration,
    access_round,
    current_match,
    dispute_standing,
    event_disputes,
    my_registration,
    roles_of,
    round_matches,
)
from tournament.selectors.codes import claim_code

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(organizer: Any, judge: Any) -> Event:
    event = make_event(organizer)
    make_staff(event=event, user=judge, role="judge", by=organizer, now=NOW)
    enter(event, 2)
    services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    return event


@pytest.fixture
def match(event: Event) -> Match:
    [match] = round_matches(event.rounds.get())
    return match


@pytest.fixture
def filed(match: Match, judge: Any) -> MatchDispute:
    dispute = Dispute.objects.create(
        title="Who responds first?", filed_by=judge, source="", scenario={}, scenario_hash="0", filed_at=NOW
    )
    return MatchDispute.objects.create(match=match, dispute=dispute)


def test_everybody_sees_events_rounds_and_matches(event: Event, match: Match, visitor: Any) -> None:
    for somebody in (None, AnonymousUser(), visitor):
        assert access_event(somebody, event.slug) == event
        assert access_round(somebody, event.slug, 1).event == event
        assert access_match(somebody, match.pk) == match
        assert roles_of(somebody, event) == set()
        assert my_registration(somebody, event) is None
        assert current_match(somebody, event) is None


def test_what_does_not_exist_is_not_found(visitor: Any, event: Event) -> None:
    for look in (
        lambda: access_event(visitor, "arkham"),
        lambda: access_round(visitor, event.slug, 2),
        lambda: access_match(visitor, 10**6),
        lambda: access_registration(visitor, event.slug, 10**6),
    ):
        with pytest.raises(NotFound):
            look()


def test_roles_are_per_event(event: Event, organizer: Any, judge: Any, match: Match) -> None:
    other = make_event(judge, "dunwich")
    assert roles_of(judge, event) == {"judge"}
    assert roles_of(judge, other) == {"owner", "organizer"}
    assert roles_of(player_of(match, 1), event) == {PLAYER}
    with pytest.raises(Forbidden) as refused:
        access_event(judge, event.slug, ORGANIZERS)
    assert refused.value.message == "Only an organizer can do this."
    assert access_event(judge, event.slug, JUDGES) == event


def test_players_of_a_match_are_its_own(event: Event, organizer: Any, match: Match, make_user: Any) -> None:
    player = player_of(match, 2)
    assert access_match(player, match.pk, {PLAYER}) == match
    assert current_match(player, event) == match
    assert my_registration(player, event) == match.seats.get(side=2).registration
    late = make_user("late")
    entry = services.player_register(event=event, user=None, name="Late", by=organizer, now=NOW)
    services.player_claim(event=event, code=claim_code(entry), by=late, now=NOW)
    with pytest.raises(Forbidden):
        access_match(late, match.pk, {PLAYER} | STAFF)


def test_a_registration_with_its_list_is_for_its_player_and_staff(
    event: Event, judge: Any, visitor: Any, match: Match
) -> None:
    entry = match.seats.get(side=1).registration
    for somebody in (entry.user, judge):
        assert access_registration(somebody, event.slug, entry.pk) == entry
    for somebody in (visitor, player_of(match, 2), None):
        with pytest.raises(Forbidden):
            access_registration(somebody, event.slug, entry.pk)


def test_judges_judge_a_matchs_dispute_and_its_players_hear_of_the_ruling(
    event: Event, filed: MatchDispute, organizer: Any, judge: Any, visitor: Any
) -> None:
    make_staff(event=event, user=visitor, role="scorekeeper", by=organizer, now=NOW)
    player = player_of(filed.match, 1)
    expected = {organizer: "judge", judge: "judge", player: "", visitor: "", None: ""}
    assert {user: dispute_standing(user, filed.dispute) for user in expected} == expected
    Ruling.objects.create(dispute=filed.dispute, judge=judge, verdict="Ann acts next.", issued_at=NOW)
    assert dispute_standing(player, filed.dispute) == "party", "once it is ruled"
    assert list(event_disputes(event)) == [filed]


def test_nobody_judges_their_own_match(filed: MatchDispute, organizer: Any) -> None:
    player = player_of(filed.match, 1)
    make_staff(event=filed.match.round.event, user=player, role="head-judge", by=organizer, now=NOW)
    assert dispute_standing(player, filed.dispute) == ""


def test_a_dispute_without_a_match_is_not_the_events_business(judge: Any) -> None:
    free = Dispute.objects.create(
        title="x", filed_by=judge, source="", scenario={}, scenario_hash="0", filed_at=NOW
    )
    assert dispute_standing(judge, free) is None


def test_only_judges_of_the_event_file_disputes(match: Match, visitor: Any, organizer: Any) -> None:
    make_staff(event=match.round.event, user=visitor, role="scorekeeper", by=organizer, now=NOW)
    for somebody in (visitor, player_of(match, 1)):
        with pytest.raises(Forbidden):
            services.dispute_file(match=match, by=somebody, title="x", source="{}", now=NOW)
