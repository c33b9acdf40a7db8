"""Nobody is on an event's staff who has not accepted: asked by name, shown, accepted, declined, withdrawn."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from config.errors import Conflict, Forbidden, NotFound
from config.limits import TooMany
from tests.tournament.factories import NOW, make_event, make_staff
from tournament import services
from tournament.models import AuditRow, Event, Invitation, Staff
from tournament.selectors import roles_of, staff_of
from tournament.selectors.invitations import invitations_of, invitations_to
from tournament.selectors.overview import agenda
from tournament.selectors.personal import personal_data

pytestmark = pytest.mark.django_db
AsUser = Callable[[Any], Client]
State = Invitation.State


@pytest.fixture
def event(organizer: Any) -> Event:
    return make_event(organizer)


def ask(event: Event, user: Any, role: str = "judge", by: Any = None) -> Invitation:
    by = by or event.created_by
    return services.staff_invite(event=event, user=user, role=role, by=by, now=NOW)


def text(response: Any) -> str:
    return " ".join(response.content.decode().split())


def test_who_is_invited_has_no_part_in_the_event_until_they_accept(
    event: Event, organizer: Any, ann: Any, bo: Any, as_user: AsUser
) -> None:
    asked = ask(event, ann, "head-judge")
    assert roles_of(ann, event) == set() and agenda(ann) == []
    assert ann not in {one.user for one in staff_of(event)}
    make_staff(event=event, user=bo, role="judge", by=organizer)
    for who, path in (
        (None, "/events/kingsport/"), (None, "/api/v1/events/kingsport/staff"),
        (bo, "/events/kingsport/staff"), (bo, "/events/kingsport/"),
    ):  # fmt: skip
        client = Client() if who is None else as_user(who)
        assert "Ann" not in text(client.get(path)), path
    assert as_user(ann).get("/events/kingsport/calls").status_code == 403
    assert "Ann" in text(as_user(organizer).get("/events/kingsport/staff"))
    services.invitation_accept(invitation=asked, by=ann, now=NOW)
    assert roles_of(ann, event) == {"head-judge"}
    assert "Ann" in text(Client().get("/events/kingsport/"))
    assert list(invitations_of(event)) == [] and list(invitations_to(ann)) == []


def test_who_takes_a_role_themselves_has_it_at_once(event: Event, organizer: Any) -> None:
    assert ask(event, organizer).state == State.ACCEPTED
    assert roles_of(organizer, event) == {"owner", "organizer", "judge"}
    assert [row.verb for row in AuditRow.objects.order_by("pk")] == ["event_create", "staff_add"]
    with pytest.raises(Conflict) as refused:
        ask(event, organizer)
    assert refused.value.code == "has-role"


def test_only_who_is_asked_answers(event: Event, organizer: Any, ann: Any, bo: Any) -> None:
    asked = ask(event, ann)
    for by in (bo, organizer):
        with pytest.raises(NotFound):
            services.invitation_accept(invitation=asked, by=by, now=NOW)
        with pytest.raises(NotFound):
            services.invitation_decline(invitation=asked, by=by, now=NOW)
    assert not Staff.objects.filter(role="judge").exists()


def test_declined_one_can_be_asked_again_and_declined_for_good_not(
    event: Event, organizer: Any, ann: Any
) -> None:
    services.invitation_decline(invitation=ask(event, ann), by=ann, now=NOW)
    assert [one.state for one in invitations_of(event)] == [State.DECLINED]
    services.invitation_decline(invitation=ask(event, ann), for_good=True, by=ann, now=NOW)
    assert [one.state for one in invitations_of(event)] == [State.REFUSED]
    for role in Staff.Role.values:
        with pytest.raises(Conflict) as refused:
            ask(event, ann, role)
        assert refused.value.code == "refused"
    ask(make_event(organizer, "elsewhere"), ann)
    _invite, secret = services.invite_make(event=event, role="judge", by=organizer, now=NOW)
    services.invite_accept(secret=secret, by=ann, now=NOW)  # their own doing
    assert list(invitations_of(event)) == []


def test_a_withdrawn_invitation_gives_nothing(
    event: Event, organizer: Any, ann: Any, as_user: AsUser
) -> None:
    asked = ask(event, ann)
    services.invitation_withdraw(invitation=asked, by=organizer, now=NOW)
    for answer in ("accept", "decline", "refuse"):
        page = as_user(ann).post("/invitations", {"do": answer, "pk": asked.pk})
        assert page.status_code == 409 and "This invitation was withdrawn." in text(page)
    assert roles_of(ann, event) == set() and list(invitations_of(event)) == []
    services.invitation_accept(invitation=ask(event, ann), by=ann, now=NOW)


def test_accepting_twice_changes_nothing_and_asking_twice_asks_once(event: Event, ann: Any) -> None:
    asked = ask(event, ann)
    assert ask(event, ann) == asked
    for _ in range(2):
        services.invitation_accept(invitation=asked, by=ann, now=NOW)
    assert Staff.objects.filter(user=ann).count() == 1
    verbs = AuditRow.objects.filter(event=event).values_list("verb", flat=True)
    assert list(verbs.order_by("pk")) == ["event_create", "staff_invite", "invitation_accept"]
    Staff.objects.filter(user=ann).delete()
    with pytest.raises(Conflict):  # nobody comes back by an invitation that was answered
        services.invitation_accept(invitation=asked, by=ann, now=NOW)


def test_nobody_accepts_another_role_than_they_saw(event: Event, organizer: Any, ann: Any, bo: Any) -> None:
    """Asked for another role meanwhile, the page that shows the first one leads nowhere."""
    first = ask(event, ann, "judge")
    second = ask(event, ann, "owner")
    with pytest.raises(Conflict):
        services.invitation_accept(invitation=first, by=ann, now=NOW)
    make_staff(event=event, user=bo, role="organizer", by=organizer)
    with pytest.raises(Forbidden):  # an organizer takes no owner's word back
        ask(event, ann, "judge", by=bo)
    assert [one.pk for one in invitations_to(ann)] == [second.pk]


def test_an_invitation_is_worth_no_more_than_who_made_it(
    event: Event, organizer: Any, ann: Any, bo: Any
) -> None:
    row = make_staff(event=event, user=bo, role="organizer", by=organizer)
    asked = ask(event, ann, by=bo)
    services.staff_remove(staff=row, by=organizer, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.invitation_accept(invitation=asked, by=ann, now=NOW)
    assert refused.value.code == "invitation-over" and roles_of(ann, event) == set()
    services.invitation_accept(invitation=ask(event, ann), by=ann, now=NOW)  # the organizer asks anew
    assert roles_of(ann, event) == {"judge"}


def test_who_is_banned_cannot_accept(event: Event, organizer: Any, ann: Any) -> None:
    asked = ask(event, ann)
    services.event_ban(event=event, user=ann, reason="theft", by=organizer, now=NOW)
    with pytest.raises(Forbidden):
        services.invitation_accept(invitation=asked, by=ann, now=NOW)


def test_one_account_asks_only_so_many_people(
    event: Event, organizer: Any, ann: Any, bo: Any, settings: Any
) -> None:
    settings.LIMITS = {**settings.LIMITS, "invite": (1, 3600)}
    ask(event, ann)
    with pytest.raises(TooMany):
        ask(event, bo)
    ask(event, organizer)  # oneself one may always ask


def test_what_a_person_was_asked_is_in_their_data_and_goes_with_them(event: Event, ann: Any) -> None:
    ask(event, ann)
    [told] = personal_data(ann)["invitations"]
    assert (told["event__slug"], told["role"], told["state"]) == ("kingsport", "judge", "open")
    services.account_erase(person=ann, by=ann, now=NOW)
    assert not Invitation.objects.filter(user=ann).exists()


# --- pages ------------------------------------------------------------------------------------------------


def test_the_start_page_shows_it_and_takes_the_answer(
    event: Event, ann: Any, bo: Any, as_user: AsUser
) -> None:
    asked, other = ask(event, ann), ask(event, bo)
    page = text(as_user(ann).get("/"))
    assert "Kingsport Open" in page and "invites you to be a judge" in page
    after = as_user(ann).post("/invitations", {"do": "accept", "pk": asked.pk})
    assert after["Location"] == "/events/kingsport/control"
    assert "invites you" not in text(as_user(ann).get("/"))
    after = as_user(bo).post("/invitations", {"do": "refuse", "pk": other.pk}, follow=True)
    assert "You’ve declined." in text(after) and "invites you" not in text(after)
    assert Invitation.objects.get(pk=other.pk).state == State.REFUSED


def test_another_persons_invitation_is_not_there(event: Event, ann: Any, bo: Any, as_user: AsUser) -> None:
    asked = ask(event, ann)
    for pk, status in ((asked.pk, 404), (0, 404), ("x", 400)):
        assert as_user(bo).post("/invitations", {"do": "accept", "pk": pk}).status_code == status
    assert as_user(ann).post("/invitations", {"do": "shrug", "pk": asked.pk}).status_code == 400
    assert Invitation.objects.get().state == State.OPEN


def test_the_staff_page_invites_tells_who_has_not_answered_and_withdraws(
    event: Event, organizer: Any, ann: Any, as_user: AsUser
) -> None:
    where, client = "/events/kingsport/staff", as_user(organizer)
    page = text(client.post(where, {"do": "add", "who": "ann", "role": "judge"}, follow=True))
    assert "Ann is invited: Judge." in page and "hasn’t answered yet" in page
    page = text(client.post(where, {"do": "withdraw", "pk": Invitation.objects.get().pk}, follow=True))
    assert "The invitation has been withdrawn." in page and "hasn’t answered yet" not in page
    again = client.post(where, {"do": "withdraw", "pk": Invitation.objects.get().pk})
    assert again.status_code == 409 and "This invitation was withdrawn." in text(again)
    services.invitation_decline(invitation=ask(event, ann), for_good=True, by=ann, now=NOW)
    assert "declined for good" in text(client.get(where))
    refused = client.post(where, {"do": "add", "who": "ann", "role": "judge"})
    assert refused.status_code == 409 and "doesn’t want to be invited" in text(refused)
    log = text(client.get("/events/kingsport/log"))
    assert "invited to event staff" in log and "declined an invitation for good" in log
    page = text(client.post(where, {"do": "add", "who": "organizer", "role": "judge"}, follow=True))
    assert "Organizer is on the event staff: Judge." in page


# --- the API ----------------------------------------------------------------------------------------------


def test_programs_invite_list_answer_and_withdraw(
    event: Event, organizer: Any, ann: Any, bo: Any, as_user: AsUser
) -> None:
    def send(user: Any, method: str, path: str, body: Any = None) -> Any:
        sent = "" if body is None else json.dumps(body)
        return as_user(user).generic(method, f"/api/v1{path}", sent, "application/json")

    made = send(organizer, "POST", "/events/kingsport/staff", {"username": "ann", "role": "judge"})
    assert made.status_code == 201 and made.json()["state"] == "open"
    assert [one["id"] for one in send(ann, "GET", "/me/invitations").json()["results"]] == [made.json()["id"]]
    assert send(bo, "GET", "/me/invitations").json()["count"] == 0
    mine = f"/me/invitations/{made.json()['id']}"
    assert send(bo, "POST", mine, {"answer": "accept"}).status_code == 404
    assert send(ann, "POST", mine, {"answer": "maybe"}).status_code == 400
    answered = send(ann, "POST", mine, {"answer": "accept"})
    assert answered.status_code == 200 and answered.json()["state"] == "accepted"
    assert send(ann, "POST", mine, {"answer": "decline"}).json()["code"] == "invitation-over"
    staff = send(organizer, "GET", "/events/kingsport/staff").json()["results"]
    assert [one["username"] for one in staff] == ["organizer", "ann"]
    asked = send(organizer, "POST", "/events/kingsport/staff", {"username": "bo", "role": "judge"}).json()
    [listed] = send(organizer, "GET", "/events/kingsport/invitations").json()["results"]
    assert (listed["username"], listed["state"]) == ("bo", "open")
    gone = send(organizer, "DELETE", f"/events/kingsport/invitations/{asked['id']}")
    assert gone.status_code == 204 and send(bo, "GET", "/me/invitations").json()["count"] == 0
