"""Log lines that name their request or job; as text for people, or as JSON for programs (LOG_FORMAT)."""

import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse

request_id: ContextVar[str] = ContextVar("request_id", default="-")

slow = logging.getLogger("headjudge.slow")


@contextmanager
def job_id(name: str) -> Iterator[None]:
    """Whatever is logged or written into the audit log inside belongs to this job ("adjudication-12")."""
    token = request_id.set(name)
    try:
        yield
    finally:
        request_id.reset(token)


class Ids(logging.Filter):
    """Gives every line the id of what was being done."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        return True


class JSONLines(logging.Formatter):
    """One JSON object a line: at, level, logger, id, message, and `error` with its trace."""

    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "id": getattr(record, "request_id", "-"),
            "message": record.getMessage(),
        }
        if record.exc_info:
            told["error"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)


class SlowQueries:
    """Middleware for development: a query that takes SLOW_QUERY_MS or more is logged, without its values."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not settings.SLOW_QUERY_MS:
            return self.get_response(request)
        with connection.execute_wrapper(_timed):
            return self.get_response(request)


def _timed(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    started = time.perf_counter()
    try:
        return execute(sql, params, many, context)
    finally:
        taken = (time.perf_counter() - started) * 1000
        if taken >= settings.SLOW_QUERY_MS:
            slow.warning("%.0f ms: %s", taken, sql)
