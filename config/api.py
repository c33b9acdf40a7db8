"""What all API views share: idempotency keys, and ETags that prevent overwriting and needless sending.

- `Idempotency-Key` with a change: carried out once (config.idempotency).
- A read answers with an `ETag`; `If-None-Match` with it gets 304 when nothing is different.
- `If-Match` with a change of something that can be read at the same address: 412 when it is different by now.
"""

import hashlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.db import connection, transaction
from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, Serializer
from rest_framework.views import APIView

from config import idempotency
from config.errors import Forbidden, UserError
from config.pagination import Pages
from config.request_validation import body_of, nothing_of, query_of

Handler = Callable[..., HttpResponse]


def bodiless(**told: Any) -> Callable[[Handler], Handler]:
    """`extend_schema` for a change whose address says it all: a body sent with it is refused, not ignored."""

    def marked(handler: Handler) -> Handler:
        handler.takes_no_body = True  # type: ignore[attr-defined]
        documented: Handler = extend_schema(request=None, **told)(handler)
        return documented

    return marked


class ApiView(APIView):
    """The base of every view of the API.

    needs_scope: what a token must be allowed to, to change something here ("decks", "play", "staff"; "read" where
    a POST only computes; None: no token may). Reading takes any token.
    changes: whether a POST stores something. tells_secret: the answer holds something that is told once.
    asks: by method, what the address may ask for (?state=...); the API's document has it from here. What this request
    asked for is in `asked`, without what was left out.
    """

    needs_scope: str | None = "staff"
    changes = True
    tells_secret = False
    asks: Mapping[str, type[Serializer[Any]]] = {}
    asked: Mapping[str, Any]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """After everything that may refuse: put our care between DRF and the view's own method."""
        super().initial(request, *args, **kwargs)
        name = (request.method or "").lower()
        if not hasattr(self, name):
            return  # it will be told 405
        self.asked = self._asked(name.upper(), request.query_params)
        if request.method not in SAFE_METHODS:
            if request.method == "DELETE" or getattr(getattr(self, name), "takes_no_body", False):
                nothing_of(request)
            setattr(self, name, partial(self._with_care, getattr(self, name)))

    def _asked(self, method: str, query: QueryDict) -> dict[str, Any]:
        method = "GET" if method == "HEAD" else method
        paged = method == "GET" and getattr(self, "pagination_class", None) is not None
        return query_of(self.asks.get(method, Serializer), query, *(Pages.names if paged else ()))

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().dispatch(request, *args, **kwargs)
        if request.method in ("GET", "HEAD") and response.status_code == 200 and not response.streaming:
            return _tagged(request, response)
        return response

    def handle_exception(self, exc: Exception) -> Any:
        """Who did not say who they are is asked to, before being told what they may not."""
        if isinstance(exc, Forbidden) and not self.request.user.is_authenticated:
            exc = NotAuthenticated()
        return super().handle_exception(exc)

    def _with_care(self, handler: Handler, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        if not self.changes or not request.user.is_authenticated:
            return handler(request, *args, **kwargs)
        key, wanted = idempotency.key_of(request.headers), request.headers.get("If-Match", "")
        if not key and not wanted:
            return handler(request, *args, **kwargs)
        if not key:
            with transaction.atomic():
                return self._if_match(wanted, handler, request, *args, **kwargs)
        return self._once(key, partial(self._if_match, wanted, handler), request, *args, **kwargs)

    def _once(self, key: str, handler: Handler, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        return idempotency.once(
            user=request.user,
            key=key,
            route=f"{request.method} {request.get_full_path()}",
            data=request.data,
            now=timezone.now(),
            secret=self.tells_secret,
            answer=lambda: self._rendered(request, handler(request, *args, **kwargs)),
        )

    def _if_match(
        self, wanted: str, handler: Handler, request: Request, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Carry it out if what stands at this address is what the asker saw; inside a transaction."""
        if wanted:
            if connection.vendor == "postgresql":  # SQLite's transaction is the lock
                with connection.cursor() as cursor:
                    cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [request.path])
            known = {tag.strip().removeprefix("W/") for tag in wanted.split(",")}
            if "*" not in known and self._tag_now(request, *args, **kwargs) not in known:
                raise UserError(
                    "changed-since",
                    _("Someone else has changed this since you opened it."),
                    place="If-Match",
                    remedy=_("Fetch it again, then send your change with the new tag."),
                    status=412,
                )
        return handler(request, *args, **kwargs)

    def _tag_now(self, request: Request, *args: Any, **kwargs: Any) -> str:
        """What a read of this address would be tagged with; "" where nothing can be read."""
        if not hasattr(self, "get"):
            return ""
        changing, self.asked = self.asked, self._asked("GET", QueryDict())
        read = self._rendered(request, self.get(request, *args, **kwargs))
        self.asked = changing
        return _tag(read)

    def _rendered(self, request: Request, response: Any) -> Any:
        response = self.finalize_response(request, response)
        return response.render() if isinstance(response, Response) else response

    def body(self, shape: type[Serializer[Any]], request: Request) -> dict[str, Any]:
        """The request's body in the given shape; ValidationError otherwise."""
        return body_of(shape, request)

    def page(self, rows: Any, shape: type[BaseSerializer[Any]], request: Request, **context: Any) -> Response:
        """One page of the rows (?limit= and ?offset=)."""
        pages = Pages()
        chosen: Any = pages.paginate_queryset(rows, request, view=self)
        return pages.get_paginated_response(shape(chosen, many=True, context=context).data)


class ListApi(ApiView):
    """A view whose GET answers in pages; the API's document says so."""

    pagination_class = Pages


def _tagged(request: Any, response: Any) -> HttpResponseBase:
    """The answer with its tag, or 304 when that is what the asker has."""
    if isinstance(response, Response):
        response.render()
    tag = _tag(response)
    response["ETag"] = tag
    patch_cache_control(response, private=True, no_cache=True)
    patch_vary_headers(response, ["Authorization", "Cookie"])
    found = get_conditional_response(request, etag=tag, response=response)
    return response if found is None else found


def _tag(response: HttpResponse) -> str:
    return f'"{hashlib.blake2b(response.content, digest_size=12).hexdigest()}"'
