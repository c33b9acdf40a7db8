"""Cards that come with another, such as the cards of a specialty: a decklist may name either."""

from collections.abc import Iterator
from dataclasses import replace

from decks.legality import words
from decks.legality.deck import Card, Catalog, Deck, DeckEntry
from decks.legality.report import CardCount, Finding, Severity
from decks.legality.snapshot import Citation, Snapshot


def expand(deck: Deck, snapshot: Snapshot, catalog: Catalog) -> tuple[DeckEntry, ...]:
    """The cards that the listed ones stand for: of a specialty its cards, each in its `copies`.

    The entries themselves where the format knows no such thing, or where cards are written out and not whole.
    """
    whole, wrong = collapse(deck, snapshot, catalog)
    if not snapshot.expands or wrong:
        return deck.entries
    out = []
    for entry in whole.entries:
        for card in catalog.with_fact(snapshot.expands, entry.name):
            out.append(
                DeckEntry(entry.count * _copies(card), card.title, card.key, card, entry.section, entry.line)
            )
    return tuple(out)


def collapse(deck: Deck, snapshot: Snapshot, catalog: Catalog) -> tuple[Deck, tuple[Finding, ...]]:
    """The deck with cards that come with another taken together as that one, and what their number is wrong by.

    A set is meant when at least half of its cards are there; the cards of other sets stay as they are.
    """
    fact = snapshot.expands
    if not fact:
        return deck, ()
    written: dict[str, list[DeckEntry]] = {}
    for entry in deck.entries:
        if entry.card is not None and isinstance(owner := entry.card.facts.get(fact), str):
            written.setdefault(owner, []).append(entry)
    entries = list(deck.entries)
    findings: list[Finding] = []
    for owner, cards in written.items():
        contents = catalog.with_fact(fact, owner)
        have: dict[str, int] = {}
        for entry in cards:
            have[entry.key] = have.get(entry.key, 0) + entry.count
        held = sum(min(have.get(card.key, 0), _copies(card)) for card in contents)
        if 2 * held < sum(map(_copies, contents)):
            continue
        entries = [entry for entry in entries if entry not in cards]
        if not any(entry.name == owner for entry in entries):
            entries.append(_owner(owner, cards[0], snapshot, catalog))
        findings += _wrong(owner, contents, have, cards[0].line, snapshot.contents_cite)
    return replace(deck, entries=tuple(entries)), tuple(findings)


def _copies(card: Card) -> int:
    copies = card.facts.get("copies", 1)
    return copies if isinstance(copies, int) else 1


def _owner(title: str, first: DeckEntry, snapshot: Snapshot, catalog: Catalog) -> DeckEntry:
    card = catalog.named(title)
    key = card.key if card else title
    section = first.section
    for one in snapshot.sections:
        if card is not None and one.takes is not None and one.takes.holds(card.facts):
            section = one.key
            break
    return DeckEntry(1, title, key, card, section, first.line)


def _wrong(
    owner: str, contents: tuple[Card, ...], have: dict[str, int], line: int | None, cite: Citation
) -> Iterator[Finding]:
    wrong = [card for card in contents if have.get(card.key, 0) != _copies(card)]
    if not wrong:
        return
    told = words.listed(
        f"{words.copies_of(have.get(card.key, 0), card.title)} instead of {_copies(card)}" for card in wrong
    )
    yield Finding(
        "wrong-contents",
        Severity.ILLEGAL,
        f"The cards of {owner} are not right: {told}.",
        cards=tuple(CardCount(card.title, have.get(card.key, 0)) for card in wrong),
        have=sum(have.values()),
        allowed=sum(map(_copies, contents)),
        rule=cite.rule,
        source=cite.source,
        remedy=f"Write all the cards of {owner}, or just “{owner}”.",
        line=line,
    )
