"""Folding: spellings that a reader would take for the same name get the same key."""

import re
import unicodedata
from functools import lru_cache

_APOSTROPHES = re.compile("['’‘‛`´′ʼ＇]")
_NOT_A_WORD = re.compile(r"[\W_]+")
# Letters that Unicode does not decompose, though people type them so.
_SPELLED_OUT = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i"}
)


def fold(name: str) -> str:
    """The name's key: lower case, no accents, no apostrophes, every other mark one space.

    >>> fold("The R'lyeh  Conspiracy"), fold("Doppelgänger"), fold(".45 Pistols")
    ('the rlyeh conspiracy', 'doppelganger', '45 pistols')

    Folding twice changes nothing. A name of marks alone folds to itself without spaces, so it is never empty
    unless the name is.
    """
    return _fold(name) if len(name) <= 200 else _fold.__wrapped__(name)


def shorthand(name: str) -> str:
    """The key of a word said for several cards: hyphen, space or neither are one (“Mono-Green”)."""
    return fold(name).replace(" ", "")


@lru_cache(maxsize=50_000)
def _fold(name: str) -> str:
    if name.isascii():
        plain = name.lower()
    else:
        decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
        plain = "".join(c for c in decomposed if unicodedata.category(c) not in ("Mn", "Cf", "Me"))
        plain = plain.translate(_SPELLED_OUT)
    words = _NOT_A_WORD.sub(" ", _APOSTROPHES.sub("", plain)).strip()
    return words or "".join(plain.split()) or "".join(name.split())
