"""Flights: events with rounds and standings of their own whose cuts merge into the bracket of one final."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tournament.models import Event
from tournament.selectors.stages import CutPreview, cut_preview
from tournament.selectors.standings import Standing


@dataclass(frozen=True, slots=True)
class FlightCut:
    """A flight, its cut by its own rule, and whether its rounds are over."""

    event: Event
    cut: CutPreview
    over: bool


@dataclass(frozen=True, slots=True)
class Merged:
    """Who plays in the final, in order of seed, each with the flight they come from."""

    seed: int
    flight: Event
    standing: Standing


def flights_of(final: Event) -> list[FlightCut]:
    """Every flight of the final with its cut as it stands."""
    return [
        FlightCut(flight, cut_preview(flight), flight.state == Event.State.FINISHED)
        for flight in final.flights.order_by("pk")
    ]


def merged(flights: Sequence[FlightCut]) -> list[Merged]:
    """All who made the cut of their flight, by points, then by the tie-breakers that can be compared across flights.

    The lot of one flight says nothing about another's, nor do matches among tied players: these are left out, and who
    is still level stands by rank in the own flight. Who made the cut twice has the better of the two places.
    """
    rows = [
        (flight.event, index, row.standing)
        for flight in flights
        for index, row in enumerate(one for one in flight.cut.rows if one.code == "in")
    ]
    rows.sort(key=lambda row: (_comparable(row[2]), row[1], row[0].pk))
    found: list[Merged] = []
    seen: set[int] = set()
    for flight, _index, standing in rows:
        user = standing.registration.user_id
        if user is not None and user in seen:
            continue
        if user is not None:
            seen.add(user)
        found.append(Merged(len(found) + 1, flight, standing))
    return found


def _comparable(row: Standing) -> tuple[Fraction, ...]:
    return tuple(
        -value.exact for value in row.values if not value.tie_break.relative and not value.tie_break.random
    )
