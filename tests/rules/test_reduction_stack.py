"""One order for many where what is put in order waits, and is carried out in the reverse order (Magic's stack).

As in test_reduction: scenes made to interfere must have the same answers, ends and lines with every order walked.
"""

import os
import random

import pytest

from rules import scenarios
from tests.bench.rules import triggers_on_the_stack
from tests.rules.test_reduction import agree, all_agree, eager, graph

__all__ = ["eager"]

SCENES = int(os.environ.get("HEADJUDGE_TEST_SCENES", "30"))

WALL = "the(creature where name = 'Wall')"
PLAIN = [
    "{do: gain-life, who: you}",
    "{do: lose-life, who: next(you)}",
    "{do: draw, who: you}",
    "{add: plus, of: this, by: 1}",
    f'{{add: plus, of: "{WALL}", by: 1}}',
    "{set: tapped, of: this, to: yes}",
    f'{{add: minus, of: "{WALL}", by: 1}}',
    f'{{do: damage, to: "{WALL}", amount: 1, by: this}}',
]
INTERFERING = [
    "{do: gain-life, who: you, amount: you.life}",
    '{if: "you.life > 20", then: [{do: draw, who: you}]}',
    '{if: "any(creature where tapped)", then: [{do: gain-life, who: you}]}',
    "{do: destroy, card: this, by: this}",
    f'{{do: destroy, card: "{WALL}", by: this}}',
    f'{{do: damage, to: "{WALL}", amount: 2, by: this}}',
    "{do: lose-life, who: you, amount: 4}",
    "{do: damage, to: next(you), amount: 1, by: this}",
    '{do: gain-life, who: you, amount: "count(stack)"}',
    '{if: "any(stack where source = this)", then: [{do: gain-life, who: you}]}',
    '{if: "any(stack)", then: [{do: gain-life, who: you}]}',
    "{do: gain-life, who: you, amount: the(stack).source.power}",
    "{do: counter, what: \"the(stack where ability-kind = 'triggered')\", by: this}",
    "{if: \"happened('gain-life', you) = 0\", then: [{do: gain-life, who: you, amount: 2}]}",
    "{lasting: {of: this, stat: power, by: 1, until: turn}}",
    f'{{lasting: {{of: "{WALL}", stat: power, to: this.power, until: turn}}}}',
    '{delayed: {kind: triggered, at: after, of: gain-life, if: "trigger.who = you", do: [{do: draw, who: you}]}}',
    "{may: [{do: gain-life, who: you}]}",
    "{game: {turn: turn * 2 + 1}}",
    f'{{set: controller, of: "{WALL}", to: you}}',
    f'{{set: plus, of: "{WALL}", to: this.power}}',
]
WORDS = [
    "",
    "",
    "",
    "limit: {per: turn, times: 1}, ",
    'still: "you.life < 22", ',
    'still: "none(creature where tapped)", ',
    f'still: "{WALL}.plus < 2", ',
    "choose: {t: creature}, ",
    "choose: {t: opponent}, ",
]
OTHERS = [
    "",
    "",
    "",
    """
  lore: {name: Lore, type: enchantment, of: Ann, abilities: [{kind: replacement, at: before, of: gain-life,
    if: "trigger.who = you and you.life > 20", do: [{alter: trigger, kind: draw, set: {amount: 1}}]}]}""",
    """
  chime: {name: Chime, type: enchantment, of: Ann, abilities: [{kind: triggered, at: after, of: gain-life,
    if: "trigger.who = you", do: [{do: lose-life, who: next(you)}]}]}""",
    """
  altar: {name: Altar, type: artifact, of: Bo, abilities: [{kind: activated, limit: {times: 1, per: turn},
    if: "you.life < 20", do: [{do: gain-life, who: you}]}]}""",
    """
  clock: {name: Clock, type: artifact, of: Bo, abilities: [{kind: activated, limit: {times: 1, per: turn},
    if: "count(stack) = 2", do: [{do: draw, who: you}]}]}""",
    """
  flash: {name: Flash, type: instant, of: Bo, zone: hand, abilities: [{kind: spell, if: "any(creature where tapped)",
    do: [{do: gain-life, who: you}]}]}""",
    """
  lord: {name: Lord, type: creature, of: Bo, toughness: 9, always:
    [{stat: toughness, of: "it.name = 'Wall' and it.controller.life > 20", by: 1}]}""",
    """
  hush: {name: Hush, type: enchantment, of: Bo, cannot: [{kind: gain-life, if: "who.life > 21", because: of Hush}]}""",
]
CARD = """
  m{i}: {{name: {name}, type: creature, of: {of}, power: {i}, toughness: {tough}, abilities: [{{kind: triggered,
    at: after, of: dies, if: "trigger.card != this", {words}do: [{effect}]}}]}}"""


def stacked(number: int) -> str:
    """A scene of triggers put on the stack together, which interfere, or do not."""
    rng = random.Random(f"stack {number}")
    count = rng.choice([2, 3, 3, 4, 4])
    spoil = rng.choice([0, 0, 0.2, 0.5])  # how many of them are made to interfere
    players = rng.choice([["Ann"], ["Ann"], ["Bo"], ["Ann", "Bo"]])
    same = rng.random() < 0.3
    kept: list[tuple[str, str]] = []
    for _ in range(count):
        effect = rng.choice(INTERFERING if rng.random() < spoil else PLAIN)
        words = rng.choice(WORDS) if rng.random() < spoil else ""
        kept.append((effect, words))
    cards = "".join(
        CARD.format(
            i=i,
            name="M" if same else f"M{i}",
            of=rng.choice(players),
            tough=rng.choice([1, 2, 9]),
            words=kept[0 if same else i][1].replace("opponent", "player where it != you"),
            effect=kept[0 if same else i][0],
        )
        for i in range(count)
    )
    all_ = "{do: destroy, each: \"creature where name = 'Bear'\", card: it, by: this}"
    what = rng.choice(
        ["{do: damage, to: t, amount: 3, by: this}", "{do: damage, to: t, amount: 3, by: this}", all_]
    )
    bears = "".join(
        f"\n  {bear}: {{name: Bear, type: creature, of: Bo, power: 2, toughness: 2}}"
        for bear in ["bear", "cub"][: 2 if count < 4 and rng.random() < 0.4 else 1]
    )
    asked = rng.choice(["next", "now", "{order: [m0, m1]}", "may Ann use m0?"])
    asked += rng.choice(
        ["", ', {force: {who: Bo, holds: "Bo.life > 19"}}', ", {holds: \"wall.zone = 'play'\"}"]
    )
    tough = rng.choice([1, 2, 3, 9])
    life = rng.choice(["{}", "{life: 20}", "{life: 3}"])
    return f"""
system: magic
players: {{Ann: {{}}, Bo: {life}}}
seats: [Ann, Bo]
cards:
  bolt: {{name: Bolt, type: sorcery, of: Ann, zone: hand, abilities:
    [{{kind: spell, choose: {{t: creature}}, do: [{what}]}}]}}
  wall: {{name: Wall, type: creature, of: Bo, power: 0, toughness: {tough}}}{bears}{cards}{rng.choice(OTHERS)}
did: [Ann uses bolt, Ann chooses bear]
ask: [{{holds: "Ann.life > 21"}}, {asked}]
"""


@pytest.mark.usefixtures("eager")
def test_scenes_of_the_stack() -> None:
    all_agree(stacked, SCENES)


def test_lines_of_the_stack_are_counted_and_not_walked() -> None:
    found, plans = graph(scenarios.read(triggers_on_the_stack(10)).canonical, reduce=True)
    assert found is not None and plans == 1
    assert (found.positions, found.lines, found.ends) == (11, 3_628_800, 1)


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("asked", ["next", "{order: [m0, m1]}"])
def test_what_an_order_is_asked_of_is_put_in_order(asked: str) -> None:
    """Of four triggers two are asked about: those two are walked in both orders, the others in one."""
    source = triggers_on_the_stack(4).replace("ask: [next]", f"ask: [{asked}]")
    same, plans = agree(source)
    found, _ = graph(scenarios.read(source).canonical, reduce=True)
    assert same and plans == 1 and found is not None
    assert (found.lines, len(found.outcomes)) == (24, 1 if asked == "next" else 2)
