"""Middleware: request IDs for logs and audit rows, a size limit on bodies, and error pages."""

import logging
import uuid
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError, as_user_error, bad_request, error_response
from config.logs import request_id
from config.text import whole_number

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


def too_large(path: str) -> UserError:
    message = _("The request is larger than %(most)s bytes.") % {"most": f"{body_limit(path):,}"}
    return UserError("too-large", message, remedy=_("Send less at once."), status=413)


class BodyLimit:
    """Refuse a body that says it is too large before a byte of it is read, where config.edge didn't already.

    Django's own limit covers forms only: JSON is read from the stream, and uploaded files go to disk.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        told = request.META.get("CONTENT_LENGTH") or "0"
        length = whole_number(told)
        if not told.isdecimal() or (length is not None and length <= body_limit(request.path)):
            return self.get_response(request)
        response: HttpResponse = error_response(request, too_large(request.path))
        return response


LARGEST = 2**63 - 1  # a database counts no further


class Errors:
    """Turn a `UserError` raised by a page's view into a page (or JSON, when JSON was asked for). What has a number in
    its address that no row can have is not there: no view has to think of it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponse],
        args: tuple[object, ...],
        kwargs: dict[str, object],
    ) -> HttpResponse | None:
        if not any(isinstance(value, int) and value > LARGEST for value in kwargs.values()):
            return None
        response: HttpResponse = error_response(request, NotFound(_("page")))
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        problem = as_user_error(error)
        if problem is None:
            return None
        response: HttpResponse = error_response(request, problem)
        return response
