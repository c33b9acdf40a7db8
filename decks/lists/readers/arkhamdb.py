"""ArkhamDB's deck as JSON: `slots` of card codes with counts, the investigator, choices in `meta`.

Its sister sites write the same, with a faction instead of an investigator: then each card says where it belongs.
Empty maps come as `[]`; `meta` is JSON in a string. Codes are the entries' identifiers.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from decks.lists.model import DeckList, Kind, Limits, ListEntry, ListError, Note, NoteCode
from decks.lists.names import checked_count, refuse_too_many

RANK = 30
READS = (Kind("arkhamdb", "ArkhamDB, arkham.build, ThronesDB", ".json"),)
KIND = READS[0].key
MAX_DEPTH = 12
# Where a card stands: the investigator whose rules hold, the face in play, the deck, cards set aside.
LEADER, FACE, DECK, EXTRA, ASIDE = "Investigator", "Investigator front", "Deck", "Extra Deck", "Considered"
_CHOICES = ("faction_selected", "faction_1", "faction_2", "option_selected", "deck_size_selected")


def recognises(source: str, filename: str) -> bool:
    start = source.lstrip()[:40]
    return '"slots"' in source and (start.startswith("{") or re.match(r"\[\s*\{", start) is not None)


def read(source: str, limits: Limits) -> DeckList:
    """Read a deck. Raises ListError: bad-json (with the line), not-a-deck, bad-count, too-many-lines."""
    deck = _mapping(_the_only(parsed(source)), "the file")
    meta = _meta(deck.get("meta"))
    notes: list[Note] = []
    entries = list(_leaders(deck, meta))
    part = DECK if deck.get("investigator_code") else ""
    free = _slots(deck.get("ignoreDeckLimitSlots"), "ignoreDeckLimitSlots", limits)
    for code, count in _slots(deck.get("slots"), "slots", limits).items():
        upgrades = _upgrades(meta.get(f"cus_{code}"))
        entries.append(ListEntry(count, code, "", part, None, code, min(count, free.get(code, 0)), upgrades))
    extra: dict[str, int] = {}
    for code in str(meta.get("extra_deck") or "").split(","):
        if code.strip():
            extra[_code(code.strip())] = extra.get(code.strip(), 0) + 1
    entries += [ListEntry(count, code, "", EXTRA, None, code) for code, count in extra.items()]
    for code, count in _slots(deck.get("sideSlots"), "sideSlots", limits).items():
        entries.append(ListEntry(count, code, "", ASIDE, None, code))
    refuse_too_many(len(entries), "cards", limits)
    for word in ("description_md", "problem"):
        if deck.get(word):
            notes.append(Note(NoteCode.COMMENT, f"The deck's {word}.", None, str(deck[word])[:2_000]))
    name = str(deck.get("name") or "")[: limits.name_length]
    return DeckList(tuple(entries), tuple(notes), KIND, name, dict(_choices(deck, meta)))


def _the_only(said: Any) -> Any:
    """The deck in a list of one, as a site answers for several. Raises ListError `not-a-deck` for more."""
    if isinstance(said, list) and len(said) > 1:
        raise ListError("not-a-deck", "This file has several decks.", remedy="Send one deck only.")
    return said[0] if isinstance(said, list) and said else said


def dump(deck: DeckList, codes: Mapping[str, str]) -> str:
    """The list as ArkhamDB takes it. codes: a name's key -> its code; names without one keep their own."""
    slots: dict[str, dict[str, int]] = {DECK: {}, EXTRA: {}, ASIDE: {}}
    leader = ListEntry(1, "")
    for entry in deck.entries:
        code = entry.id or codes.get(entry.key, entry.name)
        if entry.section in (LEADER, FACE):
            leader = entry._replace(id=code) if entry.section == LEADER else leader
        else:
            slot = slots.get(entry.section, slots[DECK])
            slot[code] = slot.get(code, 0) + entry.count
    meta: dict[str, Any] = {word: deck.choices[word] for word in _CHOICES if word in deck.choices}
    if slots[EXTRA]:
        meta["extra_deck"] = ",".join(code for code, count in slots[EXTRA].items() for _ in range(count))
    for entry in deck.entries:
        if entry.upgrades:
            meta[f"cus_{entry.id}"] = ",".join(
                "|".join(map(str, part)).rstrip("|") for part in entry.upgrades
            )
    said = {
        "name": deck.name,
        "investigator_code": leader.id,
        "investigator_name": leader.name,
        "slots": slots[DECK],
        "sideSlots": slots[ASIDE],
        "ignoreDeckLimitSlots": {e.id: e.free for e in deck.entries if e.free} or None,
        "taboo_id": int(deck.choices["taboo"]) if _is_short(deck.choices.get("taboo", "")) else None,
        "meta": json.dumps(meta),
    }
    return json.dumps(said, ensure_ascii=False, indent=1) + "\n"


def parsed(source: str) -> Any:
    """JSON of bounded depth. Raises ListError `bad-json`."""
    depth = deepest = 0
    for char in source if len(source) < 10_000 else source.translate(_BRACKETS_ONLY):
        depth += (char in "{[") - (char in "}]")
        deepest = max(deepest, depth)
        if deepest > 200:
            raise ListError("bad-json", "The file is nested too deeply for a deck.")
    try:
        return json.loads(source, parse_int=_integer, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise ListError(
            "bad-json",
            f"The file is not complete JSON: {error.msg}.",
            line=error.lineno,
            remedy="Export the deck again.",
        ) from error
    except (RecursionError, ValueError) as error:
        raise ListError(
            "bad-json", "The file can’t be read as JSON.", remedy="Export the deck again."
        ) from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Python would keep the last of two counts of one card."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ListError("bad-json", f"The file has “{name[:80]}” twice in one object.")
        found[name] = value
    return found


def _is_short(number: str) -> bool:
    return number.isdecimal() and len(number) < 10


class _KeepBrackets(dict[int, int | None]):
    def __missing__(self, key: int) -> int | None:
        return key if chr(key) in "{}[]" else None


_BRACKETS_ONLY = _KeepBrackets()


def _integer(digits: str) -> int:
    return int(digits) if len(digits) <= 18 else 10**18  # far above every limit, and no time is lost on it


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if value is None or value == []:  # PHP writes an empty map so
        return {}
    if not isinstance(value, dict):
        raise ListError(
            "not-a-deck", f"There should be a mapping in {where}.", remedy="Export the deck again."
        )
    return value


def _meta(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        value = parsed(value) if value.strip() else {}
    return value if isinstance(value, dict) else {}


def _code(code: str) -> str:
    if not 0 < len(code) <= 40 or not code.isprintable():
        raise ListError("not-a-deck", f"“{code[:40]}” isn’t a card code.", remedy="Export the deck again.")
    return code.lower()


def _slots(value: Any, where: str, limits: Limits) -> dict[str, int]:
    out = {}
    for code, count in _mapping(value, where).items():
        if count == 0 and count is not False:
            continue
        try:
            out[_code(code)] = checked_count(str(count), limits, None)
        except ListError as error:
            message = f"{where}.{code[:40]}: {error.message}"
            raise ListError(error.code, message, remedy=error.remedy) from error
    return out


def _leaders(deck: Mapping[str, Any], meta: Mapping[str, Any]) -> Iterator[ListEntry]:
    """The side that says how the deck is built first; the one in play when it is another."""
    front = deck.get("investigator_code")
    if not isinstance(front, str) or not front:
        if isinstance(faction := deck.get("faction_code"), str) and faction:
            yield ListEntry(1, str(deck.get("faction_name") or faction)[:200], "", "", None, _code(faction))
        return
    back = meta.get("alternate_back") or front
    face = meta.get("alternate_front") or front
    name = str(deck.get("investigator_name") or back)[:200]
    yield ListEntry(1, name, "", LEADER, None, _code(str(back)))
    if meta.get("alternate_front") or meta.get("alternate_back"):
        yield ListEntry(1, name, "", FACE, None, _code(str(face)))


def _upgrades(value: Any) -> tuple[tuple[int, int, str], ...]:
    """“0|1,5|2|0” -> ((0, 1, ""), (5, 2, "0")): which upgrade, boxes ticked, what was chosen."""
    out = []
    for part in str(value or "")[:500].split(","):
        number, _, rest = part.partition("|")
        boxes, _, chosen = rest.partition("|")
        if number.isdecimal() and boxes.isdecimal() and len(number) < 3 and len(boxes) < 3:
            out.append((int(number), int(boxes), chosen[:60]))
    return tuple(out)


def _choices(deck: Mapping[str, Any], meta: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for word in _CHOICES:
        if meta.get(word):
            yield word, str(meta[word])[:60]
    if deck.get("taboo_id"):
        yield "taboo", str(deck["taboo_id"])[:10]
    for word in ("xp", "xp_adjustment"):
        if type(deck.get(word)) is int:
            yield word, str(deck[word])[:10]
    if isinstance(deck.get("exile_string"), str) and deck["exile_string"]:
        yield "exiled", deck["exile_string"][:600]
