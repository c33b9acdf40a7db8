"""Cards as JSON, as tools write them for each other: `{"Rats": 3}`, `[{"name": "Rats", "count": 3}]`, `["3x Rats"]`,
by section (`{"Main": {...}, "Sideboard": [...]}`), or any of these under `cards` of a whole deck.

What the words are called differs from tool to tool; the known ones are those of sheets (`tables.WORDS`). An identifier
serves where a card has no name. What else a deck says of itself is kept as remarks.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from decks.lists.card_lines import counted
from decks.lists.folding import shorthand
from decks.lists.model import DeckList, Kind, Limits, ListEntry, ListError, Note, NoteCode
from decks.lists.names import checked_count, refuse_too_many, split_name
from decks.lists.readers.arkhamdb import parsed
from decks.lists.readers.tables import WORDS
from decks.lists.vocabulary import Role, names_a_part, says_about, word_of

RANK = 40
READS = (
    Kind(
        "json", "JSON: {“Card”: 3}, [{“name”: ..., “count”: ...}], [“3x Card”], by part of the deck", ".json"
    ),
)
KIND = READS[0].key
_CARDS = ("cards", "card_slots", "entries", "deck", "decklist", "list", "boards")
# What answers of a site stand in, and the words by which a deck names the card that leads it.
_AROUND = ("record", "data", "attributes", "head")
_LEADS = ("identity", "identity_card_id", "investigator", "stronghold", "role", "agenda", "leader")
_CODE = re.compile(r"^(?=\S*\d)\S{1,80}$")
_DEPTH = 8
_REMEDY = "Write each card as {“name”: ..., “count”: ...}, or all of them as {“Card name”: count}."


def recognises(source: str, filename: str) -> bool:
    start = source.lstrip()[:40]
    if re.match(r"\[ ?\] ?[^\s,]", start):  # “[ ] 3x Name”: a list to tick off
        return False
    if start.startswith("[["):  # “[[Card]]” of a forum, unless it goes on as a list in a list does
        return start[2:].lstrip()[:1] in ("{", '"', "[", "]") or start[2:3].isdecimal()
    return (start.startswith("{") and not re.match(r"\{ ?\d{1,3} ?\}", start)) or (
        start.startswith("[") and start[1:].lstrip()[:1] in ("{", '"', "[", "]")
    )


def read(source: str, limits: Limits) -> DeckList:
    """Read the cards. Raises ListError: bad-json (with the line), not-a-deck and bad-count (with the path),
    too-many-lines, line-too-long."""
    reading = _Reading(limits)
    reading.deck(_unwrapped(parsed(source)), "", 0)
    return DeckList(tuple(reading.entries), tuple(reading.notes), KIND, reading.name)


class _Reading:
    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.entries: list[ListEntry] = []
        self.notes: list[Note] = []
        self.name = ""

    def deck(self, said: Any, path: str, depth: int) -> None:
        """A deck with its cards under a word of their own, beside what else there is to say; or the cards."""
        said = _with_categories(said)
        word = next(
            (w for w in _CARDS if isinstance(said, Mapping) and isinstance(said.get(w), list | dict)), ""
        )
        if not word and isinstance(said, Mapping) and _is_by_part(said):
            said, about = _parted(said)
            for other, value in about.items():
                self._about(other, value, f"{path}.{other}".lstrip("."))
        if not word or depth > _DEPTH:
            self.cards(said, path, "", depth)
            return
        for other, value in said.items():
            here = f"{path}.{other}".lstrip(".")
            if other == word:
                self.deck(value, here, depth + 1)
            elif _is_counted(value) or (isinstance(value, list | Mapping) and value and names_a_part(other)):
                self.cards(value, here, other[: self.limits.name_length], depth + 1)
            elif isinstance(value, str) and _COUNTED.match(value):
                self._add(_row(value, here, other[: self.limits.name_length], self.limits))
            else:
                self._about(other, value, here)

    def _about(self, word: str, value: Any, path: str) -> None:
        """What a deck says of itself beside its cards."""
        if word == "name" and isinstance(value, str):
            self.name = value[: self.limits.name_length]
        elif word in _LEADS and isinstance(value, str) and value.strip():
            self._add([_entry({"name": value.replace("_", " ")}, path, "", self.limits)])
        elif word in _LEADS and isinstance(value, Mapping) and any(map(value.get, ("name", "title", "code"))):
            self._add(_row({"count": 1, **value}, path, "", self.limits))
        elif value not in (None, "", [], {}):
            self.notes.append(Note(NoteCode.COMMENT, "Not read as a card.", None, f"{path}: {value}"[:500]))

    def cards(self, said: Any, path: str, section: str, depth: int) -> None:
        if depth > _DEPTH or not isinstance(said, list | Mapping):
            raise _wrong("There are no cards here.", path)
        if isinstance(said, list):
            counts = ["count" in _known(row) for row in said if isinstance(row, Mapping)]
            for place, row in enumerate(said, start=1):
                if isinstance(row, Mapping) and isinstance(row.get("cards"), list | Mapping):
                    # [{"name": "Main", "cards": [...]}]
                    part = str(row.get("name") or section)[: self.limits.name_length]
                    self.cards(row["cards"], f"{path}[{place}].cards", part, depth + 1)
                elif any(counts) and isinstance(row, Mapping) and "count" not in _known(row):
                    # Beside cards with a count, one without it is a mistake, and no single copy.
                    text = f"{path}[{place}]: {row}"[:500]
                    self.notes.append(Note(NoteCode.UNREAD_LINE, "A card without a count.", None, text))
                else:
                    self._add(_row(row, f"{path}[{place}]", section, self.limits))
            return
        if _is_a_card(said):  # {"leader": {"id": ..., "count": 1}}
            self._add(_row(said, path, section, self.limits))
            return
        if _is_by_key(said):
            self.cards(list(said.values()), path, section, depth)
            return
        if isinstance(held := said.get("cards"), list | Mapping) and not any(
            isinstance(value, list | Mapping) for key, value in said.items() if key != "cards"
        ):  # {"mainboard": {"count": 60, "cards": {...}}}
            self.cards(held, f"{path}.cards".lstrip("."), section, depth + 1)
            return
        for word, value in said.items():
            here = f"{path}.{word}"[:80].lstrip(".")
            if isinstance(value, list | Mapping):
                part = _CAMEL.sub(" ", word[: self.limits.name_length])
                self.cards(value, here, part, depth + 1)
            elif isinstance(value, str) and any(map(str.isalpha, value)):  # {"starter": "Red"}
                self._add(_row(value, here, word[: self.limits.name_length], self.limits))
            else:
                code = {"id": word} if _CODE.match(word) else {}
                self._add([_entry({"name": word, "count": value, **code}, here, section, self.limits)])

    def _add(self, entries: list[ListEntry]) -> None:
        self.entries += entries
        refuse_too_many(len(self.entries), "cards", self.limits)


def _unwrapped(said: Any) -> Any:
    """The deck within the answer of a site: {"record": {...}}, {"data": [{...}]}, {"data": {"attributes": {...}}}."""
    for _level in _AROUND:
        if not isinstance(said, Mapping) or any(isinstance(said.get(word), list | dict) for word in _CARDS):
            return said
        inner = next((said[word] for word in _AROUND if isinstance(said.get(word), list | dict)), None)
        if isinstance(inner, list) and len(inner) > 1 and all(isinstance(one, Mapping) for one in inner):
            raise ListError("not-a-deck", "This file has several decks.", remedy="Send one deck only.")
        inner = inner[0] if isinstance(inner, list) and inner else inner
        if not isinstance(inner, Mapping):
            return said
        said = inner
    return said


def _is_a_card(said: Mapping[str, Any]) -> bool:
    """Whether these are the words about one card, and not names with their counts."""
    known = _known(said)
    named = isinstance(known.get("name", known.get("id")), str)
    return "count" in known and named and not any(isinstance(value, list) for value in said.values())


def _is_by_key(said: Mapping[str, Any]) -> bool:
    """Whether cards stand under keys of their own: {"k7x": {"quantity": 4, "card": {"name": ...}}}."""
    return bool(said) and all(
        isinstance(one, Mapping) and {"name", "count"} <= _known(one).keys() for one in said.values()
    )


def _with_categories(said: Any) -> Any:
    """The deck, with each card that is of a category beside the deck in that part: [{"categories": ["Maybeboard"]}]."""
    if not isinstance(said, Mapping) or not isinstance(rows := said.get("cards"), list):
        return said
    told = said.get("categories")
    outside = {
        one.get("name")
        for one in (told if isinstance(told, list) else ())
        if isinstance(one, Mapping) and one.get("includedInDeck") is False
    }

    def part(row: Any) -> Any:
        names = row.get("categories") if isinstance(row, Mapping) else None
        for name in names if isinstance(names, list) else ():
            word = word_of(name) if isinstance(name, str) else None
            if word is not None and word.role in (Role.PART, Role.ASIDE):
                return {**row, "section": name}
            if isinstance(name, str) and name in outside:
                return {**row, "section": "Considered"}
        return row

    return {**said, "cards": [part(row) for row in rows]}


_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|_")


def _is_by_part(said: Mapping[str, Any]) -> bool:
    """Whether cards stand under the names of parts: {"mainboard": {...}, "sideboard": [...]}."""
    return any(isinstance(value, list | Mapping) and names_a_part(str(key)) for key, value in said.items())


def _parted(said: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(the parts with cards, what is said beside them)"""
    beside = {
        key: value
        for key, value in said.items()
        if (not isinstance(value, list | Mapping) and (says_about(str(key)) or not names_a_part(str(key))))
        or shorthand(str(key)) in _NO_CARDS
    }
    return {key: value for key, value in said.items() if key not in beside}, beside


def _is_counted(value: Any) -> bool:
    """Whether these are surely cards with their counts."""
    if isinstance(value, Mapping):
        return bool(value) and all(type(one) is int for one in value.values())
    return isinstance(value, list) and bool(value) and all(
        {"name", "count"} <= _known(one).keys()
        if isinstance(one, Mapping)
        else isinstance(one, str) and _COUNTED.match(one)
        for one in value
    )  # fmt: skip


_COUNTED = re.compile(r"\s*\d{1,3} ?[xX×] ?\S")
# What sites say beside the parts of a deck, and is never a card.
_NO_CARDS = frozenset(
    ("hubs", "authors", "author", "owner", "user", "createdbyuser", "requestedauthors", "tags", "comments", "likes",
     "categories", "colors", "coloridentity", "colorpercentages", "media", "prices", "affiliates", "authortags")
)  # fmt: skip


def _row(row: Any, path: str, section: str, limits: Limits) -> list[ListEntry]:
    if isinstance(row, str):
        found = [one._replace(section=section, line=None) for one in counted(row, limits, 0)]
        return found or [_entry({"name": row}, path, section, limits)]
    if isinstance(row, list) and len(row) == 2:
        name, count = row if isinstance(row[0], str) and not row[0].isdecimal() else row[::-1]
        return [_entry({"name": name, "count": count}, path, section, limits)]
    if isinstance(row, Mapping):
        return [_entry(_known(row), path, section, limits)]
    raise _wrong("This isn’t a card.", path)


def _known(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row by our words for its parts."""
    said = {_CAMEL.sub(" ", str(key)).lower(): value for key, value in row.items()}
    found = {word: value for word, names in WORDS.items() for value in _first(said, (word, *sorted(names)))}
    if "name" not in found and isinstance(said.get("card digest"), Mapping):
        found["name"] = _name_within(said["card digest"])
    if any(said.get(key) is True for key in WORDS["beside"]):
        found["section"] = "Sideboard"
    elif any(said.get(key) is False for key in WORDS["within"]):
        found["section"] = "Considered"
    return found


def _name_within(card: Mapping[str, Any]) -> Any:
    inner = card.get("oracleCard")
    return (
        card.get("name") or card.get("title") or (inner.get("name") if isinstance(inner, Mapping) else None)
    )


def _first(said: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[Any]:
    for key in keys:
        value = said.get(key)
        if isinstance(value, Mapping):  # {"card": {"name": ...}, "count": 3}
            value = _name_within(value)
        if value not in (None, "") and not isinstance(value, list | Mapping | bool):
            yield value
            return


def _entry(said: Mapping[str, Any], path: str, section: str, limits: Limits) -> ListEntry:
    written, id = (" ".join(str(said.get(word, "")).split()) for word in ("name", "id"))
    if not (written or id) or len(written) > 2 * limits.name_length:
        raise _wrong("This card has no name.", path)
    try:
        count = checked_count(str(said.get("count", 1)), limits, None)
        name, hint = split_name(written or id, limits, None)
    except ListError as error:
        raise _wrong(error.message, path, error.code, error.remedy) from error
    return ListEntry(
        count,
        name,
        f"{hint} {said.get('hint', '')}".strip()[: limits.name_length],
        str(said.get("section", section))[: limits.name_length],
        None,
        id.lower() if len(id) <= 80 and id.isprintable() else "",
    )


def _wrong(message: str, path: str, code: str = "not-a-deck", remedy: str = _REMEDY) -> ListError:
    return ListError(code, f"{path[:80]}: {message}" if path else message, remedy=remedy)
