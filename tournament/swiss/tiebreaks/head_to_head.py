"""Head-to-head: the matches among the tied players."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tournament.swiss.i18n import gettext_noop
from tournament.swiss.records import Table
from tournament.swiss.results import Outcome
from tournament.swiss.tiebreaks.base import ZERO, Breakdown, Made, Part, TieBreak, Values


@dataclass(frozen=True)
class HeadToHead(TieBreak):
    """Defined for any number of tied players, so that a circle of wins decides nothing.

    The rule is FIDE's direct encounter: a missing match never decides by being missing. A pair that met
    several times counts the mean of its meetings, so that nobody gains by having met more often.
    """

    key = "head-to-head"
    name = gettext_noop("Head-to-head")
    short = "H2H"
    formula = gettext_noop(
        "How many of the players tied with you rank below you by the matches among you alone. If all have "
        "met, more points from those matches rank higher. If some haven’t met, a player ranks first only "
        "if no result of the missing matches could let another catch up. Players still tied, or left over, "
        "are compared again in the same way. Players who can’t be separated, as in a circle of wins, stay "
        "tied."
    )
    relative = True

    def values(self, table: Table) -> Values:
        return self.among(table, [tuple(table.records)])

    def among(self, table: Table, tied: Iterable[Sequence[int]]) -> Values:
        behind: Values = {}
        for group in tied:
            left = len(group)
            for equal in _head_to_head(table, group):
                left -= len(equal)
                behind.update(dict.fromkeys(equal, Fraction(left)))
        return behind

    def parts(self, table: Table, id: int, tied: Sequence[int] = ()) -> Breakdown:
        others = set(tied) - {id}
        return Breakdown(
            Made.COMPARED,
            tuple(
                Part(one.round, one.opponent, Fraction(one.points))
                for one in table.records[id].lines
                if one.opponent in others
            ),
        )


def _head_to_head(table: Table, group: Sequence[int]) -> list[list[int]]:
    """The tied players in order, those who stay equal together. Every split is compared anew."""
    if len(group) == 1:
        return [list(group)]
    scored = _scored_among(table, group)
    if all(len(met) == len(group) - 1 for met in scored.values()):
        classes: dict[Fraction, list[int]] = defaultdict(list)
        for id, met in scored.items():
            classes[sum(met.values(), ZERO)].append(id)
        if len(classes) == 1:
            return [list(group)]
        return [
            equal for total in sorted(classes, reverse=True) for equal in _head_to_head(table, classes[total])
        ]
    first = next((id for id in group if _out_of_reach(table, id, scored)), None)
    if first is None:
        return [list(group)]
    return [[first], *_head_to_head(table, [id for id in group if id != first])]


def _scored_among(table: Table, group: Sequence[int]) -> dict[int, dict[int, Fraction]]:
    """For each player of the group: the mean points against each other one met."""
    members = frozenset(group)
    scored: dict[int, dict[int, Fraction]] = {}
    for id in group:
        met: dict[int, list[int]] = defaultdict(list)
        for line in table.records[id].lines:
            if line.opponent in members:
                met[line.opponent].append(line.points)
        scored[id] = {other: Fraction(sum(points), len(points)) for other, points in met.items()}
    return scored


def _out_of_reach(table: Table, id: int, scored: dict[int, dict[int, Fraction]]) -> bool:
    """Whether the player is alone in front whatever the missing matches would have brought."""
    points = table.scoring.by_result
    results = [outcome for outcome in Outcome if outcome in points and outcome.mirrored in points]
    most = max(points[one] for one in results)
    least = min(points[one] for one in results)
    swing = max(points[one.mirrored] - points[one] for one in results)
    others = len(scored) - 1
    own = sum(scored[id].values(), ZERO)
    for other, met in scored.items():
        if other == id:
            continue
        lead = own - sum(met.values(), ZERO)
        apart = other not in scored[id]  # the two have not met: one result for both
        missing_own = others - len(scored[id]) - apart
        missing_other = others - len(met) - apart
        if lead + missing_own * least - missing_other * most - apart * swing <= 0:
            return False
    return True
