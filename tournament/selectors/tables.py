"""A round's tables as plain values: what a page of hundreds of rows needs, without model objects."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import F

from tournament.models import Report, Round, Seat
from tournament.swiss import Outcome, Result, Said, State, result_of


@dataclass(frozen=True, slots=True)
class Sitting:
    """A player at a table: the registration's pk, name and state, and whose account it is (None: a guest)."""

    pk: int
    name: str
    state: str
    user: int | None


@dataclass(frozen=True, slots=True)
class TableRow:
    """A match by its pk, with who sits there in the order of sides (a bye has one) and what is known of its result.

    table: None for a bye; reported: whether anybody has said anything.
    """

    pk: int
    round: int
    table: int | None
    seats: tuple[Sitting, ...]
    result: Result
    reported: bool

    @property
    def state(self) -> State:
        return self.result.state

    @property
    def settled(self) -> bool:
        return self.result.settled

    def outcome_for(self, player: int) -> str | None:
        """The settled result seen from this player's side; "bye" for a bye, None while open."""
        if self.result.state == State.BYE:
            return State.BYE.value
        if self.result.outcome is None:
            return None
        first = self.seats[0].pk == player
        return (self.result.outcome if first else self.result.outcome.mirrored).value


def round_tables(round: Round) -> list[TableRow]:
    """The round's matches by table, byes last, in two queries."""
    return tables_of([round.pk])


def tables_of(rounds: Collection[int]) -> list[TableRow]:
    """The matches of these rounds (their pks), by table, byes last, in two queries."""
    seats = Seat.objects.filter(round__in=rounds).order_by(
        F("match__table").asc(nulls_last=True), "match_id", "side"
    )
    matches: dict[int, tuple[int, int | None]] = {}
    seated: dict[int, list[Sitting]] = {}
    for match, round, table, pk, name, state, user in seats.values_list(
        "match_id",
        "round_id",
        "match__table",
        "registration_id",
        "registration__name",
        "registration__state",
        "registration__user_id",
    ):
        matches[match] = round, table
        seated.setdefault(match, []).append(Sitting(pk, name, state, user))
    reports = Report.objects.filter(match__round__in=rounds).order_by("match_id", "number")
    said = reports_said(reports.values_list("match_id", "seat__side", "outcome", "games"))
    return [
        TableRow(
            match,
            round,
            table,
            tuple(seated[match]),
            result_of(said.get(match, ()), seats=len(seated[match])),
            match in said,
        )
        for match, (round, table) in matches.items()
    ]


def reports_said(
    rows: Iterable[tuple[int, int | None, str, list[int] | None]],
) -> dict[int, list[Said]]:
    """Match -> its reports, oldest first, from (match, side, outcome, games)."""
    said: dict[int, list[Said]] = {}
    for match, side, outcome, games in rows:
        counted = (games[0], games[1], games[2]) if games else None
        said.setdefault(match, []).append(Said(side, Outcome(outcome), counted))
    return said
