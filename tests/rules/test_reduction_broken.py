"""Each part of the analysis behind the reduction, taken out on purpose, shows in a scene made for it."""

from collections.abc import Callable

import pytest

from rules import scenarios
from rules.engine.machine import watch
from rules.engine.machine.eligibility import Eligibility
from rules.engine.search.explore import Explorer
from rules.engine.search.reduction import Plan
from rules.engine.search.trial import Look, Task, Trial
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

BROKEN = [
    (_blind, scene(34)),
    (_careless, crafted(*DIFFERENT)),
    (_truthless, crafted(*SEEN)),
    (_one_by_one, crafted(*ONLY_BOTH)),
    (_once, crafted(*LATER)),
    (_limitless, scene(29)),
    (_unasked, scene(29)),
    (_always_usable, scene(29)),
    (_orderless, crafted(OWN_WOUND, DRAW, ask="{order: [f0, f1]}")),
    (_uncounted, scene(4)),
    (_rash, crafted(*LASTING)),
]


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(("broken", "source"), BROKEN, ids=[broken.__name__ for broken, _ in BROKEN])
def test_it_shows(
    broken: Callable[[pytest.MonkeyPatch], None], source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    canonical = scenarios.read(source).canonical
    full, _ = graph(canonical, reduce=False)
    sound, _ = graph(canonical, reduce=True, budget=2 * FULL)
    broken(monkeypatch)
    reduced, _ = graph(canonical, reduce=True, budget=2 * FULL)
    assert full is not None and sound is not None
    assert (full.lines, full.ends, full.outcomes) == (sound.lines, sound.ends, sound.outcomes)
    assert reduced is None or (full.lines, full.ends, full.outcomes) != (
        reduced.lines,
        reduced.ends,
        reduced.outcomes,
    )
