"""Standings: every player's rank, with exact numbers and every tie-breaker.

Ranking is by the policy's tie-breakers in order, compared as fractions, never as floats.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from tournament.swiss.records import Played, Record, Scoring, Table
from tournament.swiss.tiebreaks import TieBreak


@dataclass(frozen=True, slots=True)
class Row:
    """A player's place. Equal values share a rank. `values` follow the tie-breakers' order."""

    rank: int
    player: int
    points: int
    values: tuple[Fraction, ...]
    record: Record


def standings(
    players: Sequence[int],
    played: Sequence[Played],
    scoring: Scoring,
    tie_breaks: Sequence[TieBreak],
    *,
    draw_seed: int = 0,
    lots: Mapping[int, int] | None = None,
    above: Collection[int] = (),
) -> list[Row]:
    """Rank `players` by `tie_breaks` in order; those equal in all of them share a rank, in order of lot.

    Dropped players belong into `players`: they keep their row and count for their opponents. lots: as in `Table`.
    above: who ranks before all others, whatever their numbers.
    """
    table = Table(players, played, scoring, draw_seed, lots)
    columns: list[Mapping[int, Fraction]] = []
    for tie_break in tie_breaks:
        columns.append(
            tie_break.among(table, _tied(table, columns, above))
            if tie_break.relative
            else tie_break.values(table)
        )
    wholes = [_wholes(column) for column in columns]
    lot = table.lots.get
    keyed = sorted(
        ((id not in above, *(-whole[id] for whole in wholes)), lot(id, id), id) for id in table.records
    )
    rows: list[Row] = []
    previous = None
    for index, (key, _lot, id) in enumerate(keyed, start=1):
        rank = rows[-1].rank if rows and key == previous else index
        previous = key
        record = table.records[id]
        rows.append(Row(rank, id, record.points, tuple(column[id] for column in columns), record))
    return rows


def _wholes(column: Mapping[int, Fraction]) -> dict[int, int]:
    """The same order in whole numbers, over one common denominator: compared many times, they are still exact."""
    common = lcm(*(value.denominator for value in column.values()))
    return {id: value.numerator * (common // value.denominator) for id, value in column.items()}


def _tied(table: Table, columns: Sequence[Mapping[int, Fraction]], above: Collection[int]) -> list[list[int]]:
    """All players, in groups that are equal in every column so far."""
    groups: dict[tuple[bool, tuple[Fraction, ...]], list[int]] = {}
    for id in table.records:
        groups.setdefault((id in above, tuple(column[id] for column in columns)), []).append(id)
    return list(groups.values())
