"""Standings of an event, and the snapshot its next round is paired from."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from django.db.models import Exists, OuterRef, Q

from tournament import policy_files
from tournament.models import Event, Registration, Round, Seat
from tournament.selectors.matches import played
from tournament.swiss import BYE, Outcome, Pairing, Player, Record, Snapshot, Table, TieBreak, pair
from tournament.swiss import standings as ranked
from tournament.swiss.tiebreaks import Drawn


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


def policy_of(event: Event) -> policy_files.Policy:
    """The policy the event is run by: as pinned at round 1, before that the file's."""
    if event.policy is not None:
        return policy_files.read(event.policy, name=event.policy_key)
    return policy_files.policy(event.policy_key)


def standings(event: Event) -> list[Standing]:
    """Who stands where, counting every settled result, in four queries.

    Dropped players keep their row; who dropped before ever being paired did not take part. Before round 1
    lots are not drawn yet, and all stand equal.
    """
    policy = policy_of(event)
    took_part = Q(state=Registration.State.ACTIVE) | Exists(Seat.objects.filter(registration=OuterRef("pk")))
    registrations = {one.pk: one for one in event.registrations.filter(took_part).select_related("user")}
    seed = event.rounds.filter(number=1).values_list("seed", flat=True).first()
    tie_breaks = [one for one in policy.tie_breaks if seed is not None or not isinstance(one, Drawn)]
    rows = ranked(list(registrations), played(event), policy.scoring, tie_breaks, draw_seed=seed or 0)
    return [
        Standing(
            rank=row.rank,
            registration=registrations[row.player],
            points=row.points,
            played=len(row.record.lines),
            results=dict(Counter(line.code for line in row.record.lines)),
            values=tuple(
                Value(tie_break, value, readable(tie_break, value))
                for tie_break, value in zip(tie_breaks, row.values, strict=True)
            ),
            record=row.record,
        )
        for row in rows
    ]


def readable(tie_break: TieBreak, value: Fraction) -> str:
    """A value for a table: whole numbers as they are, others to four places, percentages to two."""
    if tie_break.percent:
        return f"{float(100 * value):.2f} %"
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(value):.4f}"


def snapshot(event: Event, number: int) -> Snapshot:
    """Everything round `number` is to be paired from: who is active, points, opponents, byes, last float."""
    return _snapshot(event, number, Q(state=Registration.State.ACTIVE))


def replay(round: Round) -> Pairing:
    """Pair a round again from its stored seed and the results before it.

    The same as `round.explanation` tells, unless an earlier result or a club was changed since.
    """
    players = _snapshot(round.event, round.number, Q(seats__round=round))
    return pair(players, policy_of(round.event).pairing, round.seed)


def _snapshot(event: Event, number: int, who: Q) -> Snapshot:
    policy = policy_of(event)
    before = [match for match in played(event) if match.round < number]
    everybody = event.registrations.values_list("pk", flat=True)
    table = Table(list(everybody), before, policy.scoring, 0)
    floated = _floats(event, number - 1)
    return Snapshot(
        number,
        tuple(
            Player(
                id=pk,
                score=table.records[pk].points,
                opponents=table.records[pk].opponents,
                byes=sum(line.code == BYE for line in table.records[pk].lines),
                floated=floated.get(pk, 0),
                club=club,
            )
            for pk, club in event.registrations.filter(who).values_list("pk", "club")
        ),
    )


def _floats(event: Event, number: int) -> dict[int, int]:
    """Who was paired up (+1) or down (-1) in a round, by the scores it was paired on."""
    explanation = event.rounds.filter(number=number).values_list("explanation", flat=True).first()
    floats: dict[int, int] = {}
    for told in explanation["pairs"] if explanation else []:
        if told["second"] is not None and told["first_score"] != told["second_score"]:
            up = 1 if told["first_score"] < told["second_score"] else -1
            floats[told["first"]], floats[told["second"]] = up, -up
    return floats
