"""OCTGN's deck file: XML with sections of `<card qty="3" id="...">Name</card>`."""

from collections.abc import Mapping
from typing import Any
from xml.sax import SAXParseException

from defusedxml import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from decks.lists.counting import checked_count, split_name
from decks.lists.model import DeckList, Limits, ListEntry, ListError, Note, NoteCode

KIND = "o8d"
MAX_DEPTH = 8


def recognises(source: str, filename: str) -> bool:
    start = source[:4_000].lstrip()
    return start.startswith("<") and ("<deck" in start or filename.lower().endswith(".o8d"))


def read(source: str, limits: Limits) -> DeckList:
    """Read an .o8d file. Raises ListError: bad-xml (with the line), not-a-deck, too-many-lines, bad-count."""
    parser = _Parser(limits)
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
    return DeckList(tuple(parser.entries), tuple(parser.notes), KIND)


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
        self.line = 1
        self.text: list[str] = []

    def reset(self) -> None:
        super().reset()
        self._parser: Any
        self._parser.CharacterDataHandler = self.characters

    def start_element(self, name: str, attrs: Mapping[str, str]) -> None:
        self.line = self._parser.CurrentLineNumber
        if not self.open and name != "deck":
            raise ListError("not-a-deck", f"The file holds a <{name[:40]}>, not a <deck>.", line=self.line)
        if len(self.open) >= MAX_DEPTH:
            raise ListError("bad-xml", "The file is nested too deeply for a deck.", line=self.line)
        self.open.append(name)
        self.text = []
        if name == "card":
            if len(self.entries) >= self.limits.lines:
                raise ListError(
                    "too-many-lines", f"The file has more than {self.limits.lines:,} cards.", line=self.line
                )
            self.quantity = attrs.get("qty", "1").strip()
        elif name == "section":
            self.section = " ".join(attrs.get("name", "").split())[: self.limits.name_length]

    def characters(self, data: str) -> None:
        if self.open[-1] in ("card", "notes"):
            self.text.append(data)

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
        count = checked_count(self.quantity, self.limits, self.line)
        name, hint = split_name(written, self.limits, self.line)
        if name:
            self.entries.append(ListEntry(count, name, hint, self.section, self.line))
        else:
            self.notes.append(
                Note(NoteCode.UNREAD_LINE, "A card without a name.", self.line, f'<card qty="{count}">')
            )
