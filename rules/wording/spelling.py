"""The nearest known words to one that is none: offered, never taken."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str]) -> tuple[str, ...]:
    return tuple(get_close_matches(word, sorted(known), n=3, cutoff=0.75)) if len(word) > 2 else ()
