"""Checking the plain form of a policy part by part; every mistake is located and says what is wanted."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

from config.errors import UserError, nearest
from tournament.policy_model import (
    MISSED,
    STATUSES,
    UNFINISHED,
    BracketKind,
    BracketPolicy,
    CutRule,
    DeckCheckPolicy,
    Effect,
    Infraction,
    LateEntries,
    PenaltyGuide,
    PenaltyLevel,
    Rounds,
    TimePolicy,
)
from tournament.swiss import BYE, TIE_BREAKS, Outcome, Scoring, TieBreak

MOST_POINTS = 100
MOST_PLACES = 128
CODES = (*(str(outcome) for outcome in Outcome), BYE)
CHOICES = ("higher-seed", "loser-of-last", "lot")
_SLUG = set("abcdefghijklmnopqrstuvwxyz0123456789-")


class Reader:
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
                raise self.wrong(f"{place}: {key}", "is not a known name", nearest(str(key), sorted(allowed)))
        for key in sorted(required):
            if key not in value:
                raise self.wrong(f"{place}: {key}", "is missing")
        return value

    def text(self, value: Any, place: str) -> str:
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(place, "must be text")
        return value.strip()

    def key(self, value: Any, place: str) -> str:
        """A word of small letters, digits and dashes."""
        word = self.text(value, place)
        if not set(word) <= _SLUG or len(word) > 40:
            raise self.wrong(place, "must be a short word of small letters, digits and dashes")
        return word

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


def points(reader: Reader, value: Any) -> Mapping[str, int]:
    """Points per code; a code without them cannot happen. A timed loss may score below a loss."""
    rows = reader.mapping(value, "points", set(CODES), {"win", "loss", "double-loss", BYE})
    if ("timed-win" in rows) != ("timed-loss" in rows):
        raise reader.wrong("points", "must have both timed-win and timed-loss, or neither")
    return {code: reader.number(points, f"points: {code}", 0, MOST_POINTS) for code, points in rows.items()}


def scoring(reader: Reader, top: Mapping[str, Any], points: Mapping[str, int]) -> Scoring:
    return Scoring(points, games(reader, top.get("games", {}), points), game_points(reader, top))


def games(reader: Reader, value: Any, points: Mapping[str, int]) -> Mapping[str, tuple[int, int, int]]:
    rows = reader.mapping(value, "games", set(points), set())
    found = {}
    for code, games in rows.items():
        place = f"games: {code}"
        if not isinstance(games, list) or len(games) != 3:
            raise reader.wrong(place, "must be three numbers: won, lost, drawn")
        won, lost, drawn = (reader.number(count, place, 0, 20) for count in games)
        found[code] = (won, lost, drawn)
    return found


def game_points(reader: Reader, top: Mapping[str, Any]) -> tuple[int, int]:
    value = top.get("game-points", {"win": 3, "draw": 1})
    rows = reader.mapping(value, "game-points", {"win", "draw"}, {"win", "draw"})
    return (
        reader.number(rows["win"], "game-points: win", 1, MOST_POINTS),
        reader.number(rows["draw"], "game-points: draw", 0, MOST_POINTS),
    )


def rounds(reader: Reader, value: Any) -> tuple[Rounds, ...]:
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
        found.append(Rounds(players, number, cut_rule(reader, row["cut"], f"{place}: cut")))
    return tuple(found)


def cut_rule(reader: Reader, value: Any, place: str) -> CutRule:
    """A number, `{places: 8, ties: true}` or `{losses: 2}`."""
    if not isinstance(value, dict):
        return CutRule(reader.number(value, place, 0, MOST_PLACES))
    if "losses" in value:
        reader.mapping(value, place, {"losses"}, {"losses"})
        return CutRule(losses=reader.number(value["losses"], f"{place}: losses", 0, 30))
    reader.mapping(value, place, {"places", "ties"}, {"places"})
    return CutRule(
        reader.number(value["places"], f"{place}: places", 0, MOST_PLACES),
        reader.truth(value.get("ties", False), f"{place}: ties"),
    )


def tie_breaks(reader: Reader, value: Any) -> tuple[TieBreak, ...]:
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


def bracket(reader: Reader, value: Any) -> BracketPolicy:
    names = {"kind", "third-place", "choice"}
    row = reader.mapping(value, "bracket", names, {"kind"})
    kind = BracketKind(reader.one_of(row["kind"], "bracket: kind", tuple(str(one) for one in BracketKind)))
    third = reader.truth(row.get("third-place", False), "bracket: third-place")
    if third and kind is BracketKind.DOUBLE:
        raise reader.wrong(
            "bracket: third-place", "is for single elimination; double elimination has a third"
        )
    return BracketPolicy(
        kind, third, reader.one_of(row.get("choice", "higher-seed"), "bracket: choice", CHOICES)
    )


def time(reader: Reader, value: Any, codes: Mapping[str, int]) -> TimePolicy:
    """`codes`: the results the policy has points for."""
    names = {
        "elimination-minutes", "procedure", "elimination", "unfinished", "unreported", "extension-from",
    }  # fmt: skip
    row = reader.mapping(value, "time", names, set())
    plain = TimePolicy()
    unfinished = reader.one_of(row.get("unfinished", plain.unfinished), "time: unfinished", UNFINISHED)
    if (unfinished == "timed" and "timed-win" not in codes) or (unfinished == "draw" and "draw" not in codes):
        raise reader.wrong("time: unfinished", "names a result without points")
    unreported = row.get("unreported", "")
    if unreported:
        reader.one_of(
            unreported, "time: unreported", tuple(code for code in ("draw", "double-loss") if code in codes)
        )
    return TimePolicy(
        elimination_minutes=reader.number(
            row.get("elimination-minutes", 0), "time: elimination-minutes", 0, 600
        ),
        procedure=reader.text(row["procedure"], "time: procedure") if "procedure" in row else "",
        elimination=reader.text(row["elimination"], "time: elimination") if "elimination" in row else "",
        unfinished=unfinished,
        unreported=unreported,
        extension_from=reader.number(row.get("extension-from", 1), "time: extension-from", 0, 60),
    )


def late_entries(reader: Reader, value: Any) -> LateEntries:
    row = reader.mapping(value, "late-entries", {"until", "missed"}, {"missed"})
    until = row.get("until")
    return LateEntries(
        None if until is None else reader.number(until, "late-entries: until", 1, 30),
        reader.one_of(row["missed"], "late-entries: missed", MISSED),
        said=True,
    )


def deck_checks(reader: Reader, value: Any) -> DeckCheckPolicy:
    names = {"percent", "extra-minutes"}
    row = reader.mapping(value, "deck-checks", names, names)
    return DeckCheckPolicy(
        reader.number(row["percent"], "deck-checks: percent", 0, 100),
        reader.number(row["extra-minutes"], "deck-checks: extra-minutes", 0, 60),
    )


def penalties(reader: Reader, value: Any) -> PenaltyGuide:
    """The guide written out (a name in a shipped file was replaced by its content before)."""
    names = {"title", "status", "source", "levels", "categories", "infractions"}
    row = reader.mapping(value, "penalties", names, names)
    levels = _levels(reader, row["levels"])
    categories = row["categories"]
    if not isinstance(categories, dict) or not categories:
        raise reader.wrong("penalties: categories", "must be a list of names with titles")
    titles = {
        reader.key(key, f"penalties: categories: {key}"): reader.text(title, f"penalties: categories: {key}")
        for key, title in categories.items()
    }
    status = reader.one_of(row["status"], "penalties: status", STATUSES)
    found = [
        _infraction(reader, one, f"penalties: infractions, row {index}", levels, titles, status)
        for index, one in enumerate(reader.rows(row["infractions"], "penalties: infractions"), start=1)
    ]
    if len({one.key for one in found}) != len(found):
        raise reader.wrong("penalties: infractions", "name one twice")
    return PenaltyGuide(
        title=reader.text(row["title"], "penalties: title"),
        status=status,
        source=reader.text(row["source"], "penalties: source"),
        levels=levels,
        categories=titles,
        infractions=tuple(found),
    )


def _levels(reader: Reader, value: Any) -> tuple[PenaltyLevel, ...]:
    found = []
    effects = tuple(str(one) for one in Effect)
    for index, row in enumerate(reader.rows(value, "penalties: levels"), start=1):
        place = f"penalties: levels, row {index}"
        reader.mapping(row, place, {"key", "title", "effect", "tracked"}, {"key", "title"})
        effect = Effect(reader.one_of(row.get("effect", "none"), f"{place}: effect", effects))
        found.append(
            PenaltyLevel(
                reader.key(row["key"], f"{place}: key"),
                reader.text(row["title"], f"{place}: title"),
                effect,
                reader.truth(row.get("tracked", True), f"{place}: tracked"),
            )
        )
    if len({one.key for one in found}) != len(found):
        raise reader.wrong("penalties: levels", "name one twice")
    return tuple(found)


def _infraction(
    reader: Reader,
    row: Any,
    place: str,
    levels: tuple[PenaltyLevel, ...],
    categories: Mapping[str, str],
    status: str,
) -> Infraction:
    reader.mapping(
        row, place, {"key", "title", "category", "path", "status"}, {"key", "title", "category", "path"}
    )
    known = tuple(level.key for level in levels)
    if not isinstance(row["path"], list):
        raise reader.wrong(f"{place}: path", "must be a list of levels, empty for none")
    return Infraction(
        key=reader.key(row["key"], f"{place}: key"),
        title=reader.text(row["title"], f"{place}: title"),
        category=reader.one_of(row["category"], f"{place}: category", tuple(categories)),
        path=tuple(reader.one_of(one, f"{place}: path", known) for one in row["path"]),
        status=reader.one_of(row.get("status", status), f"{place}: status", STATUSES),
    )
