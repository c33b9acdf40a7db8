"""Is this deck legal on that date, and if not, why: every finding at once. Pure; no game is named here.

    deck = identify(entries, snapshot, catalog)      # which entry is which card
    report = check(deck, snapshot, catalog)          # all findings, each with its rule and a way to mend it

A `Snapshot` is a format on a date. It is data: `decks.format_files` makes it from decks/formats/*.yaml.
"""

from decks.legality.checking import check
from decks.legality.deck import Card, Catalog, Deck, DeckEntry, Line, UnreadLine
from decks.legality.identification import identify
from decks.legality.report import CardCount, Finding, Report, Severity, Verdict
from decks.legality.snapshot import (
    Budget,
    Cap,
    Choice,
    Citation,
    CopyLimit,
    Exclusion,
    OwnLimit,
    Period,
    Restriction,
    Section,
    Snapshot,
    overridden,
    sealed,
)

__all__ = [
    "Budget",
    "Cap",
    "Card",
    "CardCount",
    "Catalog",
    "Choice",
    "Citation",
    "CopyLimit",
    "Deck",
    "DeckEntry",
    "Exclusion",
    "Finding",
    "Line",
    "OwnLimit",
    "Period",
    "Report",
    "Restriction",
    "Section",
    "Severity",
    "Snapshot",
    "UnreadLine",
    "Verdict",
    "check",
    "identify",
    "overridden",
    "sealed",
]
