"""Strict reading of API parameters: a field the document doesn't name is refused, not ignored.

A filter spelt wrong that shows everything, a field spelt wrong that changes nothing: nobody would notice either.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.serializers import (
    BaseSerializer,
    BooleanField,
    CharField,
    Field,
    ListField,
    ListSerializer,
    Serializer,
)

from config.errors import nearest

MOST_UNKNOWN = 20  # fields that are told at once; each is compared with all that there are
MOST_NAME = 200  # characters of one


def body_of(shape: type[BaseSerializer[Any]], request: Request) -> dict[str, Any]:
    """The request's body in the given shape; ValidationError otherwise.

    As the document has it: DRF alone would take the number 7 for the text "7", and 1 for true. A form has texts alone.
    """
    given = shape(data=request.data)
    if isinstance(request.data, QueryDict):
        _no_others(request.data, _names(given))
    else:
        _as_documented(given, request.data)
    return _valid(given)


def nothing_of(request: Request) -> None:
    """For an address that takes no body: ValidationError when one was sent. Nobody would read it."""
    if not request.data:
        return
    _no_others(request.data if isinstance(request.data, Mapping) else ["body"], ())


def query_of(shape: type[Serializer[Any]], asked: QueryDict, *also: str) -> dict[str, Any]:
    """What an address asks for (?state=...), in the given shape, without what is left blank; ValidationError otherwise.

    also: names that somebody else reads (limit, offset).
    """
    given = shape(data=asked)
    _no_others(asked, [*given.fields, *also])
    for name, field in given.fields.items():
        values = asked.getlist(name)
        if len(values) > 1 and not isinstance(field, ListField):
            raise ValidationError({name: [_("This is given more than once.")]})
        if values == [""] and not getattr(field, "allow_blank", False):
            raise ValidationError({name: [_("This is empty. Leave it out or fill it in.")]})
        if values and isinstance(field, BooleanField) and values[0] not in ("true", "false"):
            raise ValidationError({name: [_("This must be true or false.")]})
    return {name: value for name, value in _valid(given).items() if value not in (None, "")}


def _names(field: Any) -> list[str]:
    """What may be sent for a field that has parts."""
    return [name for name, part in getattr(field, "fields", {}).items() if not part.read_only]


def _no_others(given: Iterable[Any], known: Iterable[str]) -> None:
    names = sorted(known)
    unknown = (str(name)[:MOST_NAME] for name in given if name not in names)
    if told := list(islice(unknown, MOST_UNKNOWN)):
        says = _("That field doesn’t exist here.")
        raise ValidationError({name: [f"{says} {nearest(name, names)}".strip()] for name in told})


def _as_documented(field: Field[Any, Any, Any, Any] | None, value: Any) -> None:
    """Known names alone; texts are texts, and yes or no is true or false: in all that the field holds. Raises
    ValidationError."""
    if isinstance(field, BaseSerializer) and isinstance(value, Mapping):
        names = _names(field)
        _no_others(value, names)
        for name in names:
            if name in value:
                _as_documented_at(name, field.fields[name], value[name])  # type: ignore[attr-defined]
    elif isinstance(field, ListField | ListSerializer) and isinstance(value, list):
        for index, one in enumerate(value):
            _as_documented_at(index, field.child, one)
    elif isinstance(field, CharField) and isinstance(value, int | float):
        field.fail("invalid")
    elif isinstance(field, BooleanField) and not isinstance(value, bool) and value is not None:
        field.fail("invalid", input=value)


def _as_documented_at(place: str | int, field: Any, value: Any) -> None:
    try:
        _as_documented(field, value)
    except ValidationError as error:
        raise ValidationError({str(place): error.detail}) from None


def _valid(given: BaseSerializer[Any]) -> dict[str, Any]:
    given.is_valid(raise_exception=True)
    data: dict[str, Any] = given.validated_data
    return data
