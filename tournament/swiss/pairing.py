"""Pair one Swiss round: an exact minimum-cost perfect matching, explained and replayable.

The cost of a pair is a list of digits, most important first (`Digits`). Each digit has its own base,
larger than that digit can sum to over a whole round, so a lesser rule can never outvote a greater one.
The bye is a node of the same matching, so it cannot lead into a dead end. Chance is the least digit.

In small fields a round is only taken when it leaves as many clean rounds to come as can be (`ahead`); that counts more
than everything but repeated meetings and second byes in the round itself.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace

from tournament.swiss import blocks, lookahead, matching, seeded_random
from tournament.swiss.words import AWARDED, sentence_by_hand, sentence_for


@dataclass(frozen=True, slots=True)
class Player:
    """A player who wants to play this round.

    id: any number, the player's own; score: match points so far; opponents: ids met, as often as met;
    byes: rounds without an opponent so far; floated: the last round's float, -1 down, +1 up, 0 none;
    club: players of one club meet only if nothing more important speaks against it ("" = no club);
    table: a table this player cannot leave; awarded: has a bye given beforehand, and is not matched;
    lot: the number chance is drawn by, which a copy of the event gives again where ids may differ (0: the id).
    """

    id: int
    score: int = 0
    opponents: tuple[int, ...] = ()
    byes: int = 0
    floated: int = 0
    club: str = ""
    table: int | None = None
    awarded: bool = False
    lot: int = 0

    @property
    def drawn_by(self) -> int:
        return self.lot or self.id


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything a pairing depends on, beside policy and seed. The order of `players` does not matter.

    to_come: rounds announced after this one; 0 where nobody knows.
    """

    round: int
    players: tuple[Player, ...]
    to_come: int = 0


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
    """A round, in table order, the bye last. `candidates` is how many next opponents were tried (0 = all).

    ahead: rounds to come that can still be paired without a repeated meeting or a second bye, where that was looked at.
    """

    round: int
    seed: int
    pairs: tuple[Pair, ...]
    candidates: int
    rematches_allowed: bool
    ahead: int = 0

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
    everybody = ordered(snapshot, seed)
    awarded = [_awarded(player) for player in everybody if player.awarded]
    players = [player for player in everybody if not player.awarded]
    field = Field(players, snapshot, policy, seed)
    given = field.given(forced)
    free = field.free(given)
    dense = len(players)
    candidates = dense if dense <= policy.dense_up_to else policy.candidates
    rematches = False
    while True:
        matched = field.matched(free, candidates, rematches)
        if matched is not None:
            break
        if candidates < dense:
            candidates = min(2 * candidates, dense)
        elif not rematches:
            rematches = True
        else:  # every pair is an edge now and the number of nodes is even
            raise AssertionError("a complete graph has no perfect matching")
    left = 0
    if snapshot.to_come and not awarded and len(field.met) + field.has_bye <= lookahead.MOST_NODES:
        matched, left = field.looking_ahead(given, free, matched, snapshot.to_come)
    pairs = [field.pair(a, b) for a, b in sorted([*given, *matched])]
    _verify(players, pairs)
    return Pairing(
        round=snapshot.round,
        seed=seed,
        pairs=(*_seat(pairs, field), *awarded),
        candidates=0 if candidates >= dense else candidates,
        rematches_allowed=rematches,
        ahead=left,
    )


def explained(
    snapshot: Snapshot, policy: PairingPolicy, seed: int, tables: Sequence[tuple[int, int | None]]
) -> tuple[Pair, ...]:
    """What tables seated by hand cost, and why they stand: (player, opponent or None for a bye), in their order.

    The table numbers are the hand's business: None here. Raises CannotPair for somebody who is not in the round.
    """
    field = Field(ordered(snapshot, seed), snapshot, policy, seed)
    node: dict[int | None, int] = {player.id: index for index, player in enumerate(field.players)}
    node[None] = field.bye
    if not node.keys() >= {id for table in tables for id in table}:
        raise CannotPair("a table needs players of this round")
    pairs = [field.pair(*sorted((node[one], node[two]))) for one, two in tables]
    return tuple(
        replace(pair, sentence=sentence_by_hand(pair.digits, pair.first_score, pair.second_score))
        for pair in pairs
    )


def standing_order(snapshot: Snapshot, seed: int) -> list[int]:
    """The ids as the round is paired from them: by score, highest first, those of one score as drawn."""
    return [player.id for player in ordered(snapshot, seed)]


def ordered(snapshot: Snapshot, seed: int) -> list[Player]:
    """The players as they are paired: by score, highest first, those of one score as drawn. Raises CannotPair."""
    ids = [player.id for player in snapshot.players]
    if len(set(ids)) != len(ids):
        raise CannotPair("a player stands twice in the snapshot")
    if len(ids) < 2:
        raise CannotPair("a round needs at least two players")
    lots = [player.drawn_by for player in snapshot.players]
    if len(set(lots)) != len(lots):
        raise CannotPair("two players have one lot")
    place = seeded_random.order(seed, f"order {snapshot.round}", lots)
    return sorted(snapshot.players, key=lambda player: (-player.score, place[player.drawn_by]))


class Field:
    """The players as nodes 0..n-1 in score order; node n is the bye when n is odd."""

    def __init__(self, players: list[Player], snapshot: Snapshot, policy: PairingPolicy, seed: int) -> None:
        self.players = players
        self.has_bye = len(players) % 2
        self.bye = len(players)
        self.lowest = players[-1].score if players else 0
        self.avoid_club = policy.avoid_club
        self.seed = seed
        self.met = [frozenset(player.opponents) for player in players]
        self.label = f"pair {snapshot.round}"
        self.scores = [player.score for player in players]
        self.keys = [seeded_random.number(seed, self.label, player.drawn_by) for player in players]

    def given(self, forced: Sequence[tuple[int, int | None]]) -> list[tuple[int, int]]:
        """The forced tables as nodes. Raises CannotPair for strangers, a player twice, a bye nobody has."""
        node: dict[int | None, int] = {player.id: index for index, player in enumerate(self.players)}
        if self.has_bye:
            node[None] = self.bye
        seats = [id for table in forced for id in table]
        if len(set(seats)) != len(seats) or not node.keys() >= set(seats):
            raise CannotPair("a forced table needs two players of this round, each of them once")
        return [(min(node[one], node[two]), max(node[one], node[two])) for one, two in forced]

    def free(self, given: Sequence[tuple[int, int]]) -> Sequence[int]:
        """The nodes that no given table has taken, the bye among them."""
        nodes = range(len(self.players) + self.has_bye)
        taken = {node for table in given for node in table}
        return [node for node in nodes if node not in taken] if taken else nodes

    def matched(
        self,
        free: Sequence[int],
        candidates: int,
        rematches: bool,
        kept: Collection[tuple[int, int]] = (),
    ) -> list[tuple[int, int]] | None:
        """The cheapest tables of the free nodes; None when the candidates allow no perfect matching.

        kept: tables that go before others as good by every rule.
        """
        lowest = next((self.scores[node] for node in reversed(free) if node != self.bye), 0)
        scores = [self.scores[node] if node != self.bye else lowest for node in free]

        def solve(start: int, stop: int) -> blocks.Solved | None:
            nodes = free[start:stop]
            if (standing := self._free_of_cost(nodes, kept)) is not None:
                return blocks.Solved(pairs=standing, distance=0, clean=True)
            edges = list(self.edges(nodes, candidates, rematches))
            carriers = self.carriers(stop - start)
            if kept:
                edges = _preferring(edges, nodes, kept)
                carriers = (*carriers, carriers[0])
            chosen = matching.cheapest(stop - start, edges, carriers)
            if chosen is None:
                return None
            costs = [edges[index][2] for index in chosen]
            return blocks.Solved(
                pairs=[(nodes[edges[index][0]], nodes[edges[index][1]]) for index in chosen],
                distance=sum(cost[3] for cost in costs),
                clean=not any(cost[0] or cost[1] or cost[2] for cost in costs),
            )

        if not rematches:
            return blocks.cheapest(scores, solve)
        whole = solve(0, len(free))
        return whole.pairs if whole is not None else None

    def looking_ahead(
        self, given: list[tuple[int, int]], free: Sequence[int], matched: list[tuple[int, int]], to_come: int
    ) -> tuple[list[tuple[int, int]], int]:
        """(the cheapest tables of the free nodes among those that leave most clean rounds to come, how many those are).

        Only such as repeat no more meetings and byes in this round than the cheapest of all do.
        """
        open_to = self.open_to()
        patience = lookahead.Patience()
        best = (
            matched,
            lookahead.rounds_left(lookahead.without(open_to, [*given, *matched]), to_come, patience),
        )
        if best[1] == to_come or patience.over:
            return best
        place = {node: at for at, node in enumerate(free)}
        among = [sum(1 << place[other] for other in free if open_to[node] >> other & 1) for node in free]
        rounds = [[(free[a], free[b]) for a, b in tables] for tables in lookahead.rounds_of(among)]
        least = self._total(matched)
        costs = [(self._total(tables), tables) for tables in rounds]
        for cost, tables in sorted(costs):
            if cost[:2] > least[:2]:
                break
            left = lookahead.rounds_left(lookahead.without(open_to, [*given, *tables]), to_come, patience)
            if patience.over:
                break
            if left > best[1]:
                best = tables, left
            if left == to_come:
                break
        return best

    def open_to(self) -> list[int]:
        """For each node, those still to be met; the bye has met whoever has had one."""
        place = {player.id: node for node, player in enumerate(self.players)}
        everybody = (1 << len(self.players) + self.has_bye) - 1
        open_to = [
            everybody & ~(1 << node) & ~sum(1 << place[id] for id in met if id in place)
            for node, met in enumerate(self.met)
        ]
        if self.has_bye:
            had = sum(1 << node for node, player in enumerate(self.players) if player.byes)
            open_to = [one & ~(1 << self.bye) if had >> node & 1 else one for node, one in enumerate(open_to)]
            open_to.append(everybody & ~(1 << self.bye) & ~had)
        return open_to

    def _total(self, tables: Sequence[tuple[int, int]]) -> tuple[int, ...]:
        return tuple(map(sum, zip(*(self.digits(a, b) for a, b in tables), strict=True)))

    def edges(self, nodes: Sequence[int], candidates: int, rematches: bool) -> Iterator[matching.Edge]:
        """Each player with the next `candidates` legal opponents below, by their places in `nodes`; the bye with
        everybody.

        Club mates do not use up candidates: a big club must not hide everybody else.
        """
        bye = len(nodes) - 1 if nodes and nodes[-1] == self.bye else len(nodes)
        players, digits = self.players, self.digits
        ids = [players[node].id for node in nodes[:bye]]
        for place, a in enumerate(nodes[:bye]):
            club = players[a].club if self.avoid_club else ""
            met = self.met[a]
            left = candidates
            for below in range(place + 1, bye):
                if ids[below] in met and not rematches:
                    continue
                b = nodes[below]
                yield place, below, digits(a, b)
                left -= not (club and club == players[b].club)
                if not left:
                    break
            if bye < len(nodes):
                yield place, bye, digits(a, self.bye)

    def _free_of_cost(
        self, nodes: Sequence[int], kept: Collection[tuple[int, int]]
    ) -> list[tuple[int, int]] | None:
        """The kept tables of these nodes, where they seat all of them and cost nothing by any rule: none are better."""
        inside = set(nodes)
        standing = [table for table in kept if table[0] in inside and table[1] in inside] if kept else []
        if 2 * len(standing) != len(nodes) or any(any(self.rules(*table)) for table in standing):
            return None
        return standing

    def carriers(self, nodes: int) -> tuple[int, ...]:
        """How many tables of a round of so many nodes can carry each digit: the bye's digits, one."""
        tables = nodes // 2
        return (tables, 1, 1, tables, tables, tables, tables)

    def digits(self, a: int, b: int) -> tuple[int, ...]:
        """The cost of seating a with b, a < b, in the order of `Digits`."""
        return (*self.rules(a, b), self._noise(a, b))

    def rules(self, a: int, b: int) -> tuple[int, ...]:
        """The digits without the draw."""
        above = self.players[a]
        if b == self.bye:
            height = above.score - self.lowest
            return (0, above.byes, height, 0, 0, 0)
        below = self.players[b]
        gap = above.score - below.score
        refloat = ((above.floated < 0) + (below.floated > 0)) if gap else 0
        club = self.avoid_club and above.club != "" and above.club == below.club
        rematch = above.opponents.count(below.id) if below.id in self.met[a] else 0
        return (rematch, 0, 0, gap * gap, refloat, int(club))

    def _noise(self, a: int, b: int) -> int:
        """Drawn for the edge: numbers of single players would sum to the same in every perfect matching."""
        first = self.keys[a]
        second = self.keys[b] if b != self.bye else 0
        return matching.mix(first, second) >> (64 - matching.NOISE_BITS)

    def pair(self, a: int, b: int) -> Pair:
        digits = Digits(*self.digits(a, b))
        one, two = self.players[a], (self.players[b] if b != self.bye else None)
        if two is not None and seeded_random.number(
            self.seed, self.label, "side", one.drawn_by, two.drawn_by, bits=1
        ):
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


def _preferring(
    edges: Sequence[matching.Edge], nodes: Sequence[int], kept: Collection[tuple[int, int]]
) -> list[matching.Edge]:
    """The edges with one more digit before the draw, 1 for a table that is not among the kept."""
    return [(a, b, (*cost[:-1], int((nodes[a], nodes[b]) not in kept), cost[-1])) for a, b, cost in edges]


def _awarded(player: Player) -> Pair:
    return Pair(None, player.id, None, player.score, None, Digits(), AWARDED)


def _verify(players: list[Player], pairs: list[Pair]) -> None:
    """Every player exactly once: checked on the outcome, whatever the solver promises."""
    seated = sorted(id for pair in pairs for id in (pair.first, pair.second) if id is not None)
    if seated != sorted(player.id for player in players):
        raise AssertionError("the pairing does not seat every player exactly once")


def _seat(pairs: list[Pair], field: Field) -> tuple[Pair, ...]:
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
