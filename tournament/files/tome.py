"""Saves of TOME, which Cobra reads and writes: JSON with one table for each kind of row, and a mark where it ends.

`as_nrtm` gives the same event as an NRTM document, so that one reader reads both. A save has no standings: there is
nothing to compare with.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from tournament.files.shape import wrong

END = "^^THIS IS A SEPARATOR^^"
Row = dict[str, Any]


def is_tome(document: Any) -> bool:
    return isinstance(document, dict) and "Participant:#" in _groups(document)


def as_nrtm(document: dict[str, Any]) -> Row:
    """The event as a document for `read_nrtm`; `left`: who has left after their last round.

    Raises UserError `bad-file` with the place: a row twice, a row of one that is not there, a round that is missing, a
    player of the cut who is none of the Swiss rounds.
    """
    tables = {
        kind: _rows(document, kind) for kind in ("Tournament", "Participant", "Match", "MatchParticipant")
    }
    events = tables["Tournament"]
    whole = [pk for pk, row in events.items() if row.get("parent_pk") is None]
    cuts = [pk for pk in events if pk not in whole]
    if len(whole) != 1 or len(cuts) > 1 or any(events[pk]["parent_pk"] != whole[0] for pk in cuts):
        raise wrong("Tournament", _("must be one event, and at most one cut of it"))
    players = _of(tables["Participant"], "tournament_pk", events, "Participant")
    matches = _of(tables["Match"], "tournament_pk", events, "Match")
    sides = _of(tables["MatchParticipant"], "match_pk", tables["Match"], "MatchParticipant")
    swiss = players[whole[0]]
    ids = {row["pk"]: at for at, row in enumerate(swiss, start=1)}
    told: Row = {
        "name": events[whole[0]].get("name"),
        "preliminaryRounds": events[whole[0]].get("current_round"),
        "cutToTop": events[whole[0]].get("cut_size"),
        "players": [{"id": at, "name": _name(row)} for at, row in enumerate(swiss, start=1)],
        "rounds": _rounds(matches[whole[0]], sides, ids),
        "left": [_name(row) for row in swiss if row.get("is_active") is False],
    }
    for cut in cuts:
        ids = _same(players[cut], swiss)
        told["eliminationPlayers"] = [{"id": ids[row["pk"]], "seed": row.get("seed")} for row in players[cut]]
        told["rounds"] += _rounds(matches[cut], sides, ids, bracket=True)
    return told


def _groups(document: Row) -> Row:
    groups = document.get("entityGroupMap")
    return groups if isinstance(groups, dict) else {}


def _rows(document: Row, kind: str) -> dict[int, Row]:
    """The rows of a kind by their key, in the file's order."""
    group = _groups(document).get(f"{kind}:#", {"entities": []})
    rows = group.get("entities") if isinstance(group, dict) else None
    if not isinstance(rows, list):
        raise wrong(kind, _("must be a list"))
    found: dict[int, Row] = {}
    for at, row in enumerate(rows, start=1):
        if not isinstance(row, dict) or type(row.get("pk")) is not int:
            raise wrong(f"{kind}[{at}]", _("must be an object"))
        if row["pk"] in found:
            raise wrong(f"{kind}[{at}].pk", _("appears twice"))
        found[row["pk"]] = row
    return found


def _of(rows: Mapping[int, Row], word: str, owners: Mapping[int, Row], kind: str) -> dict[int, list[Row]]:
    """Each owner's rows; none may be nobody's."""
    found = defaultdict[int, list[Row]](list)
    for at, row in enumerate(rows.values(), start=1):
        owner = row.get(word)
        if type(owner) is not int or owner not in owners:
            raise wrong(f"{kind}[{at}].{word}", _("names a row that isn’t in the file"))
        found[owner].append(row)
    return found


MOST_POINTS = 1_000  # of one table


def _name(row: Row) -> str:
    for word in ("first_name", "last_name"):
        if not isinstance(row.get(word), str | None):
            raise wrong(f"Participant {row['pk']}.{word}", _("must be %(wanted)s") % {"wanted": _("text")})
    return " ".join(f"{row.get('first_name') or ''} {row.get('last_name') or ''}".split())


def _rounds(
    matches: list[Row], sides: Mapping[int, list[Row]], ids: Mapping[int, int], *, bracket: bool = False
) -> list[list[Row]]:
    rounds = defaultdict[Any, list[Row]](list)
    for match in sorted(matches, key=lambda one: (_number(one, "round"), _number(one, "order_index"))):
        rounds[match["round"]].append(_table(match, sides.get(match["pk"], []), ids, bracket))
    if missing := set(range(1, max(rounds, default=0) + 1)) - rounds.keys():
        raise wrong("Match", _("round %(number)s is missing") % {"number": min(missing)})
    return list(rounds.values())


def _table(match: Row, sides: list[Row], ids: Mapping[int, int], bracket: bool) -> Row:
    place = f"Match {match['pk']}"
    for side in sides:
        score, where = side.get("points_earned"), f"{place}, MatchParticipant {side['pk']}"
        if type(side.get("participant_pk")) is not int:
            raise wrong(where, _("isn’t a player of this part of the event"))
        if score is not None and (type(score) is not int or not 0 <= score <= MOST_POINTS):
            raise wrong(f"{where}.points_earned", _("must be %(wanted)s") % {"wanted": _("a whole number")})
    if not 1 <= len(sides) <= 2 or len({one.get("participant_pk") for one in sides}) < len(sides):
        raise wrong(place, _("must have one or two players"))
    table: Row = {"eliminationGame": bracket, "player2": {"id": None}}
    points = {one["points_earned"] for one in sides if type(one.get("points_earned")) is int}
    won = max(points) if len(points) == 2 else None
    for at, side in enumerate(sorted(sides, key=lambda one: _number(one, "table_seat")), start=1):
        if side.get("participant_pk") not in ids:
            raise wrong(
                f"{place}, MatchParticipant {side['pk']}", _("isn’t a player of this part of the event")
            )
        score = side.get("points_earned")
        winner = side.get("is_winner") is True or (won is not None and score == won)
        table[f"player{at}"] = {
            "id": ids[side["participant_pk"]],
            "combinedScore": score,
            "winner": bracket and winner,
        }
    return table


def _same(cut: list[Row], swiss: list[Row]) -> dict[int, int]:
    """The number of each player of the cut: it has rows of its own, so who has the same name is meant."""
    names = [_name(row) for row in swiss]
    for row in cut:
        if names.count(_name(row)) != 1:
            raise wrong(f"Participant {row['pk']}", _("isn’t one player of the Swiss rounds, by the name"))
    return {row["pk"]: names.index(_name(row)) + 1 for row in cut}


def _number(row: Row, word: str) -> int:
    said = row.get(word)
    if type(said) is not int or not 0 <= said <= 100_000:
        raise wrong(f"{row['pk']}.{word}", _("must be %(wanted)s") % {"wanted": _("a whole number")})
    return said
