"""Request ids for logs and audit rows; one place where errors become answers for people."""

import logging
import uuid
from collections.abc import Callable
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from config.errors import as_user_error

request_id: ContextVar[str] = ContextVar("request_id", default="-")


class RequestIdFilter(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        return True


class RequestId:
    """Give every request an id, answer it in a header, show it in logs and audit rows."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = request_id.set(uuid.uuid4().hex[:12])
        try:
            response = self.get_response(request)
            response["X-Request-Id"] = request_id.get()
            return response
        finally:
            request_id.reset(token)


class Errors:
    """Turn a `UserError` raised by a page's view into a page (or JSON, when JSON was asked for)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        problem = as_user_error(error)
        if problem is None:
            return None
        if request.path.startswith("/api/"):
            return JsonResponse(problem.as_json(), status=problem.status)
        return render(request, "error.html", {"problem": problem}, status=problem.status)
