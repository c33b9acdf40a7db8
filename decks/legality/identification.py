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
    return Deck(tuple(_entry(line, snapshot, catalog) for line in lines), tuple(unread))


def _entry(line: Line, snapshot: Snapshot, catalog: Catalog) -> DeckEntry:
    section = _section(line.section_key, snapshot)
    readings = line.exact_readings
    if snapshot.titles_end_at_marks:
        readings += line.title_readings
    keys = [snapshot.aliases.get(reading, reading) for reading in readings]
    for key, reading in zip(keys, readings, strict=True):
        if card := catalog.get(key) or catalog.get(reading):
            return DeckEntry(line.count, card.title, key, card, section, line.line)
    for key in keys:
        if title := snapshot.named.get(key):
            return DeckEntry(line.count, title, key, None, section, line.line)
    key = snapshot.aliases.get(line.key, line.key)
    return DeckEntry(line.count, line.name, key, None, section, line.line, catalog.suggest(line.key))


def _section(heading: str, snapshot: Snapshot) -> str:
    if heading:
        for section in snapshot.sections:
            if heading in section.names:
                return section.key
    return snapshot.sections[0].key
