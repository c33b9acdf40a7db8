"""The standings of a series: points for places in several events, added up.

Points go by place: everybody who shares a place gets its points. Of the results the best few may count. Who has as many
points as another stands by the better single results, the best first; one without points is no better than none. Who is
level in all of them shares the rank.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """What places are worth. steps: (up to this place, points), both in order; others: beyond the last step; best:
    so many results of a player count, None: all."""

    steps: tuple[tuple[int, int], ...]
    others: int = 0
    best: int | None = None

    def points(self, place: int) -> int:
        return next((points for last, points in self.steps if place <= last), self.others)


@dataclass(frozen=True, slots=True)
class Result:
    """One event of a player. counts: whether it is among the best."""

    event: int
    place: int
    points: int
    counts: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A player of the series; results in the order of the events."""

    rank: int
    player: int
    points: int
    results: tuple[Result, ...]


def season(events: Sequence[tuple[int, Mapping[int, int]]], scale: Scale) -> list[Line]:
    """The table, best first. events: each with the place of every player who took part, from 1; who shares a rank is
    in the order of first playing."""
    played: dict[int, list[tuple[int, int, int]]] = {}
    for event, places in events:
        for player, place in places.items():
            played.setdefault(player, []).append((event, place, scale.points(place)))
    lines = []
    for player, results in played.items():
        order = sorted(range(len(results)), key=lambda at: -results[at][2])
        counted = set(order[: scale.best])
        level = tuple(results[at][2] for at in order if at in counted and results[at][2])
        told = tuple(Result(*one, at in counted) for at, one in enumerate(results))
        lines.append((sum(level), level, player, told))
    lines.sort(key=lambda line: line[:2], reverse=True)
    ranks: dict[tuple[int, ...], int] = {}
    return [
        Line(ranks.setdefault(level, number), player, points, results)
        for number, (points, level, player, results) in enumerate(lines, start=1)
    ]
