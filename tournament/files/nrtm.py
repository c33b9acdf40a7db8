"""NRTM, the JSON in which one game's fan sites exchange events, read into plain values. Each error names its place.

Source: files written by such programs (steffens.org/nrtm/nrtm-schema.json names the fields). A score of both halves is
`combinedScore`; a game of the bracket (`eliminationGame`) has a `winner` instead; a bye names nobody as `player2`.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from rapidfuzz.distance import Indel

from tournament.files.claims import Claim, claimed, whole
from tournament.files.shape import MOST_PLAYERS, MOST_ROUNDS, MOST_TABLES, not_more, wrong

MOST_SCORE = 1_000


@dataclass(frozen=True, slots=True)
class Table:
    """players: places in `Nrtm.names`, from 1, one alone for a bye; scores: as many, None where the file has none;
    winner: 0, 1 or None."""

    place: str
    players: tuple[int, ...]
    scores: tuple[int, ...] | None
    agreed: bool = False
    winner: int | None = None


@dataclass(frozen=True, slots=True)
class Nrtm:
    """names: in order of the file's ids; swiss, bracket: rounds of tables; seeds: places of `names`, best first;
    planned: how many Swiss rounds were announced; cut: how many were to play on."""

    name: str
    date: str
    names: list[str]
    planned: int
    cut: int
    seeds: list[int]
    swiss: list[list[Table]] = field(default_factory=list)
    bracket: list[list[Table]] = field(default_factory=list)


def claims_of(document: dict[str, Any]) -> list[Claim]:
    """What the file says of its players' standing. The file is one that `read_nrtm` reads."""
    rows = sorted(enumerate(document["players"], start=1), key=lambda row: int(row[1]["id"]))
    claims = []
    for place, (at, row) in enumerate(rows, start=1):
        where = f"players[{at}]"
        told = {key: claimed(row.get(word), f"{where}.{word}") for key, word in _VALUES.items()}
        claims.append(
            Claim(
                place,
                whole(row.get("rank"), f"{where}.rank"),
                claimed(row.get("matchPoints"), f"{where}.matchPoints"),
                {key: value for key, value in told.items() if value is not None},
            )
        )
    return claims


_VALUES = {"sos": "strengthOfSchedule", "esos": "extendedStrengthOfSchedule"}


_OF_THE_FILE = (
    "name", "date", "cutToTop", "preliminaryRounds", "players", "eliminationPlayers", "rounds", "tournamentOrganiser",
)  # fmt: skip
_OF_A_PLAYER = ("id", "name", "rank", "matchPoints", *_VALUES.values(), "corpIdentity", "runnerIdentity")
_OF_A_SEED = ("id", "seed", "name", "rank")
_OF_A_TABLE = ("table", "player1", "player2", "intentionalDraw", "twoForOne", "eliminationGame")
_OF_A_SIDE = ("id", "runnerScore", "corpScore", "combinedScore", "winner", "role")
ALIKE = 0.85  # of two words, the share of letters in both


def misspelt(document: dict[str, Any]) -> Iterator[str]:
    """The place of each word that is none of such a file's but like one that is missing there, or that one object alone
    has: what stands behind it was not read. The file is one that `read_nrtm` reads."""
    strange = [
        (place, key, words, [word for word in words if word not in row])
        for place, row, words in _objects(document)
        for key in row
        if key not in words
    ]
    times = Counter((words, key) for _place, key, words, _missing in strange)
    for place, key, words, missing in strange:
        near = (Indel.normalized_similarity(key.casefold(), word.casefold()) > ALIKE for word in missing)
        if any(near) or (place and times[words, key] == 1):
            yield f"{place}.{key[:40]}".lstrip(".")


def _objects(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], tuple[str, ...]]]:
    """(place, object, the words such an object has)"""
    yield "", document, _OF_THE_FILE
    for key, words in (("players", _OF_A_PLAYER), ("eliminationPlayers", _OF_A_SEED)):
        for at, row in enumerate(document.get(key, ()), start=1):
            yield f"{key}[{at}]", row, words
    for at, tables in enumerate(document["rounds"], start=1):
        for number, table in enumerate(tables, start=1):
            yield f"rounds[{at}][{number}]", table, _OF_A_TABLE
            for side in ("player1", "player2"):
                yield f"rounds[{at}][{number}].{side}", table[side], _OF_A_SIDE


def is_nrtm(document: Any) -> bool:
    """Whether a JSON document looks like such a file: players, and rounds that aren't objects of another kind."""
    if not isinstance(document, dict) or "kind" in document or not {"players", "rounds"} <= set(document):
        return False
    rounds = document["rounds"]
    return not (isinstance(rounds, list) and rounds and all(isinstance(one, dict) for one in rounds))


def read_nrtm(document: dict[str, Any]) -> Nrtm:
    """Raises UserError `bad-file` with the place: an id twice or unknown, a player twice in a round, no score."""
    rows = _rows(document, "players")
    not_more(len(rows), MOST_PLAYERS)
    places = _places([_id(row, f"players[{at}].id") for at, row in enumerate(rows, start=1)])
    names = [""] * len(rows)
    for at, row in enumerate(rows, start=1):
        said = row.get("name")
        if not isinstance(said, str) or not said.strip():
            raise wrong(f"players[{at}].name", _("must be the player’s name"))
        names[places[row["id"]] - 1] = " ".join(said.split())
    found = Nrtm(
        _text(document, "name"),
        _text(document, "date"),
        names,
        _whole(document, "preliminaryRounds"),
        _whole(document, "cutToTop"),
        list(_seeds(_rows(document, "eliminationPlayers", missing=True), places)),
    )
    rounds = document["rounds"]
    if not isinstance(rounds, list):
        raise wrong("rounds", _("must be a list"))
    not_more(len(rounds), MOST_ROUNDS)
    not_more(sum(len(told) for told in rounds if isinstance(told, list)), MOST_TABLES)
    for at, told in enumerate(rounds, start=1):
        _round(found, told, f"rounds[{at}]", places)
    return found


def _round(found: Nrtm, told: Any, place: str, places: dict[int, int]) -> None:
    if not isinstance(told, list) or not all(isinstance(one, dict) for one in told):
        raise wrong(place, _("must be a list of tables"))
    for at, one in enumerate(told, start=1):
        if one.get("eliminationGame") not in (True, False, None):
            raise wrong(f"{place}[{at}].eliminationGame", _("must be %(wanted)s") % {"wanted": "true, false"})
    kinds = {one.get("eliminationGame") is True for one in told}
    if len(kinds) > 1:
        raise wrong(place, _("has tables of the Swiss rounds and of the bracket"))
    bracket = kinds == {True}
    if found.bracket and not bracket:
        raise wrong(place, _("is a Swiss round after the bracket has started"))
    tables = [_table(one, f"{place}[{at}]", places, bracket) for at, one in enumerate(told, start=1)]
    seated: set[int] = set()
    for table in tables:
        for player in table.players:
            if player in seated and not bracket:  # some write all that follows the first games as one round
                raise wrong(table.place, _("%(name)s is at two tables") % {"name": found.names[player - 1]})
            seated.add(player)
    (found.bracket if bracket else found.swiss).append(tables)


def _table(told: dict[str, Any], place: str, places: dict[int, int], bracket: bool) -> Table:
    players: list[int] = []
    scores: list[int | None] = []
    won = []
    for side in ("player1", "player2"):
        one = told.get(side)
        if not isinstance(one, dict):
            raise wrong(f"{place}.{side}", _("must be an object"))
        if one.get("id") is None or (one["id"] == 0 and 0 not in places):  # the sites' own app writes 0
            continue
        number = _id(one, f"{place}.{side}.id")
        if number not in places:
            raise wrong(f"{place}.{side}.id", _("isn’t a player’s ID"))
        players.append(places[number])
        scores.append(None if bracket else _score(one, f"{place}.{side}"))
        won.append(one.get("winner") is True)
    if len(players) < 1 + bracket:
        raise wrong(
            place, _("doesn’t name a player") if not players else _("a bracket game needs two players")
        )
    if won == [True, True]:
        raise wrong(place, _("both players have won"))
    winner = won.index(True) if bracket and any(won) else None
    known = tuple(score for score in scores if score is not None)
    if known and len(known) < len(scores):
        raise wrong(place, _("has the score of only one player: write 0 for none"))
    if not bracket and len(known) == 2 and any(won) and known[won.index(True)] < max(known):
        raise wrong(place, _("has a winner with the lower score"))
    return Table(place, tuple(players), known or None, told.get("intentionalDraw") is True, winner)


def _score(one: dict[str, Any], place: str) -> int | None:
    """The points of a side: of both halves, or of what there is of them; None if there is nothing."""
    halves = [one.get("runnerScore"), one.get("corpScore")]
    said, summed = one.get("combinedScore"), sum(half for half in halves if isinstance(half, int))
    if said is None:
        if all(half is None for half in halves):
            return None
        said = summed
    elif any(half is not None for half in halves) and said != summed:
        raise wrong(f"{place}.combinedScore", _("isn’t the sum of runnerScore and corpScore"))
    if not isinstance(said, int) or isinstance(said, bool) or not 0 <= said <= MOST_SCORE:
        raise wrong(f"{place}.combinedScore", _("must be a whole number of points"))
    return said


def _seeds(rows: list[dict[str, Any]], places: dict[int, int]) -> Iterator[int]:
    by_seed: dict[int, int] = {}
    chosen: set[int] = set()
    for at, row in enumerate(rows, start=1):
        seed, number = row.get("seed"), _id(row, f"eliminationPlayers[{at}].id")
        if number not in places or number in chosen:
            raise wrong(f"eliminationPlayers[{at}].id", _("isn’t a player’s ID, or appears twice"))
        chosen.add(number)
        if (
            not isinstance(seed, int)
            or isinstance(seed, bool)
            or seed in by_seed
            or not 1 <= seed <= len(rows)
        ):
            raise wrong(
                f"eliminationPlayers[{at}].seed", _("must be a seed from 1 to %(most)s") % {"most": len(rows)}
            )
        by_seed[seed] = places[number]
    yield from (by_seed[seed] for seed in sorted(by_seed))


def _places(ids: list[int]) -> dict[int, int]:
    """The place of every id, from 1: their order is kept, so that numbers given once stay."""
    seen: set[int] = set()
    for at, one in enumerate(ids, start=1):
        if one in seen:
            raise wrong(f"players[{at}].id", _("appears twice"))
        seen.add(one)
    return {one: place for place, one in enumerate(sorted(seen), start=1)}


def _id(row: dict[str, Any], place: str) -> int:
    given = row.get("id")
    if not isinstance(given, int) or isinstance(given, bool):
        raise wrong(place, _("must be %(wanted)s") % {"wanted": _("a whole number")})
    return given


def _rows(document: dict[str, Any], key: str, *, missing: bool = False) -> list[dict[str, Any]]:
    rows = document.get(key, [] if missing else None)
    if not isinstance(rows, list):
        raise wrong(key, _("must be a list"))
    for at, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise wrong(f"{key}[{at}]", _("must be an object"))
    return rows


def _text(document: dict[str, Any], key: str) -> str:
    said = document.get(key)
    if said is not None and not isinstance(said, str):
        raise wrong(key, _("must be %(wanted)s") % {"wanted": _("text")})
    return " ".join((said or "").split())


def _whole(document: dict[str, Any], key: str) -> int:
    said = document.get(key)
    if said is None:
        return 0
    if not isinstance(said, int) or isinstance(said, bool) or not 0 <= said <= 128:
        raise wrong(key, _("must be from %(least)s to %(most)s") % {"least": 0, "most": 128})
    return said
