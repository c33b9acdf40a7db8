"""A narrowed scene, its procedures rewritten, takes the same decisions as the rules as they are written."""

import pytest

from rules import scenarios
from rules.engine.base.errors import BudgetExceeded, Unworkable
from rules.engine.definitions.values import Candidate
from rules.engine.narrowing.partial_evaluation import narrow
from rules.engine.search import explore
from rules.engine.search.explore import Explorer
from rules.engine.search.graph import Graph, Node
from rules.engine.search.questions import questions_of
from rules.scenarios import case_files
from tests.rules.worked import ORIGINALS, sample, situation

CASES = sample(ORIGINALS, 450, "specialise")


def decisions(graph: Graph) -> list[tuple[object, ...]]:
    """Every decision of a graph in the order in which it was found: whose, of what kind, with which options."""
    found: list[tuple[object, ...]] = []
    seen: set[int] = set()
    waiting: list[Node] = [graph.root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        decision = node.decision
        if decision is not None:
            options = [
                (option.obj.id, option.you.id, option.ability.kind.name)
                if isinstance(option, Candidate)
                else str(option)
                for option in decision.options
            ]
            found.append((str(decision.who), decision.kind, str(decision.subject), options))
        waiting.extend(child for _, child, _ in reversed(node.edges))
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_both_ways_agree(case: case_files.Case, monkeypatch: pytest.MonkeyPatch) -> None:
    told = situation(case)
    graphs: list[Graph | str] = []
    for after in (3_000, 0):
        monkeypatch.setattr(explore, "NARROW_AFTER", after)
        scene = scenarios.build(told)
        explorer = Explorer(scene, questions_of(scene), budget=3_000)
        try:
            graphs.append(explorer.explore())
        except (BudgetExceeded, Unworkable) as fault:
            graphs.append(f"{type(fault).__name__}: {fault}")
    plain, narrowed = graphs
    if isinstance(plain, str) or isinstance(narrowed, str):
        assert plain == narrowed
        return
    assert plain.outcomes == narrowed.outcomes
    assert plain.nested == narrowed.nested
    if plain.nested:  # a nest without end is cut at a depth that rewriting changes
        return
    assert (plain.lines, plain.positions, plain.ends) == (narrowed.lines, narrowed.positions, narrowed.ends)
    assert decisions(plain) == decisions(narrowed)


BROUGHT = """
system: coc-lcg
players: [Ann, Bo]
cards:
  friend: {name: Friend, type: character, zone: discard, of: Ann, %s}
  call:
    name: Call
    type: event
    zone: hand
    of: Ann
    abilities:
      - {kind: action, choose: {t: "card where zone = 'discard'"}, do: [{do: put-into-play, card: t, by: you %s}]}
ask: [next]
"""


@pytest.mark.parametrize(
    ("printed", "said", "writes"),
    [
        ("cost: 2", "", False),  # it is not insane, and is set to be not insane
        ("enters: insane", "", True),
        ("cost: 2", ", state: \"'insane'\"", True),
    ],
)
def test_an_edit_that_changes_nothing_is_no_write(printed: str, said: str, *, writes: bool) -> None:
    scene = scenarios.build(scenarios.read(BROUGHT % (printed, said)).canonical)
    assert (scene.system.properties["insane"].slot in narrow(scene).footprint.written) is writes


TWISTED = """
  twister:
    name: Twister
    type: support
    zone: play
    of: Bo
    abilities:
      - {kind: disrupt, at: would, of: put-into-play, do: [{alter: trigger, set: {state: "'insane'"}}]}
ask:"""


def test_a_role_that_may_be_altered_is_not_known() -> None:
    """It is put into play as it is, and may come in insane all the same."""
    text = (BROUGHT % ("cost: 2", "")).replace("\nask:", TWISTED)
    scene = scenarios.build(scenarios.read(text).canonical)
    assert scene.system.properties["insane"].slot in narrow(scene).footprint.written
