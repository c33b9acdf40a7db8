"""The round's clock and tables' time extensions. Rows are only added; the time left is computed."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, UserError
from tournament.models import ClockEntry, Extension, Match, Round, User
from tournament.selectors import HEAD_JUDGE, JUDGES, ORGANIZERS, clock_from, must_sit_apart, require
from tournament.services.checks import one_of, text

MOST_MINUTES = 600
CLOCK_KEEPERS = ORGANIZERS | {HEAD_JUDGE}
Kind = ClockEntry.Kind


def clock_start(*, round: Round, by: User, now: datetime) -> ClockEntry:
    """Start the round's clock, or let it go on. Raises Forbidden; Conflict `clock-running`, `not-published`,
    `round-over`, `clock-changed`."""
    return _turn(round, Kind.START, by, now, running=False)


def clock_pause(*, round: Round, by: User, now: datetime) -> ClockEntry:
    """Stop the clock for everybody. Raises Forbidden; Conflict `clock-stopped` and as `clock_start`."""
    return _turn(round, Kind.PAUSE, by, now, running=True)


def clock_add(*, round: Round, minutes: int, reason: str, by: User, now: datetime) -> ClockEntry:
    """Give everybody more minutes (less, when negative). Raises UserError, Forbidden, Conflict."""
    require(by, round.event, CLOCK_KEEPERS)
    _must_be_minutes(minutes)
    reason = text(reason, "reason", most=300)
    with _one_at_a_time(), transaction.atomic():
        must_be_played(round)
        entry = _entry(round, Kind.ADD, by, now, minutes=minutes, reason=reason)
        data = {"number": round.number, "minutes": minutes}
        audit("clock_add", actor=by, target=round, event=round.event, reason=reason, data=data)
    return entry


def time_extend(
    *, match: Match, minutes: int, cause: str = "other", reason: str = "", by: User, now: datetime
) -> Extension:
    """Give one table minutes back; a negative number takes back what was given by mistake.

    cause: deck-check, judge-call, or other, which takes a reason. Raises Forbidden (`own-match`); UserError;
    Conflict `bye`, `not-published`, `round-over`.
    """
    event = match.round.event
    require(by, event, JUDGES)
    must_sit_apart(by, match, JUDGES)
    _must_be_minutes(minutes)
    one_of(cause, "cause", Extension.Cause.values)
    if cause == Extension.Cause.OTHER or reason.strip():
        reason = text(reason, "reason", most=300)
    if match.table is None:
        raise Conflict("bye", _("This is a bye, so there is no match."))
    try:
        with transaction.atomic():
            must_be_played(match.round)
            given = Extension.objects.create(
                match=match, minutes=minutes, cause=cause, reason=reason, by=by, at=now
            )
            data = {"number": match.round.number, "table": match.table, "minutes": minutes, "cause": cause}
            audit("time_extend", actor=by, target=match, event=event, reason=reason, data=data)
    except IntegrityError as error:  # the publication was taken back, and the match is gone
        raise Conflict("not-published", _("This round has been unpublished.")) from error
    return given


def clock_begin(round: Round, by: User, now: datetime) -> None:
    """Start the clock of a round as it is published, in the publication's transaction."""
    _entry(round, Kind.START, by, now)


def clock_clear(round: Round, by: User, now: datetime) -> None:
    """Back to the full time, in the transaction that takes a publication back."""
    if round.clock_entries.exists():
        _entry(round, Kind.RESET, by, now)


def _turn(round: Round, kind: ClockEntry.Kind, by: User, now: datetime, *, running: bool) -> ClockEntry:
    require(by, round.event, CLOCK_KEEPERS)
    with _one_at_a_time(), transaction.atomic():
        must_be_played(round)
        entries = list(
            round.clock_entries.all()
        )  # read once: what it shows and the next number belong together
        if clock_from(0, entries).running != running:
            raise (
                Conflict("clock-stopped", _("The clock isn’t running."))
                if running
                else Conflict("clock-running", _("The clock is already running."))
            )
        entry = _entry(round, kind, by, now, before=len(entries))
        audit(f"clock_{kind.value}", actor=by, target=round, event=round.event, data={"number": round.number})
    return entry


def _entry(
    round: Round,
    kind: ClockEntry.Kind,
    by: User,
    now: datetime,
    *,
    minutes: int = 0,
    reason: str = "",
    before: int | None = None,
) -> ClockEntry:
    """The next entry; `before`: how many there were when it was decided on."""
    entry: ClockEntry = ClockEntry.objects.create(
        round=round,
        number=1 + (round.clock_entries.count() if before is None else before),
        kind=kind,
        minutes=minutes,
        reason=reason,
        by=by,
        at=now,
    )
    return entry


class _one_at_a_time:
    """Two entries at once cannot both be next: who comes second hears it."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, IntegrityError):
            raise Conflict(
                "clock-changed",
                _("Someone else just used the clock."),
                remedy=_("Check the clock again."),
            ) from error


def must_be_played(round: Round) -> None:
    """The round is published and not over, and stays so until the transaction ends."""
    now = Round.objects.select_for_update(no_key=True).filter(pk=round.pk).first()
    if now is None or now.published_at is None:
        raise Conflict("not-published", _("Round %(number)s isn’t published.") % {"number": round.number})
    if now.finished_at is not None:
        raise Conflict("round-over", _("Round %(number)s has already ended.") % {"number": round.number})


def _must_be_minutes(minutes: int) -> None:
    if minutes == 0 or abs(minutes) > MOST_MINUTES:
        raise UserError(
            "invalid", _("Enter 1 to %(most)s minutes.") % {"most": MOST_MINUTES}, place="minutes"
        )
