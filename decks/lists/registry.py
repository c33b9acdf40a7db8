"""All kinds of decklist we read, and how we recognize them. The readers are the modules of `decks.lists.readers`."""

import re
from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast

from decks.lists import readers
from decks.lists.decoding import decode
from decks.lists.model import DeckList, Kind, Limits, ListError, Note, NoteCode


class Reader(Protocol):
    """A module that reads one kind of list, or several that look alike."""

    READS: tuple[Kind, ...]
    RANK: int  # who is asked first; plain text takes whatever nobody else claims, so it is last

    def recognises(self, source: str, filename: str) -> bool:
        """Whether the source is of this kind, from its beginning and its file's name."""

    def read(self, source: str, limits: Limits) -> DeckList:
        """The list, or ListError."""


def _readers() -> tuple[Reader, ...]:
    modules = (import_module(f"{readers.__name__}.{one.name}") for one in iter_modules(readers.__path__))
    return tuple(sorted((cast(Reader, one) for one in modules), key=lambda one: one.RANK))


READERS: tuple[Reader, ...] = _readers()
READ: tuple[Kind, ...] = tuple(kind for reader in READERS for kind in reader.READS)
KINDS: tuple[str, ...] = tuple(kind.key for kind in READ)
EXTENSIONS: tuple[str, ...] = tuple(sorted({kind.extension for kind in READ}))


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
            "empty-list", "The decklist is empty.", remedy="Put one card per line, such as “3x Card name”."
        )
    source = _SEPARATOR.sub("", source, count=1)
    reader = next(reader for reader in READERS if reader.recognises(source, filename))
    result = _without_none(reader.read(source, limits))
    if not result.entries:
        raise ListError(
            "empty-list",
            "No card was found in the decklist.",
            remedy="Put one card per line, such as “3x Card name”.",
        )
    return _with_notes(result, notes)


_SEPARATOR = re.compile(r"\A\s*\"?sep=[,;|\t]\"?(?=[\r\n])", re.I)  # a spreadsheet's first line


def _without_none(result: DeckList) -> DeckList:
    """“0x Name”, as sheets of a whole collection have it: no card of the deck, and said so."""
    if all(entry.count for entry in result.entries):
        return result
    none = (Note(NoteCode.COMMENT, "No copy.", one.line, one.name) for one in result.entries if not one.count)
    kept = tuple(entry for entry in result.entries if entry.count)
    return replace(result, entries=kept, notes=(*result.notes, *none))


def _with_notes(result: DeckList, notes: tuple[Note, ...]) -> DeckList:
    return replace(result, notes=notes + result.notes) if notes else result
