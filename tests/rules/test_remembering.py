"""What is worked out from facts is remembered until one of them changes, which no answer may show."""

import json
from collections.abc import Callable

import pytest

from rules import scenarios
from rules.engine.base.errors import BudgetExceeded, Unworkable
from rules.engine.base.facts import Facts
from rules.engine.definitions.model import OccurrenceKind
from rules.engine.language.folding import Look
from rules.engine.machine.interpreter import Machine
from rules.engine.machine.occurrences import Occurrences
from rules.engine.machine.state import State
from rules.engine.scene.scene import Scene
from rules.engine.search.explore import Explorer
from rules.engine.search.questions import questions_of
from tests.bench import boards
from tests.rules.worked import NAMED, ORIGINALS

CASES = [json.dumps(case.data) for case in ORIGINALS]
BUDGET = 300  # positions
PATROLLED = json.dumps(
    {
        "system": "codex",
        "cards": {
            "attacker": {"type": "unit", "of": "Ann", "zone": "play"},
            "guard": {"type": "unit", "of": "Bo", "zone": "play", "patrol": "elite"},
            **{f"c{i}": {"type": "unit", "of": "Bo", "zone": "play"} for i in range(12)},
        },
        "ask": [{"holds": "count(thing where it in attacker.reach) = 1"}],
    }
)


def searched(change: list[object], always: list[object]) -> str:
    """A skill that hangs on how often somebody searched, which is no fact, is read before and after one does."""
    search = {"if": "b.skill = 2", "then": [{"do": "search", "who": "you"}]}
    exhaust = {"if": "b.skill > 2", "then": [{"do": "exhaust", "card": "b"}]}
    told = {
        "system": "coc-lcg",
        "cards": {
            "e": {
                "type": "event",
                "of": "Ann",
                "zone": "hand",
                "abilities": [{"kind": "action", "do": [*change, search, exhaust]}],
            },
            "a": {"type": "character", "of": "Ann", "always": always},
            "b": {"name": "Bob", "type": "character", "of": "Bo", "skill": 2},
        },
        "did": ["Ann plays e"],
        "ask": [{"holds": "b.exhausted"}],
    }
    return json.dumps(told)


GROWN = {"stat": "skill", "by": "happened('search')"}
SEARCHED = [
    searched([], [{**GROWN, "of": "it.name = 'Bob'"}]),
    searched([{"lasting": {**GROWN, "for": "it.name = 'Bob'"}}], []),
]
CHANGES = (
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "__delitem__", "__iadd__", "__imul__",
)  # fmt: skip


class Forgetful(dict[object, object]):
    """Nothing that is put in is there afterwards."""

    def __setitem__(self, key: object, value: object) -> None:
        pass


def found(source: str) -> object:
    """What an exploration comes to, told so that two of them can be compared."""
    scene = scenarios.build(scenarios.read(source).canonical)
    try:
        graph = Explorer(scene, questions_of(scene), budget=BUDGET).explore()
    except (BudgetExceeded, Unworkable) as fault:
        return repr(fault)
    return sorted(map(repr, graph.outcomes)), graph.lines, graph.positions, graph.ends


def forgetting(patch: pytest.MonkeyPatch) -> None:
    made = Facts.__init__

    def begin(facts: Facts, values: list[object]) -> None:
        made(facts, values)
        facts.known = Forgetful()

    def change(facts: Facts, place: int, value: object) -> None:
        list.__setitem__(facts, place, value)

    looking = Look.__init__

    def look(one: Look, cur: object) -> None:
        looking(one, cur)
        one.known = Forgetful()

    patch.setattr(Look, "__init__", look)
    patch.setattr(Facts, "__init__", begin)
    patch.setattr(Facts, "__setitem__", change)


def both_ways(source: str, change: Callable[[pytest.MonkeyPatch], None]) -> tuple[object, object]:
    plain = found(source)
    with pytest.MonkeyPatch.context() as patch:
        change(patch)
        return plain, found(source)


@pytest.mark.parametrize("part", range(8))
def test_answers_are_those_of_an_engine_that_remembers_nothing(part: int) -> None:
    for source in (*SEARCHED, *CASES[part::24]):
        plain, forgetful = both_ways(source, forgetting)
        assert plain == forgetful, source


def test_what_holds_for_every_card_of_a_choice_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whom an attacker reaches is asked for each card that it might attack, and of each it is asked who stops it."""
    asked = []
    able_with = Occurrences.able_with

    def noted(m: Occurrences, kind: OccurrenceKind, given: list[object]) -> bool:
        asked.append(kind)
        return able_with(m, kind, given)

    monkeypatch.setattr(Occurrences, "able_with", noted)
    found(PATROLLED)
    assert len(asked) < 100
    scene = scenarios.build(scenarios.read(PATROLLED).canonical)
    asked.clear()  # nor is it asked more often where nobody chooses, but the value is remembered of what leaves play
    scene.system.derived["reach"][0](Machine(scene), (scene.objects["attacker"],))
    assert 0 < len(asked) < 100


def test_neither_do_boards_show_it() -> None:
    for number in (2, 4):
        plain, forgetful = both_ways(boards.source(number), forgetting)
        assert plain == forgetful, number


def test_a_changed_fact_forgets_what_was_known() -> None:
    facts = Facts([1, 2])
    facts.known["sum"] = 3
    facts[0] = 5
    assert facts == [5, 2] and not facts.known
    assert type(facts.copy()) is list


@pytest.mark.parametrize("change", CHANGES)
def test_there_is_no_other_way_to_change_one(change: str) -> None:
    with pytest.raises(TypeError):
        getattr(Facts([1, 2]), change)(1)


def _unforgotten(patch: pytest.MonkeyPatch) -> None:
    """A changed fact forgets nothing."""
    patch.setattr(Facts, "__setitem__", list.__setitem__)


def _as_printed(patch: pytest.MonkeyPatch) -> None:
    """A stat is taken to hang on nothing but its fact."""
    settle = Scene.settle

    def blind(scene: Scene, footprint: object) -> None:
        settle(scene, footprint)  # type: ignore[arg-type]
        scene.worked_out = frozenset()

    patch.setattr(Scene, "settle", blind)


def _for_ever(patch: pytest.MonkeyPatch) -> None:
    """What effects last is no matter to a stat that was worked out."""

    def at_first(m: State, key: object, ask: Callable[..., object], *of: object) -> object:
        known = m.facts.known
        if key not in known:
            known[key] = (None, None, ask(m, *of))
        return known[key][2]

    patch.setattr(State, "until_another_lasts", at_first)


def _all_steady(patch: pytest.MonkeyPatch) -> None:
    """No stat hangs on anything but facts and effects that last."""
    settle = Scene.settle

    def blind(scene: Scene, footprint: object) -> None:
        settle(scene, footprint)  # type: ignore[arg-type]
        scene.steady, scene.unsteady = scene.worked_out, frozenset()

    patch.setattr(Scene, "settle", blind)


def _changed_unsteadily(patch: pytest.MonkeyPatch) -> None:
    """What an effect left behind is taken to change stats steadily, whatever it asks for."""
    patch.setattr(State, "_changes_steadily", lambda m, effect: True)


def _while_judged(patch: pytest.MonkeyPatch) -> None:
    """A stat is remembered also while it is asked whether an effect changes it."""
    patch.setattr(State, "steady", property(lambda m: m.watch is None))


# Where it once showed: looked at first, then every other case.
SHOWN = [
    json.dumps(NAMED[name].data)
    for name in (
        "agot/declared-and-knelt",
        "coc-lcg/general-last-known",
        "coc-lcg/an-icon-that-is-not-there-is-not-changed",
    )
]


@pytest.mark.parametrize(
    "broken", [_unforgotten, _as_printed, _for_ever, _all_steady, _changed_unsteadily, _while_judged]
)
def test_each_part_taken_out_shows(broken: Callable[[pytest.MonkeyPatch], None]) -> None:
    ways = (both_ways(source, broken) for source in (*SEARCHED, *SHOWN, *CASES))
    assert any(plain != wrong for plain, wrong in ways)
