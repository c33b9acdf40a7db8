"""Decodes bytes to text, or says in plain words why it can't."""

import re

from decks.lists.model import Limits, ListError, Note, NoteCode
from decks.lists.vocabulary import LONGEST, names_a_part

_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_FAMILIAR = (
    (b"PK\x03\x04", "a zip archive or office document"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x1f\x8b", "a gzip archive"),
)
# Everything below the space but tab, line feed, vertical tab, form feed and carriage return; and delete.
_CONTROL = bytes([*range(0, 9), *range(14, 32), 127])

# Marks that nobody sees: of direction (a list out of a mail written from right to left), of a place to break a line.
_INVISIBLE = dict.fromkeys(
    [
        0xAD,
        0x180E,
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2065),
        *range(0x2066, 0x206A),
        0xFEFF,
    ]
)
# What programs for Korean, Japanese, Chinese and Russian write where they don't write Unicode.
_OF_COUNTRIES = {
    "cp949": "Korean",
    "cp932": "Japanese",
    "gb18030": "Chinese",
    "big5": "Chinese",
    "cp1251": "Russian",
}
_AROUND_A_WORD = re.compile(r"[^\w&]+|[\d_]+")


def decode(data: bytes | str, limits: Limits) -> tuple[str, tuple[Note, ...]]:
    """The text, with a note when its encoding had to be guessed.

    Raises ListError: `too-large`, `binary-file`, `bad-encoding`.
    """
    if len(data) > limits.size:
        raise ListError(
            "too-large", f"The decklist is larger than {limits.size:,} bytes.", remedy="Send one deck only."
        )
    notes: tuple[Note, ...] = ()
    if isinstance(data, str):
        text = data
    else:
        text, notes = _from_bytes(data)
    if not text.isascii():
        text = text.translate(_INVISIBLE)
    try:
        encoded = text.encode()
    except UnicodeEncodeError as error:
        raise ListError(
            "bad-encoding",
            "The decklist has half a character (a lone surrogate).",
            line=text.count("\n", 0, error.start) + 1,
            remedy="Save the list as UTF-8 text.",
        ) from error
    if len(encoded.translate(None, _CONTROL)) != len(encoded):
        first = next(position for position, byte in enumerate(encoded) if byte in _CONTROL)
        raise ListError(
            "binary-file",
            "The decklist has control characters, like a program file or a damaged file.",
            line=encoded.count(b"\n", 0, first) + 1,
            remedy="Save the list as plain text and send that.",
        )
    return text, notes


def _from_bytes(data: bytes) -> tuple[str, tuple[Note, ...]]:
    for start, what in _FAMILIAR:
        if data.startswith(start):
            raise ListError(
                "binary-file",
                f"This is {what}, not a decklist.",
                remedy="Send the list as text or as an .o8d file.",
            )
    encoding = next((name for bom, name in _BOMS if data.startswith(bom)), None) or _without_a_mark(data)
    try:
        return data.decode(encoding), ()
    except UnicodeDecodeError as error:
        if encoding != "utf-8":
            raise ListError(
                "bad-encoding", f"The file says it is {encoding} but is not.", remedy="Save it as UTF-8 text."
            ) from error
    if country := _by_its_headings(data):
        note = (
            f"Not UTF-8: read as {_OF_COUNTRIES[country]} text ({country}), in which the headings are words."
        )
        return data.decode(country), (Note(NoteCode.ENCODING, note),)
    # Not UTF-8: Windows programs write code page 1252. Five bytes mean nothing in it.
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError as error:
        raise ListError(
            "bad-encoding",
            "The file is neither UTF-8 nor Windows text.",
            line=data.count(b"\n", 0, error.start) + 1,
            remedy="Save it as UTF-8 text.",
        ) from error
    return text, (Note(NoteCode.ENCODING, "Not UTF-8: read as Windows-1252. Check accented names."),)


def _without_a_mark(data: bytes) -> str:
    """UTF-16 without the mark at its beginning: in most text every second byte is nothing."""
    start = data[:4_000]
    if len(start) < 8 or not start.count(0):
        return "utf-8"
    odd, even = start[1::2].count(0), start[::2].count(0)
    if 3 * max(odd, even) > len(start) // 2 and 20 * min(odd, even) < max(odd, even):
        return "utf-16-le" if odd > even else "utf-16-be"
    return "utf-8"


def _by_its_headings(data: bytes) -> str:
    """The encoding in which most lines are words that we know as headings; empty if Windows' own knows as many."""
    best, most = "", _headings_in(data, "cp1252")
    for encoding in _OF_COUNTRIES:
        if (found := _headings_in(data, encoding)) > most:
            best, most = encoding, found
    return best


def _headings_in(data: bytes, encoding: str) -> int:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return 0
    lines = (line for line in text.splitlines() if not line.isascii() and len(line) <= 2 * LONGEST)
    return sum(1 for line in lines if names_a_part(_AROUND_A_WORD.sub(" ", line).strip()))


_GARBLED = re.compile("Ã[^\\sA-Za-z]|â€")


def ungarbled(text: str) -> str | None:
    """The text when it was UTF-8 read as Windows-1252 somewhere on its way (“DoppelgÃ¤nger”); None when it was not."""
    if not _GARBLED.search(text):
        return None
    lines = text.split("\n")
    out = []
    for line in lines:
        try:
            out.append(line.encode("cp1252").decode("utf-8") if not line.isascii() else line)
        except UnicodeError:
            out.append(line)
    return "\n".join(out) if out != lines else None
