"""Invariants of events, rounds, seats, results and the audit log (config.invariants)."""

from collections import Counter

from django.db.models import Count, F, Max, Min, Q

from config.invariants import Check, Found, Level
from tournament import selectors
from tournament.models import (
    AuditRow,
    ClockEntry,
    Event,
    Match,
    MatchDispute,
    Registration,
    Report,
    Round,
    Seat,
    Staff,
)
from tournament.selectors.standings import first_day_rounds

_REPAIR = "Keep a backup and report this: it is a bug in Headjudge."
_COMPARE = "Another program has written here. Compare with a backup."


def _events() -> Found:
    owned = Staff.objects.filter(role=Staff.Role.OWNER).values("event")
    for slug in Event.objects.exclude(pk__in=owned).values_list("slug", flat=True):
        yield (
            Level.ERROR,
            "The event has no owner.",
            f"event {slug}",
            "Give it one with services.staff_add in manage.py shell.",
        )
    begun = Event.objects.exclude(state=Event.State.REGISTRATION)
    unpinned = Q(policy=None) | Q(planned_rounds=None) | Q(standings_seed=None)
    for slug in begun.filter(unpinned, rounds__isnull=False).distinct().values_list("slug", flat=True):
        yield (
            Level.ERROR,
            "The event has begun, but its policy is not pinned.",
            f"event {slug}",
            _REPAIR,
        )
    for event in Event.objects.all():
        try:
            selectors.policy_of(event)
        except Exception as error:  # each broken one is told, not the first alone
            yield (
                Level.ERROR,
                f"Its policy can’t be read: {error}",
                f"event {event.slug}",
                "Publish a corrected policy.",
            )


def _rounds() -> Found:
    rows = Event.objects.filter(rounds__isnull=False).annotate(
        first=Min("rounds__number"), last=Max("rounds__number"), count=Count("rounds")
    )
    for slug, first, last, count in rows.values_list("slug", "first", "last", "count"):
        if (first, last) != (1, count):
            yield Level.ERROR, "Its rounds are not numbered 1, 2, 3 ...", f"event {slug}", _REPAIR
    open_rounds = Event.objects.annotate(open=Count("rounds", filter=Q(rounds__finished_at=None)))
    for slug, state, count in open_rounds.values_list("slug", "state", "open"):
        if count > 1 or (count and state == Event.State.FINISHED):
            yield Level.ERROR, f"{count} of its rounds are open at once.", f"event {slug}", _REPAIR
    for round in Round.objects.exclude(finished_at=None).select_related("event").defer("explanation"):
        for match in selectors.open_matches(round):
            message = "The round has ended, but this table has no result."
            yield Level.ERROR, message, _table(round, match), "Decide the match, with a reason."


def _seats() -> Found:
    """Everybody a round was paired from sits in it exactly once, and every match has one player or two."""
    astray = Seat.objects.exclude(match__round=F("round"), registration__event=F("round__event"))
    for pk in astray.values_list("pk", flat=True):
        yield (
            Level.ERROR,
            "The seat belongs to a different round or event from its match.",
            f"tournament_seat {pk}",
            _REPAIR,
        )
    for match in (
        Match.objects.annotate(count=Count("seats")).exclude(count__in=[1, 2]).select_related("round__event")
    ):
        yield Level.ERROR, f"{match.count} players sit at one table.", _table(match.round, match), _REPAIR
    tableless = Match.objects.annotate(count=Count("seats")).filter(
        Q(count=2, table=None) | Q(count=1, table__isnull=False)
    )
    for match in tableless.select_related("round__event"):
        yield (
            Level.ERROR,
            "Two players without a table, or a bye at one.",
            _table(match.round, match),
            _REPAIR,
        )
    for round in Round.objects.select_related("event").iterator(chunk_size=20):
        yield from _seated(round)


def _seated(round: Round) -> Found:
    """That nobody sits twice is a rule of the database (check `constraints`)."""
    seated = set(Seat.objects.filter(round=round).values_list("registration", flat=True))
    where = f"event {round.event.slug}, round {round.number}"
    paired = round.explanation.get("players") or []
    for player in sorted({row[0] for row in paired} - seated):
        yield Level.ERROR, f"The player {player} was paired but has no seat.", where, _REPAIR


def _everybody_plays() -> Found:
    """In the round being played every active player sits, unless they came only afterwards."""
    for event in Event.objects.filter(state=Event.State.RUNNING):
        round = event.rounds.published().defer("explanation").order_by("-number").first()
        if round is None or round.stage_id is not None or round.published_at is None:
            continue
        active = event.registrations.filter(
            state=Registration.State.ACTIVE, registered_at__lt=round.published_at
        )
        afterwards = _after_publishing(round)
        for entry in active.exclude(seats__round=round):
            told = AuditRow.objects.filter(target_type="tournament.registration", target_id=str(entry.pk))
            if not told.filter(afterwards).exists():
                message = f"{entry.name} is active but has no table and no bye."
                yield (
                    Level.ERROR,
                    message,
                    f"event {event.slug}, round {round.number}",
                    "Drop the player, or pair by hand.",
                )


def _second_days() -> Found:
    """Who plays the second day is settled for everybody at once, and nobody else sits there."""
    told = Registration.objects.select_related("event").defer("event__description")
    unsettled = Q(event__second_day_at=None) & (Q(second_day=True) | Q(state=Registration.State.OUT))
    both = Q(second_day=True, state=Registration.State.OUT)
    for entry in told.filter(unsettled | both):
        message = f"{entry.name} is in or out of a second day that is not settled."
        yield Level.ERROR, message, f"event {entry.event.slug}", _REPAIR
    for event in Event.objects.filter(second_day_at__isnull=False):
        later = Seat.objects.filter(round__event=event, round__number__gt=first_day_rounds(event))
        astray = later.filter(registration__second_day=False).values_list(
            "registration__name", "round__number"
        )
        for name, number in astray:
            message = f"{name} is paired on the second day without having made its cut."
            yield Level.ERROR, message, f"event {event.slug}, round {number}", _REPAIR


def _after_publishing(round: Round) -> Q:
    """What the log has after it: by its order, as the clock may have been set back. By time where it has no row."""
    rows = AuditRow.objects.filter(target_type="tournament.round", target_id=str(round.pk))
    published = rows.filter(verb__in=["round_pair", "round_publish"]).order_by("-pk").first()
    return Q(at__gte=round.published_at) if published is None else Q(pk__gt=published.pk)


def _reports() -> Found:
    """A match has one result: its reports are numbered through, each from a seat of the match or from staff."""
    astray = Report.objects.filter(seat__isnull=False).exclude(seat__match=F("match"))
    for pk in astray.values_list("pk", flat=True):
        yield (
            Level.ERROR,
            "The report is from a seat of a different match.",
            f"tournament_report {pk}",
            _COMPARE,
        )
    counted = Match.objects.annotate(count=Count("reports"), last=Max("reports__number")).filter(count__gt=0)
    for gap in counted.exclude(count=F("last")).select_related("round__event"):
        yield Level.ERROR, "Reports of this match are missing.", _table(gap.round, gap), _COMPARE
    drafts = Match.objects.filter(round__published_at=None, reports__isnull=False).distinct()
    for match in drafts.select_related("round__event"):
        yield Level.ERROR, "A result was reported in a draft.", _table(match.round, match), _REPAIR


def _audit_log() -> Found:
    """Every report has its row in the audit log, and every row its report: nothing lost, nothing twice.

    Not where a report has none of its own: matches of an event read from a file, rounds missed by entering late.
    """
    imported = AuditRow.objects.filter(verb="event_import").values("event")
    reports = Report.objects.filter(match__table__isnull=False).exclude(match__round__event__in=imported)
    count: Counter[str] = Counter()
    for pk in reports.order_by().values_list("match_id", flat=True).iterator():
        count[str(pk)] += 1
    rows = AuditRow.objects.filter(
        verb__in=["result_report", "result_decide"], target_type="tournament.match"
    )
    for match in rows.exclude(event__in=imported).order_by().values_list("target_id", flat=True).iterator():
        count[match] -= 1
    byes = set(Match.objects.filter(table=None).values_list("pk", flat=True))
    for match, left in count.items():
        if left and int(match) not in byes:
            what = "are missing from the audit log" if left > 0 else "of the audit log don’t exist"
            message = f"{abs(left)} reports {what}."
            yield Level.ERROR, message, f"match {match}", _COMPARE


def _clocks() -> Found:
    counted = ClockEntry.objects.order_by().values("round").annotate(count=Count("pk"), last=Max("number"))
    for row in counted.exclude(count=F("last")):
        yield (
            Level.ERROR,
            "Rows of a round’s clock are missing.",
            f"tournament_round {row['round']}",
            _COMPARE,
        )


def _matches_disputes() -> Found:
    astray = MatchDispute.objects.filter(judge_calls__match__isnull=False).exclude(
        judge_calls__match=F("match")
    )
    for pk in astray.values_list("pk", flat=True):
        yield (
            Level.ERROR,
            "A call is linked to a dispute of a different match.",
            f"tournament_matchdispute {pk}",
            _COMPARE,
        )


def _table(round: Round, match: Match) -> str:
    at = f"table {match.table}" if match.table is not None else f"match {match.pk}"
    return f"event {round.event.slug}, round {round.number}, {at}"


CHECKS: list[Check] = [
    Check(
        "events", "Every event has an owner and a policy, which is pinned once the event has begun.", _events
    ),
    Check("rounds", "Rounds are in order, and an ended round has every result.", _rounds),
    Check("seats", "Every paired player has exactly one seat.", _seats),
    Check(
        "everybody-plays",
        "In the current round, every active player has a table or a bye.",
        _everybody_plays,
    ),
    Check("second-days", "On a second day, only players who made its cut are paired.", _second_days),
    Check("reports", "Every match has at most one result, from its own players or event staff.", _reports),
    Check("audit_log", "Every report is in the audit log once.", _audit_log),
    Check("clocks", "No row of a round’s clock is missing.", _clocks),
    Check("calls", "Linked calls and disputes belong to the same match.", _matches_disputes),
]
