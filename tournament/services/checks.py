"""Checks of single fields, with the place and the remedy said."""

from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.utils.translation import gettext as _

from config.errors import UserError, nearest

RESERVED = {"new", "read"}  # pages of their own


def text(value: str, place: str, *, most: int) -> str:
    """The text without surrounding and repeated blanks: neither empty nor longer than `most` characters."""
    cleaned = " ".join(value.split())
    if "\x00" in cleaned or not cleaned.isprintable():
        raise UserError("invalid", _("This text has unprintable characters."), place=place)
    if not cleaned:
        raise UserError("missing", _("This can’t be empty."), place=place)
    if len(cleaned) > most:
        raise UserError(
            "too-long", _("This is longer than %(most)s characters.") % {"most": most}, place=place
        )
    return cleaned


def slug_of(value: str) -> str:
    try:
        validate_slug(value)
    except ValidationError as error:
        raise UserError(
            "invalid",
            _("An address can only have the letters a to z, digits, - and _."),
            place="slug",
            remedy=_("For example: kingsport-2026."),
        ) from error
    if value in RESERVED:
        raise UserError(
            "invalid", _("“%(slug)s” can’t be used as an event’s address.") % {"slug": value}, place="slug"
        )
    if len(value) > 50:
        raise UserError(
            "too-long", _("This is longer than %(most)s characters.") % {"most": 50}, place="slug"
        )
    return value


def one_of(value: str, place: str, known: Iterable[str]) -> str:
    """The value, when it is a known one; else UserError with the nearest."""
    names = sorted(map(str, known))
    if value in names:
        return value
    raise UserError(
        "unknown",
        _("“%(value)s” isn’t known here.") % {"value": value},
        place=place,
        remedy=nearest(value, names),
    )
