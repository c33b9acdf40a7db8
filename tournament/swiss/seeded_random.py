"""Repeatable randomness: numbers and orders that follow from a stored seed alone.

Hashes instead of a generator's stream: a player's number depends on the seed, a label and the player, never
on how many other numbers were drawn before, on the interpreter's version or on its hash seed.
"""

from collections.abc import Iterable
from hashlib import blake2b


def number(seed: int, *labels: str | int, bits: int = 64) -> int:
    """A number in [0, 2**bits), `bits` at most 64, the same for the same seed and labels for ever."""
    text = ":".join(str(part) for part in (seed, *labels)).encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> (64 - bits)


def order(seed: int, label: str, items: Iterable[int]) -> dict[int, int]:
    """Each item's place (0, 1, ...) in a shuffle of `items`."""
    shuffled = sorted(items, key=lambda item: (number(seed, label, item), item))
    return {item: place for place, item in enumerate(shuffled)}
