"""Expressions of cards in plain words."""

import pytest

from rules.engine.base.errors import DataError
from rules.engine.definitions.phrases import Phrases
from rules.law import system_files
from rules.spoken import spoken

IN_WORDS = {
    # filters
    "character": "character",
    "character where controller = you and subtypes has 'Cultist'": (
        "character you control whose subtypes include Cultist"
    ),
    "card where subtypes has 'Cultist' and zone = 'hand' and owner = you": (
        "card you own in hand whose subtypes include Cultist"
    ),
    "card where type = 'event' and zone = 'discard'": "event in the discard pile",
    "character where not unique and printed(it.cost) <= 3": "character with printed cost at most 3 that is not unique",
    "character where exhausted and controller = next(you)": "character the opponent controls that is exhausted",
    "character where not (subtypes has 'Dreamer')": "character whose subtypes do not include Dreamer",
    "character as c where any(in-play as a where a.host = c)": (
        "character “c”, if there is a card in play with host “c”"
    ),
    "character where skill > 2 and (insane or cost = 1)": (
        "character with skill more than 2, if (it is insane or its cost is 1)"
    ),
    # conditions
    "any(character where controller = you)": "there is a character you control",
    "not any(support)": "there is no support",
    "none(event)": "there is no event",
    "count(character) >= 2": "the number of: character is at least 2",
    "this.exhausted and not this.host.insane": "this card is exhausted and this card's host is not insane",
    "not (insane or cost > 2)": "it is not insane and its cost is at most 2",
    "not (insane and cost > 2)": "it is not insane or its cost is at most 2",
    "insane and (cost = 1 or skill = 2)": "it is insane and (its cost is 1 or its skill is 2)",
    "type = 'event' or type = 'support'": "its type is event or support",
    "target != nothing": "“target” has been chosen",
    "this.host = nothing": "this card has no host",
    "active = you": "the active player is you",
    "this.zone = 'play'": "this card is in play",
    "this.controller = you": "you control this card",
    "trigger.card = this": "that card is this card",
    # values
    "sum(character where controller = you: it.skill)": (
        "the total of its skill, over each character you control"
    ),
    "0 - this.cost": "−this card's cost",
    "2 * count(event)": "2 × the number of: event",
    "if(you.seat = 1, 3, 4)": "(3 if your seat is 1, otherwise 4)",
    "fully(this)": "“fully(this)”",
}


@pytest.fixture(scope="module")
def phrases() -> Phrases:
    return Phrases(system_files.system("coc-lcg"), {"trigger.card": "that card"})


@pytest.mark.parametrize("expression", IN_WORDS)
def test_an_expression_is_said_in_words(phrases: Phrases, expression: str) -> None:
    assert phrases.of(expression) == IN_WORDS[expression]


def test_names_are_replaced_by_who_they_are() -> None:
    phrases = Phrases(system_files.system("coc-lcg"), {"you": "Ann", "this": "Thug"})
    assert phrases.of("any(character where controller = you)") == "there is a character Ann controls"
    assert phrases.of("this.controller = you") == "Thug's controller is Ann"


def test_a_condition_means_each_card_for_which_it_holds(phrases: Phrases) -> None:
    assert phrases.each("it.type = 'character' and it.zone = 'play'") == "each character in play"
    assert phrases.each("it = this.host") == phrases.each("this.host") == "this card's host"


def test_it_is_said_in_the_readers_language(phrases: Phrases) -> None:
    from django.utils import translation

    with translation.override("ko"):
        said = spoken(phrases.of("character where controller = you and skill >= 2"))
    assert "당신이 조종하는" in said and "이상" in said


def test_what_is_no_expression_is_refused(phrases: Phrases) -> None:
    with pytest.raises(DataError):
        phrases.of("character where where")
