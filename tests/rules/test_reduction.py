"""Exploring one order for many gives the same answers, ends and numbers of lines as walking every order.

The scenes are made to break it: effects that read what another one writes, shared limits and targets, "the first time
each turn", orders that matter to `instead`, cards that leave play together. Lines are the sharpest test: where a
reduction was wrong, answers mostly agreed by luck, and lines did not.
"""

import os
import random
from collections.abc import Callable

import pytest

from rules import scenarios
from rules.engine.base.errors import BudgetExceeded, Unworkable
from rules.engine.machine.interpreter import Machine
from rules.engine.machine.watch import Watch
from rules.engine.search import reduction
from rules.engine.search.explore import Explorer
from rules.engine.search.graph import Graph
from rules.engine.search.questions import questions_of
from tests.bench import boards
from tests.bench.rules import forced_responses
from tests.rules.worked import ORIGINALS, sample, situation

SCENES = int(os.environ.get("HEADJUDGE_TEST_SCENES", "30"))  # docs/engine.md: 10,000 before a release
BOARDS = 20
CASES = sample(ORIGINALS, 450, "reduction")
FULL = 500  # positions, of the exploration that walks every order

BYSTANDER = "the(character where name = 'Bystander')"
EFFECTS = [
    "{add: wounds, of: this, by: 1}",
    "{add: wounds, of: this, by: 1}",
    f'{{do: wound, to: "{BYSTANDER}"}}',
    "{do: wound, to: this}",
    "{do: destroy, card: this}",
    "{do: sacrifice, card: this}",
    "{do: destroy, each: \"character where name = 'F%d'\", card: it}",
    "{do: wound, each: \"character where name = 'F%d'\", to: it}",
    "{do: exhaust, card: this}",
    f'{{do: exhaust, card: "{BYSTANDER}"}}',
    "{do: draw, who: you}",
    "{game: {turn: turn + 1}}",
    '{if: "any(character where wounds > 0)", then: [{add: wounds, of: this, by: 1}]}',
    '{if: "count(character) < 5", then: [{do: draw, who: you}]}',
    "{if: \"happened('wound') = 0\", then: [{do: wound, to: this}]}",
    "{if: \"happened('destroy', this) = 0\", then: [{do: exhaust, card: this}]}",
    f'{{lasting: {{of: "{BYSTANDER}", stat: skill, by: 1, until: phase}}}}',
    "{lasting: {of: this, stat: skill, by: 1, until: phase}}",
    "{may: [{add: wounds, of: this, by: 1}]}",
    '{choose: {as: t, from: "character where exhausted = no"}}, {do: exhaust, card: t}',
    f'{{set: controller, of: "{BYSTANDER}", to: you}}',
    '{set: wounds, of: this, to: "count(character where exhausted)"}',
]
LIMITS = [
    "",
    "",
    "limit: {per: phase, times: 1}, ",
    "limit: {per: turn, times: 1, by: name}, ",
    'if: "you.resources != 0", ',
    'if: "none(character where wounds > 1)", ',
    'if: "count(character) > 4", ',
    "cost: [{set: exhausted, of: this, to: 'yes'}], ",
]
OTHERS = [
    "",
    """
  nurse: {name: Nurse, type: character, of: Bo, zone: play, abilities:
    [{kind: forced-response, at: after, of: wound, if: "trigger.to != this", do: [{add: wounds, of: this, by: 1}]}]}""",
    """
  heir: {name: Heir, type: character, of: Bo, toughness: 3, zone: play, always:
    [{stat: toughness, of: "it.name = 'Bystander'", by: "count(character where wounds > 0)"}]}""",
    """
  ward: {name: Ward, type: character, of: Bo, zone: play, abilities:
    [{kind: passive, at: initiate, of: wound, if: "trigger.to.name = 'Bystander'",
      do: [{instead: trigger, do: [{do: exhaust, card: this}]}]}]}""",
    """
  mute: {name: Mute, type: character, of: Bo, zone: play, always:
    [{stat: blank, of: "it.name = 'F1' and it.wounds > 0", to: "'yes'"}]}""",
    """
  wall: {name: Wall, type: character, of: Ann, zone: play, cannot:
    [{kind: wound, if: "to.exhausted", because: it is safe}]}""",
]
HAPPENINGS = [
    "{type: event, of: Ann, zone: hand, abilities: [{kind: action, choose: {t: character}, do: "
    "[{do: destroy, card: t}]}]}",
    "{type: event, of: Ann, zone: hand, abilities: [{kind: action, choose: {t: character}, do: "
    '[{do: destroy, each: "character where controller = t.controller", card: it}]}]}',
    "{type: event, of: Ann, zone: hand, abilities: [{kind: action, choose: {t: character}, do: "
    "[{do: wound, each: character, to: it}]}]}",
]
CARD = """
  f{i}: {{name: F{i}, type: character, of: {of}, toughness: {tough}, wounds: {wounds}, zone: play, abilities:
    [{{kind: {kind}, at: after, of: [{answers}], {words}do: [{effect}]}}]}}"""


def scene(number: int) -> str:
    """A scene whose abilities interfere, or do not."""
    rng = random.Random(number)
    count = rng.choice([3, 4, 4, 5])
    cards = "".join(
        CARD.format(
            i=i,
            of=rng.choice(["Ann", "Ann", "Bo"]),
            tough=rng.choice([0, 1, 2, 9, 9, 9]),
            wounds=rng.choice([0, 0, 1]),
            kind=rng.choice(["forced-response", "forced-response", "passive"]),
            answers=rng.choice(["destroy", "destroy", "wound, destroy"]),
            words=rng.choice(LIMITS),
            effect=rng.choice(EFFECTS).replace("%d", str(rng.randrange(count))),
        )
        for i in range(count)
    )
    asked = rng.choice(
        ["{order: [f0, f1]}, {holds: \"bystander.zone = 'play'\"}", "now, may Ann use f0?", "next"]
    )
    asked += rng.choice(["", ', {force: {who: Bo, holds: "bystander.wounds = 0"}}'])
    system = rng.choice(["coc-lcg", "coc-lcg", "coc-ccg"])
    pinned = "pinned: {leaving-sight: by-order}" if system == "coc-lcg" and rng.random() < 0.3 else ""
    return f"""
system: {system}
{pinned}
cards:
  event: {rng.choice(HAPPENINGS)}
  victim: {{type: character, of: Bo, zone: play}}
  bystander: {{name: Bystander, type: character, of: Bo, toughness: 2, zone: play}}{cards}{rng.choice(OTHERS)}
did: [Ann plays event on victim]
ask: [{{holds: "f0.zone = 'play'"}}, {asked}]
"""


def graph(canonical: dict[str, object], *, reduce: bool, budget: int = FULL) -> tuple[Graph | None, int]:
    """The graph of a scenario, None where it is too large or not worked out, and how many positions were reduced."""
    built = scenarios.build(canonical)
    explorer = Explorer(built, questions_of(built), budget=budget, reduce=reduce)
    try:
        found: Graph | None = explorer.explore()
    except (BudgetExceeded, Unworkable):
        found = None
    return found, explorer.reduction.plans if explorer.reduction else 0


def agree(source: str | dict[str, object], budget: int = FULL) -> tuple[bool, int]:
    """(is every line, end and answer the same, how many positions were reduced); nothing to compare is agreement."""
    told = scenarios.read(source).canonical if isinstance(source, str) else source
    full, _ = graph(told, reduce=False, budget=budget)
    if full is None:
        return True, 0
    reduced, plans = graph(told, reduce=True, budget=2 * budget)  # what was walked in vain counts too
    same = reduced is not None and (full.lines, full.ends, full.outcomes) == (
        reduced.lines,
        reduced.ends,
        reduced.outcomes,
    )
    return same, plans


QUEUED = [
    "{do: gain-gold, who: you}",
    "{do: draw, who: you}",
    "{do: damage, to: this, amount: 1}",
    "{do: damage, to: bystander, amount: 1}",
    "{do: damage, to: q0, amount: 1}",
    "{do: destroy, card: q%d}",
    "{if: 'bystander.damage > 0', then: [{do: draw, who: you}]}",
    "{game: {turn: turn * 10 + %d}}",
]
ONCE = [
    "",
    "",
    "limit: {times: 1, per: turn}, ",
    'if: "trigger.card = victim", ',
    'if: "bystander.damage = 0", ',
]


def queue(number: int) -> str:
    """Triggers that queue up in batches: some die of what others do, which is a later batch or joins this one."""
    rng = random.Random(number)
    cards = "".join(
        f"""
  q{i}: {{name: Q{i}, type: unit, of: {rng.choice(["Ann", "Bo"])}, health: {rng.choice([1, 2, 9])}, abilities:
    [{{kind: trigger, of: die, {rng.choice(ONCE)}do: [{rng.choice(QUEUED).replace("%d", str(rng.randrange(4)))}]}}]}}"""
        for i in range(rng.choice([3, 4, 5]))
    )
    wave = rng.choice(["to: victim, amount: 2", "each: unit, to: it, amount: 1"])
    return f"""
system: codex
pinned: {{queued-trigger: {rng.choice(["as-action", "bare"])}}}
cards:
  blast: {{type: spell, of: Ann, zone: hand, abilities: [{{kind: action, do: [{{do: damage, {wave}}}]}}]}}
  victim: {{type: unit, of: Bo, health: 1}}
  bystander: {{type: unit, of: Bo, health: 3}}{cards}
did: [Ann casts blast]
ask: [{{holds: "q0.zone = 'play'"}}, {rng.choice(["next", "{order: [q0, q1]}"])}]
"""


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are looked at too, and nothing is given up."""
    monkeypatch.setattr(reduction, "LEAST", 2)
    monkeypatch.setattr(reduction, "VAIN", 1_000)


def all_agree(made: Callable[[int], str], scenes: int) -> None:
    """Reduced and in full, all scenes made from numbers that the law of their system can be read by."""
    reduced = 0
    for number in range(scenes):
        source = made(number)
        try:
            scenarios.read(source)
        except scenarios.reading.UserError:
            continue
        same, plans = agree(source)
        assert same, f"scene {number}:\n{source}"
        reduced += plans > 0
    assert reduced > scenes / 10  # else it proves nothing


@pytest.mark.usefixtures("eager")
def test_scenes_made_to_interfere() -> None:
    all_agree(scene, SCENES)


@pytest.mark.usefixtures("eager")
def test_batches_of_a_queue() -> None:
    all_agree(queue, SCENES)


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("part", range(8))
def test_every_case(part: int) -> None:
    for case in CASES[part::8]:
        assert agree(situation(case), 200)[0], case.name


@pytest.mark.usefixtures("eager")
def test_boards() -> None:
    for number in range(BOARDS):
        assert agree(boards.source(number), 200)[0], number


def test_lines_are_counted_and_not_walked() -> None:
    canonical = scenarios.read(forced_responses(20, False)).canonical
    found, plans = graph(canonical, reduce=True)
    assert found is not None and plans == 1
    assert (found.positions, found.lines, found.ends) == (21, 2_432_902_008_176_640_000, 1)


@pytest.mark.parametrize("carried_out", ["as-action", "bare"])
def test_one_order_of_a_batch_is_enough(carried_out: str) -> None:
    """A wave of deaths: each pays its owner, who orders them; the batch behind waits until they are through."""
    cards = "".join(
        f"  q{i}: {{name: Q{i}, type: unit, of: Ann, health: 1, abilities:"
        f" [{{kind: trigger, of: die, if: 'trigger.card = this', do: [{{do: gain-gold, who: you}}]}}]}}\n"
        for i in range(8)
    )
    source = f"""
system: codex
pinned: {{queued-trigger: {carried_out}}}
cards:
  blast: {{type: spell, of: Ann, zone: hand, abilities:
    [{{kind: action, do: [{{do: damage, each: unit, to: it, amount: 1}}]}}]}}
{cards}
did: [Ann casts blast]
ask: [next]
"""
    found, plans = graph(scenarios.read(source).canonical, reduce=True)
    assert found is not None and plans == 1
    assert (found.lines, found.ends) == (40_320, 1)
    assert found.positions < 12


def test_where_every_order_differs_all_are_walked() -> None:
    canonical = scenarios.read(forced_responses(5, True)).canonical
    found, plans = graph(canonical, reduce=True)
    assert found is not None and plans == 0
    assert (found.lines, found.ends) == (120, 120)


@pytest.mark.parametrize(
    "texts",
    [
        ["{do: shuffle, who: you}", *(f"{{do: exhaust, card: c{i}}}" for i in range(1, 5))],
        ["{do: destroy, card: g0}", *(["{do: exhaust, card: this}"] * 4)],
        [f"{{do: put-on-top, card: c{i}}}" for i in range(4)],
        ["{do: draw, who: you}"] * 4,
    ],
)
def test_decks_and_gained_abilities(texts: list[str], eager: None) -> None:
    """Abilities that characters gain from attachments, and what they do to a deck of which two cards are known."""
    cards = [
        f"  c{i}: {{type: character, of: Ann}}\n"
        f"  g{i}: {{type: support, of: Ann, host: c{i}, grants: [{{ability: "
        f"{{kind: forced-response, at: after, of: destroy, do: [{text}]}}}}]}}\n"
        for i, text in enumerate(texts)
    ]
    source = (
        "system: coc-lcg\nplayers: {Ann: {hand: 0, deck: 6}, Bo: {}}\nseats: [Ann, Bo]\ncards:\n"
        "  blast: {is: Shotgun Blast, of: Ann, zone: hand}\n  thug: {type: character, of: Bo}\n"
        "  tome: {type: event, of: Ann, zone: deck, position: 2}\n  lamp: {type: event, of: Ann, zone: deck}\n"
        f"{''.join(cards)}did: [Ann plays blast on thug]\n"
        'ask: [{holds: "tome.zone = \'hand\'"}, {holds: "tome.position = 1"}]\n'
    )
    same, _ = agree(source)
    assert same


def test_a_truth_asked_again_leaves_nothing_behind() -> None:
    """Whose silence was being judged when it was asked is not judged by what is tried out next (it would be a card
    that speaks, and its task one that cannot be judged)."""
    built = scenarios.build(scenarios.read(scene(0)).canonical)
    machine, watch = Machine(built), Watch()
    machine.enter(built.start, built.arguments)
    watch.begin(machine, machine.facts)
    machine.judging[built.cards[0]] = False
    watch.truth(machine, lambda m: built.cards[0] in m.judging)
    Watch.end(machine)
    machine.judging.clear()
    (truth,) = watch.truths.values()
    assert truth.again(machine, machine.facts) == (True, set())
    assert machine.judging == {}
