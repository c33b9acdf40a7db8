"""Limits guesses of a code that belongs to someone else."""

from django.core.cache import cache
from django.utils.translation import gettext as _

from config.errors import UserError
from tournament.models import User

MOST = 20
SECONDS = 600


def count_attempt(kind: str, by: User) -> None:
    """Count one guess. Raises UserError `too-many-attempts` (429) beyond `MOST` in `SECONDS`.

    Kept in the cache: a cache that is emptied gives new guesses, which 40 bits can bear.
    """
    key = f"attempts:{kind}:{by.pk}"
    cache.add(key, 0, SECONDS)
    try:
        count = cache.incr(key)
    except ValueError:  # it ran out between the two
        return
    if count > MOST:
        raise UserError(
            "too-many-attempts",
            _("Too many codes have been tried."),
            remedy=_("Wait ten minutes, or ask event staff."),
            status=429,
        )
