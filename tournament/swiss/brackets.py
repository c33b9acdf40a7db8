"""Elimination brackets: who plays whom, from seeds and results. Exact for any number of players.

A bracket is a list of games, each side of which is a seed, the winner or the loser of another game. It is built for
the next power of two; places that stay empty are byes, which fall to the best seeds, and games with an empty side
vanish. So play-ins are nothing but a first round in which the best do not yet play.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

MOST = 128  # entrants


class Part(StrEnum):
    WINNERS = "winners"  # in single elimination the whole bracket
    LOSERS = "losers"
    THIRD = "third"
    FINAL = "final"  # between the winners of both halves
    RESET = "reset"  # once more, when who came undefeated has lost the final


class From(StrEnum):
    SEED = "seed"
    WINNER = "winner"
    LOSER = "loser"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a side comes from: a seed, or a game's winner or loser, by number."""

    kind: From
    number: int


@dataclass(frozen=True, slots=True)
class Game:
    """number: 1, 2, ... in order of play; round: within its part, as if nobody had a bye; wave: all games of a wave
    can be played at once, after those of the waves before; row: its height in its round, from 0."""

    number: int
    part: Part
    round: int
    row: int
    wave: int
    one: Source
    two: Source


@dataclass(frozen=True, slots=True)
class Bracket:
    """`games` in order of play. `places` is the power of two it was built for; `entrants` have seeds 1, 2, ..."""

    entrants: int
    places: int
    double: bool
    games: tuple[Game, ...]

    def game(self, number: int) -> Game:
        return self.games[number - 1]

    @property
    def waves(self) -> int:
        return self.games[-1].wave

    def wave(self, number: int) -> tuple[Game, ...]:
        return tuple(game for game in self.games if game.wave == number)

    def byes(self) -> tuple[int, ...]:
        """Seeds that do not play in the first round."""
        playing = {
            side.number
            for game in self.games
            if game.part is Part.WINNERS and game.round == 1
            for side in (game.one, game.two)
        }
        return tuple(seed for seed in range(1, self.entrants + 1) if seed not in playing)


def single_elimination(entrants: int, *, third_place: bool = False) -> Bracket:
    """One loss and you are out. Seeds 1 and 2 meet in the final if anywhere. Raises ValueError below 2."""
    drawing = _Drawing(entrants)
    rounds = drawing.winners()
    if third_place and len(rounds) > 1:
        drawing.add(Part.THIRD, 1, 0, ("L", *rounds[-2][0]), ("L", *rounds[-2][1]))
    return drawing.bracket(double=False)


def double_elimination(entrants: int) -> Bracket:
    """Two losses and you are out. Who comes undefeated to the final must be beaten twice (`Part.RESET`).

    Losers cross over so that nobody meets the player they lost to, or beat, again sooner than the structure forces.
    Raises ValueError below 2.
    """
    drawing = _Drawing(entrants)
    rounds = drawing.winners()
    last = drawing.losers(rounds)
    top = rounds[-1][0]
    second: _Side = ("W", *last) if last else ("L", *top)
    final = drawing.add(Part.FINAL, 1, 0, ("W", *top), second)
    drawing.add(Part.RESET, 1, 0, ("W", *final), ("L", *final))
    return drawing.bracket(double=True)


def seeding(places: int) -> list[int]:
    """Seeds in the order of the first round's sides: 1 against the last, and the best two in different halves."""
    order = [1]
    while len(order) < places:
        order = [seed for one in order for seed in (one, 2 * len(order) + 1 - one)]
    return order


# --- building: games under names of their own, (part, round, row); empty places pruned at the end -----------------

_Name = tuple[Part, int, int]
_Side = tuple[str, int] | tuple[str, Part, int, int]  # ("S", seed), ("W", *name), ("L", *name)


class _Drawing:
    def __init__(self, entrants: int) -> None:
        if not 2 <= entrants <= MOST:
            raise ValueError(f"a bracket has 2 to {MOST} entrants")
        self.entrants = entrants
        self.depth = (entrants - 1).bit_length()
        self.sides: dict[_Name, tuple[_Side, _Side]] = {}

    def add(self, part: Part, round: int, row: int, one: _Side, two: _Side) -> _Name:
        self.sides[part, round, row] = one, two
        return part, round, row

    def winners(self) -> list[list[_Name]]:
        order = seeding(1 << self.depth)
        sides: list[_Side] = [("S", seed) for seed in order]
        rounds = []
        for round in range(1, self.depth + 1):
            names = [
                self.add(Part.WINNERS, round, row, sides[2 * row], sides[2 * row + 1])
                for row in range(len(sides) // 2)
            ]
            rounds.append(names)
            sides = [("W", *name) for name in names]
        return rounds

    def losers(self, rounds: list[list[_Name]]) -> _Name | None:
        """The losers' half: its last game, or None for two entrants, where the loser is a finalist at once."""
        if self.depth == 1:
            return None
        round = 1
        alive = [
            self.add(Part.LOSERS, round, row, ("L", *rounds[0][2 * row]), ("L", *rounds[0][2 * row + 1]))
            for row in range(len(rounds[0]) // 2)
        ]
        for level, crossing in zip(range(2, self.depth + 1), crossings(self.depth), strict=True):
            round += 1
            falling = rounds[level - 1]
            alive = [
                self.add(Part.LOSERS, round, row, ("W", *alive[row]), ("L", *falling[row ^ crossing]))
                for row in range(len(alive))
            ]
            if len(alive) > 1:
                round += 1
                alive = [
                    self.add(Part.LOSERS, round, row, ("W", *alive[2 * row]), ("W", *alive[2 * row + 1]))
                    for row in range(len(alive) // 2)
                ]
        return alive[0]

    def bracket(self, *, double: bool) -> Bracket:
        """Games with an empty side vanish: who would have played there goes on, and nobody loses there."""
        known: dict[_Side, _Side | None] = {}
        kept: dict[_Name, tuple[_Side, _Side]] = {}
        for name, (one, two) in self.sides.items():  # every game stands after the games it waits for
            first, second = self._resolved(one, known), self._resolved(two, known)
            if first is not None and second is not None:
                kept[name] = first, second
                known["W", *name], known["L", *name] = ("W", *name), ("L", *name)
            else:
                known["W", *name], known["L", *name] = first or second, None
        return Bracket(self.entrants, 1 << self.depth, double, _numbered(kept, _waves(self.sides, kept)))

    def _resolved(self, side: _Side, known: Mapping[_Side, _Side | None]) -> _Side | None:
        if side[0] == "S":
            return side if int(side[1]) <= self.entrants else None
        return known[side]


def crossings(depth: int) -> list[int]:
    """For each round of the winners' half from the second on, what the rows of its losers are crossed with (XOR).

    Two games of the winners' half, one feeding the other, drop a pair that has met; crossed with a and b they come
    together again in the losers' half as late as the highest bit in which the crossings differ. Each crossing in
    turn is the one that leaves the fewest such meetings soonest.
    """
    chosen = {1: 0}
    for level in range(2, depth + 1):
        bits = depth - level  # of a row
        chosen[level] = min(range(1 << bits), key=lambda mask: (_meetings(chosen, level, bits, mask), mask))
    return [chosen[level] for level in range(2, depth + 1)]


def _meetings(chosen: Mapping[int, int], level: int, bits: int, mask: int) -> list[int]:
    """How many pairs of games come together again at once, one round of the winners' half later, and so on."""
    count = [0] * (bits + 1)
    for earlier, other in chosen.items():
        count[((other >> (level - earlier)) ^ mask).bit_length()] += 1 << (level - earlier)
    return count


_ORDER = (Part.WINNERS, Part.LOSERS, Part.THIRD, Part.FINAL, Part.RESET)


def _waves(sides: Mapping[_Name, tuple[_Side, _Side]], kept: Iterable[_Name]) -> dict[_Name, int]:
    """When each game is played: as in a full bracket, so that who has a bye waits; waves without a game left out."""
    full: dict[_Name, int] = {}
    for name, both in sides.items():
        full[name] = 1 + max((full[side[1:]] for side in both if len(side) == 4), default=0)
    dense = {wave: index for index, wave in enumerate(sorted({full[name] for name in kept}), start=1)}
    return {name: dense[full[name]] for name in kept}


def _numbered(kept: Mapping[_Name, tuple[_Side, _Side]], waves: Mapping[_Name, int]) -> tuple[Game, ...]:
    ranked = sorted(kept, key=lambda name: (waves[name], _ORDER.index(name[0]), name[1], name[2]))
    numbers = {name: number for number, name in enumerate(ranked, start=1)}

    def source(side: _Side) -> Source:
        if len(side) == 2:
            return Source(From.SEED, side[1])
        return Source(From.WINNER if side[0] == "W" else From.LOSER, numbers[side[1:]])

    return tuple(
        Game(numbers[name], name[0], name[1], name[2], waves[name], *map(source, kept[name]))
        for name in ranked
    )


# --- playing --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Standing:
    """A game as it stands: the seeds on its sides, None while unknown; the winner's seed. `needed` is False for the
    second final when the first has settled it."""

    game: Game
    one: int | None
    two: int | None
    winner: int | None
    needed: bool = True

    @property
    def ready(self) -> bool:
        return self.needed and self.winner is None and self.one is not None and self.two is not None

    @property
    def loser(self) -> int | None:
        if self.winner is None:
            return None
        return self.two if self.winner == self.one else self.one


def state(bracket: Bracket, won: Mapping[int, int]) -> tuple[Standing, ...]:
    """Every game as it stands; `won`: game -> 1 or 2, the side that won. Results of games not reached are ignored."""
    found: list[Standing] = []

    def seed(source: Source) -> int | None:
        if source.kind is From.SEED:
            return source.number
        before = found[source.number - 1]
        return before.winner if source.kind is From.WINNER else before.loser

    for game in bracket.games:
        one, two = seed(game.one), seed(game.two)
        needed = True
        if game.part is Part.RESET:
            final = found[game.one.number - 1]
            needed = final.winner is None or final.winner == final.two
        side = won.get(game.number)
        known = needed and one is not None and two is not None and side is not None
        found.append(Standing(game, one, two, (one if side == 1 else two) if known else None, needed))
    return tuple(found)


def champion(standing: Sequence[Standing]) -> int | None:
    """The winner of the whole bracket; None while it is open."""
    decisive = [one for one in standing if one.needed and one.game.part is not Part.THIRD]
    return decisive[-1].winner


def over(standing: Sequence[Standing]) -> bool:
    """Whether every game that is needed has been played."""
    return all(one.winner is not None for one in standing if one.needed)


def places(bracket: Bracket, standing: Sequence[Standing]) -> list[tuple[int, int]]:
    """(place, seed) of everybody, best first; who went out in the same round shares a place, in order of seed.

    Who is still in shares the best place open.
    """
    out: dict[int, tuple[int, int]] = {}  # seed -> how late it went out, the later the larger
    third: dict[int, int] = {}
    losses: dict[int, int] = {}
    for one in standing:
        loser = one.loser
        if loser is None:
            continue
        if one.game.part is Part.THIRD:
            third = {one.winner or 0: 0, loser: 1}
            continue
        losses[loser] = losses.get(loser, 0) + 1
        if not bracket.double or losses[loser] == 2 or one.game.part is Part.RESET:
            out[loser] = (_ORDER.index(one.game.part), one.game.round)
    first = champion(standing)
    if bracket.double and first is not None and len(out) < bracket.entrants - 1:
        raise AssertionError("the bracket is over and somebody has neither won nor lost twice")
    last = (len(_ORDER), 0)
    keyed = sorted(
        (
            (first != seed, *(-part for part in out.get(seed, last)), third.get(seed, 0)),
            seed,
        )
        for seed in range(1, bracket.entrants + 1)
    )
    found: list[tuple[int, int]] = []
    previous = None
    for index, (key, seed) in enumerate(keyed, start=1):
        found.append((found[-1][0] if found and key == previous else index, seed))
        previous = key
    return found
