"""Finds text that can't be stored or sent: half of a surrogate pair, or NUL.

JSON and YAML can spell both ("\\ud800", "\\u0000"), so they are looked for where such a document is read. Django has
replaced them by then in what comes by forms and addresses.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from config.errors import UserError

_BAD = re.compile("[\0\ud800-\udfff]")


class BadText(UserError):
    """`bad-text`: a text that cannot be stored."""

    def __init__(self, place: str = "") -> None:
        super().__init__(
            "bad-text",
            _("This text has a character that can’t be stored: half of a character, or NUL."),
            place=place,
            remedy=_("Remove that character, or type the text again."),
        )


def refuse_bad_text(document: Any, first: int = 0) -> None:
    """Raise BadText with the place of the first such text (`players[0].name`), be it a name or a value.

    document: lists, mappings and scalars. first: the number of a list's first entry.
    """
    if (place := _bad_place(document, first)) is not None:
        raise BadText(place.lstrip("."))


def decoded(data: bytes, name: str) -> str:
    """The text of a UTF-8 file. Raises UserError `bad-encoding`."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(
            "bad-encoding",
            _("%(name)s is not UTF-8 text.") % {"name": name},
            place=f"byte {error.start}",
            remedy=_("Save it as UTF-8."),
        ) from error


def is_bad(text: str) -> bool:
    return _BAD.search(text) is not None


def whole_number(text: str, digits: int = 18) -> int | None:
    """The number that a text of digits alone says; None for any other text, and for one that is longer.

    Python refuses to read 5,000 digits, and takes the square of their number to read fewer.
    """
    return int(text) if text.isdecimal() and len(text) <= digits else None


def numbers_in(texts: Iterable[str]) -> list[int]:
    """Those of the texts that say one."""
    return [number for one in texts if (number := whole_number(one)) is not None]


def _bad_place(value: Any, first: int) -> str | None:
    if isinstance(value, str):
        return "" if is_bad(value) else None
    parts: Any = ()
    if isinstance(value, Mapping):
        for key in value:
            if isinstance(key, str) and is_bad(key):
                return f".{key.encode('unicode_escape').decode()}"
        parts = ((f".{key}", part) for key, part in value.items())
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        parts = ((f"[{number}]", part) for number, part in enumerate(value, first))
    for name, part in parts:
        if (place := _bad_place(part, first)) is not None:
            return name + place
    return None
