"""Egg of P'an Ku's deck: `# Dynasty (40)` over `# Holdings (18)` over `2 Ashigaru Fort`.

The headings nest without saying so: one whose total covers those that follow is a part of the deck, the others are
kinds of cards. A card stands under the nearest.
"""

import re
from itertools import pairwise

from decks.lists.model import DeckList, Kind, Limits, ListEntry, ListError, Note, NoteCode
from decks.lists.names import checked_count, refuse_too_many, split_name

RANK = 50
READS = (Kind("l5d", "Egg of P’an Ku", ".l5d"),)
KIND = READS[0].key
PARTS = ("pre-game", "dynasty", "fate")
_HEADING = re.compile(r"^#\s*([^#()]+?)\s*(?:\((\d{1,6})\))?$")
_CARD = re.compile(r"^(\d+)\s*[xX×]?\s+(\S.*)$")


def recognises(source: str, filename: str) -> bool:
    """With words between its lines it is no file of the program's any more, but a text about the deck."""
    if "#" not in source:
        return False
    lines = [one for line in source[:20_000].splitlines() if (one := line.strip())]
    headings = {found[1].lower() for line in lines if (found := _HEADING.match(line))}
    parts = len(headings & set(PARTS))
    if filename.lower().endswith(".l5d"):
        return parts > 0
    return parts > 1 and all(line.startswith("#") or _CARD.match(line) for line in lines)


def read(source: str, limits: Limits) -> DeckList:
    """Read a deck. Raises ListError: too-many-lines, line-too-long, bad-count."""
    entries: list[ListEntry] = []
    notes: list[Note] = []
    totals: list[tuple[int, str, int, int]] = []  # (line, heading, total, entries before it)
    section = ""
    lines = re.split(r"\r\n|\r|\n", source)
    refuse_too_many(len(lines), "lines", limits)
    for number, written in enumerate(lines, start=1):
        if len(written) > limits.line_length:
            raise ListError(
                "line-too-long", "The line is too long.", line=number, remedy="Put one card per line."
            )
        text = " ".join(written.split())
        if not text:
            continue
        if found := _HEADING.match(text):
            section = found[1]
            notes.append(Note(NoteCode.HEADING, f"The heading of “{section}”.", number, text))
            if found[2]:
                totals.append((number, section, int(found[2]), len(entries)))
        elif text.startswith("#"):
            notes.append(Note(NoteCode.COMMENT, "A remark.", number, text[:2_000]))
        elif found := _CARD.match(text):
            name, hint = split_name(found[2], limits, number)
            entries.append(ListEntry(checked_count(found[1], limits, number), name, hint, section, number))
        else:
            notes.append(Note(NoteCode.UNREAD_LINE, "This line has no count.", number, text[:2_000]))
    notes += _wrong_totals(totals, entries)
    others = [two for one, two in pairwise(entries) if _is_other_side(one, two)]
    notes += [
        Note(NoteCode.COMMENT, "The other side of the same card.", one.line, one.name) for one in others
    ]
    return DeckList(tuple(one for one in entries if one not in others), tuple(notes), KIND)


def _is_other_side(one: ListEntry, two: ListEntry) -> bool:
    """The program writes a card of two sides as “Name (1)” and “Name (2)”."""
    return {one.hint, two.hint} == {"1", "2"} and one._replace(hint="", line=0) == two._replace(
        hint="", line=0
    )


def _wrong_totals(totals: list[tuple[int, str, int, int]], entries: list[ListEntry]) -> list[Note]:
    notes = []
    for place, (number, heading, total, start) in enumerate(totals):
        whole = heading.lower() in PARTS
        ends = [begin for _n, other, _t, begin in totals[place + 1 :] if not whole or other.lower() in PARTS]
        found = sum(entry.count for entry in entries[start : ends[0] if ends else len(entries)])
        if found != total:
            said = f"It says {total} cards; the lines make {found}."
            notes.append(Note(NoteCode.WRONG_TOTAL, said, number))
    return notes
