"""A round matched block by block costs, by every rule, what it costs matched as a whole."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.swiss import Pairing, PairingPolicy, Player, Snapshot, blocks, pair, seeded_random
from tournament.swiss.blocks import Solve, Solved
from tournament.swiss.simulation import last_round

DENSE = PairingPolicy(dense_up_to=10_000)


def whole(scores: object, solve: Solve) -> blocks.Pairs | None:
    solved = solve(0, len(scores))  # type: ignore[arg-type]
    return solved.pairs if solved else None


def both(snapshot: Snapshot, seed: int) -> tuple[Pairing, Pairing]:
    by_blocks = pair(snapshot, DENSE, seed)
    kept = blocks.cheapest
    blocks.cheapest = whole
    try:
        return by_blocks, pair(snapshot, DENSE, seed)
    finally:
        blocks.cheapest = kept


def rules(pairing: Pairing) -> tuple[int, ...]:
    total = pairing.total
    return (
        total.rematch, total.second_bye, total.bye_height, total.distance, total.refloat, total.club,
    )  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.integers(6, 60), st.integers(2, 9), st.integers(0, 2**40))
def test_an_event_played_on_costs_the_same(players: int, last: int, seed: int) -> None:
    snapshot, _ = last_round(players, last, seed)
    one, two = both(snapshot, seed)
    assert rules(one) == rules(two)


@settings(max_examples=150, deadline=None)
@given(st.integers(4, 24), st.integers(1, 4), st.integers(0, 2**40))
def test_a_field_made_hard_by_lot_costs_the_same(players: int, spread: int, seed: int) -> None:
    """Few scores far apart, many who have met: blocks must be joined, or rematches allowed."""
    met: dict[int, set[int]] = {id: set() for id in range(players)}
    for one in range(players):
        for two in range(one):
            if seeded_random.number(seed, "met", one, two, bits=8) < 90:
                met[one].add(two)
                met[two].add(one)
    field = tuple(
        Player(
            id,
            score=spread * (seeded_random.number(seed, "score", id, bits=3)),
            opponents=tuple(sorted(met[id])),
            byes=seeded_random.number(seed, "bye", id, bits=1),
            floated=seeded_random.number(seed, "float", id, bits=2) % 3 - 1,
            club=f"club {seeded_random.number(seed, 'club', id, bits=2)}",
        )
        for id in range(players)
    )
    by_blocks, at_once = both(Snapshot(4, field), seed)
    assert rules(by_blocks) == rules(at_once)


def test_blocks_are_split_where_an_even_number_stands_above() -> None:
    asked: list[tuple[int, int]] = []

    def solve(start: int, stop: int) -> Solved:
        asked.append((start, stop))
        nodes = list(range(start, stop))
        return Solved(list(zip(nodes[::2], nodes[1::2], strict=True)), 1 if start == 2 else 0, clean=True)

    pairs = blocks.cheapest([9, 9, 7, 6, 3, 3], solve)
    assert asked == [(0, 2), (2, 4), (4, 6)] and pairs == [(0, 1), (2, 3), (4, 5)]


def test_a_block_that_cannot_stand_alone_is_joined_with_its_neighbour() -> None:
    asked: list[tuple[int, int]] = []

    def solve(start: int, stop: int) -> Solved | None:
        asked.append((start, stop))
        return None if stop - start == 2 and start == 0 else Solved([], 0, clean=True)

    assert blocks.cheapest([9, 9, 7, 7, 3, 3], solve) == []
    assert asked == [(0, 2), (2, 4), (4, 6), (0, 4)]


def test_a_block_dearer_than_lying_across_a_split_is_joined() -> None:
    """Slack 2 beside a gap of 1: two tables across would cost 2, and might be better by a lesser rule."""
    asked: list[tuple[int, int]] = []

    def solve(start: int, stop: int) -> Solved:
        asked.append((start, stop))
        return Solved([], 2 if (start, stop) == (0, 2) else 0, clean=True)

    blocks.cheapest([5, 5, 4, 4, 1, 1], solve)
    assert (0, 4) in asked and (2, 6) not in asked


def test_a_bye_higher_than_the_last_score_joins_blocks_until_it_is_proven() -> None:
    """The last two have had their bye; the next score is the best place for it."""
    scores = [6, 6, 3, 0, 0]
    players = tuple(Player(id, score, byes=int(score == 0)) for id, score in enumerate(scores))
    one, two = both(Snapshot(3, players), 1)
    assert rules(one) == rules(two) and one.total.bye_height == 3
