"""OCTGN's deck file: XML with sections of `<card qty="3" id="...">Name</card>`."""

from collections.abc import Callable
from typing import Any
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler

from defusedxml import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from decks.lists.counting import checked_count, split_name
from decks.lists.model import DeckList, Limits, ListEntry, ListError, Note, NoteCode

KIND = "o8d"


def recognises(source: str, filename: str) -> bool:
    start = source[:4_000].lstrip()
    return start.startswith("<") and ("<deck" in start or filename.lower().endswith(".o8d"))


def read(source: str, limits: Limits) -> DeckList:
    """Read an .o8d file. Raises ListError: bad-xml (with the line), not-a-deck, too-many-lines, bad-count."""
    parser = DefusedExpatParser(forbid_dtd=True)
    handler = _Handler(limits, parser.getLineNumber)
    parser.setContentHandler(handler)
    try:
        parser.feed(source)
        parser.close()
    except SAXParseException as error:
        raise ListError(
            "bad-xml",
            f"The file is not whole XML: {error.getMessage()}.",
            line=error.getLineNumber(),
            remedy="Export the deck again.",
        ) from error
    except DefusedXmlException as error:
        raise ListError(
            "bad-xml",
            "The file declares a document type or entities; deck files have none.",
            remedy="Remove them.",
        ) from error
    return DeckList(tuple(handler.entries), tuple(handler.notes), KIND)


class _Handler(ContentHandler):
    """Collects cards as their elements close, so that a file of any size is read in one pass."""

    def __init__(self, limits: Limits, current_line: Callable[[], int]) -> None:
        super().__init__()
        self.limits = limits
        self.current_line = current_line
        self.entries: list[ListEntry] = []
        self.notes: list[Note] = []
        self.section = ""
        self.open: list[str] = []
        self.quantity = ""
        self.line = 1
        self.text: list[str] = []

    def startElement(self, name: str, attrs: Any) -> None:
        self.line = self.current_line()
        if not self.open and name != "deck":
            raise ListError("not-a-deck", f"The file holds a <{name[:40]}>, not a <deck>.", line=self.line)
        if len(self.open) >= 8:
            raise ListError("bad-xml", "The file is nested too deeply for a deck.", line=self.line)
        self.open.append(name)
        self.text = []
        if name == "section":
            self.section = " ".join(str(attrs.get("name", "")).split())[: self.limits.name_length]
        elif name == "card":
            if len(self.entries) >= self.limits.lines:
                raise ListError(
                    "too-many-lines", f"The file has more than {self.limits.lines:,} cards.", line=self.line
                )
            self.quantity = str(attrs.get("qty", "1")).strip()

    def characters(self, content: str) -> None:
        if self.open[-1] in ("card", "notes"):
            self.text.append(content)

    def endElement(self, name: str) -> None:
        self.open.pop()
        if name == "card":
            self._card(" ".join("".join(self.text).split()))
        elif name == "notes" and (remark := "".join(self.text).strip()):
            self.notes.append(Note(NoteCode.COMMENT, "The deck's notes.", self.line, remark[:2_000]))
        self.text = []

    def _card(self, written: str) -> None:
        if len(written) > 2 * self.limits.name_length:
            raise ListError("line-too-long", "A card's name is too long.", line=self.line)
        count = checked_count(self.quantity, self.limits, self.line)
        name, hint = split_name(written, self.limits, self.line)
        if name:
            self.entries.append(ListEntry(count, name, hint, self.section, self.line))
        else:
            self.notes.append(
                Note(NoteCode.UNREAD_LINE, "A card without a name.", self.line, f'<card qty="{count}">')
            )
