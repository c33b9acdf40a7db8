"""Who may answer what, and how often: the mechanics of gates, whatever the game."""

from typing import Any

from rules import scenarios
from rules.scenarios.adjudicate import adjudicate


def ask(source: str) -> dict[str, Any]:
    return adjudicate(scenarios.read(source).canonical, budget=10_000)


def answers(source: str) -> list[str]:
    return [question["answer"] for question in ask(source)["questions"]]


def test_what_waits_nearer_for_one_kind_and_further_out_for_another_is_answered_once() -> None:
    """The Response listener makes the outer gate hold the exhausting too; the Forced Response must not see it there."""
    assert answers(
        """
        system: coc-lcg
        cards:
          blast: {is: Shotgun Blast, of: Ann, zone: hand}
          victim: {name: Victim, type: character, of: Bo, toughness: 3, abilities: [
            {kind: forced-response, at: after, of: wound, if: trigger.to = this, do: [{do: exhaust, card: this}]}]}
          clock: {name: Clock, type: support, of: Bo, abilities: [
            {kind: forced-response, at: after, of: exhaust, do: [{add: wounds, of: this, by: 1}]}]}
          watcher: {name: Watcher, type: support, of: Bo, abilities: [
            {kind: response, at: after, of: exhaust, do: [{set: blank, of: this, to: yes}]}]}
        did: [Ann plays blast on victim]
        ask: [{holds: clock.wounds = 1}]
        """
    ) == ["yes"]


def test_a_card_answers_its_own_entering_play_as_the_card_it_has_become() -> None:
    assert answers(
        """
        system: coc-lcg
        cards:
          herald: {name: Herald, type: character, of: Ann, zone: hand, abilities: [
            {kind: forced-response, at: after, of: play, if: trigger.card = this, do: [{do: exhaust, card: this}]}]}
        did: [Ann plays herald]
        ask: [{holds: herald.exhausted}]
        """
    ) == ["yes"]


def test_an_effect_goes_on_with_what_it_has_moved_itself() -> None:
    assert answers(
        """
        system: coc-lcg
        cards:
          gate: {name: Gate, type: event, of: Ann, zone: hand, abilities: [
            {kind: action, choose: {dead: "card where zone = 'discard' and type = 'character'"},
             do: [{do: put-into-play, card: dead}, {do: wound, to: dead}]}]}
          ghoul: {name: Ghoul, type: character, of: Ann, zone: discard, toughness: 2}
        did: [Ann plays gate on ghoul]
        ask: [{holds: ghoul.zone = 'play' and ghoul.wounds = 1}]
        """
    ) == ["yes"]


def test_what_was_foreseen_and_then_turned_on_another_happens_to_that_other() -> None:
    assert answers(
        """
        system: coc-lcg
        cards:
          blast: {is: Shotgun Blast, of: Ann, zone: hand}
          victim: {name: Victim, type: character, of: Bo}
          shield: {name: Shield, type: character, of: Bo, toughness: 1, abilities: [
            {kind: disrupt, at: would, of: wound, if: trigger.to != this, do: [{alter: trigger, set: {to: this}}]}]}
        did: [Ann plays blast on victim, Bo uses shield]
        ask: [{holds: shield.wounds = 1 and victim.zone = 'play' and victim.wounds = 0}]
        """
    ) == ["yes"]
