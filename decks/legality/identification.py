"""Which entry of a list is which card."""

from collections.abc import Iterable

from decks.legality.deck import Catalog, Deck, DeckEntry, Line, UnreadLine
from decks.legality.snapshot import Snapshot

# A deck with more unknown names than this is no deck of the game; searching for each would only take time.
SUGGESTED = 60


def identify(
    lines: Iterable[Line], snapshot: Snapshot, catalog: Catalog, unread: Iterable[UnreadLine] = ()
) -> Deck:
    """The deck with every entry's card, section and, where the name is unknown, suggestions.

    A name is tried as it stands, then without its brackets, then (if the format counts by title alone) up to
    its first mark; at each step through the format's aliases. The first known card wins, then a title that a
    list of the format names. `unread` are the lines the reader could make nothing of.
    """
    sections = {name: section.key for section in snapshot.sections for name in section.names}
    main = snapshot.sections[0].key
    entries = []
    doubts = list(unread)
    unknown = 0
    for line in lines:
        heading = line.section_key
        section = sections.get(heading, main) if heading else main
        entry = _exactly(line, section, snapshot, catalog)
        if entry is None:
            unknown += 1
            entry, rest = _loosely(line, section, snapshot, catalog, suggest=unknown <= SUGGESTED)
            if rest and (card := catalog.get(rest)):
                doubt = "has no count; it was taken for a part of the name before it."
                doubts.append(UnreadLine(line.line, card.title, doubt))
        entries.append(entry)
    return Deck(tuple(entries), tuple(doubts))


def _exactly(line: Line, section: str, snapshot: Snapshot, catalog: Catalog) -> DeckEntry | None:
    for reading in line.exact_readings:
        key = snapshot.aliases.get(reading, reading)
        if card := catalog.get(key) or catalog.get(reading):
            return DeckEntry(line.count, card.title, key, card, section, line.line)
    return None


def _loosely(
    line: Line, section: str, snapshot: Snapshot, catalog: Catalog, *, suggest: bool
) -> tuple[DeckEntry, str]:
    """The entry, and the key of what was taken for its descriptor."""
    readings = [(reading, "") for reading in line.exact_readings]
    if snapshot.titles_end_at_marks:
        for reading, rest in line.title_readings:
            key = snapshot.aliases.get(reading, reading)
            if card := catalog.get(key) or catalog.get(reading):
                return DeckEntry(line.count, card.title, key, card, section, line.line), rest
            readings.append((reading, rest))
    for reading, rest in readings:
        key = snapshot.aliases.get(reading, reading)
        if title := snapshot.named.get(key):
            return DeckEntry(line.count, title, key, None, section, line.line), rest
    key = snapshot.aliases.get(line.key, line.key)
    near = catalog.suggest(line.key) if suggest else ()
    return DeckEntry(line.count, line.name, key, None, section, line.line, near), ""
