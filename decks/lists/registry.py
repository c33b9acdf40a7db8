"""Every kind of list we read, and how a list's kind is found."""

from dataclasses import replace
from typing import Protocol

from decks.lists import arkhamdb, l5d, mtga, o8d, rows, specs, tables, text, xml_decks
from decks.lists.decoding import decode
from decks.lists.model import DeckList, Limits, ListError, Note, NoteCode


class Reader(Protocol):
    """A module that reads one kind of list."""

    KIND: str

    def recognises(self, source: str, filename: str) -> bool:
        """Whether the source is of this kind, from its beginning and its file's name."""

    def read(self, source: str, limits: Limits) -> DeckList:
        """The list, or ListError."""


# In the order they are asked; plain text takes whatever nobody else claims, so it is last.
READERS: tuple[Reader, ...] = (xml_decks, o8d, arkhamdb, rows, l5d, specs, mtga, tables, text)  # modules
KINDS: tuple[str, ...] = ("cod", "lackey", "mtgo", *(reader.KIND for reader in READERS[1:]))


def read(data: bytes | str, *, filename: str = "", limits: Limits | None = None) -> DeckList:
    """Read a list of any known kind.

    data: the file's bytes, or text already decoded; filename: a help in finding the kind, not trusted alone.
    Raises ListError: `empty-list`, `too-large`, `too-many-lines`, `line-too-long`, `bad-count`,
    `binary-file`, `bad-encoding`, `bad-xml`, `bad-json`, `bad-table`, `not-a-deck`. Time and memory are linear
    in the size of `data`.
    """
    limits = limits or Limits()
    source, notes = decode(data, limits)
    if not source.strip():
        raise ListError(
            "empty-list", "The list is empty.", remedy="Put one card per line, such as “3x Card name”."
        )
    reader = next(reader for reader in READERS if reader.recognises(source, filename))
    result = _without_none(reader.read(source, limits))
    if not result.entries:
        raise ListError(
            "empty-list",
            "No card was found in the list.",
            remedy="Put one card per line, such as “3x Card name”.",
        )
    return _with_notes(result, notes)


def _without_none(result: DeckList) -> DeckList:
    """“0x Name”, as sheets of a whole collection have it: no card of the deck, and said so."""
    if all(entry.count for entry in result.entries):
        return result
    none = (Note(NoteCode.COMMENT, "No copy.", one.line, one.name) for one in result.entries if not one.count)
    kept = tuple(entry for entry in result.entries if entry.count)
    return replace(result, entries=kept, notes=(*result.notes, *none))


def _with_notes(result: DeckList, notes: tuple[Note, ...]) -> DeckList:
    return replace(result, notes=notes + result.notes) if notes else result
