"""Arguments that several commands share."""

from argparse import ArgumentParser, ArgumentTypeError
from contextlib import suppress
from math import inf

from django.conf import settings


def add_budget(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--budget",
        type=_positions,
        default=settings.ADJUDICATION_BUDGET,
        help="the most positions to explore (default: %(default)s)",
    )


def _positions(text: str) -> int:
    """A budget: a whole number of positions, at least one."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a number of positions. Give a whole number, 1 or more.")
    return int(text)


def seconds(text: str) -> float:
    """A budget of time: a number of seconds, more than none."""
    with suppress(ValueError):
        if 0 < (found := float(text)) < inf:
            return found
    raise ArgumentTypeError(f"{text!r} is not a number of seconds. Give a number above 0.")
