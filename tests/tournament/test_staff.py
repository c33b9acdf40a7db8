"""Who runs an event: roles by name and by link, and the owner whom nobody can lose."""

from datetime import timedelta
from typing import Any

import pytest

from config.errors import Conflict, Forbidden, NotFound, UserError
from tests.tournament.factories import NOW, make_event, make_staff
from tournament import services
from tournament.models import AuditRow, Event, Invite, Staff
from tournament.selectors import STAFF, roles_of, staff_of
from tournament.selectors.accounts import find_person
from tournament.selectors.entries import invites_that_work, watches
from tournament.selectors.overview import agenda

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(organizer: Any) -> Event:
    return make_event(organizer)


def row(event: Event, user: Any, role: str) -> Staff:
    return Staff.objects.get(event=event, user=user, role=role)


def test_who_announces_an_event_owns_it_and_is_an_organizer(event: Event, organizer: Any) -> None:
    assert roles_of(organizer, event) == {"owner", "organizer"}
    assert [one.role for one in staff_of(event)] == ["owner"]


def test_owners_make_organizers_and_organizers_make_the_rest(
    event: Event, organizer: Any, judge: Any, ann: Any
) -> None:
    make_staff(event=event, user=judge, role="organizer", by=organizer, now=NOW)
    for role in ("owner", "organizer"):
        with pytest.raises(Forbidden):
            make_staff(event=event, user=ann, role=role, by=judge, now=NOW)
    for role in ("head-judge", "judge", "scorekeeper"):
        make_staff(event=event, user=ann, role=role, by=judge, now=NOW)
    assert roles_of(ann, event) == {"head-judge", "judge", "scorekeeper"}
    with pytest.raises(Forbidden):
        make_staff(event=event, user=judge, role="judge", by=ann, now=NOW)


def test_the_last_owner_stays(event: Event, organizer: Any, judge: Any) -> None:
    with pytest.raises(Conflict) as refused:
        services.staff_remove(staff=row(event, organizer, "owner"), by=organizer, now=NOW)
    assert refused.value.code == "last-owner"
    make_staff(event=event, user=judge, role="owner", by=organizer, now=NOW)
    services.staff_remove(staff=row(event, organizer, "owner"), by=judge, now=NOW)
    assert roles_of(organizer, event) == set()
    with pytest.raises(Conflict):
        services.staff_remove(staff=row(event, judge, "owner"), by=judge, now=NOW)


def test_everybody_lays_down_their_own_role_and_no_others(
    event: Event, organizer: Any, judge: Any, ann: Any
) -> None:
    for user in (judge, ann):
        make_staff(event=event, user=user, role="judge", by=organizer, now=NOW)
    with pytest.raises(Forbidden):
        services.staff_remove(staff=row(event, ann, "judge"), by=judge, now=NOW)
    services.staff_remove(staff=row(event, judge, "judge"), by=judge, now=NOW)
    assert roles_of(judge, event) == set()
    gone = AuditRow.objects.get(verb="staff_remove")
    assert gone.data == {"user": judge.pk, "role": "judge"}


def test_an_invitation_gives_its_role_as_often_as_it_says(
    event: Event, organizer: Any, ann: Any, bo: Any
) -> None:
    invite, secret = services.invite_make(event=event, role="judge", uses=1, by=organizer, now=NOW)
    assert secret not in str(Invite.objects.values().get()), "the link's secret is stored nowhere"
    services.invite_accept(secret=secret, by=ann, now=NOW)
    assert roles_of(ann, event) == {"judge"}
    with pytest.raises(Conflict) as refused:
        services.invite_accept(secret=secret, by=bo, now=NOW)
    assert refused.value.code == "invite-over"
    assert roles_of(bo, event) == set()
    assert list(invites_that_work(event, NOW)) == []
    invite.refresh_from_db()
    assert invite.uses == 1


def test_following_a_link_twice_uses_it_once(event: Event, organizer: Any, ann: Any) -> None:
    invite, secret = services.invite_make(event=event, role="judge", uses=5, by=organizer, now=NOW)
    for _ in range(2):
        services.invite_accept(secret=secret, by=ann, now=NOW)
    invite.refresh_from_db()
    assert invite.uses == 1


def test_an_invitation_ends_by_time_and_by_being_revoked(event: Event, organizer: Any, ann: Any) -> None:
    invite, secret = services.invite_make(event=event, role="judge", days=2, by=organizer, now=NOW)
    with pytest.raises(Conflict, match="expired"):
        services.invite_accept(secret=secret, by=ann, now=NOW + timedelta(days=2))
    services.invite_revoke(invite=invite, by=organizer, now=NOW)
    with pytest.raises(Conflict, match="revoked"):
        services.invite_accept(secret=secret, by=ann, now=NOW)
    with pytest.raises(NotFound):
        services.invite_accept(secret="x" + secret, by=ann, now=NOW)


def test_a_link_is_worth_no_more_than_its_maker(event: Event, organizer: Any, judge: Any, ann: Any) -> None:
    """Who is no organizer any more can no longer let people in by the links made before."""
    make_staff(event=event, user=judge, role="organizer", by=organizer, now=NOW)
    _invite, secret = services.invite_make(event=event, role="judge", by=judge, now=NOW)
    with pytest.raises(Forbidden):
        services.invite_make(event=event, role="organizer", by=judge, now=NOW)
    services.staff_remove(staff=row(event, judge, "organizer"), by=organizer, now=NOW)
    with pytest.raises(Forbidden):
        services.invite_accept(secret=secret, by=ann, now=NOW)


@pytest.mark.parametrize(("field", "value"), [("uses", 0), ("uses", 101), ("days", 0), ("role", "emperor")])
def test_a_link_with_a_wrong_field_names_it(event: Event, organizer: Any, field: str, value: Any) -> None:
    with pytest.raises(UserError) as refused:
        services.invite_make(**{"event": event, "role": "judge", "by": organizer, "now": NOW, field: value})
    assert refused.value.place == field


def test_a_spectator_may_nothing_and_finds_the_event_on_the_start_page(event: Event, ann: Any) -> None:
    services.event_watch(event=event, watching=True, by=ann, now=NOW)
    assert watches(ann, event)
    assert not roles_of(ann, event) & STAFF
    assert [step.event for step in agenda(ann)] == [event]
    assert ann not in {one.user for one in staff_of(event)}
    services.event_watch(event=event, watching=False, by=ann, now=NOW)
    assert not watches(ann, event) and agenda(ann) == []


def test_people_are_found_by_user_name_and_by_a_name_of_their_own(make_user: Any) -> None:
    dana = make_user("dana", display_name="Dana Okafor")
    one = make_user("kim1", display_name="Kim")
    make_user("kim2", display_name="Kim")
    assert find_person(" DANA ") == find_person("dana okafor") == dana
    assert find_person("kim1") == one
    with pytest.raises(UserError) as refused:
        find_person("Kim")
    assert refused.value.remedy == "Enter the user name: @kim1, @kim2."
    assert find_person("@KIM1") == one
    sly = make_user("kim", display_name="Somebody")  # a user name that others are called by
    with pytest.raises(UserError) as refused:
        find_person("Kim")
    assert refused.value.code == "several-people" and find_person("@kim") == sly
    with pytest.raises(UserError) as refused:
        find_person("Nobody")
    assert refused.value.code == "unknown-user"
