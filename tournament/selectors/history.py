"""A player's own history: events with their places, and all opponents."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tournament.models import Event, Match, Registration, User
from tournament.selectors.matches import match_state
from tournament.selectors.overview import event_versions
from tournament.selectors.querysets import MATCHES
from tournament.selectors.series import person_of, places_of
from tournament.selectors.stages import WON
from tournament.swiss import Outcome


@dataclass(frozen=True, slots=True)
class Tally:
    won: int
    drawn: int
    lost: int

    def __str__(self) -> str:
        return f"{self.won}–{self.drawn}–{self.lost}"


@dataclass(frozen=True, slots=True)
class Meeting:
    """A match that has a result, seen from the player's side."""

    match: Match
    event: Event
    opponent: Registration
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Taken:
    """An event the player took part in. place: once it is over; of: how many took part."""

    event: Event
    entry: Registration
    tally: Tally
    place: int | None
    of: int


@dataclass(frozen=True, slots=True)
class Opponent:
    """Somebody met, an account or a guest by name. key: the entry met last, whose match stands first."""

    key: int
    name: str
    tally: Tally
    meetings: tuple[Meeting, ...]


@dataclass(frozen=True, slots=True)
class History:
    """meetings: every match with a result, the latest first."""

    tally: Tally
    meetings: Sequence[Meeting]
    events: Sequence[Taken]
    opponents: Sequence[Opponent]


def history(user: User) -> History:
    """Everything this account played here: published rounds, results that are settled, byes left out."""
    met = _meetings(user)
    taken = []
    entered = user.registrations.exclude(state__in=("withdrawn", "waiting")).select_related("event")
    entries = list(entered.order_by("-event__starts_on", "-event__pk"))
    versions = event_versions(entry.event for entry in entries)
    for entry in entries:
        over = entry.event.state == Event.State.FINISHED
        places = places_of(entry.event, versions[entry.event_id]) if over else {}
        mine = [one for one in met if one.event.pk == entry.event_id]
        taken.append(Taken(entry.event, entry, _tally(mine), places.get(entry.pk), len(places)))
    groups: dict[object, list[Meeting]] = {}
    for one in met:
        groups.setdefault(person_of(one.opponent), []).append(one)
    opponents = [
        Opponent(ones[0].opponent.pk, ones[0].opponent.name, _tally(ones), tuple(ones))
        for ones in groups.values()
    ]
    opponents.sort(key=lambda one: (-len(one.meetings), one.name.casefold()))
    return History(_tally(met), met, taken, opponents)


def _meetings(user: User) -> list[Meeting]:
    matches = MATCHES.filter(round__published_at__isnull=False, seats__registration__user=user)
    found = []
    for match in matches.select_related("round__event").order_by("-round__published_at", "-pk"):
        state = match_state(match)
        if not state.settled or state.outcome is None or len(state.seats) != 2:
            continue
        me, opponent = (seat.registration for seat in state.seats)
        if me.user_id != user.pk:
            me, opponent = opponent, me
        outcome = Outcome(str(state.outcome_for(me)))
        found.append(Meeting(match, match.round.event, opponent, outcome))
    return found


def _tally(met: Sequence[Meeting]) -> Tally:
    kinds = Counter(
        "won" if one.outcome in WON else "drawn" if one.outcome is Outcome.DRAW else "lost" for one in met
    )
    return Tally(kinds["won"], kinds["drawn"], kinds["lost"])
