"""Requests sent again, read again, and sent too often."""

import json
import time
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client, RequestFactory
from django.utils import timezone

from config import idempotency
from config.errors import Conflict
from config.models import Count, KeptAnswer
from config.running_time import count_on, running_seconds
from config.wsgi import Request
from tests.tournament.factories import enter, make_event, make_staff
from tournament.models import Event, Staff

pytestmark = pytest.mark.django_db
EVENT = {
    "name": "Kingsport Open",
    "slug": "kingsport",
    "starts_on": "2026-11-21",
    "format": "coc-lcg",
    "format_on": "2026-11-21",
    "policy_key": "coc-lcg",
}


def ask(user: Any, method: str, path: str, body: Any = None, **headers: str) -> Any:
    client = Client()
    if user is not None:
        client.force_login(user)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    data = "" if body is None else json.dumps(body)
    return client.generic(method, f"/api/v1{path}", data, "application/json", headers=named)


# --- sent again -----------------------------------------------------------------------------------------


def test_the_same_request_again_gets_the_same_answer_and_is_done_once(ann: Any) -> None:
    first = ask(ann, "POST", "/events", EVENT, Idempotency_Key="k1")
    again = ask(ann, "POST", "/events", EVENT, Idempotency_Key="k1")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.content == again.content
    assert ("Idempotent-Replayed" in first, again["Idempotent-Replayed"]) == (False, "true")
    assert Event.objects.count() == 1


def test_a_key_belongs_to_one_person_one_route_and_one_body(ann: Any, bo: Any) -> None:
    ask(ann, "POST", "/events", EVENT, Idempotency_Key="k1")
    other_body = ask(ann, "POST", "/events", {**EVENT, "slug": "dunwich"}, Idempotency_Key="k1")
    other_route = ask(ann, "POST", "/events/kingsport/watch", {"watching": True}, Idempotency_Key="k1")
    for answer in (other_body, other_route):
        assert (answer.status_code, answer.json()["code"]) == (422, "idempotency-key-reused")
    other_person = ask(bo, "POST", "/events", {**EVENT, "slug": "dunwich"}, Idempotency_Key="k1")
    assert other_person.status_code == 201


def test_what_was_refused_is_not_kept(ann: Any) -> None:
    assert ask(ann, "POST", "/events", {**EVENT, "slug": "new"}, Idempotency_Key="k1").status_code == 400
    assert ask(ann, "POST", "/events", EVENT, Idempotency_Key="k1").status_code == 201


@pytest.mark.parametrize("over", [timedelta(), timedelta(days=1)], ids=["in-time", "clock-set-back"])
def test_while_it_runs_the_second_is_told_to_wait(ann: Any, over: timedelta) -> None:
    now = timezone.now()
    body_hash = idempotency.fingerprint(EVENT)
    claim = {"user": ann, "key": "k1", "route": "POST /api/v1/events", "body_hash": body_hash}
    mine = idempotency.claim(**claim, now=now)
    answer = ask(ann, "POST", "/events", EVENT, Idempotency_Key="k1")
    assert (answer.status_code, answer.json()["code"]) == (409, "still-running")
    assert int(answer["Retry-After"]) > 0
    assert not Event.objects.exists()
    # its process died: once the lease is over the next one does it, and the dead one could not finish
    KeptAnswer.objects.update(lease_until=now + over)
    assert ask(ann, "POST", "/events", EVENT, Idempotency_Key="k1").status_code == 201
    with pytest.raises(Conflict):
        idempotency.keep(mine, answer, secret=False)


def test_a_secret_is_not_kept_with_the_answer(organizer: Any) -> None:
    make_event(organizer)
    first = ask(organizer, "POST", "/events/kingsport/invites", {"role": "judge"}, Idempotency_Key="k1")
    assert first.status_code == 201
    assert KeptAnswer.objects.get().content == ""
    again = ask(organizer, "POST", "/events/kingsport/invites", {"role": "judge"}, Idempotency_Key="k1")
    assert (again.status_code, again.json()["code"]) == (409, "answered-before")


def test_an_empty_answer_is_given_again_empty(organizer: Any, ann: Any) -> None:
    event = make_event(organizer)
    row = make_staff(event=event, user=ann, role="judge", by=organizer, now=timezone.now())
    path = f"/events/kingsport/staff/{row.pk}"
    answers = [ask(organizer, "DELETE", path, Idempotency_Key="k1") for _ in range(2)]
    assert [(one.status_code, one.content) for one in answers] == [(204, b"")] * 2
    assert not Staff.objects.filter(user=ann).exists()


@pytest.mark.parametrize("key", ["x" * 201, "snow☃"])
def test_a_key_is_short_and_plain(ann: Any, key: str) -> None:
    answer = ask(ann, "POST", "/events", EVENT, Idempotency_Key=key)
    assert (answer.status_code, answer.json()["place"]) == (400, "Idempotency-Key")


def test_old_answers_are_forgotten(ann: Any) -> None:
    ask(ann, "POST", "/events", EVENT, Idempotency_Key="k1")
    now = timezone.now()
    for sweep in range(24 * 6):
        assert idempotency.sweep(now + timedelta(minutes=10 * sweep)) == 0
    assert idempotency.sweep(now + timedelta(hours=24)) == 1


@pytest.mark.parametrize("jump", [timedelta(days=1), timedelta(days=-1), timedelta(days=400)])
def test_answers_outlive_a_clock_that_jumps(
    ann: Any, jump: timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the time the service ran, and not by the one it was set to: what is sent again is not done again."""
    now = timezone.now()
    idempotency.sweep(now)
    assert ask(ann, "POST", "/events", EVENT, Idempotency_Key="k1").status_code == 201
    monkeypatch.setattr(timezone, "now", lambda: now + jump)
    assert idempotency.sweep(now + jump) == idempotency.sweep(now + jump) == 0
    again = ask(ann, "POST", "/events", EVENT, Idempotency_Key="k1")
    assert (again.status_code, again["Idempotent-Replayed"]) == (201, "true")
    assert Event.objects.count() == 1


def test_two_clocks_at_once_make_nothing_older(db: None) -> None:
    now = timezone.now()
    for sweep in range(7):
        for _beat in range(2):
            running = count_on(now + timedelta(minutes=10 * sweep))
    assert running == running_seconds() == 3600


# --- read again, and overwritten -----------------------------------------------------------------------


def test_a_read_that_gives_nothing_new_is_304(organizer: Any) -> None:
    event = make_event(organizer)
    first = ask(None, "GET", "/events/kingsport/registrations")
    same = ask(None, "GET", "/events/kingsport/registrations", If_None_Match=first["ETag"])
    assert (same.status_code, same.content) == (304, b"")
    enter(event, 1)
    assert ask(None, "GET", "/events/kingsport/registrations", If_None_Match=first["ETag"]).status_code == 200


def test_a_change_made_of_what_is_old_is_refused(ann: Any) -> None:
    seen = ask(ann, "GET", "/me")["ETag"]
    assert ask(ann, "PUT", "/me", {"display_name": "Anne"}, If_Match=seen).status_code == 200
    late = ask(ann, "PUT", "/me", {"display_name": "Anna"}, If_Match=seen)
    assert (late.status_code, late.json()["code"]) == (412, "changed-since")
    ann.refresh_from_db()
    assert ann.display_name == "Anne"


def test_an_events_settings_are_read_before_they_are_changed(organizer: Any) -> None:
    make_event(organizer)
    path = "/events/kingsport/settings"
    seen = ask(organizer, "GET", path)["ETag"]
    assert ask(organizer, "PATCH", path, {"venue": "Town Hall"}, If_Match=seen).status_code == 200
    assert ask(organizer, "PATCH", path, {"venue": "Club"}, If_Match=seen).status_code == 412
    assert ask(organizer, "PATCH", path, {"venue": "Club"}).status_code == 200


# --- too often ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/validate", "/adjudicate"])
def test_who_has_no_account_may_ask_so_often_and_no_more(settings: Any, path: str) -> None:
    settings.LIMITS = {**settings.LIMITS, "validate-anonymous": (3, 60), "adjudicate-anonymous": (3, 60)}
    statuses = [ask(None, "POST", path, {}).status_code for _ in range(4)]
    assert statuses in ([400, 400, 400, 429], [400] * 4)  # (the four may fall into two minutes)
    assert Count.objects.exists()
    assert "127.0.0.1" not in str(list(Count.objects.values()))


def test_behind_a_proxy_the_asker_is_who_the_proxy_saw(settings: Any, rf: Any) -> None:
    from config.limits import address_of

    forged = rf.get("/", headers={"X-Forwarded-For": "6.6.6.6, 1.2.3.4"})
    assert address_of(forged) == "127.0.0.1"
    settings.TRUSTED_PROXIES = 1
    assert address_of(forged) == "1.2.3.4"
    home = rf.get("/", headers={"X-Forwarded-For": "2001:db8:1:2:3::4"})
    assert address_of(home) == "2001:0db8:0001:0002"


def _log_in(name: str, password: str, client: Client | None = None, **meta: Any) -> Any:
    return (client or Client()).post("/login", {"username": name, "password": password}, **meta)


def test_guessing_a_password_ends_soon_and_the_right_one_does_not_help_then(
    ann: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("config.limits.time.time", lambda: 1_000_000.0)
    statuses = [_log_in("ann", "wrong").status_code for _ in range(11)]
    assert statuses == [200] * 10 + [429]
    assert _log_in(" Ann", "ann").status_code == 429
    # another address, and another name, are not concerned
    assert _log_in("ann", "ann", REMOTE_ADDR="10.0.0.9").status_code == 302
    assert _log_in("nobody", "x").status_code == 200


def test_a_judge_is_not_locked_out_by_somebody_who_guesses(
    judge: Any, settings: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("config.limits.time.time", lambda: 1_000_000.0)
    settings.LIMITS = {**settings.LIMITS, "login-name": (5, 3600)}
    phone = Client()
    assert _log_in("judge", "judge", phone).status_code == 302
    phone.post("/logout")
    for number in range(6):
        last = _log_in("judge", "wrong", REMOTE_ADDR=f"10.0.0.{number}")
    assert last.status_code == 429
    assert _log_in("judge", "judge", REMOTE_ADDR="10.0.0.99").status_code == 429
    assert [_log_in("judge", "wrong").status_code for _ in range(11)][-1] == 429  # in the same hall, too
    assert _log_in("judge", "judge", phone).status_code == 302


def test_who_opened_the_account_on_a_device_is_known_there(db: None) -> None:
    phone, told = Client(), {"username": "newbie", "display_name": "Newbie", "password": "lamp oil and rope"}
    assert phone.post("/sign-up", told | {"password_again": told["password"]}).status_code == 302
    phone.post("/logout")
    assert [_log_in("newbie", "wrong").status_code for _ in range(11)][-1] == 429  # somebody in the same hall
    assert _log_in("newbie", told["password"], phone).status_code == 302


def test_a_slip_is_forgiven(ann: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("config.limits.time.time", lambda: 1_000_000.0)
    for _ in range(3):
        for _ in range(9):
            _log_in("ann", "wrong")
        assert _log_in("ann", "ann").status_code == 302


@pytest.mark.parametrize(
    ("path", "body", "place"),
    [
        ("me/tokens", {"name": 7}, "name"),
        ("me/tokens", {"name": 3.5}, "name"),
        ("me/tokens", {"name": True}, "name"),
        ("events/kingsport/watch", {"watching": 1}, "watching"),
    ],
)
def test_a_number_is_no_text_and_no_yes(organizer: Any, path: str, body: dict[str, Any], place: str) -> None:
    make_event(organizer)
    client = Client()
    client.force_login(organizer)
    answer = client.post(f"/api/v1/{path}", body, "application/json")
    assert (answer.status_code, answer.json()["place"]) == (400, place), answer.json()


# --- encodings ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("charset", ["utf-8", "windows-1252", "hex", "punycode", "no"])
def test_a_charset_that_is_none_of_text_breaks_nothing(charset: str) -> None:
    """Made as a web server makes it: before there is a request none of our code could answer an error."""
    kind = f"text/plain; charset={charset}"
    environ = RequestFactory().get("/api/v1/events?q=a%20b").environ | {"CONTENT_TYPE": kind}
    request = Request(environ)
    assert (request.GET["q"], request.content_type) == ("a b", "text/plain")
    assert request.encoding in (None, "utf-8", "windows-1252")


@pytest.mark.parametrize(
    ("address", "kind", "body", "says"),
    [
        ("events", "application/json", "[" * 100_000, "nested too deeply"),
        ("events", "application/json", '{"name": "A", "name": "B"}', "“name” twice"),
        ("events", "application/json", '{"name": NaN}', "NaN is no number"),
        ("events", "application/json", b'{"name": "\xff"}', "JSON parse error"),
        ("event-files", "text/plain; charset=hex", "ab", "The charset must be one of"),
        ("event-files", "text/plain", b"\xff\xfe012", "Send its charset"),
    ],
)
def test_a_body_that_cannot_be_read_is_told(ann: Any, address: str, kind: str, body: Any, says: str) -> None:
    client = Client()
    client.force_login(ann)
    answer = client.generic("POST", f"/api/v1/{address}", body, kind)
    assert (answer.status_code, answer.json()["code"]) == (400, "parse-error")
    assert says in answer.json()["message"]


# --- what one person can make the service store or read ---------------------------------------------------


@pytest.mark.parametrize("address", ["/decks/new", "/api/v1/decks"])
def test_what_a_person_changes_is_counted_on_pages_and_in_the_api(
    ann: Any, settings: Any, address: str
) -> None:
    settings.LIMITS = {**settings.LIMITS, "write": (3, 60)}
    client = Client()
    client.force_login(ann)
    answers = [client.post(address, {}).status_code for _ in range(4)]
    assert 429 not in answers[:3] and answers[3] == 429
    assert client.get("/decks/new").status_code == 200
    assert client.post("/decks/check", {"text": "3x Local Sheriff", "format": "coc-lcg"}).status_code == 200


def test_nobody_fills_the_disk_with_large_changes(ann: Any, settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "sent": (100, 60)}
    client = Client()
    client.force_login(ann)
    text = "3x Local Sheriff\n" * 2_000
    answers = [client.post("/decks/new", {"text": text}).status_code for _ in range(5)]
    assert 429 not in answers[:2] and answers[-1] == 429
    assert client.post("/decks/new", {"text": "3x Local Sheriff"}).status_code != 429


def test_of_very_many_unknown_fields_a_few_are_told(ann: Any) -> None:
    client = Client()
    client.force_login(ann)
    sent = {f"k{number}" * 100: 1 for number in range(2_000)}
    begun = time.monotonic()
    answer = client.put("/api/v1/me", sent, "application/json")
    assert answer.status_code == 400
    assert len(answer.json()["details"]["fields"]) == 20
    assert time.monotonic() - begun < 1


@pytest.mark.parametrize("address", ["/rules/precedents/", "/api/v1/precedents"])
def test_a_search_has_so_many_words(address: str) -> None:
    assert Client().get(f"{address}?q=" + "a+" * 12).status_code == 200
    assert Client().get(f"{address}?q=" + "a+" * 50).status_code == 400
