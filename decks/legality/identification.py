"""Identifies the card each entry of a decklist names."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from decks.legality.deck import Card, Catalog, Deck, DeckEntry, Line, UnreadLine
from decks.legality.snapshot import Snapshot

# A deck with more unknown names than this is no deck of the game; searching for each would only take time.
SUGGESTED = 60
REMEMBERED = 20_000  # names per snapshot and catalog


def identify(
    lines: Iterable[Line],
    snapshot: Snapshot,
    catalog: Catalog,
    unread: Iterable[UnreadLine] = (),
    choices: Mapping[str, str] | None = None,
) -> Deck:
    """The deck with every entry's card, section and, where the name is unknown, suggestions.

    An identifier the catalog knows decides; but when the name beside it is another card's, the name does. Then the
    name is tried as it stands, then without its brackets, then as the one card it resembles, then (if the format
    counts by title alone) up to its first mark; at each step through the format's aliases. The first known card
    wins, then a title that a list of the format names. `unread` are the lines the reader could make nothing of.
    """
    memo: dict[Any, tuple[str, str, Card, str]] = snapshot.memo.setdefault(
        ("names", catalog.version, catalog.partial), {}
    )
    sections = snapshot.memo.get("sections")
    if sections is None:
        sections = snapshot.memo["sections"] = {
            name: section.key for section in snapshot.sections for name in section.names
        }
    entries = []
    doubts = list(unread)
    unknown = 0
    for line in lines:
        upgrades = line.upgrades
        asked = (line.name, line.hint, line.section, line.id)
        known = None if upgrades else memo.get(asked)
        if known is None:
            card = _exactly(line, snapshot, catalog)
            heading = line.section_key
            section = sections.get(heading, "") if heading else ""
            if card is not None:
                card = _as_it_holds(card, snapshot, upgrades)
                known = (card.title, card.key, card, section or _place(snapshot, card.facts))
                if not upgrades and len(memo) < REMEMBERED:
                    memo[asked] = known
            else:
                unknown += 1
                entry, rest = _loosely(
                    line, section or _place(snapshot, {}), snapshot, catalog, suggest=unknown <= SUGGESTED
                )
                if rest:
                    doubts += _rest(line, entry, rest, catalog)
                entries.append(entry if section or entry.card else entry._replace(guessed=True))
                continue
        title, key, card, section = known
        entries.append(DeckEntry(line.count, title, key, card, section, line.line, (), line.free))
    return Deck(tuple(entries), tuple(doubts), choices or {})


def card_of(line: Line, snapshot: Snapshot, catalog: Catalog) -> Card | None:
    """The card a line means, as `identify` finds it; None when it is unknown (and nothing is searched for)."""
    memo: dict[Any, Card] = snapshot.memo.setdefault(("cards", catalog.version, catalog.partial), {})
    said = (line.name, line.hint, line.id)
    if (known := memo.get(said)) is not None:
        return known
    card = _exactly(line, snapshot, catalog)
    if card is None and snapshot.titles_end_at_marks:
        readings = (
            one
            for reading, _rest in line.title_readings
            for one in (snapshot.aliases.get(reading, reading), reading)
        )
        card = next(filter(None, map(catalog.get, readings)), None)
    if card is not None and len(memo) < REMEMBERED:
        memo[said] = card
    return card


def _place(snapshot: Snapshot, facts: Mapping[str, Any]) -> str:
    """The section of a card that stands under no heading of the format's."""
    for section in snapshot.sections:
        if section.takes is not None and facts and section.takes.holds(facts):
            return section.key
    return snapshot.sections[0].key


def _exactly(line: Line, snapshot: Snapshot, catalog: Catalog) -> Card | None:
    by_id = catalog.of_id(line.id) if line.id else None
    if by_id is not None and (not line.key or line.key == by_id.key):
        return by_id
    version = _version_said(line, snapshot)
    for reading in line.exact_readings:
        key = snapshot.aliases.get(reading, reading)
        if (card := catalog.get(key) or catalog.get(reading)) and _fits(
            line, reading, card, version, catalog
        ):
            return _told_apart(card, line, reading, catalog)
        if version and (card := _as_spelt((reading,), line, version, snapshot, catalog)):
            return card  # “Name (Exp. 2)” before “Name”
    return _as_spelt(line.exact_readings, line, version, snapshot, catalog) if by_id is None else by_id


def _as_spelt(
    readings: tuple[str, ...], line: Line, version: str, snapshot: Snapshot, catalog: Catalog
) -> Card | None:
    for reading in _spelt(readings, snapshot):
        if (card := catalog.resembling(reading)) and _fits(line, reading, card, version, catalog):
            return card
    return None


def _version_said(line: Line, snapshot: Snapshot) -> str:
    """The version of a card that the line names, as titles spell it: “exp2” of “Name (Experienced 2)”."""
    if not snapshot.spellings:
        return ""
    words = line.exact_readings[0].split(" ")
    for word, behind in zip(words, [*words[1:], ""], strict=True):
        bare = word.rstrip("0123456789")
        if bare in snapshot.spellings or bare in snapshot.spellings.values():
            spelt = _word(word, snapshot.spellings)
            return f"{spelt}{behind}" if bare == word and behind[:1].isdecimal() else spelt
    return ""


def _fits(line: Line, reading: str, card: Card, version: str, catalog: Catalog) -> bool:
    """Whether the card is not another level or version than the one that the line names."""
    said = not version or version in card.key.split(" ")
    return said and not _of_another_level(line, reading, catalog)


def _told_apart(card: Card, line: Line, reading: str, catalog: Catalog) -> Card:
    """Of a name that several cards have, the card of the set that the line names."""
    if "versions" in card.facts and reading == line.key:
        for longer in line.exact_readings[:-1]:
            if (one := catalog.resembling(longer)) and one.title in card.facts["versions"]:
                return one
    return card


def _spelt(readings: tuple[str, ...], snapshot: Snapshot) -> tuple[str, ...]:
    """The readings, with the words that the format spells otherwise: “xp4” as “exp4”."""
    if not snapshot.spellings:
        return readings
    spelt = (" ".join(_word(word, snapshot.spellings) for word in one.split(" ")) for one in readings)
    return tuple(dict.fromkeys([*readings, *spelt]))


def _word(word: str, spellings: Mapping[str, str]) -> str:
    bare = word.rstrip("0123456789")
    return f"{spellings[bare]}{word[len(bare) :]}" if bare in spellings else word


def _of_another_level(line: Line, reading: str, catalog: Catalog) -> bool:
    """“Name (3)”, when there are “Name” and “Name (2)”, is neither."""
    level = line.hint[:2].strip()
    if reading != line.key or not level.isdecimal() or level == "0":
        return False
    return any(catalog.get(f"{reading} {other}") for other in range(1, 6))


def _as_it_holds(card: Card, snapshot: Snapshot, upgrades: tuple[tuple[int, int, str], ...]) -> Card:
    """The card with its errata, and with what was bought of it."""
    if errata := snapshot.errata.get(card.key):
        card = replace(card, facts={**card.facts, **errata})
    if upgrades and (parts := card.facts.get("upgrades")):
        facts = dict(card.facts)
        boxes = 0
        for place, ticked, chosen in upgrades:
            boxes += ticked
            part = parts[place] if place < len(parts) else {}
            if part and ticked >= part.get("boxes", 0):
                for fact, more in part.get("adds", {}).items():
                    facts[fact] = [*facts.get(fact, ()), *more]
                facts.update(part.get("sets", {}))
                if (
                    (there := facts.get(str(part.get("removes"))))
                    and chosen.isdecimal()
                    and int(chosen) < len(there)
                ):
                    facts[part["removes"]] = [one for at, one in enumerate(there) if at != int(chosen)]
        per = facts.get("boxes-per-level", 1)
        facts["level"] = -(-boxes // per)
        facts["experience"] = boxes
        card = replace(card, facts=facts)
    return card


def _rest(line: Line, entry: DeckEntry, rest: str, catalog: Catalog) -> Iterator[UnreadLine]:
    """What is said of the words behind a card's title that are no subtitle we know."""
    if other := catalog.get(rest):
        doubt = "has no count; it was read as part of the name before it."
        yield UnreadLine(line.line, other.title, doubt)
    elif entry.card is not None and not (
        rest in catalog.sets_of(entry.key) or catalog.resembling(f"{entry.card.key} {rest}")
    ):
        said = f"counted as {entry.name}; we know no printing of it with these words after the title."
        yield UnreadLine(line.line, line.name, said, "unknown-subtitle")


def _loosely(
    line: Line, section: str, snapshot: Snapshot, catalog: Catalog, *, suggest: bool
) -> tuple[DeckEntry, str]:
    """The entry, and the key of what was taken for its descriptor."""
    readings = [(reading, "") for reading in line.exact_readings]
    if snapshot.titles_end_at_marks:
        for reading, rest in line.title_readings:
            key = snapshot.aliases.get(reading, reading)
            if card := catalog.get(key) or catalog.get(reading):
                card = _as_it_holds(card, snapshot, ())
                return DeckEntry(line.count, card.title, card.key, card, section, line.line), rest
            readings.append((reading, rest))
    for reading, rest in readings:
        key = snapshot.aliases.get(reading, reading)
        if (title := snapshot.named.get(key)) and not _of_another_level(line, reading, catalog):
            return DeckEntry(line.count, title, key, None, section, line.line), rest
    key = snapshot.aliases.get(line.key, line.key)
    near = catalog.suggest(line.key) if suggest else ()
    return DeckEntry(line.count, line.name, key or line.id, None, section, line.line, near), ""
