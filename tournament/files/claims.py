"""What another program's file says of its standings, held against what we compute from its results.

A file read wrongly shows here first: a score taken for another result, a bye left out, a policy that is not the file's.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from tournament.policy.model import Policy
from tournament.swiss import Outcome, Played, Row, standings
from tournament.swiss.tiebreaks import Drawn


@dataclass(frozen=True, slots=True)
class Claim:
    """What a file says of one player. player: the place in the file's list of players, from 1.

    points: in points of the policy, or None; own_points: what the file's own results sum up to, where it counts them in
    points of its own; values: a tie-breaker's key -> the number as written.
    """

    player: int
    rank: int | None = None
    points: Decimal | None = None
    own_points: Decimal | None = None
    values: Mapping[str, Decimal] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Difference:
    """One number that the file says otherwise than we compute it. what: points, rank, or a tie-breaker's key."""

    player: str
    what: str
    said: str
    ours: str


def differences(claims: Sequence[Claim], document: Mapping[str, Any], policy: Policy) -> list[Difference]:
    """Every number of the file's standings that is not ours, by the file's order of players.

    document: the event's rows as `event_import` reads them. A tie-breaker that the policy has not is not compared.
    """
    names = [one["name"] for one in document["players"]]
    rows = {row.player: row for row in _computed(document, policy)}
    shared = _last_of_rank(rows.values())
    keys = [one.key for one in _tie_breaks(policy)]
    found: list[Difference] = []
    claims = _in_points_of(claims, rows)
    for claim in claims:
        row, name = rows[claim.player], names[claim.player - 1]
        found += _points(claim, row, name)
        if claim.rank is not None and not row.rank <= claim.rank <= shared[row.rank]:
            found.append(Difference(name, "rank", str(claim.rank), str(row.rank)))
        ours = dict(zip(keys, row.values, strict=True))
        for key, said in claim.values.items():
            if key in ours and not _same(said, ours[key]):
                found.append(Difference(name, key, str(said), _like(said, ours[key])))
    return found


def number(value: Any) -> Decimal | None:
    """A number as a file writes it, exactly; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = Decimal(str(value).strip().removesuffix("%").strip())
    except InvalidOperation:
        return None
    return found if found.is_finite() and abs(found) < 10**9 else None


def _points(claim: Claim, row: Row, name: str) -> Iterator[Difference]:
    if claim.points is None:
        return
    ours = Decimal(row.points) if claim.own_points is None else claim.own_points
    if claim.points != ours:
        yield Difference(name, "points", f"{claim.points.normalize():f}", f"{ours.normalize():f}")


def _in_points_of(claims: Sequence[Claim], rows: Mapping[int, Row]) -> list[Claim]:
    """The claims with our points beside theirs in theirs: a file may count a win as 1 where the policy counts 3."""
    ratios = Counter(
        Fraction(rows[one.player].points) / Fraction(one.points)
        for one in claims
        if one.points and one.own_points is None
    )
    usual, count = ratios.most_common(1)[0] if ratios else (Fraction(1), 0)
    if not usual or 2 * count <= sum(ratios.values()):
        return list(claims)

    def ours(claim: Claim) -> Decimal:
        points = Fraction(rows[claim.player].points) / usual
        return Decimal(points.numerator) / Decimal(points.denominator)

    return [
        one if one.points is None or one.own_points is not None else replace(one, own_points=ours(one))
        for one in claims
    ]


def _computed(document: Mapping[str, Any], policy: Policy) -> list[Row]:
    players = range(1, len(document["players"]) + 1)
    return standings(list(players), list(_played(document)), policy.scoring, _tie_breaks(policy))


def _tie_breaks(policy: Policy) -> list[Any]:
    return [one for one in policy.tie_breaks if not isinstance(one, Drawn)]


def _played(document: Mapping[str, Any]) -> Iterator[Played]:
    """The settled matches and byes of the Swiss rounds."""
    seats: dict[int, list[int]] = {}
    for seat in sorted(document["seats"], key=lambda one: one["side"]):
        seats.setdefault(seat["match"], []).append(seat["registration"])
    reports = {one["match"]: one for one in document["reports"]}
    for place, match in enumerate(document["matches"], start=1):
        round = document["rounds"][match["round"] - 1]
        if round["stage"] is not None or place not in seats:
            continue
        first, *others = seats[place]
        report = reports.get(place)
        if report is None and others:
            continue
        games = tuple(report["games"]) if report and report.get("games") else None
        outcome = Outcome(report["outcome"]) if report else None
        yield Played(round["number"], first, others[0] if others else None, outcome, games)


def _last_of_rank(rows: Iterable[Row]) -> dict[int, int]:
    """The last place that players of a shared rank take."""
    counts: dict[int, int] = {}
    for row in rows:
        counts[row.rank] = counts.get(row.rank, 0) + 1
    return {rank: rank + count - 1 for rank, count in counts.items()}


def _same(said: Decimal, ours: Fraction) -> bool:
    """Whether the number written is ours, rounded or cut to its digits; percentages as 66.67 or 0.6667."""
    exponent = said.as_tuple().exponent
    step = Fraction(1, 10 ** max(0, -exponent)) if isinstance(exponent, int) else Fraction(1)
    return any(abs(Fraction(said) - value) < step for value in (ours, ours * 100) if value <= 100)


def _like(said: Decimal, ours: Fraction) -> str:
    """Our value in the digits and the scale of theirs."""
    exponent = said.as_tuple().exponent
    digits = max(2, -exponent) if isinstance(exponent, int) else 2
    value = ours * 100 if said > 1 and ours <= 1 else ours
    return f"{float(value):.{digits}f}"
