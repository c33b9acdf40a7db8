"""A Swiss event over two days: a cut decides who plays the second; the others keep their place.

Whoever plays the second day ranks above whoever doesn't. Points and everything else of the first day count on, or the
second day begins afresh: then its players are ranked by its rounds alone, the others by the first day's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tournament.swiss.records import Played, Scoring
from tournament.swiss.standings import Row, standings
from tournament.swiss.tiebreaks import TieBreak


@dataclass(frozen=True, slots=True)
class SecondDay:
    """after: rounds of the first day; players: who plays on; afresh: they begin without points."""

    after: int
    players: frozenset[int]
    afresh: bool = False

    def counting(
        self, player: int, players: Sequence[int], played: Sequence[Played]
    ) -> tuple[list[int], list[Played]]:
        """(players, matches) of the table by which this player is ranked."""
        if not self.afresh:
            return list(players), list(played)
        if player in self.players:
            return (
                [one for one in players if one in self.players],
                [match for match in played if match.round > self.after],
            )
        return list(players), [match for match in played if match.round <= self.after]


def standings_over_days(
    players: Sequence[int],
    played: Sequence[Played],
    scoring: Scoring,
    tie_breaks: Sequence[TieBreak],
    day: SecondDay | None,
    *,
    draw_seed: int = 0,
    lots: Mapping[int, int] | None = None,
) -> list[Row]:
    """As `standings`, those who play the second day first. Nobody is tied with somebody of the other group."""
    if day is None:
        return standings(players, played, scoring, tie_breaks, draw_seed=draw_seed, lots=lots)
    first = day.players
    everybody, matches = day.counting(-1, players, played)
    rows = standings(everybody, matches, scoring, tie_breaks, draw_seed=draw_seed, lots=lots, above=first)
    if not day.afresh:
        return rows
    own, later = day.counting(next(iter(first)), players, played) if first else ([], [])
    ahead = standings(own, later, scoring, tie_breaks, draw_seed=draw_seed, lots=lots)
    return ahead + [row for row in rows if row.player not in first]
