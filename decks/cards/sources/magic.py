"""Magic as its two public bulk files have it: MTGJSON's AtomicCards.json (and its like of one format), or Scryfall's
Oracle Cards and Default Cards. No text is kept: of it only how many copies a deck may hold of a card that says so.

A file knows the lists of its own day alone: each import makes the formats of that day; on earlier days a deck stays
unverified. MTGJSON says its day; of Scryfall's file it is that of the newest card that may be played.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from config.errors import UserError
from decks.cards.index import CardFacts, PrintingFacts
from decks.cards.sources.shapes import Shape
from decks.lists import fold

FORMATS = {
    "standard": "Standard", "pioneer": "Pioneer", "modern": "Modern", "legacy": "Legacy", "vintage": "Vintage",
    "pauper": "Pauper",
}  # fmt: skip
NO_DECK_CARDS = (
    "token",
    "double_faced_token",
    "emblem",
    "art_series",
    "scheme",
    "planar",
    "vanguard",
    "reversible_card",
)
FIRST = date(1993, 8, 5)
UNLIMITED = 999
_SUPERTYPES = ("basic", "legendary", "snow", "world", "ongoing", "elite", "host")
_COPIES = re.compile(r"a deck can have (any number of|up to (\w+)) cards named", re.I)
_WORDS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
SHAPES = (
    Shape(
        frozenset({"name", "type_line", "legalities"}),
        {
            "name": "text",
            "legalities": "mapping",
            "type_line": "text?",
            "color_identity": "texts?",
            "layout": "text?",
        },
    ),
)
STATUSES = ("legal", "not_legal", "restricted", "banned")

Row = Mapping[str, Any]


def recognises(name: str, content: Any) -> bool:
    """A list of Scryfall's cards, or MTGJSON's object of cards by name."""
    if isinstance(content, list):
        return all(
            isinstance(row, dict) and {"name", "type_line", "legalities"} <= row.keys()
            for row in content[:100]
        )
    return (
        isinstance(content, dict) and {"meta", "data"} <= content.keys() and isinstance(content["data"], dict)
    )


def read(files: Mapping[str, Any]) -> tuple[CardFacts, ...]:
    """The cards of the files already parsed. Raises UserError `bad-catalog` with the card."""
    rows: dict[str, list[Row]] = {}
    for name, content in files.items():
        for row in _rows(name, content):
            rows.setdefault(fold(str(row["name"])), []).append(row)
    several = any(len({row.get("set") for row in same}) > 1 for same in rows.values())
    return tuple(_card(key, same, several) for key, same in sorted(rows.items()))


def _rows(name: str, content: Any) -> Iterator[Row]:
    if not content or not recognises(name, content):
        return
    if isinstance(content, list):
        found: Iterable[Any] = content
    else:
        found = (
            row
            for faces in content["data"].values()
            for row in (faces if isinstance(faces, list) else [None])
        )
    for row in found:
        if not isinstance(row, dict) or not isinstance(row.get("legalities"), dict):
            raise UserError(
                "bad-catalog",
                f"{name} holds sets, not cards.",
                place=name,
                remedy="Use AtomicCards.json (or one format's, such as ModernAtomic.json), or Scryfall's Oracle Cards.",
            )
        if not isinstance(row.get("name"), str) or not fold(row["name"]):
            raise UserError("bad-catalog", f"{name}: a card without a name.", place=name)
        if row.get("layout") in NO_DECK_CARDS:
            continue
        kind, statuses = row.get("type_line") or row.get("type"), row["legalities"].values()
        if not isinstance(kind, str) or not kind.strip():
            raise _bad(name, row, "it has no type")
        if not all(isinstance(one, str) and one.lower() in STATUSES for one in statuses):
            raise _bad(name, row, f"it is something else than {', '.join(STATUSES)} in a format")
        yield row


def _bad(name: str, row: Row, why: str) -> UserError:
    place = f"{name}, {row['name']}"
    return UserError("bad-catalog", f"{place}: {why}.", place=place, remedy="Download the file again.")


def _card(key: str, same: list[Row], several: bool) -> CardFacts:
    """One card of all its printings, or of all its faces."""
    row = same[0]
    title = str(row["name"])
    front = title.partition(" // ")[0]
    words = re.sub(r"—.*|//.*", "", str(row.get("type_line") or row.get("type") or "")).lower().split()
    said = {str(name).lower(): str(status).lower() for name, status in row["legalities"].items()}
    facts: dict[str, Any] = {
        "type": [word for word in words if word not in _SUPERTYPES],
        "basic": "basic" in words,
        "colors": sorted(str(one) for one in row.get("color_identity") or row.get("colorIdentity") or ()),
        "pool": sorted(name for name, status in said.items() if status in ("legal", "restricted", "banned")),
        "banned-in": sorted(name for name, status in said.items() if status == "banned"),
        "restricted-in": sorted(name for name, status in said.items() if status == "restricted"),
    }
    if facts["basic"]:
        facts["limit"] = UNLIMITED
    elif copies := _own_limit(same):
        facts["limit"] = copies
    if front != title:
        facts["also"] = [front]
    sets = {str(code).upper() for one in same for code in one.get("printings") or ()}
    sets |= {str(one["set"]).upper() for one in same if several and one.get("set")}
    return CardFacts(title, key, facts, tuple(PrintingFacts(code) for code in sorted(sets)))


def _own_limit(same: Iterable[Row]) -> int | None:
    for row in same:
        faces = [row, *(face for face in row.get("card_faces") or () if isinstance(face, dict))]
        for face in faces:
            if found := _COPIES.search(str(face.get("oracle_text") or face.get("text") or "")):
                if not found[2]:
                    return UNLIMITED
                if found[2].lower() in _WORDS:
                    return _WORDS.index(found[2].lower())
    return None


def laws_of(files: Mapping[str, Any], cards: tuple[CardFacts, ...]) -> dict[str, dict[str, Any]]:
    """A format each with the pool and the list of the file's day."""
    day = day_of(files)
    if day is None:
        return {}
    return {
        f"magic-{key}": _law(key, title, day, cards) for key, title in FORMATS.items() if _has(key, cards)
    }


def day_of(files: Mapping[str, Any]) -> date | None:
    """The day of the file; None where it says none."""
    return max((found for content in files.values() for found in _days(content)), default=None)


def _has(key: str, cards: Iterable[CardFacts]) -> bool:
    return any(key in card.facts["pool"] for card in cards)


def _days(content: Any) -> Iterator[date]:
    """The day of MTGJSON's file; of Scryfall's, the days of the cards that may be played."""
    said = content.get("meta", {}).get("date") if isinstance(content, dict) else None
    playable = (
        row.get("released_at")
        for row in (content if isinstance(content, list) else ())
        if isinstance(row, dict) and "legal" in row["legalities"].values()
    )
    for one in (said, *playable):
        if isinstance(one, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", one):
            yield date.fromisoformat(one)


def _law(key: str, title: str, day: date, cards: tuple[CardFacts, ...]) -> dict[str, Any]:
    banned = [card.title for card in cards if key in card.facts["banned-in"]]
    restricted = {card.title: 1 for card in cards if key in card.facts["restricted-in"]}
    doubt = f"The card data has the cards and the list of {day} alone."
    return {
        "extends": "magic",
        "key": f"magic-{key}",
        "title": f"Magic, {title}",
        "default-on": day,
        "lists": {
            "imported": {
                "title": f"the list of {day}",
                "document": f"Magic, {title} (imported card data)",
                "pool": {"rule": "MTG-POOL-01", "fact": "pool", "values": [key]},
                **({"banned": {"rule": "MTG-LIST-01", "titles": banned}} if banned else {}),
                **({"limits": {"rule": "MTG-LIST-02", "copies": restricted}} if restricted else {}),
            }
        },
        "timeline": [
            {"from": FIRST, "list": "imported", "basis": "of the card data's own day", "doubt": doubt},
            {"from": day, "list": "imported", "basis": "the day of the card data"},
        ],
    }
