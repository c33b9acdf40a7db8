"""Reads a submitted decklist within the limits of this installation."""

from django.conf import settings

from config.errors import UserError
from config.text import refuse_bad_text
from decks.lists import DeckList, Limits, ListError, read


def list_read(*, source: str | bytes, filename: str = "") -> DeckList:
    """The list, with the reader's refusals as UserError (413 when it is too large, else 400)."""
    try:
        found = read(source, filename=filename, limits=limits())
        refuse_bad_text({"name": found.name, "choices": found.choices, "entries": found.entries})
        return found
    except ListError as error:
        raise UserError(
            error.code,
            error.message,
            place=f"line {error.line}" if error.line else "",
            remedy=error.remedy,
            status=413 if error.code in ("too-large", "too-many-lines") else 400,
        ) from error


def limits() -> Limits:
    return Limits(size=settings.UPLOAD_MAX_BYTES)
