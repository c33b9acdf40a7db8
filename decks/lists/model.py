"""What a reader returns, and the one error it raises."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from decks.lists.folding import fold


class ListError(Exception):
    """The list cannot be read at all. `code` is stable; `line` counts from 1, None: no line is at fault."""

    def __init__(self, code: str, message: str, line: int | None = None, remedy: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.line = line
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of list that we read: its key, what people call it, and how its files are named."""

    key: str
    title: str
    extension: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What a list may be at most. A real list has under 60 lines and counts under 20."""

    size: int = 1_000_000  # characters or bytes
    lines: int = 2_000
    line_length: int = 5_000
    name_length: int = 200
    count: int = 999


HINT_WORDS = 8  # of a hint are compared with titles; a title in brackets is shorter


class ListEntry(NamedTuple):
    """`count` copies of `name`; `hint` is what stood in brackets behind it (set, number or descriptor).

    id: the identifier of a printing (a GUID, a collector code), in small letters, where the file gives one;
    free: copies that do not count against the copy limit; upgrades: (number, boxes ticked, what was chosen) of
    a card bought in parts.
    """

    count: int  # type: ignore[assignment]  # every tuple has a method of this name
    name: str
    hint: str = ""
    section: str = ""
    line: int | None = None
    id: str = ""
    free: int = 0
    upgrades: tuple[tuple[int, int, str], ...] = ()

    @property
    def key(self) -> str:
        """The folded name, brackets left out: what the entry is counted by when no catalog knows it."""
        return fold(self.name)

    @property
    def section_key(self) -> str:
        return fold(self.section)

    @property
    def exact_readings(self) -> tuple[str, ...]:
        """Keys that take the name at its word, best first: with all that stands behind it, with less and less of it."""
        if not self.hint:
            return (self.key,)
        words = self.hint.split()[:HINT_WORDS]
        said = (" ".join([self.name, *words[:end]]) for end in range(len(words), 0, -1))
        return (*dict.fromkeys(map(fold, said)), self.key)

    @property
    def title_readings(self) -> tuple[tuple[str, str], ...]:
        """(key of the title, key of the rest) where a descriptor may follow: "Title: Descriptor".

        A comma or colon can also be part of a title, so these come after the exact readings.
        """
        splits = (self.name.rpartition(mark) for mark in (": ", ", ", " - ", " – "))
        return tuple((fold(title), fold(rest)) for title, mark, rest in splits if mark and title.strip())


class NoteCode(StrEnum):
    """What a reader can remark. `unread-line` and `uncounted-line` leave a doubt; the others only inform."""

    UNREAD_LINE = "unread-line"
    UNCOUNTED_LINE = "uncounted-line"
    HEADING = "heading"
    COMMENT = "comment"
    WRONG_TOTAL = "wrong-total"
    ENCODING = "encoding"


NAMED_ABOVE = "Read as the deck's name."  # of a first line without a count, right over cards


@dataclass(frozen=True, slots=True)
class Note:
    """A remark on one line: `text` is the line as it stood, `message` what was made of it; `opens`: the section whose
    heading it is, or if it is a comment, may be."""

    code: NoteCode
    message: str
    line: int | None = None
    text: str = ""
    opens: str = ""


@dataclass(frozen=True, slots=True)
class DeckList:
    """One list as read: its entries in order, what else stood there, its kind, the deck's name.

    choices: what the player chose where the game leaves a choice, by the choice's name.
    """

    entries: tuple[ListEntry, ...]
    notes: tuple[Note, ...]
    kind: str
    name: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return sum(entry.count for entry in self.entries)
