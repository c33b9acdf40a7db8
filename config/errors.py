"""Errors a person can mend. Everything else is a bug: logged, answered 500, never shown in detail.

One shape everywhere: `code` (stable, for programs), `message` (what), `place` (where), `remedy` (what to do).
"""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404


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

    def __init__(self, what: str) -> None:
        super().__init__("not-found", f"There is no such {what}.", remedy="Check the address.")


class Forbidden(UserError):
    status = 403


class Conflict(UserError):
    """Right in itself, but not in the present state (already reported, round not over, ...)."""

    status = 409


def as_user_error(error: Exception) -> UserError | None:
    """Translate what Django and DRF raise into our shape; None when it is a bug."""
    from rest_framework import exceptions as drf

    if isinstance(error, UserError):
        return error
    if isinstance(error, Http404):
        return NotFound("page")
    if isinstance(error, PermissionDenied):
        return Forbidden("forbidden", "You may not do this.", remedy="Ask the organizer for the right role.")
    if isinstance(error, drf.ValidationError):
        place, message = _first_fault(error.detail)
        return UserError(
            "invalid",
            message,
            place=place,
            remedy="Mend the fields named in details.",
            details={"fields": error.detail},
        )
    if isinstance(error, drf.APIException):
        code = str(error.default_code).replace("_", "-")
        return UserError(code, str(error.detail), status=error.status_code)
    return None


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
    headers = {}
    if getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = error.auth_header  # type: ignore[attr-defined]
    if getattr(error, "wait", None):
        headers["Retry-After"] = str(int(error.wait) + 1)  # type: ignore[attr-defined]
    return Response(problem.as_json(), status=problem.status, headers=headers)


def page_not_found(request: Any, exception: Exception) -> Any:
    """Django's 404 hook, in our one shape."""
    return error_response(request, NotFound("page"))


def bad_request(request: Any, exception: Exception) -> Any:
    """Django's 400 hook, for requests that no page of ours sends."""
    return error_response(
        request, UserError("bad-request", "This request cannot be read.", remedy="Go back and try again.")
    )


def csrf_failure(request: Any, reason: str = "") -> Any:
    """Django's hook for a form sent without the token of this session: too old a page, or another site's."""
    return error_response(
        request,
        Forbidden(
            "page-too-old",
            "This form was open too long, or cookies are switched off.",
            remedy="Nothing was changed. Load the page again and send the form once more.",
        ),
    )


def server_error(request: Any) -> Any:
    """Django's 500 hook: a bug. It is in the log with this request's id; the person gets the id."""
    from config.middleware import request_id

    return error_response(
        request,
        UserError(
            "internal",
            "Something went wrong on our side. It was not your doing, and it has been logged.",
            remedy=f"Try again; if it stays, tell the organizer this number: {request_id.get()}.",
            status=500,
        ),
    )


def error_response(request: Any, problem: UserError) -> Any:
    """The problem as a page, or as JSON where programs ask."""
    from django.http import HttpResponse, JsonResponse
    from django.shortcuts import render
    from django.template.loader import render_to_string

    if request.path.startswith("/api/"):
        return JsonResponse(problem.as_json(), status=problem.status)
    if problem.status >= 500:  # whatever broke may break again: without asking who is logged in
        return HttpResponse(render_to_string("error.html", {"problem": problem}), status=problem.status)
    return render(request, "error.html", {"problem": problem}, status=problem.status)
