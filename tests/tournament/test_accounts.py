"""Opening an account and changing what it tells."""

from typing import Any

import pytest
from django.test import Client

from config.errors import Conflict, Forbidden, UserError
from tournament import services
from tournament.models import User

pytestmark = pytest.mark.django_db
GOOD: dict[str, str] = {"username": "dana", "password": "kingsport-1928", "display_name": "Dana Okafor"}


@pytest.mark.parametrize(
    ("field", "value"),
    [("username", "a b"), ("username", "x"), ("username", "x" * 41), ("password", "short"),
     ("password", "password123"), ("display_name", "  "), ("display_name", "a\x00"),
     ("pronouns", "x" * 41), ("language", "klingon")],
)  # fmt: skip
def test_a_wrong_field_is_named_and_no_account_opened(field: str, value: str) -> None:
    with pytest.raises(UserError) as refused:
        services.account_create(**GOOD | {field: value})
    assert refused.value.place == field
    assert not User.objects.exists()


def test_user_names_that_differ_in_capitals_alone_are_one(make_user: Any) -> None:
    make_user("Dana")
    with pytest.raises(Conflict) as refused:
        services.account_create(**GOOD)
    assert (refused.value.code, refused.value.place) == ("username-taken", "username")


@pytest.mark.parametrize(
    ("there", "wanted"),
    [("ann", "\uff41\uff4e\uff4e"), ("coffee", "co\ufb00ee"), ("judges", "judge\u017f"), ("\u00e4m", "\u00c4m"),
     ("zo\u00e9", "zoe\u0301")],
)  # fmt: skip
def test_nor_are_those_that_differ_in_their_spelling_alone(make_user: Any, there: str, wanted: str) -> None:
    make_user(there)
    with pytest.raises(Conflict):
        services.account_create(**GOOD | {"username": wanted})


@pytest.mark.parametrize("field", ["username", "display_name"])
@pytest.mark.parametrize(
    "name",
    ["ann\u3164", "\u115f\u1160", "an\u034fn", "\u0430nn", "\u0391nna", "z" + "\u0335" * 5, "\u2800\u2800"],
)
def test_a_name_that_only_looks_like_one_is_refused(field: str, name: str) -> None:
    with pytest.raises(UserError) as refused:
        services.account_create(**GOOD | {field: name})
    assert refused.value.place == field
    assert not User.objects.exists()


@pytest.mark.parametrize("name", ["김민준", "김Ann", "Анна", "Ζωή", "José", "Ann \u2764\ufe0f", "שָׁלוֹם", "นัท"])
def test_names_of_all_scripts_are_fine(name: str) -> None:
    assert services.account_create(**GOOD | {"display_name": name}).display_name


@pytest.mark.parametrize("username", ["김민준", "анна", "\uff41\uff4e\uff4e", "Zo\u00e9"])
def test_whoever_can_sign_up_can_log_in(username: str) -> None:
    """Through the web server's edge, where a header that is not Latin is no header."""
    sent = GOOD | {"username": username}
    assert Client().post("/sign-up", sent).status_code == 302
    typed = {"username": username, "password": GOOD["password"]}
    answer = Client().post("/login", typed)
    assert answer.status_code == 302
    for cookie in answer.cookies.values():
        assert cookie.output().isascii()
    again = Client()
    again.cookies = answer.cookies
    assert again.post("/login", typed).status_code == 302


def test_an_installation_may_keep_its_accounts_to_itself(settings: Any) -> None:
    settings.SIGN_UP = False
    with pytest.raises(Forbidden):
        services.account_create(**GOOD)
    assert "You can’t create an account here." in Client().get("/sign-up").content.decode()


def test_signing_up_logs_in_and_goes_on_within_this_site() -> None:
    client = Client()
    answer = client.post("/sign-up", GOOD | {"pronouns": "she/her", "language": "de", "next": "/events/"})
    assert (answer.status_code, answer["Location"]) == (302, "/events/")
    person = User.objects.get()
    assert (str(person), person.pronouns, person.language) == ("Dana Okafor", "she/her", "de")
    assert "Hello Dana Okafor" in client.get("/").content.decode()
    other = GOOD | {"username": "bo", "next": "https://elsewhere.example/"}
    assert Client().post("/sign-up", other)["Location"] == "/"


def test_a_refused_sign_up_keeps_what_was_typed_but_the_password(make_user: Any) -> None:
    make_user("dana")
    page = Client().post("/sign-up", GOOD)
    text = page.content.decode()
    assert page.status_code == 409
    assert 'value="Dana Okafor"' in text and "is taken" in text and "kingsport-1928" not in text


def test_people_change_what_they_tell_and_their_password(ann: Any) -> None:
    client = Client()
    client.force_login(ann)
    answer = client.post("/account", {"do": "tell", "display_name": "Ann W.", "pronouns": "they"})
    assert answer.status_code == 302
    ann.refresh_from_db()
    assert (ann.display_name, ann.pronouns) == ("Ann W.", "they")
    change = {
        "do": "password",
        "old_password": "ann",
        "new_password1": "a-new-one-9",
        "new_password2": "a-new-one-9",
    }
    assert client.post("/account", change | {"old_password": "wrong"}).status_code == 400
    assert client.post("/account", change).status_code == 302
    assert client.get("/account").status_code == 200, "and stay logged in"
    assert Client().login(username="ann", password="a-new-one-9")
