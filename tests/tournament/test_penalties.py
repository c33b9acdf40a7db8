"""Penalties: the upgrade path suggests, the head judge deviates, nothing happens to a match by itself."""

from typing import Any

import pytest

from config.errors import Conflict, Forbidden, NotFound, UserError
from tests.tournament.factories import NOW, enter, make_event, make_staff, player_of, report_all, user_of
from tournament import services
from tournament.models import Event, Penalty, Registration
from tournament.selectors import match_state, round_matches, standings
from tournament.selectors.penalties import access_penalty, history_of, offer_of, suggestions

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(organizer: Any, judge: Any) -> Event:
    event = make_event(organizer)
    make_staff(event=event, user=judge, role="judge", by=organizer, now=NOW)
    enter(event, 4)
    services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    return event


@pytest.fixture
def head(event: Event, organizer: Any, make_user: Any) -> Any:
    user = make_user("head")
    make_staff(event=event, user=user, role="head-judge", by=organizer, now=NOW)
    return user


@pytest.fixture
def player(event: Event) -> Registration:
    return event.registrations.order_by("pk")[0]


def give(player: Registration, by: Any, infraction: str = "extra-cards", **more: Any) -> Penalty:
    return services.penalty_issue(registration=player, infraction=infraction, by=by, now=NOW, **more)


def test_the_third_offence_of_a_kind_costs_more(player: Registration, judge: Any) -> None:
    assert [give(player, judge).level for _ in range(4)] == ["warning", "warning", "game-loss", "game-loss"]
    assert give(player, judge, "starting-hand").level == "warning", "kinds are counted apart"
    assert [row.number for row in history_of(player)[::-1]] == [1, 2, 3, 4, 5]


def test_what_is_not_tracked_does_not_upgrade(player: Registration, head: Any, judge: Any) -> None:
    assert give(player, judge, "missed-trigger").level == "caution"
    assert give(player, judge, "missed-trigger").level == "caution", "a caution is forgotten"
    give(player, head, "missed-trigger", level="warning", reason="the fourth time today")
    assert give(player, judge, "missed-trigger").level == "warning"


def test_history_is_of_this_event_and_this_player(
    event: Event, player: Registration, judge: Any, organizer: Any
) -> None:
    other = make_event(organizer, "dunwich")
    make_staff(event=other, user=judge, role="judge", by=organizer, now=NOW)
    there = services.player_register(event=other, user=player.user, by=user_of(player), now=NOW)
    for _ in range(2):
        give(there, judge)
    assert give(player, judge).level == "warning"
    assert {one.infraction.key: one.earlier for one in suggestions(player) if one.earlier} == {
        "extra-cards": 1
    }


def test_another_level_is_the_head_judges_and_has_a_reason(
    player: Registration, judge: Any, head: Any, organizer: Any
) -> None:
    for somebody in (judge, organizer):
        with pytest.raises(Forbidden) as refused:
            give(player, somebody, level="match-loss", reason="much at stake")
        assert refused.value.code == "needs-head-judge"
    with pytest.raises(UserError) as unsaid:
        give(player, head, level="match-loss")
    assert unsaid.value.place == "reason"
    given = give(player, head, level="match-loss", reason="second of its kind in one game")
    assert (given.level, given.suggested, given.effect) == ("match-loss", "warning", "match-loss")
    mild = give(player, head, "tardiness", level="none", reason="the lift was stuck")
    assert (mild.level, mild.level_title, mild.tracked) == ("none", "", False)
    assert give(player, judge, level="warning").reason == "", "what is suggested needs none"


def test_an_organizer_deviates_only_where_there_is_no_head_judge(
    player: Registration, organizer: Any, judge: Any
) -> None:
    assert give(player, organizer, level="caution", reason="first event ever").level == "caution"
    with pytest.raises(Forbidden):
        give(player, judge, level="caution", reason="first event ever")


@pytest.mark.parametrize(
    ("field", "value"),
    [("infraction", "yawning"), ("level", "exile"), ("note", "x" * 2_001), ("note", "\x00")],
)
def test_a_wrong_field_is_named(player: Registration, judge: Any, field: str, value: str) -> None:
    with pytest.raises(UserError) as refused:
        give(player, judge, **{field: value})
    assert refused.value.place == field
    assert not Penalty.objects.exists()


def test_a_penalty_taken_back_counts_no_more_and_stays_on_record(
    player: Registration, judge: Any, head: Any
) -> None:
    first, _second = give(player, judge), give(player, judge)
    row = services.penalty_revoke(penalty=first, reason="wrong player", by=judge, now=NOW)
    assert (row.revokes, row.number, row.reason) == (first, 3, "wrong player")
    assert give(player, judge).level == "warning", "only one counts"
    with pytest.raises(Conflict) as refused:
        services.penalty_revoke(penalty=Penalty.objects.get(pk=first.pk), reason="again", by=head, now=NOW)
    assert refused.value.code == "revoked"
    with pytest.raises(Conflict):
        services.penalty_revoke(penalty=row, reason="back again", by=head, now=NOW)
    assert Penalty.objects.count() == 4


def test_who_gave_it_or_the_head_judge_takes_it_back(
    event: Event, player: Registration, judge: Any, head: Any, organizer: Any, make_user: Any
) -> None:
    other = make_user("other")
    make_staff(event=event, user=other, role="judge", by=organizer, now=NOW)
    given = give(player, judge)
    for somebody in (other, organizer, user_of(player)):
        with pytest.raises(Forbidden):
            services.penalty_revoke(penalty=given, reason="no", by=somebody, now=NOW)
    services.penalty_revoke(penalty=given, reason="seen again", by=head, now=NOW)


def test_a_match_loss_is_offered_and_entered_by_somebody(event: Event, judge: Any, head: Any) -> None:
    [match, *_rest] = round_matches(event.rounds.get())
    for side, outcome in ((1, "loss"), (2, "win")):
        player = match.seats.get(side=side).registration
        given = give(player, judge, "outside-assistance")
        offer = offer_of(given)
        assert offer is not None
        assert (offer.match, offer.outcome, offer.entered) == (match, outcome, False)
        assert match_state(offer.match).state == "waiting", "nothing has happened to the match"
    assert offer is not None
    services.result_decide(match=match, outcome=offer.outcome, reason=offer.reason, by=judge, now=NOW)
    entered = offer_of(given)
    assert entered is not None and entered.entered
    services.penalty_revoke(penalty=given, reason="a spectator spoke", by=judge, now=NOW)
    assert offer_of(Penalty.objects.get(pk=given.pk)) is None


def test_a_game_loss_leaves_the_result_to_the_staff_and_a_warning_touches_nothing(
    event: Event, player: Registration, judge: Any
) -> None:
    offer = offer_of(give(player, judge, "illegal-deck"))
    assert offer is not None and offer.outcome == ""
    assert offer_of(give(player, judge)) is None


def test_outside_a_round_there_is_no_match_to_lose(event: Event, judge: Any, organizer: Any) -> None:
    round = event.rounds.get()
    report_all(round)
    services.round_finish(round=round, by=organizer, now=NOW)
    player = event.registrations.order_by("pk")[0]
    given = give(player, judge, "outside-assistance")
    assert given.round is None and offer_of(given) is None


def test_a_disqualified_player_is_taken_out_by_somebody(
    event: Event, player: Registration, judge: Any
) -> None:
    given = give(player, judge, "cheating")
    player.refresh_from_db()
    assert (given.effect, player.state) == ("removal", "active")
    services.player_drop(registration=player, by=judge, now=NOW)
    assert len(standings(event)) == 4, "the row stays and counts for former opponents"


def test_nobody_judges_themselves_or_their_opponent(event: Event, organizer: Any) -> None:
    [match, *_rest] = round_matches(event.rounds.get())
    playing = player_of(match, 1)
    make_staff(event=event, user=playing, role="judge", by=organizer, now=NOW)
    with pytest.raises(Forbidden) as refused:
        give(match.seats.get(side=1).registration, playing)
    assert refused.value.code == "own-penalty"
    with pytest.raises(Forbidden) as refused:
        give(match.seats.get(side=2).registration, playing)
    assert refused.value.code == "own-match"


def test_players_see_their_own_penalties_and_no_others(
    event: Event, player: Registration, judge: Any, visitor: Any
) -> None:
    given = give(player, judge, note="drew two cards")
    other = event.registrations.exclude(pk=player.pk)[0]
    assert access_penalty(user_of(player), event.slug, given.pk) == given
    assert access_penalty(judge, event.slug, given.pk) == given
    for somebody in (user_of(other), visitor, None):
        with pytest.raises(NotFound):
            access_penalty(somebody, event.slug, given.pk)
    with pytest.raises(NotFound):
        access_penalty(judge, "dunwich", given.pk)


def test_what_the_guide_called_it_stays_though_the_policy_changes(
    event: Event, player: Registration, judge: Any
) -> None:
    given = give(player, judge)
    Event.objects.filter(pk=event.pk).update(policy=None, policy_key="mtg-mtr")
    found = Penalty.objects.get(pk=given.pk)
    assert (found.infraction_title, found.level_title) == ("Looking at or drawing extra cards", "Warning")


def test_the_pages_give_offer_enter_and_take_back(event: Event, judge: Any, client: Any) -> None:
    [match, *_rest] = round_matches(event.rounds.get())
    player = match.seats.get(side=2).registration
    client.force_login(judge)
    where = f"/events/kingsport/players/{player.pk}/penalties"
    page = client.get(where).content.decode()
    assert "Slow play: Warning" in page and 'name="level"' not in page, "this judge does not deviate"
    answer = client.post(where, {"infraction": "outside-assistance", "note": "asked a friend"})
    given = Penalty.objects.get()
    assert answer["Location"] == f"/events/kingsport/penalties/{given.pk}"
    assert "Enter the match loss" in client.get(answer["Location"]).content.decode()
    assert client.post(answer["Location"], {"do": "enter"}).status_code == 302
    assert match_state(round_matches(event.rounds.get())[0]).outcome == "win"
    assert "The result has been entered." in client.get(answer["Location"]).content.decode()
    assert client.post(answer["Location"], {"do": "revoke", "reason": "overheard"}).status_code == 302
    page = client.get("/events/kingsport/penalties").content.decode()
    assert "Revoked" in page
    assert client.post(where, {"infraction": ""}).status_code == 400


def test_the_list_of_penalties_costs_the_same_however_long(
    event: Event, judge: Any, client: Any, django_assert_max_num_queries: Any
) -> None:
    client.force_login(judge)
    for player in event.registrations.all():
        for _ in range(3):
            give(player, judge)
    with django_assert_max_num_queries(12):  # the navigation asks for flights and for judge calls
        client.get("/events/kingsport/penalties")
    player = event.registrations.all()[0]
    with django_assert_max_num_queries(16):
        client.get(f"/events/kingsport/players/{player.pk}/penalties")
