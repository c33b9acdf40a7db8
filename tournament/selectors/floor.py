"""The floor as a judge walks it: every table of the current round, and what it needs."""

from collections import Counter
from dataclasses import dataclass

from tournament.models import Event, JudgeCall, Round
from tournament.selectors.clock import extensions
from tournament.selectors.tables import TableRow, round_tables
from tournament.swiss import State

SHOWS = ("all", "look", "open", "reported", "settled", "extended")


@dataclass(frozen=True, slots=True)
class FloorTable:
    """A table, the judge call there that is not over, and its own minutes."""

    row: TableRow
    call: JudgeCall | None
    minutes: int

    @property
    def kinds(self) -> set[str]:
        """Under which of `SHOWS` the table is found."""
        wants = self.call is not None or self.row.state == State.CONFLICT
        return {
            "all",
            "settled" if self.row.settled else "open",
            *(["look"] if wants else []),
            *(["reported"] if self.row.state == State.REPORTED else []),
            *(["extended"] if self.minutes else []),
        }


def floor(event: Event, round: Round) -> list[FloorTable]:
    """Every table of the round, by its number, in four queries."""
    more = extensions(round)
    calls = {call.match_id: call for call in event.judge_calls.filter(match__round=round, closed_at=None)}
    return [
        FloorTable(row, calls.get(row.pk), more.get(row.pk, 0))
        for row in round_tables(round)
        if row.table is not None
    ]


def floor_counts(tables: list[FloorTable]) -> Counter[str]:
    """How many tables each of `SHOWS` has."""
    return Counter(kind for table in tables for kind in table.kinds)
