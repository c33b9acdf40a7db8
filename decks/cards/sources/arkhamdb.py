"""ArkhamDB's card files: lists of cards in JSON, one file a pack, and `taboos.json`.

A card is its name, with its level in brackets when that is not 0 and its subtitle when two cards would else
be called alike. A reprint (`duplicate_of`) is a printing of the card. What investigators' cards say about decks
becomes the facts `options`, `size`, `requires` (see `decks.legality.leaders`).
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from config.errors import UserError
from decks.cards.index import CardFacts, PrintingFacts
from decks.cards.sources.shapes import Shape
from decks.lists import fold

PLAYER_TYPES = ("asset", "event", "skill", "investigator")
_TOLD = (
    "name",
    "subname",
    "text",
    "type_code",
    "cost",
    "pack_code",
    "position",
)  # of a row, beside the facts
_OPTION_FACTS = {
    "faction": "faction",
    "trait": "traits",
    "tag": "tags",
    "type": "type",
    "uses": "uses",
    "slot": "slot",
}

SHAPES = (
    Shape(
        frozenset({"code", "pack_code", "position", "quantity"}),
        {
            "code": "text", "pack_code": "text", "position": "number", "quantity": "number", "deck_limit": "number?",
            "xp": "number?", "traits": "words?", "tags": "words?", "slot": "words?", "text": "words?",
            "subname": "text?", "subtype_code": "text?", "restrictions": "text?", "duplicate_of": "text?",
            "deck_options": "list?", "customization_options": "list?",
        },
    ),
    Shape(
        frozenset({"code", "pack_code", "name", "type_code", "faction_code"}),
        {"name": "text", "type_code": "text", "faction_code": "text"},
        unless="duplicate_of",
    ),
    Shape(
        frozenset({"code", "date_start", "cards", "active"}),
        {"code": "text", "name": "text?", "date_start": "day"},
    ),
)  # fmt: skip


def recognises(name: str, rows: Any) -> bool:
    return isinstance(rows, list) and all(
        isinstance(row, dict) and "code" in row and ("pack_code" in row or "date_start" in row)
        for row in rows
    )


def read(files: Mapping[str, Any]) -> tuple[CardFacts, ...]:
    """The player cards of pack files already parsed. Raises UserError `bad-catalog` with the file and card."""
    rows: dict[str, dict[str, Any]] = {}
    for name, content in files.items():
        for row in content:
            if "date_start" not in row:
                rows[_text(row, "code", name)] = row | {"file": name}
    reprints: dict[str, list[str]] = {}
    for code, row in rows.items():
        if original := row.get("duplicate_of"):
            reprints.setdefault(original, []).append(code)
    cards = {code: row for code, row in rows.items() if _is_player_card(row)}
    titles = _titles(cards)
    also = _plain_names(cards, titles)
    leaders = _leader_codes(cards, reprints)
    made: dict[str, CardFacts] = {}
    for code, row in cards.items():
        codes = [code, *reprints.get(code, ())]
        printings = tuple(
            PrintingFacts(str(rows[one].get("pack_code", "")), str(rows[one].get("position", "")), "", one)
            for one in codes
        )
        title = titles[code]
        facts = _facts(row, codes, leaders.get(code, codes), titles, row["file"])
        if code in also:
            facts["also"] = also[code]
        told = {"called": row["name"], **{word: row[word] for word in _TOLD if word in row}}
        made[fold(title)] = CardFacts(title, fold(title), facts, printings, (told,) if "text" in row else ())
    for name, several in _names_of_several(cards, titles, also).items():
        made.setdefault(fold(name), _any_of(name, [made[fold(title)] for title in several]))
    return tuple(made.values())


def _names_of_several(
    cards: Mapping[str, Mapping[str, Any]], titles: Mapping[str, str], also: Mapping[str, list[str]]
) -> dict[str, list[str]]:
    """A name that is no card's title and means none of several of one level -> their titles. Of several levels, which
    one is meant decides what a deck costs: that is asked."""
    meant = {fold(name) for names in also.values() for name in names}
    named: dict[str, list[str]] = {}
    for code, row in sorted(cards.items()):
        if row["type_code"] != "investigator":
            named.setdefault(row["name"], []).append(code)
    return {
        name: [titles[code] for code in codes]
        for name, codes in named.items()
        if len(codes) > 1 and fold(name) not in meant and len({cards[code].get("xp") for code in codes}) == 1
    }


def _any_of(name: str, versions: list[CardFacts]) -> CardFacts:
    """A card of that name alone, with what its versions share."""
    first = versions[0].facts
    shared = {
        fact: value
        for fact, value in first.items()
        if fact not in ("also", "codes") and all(card.facts.get(fact) == value for card in versions)
    }
    return CardFacts(name, fold(name), shared | {"versions": [card.title for card in versions]}, ())


def _is_player_card(row: Mapping[str, Any]) -> bool:
    if row.get("duplicate_of") or (row.get("hidden") and row.get("code") != "01000"):
        return False
    if row.get("type_code") in PLAYER_TYPES:
        return row.get("deck_limit") is not None or row["type_code"] == "investigator"
    return row.get("subtype_code") is not None and row.get("deck_limit") is not None


def _titles(cards: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Code -> a title no other card has: the name, else with the subtitle, else with the code."""
    plain = {code: _titled(row, row["name"]) for code, row in cards.items()}
    full = {
        code: _titled(row, f"{row['name']}: {row['subname']}" if row.get("subname") else row["name"])
        for code, row in cards.items()
    }
    shared, still_shared = _shared(plain.values()), _shared(full.values())
    out: dict[str, str] = {}
    taken: set[str] = set()
    for code in sorted(cards):
        title = plain[code] if fold(plain[code]) not in shared else full[code]
        if fold(title) in still_shared and fold(title) in taken:
            title = f"{title} [{code}]"
        taken.add(fold(title))
        out[code] = title
    return out


def _plain_names(cards: Mapping[str, Mapping[str, Any]], titles: Mapping[str, str]) -> dict[str, list[str]]:
    """Code -> names that people write for the card without being its title: the plain name when it means a person,
    the oldest of several printings of one card, or a card that comes in one level alone; and with its subtitle."""
    named: dict[str, list[str]] = {}
    levels: dict[str, list[str]] = {}
    for code, row in sorted(cards.items()):
        named.setdefault(row["name"], []).append(code)
        levels.setdefault(_titled(row, row["name"]), []).append(code)
    meant = {name: codes[0] for name, codes in named.items() if len(codes) == 1}
    for name, codes in levels.items():
        persons = [code for code in codes if cards[code]["type_code"] == "investigator"]
        if persons or len({titles[code].partition(" [")[0] for code in codes}) == 1:
            meant[name] = (persons or codes)[0]
    for code, row in sorted(cards.items()):
        if row.get("subname"):
            meant.setdefault(_titled(row, f"{row['name']}: {row['subname']}"), code)
    titled = {fold(title) for title in titles.values()}
    out: dict[str, list[str]] = {}
    for name, code in meant.items():
        if fold(name) not in titled:
            out.setdefault(code, []).append(name)
    return out


def _shared(titles: Iterable[str]) -> set[str]:
    counts = Counter(fold(title) for title in titles)
    return {title for title, count in counts.items() if count > 1}


def _titled(row: Mapping[str, Any], name: str) -> str:
    return f"{name} ({row['xp']})" if row.get("xp") else name


def _leader_codes(cards: Mapping[str, Any], reprints: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Every code of the same investigator, promotional and parallel versions included."""
    by_name: dict[str, list[str]] = {}
    for code, row in cards.items():
        if row["type_code"] == "investigator":
            by_name.setdefault(fold(row["name"]), []).extend([code, *reprints.get(code, ())])
    return {code: codes for codes in by_name.values() for code in codes}


# --- one card ------------------------------------------------------------------------------------------


def _facts(
    row: Mapping[str, Any], codes: list[str], persons: list[str], titles: Mapping[str, str], file: str
) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "type": row["type_code"],
        "name": row["name"] if not row.get("subname") else f"{row['name']}: {row['subname']}",
        "called": row["name"],
        "faction": [row[key] for key in ("faction_code", "faction2_code", "faction3_code") if row.get(key)],
        "traits": _words(row.get("traits")),
        "codes": codes,
        "quantity": row.get("quantity", 1),
    }
    if row.get("type_code") != "investigator":
        facts["limit"] = row.get("deck_limit", 0)
    for fact, value in (
        ("tags", _words(row.get("tags"))),
        ("slot", _words(row.get("slot"))),
        ("uses", re.findall(r"Uses \(\w+ (\w+)", row.get("text") or "")),
        ("subtype", row.get("subtype_code")),
        ("only-for", _bound(row.get("restrictions"))),
    ):
        if value:
            facts[fact] = value
    for flag in ("permanent", "exceptional", "myriad", "is_unique"):
        if row.get(flag):
            facts[flag.removeprefix("is_")] = True
    if row.get("encounter_code"):
        facts["encounter"] = True
    if row.get("xp") is not None:
        facts |= {
            "level": row["xp"],
            "levelled": True,
            "experience": row["xp"] * (2 if row.get("exceptional") else 1),
        }
    if row["type_code"] == "investigator":
        facts |= {"code": row["code"], "codes": persons} | _leader(row, titles, file)
    if row.get("customization_options"):
        facts |= {
            "upgrades": [_upgrade(option) for option in row["customization_options"]],
            "boxes-per-level": 2,
        }
    return facts


def _words(text: Any) -> list[str]:
    return [word.strip().lower() for word in str(text or "").split(".") if word.strip()]


def _bound(text: Any) -> list[dict[str, list[str]]]:
    """ "investigator:01001, trait:criminal" -> conditions on the leader, one of which must hold."""
    bound: dict[str, list[str]] = {}
    facts = {"investigator": "codes", "trait": "traits", "faction": "faction"}
    for part in str(text or "").split(","):
        kind, _, rest = part.strip().partition(":")
        if kind in facts and rest:
            bound.setdefault(facts[kind], []).extend(rest.split(":"))
    return [{fact: values} for fact, values in bound.items()]


def _upgrade(option: Mapping[str, Any]) -> dict[str, Any]:
    part: dict[str, Any] = {"boxes": option.get("xp", 0)}
    sets: dict[str, Any] = {}
    if option.get("real_traits"):
        sets["traits"] = _words(option["real_traits"])
    if option.get("real_slot") is not None:
        sets["slot"] = _words(option["real_slot"])
    if option.get("deck_limit") is not None:
        sets["limit"] = option["deck_limit"]
    if sets:
        part["sets"] = sets
    if option.get("tags"):
        part["adds"] = {"tags": _words(option["tags"])}
    if option.get("choice") == "remove_slot":
        part["removes"] = "slot"
    return part


def _leader(row: Mapping[str, Any], titles: Mapping[str, str], file: str) -> dict[str, Any]:
    place = f"{row['name']} ({row['code']})"
    facts = _demands(row.get("deck_requirements"), place, file)
    facts["options"] = options_of(row.get("deck_options") or [], place, file)
    if row.get("side_deck_options"):
        facts["side-options"] = options_of(row["side_deck_options"], place, file)
        facts |= {
            f"side-{fact}": v for fact, v in _demands(row.get("side_deck_requirements"), place, file).items()
        }
    named = {code for group in facts.get("requires", []) for code in group}
    facts["titles"] = {code: titles[code] for code in sorted(named) if code in titles}
    return facts


def _demands(said: Any, place: str, file: str) -> dict[str, Any]:
    """`size`, `requires` and `random-weaknesses`, from "size:30, card:01006:90030, random:..." or its JSON form."""
    facts: dict[str, Any] = {"requires": [], "random-weaknesses": 0}
    if isinstance(said, dict):
        facts["size"] = said.get("size", 0)
        facts["requires"] = [list(group) for group in said.get("card", {}).values()]
        facts["random-weaknesses"] = len(said.get("random", ()))
        return facts
    for part in str(said or "").split(","):
        kind, _, rest = part.strip().partition(":")
        if kind == "size":
            if not rest.isdecimal():
                raise _bad(file, place, "the deck size is not a number")
            facts["size"] = int(rest)
        elif kind == "card":
            facts["requires"].append(rest.split(":"))
        elif kind == "random":
            facts["random-weaknesses"] += 1
    return facts


def options_of(options: Iterable[Mapping[str, Any]], place: str, file: str) -> list[dict[str, Any]]:
    """ArkhamDB's deck options in our words."""
    return [_option(option, place, file) for option in options]


def _option(option: Mapping[str, Any], place: str, file: str) -> dict[str, Any]:
    if not isinstance(option, Mapping):
        raise _bad(file, place, "a deck option is not a mapping")
    out: dict[str, Any] = {word: option[word] for word in ("limit", "name", "size") if option.get(word)}
    if "deck_size_select" in option:
        return out | {
            "choice": "deck_size_selected",
            "sizes": [int(size) for size in option["deck_size_select"]],
        }
    if "option_select" in option:
        either = [_option(one, place, file) | {"id": str(one.get("id"))} for one in option["option_select"]]
        return out | {"choice": "option_selected", "either": either}
    where: dict[str, Any] = {}
    for word, fact in _OPTION_FACTS.items():
        if option.get(word):
            where[fact] = [str(value).lower() for value in option[word]]
    if "level" in option and "base_level" not in option:
        where["level"] = {"at-least": option["level"].get("min", 0), "at-most": option["level"].get("max", 5)}
    if "permanent" in option:
        where["permanent"] = bool(option["permanent"])
    if "faction_select" in option:
        out |= {
            "choice": option.get("id", "faction_selected"),
            "fact": "faction",
            "among": option["faction_select"],
        }
    if "atleast" in option:
        demand = option["atleast"]
        kind = "faction" if "factions" in demand else "type"
        out["atleast"] = {
            "fact": kind,
            "values": option.get(kind, []),
            "different": demand.get("factions") or demand.get("types") or 1,
            "min": demand.get("min", 1),
        }
    if option.get("not"):
        out["not"] = True
    if option.get("ignore_match"):
        out["grants"] = False
    return out | {"where": where}


def _text(row: Mapping[str, Any], key: str, file: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not 0 < len(value) <= 20:
        raise _bad(file, str(row.get("name", "a card"))[:80], f"“{key}” is missing or isn’t text")
    return value.lower()


def _bad(file: str, place: str, why: str) -> UserError:
    return UserError(
        "bad-catalog", f"{file}, {place}: {why}.", place=f"{file}, {place}", remedy="Fix it or leave it out."
    )


# --- taboo lists ---------------------------------------------------------------------------------------


def lists_of(rows: Iterable[Mapping[str, Any]], cards: Iterable[CardFacts]) -> dict[str, dict[str, Any]]:
    """Taboo lists as lists of a format file: number -> {title, document, since, errata}.

    Cards the catalog does not hold are left out (encounter cards, newer packs).
    """
    by_code = {printing.code: card for card in cards for printing in card.printings}
    out = {}
    for row in sorted(rows, key=lambda row: row["date_start"]):
        entries = _entries(row)
        errata: dict[str, dict[str, Any]] = {}
        for entry in entries:
            card = by_code.get(str(entry.get("code", "")).lower())
            if card is not None and (facts := _taboo(entry, card)):
                errata[card.title] = facts
        number = str(int(row["code"]))
        out[number] = {
            "title": f"the taboo list of {row['date_start']}",
            "document": f"List of Taboos, {row['date_start']}",
            "errata": dict(sorted(errata.items())),
        }
    return out


def _entries(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Of one list; the site's interface has them as text."""
    place, said = f"the list of {row['date_start']}", row.get("cards")
    try:
        entries = json.loads(said) if isinstance(said, str) else said
    except (ValueError, RecursionError) as error:
        raise _bad("taboos", place, "its cards can’t be read") from error
    if not isinstance(entries, list) or not all(
        isinstance(one, dict) and isinstance(one.get("code"), str) for one in entries
    ):
        raise _bad("taboos", place, "each of its cards needs a code")
    return entries


def _taboo(entry: Mapping[str, Any], card: CardFacts) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    exceptional = entry.get("exceptional", card.facts.get("exceptional", False))
    if "exceptional" in entry:
        facts["exceptional"] = entry["exceptional"]
        facts["limit"] = 1 if entry["exceptional"] else card.facts.get("limit", 2)
        facts["experience"] = card.facts.get("level", 0) * (2 if exceptional else 1)
    if entry.get("xp"):
        facts["taboo"] = entry["xp"] * (2 if exceptional else 1)
    if "deck_limit" in entry:
        facts["limit"] = entry["deck_limit"]
    if "deck_options" in entry:
        facts["options"] = options_of(entry["deck_options"], card.title, "taboos")
    if "deck_requirements" in entry:
        facts |= _demands(entry["deck_requirements"], card.title, "taboos")
    if "customization_options" in entry:
        facts["upgrades"] = [_upgrade(option) for option in entry["customization_options"]]
    return facts
