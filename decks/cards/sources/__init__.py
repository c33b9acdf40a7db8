"""Readers of other programs' card data.

    cards = read({"core.json": data, ...})       # or one file, a folder's files, the files of a zip archive

One module per source, each with `recognises(name, data)` and `read(files)`; `lists_of` where it has dated lists.

May import what `decks.cards` may. Start reading at `files`.
"""

from decks.cards.sources import arkhamdb
from decks.cards.sources.files import gathered, read, unpacked

__all__ = ["arkhamdb", "gathered", "read", "unpacked"]
