"""Arena's text: `4 Name (SET) 123` under `Deck` and `Sideboard`; the second block without a heading is the side."""

import re

from decks.lists.model import DeckList, Kind, Limits, ListEntry, Note, NoteCode
from decks.lists.names import checked_count, refuse_too_many, split_name

RANK = 80
READS = (Kind("mtga", "Magic Arena", ".txt"),)
KIND = READS[0].key
_CARD = re.compile(r"^(\d+) (\S.*?) \(([A-Z0-9]{2,6})\) ([\w★-]{1,8})$")
_HEADINGS = {"deck": "", "sideboard": "Sideboard", "commander": "Commander", "companion": "Companion"}
_ABOUT = re.compile(r"^(?:About|Name (.*))$")


def recognises(source: str, filename: str) -> bool:
    if len(source) > 200_000:
        return False
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    fits = all(
        _CARD.match(line) or line.lower() in _HEADINGS or (at < 2 and _ABOUT.match(line))
        for at, line in enumerate(lines)
    )
    return fits and any(map(_CARD.match, lines))


def read(source: str, limits: Limits) -> DeckList:
    """Read a deck. Raises ListError: bad-count, too-many-lines, line-too-long."""
    entries: list[ListEntry] = []
    notes: list[Note] = []
    section, name = "", ""
    headed = any(line.strip().lower() in _HEADINGS for line in source.splitlines())
    lines = source.splitlines()
    refuse_too_many(len(lines), "lines", limits)
    for number, written in enumerate(lines, start=1):
        text = written.strip()
        if not text:
            if entries and not headed:
                section = "Sideboard"
        elif found := _CARD.match(text):
            card, hint = split_name(found[2], limits, number)
            hint = " ".join(part for part in (hint, found[3], found[4]) if part)
            entries.append(ListEntry(checked_count(found[1], limits, number), card, hint, section, number))
        elif text.lower() in _HEADINGS:
            section = _HEADINGS[text.lower()]
            notes.append(Note(NoteCode.HEADING, f"The heading of “{text}”.", number, text))
        else:
            name = (_ABOUT.match(text) or ["", ""])[1] or name
    return DeckList(tuple(entries), tuple(notes), KIND, (name or "")[: limits.name_length])
