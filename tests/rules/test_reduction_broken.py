"""Each part of the analysis behind the reduction, taken out on purpose, shows in a scene made for it."""

from collections.abc import Callable
from typing import Any

import pytest

from rules import scenarios
from rules.engine.machine import watch
from rules.engine.machine.eligibility import Eligibility
from rules.engine.machine.interpreter import Machine
from rules.engine.operations import Window
from rules.engine.search.explore import Explorer
from rules.engine.search.graph import Graph
from rules.engine.search.reduction import Plan
from rules.engine.search.trial import Later, Look, Task, Trial
from tests.rules.test_reduction import FULL, eager, graph, scene

__all__ = ["eager"]


def _nothing(*_: object, **__: object) -> list[int]:
    return []


def _no(*_: object, **__: object) -> bool:
    return False


def _yes(*_: object, **__: object) -> bool:
    return True


def _blind(patch: pytest.MonkeyPatch) -> None:
    """What is read outright is not noted."""
    patch.setattr(watch.WatchedFacts, "__getitem__", list.__getitem__)


def _careless(patch: pytest.MonkeyPatch) -> None:
    """Nothing that one changes is held against what another reads or writes."""
    patch.setattr(Task, "_upsets", _no)


def _truthless(patch: pytest.MonkeyPatch) -> None:
    """Answers to questions are never asked again."""
    patch.setattr(Look, "_disturbing", _nothing)


def _one_by_one(patch: pytest.MonkeyPatch) -> None:
    """Two that write what one answer is read from are not joined: each alone changes nothing."""
    disturbing = Look._disturbing

    def alone(look: Look, truth: watch.Truth, reader: int | None) -> list[int]:
        writers = [i for i in look._writers(truth) if i != reader]
        return disturbing(look, truth, reader) if len(writers) < 2 else []

    patch.setattr(Look, "_disturbing", alone)


def _once(patch: pytest.MonkeyPatch) -> None:
    """What is left is not looked at again."""
    patch.setattr(Plan, "holds_at", _yes)


def _limitless(patch: pytest.MonkeyPatch) -> None:
    """What was counted is not noted."""
    patch.setattr(watch.WatchedCounts, "grow", lambda counts, key: dict.__setitem__(counts, key, 1))


def _unasked(patch: pytest.MonkeyPatch) -> None:
    """What the loop looks at to ask what is next does not matter."""
    patch.setattr(Look, "upsets_asking", _no)
    singles = Look.singles

    def without_common(look: Look) -> list[int]:
        look.common = []
        return singles(look)

    patch.setattr(Look, "singles", without_common)


def _always_usable(patch: pytest.MonkeyPatch) -> None:
    """That a use becomes possible, or impossible, is not looked at."""
    patch.setattr(Eligibility, "_allowed", _yes)


def _orderless(patch: pytest.MonkeyPatch) -> None:
    """The question in which order things happen is forgotten."""
    clashes = Task.clashes
    patch.setattr(Task, "clashes", lambda one, other, ordered: clashes(one, other, ordered=False))


def _uncounted(patch: pytest.MonkeyPatch) -> None:
    """Lines are counted as if each edge were one pick."""
    within = Explorer._within

    def one(explorer: Explorer, *arguments: object) -> object:
        found = within(explorer, *arguments)  # type: ignore[arg-type]
        if explorer.stage is not None and explorer.stage.picks:
            explorer.stage.picks[-1] = 1
        return found

    patch.setattr(Explorer, "_within", one)


def _rash(patch: pytest.MonkeyPatch) -> None:
    """What lasts, waits or is put on a gate is no difference."""
    registers = Trial._registers
    patch.setattr(Trial, "_registers", lambda trial, m: registers(trial, m)[:2])


def _unadded(patch: pytest.MonkeyPatch) -> None:
    """What is added to a number is not noted at all."""
    written = Trial._written

    def but_for_sums(*arguments: object) -> tuple[frozenset[int], frozenset[int], dict[int, int]]:
        changed, silent, grown = written(*arguments)  # type: ignore[arg-type]
        return changed.difference(grown), silent, {}

    patch.setattr(Trial, "_written", but_for_sums)


def _all_sums(patch: pytest.MonkeyPatch) -> None:
    """A number that is set is taken for one that is added to."""
    written = Trial._written

    def as_sums(
        trial: Trial, seen: watch.Watch, m: Machine
    ) -> tuple[frozenset[int], frozenset[int], dict[int, int]]:
        changed, silent, grown = written(trial, seen, m)
        numbers = [slot for slot in changed if type(m.facts[slot]) is type(trial.facts[slot]) is int]
        return changed, silent, grown | {slot: m.facts[slot] - trial.facts[slot] for slot in numbers}

    patch.setattr(Trial, "_written", as_sums)


def _unseen(patch: pytest.MonkeyPatch) -> None:
    """That something looks through what waits is not noted."""
    patch.setattr(watch.Watch, "through", _nothing)


def _any_is_all(patch: pytest.MonkeyPatch) -> None:
    """Some of what waits is of a kind: that is taken to be so whatever is left of it."""
    those = watch.Watch.those

    def careless(seen: watch.Watch, *arguments: Any, any_: bool) -> list[Any]:
        looked = seen.looked
        found = those(seen, *arguments, any_=any_)
        seen.looked = looked if any_ else seen.looked
        return found

    patch.setattr(watch.Watch, "those", careless)


def _as_it_waits(patch: pytest.MonkeyPatch) -> None:
    """What is put on a gate is not tried out as it is taken from there."""
    patch.setattr(Later, "marked", lambda later: set())


def _uninterrupted(patch: pytest.MonkeyPatch) -> None:
    """Somebody who is asked between two that are taken is taken to pass."""
    take = Window.run

    def passing(window: Window, m: Machine) -> object:
        found = take(window, m)
        if found is not None and m.watch is not None:
            window.set(m, window.state, None)
            return None
        return found

    patch.setattr(Window, "run", passing)


def crafted(*effects: str, ask: str = "next") -> str:
    """Forced Responses of Ann's to one destruction, one for each effect, beside a bystander."""
    cards = "".join(
        f"\n  f{i}: {{name: F{i}, type: character, of: Ann, toughness: 9, zone: play, abilities:"
        f" [{{kind: forced-response, at: after, of: destroy, do: [{effect}]}}]}}"
        for i, effect in enumerate(effects)
    )
    return f"""
system: coc-lcg
cards:
  event: {{type: event, of: Ann, zone: hand, abilities:
    [{{kind: action, choose: {{t: character}}, do: [{{do: destroy, card: t}}]}}]}}
  victim: {{type: character, of: Bo, zone: play}}
  bystander: {{name: Bystander, type: character, of: Bo, toughness: 9, zone: play}}{cards}
did: [Ann plays event on victim]
ask: [{ask}]
"""


def triggers(*effects: str, more: str = "", ask: str = "next") -> str:
    """Triggers of Ann's in Magic on one death, one for each effect, beside a wall that stands there."""
    cards = "".join(
        f"\n  m{i}: {{name: M{i}, type: creature, of: Ann, toughness: 9, abilities: [{{kind: triggered, at: after,"
        f" of: dies, if: \"trigger.card.name = 'Bear'\", do: [{effect}]}}]}}"
        for i, effect in enumerate(effects)
    )
    return f"""
system: magic
cards:
  bolt: {{type: sorcery, of: Ann, zone: hand, abilities:
    [{{kind: spell, choose: {{target: creature}}, do: [{{do: destroy, card: target, by: this}}]}}]}}
  bear: {{name: Bear, type: creature, of: Bo, toughness: 2}}
  wall: {{name: Wall, type: creature, of: Bo, toughness: 9}}{cards}{more}
did: [Ann uses bolt, Ann chooses bear]
ask: [{ask}]
"""


BYSTANDER = "the(character where name = 'Bystander')"
WOUND = f'{{add: wounds, of: "{BYSTANDER}", by: 1}}'
OWN_WOUND = "{add: wounds, of: this, by: 1}"
DRAW = "{do: draw, who: you}"
DIFFERENT = [f"{{game: {{turn: turn * 10 + {number}}}}}" for number in (1, 2, 3)]
SEEN = [f'{{if: "any(character where wounds > 0)", then: [{DRAW}]}}', OWN_WOUND]
ONLY_BOTH = [
    WOUND,
    f"{{set: exhausted, of: \"{BYSTANDER}\", to: 'yes'}}",
    f'{{if: "any(character where wounds + if(exhausted, 1, 0) > 1)", then: [{DRAW}]}}',
]
LATER = [
    WOUND,
    f'{{if: "{BYSTANDER}.wounds > 0", then: [{{add: wounds, of: "the(character where name = \'F2\')", by: 1}}]}}',
    f'{{if: "this.wounds > 0", then: [{DRAW}]}}',
]
LASTING = [
    f'{{lasting: {{of: "{BYSTANDER}", stat: skill, to: {number}, until: phase}}}}' for number in (1, 2)
]

WALL = "the(creature where name = 'Wall')"
GAIN = "{do: gain-life, who: you}"
TAP = "{set: tapped, of: this, to: yes}"
FLASH = """
  flash: {type: instant, of: Bo, zone: hand, abilities: [{kind: spell,
    do: [{do: gain-life, who: you, amount: "next(you).life + count(creature where tapped) * 10"}]}]}"""

BROKEN = [
    (_blind, scene(43)),
    (_careless, crafted(*DIFFERENT)),
    (_truthless, crafted(*SEEN)),
    (_one_by_one, crafted(*ONLY_BOTH)),
    (_once, crafted(*LATER)),
    (_limitless, scene(29)),
    (_unasked, scene(29)),
    (_always_usable, scene(29)),
    (_orderless, crafted(OWN_WOUND, DRAW, ask="{order: [f0, f1]}")),
    (_uncounted, scene(5)),
    (_rash, crafted(*LASTING)),
    (_unadded, triggers(GAIN, "{do: gain-life, who: you, amount: you.life}")),
    (_all_sums, triggers(f'{{set: plus, of: "{WALL}", to: 1}}', f'{{set: plus, of: "{WALL}", to: 3}}')),
    (
        _unseen,
        triggers(
            "{do: gain-life, who: you, amount: count(stack)}",
            TAP,
            "{do: gain-life, who: you, amount: count(stack) * 5}",
        ),
    ),
    (_any_is_all, triggers(f'{{if: "any(stack)", then: [{GAIN}]}}', TAP)),
    (_as_it_waits, triggers(GAIN, "{do: gain-life, who: you, amount: you.life}")),
    (_uninterrupted, triggers(GAIN, TAP, more=FLASH)),
]


def counted(found: Graph | None) -> tuple[Any, ...] | None:
    """What two explorations must agree on; a graph itself is too large to be told by a failing test."""
    return None if found is None else (found.lines, found.ends, found.outcomes)


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(("broken", "source"), BROKEN, ids=[broken.__name__ for broken, _ in BROKEN])
def test_it_shows(
    broken: Callable[[pytest.MonkeyPatch], None], source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    canonical = scenarios.read(source).canonical
    full = counted(graph(canonical, reduce=False)[0])
    sound = counted(graph(canonical, reduce=True, budget=2 * FULL)[0])
    broken(monkeypatch)
    reduced = counted(graph(canonical, reduce=True, budget=2 * FULL)[0])
    assert full is not None
    assert full == sound
    assert full != reduced
