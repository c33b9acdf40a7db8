"""Arguments that several commands share."""

from argparse import ArgumentTypeError


def positions(text: str) -> int:
    """A budget: a whole number of positions, at least one."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a number of positions. Give a whole number, 1 or more.")
    return int(text)
