"""What an exploration remembers changes nothing but its time."""

from collections import Counter
from typing import Any

import pytest

from rules import scenario
from rules.engine import explore
from rules.engine.explore import Explorer, Graph
from rules.engine.machine import Machine
from rules.engine.questions import questions_of
from tests.rules.test_specialise import decisions

BYSTANDER = "the(character where name = 'Bystander')"
EFFECTS = {
    "each wounds itself": "{add: wounds, of: this, by: 1}",
    "all wound one card until it is destroyed": f'{{do: wound, to: "{BYSTANDER}"}}',
    "each writes what all can see": "{game: {turn: turn * 10 + %d}}",
    "each writes what all can see and then looks at it": (
        '{game: {turn: turn * 10 + %d}}, {if: "turn > 15", then: [{add: wounds, of: this, by: 1}]}'
    ),
    "each writes on from what it has written": "{game: {turn: turn + %d}}, {game: {turn: turn * 3}}",
    "each writes what the state checks look at": (
        f'{{game: {{turn: turn + 1}}}}, {{set: wounds, of: "{BYSTANDER}", to: turn}}'
    ),
    "each destroys the next": "{do: destroy, each: \"character where name = 'F%d'\", card: it}",
    "each gives one card more skill": f'{{lasting: {{of: "{BYSTANDER}", stat: skill, by: 1, until: phase}}}}',
    "each exhausts one card, if it is ready": f'{{do: exhaust, card: "{BYSTANDER}"}}',
    "each lets its player choose": "{may: [{add: wounds, of: this, by: 1}]}",
}
CARD = """
  f{i}: {{name: F{i}, type: character, of: {of}, toughness: 99, zone: play, abilities:
    [{{kind: forced-response, at: after, of: destroy, {words}do: [{effect}]}}]}}"""
OTHERS = {
    "nobody else": "",
    "one that answers wounds": """
  nurse: {name: Nurse, type: character, of: Bo, abilities:
    [{kind: forced-response, at: after, of: wound, if: "trigger.to != this", do: [{add: wounds, of: this, by: 1}]}]}""",
    "one who is stronger for each wound": """
  heir: {name: Heir, type: character, of: Bo, toughness: 3, always:
    [{stat: toughness, of: "it.name = 'Bystander'", by: "count(character where wounds > 0)"}]}""",
}


def situation(effect: str, words: str, others: str, count: int = 3) -> str:
    cards = "".join(
        CARD.format(
            i=i,
            of="Ann" if i % 3 else "Bo",
            words=words,
            effect=effect.replace("%d", str((i + 1) % count)),
        )
        for i in range(count)
    )
    return f"""
system: coc-lcg
pinned: {{first-response: active}}
cards:
  shotgun: {{is: Shotgun Blast, of: Ann, zone: hand}}
  victim: {{type: character, of: Bo, zone: play}}
  bystander: {{name: Bystander, type: character, of: Bo, toughness: 2, zone: play}}{cards}{others}
did: [Ann plays shotgun on victim]
ask: [{{holds: "bystander.zone = 'play'"}}, {{order: [f0, f1]}}, next]
"""


@pytest.mark.parametrize("others", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("words", ["", "limit: {per: phase, times: 1}, ", 'if: "you.resources != 0", '])
@pytest.mark.parametrize("effect", EFFECTS.values(), ids=EFFECTS)
def test_the_graph_is_the_same(effect: str, words: str, others: str, monkeypatch: pytest.MonkeyPatch) -> None:
    canonical = scenario.read(situation(effect, words, others)).canonical
    graphs: list[Graph] = []
    for after in (3_000, 0):
        monkeypatch.setattr(explore, "NARROW_AFTER", after)
        scene = scenario.build(canonical)
        graphs.append(Explorer(scene, questions_of(scene), budget=3_000).explore())
    plain, recalled = graphs
    assert (plain.lines, plain.ends) == (recalled.lines, recalled.ends)
    assert plain.positions >= recalled.positions  # the rules as they are written keep more apart
    assert plain.outcomes == recalled.outcomes
    assert {str(one) for one in decisions(plain)} == {str(one) for one in decisions(recalled)}


@pytest.mark.parametrize("effect", ["each wounds itself", "each writes what all can see"])
def test_what_went_before_is_not_carried_out_again(effect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No use, and no option where what may happen afterwards is the same; also where each writes another value than
    before, as long as nobody looks at it."""
    scene = scenario.build(scenario.read(situation(EFFECTS[effect], "", "", 6)).canonical)
    explorer = Explorer(scene, questions_of(scene), budget=3_000)
    done = Counter[str]()

    def count(name: str) -> None:
        method = getattr(Machine, name)

        def counted(machine: Machine, *arguments: Any) -> Any:
            done[name] += explorer.scene is not scene  # once it remembers
            return method(machine, *arguments)

        monkeypatch.setattr(Machine, name, counted)

    count("run")
    count("start_use")
    assert explorer.explore().lines == 720
    assert done["start_use"] < 12
    assert done["run"] < explorer.followed / (2 if effect == "each wounds itself" else 5)
