"""Tie-breakers: one small class each, with its key, its name and its formula in words.

`values(table)` gives every player's value as an exact fraction; higher is better. A tie-breaker that only
compares players still tied (`relative`) is asked through `among(table, tied)`.
Options are the class's fields, so that a policy file can set them.
"""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import ClassVar

from tournament.swiss import draw
from tournament.swiss.marking import gettext_noop
from tournament.swiss.records import Line, Record, Table
from tournament.swiss.results import Outcome

Values = dict[int, Fraction]
ZERO = Fraction(0)
THIRD = Fraction(1, 3)


class TieBreak(ABC):
    key: ClassVar[str]
    name: ClassVar[str]
    short: ClassVar[str]
    formula: ClassVar[str]
    percent: ClassVar[bool] = False
    relative: ClassVar[bool] = False

    @abstractmethod
    def values(self, table: Table) -> Values:
        """Every player's value."""

    def among(self, table: Table, tied: Iterable[Sequence[int]]) -> Values:
        """Every player's value, given who is still tied; `tied` splits all players into groups.

        Values are then comparable only within a group. Asked where `relative` is true.
        """
        return self.values(table)


@dataclass(frozen=True)
class MatchPoints(TieBreak):
    key = "points"
    name = gettext_noop("Match points")
    short = gettext_noop("Points")
    formula = gettext_noop("The points of all rounds added up, a bye's points included.")

    def values(self, table: Table) -> Values:
        return {id: Fraction(record.points) for id, record in table.records.items()}


@dataclass(frozen=True)
class StrengthOfSchedule(TieBreak):
    """Mean form: FFG and NSG regulations. Go's SoS is the sum form (`SumOfOpponents`)."""

    key = "sos"
    name = gettext_noop("Strength of schedule")
    short = "SoS"
    formula = gettext_noop(
        "For each opponent, their points divided by the rounds they played, their byes included; "
        "then the mean over your opponents. Your own byes are nobody's strength and are left out."
    )

    def values(self, table: Table) -> Values:
        return _memo(table, self, lambda: _mean_over_opponents(table, _points_per_round(table)))


@dataclass(frozen=True)
class ExtendedStrengthOfSchedule(TieBreak):
    key = "esos"
    name = gettext_noop("Extended strength of schedule")
    short = "ESoS"
    formula = gettext_noop("The mean of your opponents' strength of schedule.")

    def values(self, table: Table) -> Values:
        return _mean_over_opponents(table, StrengthOfSchedule().values(table))


@dataclass(frozen=True)
class SumOfOpponents(TieBreak):
    key = "sos-sum"
    name = gettext_noop("Sum of opponents' points")
    short = "SoS"
    formula = gettext_noop("The points of your opponents added up; a bye adds nothing.")

    def values(self, table: Table) -> Values:
        return _memo(table, self, lambda: _sum_over_opponents(table, MatchPoints().values(table)))


@dataclass(frozen=True)
class SumOfOpponentsSums(TieBreak):
    key = "sosos-sum"
    name = gettext_noop("Sum of opponents' sums")
    short = "SoSoS"
    formula = gettext_noop("Your opponents' sums of opponents' points, added up.")

    def values(self, table: Table) -> Values:
        return _sum_over_opponents(table, SumOfOpponents().values(table))


@dataclass(frozen=True)
class Buchholz(TieBreak):
    """Chess's sum of opponents' points, with the extremes left out in the forms below.

    byes: whether a bye counts as an opponent with one's own points (FIDE's dummy opponent) or as nothing.
    FIDE also adjusts the points of opponents who missed rounds; this does not.
    """

    byes: bool = False

    key = "buchholz"
    name = gettext_noop("Buchholz")
    short = "BH"
    formula = gettext_noop(
        "The points of your opponents added up; a bye adds nothing, or your own points where the policy says so."
    )
    least_cut: ClassVar[int] = 0
    most_cut: ClassVar[int] = 0

    def values(self, table: Table) -> Values:
        return {id: Fraction(sum(self._kept(table, record))) for id, record in table.records.items()}

    def _kept(self, table: Table, record: Record) -> list[int]:
        counted = sorted(
            table.records[line.opponent].points
            if line.opponent is not None
            else (record.points if self.byes else 0)
            for line in record.lines
        )
        return counted[self.least_cut : max(self.least_cut, len(counted) - self.most_cut)]


@dataclass(frozen=True)
class BuchholzCut(Buchholz):
    key = "buchholz-cut"
    name = gettext_noop("Buchholz without the weakest")
    short = "BH-1"
    formula = gettext_noop("As Buchholz, the round that adds least left out.")
    least_cut = 1


@dataclass(frozen=True)
class BuchholzMedian(Buchholz):
    key = "buchholz-median"
    name = gettext_noop("Median Buchholz")
    short = "BH-M"
    formula = gettext_noop("As Buchholz, the round that adds least and the round that adds most left out.")
    least_cut = 1
    most_cut = 1


@dataclass(frozen=True)
class SonnebornBerger(TieBreak):
    key = "sonneborn-berger"
    name = gettext_noop("Sonneborn-Berger")
    short = "SB"
    formula = gettext_noop(
        "For each opponent, their points times what you scored against them as a share of a win, added up: "
        "all their points for a win, none for a match that scored nothing."
    )

    def values(self, table: Table) -> Values:
        return {
            id: Fraction(
                sum(
                    table.records[line.opponent].points * line.points
                    for line in record.lines
                    if line.opponent is not None
                ),
                table.scoring.points["win"],
            )
            for id, record in table.records.items()
        }


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
        "How many of the players tied with you so far stand behind you by the matches among you alone. If all "
        "have met, more points from those matches stand higher. If some have not met, only a player whom no "
        "result of the missing matches could let another reach stands first. Those still equal, or left, are "
        "compared again in the same way; whoever stays equal, as in a circle of wins, stays tied."
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


@dataclass(frozen=True)
class OpponentMatchWin(TieBreak):
    """floor: the least a match-win percentage counts; byes: whether a player's own byes count in it."""

    floor: Fraction = THIRD
    byes: bool = True

    key = "omw"
    name = gettext_noop("Opponents' match-win percentage")
    short = "OMW%"
    formula = gettext_noop(
        "For each opponent, their points divided by the most they could have won in the rounds they played, "
        "but never less than the floor; then the mean over your opponents."
    )
    percent = True

    def values(self, table: Table) -> Values:
        return _mean_over_opponents(table, self.shares(table))

    def shares(self, table: Table) -> Values:
        """Every player's own match-win percentage."""
        best = table.scoring.points["win"]

        def share(record: Record) -> Fraction:
            lines = record.lines if self.byes else record.without_byes()
            return _share(sum(line.points for line in lines), best * len(lines), self.floor)

        return {id: share(record) for id, record in table.records.items()}


@dataclass(frozen=True)
class GameWin(TieBreak):
    """floor and byes as in OpponentMatchWin, for games."""

    floor: Fraction = THIRD
    byes: bool = True

    key = "gw"
    name = gettext_noop("Game-win percentage")
    short = "GW%"
    formula = gettext_noop(
        "Your points from games divided by the most you could have won in the games you played, "
        "but never less than the floor."
    )
    percent = True

    def values(self, table: Table) -> Values:
        win, drawn = table.scoring.game_points

        def share(record: Record) -> Fraction:
            lines = record.lines if self.byes else record.without_byes()
            return _share(
                _game_points(lines, win, drawn), win * sum(sum(line.games) for line in lines), self.floor
            )

        return _memo(table, self, lambda: {id: share(record) for id, record in table.records.items()})


@dataclass(frozen=True)
class OpponentGameWin(TieBreak):
    floor: Fraction = THIRD
    byes: bool = True

    key = "ogw"
    name = gettext_noop("Opponents' game-win percentage")
    short = "OGW%"
    formula = gettext_noop("The mean of your opponents' game-win percentages.")
    percent = True

    def values(self, table: Table) -> Values:
        return _mean_over_opponents(table, GameWin(self.floor, self.byes).values(table))


@dataclass(frozen=True)
class Drawn(TieBreak):
    key = "random"
    name = gettext_noop("Random draw")
    short = "Draw"
    formula = gettext_noop(
        "A number between 0 and 1, drawn once for each player when round 1 is published; the higher stands first."
    )

    def values(self, table: Table) -> Values:
        return {
            id: Fraction(draw.number(table.draw_seed, "standings", table.lots.get(id, id), bits=32), 2**32)
            for id in table.records
        }


ALL: dict[str, type[TieBreak]] = {
    kind.key: kind
    for kind in (
        MatchPoints,
        StrengthOfSchedule,
        ExtendedStrengthOfSchedule,
        SumOfOpponents,
        SumOfOpponentsSums,
        Buchholz,
        BuchholzCut,
        BuchholzMedian,
        SonnebornBerger,
        HeadToHead,
        OpponentMatchWin,
        GameWin,
        OpponentGameWin,
        Drawn,
    )
}


def _memo(table: Table, key: object, compute: Callable[[], Values]) -> Values:
    """Compute once a table what two tie-breakers share."""
    if key not in table.memo:
        table.memo[key] = compute()
    return table.memo[key]


def _points_per_round(table: Table) -> Values:
    return {
        id: Fraction(record.points, len(record.lines)) if record.lines else ZERO
        for id, record in table.records.items()
    }


def _share(won: int, most: int, floor: Fraction) -> Fraction:
    return max(floor, Fraction(won, most)) if most else floor


def _game_points(lines: Iterable[Line], win: int, drawn: int) -> int:
    return sum(line.games[0] * win + line.games[2] * drawn for line in lines)


def _mean_over_opponents(table: Table, values: Values) -> Values:
    """Mean over real opponents, one met twice counted twice; nobody met gives 0."""
    sums, common = _whole_sums(table, values)
    return {
        id: Fraction(sums[id], common * len(record.opponents)) if record.opponents else ZERO
        for id, record in table.records.items()
    }


def _sum_over_opponents(table: Table, values: Values) -> Values:
    """Sum over real opponents."""
    sums, common = _whole_sums(table, values)
    return {id: Fraction(total, common) for id, total in sums.items()}


def _whole_sums(table: Table, values: Values) -> tuple[dict[int, int], int]:
    """(sums over opponents, their common denominator): one denominator makes them sums of whole numbers, exact."""
    common = lcm(*(value.denominator for value in values.values()))
    whole = {id: value.numerator * (common // value.denominator) for id, value in values.items()}
    at = whole.__getitem__
    return {id: sum(map(at, record.opponents)) for id, record in table.records.items()}, common


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
    points = table.scoring.points
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
