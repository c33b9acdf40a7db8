"""Pages of decks: lists and their verdicts, formats, findings, card data."""

from decks.views.lists import law_of, sections

__all__ = ["law_of", "sections"]
