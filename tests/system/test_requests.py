"""The same request many times in the same moment, at several web processes: done once, counted exactly."""

import http.client
import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.system.crowd import web
from tests.system.service import Service, eventually, free_port

EVENT = {
    "name": "Kingsport Open",
    "slug": "kingsport",
    "starts_on": "2026-11-21",
    "format": "coc-lcg",
    "format_on": "2026-11-21",
    "policy_key": "coc-lcg",
}
MAKE = """
from django.utils import timezone
from tournament import services
person = services.account_create(username="ann", password="a long password", display_name="Ann")
tell(services.token_make(person=person, name="test", scopes=["staff"], now=timezone.now())[1])
"""


@pytest.fixture
def port(service: Service) -> int:
    """Two web processes with four threads each."""
    port = free_port()
    service.start(web(port, workers=2))
    assert eventually(lambda: _answers(port)), service.logs()
    return port


def _answers(port: int) -> bool:
    try:
        return send(port, "GET", "/healthz").status == 200
    except OSError:
        return False


def send(port: int, method: str, path: str, body: str = "", **headers: str) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    response.text = response.read().decode()  # type: ignore[attr-defined]
    connection.close()
    return response


@pytest.mark.system
def test_one_request_sent_sixteen_times_at_once_is_done_once(service: Service, port: int) -> None:
    secret = service.python(MAKE)
    headers = {
        "Authorization": f"Bearer {secret}",
        "Idempotency_Key": "one-and-the-same",
        "Content_Type": "application/json",
    }

    def post(_number: int) -> Any:
        return send(port, "POST", "/api/v1/events", json.dumps(EVENT), **headers)

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(post, range(16)))
    assert {one.status for one in answers} <= {201, 409}, [one.text for one in answers]
    assert {json.loads(one.text)["code"] for one in answers if one.status == 409} <= {"still-running"}
    made = {one.text for one in answers if one.status == 201}
    assert len(made) == 1
    later = post(0)
    assert (later.status, later.text, later.getheader("Idempotent-Replayed")) == (201, made.pop(), "true")
    assert service.rows("SELECT count(*) FROM tournament_event") == [(1,)]
    assert service.rows("SELECT count(*) FROM tournament_auditrow WHERE verb = 'event_create'") == [(1,)]


@pytest.mark.system
def test_guesses_at_several_processes_are_counted_together(service: Service, port: int) -> None:
    """Ten may be wrong in a quarter of an hour; a quarter's end may fall into the test, which gives ten more."""
    service.manage("collectstatic", "--no-input", "--verbosity", "0")
    page = send(port, "GET", "/login")
    assert page.status == 200, service.logs()
    token = page.text.partition('csrfmiddlewaretoken" value="')[2].partition('"')[0]
    cookie = page.getheader("Set-Cookie").partition(";")[0]
    form = f"csrfmiddlewaretoken={token}&username=ann&password=wrong"

    def guess(_number: int) -> int:
        kind = "application/x-www-form-urlencoded"
        return int(send(port, "POST", "/login", form, Cookie=cookie, Content_Type=kind).status)

    quarter = time.time() // 900
    with ThreadPoolExecutor(16) as pool:
        statuses = list(pool.map(guess, range(40)))
    assert set(statuses) == {200, 429}
    assert statuses.count(200) == 10 or (time.time() // 900 > quarter and statuses.count(200) <= 20)
