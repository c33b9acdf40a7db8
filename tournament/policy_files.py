"""Tournament policies: files in tournament/policies/, read strictly, every mistake located.

A policy is pinned into its event as plain JSON when round 1 is paired; `read` takes both forms.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from config import strict_yaml
from config.errors import UserError
from tournament.swiss import BYE, TIE_BREAKS, Outcome, PairingPolicy, Scoring, TieBreak

FOLDER = Path(__file__).parent / "policies"
STATUSES = ("official", "reconstruction", "house-default")
INTENTIONAL_DRAWS = ("allowed", "needs-judge", "forbidden")
DECKLISTS = ("required", "optional")
MOST_POINTS = 100
_CODES = (*(str(outcome) for outcome in Outcome), BYE)
_KEYS = {
    "key", "title", "version", "status", "source", "match", "points", "games", "game-points", "rounds",
    "tie-breakers", "round-minutes", "intentional-draw", "decklists", "avoid-club",
}  # fmt: skip
_OPTIONAL = {"games", "game-points", "avoid-club"}


@dataclass(frozen=True, slots=True)
class Rounds:
    """For at most `players` (None = any number): so many Swiss rounds, then a cut to `cut` (0 = none)."""

    players: int | None
    rounds: int
    cut: int


@dataclass(frozen=True)
class Policy:
    """Every number an event is run by. `document` is its JSON form, which is what gets pinned."""

    key: str
    title: str
    version: str
    status: str
    source: str
    match: str
    scoring: Scoring
    rounds: tuple[Rounds, ...]
    tie_breaks: tuple[TieBreak, ...]
    round_minutes: int
    intentional_draw: str
    decklists: str
    pairing: PairingPolicy
    document: dict[str, Any]

    def rounds_for(self, players: int) -> Rounds:
        """The row of the table for so many players."""
        return next(row for row in self.rounds if row.players is None or players <= row.players)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The results this policy has points for."""
        return tuple(outcome for outcome in Outcome if outcome in self.scoring.points)


def policies() -> dict[str, Policy]:
    """Every shipped policy by key, in order of title."""
    found = [policy(path.stem) for path in FOLDER.glob("*.yaml")]
    return {one.key: one for one in sorted(found, key=lambda one: one.title)}


@cache
def policy(key: str) -> Policy:
    """The shipped policy of that key. Raises UserError `unknown-policy` with the nearest known ones."""
    known = sorted(path.stem for path in FOLDER.glob("*.yaml"))
    if key not in known:
        near = get_close_matches(key, known, n=1)
        raise UserError(
            "unknown-policy",
            f"There is no tournament policy {key!r}.",
            place="policy_key",
            remedy=f"Did you mean {near[0]}?" if near else f"Known are: {', '.join(known)}.",
        )
    path = FOLDER / f"{key}.yaml"
    found = read(strict_yaml.load(path.read_bytes(), name=path.name), name=path.name)
    if found.key != key:
        raise UserError("bad-policy", f"{path.name} is keyed {found.key!r}.", place="key")
    return found


def read(document: Any, *, name: str) -> Policy:
    """Check a policy's plain form and give it its types. Raises UserError `bad-policy` naming the place."""
    reader = _Reader(name)
    top = reader.mapping(document, "the policy", _KEYS, _KEYS - _OPTIONAL)
    points = _points(reader, top["points"])
    return Policy(
        key=reader.text(top["key"], "key"),
        title=reader.text(top["title"], "title"),
        version=reader.text(top["version"], "version"),
        status=reader.one_of(top["status"], "status", STATUSES),
        source=reader.text(top["source"], "source"),
        match=reader.text(top["match"], "match"),
        scoring=Scoring(points, _games(reader, top.get("games", {}), points), _game_points(reader, top)),
        rounds=_rounds(reader, top["rounds"]),
        tie_breaks=_tie_breaks(reader, top["tie-breakers"]),
        round_minutes=reader.number(top["round-minutes"], "round-minutes", 1, 600),
        intentional_draw=reader.one_of(top["intentional-draw"], "intentional-draw", INTENTIONAL_DRAWS),
        decklists=reader.one_of(top["decklists"], "decklists", DECKLISTS),
        pairing=PairingPolicy(avoid_club=reader.truth(top.get("avoid-club", True), "avoid-club")),
        document=dict(top),
    )


class _Reader:
    """Checks of plain values; each failure says file, place and what is wanted."""

    def __init__(self, name: str) -> None:
        self.name = name

    def wrong(self, place: str, wanted: str, remedy: str = "") -> UserError:
        return UserError("bad-policy", f"{self.name}: {place} {wanted}.", place=place, remedy=remedy)

    def mapping(self, value: Any, place: str, allowed: set[str], required: set[str]) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.wrong(place, "must be a list of names with values")
        for key in value:
            if key not in allowed:
                near = get_close_matches(str(key), sorted(allowed), n=1)
                hint = f"Did you mean {near[0]}?" if near else f"Known are: {', '.join(sorted(allowed))}."
                raise self.wrong(f"{place}: {key}", "is not a known name", hint)
        for key in sorted(required):
            if key not in value:
                raise self.wrong(f"{place}: {key}", "is missing")
        return value

    def text(self, value: Any, place: str) -> str:
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(place, "must be text")
        return value.strip()

    def number(self, value: Any, place: str, least: int, most: int) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self.wrong(place, f"must be a whole number from {least} to {most}")
        return value

    def truth(self, value: Any, place: str) -> bool:
        if not isinstance(value, bool):
            raise self.wrong(place, "must be true or false")
        return value

    def one_of(self, value: Any, place: str, known: tuple[str, ...]) -> str:
        if value not in known:
            raise self.wrong(place, f"must be one of {', '.join(known)}")
        return str(value)

    def rows(self, value: Any, place: str) -> list[Any]:
        if not isinstance(value, list) or not value:
            raise self.wrong(place, "must be a list with at least one row")
        return value

    def fraction(self, value: Any, place: str) -> Fraction:
        """Exact: `1/3`, `0.33` or a whole number, given as text; a bare decimal is read digit by digit."""
        try:
            found = Fraction(str(value))
        except (ValueError, ZeroDivisionError) as error:
            raise self.wrong(place, "must be a number such as 1/3 or 0.33") from error
        if not 0 <= found <= 1:
            raise self.wrong(place, "must lie between 0 and 1")
        return found


def _points(reader: _Reader, value: Any) -> Mapping[str, int]:
    """Points per code; a code without them cannot happen. A timed loss may score below a loss."""
    rows = reader.mapping(value, "points", set(_CODES), {"win", "loss", "double-loss", BYE})
    if ("timed-win" in rows) != ("timed-loss" in rows):
        raise reader.wrong("points", "must have both timed-win and timed-loss, or neither")
    return {code: reader.number(points, f"points: {code}", 0, MOST_POINTS) for code, points in rows.items()}


def _games(reader: _Reader, value: Any, points: Mapping[str, int]) -> Mapping[str, tuple[int, int, int]]:
    rows = reader.mapping(value, "games", set(points), set())
    found = {}
    for code, games in rows.items():
        place = f"games: {code}"
        if not isinstance(games, list) or len(games) != 3:
            raise reader.wrong(place, "must be three numbers: won, lost, drawn")
        won, lost, drawn = (reader.number(count, place, 0, 20) for count in games)
        found[code] = (won, lost, drawn)
    return found


def _game_points(reader: _Reader, top: Mapping[str, Any]) -> tuple[int, int]:
    value = top.get("game-points", {"win": 3, "draw": 1})
    rows = reader.mapping(value, "game-points", {"win", "draw"}, {"win", "draw"})
    return (
        reader.number(rows["win"], "game-points: win", 1, MOST_POINTS),
        reader.number(rows["draw"], "game-points: draw", 0, MOST_POINTS),
    )


def _rounds(reader: _Reader, value: Any) -> tuple[Rounds, ...]:
    """Rows by growing attendance, the last one for any number."""
    found: list[Rounds] = []
    rows = reader.rows(value, "rounds")
    for index, row in enumerate(rows, start=1):
        place = f"rounds, row {index}"
        names = {"players", "rounds", "cut"}
        reader.mapping(row, place, names, names)
        last = index == len(rows)
        if last != (row["players"] == "more"):
            raise reader.wrong(place, "must say `players: more` if, and only if, it is the last")
        players = None if last else reader.number(row["players"], f"{place}: players", 2, 100_000)
        if players is not None and found and players <= (found[-1].players or 0):
            raise reader.wrong(place, "must be for more players than the row before")
        number = reader.number(row["rounds"], f"{place}: rounds", 1, 30)
        found.append(Rounds(players, number, reader.number(row["cut"], f"{place}: cut", 0, 128)))
    return tuple(found)


def _tie_breaks(reader: _Reader, value: Any) -> tuple[TieBreak, ...]:
    found: list[TieBreak] = []
    for index, row in enumerate(reader.rows(value, "tie-breakers"), start=1):
        place = f"tie-breakers, row {index}"
        if not isinstance(row, dict) or row.get("key") not in TIE_BREAKS:
            raise reader.wrong(
                place, "must name a known tie-breaker as its key", f"Known are: {', '.join(TIE_BREAKS)}."
            )
        kind = TIE_BREAKS[row["key"]]
        readers: dict[str, Callable[[Any, str], Any]] = {"floor": reader.fraction, "byes": reader.truth}
        options = {field.name for field in fields(kind)}  # type: ignore[arg-type]
        reader.mapping(row, place, {"key", *options}, {"key"})
        given = {name: readers[name](row[name], f"{place}: {name}") for name in row if name != "key"}
        found.append(kind(**given))
    if len({tie_break.key for tie_break in found}) != len(found):
        raise reader.wrong("tie-breakers", "name one twice")
    return tuple(found)
