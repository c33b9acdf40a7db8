"""Compares the standings in another program's file with what we compute from its results.

A file read wrongly shows here first: a score taken for another result, a bye left out, a policy that is not the file's.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, cast

from django.utils.translation import gettext as _

from tournament.files.shape import wrong
from tournament.policy.model import Policy
from tournament.swiss import TIE_BREAKS, Outcome, Played, Row, Scoring, TieBreak, standings

Worth = Mapping[str, Fraction]
MOST_DECIMALS = 30


@dataclass(frozen=True, slots=True)
class Claim:
    """What a file says of one player. player: the place in the file's list of players, from 1.

    values: a tie-breaker's key -> the number as written.
    """

    player: int
    rank: int | None = None
    points: Decimal | None = None
    values: Mapping[str, Decimal] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Difference:
    """One number that the file says otherwise than we compute it. what: points, rank, or a tie-breaker's key."""

    player: str
    what: str
    said: str
    ours: str


def differences(
    claims: Sequence[Claim], document: Mapping[str, Any], policy: Policy, worth: Worth | None = None
) -> list[Difference]:
    """Every number of the file's standings that is not ours, by the file's order of players.

    document: the event's rows as `event_import` reads them. worth: what the file counts for each result, where its kind
    says so; else the scale that most of its points are in. A tie-breaker that the policy has not is compared if it has
    no options.
    """
    names = [one["name"] for one in document["players"]]
    rows = {row.player: row for row in _computed(document, policy.scoring, _tie_breaks(policy))}
    shared = _last_of_rank(rows.values())
    compared = _compared(claims, policy)
    scoring = policy.scoring
    worth = worth or _scaled(scoring, claims, rows)
    theirs = replace(scoring, points=cast(Mapping[str, int], worth))  # exact in any unit
    own = {row.player: row for row in _computed(document, theirs, compared)}
    keys = [one.key for one in compared]
    found: list[Difference] = []
    for claim in claims:
        row, name = rows[claim.player], names[claim.player - 1]
        points = Fraction(own[claim.player].points)
        if claim.points is not None and Fraction(claim.points) != points:
            found.append(Difference(name, "points", _plain(claim.points), _plain(points)))
        if claim.rank is not None and not row.rank <= claim.rank <= shared[row.rank]:
            found.append(Difference(name, "rank", str(claim.rank), str(row.rank)))
        ours = dict(zip(keys, own[claim.player].values, strict=True))
        for key, said in claim.values.items():
            if key in ours and not _same(said, ours[key]):
                found.append(Difference(name, key, str(said), _like(said, ours[key])))
    return found


def number(value: Any) -> Decimal | None:
    """A number as a file writes it, exactly; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    said = str(value).strip().removesuffix("%").strip().replace("½", ".5")
    try:
        found = Decimal(said.replace(",", ".") if said.count(",") == 1 else said)
    except InvalidOperation:
        return None
    exponent = found.as_tuple().exponent
    short = isinstance(exponent, int) and exponent >= -MOST_DECIMALS  # exact fractions are made of them
    return found if short and abs(found) < 10**9 else None


def claimed(value: Any, place: str) -> Decimal | None:
    """A number of the file's standings; None where it has none. Raises UserError `bad-file` for what is no number."""
    found = number(value)
    if found is None and value is not None and str(value).strip() not in ("", "-", "–", "—"):
        raise wrong(place, _("“%(said)s” isn’t a number") % {"said": str(value)[:20]})
    return found


def whole(value: Any, place: str) -> int | None:
    """As `claimed`, of a rank."""
    found = claimed(value, place)
    if found is not None and found != int(found):
        raise wrong(place, _("“%(said)s” isn’t a whole number") % {"said": str(value)[:20]})
    return None if found is None else int(found)


def _compared(claims: Sequence[Claim], policy: Policy) -> list[TieBreak]:
    """The policy's tie-breakers, and those of the file that can mean one thing only."""
    own = _tie_breaks(policy)
    asked = {key for one in claims for key in one.values} & TIE_BREAKS.keys() - {one.key for one in own}
    return [*own, *(TIE_BREAKS[key]() for key in sorted(asked) if not fields(TIE_BREAKS[key]))]  # type: ignore[arg-type]


def _scaled(scoring: Scoring, claims: Sequence[Claim], rows: Mapping[int, Row]) -> Worth:
    """The policy's points in the file's unit: it may count a win as 1 where the policy counts 3."""
    ratios = Counter(Fraction(rows[one.player].points) / Fraction(one.points) for one in claims if one.points)
    usual, count = ratios.most_common(1)[0] if ratios else (Fraction(1), 0)
    if not usual or 2 * count <= sum(ratios.values()):
        usual = Fraction(1)
    return {code: points / usual for code, points in scoring.points.items()}


def _computed(document: Mapping[str, Any], scoring: Scoring, tie_breaks: Sequence[TieBreak]) -> list[Row]:
    players = range(1, len(document["players"]) + 1)
    return standings(list(players), list(_played(document)), scoring, tie_breaks)


def _tie_breaks(policy: Policy) -> list[TieBreak]:
    return [one for one in policy.tie_breaks if not one.random]


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
    return any(abs(Fraction(said) - value) < step for value in (ours, ours * 100 if ours <= 1 else ours))


def _plain(value: Decimal | Fraction) -> str:
    return f"{float(value):.6f}".rstrip("0").rstrip(".")


def _like(said: Decimal, ours: Fraction) -> str:
    """Our value in the digits and the scale of theirs."""
    exponent = said.as_tuple().exponent
    digits = max(2, -exponent) if isinstance(exponent, int) else 2
    value = ours * 100 if said > 1 and ours <= 1 else ours
    return f"{float(value):.{digits}f}"
