"""A Game of Thrones (second edition) as throneteki's card files have it: packs/*.json (a set with its cards) and
restricted-list.json (dated lists, by card codes).

Cards of one name that are different cards are told apart by their set: “Littlefinger (Core)”. The bare name stands for
any of them (`versions`), with the facts that they share. A faction card is made for each faction.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from config.errors import UserError
from decks.cards.index import CardFacts, PrintingFacts
from decks.cards.sources.shapes import Shape
from decks.lists import fold

FACTIONS = {
    "baratheon": "House Baratheon",
    "greyjoy": "House Greyjoy",
    "lannister": "House Lannister",
    "martell": "House Martell",
    "thenightswatch": "The Night's Watch",
    "stark": "House Stark",
    "targaryen": "House Targaryen",
    "tyrell": "House Tyrell",
}
_COLUMNS = (  # a row leaves out those that its type of card does not have
    "text",
    "cost",
    "strength",
    "plotStats.income",
    "plotStats.initiative",
    "plotStats.claim",
    "plotStats.reserve",
)
DRAFT = 9  # copies: only cards of draft sets may be in a deck more often

SHAPES = (
    Shape(
        frozenset({"cgdbId", "releaseDate", "code"}),
        {"code": "text", "name": "text", "releaseDate": "day~", "cards": "list"},
    ),
    Shape(
        frozenset({"code", "name", "type", "faction", "deckLimit"}),
        {
            "code": "text", "name": "text", "type": "text", "faction": "text", "deckLimit": "number", "traits": "texts",
            "text": "words", "loyal": "flag?", "unique": "flag?",
        },
        part="cards",
    ),
    Shape(
        frozenset({"code", "date", "formats", "bannedCards", "cardSet"}),
        {
            "code": "text", "name": "text", "date": "day", "cardSet": "text", "issuer": "text", "bannedCards": "texts",
            "formats": "list",
        },
    ),
)  # fmt: skip


def recognises(name: str, content: Any) -> bool:
    return (
        isinstance(content, dict)
        and isinstance(content.get("cards"), list)
        and "releaseDate" in content
        and all(
            isinstance(row, dict) and {"code", "name", "type", "faction"} <= row.keys()
            for row in content["cards"]
        )
    )


def read(files: Mapping[str, Any]) -> tuple[CardFacts, ...]:
    """The cards of the sets already parsed. Raises UserError `bad-catalog`."""
    rows = [(pack, row) for pack in _packs(files) for row in pack["cards"] if row["type"] != "title"]
    drafted = {str(row["code"]) for _pack, row in rows if row.get("deckLimit", 0) > DRAFT}
    named: dict[str, list[tuple[Mapping[str, Any], Mapping[str, Any]]]] = {}
    for pack, row in rows:
        if not fold(str(row["name"])):
            raise UserError("bad-catalog", f"{pack['name']}: a card without a name.", place=str(row["code"]))
        named.setdefault(fold(str(row["name"])), []).append((pack, row))
    made = list(_faction_cards())
    for same in named.values():
        name = str(same[0][1]["name"])
        real = [one for one in same if str(one[1]["code"]) not in drafted]
        titles = {str(row["code"]): _title(name, pack, row, same, real) for pack, row in same}
        cards = [_card(titles[str(row["code"])], pack, row) for pack, row in same]
        made += cards
        versions = [
            card for card, (_pack, row) in zip(cards, same, strict=True) if str(row["code"]) not in drafted
        ]
        if len(versions) > 1:
            shared = {
                fact: value
                for fact, value in versions[0].facts.items()
                if fact != "also" and all(card.facts.get(fact) == value for card in versions)
            }
            made.append(
                CardFacts(name, fold(name), shared | {"versions": [card.title for card in versions]}, ())
            )
    return tuple(made)


def _title(name: str, pack: Any, row: Any, same: list[Any], real: list[Any]) -> str:
    alone = len(same) == 1 or (len(real) == 1 and real[0][1] is row)
    if alone:
        return name
    twice = sum(one["code"] == pack["code"] for one, _row in same) > 1
    return f"{name} ({pack['code']}{' ' + str(row['code']) if twice else ''})"


def _card(title: str, pack: Mapping[str, Any], row: Mapping[str, Any]) -> CardFacts:
    text = str(row.get("text") or "")
    facts: dict[str, Any] = {
        "type": row["type"],
        "faction": row["faction"],
        "called": row["name"],
        "limit": row.get("deckLimit", 3),
        "also": [f"{row['name']} ({pack['name']})", f"{row['name']} ({pack['code']})"],
    }
    if row.get("traits"):
        facts["traits"] = list(row["traits"])
    for flag in ("loyal", "unique"):
        if row.get(flag):
            facts[flag] = True
    if isinstance(row.get("cost"), int):
        facts["cost"] = row["cost"]
    first = text.split("\n")[0]  # keywords stand in the first line
    if re.search(r"\bShadow \(", first):
        facts["shadow"] = True
    if re.search(r"\bLimited\.", first):
        facts["limited"] = True
    printing = PrintingFacts(pack["name"], str(row["code"])[-3:].lstrip("0"), "", str(row["code"]).lower())
    told = {**dict.fromkeys(_COLUMNS, ""), **row, "set": pack["name"]}
    return CardFacts(title, fold(title), facts, (printing,), (told,))


def _faction_cards() -> Iterator[CardFacts]:
    for key, title in FACTIONS.items():
        options = [{"where": {"faction": [key, "neutral"]}}]
        facts = {
            "type": "faction",
            "faction": key,
            "options": options,
            "limit": 1,
            "also": [title.removeprefix("House ")],
        }
        yield CardFacts(title, fold(title), facts, (PrintingFacts("Core Set", "", "", key),))


def _packs(files: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = [content for name, content in files.items() if content and recognises(name, content)]
    return sorted(found, key=lambda pack: (str(pack.get("releaseDate") or "9999"), str(pack["code"])))


# --- formats -------------------------------------------------------------------------------------------

STREAMS = {  # the lists that follow each other, by the set of cards they are for
    "": "Standard",
    "-valyrian": "Valyrian",
}


def laws_of(files: Mapping[str, Any], cards: tuple[CardFacts, ...]) -> dict[str, dict[str, Any]]:
    """A format file for joust and for melee, each with the redesigned cards (Standard) and without (Valyrian)."""
    lists: list[Mapping[str, Any]] = [
        row
        for content in files.values()
        if isinstance(content, list)
        for row in content
        if isinstance(row, dict) and {"bannedCards", "formats", "date"} <= row.keys()
    ]
    lists.sort(key=lambda row: str(row["date"]))
    if not lists:
        return {}
    titles = {printing.code: card.title for card in cards for printing in card.printings}
    days = {
        pack["name"]: date.fromisoformat(pack["releaseDate"])
        for pack in _packs(files)
        if pack.get("releaseDate")
    }
    made = {}
    for way in ("joust", "melee"):
        for suffix, stream in STREAMS.items():
            key = f"agot2-{way}{suffix}"
            made[key] = _document(key, way, stream, list(_stream(lists, stream)), titles, days)
    return made


def _stream(lists: list[Mapping[str, Any]], stream: str) -> Iterator[Mapping[str, Any]]:
    """Until cards were redesigned there was one list for all; from then on there are two."""
    began = min((str(row["date"]) for row in lists if row.get("cardSet") != "original"), default="9999")
    for row in lists:
        original = row.get("cardSet") == "original"
        if str(row["date"]) < began or original == (stream == "Valyrian"):
            yield row


def _document(
    key: str,
    way: str,
    stream: str,
    lists: list[Mapping[str, Any]],
    titles: Mapping[str, str],
    days: Mapping[str, date],
) -> dict[str, Any]:
    named: dict[str, Any] = {"none": {"title": "no list", "document": "before the first list"}}
    timeline: list[dict[str, Any]] = [
        {"from": min(days.values()), "list": "none", "basis": "before the first list that the data has"}
    ]
    for row in lists:
        (said,) = (one for one in row["formats"] if one["name"] == way)
        codes = [*row["bannedCards"], *said.get("banned", []), *said.get("restricted", [])]
        pods = said.get("pods", [])
        codes += [
            code
            for pod in pods
            for code in [*pod["cards"], *([pod["restricted"]] if "restricted" in pod else [])]
        ]
        unknown = sorted({code for code in codes if code not in titles})
        name = str(row["code"])
        named[name] = _list(row, said, pods, titles)
        entry = {
            "from": date.fromisoformat(row["date"]),
            "list": name,
            "basis": "the day in throneteki's data",
        }
        if unknown:
            entry["doubt"] = f"The list names {len(unknown)} cards that the card data does not have."
        timeline.append(entry)
    return {
        "extends": "agot2",
        "key": key,
        "title": f"A Game of Thrones 2, {way}" + (f", {stream}" if stream != "Standard" else ""),
        "default-on": timeline[-1]["from"],
        "released": {"rule": "AGOT-POOL-01", "days": dict(sorted(days.items()))},
        "lists": named,
        "timeline": timeline,
    }


def _list(
    row: Mapping[str, Any], said: Mapping[str, Any], pods: list[Mapping[str, Any]], titles: Mapping[str, str]
) -> dict[str, Any]:
    def known(codes: list[str]) -> list[str]:
        return sorted({titles[code] for code in codes if code in titles})

    made: dict[str, Any] = {"title": str(row["name"]), "document": f"{row['issuer']}: {row['name']}"}
    if banned := known([*row["bannedCards"], *said.get("banned", [])]):
        made["banned"] = {"rule": "AGOT-LIST-01", "titles": banned}
    if restricted := [title for title in known(said.get("restricted", [])) if title not in banned]:
        made["restricted"] = {"rule": "AGOT-LIST-02", "titles": restricted}
    blocks = []
    for pod in pods:
        block: dict[str, Any] = {"rule": "AGOT-LIST-03", "titles": known(pod["cards"])}
        if "restricted" in pod:
            block |= {"beside": known([pod["restricted"]]), "at-most": 0}
        blocks.append(block)
    if blocks:
        made["exclusive"] = blocks
    return made
