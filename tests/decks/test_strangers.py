"""Lists in the habits of sites and languages (strangers.yaml), read as a person reads them."""

from pathlib import Path
from typing import Any

import pytest

from config import strict_yaml
from decks.cards.index import CatalogIndex
from decks.judging.judgement import judge
from decks.law import format_files
from decks.lists import ListError, read

# A game with a sideboard and an extra deck, of which we hold no card: what is known, the list alone says.
LAW = """
key: any-game
title: Any game
game: any-game
default-on: 2026-01-01
law:
  A-1: {text: A deck has cards., document: Rules}
construction:
  copies: {at-most: 99, rule: A-1}
  sections:
    - {key: deck, title: deck, rule: A-1}
    - {key: side, title: sideboard, names: [Sideboard], outside: true, rule: A-1}
    - {key: part, title: extra deck, names: [Extra Deck], outside: true, rule: A-1}
lists:
  none: {title: no list, document: Rules}
timeline:
  - {from: 2020-01-01, list: none, basis: always}
"""
WORDS = {"deck": "", "considered": "aside ", "side": "side ", "part": "part "}

_known: Any = strict_yaml.load((Path(__file__).parent / "strangers.yaml").read_text(), name="strangers.yaml")
STRANGERS: list[dict[str, Any]] = _known


def read_by_us(text: str) -> dict[str, Any]:
    try:
        deck_list = read(text)
    except ListError as error:
        return {"expect": [], "unread": [], "refused": error.code, "name": ""}
    snapshot = format_files.snapshot_of(format_files.parsed(LAW, name="any.yaml"), None)
    judgement = judge(
        deck_list, snapshot, CatalogIndex([], game="any-game", name="", partial=True, version="0")
    )
    asked = {one.text for one in judgement.deck.unread if one.code == "unknown-heading"}
    rows = zip(judgement.deck_list.entries, judgement.deck.entries, strict=True)
    return {
        "expect": [
            f"{'ask ' if written.section in asked else WORDS[entry.section]}{entry.count} {written.name}"
            for written, entry in rows
        ],
        "unread": [one.line for one in judgement.deck.unread if one.code != "unknown-heading"],
        "refused": "",
        "name": judgement.deck_list.name,
    }


@pytest.mark.parametrize("one", STRANGERS, ids=lambda one: str(one["site"]))
def test_a_strangers_list_is_read_as_a_person_reads_it(one: dict[str, Any]) -> None:
    found = read_by_us(one["text"])
    assert found["refused"] == one.get("refused", "")
    assert sorted(found["expect"]) == sorted(one.get("expect", []))
    assert found["unread"] == one.get("unread", [])
    assert found["name"] == one.get("name", found["name"])
