"""The players of an event as organizers see them: place, record, decklist, penalties, current table."""

from collections import Counter
from dataclasses import dataclass

from tournament.models import Event, Penalty, Registration
from tournament.selectors.decklists import list_standing_of
from tournament.selectors.penalties import standing_penalties
from tournament.selectors.rounds import current_round
from tournament.selectors.standings import standings_at
from tournament.selectors.tables import round_tables

State = Registration.State


@dataclass(frozen=True, slots=True)
class DeskPlayer:
    """A player as a row. rank, points, record, tie-break: empty before round 1; table: of the round under way.

    standing: of the decklist (legal, illegal, unverified, override, no-deck); problems: how many it has; penalties:
    titles of levels, each with how often.
    """

    pk: int
    name: str
    club: str
    state: str
    number: int
    standing: str
    problems: int
    penalties: tuple[tuple[str, int], ...]
    rank: int | None
    points: int
    record: str
    tie: str
    table: int | None


def desk_players(event: Event, version: object) -> list[DeskPlayer]:
    """Everybody who is registered, by rank, then by name; in a constant number of queries."""
    rows = event.registrations.values_list(
        "pk", "name", "club", "state", "number", "deck_override", "report__verdict", "report__findings"
    )
    given: dict[int, Counter[str]] = {}
    penalties = standing_penalties(Penalty.objects.filter(registration__event=event)).exclude(level="none")
    for player, title in penalties.values_list("registration", "level_title"):
        given.setdefault(player, Counter())[title] += 1
    round = current_round(event)
    under_way = round is not None and round.finished_at is None
    tables = {
        seat.pk: table.table
        for table in (round_tables(round) if round and under_way else ())
        for seat in table.seats
    }
    placed = {row.registration.pk: row for row in standings_at(event, version)} if round is not None else {}
    found = []
    for pk, name, club, state, number, override, verdict, findings in rows:
        place = placed.get(pk)
        found.append(
            DeskPlayer(
                pk=pk,
                name=name,
                club=club,
                state=state,
                number=number,
                standing=list_standing_of(override, verdict),
                problems=len(findings or ()),
                penalties=tuple(given.get(pk, Counter()).most_common()),
                rank=place.rank if place else None,
                points=place.points if place else 0,
                record=f"{place.won}–{place.drawn}–{place.lost}" if place else "",
                tie=place.values[1].text if place and len(place.values) > 1 else "",
                table=tables.get(pk),
            )
        )
    found.sort(key=lambda one: (one.state == State.WITHDRAWN, one.rank or 10**6, one.name.casefold()))
    return found
