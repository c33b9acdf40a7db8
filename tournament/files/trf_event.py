"""Turns a tournament report file into the document that `event_import` reads (tournament.files.shape).

What the format does not carry is not there afterwards: lists, penalties, clocks, who reported what, tables, why a
pairing is what it is. A half-point bye is a draw against nobody; a player absent to the end has dropped.
"""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

from django.utils.text import slugify
from django.utils.translation import gettext as _

from config.errors import UserError
from tournament.files.shape import EVENT, KIND, KINDS, VERSION, row_of
from tournament.files.trf import DRAWN, LOST, WON, Game, Trf, TrfPlayer
from tournament.policy.model import Policy

Row = dict[str, Any]


def document_of(trf: Trf, policy: Policy, *, format: str, now: datetime) -> dict[str, Any]:
    """The event's document. Raises UserError `bad-trf` for what the policy has no points for."""
    if any(game and game.result in DRAWN for one in trf.players for game in one.games):
        _must_have_draws(policy)
    rounds = max((len(one.games) for one in trf.players), default=0)
    rows: dict[str, list[Row]] = {kind.key: [] for kind in KINDS}
    places = {one.number: place for place, one in enumerate(trf.players, start=1)}
    for place, one in enumerate(trf.players, start=1):
        rows["players"].append(_player(one, place, rounds, now))
    whole = True
    absent_from = {one.number: _absent_from(one) for one in trf.players}
    for index in range(rounds):
        whole = _round(rows, trf, places, absent_from, index, now)
    over = whole and rounds >= trf.rounds
    name = trf.name.strip() or _("Event from a report file")
    day = day_of(trf.headers.get("042", ""), now, played=True)
    event = row_of(
        EVENT,
        slug=f"{slugify(name)[:39].strip('-') or 'event'}-{day[:4]}",
        name=name[:120],
        venue=trf.headers.get("022", "")[:200],
        starts_on=day,
        format=format,
        format_on=day,
        policy_key=policy.key,
        policy=policy.document,
        planned_rounds=max(rounds, trf.rounds),
        cut={"places": 0, "ties": False},
        state="finished" if over else "running",
        standings_seed=0,
        created_at=now.isoformat(),
    )
    return {"kind": KIND, "version": VERSION, "event": event, **rows}


def _round(
    rows: dict[str, list[Row]],
    trf: Trf,
    places: dict[int, int],
    absent_from: dict[int, int],
    index: int,
    now: datetime,
) -> bool:
    """Add a round with its matches, seats and results; whether every result of it is known."""
    kinds = {kind.key: kind for kind in KINDS}
    known = {one.number: one for one in trf.players}
    rows["rounds"].append({})
    number, table, whole = index + 1, 0, True
    for one in trf.players:
        game = one.games[index] if index < len(one.games) else None
        if game is None or absent_from[one.number] <= index:
            continue
        other = known.get(game.opponent or 0)
        if other is not None and (_second(one, index), one.number) > (_second(other, index), other.number):
            continue  # the opponent's line tells of this table
        table += other is not None
        rows["matches"].append(row_of(kinds["matches"], round=number, table=table if other else None))
        match = len(rows["matches"])
        for side, player in enumerate(filter(None, (one, other)), start=1):
            seat = row_of(
                kinds["seats"], round=number, match=match, registration=places[player.number], side=side
            )
            rows["seats"].append(seat)
        told = _outcome(game, other.games[index] if other else None)
        whole = whole and (told is not None or other is None)
        if told is not None:
            outcome, how = told
            report = row_of(
                kinds["reports"], match=match, seat=None, number=1, outcome=outcome, how=how,
                reason=_("as in the report file"), reported_at=now.isoformat(),
            )  # fmt: skip
            rows["reports"].append(report)
    at = now.isoformat()
    rows["rounds"][index] = row_of(
        kinds["rounds"], number=number, stage=None, seed=0, explanation={"pairs": []}, published_at=at,
        finished_at=at if whole else None,
    )  # fmt: skip
    return whole


def _second(player: TrfPlayer, index: int) -> bool:
    """Whether this player's line says that the other had the first side."""
    game = player.games[index]
    return game is not None and game.color == "b"


def _outcome(game: Game, theirs: Game | None) -> tuple[str, str] | None:
    """(result of the first, how it came about); None for a bye, or while it is not known."""
    if theirs is None:
        if game.result in WON:
            return None
        return ("draw", "played") if game.result == "H" else ("double-loss", "no-show")
    how = "no-show" if game.result in "+-" and game.result else "played"
    if not game.result:
        return None
    if game.result in WON:
        return "win", how
    if game.result in LOST:
        return ("loss", how) if theirs.result and theirs.result in WON else ("double-loss", how)
    return "draw", "played"


def _absent_from(player: TrfPlayer) -> int:
    """The first round, from 0, of those to the end that the player was absent from."""
    games = player.games
    at = len(games)
    while at and (games[at - 1] is None or games[at - 1] == Game(None, games[at - 1].color, "Z")):  # type: ignore[union-attr]
        at -= 1
    return at if any(game is not None for game in games[at:]) else len(games)


def _player(one: TrfPlayer, place: int, rounds: int, now: datetime) -> Row:
    kind = next(kind for kind in KINDS if kind.key == "players")
    gone = _absent_from(one)
    left: Row = {"state": "dropped", "dropped_after": gone} if gone < rounds and gone < len(one.games) else {}
    return row_of(
        kind, number=place, name=one.name[:80] or str(one.number), registered_at=now.isoformat(),
        revision=None, report=None, **left,
    )  # fmt: skip


FIRST_DAY = date(1993, 1, 1)  # of an event; an earlier one is a slip of the pen


def day_of(said: str, now: datetime, *, played: bool) -> str:
    """The day a file names, as ISO; today where it names none that can be the event's. played: it has rounds."""
    day = read_day(said)
    return (day if day and can_be(day, now, played=played) else now.date()).isoformat()


def can_be(day: date, now: datetime, *, played: bool) -> bool:
    """Whether an event can have been on this day, or can be, if no round of it was played."""
    return FIRST_DAY <= day <= now.date() + timedelta(days=1 if played else 1000)


def read_day(said: str) -> date | None:
    """A date as files write it; None for what is none, and for 03/04/2024, which may be two days."""
    days = set(_dates(re.sub(r"\s*[/.]\s*", "-", said.strip().partition("T")[0])))
    return days.pop() if len(days) == 1 else None


def _dates(said: str) -> Iterator[date]:
    for shape in ("%Y-%m-%d", "%d-%m-%Y", "%m-%d-%Y", "%y-%m-%d", "%b %d, %Y", "%B %d, %Y", "%d %B %Y"):
        try:
            yield datetime.strptime(said, shape).date()
        except ValueError:
            continue


def _must_have_draws(policy: Policy) -> None:
    if "draw" not in policy.scoring.points:
        raise UserError(
            "bad-trf",
            _("The file has draws, and the policy “%(title)s” has no points for them.")
            % {"title": policy.title},
            place="policy_key",
            remedy=_("Choose a different policy."),
        )
