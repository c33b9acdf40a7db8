"""Telling other programs: what, to whom, signed, tried again; and never into a network nobody opened."""

import hashlib
import hmac
import http.server
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.conf import settings
from django.utils import timezone

from config import jobs, outbound
from config.errors import Forbidden, UserError
from rules import services as rules_services
from tests.assault import receivers
from tests.rules.scenarios import SHOTGUN
from tests.tournament.factories import NOW, enter, make_event, make_staff, player_of
from tournament import services
from tournament.models import Delivery, Event, Match, Webhook
from tournament.services.outside import webhooks
from tournament.tasks import deliver

pytestmark = pytest.mark.django_db
State = Delivery.State


class Receiver(http.server.BaseHTTPRequestHandler):
    """Keeps what it gets and answers as it is told to."""

    got: list[tuple[dict[str, str], bytes]] = []
    answers: list[int] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.got.append((dict(self.headers), body))
        self.send_response(self.answers.pop(0) if self.answers else 204)
        self.send_header("Location", "http://127.0.0.1:1/elsewhere")
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def receiver(settings: Any) -> Iterator[Any]:
    Receiver.got, Receiver.answers = [], []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.WEBHOOK_HOSTS = [f"localhost:{server.server_port}", "hooks.example.org"]
    settings.WEBHOOK_NETWORKS = ["127.0.0.0/8"]
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def hook(receiver: Any, organizer: Any, monkeypatch: Any) -> Webhook:
    real = socket.getaddrinfo
    monkeypatch.setattr(outbound.socket, "getaddrinfo", lambda *a, **k: real("127.0.0.1", *a[1:], **k))
    event = make_event(organizer)
    address = f"http://localhost:{receiver.server_port}/in?x=1"
    kinds = Webhook.Kind.values
    return services.webhook_add(event=event, address=address, kinds=kinds, by=organizer, now=NOW)[0]


def _played(event: Event, organizer: Any) -> Match:
    enter(event, 2)
    services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    return Match.objects.get(round__event=event)


def test_rounds_results_and_rulings_are_told_once_each(hook: Webhook, organizer: Any, judge: Any) -> None:
    make_staff(event=hook.event, user=judge, role="judge", by=organizer, now=NOW)
    match = _played(hook.event, organizer)
    services.result_report(match=match, by=player_of(match, 1), outcome="win", now=NOW)
    assert [one.kind for one in hook.deliveries.all()] == ["round.published"]  # one report settles nothing
    services.result_report(match=match, by=player_of(match, 2), outcome="loss", now=NOW)
    filed = services.dispute_file(match=match, by=judge, title="x", source=SHOTGUN, now=NOW)
    rules_services.ruling_file(dispute=filed.dispute, by=judge, verdict="Bo may.", now=NOW)
    told = [(one.kind, one.body["data"]) for one in hook.deliveries.order_by("pk")]
    assert [kind for kind, _ in told] == ["round.published", "result.settled", "ruling.filed"]
    assert told[0][1]["pairings"][0]["players"] == ["Player 001", "Player 002"]
    assert told[1][1] | {"outcome": "win", "table": 1, "decided_by_staff": False} == told[1][1]
    assert told[2][1]["verdict"] == "Bo may."


def test_a_draft_is_nobodys_business(hook: Webhook, organizer: Any) -> None:
    enter(hook.event, 2)
    draft = services.round_draft(event=hook.event, by=organizer, now=NOW)
    assert not hook.deliveries.exists()
    services.round_publish(round=draft, by=organizer, now=NOW)
    assert hook.deliveries.count() == 1


def test_what_is_undone_is_not_told(hook: Webhook, organizer: Any, monkeypatch: Any) -> None:
    enter(hook.event, 2)
    monkeypatch.setattr("tournament.services.rounds.rounds.clock_begin", _broken)
    with pytest.raises(ZeroDivisionError):
        services.round_pair(event=hook.event, by=organizer, start_clock=True, now=NOW)
    assert not hook.deliveries.exists()


def _broken(*args: Any) -> None:
    raise ZeroDivisionError


def test_the_receiver_can_prove_who_sent_it(hook: Webhook, organizer: Any) -> None:
    _played(hook.event, organizer)
    deliver(hook.deliveries.get().pk)
    [(headers, body)] = Receiver.got
    stamp, mark = (part.partition("=")[2] for part in headers["Headjudge-Signature"].split(","))
    secret = webhooks.secret_of(hook)
    assert mark == hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    assert abs(int(stamp) - timezone.now().timestamp()) < 60
    assert json.loads(body)["id"] == headers["Headjudge-Message"]
    done = hook.deliveries.get()
    assert (done.state, done.status, done.runs) == (State.DONE, 204, 1)
    assert secret not in json.dumps(list(Webhook.objects.values()), default=str)


def test_what_is_not_taken_is_tried_again_later_and_given_up_in_the_end(
    hook: Webhook, organizer: Any
) -> None:
    _played(hook.event, organizer)
    pk, waits = hook.deliveries.get().pk, settings.WEBHOOK_WAITS
    Receiver.answers = [500, 302, 404] + [503] * 10
    for number, wait in enumerate(waits, start=1):
        before = timezone.now()
        deliver(pk)
        deliver(pk)  # a second bell does nothing: it is not due
        row = hook.deliveries.get()
        assert (row.state, row.runs, len(Receiver.got)) == (State.QUEUED, number, number)
        assert row.due_at is not None and row.due_at >= before + timedelta(seconds=wait)
        Delivery.objects.update(due_at=before)
    deliver(pk)
    row = hook.deliveries.get()
    assert (row.state, row.status, row.runs) == (State.FAILED, 503, len(waits) + 1)
    assert len({json.loads(body)["id"] for _, body in Receiver.got}) == 1
    services.delivery_resend(delivery=row, by=organizer, now=timezone.now())
    Receiver.answers = []
    deliver(pk)
    assert hook.deliveries.get().state == State.DONE


def test_a_next_try_does_not_wait_for_a_clock_that_was_set_back(hook: Webhook, organizer: Any) -> None:
    _played(hook.event, organizer)
    pk, tomorrow = hook.deliveries.get().pk, timezone.now() + timedelta(days=1)
    tried = jobs.claim(services.MESSAGE, pk, tomorrow)
    assert tried is not None
    webhooks._note(tried, 503, "", tomorrow)
    assert jobs.claim(services.MESSAGE, pk, timezone.now()) is None
    assert services.deliveries_sweep(now=timezone.now()) == 1
    assert jobs.claim(services.MESSAGE, pk, timezone.now()) is not None


def test_an_address_that_is_removed_hears_nothing_more(hook: Webhook, organizer: Any) -> None:
    match = _played(hook.event, organizer)
    services.webhook_remove(webhook=hook, by=organizer, now=NOW)
    services.result_decide(match=match, by=organizer, outcome="win", reason="seen", now=NOW)
    assert [one.state for one in hook.deliveries.all()] == [State.FAILED]
    deliver(hook.deliveries.get().pk)
    assert Receiver.got == []


def test_webhooks_are_the_organizers(hook: Webhook, visitor: Any) -> None:
    with pytest.raises(Forbidden):
        services.webhook_add(
            event=hook.event, address="https://hooks.example.org", kinds=["ruling.filed"], by=visitor, now=NOW
        )


# --- where to -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("https://elsewhere.example.org/", "address-not-allowed"),
        ("https://hooks.example.org.evil.net/", "address-not-allowed"),
        ("https://hooks.example.org:22/", "address-not-allowed"),
        ("https://127.0.0.1/", "address-not-allowed"),
        ("ftp://hooks.example.org/", "bad-address"),
        ("https://user:pw@hooks.example.org/", "bad-address"),
        ("https://hooks.example.org:99999/", "bad-address"),
        ("https://hööks.example.org/", "bad-address"),
        ("javascript:alert(1)", "bad-address"),
        ("", "bad-address"),
    ],
)
def test_only_hosts_that_the_deployer_named(settings: Any, address: str, code: str) -> None:
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]
    with pytest.raises(UserError) as refused:
        outbound.target_of(address)
    assert refused.value.code == code


def test_by_default_nothing_is_sent_anywhere() -> None:
    with pytest.raises(outbound.NotAllowed):
        outbound.target_of("https://hooks.example.org/")


@pytest.mark.parametrize(
    "where",
    ["127.0.0.1", "10.0.0.5", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "224.0.0.1", "100.64.0.1",
     "::1", "fe80::1", "fd00::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
     "::127.0.0.1", "64:ff9b:1::7f00:1", "64:ff9b:1:ffff::1", "::ffff:0:7f00:1", "::ffff:0:0:1", "fec0::1", "feff::1",
     "2001::1", "2001:db8::1", "100::1", "5f00::1", "4000::1", "ff0e::1", "192.0.0.170", "198.18.0.1", "240.0.0.1",
     "255.255.255.255", "192.0.2.1", "203.0.113.9"],
)  # fmt: skip
def test_a_name_that_points_into_a_private_network_is_refused(
    settings: Any, monkeypatch: Any, where: str
) -> None:
    """The name is allowed; what it stands for is judged at every try, one bad address among good ones included."""
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]
    answers = [(0, 0, 0, "", ("93.184.215.14", 443)), (0, 0, 0, "", (where, 443))]
    monkeypatch.setattr(outbound.socket, "getaddrinfo", lambda *a, **k: answers)
    monkeypatch.setattr(outbound.socket, "create_connection", _broken)
    with pytest.raises(outbound.NotAllowed):
        outbound.post("https://hooks.example.org/", b"{}", {})


@pytest.mark.parametrize("where", ["93.184.215.14", "2606:4700:4700::1111", "2a00:1450:4001::1"])
def test_public_addresses_are_reached(settings: Any, monkeypatch: Any, where: str) -> None:
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]
    monkeypatch.setattr(outbound.socket, "getaddrinfo", lambda *a, **k: [(0, 0, 0, "", (where, 443))])
    monkeypatch.setattr(outbound.socket, "create_connection", _broken)
    with pytest.raises(ZeroDivisionError):  # the connection was tried
        outbound.post("https://hooks.example.org/", b"{}", {})


def test_the_connection_goes_to_the_address_that_was_judged(settings: Any, monkeypatch: Any) -> None:
    """The name is looked up once: pointing it elsewhere in between gains nothing."""
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]
    asked, reached = [], []

    def look_up(host: str, *a: Any, **k: Any) -> Any:
        asked.append(host)
        return [(0, 0, 0, "", ("93.184.215.14", 443))]

    def connect(address: Any, *a: Any) -> Any:
        reached.append(address)
        raise OSError("enough")

    monkeypatch.setattr(outbound.socket, "getaddrinfo", look_up)
    monkeypatch.setattr(outbound.socket, "create_connection", connect)
    with pytest.raises(OSError, match="enough"):
        outbound.post("https://hooks.example.org/", b"{}", {})
    assert (asked, reached) == (["hooks.example.org"], [("93.184.215.14", 443)])
    with pytest.raises(outbound.NotAllowed):  # in the open only over TLS
        outbound.post("http://hooks.example.org/", b"{}", {})


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: Any) -> Callable[[str], Path]:
    """Who signs certificates that are trusted here; a name -> the file with its certificate and key."""
    own, day = ec.generate_private_key(ec.SECP256R1()), timedelta(days=1)
    ours = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Tests")])

    def signed(name: x509.Name, key: Any, *more: tuple[x509.ExtensionType, bool]) -> bytes:
        made = x509.CertificateBuilder(ours, name, key.public_key(), x509.random_serial_number())
        made = made.not_valid_before(timezone.now() - day).not_valid_after(timezone.now() + day)
        for one, critical in more:
            made = made.add_extension(one, critical)
        return made.sign(own, hashes.SHA256()).public_bytes(Encoding.PEM)

    (tmp_path / "trusted.pem").write_bytes(
        signed(ours, own, (x509.BasicConstraints(ca=True, path_length=0), True))
    )
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "trusted.pem"))

    def file(name: str) -> Path:
        key = ec.generate_private_key(ec.SECP256R1())
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        named = x509.SubjectAlternativeName([x509.DNSName(name)])
        (tmp_path / f"{name}.pem").write_bytes(secret + signed(x509.Name([]), key, (named, True)))
        return tmp_path / f"{name}.pem"

    return file


@pytest.mark.parametrize(("named", "taken"), [("hooks.example.org", True), ("elsewhere.example.org", False)])
def test_a_name_that_is_pointed_elsewhere_after_it_was_judged_gains_nothing(
    settings: Any, monkeypatch: Any, authority: Callable[[str], Path], named: str, taken: bool
) -> None:
    """The connection goes to the address that was judged, asks for the name, and believes nobody else's certificate."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def look_up(host: str, *rest: Any, **more: Any) -> Any:
        """The receiver the first time, what must not be reached afterwards."""
        if host == "127.0.0.1":  # an address, which is no name
            return real(host, *rest, **more)
        asked.append(host)
        where = "127.0.0.1" if len(asked) == 1 else "169.254.169.254"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (where, rest[0]))]

    Receiver.got, Receiver.answers = [], [302]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority(named))
    wanted: list[str] = []
    context.sni_callback = lambda one, name, _context: wanted.append(name)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *request: None  # type: ignore[method-assign]  # who sends a wrong certificate is hung up on
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.WEBHOOK_HOSTS = [f"hooks.example.org:{server.server_port}"]
    settings.WEBHOOK_NETWORKS = ["127.0.0.0/8"]
    monkeypatch.setattr(outbound.socket, "getaddrinfo", look_up)
    address = f"https://hooks.example.org:{server.server_port}/in"
    try:
        if taken:
            assert outbound.post(address, b"{}", {}) == 302  # which is an answer, and leads nowhere
        else:
            with pytest.raises(ssl.SSLCertVerificationError):
                outbound.post(address, b"{}", {})
    finally:
        server.shutdown()
        server.server_close()
    assert asked == wanted == ["hooks.example.org"]
    assert [headers["Host"] for headers, _body in Receiver.got] == [
        f"hooks.example.org:{server.server_port}"
    ] * taken


def test_an_answer_that_drips_is_ended(settings: Any, monkeypatch: Any) -> None:
    """A byte now and then, each in time for a read, and never the whole of it."""
    monkeypatch.setattr(outbound, "IN_ALL", 0.5)
    dripping = receivers.Receiver("dripping")
    settings.WEBHOOK_HOSTS, settings.WEBHOOK_NETWORKS = [f"127.0.0.1:{dripping.port}"], ["127.0.0.0/8"]
    told: list[BaseException] = []

    def send() -> None:
        try:
            outbound.post(f"http://127.0.0.1:{dripping.port}/", b"{}", {})
        except OSError as error:
            told.append(error)

    sending = threading.Thread(target=send, daemon=True)
    sending.start()
    sending.join(30)
    dripping.close()
    assert not sending.is_alive() and "no answer within" in str(told[0])


def test_a_name_server_that_does_not_answer_is_not_waited_for(hook: Webhook, monkeypatch: Any) -> None:
    """Nor is its receiver asked with every message that waits for it."""
    answered = threading.Event()
    monkeypatch.setattr(outbound, "SECONDS", 0.2)
    monkeypatch.setattr(outbound.socket, "getaddrinfo", lambda *a, **k: answered.wait(30))
    for number in range(2):
        webhooks.tell(event=hook.event, kind="ruling.filed", data={"n": number}, now=NOW)
    first, second = hook.deliveries.order_by("pk")
    begun = time.monotonic()
    deliver(first.pk)
    assert time.monotonic() - begun < 10
    answered.set()
    first.refresh_from_db()
    assert (first.state, first.runs) == (State.QUEUED, 1) and "no name server" in first.failure
    assert jobs.claim(services.MESSAGE, second.pk, timezone.now()) is None


def test_a_name_that_is_found_late_leaves_no_more_than_the_rest_of_the_time(
    settings: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(outbound, "IN_ALL", 3.0)
    silent = receivers.Receiver("silent")
    settings.WEBHOOK_HOSTS, settings.WEBHOOK_NETWORKS = [f"127.0.0.1:{silent.port}"], ["127.0.0.0/8"]
    real, late = socket.getaddrinfo, [2.5]

    def look_up(*asked: Any, **more: Any) -> Any:
        time.sleep(late.pop() if late else 0)
        return real(*asked, **more)

    monkeypatch.setattr(outbound.socket, "getaddrinfo", look_up)
    begun = time.monotonic()
    with pytest.raises(TimeoutError, match="no answer within 3 seconds"):
        outbound.post(f"http://127.0.0.1:{silent.port}/", b"{}", {})
    assert time.monotonic() - begun < 5
    silent.close()


def test_a_receiver_that_does_not_answer_is_asked_with_one_message(hook: Webhook, organizer: Any) -> None:
    """Each try takes seconds, which others wait. It counts for all that wait; one that answers 500 has answered."""
    for number in range(3):
        webhooks.tell(event=hook.event, kind="ruling.filed", data={"n": number}, now=NOW)
    first, *others = hook.deliveries.order_by("pk")
    now = timezone.now()
    tried = jobs.claim(services.MESSAGE, first.pk, now)
    assert tried is not None
    webhooks._note(tried, 500, "", now)
    assert [one.runs for one in hook.deliveries.order_by("pk")] == [1, 0, 0]
    tried = jobs.claim(services.MESSAGE, others[0].pk, now)
    assert tried is not None
    webhooks._note(tried, None, "TimeoutError: no answer", now)
    assert [jobs.claim(services.MESSAGE, one.pk, now) for one in (first, *others)] == [None] * 3
    later = now + timedelta(seconds=settings.WEBHOOK_WAITS[0])
    assert [one.runs for one in hook.deliveries.order_by("pk")] == [1, 1, 1]
    assert hook.deliveries.get(pk=others[1].pk).failure == "TimeoutError: no answer"  # the page says why
    assert jobs.claim(services.MESSAGE, others[1].pk, later) is not None
