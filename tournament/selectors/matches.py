"""Matches and their results, which are derived from reports and never stored."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Case, IntegerField, QuerySet, Value, When

from tournament.models import Event, Match, Registration, Report, Round, Seat, Staff
from tournament.selectors.access import Person
from tournament.selectors.querysets import MATCHES
from tournament.selectors.tables import reports_said
from tournament.swiss import Outcome, Played, Result, Said, State, result_of


@dataclass(frozen=True, slots=True)
class MatchState:
    """What is known of a match.

    state: waiting, reported, confirmed, conflict, decided or bye; outcome: from side 1, only when settled;
    reports: all rows, oldest first; seats: side 1, side 2 (a bye has one).
    """

    state: str
    outcome: str | None
    games: tuple[int, int, int] | None
    reports: tuple[Report, ...]
    seats: tuple[Seat, ...]

    @property
    def settled(self) -> bool:
        return self.state in {State.CONFIRMED, State.DECIDED, State.BYE}

    def latest(self, side: int | None) -> Report | None:
        """The report that counts of side 1, side 2 or staff (None)."""
        mine = [report for report in self.reports if (report.seat and report.seat.side) == side]
        return mine[-1] if mine else None

    def outcome_for(self, registration: Registration) -> str | None:
        """The settled result seen from this player's side; "bye" for a bye, None while open."""
        if self.state == State.BYE:
            return State.BYE.value
        if self.outcome is None:
            return None
        side = next(seat.side for seat in self.seats if seat.registration_id == registration.pk)
        outcome = Outcome(self.outcome)
        return (outcome if side == 1 else outcome.mirrored).value


def match_state(match: Match) -> MatchState:
    """Derive a match's state. Uses prefetched seats and reports where the match has them."""
    seats = tuple(match.seats.all())
    reports = tuple(sorted(match.reports.all(), key=lambda report: report.number))
    result = result_of([_said(report) for report in reports], seats=len(seats))
    outcome = result.outcome.value if result.outcome else None
    return MatchState(result.state.value, outcome, result.games, reports, seats)


def _said(report: Report) -> Said:
    games = (report.games[0], report.games[1], report.games[2]) if report.games else None
    return Said(report.seat.side if report.seat else None, Outcome(report.outcome), games)


def round_matches(round: Round) -> list[Match]:
    """The round's matches by table, byes last, with seats and reports at hand, in three queries."""
    return list(MATCHES.filter(round=round))


def my_registration(user: Person, event: Event) -> Registration | None:
    """The asker's own entry in the event."""
    if user is None or not user.is_authenticated:
        return None
    return event.registrations.select_related("revision__deck", "report").filter(user=user).first()


def current_match(user: Person, event: Event) -> Match | None:
    """The match the asker sits at in the latest published round; None when there is none."""
    if user is None or not user.is_authenticated:
        return None
    latest = Round.objects.published().filter(event=event).order_by("-number").values("pk")[:1]
    return (
        MATCHES.select_related("round__event")
        .filter(round__in=latest, seats__registration__user=user)
        .first()
    )


def current_seat(user: Person, event: Event) -> int | None:
    """The match of `current_match` by its pk alone, in one small query: what a poll asks first."""
    if user is None or not user.is_authenticated:
        return None
    latest = Round.objects.published().filter(event=event).order_by("-number").values("pk")[:1]
    seats = Seat.objects.filter(round__in=latest, registration__user=user).order_by()
    return seats.values_list("match_id", flat=True).first()


def seat_now(entry: Registration) -> Seat | None:
    """Where the player sits in the round under way."""
    under_way = Round.objects.published().filter(event=entry.event_id, finished_at=None)
    seats = Seat.objects.filter(registration=entry, round__in=under_way)
    return seats.select_related("round", "match__round__event").order_by("-round__number").first()


def open_matches(round: Round) -> list[Match]:
    """Matches of the round without a settled result, by table."""
    return [match for match in round_matches(round) if not match_state(match).settled]


def conflicts(event: Event) -> list[Match]:
    """Matches whose players report different results: staff must decide. A closed round has none."""
    matches = (
        MATCHES.filter(round__event=event, round__finished_at=None, reports__isnull=False)
        .distinct()
        .order_by("round__number", "table")
    )
    return [match for match in matches if match_state(match).state == State.CONFLICT]


def played(event: Event) -> list[Played]:
    """Every settled match and bye of the event's published Swiss rounds in plain values, in two queries."""
    seats: dict[int, dict[int, int]] = {}
    rounds: dict[int, int] = {}
    rows = Seat.objects.filter(
        round__event=event, round__stage=None, round__published_at__isnull=False
    ).order_by("match_id", "side")
    for match, number, side, player in rows.values_list(
        "match_id", "round__number", "side", "registration_id"
    ):
        seats.setdefault(match, {})[side] = player
        rounds[match] = number
    reports = Report.objects.filter(match__round__event=event, match__round__stage=None).order_by(
        "match_id", "number"
    )
    said = reports_said(reports.values_list("match_id", "seat__side", "outcome", "games"))
    return list(_settled(seats, rounds, said))


def _settled(
    seats: dict[int, dict[int, int]], rounds: dict[int, int], said: dict[int, list[Said]]
) -> Iterable[Played]:
    for match, sides in seats.items():
        result: Result = result_of(said.get(match, []), seats=len(sides))
        if result.settled:
            yield Played(rounds[match], sides[1], sides.get(2), result.outcome, result.games)


def staff_of(event: Event) -> QuerySet[Staff]:
    """The event's staff, with their users: owners first, then by role. Spectators are not staff."""
    rank = Case(
        *[When(role=role, then=Value(place)) for place, role in enumerate(Staff.Role.values)],
        output_field=IntegerField(),
    )
    rows = event.staff.exclude(role=Staff.Role.SPECTATOR).select_related("user")
    return rows.order_by(rank, "user__username")
