"""What a round's clock shows, computed from its entries and the server's time: nothing ticks, so nothing drifts."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Sum

from tournament.models import ClockEntry, Extension, Match, Round
from tournament.selectors.standings import policy_of

Kind = ClockEntry.Kind


@dataclass(frozen=True, slots=True)
class Clock:
    """minutes: everybody's time, added ones included; used: before `since`, when the clock last went on
    (None: it stands still); began: it was started at least once."""

    minutes: int
    used: timedelta = timedelta()
    since: datetime | None = None
    began: bool = False

    @property
    def running(self) -> bool:
        return self.since is not None

    def left(self, now: datetime, extension: int = 0) -> timedelta:
        """What is left to play, negative once time is called; `extension` are the table's own minutes."""
        return timedelta(minutes=self.minutes + extension) - self.ran(now)

    def ran(self, now: datetime) -> timedelta:
        """How long the clock has run."""
        return self.used + (_between(self.since, now) if self.since is not None else timedelta())

    def ends_at(self, extension: int = 0) -> datetime | None:
        """When time will be, or was, called at a table; None while the clock stands still."""
        return None if self.since is None else self.since + self.left(self.since, extension)

    def called(self, now: datetime, extension: int = 0) -> bool:
        return self.began and self.left(now, extension) <= timedelta()


def clock_of(round: Round) -> Clock:
    """The round's clock, in one query (none where the entries are prefetched)."""
    return clock_from(
        policy_of(round.event).minutes(bracket=round.stage_id is not None), round.clock_entries.all()
    )


def shown_clock(round: Round | None) -> Clock | None:
    """The clock that pages show: of a published round that is not over; None where there is none to show."""
    if round is None or round.published_at is None or round.finished_at is not None:
        return None
    return clock_of(round)


def clock_from(minutes: int, entries: Iterable[ClockEntry]) -> Clock:
    """The clock after these entries, oldest first."""
    clock = Clock(minutes)
    for entry in entries:
        if entry.kind == Kind.RESET:
            clock = Clock(minutes)
        elif entry.kind == Kind.ADD:
            clock = Clock(clock.minutes + entry.minutes, clock.used, clock.since, clock.began)
        elif entry.kind == Kind.START and clock.since is None:
            clock = Clock(clock.minutes, clock.used, entry.at, True)
        elif entry.kind == Kind.PAUSE and clock.since is not None:
            clock = Clock(clock.minutes, clock.used + _between(clock.since, entry.at), None, True)
    return clock


def _between(since: datetime, now: datetime) -> timedelta:
    """No less than nothing, should the machine's clock have been set back meanwhile."""
    return max(now - since, timedelta())


def extensions(round: Round) -> dict[int, int]:
    """Match -> its own minutes, in one query; tables without any are missing."""
    given = Extension.objects.filter(match__round=round).values_list("match").order_by("match")
    return dict(given.annotate(total=Sum("minutes")))


def extensions_by_table(round: Round) -> dict[str, int]:
    """Table -> its own minutes."""
    given = Extension.objects.filter(match__round=round).values_list("match__table").order_by("match__table")
    return {str(table): total for table, total in given.annotate(total=Sum("minutes"))}


def extension_of(match: Match) -> int:
    return sum(match.extensions.values_list("minutes", flat=True))
