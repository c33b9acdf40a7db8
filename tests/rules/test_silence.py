"""Nothing matches in silence: what can never be asked is refused where it is written, or told in the answer; and no
decision is told that does not come out as told when it is played again."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from config import strict_yaml
from config.errors import UserError
from rules.engine.answers import deciding
from rules.engine.base.errors import DataError
from rules.engine.compiler import compile_system, shapes
from rules.law import lint, system_files
from rules.scenarios import reading
from rules.scenarios.adjudicate import adjudicate
from tests.rules.worked import NAMED, situation

TABLE = """
system: coc-lcg
cards:
  blow: {{type: event, of: Ann, zone: hand, abilities: [{{kind: action, choose: {{x: character}}, do: [{hurt}]}}]}}
  thug: {{type: character, of: Bo, toughness: 3}}
  seer: {{type: character, of: Bo, toughness: 3, abilities: [{ability}]}}
did: [Ann plays blow on thug]
ask: ["may Bo use seer?", next]
"""


def asked(ability: str) -> dict[str, Any]:
    return adjudicate(
        reading.read(TABLE.format(ability=ability, hurt="{do: wound, to: x}")).canonical, budget=1_000
    )


@pytest.mark.parametrize(
    ("ability", "code", "place", "words"),
    [
        ("{kind: response, at: after, of: use, do: [{do: draw, who: you}]}", "never-asked", "at", "after"),
        ("{kind: action, cost: [{choose: {as: z, from: character}}]}", "bad-instruction", "cost[0]", "must know first"),
        ("{kind: forced-response, do: [{do: draw, who: you}]}", "missing-key", "of", "happens automatically"),
        ('{kind: action, choose: {x: "charcter where exhausted"}}', "unknown-noun", "choose.x.from", "'charcter'"),
        ('{kind: response, of: wound, if: "trigger.victim = this"}', "unknown-role-of-wound", "if", "victim"),
        ('{kind: action, if: "yes and yes", because: [it is ready]}', "wrong-type", "because", "2 parts"),
        ("{kind: action, do: [{delayed: {kind: passive, of: wound}}]}", "missing-key", "do[0].delayed", "how often"),
        ("{kind: action, do: [{do: wound, to: you}]}", "bad-expression", "do[0].to", "is a player"),
    ],
)  # fmt: skip
def test_what_could_never_match_is_refused_where_it_is_written(
    ability: str, code: str, place: str, words: str
) -> None:
    with pytest.raises(UserError) as refused:
        asked(ability)
    assert refused.value.code == code
    assert refused.value.place == f"cards.seer.abilities[0].{place}"
    assert words in str(refused.value.message)


def test_an_order_is_asked_only_of_what_can_happen_to_what_is_named() -> None:
    source = TABLE.format(ability="{kind: action}", hurt="{do: wound, to: x}")
    with pytest.raises(UserError) as refused:
        reading.read(source.replace("next]", "{order: [{wound: Bo}, seer]}]"))
    assert (refused.value.code, refused.value.place) == ("bad-question", "ask[1].order[0]")
    assert "happens to a card, and Bo is a player" in refused.value.message


def test_a_question_names_an_ability_that_its_card_has() -> None:
    """“Bo may not use Seer (charge)” would be sure, and about nothing."""
    source = TABLE.format(ability="{kind: action}", hurt="{do: wound, to: x}")
    with pytest.raises(UserError) as refused:
        reading.read(source.replace("next]", "{legal: {Bo: seer, ability: charge}}]"))
    assert refused.value.place == "ask[1].legal" and "Known: action, commit it" in refused.value.remedy
    with pytest.raises(UserError) as refused:
        reading.read(
            "{system: agot, at: challenges phase, cards: {rider: {type: character, of: Ann, military: yes}},"
            " ask: [{legal: {Ann: rider, ability: military}}]}"
        )
    assert "It is an ability of Ann's faction card" in refused.value.remedy


def test_a_word_may_hold_an_apostrophe() -> None:
    found = asked("{kind: action, choose: {x: \"character where name = 'Ann's Friend'\"}}")
    assert "there is no legal target" in found["questions"][0]["sentence"]
    asked("{kind: action, choose: {x: \"character where name = 'Elders'' Rite'\"}}")


def test_an_answer_says_which_abilities_nobody_was_asked_about() -> None:
    found = asked("{kind: response, at: after, of: draw, do: [{do: draw, who: you}]}")
    (one,) = found["unasked"]
    assert one["card"] == "seer"
    assert one["why"] == "it waits for draw (after); what came up is wound"
    assert asked("{kind: response, at: after, of: wound, do: [{do: draw, who: you}]}")["unasked"] == []


def test_an_ability_of_a_card_elsewhere_is_said_to_be_elsewhere() -> None:
    found = asked("{kind: response, at: after, of: draw, zones: [hand], do: [{do: draw, who: you}]}")
    assert found["unasked"][0]["why"] == "seer is in play; it works only in hand"


SYSTEM = """
system: toy
zones: {play: in play}
properties: {type: {type: symbol, values: [thing]}}
nouns: {thing: "type = 'thing'"}
points: [after]
later: [after]
kinds: {move: {use: may}, trait: {use: must, answers: [after]}}
vocabulary:
  burn: {roles: {card: card, hot: yes}, edits: [], says: "{card} burns"}
charts:
  table: [{window: {of: move, start: active, nest: use, stops: yes}}]
  use: [targets, costs, execute]
  occurrence: [commit, {point: after}, {must: {of: trait, nest: use}}]
"""


def system(**changes: Any) -> Any:
    return compile_system({**strict_yaml.load(SYSTEM, name="toy"), **changes}, digest="toy")


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"chart": {}}, ""),
        ({"law": {"T-1": {"says": "so", "cites": "x"}}}, "law.T-1"),
        ({"documents": [{"title": "Rules", "rule": ["T"]}]}, "documents[0]"),
        ({"vocabulary": {"burn": {"roles": {"card": "crad"}}}}, "vocabulary.burn.roles.card"),
    ],
)
def test_an_unknown_word_of_a_system_file_is_refused(changes: dict[str, Any], place: str) -> None:
    with pytest.raises(DataError) as refused:
        system(**changes)
    assert refused.value.code.startswith("unknown-")
    assert refused.value.place == place


@pytest.mark.parametrize(
    ("filter_", "words", "remedy"),
    [
        ("card where cuont(card) = 1", "function 'cuont'", "count"),
        ("card wher cost = 1", "'wher'", "where"),
        ("any charcter", "'charcter'", "any(charcter)"),
    ],
)
def test_an_expression_that_cannot_be_read_names_the_word_and_what_was_meant(
    filter_: str, words: str, remedy: str
) -> None:
    with pytest.raises(UserError) as refused:
        asked(f'{{kind: action, choose: {{x: "{filter_}"}}, do: [{{do: wound, to: x}}]}}')
    assert words in refused.value.message
    assert remedy in refused.value.remedy
    assert refused.value.place == "cards.seer.abilities[0].choose.x.from"


def test_a_role_may_default_to_yes() -> None:
    role = system().kinds["burn"].roles["hot"]
    assert (role.type, role.default) == ("yes-no", True)


def test_every_kind_is_raised_where_its_chart_raises_it() -> None:
    assert system().raised["burn"] == {"after"}
    assert system().asked_for == {"move", "trait"}
    quiet = system(charts={"table": ["check"], "use": ["targets"], "occurrence": ["commit"]})
    assert quiet.raised["burn"] == frozenset()
    assert quiet.asked_for == frozenset()


@pytest.mark.parametrize("key", system_files.keys())
def test_every_library_card_can_be_read_and_every_slip_is_located(key: str) -> None:
    for found in lint.findings(key):
        assert found.split(":")[0].split(".")[0] in ("kinds", "vocabulary", "properties", "charts", "library")


def test_system_check_says_what_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("system_check", "coc-lcg")
    assert "coc-lcg: the system and its" in capsys.readouterr().out
    with pytest.raises(CommandError, match="Did you mean coc-lcg"):
        call_command("system_check", "coc-lgc")


def test_a_decision_that_comes_out_otherwise_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree is played again before it is told: one with its leaves swapped is found out."""
    told = situation(NAMED["coc-ccg/shotgun-and-researcher~2"])
    question = adjudicate(told, budget=1_000)["questions"][0]
    assert [one["who"] for one in question["depends"]] == ["Bo"]

    right = deciding.Trees.leaf
    swapped = {"Ann": "Bo", "Bo": "Ann"}
    monkeypatch.setattr(deciding.Trees, "leaf", lambda trees, value: right(trees, swapped.get(value, value)))
    wrong = adjudicate(told, budget=1_000)["questions"][0]
    assert wrong["depends"] == []
    assert "depending on the line of play" in wrong["sentence"]


def test_whether_a_reading_matters_is_said_only_where_the_other_was_explored() -> None:
    told = situation(NAMED["coc-ccg/shotgun-and-researcher"])
    found = adjudicate(told, budget=1_000)["assumptions"]
    readings = {one["id"]: one for one in found if one["kind"] == "reading"}
    assert readings["clock-moves"]["material"] is None
    assert all((one["material"] is None) == (not one["explored"]) for one in readings.values())


def test_the_reference_has_an_entry_for_every_key() -> None:
    """Of a system file and its parts, of an instruction, of a card's ability, of the choices in them: in what the page
    sets as code, not by chance in a sentence."""
    told = (Path(__file__).parents[2] / "docs" / "systems.md").read_text()
    code = re.findall(r"^```yaml\n(.*?)^```|`([^`\n]+)`", told, re.MULTILINE | re.DOTALL)
    words = set(re.findall(r"[a-z][a-z-]*", " ".join(block or span for block, span in code)))
    keys = {
        *shapes.SYSTEM,
        *shapes.ABILITY,
        *shapes.TARGET,
        *shapes.ALWAYS,
        *shapes.CANNOT,
        *shapes.IMMUNE,
        *shapes.GRANT,
    }
    keys |= {key for part in shapes.PARTS.values() for key in part}
    for name, shape in shapes.INSTRUCTIONS.items():
        keys |= {name, *shape}
        keys |= {key for inner in shape.values() if isinstance(inner, dict) for key in inner}
    assert sorted(keys - words) == []


def test_a_question_about_several_uses_is_not_answered_for_the_first_alone() -> None:
    source = """
system: coc-lcg
players: [Ann, Bo]
at: commit step
cards:
  tower: {type: story}
  thug: {name: Thug, type: character, of: Ann, skill: 3}
  nut: {name: Nut, type: character, of: Ann, insane: yes}
ask: [may Ann commit thug and nut to tower?]
"""
    with pytest.raises(UserError, match="asks about 2 moves at once") as refused:
        reading.read(source)
    assert refused.value.place == "ask[0]"
