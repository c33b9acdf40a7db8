"""Plain text: `3x Name`, `3 Name (Set 12)`, `Name x3`, several on one line, headings, totals, remarks.

Every line ends up as an entry or as a note with its number; no line is dropped.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from decks.lists.counting import checked_count, split_name
from decks.lists.model import DeckList, Limits, ListEntry, ListError, Note, NoteCode

KIND = "text"
HEADING_MAX = 200


def recognises(source: str, filename: str) -> bool:
    """Plain text is what nothing else is."""
    return True


def read(source: str, limits: Limits) -> DeckList:
    """Read a plain-text list. Raises ListError: too-many-lines, line-too-long, bad-count, not-a-deck."""
    if source.lstrip()[:1] in ("{", "<") or source.lstrip()[:2] == "[{":
        raise ListError(
            "not-a-deck",
            "This is data of a kind we do not read as a decklist.",
            line=1,
            remedy="Send plain text (one card per line) or an .o8d file.",
        )
    lines = _classified(source, limits)
    return _Assembly(lines).deck_list()


def dump(deck: DeckList) -> str:
    """The list as plain text that `read` reads back to the same name and entries."""
    out = [f"Deck: {deck.name}", ""] if deck.name else []
    section = ""
    for entry in deck.entries:
        if entry.section != section:
            out += ["", f"{entry.section}:"] if out else [f"{entry.section}:"]
            section = entry.section
        out.append(f"{entry.count}x {entry.name}" + (f" ({entry.hint})" if entry.hint else ""))
    return "\n".join(out) + "\n"


# --- one line at a time ------------------------------------------------------------------------------

_BULLET = re.compile(r"^[-–—•*·+] (?=\S)")
_PREFIX = re.compile(r"^([+-]?\d+)(?: ?[xX×] | ?× ?|[xX])(?=\S)(.+)$")
_PREFIX_REVERSED = re.compile(r"^[xX×] ?([+-]?\d+) (.+)$")
_SUFFIX = re.compile(r"^(.*\S)(?: [xX×] ?([+-]?\d+)| ?\([xX×] ?([+-]?\d+)\))((?: ?\([^()]*\))?)$")
_BARE = re.compile(r"^(?:([+-]?\d+)|\(([+-]?\d+)\)) (\S.*)$")
_AFTER_TAB = re.compile(r"^([^\t]*[^\W\d][^\t]*)\t+([+-]?\d+)$")

_NEXT_COUNT = re.compile(r" ?[,;] ?(?=[+-]?\d+(?: ?[xX×] |[xX×]| )\S)")
_NEXT_SUFFIX = re.compile(r"(?:(?<=[xX×]\d)|(?<=[xX×]\d\d)) ?[,;] ?(?=\S)")

_TOTAL = re.compile(r"^(?:total(?: cards?)?|cards?(?: total)?|deck size) ?:? ?\(?(\d+)\)?(?: cards?)?$", re.I)
_CARDS = re.compile(r"^(\d+) (?:cards?(?: total)?|total cards?)$", re.I)
_NAMED = re.compile(r"^(?:deck ?name|deck|name) ?: ?(?=\S)(.+)$", re.I)
_HEADING_END = re.compile(r" ?(?:: \(?(\d+)\)?|:? ?\((\d+)(?: cards?)?\)|:)$", re.I)
_DECORATED = re.compile(r"^(?:=+ ?(.+?) ?=+|\[ ?([^\[\]]+?) ?\]|\*\*(.+?)\*\*)$")
_META = re.compile(r"^;; ?(identity|investigator|stronghold|agenda) ?: ?(\S.*)$", re.I)  # "jinteki" style
_REMARK = re.compile(r"^(?:#|//|--|;|!|>)|^deck created with|https?://", re.I)


# Words that are headings wherever they stand alone.
_PARTS = {
    "deck",
    "main deck",
    "mainboard",
    "main",
    "sideboard",
    "side deck",
    "story deck",
    "dynasty",
    "fate",
    "stronghold",
}


@dataclass(slots=True)
class _Line:
    number: int
    text: str  # white space collapsed
    after_blank: bool
    entries: list[ListEntry] = field(default_factory=list)


def _classified(source: str, limits: Limits) -> list[_Line]:
    """The lines that hold something, counted ones already read."""
    raw = re.split(r"\r\n|\r|\n|\u2028", source)
    _refuse_too_many(len(raw) - 1, "lines", limits)
    lines = []
    cards = 0
    after_blank = True
    for number, written in enumerate(raw, start=1):
        if len(written) > limits.line_length:
            raise ListError(
                "line-too-long",
                f"The line is longer than {limits.line_length:,} characters.",
                line=number,
                remedy="Put one card per line.",
            )
        text = " ".join(written.split())
        if text:
            found = _AFTER_TAB.match(written.strip()) if "\t" in written else None
            entries = (
                [_entry(found[2], found[1], limits, number)]
                if found
                else list(_counted(text, limits, number))
            )
            lines.append(_Line(number, text, after_blank, entries))
            cards += len(entries)
            _refuse_too_many(cards, "cards", limits)
        after_blank = not text
    return lines


def _refuse_too_many(count: int, what: str, limits: Limits) -> None:
    if count > limits.lines:
        raise ListError(
            "too-many-lines",
            f"The list has more than {limits.lines:,} {what}.",
            remedy="Send one deck only.",
        )


def _counted(text: str, limits: Limits, line: int) -> Iterator[ListEntry]:
    """The counted cards on one line; nothing when the line holds no count."""
    if text[0].isdecimal() and "," not in text and ";" not in text and (found := _PREFIX.match(text)):
        yield _entry(found[1], found[2], limits, line)  # what most lines are
        return
    text = _BULLET.sub("", text)
    if _REMARK.match(text) or _TOTAL.match(text) or _CARDS.match(text):
        return
    if _PREFIX.match(text) or (_BARE.match(text) and not _NEXT_SUFFIX.search(text)):
        parts = _NEXT_COUNT.split(text)
    else:
        parts = _NEXT_SUFFIX.split(text)
    for part in parts:
        if len(part) > 2 * limits.name_length:
            raise ListError(
                "line-too-long", "One entry is too long.", line=line, remedy="Put one card per line."
            )
        if pair := _count_and_name(part.strip(" ,;")):
            yield _entry(*pair, limits, line)


def _count_and_name(part: str) -> tuple[str, str] | None:
    """A count with an x wins over a bare number, so that “7 Thomas Street x2” is two copies."""
    if found := _PREFIX.match(part) or _PREFIX_REVERSED.match(part):
        return found[1], found[2]
    if found := _SUFFIX.match(part):
        return found[2] or found[3], found[1] + found[4]
    if found := _BARE.match(part):
        return found[1] or found[2], found[3]
    return None


def _entry(digits: str, written: str, limits: Limits, line: int) -> ListEntry:
    count = checked_count(digits, limits, line)
    name, hint = split_name(written, limits, line)
    return ListEntry(count, name, hint, line=line)


# --- the lines together ------------------------------------------------------------------------------


class _Assembly:
    """Walks the lines once, keeping the section and the declared totals."""

    def __init__(self, lines: list[_Line]) -> None:
        self.lines = lines
        self.entries: list[ListEntry] = []
        self.notes: list[Note] = []
        self.name = ""
        self.section = ""
        self.declared: list[tuple[int, int, int]] = []  # (line, total, entries before it)
        self.total: tuple[int, int] | None = None

    def deck_list(self) -> DeckList:
        if any(line.entries for line in self.lines):
            for position, line in enumerate(self.lines):
                self._take(line, next_is_counted=self._is_counted(position + 1))
            self._check_totals()
        else:
            self._take_all_as_single_copies()
        return DeckList(
            tuple(self.entries), tuple(sorted(self.notes, key=lambda n: n.line or 0)), KIND, self.name
        )

    def _is_counted(self, position: int) -> bool:
        return position < len(self.lines) and bool(self.lines[position].entries)

    def _take(self, line: _Line, *, next_is_counted: bool) -> None:
        if line.entries:
            self.entries += [entry._replace(section=self.section) for entry in line.entries]
        elif found := _META.match(line.text):
            self.entries.append(
                ListEntry(1, *split_name(found[2], Limits(), line.number), found[1].strip(), line.number)
            )
        elif _REMARK.search(line.text) or not re.search(r"\w", line.text):
            self._note(NoteCode.COMMENT, line, "A remark.")
        elif found := _TOTAL.match(line.text) or _CARDS.match(line.text):
            self.total = (line.number, int(found[1]) if len(found[1]) < 10 else 0)
        elif not self.name and not self.entries and (found := _NAMED.match(line.text)):
            self.name = found[1]
        elif heading := self._heading(line):
            self._open(line, *heading)
        else:
            self._take_uncounted(line, next_is_counted)

    def _heading(self, line: _Line) -> tuple[str, int | None] | None:
        """(section, declared total) when the line cannot be anything but a heading."""
        text = line.text
        if len(text) > HEADING_MAX:
            return None
        if found := _DECORATED.match(text):
            text = next(group for group in found.groups() if group) + ":"
        found = _HEADING_END.search(text)
        section = text[: found.start()] if found else ""
        if found is None or not re.search(r"[^\W\d]", section):
            return None
        digits = found[1] or found[2]
        return section, int(digits) if digits and len(digits) < 10 else None

    def _open(self, line: _Line, section: str, total: int | None) -> None:
        self.section = section
        if total is not None:
            self.declared.append((line.number, total, len(self.entries)))
        self._note(NoteCode.HEADING, line, f"The heading of “{section}”.")

    def _take_uncounted(self, line: _Line, next_is_counted: bool) -> None:
        """A line without a count: the deck's name, a heading, prose, or a card whose count was forgotten."""
        if line.text.lower() in _PARTS:
            self._open(line, line.text, None)
        elif not self.name and not self.entries and not self.section and line is self.lines[0]:
            self.name = line.text
        elif next_is_counted and (line.after_blank or not self.entries):
            self.section = line.text
            self._note(NoteCode.UNCOUNTED_LINE, line, "Read as a heading.")
        elif len(line.text) > 70 or (line.text.endswith((".", "!", "?")) and line.text.count(" ") > 2):
            self._note(NoteCode.COMMENT, line, "Read as a remark.")
        else:
            self._note(NoteCode.UNREAD_LINE, line, "This line has no count.")

    def _take_all_as_single_copies(self) -> None:
        """No line has a count: a list of names, one copy each."""
        limits = Limits()
        for line in self.lines:
            if _REMARK.search(line.text) or not re.search(r"\w", line.text):
                self._note(NoteCode.COMMENT, line, "A remark.")
            elif heading := self._heading(line):
                self._open(line, *heading)
            else:
                name, hint = split_name(line.text, limits, line.number)
                self.entries.append(ListEntry(1, name, hint, self.section, line.number))
        if self.entries:
            self.notes.append(Note(NoteCode.COMMENT, "No line has a count: every name was read as one copy."))

    def _check_totals(self) -> None:
        for position, (number, total, start) in enumerate(self.declared):
            end = self.declared[position + 1][2] if position + 1 < len(self.declared) else len(self.entries)
            self._compare(number, total, self.entries[start:end])
        if self.total:
            self._compare(*self.total, self.entries)

    def _compare(self, number: int, declared: int, entries: Iterable[ListEntry]) -> None:
        found = sum(entry.count for entry in entries)
        if found != declared:
            self.notes.append(
                Note(NoteCode.WRONG_TOTAL, f"It says {declared} cards; the lines make {found}.", number)
            )

    def _note(self, code: NoteCode, line: _Line, message: str) -> None:
        self.notes.append(Note(code, message, line.number, line.text))
