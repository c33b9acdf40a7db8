"""The timing engine: loading, answering cases, exploring.

The exploration is measured on scenes made here: simultaneous Forced Responses whose effects commute (many orders, few
positions) or whose every order ends differently (the worst case).
"""

import statistics
import time
from collections.abc import Iterator
from typing import Any

from rules import case_files, scenario, system_files
from rules.adjudicate import adjudicate
from rules.engine.explore import Explorer
from rules.engine.questions import questions_of

Measurement = tuple[str, float, str, tuple[str, float] | None]


def measure() -> Iterator[Measurement]:
    yield "rules-load-all-systems", _loading() * 1000, "ms", None
    read = [scenario.read(_source(case)) for case in case_files.cases()]
    times = sorted(
        _timed(lambda one=one: adjudicate(one.canonical, budget=200_000)) for one in read for _ in range(5)
    )
    yield "rules-answer-a-case-median", statistics.median(times) * 1000, "ms", None
    yield "rules-answer-a-case-p95", times[int(len(times) * 0.95)] * 1000, "ms", None
    for name, count, differ in (("commuting", 8, False), ("different", 6, True)):
        seconds, graph = _explore(forced_responses(count, differ))
        yield f"rules-explore-{count}-{name}-forced", seconds * 1000, "ms", None
        yield f"rules-explore-{count}-{name}-forced-positions", graph.positions, "positions", None
        yield f"rules-explore-{count}-{name}-forced-lines", graph.lines, "lines", None
        yield f"rules-explore-{name}-rate", graph.positions / seconds, "positions/s", None


def forced_responses(count: int, differ: bool) -> str:
    """`count` Forced Responses to one destruction. They commute, or each writes what all can see."""
    effect = "{game: {turn: turn * 10 + %d}}" if differ else "{add: wounds, of: this, by: %d}"
    cards = "\n".join(
        f"  f{i}: {{type: character, of: Ann, toughness: 99, zone: play, abilities: "
        f"[{{kind: forced-response, at: after, of: destroy, do: [{effect % (i + 1)}]}}]}}"
        for i in range(count)
    )
    return f"""
system: coc-lcg
pinned: {{first-response: active}}
cards:
  shotgun: {{is: Shotgun Blast, of: Ann, zone: hand}}
  victim: {{type: character, of: Bo, zone: play}}
{cards}
did: [Ann plays shotgun on victim]
"""


def _explore(source: str) -> tuple[float, Any]:
    scene = scenario.build(scenario.read(source).canonical)
    explorer = Explorer(scene, questions_of(scene), budget=1_000_000)
    started = time.perf_counter()
    graph = explorer.explore()
    return time.perf_counter() - started, graph


def _loading() -> float:
    system_files.system.cache_clear()
    system_files.library.cache_clear()
    system_files.all_cards.cache_clear()
    return _timed(lambda: [system_files.library(one.key) for one in system_files.systems()])


def _source(case: case_files.Case) -> str:
    import yaml

    return yaml.safe_dump(dict(case.data), sort_keys=False)


def _timed(action: Any) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started
