"""Alerts to players who are not looking: what, to whom, by which way, once; and nothing that is not so any more."""

import http.server
import json
import os
import socket
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from py_vapid import Vapid02
from py_vapid.utils import b64urldecode, b64urlencode

from config import outbound, web_push
from config.errors import Conflict, UserError
from tests.tournament.factories import enter, make_event, make_staff, player_of, user_of
from tournament import services
from tournament.models import Alert, AlertAddress, Event, GivenRuling, Match, Round, User
from tournament.services.outside.alerts import alert_words
from tournament.tasks import alert as perform

pytestmark = pytest.mark.django_db
ALL = AlertAddress.Kind.values
SITE = "https://judge.example.org/"
State = Alert.State


class Push(http.server.BaseHTTPRequestHandler):
    """A push service: keeps what it gets and answers as it is told to."""

    got: list[tuple[str, dict[str, str], bytes]] = []
    answers: list[int] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.got.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(self.answers.pop(0) if self.answers else 201)
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def push(settings: Any, monkeypatch: Any) -> Iterator[int]:
    """The port of a push service, and an installation that has a key for it."""
    Push.got, Push.answers = [], []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Push)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    real = socket.getaddrinfo
    monkeypatch.setattr(outbound.socket, "getaddrinfo", lambda *a, **k: real("127.0.0.1", *a[1:], **k))
    settings.WEB_PUSH_KEY, settings.WEB_PUSH_CONTACT = web_push.new_key(), "mailto:hall@example.org"
    settings.WEB_PUSH_HOSTS = [f"push.example.org:{server.server_port}"]
    settings.WEBHOOK_NETWORKS = ["127.0.0.0/8"]
    yield server.server_port
    server.shutdown()
    server.server_close()


class Phone:
    """A browser that takes messages: its keys, and reading one."""

    def __init__(self, port: int, name: str = "one") -> None:
        self.key, self.secret = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.told = web_push.Browser(
            f"http://push.example.org:{port}/{name}", b64urlencode(point), b64urlencode(self.secret)
        )

    def read(self, body: bytes) -> dict[str, Any]:
        text = http_ece.decrypt(body, private_key=self.key, auth_secret=self.secret, version="aes128gcm")
        found: dict[str, Any] = json.loads(text)
        return found

    def of(self, person: User, kinds: Any = ALL) -> AlertAddress:
        return services.alert_browser_add(
            person=person, browser=self.told, kinds=kinds, site=SITE, now=timezone.now()
        )


@pytest.fixture
def event(organizer: User, judge: User) -> Event:
    found = make_event(organizer)
    make_staff(event=found, user=judge, role="judge", by=organizer, now=timezone.now())
    enter(found, 4)
    return found


@pytest.fixture
def ann(event: Event) -> User:
    person = User.objects.get(username="player1")
    User.objects.filter(pk=person.pk).update(email="ann@example.org", email_confirmed_at=timezone.now())
    person.refresh_from_db()
    return person


def by_mail(person: User, kinds: Any = ALL) -> None:
    services.alert_mail_choose(person=person, kinds=kinds, site=SITE, now=timezone.now())


def paired(event: Event, organizer: User) -> Match:
    """The match of player 1 in a new round."""
    services.round_pair(event=event, by=organizer, seed=1, now=timezone.now())
    return Match.objects.get(seats__registration__user__username="player1", round__event=event)


def work() -> None:
    for pk in Alert.objects.filter(state=State.QUEUED).order_by("pk").values_list("pk", flat=True):
        perform(pk)


@pytest.fixture(autouse=True)
def mails(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"


def test_a_letter_says_table_and_opponent_and_leads_to_the_match(
    event: Event, ann: User, organizer: User
) -> None:
    by_mail(ann, ["paired"])
    match = paired(event, organizer)
    work()
    [letter] = mail.outbox
    other = match.seats.exclude(registration__user=ann).get().registration.name
    assert letter.to == ["ann@example.org"] and letter.subject == "Kingsport Open"
    assert f"Round 1: table {match.table}, against {other}." in letter.body
    assert f"{SITE}events/{event.slug}/match" in letter.body and f"{SITE}account#alerts" in letter.body
    work()
    assert len(mail.outbox) == 1  # once


def test_each_kind_is_told_to_those_at_the_table_alone(
    event: Event, ann: User, organizer: User, judge: User
) -> None:
    by_mail(ann)
    match, now = paired(event, organizer), timezone.now()
    elsewhere = match.round.matches.exclude(pk=match.pk).get()
    for table in (match, elsewhere):
        call = services.call_open(match=table, subject="rules", by=player_of(table, 1), now=now)
        services.call_claim(call=call, by=judge, now=now)
        services.time_extend(match=table, minutes=3, cause="judge-call", by=judge, now=now)
        services.ruling_give(match=table, verdict=f"As at {table.table}.", by=judge, now=now)
    ruling = GivenRuling.objects.get(match=match).ruling
    services.appeal_make(ruling=ruling, by=ann, now=now)
    services.appeal_decide(ruling=ruling, upheld=True, explanation="So it is.", by=organizer, now=now)
    assert sorted(Alert.objects.values_list("kind", flat=True)) == [
        "appeal", "judge", "paired", "ruling", "time",
    ]  # fmt: skip
    assert set(Alert.objects.values_list("match", flat=True)) == {match.pk}
    work()
    told = "\n".join(str(letter.body) for letter in mail.outbox)
    assert "3 more minutes for your table" in told and f"Ruling: As at {match.table}." in told
    assert "The appeal was heard:" in told
    assert "A judge is on the way" not in told  # the ruling ended the call before the letter was written


@pytest.mark.parametrize("next_round", [False, True])
def test_a_ruling_is_told_though_its_round_has_ended(
    event: Event, ann: User, organizer: User, judge: User, next_round: bool
) -> None:
    match, now = paired(event, organizer), timezone.now()
    by_mail(ann)
    services.time_extend(match=match, minutes=3, cause="judge-call", by=judge, now=now)  # told too late
    for table in match.round.matches.all():
        services.result_decide(match=table, by=organizer, outcome="win", reason="Slip", now=now)
    services.round_finish(round=match.round, by=organizer, now=now)
    Alert.objects.filter(kind="paired").delete()
    services.ruling_give(match=match, verdict="It was legal.", by=judge, now=now)
    if next_round:
        AlertAddress.objects.update(kinds=["ruling", "appeal"])
        services.round_pair(event=event, by=organizer, seed=2, now=now)
    work()
    ruling = GivenRuling.objects.get(match=match).ruling
    body = str(mail.outbox[0].body)
    assert len(mail.outbox) == 1 and "Ruling: It was legal." in body
    assert f"{SITE}rulings/{ruling.pk}" in body  # My match shows another round by then


def test_who_called_in_private_is_told_of_the_judge_and_the_opponent_is_not(
    event: Event, ann: User, organizer: User, judge: User
) -> None:
    by_mail(ann, ["judge"])
    match, now = paired(event, organizer), timezone.now()
    side = match.seats.get(registration__user=ann).side
    other = player_of(match, 3 - side)
    call = services.call_open(match=match, subject="private", by=other, now=now)
    services.call_claim(call=call, by=judge, now=now)
    assert not Alert.objects.exists()
    services.call_close(call=call, outcome="Said.", by=judge, now=now)
    call = services.call_open(match=match, subject="private", by=ann, now=now)
    services.call_claim(call=call, by=judge, now=now)
    work()
    assert "A judge is on the way" in mail.outbox[0].body


def test_who_called_without_a_table_is_told_of_the_judge_once(
    event: Event, ann: User, organizer: User, judge: User
) -> None:
    by_mail(ann, ["judge"])
    now = timezone.now()
    services.checkin_open(event=event, by=organizer, now=now)
    entry, other = event.registrations.filter(user__in=[ann, User.objects.get(username="player2")])
    call = services.player_call_open(registration=entry, subject="rules", by=ann, now=now)
    services.call_claim(call=call, by=judge, now=now)
    services.call_release(call=call, by=judge, now=now)
    services.call_claim(call=call, by=judge, now=now)
    work()
    [letter] = mail.outbox
    assert "A judge is on the way" in letter.body and f"{SITE}events/{event.slug}/match" in letter.body
    again = services.player_call_open(registration=other, subject="rules", by=user_of(other), now=now)
    services.call_claim(call=again, by=judge, now=now)
    work()
    assert len(mail.outbox) == 1, "the call of another"


def test_the_last_five_minutes_follow_the_clock(event: Event, ann: User, organizer: User) -> None:
    by_mail(ann, ["five"])
    match, now = paired(event, organizer), timezone.now()
    round = match.round

    def due() -> Any:
        return Alert.objects.get().due_at

    services.clock_start(round=round, by=organizer, now=now)
    first = due()
    services.time_extend(match=match, minutes=3, cause="judge-call", by=organizer, now=now)
    assert due() - first == timedelta(minutes=3)
    services.clock_add(round=round, minutes=10, reason="Fire alarm", by=organizer, now=now)
    assert due() - first == timedelta(minutes=13)
    services.clock_pause(round=round, by=organizer, now=now + timedelta(minutes=1))
    assert not Alert.objects.exists()  # nobody knows when it ends
    services.clock_start(round=round, by=organizer, now=now + timedelta(minutes=4))
    assert due() - first == timedelta(minutes=16)


def test_five_minutes_are_told_when_they_are_left_and_not_else(
    event: Event, ann: User, organizer: User
) -> None:
    by_mail(ann, ["five"])
    match, now = paired(event, organizer), timezone.now()
    services.clock_start(round=match.round, by=organizer, now=now)
    one = Alert.objects.get()
    assert one.due_at is not None
    perform(one.pk)
    assert Alert.objects.get().state == State.QUEUED  # not due
    assert alert_words(one, one.due_at) == "The round ends in five minutes."
    assert alert_words(one, one.due_at + timedelta(minutes=3)) == ""  # too late to be true
    for side in (1, 2):
        outcome = "win" if side == 1 else "loss"
        services.result_report(match=match, by=player_of(match, side), outcome=outcome, now=now)
    assert alert_words(one, one.due_at) == ""  # they have finished


def test_a_round_taken_back_is_not_told(event: Event, ann: User, organizer: User) -> None:
    by_mail(ann, ["paired"])
    match = paired(event, organizer)
    services.round_unpublish(round=match.round, reason="Too early", by=organizer, now=timezone.now())
    work()
    assert not mail.outbox
    services.round_publish(round=Round.objects.get(), by=organizer, now=timezone.now())
    work()
    assert len(mail.outbox) == 1


def test_a_draft_tells_nobody(event: Event, ann: User, organizer: User) -> None:
    by_mail(ann)
    services.round_draft(event=event, by=organizer, now=timezone.now())
    assert not Alert.objects.exists()


def test_in_the_second_round_each_is_told_their_own_table_once(
    event: Event, ann: User, organizer: User
) -> None:
    by_mail(ann, ["paired"])
    first = paired(event, organizer)
    for match in first.round.matches.all():
        services.result_decide(match=match, outcome="win", reason="x", by=organizer, now=timezone.now())
    services.round_finish(round=first.round, by=organizer, now=timezone.now())
    services.round_pair(event=event, by=organizer, seed=2, now=timezone.now())
    mine = Match.objects.get(seats__registration__user=ann, round__number=2)
    assert list(Alert.objects.order_by("pk").values_list("match", flat=True)) == [first.pk, mine.pk]


def test_only_a_confirmed_address_is_written_to(event: Event, ann: User, organizer: User) -> None:
    by_mail(ann, ["paired"])
    User.objects.filter(pk=ann.pk).update(email_confirmed_at=None)
    ann.refresh_from_db()
    with pytest.raises(Conflict, match="isn’t confirmed"):
        by_mail(ann)
    paired(event, organizer)
    work()
    assert not mail.outbox and not AlertAddress.objects.exists()


def test_who_removes_the_address_or_chooses_nothing_gets_no_letter(
    event: Event, ann: User, organizer: User
) -> None:
    by_mail(ann)
    services.email_forget(person=ann)
    assert not AlertAddress.objects.exists()
    User.objects.filter(pk=ann.pk).update(email="ann@example.org", email_confirmed_at=timezone.now())
    ann.refresh_from_db()
    by_mail(ann)
    by_mail(ann, [])
    paired(event, organizer)
    assert not Alert.objects.exists()


def test_a_browser_gets_it_encrypted_and_signed(
    event: Event, ann: User, organizer: User, push: int, settings: Any
) -> None:
    phone = Phone(push)
    phone.of(ann, ["paired"])
    match = paired(event, organizer)
    work()
    [(path, headers, body)] = Push.got
    told = phone.read(body)
    assert path == "/one" and told["title"] == "Kingsport Open"
    assert told["body"].startswith(f"Round 1: table {match.table}, against ")
    assert told["page"] == f"/events/{event.slug}/match"
    assert headers["content-encoding"] == "aes128gcm" and int(headers["ttl"]) > 0
    assert Vapid02.verify(headers["authorization"])
    token = headers["authorization"].removeprefix("vapid t=").partition(",k=")
    claims = json.loads(b64urldecode(token[0].split(".")[1].encode()))
    assert claims["aud"] == f"http://push.example.org:{push}" and claims["sub"] == "mailto:hall@example.org"
    assert token[2] == web_push.public_key()
    assert b"table" not in body  # nobody on the way reads it
    assert Alert.objects.get().state == State.DONE


@pytest.mark.parametrize("status", [404, 410])
def test_a_browser_that_takes_none_any_more_is_forgotten(
    event: Event, ann: User, organizer: User, push: int, status: int
) -> None:
    Phone(push).of(ann)
    Push.answers = [status]
    paired(event, organizer)
    work()
    assert not AlertAddress.objects.exists() and not Alert.objects.exists()


def test_a_push_service_that_fails_is_asked_again_and_given_up(
    event: Event, ann: User, organizer: User, push: int, settings: Any
) -> None:
    Phone(push).of(ann, ["paired"])
    Push.answers = [500, 429] + [503] * 5
    paired(event, organizer)
    for number in range(1, len(settings.ALERT_WAITS) + 2):
        work()
        work()  # not due: nothing is sent
        assert len(Push.got) == number
        Alert.objects.filter(state=State.QUEUED).update(due_at=timezone.now())
    one = Alert.objects.get()
    assert one.state == State.FAILED and one.failure == "HTTP 503"


def test_a_service_that_does_not_answer_is_asked_once_and_others_go_on(
    event: Event, ann: User, organizer: User, push: int, settings: Any, monkeypatch: Any
) -> None:
    settings.WEB_PUSH_HOSTS.append("gone.example.org:1")
    two, three = User.objects.get(username="player2"), User.objects.get(username="player3")
    for number, person in enumerate((ann, two)):
        gone = Phone(1, f"{number}")
        gone.told = web_push.Browser(
            f"http://gone.example.org:1/{number}", gone.told.public_key, gone.told.shared_secret
        )
        gone.of(person, ["paired"])
    Phone(push).of(three, ["paired"])
    asked: list[str] = []
    real = web_push.post

    def counted(address: str, *args: Any) -> int:
        asked.append(address.split("/")[2])
        return real(address, *args)

    monkeypatch.setattr(web_push, "post", counted)
    paired(event, organizer)
    work()
    assert sorted(asked) == ["gone.example.org:1", f"push.example.org:{push}"]
    assert {one.runs for one in Alert.objects.filter(state=State.QUEUED)} == {1}
    assert len(Push.got) == 1


def test_nothing_is_sent_to_hosts_that_are_no_push_service(ann: User, push: int) -> None:
    phone = Phone(push)
    for endpoint, code in (
        ("https://intranet.example.org/x", "address-not-allowed"),
        (f"http://user@push.example.org:{push}/", "bad-address"),
        ("javascript:alert(1)", "bad-address"),
    ):
        phone.told = web_push.Browser(endpoint, phone.told.public_key, phone.told.shared_secret)
        with pytest.raises(UserError) as refused:
            phone.of(ann)
        assert refused.value.code == code


@pytest.mark.parametrize(
    ("field", "value"), [("public_key", "AAAA"), ("public_key", "ß"), ("shared_secret", "AAAA")]
)
def test_keys_that_no_browser_has_are_refused_with_their_place(
    ann: User, push: int, field: str, value: str
) -> None:
    told = Phone(push).told
    client = Client()
    client.force_login(ann)
    sent = {
        "endpoint": told.endpoint,
        "public_key": told.public_key,
        "shared_secret": told.shared_secret,
        "kinds": ["paired"],
    } | {field: value}
    answer = client.post("/api/v1/me/alerts/browsers", sent, content_type="application/json")
    assert answer.status_code == 400 and answer.json()["place"] == field


def test_a_device_that_changes_hands_tells_the_new_person_alone(ann: User, push: int) -> None:
    enter_two = User.objects.get_or_create(username="bo")[0]
    phone = Phone(push)
    phone.of(ann)
    phone.of(enter_two, ["judge"])
    [only] = AlertAddress.objects.all()
    assert only.user == enter_two and only.kinds == ["judge"]


def test_without_a_key_nothing_is_offered(ann: User, settings: Any) -> None:
    settings.WEB_PUSH_KEY = ""
    with pytest.raises(Conflict, match="closed browsers"):
        Phone(1).of(ann)
    client = Client()
    client.force_login(ann)
    assert client.get("/api/v1/me/alerts").json() == {
        "mail_works": True,
        "mail": [],
        "push_key": "",
        "browsers": [],
    }


def test_the_account_page_chooses_letters_and_forgets_browsers(ann: User, push: int) -> None:
    client = Client()
    client.force_login(ann)
    browser = Phone(push).of(ann)
    client.post("/account", {"do": "alerts", "kinds": ["paired", "five"]})
    assert client.get("/api/v1/me/alerts").json()["mail"] == ["paired", "five"]
    page = client.get("/account").content.decode()
    assert 'value="paired" id="id_kinds_0" checked' in page and "push.example.org" in page
    client.post("/account", {"do": "forget-browser", "browser": browser.pk})
    assert not AlertAddress.objects.filter(way="push").exists()
    client.post("/account", {"do": "alerts"})
    assert not AlertAddress.objects.exists()


def test_a_letter_is_in_the_persons_language(event: Event, ann: User, organizer: User) -> None:
    services.account_change(person=ann, display_name="Ann", language="ko")
    by_mail(ann, ["paired"])
    paired(event, organizer)
    work()
    assert "against" not in mail.outbox[0].body and "/match" in mail.outbox[0].body


def test_publishing_asks_the_same_for_many_players(organizer: User) -> None:
    counts = []
    for number, slug in ((4, "few"), (24, "many")):
        event = make_event(organizer, slug)
        enter(event, number, prefix=slug)
        for person in User.objects.filter(username__startswith=slug):
            User.objects.filter(pk=person.pk).update(
                email=f"{person.username}@example.org", email_confirmed_at=timezone.now()
            )
            by_mail(User.objects.get(pk=person.pk), ["paired"])
        draft = services.round_draft(event=event, by=organizer, now=timezone.now())
        with CaptureQueriesContext(connection) as asked:
            services.round_publish(round=draft, by=organizer, now=timezone.now())
        counts.append(len(asked))
    assert counts[0] == counts[1]
    assert Alert.objects.count() == 28


def test_an_invitation_is_told_once_to_who_chose_it_and_leads_to_the_answer(
    ann: User, organizer: User
) -> None:
    by_mail(ann, ["invite"])
    found, now = make_event(organizer, "elsewhere", name="Elsewhere Open"), timezone.now()
    asked = services.staff_invite(event=found, user=ann, role="judge", by=organizer, now=now)
    work()
    [letter] = mail.outbox
    assert letter.to == ["ann@example.org"] and letter.subject == "Elsewhere Open"
    assert f"{organizer} invites you to join the event staff." in letter.body
    assert f"{SITE}invitations" in letter.body
    services.invitation_withdraw(invitation=asked, by=organizer, now=now)
    services.staff_invite(event=found, user=ann, role="judge", by=organizer, now=now)  # nagging
    work()
    assert len(mail.outbox) == 1
    other = make_event(organizer, "third")
    asked = services.staff_invite(event=other, user=ann, role="judge", by=organizer, now=now)
    services.invitation_withdraw(invitation=asked, by=organizer, now=now)
    work()
    assert len(mail.outbox) == 1  # no news any more


def test_an_invitation_reaches_a_closed_browser(push: int, ann: User, organizer: User) -> None:
    phone = Phone(push)
    phone.of(ann, ["invite"])
    found = make_event(organizer, "elsewhere", name="Elsewhere Open")
    services.staff_invite(event=found, user=ann, role="judge", by=organizer, now=timezone.now())
    work()
    [(_path, _headers, body)] = Push.got
    told = phone.read(body)
    assert told["title"] == "Elsewhere Open" and told["page"] == "/invitations"


def test_who_is_asked_whether_a_player_is_them_is_told(ann: User, organizer: User) -> None:
    by_mail(ann, ["invite"])
    found = make_event(organizer, "elsewhere")
    services.player_register(event=found, user=ann, name="A. from Hill", by=organizer, now=timezone.now())
    work()
    [letter] = mail.outbox
    assert f"{organizer} has registered A. from Hill. Is that you?" in letter.body
    assert f"{SITE}invitations" in letter.body


def test_no_alert_of_an_invitation_to_who_did_not_choose_it(ann: User, organizer: User) -> None:
    by_mail(ann, ["paired"])
    found = make_event(organizer, "elsewhere")
    services.staff_invite(event=found, user=ann, role="judge", by=organizer, now=timezone.now())
    assert not Alert.objects.exists()
