"""Players who owe a result: time has been called at their table, or staff has sent a reminder."""

from datetime import datetime

from django.conf import settings

from tournament.models import Event, Match, Round
from tournament.selectors.access import Person
from tournament.selectors.clock import Clock, clock_of, extension_of, extensions, shown_clock
from tournament.selectors.matches import current_match, match_state
from tournament.selectors.rounds import current_round
from tournament.selectors.tables import TableRow, round_tables
from tournament.swiss import State


def owed_report(user: Person, event: Event, now: datetime) -> Match | None:
    """The asker's match, when its result is due and the asker has not reported. Two queries where nothing is due."""
    if user is None or not user.is_authenticated or event.state != Event.State.RUNNING:
        return None
    round = current_round(event)
    if round is None or round.finished_at is not None:
        return None
    clock = clock_of(round)
    if round.nudged_at is None and not clock.called(now):
        return None
    match = current_match(user, event)
    if match is None or match.table is None or not is_due(match, clock, now, extension_of(match)):
        return None
    state = match_state(match)
    mine = next(seat for seat in state.seats if seat.registration.user_id == user.pk)
    unsaid = state.latest(mine.side) is None or state.state == State.CONFLICT
    return match if unsaid and not state.settled else None


def is_due(match: Match, clock: Clock, now: datetime, extension: int) -> bool:
    """Whether the match should have a result: its own time is over, or the staff has asked."""
    return match.round.nudged_at is not None or clock.called(now, extension)


def unreported(round: Round, now: datetime) -> list[TableRow]:
    """The tables whose time is over and about which nobody has said anything."""
    clock = clock_of(round)
    if not clock.began:
        return []
    more = extensions(round)
    return [
        table
        for table in round_tables(round)
        if table.state == State.WAITING and clock.called(now, more.get(table.pk, 0))
    ]


def quiet_seconds(round: Round | None, now: datetime) -> float:
    """For how long `clock_phase` stays as it is, at most settings.LIVE_QUIET_SECONDS."""
    clock = shown_clock(round)
    most: float = settings.LIVE_QUIET_SECONDS
    if clock is None or not clock.running:
        return most
    left = clock.left(now).total_seconds()
    return min(most, left if left > 0 else 60 - (-left) % 60)


def clock_phase(round: Round | None, now: datetime) -> int | None:
    """What of the clock changes a page by itself: minutes since time was called, up to an hour. The rest ticks in
    the page."""
    clock = shown_clock(round)
    if clock is None:
        return None
    return min(60, int(-clock.left(now).total_seconds() // 60)) if clock.called(now) else -1
