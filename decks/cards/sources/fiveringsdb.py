"""Legend of the Five Rings LCG as fiveringsdb's card files have it: Card/*.json, PackCard/PACK.json (which cards a pack
holds), Pack.json (names and days).

Cards of one name that are different cards are told apart by their clan, or by their pack; the bare name stands for any
of them (`versions`). Its successor EmeraldDB numbers them from the second on, in the order of their packs: “Name (2)”.
A stronghold or role says how its deck is built: its influence, its elements.

It ends before two packs of the game: Clan War, and the last one, Under Fu Leng's Shadow. Their cards are in
decks/catalog/l5r-lcg.csv.
"""

from collections.abc import Mapping
from datetime import date
from pathlib import PurePosixPath
from typing import Any

from config.errors import UserError
from decks.cards.index import CardFacts, PrintingFacts
from decks.cards.sources.shapes import Shape
from decks.lists import fold

ELEMENTS = ("air", "earth", "fire", "void", "water")
CLANS = ("crab", "crane", "dragon", "lion", "phoenix", "scorpion", "unicorn")
KEEPER, SUPPORT = 3, 8  # influence that such a role adds
FIRST_LIST = date(
    2018, 5, 29
)  # the publisher's news of 2018-05-21: a restricted list is new, in effect from this day
# EmeraldDB's days of packs (importData/json/Pack.json, read in November 2026) that this data lacks, or has later: it is
# not sure that a card was not out yet. Of the last pack only the month is known.
EARLIER = {
    "Clan War": date(2020, 2, 7),
    "Spreading Shadows": date(2020, 4, 3),
    "In Pursuit of Truth": date(2020, 5, 11),
    "Campaigns of Conquest": date(2020, 7, 8),
    "As Honor Demands": date(2020, 8, 31),
    "Atonement": date(2020, 9, 28),
    "Twisted Loyalties": date(2020, 11, 3),
    "A Crimson Offering": date(2021, 1, 8),
    "Peace at Any Cost": date(2021, 4, 10),
    "Under Fu Leng's Shadow": date(2021, 6, 1),
}
ROLES = "Which clan could take which role in a season is not in our data"

SHAPES = (
    Shape(
        frozenset({"allowed_clans", "influence_cost", "role_restriction", "id", "clan"}),
        {
            "id": "text", "name": "text", "type": "text", "side": "text", "clan": "text", "allowed_clans": "texts",
            "deck_limit": "number", "traits": "texts", "elements": "list", "influence_cost": "number~",
            "influence_pool": "number~", "role_restriction": "text~", "cost": "number~", "is_restricted": "flag?",
            "is_unique": "flag?", "unique": "flag?",
        },
    ),
    Shape(frozenset({"card_id", "quantity", "image_url"}), {"card_id": "text"}),
    Shape(frozenset({"id", "name", "cycle_id", "released_at"}), {"id": "text", "name": "text", "released_at": "day~"}),
)  # fmt: skip


def recognises(name: str, content: Any) -> bool:
    """A list of cards, or one card."""
    rows = [content] if isinstance(content, dict) else content
    return isinstance(rows, list) and all(
        isinstance(row, dict) and {"allowed_clans", "influence_cost", "role_restriction"} <= row.keys()
        for row in rows
    )


def _cards(files: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = []
    for name, content in files.items():
        if content and recognises(name, content):
            rows += [content] if isinstance(content, dict) else content
    return sorted(rows, key=lambda row: str(row["id"]))


def read(files: Mapping[str, Any]) -> tuple[CardFacts, ...]:
    """The cards of the files already parsed. Raises UserError `bad-catalog`."""
    packs = {pack["id"]: pack["name"] for pack in _packs(files)}
    printings: dict[str, list[PrintingFacts]] = {}
    for name, content in files.items():
        for row in content if isinstance(content, list) else ():
            if isinstance(row, dict) and "card_id" in row:
                pack = PurePosixPath(name).stem
                printing = PrintingFacts(
                    packs.get(pack, pack), str(row.get("position", "")), "", row["card_id"]
                )
                printings.setdefault(row["card_id"], []).append(printing)
    days = {pack["name"]: pack["released_at"] for pack in _packs(files)}
    rows = _cards(files)
    named: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if not fold(str(row["name"])):
            raise UserError("bad-catalog", f"{row['id']}: a card without a name.", place=str(row["id"]))
        named.setdefault(fold(str(row["name"])), []).append(row)
    made: list[CardFacts] = []
    for same in named.values():
        same.sort(key=lambda row: _first_day(printings.get(row["id"], []), days))
        cards = [_card(row, same, printings.get(row["id"], [])) for row in same]
        made += cards
        if len(cards) > 1:
            name = str(same[0]["name"])
            shared = {
                fact: value
                for fact, value in cards[0].facts.items()
                if fact != "also" and all(card.facts.get(fact) == value for card in cards)
            }
            made.append(
                CardFacts(name, fold(name), shared | {"versions": [card.title for card in cards]}, ())
            )
    return tuple(made)


def _card(row: Mapping[str, Any], same: list[Mapping[str, Any]], printings: list[PrintingFacts]) -> CardFacts:
    title = str(row["name"])
    if len(same) > 1:
        clans = [one["clan"] for one in same]
        told = (
            row["clan"]
            if clans.count(row["clan"]) == 1
            else printings[0].set_name
            if printings
            else row["id"]
        )
        title = f"{title} ({told})"
    own = PrintingFacts(printings[0].set_name if printings else "", "", "", str(row["id"]))
    place = same.index(row) + 1
    facts: dict[str, Any] = {
        **({"also": f"{row['name']} ({place})"} if place > 1 else {}),
        "type": row["type"],
        "side": row["side"],
        "clan": row["clan"],
        "called": row["name"],
        "limit": row.get("deck_limit", 3),
        "traits": list(row.get("traits") or []),
        "unique": bool(row.get("unique") or row.get("is_unique")),
    }
    elements = [one for one in row.get("elements") or [] if one]
    if elements:
        facts["element"] = list(ELEMENTS) if elements == ["all"] else elements
    if row["allowed_clans"] != ["*"]:
        facts["for-clan"] = list(row["allowed_clans"])
    if row["type"] == "stronghold":
        facts["influence-pool"] = row.get("influence_pool") or 0
    elif row["influence_cost"] is not None:
        facts["influence"] = row["influence_cost"]
    if isinstance(row.get("cost"), int):
        facts["cost"] = row["cost"]
    if row.get("role_restriction"):
        facts["for-role"] = row["role_restriction"]
    if row["type"] == "role":
        facts |= _role(row)
    return CardFacts(title, fold(title), facts, tuple(printings) or (own,))


def _first_day(printings: list[PrintingFacts], days: Mapping[str, str | None]) -> str:
    """The day on which a card first came out; late for one of no known day."""
    return min((days.get(printing.set_name) or "9999" for printing in printings), default="9999")


def _role(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a role lets its deck do; its traits are what cards ask for."""
    traits = [str(one).lower() for one in row.get("traits") or []]
    facts: dict[str, Any] = {"for-role": traits}
    if "keeper" in traits:
        facts["more-influence"] = KEEPER
    elif "seeker" not in traits and any(clan in traits for clan in CLANS):
        facts["more-influence"] = SUPPORT
    return facts


def _packs(files: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [
        row
        for content in files.values()
        if isinstance(content, list)
        for row in content
        if isinstance(row, dict) and "released_at" in row and "cycle_id" in row
    ]


def laws_of(files: Mapping[str, Any], cards: tuple[CardFacts, ...]) -> dict[str, dict[str, Any]]:
    """The format with the days of the packs and the one restricted list that the data marks.

    Later lists differ: in 2020 Charge! and Guest of Honor, which it restricts, were banned.
    """
    days = {
        pack["name"]: date.fromisoformat(pack["released_at"]) for pack in _packs(files) if pack["released_at"]
    }
    if days:
        days |= EARLIER
    rows = _cards(files)
    titles = {printing.code: card.title for card in cards for printing in card.printings}
    restricted = sorted(titles[row["id"]] for row in rows if row.get("is_restricted") and row["id"] in titles)
    if not days:
        return {}
    doubt = f"{ROLES}. It marks the restricted cards of one list, of late 2019, and of no day which cards were banned."
    known = max(days.values())
    return {
        "l5r-lcg": {
            "extends": "l5r-lcg-any",
            "key": "l5r-lcg",
            "title": "Legend of the Five Rings LCG, stronghold",
            "default-on": known,
            "released": {"rule": "L5L-POOL-01", "days": dict(sorted(days.items()))},
            "lists": {
                "none": {"title": "no list", "document": "before Imperial Law restricted cards"},
                "restricted": {
                    "title": "the restricted list of late 2019",
                    "document": "Imperial Law",
                    "restricted": {"rule": "L5L-LIST-01", "titles": restricted},
                },
            },
            "timeline": [
                {
                    "from": min(days.values()),
                    "list": "none",
                    "doubt": f"{ROLES}. No card was restricted.",
                    "basis": "the publisher's news of 2018-05-21 calls the restricted list new",
                },
                {
                    "from": FIRST_LIST,
                    "list": "restricted",
                    "doubt": doubt,
                    "basis": "marked in the data without a day",
                },
            ],
        }
    }
