"""What every view of the API does alike: keys against doing twice, tags against sending and overwriting in vain.

- `Idempotency-Key` with a change: carried out once (config.idempotency).
- A read answers with an `ETag`; `If-None-Match` with it gets 304 when nothing is different.
- `If-Match` with a change of something that can be read at the same address: 412 when it is different by now.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from django.db import connection, transaction
from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.translation import gettext as _
from rest_framework.exceptions import NotAuthenticated, ValidationError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BaseSerializer,
    BooleanField,
    CharField,
    Field,
    ListField,
    ListSerializer,
    Serializer,
)
from rest_framework.views import APIView

from config import idempotency
from config.errors import Forbidden, UserError
from config.pagination import Pages

Handler = Callable[..., HttpResponse]


class ApiView(APIView):
    """The base of every view of the API.

    needs_scope: what a token must be allowed to, to change something here ("decks", "play", "staff"; "read" where
    a POST only computes; None: no token may). Reading takes any token.
    changes: whether a POST stores something. tells_secret: the answer holds something that is told once.
    """

    needs_scope: str | None = "staff"
    changes = True
    tells_secret = False

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """After everything that may refuse: put our care between DRF and the view's own method."""
        super().initial(request, *args, **kwargs)
        name = (request.method or "").lower()
        if request.method not in SAFE_METHODS and hasattr(self, name):
            setattr(self, name, partial(self._with_care, getattr(self, name)))

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
        kept = idempotency.claim(
            user=request.user,
            key=key,
            route=f"{request.method} {request.get_full_path()}",
            body_hash=idempotency.fingerprint(request.data),
            now=timezone.now(),
        )
        if kept.status is not None:
            return idempotency.again(kept, secret=self.tells_secret)
        try:
            with transaction.atomic():
                response = self._rendered(request, handler(request, *args, **kwargs))
                idempotency.keep(kept, response, secret=self.tells_secret)
        except BaseException:
            idempotency.release(kept)
            raise
        return response

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
                    _("Somebody changed this since you read it."),
                    place="If-Match",
                    remedy=_("Read it again, then send your change with the new tag."),
                    status=412,
                )
        return handler(request, *args, **kwargs)

    def _tag_now(self, request: Request, *args: Any, **kwargs: Any) -> str:
        """What a read of this address would be tagged with; "" where nothing can be read."""
        if not hasattr(self, "get"):
            return ""
        return _tag(self._rendered(request, self.get(request, *args, **kwargs)))

    def _rendered(self, request: Request, response: Any) -> Any:
        response = self.finalize_response(request, response)
        return response.render() if isinstance(response, Response) else response

    def body(self, shape: type[Serializer[Any]], request: Request) -> dict[str, Any]:
        """The request's body in the given shape; ValidationError otherwise."""
        return body_of(shape, request)

    def where(self, shape: type[Serializer[Any]], request: Request) -> dict[str, Any]:
        """What the address asks for (?state=...), in the given shape; ValidationError otherwise."""
        return {
            name: value
            for name, value in _valid(shape(data=request.query_params)).items()
            if value not in (None, "")
        }

    def page(self, rows: Any, shape: type[BaseSerializer[Any]], request: Request, **context: Any) -> Response:
        """One page of the rows (?limit= and ?offset=)."""
        pages = Pages()
        chosen: Any = pages.paginate_queryset(rows, request, view=self)
        return pages.get_paginated_response(shape(chosen, many=True, context=context).data)


class ListApi(ApiView):
    """A view whose GET answers in pages; the API's document says so."""

    pagination_class = Pages


def body_of(shape: type[BaseSerializer[Any]], request: Request) -> dict[str, Any]:
    """The request's body in the given shape; ValidationError otherwise.

    As the document has it: DRF alone would take the number 7 for the text "7", and 1 for true. A form has texts alone.
    """
    given = shape(data=request.data)
    if not isinstance(request.data, QueryDict):
        _same_kinds(given, request.data)
    return _valid(given)


def _same_kinds(field: Field[Any, Any, Any, Any] | None, value: Any) -> None:
    """Texts are texts and yes or no is true or false, in all that the field holds. Raises ValidationError."""
    if isinstance(field, BaseSerializer) and isinstance(value, Mapping):
        for name, part in getattr(field, "fields", {}).items():
            if name in value and not part.read_only:
                try:
                    _same_kinds(part, value[name])
                except ValidationError as error:
                    raise ValidationError({name: error.detail}) from None
    elif isinstance(field, ListField | ListSerializer) and isinstance(value, list):
        for one in value:
            _same_kinds(field.child, one)
    elif isinstance(field, CharField) and isinstance(value, int | float):
        field.fail("invalid")
    elif isinstance(field, BooleanField) and not isinstance(value, bool) and value is not None:
        field.fail("invalid", input=value)


def _valid(given: BaseSerializer[Any]) -> dict[str, Any]:
    given.is_valid(raise_exception=True)
    data: dict[str, Any] = given.validated_data
    return data


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


def several(words: str) -> Iterable[str]:
    """The words of a filter that takes several, separated by commas."""
    return [word.strip() for word in words.split(",") if word.strip()]
