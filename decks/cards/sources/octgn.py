"""OCTGN's set files: one XML a set, a card an element with its GUID and properties.

Names carry the signs of the table program (`* ` unique, runs of `{}[]<>^_?` for icons). The GUID's tail looks like a
collector's number but is not reliable: it is kept as a hint. What errata changed stands in other sources; facts
from here only fill what is not known.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from config.errors import UserError
from decks.cards.index import CardFacts, PrintingFacts
from decks.lists import fold, without_signs

_GUID = re.compile(r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_LISTS = ("subtypes", "traits", "keyword", "legal", "clan")
_NUMBERS = ("cost", "skill")  # “X” stays a word
_WANTED = (
    "type", "faction", "subtypes", "clan", "unique", "legal", "deck", "color", "spec", "keyword", *_NUMBERS,
)  # fmt: skip
MAX_TEXT = 200
NOT_CARDS = ("token", "marker")


def recognises(name: str, data: bytes) -> bool:
    start = data[:2_000].lstrip(b"\xef\xbb\xbf \r\n\t")
    return start.startswith(b"<") and b"<set" in start


def read(files: Mapping[str, bytes]) -> tuple[CardFacts, ...]:
    """The cards of set files; the same title in several sets is one card. Raises UserError `bad-catalog`."""
    cards: dict[str, CardFacts] = {}
    for name, data in files.items():
        for card in _cards(name, data):
            if known := cards.get(card.key):
                printings = tuple(dict.fromkeys(known.printings + card.printings))
                rows = (*known.rows, *card.rows)
                card = CardFacts(known.title, known.key, _of_both(known.facts, card.facts), printings, rows)
            cards[card.key] = card
    return tuple(cards.values())


def _of_both(known: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a title that is printed twice; where one word differs ("story", "conspiracy") it is both."""
    facts = {**more, **known}
    for word, value in known.items():
        other = more.get(word)
        if isinstance(other, str) and other != value and isinstance(value, str | list):
            facts[word] = list(dict.fromkeys([*([value] if isinstance(value, str) else value), other]))
    return facts


def _cards(file: str, data: bytes) -> Iterator[CardFacts]:
    try:
        root: Element = fromstring(data, forbid_dtd=True)
    except ParseError as error:
        raise _bad(file, f"line {error.position[0]}", f"it is not complete XML ({error})") from error
    except (DefusedXmlException, ValueError) as error:
        raise _bad(file, "", "it declares entities or a document type; set files have none") from error
    if root.tag != "set":
        raise _bad(file, "", f"it holds a <{root.tag[:40]}>, not a <set>")
    set_name = " ".join((root.get("name") or "").split())[:MAX_TEXT]
    for place, element in enumerate(root.iterfind("cards/card"), start=1):
        written, guid = element.get("name") or "", (element.get("id") or "").lower()
        title = without_signs(written).strip()
        if not 0 < len(fold(title)) <= MAX_TEXT or not _GUID.match(guid):
            raise _bad(file, f"card {place}", "a card needs a name and a GUID")
        if not all(
            (p.get("name") or "").strip() and "value" in p.attrib for p in element.iterfind("property")
        ):
            raise _bad(file, f"card {place}, {title}", "a property needs a name and a value")
        properties = {
            (p.get("name") or "").lower().replace(" ", "-"): (p.get("value") or "").strip()[:MAX_TEXT]
            for p in element.iterfind("property")
        }
        unique = "*" in written.partition(title)[0]  # among the signs of its icons, in any order
        facts = _facts(properties, unique=unique)
        if facts.get("type") in NOT_CARDS:
            continue
        number = str(int(guid[-3:])) if guid[-3:].isdecimal() else ""
        printing = PrintingFacts(set_name, number, properties.get("descriptor", ""), guid)
        row = {p.get("name") or "": (p.get("value") or "").strip() for p in element.iterfind("property")}
        row |= {"name": title, "set": set_name, "unique": str(unique)}
        yield CardFacts(title, fold(title), facts, (printing,), (row,))


def _facts(properties: Mapping[str, str], *, unique: bool) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for word in _WANTED:
        value = properties.get(word, "")
        if not value:
            continue
        if word in _LISTS:
            facts[word] = [part.strip() for part in re.split(r"[.;]", value) if part.strip()]
        else:
            facts[word] = value.lower() if word == "type" else value
            if word in _NUMBERS and value.isascii() and value.isdecimal():
                facts[word] = int(value)
    if unique:
        facts["unique"] = True
    return facts


def _bad(file: str, place: str, why: str) -> UserError:
    where = ", ".join(part for part in (file, place) if part)
    return UserError("bad-catalog", f"{where}: {why}.", place=where, remedy="Use the plugin’s original file.")
