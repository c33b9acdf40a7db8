"""Database errors that pass: concurrent writes, a lost connection, a full disk.

None of these is the asker's fault or a bug. Whatever was under way has been rolled back; to try again helps. A number
that no column holds is somebody's mistake, as a text that cannot be encoded is: only what was sent has such numbers.
"""

import errno

from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError
from django.utils.translation import gettext as _

from config.errors import Conflict, UserError

_TURNS = {"40001", "40P01", "55P03"}  # could not serialize, deadlock, lock not available
_FULL = {"53100"}
_OUT_OF_RANGE = {"22003"}
_SQLITE_BUSY, _SQLITE_LOCKED, _SQLITE_IO, _SQLITE_FULL = 5, 6, 10, 13


HOW_TO_PREPARE = (
    "Run “prepare”: it prepares the database."
    if settings.PRODUCTION
    else "Start the service with “up”: it prepares the database."
)


class Unavailable(UserError):
    """The service cannot do this now; it is not the asker's doing."""

    status = 503


def mishap(error: Exception) -> UserError | None:
    """The error in words a person can act on, when it is one of these; None for every other.

    `changed-meanwhile` (409): somebody else's change came between. `storage-full`, `database-away` (503).
    `too-large-number` (400).
    """
    if isinstance(error, OverflowError) and "SQLite" in str(
        error
    ):  # the driver's own, before it asks the database
        return _too_large()
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):  # the cache's folder, say
        return _storage_full()
    if not isinstance(error, DatabaseError | InterfaceError):
        return None
    cause = error.__cause__
    state = getattr(cause, "sqlstate", None)
    code = (
        getattr(cause, "sqlite_errorcode", -1) & 0xFF
    )  # the extended code's upper part tells which kind of it
    if state in _TURNS or code in (_SQLITE_BUSY, _SQLITE_LOCKED):
        return Conflict(
            "changed-meanwhile",
            _("Someone else just changed this."),
            remedy=_("Your change wasn’t saved. Try again."),
        )
    if state in _OUT_OF_RANGE:
        return _too_large()
    if state in _FULL or code in (_SQLITE_FULL, _SQLITE_IO):
        return _storage_full()
    if _connection_lost(error, state):
        return Unavailable(
            "database-away",
            _("The service can’t reach its database right now."),
            remedy=_("Your change wasn’t saved. Try again in a few seconds."),
        )
    return None


def unprepared(error: DatabaseError) -> bool:
    """Whether the database lacks a table or a column of ours: it was never prepared, or by another version."""
    cause = error.__cause__
    if getattr(cause, "sqlstate", None) in ("42P01", "42703"):
        return True
    return str(cause).startswith(("no such table", "no such column"))


def _storage_full() -> Unavailable:
    return Unavailable(
        "storage-full",
        _("The service’s disk is full or failing, so nothing can be saved."),
        remedy=_("Tell the organizer. Everything saved before is still there."),
    )


def _too_large() -> UserError:
    return UserError("too-large-number", _("A number here is too large."), remedy=_("Check what you sent."))


def _connection_lost(error: Exception, state: str | None) -> bool:
    """Closed by the server (class 57P), never made (08), or broken on the way, which has no code at all."""
    if state is not None:
        return state.startswith(("08", "57P"))
    return isinstance(error, OperationalError | InterfaceError) and not hasattr(
        error.__cause__, "sqlite_errorcode"
    )
