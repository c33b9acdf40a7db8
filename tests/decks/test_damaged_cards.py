"""Card files of other programs, damaged: refused with their place, and never another card in silence."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from config.errors import UserError
from decks.cards import sources

THRONES = {
    "code": "Core", "name": "Core Set", "cgdbId": 1, "releaseDate": "2015-10-08",
    "cards": [
        {
            "code": f"0100{n}", "name": f"Guard {n}", "type": "character", "faction": "stark", "deckLimit": 3,
            "traits": ["Guard"], "text": "", "quantity": 1,
        }
        for n in range(1, 4)
    ],
}  # fmt: skip
NETRUNNER = [
    {
        "code": f"0100{n}", "title": f"Fence {n}", "side_code": "corp", "pack_code": "core", "type_code": "ice",
        "faction_code": "nbn", "deck_limit": 3, "uniqueness": False, "position": n, "quantity": 3,
    }
    for n in range(1, 4)
]  # fmt: skip
RINGS = [
    {
        "id": f"guard-{n}", "name": f"Guard {n}", "type": "character", "side": "dynasty", "clan": "crab",
        "allowed_clans": ["crab"], "deck_limit": 3, "traits": ["bushi"], "elements": [], "influence_cost": None,
        "influence_pool": None, "role_restriction": None, "cost": 2,
    }
    for n in range(1, 4)
]  # fmt: skip
ARKHAM = [
    {
        "code": f"0100{n}", "pack_code": "core", "position": n, "quantity": 1, "name": f"Lamp {n}",
        "type_code": "asset", "faction_code": "seeker", "deck_limit": 2, "traits": "Item.",
    }
    for n in range(1, 4)
]  # fmt: skip
MAGIC = [
    {"name": f"Bolt {n}", "type_line": "Instant", "legalities": {"modern": "legal"}, "color_identity": ["R"]}
    for n in range(1, 4)
]
YASUKI = {
    "set": "Ivory Edition",
    "cards": [
        {"title": f"Farm {n}", "types": ["Holding"], "decks": ["Dynasty"], "legality": ["Modern"], "is_unique": False}
        for n in range(1, 4)
    ],
}  # fmt: skip
FILES: dict[str, tuple[str, Any, Callable[[Any], Any]]] = {
    "throneteki": ("packs/Core.json", THRONES, lambda said: said["cards"]),
    "netrunner": ("pack/core.json", NETRUNNER, lambda said: said),
    "fiveringsdb": ("cards.json", RINGS, lambda said: said),
    "arkhamdb": ("core.json", ARKHAM, lambda said: said),
    "magic": ("oracle-cards.json", MAGIC, lambda said: said),
    "yasuki": ("sets/ivory.yaml", YASUKI, lambda said: said["cards"]),
}
NEEDED = {  # of each kind, columns without which a card would be another one
    "throneteki": ("code", "name", "type", "faction", "deckLimit", "traits"),
    "netrunner": ("code", "title", "side_code", "type_code", "deck_limit", "uniqueness"),
    "fiveringsdb": ("id", "name", "type", "clan", "allowed_clans", "deck_limit", "influence_cost"),
    "arkhamdb": ("code", "pack_code", "name", "type_code"),
    "magic": ("name", "type_line", "legalities"),
    "yasuki": ("title", "types", "decks"),
}


def written(name: str, content: Any) -> bytes:
    return (
        yaml.safe_dump(content, sort_keys=False) if name.endswith(".yaml") else json.dumps(content)
    ).encode()


@pytest.mark.parametrize("kind", FILES)
def test_the_whole_file_is_three_cards(kind: str) -> None:
    name, content, _rows = FILES[kind]
    source = sources.read({name: written(name, content)})
    assert source.kind == kind
    assert len([card for card in source.cards if card.facts["type"] != "faction"]) == 3


@pytest.mark.parametrize("damage", ["lost", "true", "a list", "empty"])
@pytest.mark.parametrize(("kind", "column"), [(kind, one) for kind, all_ in NEEDED.items() for one in all_])
def test_a_row_without_what_every_card_has_is_refused_with_its_file(
    kind: str, column: str, damage: str
) -> None:
    name, content, rows = FILES[kind]
    damaged = json.loads(json.dumps(content))
    row = rows(damaged)[1]
    if damage == "lost":
        del row[column]
    else:
        other = {"true": "yes" if column == "uniqueness" else True, "a list": [1], "empty": ""}
        row[column] = other[damage]
    with pytest.raises(UserError) as refused:
        sources.read({name: written(name, damaged)})
    assert refused.value.code == "bad-catalog"
    assert refused.value.place.startswith(name) or name in refused.value.message


def test_a_status_that_nobody_knows_is_no_ban_that_is_lost() -> None:
    damaged = [*MAGIC[:2], {**MAGIC[2], "legalities": {"modern": "bannd"}}]
    with pytest.raises(UserError, match="Bolt 3"):
        sources.read({"oracle-cards.json": written("oracle-cards.json", damaged)})


def test_a_property_without_a_name_is_refused() -> None:
    text = '<set name="Core"><cards><card name="Rats" id="5c240a80-00d1-486a-9a77-adf0395a3f19">' \
        '<property nam="Type" value="Character"/></card></cards></set>'  # fmt: skip
    with pytest.raises(UserError, match="card 1, Rats"):
        sources.read({"core.xml": text.encode()})


def test_files_that_do_not_fit_together_are_refused_in_words() -> None:
    banned = [
        {
            "code": "1", "name": "First", "date": "2016-01-01", "cardSet": "original", "issuer": "G", "version": "1",
            "bannedCards": [], "formats": [{"name": "draft", "restricted": []}],
        }
    ]  # fmt: skip
    files = {"packs/Core.json": THRONES, "restricted-list.json": banned}
    with pytest.raises(UserError, match="don’t fit together"):
        sources.read({name: written(name, content) for name, content in files.items()})
