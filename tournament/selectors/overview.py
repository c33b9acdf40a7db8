"""What somebody should do next: in one event, in all of theirs, and in running a round."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Max, Q, QuerySet

from tournament.models import AuditRow, Event, Match, MatchDispute, Registration, Report, Round, Staff, User
from tournament.selectors.access import PLAYER, Person
from tournament.selectors.matches import MATCHES, MatchState, current_match, match_state, my_registration
from tournament.swiss import State


@dataclass(frozen=True, slots=True)
class Step:
    """One person's next step in one event.

    code: register, closed, deck, ready, report, told, conflict, settled, bye, sitting-out, dropped, finished.
    """

    code: str
    event: Event
    registration: Registration | None = None
    match: Match | None = None
    opponent: Registration | None = None
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Control:
    """A round as the organizer needs it. code: players, pair-first, decide, wait, finish, pair, over.

    `open` are the matches without a settled result, the conflicts among them also in `conflicts`.
    """

    code: str
    event: Event
    round: Round | None
    states: tuple[tuple[Match, MatchState], ...] = ()
    active: int = 0
    without_deck: int = 0
    illegal: int = 0

    @property
    def open(self) -> list[tuple[Match, MatchState]]:
        return [pair for pair in self.states if not pair[1].settled]

    @property
    def conflicts(self) -> list[tuple[Match, MatchState]]:
        return [pair for pair in self.states if pair[1].state == State.CONFLICT]

    @property
    def settled(self) -> int:
        return len(self.states) - len(self.open)

    @property
    def next_number(self) -> int:
        return self.round.number + 1 if self.round else 1


def events_with_players() -> QuerySet[Event]:
    """Every event, the latest first, each with `players`: how many have not dropped."""
    playing = Q(registrations__state=Registration.State.ACTIVE)
    return Event.objects.annotate(players=Count("registrations", filter=playing))


def event_version(event: Event) -> tuple[int, int]:
    """Changes whenever a service did anything in the event: its audit rows, the last and how many.

    Both, because on PostgreSQL a row with a smaller number may become visible after one with a larger.
    """
    row = AuditRow.objects.filter(event=event).aggregate(last=Max("pk"), count=Count("pk"))
    return row["last"] or 0, row["count"]


def disputes_version(disputes: QuerySet[MatchDispute]) -> int:
    """Changes with every ruling on one of these disputes (rulings belong to no event's trail)."""
    row = disputes.aggregate(rulings=Count("dispute__rulings"))
    return int(row["rulings"])


def next_step(user: Person, event: Event) -> Step:
    """What this person should do next in the event, in at most four queries."""
    registration = my_registration(user, event)
    match = current_match(user, event) if registration and event.state == Event.State.RUNNING else None
    return _step(event, registration, match, frozenset())


def agenda(user: User) -> list[Step]:
    """The next step in every event of this person that is not over, soonest first, in a constant number of queries."""
    entries = {
        entry.event_id: entry
        for entry in Registration.objects.filter(user=user)
        .exclude(event__state=Event.State.FINISHED)
        .select_related("event", "revision__deck", "report")
    }
    roles: dict[int, set[str]] = {}
    events = {pk: entry.event for pk, entry in entries.items()}
    for row in (
        Staff.objects.filter(user=user).exclude(event__state=Event.State.FINISHED).select_related("event")
    ):
        roles.setdefault(row.event_id, set()).add(row.role)
        events[row.event_id] = row.event
    latest = Round.objects.filter(event__in=entries).values("event").annotate(last=Max("number"))
    numbers = {row["event"]: row["last"] for row in latest}
    matches = {
        match.round.event_id: match
        for match in MATCHES.filter(round__event__in=entries, seats__registration__user=user)
        if match.round.number == numbers[match.round.event_id]
    }
    return [
        _step(event, entries.get(pk), matches.get(pk), frozenset(roles.get(pk, ())))
        for pk, event in sorted(events.items(), key=lambda item: (item[1].starts_on, item[0]))
    ]


def round_control(event: Event) -> Control:
    """The one thing to do next in running this event, and the numbers behind it."""
    round = event.rounds.order_by("-number").first()
    entries = list(event.registrations.select_related("report"))
    active = [entry for entry in entries if entry.state == Registration.State.ACTIVE]
    states = _states(round)
    control = Control(
        "",
        event,
        round,
        states,
        len(active),
        sum(entry.revision_id is None and not entry.deck_override for entry in active),
        sum(bool(entry.report) and entry.report.verdict == "illegal" for entry in active),  # type: ignore[union-attr]
    )
    return Control(
        _control_code(control), event, round, states, control.active, control.without_deck, control.illegal
    )


def _states(round: Round | None) -> tuple[tuple[Match, MatchState], ...]:
    if round is None:
        return ()
    return tuple((match, match_state(match)) for match in MATCHES.filter(round=round))


def _control_code(control: Control) -> str:
    event, round = control.event, control.round
    if event.state == Event.State.FINISHED:
        return "over"
    if round is None:
        return "pair-first" if control.active >= 2 else "players"
    if control.conflicts:
        return "decide"
    if control.open:
        return "wait"
    if round.finished_at is None:
        return "finish"
    return "pair"


def _step(
    event: Event, registration: Registration | None, match: Match | None, roles: frozenset[str]
) -> Step:
    opponent = _opponent(registration, match)
    code = _step_code(event, registration, match)
    return Step(code, event, registration, match, opponent, roles | ({PLAYER} if registration else set()))


def _step_code(event: Event, registration: Registration | None, match: Match | None) -> str:
    if event.state == Event.State.FINISHED:
        return "finished"
    if registration is None:
        return "register" if event.state == Event.State.REGISTRATION else "closed"
    if match is not None:
        return _match_code(registration, match_state(match))
    if registration.state == Registration.State.DROPPED:
        return "dropped"
    if event.state == Event.State.RUNNING:
        return "sitting-out"
    return "ready" if registration.revision_id or registration.deck_override else "deck"


def _match_code(registration: Registration, state: MatchState) -> str:
    if state.settled:
        dropped = registration.state == Registration.State.DROPPED
        return "dropped" if dropped else "bye" if state.state == State.BYE else "settled"
    if state.state == State.CONFLICT:
        return "conflict"
    return "told" if _own_report(registration, state) else "report"


def _own_report(registration: Registration, state: MatchState) -> Report | None:
    side = next(seat.side for seat in state.seats if seat.registration_id == registration.pk)
    return state.latest(side)


def _opponent(registration: Registration | None, match: Match | None) -> Registration | None:
    if registration is None or match is None:
        return None
    others: Sequence[Registration] = [
        seat.registration for seat in match.seats.all() if seat.registration_id != registration.pk
    ]
    return others[0] if others else None
