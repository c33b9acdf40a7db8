"""Pair one Swiss round: an exact minimum-cost perfect matching, explained and replayable.

The cost of a pair is a list of digits, most important first (`Digits`). Each digit has its own base,
larger than that digit can sum to over a whole round, so a lesser rule can never outvote a greater one.
The bye is a node of the same matching, so it cannot lead into a dead end. Chance is the least digit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from tournament.swiss import draw, matching
from tournament.swiss.words import sentence_for


@dataclass(frozen=True, slots=True)
class Player:
    """A player who wants to play this round.

    id: any number, the player's own; score: match points so far; opponents: ids met, as often as met;
    byes: rounds without an opponent so far; floated: the last round's float, -1 down, +1 up, 0 none;
    club: players of one club meet only if nothing more important speaks against it ("" = no club);
    table: a table this player cannot leave.
    """

    id: int
    score: int = 0
    opponents: tuple[int, ...] = ()
    byes: int = 0
    floated: int = 0
    club: str = ""
    table: int | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything a pairing depends on, beside policy and seed. The order of `players` does not matter."""

    round: int
    players: tuple[Player, ...]


@dataclass(frozen=True, slots=True)
class PairingPolicy:
    """avoid_club: whether the club digit counts.

    Up to `dense_up_to` players every legal pair is a candidate and the optimum is proven; above it each
    player's next `candidates` legal opponents in score order are, which measured the same optimum.
    """

    avoid_club: bool = True
    candidates: int = 12
    dense_up_to: int = 200


@dataclass(frozen=True, slots=True)
class Digits:
    """What one pairing costs, most important first."""

    rematch: int = 0  # times the two have met
    second_bye: int = 0  # byes this player has had already (a bye only)
    bye_height: int = 0  # points above the lowest score (a bye only)
    distance: int = 0  # score difference, squared
    refloat: int = 0  # players who float again the way they floated last round
    club: int = 0  # 1 if of one club
    noise: int = 0  # the draw


@dataclass(frozen=True, slots=True)
class Pair:
    """One table. `second` is None for a bye, which has no table. Scores are those it was paired on."""

    table: int | None
    first: int
    second: int | None
    first_score: int
    second_score: int | None
    digits: Digits
    sentence: str


@dataclass(frozen=True, slots=True)
class Pairing:
    """A round, in table order, the bye last. `candidates` is how many next opponents were tried (0 = all)."""

    round: int
    seed: int
    pairs: tuple[Pair, ...]
    candidates: int
    rematches_allowed: bool

    @property
    def total(self) -> Digits:
        """The round's digits, summed."""
        return Digits(
            **{f.name: sum(getattr(pair.digits, f.name) for pair in self.pairs) for f in fields(Digits)}
        )


class CannotPair(ValueError):
    """No round: fewer than two players, a player twice, or a forced table that cannot be."""


def pair(
    snapshot: Snapshot,
    policy: PairingPolicy,
    seed: int,
    *,
    forced: Sequence[tuple[int, int | None]] = (),
) -> Pairing:
    """Pair a round. The same snapshot, policy and seed give the same pairing, byte for byte.

    Tries candidates without rematches first: sparse, then twice as many, then all; only when no perfect
    matching exists are rematches allowed, as few as possible. forced: tables (player, player or None for
    the bye) that stand whatever they cost; the rest is paired as well as it can be. Raises CannotPair.
    """
    players = _ordered(snapshot, seed)
    field = _Field(players, snapshot, policy, seed)
    given = field.given(forced)
    free = field.free(given)
    dense = len(players)
    candidates = dense if dense <= policy.dense_up_to else policy.candidates
    rematches = False
    while True:
        edges = [*given, *field.edges(free, candidates, rematches)]
        matched = matching.cheapest(len(players) + field.has_bye, edges, field.carriers)
        if matched is not None:
            break
        if candidates < dense:
            candidates = min(2 * candidates, dense)
        elif not rematches:
            rematches = True
        else:  # every pair is an edge now and the number of nodes is even
            raise AssertionError("a complete graph has no perfect matching")
    pairs = [field.pair(a, b) for a, b in matched]
    _verify(players, pairs)
    return Pairing(
        round=snapshot.round,
        seed=seed,
        pairs=_seat(pairs, field),
        candidates=0 if candidates >= dense else candidates,
        rematches_allowed=rematches,
    )


def standing_order(snapshot: Snapshot, seed: int) -> list[int]:
    """The ids as the round is paired from them: by score, highest first, those of one score as drawn."""
    return [player.id for player in _ordered(snapshot, seed)]


def _ordered(snapshot: Snapshot, seed: int) -> list[Player]:
    ids = [player.id for player in snapshot.players]
    if len(set(ids)) != len(ids):
        raise CannotPair("a player stands twice in the snapshot")
    if len(ids) < 2:
        raise CannotPair("a round needs at least two players")
    place = draw.order(seed, f"order {snapshot.round}", ids)
    return sorted(snapshot.players, key=lambda player: (-player.score, place[player.id]))


class _Field:
    """The players as nodes 0..n-1 in score order; node n is the bye when n is odd."""

    def __init__(self, players: list[Player], snapshot: Snapshot, policy: PairingPolicy, seed: int) -> None:
        self.players = players
        self.has_bye = len(players) % 2
        self.bye = len(players)
        self.lowest = players[-1].score
        self.avoid_club = policy.avoid_club
        self.seed = seed
        self.met = [frozenset(player.opponents) for player in players]
        self.label = f"pair {snapshot.round}"
        pairs = (len(players) + 1) // 2
        self.carriers = (pairs, 1, 1, pairs, pairs, pairs, pairs)
        self.keys = [draw.number(seed, self.label, player.id) for player in players]

    def given(self, forced: Sequence[tuple[int, int | None]]) -> list[matching.Edge]:
        """The forced tables as edges. Raises CannotPair for strangers, a player twice, a bye nobody has."""
        node: dict[int | None, int] = {player.id: index for index, player in enumerate(self.players)}
        if self.has_bye:
            node[None] = self.bye
        seats = [id for table in forced for id in table]
        if len(set(seats)) != len(seats) or not node.keys() >= set(seats):
            raise CannotPair("a forced table needs two players of this round, each of them once")
        tables = [sorted((node[one], node[two])) for one, two in forced]
        return [(a, b, self.digits(a, b)) for a, b in tables]

    def free(self, given: Sequence[matching.Edge]) -> Sequence[int]:
        """The nodes that no given table has taken, the bye among them."""
        nodes = range(len(self.players) + self.has_bye)
        taken = {node for a, b, _ in given for node in (a, b)}
        return [node for node in nodes if node not in taken] if taken else nodes

    def edges(self, free: Sequence[int], candidates: int, rematches: bool) -> Iterator[matching.Edge]:
        """Each free player with the next `candidates` legal opponents below; the bye with everybody.

        Club mates do not use up candidates: a big club must not hide everybody else.
        """
        has_bye = bool(free) and free[-1] == self.bye
        free = free[:-1] if has_bye else free
        for index, a in enumerate(free):
            player = self.players[a]
            left = candidates
            met = self.met[a]
            for b in free[index + 1 :]:
                other = self.players[b]
                if other.id in met and not rematches:
                    continue
                yield a, b, self.digits(a, b)
                left -= not (self.avoid_club and player.club and player.club == other.club)
                if not left:
                    break
            if has_bye:
                yield a, self.bye, self.digits(a, self.bye)

    def digits(self, a: int, b: int) -> tuple[int, ...]:
        """The cost of seating a with b, a < b, in the order of `Digits`."""
        above = self.players[a]
        if b == self.bye:
            height = above.score - self.lowest
            return (0, above.byes, height, 0, 0, 0, self._noise(a, b))
        below = self.players[b]
        gap = above.score - below.score
        refloat = ((above.floated < 0) + (below.floated > 0)) if gap else 0
        club = self.avoid_club and above.club != "" and above.club == below.club
        rematch = above.opponents.count(below.id) if below.id in self.met[a] else 0
        return (rematch, 0, 0, gap * gap, refloat, int(club), self._noise(a, b))

    def _noise(self, a: int, b: int) -> int:
        """Drawn for the edge: numbers of single players would sum to the same in every perfect matching."""
        first = self.keys[a]
        second = self.keys[b] if b != self.bye else 0
        return matching.mix(first, second) >> (64 - matching.NOISE_BITS)

    def pair(self, a: int, b: int) -> Pair:
        digits = Digits(*self.digits(a, b))
        one, two = self.players[a], (self.players[b] if b != self.bye else None)
        if two is not None and draw.number(self.seed, self.label, "side", one.id, two.id, bits=1):
            one, two = two, one
        second = two.id if two else None
        second_score = two.score if two else None
        return Pair(
            table=None,
            first=one.id,
            second=second,
            first_score=one.score,
            second_score=second_score,
            digits=digits,
            sentence=sentence_for(digits, one.score, second_score),
        )


def _verify(players: list[Player], pairs: list[Pair]) -> None:
    """Every player exactly once: checked on the outcome, whatever the solver promises."""
    seated = sorted(id for pair in pairs for id in (pair.first, pair.second) if id is not None)
    if seated != sorted(player.id for player in players):
        raise AssertionError("the pairing does not seat every player exactly once")


def _seat(pairs: list[Pair], field: _Field) -> tuple[Pair, ...]:
    """Number the tables: best scores first, players who cannot move keep their table, the bye has none."""
    place = {player.id: index for index, player in enumerate(field.players)}
    fixed = {player.id: player.table for player in field.players if player.table is not None}
    byes = [pair for pair in pairs if pair.second is None]
    games = [pair for pair in pairs if pair.second is not None]
    games.sort(key=lambda pair: sorted((place[pair.first], place[pair.second or 0])))
    tables: dict[int, int] = {}
    for index, pair in enumerate(games):
        wanted = fixed.get(pair.first, fixed.get(pair.second or 0))
        if wanted is not None and wanted not in tables.values():
            tables[index] = wanted
    taken = set(tables.values())
    free = (number for number in range(1, len(games) + len(taken) + 1) if number not in taken)
    seated = [_with_table(pair, tables.get(index) or next(free)) for index, pair in enumerate(games)]
    return (*sorted(seated, key=lambda pair: pair.table or 0), *byes)


def _with_table(pair: Pair, table: int) -> Pair:
    return Pair(
        table, pair.first, pair.second, pair.first_score, pair.second_score, pair.digits, pair.sentence
    )
