"""The pairing beside another program's exact matching (networkx), rule by rule."""

from dataclasses import astuple

import networkx as nx
import pytest

from tournament.swiss import Pairing, PairingPolicy, Player, Snapshot, pair
from tournament.swiss.simulation import last_round

RULES = 6  # digits before the draw


def cost(one: Player, two: Player | None, lowest: int) -> tuple[int, ...]:
    if two is None:
        return (0, one.byes, one.score - lowest, 0, 0, 0)
    high, low = (one, two) if one.score >= two.score else (two, one)
    gap = high.score - low.score
    refloat = (high.floated == -1) + (low.floated == 1) if gap else 0
    return (one.opponents.count(two.id), 0, 0, gap**2, refloat, int(one.club == two.club != ""))


def least(snapshot: Snapshot) -> tuple[int, ...]:
    """The least total of every rule, the greater rules first, over all pairs of players."""
    base = 10**6  # larger than any rule can sum to in these fields
    players = snapshot.players
    lowest = min(player.score for player in players)
    graph = nx.Graph()
    for index, one in enumerate(players):
        for two in (*players[index + 1 :], *([None] if len(players) % 2 else [])):
            weight = 0
            for digit in cost(one, two, lowest):
                weight = weight * base + digit
            graph.add_edge(one.id, two.id if two else "bye", weight=-weight, digits=cost(one, two, lowest))
    matched = nx.max_weight_matching(graph, maxcardinality=True)
    assert len(matched) == (len(players) + 1) // 2
    return tuple(
        sum(digits) for digits in zip(*(graph.edges[edge]["digits"] for edge in matched), strict=True)
    )


def paid(pairing: Pairing) -> tuple[int, ...]:
    return astuple(pairing.total)[:RULES]


@pytest.mark.parametrize(("players", "rounds"), [(10, 7), (17, 6), (24, 12), (33, 9), (48, 6), (61, 5)])
def test_the_total_of_every_rule_is_the_least_possible(players: int, rounds: int) -> None:
    """Long events on small fields: rematches become unavoidable in some of them."""
    for last in range(1, rounds + 1):
        snapshot, pairing = last_round(players, last, seed=players)
        assert paid(pairing) == least(snapshot)


@pytest.mark.parametrize("players", [48, 97])
def test_the_next_twelve_opponents_are_enough_by_the_other_program_too(players: int) -> None:
    snapshot, pairing = last_round(players, 5, seed=3)
    assert paid(pair(snapshot, PairingPolicy(dense_up_to=0), pairing.seed)) == least(snapshot)
