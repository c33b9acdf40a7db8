"""Repairs a published round after a result it was paired from was corrected: changes the fewest tables, or none.

The repaired round is as good as any that leaves the begun tables alone, rule by rule (`Digits`), and of all such rounds
it changes the fewest tables: one more digit of the same exact matching, below the rules and above the draw. In a large
round, the tables that stand are made better until `Certificate` proves that nothing is better still. Old tables and new
ones together form circles of players (each player leaves one table and joins another), and costs add up over
circles. So every circle stands for itself, and says which rule would be worse if its tables stayed: that is why it
cannot be left out.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields

from tournament.swiss import lookahead
from tournament.swiss.alternatives import RULES
from tournament.swiss.certificate import Certificate
from tournament.swiss.pairing import CannotPair, Digits, Field, PairingPolicy, Snapshot, ordered

Table = tuple[int, int | None]
"""(player, opponent, or None for a bye)."""
Nodes = tuple[int, int]
MOST_TRIES = 12  # of a large round, half a second each at most; four were enough in 48 generated ones


@dataclass(frozen=True, slots=True)
class Change:
    """Tables that change together: the players of `before` sit as in `after`.

    `before[i]` and `after[i]` share a player, so that the new table can be where the old one was.
    rule: the first rule, in order of importance, that is worse when they stay; was, would: its sum over these tables
    as they are, and as they would be.
    """

    before: tuple[Table, ...]
    after: tuple[Table, ...]
    rule: str
    was: int
    would: int


@dataclass(frozen=True, slots=True)
class Repair:
    """before, after: the whole round's digits as it is, and repaired (the draw left out: 0).

    proven: no round which is as good changes fewer tables. Otherwise there may be one: the tables are of more kinds
    than could be looked at.
    """

    changes: tuple[Change, ...]
    before: Digits
    after: Digits
    proven: bool

    @property
    def tables(self) -> int:
        """How many tables change."""
        return sum(len(change.before) for change in self.changes)


def repair(
    snapshot: Snapshot,
    policy: PairingPolicy,
    seed: int,
    tables: Sequence[Table],
    *,
    begun: Collection[Table] = (),
    concerned: Collection[int] = (),
) -> Repair:
    """The smallest repair of a round that was published with `tables`.

    snapshot: the round's players as they stand now, the corrected result counted. begun: tables that must stay, as
    their matches have begun or ended. concerned: players whose points or meetings differ from what the round was
    paired from. Raises CannotPair when `tables` do not seat the snapshot's players, each once.
    """
    players = [player for player in ordered(snapshot, seed) if not player.awarded]
    seats = [id for table in tables for id in table if id is not None]
    if sorted(seats) != sorted(player.id for player in players):
        raise CannotPair("a repair needs a round that seats every player of the snapshot once")
    alone = _settled_alone(tables, begun)
    players = [player for player in players if player.id not in alone]
    tables = [table for table in tables if table[0] not in alone]
    begun = [table for table in begun if table[0] not in alone]
    field = Field(players, snapshot, policy, seed)
    node: dict[int | None, int] = {player.id: index for index, player in enumerate(players)}
    node[None] = field.bye
    now = {_nodes(node, table): table for table in tables}
    given = [_nodes(node, table) for table in begun]
    free = field.free(given)
    kept = now.keys() - set(given)
    if len(free) <= policy.dense_up_to:
        matched, proven = _best(field, free, kept), True
    else:
        matched, proven = _bettered(field, kept, {node[id] for id in concerned if id in node})
    if free and snapshot.to_come and len(players) + field.has_bye <= lookahead.MOST_NODES:
        matched = _looking_ahead(field, given, free, matched, kept, snapshot.to_come)
    changes = [
        _change(field, players, before, after)
        for before, after in _circles(kept - set(matched), set(matched) - kept)
    ]
    changes.sort(key=lambda change: (RULES.index(change.rule), change.would - change.was, change.before))
    return Repair(
        changes=tuple(changes),
        before=_digits(field, now),
        after=_digits(field, [*given, *matched]),
        proven=proven,
    )


def _settled_alone(tables: Sequence[Table], begun: Collection[Table]) -> set[int]:
    """Who sits alone whatever is repaired, beside the one bye that an odd number of players has: rounds missed by
    entering late are settled so, and several players can be late."""
    settled = sorted(table[0] for table in begun if table[1] is None)
    movable = sorted(table[0] for table in tables if table[1] is None and table not in begun)
    if movable or len(settled) % 2 == 0:
        return {*settled, *movable[1:]}
    return set(settled[1:])


def _nodes(node: dict[int | None, int], table: Table) -> Nodes:
    one, two = node[table[0]], node[table[1]]
    return min(one, two), max(one, two)


def _best(field: Field, free: Sequence[int], kept: Collection[Nodes]) -> list[Nodes]:
    """The best tables of the free nodes, of these those that keep most."""
    if not free:
        return []
    for rematches in (False, True):
        matched = field.matched(free, len(free), rematches, kept)
        if matched is not None:
            return [(min(pair), max(pair)) for pair in matched]
    raise AssertionError("the tables that stand are a perfect matching")


def _bettered(field: Field, kept: Collection[Nodes], apart: set[int]) -> tuple[list[Nodes], bool]:
    """The tables as they stand, made better until nothing can be, and whether that is proven."""
    matched = set(kept)
    for _ in range(MOST_TRIES):
        found = Certificate(field, matched, kept, apart).better()
        if not found.tables:
            return sorted(matched), found.proof
        nodes = {one for table in found.tables for one in table}
        left = {table for table in matched if table[0] in nodes}
        if _weight(field, found.tables, kept) < _weight(field, left, kept):
            matched = matched - left | found.tables
        apart = apart | nodes
    return sorted(matched), False


def _weight(field: Field, tables: Collection[Nodes], kept: Collection[Nodes]) -> tuple[int, ...]:
    return (*_sums(field, tables), sum(table not in kept for table in tables))


def _looking_ahead(
    field: Field,
    given: list[Nodes],
    free: Sequence[int],
    matched: list[Nodes],
    kept: Collection[Nodes],
    to_come: int,
) -> list[Nodes]:
    """In small fields a round that leaves more clean rounds to come is better: of those as good, the one that keeps
    most."""
    best, left = field.looking_ahead(given, free, matched, to_come)
    patience = lookahead.Patience()
    open_to = field.open_to()
    wanted = _sums(field, best)
    everybody = [(1 << len(free)) - 1 & ~(1 << at) for at in range(len(free))]
    rounds = [[(free[a], free[b]) for a, b in tables] for tables in lookahead.rounds_of(everybody)]
    as_good = [tables for tables in rounds if _sums(field, tables) == wanted]
    for tables in sorted(as_good, key=lambda tables: (len(set(tables) - set(kept)), sorted(tables))):
        if lookahead.rounds_left(lookahead.without(open_to, [*given, *tables]), to_come, patience) >= left:
            return tables
    return best


def _sums(field: Field, tables: Collection[Nodes]) -> tuple[int, ...]:
    """The digits of tables, summed, the draw left out."""
    return tuple(map(sum, zip(*(field.rules(*table) for table in tables), strict=True)))


def _digits(field: Field, tables: Collection[Nodes]) -> Digits:
    names = [one.name for one in fields(Digits)][:-1]
    return Digits(**dict(zip(names, _sums(field, tables), strict=True))) if tables else Digits()


def _circles(before: Collection[Nodes], after: Collection[Nodes]) -> list[tuple[list[Nodes], list[Nodes]]]:
    """Old and new tables, circle by circle: each new table follows the old one that it shares a player with."""
    old = {one: table for table in before for one in table}
    new = {one: table for table in after for one in table}
    found = []
    waiting = set(old)
    while waiting:
        start = at = min(waiting)
        left, joined = [], []
        while True:
            left.append(old[at])
            joined.append(new[at])
            waiting -= set(old[at])
            at = next(one for one in new[at] if one != at)
            at = next(one for one in old[at] if one != at)
            if at == start:
                break
        found.append((left, joined))
    return found


def _change(field: Field, players: Sequence[object], before: list[Nodes], after: list[Nodes]) -> Change:
    was, would = _sums(field, before), _sums(field, after)
    rule = next(at for at in range(len(was)) if was[at] != would[at])
    return Change(
        before=tuple(_table(field, one) for one in before),
        after=tuple(_table(field, one) for one in after),
        rule=RULES[rule],
        was=was[rule],
        would=would[rule],
    )


def _table(field: Field, nodes: Nodes) -> Table:
    one, two = nodes
    return field.players[one].id, None if two == field.bye else field.players[two].id
