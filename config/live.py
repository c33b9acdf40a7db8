"""Live pages: a part of the page is requested again every few seconds, with its version.

The version is cheap to know (one small query) and stands for everything the part shows. When it is what the
browser has, the answer is 304 and nothing is rendered. Without a script the page is simply loaded again.

A thousand phones ask every few seconds, and nearly always nothing happened that they show. For them there is
`Unchanged`: as long as nothing was written into the audit log since that the page is concerned with, a tag that was
right is still right, and neither session nor person nor event is looked up to say so.
"""

import hashlib
import json
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db.models import Count, Max
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import render
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation import get_language


def render_live(
    request: HttpRequest,
    *,
    page: str,
    part: str,
    version: object,
    context: Callable[[], dict[str, Any]],
    quiet: float = 0,
    concerns: "Concerns | None" = None,
) -> HttpResponse:
    """The page, or for a poll its live part alone, or 304.

    `page` includes `part`, whose outermost element has id="live" and carries `live_headers` in hx-headers.
    `context` is called only when something is rendered. quiet: so many seconds nothing but a row of the audit log
    changes the version (0: do not count on it); concerns: which rows may change it (None: any).
    """
    tag = _tag(request, version)
    if quiet > 0:
        _remember(request, tag, quiet, concerns)
    polled = is_poll(request)
    response: HttpResponse
    if polled and request.headers.get("If-None-Match", "").removeprefix("W/") == tag:
        response = HttpResponseNotModified()
    else:
        headers = json.dumps({"If-None-Match": tag})
        response = render(request, part if polled else page, {**context(), "live_headers": headers})
    if polled:
        response["ETag"] = tag
    patch_cache_control(response, private=True, no_cache=True)
    patch_vary_headers(response, ["HX-Target", "Cookie"])
    return response


@dataclass(frozen=True, slots=True)
class Written:
    """A row of the audit log: in which event, about what (the model's label, its key)."""

    event: int | None
    target_type: str
    target: str


Concerns = Callable[[Written], bool]


@dataclass(slots=True)
class _Known:
    tag: str
    at: int  # how far the audit log had been read when the request came
    until: float
    concerns: Concerns | None


_known: dict[tuple[str, ...], _Known] = {}
_MOST_KNOWN = 10_000


class _AuditLog:
    """What was written lately, read at most every settings.LIVE_MARK_SECONDS and only when there is something new.

    The last rows are read again each time: on PostgreSQL a smaller number may become visible after a larger one.
    """

    near = 1000  # rows

    def __init__(self) -> None:
        self._lock = Lock()
        self._read = 0.0
        self._mark: tuple[int, int] | None = None
        self._seen: set[int] = set()
        self._rows: deque[Written] = deque(maxlen=5 * self.near)
        self._end = 0

    def end(self) -> int:
        """How far the audit log has been read: grows with every row."""
        with self._lock:
            now = time.monotonic()
            if now - self._read >= settings.LIVE_MARK_SECONDS:
                self._look()
                self._read = now
            return self._end

    def since(self, position: int) -> list[Written] | None:
        """What was written after `position`; None when that is too long ago to say."""
        with self._lock:
            behind = self._end - position
            if not behind:
                return []
            return (
                list(islice(self._rows, len(self._rows) - behind, None))
                if behind <= len(self._rows)
                else None
            )

    def _look(self) -> None:
        rows = apps.get_model(settings.AUDIT_MODEL)._default_manager.order_by()
        last = rows.aggregate(last=Max("pk"))["last"] or 0
        near = rows.filter(pk__gt=last - self.near)
        mark = last, near.aggregate(count=Count("pk"))["count"]
        if mark == self._mark:
            return
        # Another log than before (a backup was restored), or more at once than is looked at: nothing known holds.
        if self._mark is None or last < self._mark[0] or last - self._mark[0] >= self.near:
            self._seen.clear()
            self._rows.clear()
            self._end += 1
        found = near.order_by("pk").values_list("pk", "event_id", "target_type", "target_id")
        fresh = [(pk, Written(*row)) for pk, *row in found if pk not in self._seen]
        self._seen = {pk for pk in self._seen if pk > last - self.near} | {pk for pk, _row in fresh}
        self._rows.extend(row for _pk, row in fresh)
        self._end += len(fresh)
        self._mark = mark


_audit_log = _AuditLog()


def forget() -> None:
    """As after a start: for tests, which write rows over again under the same numbers."""
    global _audit_log
    _audit_log = _AuditLog()
    _known.clear()


class Unchanged:
    """Answer a poll with 304 when its tag was right and nothing was written since that its page is concerned with.

    Before the session is read.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not is_poll(request):
            return self.get_response(request)
        at = _audit_log.end()
        known = _known.get(_asked(request))
        sent = request.headers.get("If-None-Match", "").removeprefix("W/")
        if known and known.tag == sent and time.monotonic() < known.until and _holds(known, at):
            response: HttpResponse = HttpResponseNotModified()
            response["ETag"] = sent
            patch_cache_control(response, private=True, no_cache=True)
            return response
        request.log_at = at  # type: ignore[attr-defined]
        return self.get_response(request)


def _holds(known: _Known, at: int) -> bool:
    """Whether nothing between what was known and `at` concerns the page; what was looked through once is not again."""
    if known.at == at:
        return True
    written = _audit_log.since(known.at) if known.concerns is not None else None
    if known.concerns is None or written is None or any(map(known.concerns, written)):
        return False
    known.at = at
    return True


def _remember(request: HttpRequest, tag: str, quiet: float, concerns: Concerns | None) -> None:
    """That this asker's tag is right. The audit log is as of before the version was asked for, never of after."""
    if (at := getattr(request, "log_at", None)) is not None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[_asked(request)] = _Known(tag, at, time.monotonic() + quiet, concerns)


def _asked(request: HttpRequest) -> tuple[str, ...]:
    """What the answer depends on, as it came."""
    read = request.headers.get
    return request.get_full_path(), read("Cookie", ""), read("Accept-Language", "")


def is_poll(request: HttpRequest) -> bool:
    return request.method == "GET" and request.headers.get("HX-Target") == "live"


def _tag(request: HttpRequest, version: object) -> str:
    asker = request.user.pk if request.user.is_authenticated else None
    seen = repr((request.get_full_path(), asker, get_language(), version))
    return f'"{hashlib.blake2b(seen.encode(), digest_size=12).hexdigest()}"'
