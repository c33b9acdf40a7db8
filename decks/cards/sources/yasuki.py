"""Legend of the Five Rings CCG as “Game on, Yasuki!” keeps it, in src/yasuki_core/assets/database/sets: a file a
set with `set` and `cards`, an entry a printing.

An experienced version is a card of its own: “Name - exp2”. The bare name stands for them where no card has it. A card
is legal in the arcs of the data's last day; when it was banned is not said.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from config.errors import UserError
from decks.cards.index import CardFacts, PrintingFacts
from decks.cards.sources.shapes import Shape
from decks.lists import fold

DECKS = ("dynasty", "fate", "pre-game")
_EXPERIENCE = re.compile(r"(in)?experienced ?(\d*(?:\.\d+)?)(KYD|CW|CoM)?", re.IGNORECASE)
_ARC = re.compile(r"\(([^()]+?)(?: Edition)?\)$")

SHAPES = (
    Shape(frozenset({"set", "cards"}), {"set": "text", "cards": "list"}),
    Shape(
        frozenset({"title", "types", "decks", "legality", "rarity"}),
        {
            "title": "text", "types": "texts", "decks": "texts", "legality": "texts?", "clans": "texts?",
            "keywords": "texts?", "is_unique": "flag?", "is_back": "flag?", "subtitle": "text?",
        },
        part="cards",
    ),
)  # fmt: skip


def recognises(name: str, content: Any) -> bool:
    """A set with its cards, each of a kind and for a deck."""
    return (
        isinstance(content, dict)
        and isinstance(content.get("set"), str)
        and isinstance(content.get("cards"), list)
        and all(
            isinstance(row, dict) and {"title", "types", "decks"} <= row.keys() for row in content["cards"]
        )
    )


def read(files: Mapping[str, Any]) -> tuple[CardFacts, ...]:
    """The cards of the files already parsed. Raises UserError `bad-catalog`."""
    facts: dict[str, dict[str, Any]] = {}
    titles: dict[str, str] = {}
    printings: dict[str, list[PrintingFacts]] = {}
    bare: dict[str, set[str]] = {}
    for name, content in sorted(files.items()):
        if not recognises(name, content):
            continue
        for row in content["cards"]:
            deck = str(next(iter(row["decks"]), "")).lower()
            if deck not in DECKS or row.get("is_back"):
                continue  # tokens, money, the other side of a card
            base, title = _titles(row)
            key = fold(title)
            if not key:
                raise UserError("bad-catalog", f"{name}: a card without a name.", place=content["set"])
            titles.setdefault(key, title)
            facts[key] = _together(facts.get(key), _facts(row, deck))
            number = str(row.get("collector_number") or "")
            printings.setdefault(key, []).append(PrintingFacts(content["set"], number))
            if base != title:
                bare.setdefault(base, set()).add(key)
    cards = [CardFacts(titles[key], key, facts[key], tuple(printings[key])) for key in facts]
    return (*cards, *_bare_names(bare, facts, titles))


def laws_of(files: Mapping[str, Any], cards: tuple[CardFacts, ...]) -> dict[str, dict[str, Any]]:
    """None: an event names its arc, and the data has no days of lists."""
    return {}


def _titles(row: Mapping[str, Any]) -> tuple[str, str]:
    """The name without and with the version it is."""
    base = str(row["title"]).strip()
    if subtitle := row.get("subtitle"):
        base = f"{base}, {subtitle}"
    for keyword in row.get("keywords") or ():
        if found := _EXPERIENCE.match(str(keyword)):
            return base, f"{base} - {(found[1] or '').lower()}exp{found[2]}{found[3] or ''}"
    return base, base


def _facts(row: Mapping[str, Any], deck: str) -> dict[str, Any]:
    keywords = [str(one) for one in row.get("keywords") or ()]
    clans = [str(one) for one in row.get("clans") or ()]
    return {
        "type": str(row["types"][0]).lower() if row["types"] else "",
        "deck": deck,
        "unique": bool(row.get("is_unique")) or "Unique" in keywords,
        "loyal": "Loyal" in keywords,
        "legal": sorted({_arc(str(one)) for one in row.get("legality") or ()}),
        **({"clan": clans[0] if len(clans) == 1 else clans} if clans else {}),
    }


def _arc(said: str) -> str:
    """ "Age of Conquest (Emperor)": emperor."""
    found = _ARC.search(said)
    return fold(found[1] if found else said).replace(" ", "-")


def _together(known: dict[str, Any] | None, more: dict[str, Any]) -> dict[str, Any]:
    """What two printings say of a card: the stricter where a copy more would hang on it."""
    if known is None:
        return more
    return {
        **more,
        "unique": known["unique"] or more["unique"],
        "loyal": known["loyal"] or more["loyal"],
        "legal": sorted({*known["legal"], *more["legal"]}),
    }


def _bare_names(
    bare: Mapping[str, set[str]], facts: Mapping[str, Mapping[str, Any]], titles: Mapping[str, str]
) -> Iterable[CardFacts]:
    for base, keys in sorted(bare.items()):
        if fold(base) in facts:
            continue
        versions = [facts[key] for key in sorted(keys)]
        shared = {
            fact: value
            for fact, value in versions[0].items()
            if all(one.get(fact) == value for one in versions)
        }
        names = [titles[key] for key in sorted(keys)]
        yield CardFacts(base, fold(base), shared | {"versions": names}, ())
