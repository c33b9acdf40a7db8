"""Standings of an event, and the snapshot its next round is paired from."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from django.db.models import Exists, OuterRef, Q, QuerySet

from config.row_cache import kept
from tournament.models import AwardedBye, Event, Registration, Round, Seat
from tournament.policy import policy_files
from tournament.policy.model import Policy
from tournament.selectors.matches import played
from tournament.selectors.policies import policy_current
from tournament.swiss import (
    BYE,
    Digits,
    Outcome,
    Pair,
    Pairing,
    Player,
    Record,
    SecondDay,
    Snapshot,
    Table,
    TieBreak,
    pair,
)
from tournament.swiss import standings_over_days as ranked
from tournament.swiss.tiebreaks import Part


@dataclass(frozen=True, slots=True)
class Value:
    """One tie-breaker's value: exact, and as people read it ("2.25", "66.67 %")."""

    tie_break: TieBreak
    exact: Fraction
    text: str


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's place; equal values share a rank. `results` counts the codes, the bye's among them."""

    rank: int
    registration: Registration
    points: int
    played: int
    results: dict[str, int]
    values: tuple[Value, ...]
    record: Record

    @property
    def dropped(self) -> bool:
        return self.registration.state == Registration.State.DROPPED

    @property
    def won(self) -> int:
        return sum(self.results.get(code, 0) for code in (Outcome.WIN, Outcome.TIMED_WIN, BYE))

    @property
    def drawn(self) -> int:
        return self.results.get(Outcome.DRAW, 0)

    @property
    def lost(self) -> int:
        return sum(
            self.results.get(code, 0) for code in (Outcome.LOSS, Outcome.TIMED_LOSS, Outcome.DOUBLE_LOSS)
        )


def policy_of(event: Event) -> Policy:
    """The policy the event is run by: as pinned at round 1, before that as it is now."""
    if event.policy is not None:
        return _pinned(json.dumps(event.policy), event.policy_key)
    return policy_current(event.policy_key)


@lru_cache(maxsize=64)
def _pinned(document: str, key: str) -> Policy:
    """What a text of a policy means; asked for again and again, for every report."""
    return policy_files.read(json.loads(document), name=key)


def first_day_rounds(event: Event) -> int:
    """How many Swiss rounds the first of two days has; 0 for an event of one day. `planned_rounds` are both days'."""
    rounds, planned = policy_of(event).two_days.rounds, event.planned_rounds
    if not rounds:
        return 0
    if planned is None:
        active = event.registrations.filter(state=Registration.State.ACTIVE).count()
        planned = policy_of(event).rounds_for(active).rounds
    return rounds if rounds < planned else 0


def second_day_of(event: Event) -> SecondDay | None:
    """Who plays the second day and how they are ranked; None before the first day's cut. One query after it."""
    if event.second_day_at is None:
        return None
    players = event.registrations.filter(second_day=True).values_list("pk", flat=True)
    law = policy_of(event).two_days
    return SecondDay(law.rounds, frozenset(players), law.start == "afresh")


def standings(event: Event) -> list[Standing]:
    """Who stands where, counting every settled result, in four queries.

    Dropped players keep their row; who dropped before ever being paired did not take part. Before round 1
    lots are not drawn yet, and all stand equal, in the order of entering.
    """
    return _standings(event, event.registrations.select_related("user"))


def standings_at(event: Event, version: object) -> list[Standing]:
    """The same for pages, made once for each `event_version`. Of the registrations only name, number and state are
    at hand; the rows are everybody's, not to be changed."""
    lean = event.registrations.only("event_id", "name", "number", "state")
    return kept(("standings", event.pk, version), lambda: _standings(event, lean))


def _standings(event: Event, entries: QuerySet[Registration]) -> list[Standing]:
    policy = policy_of(event)
    seats = Seat.objects.filter(registration=OuterRef("pk"), round__published_at__isnull=False)
    took_part = Q(state=Registration.State.ACTIVE) | Exists(seats)
    registrations = {one.pk: one for one in entries.filter(took_part)}
    seed = Event.objects.values_list("standings_seed", flat=True).get(pk=event.pk)
    tie_breaks = [one for one in policy.tie_breaks if seed is not None or not one.random]
    numbers = {pk: one.number for pk, one in registrations.items()}
    rows = ranked(
        list(registrations),
        played(event),
        policy.scoring,
        tie_breaks,
        second_day_of(event),
        draw_seed=seed or 0,
        lots=numbers,
    )
    return [
        Standing(
            rank=row.rank,
            registration=registrations[row.player],
            points=row.points,
            played=len(row.record.lines),
            results=_counted(line.code for line in row.record.lines),
            values=tuple(
                Value(tie_break, value, readable(tie_break, value))
                for tie_break, value in zip(tie_breaks, row.values, strict=True)
            ),
            record=row.record,
        )
        for row in rows
    ]


def _counted(codes: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}  # a Counter takes five times as long to make, and there is one a player
    for code in codes:
        counts[code] = counts.get(code, 0) + 1
    return counts


@dataclass(frozen=True, slots=True)
class Told:
    """One of a player's values and the numbers it came from; tied: how many were equal so far, the player included."""

    value: Value
    made: str
    parts: tuple[tuple[Part, str], ...]
    tied: int


def told(event: Event, rows: Sequence[Standing], row: Standing) -> list[Told]:
    """Every value of a player's with its parts as people read them, in three queries."""
    players, matches = [one.registration.pk for one in rows], played(event)
    if (day := second_day_of(event)) is not None:
        players, matches = day.counting(row.registration.pk, players, matches)
        rows = [
            one
            for one in rows
            if (one.registration.pk in day.players) == (row.registration.pk in day.players)
        ]
    table = Table(players, matches, policy_of(event).scoring, 0)
    found = []
    for at, value in enumerate(row.values):
        before = [one.exact for one in row.values[:at]]
        tied = [one.registration.pk for one in rows if [value.exact for value in one.values[:at]] == before]
        parts = value.tie_break.parts(table, row.registration.pk, tied)
        shown = tuple((part, readable_part(value.tie_break, part)) for part in parts.parts)
        found.append(Told(value, parts.made.value, shown, len(tied)))
    return found


def readable_part(tie_break: TieBreak, part: Part) -> str:
    """A part as its value is read; of a share, what was had of what could be: "6 of 9"."""
    return f"{part.value} / {part.of}" if part.of else readable(tie_break, part.value)


def readable(tie_break: TieBreak, value: Fraction) -> str:
    """A value for a table: whole numbers as they are, others to four places, percentages to two."""
    if tie_break.percent:
        return f"{float(100 * value):.2f} %"
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(value):.4f}"


def snapshot(event: Event, number: int) -> Snapshot:
    """Everything round `number` is to be paired from: who is active, points, opponents, byes, last float."""
    return snapshot_of(event, number, Q(state=Registration.State.ACTIVE))


def paired_from(round: Round) -> Snapshot:
    """What the round was paired from, as it was then: later corrections do not reach it."""
    rows = round.explanation["players"]
    return Snapshot(
        round.number,
        tuple(Player(id, score, tuple(met), *more) for id, score, met, *more in rows),
        round.explanation.get("to_come", 0),
    )


def stored_pairing(round: Round) -> Pairing:
    """The pairing as it was made, from what the round tells of it; changes by hand are not in it."""
    told = round.explanation
    pairs = tuple(Pair(**{**one, "digits": Digits(**one["digits"])}) for one in told["pairs"])
    ahead = told.get("ahead", 0)
    return Pairing(round.number, round.seed, pairs, told["candidates"], told["rematches_allowed"], ahead)


def replay(round: Round) -> Pairing:
    """Pair a round again from its seed and what it was paired from: byte for byte what `round.explanation` tells."""
    return pair(paired_from(round), policy_of(round.event).pairing, round.seed)


def snapshot_of(event: Event, number: int, who: Q) -> Snapshot:
    """The same for other registrations than the active ones."""
    policy = policy_of(event)
    before = [match for match in played(event) if match.round < number]
    everybody = event.registrations.values_list("pk", flat=True)
    table = Table(list(everybody), before, policy.scoring, 0)
    floated = _floats(event, number - 1)
    day = second_day_of(event)
    begun = day.after if day is not None and day.afresh and number > day.after else 0
    last = first_day_rounds(event)
    announced = last if number <= last else event.planned_rounds or 0
    awarded = set(
        AwardedBye.objects.filter(registration__event=event, number=number).values_list(
            "registration", flat=True
        )
    )
    return Snapshot(
        number,
        tuple(
            Player(
                id=pk,
                score=sum(line.points for line in table.records[pk].lines if line.round > begun),
                opponents=table.records[pk].opponents,
                byes=sum(line.code == BYE for line in table.records[pk].lines),
                floated=floated.get(pk, 0),
                club=club,
                table=fixed,
                awarded=pk in awarded,
                lot=number_of,
            )
            for pk, club, fixed, number_of in event.registrations.filter(who)
            .order_by("number")
            .values_list("pk", "club", "fixed_table", "number")
        ),
        max(0, announced - number),
    )


def _floats(event: Event, number: int) -> dict[int, int]:
    """Who was paired up (+1) or down (-1) in a round, by the scores it was paired on; by hand counts as well."""
    explanation = event.rounds.filter(number=number).values_list("explanation", flat=True).first() or {}
    floats: dict[int, int] = {}
    for told in [*explanation.get("pairs", ()), *explanation.get("by_hand", ())]:
        first, second = told["first"], told["second"]
        up = (
            0
            if second is None
            else (told["first_score"] < told["second_score"]) - (told["first_score"] > told["second_score"])
        )
        floats[first] = up
        if second is not None:
            floats[second] = -up
    return floats
