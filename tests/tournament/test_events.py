"""Whole events with drops, late entries and byes: what must hold in every round, beside networkx on all pairs."""

from collections import Counter

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.swiss import Pairing, PairingPolicy, Player, Snapshot, draw, pair

DENSE_UP_TO = 24  # fields beside which the other program is asked for the optimum


def rounds(
    players: int, count: int, seed: int, chance: int, policy: PairingPolicy
) -> list[tuple[Snapshot, Pairing]]:
    """An event: in each round players drop, and others come late, with about `chance` in 256 each."""
    score: Counter[int] = Counter()
    opponents: dict[int, list[int]] = {id: [] for id in range(players)}
    byes: Counter[int] = Counter()
    floated: Counter[int] = Counter()
    active = set(opponents)
    found = []
    for number in range(1, count + 1):
        leaving = {id for id in active if draw.number(seed, "drop", number, id, bits=8) < chance}
        if number > 1 and len(active - leaving) > 3:
            active -= leaving
            for late in range(len(opponents), len(opponents) + len(leaving) // 2):
                opponents[late] = []
                active.add(late)
        field = tuple(
            Player(id, score[id], tuple(opponents[id]), byes[id], floated[id], f"club {id % 7}")
            for id in active
        )
        snapshot = Snapshot(number, field)
        pairing = pair(snapshot, policy, seed + number)
        found.append((snapshot, pairing))
        floated.clear()
        for one in pairing.pairs:
            if one.second is None:
                byes[one.first] += 1
                score[one.first] += 3
                continue
            opponents[one.first].append(one.second)
            opponents[one.second].append(one.first)
            gap = (one.second_score or 0) - one.first_score
            floated[one.first], floated[one.second] = (gap > 0) - (gap < 0), (gap < 0) - (gap > 0)
            lot = draw.number(seed, "result", number, one.first, bits=8)
            won, lost = (3, 0) if lot < 120 else (0, 3) if lot < 240 else (1, 1)
            score[one.first] += won
            score[one.second] += lost
    return found


def graph(snapshot: Snapshot, *, first_byes_only: bool) -> nx.Graph:
    """All pairs that have not met, weighted by squared distance; node -1 is the bye."""
    found = nx.Graph()
    players = snapshot.players
    found.add_nodes_from(player.id for player in players)
    for index, one in enumerate(players):
        for two in players[index + 1 :]:
            if two.id not in one.opponents:
                found.add_edge(one.id, two.id, weight=(one.score - two.score) ** 2)
        if len(players) % 2 and not (first_byes_only and one.byes):
            found.add_edge(one.id, -1, weight=0)
    return found


def perfect(found: nx.Graph) -> bool:
    return 2 * len(nx.max_weight_matching(found, maxcardinality=True)) == found.number_of_nodes()


def holds_in_every_round(event: list[tuple[Snapshot, Pairing]]) -> None:
    for snapshot, pairing in event:
        seated = Counter(id for one in pairing.pairs for id in (one.first, one.second) if id is not None)
        assert seated == Counter(player.id for player in snapshot.players), "everybody active, once"
        if pairing.total.rematch:
            assert not perfect(graph(snapshot, first_byes_only=False)), "a rematch was avoidable"
            continue
        if pairing.total.second_bye:
            assert not perfect(graph(snapshot, first_byes_only=True)), "a second bye was avoidable"
        elif not pairing.total.bye_height and len(snapshot.players) <= DENSE_UP_TO:
            _no_further_apart_than_the_optimum(snapshot, pairing)


def _no_further_apart_than_the_optimum(snapshot: Snapshot, pairing: Pairing) -> None:
    """The bye stays with the lowest score and who has had none, as the rules before the distance want."""
    found = graph(snapshot, first_byes_only=True)
    lowest = min(player.score for player in snapshot.players)
    for player in snapshot.players:
        if player.score > lowest and found.has_edge(player.id, -1):
            found.remove_edge(player.id, -1)
    best = nx.min_weight_matching(found)
    assert 2 * len(best) == found.number_of_nodes()
    assert pairing.total.distance == sum(found.edges[edge]["weight"] for edge in best)


@settings(max_examples=30, deadline=None)
@given(st.integers(5, 40), st.integers(3, 15), st.integers(0, 2**40), st.integers(0, 30))
def test_every_round_of_a_small_event(players: int, count: int, seed: int, chance: int) -> None:
    holds_in_every_round(rounds(players, count, seed, chance, PairingPolicy()))


@settings(max_examples=4, deadline=None)
@given(st.integers(41, 300), st.integers(3, 9), st.integers(0, 2**40), st.integers(0, 30))
def test_every_round_of_a_large_event_with_near_opponents_only(
    players: int, count: int, seed: int, chance: int
) -> None:
    holds_in_every_round(rounds(players, count, seed, chance, PairingPolicy(dense_up_to=0)))
