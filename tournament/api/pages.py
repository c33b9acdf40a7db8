"""Lists come in pages; what is asked for is bounded."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from rest_framework.exceptions import NotAuthenticated
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, Serializer
from rest_framework.views import APIView

from tournament.models import User


class Pages(LimitOffsetPagination):
    default_limit = 50
    max_limit = 200


class EventView(APIView):
    """What an event shows is public; changing it takes a login, and the services check the rest."""

    permission_classes = [IsAuthenticatedOrReadOnly]

    def asker(self, request: Request) -> User:
        """Who is logged in; only for requests that `permission_classes` lets through with a login."""
        if not isinstance(request.user, User):
            raise NotAuthenticated
        return request.user

    def read(self, shape: type[Serializer[Any]], request: Request) -> dict[str, Any]:
        """The request's body in the given shape; ValidationError otherwise."""
        body = shape(data=request.data)
        body.is_valid(raise_exception=True)
        data: dict[str, Any] = body.validated_data
        return data


class ListView(EventView):
    pagination_class = Pages

    def page(
        self,
        rows: "QuerySet[Any] | Sequence[Any]",
        shape: type[BaseSerializer[Any]],
        request: Request,
        **context: Any,
    ) -> Response:
        pages = self.pagination_class()
        chosen = pages.paginate_queryset(rows, request, view=self)
        return pages.get_paginated_response(shape(chosen, many=True, context=context).data)
