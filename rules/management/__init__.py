"""Arguments that several commands share."""

from argparse import ArgumentParser, ArgumentTypeError

from django.conf import settings


def add_budget(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--budget",
        type=_positions,
        default=settings.ADJUDICATION_BUDGET,
        help="the most positions to explore",
    )


def _positions(text: str) -> int:
    """A budget: a whole number of positions, at least one."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a number of positions. Give a whole number, 1 or more.")
    return int(text)
