"""Pages of decks: decks and their results, formats, findings, card data.

May import services, selectors and everything below them. Start reading at `lists`.
"""

from decks.views.lists import law_of, sections

__all__ = ["law_of", "sections"]
