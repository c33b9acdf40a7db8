"""Into one's account without its password: a link to a confirmed address, a code that an organizer gives."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from config.errors import Conflict, Forbidden, NotFound, UserError
from tests.tournament import factories
from tests.tournament.factories import make_staff
from tournament import services
from tournament.models import Event, OneTimeSecret, User

pytestmark = pytest.mark.django_db
DUMMY = "django.core.mail.backends.dummy.EmailBackend"


@pytest.fixture
def event(organizer: User, ann: User, now: datetime) -> Event:
    event = factories.make_event(organizer)
    services.player_register(event=event, user=ann, by=ann, now=now)
    return event


def link_in(letter: Any) -> str:
    found = re.search(r"http://testserver(/\S+)", letter.body)
    assert found
    return found[1]


def logged_in_as(client: Client) -> str:
    return str(client.session.get("_auth_user_id", ""))


def test_a_forgotten_password_by_a_link_to_a_confirmed_address(ann: User) -> None:
    hers = Client()
    hers.force_login(ann)
    hers.post("/account", {"do": "email", "email": "ann@example.org"})
    away = Client()
    away.post("/login/help", {"do": "mail", "email": "ann@example.org"})
    assert len(mail.outbox) == 1, "an address counts for nothing before it is confirmed"
    confirm = link_in(mail.outbox[0])
    assert "ann@example.org" in hers.get(confirm).content.decode()
    hers.post(confirm)
    ann.refresh_from_db()
    assert (ann.email, ann.email_confirmed_at is not None) == ("ann@example.org", True)

    away.post("/login/help", {"do": "mail", "email": "Ann@example.org"})
    link = link_in(mail.outbox[1])
    assert "Log in as Ann?" in away.get(link).content.decode()
    assert not logged_in_as(away), "looking at a link logs nobody in"
    assert away.post(link)["Location"] == "/account/password"
    assert logged_in_as(away) == str(ann.pk)
    away.post("/account/password", {"password": "correct horse 7"})
    ann.refresh_from_db()
    assert ann.check_password("correct horse 7")
    assert away.get("/account").status_code == 200, "this session goes on"
    assert hers.get("/account").status_code == 302, "the others end"
    assert Client().post(link).status_code == 404, "a link works once"
    assert away.get("/account/password").status_code == 302, "a second change wants the old password"


def test_nobody_is_told_whose_address_it_is(ann: User) -> None:
    known, unknown = (
        Client().post("/login/help", {"do": "mail", "email": address}, follow=True).content.decode()
        for address in ("ann@example.org", "nobody@example.org")
    )
    told = "If an account has this address"
    assert told in known and told in unknown
    assert not mail.outbox


def test_an_address_is_confirmed_by_its_owner_alone(ann: User, bo: User, now: datetime) -> None:
    secret = services.email_tell(person=ann, address="ann@example.org", now=now)
    with pytest.raises(NotFound):
        services.email_confirm(secret=secret, person=bo, now=now)
    with pytest.raises(NotFound):
        services.email_confirm(secret=secret, person=ann, now=now + timedelta(days=3))
    services.email_confirm(secret=secret, person=ann, now=now)
    services.email_forget(person=ann)
    assert services.links_make(address="ann@example.org", now=now) == []


def test_a_code_that_an_organizer_gives_works_once(
    event: Event, ann: User, organizer: User, now: datetime
) -> None:
    entry = event.registrations.get()
    desk = Client()
    desk.force_login(organizer)
    page = desk.post(
        f"/events/kingsport/players/{entry.pk}/edit", {"do": "code"}, follow=True
    ).content.decode()
    code = re.search(r"[0-9A-Z]{5}-[0-9A-Z]{5}", page)
    assert code and "15 minutes" in page
    hers, wrong = Client(), {"do": "code", "username": "ann", "code": "00000-00000"}
    assert "don’t match" in hers.post("/login/help", wrong).content.decode()
    typed = {**wrong, "code": code[0].lower().replace("-", " ")}
    assert hers.post("/login/help", typed)["Location"] == "/account/password"
    assert logged_in_as(hers) == str(ann.pk)
    assert "one-time code from Organizer" in hers.get("/account").content.decode()
    assert Client().post("/login/help", typed).status_code == 400
    assert event.audit_rows.filter(verb="code_make", actor=organizer).exists()


def test_a_code_of_before_is_void_and_none_lasts(
    event: Event, ann: User, organizer: User, now: datetime
) -> None:
    entry = event.registrations.get()
    first, second = (services.code_make(registration=entry, by=organizer, now=now) for _ in range(2))
    for code, at in ((first, now), (second, now + timedelta(minutes=16))):
        with pytest.raises(UserError, match="don’t match"):
            services.code_use(username="ann", code=code, now=at)
    with pytest.raises(UserError, match="don’t match"):
        services.code_use(username="organizer", code=second, now=now)
    assert services.code_use(username="ANN", code=second, now=now) == ann


def test_no_code_opens_an_account_that_can_do_more_than_play(
    event: Event, ann: User, bo: User, judge: User, organizer: User, now: datetime
) -> None:
    entry = event.registrations.get()
    with pytest.raises(Forbidden):
        services.code_make(registration=entry, by=bo, now=now)
    make_staff(event=event, user=judge, role="judge", by=organizer, now=now)
    with pytest.raises(Forbidden):
        services.code_make(registration=entry, by=judge, now=now)
    elsewhere = factories.make_event(bo, slug="dunwich")
    make_staff(event=elsewhere, user=ann, role="scorekeeper", by=bo, now=now)
    with pytest.raises(Forbidden) as refused:
        services.code_make(registration=entry, by=organizer, now=now)
    assert refused.value.code == "staff-account"
    assert not OneTimeSecret.objects.exists()


def test_no_code_opens_the_account_of_somebody_who_never_came(
    event: Event, bo: User, ann: User, now: datetime
) -> None:
    """Anybody may open an event and ask anybody to play there: that must not lead into their account."""
    trap = factories.make_event(bo, slug="trap")
    entry = services.player_register(event=trap, user=ann, name="Ann", by=bo, now=now)
    with pytest.raises(Conflict):  # a guest's: nobody's account
        services.code_make(registration=entry, by=bo, now=now)
    services.entry_accept(invitation=entry.invitations.get(), by=ann, now=now)
    entry.refresh_from_db()
    with pytest.raises(Forbidden) as refused:
        services.code_make(registration=entry, by=bo, now=now)
    assert refused.value.code == "not-their-entry"
    services.player_drop(registration=entry, by=ann, now=now)  # that is no wish to play there
    services.player_return(registration=entry, by=bo, now=now)
    with pytest.raises(Forbidden):
        services.code_make(registration=entry, by=bo, now=now)
    services.player_drop(registration=entry, by=ann, now=now)
    services.player_return(registration=entry, by=ann, now=now)
    assert services.code_make(registration=entry, by=bo, now=now)


def test_guesses_are_counted(event: Event, ann: User) -> None:
    wrong = {"do": "code", "username": "ann", "code": "00000-00000"}
    answers = [Client().post("/login/help", wrong).status_code for _ in range(11)]
    assert answers == [400] * 10 + [429]


def test_without_a_mail_server_nothing_is_offered_that_needs_one(ann: User, settings: Any) -> None:
    settings.EMAIL_BACKEND = DUMMY
    hers = Client()
    hers.force_login(ann)
    assert "E-mail" not in hers.get("/account").content.decode()
    page = Client().get("/login/help").content.decode()
    assert "Send me a link" not in page and "one-time code" in page


def test_where_a_guest_types_the_code(
    event: Event, ann: User, bo: User, organizer: User, now: datetime
) -> None:
    services.player_register(event=event, user=None, name="Guest", by=organizer, now=now)

    def page(user: User | None) -> str:
        client = Client()
        if user:
            client.force_login(user)
        return client.get("/events/kingsport/").content.decode()

    assert "/events/kingsport/claim" in page(bo) and "/events/kingsport/claim" in page(None)
    assert "/events/kingsport/claim" not in page(ann), "who is in it already needs none"
