"""Check-in: by list, by the hall's code, by the code on a phone; who is missing when it closes has withdrawn."""

from typing import Any

import pytest

from config.errors import Conflict, Forbidden, UserError
from tests.tournament.factories import NOW, enter, make_event, make_staff, user_of
from tournament import services
from tournament.models import Event, Registration
from tournament.selectors.codes import claim_code, presence_code
from tournament.selectors.entries import checkin
from tournament.selectors.overview import next_step

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(organizer: Any) -> Event:
    return make_event(organizer)


@pytest.fixture
def entries(event: Event) -> list[Registration]:
    return enter(event, 4)


def opened(event: Event, organizer: Any) -> Event:
    return services.checkin_open(event=event, by=organizer, now=NOW)


def test_players_check_in_by_the_halls_code(
    event: Event, entries: list[Registration], organizer: Any
) -> None:
    ann = entries[0]
    with pytest.raises(Conflict) as shut:
        services.player_check_in(registration=ann, code="", by=user_of(ann), now=NOW)
    assert shut.value.code == "checkin-closed"
    event = opened(event, organizer)
    assert next_step(user_of(ann), event).code == "check-in"
    for wrong in ("", "000000x", claim_code(ann), presence_code(ann)):
        with pytest.raises(UserError) as refused:
            services.player_check_in(registration=ann, code=wrong, by=user_of(ann), now=NOW)
        assert refused.value.code == "wrong-code"
    services.player_check_in(registration=ann, code=event.checkin_code, by=user_of(ann), now=NOW)
    assert checkin(event).present == (Registration.objects.get(pk=ann.pk),)
    assert next_step(user_of(ann), event).code == "deck"
    with pytest.raises(Forbidden):
        services.player_check_in(registration=entries[1], code=event.checkin_code, by=user_of(ann), now=NOW)


def test_staff_checks_in_by_list_and_by_the_phones_code(
    event: Event, entries: list[Registration], organizer: Any, judge: Any
) -> None:
    make_staff(event=event, user=judge, role="scorekeeper", by=organizer, now=NOW)
    event = opened(event, organizer)
    one, two = entries[:2]
    services.player_check_in(registration=one, by=judge, now=NOW)
    with pytest.raises(UserError):
        services.player_check_in(registration=two, code=presence_code(one), by=judge, now=NOW)
    services.player_check_in(registration=two, code=presence_code(two), by=judge, now=NOW)
    services.player_check_in(registration=two, code=presence_code(two), by=judge, now=NOW)
    assert len(checkin(event).present) == 2
    services.player_check_out(registration=one, by=judge, now=NOW)
    assert [entry.pk for entry in checkin(event).present] == [two.pk]
    assert event.audit_rows.filter(verb="player_check_in").count() == 2, "twice changes nothing"


def test_who_is_missing_is_shown_and_then_withdrawn(
    event: Event, entries: list[Registration], organizer: Any
) -> None:
    event = opened(event, organizer)
    here, slow, gone, kept = entries
    services.player_check_in(registration=here, by=organizer, now=NOW)
    previewed = [entry.pk for entry in checkin(event).missing]
    assert previewed == [slow.pk, gone.pk, kept.pk]
    services.player_check_in(registration=slow, by=organizer, now=NOW)  # after the preview
    late = services.player_register(event=event, user=None, name="Walk-in", by=organizer, now=NOW)
    previewed.remove(kept.pk)
    closed = services.checkin_close(event=event, withdraw_ids=previewed, by=organizer, now=NOW)
    assert closed.withdrawn == 1
    left = {entry.pk: entry.state for entry in event.registrations.all()}
    assert left == {
        here.pk: "active", slow.pk: "active", gone.pk: "withdrawn", kept.pk: "active", late.pk: "active"
    }  # fmt: skip


def test_places_of_the_missing_go_to_those_who_wait_and_are_here(event: Event, organizer: Any) -> None:
    event = services.event_change(event=event, capacity=2, by=organizer, now=NOW)
    first, second, away, here, also = enter(event, 5)
    event = opened(event, organizer)
    for entry in (first, also, here):
        services.player_check_in(registration=entry, by=organizer, now=NOW)
    preview = checkin(event)
    assert [entry.pk for entry in preview.missing] == [second.pk]
    assert [entry.pk for entry in preview.promoted] == [here.pk]
    closed = services.checkin_close(
        event=event, withdraw_ids=[entry.pk for entry in preview.missing], by=organizer, now=NOW
    )
    assert [entry.pk for entry in closed.promoted] == [here.pk], "in order, and only who is here"
    left = event.registrations.filter(pk__in=[away.pk, also.pk]).values_list("state", flat=True)
    assert list(left) == ["waiting", "waiting"]


def test_round_1_waits_for_the_end_of_the_check_in(
    event: Event, entries: list[Registration], organizer: Any
) -> None:
    event = opened(event, organizer)
    with pytest.raises(Conflict) as refused:
        services.round_pair(event=event, by=organizer, now=NOW)
    assert refused.value.code == "checkin-open"
    assert event.rounds.count() == 0
    services.checkin_close(event=event, withdraw_ids=[], by=organizer, now=NOW)
    services.round_pair(event=event, by=organizer, now=NOW)
    with pytest.raises(Conflict):
        services.checkin_open(event=event, by=organizer, now=NOW)


def test_opening_again_keeps_who_is_here_and_draws_a_new_code(
    event: Event, entries: list[Registration], organizer: Any
) -> None:
    event = opened(event, organizer)
    with pytest.raises(Conflict) as refused:
        opened(event, organizer)
    assert refused.value.code == "checkin-open"
    services.player_check_in(registration=entries[0], by=organizer, now=NOW)
    services.checkin_close(event=event, withdraw_ids=[entries[1].pk], by=organizer, now=NOW)
    with pytest.raises(Conflict):
        services.checkin_close(event=event, withdraw_ids=[], by=organizer, now=NOW)
    event = opened(event, organizer)
    assert [entry.pk for entry in checkin(event).present] == [entries[0].pk]
    with pytest.raises(Conflict) as refused:
        services.player_check_in(registration=entries[1], by=organizer, now=NOW)
    assert refused.value.code == "not-playing"
    back = services.player_register(event=event, user=entries[1].user, by=user_of(entries[1]), now=NOW)
    assert back.checked_in_at is None


def test_only_staff_and_organizers_run_the_door(
    event: Event, entries: list[Registration], organizer: Any, judge: Any, visitor: Any
) -> None:
    make_staff(event=event, user=judge, role="judge", by=organizer, now=NOW)
    for somebody in (judge, visitor, user_of(entries[0])):
        with pytest.raises(Forbidden):
            services.checkin_open(event=event, by=somebody, now=NOW)
    event = opened(event, organizer)
    for somebody in (judge, visitor, user_of(entries[0])):
        with pytest.raises(Forbidden):
            services.checkin_close(event=event, withdraw_ids=[], by=somebody, now=NOW)
    with pytest.raises(Forbidden):
        services.player_check_out(registration=entries[0], by=user_of(entries[0]), now=NOW)
