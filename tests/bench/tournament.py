"""Pairing, standings and publishing a round, timed."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from statistics import median
from typing import Any

import networkx as nx
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.tournament.simulation import simulated
from tournament import policy_files, services
from tournament.models import Event, Registration
from tournament.swiss import Outcome, PairingPolicy, Played, Snapshot, draw, pair, standings

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def measure() -> Iterator[tuple[str, float, str, tuple[str, float] | None]]:
    yield from _pairing()
    yield from _standings()
    yield from _publishing(512)


def _seconds(work: Callable[[], Any], times: int = 5) -> float:
    """The median of so many runs."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return median(taken)


def _pairing() -> Iterator[tuple[str, float, str, tuple[str, float] | None]]:
    """Round 6, one exact matching. The peer is the complete graph in networkx, as other tools run it."""
    policy = PairingPolicy()
    for players in (256, 512, 2048):
        snapshot, _ = simulated(players, 6, seed=1)
        taken = _seconds(lambda snapshot=snapshot: pair(snapshot, policy, 1))  # type: ignore[misc]
        peer = ("networkx-dense", _seconds(lambda: _networkx(snapshot), 1)) if players == 256 else None  # noqa: B023
        yield f"pair-{players}", taken, "s", peer


def _networkx(snapshot: Snapshot) -> None:
    graph = nx.Graph()
    players = snapshot.players
    for index, one in enumerate(players):
        met = set(one.opponents)
        for two in players[index + 1 :]:
            if two.id not in met:
                graph.add_edge(one.id, two.id, weight=-((one.score - two.score) ** 2))
    nx.max_weight_matching(graph, maxcardinality=True)


def _standings() -> Iterator[tuple[str, float, str, None]]:
    """Eleven rounds, four tie-breakers, exact fractions."""
    policy = policy_files.policy("coc-lcg")
    for players in (256, 2048):
        played = [
            Played(number, one, two, Outcome.WIN if draw.number(1, number, one, bits=1) else Outcome.DRAW)
            for number in range(1, 12)
            for one, two in _shuffled_pairs(players, number)
        ]
        taken = _seconds(
            lambda played=played, players=players: standings(  # type: ignore[misc]
                range(players), played, policy.scoring, policy.tie_breaks, draw_seed=1
            )
        )
        yield f"standings-{players}x11", taken, "s", None


def _shuffled_pairs(players: int, number: int) -> Iterator[tuple[int, int]]:
    order = sorted(draw.order(1, f"round {number}", range(players)).items(), key=lambda item: item[1])
    ids = [id for id, _ in order]
    return zip(ids[::2], ids[1::2], strict=True)


def _publishing(players: int) -> Iterator[tuple[str, float, str, None]]:
    """Round 2 of an event through the service, the database included."""
    call_command("migrate", verbosity=0)
    organizer = get_user_model().objects.create(username="bench")
    event = services.event_create(
        by=organizer,
        name="Bench",
        slug="bench",
        starts_on=date(2026, 11, 21),
        format="coc-lcg",
        format_on=date(2026, 11, 21),
        policy_key="coc-lcg",
        now=NOW,
    )
    Registration.objects.bulk_create(
        Registration(event=event, name=f"Player {number}", registered_at=NOW) for number in range(players)
    )
    first = services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    for match in first.matches.select_related("round__event"):
        services.result_decide(match=match, by=organizer, outcome="win", reason="bench", now=NOW)
    with CaptureQueriesContext(connection) as queries:
        start = time.perf_counter()
        services.round_pair(event=Event.objects.get(pk=event.pk), by=organizer, seed=2, now=NOW)
        taken = time.perf_counter() - start
    yield f"publish-round-{players}-{connection.vendor}", taken, "s", None
    yield f"publish-round-{players}-queries", len(queries), "queries", None
