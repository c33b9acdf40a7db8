"""Errors a person can fix. Everything else is a bug: it is logged and answers 500, without details.

One shape everywhere: `code` (stable, for programs), `message` (what), `place` (where), `remedy` (what to do).
"""

import sys
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _


class UserError(Exception):
    """Something the person who asked can mend.

    code: stable kebab-case word; message: one sentence; place: line, field or path
    ("line 3", "cards.x.zone"); remedy: what to do next; status: HTTP status (4xx); details: further facts
    for programs.
    """

    status = 400

    def __init__(
        self,
        code: str,
        message: str,
        *,
        place: str = "",
        remedy: str = "",
        status: int | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.place = place
        self.remedy = remedy
        self.status = status or self.status
        self.details = details or {}

    def as_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "message": self.message,
            "place": self.place,
            "remedy": self.remedy,
            "details": self.details,
        }


class NotFound(UserError):
    """The thing does not exist, or the asker may not know that it does: the two look the same."""

    status = 404

    def __init__(self, what: str, *, remedy: str = "") -> None:
        said = _("That %(what)s doesn’t exist.") % {"what": what}
        super().__init__("not-found", said, remedy=remedy or _("Check the address."))


class Forbidden(UserError):
    status = 403


class Conflict(UserError):
    """Right in itself, but not in the present state (already reported, round not over, ...)."""

    status = 409


def nearest(word: str, known: Iterable[str]) -> str:
    """The remedy for a word that is none of the known ones: the nearest, or all when they are few."""
    names = [str(one) for one in known]
    if near := get_close_matches(word[:100], names, n=1, cutoff=0.5):
        return _("Did you mean %(near)s?") % {"near": near[0]}
    if not 0 < len(names) <= 40:
        return ""
    return _("Choose from: %(names)s.") % {"names": ", ".join(names)}


def as_user_error(error: Exception) -> UserError | None:
    """Translate what Django and DRF raise into our shape; None when it is a bug."""
    from rest_framework import exceptions as drf

    from config.database_errors import mishap

    if isinstance(error, UserError):
        return error
    if isinstance(
        error, UnicodeEncodeError
    ):  # only what somebody sent has such texts; most are found where it is read
        from config.text import BadText

        return BadText()
    if isinstance(error, Http404):
        return NotFound(_("page"))
    if isinstance(error, PermissionDenied):
        return Forbidden(
            "forbidden",
            _("You don’t have permission to do this."),
            remedy=_("Ask the organizer for the right role."),
        )
    if isinstance(error, drf.ValidationError):
        place, message = _first_fault(error.detail)
        return UserError(
            "invalid",
            message,
            place=place,
            remedy=_("Correct the fields named in details."),
            details={"fields": error.detail},
        )
    if isinstance(error, drf.NotAuthenticated):
        return UserError(
            "not-authenticated",
            _("You need to log in for this."),
            remedy=_("Send a token (Authorization: Bearer ...), or log in."),
            status=401,
        )
    if isinstance(error, drf.Throttled):
        seconds = int(getattr(error, "wait", None) or 0) + 1
        return UserError(
            "too-many-requests",
            _("Too many attempts in a short time."),
            remedy=_("Wait %(seconds)s seconds, then try again.") % {"seconds": seconds},
            status=429,
            details={"wait": seconds},
        )
    if isinstance(error, drf.APIException):
        code = str(error.default_code).replace("_", "-")
        return UserError(code, str(error.detail), status=error.status_code)
    return mishap(error)


def _first_fault(detail: Any, place: str = "") -> tuple[str, str]:
    """(place, sentence) of the first fault in DRF's nested lists and mappings of faults."""
    if isinstance(detail, dict) and detail:
        key, inner = next(iter(detail.items()))
        return _first_fault(inner, place if key == "non_field_errors" else f"{place}.{key}".lstrip("."))
    if isinstance(detail, list) and detail:
        return _first_fault(detail[0], place)
    return place, str(detail)


def api_exception_handler(error: Exception, context: dict[str, Any]) -> Any:
    """DRF's hook: one error shape for every answer of the API."""
    from rest_framework.response import Response
    from rest_framework.views import set_rollback

    problem = as_user_error(error)
    if problem is None:
        return None
    set_rollback()
    headers = retry_after(problem)
    if getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = error.auth_header  # type: ignore[attr-defined]
    if getattr(error, "wait", None):
        headers["Retry-After"] = str(int(error.wait) + 1)  # type: ignore[attr-defined]
    return Response(problem.as_json(), status=problem.status, headers=headers)


def page_not_found(request: Any, exception: Exception) -> Any:
    """Django's 404 hook, in our one shape."""
    return error_response(request, NotFound(_("page")))


def bad_request(request: Any, exception: Exception) -> Any:
    """Django's 400 hook, for requests that no page of ours sends."""
    return error_response(
        request,
        UserError("bad-request", _("This request can’t be read."), remedy=_("Go back and try again.")),
    )


def csrf_failure(request: Any, reason: str = "") -> Any:
    """Django's hook for a form sent without the token of this session: too old a page, or another site's."""
    return error_response(
        request,
        Forbidden(
            "page-too-old",
            _("This form has expired, or cookies are turned off."),
            remedy=_("Nothing was changed. Reload the page and send the form again."),
        ),
    )


def server_error(request: Any) -> Any:
    """Django's 500 hook: a bug. It is in the log with this request's id; the person gets the id.

    Or what the database refused outside of any view (a session being saved): that is told as it is.
    """
    from config.database_errors import mishap
    from config.logs import request_id
    from config.operations import note_fault

    raised = sys.exc_info()[1]
    if isinstance(raised, Exception) and (refused := mishap(raised)) is not None:
        return error_response(request, refused)
    note_fault(f"{request.method} {request.path}", raised)
    return error_response(
        request,
        UserError(
            "internal",
            _("Something went wrong on our side, not yours. It has been logged."),
            remedy=_("Try again. If it keeps happening, give the organizer this number: %(number)s.")
            % {"number": request_id.get()},
            status=500,
        ),
    )


def error_response(request: Any, problem: UserError) -> Any:
    """The problem as a page, or as JSON where programs ask."""
    from django.http import HttpResponse, JsonResponse
    from django.shortcuts import render
    from django.template.loader import render_to_string

    headers = retry_after(problem)
    if request.path.startswith("/api/") or "Idempotency-Key" in request.headers:
        return JsonResponse(problem.as_json(), status=problem.status, headers=headers)
    if problem.status >= 500:  # whatever broke may break again: without asking who is logged in
        page = render_to_string("error.html", {"problem": problem, "within": _within(request, problem)})
        return HttpResponse(page, status=problem.status, headers=headers)
    response = render(
        request,
        "error.html",
        {"problem": problem, "within": _within(request, problem), "again": _form_page(request, problem)},
        status=problem.status,
    )
    for name, value in headers.items():
        response[name] = value
    return response


def _form_page(request: Any, problem: UserError) -> str:
    """The page of ours whose form was too old: it is a tap away."""
    from django.utils.http import url_has_allowed_host_and_scheme

    if problem.code != "page-too-old":
        return ""  # nor is the host asked for: that it is not ours may be the problem
    page: str = request.headers.get("Referer", "")
    return page if url_has_allowed_host_and_scheme(page, {request.get_host()}) else ""


def _within(request: Any, problem: UserError) -> str:
    """The page of the event in which somebody met the problem: from there every other one is near. Where something
    is not there, it may be the event."""
    match = request.resolver_match
    if problem.status == 404 or match is None or "slug" not in match.kwargs or match.url_name == "event":
        return ""
    return reverse("event", args=[match.kwargs["slug"]])


def retry_after(problem: UserError) -> dict[str, str]:
    """The header that says when to come back, in seconds, where the problem passes by itself."""
    wait = problem.details.get("wait", 5 if problem.status == 503 else None)
    return {} if wait is None else {"Retry-After": str(wait)}
