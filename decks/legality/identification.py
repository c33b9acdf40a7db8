"""Which entry of a list is which card."""

from collections.abc import Iterable

from decks.legality.deck import Catalog, Deck, DeckEntry, Line, UnreadLine
from decks.legality.snapshot import Snapshot


def identify(
    lines: Iterable[Line], snapshot: Snapshot, catalog: Catalog, unread: Iterable[UnreadLine] = ()
) -> Deck:
    """The deck with every entry's card, section and, where the name is unknown, suggestions.

    A name is tried as it stands, then without its brackets, then (if the format counts by title alone) up to
    its first mark; at each step through the format's aliases. The first known card wins.
    """
    entries = []
    doubts = list(unread)
    for line in lines:
        entry, rest = _entry(line, snapshot, catalog)
        entries.append(entry)
        if card := catalog.get(rest):
            doubts.append(
                UnreadLine(line.line, card.title, "has no count; it was taken for a part of the name.")
            )
    return Deck(tuple(entries), tuple(doubts))


def _entry(line: Line, snapshot: Snapshot, catalog: Catalog) -> tuple[DeckEntry, str]:
    """The entry, and the key of what was taken for its descriptor."""
    section = _section(line.section_key, snapshot)
    readings = [(reading, "") for reading in line.exact_readings]
    if snapshot.titles_end_at_marks:
        readings += line.title_readings
    keys = [(snapshot.aliases.get(reading, reading), reading, rest) for reading, rest in readings]
    for key, reading, rest in keys:
        if card := catalog.get(key) or catalog.get(reading):
            return DeckEntry(line.count, card.title, key, card, section, line.line), rest
    for key, _reading, rest in keys:
        if title := snapshot.named.get(key):
            return DeckEntry(line.count, title, key, None, section, line.line), rest
    key = snapshot.aliases.get(line.key, line.key)
    return DeckEntry(line.count, line.name, key, None, section, line.line, catalog.suggest(line.key)), ""


def _section(heading: str, snapshot: Snapshot) -> str:
    if heading:
        for section in snapshot.sections:
            if heading in section.names:
                return section.key
    return snapshot.sections[0].key
