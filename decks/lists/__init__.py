"""Reads decklists as people and programs write them, and loses nothing. Pure: no I/O, no catalog.

    >>> read("3x Museum Curator, 1x Itinerant Scholar").entries
    (ListEntry(count=3, name='Museum Curator', ...), ListEntry(count=1, name='Itinerant Scholar', ...))

One module per kind of list in `readers`; `read` finds the kind itself.
Which names are cards is not decided here: see `decks.legality.identify`.

May import only the standard library and an XML parser. Start reading at `registry`, then `readers.text`.
"""

from decks.lists.decoding import decode, ungarbled
from decks.lists.difference import Changed, difference
from decks.lists.folding import fold, shorthand
from decks.lists.model import DeckList, Kind, Limits, ListEntry, ListError, Note, NoteCode
from decks.lists.names import without_signs
from decks.lists.readers.text import dump
from decks.lists.registry import EXTENSIONS, KINDS, READ, read
from decks.lists.writing import WRITTEN, write

__all__ = [
    "EXTENSIONS",
    "KINDS",
    "READ",
    "WRITTEN",
    "Changed",
    "DeckList",
    "Kind",
    "Limits",
    "ListEntry",
    "ListError",
    "Note",
    "NoteCode",
    "decode",
    "difference",
    "dump",
    "fold",
    "read",
    "shorthand",
    "ungarbled",
    "without_signs",
    "write",
]
