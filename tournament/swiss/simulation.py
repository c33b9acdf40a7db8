"""Random events on plain values: who drops, who comes late, how matches end. For tests and benchmarks.

Every lot follows from the seed alone (`draw`), so the same seed plays the same event for ever.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tournament.swiss import seeded_random
from tournament.swiss.pairing import Pairing, PairingPolicy, Player, Snapshot, pair
from tournament.swiss.results import Outcome

WEIGHTS = {
    Outcome.WIN: 110,
    Outcome.LOSS: 110,
    Outcome.TIMED_WIN: 13,
    Outcome.TIMED_LOSS: 13,
    Outcome.DRAW: 10,
}
"""How often a match ends how, out of their sum over the results a policy has."""


@dataclass(frozen=True, slots=True)
class Chances:
    """Shares, 0 to 1, of the players in each round (drops, late entries) and of the tables (all others)."""

    drops: float = 0.0
    late: float = 0.0
    conflicts: float = 0.0
    slips: float = 0.0
    corrections: float = 0.0


def hits(share: float, seed: int, *labels: str | int) -> bool:
    """Whether the lot falls on something that happens in this share of the cases."""
    return seeded_random.number(seed, *labels, bits=32) < share * 2**32


def outcome(seed: int, possible: Sequence[Outcome], *labels: str | int) -> Outcome:
    """How a match ends, seen from side 1, by lot among what is possible."""
    known = [one for one in WEIGHTS if one in possible]
    lot = seeded_random.number(seed, "outcome", *labels, bits=32) * sum(WEIGHTS[one] for one in known) >> 32
    for one in known:
        lot -= WEIGHTS[one]
        if lot < 0:
            return one
    raise AssertionError("the lot is smaller than the sum of the weights")


POINTS = {
    Outcome.WIN: 5, Outcome.TIMED_WIN: 4, Outcome.DRAW: 2, Outcome.TIMED_LOSS: 1, Outcome.LOSS: 0,
}  # fmt: skip


def played(
    players: int,
    rounds: int,
    seed: int,
    *,
    policy: PairingPolicy | None = None,
    chances: Chances | None = None,
    clubs: int = 9,
) -> Iterator[tuple[Snapshot, Pairing]]:
    """Each round of an event: what it was paired from, and the pairing. Ids are 0, 1, ... in order of entering."""
    policy, chances = policy or PairingPolicy(), chances or Chances()
    score: Counter[int] = Counter()
    opponents: dict[int, list[int]] = {id: [] for id in range(players)}
    byes: Counter[int] = Counter()
    floated: dict[int, int] = {}
    active = set(opponents)
    for number in range(1, rounds + 1):
        if number > 1:
            _come_and_go(active, opponents, chances, seed, number)
        snapshot = Snapshot(
            number,
            tuple(
                Player(
                    id, score[id], tuple(opponents[id]), byes[id], floated.get(id, 0), f"club {id % clubs}"
                )
                for id in sorted(active)
            ),
        )
        pairing = pair(snapshot, policy, seed + number)
        yield snapshot, pairing
        floated = {}
        for one in pairing.pairs:
            if one.second is None:
                byes[one.first] += 1
                score[one.first] += POINTS[Outcome.WIN]
                continue
            opponents[one.first].append(one.second)
            opponents[one.second].append(one.first)
            gap = (one.second_score or 0) - one.first_score
            floated[one.first], floated[one.second] = (gap > 0) - (gap < 0), (gap < 0) - (gap > 0)
            ended = outcome(seed, tuple(POINTS), number, one.first)
            score[one.first] += POINTS[ended]
            score[one.second] += POINTS[ended.mirrored]


def last_round(
    players: int, rounds: int, seed: int, policy: PairingPolicy | None = None
) -> tuple[Snapshot, Pairing]:
    """The last round of an event in which one in a hundred drops every round."""
    *_, last = played(players, rounds, seed, policy=policy, chances=Chances(drops=0.01))
    return last


def _come_and_go(
    active: set[int], opponents: dict[int, list[int]], chances: Chances, seed: int, number: int
) -> None:
    leaving = {id for id in active if hits(chances.drops, seed, "drop", number, id)}
    coming = sum(hits(chances.late, seed, "late", number, id) for id in active)
    if len(active - leaving) > 3:
        active -= leaving
    for id in range(len(opponents), len(opponents) + coming):
        opponents[id] = []
        active.add(id)
