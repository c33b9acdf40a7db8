"""Request ids for logs and audit rows, a limit on bodies, and errors made answers for people."""

import logging
import uuid
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from config.errors import UserError, as_user_error, bad_request, error_response
from config.logs import request_id

log = logging.getLogger(__name__)


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


class Hosts:
    """What is asked under a name that is not ours is refused with one line in the log; scanners ask all the time."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            request.get_host()
        except DisallowedHost as error:
            log.warning("refused: the host %.200r is not in ALLOWED_HOSTS", request.META.get("HTTP_HOST", ""))
            response: HttpResponse = bad_request(request, error)
            return response
        return self.get_response(request)


class Methods:
    """Pages are read and posted to; what else HTTP knows is for the API, and some of it for nobody."""

    pages = ("GET", "HEAD", "OPTIONS", "POST")
    api = (*pages, "DELETE", "PATCH", "PUT")

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        allowed = self.api if request.path.startswith("/api/") else self.pages
        if request.method in allowed:
            return self.get_response(request)
        problem = UserError(
            "method-not-allowed", _("This address doesn’t accept that kind of request."), status=405
        )
        response: HttpResponse = error_response(request, problem)
        response["Allow"] = ", ".join(allowed)
        return response


def body_limit(path: str) -> int:
    """How many bytes a request to `path` may bring."""
    most: int = settings.REQUEST_MAX_BYTES_AT.get(path, settings.REQUEST_MAX_BYTES)
    return most


class BodyLimit:
    """Refuse a body that says it is too large before a byte of it is read.

    Django's own limit covers forms only: JSON is read from the stream, and uploaded files go to disk.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        most = body_limit(request.path)
        if not length.isdigit() or int(length) <= most:
            return self.get_response(request)
        message = _("The request is larger than %(most)s bytes.") % {"most": f"{most:,}"}
        problem = UserError("too-large", message, remedy=_("Send less at once."), status=413)
        response: HttpResponse = error_response(request, problem)
        return response


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
        response: HttpResponse = error_response(request, problem)
        return response
