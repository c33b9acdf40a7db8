"""Pairing, standings, publishing a round, a whole event by lot, timed.

Peers: networkx on all pairs, as other tools run it; py4swiss, installed by pip into var/peers the first time and run in
the same minute. py4swiss pairs by FIDE's Dutch rules, which also balance colours: more rules than ours, on an event of
the same size and seed. Pairing and standings are told in the process's own seconds,
what goes through the database in those of the clock.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from math import log
from pathlib import Path
from statistics import median
from typing import Any

import networkx as nx
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.bench.shapes import servers
from tournament import services
from tournament.models import Event, Registration
from tournament.policy import policy_files
from tournament.simulator import Plan, Simulator
from tournament.swiss import Outcome, PairingPolicy, Played, Snapshot, pair, seeded_random, standings
from tournament.swiss.repair import repair
from tournament.swiss.simulation import last_round, played

PEER = "py4swiss==0.3.1"
NOW = datetime(2026, 11, 21, tzinfo=UTC)


def measure() -> Iterator[tuple[str, float, str, tuple[str, float] | None]]:
    yield from _pairing()
    yield from _standings()
    call_command("migrate", verbosity=0)
    yield from publishing(64)
    yield from publishing(512)
    with servers() as other:
        if other is not None:
            told = other.python("from tests.bench.tournament import publishing; tell(list(publishing(512)))")
            yield from (tuple(one) for one in told if one[0].endswith("postgresql"))
    yield from _event(64)


def _seconds(work: Callable[[], Any], times: int = 5) -> float:
    """The median of so many runs, in seconds of this process's own time: other jobs on the machine do not count."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return median(taken)


def _pairing() -> Iterator[tuple[str, float, str, tuple[str, float] | None]]:
    """Round 6, one exact matching."""
    policy, taken = PairingPolicy(), {}
    for players in (256, 512, 1024, 2048):
        snapshot, _ = last_round(players, 6, seed=1)
        taken[players] = _seconds(lambda snapshot=snapshot: pair(snapshot, policy, 1), 9)  # type: ignore[misc]
        peer = ("networkx-dense", _seconds(lambda: _networkx(snapshot), 1)) if players == 512 else None  # noqa: B023
        yield f"pair-{players}", taken[players], "s", peer
    if (theirs := _py4swiss(512)) is not None:
        yield "pair-512", taken[512], "s", theirs
    yield "pair-exponent-256-to-2048", _exponent(taken[256], taken[2048]), "power", None
    yield "repair-1024-tables", _repaired(2048), "s", None


def _repaired(players: int) -> float:
    """A round is published, then it turns out that the first two of round 5 had it the other way round."""
    policy = PairingPolicy()
    snapshot, _ = last_round(players, 6, seed=1)
    published = [(one.first, one.second) for one in pair(snapshot, policy, 1).pairs]
    one, other = sorted(snapshot.players, key=lambda player: -player.score)[:2]
    scores = {one.id: one.score - 3, other.id: other.score + 3}
    corrected = replace(
        snapshot,
        players=tuple(
            replace(player, score=scores.get(player.id, player.score)) for player in snapshot.players
        ),
    )
    return _seconds(lambda: repair(corrected, policy, 1, published, concerned=list(scores)))


def _exponent(small: float, large: float) -> float:
    """How the time grows from 256 to 2,048: 1 with the players, 2 with their square."""
    return log(large / small) / log(2048 / 256)


_ASK = """
import statistics, sys, time
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from py4swiss.engines import DutchEngine
from py4swiss.trf import TrfParser
taken = []
for _ in range(3):
    start = time.process_time()
    DutchEngine.generate_pairings(TrfParser.parse(Path(sys.argv[2]), strict=False))
    taken.append(time.process_time() - start)
print(statistics.median(taken))
"""


def _py4swiss(players: int) -> tuple[str, float] | None:
    """Seconds for round 6 in a process of its own, reading the event included; None where it cannot be had."""
    folder = Path(os.environ["HEADJUDGE_PEERS"]) / "python"
    if not (folder / "py4swiss").is_dir():
        pip = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--only-binary",
            ":all:",
            "--target",
            str(folder),
        ]
        try:
            subprocess.run([*pip, PEER], capture_output=True, text=True, check=True, timeout=180)
        except (subprocess.SubprocessError, OSError) as error:
            print(f"bench: skipped the comparison with {PEER}: {type(error).__name__}", flush=True)
            return None
    with tempfile.NamedTemporaryFile("w", suffix=".trf") as file:
        file.write(_trf(players))
        file.flush()
        command = [sys.executable, "-c", _ASK, str(folder), file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return f"{PEER}, Dutch", float(done.stdout)


def _trf(players: int) -> str:
    """Five rounds of an event as FIDE's report file; who has had white less often has it, and draws are halves."""
    lines: dict[int, list[str]] = {id: [] for id in range(players)}
    points: Counter[int] = Counter()
    whites: Counter[int] = Counter()
    for number, (_, pairing) in enumerate(played(players, 5, 1), start=1):
        for one in pairing.pairs:
            assert one.second is not None, "an even number plays on"
            white, black = sorted((one.first, one.second), key=lambda id: (whites[id], id))
            whites.update({white: 1, black: -1})
            lot = seeded_random.number(1, "result", number, white, bits=8)
            won, lost = ("=", "=") if lot < 16 else ("1", "0") if lot % 2 else ("0", "1")
            for id, other, colour, said in ((white, black, "w", won), (black, white, "b", lost)):
                lines[id].append(f"  {other + 1:>4} {colour} {said}")
                points[id] += {"1": 2, "=": 1, "0": 0}[said]
    rows = [
        f"001 {id + 1:>4}      {f'Player {id + 1}':<33} {2600 - id:>4}{'':28}{points[id] / 2:>4} {id + 1:>4}"
        + "".join(line.ljust(10) for line in rounds)
        for id, rounds in lines.items()
    ]
    return "\n".join(["012 Bench", *rows, "XXR 9", ""])


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
    policy, seconds = policy_files.policy("coc-lcg"), {}
    for players in (256, 2048):
        matches = [
            Played(
                number,
                one,
                two,
                Outcome.WIN if seeded_random.number(1, number, one, bits=1) else Outcome.DRAW,
            )
            for number in range(1, 12)
            for one, two in _shuffled_pairs(players, number)
        ]
        seconds[players] = _seconds(
            lambda matches=matches, players=players: standings(  # type: ignore[misc]
                range(players), matches, policy.scoring, policy.tie_breaks, draw_seed=1
            ),
            9,
        )
        yield f"standings-{players}x11", seconds[players], "s", None
    yield "standings-exponent-256-to-2048", _exponent(seconds[256], seconds[2048]), "power", None


def _shuffled_pairs(players: int, number: int) -> Iterator[tuple[int, int]]:
    order = sorted(
        seeded_random.order(1, f"round {number}", range(players)).items(), key=lambda item: item[1]
    )
    ids = [id for id, _ in order]
    return zip(ids[::2], ids[1::2], strict=True)


def publishing(players: int) -> Iterator[tuple[str, float, str, None]]:
    """Round 2 of an event through the service, the database included."""
    organizer = get_user_model().objects.create(username=f"bench-{players}")
    event = services.event_create(
        by=organizer,
        name="Bench",
        slug=f"bench-{players}",
        starts_on=date(2026, 11, 21),
        format="coc-lcg",
        format_on=date(2026, 11, 21),
        policy_key="coc-lcg",
        now=NOW,
    )
    Registration.objects.bulk_create(
        Registration(event=event, name=f"Player {number}", number=number + 1, registered_at=NOW)
        for number in range(players)
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


def _event(players: int) -> Iterator[tuple[str, float, str, None]]:
    """Every press of an entire event through the services: entries, rounds, reports, cut, bracket."""
    simulator = Simulator(Plan(players=players, seed=1), start=NOW)
    start = time.perf_counter()
    simulator.event()
    taken = time.perf_counter() - start
    yield f"event-of-{players}-by-lot-{connection.vendor}", taken, "s", None
    yield f"event-of-{players}-reports-and-decisions", simulator.total["tables"] * 2 / taken, "a second", None
