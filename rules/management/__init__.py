"""Arguments that several commands share."""

from argparse import ArgumentTypeError


def positions(text: str) -> int:
    """A budget: a whole number of positions, at least one."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number of positions, 1 or more")
    return int(text)
