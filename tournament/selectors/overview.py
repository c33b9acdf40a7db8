"""What a person should do next: in one event, in all their events, and in running a round."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone

from config.live import Concerns, Written
from tournament.bracket_words import wave_title
from tournament.models import (
    AuditRow,
    Event,
    Match,
    MatchDispute,
    Registration,
    Report,
    Round,
    Staff,
    Stage,
    User,
)
from tournament.selectors.access import PLAYER, Person, powers
from tournament.selectors.clock import Clock, extensions, shown_clock
from tournament.selectors.entries import checkin_is_open, place_in_line, registration_is_open
from tournament.selectors.matches import MATCHES, MatchState, current_match, match_state, my_registration
from tournament.selectors.repairs import repair_due
from tournament.selectors.rounds import current_round, draft_of
from tournament.selectors.stages import bracket_view, current_stage, cut_is_due, second_day_is_due
from tournament.selectors.tables import TableRow, round_tables
from tournament.swiss import State

DAYS_OF_AN_EVENT = timedelta(days=3)  # in progress for longer, it was left open


@dataclass(frozen=True, slots=True)
class Step:
    """One person's next step in one event.

    code: register, not-yet, closed, waiting, check-in, deck, ready, report, told, conflict, settled, bye,
    sitting-out, withdrawn, dropped, finished.
    """

    code: str
    event: Event
    registration: Registration | None = None
    match: Match | None = None
    opponent: Registration | None = None
    roles: frozenset[str] = frozenset()
    line: int = 0  # on the waiting list; 1 gets the next place


@dataclass(frozen=True, slots=True)
class Control:
    """A round as the organizer needs it. code: players, check-in, pair-first, draft, decide, wait, finish, pair,
    cut, stage, over.

    `round` is the latest published one, `draft` the next one, paired for the organizers' eyes. `open` are the
    matches without a settled result, the conflicts among them also in `conflicts`; `extensions`: match -> minutes.
    """

    code: str
    event: Event
    round: Round | None
    tables: tuple[TableRow, ...] = ()
    active: int = 0
    without_deck: int = 0
    illegal: int = 0
    draft: Round | None = None
    clock: Clock | None = None
    extensions: dict[int, int] = field(default_factory=dict)
    stage: Stage | None = None
    next_title: str = ""  # of a bracket: the round that is published next, empty after the last
    next_wave: int = 0  # and its number
    repair: bool = False  # an earlier result was corrected since the round was published

    @property
    def may_take_back(self) -> bool:
        """Whether nothing has been reported at the round's tables yet."""
        under_way = self.round and self.round.finished_at is None and self.round.stage_id is None
        return bool(under_way) and not any(table.reported for table in self.tables)

    @property
    def open(self) -> list[TableRow]:
        return [table for table in self.tables if not table.settled]

    @property
    def conflicts(self) -> list[TableRow]:
        return [table for table in self.tables if table.state == State.CONFLICT]

    @property
    def settled(self) -> int:
        return len(self.tables) - len(self.open)

    @property
    def next_number(self) -> int:
        return self.round.number + 1 if self.round else 1

    @property
    def waiting(self) -> list[TableRow]:
        """The open tables where nobody, or one side alone, has reported."""
        return [table for table in self.open if table.state != State.CONFLICT]


def events_with_players() -> QuerySet[Event]:
    """Every event, the latest first, each with `players`: how many have not dropped."""
    playing = Q(registrations__state=Registration.State.ACTIVE)
    return Event.objects.annotate(players=Count("registrations", filter=playing))


def events_found(query: str) -> QuerySet[Event]:
    """Those with every word of the query in their name, place or format."""
    found = events_with_players()
    for word in query.split():
        found = found.filter(Q(name__icontains=word) | Q(venue__icontains=word) | Q(format__icontains=word))
    return found


def events_today(today: date) -> QuerySet[Event]:
    """Those that begin that day, and those of many days that are in progress."""
    lately = Q(state=Event.State.RUNNING, starts_on__range=(today - DAYS_OF_AN_EVENT, today))
    return Event.objects.exclude(state=Event.State.FINISHED).filter(Q(starts_on=today) | lately)


def event_version(event: Event) -> tuple[int, int]:
    """Changes whenever a service did anything in the event: its audit rows, the last and how many.

    Both, because on PostgreSQL a row with a smaller number may become visible after one with a larger.
    """
    row = AuditRow.objects.filter(event=event).aggregate(last=Max("pk"), count=Count("pk"))
    return row["last"] or 0, row["count"]


def event_versions(events: Iterable[Event]) -> dict[int, tuple[int, int]]:
    """`event_version` of each, in one query."""
    keys = [event.pk for event in events]
    rows = AuditRow.objects.filter(event__in=keys).order_by().values_list("event")
    found = {pk: (last, count) for pk, last, count in rows.annotate(last=Max("pk"), count=Count("pk"))}
    return {pk: found.get(pk, (0, 0)) for pk in keys}


def own_version(event: Event, match: int | None) -> tuple[int, int]:
    """`event_version` without what happened at other tables, which changes nothing at this one: a report does not
    wake every phone in the room."""
    elsewhere = Q(target_type=Match._meta.label_lower) & ~Q(target_id=str(match or ""))
    rows = AuditRow.objects.filter(event=event).exclude(elsewhere)
    row = rows.aggregate(last=Max("pk"), count=Count("pk"))
    return row["last"] or 0, row["count"]


def own_rows(event: Event, match: int | None) -> Concerns:
    """Which rows of the audit log may change `own_version`, or what belongs to no event, such as a ruling."""
    seat, about, mine = Match._meta.label_lower, event.pk, str(match or "")

    def concerns(row: Written) -> bool:
        return row.event is None or (row.event == about and (row.target_type != seat or row.target == mine))

    return concerns


def event_rows(event: Event) -> Concerns:
    """Which rows may change `event_version`, or what belongs to no event."""
    about = event.pk
    return lambda row: row.event is None or row.event == about


def disputes_version(disputes: QuerySet[MatchDispute]) -> int:
    """Changes with every ruling on one of these disputes (rulings belong to no event's log)."""
    row = disputes.aggregate(rulings=Count("dispute__rulings"))
    return int(row["rulings"])


def next_step(user: Person, event: Event) -> Step:
    """What this person should do next in the event, in at most four queries."""
    registration = my_registration(user, event)
    match = current_match(user, event) if registration and event.state == Event.State.RUNNING else None
    step = _step(event, registration, match, frozenset())
    return (
        replace(step, line=place_in_line(registration)) if registration and step.code == "waiting" else step
    )


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
    latest = Round.objects.published().filter(event__in=entries).values("event").annotate(last=Max("number"))
    numbers = {row["event"]: row["last"] for row in latest}
    matches = {
        match.round.event_id: match
        for match in MATCHES.filter(round__event__in=entries, seats__registration__user=user)
        if match.round.number == numbers.get(match.round.event_id)
    }
    return [
        _step(event, entries.get(pk), matches.get(pk), frozenset(powers(roles.get(pk, ()))))
        for pk, event in sorted(events.items(), key=lambda item: (item[1].starts_on, item[0]))
    ]


def round_control(event: Event, *, organizer: bool) -> Control:
    """The one thing to do next in running this event, and the numbers behind it. Drafts are for organizers."""
    round = current_round(event)
    active = event.registrations.filter(state=Registration.State.ACTIVE)
    counts = active.aggregate(
        active=Count("pk"),
        without_deck=Count("pk", filter=Q(revision=None, deck_override="")),
        illegal=Count("pk", filter=Q(report__verdict="illegal")),
    )
    if round is not None:
        round.event = event
    control = Control(
        "",
        event,
        round,
        tuple(round_tables(round)) if round is not None else (),
        **counts,
        draft=draft_of(event) if organizer else None,
        clock=shown_clock(round),
        extensions=extensions(round) if round and round.finished_at is None else {},
        repair=organizer and repair_due(round),
    )
    code = _control_code(control)
    stage = current_stage(event) if code in {"pair", "stage", "finish", "wait", "decide"} else None
    if stage is not None:
        view = bracket_view(stage)
        wave = view.next_wave or 0
        title = wave_title(view.bracket, wave) if wave else ""
        control = replace(control, stage=stage, next_wave=wave, next_title=title)
        return replace(control, code="stage" if code == "pair" else code)
    if code == "pair" and second_day_is_due(event):
        return replace(control, code="second-day")
    return replace(control, code="cut" if code == "pair" and cut_is_due(event) else code)


def _control_code(control: Control) -> str:
    event, round = control.event, control.round
    if event.state == Event.State.FINISHED:
        return "over"
    if control.draft is not None:
        return "draft"
    if round is None and event.flights.exists():
        return "stage" if event.stages.exists() else "flights"
    if round is None:
        if checkin_is_open(event):
            return "check-in"
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
    if registration is None or registration.state == Registration.State.WITHDRAWN:
        return _entry_code(event, registration)
    if registration.state == Registration.State.OUT:
        return "out"
    if match is not None:
        return _match_code(registration, match_state(match))
    if registration.state == Registration.State.DROPPED:
        return "dropped"
    if checkin_is_open(event) and registration.checked_in_at is None:
        return "check-in"
    if registration.state == Registration.State.WAITING:
        return "waiting"
    if event.state == Event.State.RUNNING:
        return "sitting-out"
    return "ready" if registration.revision_id or registration.deck_override else "deck"


def _entry_code(event: Event, registration: Registration | None) -> str:
    """For somebody who is not in the event, or has left it before round 1."""
    if event.state != Event.State.REGISTRATION:
        return "closed"
    now = timezone.now()
    if event.registration_opens is not None and now < event.registration_opens:
        return "not-yet"
    if not registration_is_open(event, now):
        return "closed"
    return "withdrawn" if registration else "register"


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
