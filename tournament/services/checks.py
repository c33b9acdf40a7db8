"""Checks of single fields, with the place and the remedy said."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from zoneinfo import available_timezones

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


# Characters that are letters or marks by their kind and are shown as nothing.
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\U000e0100-\U000e01ef]")
_STYLES = re.compile("[\ufe00-\ufe0f]")  # whether a heart is red: phones put them behind such signs
MOST_MARKS = 4  # on one letter; no language needs more
ALIKE = {"LATIN", "CYRILLIC", "GREEK"}  # alphabets that share shapes


def name(value: str, place: str, *, most: int) -> str:
    """A name of a person as others read it: `text` in one spelling (NFKC), of which every character can be seen.

    Refuses what only serves to look like somebody else's: letters of two alphabets in one word, piled-up marks.
    """
    cleaned = text(unicodedata.normalize("NFKC", _STYLES.sub("", value)), place, most=most)
    if _UNSEEN.search(cleaned):
        raise UserError("invalid", _("This name has characters that can’t be seen."), place=place)
    if any(len(ALIKE & set(map(_alphabet, word))) > 1 for word in re.findall(r"\w+", cleaned)):
        raise UserError(
            "invalid", _("This name mixes letters of two alphabets that look alike in one word."), place=place
        )
    if re.search(
        f"m{{{MOST_MARKS + 1}}}", "".join("m" if unicodedata.combining(one) else "-" for one in cleaned)
    ):
        raise UserError("invalid", _("This name has too many marks on one letter."), place=place)
    return cleaned


def _alphabet(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


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


@cache
def time_zones() -> frozenset[str]:
    """The names of the time zones; finding them means looking through hundreds of files."""
    return frozenset({"UTC", *available_timezones()})


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
