"""Rate limits, counted in the database: one atomic statement, shared by all processes.

The cache would not do: the embedded one (files) loses counts between two processes. What is counted is a hash, so that
no address and no name is kept; the sweep removes it when its time is over. The numbers are in `settings.LIMITS`.
"""

import hashlib
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from rest_framework.throttling import BaseThrottle

from config.errors import UserError, error_response
from config.models import Count
from config.text import whole_number

SMALL = 10_000  # bytes: changes that are no larger are bounded by their number


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `most` times in `seconds`."""

    most: int
    seconds: int


class TooMany(UserError):
    """`too-many-requests` (429); `wait` is in seconds."""

    status = 429

    def __init__(self, wait: int) -> None:
        super().__init__(
            "too-many-requests",
            _("Too many attempts in a short time."),
            remedy=_("Wait %(seconds)s seconds, then try again.") % {"seconds": wait},
            details={"wait": wait},
        )
        self.wait = wait


def count(limit: Limit, *what: object, amount: int = 1) -> int:
    """Count one try, or so many, of `what` (a kind, and for whom): how many there are in this span.

    Raises TooMany beyond the limit.
    """
    now = time.time()
    span = (int(now) // limit.seconds + 1) * limit.seconds
    table = Count._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f'INSERT INTO "{table}" (key, span, number) VALUES (%s, %s, %s) '  # noqa: S608 (our own table)  # nosec B608
            f'ON CONFLICT (key, span) DO UPDATE SET number = "{table}".number + %s RETURNING number',
            [_hash(what), span, amount, amount],
        )
        number: int = cursor.fetchone()[0]
    if number > limit.most:
        raise TooMany(max(1, int(span - now)))
    return number


def forgive(*what: object) -> None:
    """Take back all tries of `what`: it turned out to be right."""
    Count.objects.filter(key=_hash(what)).delete()


def take_back(*what: object) -> None:
    """Take back one try of `what`."""
    Count.objects.filter(key=_hash(what), number__gt=0).update(number=F("number") - 1)


def sweep(now: float) -> int:
    """Remove counts whose time is over; how many."""
    return Count.objects.filter(span__lt=int(now)).delete()[0]


def _hash(what: tuple[object, ...]) -> str:
    return salted_hmac("config.limits", repr(what), algorithm="sha256").hexdigest()


def address_of(request: HttpRequest) -> str:
    return address_in(request.META)


def address_in(environ: Mapping[str, Any]) -> str:
    """Where a request comes from: what the last of TRUSTED_PROXIES saw. IPv6 by its network, which is one home's."""
    given = str(environ.get("REMOTE_ADDR", ""))
    if settings.TRUSTED_PROXIES:
        hops = [hop.strip() for hop in environ.get("HTTP_X_FORWARDED_FOR", "").split(",") if hop.strip()]
        if len(hops) >= settings.TRUSTED_PROXIES:
            given = hops[-settings.TRUSTED_PROXIES]
    try:
        found = ip_address(given)
    except ValueError:
        return hashlib.sha256(given.encode()).hexdigest()[:16]
    return found.exploded[:19] if isinstance(found, IPv6Address) and not found.ipv4_mapped else str(found)


def count_change(person: Any, size: int) -> None:
    """Count a change that somebody who is logged in sends, of so many bytes. What is stored was sent, so this is what
    bounds what one person can fill the disk with. Raises TooMany."""
    count(Limit(*settings.LIMITS["write"]), "write", "user", person.pk)
    if size > SMALL:
        count(Limit(*settings.LIMITS["sent"]), "sent", person.pk, amount=size // 1000)


class PageChanges:
    """Middleware: what a person sends to pages is counted as what they send to the API is (`Throttle`)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        page = request.method == "POST" and not request.path.startswith("/api/")
        if page and not re.fullmatch(settings.COSTLY, request.path) and request.user.is_authenticated:
            try:
                count_change(request.user, size_of(request))
            except TooMany as problem:
                refused: HttpResponse = error_response(request, problem)
                return refused
        return self.get_response(request)


def size_of(request: Any) -> int:
    """Bytes of the body, as the request says; the edge has made sure of it."""
    return whole_number(request.META.get("CONTENT_LENGTH") or "") or 0


class Throttle(BaseThrottle):
    """Every change through the API is counted, and every view with a `throttle_scope` of its own; other reading is
    not. Who has no account is counted by address, under the scope's limit for strangers where it has one."""

    def allow_request(self, request: Any, view: Any) -> bool:
        scope = getattr(view, "throttle_scope", None)
        if scope is None:
            if request.method in ("GET", "HEAD", "OPTIONS"):
                return True
            scope = "write"
        known = request.user is not None and request.user.is_authenticated
        who = ("user", request.user.pk) if known else ("address", address_of(request))
        limit = (
            settings.LIMITS[scope]
            if known
            else settings.LIMITS.get(f"{scope}-anonymous", settings.LIMITS[scope])
        )
        try:
            if known and scope == "write":
                count_change(request.user, size_of(request))
            else:
                count(Limit(*limit), scope, *who)
        except TooMany as refused:
            self.seconds = refused.wait
            return False
        return True

    def wait(self) -> float:
        return self.seconds
