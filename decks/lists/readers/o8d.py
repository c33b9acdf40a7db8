"""OCTGN's deck file: XML with sections of `<card qty="3" id="...">Name</card>`."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from xml.sax import SAXParseException
from xml.sax.saxutils import unescape

from defusedxml import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from decks.lists.model import DeckList, Kind, Limits, ListEntry, ListError, Note, NoteCode
from decks.lists.names import checked_count, refuse_too_many, split_name

RANK = 20
READS = (Kind("o8d", "OCTGN", ".o8d"),)
KIND = READS[0].key
MAX_DEPTH = 8


def recognises(source: str, filename: str) -> bool:
    start = source[:4_000].lstrip()
    return start.startswith("<") and ("<deck" in start or filename.lower().endswith(".o8d"))


def read(source: str, limits: Limits) -> DeckList:
    """Read an .o8d file. Raises ListError: bad-xml (with the line), not-a-deck, too-many-lines, bad-count."""
    if plain := _as_the_program_writes(source, limits):
        return plain
    parser = _Parser(limits)
    try:
        parser.feed(source)
        parser.close()
    except SAXParseException as error:
        raise ListError(
            "bad-xml",
            f"The file is not complete XML: {error.getMessage()}.",
            line=error.getLineNumber(),
            remedy="Export the deck again.",
        ) from error
    except DefusedXmlException as error:
        raise ListError(
            "bad-xml",
            "The file declares a document type or entities; deck files have none.",
            remedy="Remove them.",
        ) from error
    return DeckList(tuple(parser.entries), tuple(parser.notes), KIND)


# --- the file as OCTGN itself writes it, most files: one element a line, read several times as fast -----------

_CARD = re.compile(r'<card qty="(\d{1,3})" id="([^"<&]*)">((?:[^<&]|&(?:lt|gt|amp|quot|apos);)*)</card>')
_OTHER = re.compile(
    r'(?P<blank>)|(?P<xml><\?xml version="1\.0" encoding="utf-8"(?: standalone="(?:yes|no)")? ?\?>)'
    r'|(?P<deck><deck game="[^"<&]*">)'
    r'|<section name="(?P<section>[^"<&]*)"(?: shared="(?:True|False)")?(?P<end> ?/)?>|(?P<close></section>)'
    r"|(?P<notes><notes>(?:<!\[CDATA\[(?P<remark>[^\]<&]*)\]\]>)?</notes>)|(?P<finish></deck>)"
)
_ENTITIES = {"&quot;": '"', "&apos;": "'"}
LINE_MAX = 500


def _as_the_program_writes(source: str, limits: Limits) -> DeckList | None:
    """The list when the file is exactly of the program's own shape; None when it is any other, or holds nothing."""
    if len(source) > 100_000:
        return None
    entries: list[ListEntry] = []
    notes: tuple[Note, ...] = ()
    section = ""
    awaited: tuple[str, ...] = ("xml", "deck")
    for number, text in enumerate(source.split("\n"), start=1):
        part = _line(text)
        if part is None:
            return None
        if len(part) == 4:
            if awaited is not _IN_SECTION or part[0] > limits.count:
                return None
            entries.append(ListEntry(part[0], part[1], part[2], section, number, part[3]))
            continue
        kind, said = part
        if kind == "blank":
            continue
        if kind not in awaited:
            return None
        awaited = _AFTER[kind]
        if kind in ("section", "empty"):
            section = said
        elif kind == "notes" and said:
            notes = (Note(NoteCode.COMMENT, "The deck's notes.", number, said[:2_000]),)
    if awaited or not 0 < len(entries) <= limits.lines:
        return None
    return DeckList(tuple(entries), notes, KIND)


_IN_SECTION = ("close",)
_IN_DECK = ("section", "empty", "notes", "finish")
_AFTER: dict[str, tuple[str, ...]] = {
    "xml": ("deck",),
    "deck": _IN_DECK,
    "section": _IN_SECTION,
    "empty": _IN_DECK,
    "close": _IN_DECK,
    "notes": ("finish",),
    "finish": (),
}


@lru_cache(maxsize=20_000)
def _line(text: str) -> tuple[int, str, str, str] | tuple[str, str] | None:
    """(count, name, hint, id) of a card; (what, its text) of any other line; None: not a line of this shape.

    Remembered, for the same cards stand in many decks.
    """
    if len(text) > LINE_MAX:
        return None
    plain = text.strip()
    if found := _CARD.fullmatch(plain):
        written = " ".join(unescape(found[3], _ENTITIES).split())
        if not written or len(written) > Limits().name_length or int(found[1]) < 1:
            return None  # the parser says what is wrong with it
        name, hint = split_name(written, Limits(), None)
        return (int(found[1]), name, hint, found[2].strip().lower()[:80]) if name else None
    other = _OTHER.fullmatch(plain)
    if other is None:
        return None
    if other["section"] is not None:
        return "empty" if other["end"] else "section", " ".join(other["section"].split())[
            : Limits().name_length
        ]
    return str(other.lastgroup if other.lastgroup != "remark" else "notes"), (other["remark"] or "").strip()


# --- any other file ------------------------------------------------------------------------------------------


STRAY = "This stands between the cards and isn’t one as the program writes it."
_KNOWN = ("deck", "section", "card", "notes")


class _Parser(DefusedExpatParser):
    """Collects the cards in one pass. It takes the parser's events itself: a separate handler costs as much
    again as the parsing."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(forbid_dtd=True)
        self.limits = limits
        self.entries: list[ListEntry] = []
        self.notes: list[Note] = []
        self.section = ""
        self.open: list[str] = []
        self.quantity = ""
        self.id = ""
        self.line = 1
        self.text: list[str] = []

    def reset(self) -> None:
        super().reset()
        self._parser: Any
        self._parser.CharacterDataHandler = self.characters
        self._parser.CommentHandler = self.comment

    def start_element(self, name: str, attrs: Mapping[str, str]) -> None:
        self.line = self._parser.CurrentLineNumber
        if not self.open and name != "deck":
            raise ListError("not-a-deck", f"The file contains a <{name[:40]}>, not a <deck>.", line=self.line)
        if len(self.open) >= MAX_DEPTH:
            raise ListError("bad-xml", "The file is nested too deeply for a deck.", line=self.line)
        self.open.append(name)
        self.text = []
        if name == "card":
            refuse_too_many(len(self.entries) + 1, "cards", self.limits, self.line)
            self.quantity = attrs.get("qty", "").strip()
            self.id = attrs.get("id", "").strip().lower()[:80]
        elif "qty" in attrs or (name not in _KNOWN and "section" in self.open[:-1]):
            said = f"<{name[:40]}>"
            self.notes.append(
                Note(NoteCode.UNREAD_LINE, "This isn’t a card as OCTGN writes it.", self.line, said)
            )
        elif name == "section":
            self.section = " ".join(attrs.get("name", "").split())[: self.limits.name_length]

    def characters(self, data: str) -> None:
        if self.open[-1] in ("card", "notes"):
            self.text.append(data)
        elif self.open[-1] in ("deck", "section") and data.strip():
            self._stray(data)

    def comment(self, data: str) -> None:
        if "<" in data:
            self._stray(data)

    def _stray(self, data: str) -> None:
        """What is left of an element that lost its beginning, or that somebody commented out."""
        said = " ".join(data.split())[:200]
        refuse_too_many(len(self.notes) + 1, "lines", self.limits)
        self.notes.append(Note(NoteCode.UNREAD_LINE, STRAY, self._parser.CurrentLineNumber, said))

    def end_element(self, name: str) -> None:
        self.open.pop()
        if name == "card":
            self._card(" ".join(self.text[0].split() if len(self.text) == 1 else "".join(self.text).split()))
        elif name == "notes" and (remark := "".join(self.text).strip()):
            self.notes.append(Note(NoteCode.COMMENT, "The deck's notes.", self.line, remark[:2_000]))
        self.text = []

    def _card(self, written: str) -> None:
        if len(written) > 2 * self.limits.name_length:
            raise ListError("line-too-long", "A card's name is too long.", line=self.line)
        if not self.quantity:
            said = written[: self.limits.name_length]
            self.notes.append(Note(NoteCode.UNREAD_LINE, "A card without a count.", self.line, said))
            return
        count = checked_count(self.quantity, self.limits, self.line)
        name, hint = split_name(written, self.limits, self.line)
        if name:
            self.entries.append(ListEntry(count, name, hint, self.section, self.line, self.id))
        else:
            self.notes.append(
                Note(NoteCode.UNREAD_LINE, "A card without a name.", self.line, f'<card qty="{count}">')
            )
