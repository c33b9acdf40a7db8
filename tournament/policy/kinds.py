"""The values that only policy files have: cuts, points, tie-breakers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction

from django.utils.translation import gettext_lazy as _

from config.nodes import Node
from config.schema import OF_TYPE, Kind, Word, record_of
from tournament.swiss import BYE, TIE_BREAKS, Outcome, TieBreak

CODES = (*(str(outcome) for outcome in Outcome), BYE)
CODE_WORDS = {
    "win": _("Win"),
    "timed-win": _("Win on time"),
    "draw": _("Draw"),
    "timed-loss": _("Loss on time"),
    "loss": _("Loss"),
    "double-loss": _("Both lose"),
    "bye": _("Bye"),
}
MOST_POINTS = 100


@dataclass(frozen=True, slots=True)
class CutRule:
    """Who plays on. places: the first so many (0 and no `losses`: nobody); ties: and all level with the last;
    losses: instead, everybody with at most so many lost matches; points: instead, everybody with at least so many."""

    places: int = 0
    ties: bool = False
    losses: int | None = None
    points: int | None = None

    @property
    def any(self) -> bool:
        """Whether there is a cut at all."""
        return bool(self.places) or self.losses is not None or self.points is not None

    @property
    def document(self) -> dict[str, int | bool]:
        """Its plain form, as `read_cut` reads it."""
        if self.losses is not None:
            return {"losses": self.losses}
        return {"places": self.places, "ties": self.ties}


def _key(node: Node) -> str:
    """Looser than `Node.slug`: policies written before may be called so."""
    if not re.fullmatch(r"[a-z0-9-]{1,40}", node.filled()):
        raise node.wrong("must be a short word of lowercase letters, digits and dashes")
    return node.filled()


def read_cut(node: Node) -> CutRule:
    """A number, `{places: 8, ties: true}` or `{losses: 2}`. Raises UserError."""
    if not isinstance(node.value, dict):
        return CutRule(node.number(0, 128))
    if "losses" in node:
        node.only("losses")
        return CutRule(losses=node["losses"].number(0, 30))
    node.only("places", "ties")
    return CutRule(node["places"].number(0, 128), node.optional("ties", False).boolean())


def _players(node: Node) -> int | None:
    return None if node.value == "more" else node.number(2, 100_000)


def _points(node: Node) -> dict[str, int]:
    """Points per code; a code without them cannot happen. A timed loss may score below a loss."""
    node.only(*CODES)
    for code in ("win", "loss", "double-loss", BYE):
        node[code]
    if ("timed-win" in node) != ("timed-loss" in node):
        raise node.wrong("must have both timed-win and timed-loss, or neither")
    return {code: points.number(0, MOST_POINTS) for code, points in node.items()}


def _games(node: Node) -> dict[str, tuple[int, int, int]]:
    node.only(*CODES)
    found = {}
    for code, games in node.items():
        counts = [one.number(0, 20) for one in games.elements()]
        if len(counts) != 3:
            raise games.wrong("must be three numbers: won, lost, drawn")
        found[code] = (counts[0], counts[1], counts[2])
    return found


def _game_points(node: Node) -> tuple[int, int]:
    node.only("win", "draw")
    return node["win"].number(1, MOST_POINTS), node["draw"].number(0, MOST_POINTS)


def options(kind: type[TieBreak]) -> Mapping[str, Word[Fraction | bool]]:
    """What a policy can set about a tie-breaker: the class's fields, by name."""
    return {one.name: Word(OF_TYPE[one.type]) for one in fields(kind)}  # type: ignore[arg-type,index]


def _tie_break(node: Node) -> TieBreak:
    if not isinstance(node.value, dict) or node.value.get("key") not in TIE_BREAKS:
        raise node.wrong(
            "must name a known tie-breaker as its key", f"Known tie-breakers: {', '.join(TIE_BREAKS)}."
        )
    kind = TIE_BREAKS[node.value["key"]]
    return record_of(lambda key, **given: kind(**given), {"key": Word(KEY), **options(kind)}).read(node)


KEY = Kind(read=_key, says="a short word of lowercase letters, digits and dashes")
CUT = Kind(read=read_cut, says="a number, `{places: 8, ties: true}` or `{losses: 2}`")
PLAYERS = Kind(read=_players, says="a whole number, or `more` in the last row")
POINTS = Kind(read=_points, says="a number for each result")
GAMES = Kind(read=_games, says="`[won, lost, drawn]` for each result")
GAME_POINTS = Kind(read=_game_points, says="`{win: 3, draw: 1}`")
TIE_BREAK = Kind(read=_tie_break, says="`{key: ...}` with its options")
