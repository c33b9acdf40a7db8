"""Which language a page is in, and who decides it."""

import re
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import get_language

from tests.markup import tight
from tournament.models import AuditRow, User

pytestmark = pytest.mark.django_db
KOREAN = "ko-KR,ko;q=0.9,en;q=0.5"


def language_of(client: Client, asked: str = "") -> str:
    page = client.get("/events/", HTTP_ACCEPT_LANGUAGE=asked)
    text = page.content.decode()
    spoken: str = page["Content-Language"]
    assert f'<html lang="{spoken}">' in text
    return spoken


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_a_browser_gets_what_it_asks_for_where_we_have_it() -> None:
    assert language_of(Client()) == "en"
    assert language_of(Client(), KOREAN) == "ko"
    assert language_of(Client(), "de") == "en"


def test_a_choice_at_the_foot_outlasts_what_the_browser_asks_for_and_leads_back() -> None:
    client = Client()
    answer = client.post(
        "/language", {"language": "en", "next": "/events/?page=2"}, HTTP_ACCEPT_LANGUAGE=KOREAN
    )
    assert (answer.status_code, answer["Location"]) == (302, "/events/?page=2")
    assert language_of(client, KOREAN) == "en"
    assert client.post("/language", {"language": "ko", "next": "//elsewhere.example"})["Location"] == "/"
    assert language_of(client) == "ko"


def test_a_language_without_pages_is_refused() -> None:
    client = Client()
    assert client.post("/language", {"language": "klingon"}).status_code == 400
    assert language_of(client) == "en"


def test_the_account_s_language_comes_before_the_browser_s(make_user: Any) -> None:
    client = logged_in(make_user("yuna", language="ko"))
    assert language_of(client, "en") == "ko"
    assert language_of(logged_in(make_user("bo", language="en-gb")), KOREAN) == "en"


def test_a_choice_at_the_foot_is_kept_in_the_account(make_user: Any) -> None:
    yuna = make_user("yuna", language="ko")
    logged_in(yuna).post("/language", {"language": "en", "next": "/"})
    assert language_of(logged_in(User.objects.get(pk=yuna.pk)), KOREAN) == "en"
    assert AuditRow.objects.filter(verb="account_language", actor=yuna).exists()


def test_a_spoken_language_without_pages_stays_what_staff_sees(make_user: Any) -> None:
    dana = make_user("dana", language="de")
    client = logged_in(dana)
    client.post("/language", {"language": "ko", "next": "/"})
    dana.refresh_from_db()
    assert dana.language == "de"
    assert language_of(client) == "ko"


def test_a_request_leaves_no_language_behind() -> None:
    Client().get("/events/", HTTP_ACCEPT_LANGUAGE=KOREAN)
    assert get_language() == "en"


def test_the_api_speaks_english_whoever_asks(make_user: Any) -> None:
    client = logged_in(make_user("yuna", language="ko"))
    answer = client.get("/api/v1/events/nowhere", HTTP_ACCEPT_LANGUAGE=KOREAN)
    assert answer.status_code == 404
    assert answer.json()["message"] == "That event doesn’t exist."


def test_the_chooser_needs_no_script(make_user: Any) -> None:
    page = tight(Client().get("/events/").content.decode())
    assert 'action="/language"' in page
    assert re.search(r'<button[^>]* name="language" value="ko" lang="ko"', page)
    assert "한국어" in page
