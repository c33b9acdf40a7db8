"""Turns a table of results into the document that `event_import` reads (tournament.files.shape).

Results and games are as the file has them; who sits at no table to the end has dropped. Rounds of a bracket, lists,
penalties and clocks are not in it.
"""

from datetime import datetime
from typing import Any

from django.utils.text import slugify
from django.utils.translation import gettext as _

from config.errors import UserError
from tournament.files.results import Meeting, Results
from tournament.files.shape import EVENT, KIND, KINDS, VERSION, row_of
from tournament.files.trf_event import day_of
from tournament.policy.model import Policy
from tournament.swiss import Outcome

Row = dict[str, Any]
_KINDS = {kind.key: kind for kind in KINDS}


def document_of(results: Results, policy: Policy, *, format: str, now: datetime) -> dict[str, Any]:
    """The event's document. Raises UserError `bad-file` for a result that the policy has no points for."""
    rows: dict[str, list[Row]] = {kind.key: [] for kind in KINDS}
    rounds = len(results.rounds)
    last = {
        player: at
        for at, meetings in enumerate(results.rounds, start=1)
        for one in meetings
        for player in (one.one, one.two)
    }
    for place, name in enumerate(results.names, start=1):
        rows["players"].append(_player(name, place, last.get(place, 0), rounds, now))
    whole = [_round(rows, meetings, at, policy, now) for at, meetings in enumerate(results.rounds, start=1)]
    name = results.name or _("Event from a table of results")
    day = day_of(results.date, now, played=True)
    event = row_of(
        EVENT,
        slug=f"{slugify(name)[:39].strip('-') or 'event'}-{day[:4]}",
        name=name[:120],
        starts_on=day,
        format=format,
        format_on=day,
        policy_key=policy.key,
        policy=policy.document,
        planned_rounds=rounds,
        cut={"places": 0, "ties": False},
        state="finished" if all(whole) else "running",
        standings_seed=0,
        created_at=now.isoformat(),
    )
    return {"kind": KIND, "version": VERSION, "event": event, **rows}


def _player(name: str, place: int, last: int, rounds: int, now: datetime) -> Row:
    """last: the round after which the player sits at no table, 0 for none."""
    left: Row = {"state": "dropped", "dropped_after": last} if last < rounds else {}
    return row_of(
        _KINDS["players"], number=place, name=name, registered_at=now.isoformat(), revision=None, report=None, **left,
    )  # fmt: skip


def _round(
    rows: dict[str, list[Row]], meetings: list[Meeting], number: int, policy: Policy, now: datetime
) -> bool:
    """Add a round with its tables; whether every result of it is known."""
    at, table, whole = now.isoformat(), 0, True
    rows["rounds"].append({})
    for one in meetings:
        table += one.two is not None
        rows["matches"].append(
            row_of(_KINDS["matches"], round=number, table=table if one.two is not None else None)
        )
        match = len(rows["matches"])
        for side, player in enumerate((one.one, one.two), start=1):
            if player is not None:
                seat = row_of(_KINDS["seats"], round=number, match=match, registration=player, side=side)
                rows["seats"].append(seat)
        if one.outcome is None:
            whole = whole and one.two is None
            continue
        _must_count(one, policy)
        rows["reports"].append(
            row_of(
                _KINDS["reports"], match=match, seat=None, number=1, outcome=one.outcome.value,
                games=list(one.games) if one.games else None,
                how="no-show" if one.two is None and one.outcome is Outcome.DOUBLE_LOSS else "played",
                reason=_("as in the table of results"), reported_at=at,
            )
        )  # fmt: skip
    rows["rounds"][number - 1] = row_of(
        _KINDS["rounds"], number=number, stage=None, seed=0, explanation={"pairs": []}, published_at=at,
        finished_at=at if whole else None,
    )  # fmt: skip
    return whole


def _must_count(one: Meeting, policy: Policy) -> None:
    scoring = policy.scoring
    most = scoring.games.get("win", (20, 0, 0))[0]
    if one.games and (max(one.games[:2]) > most or sum(one.games) > (scoring.most_games or 99)):
        raise UserError(
            "bad-file",
            _("%(games)s is more games than a match has under the policy “%(title)s”.")
            % {"games": "-".join(map(str, one.games)), "title": policy.title},
            place=one.place,
            remedy=_("Correct the result, or choose a different policy."),
        )
    if one.games and most and one.games[0] == one.games[1] == most:
        raise UserError(
            "bad-file",
            _("%(games)s: both players can’t have the games that win a match under the policy “%(title)s”.")
            % {"games": "-".join(map(str, one.games)), "title": policy.title},
            place=one.place,
            remedy=_("Correct the result, or choose a different policy."),
        )
    if one.outcome not in policy.scoring.points:
        raise UserError(
            "bad-file",
            _("The policy “%(title)s” has no points for the result “%(outcome)s”.")
            % {"outcome": one.outcome, "title": policy.title},
            place=one.place,
            remedy=_("Choose a different policy."),
        )
