"""The smallest repair of a published round after a correction: which tables, at what cost, and why no fewer."""

import hashlib
import json
from collections.abc import Collection
from dataclasses import asdict, dataclass

from django.db.models import Max, Q

from tournament.models import AuditRow, Extension, JudgeCall, Match, Registration, Report, Round
from tournament.models.judging import GivenRuling, MatchDispute, Remark, Statement
from tournament.selectors.clock import clock_of
from tournament.selectors.pairing_reasons import DIGITS
from tournament.selectors.standings import paired_from, policy_of, snapshot_of
from tournament.swiss import Snapshot
from tournament.swiss.repair import Repair, repair


@dataclass(frozen=True, slots=True)
class Moved:
    """One table that changes. number: None for the bye; now, then: names of the players (one alone has the bye)."""

    number: int | None
    now: tuple[str, ...]
    then: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Swap:
    """Tables that change together, and the rule that is worse when they stay."""

    tables: tuple[Moved, ...]
    rule: object
    was: int
    would: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What a repair of the round would do.

    code: repair, nothing (the round is as good as any), begun (it is not, but every table that could help has begun),
    bracket, over. concerned: the names whose points or meetings changed; begun: tables that have begun, and stay.
    mark: names this very plan; another one is not carried out.
    """

    code: str
    repair: Repair | None = None
    swaps: tuple[Swap, ...] = ()
    concerned: tuple[str, ...] = ()
    begun: int = 0
    mark: str = ""

    @property
    def tables(self) -> int:
        return self.repair.tables if self.repair else 0

    @property
    def differing(self) -> list[tuple[object, int, int]]:
        """(rule in words, the whole round's sum as it is, and repaired) where they differ, the most important first."""
        if self.repair is None:
            return []
        before, after = asdict(self.repair.before), asdict(self.repair.after)
        return [
            (words, before[rule], after[rule])
            for rule, words in DIGITS.items()
            if before[rule] != after[rule]
        ]


def repair_due(round: Round | None) -> bool:
    """Was a result of an earlier round entered since this one, still played, was published or last repaired?"""
    if round is None or round.published_at is None or round.finished_at or round.stage_id is not None:
        return False
    repaired = AuditRow.objects.filter(
        verb="round_repair", target_type=Round._meta.label_lower, target_id=str(round.pk)
    ).aggregate(at=Max("at"))["at"]
    earlier = Q(match__round__event=round.event_id, match__round__number__lt=round.number)
    return Report.objects.filter(earlier, reported_at__gt=repaired or round.published_at).exists()


def repair_plan(round: Round, *, clock_counts: bool = True) -> Plan:
    """The smallest repair of a published round.

    clock_counts: once the round's clock has been started every table counts as begun; else only tables where
    something is recorded do (a report, a call, minutes, a penalty, a deck check, a dispute).
    """
    if round.stage_id is not None:
        return Plan("bracket")
    if round.published_at is None or round.finished_at is not None:
        return Plan("over")
    players = seated(round)
    awarded = {player.id for player in players.players if player.awarded}
    tables = {match: who for match, who in tables_of(round).items() if who[0] not in awarded}
    started = begun(round, clock_counts=clock_counts)
    then = {player.id: player for player in paired_from(round).players}
    concerned = [
        player.id
        for player in players.players
        if player.id not in then
        or (player.score, player.opponents, player.byes)
        != (then[player.id].score, then[player.id].opponents, then[player.id].byes)
    ]
    policy = policy_of(round.event).pairing
    found = repair(
        players,
        policy,
        round.seed,
        list(tables.values()),
        begun=[who for match, who in tables.items() if match in started],
        concerned=concerned,
    )
    names = dict(Registration.objects.filter(seats__round=round).values_list("pk", "name"))
    code = "repair" if found.changes else "nothing"
    if not found.changes and started:
        anew = repair(players, policy, round.seed, list(tables.values()), concerned=concerned)
        code = "begun" if anew.changes else code
    return Plan(
        code=code,
        repair=found,
        swaps=_swaps(round, found, names),
        concerned=tuple(sorted(names[id] for id in concerned)),
        begun=len(started & tables.keys()),
        mark=mark_of(found),
    )


def seated(round: Round) -> Snapshot:
    """Everybody who sits in the round, with points, meetings and byes as they stand now."""
    players = list(round.seats.values_list("registration", flat=True))
    return snapshot_of(round.event, round.number, Q(pk__in=players))


def tables_of(round: Round) -> dict[int, tuple[int, int | None]]:
    """Match -> (player, opponent or None for a bye)."""
    sides: dict[int, list[int]] = {}
    rows = round.seats.order_by("match", "side").values_list("match", "registration")
    for match, player in rows:
        sides.setdefault(match, []).append(player)
    return {match: (who[0], who[1] if len(who) > 1 else None) for match, who in sides.items()}


def begun(round: Round, *, clock_counts: bool) -> set[int]:
    """The matches of the round that have begun or ended."""
    matches = Match.objects.filter(round=round)
    if clock_counts and clock_of(round).began:
        return set(matches.values_list("pk", flat=True))
    withdrawn = Q(judge=None, closed_at__isnull=False)  # a call that was taken back keeps nothing
    touched: set[int] = set(
        JudgeCall.objects.filter(match__in=matches).exclude(withdrawn).values_list("match", flat=True)
    )
    for model in (Report, Extension, MatchDispute, GivenRuling, Statement, Remark):
        touched |= set(model._default_manager.filter(match__in=matches).values_list("match", flat=True))
    return touched


def mark_of(found: Repair) -> str:
    """The same for the same tables as they are and as they would be."""
    told = json.dumps([[change.before, change.after] for change in found.changes])
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _swaps(round: Round, found: Repair, names: dict[int, str]) -> tuple[Swap, ...]:
    at = dict(Match.objects.filter(round=round).values_list("pk", "table"))
    numbers = {frozenset(who): at[match] for match, who in tables_of(round).items()}

    def named(table: Collection[int | None]) -> tuple[str, ...]:
        return tuple(names[id] for id in table if id is not None)

    return tuple(
        Swap(
            tables=tuple(
                Moved(numbers[frozenset(old)], named(old), named(new))
                for old, new in sorted(
                    zip(change.before, change.after, strict=True),
                    key=lambda tables: numbers[frozenset(tables[0])] or len(numbers),
                )
            ),
            rule=DIGITS[change.rule],
            was=change.was,
            would=change.would,
        )
        for change in found.changes
    )
