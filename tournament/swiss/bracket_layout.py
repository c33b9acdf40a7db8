"""Where a bracket's games go on paper: a column per wave, winners above, losers below."""

from collections.abc import Mapping
from dataclasses import dataclass

from tournament.swiss.brackets import Bracket, From, Game, Part

WIDTH, HEIGHT = 216, 56  # of a game
COLUMN, ROW = 244, 72  # from one to the next; five columns fit a wide page
MARGIN = 8


@dataclass(frozen=True, slots=True)
class Layout:
    """`boxes`: a game's number -> its upper left corner; `lines`: paths from games to where their winners go on."""

    width: int
    height: int
    boxes: Mapping[int, tuple[int, int]]
    lines: tuple[str, ...]


def layout(bracket: Bracket) -> Layout:
    """Every game in its place, in whole units (pixels at 100 %)."""
    first = min(game.round for game in bracket.games if game.part is Part.WINNERS)
    centers = {game.number: _height(bracket, game, first) for game in bracket.games}
    boxes = {
        game.number: (
            MARGIN + (game.wave - 1) * COLUMN,
            MARGIN + round(centers[game.number] * ROW) - HEIGHT // 2,
        )
        for game in bracket.games
    }
    lines = tuple(
        _line(boxes[source.number], boxes[game.number], side)
        for game in bracket.games
        for side, source in enumerate((game.one, game.two))
        if source.kind is From.WINNER
    )
    width = max(x for x, _ in boxes.values()) + WIDTH + MARGIN
    height = max(y for _, y in boxes.values()) + HEIGHT + MARGIN
    return Layout(width, height, boxes, lines)


def _height(bracket: Bracket, game: Game, first: int) -> float:
    """The middle of a game in rows from the top; each of the winners' games stands between those it comes from."""
    rows = bracket.places >> first
    if game.part is Part.WINNERS:
        return (game.row + 0.5) * (1 << (game.round - first))
    if game.part is Part.LOSERS:
        step = (game.round - 1) // 2
        return rows + 0.5 + (game.row + 0.5) * (1 << step)
    if game.part is Part.THIRD:
        return rows + 0.5
    return rows / 2


def _line(start: tuple[int, int], end: tuple[int, int], side: int) -> str:
    x1, y1 = start[0] + WIDTH, start[1] + HEIGHT // 2
    x2, y2 = end[0], end[1] + HEIGHT // 4 + side * HEIGHT // 2
    middle = x2 - (COLUMN - WIDTH) // 2
    return f"M{x1} {y1}H{middle}V{y2}H{x2}"
