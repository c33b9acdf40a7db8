"""No account plays that has not agreed: staff enters a guest at once and asks the account, which answers."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from config.errors import Conflict, Forbidden, NotFound, UserError
from config.limits import TooMany
from tests.tournament.factories import NOW, make_event, make_revision, make_staff
from tournament import services
from tournament.models import AuditRow, Event, Invitation, Registration, Staff
from tournament.selectors import roles_of
from tournament.selectors.codes import claim_code
from tournament.selectors.history import history
from tournament.selectors.invitations import asked_about, invitations_to
from tournament.selectors.overview import agenda
from tournament.selectors.personal import personal_data

pytestmark = pytest.mark.django_db
AsUser = Callable[[Any], Client]
State = Invitation.State


@pytest.fixture
def event(organizer: Any) -> Event:
    return make_event(organizer)


@pytest.fixture
def ann(make_user: Any) -> Any:
    return make_user("ann", display_name="Ann Zweig", pronouns="she/her", email="ann@example.org")


def enter(event: Event, user: Any, name: str = "A. from Hill", by: Any = None) -> Registration:
    return services.player_register(event=event, user=user, name=name, by=by or event.created_by, now=NOW)


def asked(entry: Registration) -> Invitation:
    found = asked_about(entry)
    assert found is not None
    return found


def text(response: Any) -> str:
    return " ".join(response.content.decode().split())


def test_whom_staff_enters_is_a_guest_until_the_account_agrees(
    event: Event, organizer: Any, ann: Any, bo: Any, as_user: AsUser
) -> None:
    make_revision(ann)
    entry = enter(event, ann)
    assert (entry.user, entry.name, entry.pronouns, entry.state) == (None, "A. from Hill", "", "active")
    assert roles_of(ann, event) == set() and agenda(ann) == [] and personal_data(ann)["entries"] == []
    assert history(ann) == history(bo)
    seen = [
        as_user(user).get(path)
        for user in (organizer, bo)
        for path in (
            "/events/kingsport/", f"/events/kingsport/players/{entry.pk}", "/events/kingsport/players",
            "/events/kingsport/log",
            f"/events/kingsport/players/{entry.pk}/edit", f"/api/v1/events/kingsport/registrations/{entry.pk}",
            f"/api/v1/events/kingsport/registrations/{entry.pk}/entry", "/api/v1/events/kingsport/registrations",
            "/api/v1/events/kingsport/log", "/events/kingsport/files/players.csv",
            "/api/v1/events/kingsport/files/event.json",
        )
    ]  # fmt: skip
    for page in seen:
        for private in ("Ann Zweig", "she/her", "ann@example.org"):
            assert private not in page.content.decode(), (page.request["PATH_INFO"], private)
    services.entry_accept(invitation=asked(entry), by=ann, now=NOW)
    entry.refresh_from_db()
    assert (entry.user, entry.name, entry.pronouns) == (ann, "A. from Hill", "")
    assert roles_of(ann, event) == {"player"} and len(agenda(ann)) == 1
    services.entry_accept(invitation=Invitation.objects.get(), by=ann, now=NOW)  # twice changes nothing
    verbs = AuditRow.objects.filter(event=event).order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["event_create", "player_register", "player_invite", "invitation_accept"]


def test_the_staff_says_under_which_name(event: Event, ann: Any) -> None:
    with pytest.raises(UserError) as refused:
        enter(event, ann, name=" ")
    assert refused.value.place == "name" and not event.registrations.exists()


def test_a_declined_entry_stays_a_guests(event: Event, organizer: Any, ann: Any, bo: Any) -> None:
    entry = enter(event, ann)
    services.invitation_decline(invitation=asked(entry), by=ann, now=NOW)
    assert asked(entry).state == State.DECLINED and Registration.objects.get().user is None
    services.player_invite(registration=entry, user=bo, by=organizer, now=NOW)
    services.entry_accept(invitation=asked(entry), by=bo, now=NOW)
    assert Registration.objects.get().user == bo and asked_about(Registration.objects.get()) is None


def test_declined_for_good_is_declined_for_staff_and_for_play(
    event: Event, organizer: Any, ann: Any, bo: Any
) -> None:
    entry = enter(event, ann)
    services.staff_invite(event=event, user=ann, role="judge", by=organizer, now=NOW)
    assert len(invitations_to(ann)) == 2  # neither takes the place of the other
    services.invitation_decline(invitation=asked(entry), for_good=True, by=ann, now=NOW)
    assert not invitations_to(ann)
    with pytest.raises(Conflict) as refused:
        services.staff_invite(event=event, user=ann, role="judge", by=organizer, now=NOW)
    assert refused.value.code == "refused"
    with pytest.raises(Conflict) as refused:
        enter(event, ann, "Another")
    assert refused.value.code == "refused" and event.registrations.count() == 1
    services.player_claim(event=event, code=claim_code(entry), by=ann, now=NOW)  # their own doing
    assert Registration.objects.get().user == ann


def test_who_is_asked_is_not_entered_twice(event: Event, organizer: Any, ann: Any) -> None:
    entry = enter(event, ann)
    with pytest.raises(Conflict) as refused:
        services.player_register(event=event, user=ann, by=ann, now=NOW)
    assert refused.value.code == "invited"
    with pytest.raises(Conflict) as refused:
        enter(event, ann, "Ann again")
    assert refused.value.code == "invited-elsewhere"
    services.invitation_decline(invitation=asked(entry), by=ann, now=NOW)
    services.player_register(event=event, user=ann, by=ann, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.player_invite(registration=entry, user=ann, by=organizer, now=NOW)
    assert refused.value.code == "registered"
    assert sorted(event.registrations.values_list("name", flat=True)) == ["A. from Hill", "Ann Zweig"]


def test_who_left_by_themselves_is_taken_up_again(event: Event, organizer: Any, ann: Any) -> None:
    entry = services.player_register(event=event, user=ann, by=ann, now=NOW)
    services.player_drop(registration=entry, by=ann, now=NOW)
    assert enter(event, ann) == entry and not Invitation.objects.exists()


def test_the_code_on_the_slip_ends_the_question(event: Event, ann: Any, bo: Any) -> None:
    entry = enter(event, ann)
    services.player_claim(event=event, code=claim_code(entry), by=bo, now=NOW)
    assert Invitation.objects.get().state == State.WITHDRAWN
    with pytest.raises(Conflict):
        services.entry_accept(invitation=Invitation.objects.get(), by=ann, now=NOW)
    other = enter(event, ann, "Second")
    services.player_claim(event=event, code=claim_code(other), by=ann, now=NOW)
    assert asked_about(other) is not None and Invitation.objects.get(entry=other).state == State.ACCEPTED


def test_only_who_is_asked_answers_and_only_staff_asks(
    event: Event, organizer: Any, ann: Any, bo: Any, settings: Any
) -> None:
    entry = enter(event, ann)
    with pytest.raises(NotFound):
        services.entry_accept(invitation=asked(entry), by=bo, now=NOW)
    with pytest.raises(NotFound):  # it is no role
        services.invitation_accept(invitation=asked(entry), by=ann, now=NOW)
    assert not Staff.objects.filter(user=ann).exists()
    with pytest.raises(Forbidden):
        services.player_invite(registration=entry, user=ann, by=bo, now=NOW)
    with pytest.raises(Forbidden):
        services.invitation_withdraw(invitation=asked(entry), by=bo, now=NOW)
    desk = make_staff(event=event, user=bo, role="scorekeeper", by=organizer)
    other = enter(event, organizer, "Boss", by=bo)
    services.staff_remove(staff=desk, by=organizer, now=NOW)
    with pytest.raises(Conflict):  # worth no more than its maker
        services.entry_accept(invitation=asked(other), by=organizer, now=NOW)
    services.event_ban(event=event, user=ann, reason="theft", by=organizer, now=NOW)
    with pytest.raises(Forbidden):
        services.entry_accept(invitation=asked(entry), by=ann, now=NOW)
    settings.LIMITS = {**settings.LIMITS, "invite": (1, 3600)}
    with pytest.raises(TooMany):  # one was asked above
        services.player_invite(registration=entry, user=bo, by=organizer, now=NOW)


def test_accepting_opens_no_way_into_the_account(event: Event, organizer: Any, ann: Any) -> None:
    entry = enter(event, ann)
    services.entry_accept(invitation=asked(entry), by=ann, now=NOW)
    entry.refresh_from_db()
    with pytest.raises(Forbidden):
        services.code_make(registration=entry, by=organizer, now=NOW)


def test_what_a_person_was_asked_is_in_their_data_and_goes_with_them(event: Event, ann: Any) -> None:
    enter(event, ann)
    [told] = personal_data(ann)["invitations"]
    assert (told["role"], told["entry__name"], told["state"]) == ("player", "A. from Hill", "open")
    services.account_erase(person=ann, by=ann, now=NOW)
    assert not Invitation.objects.exists() and event.registrations.get().name == "A. from Hill"


# --- pages and the API -------------------------------------------------------------------------------------


def test_the_desk_asks_on_the_page_and_the_player_answers_on_the_phone(
    event: Event, organizer: Any, ann: Any, as_user: AsUser
) -> None:
    desk, hers = as_user(organizer), as_user(ann)
    wrong = desk.post("/events/kingsport/players/new", {"name": "Ann", "account": "nobody-here"})
    assert wrong.status_code == 400 and not event.registrations.exists()
    desk.post("/events/kingsport/players/new", {"name": "Ann", "account": "@Ann"})
    entry = event.registrations.get()
    edit = f"/events/kingsport/players/{entry.pk}/edit"
    page = text(desk.get(edit))
    assert "@ann" in page and "hasn’t answered yet" in page and "Ann Zweig" not in page
    desk.post(edit, {"do": "withdraw"})
    assert "Is that you?" not in text(hers.get("/"))
    desk.post(edit, {"do": "invite", "account": "ann"})
    for path in ("/", "/invitations", "/events/kingsport/"):
        assert "has registered Ann for this event. Is that you?" in text(hers.get(path)), path
    services.checkin_open(event=event, by=organizer, now=NOW)
    assert hers.get("/events/kingsport/check-in")["Location"] == "/invitations"
    done = hers.post("/invitations", {"do": "accept", "pk": asked(entry).pk})
    assert done["Location"] == "/events/kingsport/check-in"
    code = Event.objects.get().checkin_code
    hers.post("/events/kingsport/check-in", {"code": code})
    entry.refresh_from_db()
    assert entry.user == ann and entry.checked_in_at is not None
    log = text(desk.get("/events/kingsport/log"))
    assert "invited an account to a registration" in log and "withdrew an invitation" in log


def test_who_plays_shows_the_list_they_handed_in_and_no_other_of_their_decks(
    event: Event, organizer: Any, ann: Any, as_user: AsUser
) -> None:
    shown, private = make_revision(ann), make_revision(ann, "3x Shotgun Blast")
    entry = services.player_register(event=event, user=ann, revision=shown, by=ann, now=NOW)

    def put(revision: int) -> int:
        where = f"/api/v1/events/kingsport/registrations/{entry.pk}/deck"
        body = json.dumps({"revision": revision, "override": "let me see"})
        return as_user(organizer).put(where, body, "application/json").status_code

    assert put(private.pk) == put(999_999) == 400
    assert put(shown.pk) == put(make_revision(organizer).pk) == 200


def test_programs_ask_answer_and_withdraw(event: Event, organizer: Any, ann: Any, as_user: AsUser) -> None:
    def send(user: Any, method: str, path: str, body: Any = None) -> Any:
        sent = "" if body is None else json.dumps(body)
        return as_user(user).generic(method, f"/api/v1{path}", sent, "application/json")

    made = send(
        organizer,
        "POST",
        "/events/kingsport/registrations",
        {"username": "ann", "name": "Ann", "guest": False},
    ).json()
    assert made["username"] is None and made["name"] == "Ann"
    where = f"/events/kingsport/registrations/{made['id']}"
    told = send(organizer, "GET", f"{where}/entry").json()
    assert told["guest"] and told["asked"]["username"] == "ann" and told["asked"]["state"] == "open"
    assert send(organizer, "DELETE", f"{where}/invitation").status_code == 204
    assert send(organizer, "DELETE", f"{where}/invitation").status_code == 404
    again = send(organizer, "POST", f"{where}/invitation", {"username": "ann"})
    assert again.status_code == 201 and "name" not in again.json()
    [mine] = send(ann, "GET", "/me/invitations").json()["results"]
    assert (mine["role"], mine["registered_as"], mine["registration"]) == ("player", "Ann", made["id"])
    answered = send(ann, "POST", f"/me/invitations/{mine['id']}", {"answer": "accept"})
    assert answered.status_code == 200 and answered.json()["state"] == "accepted"
    assert send(organizer, "GET", where).json()["username"] == "ann"
