"""The timing engine: loading, answering cases, exploring.

The exploration is measured on scenes made here: simultaneous Forced Responses whose effects commute (many orders, few
positions) or whose every order ends differently (the worst case). Times are the processor's, of one core, so that other
work on the machine does not count.
"""

import gc
import statistics
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from rules import scenarios
from rules.engine.answers.replay import MAX_LINE, Replay
from rules.engine.base.errors import BudgetExceeded, Unworkable
from rules.engine.machine.interpreter import Machine, Runaway
from rules.engine.scene.scene import Scene
from rules.engine.search.explore import Explorer
from rules.engine.search.questions import questions_of
from rules.engine.search.script import scripted
from rules.law import system_files
from rules.scenarios import case_files
from rules.scenarios.adjudicate import adjudicate
from tests.bench import kiwipete

Measurement = tuple[str, float, str, tuple[str, float] | None]


def measure() -> Iterator[Measurement]:
    yield "rules-load-all-systems", _loading() * 1000, "ms", None
    read = [scenarios.read(_source(case)) for case in case_files.cases()]
    scenes = [scenarios.build(one.canonical) for one in read]
    yield from _spread(
        "rules-build-a-scene", [_timed(lambda one=one: scenarios.build(one.canonical)) for one in read]
    )
    told = [_timed(lambda scene=scene: Replay(scene, questions_of(scene))) for scene in scenes]
    yield from _spread("rules-one-line-traced", told)
    bare = [_timed(lambda scene=scene: one_line(scene)) for scene in scenes]
    yield "rules-one-line-untraced", len(bare) / sum(bare), "cases/s", None
    answered = [_timed(lambda one=one: adjudicate(one.canonical, budget=200_000)) for one in read]
    yield from _spread("rules-answer-a-case", answered)
    for name, count, differ in (("commuting", 8, False), ("commuting", 12, False), ("different", 6, True)):
        seconds, graph = explore(forced_responses(count, differ))
        yield f"rules-explore-{count}-{name}-forced", seconds * 1000, "ms", None
        yield f"rules-explore-{count}-{name}-forced-positions", graph.positions, "positions", None
        yield f"rules-explore-{count}-{name}-forced-lines", graph.lines, "lines", None
        yield f"rules-explore-{count}-{name}-rate", graph.positions / seconds, "positions/s", kiwipete.rate()
    seconds, graph = explore(triggers_on_the_stack(10))
    yield "rules-explore-10-triggers-on-the-stack", seconds * 1000, "ms", None
    yield "rules-explore-10-triggers-on-the-stack-lines", graph.lines, "lines", None


def _spread(name: str, seconds: list[float]) -> Iterator[Measurement]:
    yield f"{name}-median", statistics.median(seconds) * 1000, "ms", None
    yield f"{name}-p95", sorted(seconds)[int(len(seconds) * 0.95)] * 1000, "ms", None


def one_line(scene: Scene) -> None:
    """The scripted moves, then passing, until the line ends: without trace."""
    machine = Machine(scene)
    machine.enter(scene.start, scene.arguments)
    for _ in range(MAX_LINE):
        try:
            decision = machine.run()
        except (Runaway, Unworkable):
            return
        if decision is None or (decision.stop and machine.script >= len(scene.did)):
            return
        said = scripted(machine, decision)
        index = said.first
        if not said.legal:
            return
        if said.move:
            machine.script += 1
        machine.take(decision, len(decision.options) - 1 if index is None else index)


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


def triggers_on_the_stack(count: int) -> str:
    """`count` triggers on one death in Magic, each of which gains a life."""
    cards = "\n".join(
        f"  m{i}: {{name: M, type: creature, of: Ann, power: 1, toughness: 1, abilities: [{{kind: triggered, at: after,"
        f" of: dies, if: 'trigger.card != this', do: [{{do: gain-life, who: you}}]}}]}}"
        for i in range(count)
    )
    return f"""
system: magic
players: [Ann, Bo]
cards:
  bolt: {{name: Bolt, type: sorcery, of: Ann, zone: hand, abilities: [{{kind: spell, choose: {{t: creature}},
    do: [{{do: damage, to: t, amount: 3, by: this}}]}}]}}
  bear: {{name: Bear, type: creature, of: Bo, power: 2, toughness: 2}}
{cards}
did: [Ann uses bolt, Ann chooses bear]
ask: [next]
"""


def explore(source: str, budget: int = 1_000_000) -> tuple[float, Any]:
    """(seconds of the processor, the graph) of a scenario's exploration; where the budget ends it, what is known so far
    is the explorer itself."""
    scene = scenarios.build(scenarios.read(source).canonical)
    explorer = Explorer(scene, questions_of(scene), budget=budget)
    gc.collect()  # what was measured before left cycles behind, and collecting them is not this one's work
    started = time.process_time()
    graph: Any = explorer
    with suppress(BudgetExceeded):
        graph = explorer.explore()
    return time.process_time() - started, graph


def _loading() -> float:
    system_files.forget()
    return _timed(lambda: [system_files.library(one.key) for one in system_files.systems()])


def _source(case: case_files.Case) -> str:
    import yaml

    return yaml.safe_dump(dict(case.data), sort_keys=False)


def _timed(action: Any) -> float:
    started = time.process_time()
    action()
    return time.process_time() - started
