"""An account that is closed on the whole site: nobody, everywhere, at once; and what opening it again brings back."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from config.errors import Conflict, Forbidden
from tests.tournament.factories import enter, make_event, make_staff, player_of
from tournament import services
from tournament.models import ApiToken, AuditRow, Match, User
from tournament.selectors.audit_log import PAGE

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(make_user: Any) -> User:
    person: User = make_user("root", is_superuser=True)
    return person


def bearer(person: User) -> dict[str, str]:
    _token, secret = services.token_make(person=person, name="Bot", now=timezone.now())
    return {"Authorization": f"Bearer {secret}"}


def test_every_session_ends_and_stays_ended_and_every_token_is_revoked(
    ann: User, bo: User, root: User
) -> None:
    phone, laptop, other = Client(), Client(), Client()
    for client, person in ((phone, ann), (laptop, ann), (other, bo)):
        client.force_login(person)
    token = bearer(ann)
    assert Client().get("/api/v1/me", headers=token).status_code == 200
    services.account_close(person=ann, reason="theft", by=root, now=timezone.now())
    for client in (phone, laptop):
        assert client.get("/account").status_code == 302
    assert other.get("/account").status_code == 200
    assert Client().get("/api/v1/me", headers=token).status_code == 401
    assert not Client().login(username="ann", password="ann")
    assert not ApiToken.objects.filter(user=ann, revoked_at=None).exists()

    services.account_reopen(person=ann, by=root, now=timezone.now())
    assert phone.get("/account").status_code == 302, "an old session has come to life again"
    assert Client().get("/api/v1/me", headers=token).status_code == 401
    assert Client().login(username="ann", password="ann")
    told = AuditRow.objects.filter(verb__in=["account_close", "account_reopen"]).order_by("pk")
    assert [(row.verb, row.reason, row.actor_id) for row in told] == [
        ("account_close", "theft", root.pk),
        ("account_reopen", "", root.pk),
    ]


def test_entries_and_results_stay(organizer: User, root: User) -> None:
    event = make_event(organizer)
    enter(event, 2)
    services.round_pair(event=event, by=organizer, seed=1, now=timezone.now())
    match = Match.objects.get(round__event=event)
    player = player_of(match, 1)
    services.result_report(match=match, by=player, outcome="win", now=timezone.now())
    services.account_close(person=player, reason="theft", by=root, now=timezone.now())
    assert match.reports.count() == 1
    assert event.registrations.filter(user=player, state="active").exists()


def test_only_a_superuser_closes_and_never_their_own(ann: User, organizer: User, root: User) -> None:
    make_event(organizer)
    for by in (ann, organizer):
        with pytest.raises(Forbidden):
            services.account_close(person=ann, reason="x", by=by, now=timezone.now())
        with pytest.raises(Forbidden):
            services.account_reopen(person=ann, by=by, now=timezone.now())
    with pytest.raises(Conflict):
        services.account_close(person=root, reason="x", by=root, now=timezone.now())
    root.refresh_from_db()
    assert root.is_active


def test_an_erased_account_is_not_opened_again(ann: User, root: User) -> None:
    services.account_erase(person=ann, by=ann, now=timezone.now())
    ann.refresh_from_db()
    with pytest.raises(Conflict):
        services.account_reopen(person=ann, by=root, now=timezone.now())


def test_the_page_closes_names_and_opens_again(client: Client, ann: User, root: User) -> None:
    client.force_login(root)
    answer = client.post(
        "/operations/accounts", {"who": "ann", "reason": "theft", "do": "close"}, follow=True
    )
    assert "theft" in answer.content.decode()
    ann.refresh_from_db()
    assert not ann.is_active
    client.post("/operations/accounts", {"pk": ann.pk, "do": "reopen"})
    ann.refresh_from_db()
    assert ann.is_active
    client.force_login(ann)
    assert client.get("/operations/accounts").status_code == 404


def test_by_the_api_too(ann: User, root: User) -> None:
    browser = Client()
    browser.force_login(root)
    address, body = "/api/v1/closed-accounts", {"who": "ann", "reason": "theft"}
    assert browser.post(address, body, content_type="application/json").status_code == 204
    [told] = browser.get(address).json()["results"]
    assert (told["username"], told["by"], told["reason"]) == ("ann", root.username, "theft")
    assert browser.delete(f"{address}/{ann.pk}").status_code == 204
    assert browser.get(address).json()["results"] == []
    assert Client().login(username="ann", password="ann")


def test_the_log_of_an_event_by_the_api(organizer: User, ann: User) -> None:
    event = make_event(organizer)
    for _number in range(PAGE):
        make_staff(event=event, user=ann, role="judge", by=organizer, now=timezone.now())
        services.staff_remove(staff=event.staff.get(user=ann), by=organizer, now=timezone.now())
    services.event_ban(event=event, user=ann, reason="theft", by=organizer, now=timezone.now())
    browser = Client()
    browser.force_login(organizer)
    told = browser.get("/api/v1/events/kingsport/log").json()
    assert (len(told["rows"]), told["rows"][0]["reason"], told["rows"][0]["by"]) == (
        PAGE,
        "theft",
        "organizer",
    )
    ids = [row["id"] for row in told["rows"]]
    while told["older"]:
        told = browser.get("/api/v1/events/kingsport/log", {"before": told["older"]}).json()
        ids += [row["id"] for row in told["rows"]]
    assert ids == list(AuditRow.objects.filter(event=event).order_by("-pk").values_list("pk", flat=True))
    [found] = browser.get("/api/v1/events/kingsport/log", {"q": "theft"}).json()["rows"]
    assert found["verb"] == "event_ban"
    assert browser.get("/api/v1/events/kingsport/log?before=x").status_code == 400
