"""What of an answer no reader of Korean has in Korean."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from rules.engine.base.messages import Message
from rules.law.system_files import all_cards
from rules.spoken import translated

NO_TEXT = {  # fields of an answer whose values no reader sees as words
    "id", "kind", "status", "cites", "key", "version", "hash", "title", "engine", "scenario_hash", "decider", "value",
    "again",
}  # fmt: skip


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield str(key)
            yield from _strings(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, str):
        yield value


def _texts(value: Any, field: str = "") -> Iterator[str]:
    """The strings of an answer that people read; the rules it cites are law."""
    if isinstance(value, dict):
        for key, one in value.items():
            if key not in NO_TEXT and key != "rules":
                yield from _texts(one, key)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one, field)
    elif isinstance(value, str):
        yield value


def _messages(text: Any) -> Iterator[Message]:
    if isinstance(text, Message):
        yield text
        for _name, value in text.arguments:
            yield from _messages(value)


@cache
def _cards_words(system: str) -> frozenset[str]:
    return frozenset(_strings([data for data, _works_in in all_cards(system).values()]))


def not_korean(answer: Mapping[str, Any], asked: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """(messages without a Korean text, words said without a message), of the answer to what was asked.

    What a scenario or a card calls things stays as it is; so does a name.
    """
    cards, told = _cards_words(asked["system"]), frozenset(_strings(asked))

    def said(text: str) -> bool:
        return text in told or text in cards

    english: set[str] = set()
    glued: set[str] = set()
    for text in _texts(answer):
        for message in _messages(text):
            known = message.context and (" " not in message.template or said(message.template))
            if not known and translated(message.template, message.context, "ko") is None:
                english.add(f"{message.context}: {message.template}")
        if isinstance(text, Message) or text in CODES or text.isdigit() or text.istitle():
            continue
        if not (said(text) or said(text.rpartition(" (")[0]) or text.startswith("another card of ")):
            glued.add(text)
    return english, glued


# Words that are no messages yet: labels of one-of, symbols, a card of a deck that nobody named. They can only go.
# By system, each with a case in whose answer it is said.
GLUED: dict[str, dict[str, str]] = {
    "agot": {"another": "agot/a-choice-told-among-unnamed-cards~2", "lost": "agot/power-and-intrigue~1"},
    "arkham": {
        "a forced ability is next": "arkham/forced-before-reactions~1",
        "a reaction is next": "arkham/forced-before-reactions~1",
        "margin": "arkham/by-how-much-nobody-knows",
        "that is enough": "arkham/a-test-that-would-fail~5",
        "that is not enough": "arkham/a-test-that-would-fail~5",
        "the test fails": "arkham/a-card-nobody-names",
        "the test succeeds": "arkham/a-card-nobody-names",
    },
    "coc-ccg": {"another": "coc-ccg/order-in-a-deck~3", "top": "coc-ccg/order-in-a-deck~3"},
    "coc-lcg": {
        "another": "coc-lcg/mulligan~1",
        "thrown": "coc-lcg/painful-reflection~2",
        "top": "coc-lcg/mulligan~1",
    },
    "l5r": {"strike": "l5r/definite-focus-trigger"},
    "magic": {"another": "magic/scry-and-draw~3"},
}
CODES = {"", "yes", "no", "illegal"}  # answers as programs read them; pages have words for them
