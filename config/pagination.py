"""How the API pages its lists."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.request import Request

from config.text import whole_number


class Pages(LimitOffsetPagination):
    """?limit= and ?offset=; nobody can ask for everything at once, and what is no number is told."""

    default_limit = 50
    max_limit = 200
    names = ("limit", "offset")

    def get_limit(self, request: Request) -> int | None:
        return min(_number(request, "limit", 1) or self.default_limit, self.max_limit)

    def get_offset(self, request: Request) -> int:
        return _number(request, "offset", 0)

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        said: list[dict[str, Any]] = super().get_schema_operation_parameters(view)
        for one, least in zip(said, (1, 0), strict=True):
            one["schema"] |= {"minimum": least, "maximum": MOST}
        said[0]["description"] = (
            f"How many to return: {self.default_limit} by default, at most {self.max_limit}."
        )
        said[1]["description"] = "How many to skip at the beginning."
        return said

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        page = {"type": ["string", "null"], "format": "uri", "description": "The URL of that page."}
        return {
            "type": "object",
            "required": ["count", "next", "previous", "results"],
            "properties": {
                "count": {"type": "integer", "description": "The total over all pages."},
                "next": page,
                "previous": dict(page),
                "results": schema,
            },
        }


MOST = 2_147_483_647  # rows; far more than any list has, and what every database counts with


def _number(request: Request, name: str, least: int) -> int:
    """The number given in the address; 0 where there is none. Raises ValidationError."""
    given = request.query_params.get(name)
    if given is None:
        return 0
    number = whole_number(given, 12) if given.isascii() else None
    if number is None or not least <= number <= MOST:
        raise ValidationError({name: [_("Enter a whole number of at least %(least)s.") % {"least": least}]})
    return number
