"""Is this deck legal on that date, and if not, why? Returns all findings at once. Pure; names no game.

    deck = identify(entries, snapshot, catalog)      # which entry is which card
    report = check(deck, snapshot, catalog)          # all findings, each with its rule and a way to mend it

A `Snapshot` is a format on a date. It is data: `decks.law.format_files` makes it from decks/formats/*.yaml.

May import only `decks.lists` and the standard library. Start reading at `checking.check`.
"""

from decks.legality.checking import check
from decks.legality.contents import collapse, expand
from decks.legality.deck import Card, Catalog, Deck, DeckEntry, Line, UnreadLine
from decks.legality.facts import BadCondition, Test, Where, where_of
from decks.legality.identification import card_of, identify
from decks.legality.report import CardCount, Finding, Report, Severity, Verdict
from decks.legality.snapshot import (
    Access,
    Budget,
    Cap,
    Choice,
    Citation,
    CopyLimit,
    Exclusion,
    KindLimit,
    Match,
    Number,
    OwnLimit,
    Period,
    Quota,
    Requirement,
    Restriction,
    Scale,
    Section,
    Slots,
    Snapshot,
    Upgrading,
    Waiver,
    overridden,
    sealed,
)
from decks.legality.understanding import as_understood
from decks.legality.upgrading import Step, Upgrade, upgrade

__all__ = [
    "Access",
    "BadCondition",
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
    "KindLimit",
    "Line",
    "Match",
    "Number",
    "OwnLimit",
    "Period",
    "Quota",
    "Report",
    "Requirement",
    "Restriction",
    "Scale",
    "Section",
    "Severity",
    "Slots",
    "Snapshot",
    "Step",
    "Test",
    "UnreadLine",
    "Upgrade",
    "Upgrading",
    "Verdict",
    "Waiver",
    "Where",
    "as_understood",
    "card_of",
    "check",
    "collapse",
    "expand",
    "identify",
    "overridden",
    "sealed",
    "upgrade",
    "where_of",
]
