"""Whether a list was understood: nothing is certain of one that is mostly names nobody knows."""

from decks.legality.deck import Catalog, Deck
from decks.legality.report import Finding, Report, Severity


def as_understood(report: Report, deck: Deck, catalog: Catalog) -> Report:
    """Where most names are no cards, the list is more likely of another game, in another language or written in a way
    that we don't read than a deck of cards that there aren't: nothing on it is certain."""
    unknown = {entry.key for entry in deck.entries if entry.card is None}
    known = {entry.key for entry in deck.entries if entry.card is not None}
    if len(unknown) < 2 or len(unknown) <= len(known) or catalog.partial or not len(catalog):
        return report
    every = len(unknown) + len(known)
    question = Finding(
        "mostly-unknown",
        Severity.UNVERIFIED,
        f"{len(unknown)} of {every} names are no cards we know, so the list may not have been read as it is meant.",
        have=len(unknown),
        remedy="Check the game, and write each card’s English name with its number, such as “3x Card name”.",
    )
    lowered = (
        one if one.severity is not Severity.ILLEGAL else one._replace(severity=Severity.UNVERIFIED)
        for one in report.findings
    )
    return Report.of([question, *lowered], report.snapshot, report.catalog)
