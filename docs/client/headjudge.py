"""A small client for Headjudge's API: this file alone, Python 3.11, nothing to install.

    from headjudge import Headjudge, Problem

    site = Headjudge("https://judge.example.org", token="hj_...")
    for event in site.pages("/events", state="running"):
        print(event["name"])
    site.report(match=412, outcome="win")

Changes are sent with an idempotency key and tried again when the line breaks, so that they are carried out once. Reads
are sent with the tag of the last answer, so that what has not changed is not sent again.
"""

import hashlib
import hmac
import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
TRIES = 5
LATER = {429, 503}  # and 409 while the same request is still being carried out


class Problem(Exception):
    """Why something was not done: `code` for programs, `message` and `remedy` for people, `place` where it is."""

    def __init__(self, status: int, said: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(said.get("code", ""))
        self.message = str(said.get("message", ""))
        self.place = str(said.get("place", ""))
        self.remedy = str(said.get("remedy", ""))
        self.details: Json = dict(said.get("details") or {})
        super().__init__(f"{self.message} {self.remedy}".strip() or f"status {status}")


@dataclass(slots=True)
class Headjudge:
    """base: the installation's address. token: from its page /account/tokens; public things need none."""

    base: str
    token: str = ""
    seconds: float = 20.0
    _known: dict[str, tuple[str, Any]] = field(default_factory=dict)

    # --- anything ---------------------------------------------------------------------------------------

    def read(self, path: str, **where: Any) -> Any:
        """GET /api/v1<path>; raises Problem."""
        asked = urllib.parse.urlencode({name: value for name, value in where.items() if value is not None})
        address = f"{path}?{asked}" if asked else path
        tag, answer = self._known.get(address, ("", None))
        status, headers, found = self._ask("GET", address, None, {"If-None-Match": tag} if tag else {})
        if status == 304:
            return answer
        if "ETag" in headers:
            self._known[address] = (headers["ETag"], found)
        return found

    def pages(self, path: str, **where: Any) -> Iterator[Json]:
        """Every row of a list, page after page."""
        offset = 0
        while True:
            page = self.read(path, limit=200, offset=offset, **where)
            yield from page["results"]
            offset += len(page["results"])
            if offset >= page["count"] or not page["results"]:
                return

    def change(self, method: str, path: str, body: Any = None, *, key: str = "", seen: str = "") -> Any:
        """POST, PUT, PATCH or DELETE; raises Problem. seen: the ETag of what you read, to overwrite nothing else."""
        headers = {"Idempotency-Key": key or uuid.uuid4().hex}
        if seen:
            headers["If-Match"] = seen
        return self._ask(method, path, body, headers)[2]

    def _ask(
        self, method: str, path: str, body: Any, headers: dict[str, str], *, raw: bool = False
    ) -> tuple[int, Any, Any]:
        request = urllib.request.Request(
            f"{self.base.rstrip('/')}/api/v1{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={"Accept": "application/json", "Content-Type": "application/json", **headers},
        )
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        for attempt in range(1, TRIES + 1):
            try:
                with urllib.request.urlopen(request, timeout=self.seconds) as answer:  # nosec B310
                    said = answer.read()
                    return answer.status, answer.headers, said.decode() if raw else _read(said)
            except urllib.error.HTTPError as error:
                if error.code == 304:
                    return 304, error.headers, None
                problem = Problem(error.code, _read(error.read()) or {})
                later = error.code in LATER or problem.code == "still-running"
                if not later or attempt == TRIES:
                    raise problem from None
                time.sleep(float(error.headers.get("Retry-After") or attempt))
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                if attempt == TRIES:
                    raise
                time.sleep(attempt)
        raise AssertionError("unreachable")

    # --- what is asked most -----------------------------------------------------------------------------

    def validate(self, text: str, format: str, on: str | None = None, list: str = "") -> Json:
        """Whether a list is legal, with every finding; on a day, or by a list of the format. No token is needed."""
        sent = (
            {"text": text, "format": format} | ({"on": on} if on else {}) | ({"list": list} if list else {})
        )
        return dict(self._ask("POST", "/validate", sent, {})[2])

    def adjudicate(self, scenario: str) -> Json:
        """What may, must or cannot happen, by which rule. No token is needed."""
        return dict(self._ask("POST", "/adjudicate", {"source": scenario}, {})[2])

    def event(self, slug: str) -> Json:
        return dict(self.read(f"/events/{slug}"))

    def standings(self, slug: str) -> list[Json]:
        return list(self.pages(f"/events/{slug}/standings"))

    def matches(self, slug: str, round: int) -> list[Json]:
        return list(self.pages(f"/events/{slug}/rounds/{round}/matches"))

    def file(self, slug: str, name: str) -> str:
        """One of the event's files as text: event.json, event.trf, players.csv, ... For organizers."""
        return str(self._ask("GET", f"/events/{slug}/files/{name}", None, {"Accept": "*/*"}, raw=True)[2])

    def report(self, match: int, outcome: str, **more: Any) -> Json:
        """One's own result: "win", "draw", "loss"; games=[2, 1, 0] where games are counted."""
        return dict(self.change("POST", f"/matches/{match}/reports", {"outcome": outcome, **more}))


def _read(body: bytes) -> Any:
    try:
        return json.loads(body) if body else None
    except ValueError:
        return None


def is_genuine(
    secret: str, signature: str, body: bytes, *, now: float | None = None, within: float = 300
) -> bool:
    """Whether a webhook's message is what Headjudge sent, and fresh.

    signature: the header Headjudge-Signature; body: the raw bytes. Remember Headjudge-Message: it may come twice.
    """
    parts = dict(part.partition("=")[::2] for part in signature.split(","))
    stamp, mark = parts.get("t", ""), parts.get("v1", "")
    if not stamp.isdigit() or abs((time.time() if now is None else now) - int(stamp)) > within:
        return False
    wanted = hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(mark, wanted)
