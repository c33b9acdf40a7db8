"""YGOPRO's deck: `#main`, `#extra` and `!side`, and under each one card number per line and copy."""

import re

from decks.lists.model import DeckList, Kind, Limits, ListEntry, ListError, Note, NoteCode
from decks.lists.names import refuse_too_many

RANK = 60
READS = (Kind("ydk", "YGOPRO, EDOPro", ".ydk"),)
KIND = READS[0].key
_PARTS = {"#main": "", "#extra": "Extra Deck", "!side": "Sideboard"}
_ID = re.compile(r"^\d{1,12}$")


def recognises(source: str, filename: str) -> bool:
    if "#" not in source and "!" not in source:
        return False
    lines = [line.strip() for line in source[:20_000].splitlines() if line.strip()]
    return any(line.lower() in _PARTS for line in lines) and any(map(_ID.match, lines))


def read(source: str, limits: Limits) -> DeckList:
    """Read a deck; a card's number is its identifier. Raises ListError: too-many-lines, bad-count."""
    lines = source.splitlines()
    refuse_too_many(len(lines), "lines", limits)
    entries: dict[tuple[str, str], ListEntry] = {}
    notes: list[Note] = []
    section = ""
    for number, written in enumerate(lines, start=1):
        text = written.strip()
        if text.lower() in _PARTS:
            section = _PARTS[text.lower()]
            notes.append(Note(NoteCode.HEADING, f"The heading of “{section or 'Deck'}”.", number, text))
        elif _ID.match(text):
            id = text.lstrip("0") or "0"
            held = entries.get((section, id)) or ListEntry(0, text, "", section, number, id)
            entries[section, id] = held._replace(count=held.count + 1)
            if held.count >= limits.count:
                raise ListError(
                    "bad-count", f"{held.count + 1} copies of {id} are too many for a deck.", line=number
                )
        elif text[:1] == "#":
            notes.append(Note(NoteCode.COMMENT, "A remark.", number, text[:2_000]))
        elif text:
            notes.append(
                Note(NoteCode.UNREAD_LINE, "This is not the number of a card.", number, text[:2_000])
            )
    return DeckList(tuple(entries.values()), tuple(notes), KIND)
