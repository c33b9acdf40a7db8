"""Whole events with drops, late entries and byes: what must hold in every round, beside networkx on all pairs."""

from collections import Counter

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.swiss import Pairing, PairingPolicy, Snapshot, pair
from tournament.swiss.simulation import Chances, played

DENSE_UP_TO = 24  # fields beside which the other program is asked for the optimum


def rounds(
    players: int, count: int, seed: int, chance: int, policy: PairingPolicy
) -> list[tuple[Snapshot, Pairing]]:
    """An event: in each round players drop with about `chance` in 256 each, and half as many come late."""
    chances = Chances(drops=chance / 256, late=chance / 512)
    return list(played(players, count, seed, policy=policy, chances=chances, clubs=7))


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
@given(st.integers(41, 300), st.integers(3, 15), st.integers(0, 2**40), st.integers(0, 30))
def test_every_round_of_a_large_event_with_near_opponents_only(
    players: int, count: int, seed: int, chance: int
) -> None:
    """The last round beside the optimum among all pairs, too."""
    event = rounds(players, count, seed, chance, PairingPolicy(dense_up_to=0))
    holds_in_every_round(event)
    snapshot, near = event[-1]
    dense = pair(snapshot, PairingPolicy(dense_up_to=10_000), near.seed)
    assert (near.total.rematch, near.total.second_bye) == (dense.total.rematch, dense.total.second_bye)
    assert near.total.distance <= dense.total.distance
