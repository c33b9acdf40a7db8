"""Turns an NRTM file into the document that `event_import` reads (tournament.files.shape).

The file has scores, not results: what the policy gives for a win, a draw or a timed result is read as that, any other
pair by who has more; the scores stay as the result's reason. Where the policy sums the points of a match's games, the
games are those that give the scores. 0 to 0 was not played yet in the last round, and lost by
both before. What sides were played, and with which deck, is not kept.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import override

from tournament.bracket_words import wave_title
from tournament.files.nrtm import Nrtm, Table
from tournament.files.shape import EVENT, KIND, KINDS, VERSION, row_of, wrong
from tournament.files.trf_event import day_of
from tournament.policy.model import BracketKind, Policy
from tournament.swiss import Outcome, Scoring
from tournament.swiss.brackets import (
    MOST,
    Bracket,
    Standing,
    double_elimination,
    over,
    single_elimination,
    state,
)

Row = dict[str, Any]
Games = tuple[int, int, int]
KINDS_BY_KEY = {kind.key: kind for kind in KINDS}
SCORED = (Outcome.WIN, Outcome.TIMED_WIN, Outcome.DRAW)


def document_of(nrtm: Nrtm, policy: Policy, *, format: str, now: datetime) -> dict[str, Any]:
    """The event's document. Raises UserError `bad-file` for a draw that the policy has no points for, and for a
    bracket that is none this service draws."""
    rows: dict[str, list[Row]] = {kind.key: [] for kind in KINDS}
    last = len(nrtm.swiss)
    seated = {
        place: at
        for at, tables in enumerate(nrtm.swiss, start=1)
        for table in tables
        for place in table.players
    }
    seeds = set(nrtm.seeds)
    for place, name in enumerate(nrtm.names, start=1):
        stays = place in seeds or seated.get(place, 0) == last
        rows["players"].append(_player(name, place, None if stays else seated.get(place, 0), now))
    whole = True
    for number, tables in enumerate(nrtm.swiss, start=1):
        results = [_result(table, policy, last=number == last and not nrtm.bracket) for table in tables]
        byes = [
            result is None and len(table.players) == 1 for table, result in zip(tables, results, strict=True)
        ]
        whole = all(result or bye for result, bye in zip(results, byes, strict=True))
        _add(rows, tables, results, now, number=number, finished=whole)
    planned = max(nrtm.planned, last)
    done = whole and last >= planned and not nrtm.cut
    kind = ""
    if nrtm.bracket:
        kind, done = _bracket(rows, nrtm, policy, now)
    name = nrtm.name or _("Event from a report file")
    day = day_of(nrtm.date, now, played=bool(last))
    event = row_of(
        EVENT,
        slug=f"{slugify(name)[:39].strip('-') or 'event'}-{day[:4]}",
        name=name[:120],
        starts_on=day,
        format=format,
        format_on=day,
        policy_key=policy.key,
        policy=policy.document if last else None,  # pinned with round 1
        planned_rounds=planned or None,
        cut={"places": len(nrtm.seeds) or nrtm.cut, "ties": False},
        bracket_kind=kind,
        state=("finished" if done else "running") if last else "registration",
        standings_seed=0,
        created_at=now.isoformat(),
    )
    return {"kind": KIND, "version": VERSION, "event": event, **rows}


def _player(name: str, place: int, gone: int | None, now: datetime) -> Row:
    """gone: the round after which one sits at no table to the end of the Swiss rounds; None for who stays to the end,
    or whom the bracket knows."""
    left: Row = {} if gone is None else {"state": "dropped", "dropped_after": gone}
    return row_of(
        KINDS_BY_KEY["players"], number=place, name=name[:80], registered_at=now.isoformat(), revision=None,
        report=None, **left,
    )  # fmt: skip


Result = tuple[Outcome, str, str, Games | None]


def _result(table: Table, policy: Policy, *, last: bool) -> Result | None:
    """(result of the first, how it came about, the scores in words, the games); None for a bye and for what is not
    known."""
    points = policy.scoring.points
    if len(table.players) == 1:
        missed = table.scores == (0,) and points["bye"]
        return (Outcome.DOUBLE_LOSS, "no-show", _("as in the report file"), None) if missed else None
    if table.scores is None:
        return None
    one, two = table.scores
    words = _("as in the report file: %(one)s to %(two)s") % {"one": one, "two": two}
    how = "agreed" if table.agreed and one == two else "played"
    if games := games_of(policy.scoring, one, two):
        lead = games[0] - games[1]
        return (Outcome.WIN if lead > 0 else Outcome.LOSS if lead < 0 else Outcome.DRAW), how, words, games
    for code in () if policy.scoring.per_game else SCORED:
        for first in (code, code.mirrored):
            if (points.get(first), points.get(first.mirrored)) == (one, two):
                return first, how, words, None
    if one != two:
        return (Outcome.WIN if one > two else Outcome.LOSS), "played", words, None
    if not one:
        return None if last else (Outcome.DOUBLE_LOSS, "played", words, None)
    if Outcome.DRAW not in points:
        raise wrong(
            table.place,
            _("is a draw, and the policy “%(title)s” has no points for one") % {"title": policy.title},
        )
    return Outcome.DRAW, "agreed" if table.agreed else "played", words, None


def games_of(scoring: Scoring, one: int, two: int) -> Games | None:
    """The games (won by the first, by the second, drawn) whose points are these; None for none, or several."""
    if not scoring.per_game:
        return None
    most = sum(scoring.games[Outcome.WIN])
    played = [(won, lost, most - won - lost) for won in range(most + 1) for lost in range(most - won + 1)]
    fit = [
        games
        for games in played
        if scoring.worth(Outcome.WIN, games) == one
        and scoring.worth(Outcome.WIN, (games[1], games[0], games[2])) == two
    ]
    return fit[0] if len(fit) == 1 else None


def unusual_scores(nrtm: Nrtm, policy: Policy) -> list[tuple[str, int, int]]:
    """(place, points of one, of the other) of every table whose scores no result of the policy gives: summed over two
    games, say. They are read by who has more, and the standings come out otherwise."""
    points = policy.scoring.by_result
    given = {
        (points[code], points[code.mirrored]) for code in SCORED if {code, code.mirrored} <= points.keys()
    }
    given = set() if policy.scoring.per_game else given
    given |= {(two, one) for one, two in given} | {(0, 0)}
    return [
        (table.place, table.scores[0], table.scores[1])
        for tables in nrtm.swiss
        for table in tables
        if table.scores is not None
        and len(table.scores) == 2
        and table.scores not in given
        and not games_of(policy.scoring, *table.scores)
    ]


def lost_by_both(nrtm: Nrtm) -> list[str]:
    """The places of tables of old rounds where both have 0, which could be a result never entered."""
    old = nrtm.swiss if nrtm.bracket else nrtm.swiss[:-1]
    return [table.place for tables in old for table in tables if table.scores == (0, 0)]


def _add(
    rows: dict[str, list[Row]],
    tables: Sequence[Table],
    results: Sequence[Result | None],
    now: datetime,
    *,
    finished: bool,
    games: Sequence[int] = (),
    **round: Any,
) -> None:
    """Add a round with its matches, seats and results. games: the tables' games in the bracket."""
    at = now.isoformat()
    round = {"stage": None, "seed": 0, "explanation": {"pairs": []}, **round}
    rows["rounds"].append(
        row_of(KINDS_BY_KEY["rounds"], published_at=at, finished_at=at if finished else None, **round)
    )
    number, seat_number = len(rows["rounds"]), 0
    for index, (table, result) in enumerate(zip(tables, results, strict=True)):
        pair = len(table.players) == 2
        seat_number += pair
        game = {"game": games[index]} if games else {}
        rows["matches"].append(
            row_of(KINDS_BY_KEY["matches"], round=number, table=seat_number if pair else None, **game)
        )
        match = len(rows["matches"])
        for side, player in enumerate(table.players, start=1):
            rows["seats"].append(
                row_of(KINDS_BY_KEY["seats"], round=number, match=match, registration=player, side=side)
            )
        if result is not None:
            outcome, how, reason, counted = result
            rows["reports"].append(
                row_of(
                    KINDS_BY_KEY["reports"],
                    match=match,
                    seat=None,
                    number=1,
                    outcome=outcome.value,
                    games=list(counted) if counted else None,
                    how=how,
                    reason=reason,
                    reported_at=at,
                )
            )


# --- the bracket --------------------------------------------------------------------------------------------


def _bracket(rows: dict[str, list[Row]], nrtm: Nrtm, policy: Policy, now: datetime) -> tuple[str, bool]:
    """Add the stage and its rounds: (its kind, whether it has been played to its end).

    A file does not say how its bracket is played: it is the kind whose games these are; of several the one that is
    over with them, then the policy's own.
    """
    if not 2 <= len(nrtm.seeds) <= MOST:
        raise wrong(
            "eliminationPlayers", _("must be from %(least)s to %(most)s") % {"least": 2, "most": MOST}
        )
    drawn = {
        (BracketKind.SINGLE, False): single_elimination(len(nrtm.seeds)),
        (BracketKind.SINGLE, True): single_elimination(len(nrtm.seeds), third_place=True),
        (BracketKind.DOUBLE, False): double_elimination(len(nrtm.seeds)),
    }
    fitting = []
    for (kind, third), bracket in drawn.items():
        played, stands = _played(bracket, nrtm)
        if isinstance(played, dict):
            own = (kind, third) == (policy.bracket.kind, policy.bracket.third_place)
            fitting.append((not over(stands), not own, kind.value, third, bracket, played, stands))
    if not fitting:
        torn = (str(_played(bracket, nrtm)[0]) for bracket in drawn.values())
        raise wrong(
            max(torn, key=lambda place: [int(number) for number in re.findall(r"\d+", place)]),
            _("doesn’t follow from the seeds and the earlier results, in single or double elimination"),
        )
    unfinished, _own, name, third, bracket, played, stands = min(fitting, key=lambda one: one[:2])
    at = now.isoformat()
    rows["stages"].append(
        row_of(
            KINDS_BY_KEY["stages"],
            number=1,
            kind=name,
            third_place=third,
            choice=policy.bracket.choice,
            cut={"rule": {"places": len(nrtm.seeds), "ties": False}, "line": ""},
            opened_at=at,
            finished_at=None if unfinished else at,
        )
    )
    for seed, place in enumerate(nrtm.seeds, start=1):
        rows["stage_entries"].append(
            row_of(KINDS_BY_KEY["stage_entries"], stage=1, registration=place, seed=seed)
        )
    for wave in range(1, bracket.waves + 1):
        _wave(rows, nrtm, bracket, wave, [one for one in stands if one.game.number in played], played, now)
    return name, not unfinished


def _wave(
    rows: dict[str, list[Row]],
    nrtm: Nrtm,
    bracket: Bracket,
    wave: int,
    stands: Sequence[Standing],
    played: dict[int, Table],
    now: datetime,
) -> None:
    here = [one for one in stands if one.game.wave == wave]
    if not here:
        return
    tables, results = [], []
    for one in here:
        table = played[one.game.number]
        assert one.one is not None and one.two is not None, "a game that was played has two players"
        tables.append(Table(table.place, (nrtm.seeds[one.one - 1], nrtm.seeds[one.two - 1]), None))
        outcome = Outcome.WIN if one.winner == one.one else Outcome.LOSS
        results.append((outcome, "played", _("as in the report file"), None) if one.winner else None)
    with override(settings.LANGUAGE_CODE):  # kept in English, whoever reads the file; pages translate it
        title = wave_title(bracket, wave)[:200]
    _add(
        rows, tables, results, now, games=[one.game.number for one in here], finished=all(results),
        number=len(rows["rounds"]) + 1, stage=1, wave=wave, title=title,
    )  # fmt: skip


def _played(bracket: Bracket, nrtm: Nrtm) -> tuple[dict[int, Table] | str, tuple[Standing, ...]]:
    """(the file's table of every game played or being played, how the bracket then stands); instead of the tables the
    place of the first that is no game of this bracket."""
    seed_of = {place: seed for seed, place in enumerate(nrtm.seeds, start=1)}
    games: dict[int, Table] = {}
    won: dict[int, int] = {}
    for tables in nrtm.bracket:
        pending = [(frozenset(seed_of.get(player) for player in table.players), table) for table in tables]
        while pending:
            stands = state(bracket, won)
            ready = {
                frozenset((one.one, one.two)): one
                for one in stands
                if one.ready and one.game.number not in games
            }
            at = next((at for at, (pair, _table) in enumerate(pending) if pair in ready), None)
            if at is None:
                return pending[0][1].place, stands
            pair, table = pending.pop(at)
            games[ready[pair].game.number] = table
            if table.winner is not None:
                first = seed_of[table.players[table.winner]] == ready[pair].one
                won[ready[pair].game.number] = 1 if first else 2
    stands = state(bracket, won)
    return next(_torn(bracket, nrtm, stands, games), games), stands


def _torn(bracket: Bracket, nrtm: Nrtm, stands: Sequence[Standing], games: dict[int, Table]) -> Iterator[str]:
    """The place of the last round, where a game is missing from a wave of which, or after which, others are there."""
    last = max(stands[number - 1].game.wave for number in games) if games else 0
    if any(one.needed and one.game.wave <= last and one.game.number not in games for one in stands):
        yield f"rounds[{len(nrtm.swiss) + len(nrtm.bracket)}]"
